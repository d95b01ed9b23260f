"""Some of the tables of `hallmarshal bench hall`, in a process of their own: duties on stdin, figures on stdout."""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

from referee.net.credential import Credential, KeyPair
from referee.net.sealing.signing import OrderKey
from referee.net.topics.payloads import RefereeIncoming
from referee.net.topics.topics import Role
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.simulated_players.hall_table import HUMAN, HallTable
from referee.table.settings import ClockKind, TimeControl
from referee.table.views import PublicEvent, PublicView

_CLOCK = TimeControl(ClockKind.FISCHER, 25 * 60_000, 5_000)
_AGAIN_S = 3.0


class _TimedTable(HallTable):
    """A table that notes of each event when its cause came: a frame was read, or a letter."""

    def __init__(self, board: str, places: list[dict[str, Any]], key: OrderKey, folder: Path, seed: int) -> None:
        """`places` are those of users that were made by the broker in the other process."""
        self.cause_ns = self.plies = 0
        self.events: list[tuple[str, str, int, int]] = []
        rules = rule_set("original")
        found = {(place.role, place.seat): place for place in map(Credential.from_json, places)}

        def credential(role: Role, seat: Seat | None, own: KeyPair) -> Credential:
            return found[role, seat].with_keys(own)

        super().__init__(
            board, credential, key, rules, folder, seed=seed, pace=HUMAN, clock=_CLOCK, on_end=self._play_again
        )

    def _take(self, value: RefereeIncoming) -> None:
        self.cause_ns = time.monotonic_ns()
        super()._take(value)

    def event(self, event: PublicEvent, read_ns: int | None) -> None:
        """Note the event."""
        self.events.append((self.name, event.game, event.seq, read_ns or self.cause_ns))
        self.plies += event.kind == "move.final"
        super().event(event, read_ns)

    def _play_again(self, _view: PublicView) -> None:
        asyncio.get_running_loop().call_later(_AGAIN_S, self.play)

    def play(self) -> None:
        """Begin a game."""
        self.cause_ns = time.monotonic_ns()
        self.table.begin()


async def _main() -> None:
    lines: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    loop.add_reader(sys.stdin, lambda: lines.put_nowait(sys.stdin.readline()))
    duties = json.loads(await lines.get())
    tables: list[_TimedTable] = []
    for board, places in duties["boards"].items():
        folder = Path(duties["folder"]) / board
        tables.append(_TimedTable(board, places, OrderKey(duties["key"]), folder, duties["seed"]))
        tables[-1].start()
    print("seated", flush=True)
    if await lines.get() != "begin\n":
        return
    began_s = time.process_time()
    random = Random(f"{duties['seed']}/seating/{tables[0].name}")
    for table in tables:
        loop.call_later(random.uniform(0, duties["seating_s"]), table.play)
    await lines.get()
    spent_s = time.process_time() - began_s
    for table in tables:
        table.stop()
    figures = {
        "events": [event for table in tables for event in table.events],
        "plies": sum(table.plies for table in tables),
        "cpu_s": spent_s,
        "resident": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
