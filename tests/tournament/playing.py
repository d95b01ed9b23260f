"""Plays events: results that a seed draws, and what must hold of every round."""

from __future__ import annotations

import random
from collections.abc import Iterator

from referee.tournament.event.acts import Entry, enter_all, propose, publish, record
from referee.tournament.event.event import ByeKind, Event, EventId, PlayerNumber, Result, System, players_in


def new_event(players: int, rounds: int, *, seed: int = 0, system: System = System.SWISS) -> Event:
    """Return an event of players `p1`, `p2` and so on, the first being the strongest."""
    event = Event(EventId("test"), "Test", rounds, system, seed=seed)
    return enter_all(event, [Entry(f"p{number}", 2000 - number) for number in range(1, players + 1)])


def play_round(event: Event, chance: random.Random, results: tuple[Result, ...] = tuple(Result)) -> Event:
    """Pair, publish and play the next round."""
    event = publish(propose(event))
    for table in event.rounds[-1].open_tables:
        event = record(event, len(event.rounds), table, chance.choice(results))
    return event


def meetings(event: Event) -> Iterator[frozenset[PlayerNumber]]:
    """Return the two of every game that was played: nobody meets twice, but a game that was not played is no meeting."""
    for round_ in event.rounds:
        for pairing in round_.pairings:
            if pairing.result not in (None, Result.RED_ABSENT, Result.BLUE_ABSENT, Result.BOTH_ABSENT):
                yield frozenset(pairing.players)


def assert_everybody_once(event: Event) -> None:
    """Hold the last round against the players of the event."""
    last = event.rounds[-1]
    assert sorted(players_in(last)) == [player.number for player in event.playing_in(last.number)]
    assert sum(bye.kind is ByeKind.PAIRING for bye in last.byes) <= 1
