"""Gravon's formats: StraDoS3 positions, GSN (the older text of games) and StraDoS2 XML (its archive), read tolerantly, written plainly.

All three write a board as the same 100 letters, a field. Letter 10 * row + column, row 0 = red's back row. Red: `B` bomb, `C` spy,
`D` 2 up to `L` 10, `M` flag. Blue: the same twelve letters on, `N` to `Y`. `A` is an empty square, `_` a lake. Knows the 10 x 10
board only, and no rule.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from referee.journal.errors import NotShownError, RecordError, RecordFormatError, listed
from referee.journal.records.model import MOST_PLIES, Ply, Record, SetUp, former_options
from referee.rules import BySeat, CombatResult, EndReason, GameResult, Move, Rank, Seat, Square, rule_set
from referee.table.event_actions import plain

SIDE = 10
RANKS = (Rank.BOMB, *tuple(Rank)[tuple(Rank).index(Rank.SPY) :], Rank.FLAG)
LAKES = frozenset({42, 43, 46, 47, 52, 53, 56, 57})
EMPTY, LAKE = "A", "_"

Piece = tuple[Seat, Rank]

PIECES: Mapping[str, Piece] = {
    chr(ord("B") + 12 * army + number): (seat, rank)
    for army, seat in enumerate((Seat.RED, Seat.BLUE))
    for number, rank in enumerate(RANKS)
}
LETTERS: Mapping[Piece, str] = {piece: letter for letter, piece in PIECES.items()}
STRADOS3_SEATS: Mapping[str, Seat] = {"r": Seat.RED, "b": Seat.BLUE}


@dataclass(frozen=True, slots=True, repr=False)
class GravonPosition:
    """A StraDoS3 position: its pieces, and who is to move. Holds ranks: its repr shows none."""

    pieces: Mapping[Square, Piece]
    turn: Seat

    def __repr__(self) -> str:
        return f"GravonPosition({len(self.pieces)} pieces, {self.turn.value} to move)"


def square_at(index: int) -> Square:
    """Return the square with this index, 0 (`a1`) to 99 (`j10`)."""
    return Square(f"{'abcdefghij'[index % SIDE]}{index // SIDE + 1}")


def index_of(square: Square) -> int:
    """Return the index of a square of the 10 x 10 board, 0 (`a1`) to 99 (`j10`)."""
    return SIDE * (int(square.name[1:]) - 1) + "abcdefghij".index(square.name[0])


def read_position(text: str) -> GravonPosition:
    """Read `<100 letters> r` or `... b`; raises `RecordFormatError` that names every fault at once."""
    field, space, side = text.partition(" ")
    faults = field_faults(field)
    if not space or side not in STRADOS3_SEATS:
        faults.append("a space and r or b must follow the letters")
    if faults:
        raise RecordFormatError(listed(faults))
    return GravonPosition(read_field(field), STRADOS3_SEATS[side])


def read_field(field: str) -> dict[Square, Piece]:
    """Read the 100 letters, upper or lower case; raises `RecordFormatError` that names every fault at once."""
    faults = field_faults(field)
    if faults:
        raise RecordFormatError(listed(faults))
    return {square_at(index): PIECES[letter] for index, letter in enumerate(_upper(field)) if letter in PIECES}


def write_field(pieces: Mapping[Square, Piece]) -> str:
    """Return the 100 letters of a position. Squares must be of the 10 x 10 board, ranks of Original's army."""
    letters = [LAKE if index in LAKES else EMPTY for index in range(SIDE * SIDE)]
    for square, piece in pieces.items():
        letters[index_of(square)] = LETTERS[piece]
    return "".join(letters)


def field_faults(field: str) -> list[str]:
    """Return what is wrong with a text of 100 letters, each fault with its place from 1. Armies and zones are not
    checked.
    """
    faults = [] if len(field) == SIDE * SIDE else [f"{len(field)} letters where {SIDE * SIDE} belong"]
    known = PIECES.keys() | {EMPTY, LAKE}
    for index, letter in enumerate(_upper(field[: SIDE * SIDE])):
        if letter not in known:
            faults.append(f"letter {index + 1} ({square_at(index).name}) is none of A to Y or _")
        elif (letter == LAKE) != (index in LAKES):
            what = "is a lake and needs _" if index in LAKES else "is no lake"
            faults.append(f"letter {index + 1} ({square_at(index).name}) {what}")
    return faults


