"""The plain files for players and public: what is in them and what never is, how they are written, and that a forgotten name goes."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from referee.cli.main import main
from referee.door.messages import Request
from referee.net.broker.hall_broker import HallBroker
from referee.net.credential import Address, Credential
from referee.net.topics.payloads import FromBoard
from referee.rules.values import Seat
from referee.tournament.event import acts
from referee.tournament.event import event as model
from referee.tournament.event.event import PublicNames
from referee.tournament.hall.accounts import Role, Session
from referee.tournament.hall.pages import StationServer
from referee.tournament.hall.station import Station
from referee.tournament.hall.tables import HallTables, Spectators
from referee.tournament.public.folder import (
    MANIFEST,
    PublicFiles,
    PublicFolderError,
    Publisher,
    Publishing,
    put_event,
    put_pages,
    remember,
)
from referee.tournament.public.markup import Said
from referee.tournament.public.pages import EventPages
from referee.tournament.public.prints import prints
from referee.tournament.public.shown import posted
from referee.tournament.store import Stored, open_store
from referee.web.files import public_files
from tests.hall.shown_hall import info
from tests.patience import PATIENCE_S

NAMES = ("Ada Canary", "Bram Berg", "Cleo Claes", "Daan Dijk", "Emil Elst")
HIDDEN = ("Canary Arbiter", "half", "same-points", "halves", "seat-", "reasons", "draft", "90210")
"""What an arbiter alone knows: the arbiter's own name here, a bye asked for, reasons of pairings, the seed."""


def event(rounds: int = 2) -> model.Event:
    """Return an event of five whose last round is on, with a bye that somebody has asked for and a draft where all are over."""
    details = model.Details(place="Sint-Niklaas", starts="2026-08-14", arbiter="Canary Arbiter")
    made = model.Event(model.EventId("open"), "Open <2026>", 5, seed=90210, details=details)
    made = acts.enter_all(made, [acts.Entry(name, 1500 - place) for place, name in enumerate(NAMES)])
    for number in range(1, rounds + 1):
        made = acts.publish(acts.propose(made))
        for pairing in made.rounds[-1].pairings:
            made = acts.record(made, number, pairing.table, model.Result.RED_WINS)
    made = acts.request_bye(made, model.PlayerNumber(1), rounds + 1, model.ByeKind.HALF)
    return acts.propose(made)


def written(folder: Path) -> dict[str, str]:
    """Return all of a folder's files but what every page loads."""
    found = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): (folder / path).read_text() for path in found if path.parts[0] in ("open", "live", "index.html")}


@pytest.mark.parametrize("names", PublicNames)
def test_nothing_is_public_but_what_is_published(names: PublicNames, tmp_path: Path) -> None:
    """No draft, reason, wish, seed or arbiter is in any file; where names are not to be told, no name is either."""
    put_pages(tmp_path, event(), Publishing("en", names))
    files = written(tmp_path)
    assert len(files) == 1 + 1 + 2 + 2 + len(NAMES)
    whole = "\n".join(files.values())
    for word in HIDDEN:
        assert word not in whole.replace("hall.bye-half", ""), word
    assert "round-3" not in whole
    assert ("Ada" in whole) == (names is PublicNames.FULL)
    assert ("A. C. (#1)" in whole) == (names is PublicNames.INITIALS)
    assert "<2026>" not in whole
    assert "Open &lt;2026&gt;" in whole


def test_what_the_event_says_of_names_counts_more_than_the_station(tmp_path: Path) -> None:
    """On pages and boards, from the next look on; `export` with the option does as it is told; paper has whole names."""
    now, revision = replace(event(), public_names=PublicNames.NUMBERS), 1
    boards = [_board({"red": "Ada Canary", "blue": "Bram Berg"})]
    for shy in (now, replace(now, public_names=PublicNames.INITIALS)):
        assert Publishing().kept_names([shy], {Seat.RED: "Ada Canary", Seat.BLUE: "Guest"}) == {
            Seat.RED: "#1",
            Seat.BLUE: "Guest",
        }
    assert Publishing().kept_names([event()], {Seat.RED: "Ada Canary"}) == {Seat.RED: "Ada Canary"}
    publisher = Publisher(
        PublicFiles(tmp_path), Publishing(), lambda: [(now, revision)], lambda after: (1, boards if after == 0 else [])
    )
    publisher.look()
    assert "Canary" not in "\n".join(written(tmp_path).values())
    assert json.loads((tmp_path / "live/table-1.json").read_text())["names"] == {"red": "#1", "blue": "#2"}
    assert "Canary" in prints(now, "en", "../", "")["cards.html"]
    now, revision = replace(now, public_names=PublicNames.INITIALS), 2
    publisher.look()
    assert "A. C. (#1)" in (tmp_path / "open/standings.html").read_text()
    assert json.loads((tmp_path / "live/table-1.json").read_text())["names"]["red"] == "A. C. (#1)"
    place = str(tmp_path / "events.db")
    with closing(open_store(place)) as store:
        store.create(now)
        assert store.load(now.id).event.public_names is PublicNames.INITIALS
    export = ["station", "export", "open", "--store", place, "--to", "pages", "--folder"]
    assert main([*export, str(tmp_path / "asked"), "--public-names", "numbers"]) == 0
    assert main([*export, str(tmp_path / "own")]) == 0
    found = [(tmp_path / name / "open/standings.html").read_text() for name in ("asked", "own")]
    assert ["A. C. (#1)" in text for text in found] == [False, True]
    assert not any("Canary" in text for text in found)


