"""Lines that are typed while a program runs, and what an arbiter orders by them at the table.

takeback PLY WHY...          back to where the game stood after that ply (0: the beginning)
void PLY WHY...              the verdict of that ply is void, its attack is asked about again
clock SEAT SECONDS WHY...    what a seat has left
end RESULT WHY...            a seat, draw, both-lose or abort
penalty SEAT WHY...          noted
ruling WHY...                noted
adjourn WHY...               the table stands still until somebody says `resume`
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import Callable
from typing import Any

import msgspec

from referee.runtime.errors import BadInputError
from referee.table.arbiter_commands import ArbiterVerb

_LONGEST_LINE = 1000


class TypedLines:
    """The lines of stdin as they come, in whatever pieces. Without a usable stdin there are none."""

    def __init__(self) -> None:
        self._rest = b""
        self.cut = 0
        """How often a line was so long that its beginning was dropped."""
        self.fd: int | None = None
        """What to wait for; None when there is nothing more to come."""
        try:
            fd = sys.stdin.fileno()
            os.fstat(fd)
            self.fd = fd
        except (OSError, ValueError, AttributeError):
            pass  # closed, or there is none

    @property
    def kept(self) -> int:
        """Count the bytes of a line that has begun."""
        return len(self._rest)

    def read(self) -> list[str]:
        """Return the lines that what was typed completes; it waits where nothing was."""
        assert self.fd is not None
        try:
            data = os.read(self.fd, 4096)
        except OSError:
            data = b""
        if not data:
            self.fd = None
            return []
        *lines, rest = (self._rest + data).split(b"\n")
        self.cut += len(rest) > _LONGEST_LINE
        self._rest = rest[-_LONGEST_LINE:]
        return [line.decode(errors="replace") for line in lines]


class Orders:
    """Hands every line of stdin to `take`, cut into words, on the running loop; calls `ended` once no more can come.

    A stdin that no line can ever come from, as /dev/null, has no end either.
    """

    def __init__(self, take: Callable[[list[str]], None], ended: Callable[[], None] = lambda: None) -> None:
        self._take, self._ended = take, ended
        self.typed = TypedLines()
        self._loop = asyncio.get_running_loop()
        self._fd = self.typed.fd
        if self._fd is not None:
            try:
                self._loop.add_reader(self._fd, self._read)
            except OSError:
                self._fd = None  # a plain file, which no selector takes

    @property
    def listening(self) -> bool:
        """Return whether lines may still come."""
        return self._fd is not None

    def close(self) -> None:
        """Listen no more."""
        if self._fd is not None:
            self._loop.remove_reader(self._fd)
            self._fd = None

    def _read(self) -> None:
        for line in self.typed.read():
            self._take(line.split())
        if self.typed.fd is None:
            self.close()
            self._ended()


# ---- arbiters' orders


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
    """Return the order that a line's words are, the first of `WORDS`. Raises `BadInputError`."""
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
