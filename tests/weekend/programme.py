"""What is played: the programme of the World Championship of 2023, for as many tables as there are."""

from __future__ import annotations

from dataclasses import dataclass

from referee.simulated_players.hall_event import new_event
from referee.tournament.event.event import EventId

BOARDS_OF_A_TEAM = 4


@dataclass(frozen=True, slots=True)
class Part:
    """One event: its name, system and rounds, who plays, at which tables of the hall, by which rules."""

    name: str
    rounds: int
    players: tuple[str, ...]
    first: int
    """Its table 1 in the hall."""
    rules: str
    boards: int = 0
    """Of a team; 0: everybody for himself."""
    system: str = "swiss"
    tie_breaks: tuple[str, ...] = ("buchholz", "sonneborn-berger")

    @property
    def id(self) -> str:
        """Return the event's id, as the station makes it of the name."""
        return self.name.lower().replace(" ", "-")

    @property
    def count(self) -> int:
        """Count its tables."""
        return len(self.players) // 2

    @property
    def tables(self) -> str:
        """Return its tables as an arbiter writes them."""
        return f"{self.first}-{self.first + self.count - 1}"

    def board(self, table: int) -> str:
        """Return the board of the hall at which its table plays."""
        return f"table-{self.first + table - 1}"


@dataclass(frozen=True, slots=True)
class Day:
    """What is played at the same time, and how many rounds of each that day."""

    name: str
    parts: tuple[tuple[Part, int], ...]


def people(tables: int, seed: int) -> list[tuple[str, int]]:
    """Return two players a table with their ratings, the strongest first."""
    entered = new_event(EventId("people"), tables, 1, seed).players
    return sorted(((player.name, player.rating) for player in entered), key=lambda one: -one[1])


def evening(everybody: list[tuple[str, int]]) -> list[Day]:
    """Return one event of two rounds."""
    barrage = Part("Barrage", 2, _listed(everybody), 1, "barrage")
    return [Day("Friday evening", ((barrage, 2),))]


def weekend(tables: int, everybody: list[tuple[str, int]], classic_rules: str = "original") -> list[Day]:
    """Return the four days: Barrage; Classic with the juniors beside it on two days; on Sunday an open and country teams."""
    young = 2 * max(1, round(tables * 8 / 30))
    juniors, seniors = everybody[-young:], everybody[:-young]
    barrage = Part("Barrage", 7, _listed(everybody), 1, "barrage")
    classic = Part("Classic", 10, _listed(seniors), 1, classic_rules)
    youth = Part("Juniors", 5, _listed(juniors), 1 + len(seniors) // 2, "duel-compact")
    in_teams = tables // 2 // BOARDS_OF_A_TEAM * BOARDS_OF_A_TEAM * 2
    team_players, others = everybody[:in_teams], everybody[in_teams:]
    teams = Part("Country Teams", 3, _in_teams(team_players), 1, "duel-compact", BOARDS_OF_A_TEAM)
    free = Part("Open", 5, _listed(others), 1 + in_teams // 2, "barrage", tie_breaks=("wins",))
    sunday = ((teams, 3), (free, 5)) if in_teams else ((free, 5),)
    return [
        Day("Thursday", ((barrage, 7),)),
        Day("Friday", ((classic, 5), (youth, 3))),
        Day("Saturday", ((classic, 5), (youth, 2))),
        Day("Sunday", sunday),
    ]


def play_off(part: Part, names: list[str]) -> Part:
    """Return the games among those who are level at the top of an event, each against each, at its tables."""
    rounds = len(names) - 1 + len(names) % 2
    return Part(f"{part.name} play-off", rounds, tuple(names), part.first, part.rules, system="round-robin")


def _listed(players: list[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(f"{name},{rating},NED" for name, rating in players)


def _in_teams(players: list[tuple[str, int]]) -> tuple[str, ...]:
    """Return players with the country that each plays for, which are of equal strength."""
    countries = ("Netherlands", "Germany", "Belgium", "Greece", "Ukraine", "United Kingdom", "United States", "Spain")
    count = len(players) // BOARDS_OF_A_TEAM
    return tuple(
        f"{name},{rating},,,{countries[at % count] if count <= len(countries) else f'Team {at % count + 1}'}"
        for at, (name, rating) in enumerate(players)
    )
