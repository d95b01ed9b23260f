"""`hallmarshal record forget`: takes a player's name and ranks out of a table's games or a station's events, and says what it did."""

from __future__ import annotations

import argparse
import json
from contextlib import closing
from pathlib import Path

import msgspec

from referee.runtime.errors import BadInputError, UnreachableError
from referee.runtime.forgetting import Forgotten, forget, plain
from referee.tournament.event.event import EventId
from referee.tournament.public.folder import PublicFolderError, renew
from referee.tournament.store import StillPlayingError, StoreError, StoreFormatError, open_store

EVENTS = "events.db"


def forget_player(args: argparse.Namespace) -> int:
    """Forget a player where he is to be forgotten; return 1 where something could not be read, so that he may still be there.

    Raises `BadInputError`, `UnreachableError` and `JournalError`.
    """
    place = Path(args.place)
    if "://" in args.place or place.is_file() or (place / EVENTS).is_file():
        return _forget_in_store(args, place / EVENTS if place.is_dir() else args.place)
    done = forget(place, args.player)
    code = int(bool(done.unreadable or done.left))
    if args.json:
        print(json.dumps(msgspec.to_builtins(done)))
        return code
    for game in done.games:
        print(f"{game}: only its record is left, without this player")
    for folder in done.unreadable:
        print(
            f"{folder}: its journal cannot be read, so nobody knows who played; remove the folder by hand if he may have"
        )
    for path in done.left:
        print(f"{path}: this file still holds the name, and is none of the table's; remove it by hand")
    print(f"{len(done.games)} games, {done.names} names, {done.ranks} ranks, {done.files} files")
    return code


def _forget_in_store(args: argparse.Namespace, place: str | Path) -> int:
    if not plain(args.player):
        raise BadInputError("a name is wanted")
    try:
        with closing(open_store(place)) as store:
            rows = store.forget(lambda name: plain(name) == plain(args.player))
            events = [store.load(EventId(event)).event for event, _ in rows]
        renewed = renew(Path(place).parent, events)
        seen = forget(Path(place).parent, args.player) if (Path(place).parent / "games").is_dir() else Forgotten()
    except (StillPlayingError, StoreFormatError) as error:
        raise BadInputError(str(error)) from None
    except (StoreError, PublicFolderError) as error:
        raise UnreachableError(str(error)) from None
    if args.json:
        told = [{"event": event, "player": number} for event, number in rows]
        print(json.dumps({"rows": told, **({"games": seen.games} if seen.games else {})}))
        return 0
    for event, number in rows:
        print(f"{event}: player {number} has no name any more")
    if renewed is not None:
        print(f"{renewed}: the pages for the public are without this name")
    for game in seen.games:
        print(f"{game}: its record is without this player")
    print(f"{len(rows)} rows")
    return 0
