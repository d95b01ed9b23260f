"""The checker itself: its judgement of readers whose words are written down here, and that it knows nothing of sensing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware_bridge.messages import Frame, Reading
from referee.rules import Prospect, Situation
from referee.rules.values import Seat, Square
from tests.amount import tries
from tests.hands.explain import Explanation
from tests.hands.grammar import FLICKER_MS, NARROW, SCAN_MS, Flicker, Ply, Start, start, trace_of
from tests.hands.judge import BY_NOBODY, HIDDEN, IN_A_HOLE, NOT_EVERY, MakeReader, Verdict, frames, judge
from tests.hands.model import Model
from tests.hands.scripts import LONG_AGO, script
from tests.hands.shrink import shrink

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
COUPLED = {"__main__.py", "test_hands_reader.py", "test_hands_planted.py"}
"""What holds the referee's reader against the checker, and so knows both."""


@dataclass
class Read:
    """A ply is read."""

    prospect: Prospect


@dataclass
class Revised:
    """The last open plies were this one."""

    prospect: Prospect
    plies: int = 1


@dataclass
class Unread:
    """The last open plies were none."""

    plies: int = 1


class Final:
    """The oldest open ply is final."""


@dataclass
class AttackSeen:
    """An attack is asked about."""

    source: Square
    target: Square


class Puzzled:
    """The players are asked."""


class Disturbed:
    """The players are asked about a board that was knocked."""


class Undone:
    """What no page speaks of."""


WORDS = {"final": Final, "puzzled": Puzzled, "disturbed": Disturbed, "undone": Undone}


class Told:
    """A reader that says at each time what it was told to say."""

    def __init__(self, words: str) -> None:
        self._words = [(int(words.split()[0]), words.split()[1:]) for words in filter(None, words.split(", "))]
        self._situation: Situation | None = None
        self.start_ms: int | None = None

    def follow(self, situation: Situation) -> None:
        self._situation = situation

    def advance(self, situation: Situation) -> None:
        self._situation = situation

    def feed(self, frame: Frame) -> Sequence[object]:
        if self.start_ms is None:
            self.start_ms = frame.board_ms + 2000
        said = []
        while self._words and self._words[0][0] <= frame.board_ms - self.start_ms:
            said.append(self._observation(*self._words.pop(0)[1]))
        return said

    def _observation(self, name: str, *words: str) -> object:
        if name in ("read", "revised", "attack"):
            source, target = map(Square, words[0].split("-"))
            if name == "attack":
                return AttackSeen(source, target)
            prospect = Prospect(source, target, False, (target,))
            return Read(prospect) if name == "read" else Revised(prospect, *map(int, words[1:]))
        return Unread(*map(int, words)) if name == "unread" else WORDS[name]()


def told(words: str) -> MakeReader:
    """Return what makes a reader that says this."""
    return lambda _start: Told(words)


NUDGED = (start("e4 | b7 i8", "e4"), "e4- 0, e5R 300, b7- 750, a7B 770, a7- 970, b7B 990, e5- 1000, e6R 1300")
SWAPPED = (start("f5 a1 | e6 j8", "f5 e6", False, Seat.BLUE), "e6- 0, e5R 300, f5- 1500, f6R 1600, e5- 1850, f5R 2000")
DRAWN = (start("a4 | j7"), "a5R 0, a4- 300, j7- 1100, j6B 1700, a5- 2250, a6R 2350")
LIFTED = (start("e4 | e5"), "e5- 0, e4- 300, e5R 900")
QUICK = (start("a4 | j7"), "a4- 0, a5R 300, j7- 500, j6B 900, a5- 1300, a6R 1700")
RESTED = (start("a4 | j7", "a4"), "a4- 0, a5R 300, a5- 780, j7- 900, j6B 950, a6R 1080")
HELD = (
    start("i8 a1 | h7 d10 j10", "i8 a1 h7 d10 j10", False),
    "i8- 0, h7- 120, i7R 130, h8R 280, i7- 600, h7R 610, d10- 1900",
)
SHOWN = (start("e4 | e5"), "e4- 0, e5- 300")
TWO_SHOWN = (start("e1 | e6", "e1"), "e1- 0, e5R 200, e5- 500, e6- 550")
ANSWERED = (start("a1 e4 | e5"), "a1- 0, a2R 300, e5- 1000, e4- 1300, e4B 1600")
REPLIED = (start("a4 | j7", colour=False), "a5R 0, j7- 100, j6R 350, a4- 500")
IN_TURN = (start("a4 | j7", "a4"), "a4- 0, a5R 300, a5- 780, a6R 1080, j7- 1150, j6B 1300")


