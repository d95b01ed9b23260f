"""All that a table remembers, as plain values that can be compared; without what is legitimately told anew after a restart."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache

from referee.rules import Board, Move, RuleSet
from referee.rules.hidden import Hidden
from referee.rules.values import PieceId, Rank, Seat, Square
from referee.table.table import Table
from referee.table.views import Phase

TOLD_ANEW = frozenset(
    {"settings", "letters_sent", "connected", "in_hand", "deadline_ms", "left_ms", "held", "blind", "saw"}
)
"""Letters are no facts; presence, hands and sensors show themselves; time stands still; a word put off is not answered yet."""
BEFORE_THE_GAME = frozenset({"occupants", "board_set_up", "fixes"})
"""What stands on the board while setting up is seen anew."""


def memory(table: Table) -> dict[str, object]:
    """Return what a table remembers."""
    state = table._state
    left_out = TOLD_ANEW | (BEFORE_THE_GAME if state.dual is None else {"occupants", "board_set_up"})
    told = {one.name: plain(getattr(state, one.name)) for one in fields(state) if one.name not in left_out}
    if told["phase"] == plain(Phase.PIECE_IN_HAND):
        told["phase"] = plain(Phase.WAITING_FOR_MOVE)
    return told


def plain(value: object) -> object:
    """Return a value as tuples and dicts of text, whatever it holds."""
    if type(value) in _SAID_AT_ONCE:  # most values by far, and the test for them is the quickest
        return repr(value)
    if type(value) in _LEAVES:
        return _key(type(value).__name__, value)
    if isinstance(value, list | tuple | deque):  # before mappings and sets: what has to be looked up for those is slow
        return [repr(one) if type(one) in _SAID_AT_ONCE else plain(one) for one in value]
    if isinstance(value, Hidden):
        return plain(value.open_hidden())
    if isinstance(value, bool | int | str | bytes | Enum | RuleSet | Board | Move):
        return repr(value)
    if isinstance(value, Mapping):
        return {_key(type(key).__name__, key): plain(one) for key, one in value.items()}
    if isinstance(value, Set):
        return sorted(_key(type(one).__name__, one) for one in value)
    if type(value).__name__ in _SAME_FOR_EVERY_GAME:
        return {}
    names = _names(type(value))
    if hasattr(value, "__dict__") and not is_dataclass(value):
        names = (*names, *(name for name in value.__dict__ if name not in _SHARED))
    return {name: plain(getattr(value, name)) for name in names if name not in TOLD_ANEW and hasattr(value, name)}


_SAID_AT_ONCE = frozenset({type(None), bool, int, str, bytes, bytearray, range})
_LEAVES = frozenset({Square, PieceId, Seat, Rank})


@cache
def _key(kind: str, value: Hashable) -> str:
    """Return a key, a set's member or a leaf as text. There are few, often repeated; `kind` keeps True and 1 apart."""
    return repr(value) if type(value) in _LEAVES else repr(plain(value))


def _names(kind: type) -> tuple[str, ...]:
    """Return the names of a dataclass's fields, else of slots; names in a value's own `__dict__` are extra."""
    if kind not in _NAMES:
        slots = [name for each in kind.__mro__ for name in getattr(each, "__slots__", ()) if name not in _SHARED]
        _NAMES[kind] = tuple(one.name for one in fields(kind)) if is_dataclass(kind) else tuple(slots)
    return _NAMES[kind]


_NAMES: dict[type, tuple[str, ...]] = {}
_SAME_FOR_EVERY_GAME = frozenset({"BoardTables", "RuleTables"})
_SHARED = frozenset({"_board", "_rules", "_armies", "_able", "_prospects"})
"""What a game keeps beside its state: told by its rules and pieces, whatever was played."""
