"""Rule files: one rule set, or a house rule set that changes another one, read with every fault found at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from referee.rules.board import Board
from referee.rules.board_file import SEATS
from referee.rules.errors import FileFault, RuleFileError, RulesError
from referee.rules.fields import Fields
from referee.rules.outcomes import CombatResult
from referee.rules.renamed import name_now, value_now
from referee.rules.rule_faults import find_faults
from referee.rules.ruleset import Gait, Option, OptionValue, RankRule, RuleSet, Special
from referee.rules.values import Rank, Seat

_RANKS: Mapping[str, Rank] = {rank.value: rank for rank in Rank}
_GAITS: Mapping[str, Gait] = {gait.value: gait for gait in Gait}
_SPECIALS: Mapping[str, Special] = {special.value: special for special in Special}
_RESULTS: Mapping[str, CombatResult] = {result.value: result for result in CombatResult}
_LONGEST_NAME = 200
_FREE_NUMBER = "two_square_limit", "no_progress_limit"
"""Options that a rule file may set to any number, not only to one of the choices."""


@dataclass(frozen=True)
class Draft:
    """A rule set while it is being read: everything in it has the right type, nothing is known to fit."""

    name: str
    board: Board | None
    seats: tuple[Seat, ...]
    teams: tuple[tuple[Seat, ...], ...]
    ranks: Mapping[Rank, RankRule]
    order: tuple[Rank, ...]
    exceptions: tuple[tuple[Rank | None, Rank | None, CombatResult], ...]
    filled: bool
    options: Mapping[str, Option]
    specials: frozenset[Special]
    army_verified: bool
    source: str


def rule_set_from(
    table: Mapping[str, object], board: Callable[[str], Board], base: Callable[[str], RuleSet]
) -> RuleSet:
    """Give the rule set that a file's table describes. Raises `RuleFileError` with every fault; nothing is half-applied."""
    faults: list[FileFault] = []
    fields = Fields(table, faults)
    draft = _read(fields, board, base)
    fields.finish()
    faults += find_faults(draft, faults)
    if faults or draft.board is None:
        raise RuleFileError(draft.name, faults)
    return RuleSet(
        name=draft.name,
        board=draft.board,
        seats=draft.seats,
        ranks=draft.ranks,
        order=draft.order,
        exceptions=draft.exceptions,
        filled=draft.filled,
        options=draft.options,
        teams=draft.teams,
        specials=draft.specials,
        army_verified=draft.army_verified,
        source=draft.source,
    )


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
        changes["seats"] = _seats(fields, "seats", fields.texts("seats"))
    if fields.has("teams"):
        changes["teams"] = tuple(_seats(fields, "teams", team.split()) for team in fields.texts("teams"))
    if fields.has("specials"):
        words = [fields.word("specials", word, _SPECIALS) for word in fields.texts("specials")]
        changes["specials"] = frozenset(word for word in words if word is not None)
    changes["ranks"] = _movers_first(_army(fields, _ranks(fields.table("ranks"), start.ranks)))
    combat = fields.table("combat")
    if combat.has("order"):
        words_ = [combat.word("order", word, _RANKS) for word in combat.texts("order")]
        changes["order"] = tuple(rank for rank in words_ if rank is not None)
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
    """Give what a file begins from: nothing, or the rule set that it changes."""
    empty = Draft(name, None, (), (), {}, (), (), True, {}, frozenset(), True, "")
    if not fields.has("base"):
        return empty
    try:
        old = base(fields.take("base", str, ""))
    except RulesError as error:
        fields.fault("base", str(error))
        return empty
    return Draft(
        name=name,
        board=old.board,
        seats=old.seats,
        teams=old.teams,
        ranks=old.ranks,
        order=old.order,
        exceptions=old.exceptions,
        filled=old.filled,
        options=old.options,
        specials=old.specials,
        army_verified=old.army_verified,
        source=old.source,
    )


def _board(fields: Fields, board: Callable[[str], Board]) -> Board | None:
    name = fields.need("board", str, "")
    try:
        return board(name) if name else None
    except RulesError as error:
        fields.fault("board", str(error))
        return None


def _seats(fields: Fields, key: str, words: list[str]) -> tuple[Seat, ...]:
    seats = [fields.word(key, word, SEATS) for word in words]
    return tuple(seat for seat in seats if seat is not None)


def _ranks(fields: Fields, start: Mapping[Rank, RankRule]) -> dict[Rank, RankRule]:
    ranks = dict(start)
    for key in fields.keys():  # noqa: SIM118 - a Fields is no mapping: taking empties it
        rank = fields.word(key, key, _RANKS)
        rule = fields.table(key)
        old = start.get(rank, RankRule(0, None, Gait.STEP)) if rank is not None else RankRule(0, None, Gait.STEP)
        number = rule.take("number", int, -1) if rule.has("number") else old.number
        gait = rule.word("gait", rule.take("gait", str, old.gait.value), _GAITS)
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
        rank = army.word(key, key, _RANKS)
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
    words: Mapping[str, Rank | None] = {**_RANKS, "any": None}
    found: list[tuple[Rank | None, Rank | None, CombatResult]] = []
    for at, text in enumerate(fields.texts("exceptions")):
        key = f"exceptions[{at}]"
        parts = text.split()
        if len(parts) != 3:
            fields.fault(key, "must be attacker, defender, verdict")
            continue
        for part in parts[:2]:
            fields.word(key, part, words)
        result = fields.word(key, parts[2], _RESULTS)
        if result is not None and all(part in words for part in parts[:2]):
            found.append((words[parts[0]], words[parts[1]], result))
    return tuple(found)


def _options(fields: Fields, start: Mapping[str, Option]) -> dict[str, Option]:
    options = dict(start)
    keys = fields.keys()
    for key in keys:
        name, value = name_now(key), value_now(key, fields.any(key))
        if name != key and name in keys:
            fields.fault(key, f"is the same as {name}, which is here too")
        if not isinstance(value, dict):
            _set_option(fields, options, key, value)
            continue
        table = Fields(value, fields.faults, f"{fields.place}{key}.")
        chosen = value_now(key, table.any("value"))
        choices = [value_now(key, choice) for choice in table.take("choices", list, [])]
        reason = table.need("reason", str, "")
        former = value_now(key, table.any("former"))
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
    name = name_now(key)
    old = options.get(name)
    if old is None:
        fields.fault(key, f"no such option; there are {', '.join(sorted(options)) or 'none'}")
    elif name in _FREE_NUMBER and type(value) is int:
        options[name] = Option(value, (*old.choices, *(() if value in old.choices else (value,))), old.reason)
    elif _is_among(value, old.choices):
        options[name] = replace(old, value=value)
    else:
        fields.fault(key, f"{value!r} is none of {', '.join(repr(choice) for choice in old.choices)}")


def _is_among(value: object, choices: list[OptionValue] | tuple[OptionValue, ...]) -> TypeGuard[OptionValue]:
    return any(value == choice and type(value) is type(choice) for choice in choices)
