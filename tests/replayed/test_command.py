"""`hallmarshal record show --board`: on a simulated board's pty, with hands that obey, err and stop; and what cannot be."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.journal.records.formats import write_record
from referee.journal.records.views import views
from referee.rules import rule_set
from tests.cli.simulated_board import Board
from tests.demo.running import ROOT, environment
from tests.patience import PATIENCE_S
from tests.records.recorded_games import random_game

DUEL = rule_set("duel")
GAME = random_game(DUEL, 2, 3).record
ILLEGAL = write_record(GAME, "own").replace("e8-e6", "e8-a1")
POSITIONS = [{name: seat.value for name, seat in view.occupants.items()} for view in views(GAME, DUEL)]


class Running:
    """A replay, line by line as it speaks on stdout."""

    def __init__(self, state: Path, *command: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee.cli.main", *command],
            cwd=ROOT,
            env=environment(state, PYTHONUNBUFFERED="1"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def send(self, line: str) -> None:
        """Write a line to it."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def until(self, text: str) -> str:
        """Return the next line that has this in it."""
        while (line := self._lines.get(timeout=PATIENCE_S)) is not None:
            if text in line:
                return line
        raise AssertionError(f"it ended without {text!r}")

    def end(self) -> int:
        """Return its exit code."""
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Return a game's file."""
    path = tmp_path / "game.record"
    path.write_text(write_record(GAME, "own"), encoding="utf-8")
    return path


@pytest.fixture
def board() -> Iterator[Board]:
    """Yield an empty simulated board, which stands still but for its heartbeat while no hand moves."""
    with Board() as board:
        yield board


@pytest.mark.process
def test_a_game_from_its_set_up_to_its_end(
    tmp_path: Path, record: Path, board: Board, capsys: pytest.CaptureFixture[str]
) -> None:
    """Set up, a wrong move and the right one; broken off, and gone on with; nothing of it is kept, and nobody else has the board."""
    command = ("record", "show", str(record), "--board", f"serial:{board.path}", "--lang", "en")
    first = Running(tmp_path, *command)
    assert f"; and {len(POSITIONS[0]) - 4} more" in first.until("Set up your pieces")
    assert main(["record", "show", str(record), "--board", f"serial:{board.path}"]) == 3
    assert "another program uses it" in capsys.readouterr().err
    board.wish(motion="restore", squares=POSITIONS[0])
    move = GAME.plies[0].action
    first.until("Please make this move")
    (source, *_), free = repr(GAME.plies[0]).split()[1].split("-"), "a5"
    board.wish(motion="move", **{"from": source, "to": free})
    board.wish(motion="wait", after_ms=5_000)
    assert f"{source}: Red belongs here; {free}: must be empty" in first.until("isn’t the chosen move")
    board.wish(motion="move", **{"from": free, "to": source})
    first.until("Please make this move")
    board.wish(motion="move", **{"from": source, "to": move.target.name})  # type: ignore[union-attr] # the first ply is a move
    first.until("    1  Red")
    first.send("go 99")
    first.until("go 0 ... go 3")
    first.process.send_signal(signal.SIGINT)
    assert "--from 1" in first.until("To continue from here")
    assert first.end() == 130
    first.close()
    second = Running(tmp_path, *command, "--from", "2")
    second.until("Set up your pieces")
    second.send("on")
    second.until("Fix the board")
    board.wish(motion="restore", squares=POSITIONS[3])
    second.until("Finished")
    assert second.end() == 0
    second.close()
    assert [path.name for path in tmp_path.iterdir()] == [record.name]


