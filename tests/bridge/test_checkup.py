"""The doctor's judgement as tables: what the board says, what must be found, and nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pytest

from firmware_bridge.advice import Defect
from firmware_bridge.checkup import Checkup, Diagnosis, Expected, diagnose
from firmware_bridge.messages import (
    NO_FLAGS,
    Ack,
    AckResult,
    FaultKind,
    Frame,
    FrameFlag,
    Hello,
    LinkBack,
    LinkLost,
    Log,
    LogLevel,
    MessageType,
    News,
    Raw,
    Reading,
    ResetCause,
    SensingCode,
    WireFault,
)
from firmware_bridge.wire import Decoder
from hardware import load_board
from simulator.board import SimBoard
from simulator.motions import Place

BOARD = load_board("travel-10x10")
START = {
    square: Reading.RED if int(square[1:]) <= 4 else Reading.BLUE
    for square in BOARD.squares
    if int(square[1:]) not in (5, 6)
}
E, R, B, U = Reading
URL = "serial:/dev/ttyACM0"
HELLO = Hello(
    seq=0,
    board_ms=5,
    protocol=1,
    sensing=SensingCode.COLOUR,
    reset=ResetCause.POWER_ON,
    calibrated=True,
    squares=92,
    channels=96,
    scan_hz=100,
    boot_count=3,
    fingerprint=BOARD.fingerprint,
    board_id=BOARD.id,
    firmware="test",
)


def frame(changes: Mapping[str, Reading], ms: int = 1000, *, start: bool = True, flags: FrameFlag = NO_FLAGS) -> Frame:
    """Return a frame of the start position (or of an empty board) with some squares changed; seq follows time, 10 ms a step."""
    base = START if start else {}
    squares = tuple(changes.get(square, base.get(square, E)) for square in BOARD.squares)
    return Frame(ms // 10 % 256, ms, squares, flags)


def raws(values: Mapping[str, int], *, start: bool = True) -> list[News]:
    """Return the amplitudes of all squares: 512 and 300 more or less, but where `values` says otherwise."""
    typical = {E: 512, R: 812, B: 212}
    counts = [values.get(square, typical[START.get(square, E) if start else E]) for square in BOARD.squares]
    return [Raw(0, 1000, first, tuple(counts[first : first + 32])) for first in range(0, 92, 32)]


def examined(
    *heard: News, wanted: Expected | None = None, start: Mapping[str, Reading] = START
) -> tuple[Checkup, Diagnosis]:
    """Return the checkup of a board that said all this, and what it comes to."""
    checkup = Checkup(BOARD, start, wanted)
    for news in heard:
        checkup.hear(news)
    return checkup, diagnose(checkup, URL)


def found(diagnosis: Diagnosis) -> dict[Defect, tuple[str, ...]]:
    """Return what was found, and the squares of it."""
    return {finding.kind: finding.squares for finding in diagnosis.findings}


def test_a_board_of_which_one_tile_is_there() -> None:
    """What inputs of tiles that are not there say is left out, though they are most; what is wrong on the one that is there is found."""
    board = load_board("tile-10x10")
    absent = board.beyond_tiles(1)
    built = [square for square in board.squares if square not in absent]
    assert built == [f"{c}{n}" for n in range(1, 6) for c in "abcde" if (c, n) not in (("c", 5), ("d", 5))]
    checkup = Checkup(board, {}, Expected.EMPTY, absent)
    checkup.hear(dataclasses.replace(HELLO, board_id=board.id, fingerprint=board.fingerprint))
    checkup.hear(Frame(100, 1000, tuple(R if square in {*absent, "b2"} else E for square in board.squares), NO_FLAGS))
    counts = [3 if square in absent else 0 if square == "e4" else 512 for square in board.squares]
    checkup.hear(Raw(0, 1000, 0, tuple(counts)))
    checkup.hear(Ack(0, 1000, 0, MessageType.SELF_TEST, AckResult.FAILED, 70))
    for number in (board.index("e4"), board.index("f1")):
        checkup.hear(Log(0, 1000, LogLevel.WARNING, f"self-test: square {number} reads 0"))
    told = diagnose(checkup, URL)
    assert found(told) == {Defect.OUT_OF_RANGE: ("e4",), Defect.STUCK: ("b2",), Defect.BOARD_SAYS: ()}
    assert [one.what for one in told.findings if one.kind is Defect.BOARD_SAYS] == [
        "The board says: self-test: square e4 reads 0"
    ]
    assert load_board("travel-10x10").beyond_tiles(1) == frozenset()


TABLE: dict[str, tuple[list[News], Expected, dict[Defect, tuple[str, ...]]]] = {
    "a supply as it was": ([HELLO, frame({}), Raw(0, 1000, 64, (512,) * 28 + (515, 512, 515))], Expected.START, {}),
    "a supply that moved": (
        [HELLO, frame({}), Raw(0, 1000, 64, (512,) * 28 + (553, 512, 553))],
        Expected.START,
        {Defect.SUPPLY_MOVED: ()},
    ),
    "a supply that moved too far, or an input in the air that creeps": (
        [HELLO, frame({}), Raw(0, 1000, 64, (512,) * 28 + (558, 512, 558))],
        Expected.START,
        {Defect.SUPPLY_FAR: ()},
    ),
    "a divider's input in the air": (
        [HELLO, frame({}), *(Raw(0, 1000, 64, (512,) * 28 + (now, 512, 512)) for now in (512, 470, 540, 500))],
        Expected.START,
        {Defect.SUPPLY_UNSTEADY: ()},
    ),
    "a divider's input in the air that stays where it is": (
        [HELLO, frame({}), Raw(0, 1000, 64, (512,) * 28 + (560, 512, 512))],
        Expected.START,
        {Defect.SUPPLY_HELD: ()},
    ),
    "a divider that hangs on nothing": (
        [HELLO, frame({}), Raw(0, 1000, 64, (512,) * 28 + (0, 512, 512))],
        Expected.START,
        {Defect.SUPPLY_UNKNOWN: ()},
    ),
    "a start position": ([HELLO, frame({}), *raws({})], Expected.START, {}),
    "an empty board": ([HELLO, frame({}, start=False), *raws({}, start=False)], Expected.EMPTY, {}),
    "a game": (
        [HELLO, frame(dict.fromkeys([f"{c}4" for c in "abcdefghij"] + [f"{c}7" for c in "abcdefghij"], E))],
        Expected.UNKNOWN,
        {},
    ),
    "one missing": ([HELLO, frame({"b2": E})], Expected.START, {Defect.NOTHING_FELT: ("b2",)}),
    "one reversed, one of the other army": (
        [HELLO, frame({"c3": B, "d8": R})],
        Expected.START,
        {Defect.REVERSED: ("c3", "d8")},
    ),
    "one in the middle": ([HELLO, frame({"e6": R})], Expected.START, {Defect.STUCK: ("e6",)}),
    "a magnet on an empty board": ([HELLO, frame({"a1": B}, start=False)], Expected.EMPTY, {Defect.STUCK: ("a1",)}),
    "unsure for a moment": ([HELLO, frame({}), frame({"a4": U}, 1010), frame({"a4": U}, 2900)], Expected.START, {}),
    "unsure for long": (
        [HELLO, frame({}), frame({"a4": U}, 1010), frame({"a4": U}, 3010)],
        Expected.START,
        {Defect.UNSURE: ("a4",)},
    ),
    "unsure for long where nothing should be": (
        [HELLO, frame({}), frame({"e5": U}, 1010), frame({"e5": U}, 3010)],
        Expected.START,
        {Defect.DRIFTED: ("e5",)},
    ),
    "a flicker at the end is no reading": ([HELLO, frame({}), frame({"b2": E}, 1010)], Expected.START, {}),
    "a change that stands is one": (
        [HELLO, frame({}), frame({"b2": E}, 1010), frame({"b2": E}, 1130)],
        Expected.START,
        {Defect.NOTHING_FELT: ("b2",)},
    ),
    "a flicker after a change does not undo it": (
        [HELLO, frame({}), frame({"b2": E}, 1010), frame({"b2": R}, 1500), frame({"b2": E}, 1510)],
        Expected.START,
        {Defect.NOTHING_FELT: ("b2",)},
    ),
    "one that flickers without end": (
        [HELLO, *(frame({"b2": E if ms % 20 else R}, ms) for ms in range(1000, 1090, 10))],
        Expected.START,
        {Defect.UNSTEADY: ("b2",)},
    ),
    "eight changes in a long time are hands": (
        [HELLO, *(frame({"b2": E if ms % 1000 else R}, ms) for ms in range(1000, 6000, 500)), frame({"b2": E}, 5700)],
        Expected.START,
        {Defect.NOTHING_FELT: ("b2",)},
    ),
    "weak, and both ends of the range": (
        [HELLO, frame({}), *raws({"a1": 640, "b1": 1023, "c1": 3, "a10": 380, "d1": 660})],
        Expected.START,
        {Defect.OUT_OF_RANGE: ("b1", "c1"), Defect.WEAK: ("a1", "a10")},
    ),
    "not calibrated": (
        [dataclasses.replace(HELLO, calibrated=False), frame({}, flags=FrameFlag.UNCALIBRATED)],
        Expected.START,
        {Defect.UNCALIBRATED: ()},
    ),
    "confessions": (
        [HELLO, frame({}, flags=FrameFlag.QUEUE_FULL | FrameFlag.SCAN_LATE)],
        Expected.START,
        {Defect.QUEUE_FULL: (), Defect.SCAN_LATE: ()},
    ),
    "a bad line": (
        [
            HELLO,
            frame({}),
            WireFault(FaultKind.GAP, "", 4),
            WireFault(FaultKind.BAD_CRC, ""),
            WireFault(FaultKind.REPEATED, ""),
        ],
        Expected.START,
        {Defect.BROKEN_FRAMES: (), Defect.LOST_MESSAGES: ()},
    ),
    "a restart": (
        [
            HELLO,
            frame({}),
            WireFault(FaultKind.REBOOTED, ""),
            dataclasses.replace(HELLO, reset=ResetCause.BROWN_OUT),
            frame({}),
        ],
        Expected.START,
        {Defect.REBOOTED: ()},
    ),
    "a cable that was out": (
        [HELLO, frame({}), LinkLost("pulled"), LinkBack(), frame({})],
        Expected.START,
        {Defect.LINK_LOST: ()},
    ),
    "a self-test": (
        [
            HELLO,
            frame({}),
            Ack(0, 0, MessageType.SELF_TEST, 1, AckResult.FAILED, 2),
            Log(0, 0, LogLevel.ERROR, "square 17 is stuck"),
        ],
        Expected.START,
        {Defect.SELF_TEST: (), Defect.BOARD_SAYS: ()},
    ),
    "chatter": ([HELLO, frame({}), Log(0, 0, LogLevel.INFO, "hello")], Expected.START, {}),
    "nothing but HELLO": ([HELLO], Expected.EMPTY, {Defect.NO_FRAMES: ()}),
}


@pytest.mark.parametrize("name", TABLE)
def test_what_is_found(name: str) -> None:
    """The position that it takes the board for, and every finding with its squares."""
    heard, position, wanted = TABLE[name]
    checkup, diagnosis = examined(*heard)
    assert checkup.position is position
    assert found(diagnosis) == wanted


def test_another_board_is_told_and_nothing_of_squares() -> None:
    """Where HELLO and board file differ no square is judged: it would have the wrong name."""
    checkup, diagnosis = examined(dataclasses.replace(HELLO, board_id="x", squares=72), frame({"b2": E}))
    assert found(diagnosis) == {Defect.DISAGREES: ()}
    assert [finding.what for finding in diagnosis.findings] == [
        "board: the board says x, the board file travel-10x10.",
        "number of squares: the board says 72, the board file 92.",
    ]
    assert diagnosis.troubles == {}
    assert checkup.disagreements


def test_what_is_expected_can_be_said() -> None:
    """An almost empty board is no start position unless it is said to be one."""
    few = {square: E for square in START if square != "a1"}
    _, diagnosis = examined(HELLO, frame(few), wanted=Expected.START)
    assert len(found(diagnosis)[Defect.NOTHING_FELT]) == 79
    _, diagnosis = examined(HELLO, frame(few))
    assert found(diagnosis) == {Defect.STUCK: ("a1",)}
    _, diagnosis = examined(HELLO, frame({}), start={})
    assert found(diagnosis) == {}


def test_the_firmwares_numbers_become_names() -> None:
    """A LOG that names a square by its number is told with the name."""
    logs = [Log(0, 0, LogLevel.ERROR, text) for text in ("square 17 is stuck", "square 200 reads 0")]
    _, diagnosis = examined(HELLO, frame({}), *logs)
    assert [finding.what for finding in diagnosis.findings] == [
        "The board says: square h2 is stuck",
        "The board says: square 200 reads 0",
    ]


@pytest.mark.parametrize(("hz", "kinds"), [(100, set()), (90, set()), (50, {Defect.SLOW_SCAN})])
def test_the_rate_of_scans(hz: int, kinds: set[Defect]) -> None:
    """It shows while frames follow each other, and is compared with the board file's; frames at rest say nothing of it."""
    active = [Frame(n % 256, n * 1000 // hz, frame({}).squares) for n in range(40)]
    checkup, diagnosis = examined(HELLO, *active)
    assert checkup.link.seen_hz == pytest.approx(hz, rel=0.1)
    assert set(found(diagnosis)) == kinds
    checkup, _ = examined(HELLO, *[Frame(n, n * 500, frame({}).squares) for n in range(40)])
    assert checkup.link.seen_hz is None


def test_answers_that_take_long() -> None:
    """Sixteen milliseconds are an adapter's latency timer; the odd slow one is nobody's fault."""
    checkup, _ = examined(HELLO, frame({}))
    for ms in [1.0] * 30 + [40.0]:
        checkup.answered(ms)
    assert checkup.link.answer_ms(0.5) == 1.0
    assert checkup.link.answer_ms(1.0) == 40.0
    assert found(diagnose(checkup, URL)) == {}
    for _ in range(40):
        checkup.answered(16.0)
    (finding,) = diagnose(checkup, URL).findings
    assert finding.what == "The board answers after 16 ms."
    assert found(diagnose(checkup, "gpio:mine.toml")) == {}


def test_a_magnet_passed_over_the_board_is_remembered() -> None:
    """Squares that have felt one are known, flickers apart."""
    over = [frame({"e5": R}, ms, start=False) for ms in range(1000, 1200, 10)]
    checkup, _ = examined(
        HELLO, frame({}, 990, start=False), *over, frame({"f5": R}, 1200, start=False), frame({}, 1210, start=False)
    )
    assert [square.name for square in checkup.squares if square.felt] == ["e5"]
    assert checkup.squares[BOARD.index("e5")].changes == 2


def test_a_simulated_set_up_is_well() -> None:
    """Two armies set down by simulated hands, every byte through the codec: nothing to find."""
    board = SimBoard(BOARD, 4)
    checkup = Checkup(BOARD, START)
    data = b"".join(board.start())
    for seat, reading in (("red", R), ("blue", B)):
        data += b"".join(board.play(Place(seat, tuple(square for square in START if START[square] is reading))))
    for message in Decoder().feed(data):
        checkup.hear(message)
    assert checkup.position is Expected.START
    assert checkup.link.seen_hz == pytest.approx(100)
    assert found(diagnose(checkup, URL)) == {}
