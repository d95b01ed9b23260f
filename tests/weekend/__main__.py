"""Play a championship's weekend whole: `python -m tests.weekend [--programme weekend|evening] [--seed S] [--tables N]`.

A real station (`hallmarshal station serve --https`) and a chief and a second arbiter who do everything at its pages, each in a browser of
his own; simulated are the boards and their players (tests/weekend/room.py). In the end everything is held against the boards' records.
"""

from __future__ import annotations

import argparse
import queue
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from benchmarks.handset import chromium
from referee.net.broker.hall_broker import HallPass
from referee.net.topics.payloads import Occasion
from tests.patience import PATIENCE_S
from tests.runtime.at_table import Heard, Program
from tests.weekend import programme
from tests.weekend.desk import Desk
from tests.weekend.held_against import Found, held
from tests.weekend.incidents import Incidents
from tests.weekend.programme import Day, Part
from tests.weekend.room import Room

CHIEF, SECOND = "Ada", "Bram"
PASSWORD = "a long password"


class Weekend:
    """The hall, its two arbiters and its boards, as a context."""

    def __init__(self, folder: Path, tables: int, seed: int, days: list[Day]) -> None:
        self.folder, self.seed, self.days = folder, seed, days
        self.tables = tables
        self.said: list[str] = []
        self.parts = list({part.id: part for day in days for part, _ in day.parts}.values())
        self._rules = {part.id: part.rules for part in self.parts}
        self._stack = ExitStack()
        self._begun_s = time.monotonic()

    def __enter__(self) -> Weekend:
        with ExitStack() as stack:
            state = self.folder / "hall"
            heard: queue.Queue[Heard] = queue.Queue()
            words = f"station serve --begin-games --https --json --web 127.0.0.1:0 --port 0 --state {state}".split()
            self.station = Program("station", heard, self.folder, "referee.cli.main", *words)
            stack.callback(self.station.close)
            ready = heard.get(timeout=PATIENCE_S)[1]
            assert ready is not None, self.station.complaint
            browser = stack.enter_context(chromium())
            self.chief = Desk(browser, ready["web"], CHIEF, PASSWORD, ready["first-chief"])
            self.chief.office()
            self.chief.add_account(SECOND, PASSWORD)
            self.second = Desk(browser, ready["web"], SECOND, PASSWORD)
            self.room = Room(self.folder / "boards")
            stack.callback(self.room.stop)
            passes = self.folder / "passes"
            passes.mkdir()
            for path in self.chief.make_passes(self.tables, passes):
                self.room.add(HallPass.read(path), self._played, self.seed)
            self.say(f"{self.tables} tables have come with their passes")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def say(self, text: str) -> None:
        """Print what happens, with the time since the doors opened."""
        line = f"{time.monotonic() - self._begun_s:7.1f} s  {text}"
        self.said.append(line)
        print(line, flush=True)

    def _played(self, occasion: Occasion | None) -> str:
        return self._rules.get(occasion.event, "duel") if occasion is not None else "duel"

    def play(self) -> None:
        """Play all days."""
        made: set[str] = set()
        played: Counter[str] = Counter()
        for day in self.days:
            for part, _ in day.parts:
                if part.id not in made:
                    lines = "\n".join(("name,rating,federation,group,team", *part.players))
                    tables = part.tables
                    self.chief.make_event(part.name, "swiss", part.rounds, lines, boards=part.boards, tables=tables)
                    made.add(part.id)
            self.chief.play(part.name for part, _ in day.parts)
            self.say(f"{day.name}: {', '.join(f'{part.name} {rounds} rounds' for part, rounds in day.parts)}")
            for at in range(max(rounds for _, rounds in day.parts)):
                now = [part for part, rounds in day.parts if at < rounds]
                self._round([(part, played[part.id] + 1) for part in now])
                played.update(part.id for part in now)

    def _round(self, now: list[tuple[Part, int]]) -> None:
        incidents = [Incidents(self.chief, self.second, self.room, part, number, self.say) for part, number in now]
        for each in incidents:
            each.before()
            self.chief.next_round(each.part.id)
            each.meanwhile()
        for each in incidents:
            each.late()
        for each in incidents:
            self.chief.wait_for_round(each.part.id)
            each.afterwards()
            self.say(f"{each.part.name}: round {each.number} is played")

    def held(self) -> list[Found]:
        """Return what was counted of every event; the chief opens each once more."""
        boards = [end for table in self.room.tables.values() for end in table.ended]
        self.chief.play(part.name for part in self.parts[:0])
        found = []
        for part in self.parts:
            self.chief.play([part.name])
            event = self.chief.event(part.id)
            found.append(held(event, self.chief.look(f"/api/event/{part.id}.log")["log"], boards))
        return found


def main() -> None:
    """Play, and print what was counted; exit 1 where anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.weekend", description=__doc__)
    parser.add_argument("--programme", choices=("weekend", "evening"), default="weekend")
    parser.add_argument("--tables", type=int, default=30, help="two players each (default: 30)")
    parser.add_argument("--seed", type=int, default=7, help="of players, lots of the room and games (default: 7)")
    parser.add_argument(
        "--classic", choices=("original", "duel"), default="original", help="what is played as Classic; Duel is fast"
    )
    asked = parser.parse_args()
    everybody = programme.people(asked.tables, asked.seed)
    days = (
        programme.weekend(asked.tables, everybody, asked.classic)
        if asked.programme == "weekend"
        else programme.evening(everybody)
    )
    begun_s = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="weekend-") as folder,
        Weekend(Path(folder), asked.tables, asked.seed, days) as hall,
    ):
        hall.play()
        found = hall.held()
        alerts = Counter(alert for table in hall.room.tables.values() for alert in table.alerts)
        faults = [
            *hall.room.faults,
            *hall.chief.faults,
            *hall.second.faults,
            *(f"{one.event}: {fault}" for one in found for fault in one.faults),
        ]
        asks = hall.chief.asked + hall.second.asked
        acts = {CHIEF: hall.chief.acts, SECOND: hall.second.acts}
        code = hall.station.end(signal.SIGTERM)
        faults += [f"the station said: {line}" for line in hall.station.complaint]
        faults += [f"the station ended with {code}"] if code else []
    faults += hall.room.faults
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print()
    for one in found:
        print("\n".join(one.lines()))
    print(f"alerts: {', '.join(f'{word} {count}' for word, count in alerts.most_common()) or 'none'}")
    print(
        f"acts at the pages: {', '.join(f'{who} {count}' for who, count in acts.items())}; questions asked: {len(asks)}"
    )
    print(
        f"{time.monotonic() - begun_s:.0f} s; CPU: boards and arbiters {time.process_time():.0f} s, "
        f"station, brokers and browsers {used.ru_utime + used.ru_stime:.0f} s"
    )
    print(f"seed {asked.seed}, {len(faults)} differences and faults")
    print("\n".join(faults))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