def _upper(field: str) -> str:
    return "".join(letter.upper() if letter.isascii() else letter for letter in field)  # others may change their length


# What Gravon's two formats share: game types, result numbers, and the turning of letters and squares into a `Record`.


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
    **{reason: number for number, reason in reversed([*ENDINGS.items()])},  # the first number of a reason counts
    EndReason.RESIGN: 3,
    EndReason.NO_PROGRESS: 4,
    EndReason.RULED: 3,
    EndReason.UNFINISHED: 10,
    EndReason.BOTH_LOSE: 10,
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
    """The content of a GSN or StraDoS2 file, not yet a record. `field` is None for a game that ended before it was set
    up.
    """

    kind: str
    field: str | None
    moves: Sequence[tuple[str, str]]
    names: Mapping[Seat, str]
    result: GameResult | None

    def __repr__(self) -> str:
        return f"GravonGame({self.kind}, {len(self.moves)} moves)"


def record_of(game: GravonGame) -> Record:
    """Return the record in the referee's view, with both players' consent: a published game hides nothing."""
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
    """Return the rule set that has exactly these armies where the label names another one; None where the label is
    right.

    Some collections label every game `classic`; eight pieces a side in one of them are Barrage, not a faulty set-up.
    """
    if rules is None or not pieces:
        return None
    armies = [Counter(rank for owner, rank in pieces.values() if owner is seat) for seat in SEATS]
    fitting = [name for name in TYPES.values() if all(army == Counter(rule_set(name).army) for army in armies)]
    return None if rules in fitting else next(iter(fitting), None)


def result_of(number: int, winner: int, line: int) -> GameResult:
    """Return the result for Gravon's numbers (winner 1 red, 2 blue, 3 or 0 a draw). Raises `RecordFormatError` with
    `line`.
    """
    if number not in ENDINGS:
        raise RecordFormatError(f"{number} is no type of result", line)
    if winner not in (0, 1, 2, DRAW):
        raise RecordFormatError(f"{winner} is no winner", line)
    return GameResult({1: Seat.RED, 2: Seat.BLUE}.get(winner), ENDINGS[number])


def result_numbers(result: GameResult) -> tuple[int, int]:
    """Return a result as Gravon's number of its type and the winner in StraDoS2's XML (1 red, 2 blue, or `DRAW`)."""
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
    """Return `A4` or `K10` for a square of the 10 x 10 board. Raises `RecordError` for a lake and for other boards."""
    name = NAMES.get(square)
    if name is None:
        raise RecordError(f"{square.name} is no square of the 10 x 10 board")
    return name


