"""Hands that the judge of docs/reference/hands.md found misread, as tables like those of `test_fault_tables.py`."""

from __future__ import annotations

import pytest

from referee.rules.values import Seat
from tests.sensing.event_table import RATES
from tests.sensing.test_fault_tables import (
    ASK_MS,
    DISAGREE,
    DRAWN,
    EARLY,
    FINAL_MS,
    LATE_MS,
    LIFTED,
    NO_SCRIPT,
    NUDGE,
    PAGE,
    REST,
    SWAPPED,
    UNDER,
    Table,
    held_to_the_page,
    played,
    ways,
)

ONE_BY_ONE = "what one player does with own pieces, looks, attempts and the ply, does not overlap"
TAKEN = "a piece of the other player that could take it is lifted 250 ms later or more, and then the hand goes on"
HOLE = "all that changed meanwhile is seen in the first frame after it, and how and in which order is unknown"
BEGINS = (
    "An attempt or a ply begins when its piece leaves its square or, drawn over the border, is seen by the neighbour"
)
WAITS = "is asked about with them after 10,000 ms without a change, also where a piece can still go on"
ASKED_AMID = "3,500 ms after that they may be asked though hands go on"

TABLES = [
    Table(
        "a piece that is pushed half back over the border has not been home: its ply ended before",
        DRAWN,
        "a2 j1 | a5 j10",
        "a5- 0, a3B 350, a2- 550, a1R 700, a2R 950, a4B 1300, a3- 1300, a2- 1350",
        plies=(("a5-a3", 1330, 1300), ("a2-a1", 1930, 1350), ("a3-a4", 3080, 1350)),
        turn=Seat.BLUE,
    ),
    Table(
        # a6 was up from 2200 to 3450, so its player drew no piece from a5 to b5 meanwhile.
        "a look and a ply of one player do not overlap: the piece that was up made the ply",
        "what one player does with own pieces, looks, attempts and the ply, does not overlap",
        "a2 b3 f1 | a5 b6 f6",
        "b6- 0, a6B 450, a6- 2200, f1- 2400, f3R 2550, b5B 2800, a5- 3150, a6B 3450",
        plies=(("b6-b5", 3430, 2550), ("f1-f3", 3580, 3450), ("a5-a6", 5230, 3450)),
        turn=Seat.BLUE,
    ),
    Table(
        "a look, a ply after it, and an attack whose target was taken first in between",
        "what one player does with own pieces, looks, attempts and the ply, does not overlap",
        "e2 f2 f1 | e4 f5",
        "e4- 0, e3B 50, f2- 700, e2- 750, f2R 900, f1- 950, e1R 1000, e3- 1100",
        plies=(("e4-e3", 1630, 1000), ("f1-e1", 1630, 1000)),
        attack=("e3xe2", 1630, 1100 + ASK_MS + LATE_MS),
        turn=Seat.BLUE,
    ),
    Table(
        "a piece that is lifted and set down again on the square to which it moved was looked at: its ply was over",
        "A look closes the ply before it",
        "a2 b2 | a5 b5",
        "a2- 0, b5- 100, b4B 150, b4- 500, a1R 500, b5B 600, a1- 700, a1R 900, b5- 1100, a1- 1150, b6B 1450, a3R 1450",
        plies=(("a2-a1", 900, 1450), ("b5-b6", 1580, 1450), ("a1-a3", 3230, 1450)),
    ),
    Table(
        # e7 was not drawn to e8 until 550, for d8 was taken up at 450.
        "a player draws one piece over its border before the next one is taken up",
        "each is over before the next begins",
        "d8 e7 | e10 a10",
        "e8R 0, d8- 450, e10- 450, e7- 550, d7R 600, f10B 900",
        plies=(("d8-e8", 1230, 900), ("e10-f10", 1230, 900), ("e7-d7", 2380, 900)),
    ),
    Table(
        "a piece that moved is replaced 100 ms later: its move, and then the attack",
        UNDER,
        "f1 j1 | f6 j10",
        "f1- 0, f2R 50, f6- 100, f2B 150",
        plies=(("f1-f2", 530, 150),),
        attack=("f6xf2", 530, 150 + ASK_MS + LATE_MS),
        colours=(True,),
    ),
    Table(
        # e5 was lifted 950 ms before e4 was reached, too early for a reply to that.
        "a target that is taken before the run-up is no attacker of the piece that runs up",
        EARLY,
        "e2 j1 | e5 j10",
        "e5- 0, e2- 750, e4R 950, e4- 1250",
        attack=("e2xe5", 1250, 1250 + ASK_MS + LATE_MS),
    ),
    Table(
        "a rest where the piece could be taken, a piece lifted to take it, and then the hand goes on: the rest was the ply",
        "the rest was the ply, and an attack is asked about",
        "f1 j1 | f6 j10",
        "f1- 0, f2R 300, f6- 650, f2- 1350, f3R 1550",
        plies=(("f1-f2", 1680, 300),),
        asked_ms=1550,
        colours=(True,),
    ),
    Table(
        # Played was e3-e4 over e2: the hole hid that the piece stood on e4.
        "a hand may have gone on in a hole from where it rested, to squares that nobody saw",
        HOLE,
        "e3 a1 | e9 f8",
        "e3- 0, e2R 900, e2- 1500, e4R 1900, f8- 2000, f7B 2000, e4- 2050, b4R 3050",
        asked_ms=3050,
        lost_ms=range(1298, 2060),
    ),
    Table(
        "the same in a hole that is known: what came in it is asked about, and the ply before it stands no more",
        HOLE,
        "a2 a1 | a8 e5",
        "e5- 0, f5B 1750, f5- 2750, e6B 3050, a2- 3650, b2R 3700, e6- 3800, f6B 4500",
        unsaid_ms=5204 + LATE_MS,
        asked_ms=5204,
        at_once=True,
        lost_ms=range(2590, 5204),
        turn=Seat.BLUE,
    ),
    Table(
        # Played was e2-e3 over e1: the hand went on from there in the hole, and the piece from f1 came to e1.
        "a hand may have gone on in a long hole, and another piece have come to where it rested: nothing is final by the hole alone",
        HOLE,
        "e2 f1 | e4 j10",
        "e2- 0, e1R 150, e1- 950, e3R 1300, e4- 1350, f4B 1500, f1- 2500, e1R 3300",
        unsaid_ms=3456 + LATE_MS,
        asked_ms=3456,
        at_once=True,
        lost_ms=range(886, 3456),
    ),
    Table(
        # The hand went on to e2 and came back while no frames did: the two rests on e3 were of 250 and 850 ms.
        "a hole that shows several changes ends a rest, also one that is over before a square can settle",
        HOLE,
        "e4 a1 | e9 j10",
        "e4- 0, e3R 100, e3- 350, e2R 400, e2- 1100, e3R 1100, e3- 1950, e4R 2150, a1- 2600, a2R 2900",
        plies=(("a1-a2", 4650, 2900),),
        lost_ms=range(250, 1040),
    ),
    Table(
        # Played were d2-b2, the reply, and b2-c2.
        "a piece that is up as a hole begins may have ended its ply in it, if the reply began there as well",
        HOLE,
        "d2 a1 | e8 j10",
        "d2- 0, b2R 900, e8- 1000, b2- 2000, c2R 2100, d8B 2250",
        asked_ms=2250,
        lost_ms=range(145, 2045),
    ),
    Table(
        "the same where the reply was over before the hole",
        HOLE,
        "e3 d1 | f8 j10",
        "e3- 0, f8- 400, f7B 650, f3R 800, f3- 1350, d3R 1500",
        asked_ms=1563,
        lost_ms=range(710, 1563),
    ),
    Table(
        "a piece that comes back to its square after a hole was perhaps elsewhere in it, also if it comes later",
        HOLE,
        "e2 a1 | e9 j10",
        "e2- 0, e3R 300, e3- 1200, d2R 1900, d2- 2600, e3R 5100, e3- 5500, d2R 5900",
        plies=(("e2-d2", 7650, 5900),),
        lost_ms=range(1674, 4458),
    ),
    Table(
        # Played was e2-c2, and f2 was nudged before that went home; the hole has c2. Seen are a look and a ply of one player that overlap.
        "what the page does not have is not believed after a hole",
        HOLE,
        "e2 f2 | e5 f5",
        "e2- 10, c2R 261, f5- 306, c2- 454, f2- 503, f1R 653, e2R 706, f1- 763, f2R 764, f4B 813",
        asked_ms=813,
        lost_ms=range(289, 564),
    ),
    *(
        Table(
            # e2-e3 was no ply: the hand went on to e1, and over e3 home again, and then the other piece was moved.
            f"a piece that is back on its square after a hole of {hole_ms} ms was perhaps not looked at: its hand may go on",
            HOLE,
            "e2 a1 | e9 j10",
            f"e2- 0, e3R 400, e3- 700, e1R 900, e1- 1000, e3R 1200, e3- {1600 + hole_ms}, e2R {2000 + hole_ms}, "
            f"a1- {2500 + hole_ms}, a2R {2800 + hole_ms}",
            plies=(("a1-a2", 4550 + hole_ms, 2800 + hole_ms),),
            lost_ms=range(870, 870 + hole_ms),
        )
        for hole_ms in (400, 2600)
    ),
    Table(
        "in a hole of 150 ms nobody sets a piece down, takes it up again and goes on: it was taken up for the next ply",
        "carry | any two squares | 200 ms and more",
        "e3 a1 | e9 f8",
        "e3- 0, e2R 900, f8- 1300, f7B 1400, e2- 1560, e1R 2400",
        plies=(("e3-e2", 1700, 2400), ("f8-f7", 1960, 2400), ("e2-e1", 4150, 2400)),
        lost_ms=range(1500, 1650),
    ),
    Table(
        "in a hole of 240 ms somebody may",
        HOLE,
        "e3 a1 | e9 f8",
        "e3- 0, e2R 900, f8- 1300, f7B 1400, e2- 1560, e1R 2400",
        asked_ms=2400,
        lost_ms=range(1450, 1690),
    ),
    Table(
        # f3 was reached between 1890 and 2252, so b10 may have been left 400 ms before.
        "a ply ended in a hole, perhaps so early that the reply to it had not begun too early",
        EARLY,
        "f2 a1 | b10 j10",
        "f2- 0, e2R 50, b10- 1600, b9B 1650, e2- 1750, f3R 1950",
        plies=(("f2-f3", 2252, 2252), ("b10-b9", 2252, 2252)),
        lost_ms=range(1892, 2252),
        colours=(False,),
    ),
    Table(
        "a player looks at two pieces one after the other, so the one that is up all the time attacks",
        ONE_BY_ONE,
        "a2 b2 | a5 b5",
        "b5- 0, a5- 631, b2- 692, b5B 778, b2R 856, b5- 1168, a5B 1168",
        attack=("b5xb2", 1168, 1168 + ASK_MS + LATE_MS),
        turn=Seat.BLUE,
        colours=(False,),
    ),
    Table(
        "a player looks at no second piece while the one that moved is up, but a nudge may overlap anything",
        ONE_BY_ONE,
        "a2 b3 f1 | a6 b7 f7",
        "f1- 0, f7- 235, b7- 919, c7B 969, f1R 997, c7- 1547, b7B 1689",
        attack=("f7xf1", 1689, 1689 + ASK_MS + LATE_MS),
        turn=Seat.BLUE,
        colours=(False,),
    ),
    Table(
        "an attack by a piece while another one of its player is nudged",
        ONE_BY_ONE,
        "e1 f1 | e6 f6",
        "f6- 0, f2B 900, f1- 1150, e1- 1250, f2- 1300, e2R 1350, e2- 1500, f2R 1600, e1R 1600",
        plies=(("f6-f2", 1600, 1600),),
        attack=("f1xf2", 1600, 1600 + ASK_MS + LATE_MS),
        turn=Seat.BLUE,
        colours=(False,),
    ),
    Table(
        "two pieces of a player are not under way at once, so one of them was nudged, and the third is attacked",
        ONE_BY_ONE,
        "a2 b3 f1 | a5 b6 f6",
        "f1- 0, f6- 605, a3R 731, b3- 749, b3R 832, a2- 855, a3- 1031, f2B 1041, f2- 1493, a2R 1637",
        attack=("f6xf1", 1637, 1637 + ASK_MS + LATE_MS),
        turn=Seat.BLUE,
    ),
    Table(
        "a hand may rest while another piece of its player is nudged",
        NUDGE,
        "e1 a1 | f6 e6",
        "f6- 0, f3B 250, e6- 300, e5B 450, e5- 800, e6B 950",
        plies=(("f6-f3", 2000, 950),),
        turn=Seat.BLUE,
    ),
    Table(
        "a hand may rest while another piece of its player is taken as a target",
        EARLY,
        "e2 a1 | f5 e5",
        "f5- 0, f6B 300, e5- 900, e2- 1800",
        plies=(("f5-f6", 1300, 1800),),
        attack=("e2xe5", 1800, 1800 + ASK_MS + LATE_MS),
        turn=Seat.BLUE,
    ),
    Table(
        # e3 could have taken f3, and was lifted 400 ms after f3 was reached.
        "a piece that was lifted to take the one that rests, and moves on instead: the rest was the ply",
        TAKEN,
        "e3 a1 | f4 j10",
        "f4- 0, f3B 50, e3- 450, e5R 650, f3- 750, f2B 850",
        plies=(("f4-f3", 450, 650), ("e3-e5", 1150, 850), ("f3-f2", 2600, 850)),
        turn=Seat.BLUE,
    ),
    Table(
        "nobody rests where another piece stands: what stood there was taken from there",
        "rest | the piece stands on a legal target of this turn",
        "e3 a1 | e6 j10",
        "e3- 0, e4R 150, e4- 450, e5R 550, e6- 700, e5B 850",
        plies=(("e3-e5", 850, 850),),
        attack=("e6xe5", 850, 850 + ASK_MS + LATE_MS),
        colours=(True,),
    ),
    Table(
        "a rest goes on through a nudge, and so is over",
        "A nudge in between does not begin it again",
        "d2 | b5 e6",
        "d2- 0, e2R 200, e2- 450, e1R 550, e1- 800, e2R 950, e2- 2300, e6- 2450, f6B 2500, f2R 2500",
        plies=(("d2-e2", 1950, 2500), ("e6-f6", 2700, 2500), ("e2-f2", 4250, 2500)),
    ),
    Table(
        "a piece that was nudged over the border it then crosses: its rest there begins when it comes",
        REST,
        "d2 a1 | b9 j10",
        "b9- 10, e2R 62, e2- 322, d2- 570, b8B 623, e2R 1172, e2- 2420, b2R 2724",
        plies=(("b9-b8", 970, 2724), ("d2-b2", 4470, 2724)),
        turn=Seat.BLUE,
    ),
    Table(
        "a ply that ends on a square on which its piece rested before is one ply, and no attempt is in it",
        DISAGREE,
        "a2 b2 | b9 j10",
        "a2- 0, a3R 54, a3- 347, a4R 486, a3R 1787, b9- 1837, b8B 1957, a4- 2787",
        asked_ms=2787,
    ),
    Table(
        "what lies between two rests on one square is itself a rest, so the second is a new one",
        REST,
        "d2 a1 | b9 j10",
        "d2- 0, e2R 200, e2- 1000, f2R 1200, f2- 1900, e2R 2100, e2- 3000, g2R 3200",
        plies=(("d2-g2", 4950, 3200),),
    ),
    Table(
        # The board was silent for 1,500 ms, and nothing changed in that time: e3 was left 100 ms before d3.
        "a target is taken first after a silence that no message is missing from",
        LIFTED,
        "d3 a1 | e4 f6",
        "e4- 0, e3B 900, e3- 2800, d3- 2900",
        plies=(("e4-e3", 2650, 2900),),
        attack=("d3xe3", 2900, 2900 + ASK_MS + LATE_MS),
        turn=Seat.BLUE,
    ),
    Table(
        # b2 and b3 both see a piece for too long: another magnet stands there, and nobody knows what else was not seen.
        "a piece that is seen half over a border may be two: no ply is final meanwhile",
        NO_SCRIPT,
        "a2 b2 | a9 b9",
        "b9- 0, b8B 350, b3R 1200, a2- 1550, a1R 1600, a1- 1950, a1R 2050",
        asked_ms=2050,
        turn=Seat.BLUE,
    ),
    Table(
        # e8 was up before f9 was set down, so f8 may be the piece of e8, and the one of f9 went somewhere else.
        "a piece was lifted before its player's ply was over: that is final only once the piece is seen to be a target",
        ONE_BY_ONE,
        "f1 a1 | e8 f9",
        "f9- 0, f1- 1300, e1R 1300, e8- 1400, f8B 1550",
        asked_ms=1550,
        turn=Seat.BLUE,
        colours=(False,),
    ),
    *(
        Table(
            # a7 was lifted before a8, or with it: until a8 may not be a target any more, a7 may rest once more.
            f"a rest of {rest_ms} ms beside a piece, and both are lifted at once: no run-up, but its hand may go on for a while",
            LIFTED,
            "a3 j1 | a8 j10",
            f"a3- 0, a7R 400, a7- {400 + rest_ms}, a8- {420 + rest_ms}",
            plies=(("a3-a7", 400 + rest_ms + 1500, 1920 + rest_ms),),
            attack=("a8xa7", 400 + rest_ms + 1500, 420 + rest_ms + FINAL_MS + LATE_MS),
        )
        for rest_ms in (1300, 1700)
    ),
    Table(
        "the same, and the hand goes on to another square",
        REST,
        "a3 j1 | a8 j10",
        "a3- 0, a7R 400, a7- 1900, a8- 1920, a6R 2310",
        plies=(("a3-a6", 4060, 2310),),
    ),
    Table(
        # e3 may be pushed out by a nudge until 2150, so the last script is given up then, and 3,500 ms later they are asked.
        "a magnet is asked about while hands go on, counted from when nothing explained it any more",
        ASKED_AMID,
        "a2 e2 | b9 j10",
        "e2- 1500, e3R 1550, b9- 2000, b8B 2300, b8- 4200, b7B 4500",
        asked_ms=2150 + 3500 - ASK_MS,
        turn=Seat.BLUE,
    ),
    Table(
        # Until f2 has seen it for 600 ms, the piece of f3 may only be nudged, and no reply: then the hand may go on from f5.
        "a piece that may only be nudged was not lifted to take the one that rests",
        TAKEN,
        "f3 e2 | e5 f6",
        "f5B 0, e5- 150, f3- 900, f2R 900, f5- 1000, f5B 1100, f6- 1400, f7B 1550",
        plies=(("e5-f5", 1500, 1550), ("f3-f2", 1800, 1550), ("f6-f7", 3300, 1550)),
        turn=Seat.BLUE,
        colours=(True,),
    ),
    Table(
        # The piece of a2 may be drawn on to a4 from 600 on, when a5 is looked at, and b2 half over to a2 until 2700.
        "a hand that draws its piece on is not answered by what is lifted at that moment",
        TAKEN,
        "a2 b2 | a5 b5",
        "a3R 0, a2- 50, a5- 600, a4R 600, a3- 1500, a2R 1700",
        plies=(("a2-a3", 2700, 1700), ("a5-a4", 2700, 1700), ("a3-a2", 3450, 1700)),
        colours=(False,),
    ),
    Table(
        # Until 2800 the hand may go on from e2, which it left at 1800.
        "a piece was taken up while the reply to its ply was drawn over a border: it had begun",
        DRAWN,
        "d3 j1 | e3 j10",
        "e3- 0, e2B 300, d2R 1400, e2- 1800, d3- 2400",
        plies=(("e3-e2", 2800, 2400), ("d3-d2", 3150, 2400)),
        turn=Seat.BLUE,
    ),
    Table(
        # a5 is no end of a2-a5, for nothing goes from there to c3; and who lifted c3 is about to make the third ply.
        "the hand is at the third ply when its piece is up: the first one is over",
        REST,
        "a2 j1 | b9 j10",
        "a2- 0, a3R 10, a3- 400, b9- 700, a9B 725, a5R 1000, a5- 2750, c3R 2950, c3- 3750, a1R 4650",
        plies=(("a2-a3", 2750, 725), ("b9-a9", 2750, 2950), ("a3-a1", 6400, 4650)),
    ),
    Table(
        # Played was e3-e1, its reply, and e1-e6: all that comes after e6 was left is hidden.
        "a piece that was up when a hole began may have ended its ply in it, and gone on after the reply",
        HOLE,
        "e3 a1 | f9 j10",
        "e3- 0, e6R 250, e6- 620, e1R 920, f9- 1265, f8B 1365, e1- 1425, e6R 1865",
        asked_ms=1865,
        lost_ms=range(977, 1863),
    ),
    Table(
        # c7 showed a magnet for 1,000 ms that fits neither a nudge nor a hand that goes on. That b7 may be a victim explains it no better.
        "what a piece did before it could be taken has to be explained as well: a rest of 2,250 ms is no ply by what nothing explains",
        ASKED_AMID,
        "b2 j1 | e7 j10",
        "b2- 0, b3R 400, e7- 900, b7B 1000, c7B 1600, c7- 2600, b7- 3250, b3- 4100, e4B 4350, b7R 4800",
        asked_ms=2680 + 3500 - ASK_MS,
    ),
    Table(
        # No sensor saw g4-f4. Both ways in which f3 or e4 could have been drawn to f4 are over, and f3-f4 was no ply.
        "a ply whose piece two squares see is not final: it may be another magnet",
        DRAWN,
        "e3 f3 | e4 f4",
        "f4- 0, g4B 150, f4B 3050, e4- 3150, e5B 4050, e3- 4250, e4R 4950, e5- 5150, f5B 5300",
        plies=(("f4-g4", 1900, 150),),
        asked_ms=4190 + 3500 - ASK_MS,
        turn=Seat.BLUE,
        colours=(False,),
    ),
    Table(
        # e5 was not lifted to take e4, so the hand that brought e4 may have gone on to e3, or e4 was over and e3 is the next ply.
        "a piece that is pushed to its neighbour at once was not lifted to take another one",
        TAKEN,
        "e2 a1 | e5 j10",
        "e2- 0, e4R 250, e5- 1500, f5B 1500, e4- 1850, e3R 1900",
        asked_ms=1900,
    ),
    Table(
        "nor is it by a look of its own player: one thing after the other",
        ONE_BY_ONE,
        "a2 f1 | a8 b9",
        "c9B 200, a8- 300, a8B 750, f1- 1100, f2R 1300",
        asked_ms=1300,
        turn=Seat.BLUE,
    ),
    Table(
        # f6 was half on f5 from 50 to 450. Were that part of its ply, e1-e5-e4 could be two of five plies.
        "a piece that was pushed half over a border and back has not begun its ply",
        NUDGE,
        "e1 f1 | e6 f6",
        "e1- 0, f5R 50, e5R 400, f5- 450, e5- 500, e4R 500, f6- 600, f5R 650, f5- 900, f3R 950, f1- 1750, f2R 4000",
        plies=(("e1-e4", 1000, 950), ("f6-f3", 2150, 4000), ("f1-f2", 5750, 4000)),
        colours=(False,),
    ),
    *(
        Table(
            f"an attacker that is swapped {swap_ms} ms after its victim was lifted: it ran up, and was not let go",
            "unless the piece that rested comes to its square within 1,000 ms of that lift",
            "e1 j1 | e6 j10",
            f"e1- 0, e5R 700, e6- 1100, e5- 1300, e6R {1100 + swap_ms}",
            attack=("e1xe6", 1100 + swap_ms, 1100 + swap_ms + ASK_MS + LATE_MS),
            colours=(False,),
        )
        for swap_ms in (700, 975)
    ),
    Table(
        # e9 may not rest on e1, behind e2, nor is it pushed past it and back to e2: the piece of e2 was nudged.
        "a push does not turn round: a nudge beside a hand that waits shows no attack",
        "along a straight line of free squares, one neighbour after the other",
        "e2 f2 | e9 j10",
        "e9- 0, e2- 100, e1R 250, e1- 600, e2R 650, a9B 2500",
        plies=(("e9-a9", 4250, 2500),),
        turn=Seat.BLUE,
        colours=(False,),
    ),
    Table(
        # b3 was taken up when f1 had been, so b4-b3 is held back; then its piece lies round a corner, where it may not go.
        "a held ply is not final because its piece comes down where it may not go",
        NO_SCRIPT,
        "e1 a9 | b4 i10",
        "b4- 0, e1- 400, f1R 550, b3B 600, f1- 800, b3- 1000, a4B 3250",
        asked_ms=3250,
        turn=Seat.BLUE,
    ),
    Table(
        # Which piece came to e4 only the one in the air could tell, and where that comes down no hand brings it.
        "nor because the piece comes down so that could have made another ply",
        NO_SCRIPT,
        "d1 a9 | e3 d4",
        "e3- 6, d1- 105, e1R 207, e4R 302, d4- 316, f3R 2719",
        asked_ms=2719,
        turn=Seat.BLUE,
        colours=(False,),
    ),
    *(
        Table(
            f"a piece that is taken up again at once and comes down where it may not go: what it did is asked about{what}",
            NO_SCRIPT,
            "a2 j1 | b9 j10",
            f"a2- 0, a3R 300, a3- 500, c4R 720{back}",
            asked_ms=asked_ms,
            unsaid_ms=unsaid_ms,
        )
        for what, back, asked_ms, unsaid_ms in (
            ("", "", 720, None),
            (", or unsaid once it is home", ", c4- 1300, a2R 1600", None, 1600 + ASK_MS + LATE_MS),
        )
    ),
    Table(
        "a drawn ply has begun when the neighbour sees its piece, so the reply to it may be over before its first square loses it",
        BEGINS,
        "a4 j1 | b7 j10",
        "a5R 0, b7- 100, b6B 350, a4- 500",
        plies=(("a4-a5", 500, 500), ("b7-b6", 2100, 500)),
    ),
    Table(
        "a drawn reply has begun when the neighbour sees its piece, so that may be too early",
        BEGINS,
        "a4 j1 | b7 j10",
        "a4- 0, b6B 200, b7- 700, a5R 800",
        asked_ms=800,
        colours=(True,),
    ),
    Table(
        # e5 went on to c5 unseen, and d4-e4 followed: what stands on e4 is no attacker that was swapped for e5, nor e5 after a look.
        "what comes 1,350 ms after a piece that has just moved was taken up is not swapped for it",
        SWAPPED,
        "d3 a1 | e5 j10",
        "d3- 0, d4R 100, e5- 2100, e4R 2200, e4- 2900, d4- 3900, e4R 4250",
        plies=(("d3-d4", 1850, 2100),),
        asked_ms=4250,
        colours=(False,),
    ),
    Table(
        "what comes 950 ms after it is",
        SWAPPED,
        "d3 a1 | e5 j10",
        "d3- 0, d4R 100, e5- 2100, e4R 2200, e4- 3300, d4- 3900, e4R 4250",
        plies=(("d3-d4", 1850, 2100), ("e5-e4", 4250, 4250)),
        attack=("d4xe4", 4250, 4250 + ASK_MS + LATE_MS),
        colours=(False,),
    ),
    Table(
        # One player had two pieces in the air at once, so no script is left; then the board is as it was.
        "two pieces of one player that were up at once say nothing once both are back: an attack right after it is one",
        LIFTED,
        "f3 a1 | f6 d10",
        "d10- 0, f6- 5000, f6B 5700, d10B 6200, f3- 6750, f6- 7150",
        attack=("f3xf6", 7150, 7150 + 370 + LATE_MS),
    ),
    Table(
        # f9-f7 and d4-e4-d4 may have been hesitations: nothing will tell, and no attack is asked about while plies are open.
        "an attack that plies in dispute keep from being asked about is asked about with them",
        WAITS,
        "d4 a1 | f9 j10",
        "f9- 0, f7B 250, d4- 1124, f7- 1912, f4B 2208, e4R 2234, e4- 2534, d4R 2630, f4- 3917, d4- 4358, d4B 4700",
        asked_ms=4700 + 10_000 - ASK_MS,
        colours=(False,),
        turn=Seat.BLUE,
        watched_ms=12_000,
    ),
]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_judged(table: Table, rate: str) -> None:
    """What is final, asked and unsaid is what the page says, wherever on the board and whoever's hands they are."""
    assert " ".join(table.page.split()) in " ".join(PAGE.split())
    for way in ways(table, rate):
        held_to_the_page(table, played(table, rate, *way))


def test_what_a_hole_may_have_hidden_stays_read_until_it_is_asked_about() -> None:
    """That a hand went on unseen is the rarer case."""
    table = next(table for table in TABLES if table.name == "in a hole of 240 ms somebody may")
    heard = played(table, "100 Hz", True, False, False)
    *_, before = (plies for at_ms, plies in heard.told if at_ms < heard.asked[0])
    assert before == ("e3-e2", "f8-f7", "e2-e1")
