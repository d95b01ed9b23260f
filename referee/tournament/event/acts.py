"""What arbiters do to an event: each act returns a new event, or raises and changes nothing.

Pairings are proposed (a draft that only arbiters see), then published by an act of its own. Whatever changes what a draft
rests on throws it away.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.tournament.event import event as model
from referee.tournament.event.pairing import lot, rounds_of
from referee.tournament.event.teams import pair


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody who wants to play, before he has a number; where there are groups or teams, with the name of his."""

    name: str
    rating: int = 0
    federation: str = ""
    group: str = ""
    team: str = ""


def enter_all(event: model.Event, entries: Iterable[Entry]) -> model.Event:
    """Enter players and number everybody by rating, equal ones by lot. Teams and their boards are in the order of the list. Raises
    `ActError` once a round is published.
    """
    if event.rounds:
        raise model.ActError("the event has begun: enter players one by one", "not-now")
    if event.requested or event.pair_rules or event.check_in or event.groups or event.teams:
        raise model.ActError("numbers are in use already: enter players one by one", "not-now")
    everybody = [*(Entry(player.name, player.rating, player.federation) for player in event.players), *entries]
    _refuse_namesakes(everybody)
    order = sorted(everybody, key=lambda entry: (-entry.rating, lot(event.seed, f"number {entry.name}"), entry.name))
    players = tuple(
        model.Player(model.PlayerNumber(number), entry.name, entry.rating, entry.federation)
        for number, entry in enumerate(order, 1)
    )
    numbers = {entry.name: player.number for entry, player in zip(order, players, strict=True)}
    groups, teams = (_named(everybody, key, numbers) for key in ("group", "team"))
    if teams and not event.team_boards:
        raise model.ActError("in this event everybody plays for himself", "no-teams")
    groups = sorted((model.Group(one.name, tuple(sorted(one.players))) for one in groups), key=lambda one: one.name)
    return replace(event, players=players, groups=tuple(groups), teams=tuple(teams), draft=None)


def _named(entries: Iterable[Entry], key: str, numbers: Mapping[str, model.PlayerNumber]) -> list[model.Group]:
    """Return the groups or teams that entries name, as they come; their members too."""
    found: dict[str, list[model.PlayerNumber]] = {}
    for entry in entries:
        if name := getattr(entry, key):
            found.setdefault(name, []).append(numbers[entry.name])
    return [model.Group(name, tuple(members)) for name, members in found.items()]


def enter(event: model.Event, entry: Entry) -> model.Event:
    """Enter one player with the next number; once the event has begun he plays from the next round on."""
    if event.system is not model.System.SWISS and event.rounds and not event.team_boards:
        raise model.ActError("only a Swiss that has begun can be entered", "closed")
    _refuse_namesakes([*(Entry(player.name) for player in event.players), entry])
    number = model.PlayerNumber(len(event.players) + 1)
    player = model.Player(number, entry.name, entry.rating, entry.federation, first_round=event.next_round)
    seen = event.check_in and replace(event.check_in, present=(*event.check_in.present, number))
    return replace(event, players=(*event.players, player), check_in=seen, draft=None)


def edit(event: model.Event, number: model.PlayerNumber, **values: Any) -> model.Event:
    """Change a player's name, rating or federation; the number stays, and with it the seed. A name stays while its game is on:
    boards know their players by it.
    """
    old = event.player(number)
    player = replace(old, **values)
    playing = (pairing for pairing in (event.rounds[-1].pairings if event.rounds else ()) if pairing.result is None)
    if player.name != old.name and any(number in pairing.players for pairing in playing):
        raise model.ActError(f"player {number} is playing: rename him when his game is over", "still-playing", number)
    _refuse_namesakes(Entry(one.name) for one in (*event.players[: number - 1], *event.players[number:], player))
    return replace(event, players=(*event.players[: number - 1], player, *event.players[number:]))


def withdraw(event: model.Event, number: model.PlayerNumber) -> model.Event:
    """Take a player out of all rounds that are not published yet."""
    player = event.player(number)
    if player.last_round is not None:
        raise model.ActError(f"player {number} has withdrawn already", "withdrawn-already", number)
    gone = replace(player, last_round=len(event.rounds))
    return _with_player(event, gone)


