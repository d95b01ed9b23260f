"""Everybody meets everybody: the Berger tables (FIDE Handbook C.05, annex 1)."""

from __future__ import annotations

from referee.tournament.event.errors import ActError
from referee.tournament.event.event import Event
from referee.tournament.event.values import Bye, ByeKind, Pairing, PlayerNumber, Reason, ReasonWord, Result, Round


def rounds_of(players: int) -> int:
    """Give how many rounds a round robin of so many players has."""
    return players - 1 + players % 2


def berger(players: int, round_number: int) -> tuple[tuple[int, int], ...]:
    """Give the (red, blue) numbers of a round, rounds being counted from 1. With an odd number, the highest one means a free round.

    The last number N meets the p with 2p = round + 1 (mod N - 1), at alternating seats; p + k sits red against p - k.
    """
    last = players + players % 2
    ring = last - 1
    fixed = next(p for p in range(1, last) if (2 * p - round_number - 1) % ring == 0)
    first = (fixed, last) if round_number % 2 else (last, fixed)
    return first, *(((fixed + k - 1) % ring + 1, (fixed - k - 1) % ring + 1) for k in range(1, last // 2))


def pair_round_robin(event: Event) -> Round:
    """Give the next round. Who withdrew stays in the tables and loses by absence. Raises `ActError` when all have met."""
    number = event.next_round
    if number > rounds_of(len(event.players)):
        raise ActError("everybody has met everybody", "met")
    pairings: list[Pairing] = []
    byes: list[Bye] = []
    reasons = (Reason(ReasonWord.BERGER),)
    for red, blue in berger(len(event.players), number):
        pair = PlayerNumber(red), PlayerNumber(blue)
        if max(red, blue) > len(event.players):
            byes.append(Bye(min(pair), ByeKind.ZERO, reasons))
        else:
            absent = [_is_absent(event, player) for player in pair]
            gone = tuple(
                Reason(ReasonWord.WITHDRAWN, player) for player, away in zip(pair, absent, strict=True) if away
            )
            pairings.append(Pairing(len(pairings) + 1, *pair, _result(*absent), (*reasons, *gone)))
    return Round(number, tuple(pairings), tuple(byes))


def _is_absent(event: Event, number: PlayerNumber) -> bool:
    return event.player(number).withdrew_before(event.next_round)


def _result(red_absent: bool, blue_absent: bool) -> Result | None:
    if red_absent:
        return Result.BOTH_ABSENT if blue_absent else Result.RED_ABSENT
    return Result.BLUE_ABSENT if blue_absent else None
