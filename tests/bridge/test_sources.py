"""Board sources: one contract for all of them, and what each does when its board is not there or goes."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.checkup import disagreements
from firmware_bridge.messages import Ack, AskHello, AskKeyframe, BoardUnreachableError, Frame, Hello, Reading, Save
from firmware_bridge.recording import Piece, first_line, piece_line
from firmware_bridge.sources import BoardSource, SerialSource, SimSource, board_in, open_source
from firmware_bridge.sources.gpio import GpioSource
from firmware_bridge.wire import CommandDecoder, encode
from hardware import BoardFile, BoardFileError, Sensing, load_board
from simulator.board import SimBoard
from simulator.motions import Put
from simulator.process import PtyPort
from simulator.simulated_pi import StrictMatrix
from tests.bridge.listening import ask_for_ever, read_until, shows_red
from tests.bridge.matrix_table import matrix_board
from tests.bridge.recorder import Recorder
from tests.patience import PATIENCE_S

BOARD = load_board("travel-10x10")
ROOT = Path(__file__).resolve().parents[2]
KINDS = ("serial", "replay", "sim", "gpio")


@dataclass
class Opened:
    """A source, its board and, for those that have one, the board's end of its line."""

    source: BoardSource
    board: BoardFile


@pytest.fixture(params=[pytest.param(kind, marks=pytest.mark.process) if kind == "sim" else kind for kind in KINDS])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Open each kind on a board that says HELLO and shows red on a1."""
    sim = SimBoard(BOARD, 4)
    sent = [*sim.start(), *sim.play(Put("red", "a1"))]
    port, board = None, BOARD
    source: BoardSource
    match request.param:
        case "serial":
            port = PtyPort()
            source = open_source(f"serial:{port.path}", BOARD)
            port.send(sent)
        case "replay":
            path = tmp_path / "stream.txt"
            path.write_text(
                first_line(BOARD) + "".join(piece_line(Piece(n, True, data)) for n, data in enumerate(sent))
            )
            source = open_source(f"replay:{path}", BOARD)
        case "sim":
            source = open_source("sim:?speed=max&seed=4", BOARD)
            assert isinstance(source, SimSource)
            source.wish({"motion": "put", "seat": "red", "square": "a1"})
        case _:
            board = matrix_board(settle_us=0)
            assert board.gpio is not None
            matrix = StrictMatrix(board.gpio)
            matrix.magnets = {0}
            source = GpioSource("gpio:", board, parts=matrix.parts)
    yield Opened(source, board)
    source.close()
    if port is not None:
        port.close()


class TestEverySource:
    """What holds for a board of any kind."""

    def test_messages_come(self, opened: Opened) -> None:
        """HELLO of the right board and then the frames, in order."""
        found = (
            read_until(  # a board that sends at full speed may show it before it has answered the call for its HELLO
                opened.source, lambda found: shows_red(found) and any(isinstance(message, Hello) for message in found)
            )
        )
        hello = next(message for message in found if isinstance(message, Hello))
        assert disagreements(hello, opened.board) == ()
        times = [message.board_ms for message in found]
        assert times == sorted(times)

    def test_reading_never_waits(self, opened: Opened) -> None:
        """Asked again and again, it answers, with something or nothing."""
        for _ in range(3):
            opened.source.read()

    def test_commands_are_numbered(self, opened: Opened) -> None:
        """Each command gets the next seq, from wherever the opening left it."""
        first = opened.source.send(Save(seq=99))
        assert opened.source.send(AskKeyframe(with_raw=True)) == AskKeyframe(with_raw=True, seq=first.seq + 1)

    def test_closing_twice_is_harmless_and_reading_then_an_error(self, opened: Opened) -> None:
        """A closed board is unreachable, and says which."""
        opened.source.close()
        opened.source.close()
        with pytest.raises(BoardUnreachableError, match="closed"):
            opened.source.read()
        assert opened.source.url.partition(":")[0] in KINDS


REFUSED = [
    ("", "begins with one of serial:, gpio:, replay:, sim:"),
    ("sim", "begins with one of"),
    ("usb:1", "begins with one of"),
    ("serial:", "path of a port is missing"),
    ("serial:/dev/there-is-none", "there is no such port"),
    ("serial:/dev/null", "that is no serial port"),
    ("sim:x", "nothing but \\?options may follow"),
    ("sim:?sped=max", "unknown option 'sped'"),
    ("screen:?speed=max", "unknown option 'speed'"),
    ("screen:travel", "nothing but \\?options may follow screen:"),
    ("sim:?speed", "options look like"),
    pytest.param("sim:?speed=21", "did not start: .*invalid choice: '21'", marks=pytest.mark.process),
    ("gpio:", "board file travel-10x10 has no \\[gpio\\], \\[spi\\] or \\[mcp3008\\] table"),
    ("gpio:compact-10x8", "its file describes compact-10x8, not travel-10x10"),
    ("gpio:none.toml", "No such file"),
    ("replay:none.txt", "No such file"),
    ("replay:none.txt?speed=2", "speed is 1 or max"),
]


@pytest.mark.parametrize(("url", "reason"), REFUSED)
def test_boards_that_cannot_be_opened(url: str, reason: str) -> None:
    """One clear line that names the board as it was given."""
    with pytest.raises(BoardUnreachableError, match=reason) as caught:
        open_source(url, BOARD)
    assert url in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_board_that_its_url_tells_of(tmp_path: Path) -> None:
    """A recording begins with its board and a pin board's URL names its file; a port and the simulator tell nothing."""
    path = tmp_path / "stream.txt"
    path.write_text(first_line(BOARD.with_sensing(Sensing.OCCUPANCY)))
    assert board_in(f"replay:{path}?speed=max") == BOARD.with_sensing(Sensing.OCCUPANCY)
    assert board_in("gpio:compact-10x8") == load_board("compact-10x8")
    assert [board_in(url) for url in ("gpio:", "sim:", "serial:/dev/ttyACM0")] == [None] * 3
    with pytest.raises(BoardUnreachableError, match="No such file"):
        board_in("replay:none.txt")
    path.write_text("0 < 00")
    with pytest.raises(BoardUnreachableError, match="line 1: not a recorded stream"):
        board_in(f"replay:{path}")
    with pytest.raises(BoardFileError, match="no such board"):
        board_in("gpio:nowhere")


