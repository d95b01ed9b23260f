"""`hallmarshal station serve` and `hallmarshal table --hall`: whole programs, bridged brokers, every order, and both sides killed."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.journal.journal_to_record import journal_record
from referee.journal.records.audit import audit
from referee.journal.records.chained import Evidence
from referee.journal.records.formats import read_record
from referee.log_output import LEVEL_VARIABLE
from referee.net.broker.hall_broker import new_pass
from referee.net.sealing.signing import StationKey
from referee.rules.values import Seat
from referee.table.commitments import STATION
from referee.table.messages import CallArbiter
from tests.hall import hall_faults
from tests.hall.real_hall import RealHall
from tests.patience import PATIENCE_S
from tests.runtime.at_table import AtTable
from tests.security.logged import LINE, said_in, secrets_below

BOARD = "table"
CLOCK = '[clock]\nkind = "fischer"\nminutes = 25\nincrement-s = 5\n'


class Desk:
    """The chief arbiter's desk: each order is answered, and what it did is seen at the station before anything else is done."""

    def __init__(self, hall: RealHall) -> None:
        self._hall = hall
        self.ordered: set[str] = set()

    def order(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send an order that has to be carried out. Returns the answer.

        What has happened at the table since the page was told of it makes it stale: whoever orders looks again, as people do.
        """
        while True:
            status, answer = self._hall.chief.order(BOARD, {"type": kind, **fields})
            if answer.get("word") != "stale":
                break
            since = answer["seq"]
            self.seen(lambda now, since=since: now["view"] and now["view"]["seq"] >= since)
        assert (status, answer.get("word")) == (200, "done"), (kind, answer)
        self.ordered.add(kind)
        if kind not in ("pair", "facts"):  # they change nothing that everybody sees
            self.seen(
                lambda now: now["view"] and (now["view"]["game"], now["view"]["seq"]) >= (answer["game"], answer["seq"])
            )
        return answer

    def refused(self, word: str, kind: str, **fields: Any) -> None:
        """Order something that has to be refused with this word."""
        answer = self._hall.chief.order(BOARD, {"type": kind, **fields})[1]
        assert answer.get("word", answer.get("error")) == word

    def seen(self, fits: Any) -> dict[str, Any]:
        """Wait until the station knows the table as wanted."""
        return self._hall.seen(BOARD, fits)


def _kinds(whole: dict[str, Any]) -> set[tuple[str, str | None]]:
    return {(event["kind"], event["text"]) for event in whole["events"]}


@pytest.mark.process
def test_every_order_at_a_real_table_and_both_sides_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One game of a published round at one real table, whose station and referee are killed in its middle.

    Every order of an arbiter is carried out, acknowledged and seen; a stale one is refused; after each kill nothing is missing: players,
    clocks, results, what calls the arbiter, and what became of an order whose answer never came. All of them log at `debug`, and no secret.
    """
    monkeypatch.setenv(LEVEL_VARIABLE, "debug")
    (tmp_path / "table.toml").write_text(CLOCK)
    more = ("--hall", str(tmp_path / "hall" / f"{BOARD}.pass"), "--config", str(tmp_path / "table.toml"), "--keep-keys")
    with RealHall(tmp_path / "hall", BOARD, players=4) as hall, AtTable(tmp_path, "duel", *more) as table:
        hall.open(table)
        desk = Desk(hall)
        desk.seen(lambda now: now["up"])
        desk.refused("not-now", "begin")
        hall.act("pair")
        hall.act("publish")
        names = desk.seen(lambda now: now["occasion"] is not None and now["occasion"]["round"] == 1)["status"][
            "occasion"
        ]
        desk.order("pair", seat="red")
        fresh = json.loads((tmp_path / "table" / "join.json").read_text())["red"]
        assert fresh != table.ready["join"]["red"]
        table.join(Seat.RED, fresh)
        table.join(Seat.BLUE, table.ready["join"]["blue"])
        while table.play_on("verdict", game=1)["ply"] < 2:
            pass  # so that there is a ply before it to go back over
        table.rest()
        desk.seen(lambda now: now["view"] and now["view"]["ply"] > 0)
        _rulings(desk, table)
        _bridge_cut(hall, desk)
        _station_killed(hall, desk, table)
        _table_killed(desk, table, tmp_path, more)
        assert 0 < desk.seen(lambda now: True)["hall_clock"]["left_ms"] < 3_600_000
        head = _ends(hall, desk, table)
        first = min((tmp_path / "table" / "games").iterdir())
        told = journal_record(first / "journal.sqlite", None)
        assert (told.event, told.round, told.table) == ("cup", "1", "1")
        kept = journal_record(first / "journal.sqlite", first / "journal.key")
        assert "handset anew: the phone fell" in [each.reason for each in kept.corrections]
        assert {each.reason for each in told.corrections} == {None}
        assert names == {"event": "cup", "round": 1, "table": 1}
        _signed_by_the_station(hall, first / "game.record", head)
        _nothing_in_the_logs(hall, desk, table, tmp_path)
        assert desk.ordered == {
            *("pause", "resume", "set-clock", "take-back", "void-verdict", "ruling", "penalty", "pair", "adjourn"),
            *("end-game", "facts", "begin", "set-hall-clock"),
        }


def _nothing_in_the_logs(hall: RealHall, desk: Desk, table: AtTable, folder: Path) -> None:
    """Search the logs of both starts of the station, of the table and of the phones for everything that was drawn or typed."""
    programs = (table.table, *table.handsets.values())
    log = [
        line for lines in (*hall.logs, *(each.complaint for each in programs)) for line in lines if LINE.fullmatch(line)
    ]
    for what in (
        "has logged in from",
        "Penalise by Chief at table table: stale",
        "bytes came by",
        "an order of the hall: done",
        "goes on",
    ):
        assert any(what in line for line in log), what
    secrets = hall.secrets | secrets_below(folder / "hall", folder / "table")
    games = {*(event["game"] for event in table.events), desk.seen(lambda now: now["view"])["view"]["game"]}
    assert said_in(log, secrets, games) == "nothing"


def _rulings(desk: Desk, table: AtTable) -> None:
    desk.order("pause")
    whole = desk.seen(lambda now: now["phase"] == "paused")
    desk.refused("stale", "penalty", seat="red", seq=whole["view"]["seq"] - 1)
    desk.refused("no-reason", "penalty", seat="red", reason=" ")
    square = next(iter(whole["view"]["occupants"]))
    facts = desk.order("facts", square=square)["facts"]
    assert facts["army"] == whole["view"]["occupants"][square]
    desk.order("set-clock", seat="red", left_ms=60_000)
    assert desk.seen(lambda now: True)["clocks"]["red"]["left_ms"] == 60_000
    desk.order("set-hall-clock", left_ms=3_600_000)
    desk.order("penalty", seat="blue")
    desk.order("pair", seat="blue", reason="the phone fell")
    desk.order("ruling", seat=None)
    desk.order("resume")
    desk.order("adjourn")
    kinds = _kinds(desk.seen(lambda now: now["phase"] == "paused"))
    assert {
        ("paused", "arbiter"),
        ("paused", "adjourned"),
        ("resumed", None),
        ("ruling", None),
        ("penalty", None),
    } <= kinds


def _bridge_cut(hall: RealHall, desk: Desk) -> None:
    """Cut the wire between the two brokers: the page says so, nothing is ordered that would come late, and it mends by itself."""
    hall.wire.cut()
    assert desk.seen(lambda now: now["cut_ms"] is not None)["up"]
    status, answer = hall.chief.order(BOARD, {"type": "pause"})
    assert (status, answer["error"]) == (503, "cut")
    hall.wire.mend()
    desk.seen(lambda now: now["cut_ms"] is None)


def _station_killed(hall: RealHall, desk: Desk, table: AtTable) -> None:
    """Kill the station with a result noted, the arbiter called, and an order on its way that nobody answers."""
    hall.act("result", round=1, table=2, result="draw")
    desk.order("resume")
    table.handsets[Seat.RED].send({"type": "call-arbiter", "id": CallArbiter(id="call-1").id})
    before = desk.seen(lambda now: any(alert["kind"] == "called" for alert in now["alerts"]))
    penalty = {"type": "penalty", "seat": "red", "seq": before["view"]["seq"]}
    table.table.process.send_signal(signal.SIGSTOP)  # so that nobody answers
    unanswered = threading.Thread(target=_lost, args=(hall, penalty))
    unanswered.start()
    hall.kill()
    unanswered.join(PATIENCE_S)
    table.table.process.send_signal(signal.SIGCONT)
    hall.open(table)
    known = before["view"]["seq"]
    after = desk.seen(
        lambda now: now["up"] and now["alerts"] and now["names"] and now["view"] and now["view"]["seq"] >= known
    )
    assert (after["names"], after["occasion"], set(after["clocks"])) == (
        before["names"],
        before["occasion"],
        set(before["clocks"]),
    )
    assert [alert["kind"] for alert in after["alerts"]] == [alert["kind"] for alert in before["alerts"]]
    assert [one["result"] for one in hall.event()["rounds"][0]["tables"]] == [None, "draw"]
    # carried out once or never, and an order about the same moment is refused where it was
    done = [one for one in desk.order("facts")["history"] if (one["kind"], one["seat"]) == ("penalty", "red")]
    again = hall.chief.order(BOARD, penalty)[1]["word"]
    assert (len(done), again) in ((0, "done"), (1, "stale"))


def _lost(hall: RealHall, act: dict[str, Any]) -> None:
    with contextlib.suppress(
        OSError, http.client.HTTPException, KeyError
    ):  # the door says that there is no station, and so no view
        hall.chief.order(BOARD, act)


def _table_killed(desk: Desk, table: AtTable, folder: Path, more: tuple[str, ...]) -> None:
    """Kill the table and its broker; it comes back with its game, its players and its round, and takes no order of before."""
    before = desk.seen(lambda now: True)
    table.table.end(signal.SIGKILL)
    while table.take() != ("table", None):
        pass
    table.handsets = {}
    table.table = table.hallmarshal(
        "table",
        "table",
        *f"--board {table.ready['board']} --web 127.0.0.1:0 --json --rules duel".split(),
        *("--state", str(folder / "table"), *more),
    )
    after = desk.seen(lambda now: now["up"] and now["status"]["session"] != before["status"]["session"])
    assert after["status"]["boot"] == before["status"]["boot"] + 1
    assert (after["names"], after["occasion"]) == (before["names"], before["occasion"])
    desk.seen(lambda now: now["phase"] == "paused")


def _signed_by_the_station(hall: RealHall, record: Path, head: str) -> None:
    """Audit the record with the head that the hall saw, and the key that the arbiters' page shows: it holds, and with no other key."""
    key = hall.chief.ask("GET", "/api/me")[1]["signs_with"]
    number, _, digits = head.partition(":")
    told, other = read_record(record.read_bytes()), StationKey.create().public.text
    found, wrong = (audit(told, known=Evidence((int(number), digits), {STATION: each})) for each in (key, other))
    assert (found.holds, found.chain.state, found.chain.head) == (True, "complete", head)
    assert STATION in found.chain.signed
    assert {one.what for one in wrong.wrong} == {"signature"}


def _ends(hall: RealHall, desk: Desk, table: AtTable) -> str:
    """Go back in the game, end it, change its result, play another, and change places in the round; return the head that was signed."""
    history = desk.order("facts")["history"]
    attack = next(one for one in reversed(history) if one["kind"] == "verdict")
    desk.order("void-verdict", ply=attack["ply"])
    assert desk.seen(lambda now: True)["view"]["ply"] == attack["ply"] - 1
    desk.order("take-back", ply=0)
    assert desk.seen(lambda now: True)["view"]["ply"] == 0
    desk.order("end-game", result="both-lose")
    assert desk.seen(lambda now: now["result"])["result"]["reason"] == "both-lose"
    for _ in hall.told():
        if hall.event()["rounds"][0]["tables"][0]["result"] is not None:
            break
    assert [one["result"] for one in hall.event()["rounds"][0]["tables"]] == ["both-lose", "draw"]
    head: str = desk.seen(lambda now: STATION in now["view"]["signed"])["view"]["chain"]
    desk.order("begin")  # for themselves: what counted stays told, so that no station that was away misses it
    after = desk.seen(lambda now: now["occasion"] is None and now["result"] is None)
    assert after["status"]["played"]["end"] == {"winner": None, "reason": "both-lose"}
    assert after["status"]["played"]["names"] == after["names"]
    return head


@pytest.mark.process
def test_a_pass_of_another_table_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One clear line, and nothing is started."""
    new_pass(tmp_path / "broker", "t1", StationKey.create().public, "127.0.0.1", 1884).write(tmp_path / "t1.pass")
    (tmp_path / "none.pass").write_text("{}")
    for name, why in (("t1", "this pass is for table t1"), ("none", "no pass of a hall")):
        words = ("table", "--board", "sim:", "--json", "--state", str(tmp_path / "table"), "--web", "127.0.0.1:0")
        assert main([*words, "--hall", str(tmp_path / f"{name}.pass")]) == 2
        assert why in capsys.readouterr().err


def test_the_documents_say_what_becomes_of_each_fault_and_which_test_shows_it() -> None:
    """The table in the documents is the one of `hall_faults`, and each of its tests is there."""
    assert hall_faults.missing() == []
    assert hall_faults.PAGE.read_text(encoding="utf-8") == hall_faults.page()
