"""One player's set-up as text (docs/reference/set-up-format.md): ours, and what players paste from elsewhere.

`write_set_up` and `read_set_up` are each other's inverse. A text is seen from the player's chair, front row first, so that it fits
every seat. The phone page reads and writes the same (`referee/web/page/set_up/text.js`); a test holds the two against each other.

Apart from the terminal's handset, its only reader here: a format, like those of records, without a screen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from referee.journal.errors import RecordFormatError, listed
from referee.journal.records.gravon import PIECES, SIDE, square_at
from referee.rules.values import Rank, Seat
from referee.table.views import PublicInfo

MAGIC = "hallmarshal set-up"
VERSION = "1"
MOST_CHARACTERS = 10_000

_BLANKS = " \t\f\v\u00a0"
_RULES = re.compile(f"rules[{_BLANKS}]*=[{_BLANKS}]*([^{_BLANKS}]+)")
_BETWEEN = re.compile(f"[{_BLANKS},;|'\"\\[\\]()=]+")
_SHOWN_CHARACTERS = 20
_EMPTY = frozenset({".", "-", "_"})
_LETTERS: Mapping[str, Rank] = {
    "f": Rank.FLAG,
    "b": Rank.BOMB,
    "i": Rank.INFILTRATOR,
    "c": Rank.CANNON,
    "s": Rank.SPY,
    "m": Rank.MARSHAL,
}
_TEN = frozenset({"0", "x"})

SetUpByName = dict[str, Rank]
Line = tuple[int, str]


class TextFaultKind(Enum):
    """What can be wrong with the text of a set-up; the words are `set-up-text.<value>`."""

    NOTHING = "nothing"
    TOO_LONG = "too-long"
    VERSION = "version"
    RULES = "rules"
    ROWS = "rows"
    SIGN = "sign"
    SQUARE = "square"
    TWICE = "twice"
    TOO_MANY = "too-many"


@dataclass(frozen=True, slots=True)
class TextFault:
    """One fault; what it names depends on its kind. Holds what stood in the text: for the owner of the set-up only."""

    kind: TextFaultKind
    line: int = 0
    text: str = ""
    rank: Rank | None = None
    number: int = 0


class SetUpTextError(RecordFormatError):
    """A text that is no set-up here, with every fault. Its own words name no rank."""

    def __init__(self, *faults: TextFault) -> None:
        super().__init__(listed([f"{fault.kind.value} (line {fault.line})" for fault in faults]))
        self.faults = faults


def write_set_up(info: PublicInfo, seat: Seat, placed: Mapping[str, Rank]) -> str:
    """Return a set-up, whole or not, as text; squares outside the seat's zone are left out."""
    rows = [
        " ".join(f"{'-' if square is None else _sign(info, placed.get(square)):>2}" for square in row)
        for row in info.zones[seat]
    ]
    return "\n".join([f"{MAGIC} {VERSION}", f"rules = {info.rule_set}", "", *rows, ""])


def read_set_up(info: PublicInfo, seat: Seat, text: str) -> SetUpByName:
    """Return the pieces of a text by square; no rank is exceeded, some may be missing. Raises `SetUpTextError` with all
    faults.
    """
    if len(text) > MOST_CHARACTERS:
        raise SetUpTextError(TextFault(TextFaultKind.TOO_LONG))
    lines = _lines(text)
    rules = _take_heading(lines)
    if not lines:
        raise SetUpTextError(TextFault(TextFaultKind.NOTHING))
    found = _letters(info, seat, lines) or _by_square(info, seat, lines) or _by_row(info, seat, lines)
    counts = Counter(found.placed.values())
    if rules not in (None, info.rule_set) and (found.faults or counts != Counter(info.army)):
        raise SetUpTextError(TextFault(TextFaultKind.RULES, text=_short(rules or "")))
    for rank, number in info.army.items():
        if counts[rank] > number:
            found.faults.append(TextFault(TextFaultKind.TOO_MANY, rank=rank, number=counts[rank] - number))
    if found.faults:
        raise SetUpTextError(*found.faults)
    return found.placed


@dataclass(slots=True)
class _Found:
    """What a text holds as far as it could be read."""

    placed: SetUpByName = field(default_factory=dict)
    faults: list[TextFault] = field(default_factory=list)

    def put(self, line: int, square: str, rank: Rank) -> None:
        if square in self.placed:
            self.faults.append(TextFault(TextFaultKind.TWICE, line, square))
        self.placed[square] = rank


def _lines(text: str) -> list[Line]:
    """Return the lines with content, without comments, each with its number; a slash ends a line too."""
    cut = re.split(r"\r\n|\r|\n|/", text.removeprefix("\ufeff"))
    stripped = ((number, line.strip(_BLANKS)) for number, line in enumerate(cut, start=1))
    return [(number, line) for number, line in stripped if line and not line.startswith("#")]


def _take_heading(lines: list[Line]) -> str | None:
    """Remove our heading's lines. Returns the rule set that it names, None without one."""
    if lines and lines[0][1].lower().startswith(MAGIC):
        number, line = lines.pop(0)
        if line[len(MAGIC) :].strip(_BLANKS) != VERSION:
            raise SetUpTextError(TextFault(TextFaultKind.VERSION, number))
    if lines and (found := _RULES.fullmatch(lines[0][1])):
        lines.pop(0)
        return found[1]
    return None


