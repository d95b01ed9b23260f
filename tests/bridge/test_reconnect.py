"""A cable that comes out and goes back in: one `LinkLost`, one `LinkBack`, and no byte of two openings mixed up."""

from __future__ import annotations

import asyncio
import gc
import os
import select
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.messages import (
    AskHello,
    AskKeyframe,
    BoardUnreachableError,
    FaultKind,
    Frame,
    Hello,
    LinkBack,
    LinkLost,
    News,
    Reading,
    Save,
    WireFault,
)
from firmware_bridge.sources import SerialSource, SimSource
from firmware_bridge.sources.serial_port import Patience
from firmware_bridge.wire import CommandDecoder, Decoder, encode
from hardware import load_board
from simulator.board import SimBoard
from simulator.motions import Put
from simulator.process import PtyPort
from tests.bridge.listening import ask_for_ever, news_until
from tests.patience import PATIENCE_S

BOARD = load_board("travel-10x10")
RETRY_S = 0.01


class Cable:
    """A path that stays, and a pty behind it that comes and goes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.port: PtyPort | None = None
        self.plug_in()

    def plug_in(self) -> PtyPort:
        """Let a board appear under the path."""
        assert self.port is None
        self.port = PtyPort()
        self.path.symlink_to(self.port.path)
        return self.port

    def pull_out(self) -> None:
        """Let the board and its path vanish, as udev does it."""
        assert self.port is not None
        self.path.unlink()
        self.port.close()
        self.port = None

    def hears(self, count: int) -> list[Any]:
        """Return the next commands that the board hears."""
        assert self.port is not None
        heard = CommandDecoder()
        commands: list[Any] = []
        while len(commands) < count:
            assert select.select([self.port], [], [], PATIENCE_S)[0]
            commands += heard.feed(self.port.read())
        return commands


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    """Return a cable with a board on it."""
    cable = Cable(tmp_path / "board")
    yield cable
    if cable.port is not None:
        cable.port.close()


def lost(found: list[News]) -> bool:
    """Return whether the link was lost."""
    return any(isinstance(item, LinkLost) for item in found)


def back(found: list[News]) -> bool:
    """Return whether the link is back."""
    return any(isinstance(item, LinkBack) for item in found)


def test_a_board_that_comes_back(cable: Cable) -> None:
    """The loss is told once, then nothing; the return once, then who is there; the descriptor stays the same."""
    assert cable.port is not None
    with SerialSource("serial:x", str(cable.path), retry_s=RETRY_S) as source:
        descriptor = source.fileno()
        for _ in range(3):
            board = SimBoard(BOARD, 4)
            sent = [*board.start(), *board.play(Put("red", "a1"))]
            cable.port.send(sent)
            (*_, last) = Decoder().feed(b"".join(sent))
            found = news_until(source, lambda found: last in found)  # noqa: B023  # all that was sent, before the cable goes
            assert any(isinstance(item, Hello) for item in found)
            cable.pull_out()
            (told,) = news_until(source, lost)
            assert isinstance(told, LinkLost)
            assert source.read() == []
            with pytest.raises(BoardUnreachableError, match="serial:x: the connection is lost"):
                source.send(Save())
            assert source.read() == []
            cable.plug_in()
            assert news_until(source, back) == [LinkBack()]
            assert source.fileno() == descriptor
            assert not select.select([source], [], [], 0)[0], "readable with nothing to read: a loop would never rest"
    cable.hears(2)


def test_the_board_that_came_back_is_asked(cable: Cable) -> None:
    """It hears the two questions of an opening, numbered on."""
    with SerialSource("serial:x", str(cable.path), retry_s=RETRY_S) as source:
        assert cable.hears(2) == [AskHello(seq=0), AskKeyframe(seq=1)]
        cable.pull_out()
        news_until(source, lost)
        cable.plug_in()
        news_until(source, back)
        assert cable.hears(2) == [AskHello(seq=2), AskKeyframe(seq=3)]


def test_half_a_frame_of_before_is_forgotten(cable: Cable) -> None:
    """What the pulled cable cut off is not glued to what comes later: no fault but the gap that was."""
    frames = [encode(Frame(seq, 10 * seq, (Reading.RED,) * 92)) for seq in range(9)]
    assert cable.port is not None
    with SerialSource("serial:x", str(cable.path), retry_s=RETRY_S) as source:
        cable.port.send([frames[0], frames[1][:20]])
        news_until(source, lambda found: len(found) == 1)
        cable.pull_out()
        news_until(source, lost)
        port = cable.plug_in()
        assert news_until(source, back) == [LinkBack()]
        port.send([frames[8]])
        found = news_until(source, bool)
    assert found == [WireFault(FaultKind.GAP, "seq 0, then 8", 7), Frame(8, 80, (Reading.RED,) * 92)]


def test_a_loss_that_sending_finds_out(cable: Cable) -> None:
    """A command into a pulled cable raises, and whoever waits is woken to read of the loss."""
    with SerialSource("serial:x", str(cable.path), retry_s=60) as source:
        cable.pull_out()
        with pytest.raises(BoardUnreachableError, match="the connection is lost"):
            source.send(Save())
        assert select.select([source], [], [], PATIENCE_S)[0]
        assert [type(item) for item in source.read()] == [LinkLost]


def test_a_lost_board_can_be_closed(cable: Cable) -> None:
    """Closing ends the search at once, whether or not a port was found meanwhile; no thread and no descriptor is left."""
    gc.collect()  # what an earlier test left to the collector is not counted here
    before = len(os.listdir("/proc/self/fd"))
    with SerialSource("serial:x", str(cable.path), retry_s=600) as source:
        cable.pull_out()
        news_until(source, lost)
    cable.plug_in()
    with SerialSource("serial:x", str(cable.path), retry_s=RETRY_S) as source:
        cable.pull_out()
        news_until(source, lost)
        cable.plug_in()
        assert select.select([source], [], [], PATIENCE_S)[0]  # found, and not yet taken
    with pytest.raises(BoardUnreachableError, match="closed"):
        source.read()
    assert not [thread for thread in threading.enumerate() if thread.name == "reopening"]
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_loop_keeps_its_reader(cable: Cable) -> None:
    """asyncio's add_reader is called once and hears of everything: frames, loss, return, frames."""
    told: list[str] = []

    async def listen() -> None:
        assert cable.port is not None
        with SerialSource("serial:x", str(cable.path), retry_s=RETRY_S) as source:
            done = asyncio.get_running_loop().create_future()

            def ready() -> None:
                for item in source.read():
                    told.append(type(item).__name__)
                    match item:
                        case Frame(seq=0):
                            cable.pull_out()
                        case LinkLost():
                            cable.plug_in()
                        case LinkBack():
                            assert cable.port is not None
                            cable.port.send([encode(Frame(1, 10, (Reading.EMPTY,)))])
                        case _:
                            done.set_result(None)

            asyncio.get_running_loop().add_reader(source.fileno(), ready)
            cable.port.send([encode(Frame(0, 0, (Reading.EMPTY,)))])
            await asyncio.wait_for(done, PATIENCE_S)
            asyncio.get_running_loop().remove_reader(source.fileno())

    asyncio.run(listen())
    assert told == ["Frame", "LinkLost", "LinkBack", "Frame"]


