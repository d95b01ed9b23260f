"""Sequence, time and restarts, as tables: what the board sends, what the host must be told, and nothing else."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.checkup import disagreements
from firmware_bridge.messages import (
    BoardMessage,
    FaultKind,
    Frame,
    FrameFlag,
    Hello,
    Reading,
    ResetCause,
    SensingCode,
    WireFault,
)
from firmware_bridge.wire import Decoder, encode
from hardware import Sensing, load_board
from tests.amount import tries

LAST_MS = 2**32 - 1
BOARD = load_board("travel-10x10")


def frame(seq: int, board_ms: int) -> Frame:
    """Return a keyframe of four squares."""
    return Frame(seq, board_ms, (Reading.EMPTY, Reading.RED, Reading.BLUE, Reading.UNSURE))


def hello(seq: int, board_ms: int, boot_count: int) -> Hello:
    """Return the HELLO of the travel board."""
    return Hello(
        seq=seq,
        board_ms=board_ms,
        protocol=1,
        sensing=SensingCode.COLOUR,
        reset=ResetCause.POWER_ON,
        calibrated=True,
        squares=92,
        channels=96,
        scan_hz=100,
        boot_count=boot_count,
        fingerprint=BOARD.fingerprint,
        board_id="travel-10x10",
        firmware="test",
    )


GAP, REPEATED, REBOOTED = FaultKind.GAP, FaultKind.REPEATED, FaultKind.REBOOTED

TABLES: dict[str, list[tuple[BoardMessage, list[tuple[FaultKind, int]]]]] = {
    "a quiet start anywhere in the count": [(frame(77, 500), []), (frame(78, 1000), [])],
    "seq wraps": [(frame(255, 10), []), (frame(0, 20), [])],
    "one lost": [(frame(1, 10), []), (frame(3, 30), [(GAP, 1)]), (frame(4, 40), [])],
    "many lost over the wrap": [(frame(250, 10), []), (frame(4, 30), [(GAP, 9)])],
    "all but one of a round lost": [(frame(5, 10), []), (frame(5, 2570), [(GAP, 255)])],
    "repeated": [(frame(1, 10), []), (frame(1, 10), [(REPEATED, 1)]), (frame(2, 20), [])],
    "time wraps": [(frame(1, LAST_MS - 4), []), (frame(2, 5), [])],
    "time wraps over a gap": [(frame(1, LAST_MS), []), (frame(9, 400), [(GAP, 7)])],
    "time goes back": [(frame(200, 60_000), []), (frame(0, 30), [(REBOOTED, 1)]), (frame(1, 40), [])],
    "time goes back by one": [(frame(1, 60_000), []), (frame(2, 59_999), [(REBOOTED, 1)])],
    "half the range is still forward": [(frame(1, 0), []), (frame(2, 2**31), [])],
    "more than half is back": [(frame(1, 0), []), (frame(2, 2**31 + 1), [(REBOOTED, 1)])],
    "another boot count": [
        (hello(0, 5, 7), []),
        (frame(1, 10), []),
        (hello(2, 90_000, 8), [(REBOOTED, 1)]),
        (frame(3, 90_010), []),
    ],
    "the same boot count": [(hello(0, 5, 7), []), (hello(1, 900, 7), [])],
    "a restart is told once, HELLO first": [
        (hello(9, 80_000, 7), []),
        (hello(0, 3, 8), [(REBOOTED, 1)]),
        (frame(1, 10), []),
    ],
    "a restart is told once, HELLO lost and sent later": [
        (hello(9, 80_000, 7), []),
        (frame(1, 10), [(REBOOTED, 1)]),
        (hello(2, 20, 8), []),
        (hello(3, 30, 9), [(REBOOTED, 1)]),
    ],
}


@pytest.mark.parametrize("name", TABLES)
def test_sequence_and_restarts(name: str) -> None:
    """Each fault comes before the message that showed it; a repeated message is dropped, every other is passed on."""
    decoder = Decoder()
    for message, faults in TABLES[name]:
        *told, last = decoder.feed(encode(message))
        if (REPEATED, 1) in faults:
            told, last = [last], message
        assert [(fault.kind, fault.count) for fault in told if isinstance(fault, WireFault)] == faults, message
        assert len(told) == len(faults)
        assert last == message


class Thorough(Decoder):
    """Looks into every frame, also those that show what the last one showed."""

    def _next_alike(self, body: bytes) -> Frame | None:
        return None


@settings(max_examples=tries(50))
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from([1, 1, 1, 0, 2, 255]),
            st.sampled_from([10, 10, 0, 500, 2**31, 2**31 + 1, LAST_MS]),
            st.sampled_from([Reading.EMPTY, Reading.EMPTY, Reading.RED]),
            st.sampled_from([FrameFlag(0), FrameFlag(0), FrameFlag.SCAN_LATE]),
            st.sampled_from(["frame", "frame", "frame", "hello", "spoiled"]),
        ),
        max_size=15,
    )
)
def test_frames_alike_are_judged_as_all_others(steps: list[tuple[int, int, Reading, FrameFlag, str]]) -> None:
    """The short way for a frame that shows what the last one showed gives the same messages and the same faults."""
    seq = board_ms = boots = 0
    stream = bytearray()
    for seq_step, step_ms, reading, flags, kind in steps:
        seq, board_ms = (seq + seq_step) % 256, (board_ms + step_ms) % 2**32
        boots += kind == "hello" and step_ms > 500
        sent = hello(seq, board_ms, boots) if kind == "hello" else Frame(seq, board_ms, (reading,) * 5, flags)
        data = bytearray(encode(sent))
        data[1] ^= 0x40 if kind == "spoiled" else 0
        stream += data
    assert Decoder().feed(bytes(stream)) == Thorough().feed(bytes(stream))


def test_a_broken_frame_is_told_and_then_missed() -> None:
    """What a CRC drops shows as a gap too, so that whoever counts gaps misses nothing."""
    spoiled = bytearray(encode(frame(2, 20)))
    spoiled[2] ^= 0x10  # inside seq
    found = Decoder().feed(encode(frame(1, 10)) + bytes(spoiled) + encode(frame(3, 30)))
    assert [item.kind if isinstance(item, WireFault) else item.seq for item in found] == [1, FaultKind.BAD_CRC, GAP, 3]


def test_board_and_board_file_agree() -> None:
    """A board that was built from the file agrees with it; every difference is one sentence."""
    board = BOARD
    said = hello(0, 0, 1)
    assert disagreements(said, board) == ()
    assert disagreements(dataclasses.replace(said, protocol=2), board) == (
        "wire version: the board says 2, the board file 1",
    )
    assert len(disagreements(said, board.with_sensing(Sensing.OCCUPANCY))) == 2
    assert [line.split(":")[0] for line in disagreements(said, load_board("compact-10x8"))] == [
        "board",
        "number of squares",
        "order of squares and channels (fingerprint)",
    ]
