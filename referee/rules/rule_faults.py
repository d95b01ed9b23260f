"""What cannot be in a rule set although every word of it is right: armies that fit no zone, fights without a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from referee.rules.errors import FileFault
from referee.rules.ruleset import Gait, Repetition, Special
from referee.rules.values import Rank, Seat

if TYPE_CHECKING:
    from referee.rules.rule_file import Draft

_CASTLE_GAITS = frozenset({Gait.RUN_AND_TURN, Gait.TWO_STEPS, Gait.GUN})


def find_faults(draft: Draft, before: Sequence[FileFault]) -> list[FileFault]:
    """Give everything that does not fit; places already at fault are not named again."""
    named = {fault.place.partition(".")[0].partition("[")[0] for fault in before}
    found = [*_seats(draft), *_army(draft), *_combat(draft), *_options(draft), *_specials(draft)]
    return [fault for fault in found if fault.place.partition(".")[0].partition("[")[0] not in named]


def _seats(draft: Draft) -> Iterator[FileFault]:
    seats = draft.seats
    if len(seats) < 2 or len(set(seats)) != len(seats):
        yield FileFault("seats", "must be two different seats or more")
    if draft.board is not None:
        for seat in seats:
            if seat not in draft.board.homes:
                yield FileFault("seats", f"board {draft.board.name} has no place for {seat.value}")
    if draft.teams:
        members = [seat for team in draft.teams for seat in team]
        if sorted(members, key=_place) != sorted(seats, key=_place) or len(draft.teams) < 2:
            yield FileFault("teams", "must hold every seat once, in two teams or more")
    if len(seats) > 2 and Special.CASTLE not in draft.specials:
        yield FileFault("seats", "more than two need the special rules of the castle")


def _place(seat: Seat) -> int:
    return list(Seat).index(seat)


def _army(draft: Draft) -> Iterator[FileFault]:
    pieces = sum(rule.count for rule in draft.ranks.values())
    flags = draft.ranks[Rank.FLAG].count if Rank.FLAG in draft.ranks else 0
    castle = Special.CASTLE in draft.specials
    if not any(rule.count and rule.gait is not Gait.NONE for rule in draft.ranks.values()):
        yield FileFault("army", "has no piece that can move")
    if castle and flags:
        yield FileFault("army.flag", "is no piece where a castle stands: it is carried")
    elif not castle and flags != 1:
        yield FileFault("army.flag", f"must be 1, is {flags}")
    for seat in draft.seats if draft.board is not None else ():
        home = draft.board.homes.get(seat) if draft.board is not None else None
        squares = len(home.zone) if home is not None else pieces
        if pieces > squares or (draft.filled and pieces != squares):
            rule = "must fill" if draft.filled else "must fit into"
            yield FileFault("army", f"{pieces} pieces {rule} the {squares} squares of {seat.value}")


def _combat(draft: Draft) -> Iterator[FileFault]:
    if len(set(draft.order)) != len(draft.order):
        yield FileFault("combat.order", "names a rank twice")
    for rank in draft.order:
        if rank not in draft.ranks:
            yield FileFault("combat.order", f"{rank.value} is no rank of this rule set")
    attackers = [rank for rank, rule in draft.ranks.items() if rule.gait is not Gait.NONE]
    for attacker in attackers:
        open_ones = [other.value for other in draft.ranks if not _has_verdict(draft, attacker, other)]
        if open_ones:
            yield FileFault("combat", f"no verdict where {attacker.value} attacks {', '.join(open_ones)}")


def _has_verdict(draft: Draft, attacker: Rank, defender: Rank) -> bool:
    if any(one in (None, attacker) and other in (None, defender) for one, other, _ in draft.exceptions):
        return True
    return attacker in draft.order and defender in draft.order


def _options(draft: Draft) -> Iterator[FileFault]:
    limit = draft.options.get("two_square_limit")
    if limit is not None and (not isinstance(limit.value, int) or limit.value < 2):
        yield FileFault("options.two_square_limit", "must be 2 or more: with 1 no piece could ever go back")
    quiet = draft.options.get("no_progress_limit")
    if quiet is not None and (not isinstance(quiet.value, int) or quiet.value < 0):
        yield FileFault("options.no_progress_limit", "must be 0 (off) or more")
    first = draft.options.get("first_seat")
    if first is not None and first.value not in [seat.value for seat in draft.seats]:
        yield FileFault("options.first_seat", f"{first.value!r} does not play")
    repetition = draft.options.get("repetition")
    if repetition is not None:
        known = [each.value for each in Repetition]
        unknown = [str(choice) for choice in repetition.choices if choice not in known]
        if unknown:
            yield FileFault("options.repetition", f"{', '.join(unknown)}: known are {', '.join(known)}")
        elif repetition.value != Repetition.NONE.value and len(draft.seats) != 2:
            yield FileFault("options.repetition", "is made for two seats")


def _specials(draft: Draft) -> Iterator[FileFault]:
    if Special.INFILTRATION in draft.specials and (
        Rank.INFILTRATOR not in draft.ranks or not draft.ranks[Rank.INFILTRATOR].count
    ):
        yield FileFault("specials", "infiltration needs an infiltrator in the army")
    castle = Special.CASTLE in draft.specials
    if castle and Special.INFILTRATION in draft.specials:
        yield FileFault("specials", "infiltration and castle do not go together")
    for rank, rule in draft.ranks.items():
        if rule.gait in _CASTLE_GAITS and not castle:
            yield FileFault(f"ranks.{rank.value}.gait", f"{rule.gait.value} needs the special rules of the castle")
    board = draft.board
    if castle and board is not None:
        homes = [board.homes[seat] for seat in draft.seats if seat in board.homes]
        if board.ring is None or board.turret is None or any(home.flag_start is None for home in homes):
            yield FileFault("specials", f"board {board.name} has no castle or no place where the flags start")
