"""GSN, the older text form of Gravon's games, versions 1 and 2.

#X38FA11 Stratego-Notation v1
type0
<100 letters>                       missing when the game ended before it was set up
A4-A5                               one a ply
END
red vs blue result 1 winner 0
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from referee.journal.records.errors import RecordError, RecordFormatError
from referee.journal.records.gravon import (
    LONGEST_NAME,
    SEATS,
    GravonGame,
    exported,
    record_of,
    result_numbers,
    result_of,
)
from referee.journal.records.model import MOST_PLIES, Record
from referee.rules import EndReason, GameResult
from referee.rules.values import Seat

MAGIC = "#X38FA11 Stratego-Notation v"
TYPES = ("classic", "barrage", "classicfree", "ultimate lightning")
END = "END"

_MOVE = re.compile(r"([A-Ka-k](?:10|[1-9]))-([A-Ka-k](?:10|[1-9]))")
_LAST = re.compile(r"(.*?) vs (.*) result ([0-9]{1,3}) winner (-?[0-9]{1,3})")


def is_gsn(text: str) -> bool:
    """Say whether a text claims to be GSN."""
    return text.startswith(MAGIC)


def read_gsn(text: str) -> Record:
    """Read a game; raises `RecordFormatError` with the line."""
    lines = [line.strip() for line in text.split("\n")]
    if lines[0] not in (f"{MAGIC}1", f"{MAGIC}2"):
        raise RecordFormatError(f"'{MAGIC}1' or '...2' must stand here", 1)
    kind = _kind(lines[1] if len(lines) > 1 else "")
    at = 2
    field: str | None = None
    if at < len(lines) and lines[at] != END and not _is_ply(lines[at]):
        field, at = lines[at], at + 1
    moves: list[tuple[str, str]] = []
    while at < len(lines) and lines[at] != END:
        if lines[at]:
            moves.append(_move(lines[at], at + 1))
        at += 1
    if at == len(lines):
        raise RecordFormatError(f"{END} is missing")
    if len(moves) > MOST_PLIES:
        raise RecordFormatError(f"more than {MOST_PLIES:,} moves")
    names, result = _last(
        [(number, line) for number, line in enumerate(lines[at:], start=at + 1) if line not in ("", END)]
    )
    return record_of(GravonGame(kind, field, moves, names, result))


def write_gsn(record: Record) -> str:
    """Give the GSN (version 1) of a record that knows every rank; raises as `gravon.exported` does.

    A game without a result has no last line, and so no names: the format has no word for it.
    """
    game = exported(record)
    if game.kind not in TYPES:
        raise RecordError(f"GSN has no game type for the rule set {record.rules}")
    lines = [f"{MAGIC}1", f"type{TYPES.index(game.kind)}"]
    lines += [] if game.field is None else [game.field]
    lines += [f"{source}-{target}" for source, target in game.moves]
    lines.append(END)
    if game.result is not None and game.result.reason is not EndReason.UNFINISHED:
        kind, winner = result_numbers(game.result)
        red, blue = (_name(game.names, seat) for seat in SEATS)
        lines.append(f"{red} vs {blue} result {kind} winner {winner - 1}")
    return "\n".join([*lines, ""])


def _name(names: Mapping[Seat, str], seat: Seat) -> str:
    name = names.get(seat, seat.value)
    if " vs " in f" {name} " or " result " in f" {name} ":
        raise RecordError(f"GSN cannot hold the name of {seat.value}, which has one of its own words in it")
    return name


def _kind(line: str) -> str:
    number = line.removeprefix("type")
    if not line.startswith("type") or number not in [str(known) for known in range(len(TYPES))]:
        raise RecordFormatError(f"'type0' to 'type{len(TYPES) - 1}' must stand here", 2)
    return TYPES[int(number)]


def _is_ply(line: str) -> bool:
    return _MOVE.fullmatch(line) is not None or ":" in line


def _move(line: str, number: int) -> tuple[str, str]:
    match = _MOVE.fullmatch(line)
    if match is None:
        if ":" in line:
            raise RecordFormatError("a rescue, which belongs to another game than ours", number)
        raise RecordFormatError(f"'A4-A5' or {END} must stand here", number)
    return match[1], match[2]


def _last(lines: list[tuple[int, str]]) -> tuple[Mapping[Seat, str], GameResult | None]:
    if not lines:
        return {}, None
    if len(lines) > 1:
        raise RecordFormatError(f"nothing may follow the line of the result, {lines[0][0]}", lines[1][0])
    number, line = lines[0]
    if len(line) > 3 * LONGEST_NAME:  # each " vs " in it is a place where the second name could begin
        raise RecordFormatError(f"longer than {3 * LONGEST_NAME:,} characters", number)
    match = _LAST.fullmatch(line)
    if match is None:
        raise RecordFormatError("'red vs blue result N winner M' must stand here", number)
    try:
        result = result_of(int(match[3]), int(match[4]) + 1)
    except RecordFormatError as error:
        raise RecordFormatError(str(error), number) from None
    return dict(zip(SEATS, (match[1], match[2]), strict=True)), result
