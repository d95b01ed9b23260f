"""Every sentence that `doctor` and `calibrate` say to a maker: what was found, and what to do next. All of them stand in `_SAID`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

_MOST_NAMES = 8


class Kind(Enum):
    """What can be found on a board, worst first: the order in which findings are shown."""

    DISAGREES = "disagrees"
    NO_FRAMES = "no-frames"
    NO_ANSWERS = "no-answers"
    LINK_LOST = "link-lost"
    REBOOTED = "rebooted"
    OUT_OF_RANGE = "out-of-range"
    REVERSED = "reversed"
    STUCK = "stuck"
    NOTHING_FELT = "nothing-felt"
    UNSTEADY = "unsteady"
    WEAK = "weak"
    UNSURE = "unsure"
    DRIFTED = "drifted"
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
    NOT_AS_SET = "not-as-set"
    REFUSED = "refused"


_SAID: Mapping[Kind, tuple[str, str]] = {
    Kind.DISAGREES: (
        "{text}.",
        "Name the board file that the firmware was built from (--board-file), or build the firmware from this one.",
    ),
    Kind.NO_FRAMES: (
        "The board sends no frames.",
        "Check its power and its firmware, and that the port is the board's and not another device's.",
    ),
    Kind.NO_ANSWERS: (
        "The board left a question unanswered {times}.",
        "Switch it off and on; if that does not help, flash its firmware anew.",
    ),
    Kind.LINK_LOST: (
        "The connection was lost {times}.",
        "Push the plugs home; if it happens again, try another cable and a port of the computer itself.",
    ),
    Kind.REBOOTED: (
        "The board restarted {times} (reason given: {cause}).",
        "Check supply and cable: sensors draw half an ampere, more than some ports give.",
    ),
    Kind.OUT_OF_RANGE: (
        "{squares}: the sensor is at the end of its range.",
        "Look for a broken or shorted wire or a sensor soldered in the wrong way round.",
    ),
    Kind.REVERSED: (
        "{squares}: the magnet has the other army's pole.",
        "Put another piece there: if the fault goes with the piece, turn its magnet round; if it stays, turn the sensor.",
    ),
    Kind.STUCK: (
        "{squares}: shows a magnet where none should be.",
        "Take away what lies there; if nothing does, run calibrate, and if it shows one still, replace the sensor.",
    ),
    Kind.NOTHING_FELT: (
        "{squares}: nothing is felt where a piece should stand.",
        "Put a piece there; if one stands there, try another, then check the sensor, its wire, and steel between them.",
    ),
    Kind.UNSTEADY: (
        "{squares}: changes again and again with no hand near.",
        "Check the sensor's solder joints and its supply, and keep motors and speakers away.",
    ),
    Kind.WEAK: (
        "{squares}: the magnet is felt at less than half of what is usual here.",
        "Put the piece in the middle of its square; if it stays weak, check the magnet, the gap and steel between them.",
    ),
    Kind.UNSURE: (
        "{squares}: between a magnet and none.",
        "Put the piece in the middle of its square, or take it away from the line.",
    ),
    Kind.DRIFTED: (
        "{squares}: between a magnet and none although the square is empty.",
        "Run calibrate: the zero has drifted.",
    ),
    Kind.UNCALIBRATED: (
        "The board has no calibration of its own and works with guessed zeros and gains.",
        "Run: hallmarshal calibrate --board {url}",
    ),
    Kind.BROKEN_FRAMES: (
        "{count} of the frames came broken.",
        "Use a shorter or shielded cable, and keep it off mains leads.",
    ),
    Kind.LOST_MESSAGES: (
        "{count} messages were lost on the way.",
        "Use another cable or port, without a hub, and see that nothing else keeps the computer busy.",
    ),
    Kind.QUEUE_FULL: (
        "The board had to drop frames because they were not fetched in time.",
        "See that nothing else keeps the computer busy, and that no other program reads the port.",
    ),
    Kind.SCAN_LATE: (
        "The board left out scans.",
        "Ask for fewer scans a second in the board file (scan.hz); a controller needs its firmware built anew then.",
    ),
    Kind.SLOW_SCAN: (
        "The board scans {seen} times a second instead of {told}.",
        "Check scan.hz in the board file against what the controller can do.",
    ),
    Kind.SLOW_ANSWERS: (
        "The board answers after {ms} ms.",
        "Set the USB adapter's latency timer to 1 ms: setserial PORT low_latency.",
    ),
    Kind.BOARD_SAYS: ("The board says: {text}", "Follow what it says; the text is the firmware's own."),
    Kind.SELF_TEST: (
        "The board's self-test failed at {count} of its channels.",
        "Look at the squares that it names, and at what their channels have in common: one chip, one wire.",
    ),
    Kind.LEFT_OVER: (
        "{squares}: a magnet is felt on the empty board.",
        "Take it away (or what else is magnetic near it); if nothing is there, the sensor is bad: leave it out with --without.",
    ),
    Kind.MOVING: (
        "{squares}: changed while it was measured.",
        "Keep hands, phones and pieces away from the board until it says that it is done.",
    ),
    Kind.NO_MAGNETS: (
        "Hardly any magnet is felt on the squares of the set-up.",
        "Set up both armies; if they stand there, look for steel between pieces and sensors first: it swallows the field.",
    ),
    Kind.SAME_POLE: (
        "Both armies show the same pole.",
        "Turn the magnets of one army round: red and blue are told apart by their poles.",
    ),
    Kind.NOT_AS_SET: (
        "{squares}: reads wrong with the new calibration.",
        "Centre the pieces and begin again; nothing was saved: switched off and on, the board has its old calibration.",
    ),
    Kind.REFUSED: (
        "The board refused {text}.",
        "See whether its firmware is as new as this program; nothing was saved.",
    ),
}

assert set(_SAID) == set(Kind)

ALL_WELL = "Nothing is wrong that can be seen."
START_SEEN = "Start position: {felt} of {wanted} pieces are felt."
EMPTY_SEEN = "The board is empty. Pass a magnet over every square: {felt} of {wanted} have felt one so far."
GAME_SEEN = "{felt} magnets on {wanted} squares; set up both armies, or clear the board, to have every square judged."
LINK_DOWN = "No connection: waiting for the board to come back."
MORE_FINDINGS = "... and {count} more: doctor --once shows all."


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it should be: `squares` it is about, and what its sentence needs besides (see `_SAID`)."""

    kind: Kind
    squares: tuple[str, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def what(self) -> str:
        """What was found, in a sentence."""
        return _SAID[self.kind][0].format(squares=names(self.squares), **self.values)

    @property
    def next(self) -> str:
        """What to do about it, in a sentence."""
        return _SAID[self.kind][1].format(squares=names(self.squares), **self.values)


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
    order = list(Kind)
    return tuple(sorted(findings, key=lambda finding: order.index(finding.kind)))
