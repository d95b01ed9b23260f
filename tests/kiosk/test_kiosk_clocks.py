"""What clocks show: their text, when it changes, their warning; and that a second passes without a message."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kiosk_ui.fixtures import samples
from referee.presentation.sentences import Contact
from referee.presentation.state import clock_texts, kiosk_state, time_text
from referee.rules.values import Seat
from referee.table.views import ClockFace, GameEnd, Phase
from referee.words import words
from tests.kiosk.test_kiosk_pixels import StageProcess, stage

__all__ = ["stage"]
RED, BLUE = Seat.RED, Seat.BLUE
(SAMPLE,) = [sample for sample in samples() if sample.name == "clock-runs"]


@pytest.mark.parametrize(
    ("left_ms", "text"),
    [(0, "0:00"), (1, "0:01"), (1_000, "0:01"), (59_001, "1:00"), (754_000, "12:34"), (3_600_000, "1:00:00")],
)
def test_times_are_rounded_up(left_ms: int, text: str) -> None:
    """It says nothing is left only when nothing is."""
    assert time_text(left_ms) == text


def test_only_a_clock_that_runs_counts_down() -> None:
    """By the screen's own time; it says when it looks different next, and warns under half a minute."""
    assert SAMPLE.view is not None
    view = replace(SAMPLE.view, clocks={RED: ClockFace(31_000, True), BLUE: ClockFace(40_000, False)})
    red, blue = clock_texts(view, (RED, BLUE), 0)
    assert (red.text, red.runs, red.low, red.next_ms) == ("0:31", True, False, 1_000)
    assert (blue.text, blue.runs, blue.low, blue.next_ms) == ("0:40", False, False, 0)
    red, blue = clock_texts(view, (RED, BLUE), 1_300)
    assert (red.text, red.low, red.next_ms) == ("0:30", True, 700)
    assert blue.text == "0:40"
    red, _ = clock_texts(view, (RED, BLUE), 99_000)
    assert (red.text, red.next_ms) == ("0:00", 0)


def test_the_halls_clock_stands_at_both_sides() -> None:
    """After each seat's own, and also where no seat has one; a pause at its end says why."""
    assert SAMPLE.view is not None
    for clocks in (SAMPLE.view.clocks, {}):
        view = replace(SAMPLE.view, clocks=clocks, hall_clock=ClockFace(61_000, True))
        sides = kiosk_state(SAMPLE.info, view, words("en"), Contact.LIVE, passed_ms=1_000).clocks
        assert [(side[-1].seat, side[-1].text, len(side)) for side in sides] == [(None, "1:00", 1 + bool(clocks))] * 2
    over = replace(SAMPLE.view, phase=Phase.PAUSED, hall_clock=ClockFace(0, False))
    assert kiosk_state(SAMPLE.info, over, words("en"), Contact.LIVE).detail == words("en")["round.over"]


def test_nobody_wins_where_no_set_up_was_finished() -> None:
    """The big sentence says so; it is no draw."""
    assert SAMPLE.view is not None
    view = replace(SAMPLE.view, phase=Phase.FINISHED, turn=None, result=GameEnd(None, "clock"))
    state = kiosk_state(SAMPLE.info, view, words("en"), Contact.LIVE)
    assert (state.banner.text, state.detail) == (words("en")["result.none"], words("en")["end.clock"])


@pytest.mark.process
@pytest.mark.parametrize("sample", ["clocks", "clock-runs", "clock-of-the-hall", "clocks-of-four", "three-armies"])
def test_clocks_are_big(sample: str, stage: StageProcess) -> None:
    """On the smallest screen a clock alone at its side is written as big as the headline at least, shared ones legibly."""
    shown = next(one for one in samples() if one.name == sample)
    assert shown.view is not None
    faces = [*shown.view.clocks.values(), shown.view.hall_clock]
    texts = {time_text(face.left_ms) for face in faces if face is not None}
    labels = {label["text"]: label for label in stage.see(sample)["labels"] if label["text"] in texts}
    assert set(labels) == texts
    least = 16 if sample in ("clocks-of-four", "clock-of-the-hall", "three-armies") else 28
    assert all(label["size"] >= least for label in labels.values()), labels


@pytest.mark.process
def test_nothing_is_left_of_a_clock_that_went(stage: StageProcess) -> None:
    """Blue alone at its side looks the same before and after a table where it shared that side."""
    across = tuple((x, y) for x in range(592, 790, 3) for y in (355, 362, 369))
    before = stage.see("three-armies", pixels=across)["pixels"]
    stage.see("two-teams", pixels=((1, 1),))
    assert stage.see("three-armies", pixels=across[::-1])["pixels"] == before[::-1]
