"""What arbitration gives back: facts to write down, letters to seal, orders for sensing, the new public view.

The caller obeys in this order: journal the facts, then publish and send. A step that came to nothing is falsy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.rules import Situation
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat, Square
from referee.table.inputs import Cause
from referee.table.messages import Letter
from referee.table.views import PublicEvent


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that happened: the event that everybody hears (None if nobody does) and what only the journal keeps, sealed.

    `kind` is the stable type word of the journal row.
    """

    kind: str
    ply: int
    event: PublicEvent | None = None
    seat: Seat | None = None
    hidden: Hidden[Mapping[str, Rank]] | Hidden[Mapping[str, str]] | None = None
    """Ranks by square name, e.g. an enrolled set-up or a declaration; with `opened` the secret of the commitments."""
    cause: Cause | None = field(default=None, repr=False)
    """What the whole step answers, with its first fact; no public event shows it. From the causes a table is rebuilt."""


@dataclass(frozen=True, slots=True)
class Follow:
    """Sensing takes this as its base and forgets any earlier one."""

    situation: Situation


@dataclass(frozen=True, slots=True)
class Advance:
    """Sensing takes this as the position after the move it has just read, and keeps the old base."""

    situation: Situation


@dataclass(frozen=True, slots=True)
class Expect:
    """Sensing reads no moves now and says when the board has become this."""

    occupants: Mapping[Square, Seat]


@dataclass(frozen=True, slots=True)
class Collect:
    """Sensing reads no moves now and says what stands on the board each time it comes to rest."""


SensingOrder = Follow | Advance | Expect | Collect


@dataclass(frozen=True, slots=True)
class Step:
    """The outcome of one input, in the order in which things happened."""

    facts: tuple[Fact, ...] = ()
    letters: tuple[Letter, ...] = ()
    orders: tuple[SensingOrder, ...] = ()
    view_changed: bool = False
    info_changed: bool = False
    deadline_ms: int | None = None
    """The monotonic time at which `tick` wants to be called next, None for never."""

    def __bool__(self) -> bool:
        return bool(self.facts or self.letters or self.orders or self.view_changed)
