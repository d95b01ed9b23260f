"""Event tables of squares whose sensor is not believed: what is deduced, what is asked, and how they are believed again."""

from __future__ import annotations

import pytest

from referee.rules import CombatResult
from referee.rules.values import Seat
from referee.sensing import Masked
from tests.sensing.event_table import RATES
from tests.sensing.sensing_stage import Stage, Step, Wish, game_with, verdict

PIECES = {"red": "a4 a6 e4 j1", "blue": "b9 e9 j10"}
DONE_MS = 50_000
"""By then the dead square has been asked about, masked, and the board agreed with."""


def masked_stage(dead: str, rate: str, colour: bool, pieces: dict[str, str] = PIECES) -> Stage:
    """Return a stage on which a square died under its piece (or shows one where there is none) and has been masked."""
    stage = Stage(game_with(pieces), colour=colour, scan_ms=RATES[rate])
    stage.set(dead)
    stage.restore()
    stage.play([], DONE_MS)
    assert [text.split()[0] for text in stage.words()] == ["puzzled", "masked", "agreed"]
    stage.said.clear()
    return stage


CASES: dict[str, tuple[str, list[Step | tuple[int, Wish]], list[str]]] = {
    "the rest of the board goes on": (
        "j1.",
        [(51_000, "a4."), (51_500, "a5r"), (54_500, "b9."), (55_000, "b8b")],
        ["read a4-a5", "read b9-b8"],
    ),
    "what comes with nothing gone came from the masked square": (
        "e4.",
        [(51_000, "e5r"), (54_500, "b9."), (55_000, "b8b")],
        ["read e4-e5", "read b9-b8"],
    ),
    "what is lifted and appears nowhere is read once its answer stands": (
        "a5r",  # stuck: it shows a piece where there is none
        [(51_000, "a4."), (53_500, "b9."), (54_000, "b8b")],
        ["read a4-a5", "read b9-b8"],
    ),
    "no answer, no word: the piece may still be in the hand": (
        "a5r",
        [(51_000, "a4."), (58_000, "a4r")],
        ["returned a4"],
    ),
    "it is believed again when it shows life": (
        "j1.",
        [(51_000, "j1r"), (52_000, "a4."), (52_500, "a5r")],
        ["masked", "read a4-a5"],
    ),
    "a piece that is back at home was not set down where nobody sees it: who then moves out of turn is asked": (
        "a5r",
        [(51_000, "a4."), (51_500, "a4r"), (52_500, "b9."), (53_000, "b8b")],
        ["returned a4", "puzzled b8:-/blue b9:blue/empty"],
    ),
    "two magnets and nothing gone: asked, not guessed": (
        "e4.",
        [(51_000, "e5r d4r")],
        ["puzzled d4:-/red e5:-/red"],
    ),
}


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("colour", [True, False])
@pytest.mark.parametrize("case", CASES)
def test_masked(case: str, colour: bool, rate: str) -> None:
    """What is said is what the table says, in its order, and nothing else."""
    dead, script, wanted = CASES[case]
    stage = masked_stage(dead, rate, colour)
    stage.play(script, 60_000)
    said = [text for text in stage.words() if not text.startswith(("agreed", "lifted", "final"))]
    assert said == [text if colour else text.replace("/blue", "/red") for text in wanted]
    assert stage.words().count("final") == sum(text.startswith("read") for text in wanted)


def test_a_third_square_is_never_masked() -> None:
    """Two dead squares are lived with; with three the game waits."""
    stage = Stage(game_with(PIECES))
    stage.set("a4. e4. j1.")
    stage.restore()
    stage.play([], 120_000)
    assert [text.split()[0] for text in stage.words()] == ["puzzled"]


def test_a_second_square_that_dies_later_is_masked_beside_the_first() -> None:
    """Both are named then, and neither keeps the game waiting."""
    stage = masked_stage("j1.", "100 Hz", True)
    stage.play([(51_000, "e4."), (51_200, Stage.restore)], 100_000)
    assert stage.words() == ["lifted e4", "puzzled e4:red/empty", "masked j1 e4", "agreed"]


def test_an_answer_that_is_an_attack_proves_the_move_too() -> None:
    """Red goes to the masked square; blue lifts and takes e4: both are said, in order."""
    stage = masked_stage("a5r", "100 Hz", True, {"red": "a4 a6 e4 j1", "blue": "b9 e5 j10"})
    stage.play([(51_000, "a4."), (53_000, "e5."), (53_400, "e4.")], 55_500)
    assert [text for text in stage.words() if not text.startswith("lifted")] == ["read a4-a5", "final", "attack e5xe4"]


def test_clearing_an_attack_over_a_masked_square() -> None:
    """The square that is not believed holds nobody up, and is still named."""
    stage = masked_stage("e4.", "100 Hz", True, {"red": "a4 e4", "blue": "e5 j10"})
    stage.play([(51_000, verdict("e4", "e5", CombatResult.BOTH_LOST)), (53_000, "e5.")], 56_000)
    assert stage.words() == ["agreed"]
    assert stage.game.turn is Seat.BLUE
    assert not [said for said in stage.observations[3:] if isinstance(said, Masked)]


def test_a_board_at_rest_is_looked_at_when_its_time_has_come() -> None:
    """Its frames all show the same: it is masked in its time after the question, and agreed with in the next frame."""
    stage = Stage(game_with(PIECES), looks=False)
    stage.set("j1.")
    stage.restore()
    stage.play([], DONE_MS)
    assert stage.said == [(20_400, "puzzled j1:red/empty"), (35_400, "masked j1"), (35_900, "agreed")]
