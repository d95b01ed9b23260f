"""Every situation in which a table can wait, met by real tables: a set of scripted games, and random ones under fire.

Two situations are the same where nothing that a screen could say of waiting differs: phase, who is awaited for what, offers, pauses, ends.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType

from referee.rules import rule_set
from referee.rules.values import Seat
from referee.table import projections
from referee.table.inputs import Input
from referee.table.messages import Question
from referee.table.state import TableState
from referee.table.step import Step, StepBuilder
from referee.table.table import Table
from referee.table.views import PublicInfo, PublicView
from tests.amount import tries
from tests.table import (
    test_clocks,
    test_corrections,
    test_decided,
    test_denying,
    test_hall_clock,
    test_limited_pauses,
    test_more_seats,
    test_orders,
    test_outages,
    test_pausing,
    test_play,
    test_revisions,
    test_setting_up,
    test_taking_back,
    test_told_attacks,
    test_what_it_saw,
    test_wishes,
    test_wrong_hands,
)
from tests.table.test_random_games import storm

_GAMES: tuple[ModuleType, ...] = (
    *(test_clocks, test_corrections, test_denying, test_hall_clock, test_limited_pauses, test_more_seats, test_orders),
    *(test_outages, test_pausing, test_play, test_revisions, test_setting_up, test_taking_back, test_told_attacks),
    *(test_what_it_saw, test_wishes, test_wrong_hands, test_decided),
)
_STORMS = (("duel", 3), ("duel", 5), ("stratego4", 1), ("stratego4-three", 2), ("infiltrator", 4))


@dataclass(frozen=True, slots=True)
class Situation:
    """A table that waits: what everybody sees of it, and what each seat is asked."""

    info: PublicInfo
    view: PublicView
    questions: Mapping[Seat, Question]


@cache
def situations() -> tuple[Situation, ...]:
    """Return one of each kind, in an order that is always the same."""
    found: dict[tuple[object, ...], Situation] = {}
    with _watched(found):
        for module in _GAMES:
            for name, test in inspect.getmembers(module, inspect.isfunction):
                plain = name.startswith("test_") and not inspect.signature(test).parameters
                if plain and not hasattr(test, "hypothesis"):  # whose examples are others each time
                    test()
        for rules, seed in _STORMS[: tries(len(_STORMS))]:
            storm(rule_set(rules), seed, 60)
    return tuple(found[kind] for kind in sorted(found, key=str))


@contextmanager
def _watched(found: dict[tuple[object, ...], Situation]) -> Iterator[None]:
    """Keep a situation of each kind that any table comes to."""
    apply = Table.apply

    def noted(table: Table, given: Input, now_ms: int) -> Step:
        step = apply(table, given, now_ms)
        view = projections.public_view(table._state, now_ms)
        kind = _kind(table._state, view)
        if kind not in found:
            asking = StepBuilder(replace(table._state, letters_sent=Counter()), now_ms)
            asked = {seat: projections._open_question(asking, seat) for seat in view.connected or table.info().seats}
            found[kind] = Situation(table.info(), view, {seat: one for seat, one in asked.items() if one is not None})
        return step

    Table.apply = noted  # type: ignore[method-assign,assignment]  # a spy, for as long as the games are played
    try:
        yield
    finally:
        Table.apply = apply  # type: ignore[method-assign]


def _kind(state: TableState, view: PublicView) -> tuple[object, ...]:
    """Return what makes one situation another: no square, no number and no piece."""
    seats, pause, attack = state.seats, state.pause, view.attack
    return (
        view.phase.value,
        len(seats) if view.waiting_for else 0,
        len(view.waiting_for),
        view.ask and view.ask.value,
        attack and (attack.result if view.phase.value == "waiting-for-board" else attack.result is None, attack.told),
        bool(attack and attack.denied and attack.result is None),
        state.decision and state.decision.kind.value,
        view.offer and (view.offer.kind, view.offer.declined_by is None),
        pause and (pause.phase.value, pause.silence, pause.by is None, pause.ends_ms is None),
        bool(view.called),
        view.fault,
        bool(view.saw),
        view.decided and view.decided.target in view.occupants,
        view.barred,
        view.board_fault,
        bool(view.graces),
        view.hall_clock is not None and view.hall_clock.left_ms == 0,
        view.result and (view.result.reason, view.result.winner is None),
        bool(view.out),
    )
