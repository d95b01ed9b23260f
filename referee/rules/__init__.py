"""The rules: boards, armies, legality, combat, repetition, ends of games, and what can be known of pieces nobody has shown.

Values in, values out; nothing here knows a clock, a sensor, a socket or a file, except that rule sets and boards are data
files beside the code, read when first asked for, and that `load_rule_set` reads a file of the user's.
"""

from referee.rules.actions import Action, Decided, Fire, Infiltrate, Move, MoveSlider, Pass, Recruit, TakeFlags
from referee.rules.board import Board, Home, Shape, Shot
from referee.rules.game import Game
from referee.rules.hidden import Hidden
from referee.rules.library import board_named, load_rule_set, rule_set, rule_set_names
from referee.rules.outcomes import (
    CombatResult,
    ContradictionError,
    Doubt,
    EndReason,
    FileFault,
    GameResult,
    IllegalActionError,
    Mobility,
    Played,
    PositionError,
    Prospect,
    Reason,
    Refusal,
    ResultNeededError,
    RuleFileError,
    RulesError,
    Situation,
    UnknownRuleSetError,
    UnknownSquareError,
    Why,
)
from referee.rules.ruleset import Gait, Option, OptionValue, RankRule, Repetition, RuleSet, Special
from referee.rules.set_up import FaultKind, SetUpFault, check_set_up, exits, seated_zone
from referee.rules.values import BySeat, PieceId, Rank, Seat, Square

__all__ = [
    "Action",
    "Board",
    "BySeat",
    "CombatResult",
    "ContradictionError",
    "Decided",
    "Doubt",
    "EndReason",
    "FaultKind",
    "FileFault",
    "Fire",
    "Gait",
    "Game",
    "GameResult",
    "Hidden",
    "Home",
    "IllegalActionError",
    "Infiltrate",
    "Mobility",
    "Move",
    "MoveSlider",
    "Option",
    "OptionValue",
    "Pass",
    "PieceId",
    "Played",
    "PositionError",
    "Prospect",
    "Rank",
    "RankRule",
    "Reason",
    "Recruit",
    "Refusal",
    "Repetition",
    "ResultNeededError",
    "RuleFileError",
    "RuleSet",
    "RulesError",
    "Seat",
    "SetUpFault",
    "Shape",
    "Shot",
    "Situation",
    "Special",
    "Square",
    "TakeFlags",
    "UnknownRuleSetError",
    "UnknownSquareError",
    "Why",
    "board_named",
    "check_set_up",
    "exits",
    "load_rule_set",
    "rule_set",
    "rule_set_names",
    "seated_zone",
]
