"""What a checkup means: the findings, worst first. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from firmware_bridge.advice import Finding, Kind, in_order, times
from firmware_bridge.checkup import LONG_MS, Checkup, Position, Square, Strengths
from firmware_bridge.messages import FrameFlag, Reading

WEAK = 0.45  # of the typical field: a piece a quarter of the pitch off its middle gives a third
_ENDS = 0.02  # of the typical zero: so near to either end of the converter's range no working sensor rests
_SLOW_MS = 8.0  # an FTDI chip with its usual latency timer takes up to 16 ms, anything else less than 3
_SLOW_SCAN = 0.8


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong: `findings` worst first, `troubles` the worst of each square, `strengths` that it was judged by."""

    findings: tuple[Finding, ...]
    troubles: Mapping[str, Kind]
    strengths: Strengths


def diagnose(checkup: Checkup, url: str) -> Diagnosis:
    """Give everything that is not as it should be. `url` names the board in sentences that quote a command."""
    strengths = checkup.strengths()
    if checkup.disagreements:
        # squares and names do not fit each other: whatever else could be said of squares would name the wrong ones
        differing = [Finding(Kind.DISAGREES, values={"text": text}) for text in checkup.disagreements]
        return Diagnosis(in_order(differing), {}, strengths)
    position = checkup.position
    judged = {square.name: _trouble(checkup, square, position, strengths) for square in checkup.squares}
    troubles = {square: kind for square, kind in judged.items() if kind is not None}
    found = [
        Finding(kind, tuple(square for square, trouble in troubles.items() if trouble is kind))
        for kind in dict.fromkeys(troubles.values())
    ]
    return Diagnosis(in_order([*found, *_link_findings(checkup, url)]), troubles, strengths)


def _trouble(checkup: Checkup, square: Square, position: Position, strengths: Strengths) -> Kind | None:
    if _at_an_end(strengths.amplitudes[square.name], strengths.zero):
        return Kind.OUT_OF_RANGE
    if checkup.flickers(square):
        return Kind.UNSTEADY
    reading = square.reading
    wanted = checkup.start.get(square.name, Reading.EMPTY) if position is Position.START else Reading.EMPTY
    if reading is Reading.UNSURE:
        if checkup.standing_ms(square) < LONG_MS:
            return None
        return Kind.DRIFTED if position is not Position.UNKNOWN and wanted is Reading.EMPTY else Kind.UNSURE
    if position is not Position.UNKNOWN and reading is not wanted:
        if reading is Reading.EMPTY:
            return Kind.NOTHING_FELT
        return Kind.STUCK if wanted is Reading.EMPTY else Kind.REVERSED
    return Kind.WEAK if reading is not Reading.EMPTY and strengths.shares.get(square.name, 1.0) < WEAK else None


def _at_an_end(amplitude: float | None, zero: float | None) -> bool:
    if amplitude is None or zero is None:
        return False
    # linear sensors rest in the middle of the range, so that twice the typical zero is its other end
    return not _ENDS * zero < amplitude < (2 - _ENDS) * zero


def _link_findings(checkup: Checkup, url: str) -> Iterator[Finding]:
    link, hello = checkup.link, checkup.hello
    if not link.frames and link.up:
        yield Finding(Kind.NO_FRAMES)
    if checkup.unanswered:
        yield Finding(Kind.NO_ANSWERS, values={"times": times(checkup.unanswered)})
    if link.losses:
        yield Finding(Kind.LINK_LOST, values={"times": times(link.losses)})
    if link.reboots:
        cause = hello.reset.name.lower().replace("_", "-") if hello else "unknown"
        yield Finding(Kind.REBOOTED, values={"times": times(link.reboots), "cause": cause})
    if (hello is not None and not hello.calibrated) or FrameFlag.UNCALIBRATED in link.flags:
        yield Finding(Kind.UNCALIBRATED, values={"url": url})
    if link.broken:
        yield Finding(Kind.BROKEN_FRAMES, values={"count": link.broken})
    if link.lost_messages:
        yield Finding(Kind.LOST_MESSAGES, values={"count": link.lost_messages})
    if FrameFlag.QUEUE_FULL in link.flags:
        yield Finding(Kind.QUEUE_FULL)
    if FrameFlag.SCAN_LATE in link.flags:
        yield Finding(Kind.SCAN_LATE)
    if link.seen_hz is not None and link.seen_hz < _SLOW_SCAN * checkup.board.scan.hz:
        yield Finding(Kind.SLOW_SCAN, values={"seen": round(link.seen_hz), "told": checkup.board.scan.hz})
    answer_ms = link.answer_ms(0.5)
    if answer_ms is not None and answer_ms > _SLOW_MS and not url.startswith("gpio:"):
        yield Finding(Kind.SLOW_ANSWERS, values={"ms": round(answer_ms)})
    if checkup.self_test:
        yield Finding(Kind.SELF_TEST, values={"count": checkup.self_test})
    for text in checkup.said:
        yield Finding(Kind.BOARD_SAYS, values={"text": _with_names(text, checkup.board.squares)})


def _with_names(text: str, squares: Sequence[str]) -> str:
    """Give a firmware's text with the names of squares, of which it knows the numbers only."""

    def name(found: re.Match[str]) -> str:
        number = int(found[1])
        return f"square {squares[number]}" if number < len(squares) else found[0]

    return re.sub(r"\bsquare (\d{1,3})\b", name, text)
