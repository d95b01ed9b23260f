"""Games for the tests of records: recorded ones (the chase corpus where it lies beside the project, else our own) and played ones."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

from referee.journal.records.model import Decision, GiveUp, Ply, Record, SetUp, options_of
from referee.rules import Decided, Fire, Game, Infiltrate, Recruit, RuleSet, TakeFlags
from referee.rules.values import BySeat, PieceId, Rank, Seat, Square

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "data" / "chase"
COLUMNS = "ABCDEFGHIK"


@dataclass(frozen=True)
class Recorded:
    """A recorded game as letters and moves; its last move is the first illegal one, for `reason`."""

    name: str
    kind: str
    field: str
    moves: tuple[tuple[str, str], ...]
    reason: str = "chase"
    ending: int = 3
    """Why blue won, in the formats' number."""

    def xml(self, moves: Sequence[tuple[str, str]] | None = None, kind: str | None = None) -> bytes:
        """Return the game as StraDoS2 XML, written here without the project's own writer."""
        moves = self.moves if moves is None else moves
        body = "".join(f'<move id="{n}" source="{a}" target="{b}"/>\n' for n, (a, b) in enumerate(moves, start=1))
        game = f'<game type="{kind or self.kind}"><field content="{self.field}"/>\n{body}'
        players = f'<player id="1">{escape(self.name)}</player><player id="2"><text>the other</text></player>'
        return f'<stratego>{game}{players}<result type="{self.ending}" winner="2"/></game></stratego>'.encode()

    def gsn(self, moves: Sequence[tuple[str, str]] | None = None) -> bytes:
        """Return the game as GSN."""
        moves = self.moves if moves is None else moves
        kind = {"classic": 0, "barrage": 1}[self.kind]
        lines = [
            "#X38FA11 Stratego-Notation v1",
            f"type{kind}",
            self.field,
            *(f"{a}-{b}" for a, b in moves),
            "END",
            "END",
        ]
        return "\n".join([*lines, f"{self.name} vs the other result {self.ending} winner 1", ""]).encode()


def _from_corpus(path: Path) -> Recorded:
    """Read a corpus file by the encoding of its README: actions are seen from the mover."""
    field, *actions = path.read_text(encoding="ascii").split()
    moves = []
    for ply, action in enumerate(int(text) for text in actions):
        source, way = action % 100, action // 100
        row, column = divmod(source, 10)
        if action < 900:
            row = way + (way >= row)
        else:
            column = way % 9 + (way % 9 >= column)
        ends = (source, 10 * row + column)
        moves.append(tuple(_letters(99 - end if ply % 2 else end) for end in ends))
    kind = "barrage" if path.name.startswith("barrage") else "classic"
    return Recorded(path.stem, kind, field.upper(), tuple((source, target) for source, target in moves))


def _letters(index: int) -> str:
    return f"{COLUMNS[index % 10]}{index // 10 + 1}"


# Eight against eight, of our own: the marshals meet in the middle, the generals wait at the side.
RED = {"a1": "M", "b1": "B", "g1": "C", "h1": "E", "i1": "D", "j1": "D", "e4": "L", "j4": "K"}
BLUE = {"a10": "Y", "b10": "N", "g10": "O", "h10": "Q", "i10": "P", "j10": "P", "e8": "X", "i7": "W"}
CHASE = "E4-E5 I7-I6 E5-E6 I6-I7 E6-E7 E8-F8 E7-F7 F8-E8 F7-F8 E8-E7 F8-F7 E7-E8 F7-E7"
TWO_SQUARES = "E4-E5 I7-I6 E5-E4 I6-I7 E4-E5 I7-I6 E5-E4"
DIAGONAL = "E4-E5 I7-I6 E5-F6"


# Red's six pieces that move run into as many of blue's, which has a scout and the spy besides.
LOSING_RED = {"a1": "B", "j1": "M", "e3": "D", "e4": "D", "a4": "E", "b4": "L", "i4": "C", "j4": "K"}
LOSING_BLUE = {"e7": "N", "f10": "Y", "i7": "P", "c10": "P", "a7": "Q", "b7": "X", "d10": "O", "j7": "W"}
LOSING = (
    "E4-E7 C10-C9 E3-E7 D10-D9 A4-A5 C9-C8 A5-A6 D9-D8 A6-A7 C8-C9 B4-B5 D8-D9 B5-B6 C9-C10 B6-B7 D9-D10 "
    "I4-I5 C10-C9 I5-I6 D10-D9 I6-I7 C9-C8 K4-K5 D9-D8 K5-K6 C8-C9 K6-K7"
)


def lost_army(own_turn: bool) -> Recorded:
    """Return a game in which red loses its last moving piece by its own attack; with `own_turn` blue moves once more
    before the win.
    """
    pairs = [tuple(move.split("-")) for move in [*LOSING.split(), *(["D8-D9"] if own_turn else [])]]
    field = own_field(LOSING_RED | LOSING_BLUE)
    return Recorded("a lost army", "barrage", field, tuple((a, b) for a, b in pairs), ending=0)