@pytest.mark.parametrize(
    ("case", "words", "kinds"),
    [
        # a move and a nudge become four plies
        (NUDGED, "380 read e4-e5, 850 final, 850 read b7-a7", "wrong: not in every script"),
        (NUDGED, "380 read e4-e5, 860 read b7-a7, 1400 final", "wrong: not in every script"),
        # or it was four: the last one was over within the noise of when the one began that it replies to
        (NUDGED, "1380 read e4-e6, 3200 final", "wrong: not in every script"),
        (NUDGED, "3850 puzzled", ""),
        (NUDGED, "", "not asked"),
        # a rest and an early reply are two plies, or three: a turn may begin before the one to which it is the reply
        (RESTED, "380 read a4-a5, 1160 revised a4-a6, 1160 read j7-j6, 1650 final", "wrong: not in every script"),
        (RESTED, "3650 puzzled", ""),
        (IN_TURN, "380 read a4-a5, 1360 read j7-j6, 1360 final", "wrong: in no script"),
        (IN_TURN, "380 read a4-a5, 1160 revised a4-a6, 1380 read j7-j6, 1980 final, 3150 final", ""),
        (
            IN_TURN,
            "380 read a4-a5, 1160 revised a4-a6, 1380 read j7-j6, 1650 final, 3150 final",
            "wrong: not in every script",
        ),
        # a drawn ply begins when the neighbour sees its piece
        (REPLIED, "80 read a4-a5, 430 read j7-j6, 650 final, 2400 final", ""),
        (REPLIED, "80 read a4-a5, 430 read j7-j6, 450 final", "wrong: not in every script"),
        # without colour a piece cannot come from further than a neighbour before it has left
        (SWAPPED, "380 read e6-e5, 2100 revised e6-f6, 4400 final", "wrong: in no script"),
        (SWAPPED, "380 read e6-e5, 1680 read f5-f6, 2080 read e5-f5, 2300 final, 3100 final, 3900 final", ""),
        (
            SWAPPED,
            "380 read e6-e5, 1680 read f5-f6, 2080 read e5-f5, 2300 final, 2500 final",
            "wrong: not in every script",
        ),
        # drawn over a border
        (DRAWN, "", "late final"),
        (DRAWN, "380 read a4-a5, 2000 final, 2010 read j7-j6, 3000 final, 3010 read a5-a6, 4300 final", ""),
        (DRAWN, "380 read a4-a5, 2000 final, 2010 read j7-j6, 2030 unread, 2035 puzzled", "asked needlessly"),
        (DRAWN, "380 read a4-a5, 2000 read j7-j6, 2500 revised a4-b4 2, 2600 final", "wrong: in no script"),
        # three quick plies
        (QUICK, "", "late final"),
        (QUICK, "380 read a4-a5, 980 read j7-j6, 1780 read a5-a6, 1790 final, 1790 final, 3600 final", ""),
        (
            QUICK,
            "380 read a4-a5, 980 read j7-j6, 1780 read a5-a6, 1790 final, 1790 final, 3000 final",
            "wrong: not in every script",
        ),
        (QUICK, "400 attack a4-j7", "false attack"),
        ((start("e4 | e5"), "e4- 0, e5- 300"), "800 attack e4-e5", ""),
        ((start("e4 | e5"), "e4- 0, e5- 300"), "", "not asked"),
        # lifted while its attacker's player is still at an attempt with another piece
        ((start("e4 f1 | e5"), "f1- 0, f2R 400, f2- 700, e5- 900, f1R 1100, e4- 1500"), "2000 attack e4-e5", ""),
        # a run-up is shorter than other rests, or not: nobody's mistake
        ((start("e2 | e5", "e2"), "e2- 0, e4R 300, e5- 1900, e4- 1700"), "2400 attack e2-e5", ""),
        ((start("e2 | e5", "e2"), "e2- 0, e4R 300, e5- 500, e4- 900"), "380 read e2-e4, 950 final", NOT_EVERY),
        # but a piece that could take what rests was lifted later than that: the rest was the ply, whoever lifted it
        (
            (start("e2 | e5", "e2"), "e2- 0, e4R 300, e5- 700, e4- 900"),
            "380 read e2-e4, 1750 final, 2000 attack e5-e4",
            "",
        ),
        # unless the attacker comes to its square within a second of that
        ((start("e2 | e5", "e2"), "e2- 0, e4R 300, e5- 700, e4- 900"), "380 read e2-e4, 1250 final", NOT_EVERY),
        ((start("e2 | e5", "e2"), "e2- 0, e4R 300, e5- 700, e4- 900, e5R 1300"), "1500 attack e2-e5", ""),
        # a run-up and a victim, or a ply and its attacker: whichever question it is, it is asked
        ((start("e1 | e6", "e1"), "e1- 0, e5R 200, e5- 500, e6- 550"), "3300 attack e1-e6", ""),
        ((start("e1 | e6", "e1"), "e1- 0, e5R 200, e5- 500, e6- 550"), "3300 puzzled", ""),
        ((start("e1 | e6", "e1"), "e1- 0, e5R 200, e5- 500, e6- 550"), "", "not asked"),
        # the defender comes to another square: for 60 ms that may be a flicker
        ((start("e4 | e5"), "e4- 0, e5- 100, e6B 400"), "440 attack e4-e5", ""),
        ((start("e4 | e5"), "e4- 0, e5- 100, e6B 400"), "480 attack e4-e5", "false attack"),
        # one ply and a nudge, or three plies: asked about though the next piece is in a hand, neither too soon nor too late
        (HELD, "", "not asked"),
        (HELD, "4450 puzzled", ""),
        (HELD, "3900 puzzled", "asked needlessly"),
        (HELD, "5500 puzzled", "not asked"),
        # a look, or a piece that goes on: that will be seen
        ((start("e4 | h8"), "e4- 0, e5R 300, e5- 700"), "4000 puzzled", "asked needlessly"),
        # one attack and nothing else: it is the attack that is asked about, and soon
        (SHOWN, "2900 puzzled", "asked needlessly"),
        (SHOWN, "3800 attack e4-e5", "not asked"),
        # the attack of a ply that nobody has read yet, or of one that is not over
        (ANSWERED, "380 read a1-a2, 1700 final, 1900 attack e5-e4", ""),
        (ANSWERED, "1900 attack e5-e4", "attack while open"),
        (TWO_SHOWN, "3300 attack e6-e5", "attack while open"),
        (LIFTED, "1000 attack e4-e5", ""),
        (LIFTED, "100 read e4-f4, 1000 attack e4-e5", "attack while open"),
    ],
)
def test_judgement(case: tuple[Start, str], words: str, kinds: str) -> None:
    """Each word of a reader is judged by the scripts that are left when it is said."""
    verdict = judge(case[0], trace_of(case[1]), told(words))
    assert ", ".join(verdict.kinds) == kinds, verdict
    assert not verdict.outside


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("2600 puzzled", ()),
        ("100 puzzled", ("asked needlessly",)),
        ("100 disturbed", ()),
        ("4000 puzzled", ("not asked",)),
        ("", ("not asked",)),
    ],
)
def test_what_nothing_explains_is_asked_about(words: str, kinds: tuple[str, ...]) -> None:
    """A magnet that comes from nowhere is in no script."""
    verdict = judge(start("e4 | h8"), trace_of("h3B 0"), told(words))
    assert verdict.kinds == kinds
    assert verdict.outside