def reinstate(event: model.Event, number: model.PlayerNumber) -> model.Event:
    """Take back a player who withdrew, from the next round on; the rounds meanwhile are zero byes."""
    player = event.player(number)
    if player.last_round is None:
        raise model.ActError(f"player {number} has not withdrawn", "not-withdrawn", number)
    away = model.Bye(number, model.ByeKind.ZERO, (model.Reason(model.ReasonWord.WITHDRAWN, number),))
    missed = range(max(player.first_round, player.last_round + 1), event.next_round)
    rounds = tuple(
        replace(round_, byes=tuple(sorted((*round_.byes, away), key=lambda bye: bye.player)))
        if event.system is model.System.SWISS and round_.number in missed
        else round_
        for round_ in event.rounds
    )
    players = tuple(replace(player, last_round=None) if old is player else old for old in event.players)
    return replace(event, players=players, rounds=rounds, draft=None)


def request_bye(
    event: model.Event, number: model.PlayerNumber, round_number: int, kind: model.ByeKind | None
) -> model.Event:
    """Note a half or zero bye that a player asks for, or a full one that an arbiter gives, in place of an earlier one for that
    round; None removes it. Swiss only.
    """
    if event.system is not model.System.SWISS:
        raise model.ActError("only in a Swiss somebody asks for a bye", "no-bye")
    if round_number < event.next_round:
        raise model.ActError(f"round {round_number} is published", "round-published", round_number)
    if not event.team_boards and not event.player(number).plays_in(round_number):
        raise model.ActError(f"player {number} is not in the event in round {round_number}", "not-in-event", number)
    kept = tuple(bye for bye in event.requested if (bye.player, bye.round_number) != (number, round_number))
    asked = kept if kind is None else (*kept, model.RequestedBye(number, round_number, kind))
    return replace(event, requested=tuple(sorted(asked, key=lambda bye: (bye.round_number, bye.player))), draft=None)


def check_in(event: model.Event, round_number: int, number: model.PlayerNumber, present: bool) -> model.Event:
    """Note that a player is there for the next round, or is not. The first note opens the check-in."""
    if not event.player(number).plays_in(round_number):
        raise model.ActError(f"player {number} is not in the event in round {round_number}", "not-in-event", number)
    seen = set(event.check_in.present if event.check_in is not None else ())
    return open_check_in(event, round_number, seen | {number} if present else seen - {number})


def open_check_in(event: model.Event, round_number: int, present: Iterable[model.PlayerNumber] | None) -> model.Event:
    """Let only these count as present in the next round: the others are free, for no points. None: everybody does. Swiss only."""
    if event.system is not model.System.SWISS:
        raise model.ActError("only in a Swiss are those who are absent left free", "swiss-only")
    if round_number != event.next_round:
        raise model.ActError(f"round {round_number} is not the next one", "round-published", round_number)
    seen = None if present is None else model.CheckIn(round_number, tuple(sorted(present)))
    return replace(event, check_in=seen, draft=None)


def rule_pair(
    event: model.Event,
    one: model.PlayerNumber,
    two: model.PlayerNumber,
    kind: model.PairRuleKind | None,
    round_number: int | None,
) -> model.Event:
    """Force or forbid a pairing in a round to come, or with None forbid it in all; `kind` None takes the rule away. Swiss only."""
    if event.system is not model.System.SWISS:
        raise model.ActError("pairings are forced and forbidden in a Swiss alone", "swiss-only")
    if round_number is not None and round_number < event.next_round:
        raise model.ActError(f"round {round_number} is published", "round-published", round_number)
    pair = min(one, two), max(one, two)
    kept = tuple(rule for rule in event.pair_rules if (rule.players, rule.round_number) != (pair, round_number))
    if kind is None and len(kept) == len(event.pair_rules):
        raise model.ActError(f"there is no rule for {one} and {two}", "no-rule")
    rules = kept if kind is None else (*kept, model.PairRule(pair, kind, round_number))
    return replace(event, pair_rules=rules, draft=None)


def propose(event: model.Event) -> model.Event:
    """Pair the next round as a draft. Raises `ActError` while a table has no result, and when all rounds are paired."""
    _refuse_early(event)
    return replace(event, draft=pair(event))


def adopt(event: model.Event, round_: model.Round) -> model.Event:
    """Take a round that another program paired as the draft. Raises `ActError` or `EventValueError` when it does not
    fit the event.
    """
    _refuse_early(event)
    return replace(event, draft=round_)