def own_field(pieces: Mapping[str, str]) -> str:
    """Return the 100 letters for pieces by square."""
    letters = ["_" if row in (4, 5) and column in (2, 3, 6, 7) else "A" for row in range(10) for column in range(10)]
    for square, letter in pieces.items():
        letters[10 * (int(square[1:]) - 1) + "abcdefghij".index(square[0])] = letter
    return "".join(letters)


def _own(name: str, moves: str, reason: str) -> Recorded:
    pairs = [tuple(move.split("-")) for move in moves.split()]
    return Recorded(name, "barrage", own_field(RED | BLUE), tuple((a, b) for a, b in pairs), reason)


def own_games() -> tuple[Recorded, ...]:
    """Three short games of ours that end in an illegal ply: chase, two squares, a diagonal step."""
    return (
        _own("our chase", CHASE, "chase"),
        _own("our two squares", TWO_SQUARES, "two-squares"),
        _own("our diagonal", DIAGONAL, "not-a-move"),
    )


@cache
def corpus() -> tuple[Recorded, ...]:
    """The chase corpus, or our own games where the corpus does not lie beside the project."""
    found = tuple(_from_corpus(path) for path in sorted(CORPUS.glob("*-game*.txt")))
    return found or own_games()


@dataclass(frozen=True)
class Facts:
    """What really happened, by the engine: for every ply its seat, the attacker, the defender, and who was captured."""

    attacks: tuple[tuple[int, PieceId, PieceId, tuple[PieceId, ...], str], ...]
    start: Mapping[PieceId, Square]


@dataclass(frozen=True)
class PlayedGame:
    """A random game as the referee's record, and the facts of it."""

    record: Record
    facts: Facts


def random_set_up(rules: RuleSet, seat: Seat, rng: random.Random) -> dict[Square, Rank]:
    """Return a random set-up in a seat's zone."""
    army = [rank for rank, count in rules.army.items() for _ in range(count)]
    rng.shuffle(army)
    return dict(zip(rng.sample(rules.zone(seat), len(army)), army, strict=True))


def random_game(rules: RuleSet, seed: int, plies: int) -> PlayedGame:
    """Play random legal actions; attacks are preferred, so that there is something to tell."""
    rng = random.Random(seed)
    set_ups = {seat: random_set_up(rules, seat, rng) for seat in rules.seats}
    ranks = {square: rank for set_up in set_ups.values() for square, rank in set_up.items()}
    game = Game(rules, {square: seat for seat, set_up in set_ups.items() for square in set_up}, ranks)
    start = {piece: square for square in ranks if (piece := game.piece_at(square)) is not None}
    rank_of = {piece: ranks[square] for piece, square in start.items()}
    written: list[Ply] = []
    attacks = []
    before: list[Decision] = []
    if len(rules.seats) > 2 and seed % 2:
        before.append(Decision(rules.seats[0], GiveUp()))
        game.drop_out(rules.seats[0])
    while game.result is None and (len(written) < plies or _owes(game)):
        actions = game.legal_actions()
        hostile = [action for action in actions if game.is_attack(action)]
        seat, action = game.turn, rng.choice(hostile if hostile and rng.random() < 0.5 else actions)
        home = rules.board.homes[seat].recruitment
        played = game.play(action)
        if isinstance(action, Decided):
            recruits = isinstance(action, Recruit) and action.piece is not None
            square = action.square if isinstance(action, TakeFlags) else home if recruits else None
            written[-1] = replace(written[-1], decisions=(*written[-1].decisions, Decision(seat, action, square)))
            continue
        spoken = isinstance(action, Infiltrate)
        attacker, defender = (
            rank_of[piece] if piece and played.result and not spoken else None
            for piece in (played.piece, played.defender)
        )
        written.append(Ply(seat, action, played.result, attacker, defender))
        if played.piece and played.defender and played.result:
            kind = "infiltrate" if spoken else "fire" if isinstance(action, Fire) else "attack"
            attacks.append((len(written), played.piece, played.defender, played.captured, kind))
    record = Record(
        rules=rules.name,
        options=options_of(rules),
        set_ups=BySeat({seat: SetUp(set_up) for seat, set_up in set_ups.items()}),
        before=tuple(before),
        plies=tuple(written),
        result=game.result,
        names=BySeat({seat: f"Player {seat.value}" for seat in rules.seats}),
    )
    return PlayedGame(record, Facts(tuple(attacks), start))


def _owes(game: Game) -> bool:
    """Return whether a decision has to come before the next ply."""
    return game.castle is not None and bool(game.castle.owed)


def standing(text: str) -> Record:
    """Return a record of any army on the great board: `a1=flag` is red's, `A10=flag` blue's, `A9=` one that nobody knows."""
    set_ups: dict[Seat, dict[Square, Rank | None]] = {Seat.RED: {}, Seat.BLUE: {}}
    for word in text.split():
        name, _, rank = word.partition("=")
        set_ups[Seat.RED if name[0].islower() else Seat.BLUE][Square(name.lower())] = Rank(rank) if rank else None
    return Record("original", BySeat({seat: SetUp(ranks) for seat, ranks in set_ups.items()}), any_army=True)
