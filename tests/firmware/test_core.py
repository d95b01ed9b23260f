"""The C core against the wire's vectors and event tables, and what becomes of it when something goes wrong."""

from __future__ import annotations

import pytest

from firmware_bridge import disagreements, encode
from firmware_bridge._wire_constants import ACTIVE_MS, IDLE_MS
from firmware_bridge.messages import (
    Ack,
    AckResult,
    AskKeyframe,
    Command,
    Frame,
    FrameFlag,
    Hello,
    Log,
    Raw,
    Reading,
    ResetCause,
    Save,
    SelfTest,
    SetGain,
    SetThresholds,
    SetZero,
)
from firmware_bridge.wire import seal, unseal
from hardware import load_wire
from simulator.sensors import FULL_FIELD, TRUE_GAIN, TRUE_ZERO
from tests.firmware.host_core import (
    BROWN_OUT,
    COUNT,
    DIGITAL,
    EMPTY_BOARD,
    LINEAR,
    HostCore,
    calibrated,
    messages,
    of_kind,
    with_magnets,
)

# ------------------------------------------------------------------------------------------------ the wire


def test_every_vector_of_the_host_is_understood_and_answered(shared: HostCore) -> None:
    """Each command of wire.toml is acknowledged with its own number and seq."""
    core = calibrated(shared)
    core.scan(0, EMPTY_BOARD)
    for vector in load_wire().vectors:
        if vector.board_ms is None:
            answers = messages(core.hear(5, vector.frame))
            ack = answers[0]
            assert isinstance(ack, Ack)
            assert (ack.command_seq, ack.result) == (vector.seq, AckResult.DONE), vector.name


def test_the_vectors_of_the_board_are_sent_to_the_byte(shared: HostCore) -> None:
    """The start position with seq 255 at its time: the very bytes of wire.toml."""
    (vector,) = (vector for vector in load_wire().vectors if vector.name.startswith("the filled start"))
    core = calibrated(shared)
    army = [1.0 if square < 40 else -1.0 if square >= 52 else 0.0 for square in range(COUNT)]
    values = [round(TRUE_ZERO + TRUE_GAIN * field) for field in army]
    assert vector.board_ms is not None
    while True:
        sent = core.scan(vector.board_ms - 1, values)
        (frame,) = messages(sent)
        if frame.seq == 254:
            break
    assert core.scan(vector.board_ms, values) == vector.frame


def test_hello_agrees_with_the_board_file() -> None:
    """What the firmware says of itself is what its board file says, for both kinds of sensors."""
    for board in (LINEAR, DIGITAL):
        with HostCore(board) as core:
            (hello,) = messages(core.boot(BROWN_OUT))
            assert isinstance(hello, Hello)
            assert disagreements(hello, board) == ()
            assert hello.reset is ResetCause.BROWN_OUT
            assert hello.boot_count == 1
            assert hello.scan_hz == board.scan.hz


# ------------------------------------------------------------------------------------------------ event tables


def keyframe_times(core: HostCore, changes: dict[int, float], until_ms: int, step_ms: int) -> list[int]:
    """Scan with the fields given by time on d3; give the times of all keyframes."""
    times, values = [], EMPTY_BOARD
    for now_ms in range(0, until_ms + 1, step_ms):
        if now_ms in changes:
            values = with_magnets(d3=changes[now_ms])
        for message in messages(core.scan(now_ms, values)):
            assert isinstance(message, Frame)
            times.append(now_ms)
    return times


@pytest.mark.parametrize("step_ms", [5, 10, 20])
def test_when_it_speaks(shared: HostCore, step_ms: int) -> None:
    """After the first scan, at every scan for 400 ms after a change, then each 500 ms, at any scan rate."""
    wanted = [0, IDLE_MS, *range(740, 740 + ACTIVE_MS + 1, step_ms), 1140 + IDLE_MS, 1140 + 2 * IDLE_MS]
    assert keyframe_times(calibrated(shared), {740: 1.0}, 2200, step_ms) == wanted


FIELDS = [
    (0.0, Reading.EMPTY),
    (0.13, Reading.EMPTY),
    (-0.13, Reading.EMPTY),
    (0.14, Reading.UNSURE),
    (-0.19, Reading.UNSURE),
    (0.21, Reading.RED),
    (-0.21, Reading.BLUE),
    (1.0, Reading.RED),
    (-1.0, Reading.BLUE),
]


@pytest.mark.parametrize(("field", "reading"), FIELDS)
def test_two_thresholds_and_the_pole(shared: HostCore, field: float, reading: Reading) -> None:
    """Off, on, unsure between them, and the sign tells the army."""
    (frame,) = messages(calibrated(shared).scan(0, with_magnets(e5=field)))
    assert isinstance(frame, Frame)
    assert frame.squares[LINEAR.index("e5")] is reading