@pytest.mark.process
def test_a_board_that_goes_away_is_waited_for(tmp_path: Path, record: Path, board: Board) -> None:
    """The screen says that it is gone; the end of what is typed ends the replay all the same. A move against the rules was named before."""
    record.write_text(ILLEGAL, encoding="utf-8")
    link = tmp_path / "board"
    os.symlink(board.path, link)
    replay = Running(tmp_path, "record", "show", str(record), "--board", f"serial:{link}", "--lang", "en")
    replay.until("Move 2 in the record (Blue e8-a1) is against the rules, so the replay ends before it.")
    replay.until("Set up your pieces")
    link.unlink()
    board.child.kill()
    replay.until("Plug the board in firmly")
    assert replay.process.stdin is not None
    replay.process.stdin.close()
    assert "--from 0" in replay.until("To continue from here")
    assert replay.end() == 0
    replay.close()


@pytest.mark.process
def test_the_kiosk_stays_after_the_end(
    tmp_path: Path, record: Path, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its window shows the end until it is closed, and from there the game can go back; a typed `quit` closes it, too."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "OFFSCREEN")  # in capitals the kiosk takes it for a screen
    command = (
        "record",
        "show",
        str(record),
        "--board",
        f"serial:{board.path}",
        "--lang",
        "en",
        "--kiosk",
        "--from",
        "3",
    )
    replay = Running(tmp_path, *command)
    replay.until("Set up your pieces")
    board.wish(motion="restore", squares=POSITIONS[3])
    replay.until("Finished")
    replay.send("back")
    replay.until("The game goes back")
    replay.send("quit")
    assert "--from 2" in replay.until("To continue from here")
    assert replay.end() == 0
    replay.close()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--board", "serial:/dev/no-such-port"), 3, "there is no such port"),
        (("--board", "shelf:"), 2, "begins with one of"),
        (("--board", "sim:", "--from", "4"), 2, "0 to 3 moves of this game, not 4"),
        (("--board", "sim:", "--from", "-1"), 2, "0 to 3 moves of this game, not -1"),
        (("--board", "sim:", "--speed", "2"), 2, "neither --shot nor --speed"),
        (("--board", "sim:", "--spoken"), 2, "--spoken only on a --kiosk"),
        (("--from", "1"), 2, "go with --board"),
        (("--board", "sim:", "--board-file", "no-such-board"), 2, "no-such-board"),
    ],
)
def test_what_cannot_be_is_one_line(
    record: Path, arguments: tuple[str, ...], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """No board, no such place in the game, options that do not go together."""
    assert main(["record", "show", str(record), *arguments]) == code
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.process
def test_a_board_of_another_shape_is_one_line(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The record's rules are not played on it."""
    assert main(["record", "show", str(record), "--board", "sim:", "--board-file", "castle-four"]) == 2
    assert "rule set duel is not played on board castle-four" in capsys.readouterr().err


CUT = write_record(GAME, "own")
SPOILT = {
    "a move against the rules": (ILLEGAL, "0 to 1 moves of this game, not 9. Move 2 in the record (Blue e8-a1) is"),
    "a set-up against the rules": (CUT.replace("i4 ", "i5 "), "the set-up is against the rules (red: outside-zone i5)"),
    "cut off in its set-up": (CUT[: CUT.index("[set-up blue]") + 40], "[plies] is missing"),
    "cut off before its moves": (CUT[: CUT.index("[plies]")], "[plies] is missing"),
    "cut off among its moves": (CUT[: CUT.index("3 red")], "0 to 2 moves of this game, not 9"),
    "no text": ("\x00", "neither a record of ours"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_record_is_one_line(name: str, record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong with it is said, or with what can be played of it, before any board is opened."""
    text, said = SPOILT[name]
    record.write_text(text, encoding="utf-8")
    assert main(["record", "show", str(record), "--board", "shelf:", "--from", "9", "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_a_record_without_a_set_up_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A game that ended before it was set up has nothing to lay out."""
    path = tmp_path / "game.record"
    path.write_text(write_record(type(GAME)("duel"), "own"), encoding="utf-8")
    assert main(["record", "show", str(path), "--board", "sim:"]) == 2
    assert "no set-up" in capsys.readouterr().err
