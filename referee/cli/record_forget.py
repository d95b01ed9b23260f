"""`hallmarshal record forget`: takes a player's name and ranks out of a table's games or a station's events, and says what it did."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec

from referee.library.games import GameRow, entries
from referee.runtime.errors import BadInputError, UnreachableError
from referee.runtime.forgetting import Forgotten, forget, plain, stands_in, without
from referee.tournament.event.event import Event, EventId
from referee.tournament.public.folder import PublicFolderError, renew
from referee.tournament.store import StillPlayingError, StoreError, StoreFormatError, open_store

EVENTS = "events.db"


def forget_player(args: argparse.Namespace) -> int:
    """Forget a player where he is to be forgotten; return 1 where something is left, or could not be read, so that he may still be there.

    Raises `BadInputError`, `UnreachableError` and `JournalError`.
    """
    place = Path(args.place)
    told: dict[str, object] = {}
    if "://" in args.place or place.is_file() or (place / EVENTS).is_file():
        rows, renewed, done = _forget_in_store(args.player, place / EVENTS if place.is_dir() else args.place)
        told["rows"] = [{"event": event, "player": number} for event, number in rows]
    else:
        rows, renewed, done = [], None, forget(place, args.player)
    code = int(bool(done.unreadable or done.left))
    if args.json:
        print(json.dumps({**told, **msgspec.to_builtins(done)}))
        return code
    for event, number in rows:
        print(f"{event}: player {number} has no name any more")
    if renewed is not None:
        print(f"{renewed}: the pages for the public are without this name")
    for game in done.games:
        print(f"{game}: only its record is left, without this player")
    for folder in done.unreadable:
        print(
            f"{folder}: its journal cannot be read, so nobody knows who played; remove the folder by hand if he may have"
        )
    for path in done.left:
        print(f"{path}: the name still stands here, where only you can take it out")
    counts = f"{len(done.games)} games, {done.names} names, {done.ranks} ranks, {done.files} files"
    print(f"{len(rows)} rows, {counts}" if told else counts)
    return code


def _forget_in_store(player: str, place: str | Path) -> tuple[list[tuple[str, int]], Path | None, Forgotten]:
    """Forget a player in a store, and where that is given as a path in its station's directory; return his rows, the folder of public
    pages that was written again, and what was done to files.
    """
    if not plain(player):
        raise BadInputError("a name is wanted")
    state, rows = Path(place).parent, list[tuple[str, int]]()
    try:
        with closing(open_store(place)) as store:

            def first() -> None:
                rows.extend(store.forget(lambda name: plain(name) == plain(player), partial(without, player=player)))

            if isinstance(place, Path):
                done = forget(state, player, first)
            else:  # its station may run, and write what lies beside it
                first()
                kept = [one for one in entries(state) if isinstance(one, GameRow)]
                his = [one.name for one in kept if plain(player) in map(plain, one.players.values())]
                done = Forgotten(left=[str(state / "games" / name) for name in his])
            texts = [
                (event, said) for each in store.ids() for event in [store.load(each).event] for said in _texts(event)
            ]
            events = [store.load(EventId(event)).event for event, _ in rows]
        done.left += [f"{event.id.value}, {what}" for event, (what, text) in texts if stands_in(text, player)]
        return rows, renew(state, events), done
    except (StillPlayingError, StoreFormatError) as error:
        raise BadInputError(str(error)) from None
    except (StoreError, PublicFolderError) as error:
        raise UnreachableError(str(error)) from None


def _texts(event: Event) -> Iterator[tuple[str, str]]:
    """Yield an event's own texts, which may hold a name and are not rewritten, each with what it is."""
    yield "its id", event.id.value
    yield "its title", event.name
    yield "its place", event.details.place
    yield "its arbiter", event.details.arbiter
    yield from (("a group", group.name) for group in event.groups)
    yield from (("a team", team.name) for team in event.teams)
