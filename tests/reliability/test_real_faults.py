"""Whole programs while something really breaks: the network between them, a handset for good, the board's cable with its chip, the disk."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

import pytest

from fault_injection.faulty_disk import LoopDisk, why_not
from referee.net.broker.mosquitto import free_port
from referee.rules.values import Seat
from referee.runtime.state_file import is_free
from referee.simulated_players.player import BotAct, Do, Say
from referee.table.messages import Declare
from tests.demo.running import hallmarshal
from tests.demo.test_what_goes_wrong import wait_until
from tests.door.test_door import UPGRADE
from tests.net.test_existing_broker import set_up
from tests.patience import PATIENCE_S
from tests.reliability.mqtt_proxy import MqttProxy
from tests.reliability.test_killed_table import Interrupted, consistent
from tests.runtime.at_table import AtTable, Line, Program

pytestmark = pytest.mark.process


def end_by(table: AtTable, seat: Seat) -> Line:
    """Let a seat resign. Returns the end of the game."""
    handset = table.handsets[seat]
    table.rest()
    handset.send({"type": "resign"})
    return table.play_on("end", game=1)


def is_legal(state: Path) -> bool:
    """Return whether the only record is that of a legal game."""
    (record,) = (state / "table").glob("games/*/game.record")
    return bool(json.loads(hallmarshal("record", "check", str(record), "--json", state=state).stdout)["legal"])


class Late(AtTable):
    """A table whose players look at the board again after every letter: it may come after the view that goes with it."""

    def _deeds(self, seat: Seat, line: Line) -> Iterable[BotAct]:
        yield from super()._deeds(seat, line)
        if "state" in line:
            self._shown[seat] = line
        elif "letter" in line and seat in self._shown:
            yield from super()._deeds(seat, self._shown[seat])

    def __enter__(self) -> Self:
        self._shown: dict[Seat, Line] = {}
        return super().__enter__()


def test_letters_twice_and_out_of_order_and_a_network_that_goes(tmp_path: Path) -> None:
    """Every letter counts once, in whatever order; when the network is back the game goes on where it was."""
    with (
        set_up(tmp_path / "broker", tmp_path / "table" / "broker", "table") as address,
        MqttProxy(address.port) as proxy,
        Late(tmp_path, "duel", "--broker", f"mqtt://127.0.0.1:{proxy.port}") as table,
    ):
        names = table.take_seats()
        verdicts = 0
        while verdicts < 4 or proxy.swapped <= 3:  # letters overtake each other where they come close together
            table.play_on("verdict", game=1)
            verdicts += 1
        players, table.handsets = (
            table.handsets,
            {},
        )  # from here on nobody plays: what is said meanwhile is said to nobody
        proxy.cut()
        table.everybody(names, lambda line: line.get("link") == "down")
        proxy.mend()
        table.everybody(names, lambda line: line.get("letter", {}).get("type") == "state")
        players[Seat.RED].send({"type": "resign"})
        assert table.play_on("end", game=1)["text"] == "resign"
        assert table.table.end(signal.SIGTERM) == 0
        consistent(table.events)
        settled = [event["ply"] for event in table.events if event["kind"] == "verdict"]
        assert len(set(settled)) == len(settled) >= verdicts
        assert proxy.doubled > 20
    assert is_legal(tmp_path)


class Hesitant(AtTable):
    """A table whose red player declares nothing while red hesitates."""

    hesitates = True

    def _deeds(self, seat: Seat, line: Line) -> Iterable[BotAct]:
        for deed in super()._deeds(seat, line):
            declares = isinstance(deed, Say) and isinstance(deed.message, Declare)
            if not (declares and seat is Seat.RED and self.hesitates):
                yield deed


def test_a_handset_that_is_gone_for_good(tmp_path: Path) -> None:
    """Another one takes its seat in the middle of an attack and is asked what that one was; with no other one the arbiter ends it."""
    with Hesitant(tmp_path) as table:
        table.take_seats()
        table.play_on("attack", game=1)
        table.handsets.pop(Seat.RED).end(signal.SIGKILL)
        table.hesitates = False
        links = tmp_path / "table" / "join.json"
        table.table.send("pair red")
        wait_until(lambda: json.loads(links.read_text()) != {})
        new = table.join(Seat.RED, json.loads(links.read_text())["red"]).name
        state = table.next(new, lambda line: line.get("letter", {}).get("type") == "state")["letter"]
        table.heard.put((new, {"letter": state["question"]}))  # for the player, who has been asked again
        table.play_on("verdict", game=1)
        table.handsets.pop(Seat.BLUE).end(signal.SIGKILL)
        table.table.send("abort")
        end = table.play_on("end", game=1)
        assert (end["seat"], end["text"]) == (None, "aborted")
        assert table.table.end(signal.SIGTERM) == 0
        consistent(table.events)


class ByCable(AtTable):
    """A table whose board is reached by a path that stays while cable and chip come and go; its players make one move and no more."""

    _moved: bool

    def _deeds(self, seat: Seat, line: Line) -> Iterable[BotAct]:
        for deed in super()._deeds(seat, line):
            moves = isinstance(deed, Do) and deed.intent is not None
            if not (moves and self._moved):
                self._moved = self._moved or moves
                yield deed

    def __enter__(self) -> Self:
        self._moved = False
        return super().__enter__()

    def board_program(self) -> Program:
        """Start a board, which is empty, and let its path lead to it."""
        board = self.program("board", *f"simulator.process --board {self._board} --speed max --seed 3".split())
        pty = self.next("board", lambda line: "pty" in line)["pty"]
        path = self.state / "ttyBoard"
        path.unlink(missing_ok=True)
        path.symlink_to(pty)
        self.board_path = str(path)
        return board


def test_cable_and_chip_go_in_the_middle_of_a_move(tmp_path: Path) -> None:
    """The cable comes out with a piece in the air, another chip start is what comes back: said, the board is compared, the game goes on."""
    with ByCable(tmp_path) as table:
        names = table.take_seats()
        view = table.everybody(names[:1], lambda line: _has_moved(line.get("state", {})))[names[0]]
        table.rest()
        squares = view["state"]["occupants"]
        mover = next(square for square, seat in squares.items() if seat == view["state"]["turn"])
        table.board.send({"motion": "lift", "square": mover})
        table.everybody(names[:1], lambda line: _holds(line.get("state", {}), mover))
        (tmp_path / "ttyBoard").unlink()
        table.board.end(signal.SIGKILL)
        while table.take() != ("board", None):
            pass
        table.everybody(names[:1], lambda line: line.get("state", {}).get("board_fault") is not None)
        table.board = table.board_program()
        table.board.send({"motion": "restore", "squares": squares})
        back = table.everybody(names[:1], lambda line: _goes_on(line, squares))[names[0]]
        assert back["state"]["ply"] == view["state"]["ply"]
        assert end_by(table, Seat.RED)["text"] == "resign"
        assert table.table.end(signal.SIGTERM) == 0
        consistent(table.events)
        assert "board.link" in [event["kind"] for event in table.events]
    assert is_legal(tmp_path)


def _has_moved(view: Line) -> bool:
    return view.get("ply") == 1 and view["phase"] == "waiting-for-move" and view["in_hand"] == []


def _holds(view: Line, square: str) -> bool:
    """Return whether a piece is in hand and the move before it final: otherwise that is taken back while its piece is
    unseen.
    """
    last = view.get("last_move")
    return square in view.get("in_hand", ()) and (last is None or bool(last["final"]))


def _goes_on(line: Line, squares: dict[str, str]) -> bool:
    view = line.get("state", {})
    return view.get("phase") == "waiting-for-move" and not view["board_fault"] and view["occupants"] == squares


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
@pytest.mark.parametrize("what", ["is full", "turns read-only"])
def test_a_disk_that_takes_nothing_more(what: str, tmp_path: Path) -> None:
    """One line and exit code 3; once somebody has put the disk right the game goes on, and nobody pairs again."""
    with LoopDisk(tmp_path) as disk, Interrupted(disk.path) as table:
        table.take_seats()
        told = table.play_on("verdict", game=1)
        disk.fill() if what == "is full" else disk.fail()
        assert table.play_to_exit() == 3
        assert [line for line in table.table.complaint if "cannot be written" in line] == table.table.complaint[-1:]
        names = [handset.name for handset in table.handsets.values()]
        table.handsets.clear()
        disk.put_right()
        table.start_again()
        assert table.ready["join"] == {}
        heard = table.everybody(names, lambda line: line.get("state", {}).get("seq", 0) > told["seq"])
        assert {line["state"]["game"] for line in heard.values()} == {told["game"]}
        assert table.table.end(signal.SIGTERM) == 0
        consistent(table.events)


def edit(journal: Path, size: int) -> None:
    """Change a row as anybody with SQLite could."""
    with contextlib.closing(sqlite3.connect(journal, isolation_level=None)) as base:
        base.execute("UPDATE rows SET public = '{}' WHERE seq = (SELECT max(seq) - 2 FROM rows)")


def log_of(journal: Path) -> Path:
    """Return where SQLite's log of a journal lies, which holds the whole game."""
    return journal.with_name(f"{journal.name}-wal")