@pytest.mark.parametrize(("words", "kinds"), [("3300 puzzled", ("asked needlessly",)), ("3500 puzzled", ())])
def test_what_nothing_explains_is_asked_about_though_hands_go_on(words: str, kinds: tuple[str, ...]) -> None:
    """Nothing that hands do later explains a magnet from nowhere; for a while they may go on all the same."""
    verdict = judge(start("e4 | h8"), trace_of("h3B 0, e4- 1500, e5R 2400"), told(words))
    assert verdict.kinds == kinds


@pytest.mark.parametrize(("lifted_ms", "shown"), [(600, False), (1100, False), (1170, False), (1250, True)])
def test_a_defender_that_leaves_first_begins_the_turn(lifted_ms: int, shown: bool) -> None:
    """The turn of an attack begins with it, at most 400 ms before the end of the ply to which the attack is the reply."""
    trace = trace_of(f"a2- 0, a3R 300, b9- 900, f9- {lifted_ms}, f8- 1350, b8B 1600")
    attacks = Explanation(start("a2 f8 | b9 f9"), NARROW, trace).attacks(2200)
    assert [str(attack) for attack in attacks] == (["f8-f9"] if shown else [])


@pytest.mark.parametrize(("came_ms", "scripts"), [(400, True), (350, False)])
def test_a_drawn_reply_begins_when_the_neighbour_sees_its_piece(came_ms: int, scripts: bool) -> None:
    """It is too early by that, however late its first square loses the piece."""
    trace = trace_of(f"a4- 0, j6B {came_ms}, j7- 700, a5R 800")
    assert bool(Explanation(start("a4 | j7"), NARROW, trace).at(1100)) is scripts