def publish(event: model.Event) -> model.Event:
    """Make the draft a round of the event, which everybody may see; from now on it takes results."""
    if event.draft is None:
        raise model.ActError("there is no draft to publish", "no-draft")
    return replace(event, rounds=(*event.rounds, event.draft), draft=None, check_in=None)


def discard(event: model.Event) -> model.Event:
    """Throw the draft away."""
    if event.draft is None:
        raise model.ActError("there is no draft to throw away", "no-draft")
    return replace(event, draft=None)


def unpublish(event: model.Event) -> model.Event:
    """Make the last round a draft again. Raises `ActError` once it has a result; absence of who had withdrawn is none."""
    if not event.rounds:
        raise model.ActError("no round is published", "no-round")
    last = event.rounds[-1]
    for pairing in last.pairings:
        if pairing.result is not None and not any(why.word is model.ReasonWord.WITHDRAWN for why in pairing.reasons):
            raise model.ActError(
                f"table {pairing.table} of round {last.number} has a result", "has-result", pairing.table
            )
    return replace(event, rounds=event.rounds[:-1], draft=replace(last, ends=None))


def pair_free(event: model.Event, round_number: int, red: model.PlayerNumber, blue: model.PlayerNumber) -> model.Event:
    """Let two who are free in the last round play each other, at a new table: one came late, say."""
    last = _last_round(event, round_number)
    for number in (red, blue):
        _bye_of(last, number)
    if red == blue:
        raise model.ActError("nobody plays himself", "not-free", red)
    late: tuple[model.Reason, ...] = (model.Reason(model.ReasonWord.PAIRED_LATE),)
    played = (old for round_ in event.rounds for old in round_.pairings if old.result not in model.ABSENCES)
    if any({red, blue} == set(old.players) for old in played):
        late = (*late, model.Reason(model.ReasonWord.REMATCH))
    pairing = model.Pairing(len(last.pairings) + 1, red, blue, None, late)
    byes = tuple(bye for bye in last.byes if bye.player not in (red, blue))
    return _with_round(event, replace(last, pairings=(*last.pairings, pairing), byes=byes))


def correct_bye(event: model.Event, round_number: int, number: model.PlayerNumber, kind: model.ByeKind) -> model.Event:
    """Make a published round's bye one of another kind."""
    round_ = _published(event, round_number)
    bye = replace(_bye_of(round_, number), kind=kind)
    return _with_round(event, replace(round_, byes=tuple(bye if old.player == number else old for old in round_.byes)))


def correct_seats(event: model.Event, round_number: int, table: int) -> model.Event:
    """Note that the two of a table sat the other way round; who won stays who won."""
    round_, one = _pairing_of(event, round_number, table)
    return _with_pairing(
        event,
        round_,
        replace(one, red=one.blue, blue=one.red, result=one.result and model.MIRRORED.get(one.result, one.result)),
    )


def record(
    event: model.Event, round_number: int, table: int, result: model.Result, *, correction: bool = False
) -> model.Event:
    """Note a result; the same one again changes nothing. Raises `DoubleResultError` for a different one that is no
    correction.
    """
    round_, pairing = _pairing_of(event, round_number, table)
    if pairing.result is result:
        return event
    if pairing.result is not None and not correction:
        raise model.DoubleResultError(
            f"table {table} of round {round_number} has the result {pairing.result.value} already, not {result.value}",
            "double-result",
        )
    return _with_pairing(event, round_, replace(pairing, result=result))


def clear_result(event: model.Event, round_number: int, table: int) -> model.Event:
    """Return the event without the result of a table; the next round is not paired before it has one again. Raises `ActError`."""
    round_, pairing = _pairing_of(event, round_number, table)
    return _with_pairing(event, round_, replace(pairing, result=None))


def swap_seats(event: model.Event, round_number: int, table: int) -> model.Event:
    """Let the two of a table of the last round change seats; its game must not have a result."""
    round_, pairing = _open_pairing(event, round_number, table)
    return _with_pairing(event, round_, replace(pairing, red=pairing.blue, blue=pairing.red))


def swap_boards(event: model.Event, round_number: int, table: int, other: int) -> model.Event:
    """Let two tables of the last round change boards; neither game must have a result."""
    round_, one = _open_pairing(event, round_number, table)
    _, two = _open_pairing(event, round_number, other)
    moved = {table: replace(two, table=table), other: replace(one, table=other)}
    pairings = tuple(moved.get(old.table, old) for old in round_.pairings)
    return replace(event, rounds=(*event.rounds[:-1], replace(round_, pairings=pairings)), draft=None)


