"""The simulated board as a process behind a real pty."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.messages import Ack, AskHello, BoardMessage, Frame, Hello, Reading, WireFault
from firmware_bridge.wire import Decoder, encode
from hardware import load_board
from simulator.board import SimBoard
from simulator.motions import parse_motion
from simulator.process import PtyPort, main
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
BOARD = load_board("travel-10x10")


class Bench:
    """A simulated board, its pty and its pipes; every wait has an end."""

    def __init__(self, *arguments: str) -> None:
        self.child = subprocess.Popen(
            [sys.executable, "-m", "simulator.process", "--board", "travel-10x10", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            cwd=ROOT,
        )
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        self.stdin, self.stdout = self.child.stdin, self.child.stdout
        self.path = str(self.answer()["pty"])
        self.pty = os.open(self.path, os.O_RDWR | os.O_NOCTTY)
        self.decoder = Decoder()
        self.heard: list[BoardMessage] = []
        self.faults: list[WireFault] = []

    def answer(self) -> dict[str, Any]:
        """Return the next line of stdout."""
        line = b""
        while not line.endswith(b"\n"):
            assert select.select([self.stdout], [], [], PATIENCE_S)[0], "no answer"
            data = os.read(self.stdout.fileno(), 1)
            assert data, "the process ended"
            line += data
        answer: dict[str, Any] = json.loads(line)
        return answer

    def wish(self, text: str) -> None:
        """Send a line."""
        self.stdin.write(text.encode() + b"\n")

    def listen(self) -> None:
        """Read what the pty has, waiting for the first byte."""
        assert select.select([self.pty], [], [], PATIENCE_S)[0], "no bytes"
        for item in self.decoder.feed(os.read(self.pty, 65536)):
            if isinstance(item, WireFault):
                self.faults.append(item)
            else:
                self.heard.append(item)

    def play(self, motion: dict[str, Any]) -> dict[str, Any]:
        """Send a motion and listen until it is answered and the line is quiet."""
        self.wish(json.dumps(motion))
        while True:
            ready, _, _ = select.select([self.pty, self.stdout.fileno()], [], [], PATIENCE_S)
            if self.pty in ready:
                self.listen()
            elif ready:
                return self.answer()
            else:
                raise AssertionError("no answer")

    def frames(self) -> list[Frame]:
        """Return the frames heard so far."""
        return [message for message in self.heard if isinstance(message, Frame)]


@contextmanager
def bench(*arguments: str) -> Iterator[Bench]:
    """Run a board and end it by the end of its stdin, which must be in order."""
    board = Bench(*arguments)
    try:
        yield board
        board.stdin.close()
        assert board.child.wait(PATIENCE_S) == 0
        assert board.faults == [] or "--noise" in arguments
    finally:
        board.child.kill()
        board.child.wait(PATIENCE_S)
        board.stdin.close()
        board.stdout.close()
        os.close(board.pty)


@pytest.mark.process
def test_the_process_sends_what_the_class_sends() -> None:
    """Motions over the pipe give, byte for byte, the frames of a SimBoard with the same seed."""
    motions: list[dict[str, Any]] = [
        {"motion": "place", "seat": "red", "squares": ["a4", "b4"]},
        {"motion": "move", "from": "a4", "to": "a5", "style": "slide"},
        {"motion": "lift", "square": "b4", "after_ms": 40},
    ]
    twin = SimBoard(load_board("travel-10x10"), 11)
    wanted = [*twin.start()]
    answers: list[dict[str, Any]] = []
    for motion in motions:
        wanted += twin.play(*parse_motion(motion))
        answers.append({"done": len(answers) + 1, "board_ms": twin.now_ms})
    with bench("--speed", "max", "--seed", "11") as board:
        assert [board.play(motion) for motion in motions] == answers
        while len(board.heard) < len(wanted):
            board.listen()
    told = board.heard[: len(wanted)]
    assert [encode(message) for message in told] == wanted


@pytest.mark.process
def test_nothing_is_lost_when_the_host_is_slow() -> None:
    """A host that reads nothing stops the board's time; when it reads on, every frame is there."""
    squares = [name for name in load_board("travel-10x10").squares if name[0] in "abcdef"]
    with bench("--speed", "max", "--seed", "3") as board:
        board.wish(json.dumps({"motion": "place", "seat": "red", "squares": squares}))
        for number in range(2, 6):  # far more than a pty holds: 4 x 2 motions of some 300 frames of 34 bytes
            board.wish(json.dumps({"motion": "clear"}))
            board.wish(json.dumps({"motion": "place", "seat": "red", "squares": squares, "after_ms": number}))
        answered_unread = 0
        while select.select([board.stdout], [], [], 0.3)[0]:
            answered_unread = board.answer()["done"]
        assert answered_unread < 9, "the pty took everything: this test shows nothing"
        board.wish('{"motion": "wait"}')  # its pipe is still read
        done = answered_unread
        while done < 10:
            ready, _, _ = select.select([board.pty, board.stdout.fileno()], [], [], PATIENCE_S)
            if board.pty in ready:
                board.listen()
            if board.stdout.fileno() in ready:
                done = board.answer()["done"]
        assert [message.seq for message in board.heard] == [n % 256 for n in range(len(board.heard))]
        assert len(board.heard) * 34 > 80_000


@pytest.mark.process
def test_wishes_that_cannot_be_granted() -> None:
    """Each gets one line with its number; the board goes on."""
    with bench("--speed", "max") as board:
        assert board.play({"motion": "lift", "square": "a1"}) == {"error": "no piece stands on a1", "motion": 1}
        board.wish("{")
        assert board.answer() == {"error": "not JSON", "motion": 2}
        board.wish("[1]")
        assert board.answer() == {"error": "a motion is a JSON object", "motion": 3}
        assert board.play({"motion": "put", "seat": "red", "square": "a1"})["done"] == 4


