"""Points and tie-breaks of an event, counted again by somebody who read `docs/reference/event.md` and FIDE's C.07, and not the code.

It takes what `event_as_told` tells as JSON values and imports nothing of the referee. What a player did in a round is a `Cell`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Told = Mapping[str, Any]
HALF = Fraction(1, 2)
CHOSEN = ("half", "zero", "none")
"""Byes that a player has because he stayed away by choice; `none`: he was not in that round at all."""


@dataclass(frozen=True)
class Scoring:
    """What a result gives: `--points W-D-L` and `--bye-points`."""

    win: Fraction = Fraction(6)
    draw: Fraction = Fraction(3)
    loss: Fraction = Fraction(1)
    bye: Fraction = Fraction(6)

    def of(self, seat: str, result: str) -> Fraction:
        """Return the points of who sat at `seat`."""
        if result == "draw":
            return self.draw
        if result == "both-lose":
            return self.loss
        if result in ("red", "blue"):
            return self.win if result == seat else self.loss
        absent = result.removesuffix("-absent")
        return Fraction(0) if absent in (seat, "both") else self.win

    def of_bye(self, kind: str) -> Fraction:
        """Return the points of a bye."""
        return {"pairing": self.bye, "full": self.win, "half": self.draw}.get(kind, Fraction(0))

    def share(self, points: Fraction) -> Fraction:
        """Return the share of a game that these points stand for."""
        return Fraction(1) if points >= self.win else HALF if points >= self.draw else Fraction(0)


@dataclass(frozen=True)
class Cell:
    """A round of one player: `kind` is `game`, `absence` (a table, but no game), a kind of bye, or `none`."""

    kind: str
    points: Fraction
    opponent: int = 0
    seat: str = ""
    share: Fraction = Fraction(0)

    @property
    def chosen(self) -> bool:
        """Whether the player was away by choice."""
        return self.kind in CHOSEN or (self.kind == "absence" and self.share == 0)


Cells = Mapping[int, Sequence[Cell]]


def cells_of(told: Told, scoring: Scoring) -> dict[int, list[Cell]]:
    """Return each player's published rounds in order. A table without a result counts as no points, not played."""
    cells: dict[int, list[Cell]] = {player["number"]: [] for player in told["players"]}
    for round_ in told["rounds"]:
        now = {number: Cell("none", Fraction(0)) for number in cells}
        for bye in round_["byes"]:
            points = scoring.of_bye(bye["kind"])
            now[bye["player"]["number"]] = Cell(bye["kind"], points, share=scoring.share(points))
        for table in round_["tables"]:
            for seat, other in (("red", "blue"), ("blue", "red")):
                now[table[seat]["number"]] = _at_table(scoring, seat, table["result"], table[other]["number"])
        for number, cell in now.items():
            cells[number].append(cell)
    return cells


def _at_table(scoring: Scoring, seat: str, result: str | None, opponent: int) -> Cell:
    if result is None:
        return Cell("open", Fraction(0), opponent, seat)
    absence = result.endswith("absent")
    share = HALF if result == "draw" else Fraction(scoring.of(seat, result) == scoring.win and result != "both-lose")
    return Cell("absence" if absence else "game", scoring.of(seat, result), opponent, seat, share)


def total(cells: Iterable[Cell]) -> Fraction:
    """Return the points of these rounds."""
    return sum((cell.points for cell in cells), Fraction(0))


