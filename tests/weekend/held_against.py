"""What the station counts, held against the boards' own records, counted by another way."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.tournament.outside_points import Scoring, faults_of_standings, faults_of_teams
from tests.weekend.room import Ended

Json = dict[str, Any]
Place = tuple[int, int]
"""Round and table."""
DRAWN = ("agreed", "both-immobile", "no-progress", "hall-clock", "ruled")


@dataclass(slots=True)
class Found:
    """What was counted of one event."""

    event: str
    rounds: int = 0
    games: int = 0
    by_board: int = 0
    by_arbiter: list[str] = field(default_factory=list)
    """Results that an arbiter entered or ruled, each with why."""
    plies: list[int] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    acts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    first: str = ""

    def lines(self) -> list[str]:
        """Return it as a report has it."""
        middle = statistics.median(self.plies) if self.plies else 0
        return [
            f"{self.event}: {self.rounds} rounds, {self.games} pairings; results by the boards {self.by_board}, "
            f"by arbiters {len(self.by_arbiter)}; plies {sum(self.plies)} (median {middle:g} a game)",
            f"  ends: {', '.join(f'{word} {count}' for word, count in self.reasons.most_common())}",
            *(f"  arbiter: {one}" for one in self.by_arbiter),
            f"  acts in its log: {', '.join(f'{word} {count}' for word, count in sorted(self.acts.items()))}",
            f"  first: {self.first}",
        ]


def said_by(end: Ended) -> str | None:
    """Return the result that a board's own end of a game is; None where it leaves it to an arbiter."""
    if end.winner is not None:
        return end.winner
    return "both-lose" if end.reason == "both-lose" else "draw" if end.reason in DRAWN else None


def held(event: Json, log: list[Json], ended: Iterable[Ended]) -> Found:
    """Return what was counted of an event, and every difference between station, log and boards."""
    found = Found(event["id"], len(event["rounds"]))
    found.acts.update(entry["act"] for entry in log)
    mine = [end for end in ended if end.event == event["id"]]
    noted = {
        (entry["given"]["round"], int(table)): (entry["who"], result)
        for entry in log
        if entry["act"] == "board-results" and not entry["undone"]
        for table, result in entry["given"]["tables"].items()
    }
    typed = {
        (entry["given"]["round"], entry["given"]["table"]): entry
        for entry in log
        if entry["act"] in ("result", "correct") and not entry["undone"]
    }
    for round_ in event["rounds"]:
        for table in round_["tables"]:
            _hold(found, round_["round"], table, mine, noted, typed)
    _standings(found, event)
    return found


def _hold(
    found: Found,
    number: int,
    table: Json,
    mine: list[Ended],
    noted: Mapping[Place, tuple[str, str]],
    typed: Mapping[Place, Json],
) -> None:
    found.games += 1
    key, result = (number, table["table"]), table["result"]
    where = f"round {number}, table {table['table']}"
    names = (table["red"]["name"], table["blue"]["name"])
    ends = [end for end in mine if (end.round, end.table) == key and (end.red, end.blue) == names]
    says = [(end, said) for end in ends if (said := said_by(end)) is not None]
    if len(says) > 1:
        found.faults.append(f"{where}: the board ended {len(says)} games")
    if ends:
        found.plies.append(ends[-1].plies)
        found.reasons[ends[-1].reason] += 1
    entry = typed.get(key)
    if says and says[-1][1] != result:
        found.faults.append(f"{where}: the board says {says[-1][1]}, the event {result}")
    if says and entry is None and noted.get(key) != ("station", result):
        found.faults.append(f"{where}: the log has {noted.get(key)} for {result}")
    if entry is not None and says and says[-1][0].reason != "ruled" and says[-1][1] != "both-lose":
        found.faults.append(f"{where}: {entry['who']} typed {entry['given']['result']} where the board had played")
    if not says and entry is None:
        found.faults.append(f"{where}: {result}, which nobody has said")
    if entry is not None or (says and says[-1][0].reason == "ruled"):
        by = f"{entry['who']}: {entry['why'] or '-'}" if entry is not None else "ruled at the table"
        found.by_arbiter.append(f"{where} {result} ({by})")
    else:
        found.by_board += 1


def _standings(found: Found, event: Json) -> None:
    """Count points and tie-breaks again as somebody who read the rules and not the code (tests/tournament/outside_points.py)."""
    teams = event["team_boards"] > 0
    found.faults += (faults_of_teams if teams else faults_of_standings)(event, Scoring())
    lines = event["team_standings"] if teams else event["standings"]
    level = [line for line in lines if line["points"] == lines[0]["points"]]
    names = ", ".join(f"{line['name']} (place {line['place']})" for line in level)
    tied = f"{len(level)} level, parted by {'/'.join(event['tie_breaks'])}: " if len(level) > 1 else ""
    found.first = f"{tied}{names} with {lines[0]['points']}"


def at_the_top(event: Json) -> list[str]:
    """Return who shares the first place of an event of single players, by name; one name where nobody shares it."""
    return [line["name"] for line in event["standings"] if line["place"] == 1]
