"""What arbiters do to an event: each act returns a new event, or raises and changes nothing.

Pairings are proposed (a draft that only arbiters see), then published by an act of its own. Whatever changes what a draft
rests on throws it away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from referee.tournament.event import event as model
from referee.tournament.event.pairing import lot, pair_round_robin, pair_swiss, rounds_of


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody who wants to play, before he has a number."""

    name: str
    rating: int = 0
    federation: str = ""


def enter_all(event: model.Event, entries: Iterable[Entry]) -> model.Event:
    """Enter players and number everybody by rating, equal ones by lot. Raises `ActError` once a round is published."""
    if event.rounds:
        raise model.ActError("the event has begun: enter players one by one", "not-now")
    if event.requested:
        raise model.ActError("byes are asked for already: enter players one by one", "not-now")
    everybody = [*(Entry(player.name, player.rating, player.federation) for player in event.players), *entries]
    _refuse_namesakes(everybody)
    order = sorted(everybody, key=lambda entry: (-entry.rating, lot(event.seed, f"number {entry.name}"), entry.name))
    players = tuple(
        model.Player(model.PlayerNumber(number), entry.name, entry.rating, entry.federation)
        for number, entry in enumerate(order, 1)
    )
    return replace(event, players=players, draft=None)


def enter(event: model.Event, entry: Entry) -> model.Event:
    """Enter one player with the next number; once the event has begun he plays from the next round on."""
    if event.system is model.System.ROUND_ROBIN and event.rounds:
        raise model.ActError("nobody can enter a round robin that has begun", "closed")
    _refuse_namesakes([*(Entry(player.name) for player in event.players), entry])
    number = model.PlayerNumber(len(event.players) + 1)
    player = model.Player(number, entry.name, entry.rating, entry.federation, first_round=event.next_round)
    return replace(event, players=(*event.players, player), draft=None)


def withdraw(event: model.Event, number: model.PlayerNumber) -> model.Event:
    """Take a player out of all rounds that are not published yet."""
    player = event.player(number)
    if player.last_round is not None:
        raise model.ActError(f"player {number} has withdrawn already", "withdrawn-already", number)
    gone = replace(player, last_round=len(event.rounds))
    return _with_player(event, gone)


def request_bye(
    event: model.Event, number: model.PlayerNumber, round_number: int, kind: model.ByeKind | None
) -> model.Event:
    """Note a half or zero bye that a player asks for, replacing an earlier wish for that round; None removes it. Swiss
    only.
    """
    if event.system is model.System.ROUND_ROBIN:
        raise model.ActError("in a round robin nobody asks for a bye", "no-bye")
    if round_number < event.next_round:
        raise model.ActError(f"round {round_number} is published", "round-published", round_number)
    if not event.player(number).plays_in(round_number):
        raise model.ActError(f"player {number} is not in the event in round {round_number}", "not-in-event", number)
    kept = tuple(bye for bye in event.requested if (bye.player, bye.round_number) != (number, round_number))
    asked = kept if kind is None else (*kept, model.RequestedBye(number, round_number, kind))
    return replace(event, requested=tuple(sorted(asked, key=lambda bye: (bye.round_number, bye.player))), draft=None)


def propose(event: model.Event) -> model.Event:
    """Pair the next round as a draft. Raises `ActError` while a table has no result, and when all rounds are paired."""
    _refuse_early(event)
    round_ = pair_swiss(event) if event.system is model.System.SWISS else pair_round_robin(event)
    return replace(event, draft=round_)


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
    return replace(event, rounds=(*event.rounds, event.draft), draft=None)


def record(
    event: model.Event, round_number: int, table: int, result: model.Result, *, correction: bool = False
) -> model.Event:
    """Note a result; the same one again changes nothing. Raises `DoubleResultError` for a different one that is no
    correction.
    """
    if not 1 <= round_number <= len(event.rounds):
        raise model.ActError(f"round {round_number} is not published", "no-such-round", round_number)
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
    """Return the event without the result of a table of the last round. Raises `ActError`."""
    round_, pairing = _last_pairing(event, round_number, table)
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


def needed_rounds(event: model.Event) -> int:
    """Return the number of rounds of the event: the planned ones, in a round robin at most one for each opponent."""
    if event.system is model.System.SWISS:
        return event.rounds_planned
    return min(event.rounds_planned, rounds_of(len(event.players)))


