"""Event tables of attacks: how hands show them, and how the board is cleared after the verdict."""

from __future__ import annotations

import pytest

from referee.rules import CombatResult
from tests.sensing.event_table import RATES, Case
from tests.sensing.sensing_stage import verdict

WON, LOST, BOTH = CombatResult.ATTACKER_WINS, CombatResult.DEFENDER_WINS, CombatResult.BOTH_LOST
CLOSE = {"red": "a4 a6 e4 j1", "blue": "b5 e5 j10"}

CASES = [
    Case(
        "a quick attack on the piece that has just moved, which could have been running up to its attacker",
        {"red": "e4 j1", "blue": "e6 j10"},
        [(1000, "e4."), (1500, "e5r"), (2000, "e6."), (2400, "e5.")],
        [
            (1064, "lifted e4"),
            (1580, "read e4-e5"),
            (2064, "lifted e6"),
            (2464, "lifted e5"),
            (3130, "final"),
            (3130, "attack e6xe5"),
        ],
        4000,
        idle=frozenset({"final", "attack"}),
    ),
    Case(
        "both lifted for 380 ms is an attack",
        CLOSE,
        [(1000, "e4."), (1400, "e5.")],
        [(1064, "lifted e4"), (1464, "lifted e5"), (1770, "attack e4xe5")],
        6000,
    ),
    Case(
        "a capture swapped in the hand: the pole of the target changes",
        CLOSE,
        [(1000, "e4."), (1300, "e5."), (1450, "e5r")],
        [(1064, "lifted e4"), (1364, "lifted e5"), (1530, "attack e4xe5")],
        4000,
        (True,),
    ),
    Case(
        "a capture by replacing at once",
        CLOSE,
        [(1000, "e4."), (1300, "e5r")],
        [(1064, "lifted e4"), (1380, "attack e4xe5")],
        4000,
        (True,),
    ),
    Case(
        "the target taken first",
        CLOSE,
        [(1000, "e5."), (1200, "e4."), (1700, "e5r")],
        [(1064, "lifted e5"), (1264, "lifted e4"), (1770, "attack e4xe5")],
        4000,
        (True,),
    ),
    Case(
        "without colour a swap shows as a target that went and came back while the attacker stays away",
        CLOSE,
        [(1000, "e4."), (1300, "e5."), (1450, "e5r")],
        [(1064, "lifted e4"), (1364, "lifted e5"), (1514, "returned e5"), (2450, "attack e4xe5")],
        5000,
        (False,),
        idle=frozenset({"attack"}),
    ),
    Case(
        "without colour a swap is no attack while a magnet stands where no hand can have put the attacker",
        CLOSE,
        [(1000, "e4."), (1300, "e5."), (1450, "e5r"), (1800, "h7r")],
        [
            (1064, "lifted e4"),
            (1364, "lifted e5"),
            (1514, "returned e5"),
            (4364, "puzzled e4:red/empty h7:-/red"),
        ],
        6000,
        (False,),
    ),
    Case(
        "an attack makes the move before it final",
        {"red": "e4 j1", "blue": "e6 j10"},
        [(1000, "e4."), (1400, "e5r"), (1560, "e6."), (1630, "e5b")],
        [(1065, "lifted e4"), (1480, "read e4-e5"), (1625, "lifted e6"), (2530, "final"), (2530, "attack e6xe5")],
        4000,
        (True,),
    ),
    Case(
        "the attacker wins: the survivor is set down, the board agrees, the turn passes",
        CLOSE,
        [(1000, "e4."), (1400, "e5."), (3000, verdict("e4", "e5", WON)), (5000, "e5r"), (6000, "b5."), (6500, "b6b")],
        [
            (1064, "lifted e4"),
            (1464, "lifted e5"),
            (1770, "attack e4xe5"),
            (5100, "agreed"),
            (6064, "lifted b5"),
            (6580, "read b5-b6"),
        ],
        7500,
    ),
    Case(
        "the defender wins",
        CLOSE,
        [(1000, "e4."), (1400, "e5."), (3000, verdict("e4", "e5", LOST)), (5000, "e5b")],
        [(1064, "lifted e4"), (1464, "lifted e5"), (1770, "attack e4xe5"), (5100, "agreed")],
        7500,
    ),
    Case(
        "the defender wins, and the attacker was set down in its place: it has to go first, though it reads the same",
        CLOSE,
        [(1000, "e4."), (1300, "e5."), (1450, "e5r"), (5000, verdict("e4", "e5", LOST)), (8000, "e5."), (8400, "e5b")],
        [(1064, "lifted e4"), (1364, "lifted e5"), (1514, "returned e5"), (2830, "attack e4xe5"), (8500, "agreed")],
        9000,
        (False,),
    ),
    Case(
        "both lost, both in hand: the board agrees at once",
        CLOSE,
        [(1000, "e4."), (1400, "e5."), (3000, verdict("e4", "e5", BOTH))],
        [(1064, "lifted e4"), (1464, "lifted e5"), (1770, "attack e4xe5"), (3000, "agreed")],
        7500,
        idle=frozenset(),
    ),
    Case(
        "the wrong one set down after a verdict is asked about once",
        CLOSE,
        [(1000, "e4."), (1400, "e5."), (3000, verdict("e4", "e5", WON)), (5000, "e5b"), (12000, "e5."), (12400, "e5r")],
        [
            (1064, "lifted e4"),
            (1464, "lifted e5"),
            (1770, "attack e4xe5"),
            (7564, "puzzled e5:red/blue"),
            (12500, "agreed"),
        ],
        14000,
        (True,),
    ),
    Case(
        "the next player lifts before the board has agreed",
        CLOSE,
        [
            (1000, "e4."),
            (1400, "e5."),
            (3000, verdict("e4", "e5", WON)),
            (4800, "b5."),
            (5000, "e5r"),
            (5500, "b6b"),
        ],
        [
            (1064, "lifted e4"),
            (1464, "lifted e5"),
            (1770, "attack e4xe5"),
            (5100, "agreed"),
            (5100, "lifted b5"),
            (5580, "read b5-b6"),
        ],
        7000,
    ),
]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_table(case: Case, rate: str) -> None:
    """What is said is what the table says, in its order and its time, and nothing else."""
    case.check(rate)
