"""The rules: boards, armies, legality, combat, repetition, ends of games, and what can be known of pieces nobody has shown.

A game of imperfect information: `Game` is a position and a variant. The position holds where the pieces are, and for each the set of
ranks that it may still have; the variant says which actions are legal, what they do, and when the game is over. A rank that was told is
one more constraint, and one that contradicts the others raises `ContradictionError`. So the same `Game` serves the public, who know no
rank, and the referee, who knows those that were told (`referee.table.dual_game`). What is possible is exact: a rank is possible for a
piece if some assignment of the whole army allows it, which is a flow through a small network (`knowledge`).

Values in, values out; nothing here knows a clock, a sensor, a socket or a file, except that rule sets and boards are data
files beside the code, read when first asked for, and that `load_rule_set` reads a file of the user's.

Here are the names that other rooms need; what few ask for is imported from its module.
"""

from referee.rules.actions import Action, Decided, Fire, Infiltrate, Move, MoveSlider, Pass, Recruit, TakeFlags
from referee.rules.board import Board
from referee.rules.game import Game
from referee.rules.hidden import Hidden
from referee.rules.library import load_rule_set, rule_set, rule_set_names
from referee.rules.outcomes import CombatResult, EndReason, GameResult, Prospect, RulesError, Situation
from referee.rules.ruleset import Gait, Option, OptionValue, RuleSet
from referee.rules.set_up import check_set_up, exits, seated_zone
from referee.rules.values import BySeat, PieceId, Rank, Seat, Square

__all__ = [
    "Action",
    "Board",
    "BySeat",
    "CombatResult",
    "Decided",
    "EndReason",
    "Fire",
    "Gait",
    "Game",
    "GameResult",
    "Hidden",
    "Infiltrate",
    "Move",
    "MoveSlider",
    "Option",
    "OptionValue",
    "Pass",
    "PieceId",
    "Prospect",
    "Rank",
    "Recruit",
    "RuleSet",
    "RulesError",
    "Seat",
    "Situation",
    "Square",
    "TakeFlags",
    "check_set_up",
    "exits",
    "load_rule_set",
    "rule_set",
    "rule_set_names",
    "seated_zone",
]
