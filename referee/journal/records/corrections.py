"""What was corrected in a game: gone back to a ply, a verdict voided, a clock set, a penalty, a ruling, a result by the arbiter's word.

One line each in our own text: `12 taken-back agreed`, `13 voided red arbiter = the wrong rank was tapped`. Reasons are words of the
arbiter's: only the referee's view holds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from referee.journal.records.errors import RecordFormatError
from referee.rules.values import Seat


class CorrectionKind(Enum):
    """The value is the word in the text."""

    TAKEN_BACK = "taken-back"
    VOIDED = "voided"
    CLOCK = "clock"
    PENALTY = "penalty"
    RULING = "ruling"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Correction:
    """One of them. `ply`: the one gone back to, the voided verdict's, or how many had been played."""

    kind: CorrectionKind
    ply: int
    seat: Seat | None = None
    word: str | None = None
    """`arbiter` or `agreed` of what was taken back or voided, the milliseconds of a clock, the reason of an end."""
    reason: str | None = None


def write_correction(correction: Correction) -> str:
    """Give the line."""
    words = (str(correction.ply), correction.kind.value, correction.seat and correction.seat.value, correction.word)
    line = " ".join(word for word in words if word)
    return line if correction.reason is None else f"{line} = {correction.reason}"


def read_correction(number: int, line: str) -> Correction:
    """Read a line; raises `RecordFormatError` with its number."""
    said, equals, reason = line.partition("=")
    words = said.split()
    kinds = {kind.value: kind for kind in CorrectionKind}
    if len(words) < 2 or not (words[0].isascii() and words[0].isdigit()) or words[1] not in kinds:
        raise RecordFormatError("'ply word' must stand here, as in '12 taken-back agreed'", number)
    seats = {seat.value: seat for seat in Seat}
    rest = words[2:]
    seat = seats[rest.pop(0)] if rest and rest[0] in seats else None
    if len(rest) > 1 or (equals and not reason.strip()) or len(words[0]) > 6:
        raise RecordFormatError("after ply, word and seat only one more word can stand here", number)
    return Correction(
        kinds[words[1]], int(words[0]), seat, rest[0] if rest else None, reason.strip() if equals else None
    )
