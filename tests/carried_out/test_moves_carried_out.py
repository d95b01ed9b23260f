"""Moves decided elsewhere and carried out by hands that err: a sample of `python -m tests.carried_out`, and faults that it must notice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from hardware import BoardFile
from referee.rules import Move, RuleSet
from referee.rules.values import Seat
from referee.table.messages import Decide, FromHandset
from referee.table.step import Step
from referee.table.views import PublicEvent, PublicView
from tests.amount import tries
from tests.carried_out.game import CarriedGame
from tests.carried_out.table import FaultError, JudgedTable


def test_a_sample_finds_nothing() -> None:
    """Eight games, in which hands err and are asked."""
    counts = _play(tries(8))
    assert counts["asked: not-decided"]
    assert counts["at once the right ply"]


class Misheard(JudgedTable):
    """The table is told another move than was decided."""

    def say(self, seat: Seat, message: FromHandset, at_ms: int) -> str:
        """Return the answer to another decision than the right one."""
        if isinstance(message, Decide) and message.id.startswith("the-"):
            moves = [action for action in self.game.legal_actions() if isinstance(action, Move)]
            source, target = moves[0].source.name, moves[0].target.name
            message = Decide(id=message.id, ply=message.ply, source=source, target=target)
        return super().say(seat, message, at_ms)


class Forgetful(JudgedTable):
    """A restart comes without the decision."""

    def pull_plug(self, at_ms: int) -> None:
        last = max(at for at, fact in enumerate(self._journal) if fact.kind == "move.decided")
        self._journal = self._journal[:last]
        super().pull_plug(at_ms)


class Hidden(JudgedTable):
    """The view shows no decision."""

    @property
    def view(self) -> PublicView:
        return replace(super().view, decided=None)


class Undecided(JudgedTable):
    """The table does not know that moves of the seat are decided elsewhere."""

    def __init__(self, rules: RuleSet, board: BoardFile, decided: tuple[Seat, ...], *, clocks: bool) -> None:
        super().__init__(rules, board, (), clocks=clocks)


class Mute(JudgedTable):
    """Nobody hears that hands are asked."""

    def _judge_event(self, event: PublicEvent) -> None:
        if event.kind != "ask":
            super()._judge_event(event)


class Willing(JudgedTable):
    """A refusal is taken for an acceptance."""

    def _carry_out(self, step: Step) -> None:
        super()._carry_out(step)
        self.answers = dict.fromkeys(self.answers, "accepted")


@pytest.mark.parametrize("planted", [Misheard, Forgetful, Hidden, Undecided, Mute, Willing])
def test_a_planted_fault_is_noticed(planted: Callable[..., JudgedTable]) -> None:
    """What the checker is for: each of these is a fault of its own, and none of forty games may be needed in vain."""
    with pytest.raises(FaultError):
        _play(40, planted)


def _play(games: int, make: Callable[..., JudgedTable] = JudgedTable) -> Counter[str]:
    counts: Counter[str] = Counter()
    for game in range(games):
        CarriedGame(f"1/{game}", counts, make).play(12)
    return counts
