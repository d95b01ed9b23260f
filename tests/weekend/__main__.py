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
from urllib.parse import urljoin

from benchmarks.handset import chromium
from referee.net.broker.hall_broker import HallPass
from referee.net.topics.payloads import Occasion
from tests.patience import PATIENCE_S
from tests.runtime.at_table import Heard, Program
from tests.tournament.outside_points import Scoring
from tests.tournament.outside_rules import check_swiss
from tests.tournament.outsider import Tally
from tests.weekend import programme
from tests.weekend.desk import Desk, Json
from tests.weekend.held_against import Found, at_the_top, held
from tests.weekend.incidents import Incidents
from tests.weekend.programme import Day, Part
from tests.weekend.room import Room

CHIEF, SECOND = "Ada", "Bram"
PASSWORD = "a long password"
MOST_IN_PLAY_OFF = 8


class Weekend:
    """The hall, its two arbiters and its boards, as a context."""

    def __init__(self, folder: Path, tables: int, seed: int, days: list[Day], keep: Path | None = None) -> None:
        self.folder, self.seed, self.days, self.keep = folder, seed, days, keep
        self.tables = tables
        self.parts: list[Part] = []
        """All events that were made."""
        self.pairings = Tally()
        self._rules: dict[str, str] = {}
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
            self.web, self.reader = ready["web"], browser.new_context(ignore_https_errors=True).new_page()
            if self.keep is not None:
                self.keep.mkdir(parents=True, exist_ok=True)
            self.room = Room((self.keep or self.folder) / "boards")
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
        print(f"{time.monotonic() - self._begun_s:7.1f} s  {text}", flush=True)

    def _played(self, occasion: Occasion | None) -> str:
        return self._rules.get(occasion.event, "duel") if occasion is not None else "duel"

    def play(self) -> None:
        """Play all days."""
        played: Counter[str] = Counter()
        for day in self.days:
            for part, _ in day.parts:
                if not played[part.id]:
                    self._make(part)
            self.chief.play(part.name for part, _ in day.parts)
            self.say(f"{day.name}: {', '.join(f'{part.name} {rounds} rounds' for part, rounds in day.parts)}")
            for at in range(max(rounds for _, rounds in day.parts)):
                now = [part for part, rounds in day.parts if at < rounds]
                self._round([(part, played[part.id] + 1) for part in now])
                played.update(part.id for part in now)
            for part, _ in day.parts:
                if played[part.id] == part.rounds and not part.boards:
                    self._play_off(part)

    def _make(self, part: Part) -> None:
        self.chief.make_event(part)
        self.parts.append(part)
        self._rules[part.id] = part.rules

    def _round(self, now: list[tuple[Part, int]]) -> None:
        incidents = [Incidents(self.chief, self.second, self.room, part, number, self.say) for part, number in now]
        for each in incidents:
            each.before()
            before, proposal = self.chief.next_round(each.part.id)
            if each.part.system == "swiss":
                self.pairings.take(check_swiss(before, proposal, Scoring()), f"{each.part.name}, round {each.number}")
            each.meanwhile()
        self._keep(f"round {now[0][1]} of {now[0][0].name}")
        for each in incidents:
            each.late()
        for each in incidents:
            self.chief.wait_for_round(each.part.id)
            each.afterwards()
            self.say(f"{each.part.name}: round {each.number} is played")

    def _play_off(self, part: Part) -> None:
        """Let those play it out whom points and tie-breaks leave level at the top of an event; more than eight share the place."""
        level = at_the_top(self.chief.event(part.id))
        if not 2 <= len(level) <= MOST_IN_PLAY_OFF:
            return
        extra = programme.play_off(part, level)
        self.say(f"{part.name}: {' and '.join(level)} share the first place: {extra.rounds} rounds of play-off")
        self._make(extra)
        self.chief.play([extra.name])
        for number in range(1, extra.rounds + 1):
            self._round([(extra, number)])

    def _keep(self, name: str) -> None:
        if self.keep is not None:
            self.chief.page.get_by_role("tab", name="Tables").click()
            self.chief.keep(self.keep, f"{name}, tables")

    def held(self) -> list[Found]:
        """Return what was counted of every event; the chief opens each once more."""
        boards = [end for table in self.room.tables.values() for end in table.ended]
        found = []
        for part in self.parts:
            self.chief.play([part.name])
            self.chief.open(part.id)
            if self.keep is not None:
                self.chief.log()
                self.chief.keep(self.keep, f"{part.name}, event")
            event = self.chief.event(part.id)
            found.append(held(event, self.chief.look(f"/api/event/{part.id}.log")["log"], boards))
            found[-1].faults += self._on_paper(event)
        return found

    def _on_paper(self, event: Json) -> list[str]:
        """Return what is wrong with the standings that anybody reads without a login, however long the station takes to write them."""
        names = [line["name"] for line in event["standings"]]
        read: list[str] = []
        deadline = time.monotonic() + PATIENCE_S
        while read != names and time.monotonic() < deadline:
            self.reader.goto(urljoin(self.web, f"/public/{event['id']}/standings.html"))
            read = self.reader.locator("main tbody a[href^=player-]").all_inner_texts()
        return [] if read == names else [f"the public standings are {read}"]

    def faults(self) -> list[str]:
        """Return what went wrong besides what is counted of events."""
        return [*self.room.faults, *self.chief.faults, *self.second.faults, *self.pairings.faults]