def test_a_round_names_groups_and_matches() -> None:
    """Each over its own tables and byes: a group by its name, a match with both teams and what their boards have brought."""
    made = model.Event(model.EventId("open"), "Open", 3, seed=5)
    entries = [acts.Entry(name, 1500 - place, group="AB"[place % 2]) for place, name in enumerate(NAMES)]
    grouped = _round_text(acts.publish(acts.propose(acts.enter_all(made, entries))))
    assert [grouped.index(f"> {name}</th>") for name in "AB"] == sorted(
        grouped.index(f"> {name}</th>") for name in "AB"
    )
    first, second = grouped.split("> B</th>")
    assert [name in first for name in NAMES] == [True, False, True, False, True]
    assert "hall.bye-pairing" in first
    assert [name in second for name in NAMES] == [False, True, False, True, False]
    entries = [acts.Entry(name, 1500 - place, team=f"Team {place % 3}") for place, name in enumerate(NAMES)]
    teams = acts.publish(acts.propose(acts.enter_all(replace(made, team_boards=2), entries)))
    text = _round_text(teams)
    assert all(text.count(f"Team {team}") == 1 for team in range(3))
    assert "6 \u2013 1" not in text
    one = teams.rounds[0].pairings[0]
    assert "6 \u2013 1" in _round_text(acts.record(teams, 1, one.table, model.Result.RED_WINS)).split("</th>")[4]


def _round_text(event: model.Event) -> str:
    text = EventPages(event, Said("en")).files()["round-1.html"]
    assert _unserved(text) == set()
    return text


def _unserved(text: str) -> set[str]:
    """Return the words of a page that its script could not say in another language."""
    kept = json.loads(dict(public_files())["words.json"])["da"]
    return set(re.findall(r'data-(?:t|label)="([^"]*)"', text)).difference(kept)


def test_a_knock_out_has_its_bracket() -> None:
    """Every stage, also those to come; who has won has a mark with a word; of another system there is none."""
    made = model.Event(model.EventId("open"), "Open", 5, model.System.KNOCK_OUT, seed=5)
    assert "public.not-paired" in EventPages(made, Said("en")).files()["bracket.html"]
    made = acts.enter_all(made, [acts.Entry(name, 1500 - place) for place, name in enumerate(NAMES)])
    for number in (1, 2):
        made = acts.publish(acts.propose(made))
        for pairing in made.rounds[-1].pairings:
            made = acts.record(made, number, pairing.table, model.Result.RED_WINS)
    text = EventPages(made, Said("en")).files()["bracket.html"]
    assert _unserved(text) == set()
    stages = re.findall(r"<h3>.*?(?=<h3>|</main>)", text)
    assert [re.findall(r'data-t="public.([a-z-]+)"', stage)[0] for stage in stages] == [
        "quarter-final",
        "semi-final",
        "final",
    ]
    assert [stage.count("player-") for stage in stages] == [5, 4, 2]
    assert [stage.count("hall.bye") for stage in stages] == [3, 0, 0]
    assert [stage.count('data-label="public.winner"') for stage in stages] == [4, 2, 0]
    assert re.findall(r'href="(round-\d)', text) == ["round-2", "round-1", "round-2", "round-2"]
    assert "bracket.html" in prints(made, "en", "../", "")
    assert "bracket.html" not in EventPages(event(), Said("en")).files()


