"""Random whole tournaments, each round checked by `outside_rules` and each standing by `outside_points`, which know the contract alone.

`python -m tests.tournament.outsider --tournaments 2000 --seed 1` plays them and prints counts and faults; `--first N` goes on with
tournament N, which is the same whatever was played before. A fault names its tournament: `--tournaments 1 --first N --acts`
prints what was done there.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from referee.tournament.event import acts
from referee.tournament.event.event import ActError, EventError, EventId
from referee.tournament.event.reports import event_as_told
from referee.tournament.store import Note, open_store
from tests.tournament import outside_rules as rules
from tests.tournament.outside_points import Scoring, Told, faults_of_standings, faults_of_teams

RESULTS = ("red", "blue", "draw", "both-lose", "red-absent", "blue-absent", "both-absent")
CHANGING = ("swap-seats", "swap-boards", "correct-seats", "pair-free", "unpublish", "undo")
TIE_BREAKS = (
    "buchholz",
    "buchholz-cut-1",
    "buchholz-median",
    "sonneborn-berger",
    "wins",
    "progressive",
    "direct-encounter",
)
POINTS = (("6-3-1", "6"), ("6-3-1", "6"), ("6-3-1", "3"), ("1-0.5-0", "1"), ("3-1-0", "3"), ("2-1-0", "1"))


class Desk:
    """An event to which acts are done: a value, or kept in a store where acts can be undone."""

    def __init__(self, given: Mapping[str, Any], folder: Path | None) -> None:
        self.event = self.first = acts.new_event(EventId("outside"), given)
        self.store = open_store(folder / "events.db") if folder else None
        self.revision = self.store.create(self.event, Note("outsider")).revision if self.store else 0
        self.done: list[tuple[str, Mapping[str, Any]]] = []

    def act(self, word: str, given: Mapping[str, Any]) -> Told:
        """Do an act and return what is told then. Raises `EventError`."""
        if self.store:
            kept = self.store.act(self.event.id, self.revision, word, given, Note("outsider"))
            self.event, self.revision = kept.event, kept.revision
        else:
            self.event = acts.BY_NAME[word](self.event, given)
        self.done.append((word, given))
        return self.told()

    def told(self) -> Told:
        """Return the event as JSON values that went through text."""
        told: Told = json.loads(json.dumps(event_as_told(self.event)))
        return told

    def close(self) -> None:
        """Close the store, if there is one."""
        if self.store:
            self.store.close()


@dataclass
class Tally:
    """Counts and faults of all tournaments."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def take(self, found: rules.Found, where: str) -> None:
        """Add what a check found."""
        self.counts.update(found.counts)
        self.note(found.faults, where)

    def note(self, faults: list[str], where: str) -> None:
        """Add faults, each with where it was."""
        self.counts.update(f"fault: {fault.split(':')[0]}" for fault in faults)
        self.faults += [f"{where}: {fault}" for fault in faults]


def size_of(chance: random.Random, largest: int) -> int:
    """Return a number of players: mostly few, for few find all rules tight."""
    low, high = chance.choices(((2, 4), (4, 9), (9, 16), (17, 40), (41, 60), (61, 120)), (8, 36, 33, 18, 3, 2))[0]
    return min(chance.randint(low, high), largest)


