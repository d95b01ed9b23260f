"""Which named rules beyond moving and attacking a game needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules._bits.engine import Special as SpecialRules
from referee.rules.castle import Castle
from referee.rules.infiltration import Infiltration
from referee.rules.ruleset import RuleSet, Special

if TYPE_CHECKING:
    from referee.rules.game import Game


def special_of(rule_set: RuleSet, game: Game) -> SpecialRules | None:
    """Give the special rules of a new game, None for a game without any."""
    if Special.CASTLE in rule_set.specials:
        return Castle(rule_set, game)
    if Special.INFILTRATION in rule_set.specials:
        return Infiltration(rule_set)
    return None
