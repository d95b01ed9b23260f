"""`hallmarshal doctor`: one report, a live picture, a picture for documents, on simulated boards, ports and recordings."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import gpiozero  # type: ignore[import-untyped]  # it ships no types
import pytest

from firmware_bridge.checkup import Checkup, Expected, diagnose
from firmware_bridge.messages import Frame, FrameFlag, Reading
from firmware_bridge.recording import Piece, first_line, piece_line
from hardware import load_board
from referee.cli.doctor import screen
from referee.cli.main import main
from simulator.board import SimBoard
from simulator.motions import Place
from simulator.simulated_pi import StrictMatrix
from tests.bridge.matrix_table import MATRIX, matrix_board
from tests.cli.simulated_board import COMMAND, ROOT, Board, children_of
from tests.patience import PATIENCE_S

PAGE = "docs/how-to/doctor.md"


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Return the JSON report about a board."""
    code = main(["doctor", *arguments, "--json", "--seconds", "0"])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    told: dict[str, Any] = json.loads(out)
    return told


def found_in(told: dict[str, Any]) -> list[str]:
    """Return the kinds of the findings, without slow answers, which a busy machine can cause for any board."""
    return [finding["kind"] for finding in told["findings"] if finding["kind"] != "slow-answers"]


def troubles(told: dict[str, Any]) -> dict[str, str]:
    """Return each square with a fault, and its fault."""
    return {name: square["trouble"] for name, square in told["squares"].items() if square["trouble"]}


@pytest.mark.process
def test_a_board_that_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    """A simulated set-up on a perfect board: who it is, every square, the rate, the answers, nothing found but what hands do."""
    told = report(capsys, "--board", "sim:?seed=1")
    assert (told["file"], told["position"], told["disagreements"]) == ("travel-10x10", "start", [])
    assert told["hello"]["calibrated"] is True
    assert told["link"] == {
        "frames": told["link"]["frames"],
        "scan_hz": 100.0,
        "lost": 0,
        "broken": 0,
        "reboots": 0,
        "losses": 0,
    }
    assert 0 < told["answers_ms"]["p50"] <= told["answers_ms"]["p99"]
    readings = [square["reading"] for square in told["squares"].values()]
    assert (readings.count("red"), readings.count("blue"), readings.count("empty")) == (40, 40, 12)
    assert set(troubles(told).values()) <= {"weak"}
    assert told["well"] == (not told["findings"])


