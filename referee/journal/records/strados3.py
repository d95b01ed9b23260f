"""A position as StraDoS3 writes it: 100 letters and the seat to move; also the field of StraDoS2 XML and of GSN.

Letter 10 * row + column, row 0 = red's back row. Red: `B` bomb, `C` spy, `D` 2 up to `L` 10, `M` flag. Blue: the same twelve letters
on, `N` to `Y`. `A` is an empty square, `_` a lake. Knows the 10 x 10 board only, and no rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from referee.journal.records.errors import RecordFormatError, listed
from referee.rules.values import Rank, Seat, Square

SIDE = 10
RANKS = (
    Rank.BOMB,
    Rank.SPY,
    Rank.SCOUT,
    Rank.MINER,
    Rank.SERGEANT,
    Rank.LIEUTENANT,
    Rank.CAPTAIN,
    Rank.MAJOR,
    Rank.COLONEL,
    Rank.GENERAL,
    Rank.MARSHAL,
    Rank.FLAG,
)
LAKES = frozenset({42, 43, 46, 47, 52, 53, 56, 57})
EMPTY, LAKE = "A", "_"

Piece = tuple[Seat, Rank]

PIECES: Mapping[str, Piece] = {
    chr(ord("B") + 12 * army + number): (seat, rank)
    for army, seat in enumerate((Seat.RED, Seat.BLUE))
    for number, rank in enumerate(RANKS)
}
LETTERS: Mapping[Piece, str] = {piece: letter for letter, piece in PIECES.items()}
SEATS: Mapping[str, Seat] = {"r": Seat.RED, "b": Seat.BLUE}


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """Who stands where, and who is to move. Holds ranks: its repr shows none."""

    pieces: Mapping[Square, Piece]
    turn: Seat

    def __repr__(self) -> str:
        return f"Position({len(self.pieces)} pieces, {self.turn.value} to move)"


def square_at(index: int) -> Square:
    """Give the square with this index, 0 (`a1`) to 99 (`j10`)."""
    return Square(f"{'abcdefghij'[index % SIDE]}{index // SIDE + 1}")


def index_of(square: Square) -> int:
    """Give the index of a square of the 10 x 10 board."""
    return SIDE * (int(square.name[1:]) - 1) + "abcdefghij".index(square.name[0])


def read_position(text: str) -> Position:
    """Read `<100 letters> r` or `... b`; raises `RecordFormatError` that names every fault at once."""
    field, space, side = text.partition(" ")
    faults = field_faults(field)
    if not space or side not in SEATS:
        faults.append("a space and r or b must follow the letters")
    if faults:
        raise RecordFormatError(listed(faults))
    return Position(read_field(field), SEATS[side])


def write_position(position: Position) -> str:
    """Give the text of a position."""
    side = next(letter for letter, seat in SEATS.items() if seat is position.turn)
    return f"{write_field(position.pieces)} {side}"


def read_field(field: str) -> dict[Square, Piece]:
    """Read the 100 letters, upper or lower case; raises `RecordFormatError` that names every fault at once."""
    faults = field_faults(field)
    if faults:
        raise RecordFormatError(listed(faults))
    return {square_at(index): PIECES[letter] for index, letter in enumerate(_upper(field)) if letter in PIECES}


def write_field(pieces: Mapping[Square, Piece]) -> str:
    """Give the 100 letters. Every square must be one of the 10 x 10 board and every rank one of Original's."""
    letters = [LAKE if index in LAKES else EMPTY for index in range(SIDE * SIDE)]
    for square, piece in pieces.items():
        letters[index_of(square)] = LETTERS[piece]
    return "".join(letters)


def field_faults(field: str) -> list[str]:
    """Give what is wrong with 100 letters, each fault with its place counted from 1. Says nothing about armies or zones."""
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
