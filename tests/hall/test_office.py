"""What a chief sets up on the pages: events, players' files, which events are played, accounts, passes. No broker is started."""

from __future__ import annotations

import base64
import gzip
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from referee.door.messages import Request
from referee.net.broker.hall_broker import HallBroker, HallPass
from referee.net.errors import BrokerControlError
from referee.net.sealing.signing import OrderKey, StationKey
from referee.tournament.event.event import EventId, PublicNames
from referee.tournament.event.reports import event_as_told, trf_of
from referee.tournament.hall.accounts import Accounts, FirstChief, Role, Session
from referee.tournament.hall.lists import MOST_TEXT
from referee.tournament.hall.office import Office
from referee.tournament.hall.pages import StationServer
from referee.tournament.hall.station import Station
from referee.tournament.hall.tables import HallTables
from referee.tournament.store import Note, Store, open_store
from tests.door.thread_door import body_of

PASSWORD, SECRET = "canary-password", "canary-of-the-pass"
WHO = {"chief": Session("Ada", Role.CHIEF, 1e9), "ann": Session("Ann", Role.ARBITER, 1e9)}
NEW = {"name": "Open 2026", "system": "swiss", "rounds": 5, "tie_breaks": ["buchholz"]}
Told = dict[str, Any]


@dataclass
class Broker:
    """A hall's broker that starts nothing; every pass of it has another secret."""

    made: list[str] = field(default_factory=list)
    opened: int = 0
    away: bool = False

    def admit(self, board: str, station: OrderKey, host: str, *, anew: bool = False) -> HallPass:
        """Return a pass."""
        if self.away:
            raise BrokerControlError("the broker is not there")
        self.made.append(board)
        return HallPass(board, host, 1884, f"{board}.table", f"{SECRET}-{len(self.made)}", station.text)

    def open(self) -> None:
        """Note that tables may come."""
        self.opened += 1


class Desk:
    """A chief's and an arbiter's browser at a station of which only the office is real."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.store, self.broker, self.tables = store, Broker(), HallTables(("table-1", "table-2"))
        self.accounts = Accounts(folder / "accounts.json")
        self.accounts.put("Ada", Role.CHIEF, PASSWORD)
        self.playing: tuple[str, ...] = ()
        self.changes: list[str] = []
        office = Office(
            store,
            self.accounts,
            self.tables,
            cast(HallBroker, self.broker),
            StationKey.create().public,
            reached="10.0.0.1",
            added=lambda board: None,
            play=self.play,
            playing=lambda: self.playing,
            changed=lambda: self.changes.append("changed"),
        )
        self._hall = cast(Station, SimpleNamespace(office=office, find=WHO.get, first_chief=FirstChief(self.accounts)))
        self.seen: list[bytes] = []

    def play(self, wanted: Any) -> None:
        """Note what is played."""
        self.playing = tuple(wanted)

    def ask(self, path: str = "", given: Told | None = None, *, who: str = "chief", secure: bool = True) -> Told:
        """Return an answer; its HTTP status is `status`."""
        headers = {"content-type": "application/json", "x-hallmarshal": "1", "cookie": f"hallmarshal={who}"}
        body = b"" if given is None else json.dumps(given).encode()
        method = "GET" if given is None else "POST"
        answer = StationServer(self._hall, secure).answer(
            Request(method, f"/api/office{path}", "10.0.0.9", headers, body)
        )
        self.seen.append(body_of(answer))
        return {"status": answer.status, **json.loads(body_of(answer))}

    def word(self, path: str, given: Told, **how: Any) -> tuple[str, str]:
        """Return why it was refused, and what about."""
        told = self.ask(path, given, **how)
        assert told["status"] >= 400, told
        return told["error"], told["about"]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Yield the desk of a hall of two tables."""
    store = open_store(tmp_path / "events.db")
    yield Desk(tmp_path, store)
    store.close()


def test_only_a_chief_sees_and_changes_it(desk: Desk) -> None:
    """An arbiter is refused every act, a stranger has to log in."""
    for act in ("account", "account-remove", "tables", "pass-anew", "event", "play", "names"):
        assert desk.word(f"/{act}", {}, who="ann") == ("not-allowed", "")
        assert desk.ask(f"/{act}", {}, who="nobody")["status"] == HTTPStatus.UNAUTHORIZED
        assert desk.word(f"/{act}", {})[0] in ("not-understood", "no-such-table"), act
    assert desk.ask(who="ann")["status"] == HTTPStatus.FORBIDDEN
    assert desk.word("/nothing", {})[0] == "not-understood"


def test_passwords_and_passes_need_https(desk: Desk) -> None:
    """On plain http nothing of accounts is shown either; events are made all the same."""
    plain = desk.ask(secure=False)
    assert (plain["secure"], plain["accounts"]) == (False, [])
    for act, given in (
        ("account", {"name": "Bo", "role": "arbiter", "password": PASSWORD}),
        ("account-remove", {"name": "Ada"}),
        ("tables", {"count": 1}),
        ("pass-anew", {"board": "table-1"}),
    ):
        assert desk.word(f"/{act}", given, secure=False) == ("not-secure", "")
    assert desk.broker.made == []
    assert desk.ask("/event", NEW, secure=False)["made"] == "open-2026"


