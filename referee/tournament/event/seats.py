"""Who sits red: what each player's seats so far make him prefer (FIDE Handbook C.04.3, articles 1.7 and 5.2, red being white)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from referee.rules.values import Seat
from referee.tournament.event.values import PlayerNumber, Reason, ReasonWord

NONE, MILD, STRONG, ABSOLUTE = range(4)


@dataclass(frozen=True, slots=True)
class SeatWish:
    """Where a player should sit next. `strength`: `ABSOLUTE` after two games at one seat or a difference of two, `STRONG` at a
    difference of one, `MILD` to alternate, `NONE` before his first game. `difference` is red games minus blue ones.
    """

    seat: Seat | None
    strength: int
    difference: int


@dataclass(frozen=True, slots=True)
class Sitter:
    """What of a player counts for his seat: the seats of his games so far, those not played left out."""

    number: PlayerNumber
    seats: tuple[Seat, ...]
    wish: SeatWish


def sitter(number: PlayerNumber, seats: tuple[Seat, ...]) -> Sitter:
    """Give a player with his wish."""
    return Sitter(number, seats, _wish(seats))


def _wish(seats: tuple[Seat, ...]) -> SeatWish:
    difference = seats.count(Seat.RED) - seats.count(Seat.BLUE)
    if not seats:
        return SeatWish(None, NONE, 0)
    if len(seats) > 1 and seats[-1] is seats[-2]:
        return SeatWish(other(seats[-1]), ABSOLUTE, difference)
    if difference:
        fewer = Seat.BLUE if difference > 0 else Seat.RED
        return SeatWish(fewer, ABSOLUTE if abs(difference) > 1 else STRONG, difference)
    return SeatWish(other(seats[-1]), MILD, 0)


def other(seat: Seat) -> Seat:
    """Give the opposite seat."""
    return Seat.BLUE if seat is Seat.RED else Seat.RED


def denied(one: SeatWish, two: SeatWish) -> int:
    """Give the strength of the wish that a game between the two cannot grant; `NONE` when both get theirs."""
    return min(one.strength, two.strength) if one.seat is two.seat and one.seat is not None else NONE


def allot(higher: Sitter, lower: Sitter, seed: int) -> tuple[PlayerNumber, PlayerNumber, tuple[Reason, ...]]:
    """Give (red, blue, why); `higher` is the one who ranks higher. The seed draws the seat of the first of all boards."""
    seat, reason = _seat_of_higher(higher, lower, seed)
    red, blue = (higher, lower) if seat is Seat.RED else (lower, higher)
    broken = tuple(
        Reason(ReasonWord.SEAT_LIMIT, player.number)
        for player, seat_now in ((red, Seat.RED), (blue, Seat.BLUE))
        if player.wish.strength == ABSOLUTE and player.wish.seat is not seat_now
    )
    return red.number, blue.number, (reason, *broken)


def _seat_of_higher(higher: Sitter, lower: Sitter, seed: int) -> tuple[Seat, Reason]:
    mine, theirs = higher.wish, lower.wish
    if mine.seat is None and theirs.seat is None:
        odd = higher.number.value % 2 == 1
        first = _lot(seed)
        return (first if odd else other(first)), Reason(ReasonWord.SEAT_LOT)
    if mine.seat is not theirs.seat:
        return mine.seat or other(theirs.seat or Seat.RED), Reason(ReasonWord.SEAT_BOTH)
    assert mine.seat is not None
    my_urgency, their_urgency = _urgency(mine), _urgency(theirs)
    if my_urgency != their_urgency:
        stronger = higher if my_urgency > their_urgency else lower
        seat = mine.seat if stronger is higher else other(mine.seat)
        return seat, Reason(ReasonWord.SEAT_STRONGER, stronger.number)
    for my_seat, their_seat in zip(reversed(higher.seats), reversed(lower.seats), strict=False):
        if my_seat is not their_seat:
            return other(my_seat), Reason(ReasonWord.SEAT_ALTERNATES)
    return mine.seat, Reason(ReasonWord.SEAT_HIGHER, higher.number)


def _urgency(wish: SeatWish) -> tuple[int, int]:
    """Order wishes for the same seat; between two absolute ones the wider difference counts."""
    return wish.strength, abs(wish.difference) if wish.strength == ABSOLUTE else 0


def _lot(seed: int) -> Seat:
    return Seat.RED if lot(seed, "first seat") % 2 else Seat.BLUE


def lot(seed: int, purpose: str) -> int:
    """Draw a number from the seed for one purpose; the same for the same two on every machine."""
    return int.from_bytes(hashlib.sha256(f"{seed} {purpose}".encode()).digest()[:8], "big")