def set_end(event: model.Event, ends: model.RoundEnd | None) -> model.Event:
    """Set the end of the last round, or with None remove it. Raises `ActError` before the first round."""
    if not event.rounds:
        raise model.ActError("no round is published")
    return replace(event, rounds=(*event.rounds[:-1], replace(event.rounds[-1], ends=ends)))


def group(event: model.Event, number: model.PlayerNumber, name: str) -> model.Event:
    """Put a player into a group, in place of another one; without a name into none. A round robin's stay once it has begun."""
    if event.system is not model.System.SWISS and event.rounds:
        raise model.ActError("the groups of a round robin that has begun stay", "not-now")
    event.player(number)
    members = {one.name: {*one.players} - {number} for one in event.groups}
    if name:
        members.setdefault(name, set()).add(number)
    groups = tuple(model.Group(one, tuple(sorted(members[one]))) for one in sorted(members) if members[one])
    return replace(event, groups=groups, draft=None)


def team(event: model.Event, number: int | None, name: str, players: Sequence[model.PlayerNumber]) -> model.Event:
    """Make a team (None: with the next number), or change one: its members are in the order of boards. Who has played stays in it, and
    in a round robin or knock-out no team comes once it has begun.
    """
    if not event.team_boards:
        raise model.ActError("in this event everybody plays for himself", "no-teams")
    at = len(event.teams) if number is None else number - 1
    if not 0 <= at <= len(event.teams) or (number is not None and at == len(event.teams)):
        raise model.ActError(f"there is no team {number}", "no-such-team", number)
    if number is None and event.rounds and event.system is not model.System.SWISS:
        raise model.ActError("no team comes once this event has begun", "closed")
    played = {player for round_ in event.rounds for player in model.players_in(round_)}
    old = event.teams[at].players if number is not None else ()
    if gone := sorted(played.intersection(old).difference(players)):
        raise model.ActError(f"player {gone[0]} has played for this team", "has-played", gone[0])
    teams = (*event.teams[:at], model.Group(name, tuple(players)), *event.teams[at + 1 :])
    return replace(event, teams=teams, draft=None)


def needed_rounds(event: model.Event) -> int:
    """Return the number of rounds of the event: the planned ones, in a round robin at most one for each opponent."""
    if event.system is not model.System.ROUND_ROBIN:
        return event.rounds_planned
    sizes = [len(event.teams)] if event.team_boards else [len(pool) for pool in event.pools.values()]
    return min(event.rounds_planned, max(map(rounds_of, sizes)))


def _published(event: model.Event, round_number: int) -> model.Round:
    if not 1 <= round_number <= len(event.rounds):
        raise model.ActError(f"round {round_number} is not published", "no-such-round", round_number)
    return event.rounds[round_number - 1]


def _last_round(event: model.Event, round_number: int) -> model.Round:
    if not event.rounds or round_number != len(event.rounds):
        raise model.ActError(f"round {round_number} is not the last that is published", "last-round")
    return event.rounds[-1]


def _bye_of(round_: model.Round, number: model.PlayerNumber) -> model.Bye:
    for bye in round_.byes:
        if bye.player == number:
            return bye
    raise model.ActError(f"player {number} is not free in round {round_.number}", "not-free", number)


def _pairing_of(event: model.Event, round_number: int, table: int) -> tuple[model.Round, model.Pairing]:
    round_ = _published(event, round_number)
    if not 1 <= table <= len(round_.pairings):
        raise model.ActError(f"round {round_number} has no table {table}", "no-such-table")
    return round_, round_.pairings[table - 1]


def _open_pairing(event: model.Event, round_number: int, table: int) -> tuple[model.Round, model.Pairing]:
    _last_round(event, round_number)
    round_, pairing = _pairing_of(event, round_number, table)
    if pairing.result is not None:
        raise model.ActError(f"table {table} of round {round_number} has a result", "has-result", table)
    return round_, pairing


def _with_pairing(event: model.Event, round_: model.Round, pairing: model.Pairing) -> model.Event:
    pairings = tuple(pairing if old.table == pairing.table else old for old in round_.pairings)
    return _with_round(event, replace(round_, pairings=pairings))


def _with_round(event: model.Event, round_: model.Round) -> model.Event:
    rounds = tuple(round_ if old.number == round_.number else old for old in event.rounds)
    return replace(event, rounds=rounds, draft=None)