def test_accounts(desk: Desk) -> None:
    """Made, given another role without their password, given a new password, taken away; one chief is always left."""
    desk.ask("/account", {"name": "Bo", "role": "arbiter", "password": "first password"})
    desk.ask("/account", {"name": "Bo", "role": "chief", "password": ""})
    assert desk.accounts.check("Bo", "first password") is Role.CHIEF
    desk.ask("/account", {"name": "Bo", "role": "chief", "password": "second password"})
    assert desk.accounts.check("Bo", "first password") is None
    told = desk.ask("/account-remove", {"name": "Ada"})
    assert told["accounts"] == [{"name": "Bo", "role": "chief"}]
    assert desk.word("/account-remove", {"name": "Bo"}) == ("last-chief", "")
    assert desk.word("/account", {"name": "Bo", "role": "arbiter"}) == ("last-chief", "")
    assert desk.word("/account", {"name": "Cy", "role": "arbiter", "password": "short"}) == ("account-password", "")
    assert desk.word("/account", {"name": "", "role": "arbiter", "password": PASSWORD}) == ("account-name", "")
    assert desk.word("/account", {"name": "Cy", "role": "arbiter"}) == ("no-such-account", "")
    assert desk.word("/account", {"name": "Cy", "role": "screen", "password": PASSWORD}) == ("not-understood", "")
    assert set(desk.accounts.names) == {"Bo"}


def test_tables_get_passes_that_are_shown_once(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    """New tables come last in the hall; a pass is in the answer that made it, in no other, and in no log; nor is a password."""
    caplog.set_level(logging.DEBUG)
    made = desk.ask("/tables", {"count": 2})
    assert [one["board"] for one in made["passes"]] == ["table-3", "table-4"]
    assert dict(desk.tables.boards) == {1: "table-1", 2: "table-2", 3: "table-3", 4: "table-4"}
    assert desk.broker.opened == 1
    kept = json.loads(made["passes"][0]["text"])
    assert (kept["board"], kept["host"], kept["password"]) == ("table-3", "10.0.0.1", f"{SECRET}-1")
    rows = made["passes"][0]["code"]
    assert all(len(row) == len(rows) and set(row) == {"0", "1"} for row in rows)
    anew = desk.ask("/pass-anew", {"board": "table-3"})
    assert [one["board"] for one in anew["passes"]] == ["table-3"]
    desk.ask("/account", {"name": "Bo", "role": "arbiter", "password": PASSWORD})
    desk.ask("/event", NEW)
    desk.ask()
    shown = [body for body in desk.seen if SECRET.encode() in body]
    assert len(shown) == 2
    assert not any(PASSWORD.encode() in body for body in desk.seen)
    assert SECRET not in caplog.text
    assert PASSWORD not in caplog.text
    for count in (0, 41):
        assert desk.word("/tables", {"count": count}) == ("too-many-tables", "")
    assert desk.word("/pass-anew", {"board": "table-9"}) == ("no-such-table", "")
    desk.broker.away = True
    assert desk.word("/tables", {"count": 1}) == ("no-broker", "")
    assert len(desk.tables.boards) == 4


@pytest.mark.parametrize(
    ("text", "players"),
    [
        ("name,rating,federation\nBo,1500,ned\nAda,1700,GER\n", ["Ada 1700 GER", "Bo 1500 NED"]),
        ("rating;name\n1500;Akker, Bo\n\n;Ada\n", ["Akker, Bo 1500 ", "Ada 0 "]),
        ("Ada\t1700\tGER\r\nBo\t\t\r\n", ["Ada 1700 GER", "Bo 0 "]),
        ("Ada\n", ["Ada 0 "]),
        ("", []),
    ],
)
def test_a_list_of_players_is_read_as_people_paste_it(desk: Desk, text: str, players: list[str]) -> None:
    """With and without the names of its columns, from a file or a spreadsheet; plain or packed."""
    for given in ({"text": text}, {"packed": base64.b64encode(gzip.compress(text.encode())).decode()}):
        told = desk.ask("/event", {**NEW, **given})
        event = desk.store.load(EventId(told["made"])).event
        assert [f"{player.name} {player.rating} {player.federation}" for player in event.players] == players
    assert {one["id"] for one in told["events"]} == {"open-2026", "open-2026-2"}
    assert len({desk.store.load(one).event.seed for one in desk.store.ids()}) == 2


def test_a_trf_makes_the_whole_event(desk: Desk) -> None:
    """Its name, rounds and results come from the file."""
    desk.ask("/event", {**NEW, "text": "Ada\nBo\n"})
    text = trf_of(desk.store.load(EventId("open-2026")).event)
    told = desk.ask("/event", {"name": "Again", "text": text})
    assert told["made"] == "again"
    assert [(one["name"], one["players"]) for one in told["events"]] == [("Open 2026", 2), ("Open 2026", 2)]
    broken = "001    1      Ada\n001    3      Bo\n"
    assert desk.word("/event", {"name": "No", "text": broken}) == ("bad-file", "2")


@pytest.mark.parametrize(
    "wish",
    [
        {"system": "knock-out", "draws": "higher-seed"},
        {"system": "swiss", "accelerated": True},
        {"system": "swiss", "team_boards": 3},
        {"system": "round-robin", "tie_breaks": ["direct-encounter", "wins"]},
    ],
)
def test_every_system_is_made_on_the_page(desk: Desk, wish: Told) -> None:
    """As it was wished for, and the log says who made it."""
    team = wish.get("team_boards")
    listed = "name;team\nAda;Reds\nBo;Reds\nCy;Blues\nDi;Blues" if team else "Ada\nBo\nCy\nDi\n"
    desk.ask("/event", {**NEW, **wish, "text": listed})
    told = event_as_told(desk.store.load(EventId("open-2026")).event)
    assert {key: told[key] for key in wish} == wish
    assert [len(one["players"]) for one in told["teams"]] == ([2, 2] if team else [])
    assert [(entry.note.act, entry.note.who) for entry in desk.store.log(EventId("open-2026"))] == [("create", "Ada")]


def _packed(raw: bytes) -> Told:
    return {**NEW, "packed": base64.b64encode(raw).decode()}


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({**NEW, "text": "name,rating\nAda,many\n"}, ("bad-file", "2")),
        ({**NEW, "text": "Ada\n" + "B" * 34}, ("bad-file", "2")),
        ({**NEW, "text": "Ada,1500,Holland"}, ("bad-file", "1")),
        ({**NEW, "text": "Ada\nAda"}, ("namesake", "Ada")),
        ({**NEW, "text": '"' + "x" * 140_000}, ("too-long", "")),
        (_packed(gzip.compress(b"x" * (MOST_TEXT + 1))), ("file-too-long", "")),
        (_packed(gzip.compress(bytes(50_000_000))), ("too-long", "")),
        (_packed(gzip.compress(bytes(10_000_000))), ("file-too-long", "")),
        (_packed(b"no gzip"), ("not-understood", "")),
        ({**NEW, "packed": "%%%"}, ("not-understood", "")),
        ({**NEW, "rounds": 0}, ("bad-value", "")),
        ({**NEW, "rounds": "5"}, ("not-understood", "")),
        ({**NEW, "name": ""}, ("bad-value", "")),
        ({**NEW, "system": "lottery"}, ("not-understood", "")),
        ({**NEW, "tie_breaks": ["buchholz", "buchholz"]}, ("bad-value", "")),
        ({**NEW, "tie_breaks": 7}, ("not-understood", "")),
    ],
)
def test_what_makes_no_event(desk: Desk, given: Told, word: tuple[str, str]) -> None:
    """One word each, with the line; a file that is small only while it is packed is not unpacked further than it may be."""
    assert desk.word("/event", given) == word
    assert desk.store.ids() == ()