def cut_log(journal: Path, size: int) -> None:
    """Cut the log to the size that it had earlier in the game."""
    os.truncate(log_of(journal), size)


def cut_log_and_forget(journal: Path, size: int) -> None:
    """Cut the log, and delete what remembers how long it was."""
    cut_log(journal, size)
    journal.with_name(f"{journal.name}-head").unlink()


@pytest.mark.parametrize(
    ("spoil", "what", "saved"),
    [
        (edit, "was edited; good up to row", 1),
        (cut_log, "the last ones are gone; good up to row", 1),
        (cut_log_and_forget, "phone has heard more of this game than its journal holds", 0),
    ],
)
def test_a_journal_that_was_damaged(spoil: Callable[[Path, int], None], what: str, saved: int, tmp_path: Path) -> None:
    """Said in one line, by a handset if need be; the good part is used, and the table stands still until somebody resumes."""
    with Interrupted(tmp_path) as table:
        names = table.take_seats()
        table.play_on("attack", game=1)
        (journal,) = (tmp_path / "table").glob("games/*/journal.sqlite")
        size = log_of(journal).stat().st_size
        table.play_on("verdict", game=1)
        while table.events[-1]["kind"] not in ("move.read", "attack"):  # who goes on has heard of the verdict
            table.take()
        table.handsets.clear()
        table.table.end(signal.SIGKILL)
        spoil(journal, size)
        table.start_again()
        wait_until(lambda: any(what in line for line in table.table.complaint))
        table.everybody(names, lambda line: line.get("state", {}).get("phase") == "paused")
        table.table.send("resume")
        table.everybody(names, lambda line: line.get("state", {}).get("phase") not in (None, "paused"))
        assert table.table.end(signal.SIGTERM) == 0
        assert len([line for line in table.table.complaint if what in line]) == 1
        assert len(list((tmp_path / "table").glob("games/*-saved1/journal.sqlite"))) == saved


