"""Players of a hall's events are forgotten: from docs/how-to/forget-a-player.md and commands.md alone, on SQLite and PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg

from tests.forget_attack.attack import forget, here
from tests.forget_attack.search import left

PEOPLE = (
    "Anna",
    "Bram",
    "Annabel",
    "Zoe\u0308 O\u2019Brien",
    "\u674e\u5c0f\u9f99",
    "\u0639\u0645\u0631",
    'A"n, \\a',
    "Dirk",
    "' OR 1=1 --",
)
EVENTS_FILE = "events.db"
EVENTS = ("open-2026", "cup")


def station(store: str, *words: str) -> str:
    """Run `hallmarshal station` on a store; return what it prints."""
    done = here("station", *words, "--store", store)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def filled(store: str, at: Path) -> None:
    """Let two events be played to their ends, with the same people in another order."""
    for event, people in zip(EVENTS, (PEOPLE, PEOPLE[::-1]), strict=True):
        table = at / f"{event}.csv"
        lines = ['"' + name.replace('"', '""') + f'",{1500 + number},NED' for number, name in enumerate(people)]
        table.write_text("name,rating,federation\n" + "\n".join(lines) + "\n")
        station(store, "new", event, "--rounds", "2", "--players", str(table))
        for _ in range(2):
            station(store, "pair", event)
            station(store, "publish", event)
            for board in range(1, len(people) // 2 + 1):
                station(store, "result", event, str(board), "red")


def told(store: str) -> dict[str, str]:
    """Return what each event tells."""
    return {
        f"{verb} {event}": station(store, verb, event, "--json") for event in EVENTS for verb in ("standings", "show")
    }


def settle(store: str) -> None:
    """Let a server write what it has in memory into its files, where a thief looks."""
    if "://" in store:
        with psycopg.connect(store, autocommit=True) as server:
            server.execute("CHECKPOINT")


def forgotten(store: str, folder: Path, place: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what is left of each player, one after the other; `folder` holds every file of the store."""
    for name in PEOPLE:
        others = frozenset(PEOPLE) - {name}
        settle(store)
        wrong = [] if left(folder, name, others) else ["the search finds nothing before, either"]
        done = forget(name, place)
        settle(store)
        wrong += [] if done.returncode == 0 else [f"exit {done.returncode}: {done.stderr}"]
        wrong += [f"{name!r} left in {where}" for where in left(folder, name, others) if "pg_wal" not in where]
        after = told(store)
        wrong += [f"{what} tells {name}" for what, text in after.items() if f'"{name}"' in text]
        again = forget(name, place)
        wrong += (
            [f"again: {again.stdout}{again.stderr}"] if again.returncode or json.loads(again.stdout)["rows"] else []
        )
        yield f"{place[:10]}: forget {name!r}", wrong
