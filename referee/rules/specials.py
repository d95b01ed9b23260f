"""Which named rules beyond moving and attacking a game needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules._bits.engine import Special as SpecialRules
from referee.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from referee.rules.game import Game


def special_of(rule_set: RuleSet, game: Game) -> SpecialRules | None:
    """Give the special rules of a new game, None for a game without any."""
    return None