def test_squares_that_are_not_well_have_felt_no_magnet() -> None:
    """A broken wire and a stuck sensor read as magnets do: they are no part of how many squares have felt one."""
    board = load_board("travel-10x10")
    checkup = Checkup(board, {}, Expected.EMPTY)
    bad = {"e6": Reading.RED, "h10": Reading.BLUE}
    for ms, piece in ((1000, ""), (1010, "a1"), (1300, "a1"), (1310, "b1"), (1600, "b1")):
        shown = bad | {piece: Reading.RED}
        squares = tuple(shown.get(square, Reading.EMPTY) for square in board.squares)
        checkup.hear(Frame(ms // 10 % 256, ms, squares, FrameFlag(0)))
    lines = [str(line) for line in screen(checkup, diagnose(checkup, "sim:"), "sim:", height=None)]
    assert "The board is empty. Pass a magnet over every square: 2 of 92 have felt one so" in lines


@pytest.mark.process
def test_faults_are_named_with_their_squares(capsys: pytest.CaptureFixture[str]) -> None:
    """Dead, stuck, a broken wire, a weak magnet: each square with its trouble, each trouble with its next step."""
    told = report(capsys, "--board", "sim:?seed=1&noise=home&faults=c3=dead,e6=stuck,a1=open,b8=weak")
    found = troubles(told)
    assert {name: found[name] for name in ("c3", "e6", "a1", "b8")} == {
        "c3": "nothing-felt",
        "e6": "stuck",
        "a1": "out-of-range",
        "b8": "weak",
    }
    kinds = found_in(told)
    assert kinds[:4] == ["out-of-range", "stuck", "nothing-felt", "weak"]
    assert "self-test" in kinds
    assert all(finding["what"] and finding["next"] for finding in told["findings"])
    assert told["well"] is False


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "kinds"),
    [
        (["--board", "sim:?calibrated=no", "--expect", "empty"], ["uncalibrated"]),
        (["--board", "sim:", "--expect", "empty"], []),
        (["--board", "sim:", "--expect", "empty", "--sensing", "occupancy"], []),
        (["--board", "sim:", "--board-file", "castle-three"], []),
    ],
    ids=str,
)
def test_other_boards(arguments: list[str], kinds: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Empty ones, uncalibrated ones, digital ones, three armies."""
    assert found_in(report(capsys, *arguments)) == kinds


@pytest.mark.process
def test_a_reversed_magnet_on_a_port(capsys: pytest.CaptureFixture[str]) -> None:
    """A board behind a pty, found out by its own HELLO: one piece with the wrong pole, one missing."""
    with Board() as board:
        with board.listened_to():
            board.set_up(without=("j4", "j10"))
            board.wish(motion="put", seat="blue", square="j4")
        told = report(capsys, "--board", f"serial:{board.path}")
    found = {name: trouble for name, trouble in troubles(told).items() if trouble != "weak"}  # hands are not exact
    assert found == {"j4": "reversed", "j10": "nothing-felt"}


@pytest.mark.process
def test_another_board_than_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    """What disagrees is told, and no square is judged by a wrong name."""
    with Board() as board:
        told = report(capsys, "--board", f"serial:{board.path}", "--board-file", "compact-10x8")
    assert len(told["disagreements"]) == 3
    assert set(found_in(told)) == {"disagrees"}
    assert troubles(told) == {}


def test_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It names its board, is only listened to, and its end is no error."""
    file = load_board("compact-10x8")
    board = SimBoard(file, 4)
    path = tmp_path / "stream.txt"
    sent = [*board.start(), *board.play(Place("red", ("a1", "b1")))]
    path.write_text(first_line(file) + "".join(piece_line(Piece(0, True, data)) for data in sent))
    code = main(["doctor", "--board", f"replay:{path}?speed=max", "--json", "--seconds", "30"])
    told = json.loads(capsys.readouterr().out)
    assert (code, told["file"], told["hello"]["board_id"]) == (0, "compact-10x8", "compact-10x8")
    assert [name for name, square in told["squares"].items() if square["reading"] == "red"] == ["a1", "b1"]


def test_a_matrix_on_the_pins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command on a Pi's own pins: who it is, what it feels; a magnet on an empty board is told with its square."""
    path = tmp_path / "matrix.toml"
    text = MATRIX.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?m)^settle_us = \d+", "settle_us = 0", text))
    board = matrix_board(settle_us=0)
    assert board.gpio is not None
    matrix = StrictMatrix(board.gpio)
    matrix.magnets = {board.scan.channels[board.squares.index("e5")]}
    monkeypatch.setattr(gpiozero.Device, "pin_factory", matrix)
    told = report(capsys, "--board", f"gpio:{path}", "--expect", "empty")
    assert (told["file"], told["disagreements"]) == ("travel-pi-matrix", [])
    assert troubles(told) == {"e5": "stuck"}
    assert [name for name, square in told["squares"].items() if square["reading"] != "empty"] == ["e5"]
    assert matrix.selected == set()


@pytest.mark.process
def test_the_report_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    """Facts, the board with a letter and a mark a square, the legend, findings with their next step."""
    code = main(["doctor", "--board", "sim:?faults=c3=dead", "--once", "--seconds", "0"])
    out = capsys.readouterr().out
    assert code == 0
    assert out.startswith("hallmarshal doctor   sim:?faults=c3=dead\ntravel-10x10, colour, ")
    assert re.search(r"^  3 R\d R\d \u00b7x R", out, re.MULTILINE)
    assert "x dead or missing" in out
    assert "Start position: 79 of 80 pieces are felt." in out
    assert "c3: nothing is felt where a piece should stand.\n\u2192 Put a piece there;" in out


def rows_of(picture: str) -> list[str]:
    """Return the text on each line of a picture, without the line above the board, whose times differ in each run."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for x, y, text in re.findall(r'<text[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>', picture):
        rows.setdefault(float(y), []).append((float(x), text))
    lines = ["".join(text for _, text in sorted(row)) for _, row in sorted(rows.items())]
    return [line for line in lines if not line.startswith("frames")]


@pytest.mark.process
def test_the_picture_in_the_documents_is_what_the_command_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An SVG that stands alone: no font and no other file is loaded from anywhere; and the one that is shown is up to date.

    The simulated board is asked, but each of its answers counts as one that took a millisecond: on a busy machine they take
    long, and the command then rightly adds a line about slow answers, which the picture does not have.
    """
    measured = Checkup.answered
    monkeypatch.setattr(Checkup, "answered", lambda self, after_ms: measured(self, min(after_ms, 1.0)))
    command = re.search(
        r'hallmarshal doctor --board "([^"]+)" --picture (\S+)', (ROOT / PAGE).read_text(encoding="utf-8")
    )
    assert command is not None
    path = tmp_path / "doctor.svg"
    assert main(["doctor", "--board", command[1], "--picture", str(path), "--seconds", "0"]) == 0
    assert capsys.readouterr() == ("", "")
    text = path.read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert re.findall(r"https?://[^\"]+", text) == ["http://www.w3.org/2000/svg"]
    assert "url(#" in text
    assert "Start&#160;position" in text
    assert rows_of(text) == rows_of((ROOT / command[2]).read_text(encoding="utf-8"))