class Tournament:
    """One random tournament, from its seed alone."""

    def __init__(self, seed: int, index: int, tally: Tally, folder: Path | None = None, largest: int = 120) -> None:
        self.chance = random.Random(f"{seed}-{index}")
        self.tally, self.where = tally, f"tournament {index}"
        chance = self.chance
        self.system = chance.choices(("swiss", "teams", "round-robin", "knock-out"), (74, 10, 8, 8))[0]
        self.size = size_of(chance, largest)
        if self.system == "round-robin":
            self.size = min(self.size, 14)
        self.planned = chance.randint(2, 14 if self.size < 10 else 9)
        points, bye = chance.choice(POINTS)
        win, draw, loss = (Fraction(part) for part in points.split("-"))
        self.scoring = Scoring(win, draw, loss, Fraction(bye))
        given: dict[str, Any] = {"name": "Outside", "seed": chance.randrange(1000), "points": points, "bye_points": bye}
        given["system"] = chance.choice(("swiss", "swiss", "round-robin")) if self.system == "teams" else self.system
        if self.system == "teams":
            given["team_boards"] = chance.randint(2, 4)
        if given["system"] == "swiss":
            given["rounds"] = self.planned
        self.desk = Desk(given, folder)
        self.calm = chance.random() < 0.25
        """Whether nothing but results happens: then fields meet to the last pair."""
        self.told = self.desk.told()

    def enter_all(self) -> None:
        """Enter the players, in groups or teams."""
        chance, players = self.chance, []
        groups = chance.choice((0, 0, 0, 2, 3)) if self.system in ("swiss", "round-robin") and self.size > 5 else 0
        boards = self.told["team_boards"]
        for at in range(self.size):
            player: dict[str, Any] = {"name": f"Player {at}", "rating": chance.choice((0, chance.randint(800, 2400)))}
            if groups:
                player["group"] = chance.choice(("", "A", "B")[:groups])
            if boards:
                player["team"] = f"Team {at // (boards + chance.randint(0, 1))}"
            players.append(player)
        self.do("enter-all", {"players": players})
        if not boards:
            words = list(TIE_BREAKS)
            chance.shuffle(words)
            self.do("settings", {"tie_breaks": words[: chance.randint(1, 7)]})
        if self.system == "swiss" and chance.random() < 0.3:
            self.do("settings", {"accelerated": True})
        if self.system == "knock-out":
            self.do("settings", {"draws": chance.choice(("replay", "higher-seed"))})

    def do(self, word: str, given: Mapping[str, Any]) -> bool:
        """Do an act, see that it changed no published pairing that it may not, and return whether it was allowed."""
        revision = self.desk.revision
        try:
            told = self.desk.act(word, given)
        except EventError:
            self.tally.counts[f"refused {word}"] += 1
            return False
        self.tally.counts[f"act {word}"] += 1
        if word not in CHANGING:
            self.tally.note(rules.changed_pairings(self.told, told), f"{self.where}, {word} {given}")
        before, self.told = self.told, told
        if self.desk.revision > revision and self.chance.random() < 0.1:
            self._undo(before, word)
        return True

    def _undo(self, before: Told, word: str) -> None:
        """Undo the newest act, see that all is as before, and undo that."""
        after, revision = self.told, self.desk.revision
        try:
            self.tally.note(
                [] if self.desk.act("undo", {"entry": revision}) == before else [f"undo of {word}: not as before"],
                self.where,
            )
            same = self.desk.act("undo", {"entry": self.desk.revision}) == after
            self.tally.note([] if same else [f"undo of undo of {word}: not as after it"], self.where)
        except EventError as error:
            self.tally.note([f"undo of {word}: the newest act is refused: {error}"], self.where)
        self.tally.counts["undone"] += 1
        self.told = self.desk.told()

    def play(self) -> None:
        """Play it to its end, or to a round that cannot be paired."""
        self.enter_all()
        for _ in range(40):
            if not self.calm:
                self.meddle()
            if not self.pair():
                break
            self.after_pairing()
            self.results()
            self.check_points()
        self.again()
        self.desk.close()

    def meddle(self) -> None:
        """Do some acts before a round is paired."""
        chance, now = self.chance, self.told["next_round"]
        numbers = [player["number"] for player in self.told["players"]]
        for _ in range(chance.choice((0, 0, 1, 2, 3, 6))):
            word = chance.choice(
                MEDDLING[self.system if self.told["system"] == "swiss" or not self.told["teams"] else "teams of all"]
            )
            number = chance.choice(numbers)
            if word == "enter":
                self.do(word, {"name": f"Late {now} {chance.randrange(10**6)}", "rating": chance.randint(0, 2400)})
                if self.told["teams"] and chance.random() < 0.8:
                    team, late = chance.choice(self.told["teams"]), self.told["players"][-1]["number"]
                    self.do(
                        "team", {"number": team["number"], "name": team["name"], "players": [*team["players"], late]}
                    )
            elif word in ("withdraw", "reinstate"):
                gone = [p["number"] for p in self.told["players"] if p["gone"] == (word == "reinstate")]
                if gone:
                    self.do(word, {"number": chance.choice(gone)})
            elif word == "group":
                self.do(word, {"number": number, "group": chance.choice(("", "A", "B"))})
            elif word == "settings":
                self.do(word, {"accelerated": chance.random() < 0.5, "rounds": max(now, chance.randint(2, 9))})
            elif word in ("bye", "pair-rule"):
                units = [team["number"] for team in self.told["teams"]] or numbers
                number = chance.choice(units)
                if word == "bye":
                    self.do(
                        word, {"number": number, "round": now, "kind": chance.choice(("half", "zero", "full", None))}
                    )
                else:
                    self._pair_rule(number, units)
            elif word == "check-in-open":
                away = chance.choice((0.02, 0.1, 0.4))
                self.do(word, {"round": now, "present": [n for n in numbers if chance.random() > away]})
            elif word == "check-in":
                self.do(word, {"round": now, "number": number, "present": chance.random() < 0.7})
            else:
                self._correct(word)

    def _pair_rule(self, number: int, units: list[int]) -> None:
        """Force a pair, forbid one, or forbid somebody many."""
        chance, now = self.chance, self.told["next_round"]
        many = chance.random() < 0.25
        for other in chance.sample(units, min(len(units), 8 if many else 1)):
            kind = "forbidden" if many else chance.choice(("forced", "forbidden", "forced", None))
            self.do("pair-rule", {"players": [number, other], "kind": kind, "round": chance.choice((now, now, None))})

    def _correct(self, word: str) -> None:
        """Correct something in an earlier round."""
        chance = self.chance
        if not self.told["rounds"]:
            return
        round_ = chance.choice(self.told["rounds"])
        if word == "correct-bye":
            if round_["byes"]:
                bye = chance.choice(round_["byes"])
                kind = chance.choice(("pairing", "half", "zero", "full"))
                self.do(word, {"round": round_["round"], "number": bye["player"]["number"], "kind": kind})
        elif round_["tables"]:
            given = {"round": round_["round"], "table": chance.choice(round_["tables"])["table"]}
            self.do(word, {**given, "result": chance.choice(RESULTS)} if word == "correct" else given)

    def pair(self) -> bool:
        """Pair the next round, twice, and check it; return whether there is one."""
        before = self.told
        if len(before["rounds"]) >= before["planned"]:
            return False
        try:
            told = self.desk.act("pair", {})
        except ActError as error:
            self._refused(before, str(error))
            return False
        draft, where = told["draft"], f"{self.where}, round {told['draft']['round']}"
        self.told = told
        if self.told["system"] == "swiss":
            self.tally.take(rules.check_swiss(before, draft, self.scoring), where)
        elif self.told["system"] == "round-robin":
            self.tally.take(rules.check_robin(before, draft), where)
        elif not self.tally_corrected():
            self.tally.take(rules.check_knock_out(before, draft), where)
        if self.chance.random() < (0.3 if self.size < 41 else 0.05):
            self.do("discard", {})
            self.do("pair", {})
            self.tally.note(
                [] if self.told["draft"] == draft else ["again: the same round was paired otherwise"], where
            )
        return True

    def tally_corrected(self) -> bool:
        """Return whether a result was corrected: then a knock-out's earlier matches may count for nothing."""
        return any(word in ("correct", "correct-seats", "pair-free") for word, _ in self.desk.done)

    def _refused(self, before: Told, text: str) -> None:
        self.tally.counts[f"pair refused: {text.split(':')[0][:60]}"] += 1
        if before["system"] == "swiss":
            self.tally.take(rules.check_refusal(before, self.scoring, text), f"{self.where}, {text}")
        elif self.system == "knock-out" and not self.tally_corrected():
            self.tally.take(rules.check_knock_out(before, None), f"{self.where}, {text}")

    def after_pairing(self) -> None:
        """Publish the draft, perhaps take it back, and perhaps change seats, boards and who is free."""
        chance, now = self.chance, self.told["draft"]["round"]
        self.do("publish", {})
        if self.calm:
            return
        if chance.random() < 0.1:
            draft = self.told["rounds"][-1]
            if self.do("unpublish", {}):
                same = [self.told["draft"][key] == draft[key] for key in ("round", "tables", "byes")]
                self.tally.note([] if all(same) else ["unpublish: the draft is another round"], self.where)
                self.do("publish", {})
        round_ = self.told["rounds"][-1]
        tables, free = [t["table"] for t in round_["tables"]], [b["player"]["number"] for b in round_["byes"]]
        if chance.random() < 0.1 and tables and self.system == "swiss":
            self.do("swap-seats", {"round": now, "table": chance.choice(tables)})
            self.do("swap-boards", {"round": now, "table": chance.choice(tables), "other": chance.choice(tables)})
        if chance.random() < 0.2 and len(free) > 1 and self.system == "swiss":
            red, blue = chance.sample(free, 2)
            self.do("pair-free", {"round": now, "red": red, "blue": blue})

    def results(self) -> None:
        """Enter a result at every table of the last round."""
        weights = (40, 35, 15, 1, 0, 0, 0) if self.calm else (36, 30, 15, 4, 6, 6, 3)
        if self.told["teams"] and not self.calm and self.chance.random() < 0.2:
            weights = (1, 1, 1, 1, 9, 9, 9)  # else a match in which nobody plays is rare
        round_ = self.told["rounds"][-1]
        for table in round_["tables"]:
            if table["result"] is None:
                result = self.chance.choices(RESULTS, weights)[0]
                given = {"round": round_["round"], "table": table["table"], "result": result}
                if self.desk.store:
                    self.do("result", given)
                else:
                    self.desk.event = acts.BY_NAME["result"](self.desk.event, given)
                    self.desk.done.append(("result", given))
        before, self.told = self.told, self.desk.told()
        self.tally.note(rules.changed_pairings(before, self.told), f"{self.where}, results")

    def check_points(self) -> None:
        """Check the standings, now that all tables have a result."""
        where = f"{self.where}, {self.system}, after round {len(self.told['rounds'])}"
        self.tally.counts["standings"] += 1
        if self.system == "teams":
            self.tally.note(faults_of_teams(self.told, self.scoring), where)
        else:
            self.tally.note(faults_of_standings(self.told, self.scoring), where)

    def again(self) -> None:
        """Do the same acts once more in some tournaments: the same event and seed give the same rounds."""
        if self.chance.random() < 0.05 and self.size < 41 and not self.desk.store:
            self.tally.counts["played again"] += 1
            event = self.desk.first
            for word, given in self.desk.done:
                event = acts.BY_NAME[word](event, given)
            same = json.loads(json.dumps(event_as_told(event))) == self.told
            self.tally.note([] if same else ["again: the same acts make another event"], self.where)


