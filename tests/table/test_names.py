"""What players want to be called: said while the game is on, published at once, kept in journal and record."""

from __future__ import annotations

from referee.journal.journal_to_record import names_of
from referee.runtime.game import player_name
from referee.table.inputs import Named
from referee.table.replay import rebuild
from referee.table.step import Step
from tests.table.sitting import BLUE, RED, Sitting


def said(sitting: Sitting, given: Named) -> Step:
    """Put it in."""
    return sitting.take(sitting.table.apply(given, 0))


def test_a_name_is_published_and_told_once() -> None:
    """The same again changes nothing, an empty one takes it away, and after the end nobody is renamed."""
    sitting = Sitting()
    step = said(sitting, Named(RED, "Bo"))
    assert step.info_changed
    assert [(fact.kind, fact.event and fact.event.text) for fact in step.facts] == [("named", "Bo")]
    assert sitting.table.info().names == {RED: "Bo"}
    assert said(sitting, Named(RED, "Bo")).facts == ()
    said(sitting, Named(BLUE, "Wilhelmina"))
    said(sitting, Named(RED, ""))
    assert sitting.table.info().names == {BLUE: "Wilhelmina"}
    facts = [fact for step in sitting.steps for fact in step.facts]
    assert dict(names_of(facts, {RED: "As opened"})) == {BLUE: "Wilhelmina"}
    assert rebuild(sitting.table._state.settings, facts).table.info().names == {BLUE: "Wilhelmina"}


def test_a_typed_name_is_one_short_line_of_what_can_be_printed() -> None:
    """Control characters, what turns the writing direction and blanks around go; no name is longer than its places."""
    assert player_name("  Bo\n\tvan\u202e den\x1b[2J Berg ") == "Bo van den [2J Berg"
    assert player_name("\u200b \n") == ""
    assert len(player_name("x" * 90)) == 24
