"""Hands that were once misread, each held to docs/reference/hands.md: what may become final, and when; what must be asked.

A table is written as the page writes traces, and what has to come of it follows from the page alone. Each is played at 50, 100 and
200 Hz and with jumping frame times, with colour and without; as it stands, and mirrored, or with the board turned and the armies
exchanged, or both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pytest

from firmware_bridge.messages import Reading
from referee.rules.values import Seat
from tests.amount import tries
from tests.sensing.event_table import RATES
from tests.sensing.sensing_stage import Stage, game_with

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "hands.md").read_text(encoding="utf-8")
FINAL_MS, ASK_MS = 3000, 2500
"""The page's limits: until a ply on which all scripts agree is final, and until what no script explains is asked about."""
EARLY_MS, LATE_MS = 25, 650
"""What a time of the page leaves room for: a change is seen up to 25 ms late; settling, and the next frame of a board at rest."""
BEFORE_MS = 1000
"""How long the board stands before the hands begin."""
ELSEWHERE = {"50 Hz": (True, False), "100 Hz": (False, True), "200 Hz": (True, True), "jumping": (True, True)}
"""Besides as it stands, how a table is played at each rate: mirrored or not, turned with the armies exchanged or not."""
EXCHANGED = str.maketrans("RB", "BR")
WITHOUT_COLOUR = str.maketrans("RB", "rr")
WITH_COLOUR = str.maketrans("RB", "rb")


@dataclass(frozen=True)
class Table:
    """Hands, and what the page allows and requires of a reader. Times are those of the trace."""

    name: str
    page: str
    """The page's words from which the expectation follows."""
    pieces: str
    """Red pieces, a bar, blue pieces. Any of them may be a scout."""
    trace: str
    plies: tuple[tuple[str, int, int], ...] = ()
    """What becomes final: source and target, not before, and when its limit begins to run."""
    attack: tuple[str, int, int] | None = None
    """The attack that is asked about: not before, at the latest."""
    unsaid_ms: int | None = None
    """By then nothing is read any more, or only what becomes final later."""
    asked_ms: int | None = None
    """The last change, if the players have to be asked about the board."""
    at_once: bool = False
    """They are asked about what a hole hid, before another hand can cover it up."""
    may_ask_ms: int | None = None
    """The last change, if they may be asked in place of the plies, since two scripts are left."""
    turn: Seat = Seat.RED
    colours: tuple[bool, ...] = (True, False)
    watched_ms: int = 4500
    """How long the board is watched after the last change."""
    lost_ms: range = range(0)
    """A hole: the frames of this time are lost."""


class Lossy(Stage):
    """A stage that loses the frames of some time, and sends each scan again after it."""

    lost_ms = range(0)

    def frame(self, shown: tuple[Reading, ...]) -> None:
        """Feed a frame unless it is lost."""
        if self.now_ms in self.lost_ms:
            self._sent = ()
            self.seq += 1
        else:
            super().frame(shown)


@dataclass
class Heard:
    """What a reader said of plies, in the order in which it said it."""

    open: list[str] = field(default_factory=list)
    finals: list[tuple[int, str]] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    attacks: list[tuple[int, str]] = field(default_factory=list)
    told: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    """What was open after each of its words."""

    def take(self, at_ms: int, text: str) -> None:
        """Take one of its words; a question about an attack never comes while a ply is open."""
        word, *rest = text.split()
        if word == "revised":
            del self.open[-int(rest[2]) if len(rest) > 1 else -1 :]
        if word in ("read", "revised"):
            self.open.append(rest[0])
        elif word == "unread":
            del self.open[-int(rest[0]) :]
        elif word == "final":
            self.finals.append((at_ms, self.open.pop(0)))
        elif word == "attack":
            assert not self.open, f"{text} at {at_ms} while {self.open} is open"
            self.attacks.append((at_ms, rest[0]))
        elif word in ("puzzled", "disturbed"):
            self.asked.append(at_ms)
        self.told.append((at_ms, tuple(self.open)))


