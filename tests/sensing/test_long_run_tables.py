"""Event tables of what long runs of the accuracy bench found: each was once misread, or asked about for nothing."""

from __future__ import annotations

import pytest

from referee.rules import CombatResult
from referee.rules.values import Seat
from tests.sensing.event_table import RATES, Case
from tests.sensing.sensing_stage import verdict

CASES = [
    Case(
        "an early reply attacks another piece of the mover just after its move: the move is read, then the attack",
        {"red": "a4 a6 e4 j1", "blue": "e5 j10"},
        [(1000, "a4."), (1300, "e5."), (1500, "a5r"), (1560, "e4.")],
        [
            (1064, "lifted a4"),
            (1364, "lifted e5"),
            (1564, "read a4-a5"),
            (1570, "lifted e5"),
            (1615, "lifted e4"),
            (1930, "final"),
            (1930, "attack e5xe4"),
        ],
        2600,
        idle=frozenset(),
        late_ms=100,
    ),
    Case(
        "a piece that was put down on a free square is no move of the one that is lifted later",
        {"red": "a4 a6 e4 j1", "blue": "e9 j10"},
        [(1000, "a5r"), (2500, "a4."), (3200, "a4r")],
        [(2564, "lifted a4"), (3264, "returned a4"), (3580, "puzzled a5:-/red")],
        6500,
        late_ms=2600,
    ),
    Case(
        "a hand that rests, while the answer begins, and goes on round the corner: revised, since no next move leads there",
        {"red": "e4 j1", "blue": "b9 j10"},
        [(1000, "e4."), (1500, "f4r"), (2000, "b9."), (2450, "f4."), (2900, "e5r"), (3100, "b8b")],
        [
            (1064, "lifted e4"),
            (1580, "read e4-f4"),
            (2064, "lifted b9"),
            (2514, "lifted f4"),
            (2980, "revised e4-e5"),
            (2980, "lifted b9"),
            (3180, "final"),
            (3180, "read b9-b8"),
        ],
        4000,
    ),
    Case(
        "the piece that has just moved moves again before the answer is set down: both are read",
        {"red": "f6 a1", "blue": "b9 j10"},
        [(1000, "f6."), (1500, "f5r"), (2000, "b9."), (2450, "f5."), (2600, "b8b"), (3000, "e5r")],
        [
            (1064, "lifted f6"),
            (1580, "read f6-f5"),
            (2064, "lifted b9"),
            (2514, "lifted f5"),
            (3060, "final"),
            (3060, "read b9-b8"),
            (3065, "lifted f5"),
            (3080, "final"),
            (3080, "read f5-e5"),
        ],
        4000,
        idle=frozenset(),
    ),
    Case(
        "a move, an early reply, and soon the next move of the same piece to where the first could not have gone",
        {"red": "f6 a1", "blue": "b9 j10"},
        [(1000, "f6."), (1450, "b9."), (1500, "f5r"), (1900, "b8b"), (2300, "f5."), (2800, "e5r")],
        [
            (1064, "lifted f6"),
            (1514, "lifted b9"),
            (1580, "read f6-f5"),
            (1580, "lifted b9"),
            (1980, "final"),
            (1980, "read b9-b8"),
            (2364, "lifted f5"),
            (2880, "final"),
            (2880, "read f5-e5"),
        ],
        4000,
    ),
    Case(
        "a swap that was seen as both in the air: what lands after the verdict was in the hand already",
        {"red": "e4 j1", "blue": "e5 j10"},
        [
            (1000, "e4."),
            (1400, "e5."),
            (1900, verdict("e4", "e5", CombatResult.DEFENDER_WINS)),
            (2000, "e5r"),
            (7000, "e5."),
            (7500, "e5b"),
        ],
        [(1064, "lifted e4"), (1464, "lifted e5"), (1770, "attack e4xe5"), (7600, "agreed")],
        9000,
        (True,),
    ),
    Case(
        "two moves that could each be either piece's, without colour: asked before a third one comes",
        {"red": "e4 j1", "blue": "f5 j10"},
        [(1000, "e4."), (1300, "f5."), (1500, "f4r"), (1800, "e5b")],
        [
            (1064, "lifted e4"),
            (1364, "lifted f5"),
            (2160, "puzzled e4:red/empty f4:-/red e5:-/red f5:blue/empty"),
        ],
        2600,
        (False,),
    ),
    Case(
        "a quick early reply while the mover's piece slides on: not read before the piece can have left",
        {"red": "e4 j1", "blue": "b9 j10"},
        [(1000, "e4."), (1050, "f4r"), (1150, "b9."), (1200, "b8b"), (1340, "f4."), (1450, "e5r")],
        [
            (1064, "lifted e4"),
            (1214, "lifted b9"),
            (1250, "read e4-f4"),
            (1250, "lifted b9"),
            (1404, "lifted f4"),
            (1650, "revised e4-e5"),
            (1650, "lifted b9"),
            (1650, "final"),
            (1650, "read b9-b8"),
        ],
        2400,
        late_ms=120,
    ),
    Case(
        "a move onto a dead square, answered, and the piece comes back: what the same player does then is not its move",
        {"red": "a4 a6 e4 j1", "blue": "b9 e9 j10"},
        [(1000, "a4."), (2000, "e9."), (2500, "e8b"), (3000, "a4r"), (3200, "e4."), (3700, "e5r")],
        [
            (1064, "lifted a4"),
            (2064, "lifted e9"),
            (3064, "returned a4"),
            (3264, "lifted e4"),
            (5950, "puzzled e4:red/empty e5:-/red e8:-/blue e9:blue/empty"),
        ],
        7000,
    ),
    Case(
        "a move read on the way, its end on a dead square, the answer, and a next move elsewhere: neither is read",
        {"red": "j6 i4 a1", "blue": "g9 j10"},
        [(1000, "j6."), (1400, "i6r"), (1900, "i6."), (2300, "g9."), (2400, "f9b"), (4000, "i4."), (4400, "j4r")],
        [
            (1064, "lifted j6"),
            (1480, "read j6-i6"),
            (1964, "lifted i6"),
            (2364, "lifted g9"),
            (4064, "lifted i4"),
            (4764, "puzzled i4:red/empty j4:-/red i6:red/empty f9:-/blue g9:blue/empty"),
        ],
        7000,
        late_ms=600,
    ),
    Case(
        "a rest with an answer in the air that is set down before the piece goes on: its next move, or the end of this one: asked",
        {"red": "b4 a1", "blue": "d8 j10"},
        [(1000, "d8."), (1400, "c8b"), (1600, "b4."), (2400, "c8."), (2600, "b3r"), (2900, "b8b"), (4000, "b3.")],
        [
            (1064, "lifted d8"),
            (1480, "read d8-c8"),
            (1664, "lifted b4"),
            (2464, "lifted c8"),
            (3264, "puzzled b3:-/red b4:red/empty b8:-/blue c8:blue/empty"),
        ],
        6300,
        (True,),
        turn=Seat.BLUE,
    ),
    Case(
        "a sick sensor shows a magnet beside a lifted piece: when the piece comes down elsewhere the reading is doubtful, and named",
        {"red": "e4 a1", "blue": "j10"},
        [(1000, "e4."), (1300, "d4r"), (1700, "f4r")],
        [(1064, "lifted e4"), (1380, "read e4-d4"), (4264, "puzzled f4:-/red d4:red/red")],
        5500,
    ),
    Case(
        "the last mover's piece goes back while its answer goes by: crossed, and asked before both can be taken back unnoticed",
        {"red": "j5 a1", "blue": "j6 a10"},
        [(1000, "j5."), (1500, "i5r"), (2600, "j6."), (2950, "i5."), (3000, "i6b"), (3150, "j5r")],
        [
            (1064, "lifted j5"),
            (1580, "read j5-i5"),
            (2664, "lifted j6"),
            (3014, "lifted i5"),
            (3500, "puzzled i5:red/empty j5:-/red i6:-/red j6:blue/empty"),
        ],
        4000,
        (False,),
    ),
    Case(
        "a scout moves, is answered early, and moves on in its next move before that is read: asked, not revised into one long move",
        {"red": "b3 a1", "blue": "f10 j8"},
        [(1000, "f10."), (1570, "b3."), (1600, "g10b"), (2080, "a3r"), (2160, "g10."), (3250, "h10b")],
        [
            (1064, "lifted f10"),
            (1634, "lifted b3"),
            (1680, "read f10-g10"),
            (1680, "lifted b3"),
            (2224, "lifted g10"),
            (3614, "puzzled a3:-/red b3:red/empty g10:blue/empty h10:-/blue"),
        ],
        4200,
        turn=Seat.BLUE,
    ),
    Case(
        "a piece of either side in the air for ten seconds, and nothing else: something was not seen",
        {"red": "a4 a1", "blue": "e9 j10"},
        [(1000, "a4."), (2000, "e9.")],
        [(1064, "lifted a4"), (2064, "lifted e9"), (12064, "puzzled a4:red/empty e9:blue/empty")],
        13_500,
    ),
]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_table(case: Case, rate: str) -> None:
    """Said is what the table says, at its time, and nothing else."""
    case.check(rate)
