"""`hallmarshal bench hall`: simulated tables at human pace, all at one Mosquitto and one station on this machine.

Every table is a real referee with its journal and two sealed handsets; boards and hands are simulated in the same process. The
time of an event runs from the moment its cause reaches the referee (a frame is read, a letter opened) to the moment the station has
taken it, the journal's commit and everything that waits in between included.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.progress import track

from benchmarks import measuring
from referee.net.broker.hall_broker import HallBroker
from referee.net.credential import Credential, KeyPair
from referee.net.sealing.signing import OrderKey, StationKey
from referee.net.topics.payloads import FromBoard, PeerFault, RefereeIncoming, StationIncoming
from referee.net.topics.topics import Role
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.simulated_players.hall_table import HUMAN, BotTable
from referee.table.settings import ClockKind, TimeControl
from referee.table.views import PublicEvent, PublicView
from referee.tournament.hall.accounts import Accounts
from referee.tournament.hall.station import Station

TARGET_P99_MS = 150
_TABLES_A_PROCESS = 25
_CLOCK = TimeControl(ClockKind.FISCHER, 25 * 60_000, 5_000)
_AGAIN_S = 3.0
_SEATING_S = 20.0
"""Games begin one after the other within this time, as people sit down; what is said in it is not timed."""

Key = tuple[str, str, int]
"""Board, game and number of an event."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument(
        "--tables", type=measuring.above_zero, default=200, help="simulated tables, two handsets each (default: 200)"
    )
    parser.add_argument("--seconds", type=measuring.above_zero, default=60, help="how long is measured (default: 60)")
    parser.add_argument("--seed", type=int, default=1, help="of games and hands (default: 1)")
    measuring.add_page(parser)


class _TimedStation(Station):
    """A station that notes when it had taken each event."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.heard: dict[Key, list[int]] = {}
        self.faults: list[str] = []

    def _take(self, value: StationIncoming) -> None:
        super()._take(value)
        if isinstance(value, FromBoard) and isinstance(value.value, PublicEvent):
            key = (value.board, value.value.game, value.value.seq)
            self.heard.setdefault(key, []).append(time.monotonic_ns())
        elif isinstance(value, PeerFault):
            self.faults.append(value.text)


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Play for that long. Returns times, gaps and costs. Raises a `LinkError` without a broker."""
    measuring.look_for_block(args.page, block := f"hall-{args.tables}")
    load = round(os.getloadavg()[0], 1)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hallmarshal-bench-hall-")))
        boards = tuple(f"table-{number}" for number in range(1, args.tables + 1))
        broker = HallBroker.start(folder / "hall", whole=boards)
        stack.callback(broker.stop)
        key = StationKey.create()
        station = _TimedStation(broker, key, boards, Accounts(folder / "accounts.json"), "")
        station.start()
        stack.callback(station.stop)
        workers = [
            stack.enter_context(_worker(broker, key, boards[start : start + _TABLES_A_PROCESS], folder, args.seed))
            for start in range(0, args.tables, _TABLES_A_PROCESS)
        ]
        for worker in workers:
            worker.recv()  # all its handsets are there
        pids = {"broker": broker.pid, "station": os.getpid()}
        before_s = {name: measuring.spent(pid)[0] for name, pid in pids.items()}
        begun_ns = time.monotonic_ns()
        for worker in workers:
            worker.send("begin")
        _wait(_SEATING_S + args.seconds)
        for worker in workers:
            worker.send("end")
        said: list[dict[str, Any]] = [worker.recv() for worker in workers]
        _wait_for_all(said, station.heard)
        now = {name: measuring.spent(pid) for name, pid in pids.items()}
    cost = {name: (cpu_s - before_s[name], resident) for name, (cpu_s, resident) in now.items()}
    figures = {
        "tables": args.tables,
        "handsets": 2 * args.tables,
        "seconds": args.seconds,
        "seed": args.seed,
        "load_before": load,
        **_figures(said, station.heard, begun_ns),
        "faults": len(station.faults),
        **_costs(said, cost, args.tables, _SEATING_S + args.seconds),
    }
    measuring.put_block(args.page, block, measuring.figure_table(figures))
    return figures


class _TimedTable(BotTable):
    """A table that notes for each event when its cause, a frame or a message, arrived."""

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


