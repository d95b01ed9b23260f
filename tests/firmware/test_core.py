"""The C core alone: what it says of itself, and what becomes of it when something goes wrong. `event_tables` has what all firmwares do."""

from __future__ import annotations

import pytest

from firmware_bridge.checkup import disagreements
from firmware_bridge.messages import (
    Ack,
    AckResult,
    AskHello,
    Frame,
    FrameFlag,
    Hello,
    Log,
    Reading,
    ResetCause,
    Save,
    SelfTest,
    SetZero,
)
from firmware_bridge.wire import encode
from simulator.firmware import TRUE_ZERO
from tests.firmware.host_core import (
    BROWN_OUT,
    COUNT,
    DIGITAL,
    EMPTY_BOARD,
    LINEAR,
    HostCore,
    calibrated,
    messages,
    with_magnets,
)

pytestmark = pytest.mark.process


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


def test_a_spare_input_that_reads_a_magnet() -> None:
    """A spare input that reads a magnet fails the self-test."""
    with HostCore(DIGITAL) as core:
        core.boot()
        core.scan(0, [0] * COUNT)
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
    head, each = 12, 14 + 4 * COUNT
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
    size = 14 + 4 * COUNT
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


def test_a_host_that_never_stops_asking_does_not_stop_the_scan() -> None:
    """An endless flood of ASK_HELLO, of junk without an end byte, of end bytes: every scan is made, none is late."""
    for flood in (encode(AskHello()), b"\x01" * 8, b"\x00"):
        with calibrated(HostCore(LINEAR)) as core:
            said = messages(bytes.fromhex(core.line(f"flood 0 2000 {flood.hex()}")))
            frames = [message for message in said if isinstance(message, Frame)]
            assert not any(frame.flags & FrameFlag.SCAN_LATE for frame in frames)
            moved = with_magnets(a4=1.0)
            core.scan(2000, moved)
            busy = messages(bytes.fromhex(core.line(f"flood 2010 2410 {flood.hex()}")))
            times = [message.board_ms for message in busy if isinstance(message, Frame)]
            assert len(times) >= 39
