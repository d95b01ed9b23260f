"""The product as it is used: two handsets join, a game is played to its end, and another one begins on the same board."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from referee.rules.values import Seat
from referee.words import LANGUAGES, words
from tests.demo.running import hallmarshal, processes_of
from tests.demo.test_what_goes_wrong import wait_until
from tests.patience import PATIENCE_S
from tests.runtime.at_table import AtTable, Heard, Line, Program

pytestmark = pytest.mark.process


@pytest.fixture
def at_table(tmp_path: Path) -> Iterator[AtTable]:
    """A running Duel table whose seats are free."""
    with AtTable(tmp_path) as table:
        yield table


def join_all(at_table: AtTable) -> None:
    """Let both players take their seats."""
    for seat in (Seat.RED, Seat.BLUE):
        at_table.join(seat, at_table.ready["join"][seat.value])


@pytest.mark.process
def test_a_game_and_a_rematch(at_table: AtTable, tmp_path: Path) -> None:
    """From the ready line to the first ply of the second game; a record that can be judged, and nothing left running."""
    assert set(at_table.ready) == {"board", "broker", "web", "join", "state"}
    assert at_table.ready["board"].startswith("serial:/dev/pts/")
    join_all(at_table)
    end = at_table.play_on("end", game=1)
    assert end["text"] in ("flag", "immobile", "both-immobile")
    while at_table.consented != {Seat.RED, Seat.BLUE}:
        at_table.take()

    at_table.board.send({"motion": "clear"})
    at_table.next("board", lambda line: "done" in line)
    for handset in at_table.handsets.values():
        handset.send({"type": "ready"})
    at_table.play_on("begin", game=2)
    at_table.play_on("move.read", game=2)

    assert at_table.table.end(signal.SIGTERM) == 0
    shown = [f"{seat.value}: {at_table.paired[seat]['digits']}" for seat in (Seat.RED, Seat.BLUE)]
    assert at_table.table.complaint == shown
    assert [handset.end() for handset in at_table.handsets.values()] == [0, 0]
    assert [handset.complaint for handset in at_table.handsets.values()] == [[], []]
    check_events(at_table.events)
    check_files(tmp_path / "table", tmp_path)
    assert at_table.board.end() == 0
    assert processes_of(tmp_path) == []


def check_events(events: list[Line]) -> None:
    """Events of each game are numbered without a gap, and begin with the opening."""
    games = dict.fromkeys(event["game"] for event in events)
    assert len(games) == 2
    for game in games:
        mine = [event for event in events if event["game"] == game]
        assert [event["seq"] for event in mine] == list(range(1, len(mine) + 1))
        assert mine[0]["kind"] == "opened"


def check_files(table: Path, state: Path) -> None:
    """A journal a game, a record of the one that is over; everything that is secret is private."""
    assert len(list(table.glob("games/*/journal.sqlite"))) == 2
    (record,) = table.glob("games/*/game.record")
    judged = hallmarshal("record", "check", str(record), "--json", state=state)
    assert json.loads(judged.stdout)["legal"] is True
    assert not (record.parent / "journal.key").exists(), "another game began: nobody takes that one back any more"
    assert len((record.parent / "journal.owners").read_text().splitlines()) == 2
    assert hallmarshal("record", "audit", str(record.parent), state=state).returncode == 0
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (table, *table.rglob("*")) if path.name != "games"}
    assert all(modes[table / name] for name in ("referee.key", "join.json", "broker/dynamic-security.json"))
    assert {path: mode for path, mode in modes.items() if mode & 0o077} == {}


@pytest.mark.process
def test_links_that_are_worth_nothing(at_table: AtTable, tmp_path: Path) -> None:
    """A link with another key's fingerprint, and one that was used; and a second table in the same directory."""
    at_table.join(Seat.RED, at_table.ready["join"]["red"])
    late = at_table.hallmarshal("late", "handset", "--json", "--join", at_table.ready["join"]["red"])
    wrong = re.sub("&.*", "&" + "0" * 32, at_table.ready["join"]["blue"])
    deceived = at_table.hallmarshal("deceived", "handset", "--json", "--join", wrong)
    assert (late.wait(), deceived.wait()) == (2, 2)
    assert late.complaint == ["hallmarshal: this link was used already; ask the table for a new one"]
    assert "another referee" in deceived.complaint[0]
    done = hallmarshal("table", "--board", "sim:", "--state", str(tmp_path / "table"), state=tmp_path)
    assert done.returncode == 2
    assert "another table" in done.stderr


