"""What Gravon's two formats share: game types, result numbers, and the turning of letters and squares into a `Record`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.journal.records.errors import NotShownError, RecordError, RecordFormatError
from referee.journal.records.model import Ply, Record, SetUp
from referee.journal.records.options import former_options
from referee.journal.records.plain_text import plain
from referee.journal.records.strados3 import LAKES, LETTERS, Piece, read_field, square_at, write_field
from referee.rules import CombatResult, EndReason, GameResult, Move, rule_set
from referee.rules.values import BySeat, Rank, Seat, Square

SEATS = (Seat.RED, Seat.BLUE)
LONGEST_NAME = 1_000
"""Characters of a player's name as it stands in the file, white space included; a record keeps fewer."""
TYPES: Mapping[str, str] = {"classic": "original", "duell": "duel", "barrage": "barrage"}
"""Gravon's game types that are rule sets of ours; every other one is judged as `original` with any army."""

TYPE_OF_RULES: Mapping[str, str] = {"original": "classic", "vintage": "classic", "duel": "duell", "barrage": "barrage"}
"""The game type that a rule set is written as. The formats have no letter for an infiltrator, and no other limit than 3."""

ENDINGS: Mapping[int, EndReason] = {
    0: EndReason.IMMOBILE,
    1: EndReason.FLAG,
    2: EndReason.BOTH_IMMOBILE,
    3: EndReason.FORFEIT,
    4: EndReason.AGREED,
    10: EndReason.ABORTED,
    11: EndReason.CLOCK,
    12: EndReason.CLOCK,
    13: EndReason.CLOCK,
    14: EndReason.FORFEIT,
}
"""Result numbers: 3 is a player who gave up, 10 both missing, 11 to 13 a clock, 14 the opponent missing."""

NUMBERS: Mapping[EndReason, int] = {
    EndReason.IMMOBILE: 0,
    EndReason.FLAG: 1,
    EndReason.BOTH_IMMOBILE: 2,
    EndReason.FORFEIT: 3,
    EndReason.RESIGN: 3,
    EndReason.AGREED: 4,
    EndReason.NO_PROGRESS: 4,
    EndReason.RULED: 3,
    EndReason.ABORTED: 10,
    EndReason.UNFINISHED: 10,
    EndReason.BOTH_LOSE: 10,
    EndReason.CLOCK: 11,
    EndReason.HALL_CLOCK: 12,
}

DRAW = 3
"""The XML's winner of a draw; red is 1, blue 2. GSN's numbers are one less."""


NAMES: Mapping[Square, str] = {
    square_at(index): f"{'ABCDEFGHIK'[index % 10]}{index // 10 + 1}" for index in range(100) if index not in LAKES
}
SQUARES: Mapping[str, Square] = {
    letter + name[1:]: square_at(index)
    for index in range(100)
    for name in (f"{'ABCDEFGHIK'[index % 10]}{index // 10 + 1}",)
    for letter in (name[0] + name[0].lower() + ("Jj" if name[0] == "K" else ""))
}
"""Every name of every square, lakes too: a move onto a lake can be read, and is judged illegal."""


@dataclass(frozen=True, slots=True, repr=False)
class GravonGame:
    """What either file says, before it is made a record. `field` is None for a game that ended before it was set up."""

    kind: str
    field: str | None
    moves: Sequence[tuple[str, str]]
    names: Mapping[Seat, str]
    result: GameResult | None

    def __repr__(self) -> str:
        return f"GravonGame({self.kind}, {len(self.moves)} moves)"


def record_of(game: GravonGame) -> Record:
    """Give the record: the referee's view, since a published game hides nothing, with the consent that publishing implies."""
    rules = TYPES.get(game.kind)
    pieces = {} if game.field is None else read_field(game.field)
    if game.moves and game.field is None:
        raise RecordFormatError("there are moves but no field")
    set_ups = {} if game.field is None else {seat: _set_up(pieces, seat) for seat in SEATS}
    other = _other_army(pieces, rules)
    name = other or rules or "original"
    return Record(
        rules=name,
        options=former_options(name),
        any_army=rules is None and other is None,
        set_ups=BySeat(set_ups),
        plies=tuple(_ply(number, *move) for number, move in enumerate(game.moves)),
        result=game.result,
        names=BySeat({seat: name for seat, text in game.names.items() if (name := plain(text))}),
        consent=frozenset(set_ups),
    )


