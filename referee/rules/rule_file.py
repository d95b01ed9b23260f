"""Rule files: one rule set, or a house rule set that changes another one, read with every fault found at once.

First every field is read by its type (`_read`); then what cannot be in a rule set although every word of it is right is looked
for (`_find_faults`): armies that fit no zone, fights without a verdict.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeGuard

from referee.rules import ruleset
from referee.rules.board import Board
from referee.rules.fields import Fields
from referee.rules.outcomes import CombatResult, FileFault, RuleFileError, RulesError
from referee.rules.ruleset import Draft, Gait, Option, OptionValue, RankRule, Repetition, RuleSet, Special
from referee.rules.values import Rank, Seat

_LONGEST_NAME = 200
_FREE_NUMBER = "two_square_limit", "no_progress_limit"
"""Options that a rule file may set to any number, not only to one of the choices."""


def rule_set_from(
    table: Mapping[str, object], board: Callable[[str], Board], base: Callable[[str], RuleSet]
) -> RuleSet:
    """Return the rule set that a file's table describes. Raises `RuleFileError` with every fault; nothing is half-applied."""
    faults: list[FileFault] = []
    fields = Fields(table, faults)
    draft = _read(fields, board, base)
    fields.finish()
    faults += _find_faults(draft, faults)
    if faults or draft.board is None:
        raise RuleFileError(draft.name, faults)
    return RuleSet(**_values(draft))


def _values(rules: Draft) -> dict[str, Any]:
    """Return what a draft and the rule set made of it both hold, by name."""
    return {each.name: getattr(rules, each.name) for each in dataclasses.fields(Draft)}


def _read(fields: Fields, board: Callable[[str], Board], base: Callable[[str], RuleSet]) -> Draft:
    name = fields.need("name", str, "?")
    if not name.isprintable() or name != " ".join(name.split()) or not 0 < len(name) <= _LONGEST_NAME:
        fields.fault(
            "name", f"must be 1 to {_LONGEST_NAME} printable characters with single spaces, as records hold it"
        )
    start = _start(fields, name, base)
    changes: dict[str, object] = {}
    if fields.has("board") or start.board is None:
        changes["board"] = _board(fields, board)
    if fields.has("seats"):
        changes["seats"] = fields.words("seats", fields.texts("seats"), Seat)
    if fields.has("teams"):
        changes["teams"] = tuple(fields.words("teams", team.split(), Seat) for team in fields.texts("teams"))
    if fields.has("specials"):
        changes["specials"] = frozenset(fields.words("specials", fields.texts("specials"), Special))
    changes["ranks"] = _movers_first(_army(fields, _ranks(fields.table("ranks"), start.ranks)))
    combat = fields.table("combat")
    if combat.has("order"):
        changes["order"] = combat.words("order", combat.texts("order"), Rank)
    if combat.has("exceptions"):
        changes["exceptions"] = _exceptions(combat)
    combat.finish()
    return replace(
        start,
        **changes,  # type: ignore[arg-type]  # each value was made with its field's type just above
        filled=fields.take("filled", bool, start.filled),
        options=_options(fields.table("options"), start.options),
        army_verified=fields.take("army_verified", bool, start.army_verified),
        source=fields.take("source", str, start.source),
    )


def _start(fields: Fields, name: str, base: Callable[[str], RuleSet]) -> Draft:
    """Return what a file begins from: nothing, or the rule set that it changes."""
    empty = Draft(name, None, (), {}, (), (), True, {})
    if not fields.has("base"):
        return empty
    try:
        old = base(fields.take("base", str, ""))
    except RulesError as error:
        fields.fault("base", str(error))
        return empty
    return Draft(**{**_values(old), "name": name})


def _board(fields: Fields, board: Callable[[str], Board]) -> Board | None:
    name = fields.need("board", str, "")
    try:
        return board(name) if name else None
    except RulesError as error:
        fields.fault("board", str(error))
        return None


def _ranks(fields: Fields, start: Mapping[Rank, RankRule]) -> dict[Rank, RankRule]:
    ranks = dict(start)
    for key in fields.keys():  # noqa: SIM118 - a Fields is no mapping: taking empties it
        rank = fields.word(key, key, Rank)
        rule = fields.table(key)
        old = start.get(rank, RankRule(0, None, Gait.STEP)) if rank is not None else RankRule(0, None, Gait.STEP)
        number = rule.take("number", int, -1) if rule.has("number") else old.number
        gait = rule.word("gait", rule.take("gait", str, old.gait.value), Gait)
        rule.finish()
        if rank is not None:
            ranks[rank] = RankRule(old.count, number, gait or old.gait)
    return ranks


