"""What the table tells its kiosk of kept games: found ones, and one to be seen again; every note fits its topic."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from kiosk_ui.received_state import Desk, Library
from referee.library.shelf import Now
from referee.net.topics.codec import encode_public
from referee.net.topics.payloads import KioskNote, KioskWish
from referee.rules import Seat
from referee.runtime.kiosk_games import GAMES_SHOWN, KioskGames
from tests.library.kept import FIRST, SECOND, game_of, keep, shelf


def answered(state: Path, *wishes: KioskWish, now: Now = Now()) -> list[KioskNote]:  # noqa: B008 # a constant
    """Return what a table answers to wishes, each after the answer to the one before."""
    notes: list[KioskNote] = []

    async def ask() -> None:
        games = KioskGames(shelf(state, lambda: now, _work), lambda: "http://table:8080", notes.append)
        for wish in wishes:
            games.take(wish)
            while games.busy:
                await asyncio.sleep(0)

    asyncio.run(ask())
    for note in notes:
        encode_public(note)
    return notes


def _work(*arguments: Any, **more: Any) -> bytes | None:
    from referee.library.worker import work

    return work(*arguments, **more)


def told(notes: list[KioskNote]) -> Library:
    """Return what a kiosk knows after these notes."""
    desk = Desk()
    for note in notes:
        desk = desk.after(note)
    assert desk.library is not None
    return desk.library


def test_games_are_listed_found_and_seen(tmp_path: Path) -> None:
    """The newest first, as many as fit; what can be looked for is what occurs; a game comes with the address for a phone."""
    for number in range(GAMES_SHOWN + 2):
        keep(tmp_path, f"2026-11-{number + 10}-201500-aaaaaa", game_of(number + 1))
    found = told(answered(tmp_path, KioskWish("games"))).found
    assert found is not None
    assert (len(found.games), found.more) == (GAMES_SHOWN, True)
    assert "Anna" in found.choices["player"]
    wish = KioskWish("games", json.dumps({"player": "bram 3", "result": "red", "date": 7}))
    found = told(answered(tmp_path, wish)).found
    assert found is not None
    assert [game.players[Seat.BLUE] for game in found.games] == ["Bram 3"]
    library = told(answered(tmp_path, KioskWish("replay", found.games[0].name)))
    assert library.replay is not None
    assert library.replay.link == f"http://table:8080/games/{found.games[0].name}"
    assert library.replay.last == found.games[0].plies


@pytest.mark.parametrize(
    ("name", "now", "fault"),
    [("../secret", Now(), "not-found"), ("", Now(), "not-found"), (FIRST, Now(None, True), "game-on")],
)
def test_a_refusal_says_why(name: str, now: Now, fault: str, tmp_path: Path) -> None:
    """No name becomes a path, and nothing is made while a game is played."""
    keep(tmp_path, FIRST, game_of(1))
    answered(tmp_path, KioskWish("games"))  # so that the list is there
    library = told(answered(tmp_path, KioskWish("replay", name), now=now))
    assert (library.fault, library.replay, library.answers) == (fault, None, 1)


def test_what_may_not_be_shown_changes_no_note(tmp_path: Path) -> None:
    """Of two games that differ in hidden ranks alone the kiosk hears the same; once their owners agreed it does not."""
    for consent, same in ((frozenset[Seat](), True), (frozenset(Seat(word) for word in ("red", "blue")), False)):
        heard = []
        for state in (tmp_path / f"one {same}", tmp_path / f"other {same}"):
            keep(state, SECOND, _otherwise(game_of(4, consent, 60), "other" in state.name))
            heard.append(answered(state, KioskWish("games"), KioskWish("replay", SECOND)))
        assert (heard[0] == heard[1]) is same


def _otherwise(record: Any, other: bool) -> Any:
    """Return a record in which two pieces that were never told have changed places."""
    from tests.library.test_report import otherwise

    return otherwise(record) if other else record


def test_strange_wishes_and_huge_names_do_no_harm(tmp_path: Path) -> None:
    """What is no JSON looks for every game; names as long as they may be are told in notes that fit."""
    from dataclasses import replace

    from referee.rules import BySeat

    for number in range(GAMES_SHOWN):
        names = BySeat({Seat.RED: str(number) + "\U0001f600" * 20, Seat.BLUE: "\u00e9" * 20})
        keep(tmp_path, f"2026-11-{number + 10}-201500-aaaaaa", replace(game_of(number + 1), names=names))
    for wish in ("[", "7", "{}", '{"player": 1}', "[" * 4000):
        assert told(answered(tmp_path, KioskWish("games", wish))).found is not None


def test_many_names_of_signs_that_take_two_bytes_still_fit(tmp_path: Path) -> None:
    """As many as are offered to be looked for, of quotation marks and backslashes."""
    from dataclasses import replace

    from referee.rules import BySeat

    for number in range(35):
        names = BySeat(
            {seat: f"{mark * 21}{number:02d}{seat.value[0]}" for seat, mark in zip(Seat, '"\\', strict=False)}
        )
        keep(tmp_path, f"2026-11-10-2015{number:02d}-aaaaaa", replace(game_of(1, plies=4), names=names))
    assert told(answered(tmp_path, KioskWish("games"))).found is not None


def test_nothing_is_sent_of_a_game_whose_end_is_taken_back_meanwhile(tmp_path: Path) -> None:
    """Its replay was made, and then it was on again."""
    keep(tmp_path, FIRST, game_of(1))
    answered(tmp_path, KioskWish("games"))
    asked = iter((Now(),) * 4)

    def on_again() -> Now:
        return next(asked, Now(None, True))

    notes: list[KioskNote] = []

    async def ask() -> None:
        games = KioskGames(shelf(tmp_path, on_again, _work), lambda: "", notes.append)
        games.take(KioskWish("replay", FIRST))
        while games.busy:
            await asyncio.sleep(0)

    asyncio.run(ask())
    assert notes == [KioskNote("games-fault", "game-on")]