def _set_up(pieces: Mapping[Square, Piece], seat: Seat) -> SetUp:
    return SetUp({square: rank for square, (owner, rank) in pieces.items() if owner is seat})


def _ply(number: int, source: str, target: str) -> Ply:
    return Ply(SEATS[number % 2], Move(read_square(source), read_square(target)))


def _other_army(pieces: Mapping[Square, Piece], rules: str | None) -> str | None:
    """Give the rule set whose armies these are exactly, where the label names another one.

    Some collections label every game `classic`; eight pieces a side in one of them are Barrage, not a faulty set-up.
    """
    if rules is None or not pieces:
        return None
    armies = [Counter(rank for owner, rank in pieces.values() if owner is seat) for seat in SEATS]
    fitting = [name for name in TYPES.values() if all(army == Counter(rule_set(name).army) for army in armies)]
    return None if rules in fitting else next(iter(fitting), None)


def result_of(number: int, winner: int) -> GameResult:
    """Give the result for Gravon's numbers (winner 1 red, 2 blue, 3 or 0 nobody); raises `RecordFormatError`."""
    if number not in ENDINGS:
        raise RecordFormatError(f"{number} is no type of result")
    if winner not in (0, 1, 2, DRAW):
        raise RecordFormatError(f"{winner} is no winner")
    return GameResult({1: Seat.RED, 2: Seat.BLUE}.get(winner), ENDINGS[number])


def result_numbers(result: GameResult) -> tuple[int, int]:
    """Give Gravon's type and the XML's winner of a result."""
    winner = DRAW if result.winner is None else SEATS.index(result.winner) + 1
    ruled_draw = result.winner is None and result.reason is EndReason.RULED
    return NUMBERS[EndReason.AGREED if ruled_draw else result.reason], winner


def read_square(text: str) -> Square:
    """Read `A4`, `K10` or `J10`; raises `RecordFormatError`."""
    square = SQUARES.get(text)
    if square is None:
        raise RecordFormatError(f"{plain(text)!r} is no square (A1 to K10)")
    return square


def write_square(square: Square) -> str:
    """Give `A4` or `K10` for a square of the 10 x 10 board; raises `RecordError` for a lake and for other boards' squares."""
    name = NAMES.get(square)
    if name is None:
        raise RecordError(f"{square.name} is no square of the 10 x 10 board")
    return name


def exported(record: Record) -> GravonGame:
    """Give what either format writes of a record.

    Raises `NotShownError` if a rank is unknown in it (the letters have none for that), and `RecordError` for another board,
    a rank without a letter, or anything but plain moves.
    """
    kind = "classicfree" if record.any_army else TYPE_OF_RULES.get(record.rules)
    if kind is None:
        raise RecordError(f"Gravon's formats have no game type for the rule set {record.rules}")
    if record.before:
        raise RecordError("these formats cannot say what was decided before the first ply")
    pieces: dict[Square, Piece] = {}
    for seat, set_up in record.set_ups.items():
        if len(set_up.known) < len(set_up):
            raise NotShownError(
                f"these formats show every rank, and the {record.view.value} view does not have all of {seat.value}'s"
            )
        pieces.update({square: _piece(seat, square, rank) for square, rank in set_up.known.items()})
    return GravonGame(
        kind=kind,
        field=write_field(pieces) if record.set_ups else None,
        moves=[_move(number, ply) for number, ply in enumerate(record.plies, start=1)],
        names=record.names,
        result=record.result,
    )


def _piece(seat: Seat, square: Square, rank: Rank) -> Piece:
    if (seat, rank) not in LETTERS:
        raise RecordError(f"these formats have no letter for {seat.value}'s piece on {square.name}")
    write_square(square)
    return seat, rank


def _move(number: int, ply: Ply) -> tuple[str, str]:
    action = ply.action
    if (
        not isinstance(action, Move)
        or action.via
        or action.leaving
        or ply.decisions
        or (ply.result is CombatResult.ATTACKER_WINS and ply.attacker is ply.defender is Rank.SPY)
        or ply.seat is not SEATS[(number - 1) % 2]
    ):
        raise RecordError(f"these formats cannot say ply {number}")
    return write_square(action.source), write_square(action.target)
