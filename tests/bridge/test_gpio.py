"""A matrix on the Pi's pins: scanned as its board file says, and heard as if a controller spoke."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import gpiozero  # type: ignore[import-untyped] # it ships no types
import pytest
from gpiozero.pins.mock import MockFactory  # type: ignore[import-untyped] # it ships no types

from firmware_bridge.host_firmware import LevelFirmware
from firmware_bridge.messages import (
    Ack,
    AckResult,
    BoardMessage,
    BoardUnreachableError,
    FaultKind,
    Frame,
    FrameFlag,
    Hello,
    Log,
    LogLevel,
    Reading,
    SelfTest,
    WireFault,
)
from firmware_bridge.recording import parse_recording
from firmware_bridge.sources.gpio import GpioSource, Pace
from firmware_bridge.sources.pi_pins import (
    HEADER_LABELS,
    HeaderNotFoundError,
    Matrix,
    PiParts,
    chips,
    default_factory,
    header_chip,
)
from firmware_bridge.wire import Decoder, encode
from hardware import Sensing, load_board
from hardware.scanners import Gpio
from simulator.board import SimBoard
from simulator.firmware import FIRMWARE
from simulator.motions import Move, Place, Remove
from simulator.simulated_pi import StrictMatrix
from tests.bridge.listening import news_until, read_until
from tests.bridge.lockstep import LockstepClock
from tests.bridge.matrix_table import matrix_board
from tests.bridge.recorder import Recorder
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
WIRINGS: list[dict[str, Any]] = [
    {},
    {"row_on": "low", "magnet": "high", "pull": "down"},
    {"pull": "none"},
    {"pull": "none", "magnet": "high", "settle_us": 0},
    {"scan_order": [0, 5, 1, 6, 2, 7, 3, 8, 4, 9]},
]


def wired(**gpio: Any) -> tuple[Matrix, StrictMatrix]:
    """Return the pins of a board and what is wired to them."""
    board = matrix_board(**gpio)
    assert board.gpio is not None
    double = StrictMatrix(board.gpio)
    return Matrix(board.gpio, double.parts), double


@pytest.mark.parametrize("gpio", WIRINGS, ids=str)
def test_a_scan_is_what_the_board_file_says(gpio: dict[str, Any]) -> None:
    """Each row once in its order, one wait, ten reads, and the channels come out right; nothing else is done to a pin."""
    matrix, double = wired(**gpio)
    double.magnets = {0, 9, 10, 37, 99}
    wanted: list[tuple[str, float]] = []
    for row in gpio.get("scan_order", range(10)):
        wait = [("wait", 60e-6)] if double.gpio.settle_us else []
        wanted += [("row", row), *wait, *[("read", column) for column in range(10)]]
    double.history.clear()
    assert [channel for channel, magnet in enumerate(matrix.scan()) if magnet] == [0, 9, 10, 37, 99]
    assert double.history == wanted
    assert not double.selected
    matrix.close()


def test_a_shorted_column_is_found_without_a_row() -> None:
    """The self-test reads every column with no row selected."""
    matrix, double = wired()
    double.shorted = {3}
    double.history.clear()
    assert matrix.stuck_channels() == set(range(3, 100, 10))
    assert [what for what, _ in double.history] == ["wait"] + ["read"] * 10
    matrix.close()


def test_the_same_bytes_as_a_controllers() -> None:
    """A place, a slide and a removal, scanned at the same instants: every frame equals the simulated firmware's, byte for byte."""
    board = matrix_board()
    assert board.gpio is not None
    double = StrictMatrix(board.gpio)
    matrix, firmware, sim = (
        Matrix(board.gpio, double.parts),
        LevelFirmware(board, FIRMWARE),
        SimBoard(board, 4),
    )
    theirs, ours = sim.start(), [encode(firmware.hello(0))]
    scans = 0
    for motion in (Place("red", ("a1", "e5", "j10")), Move("e5", "f5", slide=True), Remove("j10")):
        until_ms = sim.begin(motion) + 1500
        for now_ms in range(scans * 10, until_ms, 10):
            theirs += sim.advance(now_ms)
            readings = zip(sim.firmware.readings, board.scan.channels, strict=True)
            double.magnets = {channel for reading, channel in readings if reading is not Reading.EMPTY}
            scanned = matrix.scan()
            frame = firmware.scanned([scanned[channel] for channel in board.scan.channels], now_ms)
            ours.append(encode(frame) if frame else b"")
            scans += 1
    assert b"".join(theirs) == b"".join(ours)
    assert len(list(filter(None, ours))) > 200
    matrix.close()


def heard(data: bytes) -> list[BoardMessage]:
    """Return the messages of some bytes; no fault may be among them."""
    found = Decoder().feed(data)
    assert not [item for item in found if isinstance(item, WireFault)]
    return [item for item in found if not isinstance(item, WireFault)]


