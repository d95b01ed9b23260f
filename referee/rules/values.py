"""The nouns of the game: seats, ranks, squares, pieces. Frozen values with text forms; nothing here knows a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Word(Enum):
    """A value that is written as its stable word."""

    # members are single; the default hashes the name in Python, and sets of seats and ranks are everywhere
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return str(self.value)


class Seat(Word):
    """A place at the board and the army that belongs to it. The value is the stable word of wire, journal and records."""

    RED = "red"
    BLUE = "blue"
    GREEN = "green"
    YELLOW = "yellow"


class Rank(Word):
    """What a piece is. An ordinary public value, for captured pieces and rule sheets; a rank that was not shown lives in `Hidden`.

    The value is the stable word; number and strength belong to the rule set (a miner is 3 in Original, absent in Stratego 4).
    """

    FLAG = "flag"
    BOMB = "bomb"
    INFILTRATOR = "infiltrator"
    CANNON = "cannon"
    SPY = "spy"
    SCOUT = "scout"
    MINER = "miner"
    SERGEANT = "sergeant"
    LIEUTENANT = "lieutenant"
    CAPTAIN = "captain"
    MAJOR = "major"
    COLONEL = "colonel"
    GENERAL = "general"
    MARSHAL = "marshal"


class Square(NamedTuple):
    """A place a piece can stand on, by its name on the board (`d5`, or `ring` and `turret` of the castle)."""

    name: str  # squares and pieces are tuples: they are looked up all the time, and a tuple is hashed and compared without Python

    def __repr__(self) -> str:
        return self.name


class PieceId(NamedTuple):
    """One tracked piece: its seat and its number in the set-up, in the board's square order from 0. Says nothing of its rank."""

    seat: Seat
    number: int

    def __repr__(self) -> str:
        return f"{self.seat.value}#{self.number}"


class BySeat(Mapping[Seat, T], Generic[T]):
    """One value a seat, in seat order; immutable."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[Seat, T]) -> None:
        self._values: dict[Seat, T] = {seat: values[seat] for seat in Seat if seat in values}

    def __getitem__(self, seat: Seat) -> T:
        return self._values[seat]

    def __iter__(self) -> Iterator[Seat]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "BySeat(" + ", ".join(f"{seat.value}={value!r}" for seat, value in self._values.items()) + ")"