def test_killed_before_it_stands_still(tmp_path: Path) -> None:
    """A table that dies between saving the good part and standing still does both again: it never goes on by itself."""
    with Interrupted(tmp_path) as table:
        names = table.take_seats()
        table.play_on("attack", game=1)
        (journal,) = (tmp_path / "table").glob("games/*/journal.sqlite")
        size = log_of(journal).stat().st_size
        table.play_on("verdict", game=1)
        table.handsets.clear()
        table.table.end(signal.SIGKILL)
        cut_log(journal, size)
        words = f"--board {table.ready['board']} --web 127.0.0.1:0 --json --rules duel --state {tmp_path / 'table'}"
        dying = table.program("dying", "tests.reliability.dying_table", "table", *words.split())
        assert dying.wait() == -signal.SIGKILL
        table.start_again()
        table.everybody(names, lambda line: line.get("state", {}).get("phase") == "paused")
        assert any("the last ones are gone; good up to row" in line for line in table.table.complaint)
        table.table.send("resume")
        table.everybody(names, lambda line: line.get("state", {}).get("phase") not in (None, "paused"))


def without(seat: str) -> Callable[[Path], None]:
    """Return what loses a seat's user from the broker's list."""

    def lose(state: Path) -> None:
        path = state / "broker" / "dynamic-security.json"
        found = json.loads(path.read_text())
        found["clients"] = [each for each in found["clients"] if not each["username"].endswith(f".{seat}")]
        path.write_text(json.dumps(found))

    return lose