def test_a_port_is_held_for_one() -> None:
    """A second opening is refused while the first lasts, and granted after it."""
    port = PtyPort()
    with (
        SerialSource("serial:first", port.path),
        pytest.raises(BoardUnreachableError, match="another program uses it"),
    ):
        SerialSource("serial:second", port.path)
    SerialSource("serial:third", port.path).close()
    port.close()


def test_a_pty_has_no_dtr_and_is_a_port_all_the_same() -> None:
    """The lines that an opening sets on a real port are not there: no error, and what the board says is heard."""
    port, board = PtyPort(), SimBoard(BOARD, 4)
    host_end = os.open(port.path, os.O_RDWR | os.O_NOCTTY)
    with pytest.raises(OSError, match="Inappropriate ioctl") as refused:
        fcntl.ioctl(host_end, termios.TIOCMBIS, struct.pack("I", termios.TIOCM_DTR))
    assert refused.value.errno == errno.ENOTTY
    os.close(host_end)
    with SerialSource("serial:pty", port.path) as source:
        port.send(board.start())
        (hello,) = (each for each in read_until(source, lambda found: len(found) == 2) if isinstance(each, Hello))
        assert hello.board_id == "travel-10x10"
        assert isinstance(source.send(Save()), Save)
    port.close()


def test_opening_asks_who_is_there() -> None:
    """The board hears two commands: HELLO, then a keyframe, numbered from 0."""
    port, heard = PtyPort(), CommandDecoder()
    with SerialSource("serial:x", port.path):
        commands: list[Any] = []
        while len(commands) < 2:
            assert select.select([port], [], [], PATIENCE_S)[0]
            commands += heard.feed(port.read())
    assert commands == [AskHello(seq=0), AskKeyframe(seq=1)]
    port.close()


def test_a_recording_plays_again(tmp_path: Path) -> None:
    """What a tap records is a file that a replay reads: the same messages, then the end."""
    port = PtyPort()
    lines: list[str] = []
    clock = iter(range(100, 1_000_000, 3))
    recorder = Recorder(lines.append, BOARD, lambda: next(clock))
    sim = SimBoard(BOARD, 4)
    sent = [*sim.start(), *sim.play(Put("red", "a1"))]
    with open_source(f"serial:{port.path}", BOARD, recorder) as source:
        port.send(sent)
        live = read_until(source, lambda found: len(found) == len(sent))
    port.close()
    path = tmp_path / "stream.txt"
    path.write_text("".join(lines) + "\n# a remark\n")
    assert [line.split()[1] for line in lines[1:3]] == [">", ">"]
    replay = open_source(f"replay:{path}?speed=max", BOARD)
    assert read_until(replay, lambda found: len(found) == len(sent)) == live
    for _ in range(2):
        assert select.select([replay], [], [], PATIENCE_S)[0]
        with pytest.raises(BoardUnreachableError, match="the recording has ended"):
            replay.read()
    replay.close()