@pytest.mark.process
def test_pairing_again_throws_the_old_handset_off(at_table: AtTable, tmp_path: Path) -> None:
    """The old one ends with one line, the new one comes to the same game; Ctrl-C then ends the table in order."""
    join_all(at_table)
    at_table.play_on("move.read", game=1)
    old = at_table.handsets.pop(Seat.RED)
    links = tmp_path / "table" / "join.json"
    assert json.loads(links.read_text()) == {}
    at_table.table.send("pair red")
    wait_until(lambda: json.loads(links.read_text()) != {})
    new = at_table.hallmarshal("new", "handset", "--json", "--join", json.loads(links.read_text())["red"])
    digits = at_table.next("new", lambda line: "paired" in line)["paired"]["digits"]
    state = at_table.next("new", lambda line: line.get("letter", {}).get("type") == "state")["letter"]
    assert state["seat"] == "red"
    assert old.wait() == 3
    assert len(old.complaint) == 1
    assert old.complaint[0].endswith("any more: another one took its seat")
    assert new.end() == 0
    assert at_table.table.end(signal.SIGINT) == 130
    assert f"red: {digits} (its earlier handset was thrown off)" in at_table.table.complaint


@pytest.mark.process
def test_a_broker_that_dies_is_started_again(at_table: AtTable, tmp_path: Path) -> None:
    """Handsets and referee come back to the same ports by themselves and the game is told anew; one line says so."""
    join_all(at_table)
    conf = str(tmp_path / "table" / "broker" / "mosquitto.conf")
    names = [handset.name for handset in at_table.handsets.values()]
    first = at_table.play_on("attack", game=1)
    at_table.handsets = {}  # from here on nobody plays: players react to events, and some of those are lost with the broker
    kill_broker(conf)
    come_back(at_table, names)
    at_table.table.send("abort")
    at_table.everybody(names, lambda line: line.get("state", {}).get("phase") == "finished")
    assert at_table.play_on("end", game=1)["seq"] > first["seq"]
    assert at_table.table.end(signal.SIGTERM) == 0
    assert any("Mosquitto ended by itself" in line for line in at_table.table.complaint)


@pytest.mark.process
def test_a_broker_that_dies_again_and_again_ends_the_table(at_table: AtTable, tmp_path: Path) -> None:
    """One line, exit code 3, no process left."""
    conf = str(tmp_path / "table" / "broker" / "mosquitto.conf")

    def ended() -> bool:
        kill_broker(conf)
        return at_table.table.process.poll() is not None

    wait_until(ended)
    assert at_table.table.wait() == 3
    assert at_table.table.complaint[-1].startswith("hallmarshal: Mosquitto ")


def come_back(at_table: AtTable, names: list[str]) -> None:
    """Wait until each of these handsets has lost its connection and has it again; that it had one before says nothing."""
    gone, missing = set[str](), set(names)
    while missing:
        who, line = at_table.take()
        assert line is not None, f"{who} ended"
        if line.get("link") == "down":
            gone.add(who)
        elif line.get("link") == "up" and who in gone:
            missing.discard(who)


