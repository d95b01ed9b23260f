"""The emulated firmware as tables: when it speaks, and what it answers."""

from __future__ import annotations

import pytest

from firmware_bridge.checkup import disagreements
from firmware_bridge.messages import (
    Ack,
    AckResult,
    AskHello,
    AskKeyframe,
    BoardMessage,
    Command,
    Frame,
    Hello,
    Log,
    Raw,
    Reading,
    Save,
    SelfTest,
    SetGain,
    SetThresholds,
    SetZero,
)
from firmware_bridge.wire import Decoder, encode
from hardware import Sensing, load_board
from simulator.firmware import Firmware

BOARD = load_board("travel-10x10")


def messages(sent: list[BoardMessage]) -> list[BoardMessage]:
    """Send messages over the wire: they must arrive as they are, free of faults."""
    assert Decoder().feed(b"".join(map(encode, sent))) == sent
    return sent


def run(changes: dict[int, float], until_ms: int, step_ms: int = 10) -> list[int]:
    """Scan square 3 with the fields given by time; return the times of all keyframes."""
    firmware, times = Firmware(BOARD), []
    for now_ms in range(0, until_ms + 1, step_ms):
        if now_ms in changes:
            firmware.sense(3, changes[now_ms])
        sent = firmware.scan_done(now_ms)
        if sent is not None:
            assert sent.board_ms == now_ms
            times.append(now_ms)
    return times


def test_an_idle_board_speaks_every_half_second() -> None:
    """The first keyframe comes with the first scan, then one each 500 ms."""
    assert run({}, 2200) == [0, 500, 1000, 1500, 2000]


def test_a_change_is_followed_by_every_scan_for_400_ms() -> None:
    """From the scan of the change to 400 ms after it, both included; then 500 ms from the last."""
    assert run({730: 1.0}, 2200) == [0, 500, *range(730, 1131, 10), 1630, 2130]


def test_a_later_change_prolongs() -> None:
    """The 400 ms count from the last change; fields that change no reading count for nothing."""
    assert run({100: 1.0, 300: 0.0, 600: 0.05}, 1300) == [0, *range(100, 701, 10), 1200]


@pytest.mark.parametrize("step_ms", [5, 20])
def test_other_scan_rates(step_ms: int) -> None:
    """The policy is in milliseconds, whatever the rate."""
    assert run({200: 1.0}, 1300, step_ms) == [0, *range(200, 601, step_ms), 1100]


def test_time_wraps_at_32_bits() -> None:
    """Board time goes on from 0 after 2^32 - 1 ms, and no host takes it for a restart."""
    firmware = Firmware(BOARD)
    sent = [firmware.scan_done(2**32 - 500), firmware.scan_done(2**32), firmware.scan_done(2**32 + 500)]
    found = Decoder().feed(b"".join(encode(frame) for frame in sent if frame))
    assert [item.board_ms for item in found if isinstance(item, Frame)] == [2**32 - 500, 0, 500]
    assert len(found) == 3


def test_readings_are_packed_as_they_are() -> None:
    """Whatever is sensed, in any order, is what the next keyframe says."""
    firmware = Firmware(BOARD)
    firmware.scan_done(0)
    for square, field in ((0, 1.0), (91, -1.0), (5, 0.17), (6, 1.0), (6, 0.0), (5, -0.5)):
        firmware.sense(square, field)
    sent = firmware.scan_done(10)
    assert sent is not None
    (frame,) = messages([sent])
    assert isinstance(frame, Frame)
    wanted = [Reading.EMPTY] * 92
    wanted[0], wanted[5], wanted[91] = Reading.RED, Reading.BLUE, Reading.BLUE
    assert list(frame.squares) == wanted == list(firmware.readings)


def test_hello_agrees_with_the_board_file() -> None:
    """What it says of itself is what the host expects, for both kinds of sensors."""
    for board in (BOARD, BOARD.with_sensing(Sensing.OCCUPANCY), load_board("castle-four")):
        (hello,) = messages([Firmware(board, 12).hello(5)])
        assert isinstance(hello, Hello)
        assert disagreements(hello, board) == ()
        assert (hello.boot_count, hello.channels) == (12, board.scan.chips * board.scan.channels_per_chip)


