"""The table of states: every row is reached by the tests of this room, nothing outside it moves a table, its page is up to date."""

from __future__ import annotations

import inspect

import pytest

from referee.rules import rule_set
from referee.rules.values import Rank
from referee.sensing import AttackSeen, Disturbed, Final, Lifted, Puzzled, Read, Returned, Unread
from referee.table import step as table_step
from referee.table.inputs import Abort, Pause, Resume
from referee.table.messages import ClaimImmobile, Resign
from referee.table.settings import TableSettings
from referee.table.state import TRANSITIONS, TransitionError, Trigger, is_allowed, next_phase
from referee.table.table import Table
from referee.table.views import Mode, Phase
from tests.table import (
    states_document,
    test_corrections,
    test_denying,
    test_more_seats,
    test_pausing,
    test_play,
    test_revisions,
    test_setting_up,
)
from tests.table.sitting import BLUE, RED, Sitting
from tests.table.test_more_seats import GREEN, boxed_in, three
from tests.table.test_random_games import storm

Row = tuple[Phase, Trigger, Phase]
ROWS: set[Row] = {
    (phase, trigger, to) for phase, row in TRANSITIONS.items() for trigger, found in row.items() for to in found
}


def test_every_row_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that nothing reaches would be a promise that nobody keeps."""
    reached: set[Row] = set()

    def noted(phase: Phase, trigger: Trigger, wanted: Phase | None = None) -> Phase:
        to = next_phase(phase, trigger, wanted)
        reached.add((phase, trigger, to))
        return to

    monkeypatch.setattr(table_step, "next_phase", noted)
    for module in (
        test_corrections,
        test_denying,
        test_more_seats,
        test_pausing,
        test_play,
        test_revisions,
        test_setting_up,
    ):
        for name, test in inspect.getmembers(module, inspect.isfunction):
            if name.startswith("test_") and not inspect.signature(test).parameters:
                test()
    for seed in (3, 5):
        storm(rule_set("duel"), seed, 40)
    _endings()
    _giving_up()
    _granting()
    _deciding()
    _hands()
    assert ROWS - reached == set()


def _endings() -> None:
    lobby = Table(TableSettings("t1", "g1", rule_set("duel")))
    lobby.apply(Abort(), 0)
    for begin in (False, True):
        Sitting(begin=begin).table.apply(Abort(), 0)
    for prepare in (_in_hand, _disturbed, _settled, _fighting):
        prepare().table.apply(Abort(), 0)


def _giving_up() -> None:
    for prepare in (three, _in_hand, _disturbed, _settled, _fighting):
        prepare().say(RED, Resign(id="r"))


def _granting() -> None:
    for lifted, puzzled in ((True, False), (False, True), (False, False)):
        sitting = boxed_in()
        sitting.say(RED, ClaimImmobile(id="c"))
        if lifted:
            sitting.see(Lifted(sitting.square("g1"), 0))
        if puzzled:
            sitting.see(Puzzled((), 0))
        for seat in sitting.rules.seats[1:]:
            sitting.answer(seat, "accept")


def _deciding() -> None:
    for lifted in (False, True):
        sitting = three()
        sitting.place({RED: {"bd2": Rank.MAJOR}, BLUE: {"ba1": Rank.SPY}, GREEN: {"gd1": Rank.SPY}}, RED)
        sitting.see(Read(sitting.prospect("bd2", "bd1"), 0))
        if lifted:
            sitting.see(Lifted(sitting.square("bd1"), 0))
        sitting.see(Final(0))


def _hands() -> None:
    sitting = three()
    sitting.see(AttackSeen(sitting.square("rd4"), sitting.square("rd5"), 0))
    _settled().see(Puzzled((), 0))
    for name in ("rd1", "rd4"):
        sitting = _in_hand()
        sitting.see(Lifted(sitting.square("rd1"), 0))
        sitting.see(Returned(sitting.square(name), 0))
    for prepare in (_in_hand, _disturbed, _settled, _fighting):
        sitting = prepare()
        sitting.take(sitting.table.apply(Pause(), 0))
        sitting.take(sitting.table.apply(Resume(), 0))
    _in_hand().see(Puzzled((), 0))
    for lifted in (False, True):
        sitting = Sitting(Mode.ENROL)
        far = sitting.prospect("f4", "f6")
        if lifted:
            sitting.see(Lifted(sitting.square("f4"), 0))
        sitting.see(Read(far, 0))
        sitting = Sitting()
        further = sitting.prospect("e3", "c3")
        sitting.read("e3", "d3")
        if lifted:
            sitting.see(Lifted(sitting.square("a7"), 0))
        sitting.revise(further)
        if lifted:
            sitting.see(Lifted(sitting.square("a7"), 0))
        sitting.see(Unread(0))


def _in_hand() -> Sitting:
    sitting = three()
    sitting.see(Lifted(sitting.square("rd4"), 0))
    return sitting


def _disturbed() -> Sitting:
    sitting = three()
    sitting.see(Disturbed((), 0))
    return sitting


def _fighting() -> Sitting:
    sitting = three()
    sitting.attack("rd4", "rd5")
    return sitting


def _settled() -> Sitting:
    sitting = _fighting()
    sitting.declare(RED, Rank.MAJOR)
    sitting.declare(BLUE, Rank.CAPTAIN)
    return sitting


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("trigger", Trigger)
def test_what_is_not_in_the_table_raises(phase: Phase, trigger: Trigger) -> None:
    """And what is in it leads only where it says."""
    for wanted in (None, *Phase):
        if (phase, trigger, wanted) in ROWS:
            assert next_phase(phase, trigger, wanted) is wanted
        elif wanted is not None or not is_allowed(phase, trigger):
            with pytest.raises(TransitionError):
                next_phase(phase, trigger, wanted)


def test_the_page_is_drawn_from_the_table() -> None:
    """docs/reference/states.md is what the literal gives."""
    assert states_document.upper_half() == states_document.text()