def _with_player(event: model.Event, player: model.Player) -> model.Event:
    players = tuple(player if old.number == player.number else old for old in event.players)
    return replace(event, players=players, draft=None)


def _refuse_early(event: model.Event) -> None:
    if event.next_round > needed_rounds(event):
        raise model.ActError(f"all {len(event.rounds)} rounds are published", "all-published")
    for round_ in event.rounds:
        if round_.open_tables:
            tables = ", ".join(map(str, round_.open_tables))
            raise model.ActError(f"round {round_.number} has no result yet at table {tables}", "open-tables", tables)


def _refuse_namesakes(entries: Iterable[Entry]) -> None:
    seen: set[str] = set()
    for entry in entries:
        # an accent may be a sign of its own, as a Mac writes it: on a page the two are one name
        read = " ".join(unicodedata.normalize("NFKC", entry.name.casefold()).split())
        if read in seen:
            raise model.ActError(f"there is a player named {entry.name!r} already", "namesake", entry.name)
        seen.add(read)


# Acts by the word for them, with what goes with it as JSON or a command line gives it.


def whole(given: Mapping[str, Any], key: str) -> int:
    """Return the value of a key, which has to be an integer. Raises `KeyError` or `TypeError`."""
    if type(given[key]) is not int:
        raise TypeError(key)
    return int(given[key])