def test_what_is_asked_for_follows_the_ack() -> None:
    """HELLO, a keyframe, amplitudes in slices of 32, a line on the self-test: each after its ACK, seq without gaps."""
    firmware = Firmware(BOARD)
    sent = [
        *firmware.obey(AskHello(seq=7), 10),
        *firmware.obey(AskKeyframe(seq=8), 10),
        *firmware.obey(AskKeyframe(with_raw=True, seq=9), 10),
        *firmware.obey(SelfTest(seq=10), 10),
        *firmware.obey(Save(seq=11), 10),
    ]
    found = messages(sent)
    kinds = [Ack, Hello, Ack, Frame, Ack, Frame, Raw, Raw, Raw, Ack, Log, Ack]
    assert [type(message) for message in found] == kinds
    assert [message.seq for message in found] == list(range(len(kinds)))
    acks = [message for message in found if isinstance(message, Ack)]
    assert [(ack.command, ack.command_seq, ack.result) for ack in acks] == [
        (command, seq, AckResult.DONE) for command, seq in ((8, 7), (9, 8), (9, 9), (14, 10), (13, 11))
    ]
    raws = [message for message in found if isinstance(message, Raw)]
    assert [(raw.first, len(raw.values)) for raw in raws] == [(0, 32), (32, 32), (64, 31)]
    assert set(raws[0].values) == {512}


RESULTS: list[tuple[Command, AckResult, int]] = [
    (SetThresholds(220, 150), AckResult.DONE, 0),
    (SetThresholds(150, 220), AckResult.BAD_ARGUMENT, 0),
    (SetThresholds(1000, 100), AckResult.BAD_ARGUMENT, 0),
    (SetThresholds(200, 0), AckResult.BAD_ARGUMENT, 0),
    (SetZero(255, 65535), AckResult.DONE, 0),
    (SetZero(91, 500), AckResult.DONE, 0),
    (SetZero(92, 500), AckResult.BAD_ARGUMENT, 0),
    (SetGain(92, Reading.RED, 300), AckResult.BAD_ARGUMENT, 0),
    (SetGain(0, Reading.UNSURE, 300), AckResult.BAD_ARGUMENT, 0),
    (SetGain(0, Reading.BLUE, -300), AckResult.DONE, 0),
    (SetGain(255, Reading.RED, 0), AckResult.FAILED, 91),  # a magnet stands on one square only
    (SetGain(0, Reading.RED, 3), AckResult.FAILED, 1),
]


@pytest.mark.parametrize(("command", "result", "detail"), RESULTS)
def test_settings_are_checked(command: Command, result: AckResult, detail: int) -> None:
    """Each setting's outcome on a board with one magnet; a refused one changes no reading."""
    firmware = Firmware(BOARD)
    firmware.sense(4, 1.0)
    before = firmware.readings
    (ack,) = messages(firmware.obey(command, 0))
    assert isinstance(ack, Ack)
    assert (ack.result, ack.detail) == (result, detail)
    assert result is not AckResult.BAD_ARGUMENT or firmware.readings == before


def test_digital_sensors_have_nothing_to_set() -> None:
    """An occupancy board says so."""
    firmware = Firmware(BOARD.with_sensing(Sensing.OCCUPANCY))
    for command in (SetThresholds(220, 150), SetZero(255, 65535), SetGain(0, Reading.RED, 0)):
        (ack,) = messages(firmware.obey(command, 0))
        assert isinstance(ack, Ack)
        assert ack.result is AckResult.UNKNOWN_COMMAND


def test_new_thresholds_count_at_once() -> None:
    """What was unsure is read anew, and the next scan says so."""
    firmware = Firmware(BOARD)
    firmware.sense(4, 0.17)
    assert set(firmware.readings) == {Reading.EMPTY, Reading.UNSURE}
    firmware.scan_done(0)
    firmware.scan_done(1000)
    firmware.obey(SetThresholds(160, 100), 1005)
    assert set(firmware.readings) == {Reading.EMPTY, Reading.RED}
    assert firmware.scan_done(1010) is not None