@pytest.mark.parametrize("system", model.System)
def test_teams_and_groups_have_their_tables(system: model.System, tmp_path: Path) -> None:
    """The standings of teams stand before those of players, and groups have a heading each; every system has its pages."""
    made = model.Event(model.EventId("open"), "Open", 5, system, tie_breaks=tuple(model.TieBreak), seed=5)
    made = acts.enter_all(made, [acts.Entry(name, 1500 - place) for place, name in enumerate(NAMES[:4])])
    for team, players in (("Lions", [1, 4]), ("Eagles", [2, 3])) if system is not model.System.ROUND_ROBIN else ():
        made = acts.BY_NAME["team"](replace(made, team_boards=2), {"name": team, "players": players})
    made = made if made.teams else acts.BY_NAME["group"](made, {"number": 1, "group": "Juniors"})
    made = acts.publish(acts.propose(made))
    for pairing in made.rounds[-1].pairings:
        made = acts.record(made, 1, pairing.table, model.Result.RED_WINS)
    put_pages(tmp_path, made, Publishing("da"))
    standings = (tmp_path / "open/standings.html").read_text()
    assert ("Juniors" in standings) == bool(made.groups)
    assert (standings.find("Lions") != -1) == bool(made.teams)
    assert standings.count("Ada Canary") == 1
    assert ("Lions" in (tmp_path / "open/player-1.html").read_text()) == bool(made.teams)


@pytest.mark.parametrize("names", PublicNames)
def test_what_hangs_in_the_hall_has_no_draft_and_the_names_of_the_pages(names: PublicNames) -> None:
    """Also on the room's screen players are called as their event says."""
    told = json.dumps(posted(event(), names))
    assert ("Ada Canary" in told) == (names is PublicNames.FULL)
    assert [word for word in HIDDEN if word in told] == []


class _Hall:
    """What streams ask of a station with one board, at which a player of the event sits and a visitor."""

    link, event_changes = SimpleNamespace(up=True), 0

    def __init__(self) -> None:
        self.tables, self.event, self.revision = HallTables(["t1"]), event(), 1
        place = SimpleNamespace(client=lambda role: Credential(role, "u", "p", Address("hall", 1884), ""))
        self.spectators = Spectators(cast(HallBroker, place), ["t1"], 0, lambda said: None)
        for take in (self.tables.take, self.spectators._take):
            take(FromBoard("t1", replace(info("t1"), names={Seat.RED: "Ada Canary", Seat.BLUE: "A Visitor"})))

    def event_names(self) -> dict[str, str]:
        """Return no names: nobody looks at them here."""
        return {}

    def kept_events(self) -> list[Stored]:
        """Return the event that is played."""
        return [Stored(self.event, self.revision)]

    def find(self, secret: str) -> Session | None:
        """Return the session of somebody whose role is the secret."""
        return Session("x", Role(secret), 0.0) if secret else None


def _stream(server: StationServer, path: str, who: str) -> Iterator[dict[str, Any]]:
    """Yield the only table's names as a stream tells them."""
    body = server.answer(Request("GET", path, "::1", {"cookie": f"hallmarshal={who}"})).body
    assert isinstance(body, Generator)
    for piece in body:
        for table in json.loads(piece.removeprefix(b"data: "))["tables"]:
            yield table["names"]


def test_streams_call_players_as_the_pages_do() -> None:
    """On the room's screen and for spectators, and anew once the chief has chosen otherwise; arbiters read whole names."""
    hall = _Hall()
    server = StationServer(cast(Station, hall), secure=False)
    assert next(_stream(server, "/api/live", "")) == {"red": "", "blue": ""}  # no event has been looked at
    hall.event = replace(hall.event, public_names=PublicNames.INITIALS)
    server._publisher.look()
    screen = _stream(server, "/api/hall", "screen")
    for told in (next(screen), next(_stream(server, "/api/live", ""))):
        assert told == {"red": "A. C. (#1)", "blue": ""}
    assert next(_stream(server, "/api/hall", "arbiter")) == {"red": "Ada Canary", "blue": "A Visitor"}
    hall.event, hall.revision = replace(hall.event, public_names=PublicNames.NUMBERS), 2
    server._publisher.look()
    assert next(screen)["red"] == "#1"


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_every_link_leads_to_a_file(rounds: int, tmp_path: Path) -> None:
    """On pages, and on prints, whose players' cards are at the address on the QR code. Every word is one that readers' browsers get."""
    put_pages(tmp_path, event(rounds), Publishing("de"))
    for name in written(tmp_path):
        for link in re.findall(r'(?:href|src)="([^"]*)"', (tmp_path / name).read_text()):
            target = (tmp_path / name).parent / link
            assert (target / "index.html" if link.endswith("/") else target).is_file(), (name, link)
        assert _unserved((tmp_path / name).read_text()) == set(), name
    printed = prints(event(rounds), "fr", "../", "http://hall/public/open/")
    assert set(printed) == {*("tables.html", "names.html", "standings.html", "cross.html", "cards.html", "slips.html")}
    for name, page in printed.items():
        beside = {link for link in re.findall(r'href="([^"]*)"', page) if not link.startswith("../")}
        assert beside <= set(printed), name