class Counted:
    """All tie-breaks of one event, of `buchholz`, its cuts, `sonneborn-berger`, `wins`, `progressive` and `direct-encounter`."""

    def __init__(self, cells: Cells, scoring: Scoring, system: str) -> None:
        self.scoring = scoring
        self.cells = cells
        self.rounds = max((len(mine) for mine in cells.values()), default=0)
        self.whole = system == "round-robin"
        self.points = {number: total(cells) for number, cells in self.cells.items()}

    def adjusted(self, number: int) -> Fraction:
        """Return the points of an opponent: requested byes that nothing but absences follow count as draws (16.3)."""
        points = self.points[number]
        if not self.whole:
            for cell in reversed(self.cells[number]):
                if not cell.chosen:
                    break
                if cell.kind in CHOSEN:
                    points += self.scoring.draw - cell.points
        return points

    def contributions(self, number: int) -> list[tuple[Fraction, Cell]]:
        """Return what each round gives to Buchholz (8.1; unplayed ones by 16.4); a free round of a round robin gives nothing."""
        dummy = min(self.points[number], self.scoring.draw * self.rounds)
        given = []
        for cell in self.cells[number]:
            if cell.kind == "game" or (self.whole and cell.kind == "absence"):
                given.append((self.adjusted(cell.opponent), cell))
            elif self.whole:
                continue
            elif cell.kind == "absence":
                given.append((min(self.points[number], self.adjusted(cell.opponent)), cell))
            else:
                given.append((dummy, cell))
        return given

    def buchholz(self, number: int, low: int = 0, high: int = 0) -> Fraction:
        """Return Buchholz without so many of the least and of the greatest (14.1, 14.3; the least of a round by choice first, 16.5)."""
        given = self.contributions(number)
        values = sorted(value for value, _ in given)
        if low and values:
            chosen = [value for value, cell in given if cell.chosen] if not self.whole else []
            values.remove(min(chosen or values))
        if high and values:
            values.pop()
        return sum(values, Fraction(0))

    def sonneborn_berger(self, number: int) -> Fraction:
        """Return the points of those beaten and half of those drawn with (9.1)."""
        return sum((value * cell.share for value, cell in self.contributions(number)), Fraction(0))

    def wins(self, number: int) -> int:
        """Return the rounds with a win's points (7.1)."""
        return sum(cell.points >= self.scoring.win for cell in self.cells[number])

    def progressive(self, number: int) -> Fraction:
        """Return the sum of the points after each round (7.5)."""
        cells = self.cells[number]
        return sum((total(cells[: i + 1]) for i in range(len(cells))), Fraction(0))

    def between(self, one: int, two: int) -> list[Cell]:
        """Return the games of `one` against `two`; in a round robin absences count."""
        kinds = ("game", "absence") if self.whole else ("game",)
        return [cell for cell in self.cells[one] if cell.opponent == two and cell.kind in kinds]

    def encounters(self, level: Sequence[int]) -> dict[int, int]:
        """Return how many of those who are level stand behind each by their games against each other (6)."""
        games = {(one, two): self.between(one, two) for one in level for two in level if one != two}
        if all(games.values()):
            got = {one: sum(_average(games[one, two]) for two in level if two != one) for one in level}
            behind = {one: sum(got[two] < got[one] for two in level) for one in level}
            for points in set(got.values()):  # those who are level in this too are compared once more, among themselves
                still = [one for one in level if got[one] == points]
                if 1 < len(still) < len(level):
                    behind = {one: behind[one] + more for one, more in self.encounters(still).items()} | {
                        one: count for one, count in behind.items() if one not in still
                    }
            return behind
        behind = dict.fromkeys(level, 0)
        for one in level:
            if all(self._ahead(one, two, level, games) for two in level if two != one):
                rest = [two for two in level if two != one]  # once he is apart the others are compared among themselves
                return {one: len(rest), **self.encounters(rest)}
        return behind

    def _ahead(self, one: int, two: int, level: Sequence[int], games: Mapping[tuple[int, int], list[Cell]]) -> bool:
        """Return whether `one` is ahead of `two` even if he stays away from all games that are missing, and `two` wins all of his."""
        mine = sum(_average(games[one, x]) if games[one, x] else 0 for x in level if x != one)
        his = sum(_average(games[two, x]) if games[two, x] else self.scoring.win for x in level if x != two)
        return mine > his

    def value(self, word: str, number: int) -> Fraction:
        """Return a tie-break that needs nobody else's standing."""
        if word.startswith("buchholz"):
            return self.buchholz(number, int(word != "buchholz"), int(word == "buchholz-median"))
        if word in ("sonneborn-berger", "wins", "progressive"):
            return Fraction(getattr(self, word.replace("-", "_"))(number))
        raise KeyError(word)


def _average(games: Sequence[Cell]) -> Fraction:
    """Return the points of an encounter; of two who met more than once the average, of which the page says nothing."""
    return total(games) / len(games)


KNOWN = ("buchholz", "buchholz-cut-1", "buchholz-median", "sonneborn-berger", "wins", "progressive")


def faults_of_standings(told: Told, scoring: Scoring) -> list[str]:
    """Return what is wrong with the told standings: points, each known tie-break, the order and the places."""
    counted = Counted(cells_of(told, scoring), scoring, told["system"])
    faults = []
    group_of = {player["number"]: player["group"] for player in told["players"]}
    lines = told["standings"]
    for line in lines:
        number = line["number"]
        if Fraction(line["points"]) != counted.points[number]:
            faults.append(f"points: {number} has {line['points']}, not {counted.points[number]}")
        for word in KNOWN if told["system"] != "knock-out" else ("buchholz", "sonneborn-berger", "wins", "progressive"):
            if word in line and Fraction(line[word]) != counted.value(word, number):
                faults.append(f"{word}: {number} has {line[word]}, not {counted.value(word, number)}")
    for group in set(group_of.values()) if told["system"] != "knock-out" else ():  # there the stage comes first
        mine = [line for line in lines if group_of[line["number"]] == group]
        faults += _faults_of_order(mine, told["tie_breaks"], counted)
    return faults


