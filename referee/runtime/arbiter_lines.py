"""An arbiter's orders as they are typed at the table: `takeback 12 WHY...`, `void 13 WHY...`, `clock red 300 WHY...`.

takeback PLY WHY...          back to where the game stood after that ply (0: the beginning)
void PLY WHY...              the verdict of that ply is void, its attack is asked about anew
clock SEAT SECONDS WHY...    what a seat has left
end RESULT WHY...            a seat, draw, both-lose or abort
penalty SEAT WHY...          noted
ruling WHY...                noted
adjourn WHY...               the table stands still until somebody says `resume`
"""

from __future__ import annotations

import secrets
from typing import Any

import msgspec

from referee.runtime.errors import BadInputError
from referee.table.arbiter_commands import ArbiterVerb

WORDS = ("takeback", "void", "clock", "end", "penalty", "ruling", "adjourn")
ARBITER_LINES = (
    "takeback PLY WHY | void PLY WHY | clock SEAT SECONDS WHY | end SEAT|draw|both-lose|abort WHY | "
    "penalty SEAT WHY | ruling WHY | adjourn WHY"
)
TABLE_LINES = (
    f"start | set NAME VALUE | pair SEAT | pause | resume | rematch SEAT | abort | status | quit | {ARBITER_LINES}"
)
_TYPES = {"takeback": "take-back", "void": "void-verdict", "clock": "set-clock", "end": "end-game"}


def read_order(words: list[str]) -> ArbiterVerb:
    """Give the order that a line's words are, the first of `WORDS`. Raises `BadInputError`."""
    word, *rest = words
    given: dict[str, Any] = {"type": _TYPES.get(word, word), "id": f"table-{secrets.token_hex(6)}"}
    try:
        match word:
            case "takeback" | "void":
                given["ply"] = int(rest.pop(0))
            case "clock":
                given |= {"seat": rest.pop(0), "left_ms": round(float(rest.pop(0)) * 1000)}
            case "end":
                given["result"] = rest.pop(0)
            case "penalty":
                given["seat"] = rest.pop(0)
        verb: ArbiterVerb = msgspec.convert({**given, "reason": " ".join(rest)}, type=ArbiterVerb)
    except (IndexError, ValueError, OverflowError):
        raise BadInputError(ARBITER_LINES) from None
    return verb