@pytest.mark.parametrize(
    ("lose", "lost", "why"),
    [
        (lambda state: (state / "broker" / "dynamic-security.json").unlink(), ("red", "blue"), "lost its list"),
        (without("blue"), ("blue",), "lost its list"),
        (lambda state: (state / "referee.key").unlink(), ("red", "blue"), "referee.key: not the key that phones know"),
        (lambda state: (state / "referee.key").write_text(""), ("red", "blue"), "not the key that phones know"),
    ],
    ids=["no users", "a user lost", "another key", "an empty key"],
)
def test_what_handsets_are_known_by_is_lost(
    lose: Callable[[Path], object], lost: tuple[str, ...], why: str, tmp_path: Path
) -> None:
    """One line says so, new links are there, handsets hear why they are kept out, and the game goes on with new ones."""
    with Interrupted(tmp_path) as table:
        table.take_seats()
        table.play_on("move.read", game=1)
        table.rest()
        table.table.end(signal.SIGKILL)
        lose(tmp_path / "table")
        gone = {seat: table.handsets.pop(Seat(seat)) for seat in lost}
        table.start_again()
        assert set(table.ready["join"]) == set(lost)
        for seat, handset in gone.items():
            assert handset.wait() == 3
            assert handset.complaint[-1].endswith("any more: it was started anew, or lost its list")
            new = table.join(Seat(seat), table.ready["join"][seat]).name
        table.next(new, lambda line: line.get("letter", {}).get("type") == "state")
        assert end_by(table, Seat(lost[-1]))["text"] == "resign"
        assert table.table.end(signal.SIGTERM) == 0
        (said,) = [line for line in table.table.complaint if why in line]
        assert said.endswith(f"the phones of {' and '.join(lost)} have to be paired again, by the new links")


def test_phones_that_are_not_known_any_more_hear_so_once_their_port_is_free(tmp_path: Path) -> None:
    """The broker's list is lost, and somebody else has the table's port for a while: two troubles at one start."""
    with Interrupted(tmp_path) as table:
        table.take_seats()
        table.play_on("move.read", game=1)
        table.rest()
        table.table.end(signal.SIGKILL)
        (tmp_path / "table" / "broker" / "dynamic-security.json").unlink()
        port = json.loads((tmp_path / "table" / "table.json").read_text())["ports"]["web"]
        with socket.create_server(("127.0.0.1", port)):
            table.start_again()
            gone = [table.handsets.pop(seat) for seat in (Seat.RED, Seat.BLUE)]
        for handset in gone:
            assert handset.wait() == 3
            assert "lost its list" in handset.complaint[-1]
        new = [table.join(Seat(seat), url).name for seat, url in table.ready["join"].items()]
        table.next(new[-1], lambda line: line.get("letter", {}).get("type") == "state")
        assert end_by(table, list(table.handsets)[-1])["text"] == "resign"
        assert table.table.end(signal.SIGTERM) == 0


def test_a_table_that_does_not_know_its_phones_says_so(tmp_path: Path) -> None:
    """`table.json` is lost: the game goes on with the new links."""
    with Interrupted(tmp_path) as table:
        table.take_seats()
        table.play_on("move.read", game=1)
        table.table.end(signal.SIGKILL)
        (tmp_path / "table" / "table.json").unlink()
        table.start_again()
        assert set(table.ready["join"]) == {"red", "blue"}
        assert table.table.end(signal.SIGTERM) == 0
        (said,) = [line for line in table.table.complaint if "table.json: no phones are in it" in line]
        assert said.endswith("the phones of red and blue have to be paired again, by the new links")