def test_a_neighbours_magnet_is_taken_out(shared: HostCore) -> None:
    """A hole in a red army feels a tenth of blue; without correction a weak red piece there would not be seen."""
    core = calibrated(shared)
    hole = LINEAR.index("e3")
    shares = LINEAR.magnet.beside
    beside = round(FULL_FIELD * (4 * sum(shares[:3]) + 8 * shares[3] + 4 * shares[4])) / FULL_FIELD
    values = [TRUE_ZERO + TRUE_GAIN] * COUNT
    values[hole] = round(TRUE_ZERO + TRUE_GAIN * (0.205 + beside))
    core.scan(0, values)
    (frame,) = messages(core.scan(10, values))
    assert isinstance(frame, Frame)
    assert frame.squares[hole] is Reading.RED
    assert 0.205 + beside < LINEAR.thresholds.on


RESULTS: list[tuple[Command, AckResult, int]] = [
    (SetThresholds(220, 150), AckResult.DONE, 0),
    (SetThresholds(150, 220), AckResult.BAD_ARGUMENT, 0),
    (SetThresholds(1000, 100), AckResult.BAD_ARGUMENT, 0),
    (SetThresholds(200, 0), AckResult.BAD_ARGUMENT, 0),
    (SetZero(255, 65535), AckResult.DONE, 0),
    (SetZero(91, 500), AckResult.DONE, 0),
    (SetZero(92, 500), AckResult.BAD_ARGUMENT, 0),
    (SetZero(91, 1024), AckResult.BAD_ARGUMENT, 0),
    (SetGain(92, Reading.RED, 300), AckResult.BAD_ARGUMENT, 0),
    (SetGain(0, Reading.UNSURE, 300), AckResult.BAD_ARGUMENT, 0),
    (SetGain(0, Reading.RED, -32768), AckResult.BAD_ARGUMENT, 0),
    (SetGain(0, Reading.BLUE, -300), AckResult.DONE, 0),
    (SetGain(255, Reading.RED, 0), AckResult.FAILED, 91),  # a magnet stands on one square only
    (SetGain(0, Reading.RED, 3), AckResult.FAILED, 1),
]


@pytest.mark.parametrize(("command", "result", "detail"), RESULTS)
def test_settings_are_checked(shared: HostCore, command: Command, result: AckResult, detail: int) -> None:
    """Each setting's outcome on a board with one magnet; a refused one changes no reading."""
    core = calibrated(shared)
    values = with_magnets(e1=1.0)
    (before,) = messages(core.scan(0, values))
    (ack,) = core.obey(3, command)
    assert isinstance(ack, Ack)
    assert (ack.result, ack.detail) == (result, detail)
    (after,) = messages(core.scan(10, values))
    assert isinstance(before, Frame)
    assert isinstance(after, Frame)
    assert result is not AckResult.BAD_ARGUMENT or after.squares == before.squares


def test_a_digital_board() -> None:
    """Levels are readings, amplitudes are 0 and 1, nothing can be set; a spare input that reads a magnet fails the self-test."""
    with HostCore(DIGITAL) as core:
        core.boot()
        values = [int(square in ("a1", "j10")) for square in DIGITAL.squares]
        (frame,) = messages(core.scan(0, values))
        assert isinstance(frame, Frame)
        taken = [square for square, reading in zip(DIGITAL.squares, frame.squares, strict=True) if reading]
        assert taken == ["a1", "j10"]
        assert set(frame.squares) == {Reading.EMPTY, Reading.RED}
        raws = of_kind(Raw, core.obey(5, AskKeyframe(with_raw=True)))
        assert [value for raw in raws if isinstance(raw, Raw) for value in raw.values] == values
        for command in (SetThresholds(200, 100), SetZero(255, 65535), SetGain(0, Reading.RED, 0)):
            (ack,) = core.obey(6, command)
            assert isinstance(ack, Ack)
            assert ack.result is AckResult.UNKNOWN_COMMAND
        ack, log = core.obey(7, SelfTest())
        assert isinstance(log, Log)
        assert log.text == "self-test: 92 squares good"
        core.line(f"scan 10 {' '.join(['1'] * 96)}")  # a data line shorted to ground
        ack, *logs = core.obey(11, SelfTest())
        assert isinstance(ack, Ack)
        assert (ack.result, ack.detail) == (AckResult.FAILED, 4)
        assert [log.text for log in logs if isinstance(log, Log)] == [
            f"self-test: spare input {number} reads 1" for number in range(92, 96)
        ]


# ------------------------------------------------------------------------------------------------ what goes wrong