def test_what_has_not_changed_is_not_written(tmp_path: Path) -> None:
    """A result changes its round, standings and cross table, where everybody sits not at all, and the cards of whom it concerns."""
    files, how = PublicFiles(tmp_path), Publishing()
    published = acts.publish(event(1))
    assert put_event(files, published, how) > 0
    assert put_event(files, published, how) == 0
    kept = {name: (tmp_path / name).stat().st_mtime_ns for name in written(tmp_path)}
    table = published.rounds[-1].pairings[0]
    put_event(files, acts.record(published, 2, 1, model.Result.DRAW), how)
    changed = {name for name, at in kept.items() if (tmp_path / name).stat().st_mtime_ns != at}
    assert {"open/round-2.html", "open/standings.html", "open/cross.html"} <= changed
    assert {f"open/player-{number}.html" for number in table.players} <= changed
    assert not {"open/index.html", "open/round-1.html"} & changed
    unpublished = replace(published, rounds=published.rounds[:1])
    put_event(files, unpublished, how)
    assert not (tmp_path / "open/round-2.html").exists()
    assert "open/round-2.html" not in json.loads((tmp_path / MANIFEST).read_text())


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    """Whoever reads while a file is written anew gets the old one or the new one, whole."""
    bodies = [letter * (200_000 + 1000 * place) for place, letter in enumerate("abcd")]
    files = PublicFiles(tmp_path)
    files.put("open/", {"index.html": bodies[0]})
    over, seen = threading.Event(), set[str]()

    def read() -> None:
        while not over.is_set():
            seen.add((tmp_path / "open/index.html").read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for turn in range(60):
        files.put("open/", {"index.html": bodies[turn % 4]})
    over.set()
    reader.join(PATIENCE_S)
    assert seen <= set(bodies)
    assert not list(tmp_path.rglob("*.new"))


@contextmanager
def _umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def test_a_web_server_may_read_it_and_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    """Also where the station's own files are for nobody else; a folder with other files is refused, and nothing in it changed."""
    with _umask(0o077):
        put_pages(tmp_path / "web", event(), Publishing())
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "web").rglob("*") if path.is_file()}
    assert modes == {0o644}
    assert (tmp_path / "web").stat().st_mode & 0o777 == 0o755
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text("mine")
    with pytest.raises(PublicFolderError, match="something else"):
        PublicFiles(tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["index.html"]


def _board(names: dict[str, str]) -> dict[str, Any]:
    return {"board": "t1", "number": 1, "names": names, "view": {"ply": 1}, "info": {"names": names}}


def test_boards_call_players_as_the_pages_do(tmp_path: Path) -> None:
    """In an event's hall nobody is named but its players; who is forgotten has no name there any more at once."""
    now = [acts.publish(event())]
    revision = 1
    told = [(1, [_board({"red": "Ada Canary", "blue": "A Visitor"})]), (1, [])]
    how = Publishing(names=PublicNames.FULL)
    publisher = Publisher(PublicFiles(tmp_path), how, lambda: [(now[0], revision)], lambda after: told[min(after, 1)])
    publisher.look()
    table = json.loads((tmp_path / "live/table-1.json").read_text())
    assert table["names"] == table["info"]["names"] == {"red": "Ada Canary", "blue": ""}
    mark = json.loads((tmp_path / "live/boards.json").read_text())["boards"]["1"]
    players = (replace(now[0].players[0], name="#1"), *now[0].players[1:])
    now[0], revision = replace(now[0], players=players), 2
    publisher.look()
    assert "Canary" not in "\n".join(written(tmp_path).values())
    assert json.loads((tmp_path / "live/boards.json").read_text())["boards"]["1"] != mark


def test_a_forgotten_player_goes_from_the_folder_of_a_station_that_is_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`record forget` writes the pages anew where the station wrote them; without a station's folder there is nothing to do."""
    state, folder = tmp_path / "state", tmp_path / "web"
    state.mkdir()
    with closing(open_store(state / "events.db")) as store:
        store.create(event())
    remember(state, folder, Publishing("nl"))
    export = ["station", "export", "open", "--store", str(state / "events.db"), "--to"]
    assert main([*export, "pages", "--folder", str(folder)]) == 0
    PublicFiles(folder).put("live/", {"table-1.json": '{"names": {"red": "Ada Canary"}}'})
    assert main(["record", "forget", "Ada Canary", str(state)]) == 0
    assert f"{folder}: the pages" in capsys.readouterr().out
    whole = "\n".join(path.read_text() for path in folder.rglob("*") if path.suffix in (".html", ".json"))
    assert "Canary" not in whole
    assert "#1" in whole
    assert "Bram Berg" in whole
    assert main([*export, "prints"]) == 2
    assert "--folder" in capsys.readouterr().err