def test_no_script_has_a_change_that_may_be_a_flicker() -> None:
    """As they are seen, late or not, a square's changes are further apart than a flicker and one frame."""
    for number in range(tries(400)):
        last: dict[Square, int] = {}
        for change in script(number).trace:
            assert change.ms - last.get(change.square, LONG_AGO) > FLICKER_MS + SCAN_MS, f"script {number}"
            last[change.square] = change.ms


def test_without_a_script_what_was_played_is_the_measure() -> None:
    """Where nothing explains what is seen a final ply is wrong if nobody played it."""
    board, trace = start("e4 | h8"), trace_of("e4- 0, e5R 300, h3B 500")
    for words, kinds in (("3000 read e4-e5, 3000 final", ()), ("3000 read e4-f4, 3000 final", (BY_NOBODY,))):
        verdict = judge(board, trace, told(f"{words}, 3010 puzzled"), played=[Ply(Square("e4"), Square("e5"))])
        assert verdict.kinds == kinds, verdict


@pytest.mark.parametrize(
    ("lost", "words", "kinds"),
    [
        (range(200, 1300), "2000 read e4-e5, 4000 final", ()),
        (range(200, 1301), "2000 read e4-e5, 4000 final", (HIDDEN,)),
        (range(200, 1301), "2000 puzzled", ()),
        (range(400, 3000), "380 read e4-e5, 4000 final", ()),
        (range(200, 1300), "2000 read e4-f4, 4000 final", (IN_A_HOLE,)),
    ],
)
def test_frames_that_are_lost(lost: range, words: str, kinds: tuple[str, ...]) -> None:
    """What came to stand while frames were known to be missing is asked about; else what was played is the measure."""
    trace = trace_of("e4- 0, e5R 300")
    verdict = judge(start("e4 | h8"), trace, told(words), (), lost, [Ply(Square("e4"), Square("e5"))])
    assert verdict.kinds == kinds, verdict