def report(hall: Weekend, found: list[Found]) -> list[str]:
    """Return the counts, line by line."""
    alerts = Counter(alert for table in hall.room.tables.values() for alert in table.alerts)
    ends = [end for table in hall.room.tables.values() for end in table.ended]
    checked = hall.pairings.counts
    lines = [line for one in found for line in one.lines()]
    for who, desk in ((CHIEF, hall.chief), (SECOND, hall.second)):
        lines.append(
            f"{who} at the pages: {sum(desk.acts.values())} acts: {_listed(desk.acts)}; asked {len(desk.asked)} times"
        )
    return [
        *lines,
        f"boards: {len(ends)} games begun and ended, {sum(end.plies for end in ends)} plies",
        f"alerts: {_listed(alerts) or 'none'}",
        f"held against the rules by a checker written apart: {checked['rounds']} rounds, {checked['pairings']} pairings",
    ]


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counts.most_common())


def main() -> None:
    """Play, and print what was counted; exit 1 where anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.weekend", description=__doc__)
    parser.add_argument("--programme", choices=("weekend", "evening"), default="weekend")
    parser.add_argument("--tables", type=int, default=30, help="two players each (default: 30)")
    parser.add_argument("--seed", type=int, default=7, help="of players, lots of the room and games (default: 7)")
    parser.add_argument(
        "--classic", choices=("original", "duel"), default="original", help="what is played as Classic; Duel is fast"
    )
    parser.add_argument("--keep", type=Path, help="a folder for pictures and texts of pages, and the boards' records")
    asked = parser.parse_args()
    everybody = programme.people(asked.tables, asked.seed)
    evening = asked.programme == "evening"
    days = programme.evening(everybody) if evening else programme.weekend(asked.tables, everybody, asked.classic)
    begun_s = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="weekend-") as folder,
        Weekend(Path(folder), asked.tables, asked.seed, days, asked.keep) as hall,
    ):
        hall.play()
        found = hall.held()
        lines = report(hall, found)
        code = hall.station.end(signal.SIGTERM)
        complaint = [f"the station said: {line}" for line in hall.station.complaint]
    faults = [*hall.faults(), *(f"{one.event}: {fault}" for one in found for fault in one.faults), *complaint]
    faults += [f"the station ended with {code}"] if code else []
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines += [
        f"{time.monotonic() - begun_s:.0f} s; CPU: boards and arbiters {time.process_time():.0f} s, "
        f"station, brokers and browsers {used.ru_utime + used.ru_stime:.0f} s",
        f"seed {asked.seed}, {len(faults)} differences and faults",
        *faults,
    ]
    print("", *lines, sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
