"""The library over HTTP: what is listed, found and shown, to whom, and what it costs (docs/reference/library.md)."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import replace
from importlib import resources
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from nacl.public import Box

from kiosk_ui.seen_again import read_replay
from referee.door.messages import Response
from referee.journal.records.check import completed
from referee.journal.records.formats import read_record
from referee.journal.records.model import View
from referee.journal.records.views import view_of
from referee.journal.stored import JOURNAL
from referee.library.games import GameFilter
from referee.library.pages import COOKIE, Seats
from referee.library.shelf import Now, Shelf, ShelfError
from referee.library.worker import work
from referee.net.credential import KeyPair, write_base64
from referee.rules import EndReason, GameResult, Seat, load_rule_set
from tests.library.kept import FIRST, SECOND, game_of, keep, pages, shelf
from tests.library.test_report import otherwise
from tests.records.recorded_games import random_game

REFEREE, HANDSET = KeyPair(bytes(range(32))), KeyPair(bytes(range(1, 33)))


def said(answer: Response) -> Any:
    """Return the JSON of an answer."""
    return json.loads(body(answer))


def body(answer: Response) -> bytes:
    """Return the bytes of an answer that has them all at once."""
    assert isinstance(answer.body, bytes)
    return answer.body


def listed(ask: Any, **wanted: str) -> list[str]:
    """Return the names of the games in the list."""
    answer = ask("/games/list", json.dumps(wanted).encode())
    assert answer.status == 200
    return [game["name"] for game in said(answer)["games"]]


def test_games_are_listed_newest_first_and_found(tmp_path: Path) -> None:
    """By player, rule set, date and result; what is told of each is what its record tells everybody."""
    keep(tmp_path, FIRST, game_of(3))
    keep(tmp_path, SECOND, game_of(4, frozenset({Seat.RED})))
    ask = pages(tmp_path)
    assert listed(ask) == [SECOND, FIRST]
    assert listed(ask, before=SECOND) == [FIRST]
    assert listed(ask, player="bram 3") == [FIRST]
    assert listed(ask, rules="BARR", date="2026-11-04", result="red") == [SECOND]
    for nothing in ({"player": "Carla"}, {"rules": "duel"}, {"date": "2025"}, {"result": "blue"}):
        assert listed(ask, **nothing) == []
    newest = said(ask("/games/list", b"{}"))["games"][0]
    assert newest["players"] == {"red": "Anna", "blue": "Bram 4"}
    assert (newest["shown"], newest["signers"], newest["winner"]) == (["red"], {"red": "R" * 43}, "red")


def test_a_record_that_is_signed_while_it_is_read_is_listed(tmp_path: Path) -> None:
    """The worker read it as it is by then."""
    folder = keep(tmp_path, FIRST, game_of(3))

    def signed_meanwhile(what: str, *rest: Any, **more: Any) -> bytes | None:
        if what == "index":
            os.utime(folder / "game.record", ns=(1, 1))
        return work(what, *rest, **more)

    assert [entry.name for entry in shelf(tmp_path, work=signed_meanwhile).search(GameFilter(), "", 5)[0]] == [FIRST]


def test_a_game_that_went_on_from_its_good_part_is_listed_once(tmp_path: Path) -> None:
    """The record of before its journal was damaged is no longer shown; a folder that is only called so hides nothing."""
    keep(tmp_path, FIRST, game_of(3, frozenset({Seat.RED, Seat.BLUE})))
    ask = pages(tmp_path)
    (tmp_path / "games" / f"{FIRST}-saved1").mkdir()
    assert listed(ask) == [FIRST]
    (tmp_path / "games" / f"{FIRST}-saved2").mkdir()
    (tmp_path / "games" / f"{FIRST}-saved2" / JOURNAL).touch()
    assert listed(pages(tmp_path)) == []
    keep(tmp_path, f"{FIRST}-saved2", game_of(3))
    assert listed(pages(tmp_path)) == [f"{FIRST}-saved2"]


def test_a_page_is_the_archive_s_view_and_is_made_once(tmp_path: Path) -> None:
    """The replay, the file and the record; a changed record is made anew, a removed one is gone."""
    folder = keep(tmp_path, FIRST, game_of(3, frozenset({Seat.RED})))
    made: list[str] = []

    def counted(what: str, *rest: Any, **more: Any) -> bytes | None:
        made.append(what)
        return work(what, *rest, **more)

    kept = shelf(tmp_path, work=counted)
    page = kept.page(FIRST)
    assert kept.page(f"{3:016x}") == page
    assert made == ["index", "page"]
    assert read_record(kept.record(FIRST)) == view_of(game_of(3, frozenset({Seat.RED})), View.ARCHIVE)
    ask = pages(tmp_path)
    shown = ask(f"/games/{FIRST}")
    assert b'src="/report/report.js"' in shown.body
    assert b"<style>" not in shown.body
    (folder / "replay.html").write_bytes((folder / "replay.html").read_bytes()[:-100])
    assert shelf(tmp_path).page(FIRST) == page  # one that was cut is made anew
    assert [ask("/games/list", body).status for body in (b'{"player": 7}', b'{"before": null}')] == [400, 400]
    file = ask(f"/games/{FIRST}/game.html")
    assert (file.body, "attachment" in file.headers["Content-Disposition"]) == (page, True)
    keep(tmp_path, FIRST, game_of(5))
    os.utime(folder / "game.record", ns=(1, 1))
    assert kept.page(FIRST) != page
    (folder / "game.record").unlink()
    assert listed(ask) == []
    assert ask(f"/games/{FIRST}").headers["Location"] == "/games#not-found"
    assert ask(f"/games/{FIRST}/game.html").status == 404


def test_a_game_by_the_house_rules_of_the_table_is_seen_again(tmp_path: Path) -> None:
    """With the rules' file; without it, or by rules of another name, it cannot be shown."""
    shipped = (resources.files("referee.rules") / "data" / "barrage.toml").read_text("utf-8")
    houses = [tmp_path / "hut.toml", tmp_path / "shed.toml"]
    for house in houses:
        house.write_text(shipped.replace('name = "barrage"', f'name = "{house.stem}"'))
    rules = load_rule_set(houses[0])
    whole = completed(random_game(rules, 5, 20).record, rules)
    keep(tmp_path, FIRST, replace(whole, result=GameResult(Seat.RED, EndReason.RESIGN)))
    made = [Shelf(tmp_path, work=work, clock=count(step=10).__next__, house=house) for house in (*houses, None)]
    assert b"replay" in made[0].page(FIRST)
    assert read_replay(zlib.decompress(made[0].replay(FIRST))).last == len(whole.plies)
    for shelf_without in made[1:]:
        with pytest.raises(ShelfError, match="unreadable"):
            shelf_without.page(FIRST)


