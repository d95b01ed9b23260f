"""`hallmarshal rules moves`: the legal moves of StraDoS3 positions by the rules of Original, without the repetition rules.

They are another program's positions: what the booklets say otherwise than the federations play is not asked of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TextIO

from referee.journal.records import RecordFormatError
from referee.journal.records.gravon import Position, index_of, read_position
from referee.rules import CombatResult, Game, Move, rule_set
from referee.runtime.errors import BadInputError

RESULTS: Mapping[CombatResult, str] = {
    CombatResult.ATTACKER_WINS: "win",
    CombatResult.DEFENDER_WINS: "lose",
    CombatResult.BOTH_LOST: "tie",
    CombatResult.FLAG_TAKEN: "flag",
}


def print_moves(positions: str, answers: TextIO) -> int:
    """Print one JSON line a position; raises `BadInputError` with the number of the first bad line before printing anything."""
    read: list[tuple[str, Position]] = []
    lines = positions.removesuffix("\n").split("\n") if positions else []
    for number, line in enumerate(lines, start=1):
        text = line.removesuffix("\r")
        try:
            read.append((text, read_position(text)))
        except RecordFormatError as error:
            raise BadInputError(f"line {number}: {error}") from None
    for text, position in read:
        answers.write(json.dumps({"pos": text, "moves": moves_of(position)}) + "\n")
    return 0


def moves_of(position: Position) -> list[tuple[int, int, str]]:
    """Give every legal move as (from, to, result), squares as 10 * row + column, sorted."""
    original = rule_set("original")
    rules = original.with_options(original.former_options)
    occupants = {square: seat for square, (seat, _) in position.pieces.items()}
    ranks = {square: rank for square, (_, rank) in position.pieces.items()}
    moves: list[tuple[int, int, str]] = []
    for action in Game(rules, occupants, ranks, position.turn).legal_actions():
        if isinstance(action, Move):
            met = ranks.get(action.target)
            result = "move" if met is None else RESULTS[rules.combat(ranks[action.source], met)]
            moves.append((index_of(action.source), index_of(action.target), result))
    return sorted(moves)