def text(given: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """Return the value of a key, which has to be a string, without spaces around it. Raises `KeyError` or `TypeError`."""
    found = given[key] if default is None else given.get(key, default)
    if not isinstance(found, str):
        raise TypeError(key)
    return found.strip()


def _number(given: Mapping[str, Any], key: str = "number") -> model.PlayerNumber:
    return model.PlayerNumber(whole(given, key))


def _numbers(given: Sequence[Any]) -> tuple[model.PlayerNumber, ...]:
    return tuple(_number({"number": number}) for number in given)


def _result(event: model.Event, given: Mapping[str, Any], correction: bool) -> model.Event:
    round_number, table = whole(given, "round"), whole(given, "table")
    if correction and given["result"] is None:
        return clear_result(event, round_number, table)
    return record(event, round_number, table, model.Result(given["result"]), correction=correction)


def _entry(given: Mapping[str, Any]) -> Entry:
    texts = {key: text(given, key, "") for key in ("federation", "group", "team")}
    return Entry(text(given, "name"), whole({"rating": 0, **given}, "rating"), **texts)


def _edit(event: model.Event, given: Mapping[str, Any]) -> model.Event:
    values: dict[str, Any] = {key: text(given, key) for key in ("name", "federation") if key in given}
    if "rating" in given:
        values["rating"] = whole(given, "rating")
    return edit(event, _number(given), **values)


def _bye(event: model.Event, given: Mapping[str, Any]) -> model.Event:
    kind = None if given["kind"] is None else model.ByeKind(given["kind"])
    return request_bye(event, _number(given), whole(given, "round"), kind)


def _rule(event: model.Event, given: Mapping[str, Any]) -> model.Event:
    one, two = _numbers(given["players"])
    kind = None if given["kind"] is None else model.PairRuleKind(given["kind"])
    return rule_pair(event, one, two, kind, None if given["round"] is None else whole(given, "round"))


def _team(event: model.Event, given: Mapping[str, Any]) -> model.Event:
    number = whole(given, "number") if given.get("number") is not None else None
    return team(event, number, text(given, "name"), _numbers(given["players"]))


def _check_in(event: model.Event, given: Mapping[str, Any]) -> model.Event:
    if type(given["present"]) is not bool:
        raise TypeError("present")
    return check_in(event, whole(given, "round"), _number(given), given["present"])


def settings(event: model.Event, given: Mapping[str, Any]) -> model.Event:
    """Change what an event is called and how it is played; what `given` does not name stays. A change that can alter
    pairings throws the draft away.
    """
    values: dict[str, Any] = {}
    if "name" in given:
        values["name"] = text(given, "name")
    if "rounds" in given:
        values["rounds_planned"] = whole(given, "rounds")
    if "tie_breaks" in given:
        values["tie_breaks"] = tuple(map(model.TieBreak, given["tie_breaks"]))
    if "details" in given:
        values["details"] = replace(event.details, **{key: str(text) for key, text in given["details"].items()})
    if "tables" in given:
        values["tables"] = tuple(whole({"table": table}, "table") for table in given["tables"])
    if "draws" in given:
        values["draws"] = model.KnockOutDraw(given["draws"])
    if "public_names" in given:
        values["public_names"] = model.PublicNames(given["public_names"])
    if "accelerated" in given:
        if type(given["accelerated"]) is not bool:
            raise TypeError("accelerated")
        values["accelerated"] = given["accelerated"]
    if {"rounds_planned", "draws", "accelerated"} & values.keys():
        values["draft"] = None
    return replace(event, **values)


def new_event(event_id: model.EventId, given: Mapping[str, Any]) -> model.Event:
    """Return a new event without players. `given`: `name`, `system`, `points` (`6-3-1`), `bye_points`, `seed`, `team_boards`, and what
    `settings` takes; without `rounds` a Swiss is refused. Raises `EventValueError`, `KeyError`, `TypeError` or `ValueError`.
    """
    system = model.System(given.get("system", "swiss"))
    if system is model.System.SWISS and "rounds" not in given:
        raise model.EventValueError("a Swiss needs its number of rounds")
    points = str(given.get("points", "6-3-1"))
    if len(parts := points.split("-")) != 3:
        raise model.EventValueError(f"points are a win's, a draw's and a loss's, as in 6-3-1, not {points!r}")
    win, draw, loss = map(model.points_from, parts)
    bye = given.get("bye_points")
    scoring = model.Scoring(win, draw, loss, win if bye is None else model.points_from(str(bye)))
    seed, boards = (whole({"seed": 0, "team_boards": 0, **given}, key) for key in ("seed", "team_boards"))
    made = model.Event(event_id, event_id.value, model.MAX_ROUNDS, system, scoring, seed=seed, team_boards=boards)
    if boards:
        made = replace(made, tie_breaks=(model.TieBreak.BOARD_POINTS, model.TieBreak.BUCHHOLZ))
    return settings(made, given)


Do = Callable[[model.Event, Mapping[str, Any]], model.Event]

_WORDS: Mapping[str, tuple[str, Do]] = {
    "pair": ("", lambda event, given: propose(event)),
    "publish": ("", lambda event, given: publish(event)),
    "discard": ("", lambda event, given: discard(event)),
    "unpublish": ("", lambda event, given: unpublish(event)),
    "result": ("round table result", lambda event, given: _result(event, given, False)),
    "correct": ("round table result", lambda event, given: _result(event, given, True)),
    "correct-seats": (
        "round table",
        lambda event, given: correct_seats(event, whole(given, "round"), whole(given, "table")),
    ),
    "correct-bye": (
        "round number kind",
        lambda event, given: correct_bye(event, whole(given, "round"), _number(given), model.ByeKind(given["kind"])),
    ),
    "swap-seats": ("round table", lambda event, given: swap_seats(event, whole(given, "round"), whole(given, "table"))),
    "swap-boards": (
        "round table other",
        lambda event, given: swap_boards(event, *(whole(given, key) for key in ("round", "table", "other"))),
    ),
    "pair-free": (
        "round red blue",
        lambda event, given: pair_free(event, whole(given, "round"), _number(given, "red"), _number(given, "blue")),
    ),
    "pair-rule": ("players kind round", _rule),
    "enter": ("name rating federation", lambda event, given: enter(event, _entry(given))),
    "enter-all": ("players", lambda event, given: enter_all(event, map(_entry, given["players"]))),
    "edit": ("number name rating federation", _edit),
    "withdraw": ("number", lambda event, given: withdraw(event, _number(given))),
    "reinstate": ("number", lambda event, given: reinstate(event, _number(given))),
    "bye": ("number round kind", _bye),
    "check-in": ("round number present", _check_in),
    "check-in-open": (
        "round present",
        lambda event, given: open_check_in(event, whole(given, "round"), _numbers(given["present"])),
    ),
    "check-in-end": ("", lambda event, given: open_check_in(event, event.next_round, None)),
    "group": ("number group", lambda event, given: group(event, _number(given), text(given, "group"))),
    "team": ("number name players", _team),
    "settings": ("name rounds tie_breaks details tables accelerated draws public_names", settings),
}
BY_NAME: Mapping[str, Do] = {word: do for word, (_, do) in _WORDS.items()}
"""Each raises besides its own errors a `KeyError`, `TypeError` or `ValueError` for what it cannot read."""
KEYS: Mapping[str, tuple[str, ...]] = {word: tuple(keys.split()) for word, (keys, _) in _WORDS.items()}
"""What of `given` each act reads."""
