"""The frame log: a game by a real table is played back from it and is the same game; parts follow each other; no disk stops a game."""

from __future__ import annotations

import json
import os
import signal
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.recording import Piece, parse_recording
from hardware import load_board
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.runtime.errors import BadInputError
from referee.runtime.frame_log import PARTS, FrameLog, FrameTap
from referee.runtime.playback import RecordedFrames, recorded_config, recorded_in
from referee.runtime.table_config import TableConfig
from referee.simulated_players.player import BotAct, Fault
from referee.table.settings import TableSettings, settings_as_told
from tests.demo.running import hallmarshal
from tests.reliability.test_limits import missing
from tests.runtime.at_table import AtTable, Line, Program

BOARD = load_board("travel-10x10")
MB = 1024 * 1024


def told(events: list[Line]) -> list[tuple[Any, ...]]:
    """Return a game as its final moves, verdicts, corrections and end, with what everybody was shown."""
    kept = {"begin", "move.final", "verdict", "verdict.voided", "plies.taken-back", "end"}
    names = ("kind", "ply", "seat", "source", "target", "result", "captured", "text")
    return [tuple(json.dumps(event[name]) for name in names) for event in events if event["kind"] in kept]


class Corrected(AtTable):
    """A table whose players' answers may cross with the arbiter's word once he has spoken: such a one is refused, and asked for anew."""

    spoken = False

    def _do(self, seat: Seat, handset: Program, deeds: Iterable[BotAct]) -> None:
        super()._do(seat, handset, [deed for deed in deeds if not (self.spoken and isinstance(deed, Fault))])


@pytest.mark.process
def test_a_frame_log_plays_the_same_game_again(tmp_path: Path) -> None:
    """Moves and verdicts are those of the game, a voided one included; the log holds ranks and is its owner's alone."""
    with Corrected(tmp_path, "duel", "--frame-log", "--keep-keys") as table:
        table.take_seats()
        verdict = table.play_on("verdict", game=1)
        table.spoken = True
        table.table.send(f"void {verdict['ply']} the wrong rank was tapped")
        table.play_on("verdict.voided", game=1)
        table.play_on("verdict", game=1)
        table.play_on("verdict", game=1)
        table.table.send("status")
        table.table.send("abort")
        table.play_on("end", game=1)
        assert table.table.end(signal.SIGTERM) == 0
        played = told(table.events)
        (line,) = [line for line in table.table.complaint if line.startswith("{")]
        status = json.loads(line)["status"]
        assert missing(status) == [], "what the page of reliability names is there"
        assert status["game"]["frame_log"] is True
        assert status["game"]["journal_rows"] > status["game"]["ply"] >= status["game"]["can_go_back"] > 0
        assert status["board"]["said"].pop("frames") > 0
        assert status["board"] == {"health": [], "said": {"started-power-on": 1}}, "nothing was wrong on the line"
        assert (status["link"]["connection"]["dropped"], status["link"]["faults"]) == (0, 0)
    (log,) = (tmp_path / "table").glob("games/*/frames-1.log")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    arguments = f"table --board replay:{log}?speed=max --web 127.0.0.1:0 --json --state {tmp_path / 'again'}".split()
    again = hallmarshal(*arguments, state=tmp_path)
    assert again.returncode == 0, again.stderr
    lines = [json.loads(line) for line in again.stdout.splitlines()]
    assert told([line for line in lines if "kind" in line]) == played
    (record,) = (tmp_path / "again").glob("games/*/game.record")
    assert "voided" in record.read_text()
    assert not list((tmp_path / "again").glob("games/*/frames*"))


def logged(folder: Path, most_bytes: int, notes: list[str], free: Callable[[Path], int] | None = None) -> FrameLog:
    """Return a log that begins as a game's does, with its own times."""
    now = iter(range(10**9))
    log = FrameLog(folder, BOARD, most_bytes, notes.append, free_bytes=free, now_ms=lambda: next(now))
    log.told({"by": "open", "settings": {}})
    return log


