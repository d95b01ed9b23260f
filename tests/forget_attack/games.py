"""A table's state folder with games of several people, played at real tables, and what a curious one notes of them while they are fresh."""

from __future__ import annotations

import json
import shutil
import signal
from dataclasses import dataclass, field
from pathlib import Path

from tests.thief.card import boxes, key_of, opened, set_up
from tests.thief.games import WithKeys, record


@dataclass
class Played:
    """A game that is over, as it was before anybody was forgotten."""

    folder: str
    """Its folder's name."""
    names: dict[str, str]
    """Who played, by seat."""
    ranks: dict[str, dict[str, str]] = field(default_factory=dict)
    """What each owner knew of his set-up."""
    secrets: dict[str, bytes] = field(default_factory=dict)
    """The game's key and the seats' seeds."""

    def public(self, state: Path) -> dict[str, dict[str, str]]:
        """Return what everybody knows of the set-ups."""
        told = record("export", state / "games" / self.folder, "--view", "public")
        assert told.returncode == 0, told.stderr
        return {seat: set_up(told.stdout, seat) for seat in self.names}


def play(at: Path, names: dict[str, str], mode: str = "enrol", *more: str) -> Played:
    """Play one game of Duel to an end at the table whose state is `at/table`; return what was seen of it."""
    config = at / "table.toml"
    config.write_text(
        "[names]\n" + "".join(f"{seat} = {json.dumps(name, ensure_ascii=False)}\n" for seat, name in names.items())
    )
    before = set(at.glob("table/games/*"))
    with WithKeys(at, "duel", "--mode", mode, "--config", str(config), *more) as table:
        seats = table.take_seats()
        table.table.send("start")
        seeds = {}
        if mode == "enrol":
            told = table.everybody(seats, lambda line: bool(line.get("letter", {}).get("seed")))
            seeds = {name.split()[0]: bytes.fromhex(line["letter"]["seed"]) for name, line in told.items()}
        table.play_on("verdict", game=1)
        if mode == "declare":
            table.rest()  # where ranks were entered, both let the archive show them
        (game,) = set(at.glob("table/games/*")) - before
        key = key_of((game / "journal.key").read_text("ascii"))
        table.handsets[next(iter(table.handsets))].send({"type": "resign"})
        table.play_on("end", game=1)
        while mode == "enrol" and len(table.consented) < len(names):
            table.take()
        table.table.end(signal.SIGTERM)
    ranks = {}
    for seat in names:
        for view in opened(boxes(game / "journal.owners"), key_of((at / f"{seat}.key").read_text("ascii"))):
            ranks[seat] = set_up(view, seat)
    return Played(game.name, names, ranks, {"key": key} | seeds)


def copied(state: Path, to: Path) -> Path:
    """Return a copy of a state folder."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(state, to, symlinks=True)
    return to