SPOILED_RECORDINGS = [
    ("", "empty"),
    ("hello\n", "line 1: not a recorded stream"),
    (first_line(BOARD).replace(" 1 ", " 2 "), "line 1: not a recorded stream of version 1"),
    (first_line(load_board("compact-10x8")), r"recorded from board compact-10x8 \(colour\), not from travel-10x10"),
    (first_line(BOARD.with_sensing(Sensing.OCCUPANCY)), r"travel-10x10 \(occupancy\)"),
    (first_line(BOARD) + "5 < 00\n4 < 00\n", "line 3: not 'milliseconds < hex', or time falls"),
    (first_line(BOARD) + "5 < 0\n", "line 2"),
    (first_line(BOARD) + "\n5 = 00\n", "line 3"),
    ("é", "not a text"),
]


@pytest.mark.parametrize(("text", "reason"), SPOILED_RECORDINGS)
def test_recordings_that_are_none(text: str, reason: str, tmp_path: Path) -> None:
    """A file that is no recording, or of another board, is refused with its line."""
    path = tmp_path / "stream.txt"
    path.write_text(text)
    with pytest.raises(BoardUnreachableError, match=reason):
        open_source(f"replay:{path}", BOARD)


def test_a_full_pipe_does_not_stop_a_close(tmp_path: Path) -> None:
    """A recording that nobody reads can be closed while it plays."""
    path = tmp_path / "stream.txt"
    line = piece_line(Piece(0, True, encode(Frame(1, 2, (Reading.RED,) * 92))))
    path.write_text(first_line(BOARD) + line * 5000)
    open_source(f"replay:{path}?speed=max", BOARD).close()
    assert not [thread for thread in threading.enumerate() if thread.name == "replay"]


@pytest.mark.process
def test_the_simulated_boards_hands() -> None:
    """Wishes are numbered and answered; the descriptor tells when."""
    with SimSource("sim:", BOARD, {"speed": "max"}) as source:
        assert source.answers() == []
        assert source.wish({"motion": "put", "seat": "blue", "square": "j10"}) == 1
        assert source.wish({"motion": "lift", "square": "a1"}) == 2
        answers: list[dict[str, Any]] = []
        while len(answers) < 2:
            assert select.select([source.answers_fileno()], [], [], PATIENCE_S)[0]
            answers += source.answers()
    assert [set(answer) for answer in answers] == [{"done", "board_ms"}, {"error", "motion"}]


@pytest.mark.process
def test_a_simulated_board_of_an_own_file(tmp_path: Path) -> None:
    """A board that was loaded from a path is simulated from that path, with the sensing that was chosen."""
    path = tmp_path / "mine.toml"
    path.write_text((ROOT / "hardware/boards/compact-10x8.toml").read_text().replace('"compact-10x8"', '"mine"'))
    mine = load_board(path).with_sensing(Sensing.OCCUPANCY)
    source = open_source("sim:?speed=max", mine)
    found = read_until(source, lambda found: any(isinstance(message, Hello) for message in found))
    source.close()
    hello = next(message for message in found if isinstance(message, Hello))
    assert hello.board_id == "mine"
    assert disagreements(hello, mine) == ()


@pytest.mark.process
def test_a_simulated_board_outlives_the_thread_that_opened_it() -> None:
    """Only the process counts, not the thread."""
    opened: list[BoardSource] = []
    opener = threading.Thread(target=lambda: opened.append(open_source("sim:?speed=max", BOARD)))
    opener.start()
    opener.join(PATIENCE_S)
    (source,) = opened
    assert read_until(source, lambda found: any(isinstance(message, Ack) for message in found))
    source.close()


@pytest.mark.process
def test_a_simulated_board_that_dies() -> None:
    """A child that is killed is an unreachable board."""
    source = SimSource("sim:", BOARD, {"speed": "max"})
    os.kill(source.child.pid, signal.SIGKILL)
    with pytest.raises(BoardUnreachableError, match="the simulated board has ended"):
        ask_for_ever(source.answers_fileno(), source.answers)
    with pytest.raises(BoardUnreachableError, match="the connection is lost"):
        ask_for_ever(source.fileno(), source.read)
    source.close()


PARENT = """
import sys
from firmware_bridge.sources import open_source
from hardware import load_board
source = open_source("sim:?speed=max", load_board("travel-10x10"))
print(source.child.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.process
def test_a_simulated_board_dies_with_its_parent() -> None:
    """Also when the parent is killed and can clean up nothing."""
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
    assert parent.stdout is not None
    assert parent.stdin is not None
    child = os.pidfd_open(json.loads(parent.stdout.readline()))
    parent.kill()
    parent.wait(PATIENCE_S)
    assert select.select([child], [], [], PATIENCE_S)[0], "the board lives on"
    os.close(child)
    parent.stdout.close()
    parent.stdin.close()