def _last_pairing(event: model.Event, round_number: int, table: int) -> tuple[model.Round, model.Pairing]:
    if not event.rounds or round_number != len(event.rounds):
        raise model.ActError(f"round {round_number} is not the last that is published", "last-round")
    return _pairing_of(event, round_number, table)


def _pairing_of(event: model.Event, round_number: int, table: int) -> tuple[model.Round, model.Pairing]:
    round_ = event.rounds[round_number - 1]
    if not 1 <= table <= len(round_.pairings):
        raise model.ActError(f"round {round_number} has no table {table}", "no-such-table")
    return round_, round_.pairings[table - 1]


def _open_pairing(event: model.Event, round_number: int, table: int) -> tuple[model.Round, model.Pairing]:
    round_, pairing = _last_pairing(event, round_number, table)
    if pairing.result is not None:
        raise model.ActError(f"table {table} of round {round_number} has a result", "has-result", table)
    return round_, pairing


def _with_pairing(event: model.Event, round_: model.Round, pairing: model.Pairing) -> model.Event:
    pairings = tuple(pairing if old.table == pairing.table else old for old in round_.pairings)
    rounds = tuple(replace(old, pairings=pairings) if old is round_ else old for old in event.rounds)
    return replace(event, rounds=rounds, draft=None)


def _with_player(event: model.Event, player: model.Player) -> model.Event:
    players = tuple(player if old.number == player.number else old for old in event.players)
    return replace(event, players=players, draft=None)


def _refuse_early(event: model.Event) -> None:
    if event.next_round > needed_rounds(event):
        raise model.ActError(f"all {len(event.rounds)} rounds are published", "all-published")
    if event.rounds and event.rounds[-1].open_tables:
        tables = ", ".join(map(str, event.rounds[-1].open_tables))
        raise model.ActError(f"round {len(event.rounds)} has no result yet at table {tables}", "open-tables", tables)


def _refuse_namesakes(entries: Iterable[Entry]) -> None:
    seen: set[str] = set()
    for entry in entries:
        if entry.name.casefold() in seen:
            raise model.ActError(f"there is a player named {entry.name!r} already", "namesake", entry.name)
        seen.add(entry.name.casefold())


# Acts by the word for them, with what goes with it as JSON or a command line gives it.


def whole(given: Mapping[str, Any], key: str) -> int:
    """Return the value of a key, which has to be an integer. Raises `KeyError` or `TypeError`."""
    if type(given[key]) is not int:
        raise TypeError(key)
    return int(given[key])


def _result(event: model.Event, given: Mapping[str, Any], correction: bool) -> model.Event:
    round_number, table = whole(given, "round"), whole(given, "table")
    if correction and given["result"] is None:
        return clear_result(event, round_number, table)
    return record(event, round_number, table, model.Result(given["result"]), correction=correction)


def _enter(event: model.Event, given: Mapping[str, Any]) -> model.Event:
    rating = whole({"rating": 0, **given}, "rating")
    return enter(event, Entry(str(given["name"]).strip(), rating, str(given.get("federation", ""))))


def _bye(event: model.Event, given: Mapping[str, Any]) -> model.Event:
    kind = None if given["kind"] is None else model.ByeKind(given["kind"])
    return request_bye(event, model.PlayerNumber(whole(given, "number")), whole(given, "round"), kind)


BY_NAME: Mapping[str, Callable[[model.Event, Mapping[str, Any]], model.Event]] = {
    "pair": lambda event, given: propose(event),
    "publish": lambda event, given: publish(event),
    "result": lambda event, given: _result(event, given, False),
    "correct": lambda event, given: _result(event, given, True),
    "swap-seats": lambda event, given: swap_seats(event, whole(given, "round"), whole(given, "table")),
    "swap-boards": lambda event, given: swap_boards(event, *(whole(given, key) for key in ("round", "table", "other"))),
    "enter": _enter,
    "withdraw": lambda event, given: withdraw(event, model.PlayerNumber(whole(given, "number"))),
    "bye": _bye,
}
"""Each raises besides its own errors a `KeyError`, `TypeError` or `ValueError` for what it cannot read."""