def test_until_it_is_confirmed_a_game_is_public_alone(tmp_path: Path) -> None:
    """One owner's consent is shown only once nobody can take the end back; that of all at once. Of a game that is on there is nothing."""
    keep(tmp_path, FIRST, game_of(3, frozenset({Seat.RED})))
    now = [Now(FIRST, False)]
    ask = pages(tmp_path, lambda: now[0])
    assert said(ask("/games/list", b"{}"))["games"][0]["shown"] == []
    public = body(ask(f"/games/{FIRST}/game.record"))
    assert read_record(public).view is View.PUBLIC
    assert b"consent" not in public
    assert not (tmp_path / "games" / FIRST / "replay.html").exists()
    page = ask(f"/games/{FIRST}/game.html").body
    now[0] = Now(None, False)
    assert ask(f"/games/{FIRST}/game.html").body != page
    now[0] = Now(FIRST, True)
    assert listed(ask) == []
    both = frozenset({Seat.RED, Seat.BLUE})
    keep(tmp_path, FIRST, game_of(6, both))
    now[0] = Now(FIRST, False)
    assert said(ask("/games/list", b"{}"))["games"][0]["shown"] == ["red", "blue"]
    assert read_record(body(ask(f"/games/{FIRST}/game.record"))) == view_of(game_of(6, both), View.ARCHIVE)


def test_nothing_is_made_while_a_game_is_played(tmp_path: Path) -> None:
    """What was made before is served, and the list stands as it was read before."""
    keep(tmp_path, FIRST, game_of(3))
    quiet = pages(tmp_path)
    assert listed(quiet) == [FIRST]
    assert quiet(f"/games/{FIRST}").status == 200
    keep(tmp_path, SECOND, game_of(4))
    ask = pages(tmp_path, lambda: Now("on", True))
    assert listed(ask) == [FIRST]
    assert ask(f"/games/{FIRST}").status == 200
    refused = ask(f"/games/{FIRST}/game.record")
    assert (refused.status, said(refused)) == (503, {"error": "game-on"})


def test_damaged_and_foreign_folders_cost_their_own_line(tmp_path: Path) -> None:
    """No record, a broken one, a huge one, a game that is not over, a link, a seat's view: the others are there; so with a broken index."""
    keep(tmp_path, FIRST, game_of(3))
    games = tmp_path / "games"
    for name, content in (
        ("broken", "hallmarshal record 3\n\n[game]\nrules"),
        ("huge", "x" * 1_000_001),
        ("binary", "\0\1"),
    ):
        (games / name).mkdir()
        (games / name / "game.record").write_text(content)
    (games / "empty").mkdir()
    (games / "file").write_text("x")
    (games / "link").symlink_to(games / FIRST)
    (games / "linked").mkdir()
    (games / "linked" / "game.record").symlink_to(games / FIRST / "game.record")
    keep(tmp_path, "seen-by-red", game_of(4), View.RED)
    ask = pages(tmp_path)
    assert listed(ask) == [FIRST]
    (tmp_path / "library.jsonl").write_bytes(b'nonsense\n["a", "b"]\n\xff')
    assert listed(pages(tmp_path)) == [FIRST]