def test_the_calibration_outlives_a_power_cut_and_a_spoilt_copy(shared: HostCore) -> None:
    """Saved: kept. The newest copy spoilt: the one before. Both spoilt: defaults, and every KEYFRAME confesses it."""
    core = calibrated(shared)
    core.obey(0, SetZero(255, 400))
    core.obey(0, Save())
    head, each = 12, 12 + 4 * COUNT
    unsaved = (SetZero(255, 300),)
    for command in unsaved:
        core.obey(0, command)
    for spoilt, zero, flags in (
        (None, 400, FrameFlag(0)),
        (head + each + 50, TRUE_ZERO, FrameFlag(0)),
        (head + 50, None, FrameFlag.UNCALIBRATED),
    ):
        if spoilt is not None:
            core.line(f"spoil {spoilt}")
        (hello,) = messages(core.boot())
        assert isinstance(hello, Hello)
        assert hello.calibrated is (zero is not None)
        (frame,) = messages(core.scan(0, [zero or 512] * COUNT))
        assert isinstance(frame, Frame)
        assert frame.flags == flags
        assert set(frame.squares) == {Reading.EMPTY}


def test_a_power_cut_at_every_byte_of_a_save(shared: HostCore) -> None:
    """The old calibration or the new one, never neither and never a mixture."""
    size = 12 + 4 * COUNT
    for written in [*range(0, size, 37), size - 2, size - 1, size]:
        core = calibrated(shared)
        core.obey(0, SetZero(255, 400))
        core.line(f"write-limit {written}")
        core.obey(0, Save())
        core.line("write-limit -1")
        (hello,) = messages(core.boot())
        assert isinstance(hello, Hello)
        assert hello.calibrated
        zero = 400 if written == size else TRUE_ZERO
        (frame,) = messages(core.scan(0, [zero] * COUNT))
        assert isinstance(frame, Frame)
        assert set(frame.squares) == {Reading.EMPTY}, written


def test_starts_are_counted_through_power_cuts(shared: HostCore) -> None:
    """One more at each start; if the power fails while it is counted, the count goes on from the last good one."""
    shared.line("erase")
    counts = []
    for written in (-1, -1, 3, -1, 0, -1):
        shared.line(f"write-limit {written}")
        (hello,) = messages(shared.boot())
        assert isinstance(hello, Hello)
        counts.append(hello.boot_count)
    shared.line("write-limit -1")
    assert counts == [1, 2, 3, 3, 4, 4]


def test_what_makes_no_sense_is_dropped_whole(shared: HostCore) -> None:
    """Another version, the board's own messages, a wrong length, a value out of range, a wrong CRC: no answer, and the next is heard."""
    core = calibrated(shared)
    good = unseal(encode(AskKeyframe())[:-1])
    assert isinstance(good, bytes)
    for body in (
        bytes((2 << 4 | 9, 0, 0)),  # version 2
        bytes((1 << 4 | 1, 0)),  # HELLO
        bytes((1 << 4 | 15, 0)),  # no message at all
        good + b"\0",
        good[:-1],
        good[:-1] + b"\2",  # neither true nor false
        bytes((1 << 4 | 12, 0, 0, 4, 1, 0)),  # a pole that there is not
    ):
        assert core.hear(0, seal(body)) == b"", body.hex()
    spoilt = bytearray(encode(AskKeyframe()))
    spoilt[2] ^= 4
    assert core.hear(0, bytes(spoilt)) == b""
    assert core.hear(0, b"\1" * 300 + b"\0") == b""  # longer than any frame
    assert len(core.obey(0, AskKeyframe())) == 2


def test_a_full_line_is_confessed(shared: HostCore) -> None:
    """Whole frames are dropped, never parts; the next KEYFRAME that gets through says so, once, and seq shows how many."""
    core = calibrated(shared)
    core.scan(0, EMPTY_BOARD)
    core.line("room 40")
    sent = b"".join(core.scan(now_ms, with_magnets(a1=1.0)) for now_ms in range(10, 60, 10))
    (first,) = messages(sent)
    core.line("room -1")
    later = messages(b"".join(core.scan(now_ms, with_magnets(a1=1.0)) for now_ms in (60, 70)))
    assert [message.flags for message in later if isinstance(message, Frame)] == [FrameFlag.QUEUE_FULL, FrameFlag(0)]
    assert later[0].seq - first.seq == 5


def test_late_scans_are_confessed(shared: HostCore) -> None:
    """A loop that comes a period late leaves scans out and says so; one in time does not."""
    core = calibrated(shared)
    on_time = messages(bytes.fromhex(core.line("steps 0 200 5")))
    assert {message.flags for message in on_time if isinstance(message, Frame)} == {FrameFlag(0)}
    late = messages(bytes.fromhex(core.line("steps 1025 40 25")))
    assert FrameFlag.SCAN_LATE in {message.flags for message in late if isinstance(message, Frame)}


def test_board_time_wraps(shared: HostCore) -> None:
    """From 2^32 - 1 ms to 0 the frames go on, and a board at rest does not wake."""
    core = calibrated(shared)
    start = 2**32 - 1010
    times = [ms for ms in range(start, start + 2020, 10) if core.scan(ms % 2**32, EMPTY_BOARD)]
    assert times == [start, start + 500, start + 1000, start + 1500, start + 2000]