def _faults_of_order(lines: Sequence[Told], words: Sequence[str], counted: Counted) -> list[str]:
    faults = []
    keys = {line["number"]: tuple(Fraction(line[word]) for word in ("points", *words)) for line in lines}
    for at, line in enumerate(lines):
        place = 1 + sum(keys[other["number"]] > keys[line["number"]] for other in lines)
        if line["place"] != place:
            faults.append(f"place: {line['number']} has {line['place']}, not {place}")
        if at and keys[lines[at - 1]["number"]] < keys[line["number"]]:
            faults.append(f"order: {line['number']} stands behind one with less")
    if "direct-encounter" in words:
        upto = 1 + words.index("direct-encounter")
        for line in lines:
            level = [number for number in keys if keys[number][:upto] == keys[line["number"]][:upto]]
            own = counted.encounters(level)[line["number"]]
            if own != Fraction(line["direct-encounter"]):
                faults.append(f"direct-encounter: {line['number']} has {line['direct-encounter']}, not {own}")
    return faults


@dataclass(frozen=True)
class TeamRound:
    """A round of one team: its opponent or 0, its match points, its board points, and whether a game was played."""

    opponent: int
    points: Fraction
    board_points: Fraction
    played: bool
    kind: str


def team_rounds(told: Told, scoring: Scoring) -> dict[int, list[TeamRound]]:
    """Return each team's published rounds: 2 match points for more board points, 1 for as many, 0 for fewer and to both where both
    stayed away at every board; a bye 2, half 1. A team's bye is the best of its players'.
    """
    cells = cells_of(told, scoring)
    rounds: dict[int, list[TeamRound]] = {team["number"]: [] for team in told["teams"]}
    team_of = {player["number"]: player["team"] for player in told["players"]}
    for at, round_ in enumerate(told["rounds"]):
        meets = {}
        for one, two in (met["teams"] for met in round_["matches"]):
            meets[one], meets[two] = two, one
        boards = {number: [cells[p][at] for p in cells if team_of[p] == number] for number in rounds}
        sums = {number: total(boards[number]) for number in rounds}
        for number in rounds:
            own, other = sums[number], meets.get(number, 0)
            played = any(cell.kind == "game" for cell in boards[number])
            if other:
                gain = Fraction(2 if own > sums[other] else 1 if own == sums[other] and (own or played) else 0)
                kind = "match"
            else:
                kind = max((cell.kind for cell in boards[number]), key=lambda kind: _BEST.index(kind), default="none")
                gain = Fraction({"pairing": 2, "full": 2, "half": 1}.get(kind, 0))
            rounds[number].append(TeamRound(other, gain, sums[number], played, kind))
    return rounds


_BEST = ("none", "zero", "half", "pairing", "full")
MATCH = Scoring(Fraction(2), Fraction(1), Fraction(0), Fraction(2))
"""What a match gives to a team."""


def faults_of_teams(told: Told, scoring: Scoring) -> list[str]:
    """Return what is wrong with the told match points, board points and Buchholz of teams."""
    faults = []
    rounds = team_rounds(told, scoring)
    for line in told["team_standings"]:
        mine = rounds[line["number"]]
        points, boards = sum(r.points for r in mine), sum(r.board_points for r in mine)
        if Fraction(line["points"]) != points:
            faults.append(f"team points: {line['number']} has {line['points']}, not {points}")
        if "board-points" in line and Fraction(line["board-points"]) != boards:
            faults.append(f"team board-points: {line['number']} has {line['board-points']}, not {boards}")
    cells = {n: [Cell(_kind(r), r.points, r.opponent, share=r.points / 2) for r in mine] for n, mine in rounds.items()}
    counted = Counted(cells, MATCH, told["system"])
    for line in told["team_standings"]:
        own = counted.buchholz(line["number"])
        if Fraction(line["buchholz"]) != own:
            faults.append(f"team buchholz: {line['number']} has {line['buchholz']}, not {own}")
    return faults


def _kind(round_: TeamRound) -> str:
    return "game" if round_.played else "absence" if round_.opponent else round_.kind
