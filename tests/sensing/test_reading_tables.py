"""Event tables of moves: lifted, slid, taken back, answered early, not understood."""

from __future__ import annotations

import pytest

from tests.sensing.event_table import RATES, Case

# a4 cannot go on from a5 (own piece behind), e4 can go on from e5 to e6 and e7
QUIET = {"red": "a4 a6 e4 j1", "blue": "b9 e9 j10"}
CLOSE = {"red": "a4 a6 e4 j1", "blue": "b5 e5 j10"}
JUMP = {"red": "e4 j1", "blue": "e7 f7 j10"}

CASES = [
    Case(
        "a lift onto a closed line is read 80 ms after the set-down, and is final after two seconds",
        QUIET,
        [(1000, "a4."), (1500, "a5r")],
        [(1064, "lifted a4"), (1580, "read a4-a5"), (3580, "final")],
        5000,
    ),
    Case(
        "a real lift onto an open line is as quick",
        QUIET,
        [(1000, "e4."), (1500, "e5r")],
        [(1064, "lifted e4"), (1580, "read e4-e5")],
        2500,
    ),
    Case(
        "a slide by one square on a closed line is quick",
        QUIET,
        [(1000, "a4."), (1060, "a5r")],
        [(1064, "lifted a4"), (1140, "read a4-a5")],
        2000,
    ),
    Case(
        "a slide by one square on an open line waits 260 ms",
        QUIET,
        [(1000, "e4."), (1060, "e5r")],
        [(1064, "lifted e4"), (1320, "read e4-e5")],
        2000,
    ),
    Case(
        "a slide over three squares is one move",
        QUIET,
        [(1000, "e4."), (1050, "e5r"), (1120, "e5."), (1160, "e6r"), (1250, "e6."), (1290, "e7r")],
        [(1064, "lifted e4"), (1550, "read e4-e7")],
        2500,
    ),
    Case(
        "a rest on a legal square is read and then revised",
        QUIET,
        [(1000, "e4."), (1050, "e5r"), (1500, "e5."), (1560, "e6r")],
        [
            (1064, "lifted e4"),
            (1310, "read e4-e5"),
            (1564, "lifted e5"),
            (1820, "revised e4-e6"),
            (3820, "final"),
        ],
        5000,
    ),
    Case(
        "a piece put back is no move, however often",
        QUIET,
        [(1000, "e4."), (1600, "e4r"), (2000, "e4."), (6000, "e4r")],
        [(1064, "lifted e4"), (1664, "returned e4"), (2064, "lifted e4"), (6064, "returned e4")],
        9500,
    ),
    Case("bursts of 60 ms are nothing", QUIET, [(1000, "a4."), (1060, "a4r"), (1300, "a5r"), (1360, "a5.")], [], 5000),
    Case(
        "a piece that bounces when it lands is read once it stands",
        QUIET,
        [(1000, "a4."), (1500, "a5r"), (1520, "a5?"), (1540, "a5."), (1560, "a5r")],
        [(1064, "lifted a4"), (1580, "read a4-a5")],
        2500,
        late_ms=90,  # at 50 Hz the bounce is a quarter of the window
    ),
    Case(
        "passing through unsure changes nothing",
        QUIET,
        [(1000, "a4?"), (1020, "a4."), (1500, "a5?"), (1520, "a5r")],
        [(1084, "lifted a4"), (1600, "read a4-a5")],
        2500,
    ),
    Case(
        "the next player's lift makes a move final, once the piece has rested",
        QUIET,
        [(1000, "a4."), (1500, "a5r"), (3050, "e9."), (3700, "e8b")],
        [
            (1064, "lifted a4"),
            (1580, "read a4-a5"),
            (3114, "lifted e9"),
            (3220, "final"),
            (3780, "read e9-e8"),
        ],
        4000,
        idle=frozenset(),
    ),
    Case(
        "a quick answer makes it final when it is set down",
        QUIET,
        [(1000, "a4."), (1500, "a5r"), (2000, "e9."), (2500, "e8b")],
        [
            (1064, "lifted a4"),
            (1580, "read a4-a5"),
            (2064, "lifted e9"),
            (2580, "final"),
            (2580, "read e9-e8"),
        ],
        4000,
        idle=frozenset(),
    ),
    Case(
        "a rest on a legal square with an early reply in the air is still revised",
        QUIET,
        [(1000, "e4."), (1050, "e5r"), (1120, "b9."), (1700, "e5."), (1800, "e6r"), (2600, "b8b")],
        [
            (1064, "lifted e4"),
            (1184, "lifted b9"),
            (1310, "read e4-e5"),
            (1310, "lifted b9"),
            (1764, "lifted e5"),
            (2060, "revised e4-e6"),
            (2060, "lifted b9"),
            (2680, "final"),
            (2680, "read b9-b8"),
        ],
        4000,
        (True,),
        idle=frozenset(),
    ),
    Case(
        "once an answer has begun, going on and the next move look the same: asked",
        QUIET,
        [(1000, "e4."), (1050, "e5r"), (1500, "b9."), (1900, "e5."), (2000, "e6r")],
        [
            (1064, "lifted e4"),
            (1310, "read e4-e5"),
            (1564, "lifted b9"),
            (1964, "lifted e5"),
            (4564, "puzzled e5:red/empty e6:-/red b9:blue/empty"),
        ],
        6000,
        (True,),
    ),
    Case(
        "an early reply set down while the mover rests on the way: its going on is no next move",
        QUIET,
        [(1000, "e4."), (1050, "e5r"), (1120, "b9."), (1600, "b8b"), (2200, "e5."), (2300, "e6r")],
        [
            (1064, "lifted e4"),
            (1184, "lifted b9"),
            (1310, "read e4-e5"),
            (1310, "lifted b9"),
            (1680, "final"),
            (1680, "read b9-b8"),
            (2264, "lifted e5"),
            (3680, "final"),
            (4864, "puzzled e5:red/empty e6:-/red"),
        ],
        6000,
        (True,),
    ),
    Case(
        "a flicker of the next player's piece makes nothing final",
        QUIET,
        [(1000, "a4."), (1500, "a5r"), (2100, "e9."), (2160, "e9b")],
        [(1064, "lifted a4"), (1580, "read a4-a5"), (3580, "final")],
        4500,
    ),
    Case(
        "a reply to a slide, begun early, waits until the slide is over: on a closed line it would be read at 1480",
        {"red": "e4 j1", "blue": "a7 a9 e9 j10"},
        [(1000, "e4."), (1050, "e5r"), (1270, "a9."), (1400, "a8b")],
        [
            (1064, "lifted e4"),
            (1310, "read e4-e5"),
            (1334, "lifted a9"),
            (1590, "final"),
            (1590, "read a9-a8"),
        ],
        2500,
        idle=frozenset(),
    ),
    Case(
        "a reply set down round a corner is no reason to doubt the move that it answers",
        QUIET,
        [(1000, "a4."), (1200, "b9."), (1500, "c8b"), (1900, "a5r")],
        [(1064, "lifted a4"), (1264, "lifted b9"), (1980, "read a4-a5"), (1980, "lifted b9")],
        3500,
        (True,),
    ),
    Case(
        "a piece that was set down too shortly to be read is still in the hand",
        QUIET,
        [(1000, "e4."), (1050, "e5r"), (1250, "e5."), (4000, "e4r")],
        [(1064, "lifted e4"), (4064, "returned e4")],
        5000,
    ),
    Case(
        "early reply: lifted before the mover has let go",
        QUIET,
        [(1000, "a4."), (1200, "e9."), (1500, "a5r"), (2100, "e8b")],
        [
            (1064, "lifted a4"),
            (1264, "lifted e9"),
            (1580, "read a4-a5"),
            (1580, "lifted e9"),
            (2180, "final"),
            (2180, "read e9-e8"),
        ],
        3000,
    ),
    Case(
        "early reply, set down before the move: both are read, in the order of the turns",
        QUIET,
        [(1000, "a4."), (1200, "b9."), (1500, "b8b"), (1900, "a5r")],
        [
            (1064, "lifted a4"),
            (1264, "lifted b9"),
            (1980, "read a4-a5"),
            (1980, "lifted b9"),
            (1980, "final"),
            (1980, "read b9-b8"),
        ],
        3000,
        (True,),
    ),
    Case(
        "both lifted, but the mover sets down elsewhere: an early reply",
        CLOSE,
        [(1000, "e4."), (1300, "e5."), (1550, "d4r")],
        [(1064, "lifted e4"), (1364, "lifted e5"), (1630, "read e4-d4"), (1630, "lifted e5")],
        1900,
        (True,),
    ),
    Case(
        "a move onto a square that is not legal is asked about and put right",
        QUIET,
        [(1000, "a4."), (1500, "b5r"), (6000, "b5."), (6500, "a4r")],
        [
            (1064, "lifted a4"),
            (4064, "puzzled a4:red/empty b5:-/red"),
            (6600, "agreed"),
        ],
        9000,
        (True,),
    ),
    Case(
        "a move taken back after it was final is asked about",
        QUIET,
        [(1000, "a4."), (1500, "a5r"), (5000, "a5."), (5500, "a4r"), (9500, "a4."), (9900, "a5r")],
        [
            (1064, "lifted a4"),
            (1580, "read a4-a5"),
            (3580, "final"),
            (5064, "lifted a5"),
            (6800, "puzzled a4:-/red a5:red/empty"),
            (10000, "agreed"),
        ],
        12000,
        (True,),
    ),
    Case(
        "another piece moved instead of the one that was read is asked about",
        QUIET,
        [(1000, "a4."), (1500, "a5r"), (2000, "a5."), (2400, "a4r"), (2800, "e4."), (3200, "e5r")],
        [
            (1064, "lifted a4"),
            (1580, "read a4-a5"),
            (2064, "lifted a5"),
            (2864, "lifted e4"),
            (5764, "puzzled a4:-/red e4:red/empty a5:red/empty e5:-/red"),
        ],
        7000,
        (True,),
    ),
    Case(
        "a knock of the table that moves six pieces freezes the game",
        QUIET,
        [(1000, "a4. a6. e4. b9. e9. j10.")],
        [
            *[(1064, f"lifted {square}") for square in ("a4", "e4", "a6", "b9", "e9", "j10")],
            (
                1214,
                "disturbed a4:red/empty e4:red/empty a6:red/empty b9:blue/empty e9:blue/empty j10:blue/empty",
            ),
        ],
        9000,
    ),
    Case(
        "a piece set down on a border is asked about",
        QUIET,
        [(1000, "a4."), (1500, "a5?")],
        [(1064, "lifted a4"), (4064, "puzzled a4:red/empty a5:-/unsure")],
        7000,
    ),
    Case(
        "thinking with a piece in hand is no reason to ask",
        QUIET,
        [(1000, "a4."), (31000, "a5r")],
        [(1064, "lifted a4"), (31080, "read a4-a5")],
        32000,
    ),
    Case(
        "two own pieces in the air are read when one is back",
        QUIET,
        [(1000, "a4."), (1200, "e4."), (1700, "a5r"), (2600, "e4r")],
        [
            (1064, "lifted a4"),
            (1264, "lifted e4"),
            (2664, "returned e4"),
            (2664, "read a4-a5"),
        ],
        4000,
    ),
    Case(
        "without colour two pieces that reach the same square are not told apart by who was first: the second set-down tells",
        JUMP,
        [(1000, "e4."), (1300, "e7."), (1500, "e5r"), (2600, "d7r")],
        [
            (1064, "lifted e4"),
            (1364, "lifted e7"),
            (2664, "read e4-e5"),
            (2664, "lifted e7"),
            (2664, "final"),
            (2680, "read e7-d7"),
        ],
        4000,
        (False,),
    ),
    Case(
        "and if no second set-down comes, it is asked",
        {"red": "e4 j1", "blue": "e6 j10"},
        [(1000, "e4."), (1200, "e6."), (1400, "e5r")],
        [
            (1064, "lifted e4"),
            (1264, "lifted e6"),
            (3964, "puzzled e4:red/empty e5:-/red e6:blue/empty"),
        ],
        6000,
        (False,),
    ),
]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_table(case: Case, rate: str) -> None:
    """What is said is what the table says, in its order and its time, and nothing else."""
    case.check(rate)
