"""A variant is an object: all that the rules of one game decide, behind one protocol that `Game` speaks to.

`Ordinary` is moving and attacking, `Infiltration` adds to it, `Castle` (Stratego 4) has rules of its own. Each works on the
position that it was made with; state that a variant adds is its own and is copied with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from referee.rules.actions import Action, Move
from referee.rules.outcomes import ActionResult, CombatResult, Mobility, Refusal
from referee.rules.position import Position
from referee.rules.ruleset import Special
from referee.rules.values import PieceId, Rank, Seat
from referee.rules.variants.castle import Castle, CastleState
from referee.rules.variants.infiltration import Infiltration
from referee.rules.variants.ordinary import Ordinary


class Variant(Protocol):
    """What a game asks of its rules. While the game is over only `copy` and `mobility` are asked."""

    @property
    def castle(self) -> CastleState | None:
        """Flags, sliders, who is out and what is owed, in Stratego 4."""

    def copy(self, position: Position) -> Variant:
        """Return an independent copy that works on another position."""

    def basic_moves(self) -> list[Move]:
        """Return the moves of the seat to move that some possible rank allows, barred ones too."""

    def ranks_able_to(self, action: Action) -> frozenset[Rank]:
        """Return the ranks that can do this."""

    def legal_actions(self) -> Sequence[Action]:
        """Return every legal action of the seat to move."""

    def refusals(self, action: Action) -> tuple[Refusal, ...]:
        """Return every reason against an action of the seat to move."""

    def play(self, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> ActionResult:
        """Carry out a legal action, pass the turn, see whether the game is over. Raises as `Game.play` does."""

    def mobility(self, seat: Seat) -> Mobility:
        """Return whether a seat can act, as far as it follows from what is known; bars are not counted."""

    def see_end(self) -> None:
        """End the game where that follows from what is known."""

    def drop_out(self, seat: Seat) -> None:
        """Take a seat that gives up out of the game."""


def variant_of(position: Position) -> Variant:
    """Return the variant that a position's rule set asks for."""
    specials = position.rules.specials
    if Special.CASTLE in specials:
        return Castle(position)
    return Infiltration(position) if Special.INFILTRATION in specials else Ordinary(position)
