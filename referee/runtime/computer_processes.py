"""The computer's processes of a table: one for each seat that it plays, apart from the table's files, started again where one dies."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from referee.rules.library import house_files
from referee.rules.values import Seat
from referee.runtime.child_processes import Child
from referee.runtime.confinement import Confinement, apart_from, bare_environment
from referee.runtime.table_broker import Deaths

MODULE = "referee.simulated_players.computer_seat"


MOST_CHANGES = 64
"""So often phones may choose another opponent, since each time a process is started or ended."""


class OpponentsWished:
    """Against which computer each phone's player wants to play, as its presence says again and again."""

    def __init__(self) -> None:
        self._levels: dict[Seat, int] = {}
        self._changes = 0

    @property
    def spent(self) -> bool:
        """Return whether phones have changed their mind too often: from now on who plays is chosen at the table, and they say so."""
        return self._changes >= MOST_CHANGES

    def take(self, seat: Seat, level: int) -> bool:
        """Return whether this is another wish than before that may still be heard."""
        if self.spent or level == self._levels.get(seat, 0):
            return False
        self._levels[seat] = level
        self._changes += 1
        return True


@dataclass(slots=True)
class _Process:
    deaths: Deaths
    child: Child | None = None
    again: asyncio.Future[None] | None = None
    """Its next start."""


class ComputerProcesses:
    """Starts and ends them; `invite` returns a new link to a seat, `note` tells the table's people something."""

    def __init__(self, state: Path, rules: str, invite: Callable[[Seat], str], note: Callable[[str], None]) -> None:
        self._state, self._rules, self._invite, self._note = state, rules, invite, note
        self._files = house_files(Path(rules)) if rules.endswith(".toml") else ()
        self._seats: dict[Seat, _Process] = {}
        self._apart: Confinement | None = None

    async def start(self, seat: Seat) -> None:
        """Let the computer take a seat by its link, as any handset does; nothing where it has it."""
        if seat not in self._seats:
            self._seats[seat] = _Process(Deaths())
            await self._start(seat)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return the seats that it has."""
        return tuple(self._seats)

    async def stop(self, seat: Seat) -> None:
        """Take the computer from a seat."""
        process = self._seats.pop(seat, None)
        if process is not None and process.child is not None:
            await process.child.stop()

    async def close(self) -> None:
        """Stop all of them."""
        for seat in list(self._seats):
            await self.stop(seat)

    async def _start(self, seat: Seat) -> None:
        name = f"{seat.value}'s computer"
        if self._apart is None:
            self._apart = await asyncio.to_thread(apart_from, self._state, *self._files)
            if self._apart.missing:
                self._note(
                    f"{name} is not kept from this table's files: {self._apart.missing}; `record audit` shows that it looked at none"
                )
        if (process := self._seats.get(seat)) is None:
            return
        try:
            child = await Child.start(
                name,
                MODULE,
                on_line=lambda line: self._note(f"{name}: {line.get('note', '')}"),
                before=self._apart.command,
                environment=bare_environment(),
            )
        except OSError as error:
            self._died(seat, f"{name} cannot be started ({error.strerror})")
            return
        if self._seats.get(seat) is not process:  # somebody else has it meanwhile
            await child.stop()
            return
        process.child = child
        rules = str(self._files[0].absolute()) if self._files else self._rules
        child.send({"join": self._invite(seat), "rules": rules})
        child.ended.add_done_callback(lambda ended: self._died(seat, ended.exception()))

    def _died(self, seat: Seat, why: object) -> None:
        """Start one that has died again: it goes on with the same game. One that keeps dying is left alone; `why` is None at its end."""
        process = self._seats.get(seat)
        if process is None or why is None:
            return
        if process.deaths.may_start_again(time.monotonic()):
            self._note(f"{why}; it is started again")
            process.again = asyncio.ensure_future(self._start(seat))
        else:
            self._note(f"{why}; it keeps ending: start the table again, or `pair {seat.value}` for somebody else")
            process.child = None
