"""What is agreed before a game starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from referee.rules import RuleSet
from referee.rules.hidden import Hidden
from referee.rules.values import Seat
from referee.table.views import Mode, Reveal


class SettingsError(Exception):
    """Settings that cannot be played, e.g. a mode that the rule set does not have."""


MOST_MS = 24 * 3_600_000
"""More is no time control and no adjustment."""


class ClockKind(Enum):
    """How a player's time is measured out; the values are the words of the table's file."""

    NONE = "none"
    SUDDEN_DEATH = "sudden-death"
    """So much for the whole game."""
    FISCHER = "fischer"
    """So much for the game, and some more after each of the player's plies."""
    BRONSTEIN = "bronstein"
    """So much for the game, and after each ply what it took, up to some."""
    PER_MOVE = "per-move"
    """So much for each ply; what is left of it is lost."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The times of a game. Raises `SettingsError` where they do not go together."""

    kind: ClockKind = ClockKind.NONE
    game_ms: int = 0
    """A seat's time for the whole game; 0 without a clock and with `per-move`."""
    ply_ms: int = 0
    """What a ply brings (`fischer`, `bronstein`) or may take (`per-move`)."""
    set_up_ms: int = 0
    """How long a seat may take until it says that it is ready; 0 is as long as it likes."""

    def __post_init__(self) -> None:
        """Check."""
        by_game = self.kind not in (ClockKind.NONE, ClockKind.PER_MOVE)
        by_ply = self.kind not in (ClockKind.NONE, ClockKind.SUDDEN_DEATH)
        for wanted, value in ((by_game, self.game_ms), (by_ply, self.ply_ms)):
            if not (0 < value <= MOST_MS if wanted else value == 0):
                raise SettingsError(f"a clock of kind {self.kind.value} does not go with {value} ms")
        if not 0 <= self.set_up_ms <= MOST_MS:
            raise SettingsError(f"no set-up may take {self.set_up_ms} ms")

    def __bool__(self) -> bool:
        return self.kind is not ClockKind.NONE or self.set_up_ms > 0


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