@pytest.mark.parametrize(
    "path",
    [
        "/games/..",
        "/games/%2e%2e",
        f"/games/..%2F{FIRST}",
        f"/games/{FIRST}/../x",
        f"/games/{FIRST}/journal.key",
        "/games/",
        "/games//x",
    ],
)
def test_no_name_becomes_a_path(path: str, tmp_path: Path) -> None:
    """What is not in the list is not there."""
    (keep(tmp_path, FIRST, game_of(3)) / "journal.key").write_text("secret")
    answer = pages(tmp_path)(path)
    assert answer.status == 404 or answer.headers["Location"] == "/games#not-found"
    assert b"secret" not in body(answer)


def test_only_a_phone_with_a_seat_gets_in(tmp_path: Path) -> None:
    """It shows its key without telling it; who has no seat any more is out again."""
    keep(tmp_path, FIRST, game_of(3))
    holders = [HANDSET.public.text]
    seats = Seats(REFEREE, lambda: holders)
    ask = pages(tmp_path, seats=seats)
    refused = ask("/games/list", b"{}")
    assert (refused.status, said(refused)) == (401, {"error": "log-in", "challenge": seats.challenge})
    page = ask(f"/games/{FIRST}")
    assert (page.status, b"Anna" in page.body) == (401, False)
    for path in (f"/games/{FIRST}/game.html", f"/games/{FIRST}/game.record"):
        assert ask(path).status == 401

    def proof(by: KeyPair, said: str) -> bytes:
        box = Box(by.nacl(), REFEREE.public.nacl()).encrypt(f"hallmarshal library 1\n{said}".encode())
        return json.dumps({"key": HANDSET.public.text, "sealed": write_base64(bytes(box))}).encode()

    for wrong in (proof(KeyPair(bytes(32)), seats.challenge), proof(HANDSET, "0" * 32), b'{"key": 3}', b"{}"):
        assert ask("/games/enter", wrong).status == 403
    entered = ask("/games/enter", proof(HANDSET, seats.challenge))
    cookie = entered.headers["Set-Cookie"].partition(";")[0]
    assert cookie.startswith(COOKIE)
    assert ask("/games/list", b"{}", cookie).status == 200
    assert ask("/games/list", b"{}", f"{COOKIE}=1").status == 401
    holders.clear()
    assert ask("/games/list", b"{}", cookie).status == 401
    assert ask("/games/enter", proof(HANDSET, seats.challenge)).status == 403


def test_what_may_not_be_shown_changes_no_byte(tmp_path: Path) -> None:
    """Two games that differ in ranks alone that nobody may see: every answer, the index and what is kept of the page are the same."""
    game = game_of(4, frozenset({Seat.RED}), 60)
    told = []
    for folder, record in (("one", game), ("other", otherwise(game))):
        state = tmp_path / folder
        kept = keep(state, FIRST, record, View.REFEREE)
        os.utime(kept / "game.record", ns=(1, 1))
        ask = pages(state)
        files = [body(ask(f"/games/{FIRST}{file}")) for file in ("", "/game.html", "/game.record")]
        index = (state / "library.jsonl").read_bytes().partition(b"{")[2]  # without the size of the record
        page = (kept / "replay.html").read_bytes().partition(b"\n")[2]
        told.append([body(ask("/games/list", b"{}")), *files, index, page])
    assert told[0] == told[1]


def test_a_record_at_which_the_worker_ends_costs_its_own_line(tmp_path: Path) -> None:
    """It is killed for it while it reads three, and while it makes a page: that one is not tried again."""
    for name in (FIRST, SECOND, "2026-11-22-201500-cccccc"):
        keep(tmp_path, name, game_of(3))
    tried: list[str] = []

    def killed(what: str, folder: Path, *view: str, given: bytes = b"") -> bytes | None:
        tried.append(what)
        if what != "index":
            return None
        names = json.loads(given)
        at = names.index(SECOND) if SECOND in names else len(names)
        return work("index", folder, given=json.dumps(names[:at]).encode())

    kept = shelf(tmp_path, work=killed)
    kept.listed()
    assert [entry.name for entry in kept.listed()] == ["2026-11-22-201500-cccccc", FIRST]
    for _ in range(2):
        with pytest.raises(ShelfError, match="unreadable"):
            kept.page(FIRST)
    assert tried == ["index", "index", "page"]