def test_what_must_be_confessed_is_said_once() -> None:
    """In the next KEYFRAME, and in no other."""
    board = matrix_board()
    firmware, empty = LevelFirmware(board, "x"), (False,) * 92
    firmware.report(FrameFlag.SCAN_LATE)
    frames = [firmware.scanned(empty, ms) for ms in (0, 500)]
    assert [frame.flags for frame in frames if isinstance(frame, Frame)] == [FrameFlag.SCAN_LATE, FrameFlag(0)]


def test_a_self_test_that_fails() -> None:
    """A line for each fault, after the ACK that counts them. (What becomes of all commands: tests/firmware/event_tables.py)"""
    board = matrix_board()
    firmware = LevelFirmware(board, "x", lambda: ["c1 is stuck", "c2 is stuck"])
    ack, *logs = firmware.obey(SelfTest(), 30)
    assert isinstance(ack, Ack)
    assert (ack.result, ack.detail) == (AckResult.FAILED, 2)
    assert [(log.level, log.text) for log in logs if isinstance(log, Log)] == [
        (LogLevel.ERROR, "self-test: c1 is stuck"),
        (LogLevel.ERROR, "self-test: c2 is stuck"),
    ]


def test_a_source_obeys_and_is_recorded() -> None:
    """A self-test through the thread names the squares of a shorted column; a recording of it holds the same messages."""
    board = matrix_board(settle_us=0)
    assert board.gpio is not None
    double = StrictMatrix(board.gpio)
    double.shorted = {9}
    lines: list[str] = []
    with GpioSource("gpio:", board, Recorder(lines.append, board, lambda: 0), parts=PiParts(double)) as source:
        source.send(SelfTest())
        live = read_until(source, lambda found: sum(isinstance(item, Log) for item in found) >= 10)
        live += [item for item in source.read() if not isinstance(item, WireFault)]  # type: ignore[misc] # no links to lose here
    assert sorted(log.text.split()[1] for log in live if isinstance(log, Log)) == sorted(
        f"j{number}" for number in range(1, 11)
    )
    pieces = list(parse_recording(lines, "recorded", board))
    assert heard(b"".join(piece.data for piece in pieces if piece.from_board)) == live
    assert [piece.data[1] for piece in pieces if not piece.from_board] == [0x1E]


def test_board_time_is_the_scans_own() -> None:
    """Frames carry rising times from the start on."""
    board = matrix_board(settle_us=0)
    assert board.gpio is not None
    with GpioSource("gpio:", board, parts=StrictMatrix(board.gpio).parts) as source:
        found = read_until(source, lambda found: len(found) >= 2)
    hello = found[0]
    assert isinstance(hello, Hello)
    assert (hello.board_ms, hello.channels, hello.scan_hz, hello.firmware) == (0, 100, 100, "hallmarshal-gpio pins")
    assert all(first.board_ms <= second.board_ms for first, second in pairwise(found))


def test_missed_scans_are_left_out() -> None:
    """A scan begins when it is due; one that comes a period late or more is told, and the next is due at the next full period."""
    pace = Pace(100, start_ns=0)
    ms = 1_000_000
    # time of the beginning, whether scans were missed, how long to wait for the next
    table = [
        (0, False, 0.010),
        (10, False, 0.010),
        (24, False, 0.006),
        (40, True, 0.010),
        (95, True, 0.005),
        (100, False, 0.010),
    ]
    for now_ms, missed, wait_s in table:
        assert pace.begin(now_ms * ms) is missed, now_ms
        assert pace.wait_s(now_ms * ms) == pytest.approx(wait_s), now_ms
    assert pace.wait_s(200 * ms) == 0


def test_at_rest_only_each_eighth_scan_is_made_and_none_counts_as_missed() -> None:
    """What is left out on purpose is not told; a scan that comes late even so is."""
    pace, ms = Pace(100, start_ns=0), 1_000_000
    assert not pace.begin(0)
    pace.rest(8)
    assert pace.wait_s(0) == pytest.approx(0.080)
    assert not pace.begin(80 * ms)
    assert pace.wait_s(80 * ms) == pytest.approx(0.010)
    pace.rest(8)
    assert pace.begin(175 * ms)