def test_parts_follow_each_other_and_the_oldest_goes(tmp_path: Path) -> None:
    """No more than the limit is ever on the disk; a log without its beginning says so."""
    notes: list[str] = []
    log = logged(tmp_path, 4000, notes)
    for number in range(40):
        log.bytes(bytes([number]) * 10)
    first = recorded_in(f"replay:{tmp_path / 'frames-1.log'}", BOARD)
    assert first is not None
    data = [entry.data for entry in first.entries if isinstance(entry, Piece)]
    assert data == [bytes([number]) * 10 for number in range(40)]
    for number in range(400):
        log.bytes(bytes([number % 256]) * 10)
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 4000 + 1000
    log.close()
    parts = sorted(tmp_path.iterdir(), key=lambda path: int(path.stem.split("-")[1]))
    assert len(parts) == PARTS
    assert notes == []
    log.bytes(b"late")  # nothing happens
    log = FrameLog(tmp_path, BOARD, 4000, notes.append)  # the table was started again
    log.told({"by": "reopen"})
    log.close()
    newest = max(tmp_path.iterdir(), key=lambda path: int(path.stem.split("-")[1]))
    with pytest.raises(BadInputError, match="in the middle of a game"):
        recorded_in(f"replay:{newest}", BOARD)


def test_no_computer_takes_a_seat_of_a_recorded_game() -> None:
    """What a computer said is in the log; who decided elsewhere is as it was, whatever the table's own file says now."""
    settings = settings_as_told(TableSettings("table", "game", rule_set("duel"), decided=(Seat.RED,)))
    config = recorded_config(TableConfig(computers={Seat.BLUE: 3}), RecordedFrames(settings, ()))
    assert config.elsewhere == (Seat.RED,)
    assert not config.computers


def test_a_board_alone_can_read_it(tmp_path: Path) -> None:
    """For `doctor` and other programs the notes mean nothing; a line that a kill has cut is left out."""
    log = logged(tmp_path, MB, [])
    log.bytes(b"\x01\x02")
    log.told({"by": "pause"})
    log.close()
    path = tmp_path / "frames-1.log"
    with path.open("a") as file:
        file.write("99 < 0")
    assert recorded_in(f"replay:{path}", BOARD) is not None
    with path.open() as lines:
        whole = [line for line in lines if line.endswith("\n")]
    assert [piece.data for piece in parse_recording(whole, "x", BOARD)] == [b"\x01\x02"]


def test_a_full_disk_ends_the_log_and_nothing_else(tmp_path: Path) -> None:
    """Once: with little room left, when nothing can be written, and where no file can be made."""
    notes: list[str] = []
    rooms = iter([10**12, 10**6])
    log = logged(tmp_path, 100 * MB, notes, lambda folder: next(rooms))
    for _ in range(30):
        log.bytes(b"\0" * 20_000)
    assert not log.on
    assert notes == [f"{tmp_path}: the frame log ends here (the disk is nearly full); the game goes on"]
    missing = FrameLog(tmp_path / "missing", BOARD, MB, notes.append)
    missing.bytes(b"\0")
    missing.close()
    assert (missing.on, len(notes)) == (False, 2)
    log = logged(tmp_path, MB, notes)
    assert log._file is not None
    os.dup2(os.open("/dev/full", os.O_WRONLY), log._file.fileno())
    log.bytes(b"\0")
    log.bytes(b"\0")
    assert (log.on, len(notes)) == (False, 3)
    assert "No space left" in notes[-1]


def test_a_log_begins_with_a_whole_frame(tmp_path: Path) -> None:
    """Bytes of a frame that had begun before the game are its first ones."""
    log = logged(tmp_path, MB, [])
    tap = FrameTap()
    tap(True, b"\x05\x05\0\x07")
    tap(False, b"\x09")
    tap(True, b"\x08")
    tap.log_to(log)
    tap(True, b"\x06\0")
    tap.log_to(None)
    tap(True, b"\x01\0")
    log.close()
    found = recorded_in(f"replay:{tmp_path / 'frames-1.log'}", BOARD)
    assert found is not None
    assert [entry.data for entry in found.entries if isinstance(entry, Piece)] == [b"\x07\x08", b"\x06\0"]