BAD = [
    (["--board", "sim:", "--picture", "doctor.png"], 2, "must end in .svg"),
    pytest.param(
        ["--board", "sim:", "--picture", "/nowhere/doctor.svg", "--seconds", "0"],
        2,
        "No such file",
        marks=pytest.mark.process,
    ),
    (["--board", "replay:nowhere.txt"], 2, "No such file"),
    pytest.param(
        ["--board", "sim:", "--tiles", "1"], 2, "travel-10x10 is not made of tiles", marks=pytest.mark.process
    ),
    (["--board", "serial:/dev/ttyNONE"], 3, "there is no such port"),
    (["--board", "gpio:nowhere.toml"], 2, "No such file"),
    pytest.param(["--board", "sim:?faults=k1=dead"], 2, "did not start", marks=pytest.mark.process),
    pytest.param(["--board", "sim:?quiet-ms=-5"], 2, "'-5' is no number of milliseconds", marks=pytest.mark.process),
]


@pytest.mark.parametrize(("arguments", "code", "reason"), BAD, ids=str)
def test_what_cannot_be_examined(
    arguments: list[str], code: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One clear line and the right exit code."""
    assert main(["doctor", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert reason in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("seconds", ["x", "-1", "nan", "1e9"])
def test_seconds_that_are_none(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A bad argument, before any board is opened."""
    with pytest.raises(SystemExit) as caught:
        main(["doctor", "--board", "sim:", "--seconds", seconds])
    assert caught.value.code == 2
    assert "is no number of seconds" in capsys.readouterr().err


@contextmanager
def live(url: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run the live picture on a terminal of 80 x 24. Yields the process and the terminal's other end. Nothing of it is
    left.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    child = subprocess.Popen(
        [*COMMAND, "doctor", "--board", url],
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"},
    )
    os.close(theirs)
    assert child.stderr is not None
    with child.stderr:
        try:
            yield child, ours
        finally:
            child.kill()
            child.wait(PATIENCE_S)
            os.close(ours)


def said(child: subprocess.Popen[bytes]) -> str:
    """Return what an ended process wrote to stderr."""
    assert child.stderr is not None
    return child.stderr.read().decode()


def shown(terminal: int, wanted: str) -> str:
    """Return what the terminal shows until this pattern is there, without colours and cursor moves."""
    seen, until_s = "", time.monotonic() + PATIENCE_S
    while not re.search(wanted, seen):
        left_s = max(0.0, until_s - time.monotonic())
        assert select.select([terminal], [], [], left_s)[0], f"never shown: {wanted!r} in {seen[-2000:]!r}"
        raw = os.read(terminal, 65536).decode(errors="replace")
        seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", raw)
    return seen


@pytest.mark.process
def test_the_live_picture_ends_with_ctrl_c() -> None:
    """It fills as the hands set up; Ctrl-C leaves the terminal as it was, no traceback and no process."""
    with live("sim:") as (child, terminal):
        assert "travel-10x10, colour" in shown(terminal, "have felt one")
        shown(terminal, r"\b[1-9][0-9]* of 92")
        (simulator,) = [os.pidfd_open(pid) for pid in children_of(child.pid)]
        child.send_signal(signal.SIGINT)
        assert child.wait(PATIENCE_S) == 130
        assert select.select([simulator], [], [], PATIENCE_S)[0], "the simulated board lives on"
        os.close(simulator)
        assert said(child) == ""


@pytest.mark.process
def test_the_live_picture_survives_a_pulled_cable(tmp_path: Path) -> None:
    """It says that the board is away, and goes on when it is back under the same path."""
    path = tmp_path / "board"
    with ExitStack() as stack:
        with Board() as board:
            path.symlink_to(board.path)
            child, terminal = stack.enter_context(live(f"serial:{path}"))
            shown(terminal, "The board is empty.")
        shown(terminal, "No connection: waiting for the board to come back.")
        path.unlink()
        with Board() as board:
            path.symlink_to(board.path)
            shown(terminal, "The connection was lost once.")
            shown(terminal, "answers ")
            child.send_signal(signal.SIGINT)
            assert child.wait(PATIENCE_S) == 130
        assert said(child) == ""


@pytest.mark.process
def test_a_live_board_that_is_gone_for_good(tmp_path: Path) -> None:
    """A recording that ends closes the picture with exit 3 and one line."""
    file = load_board("travel-10x10")
    path = tmp_path / "stream.txt"
    path.write_text(first_line(file) + "".join(piece_line(Piece(0, True, data)) for data in SimBoard(file).start()))
    with live(f"replay:{path}") as (child, terminal):
        shown(terminal, "travel-10x10")
        assert child.wait(PATIENCE_S) == 3
        assert said(child) == f"hallmarshal: board replay:{path}: the recording has ended\n"