@pytest.mark.process
def test_a_standing_board_has_a_heartbeat() -> None:
    """At full speed a board without a motion sends one keyframe, 500 ms later in board time, now and then."""
    with bench("--speed", "max") as board:
        answer = board.play({"motion": "wait"})
        before = len(board.frames())
        while len(board.frames()) < before + 2:
            board.listen()
        first, second = board.frames()[before : before + 2]
        assert second.board_ms - first.board_ms == 500
        assert first.board_ms <= answer["board_ms"] + 500


@pytest.mark.process
@pytest.mark.parametrize("speed", ["1", "20"])
def test_wall_speed(speed: str) -> None:
    """At wall speed, or many times it, a motion is played too, and what the host asks is answered in between."""
    with bench("--speed", speed, "--quiet-ms", "60") as board:
        os.write(board.pty, encode(AskHello(seq=9)))
        answer = board.play({"motion": "put", "seat": "blue", "square": "j10"})
        assert answer["done"] == 1
        assert [type(message) for message in board.heard if not isinstance(message, Frame)] == [Hello, Ack, Hello]
        assert board.frames()[-1].squares[-1] is Reading.BLUE


@pytest.mark.process
def test_other_sensing_and_poles() -> None:
    """Options reach the board: digital sensors, and a seat with the other pole."""
    with bench("--speed", "max", "--sensing", "occupancy") as board:
        board.play({"motion": "put", "seat": "blue", "square": "a1"})
        assert board.frames()[-1].squares[0] is Reading.RED
    with bench("--speed", "max", "--poles", "red=blue,blue=red") as board:
        board.play({"motion": "put", "seat": "blue", "square": "a1"})
        assert board.frames()[-1].squares[0] is Reading.RED


@pytest.mark.process
def test_noisy_hands() -> None:
    """With a profile, hands fumble and hesitate behind the pty too; what they were told to do is what comes of it."""
    with bench("--speed", "max", "--noise", "rough", "--seed", "5") as board:
        board.play({"motion": "place", "seat": "red", "squares": ["e4", "f4", "a1"]})
        board.play({"motion": "place", "seat": "blue", "squares": ["e7", "f7", "a10"]})
        for _ in range(10):
            for wish in (
                {"motion": "move", "from": "e4", "to": "e5", "rests": {"e6": ["e5"]}},
                {"motion": "move", "from": "e5", "to": "e4", "style": "slide"},
            ):
                assert "done" in board.play(wish)
        assert "done" in board.play({"motion": "both", "from": "f4", "target": "f7"})
        assert "error" in board.play({"motion": "move", "from": "f4", "to": "f5"})
        board.play({"motion": "restore", "squares": {"a1": "red", "e4": "red", "a10": "blue"}})
        while board.frames()[-1].squares != board.frames()[-5].squares:
            board.play({"motion": "wait"})  # until no flicker hides what stands there
        shown = {BOARD.squares[n]: reading for n, reading in enumerate(board.frames()[-1].squares) if reading}
    assert shown == {"a1": Reading.RED, "e4": Reading.RED, "a10": Reading.BLUE}


@pytest.mark.process
def test_sick_sensors_from_the_start() -> None:
    """Faults and a missing calibration are there from the first message on."""
    with bench("--speed", "max", "--calibrated", "no", "--faults", "c3=stuck,d3=open") as board:
        board.play({"motion": "wait"})
        hello = board.heard[0]
        assert isinstance(hello, Hello)
        assert not hello.calibrated
        squares = board.frames()[-1].squares
        assert (squares[BOARD.index("c3")], squares[BOARD.index("d3")]) == (Reading.RED, Reading.BLUE)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--board", "chess"], "board file chess: there is no such board"),
        (["--board", "travel-10x10", "--poles", "red=up"], "'red=up' is no seat=red or seat=blue"),
        (["--board", "travel-10x10", "--speed", "21"], "invalid choice: '21'"),
        (["--board", "travel-10x10", "--noise", "wild"], "noise profile 'wild' is none of clean, home"),
        (["--board", "travel-10x10", "--faults", "a1=tired"], "'a1=tired' is no square=dead|stuck|open|weak|drifting"),
        (["--board", "travel-10x10", "--faults", "z1=dead"], "the board has no square 'z1'"),
    ],
)
def test_arguments_that_are_refused(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One clear line and exit code 2."""
    try:
        code: object = main(arguments)
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert reason in capsys.readouterr().err


def test_the_pty_is_raw() -> None:
    """Every byte value goes through both ways unchanged, and none is echoed."""
    every = bytes(range(256))
    port = PtyPort()
    host = os.open(port.path, os.O_RDWR | os.O_NOCTTY)
    try:
        assert not termios.tcgetattr(host)[3] & termios.ECHO
        port.send([every])
        got = b""
        while len(got) < len(every):
            got += os.read(host, 512)
        assert got == every
        os.write(host, every)
        got = b""
        while len(got) < len(every):
            assert select.select([port], [], [], PATIENCE_S)[0]
            got += port.read()
        assert got == every
        assert port.read() == b""
        assert port.drained()
    finally:
        os.close(host)
        port.close()


@pytest.mark.process
def test_a_host_may_come_back() -> None:
    """Closing and opening the host's end again loses nothing but what was flushed."""
    with bench("--speed", "max") as board:
        board.play({"motion": "put", "seat": "red", "square": "a1"})
        os.close(board.pty)
        board.pty = os.open(board.path, os.O_RDWR | os.O_NOCTTY)
        board.play({"motion": "put", "seat": "red", "square": "b1"})
        assert board.frames()[-1].squares[:2] == (Reading.RED, Reading.RED)
