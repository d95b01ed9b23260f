"""What sensing says. Frozen values; `at_ms` is always the `board_ms` of the frame that completed the observation (u32, wraps).

What hands do is never an error. Errors are faults in how sensing was called:

SensingError
    BoardMismatchError   squares, seats or frames that do not belong to the board this interpreter was made for
    TimingError          a timing that cannot work
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from firmware_bridge.messages import Reading
from referee.rules import Prospect
from referee.rules.values import Seat, Square


class SensingError(Exception):
    """Any fault in how sensing was called."""


class BoardMismatchError(SensingError):
    """A square, a seat or a frame that does not belong to this board; nothing was changed."""


class TimingError(SensingError):
    """A timing that cannot work, e.g. more votes wanted than the window holds."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A square that is not as it should be: whose piece should stand there (None: nobody's) and what it reads."""

    square: Square
    wanted: Seat | None
    seen: Reading
    whose: Seat | None = None
    """Whose magnet it reads, where poles tell; None for none, for an unsure one, and where pieces are not told apart."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Whose piece hands have set down on a square, by the board's time `by_ms`. Not said: it is what no sensor tells, and hands do."""

    square: Square
    seat: Seat
    by_ms: int


@dataclass(frozen=True, slots=True)
class Lifted:
    """A piece of the position left its square; whoever's it is.

    Said once while it is gone, and again after `follow` or `advance` if it is gone then. No promise that a move follows.
    """

    square: Square
    at_ms: int


@dataclass(frozen=True, slots=True)
class Returned:
    """A square that was said to be lifted holds its piece again: no move."""

    square: Square
    at_ms: int


@dataclass(frozen=True, slots=True)
class Read:
    """The best explanation of the board is this move (never an attack); plies before it may still be open.

    Answer with `advance`, `expect` or `follow`; until then silence.
    """

    prospect: Prospect
    at_ms: int
    changed_ms: int = 0
    """The board's time of the first frame that showed the last change; `at_ms - changed_ms` is sensing's own delay."""


@dataclass(frozen=True, slots=True)
class Revised:
    """The last plies that were read, none of them final, never were; this one was instead. Answer as to `Read`."""

    prospect: Prospect
    at_ms: int
    changed_ms: int = 0
    plies: int = 1
    """How many of them, 1 or more."""


@dataclass(frozen=True, slots=True)
class Unread:
    """The last plies that were read, none of them final, never were, and nothing was instead: the piece is at home or in the hand again.

    Answer as to `Read`, with the position before them.
    """

    at_ms: int
    plies: int = 1
    """How many of them, 1 or more."""


@dataclass(frozen=True, slots=True)
class Final:
    """The oldest ply that was read and was not final can no longer be revised."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class AttackSeen:
    """The hands show that the piece of `source` attacks the one on `target`. Sensing is silent until it gets an order."""

    source: Square
    target: Square
    at_ms: int
    changed_ms: int = 0


@dataclass(frozen=True, slots=True)
class Disturbed:
    """Too many squares are different at once for hands at play. Sensing is silent until it gets an order."""

    differences: tuple[Difference, ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class Puzzled:
    """The board has been at rest for a while and nothing explains it. Said once for each set of differences."""

    differences: tuple[Difference, ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class Agreed:
    """The board is as expected and at rest; said once for each `expect`."""

    at_ms: int
    changed_ms: int = 0
    lifted: Square | None = None
    """The one piece that is in the air although nothing was to be done with it: the next player has begun."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What stands on the board at rest, while collecting. Owners follow from poles, on an occupancy board from the zones."""

    occupants: Mapping[Square, Seat]
    at_ms: int


@dataclass(frozen=True, slots=True)
class Masked:
    """The squares whose sensors are not believed from now on, all of them; none: every square is believed again.

    They count as holding what the position says. Said whenever the set changes, in any mode.
    """

    squares: tuple[Square, ...]
    at_ms: int


Observation: TypeAlias = (
    Lifted | Returned | Read | Revised | Unread | Final | AttackSeen | Disturbed | Puzzled | Agreed | Seen | Masked
)
