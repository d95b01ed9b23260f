"""What is to be heard: which tone a change calls for, and that each is short, soft and its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import cast

import pytest

from kiosk_ui.fixtures import samples
from kiosk_ui.received_state import Chair, Desk, ReceivedState
from kiosk_ui.sounds import RATE_HZ, Cue, cue_between, samples_of
from referee.rules.values import Rank, Seat
from referee.table.views import Ask, Fix, GameEnd, Phase, PublicView
from tests.patience import PATIENCE_S

SAMPLE = {sample.name: sample for sample in samples()}["middle"]
VIEW = cast(PublicView, SAMPLE.view)
HEARD = SAMPLE.received
MORE = {seat: {**lost, Rank.SCOUT: 7} for seat, lost in VIEW.captured.items()}

# what the next moment is like -> what it sounds like
STEPS: dict[str, tuple[ReceivedState, Cue | None]] = {
    "nothing": (HEARD, None),
    "another turn": (replace(HEARD, view=replace(VIEW, turn=Seat.RED)), Cue.TURN),
    "a capture": (replace(HEARD, view=replace(VIEW, turn=Seat.RED, captured=MORE)), Cue.CAPTURE),
    "to put right": (replace(HEARD, view=replace(VIEW, phase=Phase.RESTORING, ask=Ask.NOT_UNDERSTOOD)), Cue.ASK),
    "a pause": (replace(HEARD, view=replace(VIEW, phase=Phase.PAUSED)), Cue.ASK),
    "the cable": (replace(HEARD, view=replace(VIEW, board_connected=False)), Cue.ASK),
    "the end": (replace(HEARD, view=replace(VIEW, captured=MORE, result=GameEnd(Seat.RED, "flag"))), Cue.END),
    "another game": (replace(HEARD, view=None), None),
    "a handset": (replace(HEARD, desk=Desk((Chair(Seat.RED, paired=True),))), Cue.JOINED),
    "a link": (replace(HEARD, desk=Desk((Chair(Seat.RED, link="x"),))), None),
}


@pytest.mark.parametrize("name", STEPS)
def test_the_weightiest_change_is_heard(name: str) -> None:
    """Each step has the tone of the table; staying there has none."""
    after, cue = STEPS[name]
    assert cue_between(HEARD, after) is cue
    assert cue_between(after, after) is None


def test_the_end_of_a_pause_asks_for_nothing() -> None:
    """While the board is only compared nobody has to do anything; it is heard once something has to be put right there."""
    paused = replace(HEARD, view=replace(VIEW, phase=Phase.PAUSED))
    compared = replace(HEARD, view=replace(VIEW, phase=Phase.RESTORING, ask=Ask.RESTORE))
    wrong = replace(HEARD, view=replace(VIEW, phase=Phase.RESTORING, ask=Ask.RESTORE, fixes=(Fix("e5", Seat.RED),)))
    heard = [cue_between(*step) for step in ((paused, compared), (compared, HEARD), (compared, wrong), (paused, wrong))]
    assert heard == [None, None, Cue.ASK, Cue.ASK]


@pytest.mark.parametrize("cue", Cue)
def test_tones_are_short_and_soft(cue: Cue) -> None:
    """At most a second, never full scale, silent at both ends, and no two alike."""
    tone = samples_of(cue)
    assert 0.05 * RATE_HZ < len(tone) < RATE_HZ
    assert 3_000 < max(abs(sample) for sample in tone) < 16_000
    assert abs(tone[0]) + abs(tone[-1]) < 100
    assert [other for other in Cue if samples_of(other) == tone] == [cue]


@pytest.mark.process
def test_a_tone_is_played_where_it_can_be(tmp_path: os.PathLike[str]) -> None:
    """With a sound card (SDL's dummy) every tone is loaded and played; nothing is left behind."""
    code = (
        "from kiosk_ui.display import prepare_kivy; prepare_kivy(offscreen=True)\n"
        "from kiosk_ui.sounds import Sounds; from kiosk_ui.sounds import Cue\n"
        "sounds = Sounds()\n"
        "for cue in Cue: sounds.play(cue, 100); sounds.play(cue, 20)\n"
        "assert all(one is not None and one.length > 0.05 for one in sounds._loaded.values())"
    )
    environ = {**os.environ, "SDL_AUDIODRIVER": "dummy", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [name for name in os.listdir(tmp_path) if name.endswith(".wav")] == []
