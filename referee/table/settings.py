"""What is agreed before a game starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from referee.rules import RuleSet
from referee.rules.hidden import Hidden
from referee.rules.values import Seat
from referee.table.clocks import TimeControl
from referee.table.views import Mode, Reveal


@dataclass(frozen=True, slots=True)
class Occasion:
    """Where a game belongs in an event: the event's id, the round and the table, counted from 1."""

    event: str
    round: int
    table: int


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Rule set, mode and limits of one table; times in milliseconds of the monotonic clock that is passed in."""

    board_id: str
    game: str
    rule_set: RuleSet
    mode: Mode = Mode.DECLARE
    reveal: Reveal = Reveal.BOOK
    names: Mapping[Seat, str] = field(default_factory=dict)
    version: str = ""
    answer_limit_ms: int = 180_000
    """Silence on a question beyond this pauses the game and offers the arbiter."""
    secret: Hidden[bytes] | None = None
    """32 random bytes that salt the commitments of this game; None publishes none."""
    clock: TimeControl = field(default_factory=TimeControl)
    occasion: Occasion | None = None
    """What the game counts for, where a station has said so."""