@contextmanager
def _worker(
    broker: HallBroker, key: StationKey, boards: Sequence[str], folder: Path, seed: int
) -> Iterator[Connection]:
    """Return a process with some of the tables, and its pipe: it reports that they are seated, plays from "begin" to
    "end", sends figures.
    """
    ours, theirs = Pipe()
    places = {board: _credentials(broker, board) for board in boards}
    duties = (theirs, key.public.text, places, folder / "games", seed, _SEATING_S)
    process = get_context("spawn").Process(target=_play_apart, args=duties)
    process.start()
    theirs.close()
    try:
        yield ours
    finally:
        process.terminate()
        process.join()


def _play_apart(*duties: Any) -> None:
    asyncio.run(_play(*duties))


async def _play(
    pipe: Connection, key: str, boards: Mapping[str, list[dict[str, Any]]], folder: Path, seed: int, seating_s: float
) -> None:
    tables = [_TimedTable(board, places, OrderKey(key), folder / board, seed) for board, places in boards.items()]
    for table in tables:
        table.start()
    pipe.send("seated")
    await asyncio.to_thread(pipe.recv)
    began_s = time.process_time()
    random = Random(f"{seed}/seating/{tables[0].name}")
    for table in tables:
        asyncio.get_running_loop().call_later(random.uniform(0, seating_s), table.play)
    await asyncio.to_thread(pipe.recv)
    spent_s = time.process_time() - began_s
    for table in tables:
        table.stop()
    figures = {
        "events": [event for table in tables for event in table.events],
        "plies": sum(table.plies for table in tables),
        "cpu_s": spent_s,
        "resident": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    pipe.send(figures)


def _credentials(broker: HallBroker, board: str) -> list[dict[str, Any]]:
    seats = rule_set("original").seats
    places = [(Role.REFEREE, None), *((Role.HANDSET, seat) for seat in seats)]
    return [broker.credential(board, role, seat, KeyPair.create()).to_json() for role, seat in places]


def _wait(seconds: float) -> None:
    for _ in track(range(math.ceil(seconds)), description="Hall", console=Console(stderr=True), transient=True):
        time.sleep(1)


def _wait_for_all(said: Sequence[Mapping[str, Any]], heard: Mapping[Key, object]) -> None:
    """Wait up to 60 s until the station has received all published events."""
    wanted = {(board, game, seq) for one in said for board, game, seq, _ in one["events"]}
    for _ in range(600):
        if wanted <= heard.keys():
            return
        time.sleep(0.1)


def _figures(said: Sequence[Mapping[str, Any]], heard: Mapping[Key, Sequence[int]], begun_ns: int) -> dict[str, object]:
    sent = {(board, game, seq): at_ns for one in said for board, game, seq, at_ns in one["events"]}
    timed_from_ns = begun_ns + int(_SEATING_S * 1e9)
    times_ms = [(heard[key][0] - at_ns) / 1e6 for key, at_ns in sent.items() if key in heard and at_ns >= timed_from_ns]
    numbers: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for board, game, seq in heard:
        numbers[board, game].append(seq)
    gaps = sum(max(seqs) - min(seqs) + 1 - len(seqs) for seqs in numbers.values())
    times = measuring.percentiles(times_ms or [math.inf], p50=0.5, p99=0.99, most=1.0)
    return {
        "games": len(numbers),
        "plies": sum(one["plies"] for one in said),
        "events": len(sent),
        "events_timed": len(times_ms),
        "event_to_station_ms": times,
        "target_p99_ms": TARGET_P99_MS,
        "met": times["p99"] <= TARGET_P99_MS,
        "lost": sum(key not in heard for key in sent),
        "gaps": gaps,
        "twice": sum(len(came) - 1 for came in heard.values()),
    }


def _costs(
    said: Sequence[Mapping[str, Any]], cost: Mapping[str, tuple[float, int]], tables: int, passed_s: float
) -> dict[str, object]:
    """Return processor time and memory of a table, and of broker and station; `cost` has their seconds and bytes."""
    found: dict[str, object] = {
        "table_cpu_percent": round(100 * sum(one["cpu_s"] for one in said) / tables / passed_s, 3),
        "table_memory_mb": round(sum(one["resident"] for one in said) / tables / 1e6, 2),
    }
    for name, (cpu_s, resident) in cost.items():
        found[f"{name}_cpu_percent_a_table"] = round(100 * cpu_s / tables / passed_s, 4)
        found[f"{name}_memory_mb"] = round(resident / 1e6, 1)
    return found