def _letters(info: PublicInfo, seat: Seat, lines: list[Line]) -> _Found | None:
    """Read StraDoS letters: a whole board of 100, or one letter a square of the zone, front row first. None for other texts."""
    letters = re.sub(f"[{_BLANKS}]", "", "".join(line for _, line in lines))
    if len(letters) == SIDE * SIDE + 1 and letters[-1] in "rb":
        letters = letters[:-1]  # whose turn it is
    cells = _cells(info, seat)
    if not re.fullmatch(r"[A-Ya-y_]+", letters):
        return None
    if len(letters) == SIDE * SIDE and (info.board.columns, info.board.rows) == (SIDE, SIDE):
        pieces = _own_army(info, seat, letters.upper())
    elif len(letters) == len(cells):
        pieces = {cells[at]: PIECES[letter][1] for at, letter in enumerate(letters.upper()) if letter in PIECES}
    else:
        return None
    found, line = _Found(), lines[0][0]
    for square, rank in pieces.items():
        if rank not in info.army:
            found.faults.append(TextFault(TextFaultKind.SIGN, line, rank.value))
        elif square not in cells:
            found.faults.append(TextFault(TextFaultKind.SQUARE, line, square))
        else:
            found.put(line, square, rank)
    return found


def _own_army(info: PublicInfo, seat: Seat, letters: str) -> SetUpByName:
    """Return this seat's pieces on a whole board; where it has none, the other army's turned by half a turn."""
    armies: dict[Seat, SetUpByName] = {Seat.RED: {}, Seat.BLUE: {}}
    for at, letter in enumerate(letters):
        if letter in PIECES:
            owner, rank = PIECES[letter]
            armies[owner][square_at(at).name] = rank
    if armies.get(seat):
        return armies[seat]
    other = Seat.BLUE if seat is Seat.RED else Seat.RED
    turned = dict(zip(_cells(info, other), _cells(info, seat), strict=True))
    return {turned.get(square, square): rank for square, rank in armies[other].items()}


def _by_square(info: PublicInfo, seat: Seat, lines: list[Line]) -> _Found | None:
    """Read lines of a square and its piece, as records have them (`a1 flag`). None for other texts."""
    split = [(number, _tokens(line)) for number, line in lines]
    board = {square.name for square in info.board.squares}
    if len(split[0][1]) != 2 or split[0][1][0].lower() not in board:
        return None
    cells, found = _cells(info, seat), _Found()
    for number, tokens in split:
        square = tokens[0].lower() if tokens else ""
        rank = _rank(info, tokens[1]) if len(tokens) == 2 else None
        if square not in cells:
            found.faults.append(TextFault(TextFaultKind.SQUARE, number, _short(tokens[0] if tokens else "")))
        elif rank is None:
            found.faults.append(TextFault(TextFaultKind.SIGN, number, _short(" ".join(tokens[1:]))))
        else:
            found.put(number, square, rank)
    return found


def _by_row(info: PublicInfo, seat: Seat, lines: list[Line]) -> _Found:
    """Read rows of signs, front row first, with blanks between them or, a character each, without."""
    rows = info.zones[seat]
    columns, cells = len(rows[0]), _cells(info, seat)
    signs = [
        (number, sign)
        for number, line in lines
        for tokens in (_tokens(line),)
        for sign in (tokens[0] if len(tokens) == 1 and len(tokens[0]) == columns > 1 else tokens)
    ]
    places: list[str | None] = list(cells) if len(signs) == len(cells) else [square for row in rows for square in row]
    found = _Found()
    if len(signs) != len(places):
        found.faults.append(TextFault(TextFaultKind.ROWS, number=len(signs)))
        return found
    for (number, sign), square in zip(signs, places, strict=True):
        if sign in _EMPTY:
            continue
        rank = _rank(info, sign)
        if rank is None or square is None:
            found.faults.append(TextFault(TextFaultKind.SIGN, number, _short(sign)))
        else:
            found.put(number, square, rank)
    return found


def _tokens(line: str) -> list[str]:
    return [token for token in _BETWEEN.split(line) if token]


def _rank(info: PublicInfo, sign: str) -> Rank | None:
    """Return the rank of the army that a sign means (number, letter or word), None for no rank of it."""
    low = sign.lower()
    for rank in info.army:
        number = info.numbers.get(rank)
        if low == rank.value or _LETTERS.get(low) is rank or str(number) == low or (number == 10 and low in _TEN):
            return rank
    return None


def _cells(info: PublicInfo, seat: Seat) -> list[str]:
    return [square for row in info.zones[seat] for square in row if square]


def _short(text: str) -> str:
    return text[:_SHOWN_CHARACTERS]


def _sign(info: PublicInfo, rank: Rank | None) -> str:
    """Return a rank's number, else its letter, else its word; a dot for None."""
    if rank is None:
        return "."
    number = info.numbers.get(rank)
    if number is not None:
        return str(number)
    letter = next((letter for letter, other in _LETTERS.items() if other is rank), None)
    return rank.value if letter is None else letter.upper()
