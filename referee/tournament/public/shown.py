"""What of an event is public: an event of its own, made of what everybody may see and of nothing else.

All pages and prints are made of this value, so what an arbiter alone knows (a draft, reasons, byes that players have asked for, the
seed) cannot come onto one by mistake.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from referee.tournament.event import event as model
from referee.tournament.event.reports import round_as_told, standings_as_told


def called(player: model.Player, names: model.PublicNames) -> str:
    """Return what a player is called; two of one name, or of the same initials, differ by their numbers."""
    if names is model.PublicNames.FULL or player.name == f"#{player.number}":  # who was forgotten is a number already
        return player.name
    if names is model.PublicNames.NUMBERS:
        return f"#{player.number}"
    parts = [part for part in player.name.split() if part[0].isalnum()] or [player.name]
    first = [f"{part[0]}." for part in (parts if len(parts) < 2 else (parts[0], parts[-1]))]
    return f"{' '.join(first)} (#{player.number})"


def public_event(event: model.Event, names: model.PublicNames) -> model.Event:
    """Return an event as everybody may see it: published rounds without reasons, and players as `names` calls them."""
    return model.Event(
        event.id,
        event.name,
        event.rounds_planned,
        event.system,
        event.scoring,
        event.tie_breaks,
        details=replace(event.details, arbiter=""),
        players=tuple(replace(player, name=called(player, names)) for player in event.players),
        rounds=tuple(_without_reasons(round_) for round_ in event.rounds),
        tables=event.tables,
        draws=event.draws,
        groups=event.groups,
        team_boards=event.team_boards,
        teams=event.teams,
    )


def posted(event: model.Event, names: model.PublicNames) -> dict[str, Any]:
    """Return what hangs in the hall, as JSON values: the last round, at the hall's tables, and the standings, with players so called."""
    shown = public_event(event, names)
    last = round_as_told(shown, shown.rounds[-1], reasons=False) if shown.rounds else None
    for table, place in zip((last or {"tables": []})["tables"], shown.tables, strict=False):
        table["table"] = place
    return {"id": shown.id.value, "name": shown.name, "round": last, "standings": standings_as_told(shown)}


def _without_reasons(round_: model.Round) -> model.Round:
    pairings = tuple(replace(pairing, reasons=()) for pairing in round_.pairings)
    return replace(round_, pairings=pairings, byes=tuple(replace(bye, reasons=()) for bye in round_.byes))
