"""A referee that can be killed: the real event loop, sensing, arbitration and journal in a forked process, at the end
of a pipe.

Its Ledger and its Outlet kill the process with SIGKILL at the n-th of all moments at which they are called; nothing in the product
knows of it. What it would publish goes up the pipe, letters opened, as the two handsets would open them.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from firmware_bridge.messages import Command, News
from firmware_bridge.talk import BoardSource
from hardware import BoardFile
from referee.rules.values import Seat
from referee.runtime import event_loop as shell_of_table
from referee.runtime.event_loop import TableShell
from referee.runtime.game import interpreter_of
from referee.runtime.game_archive import Keeping, find
from referee.table.messages import Letter, ToHandset
from referee.table.settings import TableSettings
from referee.table.step import Fact
from referee.table.table import Table
from referee.table.views import Mode, PublicEvent, PublicInfo, PublicView

_SLOW_S = 0.3
_NEVER_S = 1e6


@dataclass(frozen=True, slots=True)
class SentMessage:
    """One message that was sent: to everybody (`seat` None), or to one seat."""

    seat: Seat | None
    value: PublicEvent | PublicView | ToHandset


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment at which the process can be killed, numbered from 1."""

    where: str
    """`before the write`, `between write and word`, or `amid the words`."""
    phase: str


class KillSwitch:
    """Counts moments and dies at one of them."""

    def __init__(self, dies_at: int | None, last_act: Callable[[], None]) -> None:
        self.moments: list[Moment] = []
        self.table: Table | None = None
        self._dies_at, self._last_act = dies_at, last_act

    def moment(self, where: str) -> None:
        """Be at a moment."""
        self.moments.append(Moment(where, self.table.phase.value if self.table else ""))
        if len(self.moments) == self._dies_at:
            self._last_act()
            os.kill(os.getpid(), signal.SIGKILL)


class KillableLedger:
    """The journal, with a moment before and after every write; a disk that is slow can be had, too."""

    def __init__(self, keeping: Keeping, kill_switch: KillSwitch) -> None:
        self._keeping, self._kill_switch = keeping, kill_switch
        self.slow = False
        """The next write takes long."""

    def write(self, facts: Iterable[Fact]) -> None:
        """Write facts."""
        self._kill_switch.moment("before the write")
        if self.slow:
            self.slow = False
            time.sleep(_SLOW_S)
        self._keeping.journal.write(facts)
        self._kill_switch.moment("between write and word")


class KillableOutlet:
    """Hands each message to `say`; after each one comes a moment at which the process may die."""

    def __init__(self, kill_switch: KillSwitch, say: Callable[[SentMessage], None]) -> None:
        self._kill_switch, self._say = kill_switch, say

    def publish_info(self, info: PublicInfo) -> None:
        """Publish nothing: the world knows it."""

    def publish_event(self, event: PublicEvent) -> None:
        """Send a public event; the process may die right after it."""
        self._tell(SentMessage(None, event))

    def publish_state(self, view: PublicView) -> None:
        """Send a public view; the process may die right after it."""
        self._tell(SentMessage(None, view))

    def send(self, letter: Letter, ply: int) -> None:
        """Send a seat's message, opened; the process may die right after it."""
        self._tell(SentMessage(letter.seat, letter.body.open_hidden()))

    def _tell(self, told: SentMessage) -> None:
        self._say(told)
        self._kill_switch.moment("amid the words")


class PipeSource(BoardSource):
    """A board whose frames come up the pipe; what handsets say comes the same way and is handed on."""

    url = "pipe:"

    def __init__(self, pipe: Pipe, on_order: Callable[[Any], None]) -> None:
        self._pipe, self._on_order = pipe, on_order

    def fileno(self) -> int:
        """Return the pipe's descriptor."""
        return self._pipe.fileno()

    def read(self) -> list[News]:
        """Return the frames of one request; pass any other request on to the event loop. Ends the process when the pipe
        is closed.
        """
        try:
            kind, value = self._pipe.receive()
        except EOFError:
            os._exit(0)  # the world is gone
        loop = asyncio.get_running_loop()
        if kind == "frames":
            loop.call_soon(self._on_order, ("done", None))
            return list(value)
        loop.call_soon(self._on_order, (kind, value))
        return []

    def send(self, command: Command) -> Command:
        """Drop the command: nobody asks this board."""
        return command

    def close(self) -> None:
        """Hand nothing on any more: who is handed it holds the shell that holds this. The pipe is closed by its owner."""
        self._on_order = lambda order: None