def turned(text: str, mirrored: bool, half: bool) -> str:
    """Return squares as on a mirrored board, or on one that was turned by half, or both."""

    def moved(found: re.Match[str]) -> str:
        column, row = found[1], int(found[2])
        column = chr(ord("a") + ord("j") - ord(column)) if mirrored is not half else column
        return f"{column}{11 - row if half else row}"

    return re.sub(r"([a-j])(10|[1-9])(?!\d)", moved, text)


def played(table: Table, rate: str, colour: bool, mirrored: bool, half: bool) -> Heard:
    """Play a table on a stage; times are those of the trace. With jumping frame times the clock leaps, too, before the hands begin."""
    armies = turned(table.pieces, mirrored, half).split("|")
    pieces = dict(zip(("blue", "red") if half else ("red", "blue"), armies, strict=True))
    turn = {Seat.RED: Seat.BLUE, Seat.BLUE: Seat.RED}[table.turn] if half else table.turn
    stage = Lossy(game_with(pieces, turn=turn), colour=colour, scan_ms=RATES[rate])
    stage.lost_ms = range(BEFORE_MS + table.lost_ms.start, BEFORE_MS + table.lost_ms.stop)
    stage.follow()
    trace = turned(table.trace.translate(EXCHANGED) if half else table.trace, mirrored, half)
    hands = []
    for change in trace.replace("-", ".").split(", "):
        what, ms = change.split()
        hands.append((BEFORE_MS + int(ms), what.translate(WITH_COLOUR if colour else WITHOUT_COLOUR)))
    if rate == "jumping":
        stage.play([], BEFORE_MS // 2)
        stage.leap(7000)
    stage.play(hands, hands[-1][0] + table.watched_ms)
    heard = Heard()
    for at_ms, text in stage.said:
        heard.take(at_ms - BEFORE_MS, turned(text, mirrored, half))
    return heard


def ways(table: Table, rate: str) -> list[tuple[bool, bool, bool]]:
    """Return how a table is played at a rate: with colour, mirrored, turned; `make quick`: half of them, each at two rates."""
    drawn = enumerate(table.colours), enumerate(((False, False), ELSEWHERE[rate]))
    first, whole = list(RATES).index(rate), tries(2) == 2
    return [(colour, *way) for (at, colour), (nr, way) in product(*drawn) if whole or (first + at + nr) % 2 == 0]


def held_to_the_page(table: Table, heard: Heard) -> None:
    """Compare what was said with what the page allows and requires."""
    if table.may_ask_ms is not None and heard.asked:
        assert not heard.finals
        assert heard.asked[0] >= table.may_ask_ms + ASK_MS - EARLY_MS
        return
    assert [ply for _, ply in heard.finals] == [ply for ply, _, _ in table.plies]
    for (at_ms, ply), (_, from_ms, limit_ms) in zip(heard.finals, table.plies, strict=True):
        assert from_ms - EARLY_MS <= at_ms <= limit_ms + FINAL_MS + LATE_MS, f"{ply} final at {at_ms}"
    assert not heard.open
    if table.asked_ms is None:
        assert not heard.asked
    else:
        assert heard.asked, "nobody is asked"
        wait_ms = 0 if table.at_once else ASK_MS
        assert table.asked_ms + wait_ms - EARLY_MS <= heard.asked[0] <= table.asked_ms + wait_ms + LATE_MS
    if table.attack is None:
        assert not heard.attacks
    else:
        attack, from_ms, limit_ms = table.attack
        assert [what for _, what in heard.attacks] == [attack]
        assert from_ms <= heard.attacks[0][0] <= limit_ms, f"{attack} asked about at {heard.attacks[0][0]}"
    if table.unsaid_ms is not None:
        said = [still for at_ms, still in heard.told if at_ms <= table.unsaid_ms]
        assert not said[-1], f"{said[-1]} stays read"


REST = "the piece stands on a legal target of this turn and the hand goes on from there: 1 to 1,750 ms"
EARLY = "a turn begins at most 400 ms before the end of the ply before it"
NUDGE = "a piece of anybody is pushed to a free neighbour and pushed back: it is seen there for at most 600 ms"
DRAWN = "at each border from -1,000 ms (drawn slowly) to 150 ms"
DISAGREE = "when scripts disagree on a ply for 2,500 ms without a change"
HOME = "attempt = stroke (rest stroke)*       the last stroke ends where the first began: the player took it back"
RUN_UP = "it stands on the square before its victim for up to 1,200 ms"
ON_TOP = "the attacker is held or set on top of the defender: nothing is seen"
LIFTED = (
    "the attacker has left, and the defender leaves: after it, or up to 1,500 ms before it leaves the square on which it stood last. "
    "Both stay away until the players are asked"
)
SWAPPED = "the attacker has left; the defender leaves, and 30 to 1,000 ms later the attacker comes to its square"
UNDER = "with colour the square changes its reading; without it shows nothing, or is empty for at most 300 ms"
LOOK = "a player lifts an own piece and brings it back to its own square, whoever's turn it is, after any time"

NO_SCRIPT = "when `S(t)` is empty (nothing of this page produces what is seen) for 2,500 ms without a change"

RUN_UPS = [
    table
    for rest_ms in (100, 500, 1200)
    for table in (
        Table(
            f"F5: a run-up of {rest_ms} ms, then held on top: the run-up is no ply; the rest is told on the handset",
            ON_TOP,
            "a3 j1 | a8 j10",
            f"a3- 0, a7R 400, a7- {400 + rest_ms}",
            unsaid_ms=400 + rest_ms + 2500,
            watched_ms=6000,
        ),
        Table(
            f"F5: a run-up of {rest_ms} ms, then the defender is replaced",
            RUN_UP,
            "a3 j1 | a8 j10",
            f"a3- 0, a7R 400, a7- {400 + rest_ms}, a8R {900 + rest_ms}",
            attack=("a3xa8", 900 + rest_ms, 900 + rest_ms + FINAL_MS),
            colours=(True,),
        ),
        Table(
            f"F5: a run-up of {rest_ms} ms, then swapped in the hand",
            SWAPPED,
            "a3 j1 | a8 j10",
            f"a3- 0, a7R 400, a7- {400 + rest_ms}, a8- {700 + rest_ms}, a8R {900 + rest_ms}",
            attack=("a3xa8", 700 + rest_ms, 900 + rest_ms + FINAL_MS),
        ),
        Table(
            f"F5: a run-up of {rest_ms} ms, then both lifted",
            LIFTED,
            "a3 j1 | a8 j10",
            f"a3- 0, a7R 400, a7- {400 + rest_ms}, a8- {700 + rest_ms}",
            attack=("a3xa8", 700 + rest_ms, 700 + rest_ms + FINAL_MS),
        ),
    )
]

TABLES = [
    Table(
        # The hand can go on from e6 until 3050. Four plies are no script: the last would begin before the one that it answers.
        # Within the noise of two frames that is not to be told, and the players may be asked.
        "F1: a move that hesitates while a neighbour is nudged is one ply, not four",
        REST,
        "e4 | b7 i8",
        "e4- 0, e5R 300, b7- 750, a7B 770, a7- 970, b7B 990, e5- 1000, e6R 1300",
        plies=(("e4-e6", 3050, 1300),),
        may_ask_ms=1300,
    ),
    Table(
        "F1: the same, with the nudge over before the hand goes on",
        NUDGE,
        "e4 | b7 i8",
        "e4- 0, e5R 300, b7- 380, a7B 400, a7- 500, b7B 520, e5- 900, e6R 1200",
        plies=(("e4-e6", 2950, 1200),),
    ),
    Table(
        # Either a rest on a5 and an early reply, or three plies of which the third was begun before the second: the page leaves
        # room whether a reply may begin, or only be finished, after the ply that it answers has begun. Three are never final.
        "F1: a rest of 480 ms and an early, quickly slid reply are two plies, not three",
        EARLY,
        "a4 | j7",
        "a4- 0, a5R 300, a5- 780, j7- 900, j6B 950, a6R 1080",
        plies=(("a4-a6", 1550, 1080), ("j7-j6", 2700, 950)),
        may_ask_ms=1080,
    ),
    Table(
        # e4-e6 with a reply 380 ms before its end, or e4-e5, its reply, and e5-e6 140 ms before that one's end.
        "F1: a reply of 80 ms makes a hesitating move neither final nor three plies: two scripts are left, and the players are asked",
        DISAGREE,
        "e4 | b7 i8",
        "e4- 0, e5R 300, b7- 380, e5- 560, a7B 700, e6R 760",
        asked_ms=760,
    ),
    Table(
        # e6-e5 could still become an attack on f5, pushed aside, until f6 has seen that piece for 600 ms; f5-f6 is over once
        # e5-f5 is no nudge.
        "F2: the new magnet came before the piece left: no revision to where it cannot have come from",
        "A piece *leaves* a square when the square becomes empty and *comes* to one when the square shows its magnet",
        "f5 a1 | e6 j8",
        "e6- 0, e5B 300, f5- 1500, f6R 1600, e5- 1850, f5B 2000",
        plies=(("e6-e5", 2200, 1600), ("f5-f6", 2600, 2000), ("e5-f5", 3750, 2000)),
        turn=Seat.BLUE,
    ),
    *(
        Table(
            f"F3: a piece that is drawn over a border for {both_ms} ms is read",
            DRAWN,
            "a4 | j7",
            f"a5R 0, a4- {both_ms}",
            plies=(("a4-a5", 1750, both_ms),),
        )
        for both_ms in (300, 900)
    ),
    Table(
        # The reply is one when j6 sees it: out of sight for 600 ms it was no nudge. Then nothing can go on from a5 any more.
        "F3: a piece drawn slowly over a border, its reply, and the next move are three plies",
        DRAWN,
        "a4 | j7",
        "a5R 0, a4- 300, j7- 1100, j6B 1700, a5- 2250, a6R 2350",
        plies=(("a4-a5", 1700, 1700), ("j7-j6", 2950, 2350), ("a5-a6", 4100, 2350)),
        watched_ms=5000,
    ),
    Table(
        "F4: a piece that goes on soon after an early reply: three plies, nobody is asked",
        EARLY,
        "a4 | j7",
        "a4- 0, a5R 300, j7- 500, j6B 900, a5- 1300, a6R 1700",
        plies=(("a4-a5", 900, 900), ("j7-j6", 1700, 1700), ("a5-a6", 3450, 1700)),
    ),
    *RUN_UPS,
    *(
        Table(
            f"F7: set down, and taken home after {rest_ms} ms: unsaid, nobody is asked",
            HOME,
            "a4 e4 | j7",
            f"e4- 0, e5R 300, e5- {300 + rest_ms}, e4R {600 + rest_ms}",
            unsaid_ms=600 + rest_ms + 200,
        )
        for rest_ms in (100, 600, 1500)
    ),
    Table(
        # Until 600 ms after e4 saw it again it may be nudged there, and move on from e5 in truth.
        "F7: set down and pushed home: unsaid once it is no nudge",
        HOME,
        "a4 e4 | j7",
        "e4- 0, e5R 60, e5- 700, e4R 760",
        unsaid_ms=760 + 600 + LATE_MS,
    ),
    Table(
        "F7: taken home, then another piece moves",
        HOME,
        "a4 e4 | j7",
        "a4- 0, a5R 300, a5- 900, a4R 1200, e4- 1500, e5R 1900",
        plies=(("e4-e5", 3650, 1900),),
        unsaid_ms=1400,
    ),
    Table(
        "F7: set down, and taken up again for good: unsaid",
        HOME,
        "a4 e4 | j7",
        "a4- 0, a5R 300, a5- 900",
        unsaid_ms=900 + 2500,
    ),
    Table(
        # Away for longer than 1,500 ms when the piece that could attack it leaves.
        "F8: a long look at a piece, and the opponent's move from beside it",
        LIFTED,
        "e4 j1 | e5 j10",
        "e5- 0, e4- 1700, e5B 3000, d4R 3300",
        plies=(("e4-d4", 5050, 3300),),
    ),
    *(
        Table(
            f"F8: a short look while the opponent holds a piece beside it{told}",
            LOOK,
            "e4 j1 | e5 j10",
            f"{begins}, e5B 750, {home} 1500",
            plies=((("e4-d4", 3250, 1500),) if home == "d4R" else ()),
        )
        for told, begins, home in (
            (", lifted first", "e5- 0, e4- 500", "d4R"),
            (", lifted second", "e4- 0, e5- 500", "d4R"),
            (", who puts it back", "e4- 0, e5- 500", "e4R"),
        )
    ),
    Table(
        "F8: a look at a piece in line that another piece covers",
        LOOK,
        "e4 j1 | e5 e7 j10",
        "e4- 0, e7- 500, e7B 2500, d4R 3000",
        plies=(("e4-d4", 4750, 3000),),
    ),
    *(
        Table(
            f"F9: the defender is drawn out from under the attacker, its square empty for {empty_ms} ms",
            UNDER,
            "e4 j1 | e5 j10",
            f"e4- 0, e5- 1000, e5R {1000 + empty_ms}",
            attack=("e4xe5", 1000, 1000 + empty_ms + 2000),
            colours=(False,),
        )
        for empty_ms in (100, 200, 300)
    ),
    Table(
        "F9: with colour the square changes its reading",
        UNDER,
        "e4 j1 | e5 j10",
        "e4- 0, e5R 500",
        attack=("e4xe5", 500, 500 + 80 + 52),
        colours=(True,),
    ),
    *(
        Table(
            f"a piece that goes round a corner, out of sight for 110 ms{answered}: no hand does that, and the players are asked",
            NO_SCRIPT,
            "e4 j1 | b9 j10",
            f"e4- 0, f4R 50, {reply}f4- 340, e5R 450",
            asked_ms=450,
        )
        for answered, reply in (("", ""), (", and is answered meanwhile", "b9- 150, b8B 200, "))
    ),
    Table(
        # e4xe9 with a run-up to e8, or e4-e8 and then e9xe8 with its victim lifted first.
        "a run-up and two lifted pieces, the attacker first: two attacks are left, and the players are asked about one or the board",
        DISAGREE,
        "e4 j1 | e9 j10",
        "e4- 0, e8R 200, e8- 500, e9- 550",
        attack=("e4xe9", 550, 550 + ASK_MS + LATE_MS),
        may_ask_ms=550,
        colours=(True,),
    ),
    Table(
        # e5 is nudged to e4, which e4 has left for e3, and back; without colour e4's leaving is not seen.
        "a nudge to a square that a piece has just left, and that comes back: the nudge is unsaid",
        NUDGE,
        "e4 j1 | e5 j10",
        "e4- 0, e5- 150, e4B 150, e3R 300, e4- 750, e5B 750",
        plies=(("e4-e3", 1200, 750),),
        colours=(False,),
    ),
    Table(
        # e5 saw nothing of the scout, so its two borders may take no time at all together; e6 is seen up to 25 ms sooner than e4.
        "a scout pushed over a square that does not see it, seen on its target 20 ms before it has left: read",
        "a change is seen up to 25 ms late, so two changes nearer than 50 ms have no order",
        "e4 j1 | b9 j10",
        "e6R 0, e4- 20",
        plies=(("e4-e6", 1750, 20),),
    ),
    *(
        Table(
            f"a look of 15 s {whose}: nobody is asked, and it is no move",
            LOOK,
            "e4 j1 | b9 j10",
            f"{square}- 0, {square}{pole} 15000",
        )
        for whose, square, pole in (("by who is to move", "e4", "R"), ("while the other one thinks", "b9", "B"))
    ),
    Table(
        # b8 is no place for blue's piece, as it is red's turn, and a carry is no nudge.
        "a move out of turn that is taken back, and then a move within 1,750 ms: no script is left, and the players are asked",
        NO_SCRIPT,
        "a4 j1 | b9 j10",
        "b9- 0, b8B 300, b8- 1000, b9B 1300, a4- 1500, a5R 1900",
        asked_ms=1900,
    ),
    *(
        Table(
            f"a piece that stood where it may not go for {stood_ms} ms and is taken home, and then a move: no script is left either",
            NO_SCRIPT,
            "a4 e4 j1 | b9 j10",
            f"e4- 0, f6R 300, f6- {300 + stood_ms}, e4R {600 + stood_ms}, a4- {1100 + stood_ms}, a5R {1500 + stood_ms}",
            asked_ms=1500 + stood_ms,
        )
        for stood_ms in (400, 2200)
    ),
    Table(
        # f7 may have been the end: then f7-f6 is the next turn, which began before the reply was over, and may go on until 2150.
        "a slide that is answered at once: final only when its hand cannot be at work on the turn after the next",
        EARLY,
        "f1 j1 | f9 a10",
        "f9- 0, f7B 250, f7- 350, f6B 400, f1- 500, d1R 750",
        plies=(("f9-f6", 2150, 750), ("f1-d1", 2500, 750)),
        turn=Seat.BLUE,
    ),
    Table(
        "a stop of 100 ms, and a reply before the piece goes on: one ply and its reply, or three, and the players are asked",
        DISAGREE,
        "b3 j1 | f9 a10",
        "f9- 0, f6B 300, b4R 400, b3- 400, f6- 400, f5B 600",
        asked_ms=600,
        turn=Seat.BLUE,
    ),
    Table(
        "a piece that comes back past the square where it had stopped was not sliding on: its stop may have been the end",
        DISAGREE,
        "e3 j1 | f9 a10",
        "e3- 0, e5R 220, f9- 270, e5- 320, e4R 360, f8B 410",
        asked_ms=410,
    ),
    Table(
        "a rest of 1,650 ms with a nudge in between, and home again: an attempt",
        "A nudge in between does not begin it again",
        "d2 j1 | b9 j10",
        "b9- 0, b8B 400, b7B 700, b7- 1000, b8- 2050, b9B 2060",
        unsaid_ms=2060 + 600 + LATE_MS,
        turn=Seat.BLUE,
    ),
    Table(
        # e4 may rest on f4 before b9 is lifted: its turn begins 348 ms before b8 is reached.
        "a hand that began early rests before the ply that it answers has begun, and goes on: read",
        "It may even be finished before that end, but not before the ply that it answers has begun",
        "d4 e4 j1 | b9 j10",
        "d4- 0, d3R 300, e4- 1620, f4R 1765, b9- 1905, b8B 1968, f4- 2471, g4R 2550",
        plies=(("d4-d3", 1765, 1968), ("b9-b8", 2020, 2550), ("e4-g4", 4300, 2550)),
    ),
    Table(
        # c8 is drawn home from 3500 on, in a hole: 1,500 ms after it came there.
        "a piece that is drawn home in a hole did not rest for as long as nobody saw it go",
        HOME,
        "a1 b2 | a9 b9",
        "b9- 0, b10B 50, b10- 500, c9B 2000, b9B 3500, c9- 4200",
        turn=Seat.BLUE,
        lost_ms=range(3375, 3859),
        unsaid_ms=4200 + 600 + LATE_MS,
    ),
    Table(
        "a piece that came in a long hole and is lifted again before anybody can be asked: no ply, and the players are asked",
        "what came to stand in such a hole is asked about",
        "e3 j1 | b9 j10",
        "e3- 10, e1R 713, b9- 2723, b8B 2865, e1- 3007",
        asked_ms=2865,
        at_once=True,
        lost_ms=range(-174, 2685),
    ),
    Table(
        "a piece drawn slowly over a border rests only from when its first square has lost it",
        DRAWN,
        "a4 j1 | j7 b10",
        "a5R 0, a4- 900, a5- 2400, a6R 2700",
        plies=(("a4-a6", 4450, 2700),),
    ),
    Table(
        # The piece that left d1 may have been drawn to d2, and d3 be the victim of an attack by e3 or e5, taken first.
        "a ply, and another own piece that is up: the other one may have been drawn there, and the first be taken by the opponent",
        LIFTED,
        "d1 d3 j1 | e3 e5 j10",
        "d3- 0, d2R 200, d1- 500, e5- 800, e6B 1200",
        plies=(("d3-d2", 1500, 1200), ("e5-e6", 2950, 1200)),
    ),
    Table(
        "a piece pushed back past the square where it began: one ply and its reply, or three plies, and the players are asked",
        "along a straight line of free squares, one neighbour after the other",
        "a1 j1 | e4 j10",
        "e4- 0, e5B 100, a1- 200, b1R 200, e5- 400, e4B 400, e3B 600, e4- 600",
        asked_ms=600,
        turn=Seat.BLUE,
    ),
    Table(
        # The magnet on e3 is the piece that left e6, or d3: only d4, where the piece from e6 may not go, tells.
        "a magnet that comes in the moment in which a piece leaves is that piece or another one that is up",
        "two changes nearer than 50 ms have no order",
        "d3 j1 | e4 j10",
        "e4- 0, e6R 400, d3- 1000, e6- 1100, e3R 1100, d4R 1600",
        plies=(("e4-e3", 1600, 1600), ("d3-d4", 3350, 1600)),
        colours=(False,),
        turn=Seat.BLUE,
    ),
    Table(
        # a5-a6 came to its end at 550, if four plies follow before a1-b1, or at 1,000, if those were nudges.
        "a ply that is the same in two scripts and ends at another time in each: both go on from it, and the players are asked",
        DISAGREE,
        "a1 a2 | a5 b5",
        "a2- 0, b2R 0, b2- 300, a5- 400, b3R 400, a6B 550, a6- 800, a5B 800, b3- 850, a5- 950, b2R 1000, a6B 1000, a1- 2800, b1R 3300",
        plies=(("a2-b2", 1600, 1000), ("a5-a6", 2750, 2800)),
        asked_ms=3300,
    ),
    Table(
        # It stood on f6 whenever anybody could see it, but may have come there again in the hole, up to 4409.
        "a piece that stands in a long hole may have been away in it: its rest begins anew, and the hand may go on",
        "how and in which order is unknown",
        "e1 j1 | f5 j10",
        "f5- 0, f6B 2250, f6- 6050, e5B 8550",
        plies=(("f5-e5", 10300, 8550),),
        turn=Seat.BLUE,
        lost_ms=range(2456, 4409),
    ),
    *(
        Table(
            f"a look at a piece that is over when the opponent's leaves {after_ms} ms later: a move, and no attack",
            LOOK,
            "e4 j1 | e5 j10",
            f"e5- 0, e5B 880, e4- {880 + after_ms}, d4R {1380 + after_ms}",
            plies=(("e4-d4", 3130 + after_ms, 1380 + after_ms),),
        )
        for after_ms in (60, 500, 900)
    ),
    Table(
        "both lifted, a piece that was looked at before",
        LIFTED,
        "e4 j1 | e5 j10",
        "e5- 0, e5B 300, e4- 800, e5- 1100",
        attack=("e4xe5", 1100, 1100 + 370 + 52),
    ),
    Table(
        "a piece that was looked at, taken first, and replaced",
        SWAPPED,
        "e4 j1 | e5 j10",
        "e5- 0, e5B 300, e5- 800, e4- 1000, e5R 1500",
        attack=("e4xe5", 1000, 1500 + 80 + 52),
        colours=(True,),
    ),
    *(
        Table(
            # e4 stood on e5 for longer than before an attack, so e6 is no victim that it ran up to.
            f"a move, and an attack on it by the piece before it, {told}, 1,500 ms later",
            RUN_UP,
            "e4 j1 | e6 j10",
            f"e4- 0, e5R 300, {lifted}",
            plies=(("e4-e5", 2100, 2300),),
            attack=("e6xe5", 2100, 2300 + 1500 + LATE_MS),
        )
        for told, lifted in (
            ("its target lifted first", "e5- 1800, e6- 2300"),
            ("both lifted at once", "e5- 1800, e6- 1810"),
            ("its target lifted second", "e6- 1800, e5- 2300"),
        )
    ),
    Table(
        # The magnet on c2 was nobody's, so the piece of d3 came home unseen as such and is not on d2.
        "a magnet that nothing explained is not explained by being gone",
        NO_SCRIPT,
        "d3 e2 | e7 d7",
        "d3- 0, d2R 150, c2R 228, d2- 550, d3R 650, d3- 950, f3R 1650",
        may_ask_ms=1200,
        colours=(False,),
    ),
    Table(
        # b2 was left for good: f2 was away too long for a nudge, and no attempt begins before the own ply to a2 would have ended.
        "an attempt during an own ply is none",
        "what one player does with own pieces, looks, attempts and the ply, does not overlap",
        "e2 f2 | e5 f5",
        "e2- 0, d2R 150, d2- 350, c2R 350, c2- 450, b2R 450, f4R 650, f2- 800, f1R 900, f1- 1000, f5- 1650, b2- 1650, "
        "a2R 1800, f2R 3650",
        may_ask_ms=3000,
        colours=(False,),
    ),
    Table(
        # e5 left 100 ms after d4 saw the piece from d3, so that hand goes on no more after 500.
        "a drawn piece that its first square still sees stood there before: nothing of it came in a hole",
        NO_SCRIPT,
        "d3 d1 | e5 e3",
        "d4R 1300, e5- 1400, b5B 1800",
        asked_ms=1800,
    ),
    Table(
        # e4 was nudged; f5 was away for the whole of it, so its player made no ply with e4 meanwhile.
        "a ply, its reply and the way back, with a nudge in between: three plies",
        "what one player does with own pieces, looks, attempts and the ply, does not overlap",
        "e2 f2 f1 | e4 f5",
        "f5- 0, e4- 200, d4B 300, f4B 400, f2- 500, f3R 600, d4- 700, e4B 800, f4- 1200, f5B 1400",
        plies=(("f5-f4", 900, 1400), ("f2-f3", 1200, 1400), ("f4-f5", 3150, 1400)),
        colours=(True,),
        turn=Seat.BLUE,
    ),
    Table(
        # i8-h8 while h7 is nudged to i7, or i8-i7, h7-h8, i7-h7; d10 is held meanwhile.
        "one ply and a nudge, or three plies: the players are asked, though the next piece is in a hand",
        "though in none of them its piece can still go on",
        "i8 a1 | h7 d10 j10",
        "i8- 0, h7- 120, i7R 130, h8R 280, i7- 600, h7R 610, d10- 1900",
        asked_ms=1900,
        colours=(False,),
    ),
    Table(
        # a2 is looked at while the piece from a5 is in the hand, which could attack it; but that has stood on a3 for 1,600 ms.
        "a piece that was lifted before a rest of 1,600 ms, and then that piece: the second is the victim",
        RUN_UP,
        "a2 j1 | a5 j10",
        "a5- 0, a2- 200, a3B 300, a3- 1900",
        plies=(("a5-a3", 1900, 1900),),
        attack=("a2xa3", 1900, 1900 + 370 + LATE_MS),
        turn=Seat.BLUE,
    ),
    Table(
        # b4 is no legal target from a3, so the second move is not taken back: it ends on a3.
        "a hand that goes round a corner rests on legal squares alone",
        REST,
        "a2 b2 | a5 b5",
        "a5- 0, a2- 100, a3R 200, a3- 400, a4R 400, a6B 700, a4- 800, b4R 1000, b4- 1300, a3R 1600",
        plies=(("a2-a4", 800, 1600), ("a5-a6", 1150, 1600), ("a4-a3", 3350, 1600)),
        colours=(True,),
    ),
    Table(
        "F9: both lifted",
        LIFTED,
        "e4 j1 | e5 j10",
        "e4- 0, e5- 500",
        attack=("e4xe5", 500, 500 + 370 + 52),
    ),
]


def cases() -> list[object]:
    """Return every table at every rate."""
    return [pytest.param(table, rate, id=f"{table.name}-{rate}") for table, rate in product(TABLES, RATES)]


@pytest.mark.parametrize(("table", "rate"), cases())
def test_fault(table: Table, rate: str) -> None:
    """What is final, asked and unsaid is what the page says, wherever on the board and whoever's hands they are."""
    for way in ways(table, rate):
        held_to_the_page(table, played(table, rate, *way))


def test_what_the_tables_quote_stands_on_the_page() -> None:
    """Each expectation follows from words that the page has."""
    page = " ".join(PAGE.split())
    for table in TABLES:
        assert " ".join(table.page.split()) in page, table.page
