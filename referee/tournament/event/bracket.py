"""A knock-out: its bracket is what the results so far make of the seeds, so that a correction makes another one."""

from __future__ import annotations

from dataclasses import dataclass

from referee.tournament.event import event as model

Slot = model.PlayerNumber | None
"""Who has come so far; None: nobody."""


@dataclass(frozen=True, slots=True)
class Match:
    """Two slots of a stage. `winner` is None while it is open, and where both are out; `games` were drawn or decided it."""

    slots: tuple[Slot, Slot]
    is_over: bool
    winner: Slot
    games: int


Stage = tuple[Match, ...]


def stages_of(event: model.Event) -> tuple[Stage, ...]:
    """Return the stages, the last one perhaps open. The first seeds are free in the first stage where there are not enough players, and
    meet the last ones else; the first two can meet only in the final.
    """
    slots: list[Slot] = [
        model.PlayerNumber(seed) if seed <= len(event.players) else None for seed in _seeds(len(event.players))
    ]
    found: list[Stage] = []
    while len(slots) > 1:
        stage = tuple(_match(event, (one, two)) for one, two in zip(slots[::2], slots[1::2], strict=True))
        found.append(stage)
        if not all(match.is_over for match in stage):
            break
        slots = [match.winner for match in stage]
    return tuple(found)


def _seeds(players: int) -> list[int]:
    """Return the seeds in the order of the bracket: 1 8 4 5 2 7 3 6 for eight, or as many as are needed of the next power of two."""
    order = [1]
    while len(order) < players:
        order = [seed for one in order for seed in (one, 2 * len(order) + 1 - one)]
    return order


def _match(event: model.Event, slots: tuple[Slot, Slot]) -> Match:
    one, two = slots
    if one is None or two is None:
        return Match(slots, True, one or two, 0)
    games = 0
    for round_ in event.rounds:
        for pairing in round_.pairings:
            if {*pairing.players} == {one, two} and pairing.result is not None:
                games += 1
                is_over, winner = _outcome(event, pairing)
                if is_over:
                    return Match(slots, True, winner, games)
    return Match(slots, False, None, games)


def _outcome(event: model.Event, pairing: model.Pairing) -> tuple[bool, Slot]:
    """Return whether a game decided its match, and who goes through."""
    if pairing.result is model.Result.DRAW:
        return event.draws is model.KnockOutDraw.HIGHER_SEED, min(pairing.players)
    if pairing.result in (model.Result.RED_WINS, model.Result.BLUE_ABSENT):
        return True, pairing.red
    if pairing.result in (model.Result.BLUE_WINS, model.Result.RED_ABSENT):
        return True, pairing.blue
    return True, None


def stages_reached(event: model.Event) -> dict[model.PlayerNumber, int]:
    """Return in which stage, from 1, each player stands or was put out; who has won all is one further."""
    reached = {player.number: 1 for player in event.players}
    for number, stage in enumerate(stages_of(event), 1):
        for match in stage:
            reached |= {slot: number for slot in match.slots if slot is not None}
            if match.is_over and match.winner is not None:
                reached[match.winner] = number + 1
    return reached
