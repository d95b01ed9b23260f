"""The product as it is used: two handsets join, a game is played to its end, and another one begins on the same board."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.rules.values import Seat
from tests.demo.running import hallmarshal, processes_of
from tests.demo.test_what_goes_wrong import wait_until
from tests.table.at_table import AtTable, Line


@pytest.fixture
def at_table(tmp_path: Path) -> Iterator[AtTable]:
    """A running Duel table whose seats are free."""
    with AtTable(tmp_path) as table:
        yield table


def join_all(at_table: AtTable) -> None:
    """Let both players take their seats."""
    for seat in (Seat.RED, Seat.BLUE):
        at_table.join(seat, at_table.ready["join"][seat.value])


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
    for name in ("referee.key", "join.json", "broker/dynamic-security.json"):
        assert stat.S_IMODE((table / name).stat().st_mode) == 0o600


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
    letter = at_table.next("new", lambda line: "letter" in line)["letter"]
    assert (letter["type"], letter["seat"]) == ("state", "red")
    assert old.wait() == 3
    assert len(old.complaint) == 1
    assert "another one was paired" in old.complaint[0]
    assert new.end() == 0
    assert at_table.table.end(signal.SIGINT) == 130
    assert f"red: {digits} (its earlier handset was thrown off)" in at_table.table.complaint


def test_a_broker_that_dies_is_started_again(at_table: AtTable, tmp_path: Path) -> None:
    """Handsets and referee come back to the same ports by themselves and the game goes on; one line says so."""
    join_all(at_table)
    first = at_table.play_on("move.final", game=1)
    conf = str(tmp_path / "table" / "broker" / "mosquitto.conf")
    killed = kill_broker(conf)
    wait_until(lambda: any(pid not in killed for pid in brokers(conf)))
    names = [handset.name for handset in at_table.handsets.values()]
    at_table.everybody(names, lambda line: line.get("link") == "up")
    at_table.table.send("abort")
    at_table.everybody(names, lambda line: line.get("state", {}).get("phase") == "finished")
    assert at_table.events[-1]["seq"] > first["seq"]
    assert at_table.table.end(signal.SIGTERM) == 0
    assert any("Mosquitto ended by itself" in line for line in at_table.table.complaint)


def test_a_broker_that_dies_again_and_again_ends_the_table(at_table: AtTable, tmp_path: Path) -> None:
    """One line, exit code 3, no process left."""
    conf = str(tmp_path / "table" / "broker" / "mosquitto.conf")

    def ended() -> bool:
        kill_broker(conf)
        return at_table.table.process.poll() is not None

    wait_until(ended)
    assert at_table.table.wait() == 3
    assert at_table.table.complaint[-1].startswith("hallmarshal: Mosquitto ")


def brokers(conf: str) -> set[int]:
    """Give the process ids of the brokers with this configuration."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if entry.read_bytes().split(b"\0")[1:3] == [b"-c", conf.encode()]:
                found.add(int(entry.parent.name))
    return found


def kill_broker(conf: str) -> set[int]:
    """Kill the broker with this configuration; give its process id."""
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


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--board", "sim:", "--rules", "chess"), 2, "no rule set 'chess'"),
        (("--board", "sim:", "--rules", "duel-compact"), 2, "not played on board"),
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
