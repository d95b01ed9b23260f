"""Every sentence that `doctor` and `calibrate` say to a maker: what was found, and what to do next. They stand in `advice.toml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from toml_tables import read_toml

_MOST_NAMES = 8


class Defect(Enum):
    """What can be found on a board, worst first: the order in which findings are shown."""

    DISAGREES = "disagrees"
    NO_FRAMES = "no-frames"
    NO_ANSWERS = "no-answers"
    LINK_LOST = "link-lost"
    REBOOTED = "rebooted"
    SUPPLY_UNSTEADY = "supply-unsteady"  # before squares: it makes them unsteady all
    OUT_OF_RANGE = "out-of-range"
    COLD_JOINT = "cold-joint"
    SHORTED = "shorted"
    TURNED = "turned"
    REVERSED = "reversed"
    STUCK = "stuck"
    NOTHING_FELT = "nothing-felt"
    UNSTEADY = "unsteady"
    WEAK = "weak"
    UNSURE = "unsure"
    DRIFTED = "drifted"
    SUPPLY_UNKNOWN = "supply-unknown"
    SUPPLY_HELD = "supply-held"
    SUPPLY_MOVED = "supply-moved"
    SUPPLY_FAR = "supply-far"
    UNCALIBRATED = "uncalibrated"
    BROKEN_FRAMES = "broken-frames"
    LOST_MESSAGES = "lost-messages"
    QUEUE_FULL = "queue-full"
    SCAN_LATE = "scan-late"
    SLOW_SCAN = "slow-scan"
    SLOW_ANSWERS = "slow-answers"
    BOARD_SAYS = "board-says"
    SELF_TEST = "self-test"
    LEFT_OVER = "left-over"
    MOVING = "moving"
    NO_MAGNETS = "no-magnets"
    SAME_POLE = "same-pole"
    TOO_NEAR = "too-near"
    OTHER_GAP = "other-gap"
    NOT_AS_SET = "not-as-set"
    REFUSED = "refused"


_SAID: Mapping[str, Mapping[str, str]] = read_toml(Path(__file__).with_suffix(".toml"))
assert set(_SAID) == {kind.value for kind in Defect}

ALL_WELL = "Nothing is wrong that can be seen."
START_SEEN = "Start position: {felt} of {wanted} pieces are felt."
EMPTY_SEEN = "The board is empty. Pass a magnet over every square: {felt} of {wanted} have felt one so far."
GAME_SEEN = "{felt} magnets on {wanted} squares; set up both armies, or clear the board, to have every square judged."
LINK_DOWN = "No connection: waiting for the board to come back."
MORE_FINDINGS = "... and {count} more: doctor --once shows all."


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be: `squares` it is about, and what its sentence needs besides (see `advice.toml`)."""

    kind: Defect
    squares: tuple[str, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def what(self) -> str:
        """What was found, in a sentence."""
        return _SAID[self.kind.value]["what"].format(squares=names(self.squares), **self.values)

    @property
    def next(self) -> str:
        """What to do about it, in a sentence."""
        return _SAID[self.kind.value]["next"].format(squares=names(self.squares), **self.values)


def names(squares: Sequence[str]) -> str:
    """Return squares as a list for people: `a1, b1`, and from nine on `a1, ... and 3 more`."""
    shown = ", ".join(squares[:_MOST_NAMES])
    more = len(squares) - _MOST_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def times(count: int) -> str:
    """Return `once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings worst first."""
    order = list(Defect)
    return tuple(sorted(findings, key=lambda finding: order.index(finding.kind)))