def _army(fields: Fields, ranks: Mapping[Rank, RankRule]) -> Mapping[Rank, RankRule]:
    """Put the army's counts into the ranks; a file that gives an army gives all of it."""
    if not fields.has("army"):
        return ranks
    army = fields.table("army")
    counts: dict[Rank, int] = {}
    for key in army.keys():  # noqa: SIM118 - a Fields is no mapping: taking empties it
        rank = army.word(key, key, Rank)
        count = army.take(key, int, 0)
        if rank is None:
            continue
        if count < 0:
            army.fault(key, "is less than none")
        elif rank not in ranks:
            army.fault(key, "is no rank of this rule set")
        else:
            counts[rank] = count
    return {rank: replace(rule, count=counts.get(rank, 0)) for rank, rule in ranks.items()}


def _movers_first(ranks: Mapping[Rank, RankRule]) -> Mapping[Rank, RankRule]:
    """Put ranks that a file adds to its base before those that never move, as rule sheets list them."""
    return dict(sorted(ranks.items(), key=lambda item: item[1].gait is Gait.NONE))


def _exceptions(fields: Fields) -> tuple[tuple[Rank | None, Rank | None, CombatResult], ...]:
    found: list[tuple[Rank | None, Rank | None, CombatResult]] = []
    for at, text in enumerate(fields.texts("exceptions")):
        key = f"exceptions[{at}]"
        parts = text.split()
        if len(parts) != 3:
            fields.fault(key, "must be attacker, defender, verdict")
            continue
        attacker, defender = (fields.word(key, part, Rank, "any") for part in parts[:2])
        result = fields.word(key, parts[2], CombatResult)
        if result is not None:
            found.append((attacker, defender, result))
    return tuple(found)


def _options(fields: Fields, start: Mapping[str, Option]) -> dict[str, Option]:
    options = dict(start)
    keys = fields.keys()
    for key in keys:
        name, value = ruleset.name_now(key), ruleset.value_now(key, fields.any(key))
        if name != key and name in keys:
            fields.fault(key, f"is the same as {name}, which is here too")
        if not isinstance(value, dict):
            _set_option(fields, options, key, value)
            continue
        table = Fields(value, fields.faults, f"{fields.place}{key}.")
        chosen = ruleset.value_now(key, table.any("value"))
        choices = [ruleset.value_now(key, choice) for choice in table.take("choices", list, [])]
        reason = table.need("reason", str, "")
        former = ruleset.value_now(key, table.any("former"))
        table.finish()
        if not isinstance(chosen, bool | int | str) or not all(isinstance(one, bool | int | str) for one in choices):
            table.fault("value", "value and choices must be texts, whole numbers, or true or false")
        elif not _is_among(chosen, choices):
            table.fault("value", "is none of its choices")
        elif former is None or _is_among(former, choices):
            options[name] = Option(chosen, tuple(choices), reason, former)
        else:
            table.fault("former", "is none of its choices")
    return options


def _set_option(fields: Fields, options: dict[str, Option], key: str, value: object) -> None:
    """Change an option that the base has; `key` is what the file calls it."""
    name = ruleset.name_now(key)
    old = options.get(name)
    if old is None:
        fields.fault(key, f"no such option; there are {', '.join(sorted(options)) or 'none'}")
    elif name in _FREE_NUMBER and type(value) is int:
        options[name] = Option(value, (*old.choices, *(() if value in old.choices else (value,))), old.reason)
    elif _is_among(value, old.choices):
        options[name] = replace(old, value=value)
    else:
        fields.fault(key, f"{value!r} is none of {', '.join(repr(choice) for choice in old.choices)}")


def _is_among(value: object, choices: Sequence[OptionValue]) -> TypeGuard[OptionValue]:
    return any(value == choice and type(value) is type(choice) for choice in choices)


# ---- what does not fit

_CASTLE_GAITS = frozenset({Gait.RUN_AND_TURN, Gait.TWO_STEPS, Gait.GUN})


def _find_faults(draft: Draft, before: Sequence[FileFault]) -> list[FileFault]:
    """Return everything that does not fit; places already at fault are not named again."""
    named = {fault.place.partition(".")[0].partition("[")[0] for fault in before}
    parts = (_seat_faults, _army_faults, _combat_faults, _option_faults, _special_faults)
    found = [fault for part in parts for fault in part(draft)]
    return [fault for fault in found if fault.place.partition(".")[0].partition("[")[0] not in named]


def _seat_faults(draft: Draft) -> Iterator[FileFault]:
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


def _army_faults(draft: Draft) -> Iterator[FileFault]:
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


def _combat_faults(draft: Draft) -> Iterator[FileFault]:
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


def _option_faults(draft: Draft) -> Iterator[FileFault]:
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


def _special_faults(draft: Draft) -> Iterator[FileFault]:
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