def brokers(conf: str) -> set[int]:
    """Return the process ids of the brokers with this configuration."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if entry.read_bytes().split(b"\0")[1:3] == [b"-c", conf.encode()]:
                found.add(int(entry.parent.name))
    return found


def kill_broker(conf: str) -> set[int]:
    """Kill the broker with this configuration. Returns its process id."""
    killed = brokers(conf)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    return killed


def test_no_process_is_left_behind(at_table: AtTable, tmp_path: Path) -> None:
    """The broker ends with its table, also on kill -9."""
    assert at_table.table.end(signal.SIGKILL) == -9
    assert at_table.table.complaint == []
    at_table.board.end()
    wait_until(lambda: processes_of(tmp_path) == [])


@pytest.mark.process
def test_a_board_without_calibration_is_told_of_before_anybody_plays(tmp_path: Path) -> None:
    """In a line that says what to do, and in the status; and so is a key of its file that has no effect any more."""
    heard: queue.Queue[Heard] = queue.Queue()
    file = tmp_path / "table.toml"
    file.write_text("[broker]\nwebsocket-port = 9001\n")
    board = ("--board", "sim:?calibrated=no&speed=max", "--rules", "duel")
    wanted = (*board, "--config", str(file), "--web", "127.0.0.1:0", "--json")
    table = Program("table", heard, tmp_path, "referee.cli.main", "table", *wanted, "--state", str(tmp_path / "table"))
    try:
        assert heard.get(timeout=PATIENCE_S)[1] is not None
        table.send("status")
        wait_until(lambda: len(table.complaint) == 3)
        assert table.complaint[0].startswith("broker.websocket-port has no effect")
        assert table.complaint[1] in [words(language)["health.uncalibrated"] for language in LANGUAGES]
        status = json.loads(table.complaint[2])["status"]
        assert (status["board"]["health"], status["game"]) == (["uncalibrated"], None)
        assert table.end(signal.SIGTERM) == 0
    finally:
        table.close()


@pytest.mark.process
def test_a_board_that_is_not_what_its_file_says_is_refused(tmp_path: Path) -> None:
    """Its hello is compared before anything else is begun: one line that says what differs, exit code 3, nothing left running."""
    heard: queue.Queue[Heard] = queue.Queue()
    board = Program("board", heard, tmp_path, *["simulator.process", "--board", "travel-10x10", "--speed", "max"])
    try:
        line = heard.get(timeout=PATIENCE_S)[1]
        assert line is not None
        wanted = ("--board-file", "travel-10x10-digital", "--rules", "duel", "--web", "127.0.0.1:0", "--json")
        done = hallmarshal("table", "--board", f"serial:{line['pty']}", *wanted, state=tmp_path)
        assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (3, "", 1)
        assert "this board is not what its board file says" in done.stderr
        assert "travel-10x10-digital" in done.stderr
        assert list(tmp_path.rglob("mosquitto.conf")) == []
    finally:
        board.close()
    assert processes_of(tmp_path) == []


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--board", "sim:", "--rules", "chess"), 2, "no rule set 'chess'"),
        (("--board", "sim:", "--board-file", "travel-10x10", "--rules", "duel-compact"), 2, "not played on board"),
        (("--board", "sim:", "--config", "odd.toml"), 2, "unknown key 'colour'"),
        (("--board", "sim:", "--web", "nowhere"), 2, "--web"),
        (("--board", "usb:"), 2, "usb:"),
        (("--board", "serial:/dev/nothing-there"), 3, "/dev/nothing-there"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_a_table_is_one_line(arguments: tuple[str, ...], code: int, says: str, tmp_path: Path) -> None:
    """Exit code 2 for arguments, 3 for a board that does not answer; nothing on stdout."""
    (tmp_path / "odd.toml").write_text("colour = 'red'\n")
    given = tuple(str(tmp_path / word) if word.endswith(".toml") else word for word in arguments)
    done = hallmarshal("table", "--json", *given, state=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def kept_games(table: AtTable) -> list[Line]:
    """Return what a table's library lists; nothing while it has no time for that."""
    asked = Request(f"{table.ready['web']}/games/list", b"{}", {"Content-Type": "application/json"})
    with contextlib.suppress(HTTPError), urlopen(asked, timeout=PATIENCE_S) as answer:
        return list(json.load(answer)["games"])
    return []


@pytest.mark.process
def test_a_confirmed_result_is_not_taken_back(tmp_path: Path) -> None:
    """Once its time is over key and frame log are gone; an order is refused, whoever comes back still sees the end, and the table goes on.

    The game comes into the table's library once it is over.
    """
    config = tmp_path / "table.toml"
    config.write_text('confirm-minutes = 0.001\nfinale-s = 0\nlibrary = "open"\n')
    with AtTable(tmp_path, "duel", "--frame-log", "--config", str(config)) as table:
        join_all(table)
        table.play_on("begin", game=1)
        assert kept_games(table) == []
        (folder,) = (tmp_path / "table" / "games").iterdir()
        assert (folder / "frames-1.log").exists()
        table.handsets[Seat.RED].send({"type": "resign"})
        table.play_on("end", game=1)
        wait_until(lambda: not list(folder.glob("journal.key")) and not list(folder.glob("frames-*")))
        wait_until(lambda: [(game["name"], game["winner"]) for game in kept_games(table)] == [(folder.name, "blue")])
        table.table.send("takeback 0 it was nothing")
        wait_until(lambda: any("the result is confirmed" in line for line in table.table.complaint))
        red = table.handsets[Seat.RED]
        red.send({"type": "consent", "set_up": {}})
        table.next(red.name, lambda line: (line.get("letter") or {}).get("reason") == "not-now")
        assert table.table.end(signal.SIGTERM) == 0
        assert "winner = blue" in (folder / "game.record").read_text()
