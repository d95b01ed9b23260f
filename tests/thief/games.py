"""Games at real tables whose handsets are terminals that keep their keys."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.demo.running import ROOT
from tests.runtime.at_table import AtTable, Program
from tests.thief.card import key_of


class WithKeys(AtTable):
    """A table whose handsets keep their keys in files; what the players enter and are told is noted."""

    def join(self, seat: Any, url: str) -> Program:
        """Start a handset that keeps its key; wait until it is paired."""
        name, file = f"{seat.value} {len(self.paired)}", self.state / f"{seat.value}.key"
        handset = self.hallmarshal(name, "handset", "--json", "--join", url, "--keys", str(file))
        self.paired[seat] = self.next(name, lambda line: "paired" in line)["paired"]
        self.handsets[seat] = handset
        return handset

    def to_its_end(self, how: str = "resign") -> tuple[dict[str, bytes], bytes, Path]:
        """Play the first game to a verdict, and end it; return the seeds that the seats were told, the game's key and its folder."""
        names, seeds = self.take_seats(), dict[str, bytes]()
        self.table.send("start")
        if "enrol" in self._more:
            told = self.everybody(names, seed_told)
            seeds = {name.split()[0]: bytes.fromhex(line["letter"]["seed"]) for name, line in told.items()}
        self.play_on("verdict", game=1)
        (game,) = (self.state / "table" / "games").iterdir()
        key = key_of((game / "journal.key").read_text("ascii"))
        if how != "flag":
            self.rest()
            if how == "abort":
                self.table.send("abort")
            else:
                self.handsets[next(iter(self.handsets))].send({"type": "resign"})
        self.play_on("end", game=1)
        return seeds, key, game

    def start_again(self, *more: str) -> None:
        """Start the table anew, which has ended; wait until it is ready."""
        while "table" not in self.ended:
            self.take()
        words = f"--board {self.ready['board']} --web 127.0.0.1:0 --json --rules {self.rules.name}".split()
        self.table = self.hallmarshal(
            "table", "table", *words, "--state", str(self.state / "table"), *self._more, *more
        )
        self.ready = self.next("table", lambda line: "join" in line)


def record(*words: object) -> subprocess.CompletedProcess[str]:
    """Run `hallmarshal record`."""
    command = [sys.executable, "-m", "referee.cli.main", "record", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def seed_told(line: dict[str, Any]) -> bool:
    """Return whether a handset's line tells it its seed."""
    return bool(line.get("letter", {}).get("seed"))