def test_scans_are_rarer_the_longer_nothing_changes() -> None:
    """Each one while hands may be at work, each fourth after 400 ms, each fifteenth after five seconds; each one from a change on."""
    board = matrix_board()
    assert board.gpio is not None
    double = StrictMatrix(board.gpio)
    scans: list[int] = []

    def at(now_ms: int) -> None:
        scans.append(now_ms)
        double.magnets = {7} if 1_000 <= now_ms < 12_050 else set()

    clock = LockstepClock(at)
    with GpioSource("gpio:", board, parts=replace(double.parts, clock=clock)):
        clock.run(14_000)
    steps = {after: (later - now) for now, later in pairwise(scans) for after in (now // 100 * 100,)}
    seen_ms = next(now for now in scans if now >= 1_000)
    gone_ms = next(now for now in scans if now >= 12_050)
    assert {steps[after] for after in range(seen_ms // 100 * 100 + 100, seen_ms + 300, 100)} == {10}
    assert {steps[after] for after in range(seen_ms // 100 * 100 + 700, 6_000, 100)} == {40}
    assert {later - now for now, later in pairwise(scans) if 7_000 <= now < 11_900} == {150}
    assert gone_ms - 12_050 < 150
    assert {steps[after] for after in range(gone_ms // 100 * 100 + 100, gone_ms + 300, 100)} == {10}


def test_a_question_is_answered_at_once_also_at_rest() -> None:
    """The scan that it asks for is due now, counts as none that was missed, and the next is due a period later."""
    pace, ms = Pace(100, start_ns=0), 1_000_000
    assert not pace.begin(0)
    pace.rest(10)
    pace.hurry(37 * ms)
    assert pace.wait_s(37 * ms) == 0
    assert not pace.begin(37 * ms)
    assert pace.wait_s(37 * ms) == pytest.approx(0.010)


class FlickeringMatrix(StrictMatrix):
    """A magnet that comes and goes with every scan, and a count of scans."""

    def __init__(self, gpio: Gpio) -> None:
        super().__init__(gpio)
        self.scans = 0
        self.many = threading.Event()

    def driven(self, pin: int, level: bool) -> None:
        """Count scans by their first row."""
        if pin == self.gpio.rows[0] and level == self.gpio.row_on_high:
            self.scans += 1
            self.magnets = {0} if self.scans % 2 else set()
            self.history.clear()
            if self.scans > 400:
                self.many.set()
        super().driven(pin, level)


def test_a_reader_that_stops_reading() -> None:
    """What it misses is a gap, and the next frame that it gets confesses that frames were dropped."""
    board = matrix_board(settle_us=0)
    board = replace(board, scan=replace(board.scan, hz=1000))
    assert board.gpio is not None
    matrix = FlickeringMatrix(board.gpio)
    with GpioSource("gpio:", board, parts=matrix.parts) as source:
        assert matrix.many.wait(PATIENCE_S)
        found = news_until(
            source,
            lambda found: any(isinstance(item, Frame) and FrameFlag.QUEUE_FULL in item.flags for item in found),
        )
    faults = [item for item in found if isinstance(item, WireFault)]
    assert [fault.kind for fault in faults] == [FaultKind.GAP]
    assert sum(isinstance(item, Frame) for item in found) >= 250


class BreakingMatrix(StrictMatrix):
    """A pin library that fails after a while."""

    def level(self, pin: int, pull: str) -> bool:
        """Fail at the two hundredth step."""
        if len(self.history) > 200:
            raise OSError(5, "Input/output error")
        return super().level(pin, pull)


def test_pins_that_fail() -> None:
    """What was scanned is given, then reading raises one clear line, now and later; sending too."""
    board = matrix_board(settle_us=0)
    assert board.gpio is not None
    with GpioSource("gpio:x", board, parts=BreakingMatrix(board.gpio).parts) as source:
        for _ in range(2):
            with pytest.raises(
                BoardUnreachableError, match=r"gpio:x: the pins failed \(OSError: .*Input/output error\)"
            ):
                news_until(source, lambda found: False)
        with pytest.raises(BoardUnreachableError, match="the pins failed"):
            source.send(SelfTest())


def test_a_pin_that_is_taken() -> None:
    """The pin library's own reason, one line; no pin stays reserved."""
    good = matrix_board()
    assert good.gpio is not None
    factory = MockFactory()
    taken = gpiozero.InputDevice(good.gpio.columns[-1], pin_factory=factory)
    with pytest.raises(BoardUnreachableError, match=r"GPIOPinInUse: .*GPIO16"):
        GpioSource("gpio:x", good, parts=PiParts(factory))
    taken.close()
    with GpioSource("gpio:x", good, parts=PiParts(factory)), pytest.raises(BoardUnreachableError, match="GPIOPinInUse"):
        GpioSource("gpio:y", good, parts=PiParts(factory))


def test_pins_are_looked_for_where_a_file_may_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service stands in the root, where lgpio's pipe cannot be made: it is imported elsewhere, and the folder stays what it was."""
    seen: list[str] = []
    monkeypatch.setattr(gpiozero.Device, "ensure_pin_factory", lambda: seen.append(os.getcwd()))
    monkeypatch.setattr(os, "access", lambda path, mode: os.getcwd() != "/")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    for folder in (tmp_path.parent, Path("/")):
        monkeypatch.chdir(folder)
        default_factory()
        assert os.getcwd() == str(folder)
    assert seen == [str(tmp_path.parent), str(tmp_path)]


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        ({0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}, 0),  # Pi 4
        ({4: "pinctrl-rp1", 10: "gpio-brcmstb@107d508500"}, 4),  # Pi 5, kernels of 2023
        ({0: "pinctrl-rp1", 10: "gpio-brcmstb@107d508500"}, 0),
        ({11: "gpio-brcmstb@107d508500", 14: "gpio-brcmstb@107d517c20", 15: "pinctrl-rp1"}, 15),  # of 2026
    ],
)
def test_the_header_is_found_by_its_label(
    labels: dict[int, str], found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever number its chip has; gpiozero alone opens number 4 or 0, which may be another chip or none."""
    for number in labels:
        (tmp_path / f"gpiochip{number}").touch()
    (tmp_path / "gpiochip99").symlink_to(tmp_path / "gpiochip0")  # a kernel's link for old programs
    opened: list[int] = []

    def answer(device: int, request: int, wanted: bytes) -> bytes:
        number = int(os.readlink(f"/proc/self/fd/{device}").rpartition("gpiochip")[2])
        assert (request, len(wanted)) == (0x8044B401, 68)
        return struct.pack("32s32sI", b"gpiochip", labels[number].encode(), 54)

    assert chips(tmp_path, answer) == labels
    assert header_chip(labels) == found
    lgpio = MagicMock()
    lgpio.gpiochip_open = opened.append
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", lgpio)
    del sys.modules["gpiozero.pins.lgpio"]  # made anew from ours, and forgotten at the end
    monkeypatch.setattr(gpiozero.Device, "pin_factory", None)
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    monkeypatch.setattr("firmware_bridge.sources.pi_pins.chips", lambda: labels)
    default_factory()  # through gpiozero's own, so that a version which opens 4 or 0 whatever it is told is found out
    assert opened == [found]


def test_chips_without_a_header_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says which chips there are and how the header's would be called, and does not blame the library."""
    with pytest.raises(
        HeaderNotFoundError, match=r"gpiochip11 \(gpio-brcmstb\), gpiochip12 \(cannot be opened: Permission denied\)"
    ):
        header_chip({11: "gpio-brcmstb", 12: "cannot be opened: Permission denied"})
    (tmp_path / "gpiochip3").symlink_to("/nowhere")
    (tmp_path / "gpiochip7").touch()
    assert chips(tmp_path) == {7: "tells no label: Inappropriate ioctl for device"}
    monkeypatch.setattr("firmware_bridge.sources.pi_pins.default_factory", lambda: header_chip(chips(tmp_path)))
    with pytest.raises(BoardUnreachableError) as caught:
        GpioSource("gpio:x", matrix_board())
    assert str(caught.value) == (
        "board gpio:x: none of the GPIO chips here is the pin header's: gpiochip7 (tells no label: Inappropriate ioctl for device); "
        f"it would be called {' or '.join(sorted(HEADER_LABELS))}"
    )


def test_boards_without_pins() -> None:
    """A board file without pins, or asked for colours that its sensors do not tell, has nothing to scan."""
    with pytest.raises(BoardUnreachableError, match=r"has no \[gpio\], \[spi\] or \[mcp3008\] table"):
        GpioSource("gpio:x", load_board("castle-four"))
    with pytest.raises(BoardUnreachableError, match="is not wired for sensing colour"):
        GpioSource("gpio:x", matrix_board().with_sensing(Sensing.COLOUR))


OPEN_HERE = """
import sys
from firmware_bridge.messages import BoardUnreachableError
from firmware_bridge.sources.gpio import GpioSource, Pace
from tests.bridge.lockstep import LockstepClock
from tests.bridge.listening import read_until
from tests.bridge.matrix_table import matrix_board
try:
    with GpioSource("gpio:here", matrix_board()) as source:
        found = read_until(source, lambda found: len(found) >= 2)
    print(found[0].firmware, "|", found[1].text)
except BoardUnreachableError as error:
    print(error)
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("factory", "said"),
    [
        (
            "native",
            "board gpio:here: there are no GPIO pins (no Raspberry Pi, or its pin library is missing: apt install python3-lgpio)\n",
        ),
        ("mock", "hallmarshal-gpio mock | mock pins: no board is connected\n"),
    ],
)
def test_a_machine_without_pins(factory: str, said: str) -> None:
    """Off a Pi one clear line; with mock pins, which somebody must ask for, the board says that it is none."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", OPEN_HERE],
        cwd=ROOT,
        env={**os.environ, "GPIOZERO_PIN_FACTORY": factory},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert (done.stdout, done.stderr) == (said, "")