class Pipe:
    """One end of a pipe of Python values. An end that is gone raises `EOFError`, a silent one `TimeoutError`."""

    def __init__(self, end: Connection, patience_s: float | None = None) -> None:
        self._end, self._patience_s = end, patience_s
        self.fileno, self.close = end.fileno, end.close

    def send(self, value: object) -> None:
        """Send one value."""
        try:
            self._end.send(value)
        except OSError as error:
            raise EOFError from error

    def receive(self) -> Any:
        """Wait for one value, at most for as long as the patience lasts."""
        if not self._end.poll(self._patience_s):
            raise TimeoutError
        try:
            return self._end.recv()
        except OSError as error:  # it died while it was sending
            raise EOFError from error


def other_clock(ahead_ms: int) -> None:
    """Let this process live on a different monotonic clock, as after the machine was started again."""
    real = time.monotonic_ns
    time.monotonic_ns = lambda: real() + ahead_ms * 1_000_000
    # else how fast this machine is would decide how many moments a game has, and whether its board, which speaks when it is asked, is there
    vars(shell_of_table).update(_CLOCKS_S=_NEVER_S, _SILENT_S=_NEVER_S, BEAT_MS=1000 * _NEVER_S)


class _Date:
    """The machine's clock, as far as it has jumped; one for all jumps, else each would make every look at it longer."""

    def __init__(self) -> None:
        self._real, self._ahead_ns = time.time_ns, 0

    def jump(self, ahead_s: int) -> None:
        """Let the clock jump."""
        self._ahead_ns += ahead_s * 1_000_000_000
        time.time_ns = lambda: self._real() + self._ahead_ns


def serve(
    pipe: Pipe,
    state: Path,
    new: TableSettings,
    board: BoardFile,
    dies_at: int | None,
    last_act: Callable[[], None] = lambda: None,
) -> None:
    """Referee until told to end: the game that is unfinished in `state`, or a new one. `last_act` is done right before it dies."""
    following: tuple[Path, Mode] | None = (state, new.mode)
    date = _Date()
    with contextlib.suppress(EOFError):
        while following is not None:
            state, mode = following
            kill_switch = KillSwitch(dies_at, last_act)
            following = asyncio.run(_serve(pipe, state, replace(new, mode=mode), board, kill_switch, date))


async def _serve(
    pipe: Pipe, state: Path, new: TableSettings, board: BoardFile, kill_switch: KillSwitch, date: _Date
) -> tuple[Path, Mode] | None:
    """Referee one game. Returns folder and mode of the next one, None when there is none."""
    over: asyncio.Future[tuple[Path, Mode] | None] = asyncio.get_running_loop().create_future()
    found = find(
        state,
        "game" if (state / "games" / "game").exists() else None,
        lambda name: new.rule_set,
        lambda text: pipe.send(("note", text)),
    )
    again = found is not None
    keeping = found.keeping if found is not None else _new(state, new)
    table = kill_switch.table = found.rebuilt.table if found is not None else Table(new)

    def obey(order: tuple[str, Any]) -> None:
        kind, value = order
        answer: object = None
        if kind == "put in":
            shell.put_in(value)
        elif kind == "slow":
            ledger.slow = True
        elif kind == "date":
            date.jump(value)
        elif kind == "objects":
            gc.collect()
            answer = len(gc.get_objects())
        elif kind == "end":
            over.set_result(value)
            answer = kill_switch.moments
        if shell.failed.done():
            error = shell.failed.exception()
            pipe.send(("failed", f"{type(error).__name__}: {error}"))
            os._exit(3)  # as the table ends then
        pipe.send(("done", answer))

    def broke(_: object, context: Mapping[str, Any]) -> None:
        pipe.send(("failed", repr(context.get("exception") or context["message"])))
        os._exit(3)

    asyncio.get_running_loop().set_exception_handler(broke)  # else the world would wait for "done" for ever
    outlet = KillableOutlet(kill_switch, lambda told: pipe.send(("told", told)))
    ledger = KillableLedger(keeping, kill_switch)
    source = PipeSource(pipe, obey)
    shell = TableShell(table, interpreter_of(new.rule_set, board), source, ledger, outlet)
    shell.reopen() if again else shell.open()
    pipe.send(("done", again))
    following = await over
    shell.close()
    source.close()
    keeping.close()
    return following


def _new(state: Path, settings: TableSettings) -> Keeping:
    """Begin a journal; one without a row, left by a referee that died before its first, makes room."""
    folder = state / "games" / "game"
    for path in folder.glob("*") if folder.exists() else ():
        path.unlink()
    return Keeping.open(folder, settings)