def test_a_port_of_the_table_that_somebody_else_has(tmp_path: Path) -> None:
    """Said, with new links; taken again once it is free, beside the new one, and found by each phone at the next start too."""
    with Interrupted(tmp_path) as table:
        table.take_seats()
        table.play_on("move.read", game=1)
        table.rest()
        table.table.end(signal.SIGKILL)
        kept = tmp_path / "table" / "table.json"
        port = json.loads(kept.read_text())["ports"]["web"]
        blue = table.handsets[Seat.BLUE].name
        wait_until(lambda: is_free("127.0.0.1", port))  # the door dies a moment after the table
        with socket.create_server(("127.0.0.1", port)):
            table.start_again()
            assert set(table.ready["join"]) == {"red", "blue"}
            assert table.ready["web"] != f"http://127.0.0.1:{port}"
            wait_until(lambda: any("cannot be had now" in line for line in table.table.complaint))
            old = table.handsets.pop(Seat.RED)
            red = table.join(Seat.RED, table.ready["join"]["red"]).name
        (said,) = [line for line in table.table.complaint if "cannot be had now" in line]
        assert f"port {port} cannot" in said
        assert (
            "the phones of red and blue have to be paired again, by the new links, or come back once it is free" in said
        )
        table.next(blue, lambda line: line.get("letter", {}).get("type") == "state")
        wait_until(lambda: f"listens at port {port} again" in table.table.complaint[-1])
        wait_until(lambda: json.loads((tmp_path / "table" / "join.json").read_text()) == {})
        assert old.wait() == 3
        table.start_again()
        assert table.ready["join"] == {}
        table.everybody([red, blue], lambda line: line.get("letter", {}).get("type") == "state")
        assert end_by(table, Seat.BLUE)["text"] == "resign"
        assert table.table.end(signal.SIGTERM) == 0


def test_phones_that_an_earlier_version_has_paired(tmp_path: Path) -> None:
    """Its broker had a WebSocket port of its own: the door listens there as well, and is said to; the game goes on."""
    with Interrupted(tmp_path) as table:
        table.take_seats()
        table.play_on("move.read", game=1)
        table.table.end(signal.SIGKILL)
        port, kept = free_port("127.0.0.1", 0), tmp_path / "table" / "table.json"
        found = json.loads(kept.read_text())
        found["phones"] = {seat: {"broker": 1, "websocket": port} for seat in found["phones"]}
        found["ports"] |= {"broker": 1, "websocket": port}
        kept.write_text(json.dumps(found))
        table.start_again()
        assert table.ready["join"] == {}
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as page:
            page.sendall(UPGRADE + f"Origin: {table.ready['web']}\r\n\r\n".encode())
            assert page.recv(13) == b"HTTP/1.1 101 "
        (said,) = [line for line in table.table.complaint if f"phones come back at port {port}" in line]
        assert "the terminals, if any, of red and blue have to be paired again, with `pair SEAT`" in said
        assert end_by(table, Seat.BLUE)["text"] == "resign"
        assert table.table.end(signal.SIGTERM) == 0


def delete(folder: Path) -> None:
    """Delete a folder at one moment, whatever is being written there."""
    gone = folder.with_name("gone")
    folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def test_a_state_folder_that_is_deleted_under_the_table(tmp_path: Path) -> None:
    """Nothing is played onto no disk: one line, exit code 3."""
    with Interrupted(tmp_path) as table:
        table.take_seats()
        table.play_on("move.read", game=1)
        delete(tmp_path / "table")
        assert table.play_to_exit() == 3
        assert table.table.complaint[-1].endswith("the file was deleted or replaced; the game is kept nowhere now")


def test_a_state_folder_that_is_deleted_before_the_game(tmp_path: Path) -> None:
    """New links, which a table makes every two minutes, have nowhere to be kept: one line, exit code 3."""
    with AtTable(tmp_path) as table:
        delete(tmp_path / "table")
        table.table.send("pair red")
        assert table.table.wait() == 3
        (complaint,) = table.table.complaint
        assert complaint.endswith("join.json: it cannot be written (No such file or directory)")


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
def test_a_disk_that_is_full_before_the_game(tmp_path: Path) -> None:
    """What is written beside the journals is no smaller matter: who has a seat cannot be kept, so the table ends with one line."""
    with LoopDisk(tmp_path) as disk, AtTable(disk.path) as table:
        disk.fill()
        table.hallmarshal("red", "handset", "--json", "--join", table.ready["join"]["red"])
        assert table.table.wait() == 3
        (complaint,) = table.table.complaint
        assert complaint.endswith("table.json: it cannot be written (No space left on device)")
