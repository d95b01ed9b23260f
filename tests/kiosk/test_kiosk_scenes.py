"""What is shown large for a while: a verdict without a survivor's rank, the end of a game, and that nothing goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kiosk_ui.fixtures import touch_samples
from kiosk_ui.received_state import ReceivedState
from kiosk_ui.screen import screen_state, showing_between
from kiosk_ui.touch_state import ScreenSettings, Showing, TouchState
from referee.presentation.scenes import Duel, duel_of
from referee.rules.values import Rank, Seat
from referee.table.views import PublicEvent
from referee.words import LANGUAGES, words
from tests.kiosk.test_kiosk_app import run

SAMPLES = {sample.name: sample for sample in touch_samples()}
BEFORE = SAMPLES["captured"].received
GAME = BEFORE.table[0].game if BEFORE.table else ""
RED, BLUE = Seat.RED, Seat.BLUE


def verdict(result: str, captured: dict[Seat, Rank]) -> PublicEvent:
    """Return the event of an attack from b6 at b7, where blue stands."""
    return PublicEvent(GAME, 7, "verdict", 138, RED, "b6", "b7", result=result, captured=captured)


VERDICTS = {
    "attacker-wins": {BLUE: Rank.SERGEANT},
    "defender-wins": {RED: Rank.SCOUT},
    "both-lost": {RED: Rank.MAJOR, BLUE: Rank.MAJOR},
    "flag-taken": {BLUE: Rank.FLAG},
    "wrong-guess": {},
}


@pytest.mark.parametrize("result", VERDICTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_verdict_shows_what_was_captured_and_nothing_else(result: str, language: str) -> None:
    """Both pieces are there; one that stays has no rank, no number, and no word of the scene names one."""
    captured = VERDICTS[result]
    after = BEFORE.after(verdict(result, captured))
    assert showing_between(BEFORE, after) is Showing.DUEL
    scene = screen_state(after, TouchState(ScreenSettings(language)), showing=Showing.DUEL).scene
    assert scene is not None
    assert [(figure.seat, figure.square, figure.rank) for figure in scene.figures] == [
        (RED, "b6", captured.get(RED)),
        (BLUE, "b7", captured.get(BLUE)),
    ]
    assert [bool(figure.number) for figure in scene.figures if figure.rank not in captured.values()] == [False] * (
        2 - len(captured)
    )
    said = words(language)
    assert {scene.title, *scene.lines} == (
        {said.loses(seat, rank) for seat, rank in captured.items()} or {said[f"verdict.{result}"]}
    )


def test_what_is_no_verdict_is_no_duel() -> None:
    """A move, a verdict of another kiosk's past without squares, and a page that lies open."""
    assert duel_of(replace(verdict("both-lost", {}), kind="move.read"), *(BEFORE.table or (None, None))) is None
    assert duel_of(replace(verdict("both-lost", {}), target=None), *(BEFORE.table or (None, None))) is None
    after = BEFORE.after(verdict("attacker-wins", {BLUE: Rank.SCOUT}))
    open_page = SAMPLES["menu"].screen("en")
    assert open_page.scene is None
    assert replace(after, broker=False).contact is not after.contact
    assert (
        screen_state(replace(after, broker=False), TouchState(ScreenSettings("en")), showing=Showing.DUEL).scene is None
    )


def test_the_end_is_shown_to_who_saw_the_game() -> None:
    """A kiosk that comes later shows the banner alone; the scene says who won, why, and after how many moves."""
    over = SAMPLES["rematch"].received
    before = replace(over, view=BEFORE.view, info=BEFORE.info)
    after = replace(before, view=replace(SAMPLES["rematch"].view, game=GAME))  # type: ignore[type-var]
    assert showing_between(before, after) is Showing.END
    assert showing_between(ReceivedState(), after) is None
    scene = screen_state(after, TouchState(ScreenSettings("en")), showing=Showing.END).scene
    assert scene is not None
    assert (scene.title, scene.lines) == ("Red wins", ("The flag was captured", "Move 412"))
    assert [figure.seat for figure in scene.figures] == [RED]


def test_nothing_is_idle_while_a_game_is_on() -> None:
    """The idle screen says how to begin and shows the free seats' codes; a link that is renewed wakes nobody."""
    assert not BEFORE.rests
    joining = SAMPLES["joining"].received
    assert joining.rests
    idle = SAMPLES["idle-joining"].screen("en").idle
    assert idle is not None
    assert [(card.seat, card.hints[1]) for card in idle.cards] == [(BLUE, "K7Q 2MX")]
    chairs = tuple(replace(chair, link="http://elsewhere", code="X") for chair in joining.desk.chairs)
    assert not replace(joining, desk=replace(joining.desk, chairs=chairs)).stirs(joining)
    chairs = tuple(replace(chair, paired=True) for chair in joining.desk.chairs)
    assert replace(joining, desk=replace(joining.desk, chairs=chairs)).stirs(joining)
    away = replace(joining, broker=False)
    assert screen_state(away, TouchState(ScreenSettings("en")), showing=Showing.IDLE).idle == replace(
        idle, title=words("en")["kiosk.no-broker"], cards=()
    )


def test_a_duel_is_forgotten_with_its_game() -> None:
    """Another game's info clears the newest verdict."""
    after = BEFORE.after(verdict("attacker-wins", {BLUE: Rank.SCOUT}))
    assert after.duel == Duel(RED, "b6", BLUE, "b7", "attacker-wins", {BLUE: Rank.SCOUT})
    assert BEFORE.info is not None
    assert after.after(replace(BEFORE.info, game="another")).duel is None


@pytest.mark.process
def test_scenes_come_and_go() -> None:
    """By the screen's own clock: a second for a verdict, the end for eight or until it is touched, idle pictures that wander."""
    assert run("scenes") == {
        "duel": [True, True, False],
        "end": [True, False],
        "wakes": [],
        "idle": [False, True, True],
        "places": 2,
        "woken": False,
        "playing": False,
    }
