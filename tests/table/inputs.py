"""What is put into a table, as values, so that the same can be put into another one; and a jump to any position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from referee.rules import Game
from referee.rules.values import Rank, Seat, Square
from referee.table.clocks import Clocks
from referee.table.dual_game import DualGame
from referee.table.inputs import Input
from referee.table.settings import ClockKind, TimeControl
from referee.table.step import Step
from referee.table.table import Table
from referee.table.views import Mode

CLOCKS = (
    TimeControl(),
    TimeControl(ClockKind.SUDDEN_DEATH, 60_000, set_up_ms=30_000),
    TimeControl(ClockKind.FISCHER, 8_000, 1_500),
    TimeControl(ClockKind.BRONSTEIN, 20_000, 800),
    TimeControl(ClockKind.PER_MOVE, 0, 12_000),
)
"""A random player takes about a second for what he does; so now and then a flag falls."""


@dataclass(frozen=True)
class Jump:
    """Go on from another position, as if it had come about. It has no record."""

    pieces: Mapping[Seat, Mapping[Square, Rank]]
    turn: Seat


What = Input | Jump


@dataclass
class Said:
    """One input, or a jump, and when it came."""

    what: What
    now_ms: int


def put_in(table: Table, said: Said) -> Step:
    """Put one input into a table."""
    if isinstance(said.what, Jump):
        jump(table, said.what)
        return Step()
    return table.apply(said.what, said.now_ms)


def jump(table: Table, to: Jump) -> None:
    """Let a table that has begun go on from another position; ranks are known to the referee in enrol mode."""
    state = table._state
    owners = {square: seat for seat, squares in to.pieces.items() for square in squares}
    ranks = {square: rank for squares in to.pieces.values() for square, rank in squares.items()}
    declared = table.info().mode is Mode.DECLARE
    public = Game(state.settings.rule_set, owners, None, to.turn)
    known = Game(state.settings.rule_set, owners, None if declared else ranks, to.turn)
    state.dual = DualGame(public, known, ends_by_public=declared)
    state.origins = {square: piece for square in owners if (piece := public.piece_at(square))}
    state.connected.pop(to.turn, None)  # whose clock runs now is not away: that would be noted with the next input
    if state.clocks is not None:
        control, seats = state.settings.clock, state.settings.rule_set.seats
        runs = (to.turn,) if state.clocks.running and public.result is None else ()
        state.clocks = Clocks.of_game(control, seats, to.turn).run(runs, state.clocks.since_ms)


class _Apart(dict[int, str]):
    """Letters and hyphens as they are, a blank for whatever else; filled as characters come, so that `translate` is quick."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        self[code] = letter if letter.isalpha() or letter == "-" else " "
        return self[code]


_APART = _Apart()


def words(text: str) -> list[str]:
    """Return the words of a text, split as ranks are written."""
    return text.translate(_APART).split()