def test_a_word_that_nobody_judges_is_refused() -> None:
    """A reader with other words would seem to have no fault."""
    with pytest.raises(AssertionError, match="Undone"):
        judge(start("e4 | h8"), trace_of("e4- 0"), told("100 undone"))


def test_a_trace_is_made_small() -> None:
    """What the failure does not need is taken away."""
    board = start("e4 | b7 i8")
    trace = trace_of("e4- 0, e5R 300, i8- 420, i8B 660, b7- 750, a7B 1030")
    words = "380 read e4-e5, 390 final"
    small = shrink(board, trace, told(words), "wrong: not in every script")
    assert small == trace_of("e4- 0, e5R 300")


def test_a_script_that_was_drawn_is_found() -> None:
    """The search over a trace finds the script that left it."""
    for number in range(tries(200)):
        drawn = script(number)
        explanation = Explanation(drawn.start, NARROW, drawn.trace)
        assert explanation.allows(drawn.plies, drawn.attack, drawn.trace[-1].ms + 50), f"script {number}"


def test_a_script_is_the_same_each_time() -> None:
    """A run that was stopped goes on with what it would have had."""
    assert [script(number).trace for number in range(20)] == [script(number).trace for number in range(20)]


def test_the_checker_knows_nothing_of_sensing() -> None:
    """Whatever it finds, it found it by the page alone; what holds the reader against it knows no more than the reader's door."""
    ours = {"benchmarks", "fault_injection", "firmware_bridge", "referee", "simulator", "tests", "importlib"}
    for file in HERE.glob("*.py"):
        allowed = [r"firmware_bridge\.messages", r"referee\.rules(\..*)?", r"tests\.hands(\..*)?", r"tests\.amount"]
        allowed += [r"referee\.sensing", r"importlib\.util"] if file.name in COUPLED else []
        for name in imported(file):
            known = name.split(".")[0] not in ours or any(re.fullmatch(one, name) for one in allowed)
            assert known, f"{file.name} imports {name}"
            coupled = name.split(".")[-1] in {one.removesuffix(".py") for one in COUPLED}
            assert not coupled or file.name in COUPLED, f"{file.name} imports {name}"


def imported(file: Path) -> Iterator[str]:
    """Return the modules that a file names in its imports, wherever they stand in it."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, file
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.process
def test_what_the_checker_loads_is_not_sensing() -> None:
    """Nor does anything that it imports."""
    loaded = "import sys; import tests.hands.judge, tests.hands.scripts, tests.hands.shrink, tests.hands.model; print(*sys.modules)"
    names = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout.split()
    assert "tests.hands.worlds" in names
    assert not [name for name in names if name.startswith(("referee.sensing", "simulator", "benchmarks"))]


def test_a_verdict_without_faults() -> None:
    """Nothing said and nothing to say is no fault."""
    assert judge(start("e4 | b7 i8"), (), told("")).kinds == Verdict().kinds == ()


def test_the_criterion_can_be_kept() -> None:
    """A reader that says what all scripts agree on has no fault, and seldom has to ask."""
    asked = 0
    for number in range(tries(100)):
        drawn = script(number)
        verdict = judge(drawn.start, drawn.trace, Model)
        assert verdict.kinds == (), f"script {number}: {verdict}"
        if verdict.asked:
            asked += 1
        elif not (verdict.attack or drawn.attack):
            assert tuple(verdict.finals) == drawn.plies, f"script {number}"
    assert asked <= 5


def test_a_flicker_is_in_frames_and_in_no_trace() -> None:
    """The reader sees a square read wrong for a moment; the judge does not."""
    flickers = (Flicker(900, 950, Square("a1"), Reading.RED),)
    quiet, restless = (list(frames(QUICK[0], trace_of(QUICK[1]), one)) for one in ((), flickers))
    wrong = [ms for ms, _, frame in restless if frame.squares[0] is Reading.RED]
    assert wrong == [900, 920, 940]
    assert [change for _, seen, _ in quiet for change in seen] == [change for _, seen, _ in restless for change in seen]
