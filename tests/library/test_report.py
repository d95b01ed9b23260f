"""`hallmarshal record report`: what a view does not hold changes no byte of page or picture, and what it holds is in them."""

from __future__ import annotations

import itertools
import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.journal.errors import RecordError
from referee.journal.records.check import completed, judge
from referee.journal.records.formats import write_record
from referee.journal.records.model import Record, SetUp, View, rules_of
from referee.journal.records.views import screens_of, view_of
from referee.rules import BySeat, EndReason, GameResult, Seat, rule_set
from referee.words import LANGUAGES
from tests.records.recorded_games import random_game


@pytest.fixture(scope="module")
def game() -> Record:
    """A game of which Red lets the archive keep the set-up, and Blue does not."""
    return replace(completed(random_game(rule_set("barrage"), 4, 60).record), consent=frozenset({Seat.RED}))


def otherwise(record: Record) -> Record:
    """Return the game with two of Blue's ranks exchanged that nobody but Red was told: one of them fought, and won as it does now."""
    set_up = record.set_ups[Seat.BLUE]
    hidden = [square for square in set_up if square not in view_of(record, View.PUBLIC).set_ups[Seat.BLUE].known]
    told = [square for square in hidden if square in view_of(record, View.RED).set_ups[Seat.BLUE].known]
    for one, other in itertools.product(told, hidden):
        ranks = SetUp({**set_up, one: set_up[other], other: set_up[one]})
        plies = tuple(replace(ply, attacker=None, defender=None) for ply in record.plies)
        changed = replace(record, set_ups=BySeat({**dict(record.set_ups), Seat.BLUE: ranks}), plies=plies)
        with suppress(RecordError):
            if set_up[one] is not set_up[other] and judge(changed).legal:
                return completed(changed)
    raise AssertionError("no two ranks of this game can be exchanged")


def written(record: Record, folder: Path, *more: str) -> tuple[str, str]:
    """Return page and picture of a record."""
    source, page, picture = folder / "game.txt", folder / "game.html", folder / "game.svg"
    source.write_text(write_record(record, "own"))
    assert main(["record", "report", str(source), "-o", str(page), "--picture", str(picture), *more]) == 0
    return page.read_text(), picture.read_text()


def told(page: str) -> Any:
    """Return what a page is told of its game."""
    found = re.search(r'<script id="game" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@pytest.mark.parametrize("view", ["archive", "public"])
def test_what_a_view_does_not_hold_changes_no_byte(view: str, game: Record, tmp_path: Path) -> None:
    """Two games that differ in hidden ranks alone make the same page and picture, and the same screen for the PNG."""
    changed = otherwise(game)
    assert changed != game
    assert written(game, tmp_path, "--view", view) == written(changed, tmp_path, "--view", view)
    first, second = (screens_of(view_of(each, View(view)), rules_of(each)) for each in (game, changed))
    assert first == second
    for fuller in ("red", "referee"):
        assert written(game, tmp_path, "--view", fuller) != written(changed, tmp_path, "--view", fuller)


def test_without_a_wish_it_is_the_archive_s_view(game: Record, tmp_path: Path) -> None:
    """Ranks of an army that is not shared are those of captured pieces alone, in the page and in its packed figures."""
    page, picture = written(game, tmp_path)
    assert (page, picture) == written(game, tmp_path, "--view", "archive")
    document, kept = told(page), view_of(game, View.ARCHIVE)
    names = [square[0] for square in document["squares"]]
    shown = {
        seat: {
            names[start]: document["ranks"][rank][0]
            for owner, start, rank, _ in document["pieces"]
            if rank >= 0 and document["seats"][owner] == seat
        }
        for seat in document["seats"]
    }
    assert shown == {
        seat.value: {square.name: rank.value for square, rank in set_up.known.items()}
        for seat, set_up in kept.set_ups.items()
    }
    assert len(shown["red"]) == len(kept.set_ups[Seat.RED]) > len(shown["blue"]) > 0
    certain = {row[0] for known in document["knows"].values() for row in known["rows"] if len(row) == 2}
    everybody = {rank for army in shown.values() for rank in army.values()}
    assert {document["ranks"][rank][0] for rank in certain} <= everybody


def test_the_page_asks_no_network_and_speaks_all_languages(game: Record, tmp_path: Path) -> None:
    """Nothing is loaded from elsewhere, and what a name says cannot end the script."""
    won = GameResult(Seat.RED, EndReason.RESIGN)
    page, picture = written(replace(game, names=BySeat({Seat.RED: "</script><b>"}), result=won), tmp_path)
    assert not re.search(r'(?:src|href)="(?!#|data:)|url\(|@import url|^import ', page, re.MULTILINE)
    assert "</script><b>" not in page
    document = told(page)
    assert document["winners"] == ["red"]
    assert (document["names"], set(document["words"])) == ({"red": "</script><b>"}, set(LANGUAGES))
    asked = set(re.findall(r't\("([a-z]+\.[a-z-]+)"', page.partition("const GAME")[2]))
    assert asked
    assert asked <= set(document["words"]["de"])
    assert 'width="1200" height="630"' in picture