_ALL = ("withdraw", "reinstate", "correct", "correct-seats")
_SWISS = (
    *_ALL,
    "enter",
    "bye",
    "bye",
    "pair-rule",
    "pair-rule",
    "pair-rule",
    "check-in-open",
    "check-in",
    "correct-bye",
)
MEDDLING = {
    "swiss": (*_SWISS, "settings", "group"),
    "teams": _SWISS,
    "round-robin": _ALL,
    "teams of all": ("correct", "correct-seats"),
    "knock-out": ("withdraw", "correct"),
}


def play(seed: int, index: int, tally: Tally, *, largest: int = 120, stored: bool = True) -> Tournament:
    """Play one tournament, every eighth in a store, and add what was found."""
    tally.counts["tournaments"] += 1
    if stored and index % 8 == 0:
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
            tournament = Tournament(seed, index, tally, Path(folder), min(largest, 16))
            tournament.play()
    else:
        tournament = Tournament(seed, index, tally, None, largest)
        tournament.play()
    tally.counts[f"of {tournament.system}"] += 1
    return tournament


def main() -> int:
    """Play tournaments, print what was found, and return 1 if anything was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tournaments", type=int, default=2000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--acts", action="store_true", help="print the acts of each, a line of JSON an act")
    given = parser.parse_args()
    tally, printed = Tally(), 0
    for index in range(given.first, given.first + given.tournaments):
        tournament = play(given.seed, index, tally)
        for word, values in tournament.desk.done if given.acts else ():
            print(word, json.dumps(values))
        for fault in tally.faults[printed:]:
            print(fault, flush=True)
        printed = len(tally.faults)
        if index % 100 == 0:
            print(f"{index}: {time.process_time():.0f} s of CPU, {printed} faults", file=sys.stderr, flush=True)
    for name, count in sorted(tally.counts.items()):
        print(f"{count:8} {name}")
    print(f"{time.process_time():8.1f} s of CPU")
    return int(bool(tally.faults))


if __name__ == "__main__":
    sys.exit(main())
