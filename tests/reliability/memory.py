"""All that a table remembers, as plain values that can be compared; without what is legitimately told anew after a restart."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum

from referee.rules import Board, Move, RuleSet
from referee.rules.hidden import Hidden
from referee.table.table import Table
from referee.table.views import Phase

TOLD_ANEW = frozenset(
    {"settings", "letters_sent", "connected", "in_hand", "deadline_ms", "left_ms", "held", "blind", "saw"}
)
"""Letters are no facts; presence, hands and sensors show themselves; time stands still; a word put off is not answered yet."""
BEFORE_THE_GAME = frozenset({"occupants", "board_set_up", "fixes"})
"""What stands on the board while setting up is seen anew."""


def memory(table: Table) -> dict[str, object]:
    """Give what a table remembers."""
    state = table._state
    left_out = TOLD_ANEW | (BEFORE_THE_GAME if state.dual is None else {"occupants", "board_set_up"})
    told = {one.name: plain(getattr(state, one.name)) for one in fields(state) if one.name not in left_out}
    if told["phase"] == plain(Phase.PIECE_IN_HAND):
        told["phase"] = plain(Phase.WAITING_FOR_MOVE)
    return told


def plain(value: object) -> object:
    """Give a value as tuples and dicts of text, whatever it holds."""
    if isinstance(value, Hidden):
        return plain(value.open_hidden())
    if value is None or isinstance(value, bool | int | str | bytes | Enum):
        return repr(value)
    if isinstance(value, RuleSet | Board | Move):
        return repr(value)
    if isinstance(value, Mapping):
        return {repr(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, Set):
        return sorted(repr(plain(one)) for one in value)
    if isinstance(value, list | tuple | deque):
        return [plain(one) for one in value]
    names = [one.name for one in fields(value)] if is_dataclass(value) else _slots(value)
    return {name: plain(getattr(value, name)) for name in names if name not in TOLD_ANEW and hasattr(value, name)}


def _slots(value: object) -> list[str]:
    kind = type(value)
    if kind.__name__ in ("BoardTables", "RuleTables"):
        return []
    slots = [name for each in kind.__mro__ for name in getattr(each, "__slots__", ())]
    return [name for name in (*slots, *getattr(value, "__dict__", {})) if name not in ("_board", "_rules")]