def exported(record: Record) -> GravonGame:
    """Return what both formats, GSN and StraDoS2, write of a record.

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


# GSN, the older text form of Gravon's games, versions 1 and 2.
#
# #X38FA11 Stratego-Notation v1
# type0
# <100 letters>                       missing when the game ended before it was set up
# A4-A5                               one a ply
# END
# red vs blue result 1 winner 0


MAGIC = "#X38FA11 Stratego-Notation v"
GSN_TYPES = ("classic", "barrage", "classicfree", "ultimate lightning")
END = "END"

_MOVE = re.compile(r"([A-Ka-k](?:10|[1-9]))-([A-Ka-k](?:10|[1-9]))")
_LAST = re.compile(r"(.*?) vs (.*) result ([0-9]{1,3}) winner (-?[0-9]{1,3})")


def is_gsn(text: str) -> bool:
    """Return whether a text begins as GSN does."""
    return text.startswith(MAGIC)


def read_gsn(text: str) -> Record:
    """Read a game; raises `RecordFormatError` with the line."""
    lines = [line.strip() for line in text.split("\n")]
    if lines[0] not in (f"{MAGIC}1", f"{MAGIC}2"):
        raise RecordFormatError(f"'{MAGIC}1' or '...2' must stand here", 1)
    kind = _kind(lines[1] if len(lines) > 1 else "")
    at = 2
    field: str | None = None
    if at < len(lines) and lines[at] != END and not _is_ply(lines[at]):
        field, at = lines[at], at + 1
    moves: list[tuple[str, str]] = []
    while at < len(lines) and lines[at] != END:
        if lines[at]:
            moves.append(_gsn_move(lines[at], at + 1))
        at += 1
    if at == len(lines):
        raise RecordFormatError(f"{END} is missing")
    if len(moves) > MOST_PLIES:
        raise RecordFormatError(f"more than {MOST_PLIES:,} moves")
    names, result = _last(
        [(number, line) for number, line in enumerate(lines[at:], start=at + 1) if line not in ("", END)]
    )
    return record_of(GravonGame(kind, field, moves, names, result))


def write_gsn(record: Record) -> str:
    """Return the GSN (version 1) of a record that has every rank. Raises as `exported` does.

    A game without a result has no last line, and so no names: the format has no word for it.
    """
    game = exported(record)
    if game.kind not in GSN_TYPES:
        raise RecordError(f"GSN has no game type for the rule set {record.rules}")
    lines = [f"{MAGIC}1", f"type{GSN_TYPES.index(game.kind)}"]
    lines += [] if game.field is None else [game.field]
    lines += [f"{source}-{target}" for source, target in game.moves]
    lines.append(END)
    if game.result is not None and game.result.reason is not EndReason.UNFINISHED:
        kind, winner = result_numbers(game.result)
        red, blue = (_name(game.names, seat) for seat in SEATS)
        lines.append(f"{red} vs {blue} result {kind} winner {winner - 1}")
    return "\n".join([*lines, ""])


def _name(names: Mapping[Seat, str], seat: Seat) -> str:
    name = names.get(seat, seat.value)
    if " vs " in f" {name} " or " result " in f" {name} ":
        raise RecordError(f"GSN cannot hold the name of {seat.value}, which has one of its own words in it")
    return name


def _kind(line: str) -> str:
    number = line.removeprefix("type")
    if not line.startswith("type") or number not in [str(known) for known in range(len(GSN_TYPES))]:
        raise RecordFormatError(f"'type0' to 'type{len(GSN_TYPES) - 1}' must stand here", 2)
    return GSN_TYPES[int(number)]


def _is_ply(line: str) -> bool:
    return _MOVE.fullmatch(line) is not None or ":" in line


def _gsn_move(line: str, number: int) -> tuple[str, str]:
    match = _MOVE.fullmatch(line)
    if match is None:
        if ":" in line:
            raise RecordFormatError("a rescue, which belongs to another game than ours", number)
        raise RecordFormatError(f"'A4-A5' or {END} must stand here", number)
    return match[1], match[2]


def _last(lines: list[tuple[int, str]]) -> tuple[Mapping[Seat, str], GameResult | None]:
    if not lines:
        return {}, None
    if len(lines) > 1:
        raise RecordFormatError(f"nothing may follow the line of the result, {lines[0][0]}", lines[1][0])
    number, line = lines[0]
    if len(line) > 3 * LONGEST_NAME:  # each " vs " in it is a place where the second name could begin
        raise RecordFormatError(f"longer than {3 * LONGEST_NAME:,} characters", number)
    match = _LAST.fullmatch(line)
    if match is None:
        raise RecordFormatError("'red vs blue result N winner M' must stand here", number)
    return dict(zip(SEATS, match.group(1, 2), strict=True)), result_of(int(match[3]), int(match[4]) + 1, number)


# StraDoS2 XML, the format of Gravon's archive: one game, read tolerantly, written plainly.
#
# <stratego><game type="classic"><field content="100 letters"/><move id="1" source="A4" target="A5"/> ...
# <player id="1">name</player> ... <result type="1" winner="1"/></game></stratego>
#
# The reader refuses document types, and with them every entity; it takes bytes in any encoding that the XML declares.


DEEPEST = 20


def read_strados2(data: bytes) -> Record:
    """Read a game; raises `RecordFormatError` with the line where there is one."""
    return record_of(_Reader().read(data))


def write_strados2(record: Record) -> str:
    """Return the StraDoS2 XML of a record that has every rank. Raises as `exported` does."""
    game = exported(record)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<stratego>", f"  <game type={quoteattr(game.kind)}>"]
    if game.field is not None:
        lines.append(f'    <field content="{game.field}"/>')
    for number, (source, target) in enumerate(game.moves, start=1):
        lines.append(f'    <move id="{number}" source="{source}" target="{target}"/>')
    for number, seat in enumerate(SEATS, start=1):
        lines.append(f'    <player id="{number}">{escape(game.names.get(seat, ""))}</player>')
    if game.result is not None and game.result.reason is not EndReason.UNFINISHED:
        kind, winner = result_numbers(game.result)
        lines.append(f'    <result type="{kind}" winner="{winner}"/>')
    return "\n".join([*lines, "  </game>", "</stratego>", ""])


class _Reader:
    """Collects what the parser finds. Elements that the format does not have are passed over, their text too."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._path: list[str] = []
        self._games = 0
        self._kind = "classic"
        self._field: str | None = None
        self._moves: list[tuple[str, str]] = []
        self._last_id = 0
        self._names: dict[Seat, str] = {}
        self._player: Seat | None = None
        self._result: GameResult | None = None

    def read(self, data: bytes) -> GravonGame:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise RecordFormatError(f"no XML: {expat.ErrorString(error.code)}", error.lineno) from None
        except (LookupError, UnicodeError):
            raise RecordFormatError("the XML's encoding is not known") from None
        if self._games != 1:
            raise RecordFormatError("there is no <game> in <stratego>")
        return GravonGame(self._kind, self._field, self._moves, self._names, self._result)

    def _fault(self, message: str) -> RecordFormatError:
        return RecordFormatError(message, self._parser.CurrentLineNumber)

    def _doctype(self, *_: object) -> None:
        raise self._fault("a document type is not allowed")

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if not self._path and name != "stratego":
            raise self._fault("the outermost element must be <stratego>")
        parent = self._path[-1] if self._path else ""
        self._path.append(name)
        if len(self._path) > DEEPEST:
            raise self._fault("the elements are nested too deeply")
        if name == "game" and parent == "stratego":
            self._game(attributes)
        elif parent == "game":
            self._in_game(name, attributes)

    def _game(self, attributes: Mapping[str, str]) -> None:
        self._games += 1
        if self._games > 1:
            raise self._fault("a second <game>; one file holds one")
        self._kind = plain(attributes.get("type", "classic")).lower()

    def _in_game(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "field":
            if self._field is not None:
                raise self._fault("a second <field>")
            self._field = self._needed(attributes, "content").strip()
        elif name == "move":
            self._move(attributes)
        elif name == "player":
            number = self._number(attributes, "id")
            self._player = SEATS[number - 1] if number in (1, 2) else None
        elif name == "result":
            numbers = self._number(attributes, "type"), self._number(attributes, "winner")
            self._result = result_of(*numbers, self._parser.CurrentLineNumber)

    def _move(self, attributes: Mapping[str, str]) -> None:
        if len(self._moves) >= MOST_PLIES:
            raise self._fault(f"more than {MOST_PLIES:,} moves")
        if "id" in attributes:
            number = self._number(attributes, "id")
            if number <= self._last_id:
                raise self._fault(f"move {number} comes after move {self._last_id}")
            self._last_id = number
        self._moves.append((self._needed(attributes, "source").strip(), self._needed(attributes, "target").strip()))

    def _needed(self, attributes: Mapping[str, str], key: str) -> str:
        if key not in attributes:
            raise self._fault(f"{key} is missing")
        return attributes[key]

    def _number(self, attributes: Mapping[str, str], key: str) -> int:
        text = self._needed(attributes, key).strip()
        if not (text.isascii() and text.isdigit() and len(text) < 9):
            raise self._fault(f"{key} must be a number")
        return int(text)

    def _end(self, name: str) -> None:
        self._path.pop()
        if name == "player":
            self._player = None

    def _text(self, text: str) -> None:
        if self._player is not None and self._path[-1] in ("player", "text"):
            name = self._names.get(self._player, "") + text
            if len(name) > LONGEST_NAME:
                raise self._fault(f"a player's name is longer than {LONGEST_NAME:,} characters")
            self._names[self._player] = name