def test_garbage_is_one_fault_and_then_frames() -> None:
    """Whatever a port says first, the next end byte brings the decoder back; a flood without one is told once."""
    port = PtyPort()
    frame = Frame(7, 70, (Reading.BLUE,) * 92)
    with SerialSource("serial:x", port.path) as source:
        port.send([b"\xff" * 500, b"$GPGGA,", b"\x01" * 3000, b"\0", encode(frame)])
        found = news_until(source, lambda found: frame in found)
    port.close()
    assert [item.kind for item in found if isinstance(item, WireFault)] == [FaultKind.TOO_LONG]
    assert len(found) == 2


def test_a_board_that_was_still_starting_is_asked_again() -> None:
    """Frames without a HELLO: one more question each second of the board's time, and none after HELLO."""
    port, board = PtyPort(), SimBoard(BOARD, 4)
    hello, *_ = board.start()
    heard = CommandDecoder()
    commands: list[Any] = []
    with SerialSource("serial:x", port.path) as source:
        for seq, board_ms in enumerate((500, 1000, 1499, 1500, 2400, 2500, 100, 600)):
            port.send([encode(Frame(seq, board_ms, (Reading.EMPTY,) * 92))])
            news_until(source, lambda found: any(isinstance(item, Frame) for item in found))
        port.send([hello])
        news_until(source, lambda found: any(isinstance(item, Hello) for item in found))
        port.send([encode(Frame(9, 9000, (Reading.EMPTY,) * 92))])
        news_until(source, lambda found: any(isinstance(item, Frame) for item in found))
        source.send(Save())
        while Save not in map(type, commands):
            assert select.select([port], [], [], PATIENCE_S)[0]
            commands += heard.feed(port.read())
    port.close()
    assert [type(command) for command in commands] == [AskHello, AskKeyframe, AskHello, AskHello, AskHello, Save]


def test_the_opening_ends_a_half_heard_command() -> None:
    """The first byte on the line is an end byte: what an earlier program left unfinished spoils nothing."""
    port, heard = PtyPort(), CommandDecoder()
    assert heard.feed(b"\x05\x1d") == []
    with SerialSource("serial:x", port.path):
        data = b""
        while data.count(b"\0") < 3:
            assert select.select([port], [], [], PATIENCE_S)[0]
            data += port.read()
    port.close()
    assert data[0] == 0
    assert [type(item) for item in heard.feed(data)][1:] == [AskHello, AskKeyframe]


@pytest.mark.process
def test_a_simulated_board_does_not_come_back() -> None:
    """A child that has ended is gone for good: reading raises, now and later."""
    with SimSource("sim:", BOARD, {"speed": "max"}) as source:
        os.kill(source.child.pid, 9)
        for _ in range(2):
            with pytest.raises(BoardUnreachableError, match="the connection is lost"):
                ask_for_ever(source.fileno(), source.read)


def test_a_rattling_plug_is_tried_less_and_less_often() -> None:
    """Twice the wait each time that the link did not last, up to sixteen times; a link that lasts begins anew. So news stay few."""
    patience = Patience(0.5)
    lasted_and_waits = [
        (0.1, 1.0),
        (0.1, 2.0),
        (3.0, 4.0),
        (0.1, 8.0),
        (0.1, 8.0),
        (79.0, 8.0),
        (80.0, 0.5),
        (4.9, 1.0),
        (60.0, 0.5),
    ]
    for lasted_s, wait_s in lasted_and_waits:
        assert patience.after(lasted_s) == wait_s