def test_events_are_chosen_and_no_table_serves_two(desk: Desk) -> None:
    """What is not there cannot be played, nor can two that would sit at the same tables."""
    for name in ("Cup", "Juniors"):
        desk.ask("/event", {**NEW, "name": name})
    assert [one["plays"] for one in desk.ask("/play", {"events": ["cup"]})["events"]] == [True, False]
    assert desk.word("/play", {"events": ["cup", "nothing"]}) == ("no-event", "")
    assert desk.word("/play", {"events": ["cup", "juniors"]}) == ("same-tables", "")
    assert [one["plays"] for one in desk.ask()["events"]] == [True, False]
    juniors = desk.store.load(EventId("juniors"))
    desk.store.act(EventId("juniors"), juniors.revision, "settings", {"tables": [21, 22]}, Note("Ada"))
    assert desk.ask("/play", {"events": ["cup", "juniors"]})["status"] == HTTPStatus.OK
    assert not any(one["plays"] for one in desk.ask("/play", {"events": []})["events"])


def test_what_players_are_called_in_public_is_the_event_s(desk: Desk) -> None:
    """Without a word of the chief's as the station was started; the log says who chose, and pages that are open hear of it."""
    desk.ask("/event", NEW)
    told = desk.ask()
    assert (told["names"], [one["names"] for one in told["events"]]) == ("full", [None])
    told = desk.ask("/names", {"event": "open-2026", "names": "initials"})
    assert [one["names"] for one in told["events"]] == ["initials"]
    kept = desk.store.load(EventId("open-2026"))
    assert (kept.event.public_names, desk.changes) == (PublicNames.INITIALS, ["changed"])
    assert [(entry.note.act, entry.note.who) for entry in desk.store.log(EventId("open-2026"), 1)] == [
        ("settings", "Ada")
    ]
    assert desk.word("/names", {"event": "open-2026", "names": "nicknames"}) == ("not-understood", "")
    assert desk.word("/names", {"event": "none", "names": "full"}) == ("no-event", "")
