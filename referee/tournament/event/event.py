"""The event itself: one frozen value that cannot hold a contradiction."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from referee.tournament.event.errors import EventValueError, UnknownPlayerError
from referee.tournament.event.values import (
    MAX_PLAYERS,
    MAX_ROUNDS,
    ByeKind,
    Player,
    PlayerNumber,
    RequestedBye,
    Round,
    Scoring,
    System,
    TieBreak,
    check_line,
)

_ID = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TEXT_LENGTH = 80


@dataclass(frozen=True, slots=True)
class EventId:
    """An event's name in topics, files and commands: up to 40 of `a-z`, `0-9` and inner `-`."""

    value: str

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.value):
            raise EventValueError(f"an event's id has 1 to 40 of a-z, 0-9 and -, not {self.value!r}")

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Details:
    """What papers and TRF files say about an event besides the play. Everything may be empty; dates are YYYY-MM-DD."""

    place: str = ""
    federation: str = ""
    starts: str = ""
    ends: str = ""
    arbiter: str = ""

    def __post_init__(self) -> None:
        for what, text in (("a place", self.place), ("an arbiter", self.arbiter), ("a federation", self.federation)):
            if text:
                check_line(what, text, _TEXT_LENGTH)
        for date in (self.starts, self.ends):
            if date and not _DATE.fullmatch(date):
                raise EventValueError(f"a date is written YYYY-MM-DD, not {date!r}")


@dataclass(frozen=True, slots=True)
class Event:
    """All that is known of an event. `rounds` are published; `draft` is the next round, proposed and seen by arbiters only.

    `seed` is the only chance: it draws lots between equal players and for the first seat. Raises `EventValueError` for
    whatever contradicts itself.
    """

    id: EventId
    name: str
    rounds_planned: int
    system: System = System.SWISS
    scoring: Scoring = field(default_factory=Scoring)
    tie_breaks: tuple[TieBreak, ...] = (TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER)
    seed: int = 0
    details: Details = field(default_factory=Details)
    players: tuple[Player, ...] = ()
    requested: tuple[RequestedBye, ...] = ()
    rounds: tuple[Round, ...] = ()
    draft: Round | None = None

    def __post_init__(self) -> None:
        check_line("an event's name", self.name, _TEXT_LENGTH)
        if not 1 <= self.rounds_planned <= MAX_ROUNDS:
            raise EventValueError(f"an event has 1 to {MAX_ROUNDS} rounds, not {self.rounds_planned}")
        if len(self.players) > MAX_PLAYERS:
            raise EventValueError(f"an event has at most {MAX_PLAYERS} players")
        if [player.number.value for player in self.players] != list(range(1, len(self.players) + 1)):
            raise EventValueError("players are numbered 1, 2, 3 and so on")
        if len(set(self.tie_breaks)) != len(self.tie_breaks):
            raise EventValueError("a tie-break is named once")
        self._check_requested()
        drafted = self.rounds if self.draft is None else (*self.rounds, self.draft)
        if [round_.number for round_ in drafted] != list(range(1, len(drafted) + 1)):
            raise EventValueError("rounds are numbered 1, 2, 3 and so on")
        if len(drafted) > self.rounds_planned:
            raise EventValueError(f"the event has {self.rounds_planned} rounds, not {len(drafted)}")
        for round_ in drafted:
            self._check_round(round_)

    def _check_requested(self) -> None:
        asked = [(bye.player, bye.round_number) for bye in self.requested]
        if len(set(asked)) != len(asked):
            raise EventValueError("a player asks for one bye a round")
        for bye in self.requested:
            self.player(bye.player)
            if bye.kind not in (ByeKind.HALF, ByeKind.ZERO) or not 1 <= bye.round_number <= self.rounds_planned:
                raise EventValueError("a bye is asked for as half or zero, for a round of the event")

    def _check_round(self, round_: Round) -> None:
        where = f"round {round_.number}"
        if [pairing.table for pairing in round_.pairings] != list(range(1, len(round_.pairings) + 1)):
            raise EventValueError(f"{where}: tables are numbered 1, 2, 3 and so on")
        seen: set[PlayerNumber] = set()
        for number in players_in(round_):
            if number in seen:
                raise EventValueError(f"{where}: player {number} is there twice")
            if self.system is System.SWISS and not self.player(number).plays_in(round_.number):
                raise EventValueError(f"{where}: player {number} is not in the event then")
            seen.add(number)
        missing = [str(player.number) for player in self.playing_in(round_.number) if player.number not in seen]
        if missing:
            raise EventValueError(f"{where}: neither paired nor free: {', '.join(missing)}")

    def player(self, number: PlayerNumber) -> Player:
        """Give the player of a number. Raises `UnknownPlayerError`."""
        if not 1 <= number.value <= len(self.players):
            raise UnknownPlayerError(f"no player has the number {number}")
        return self.players[number.value - 1]

    def playing_in(self, round_number: int) -> tuple[Player, ...]:
        """Give those who are in that round, byes included, by number; in a round robin that is everybody in every round."""
        if self.system is System.ROUND_ROBIN:
            return self.players
        return tuple(player for player in self.players if player.plays_in(round_number))

    @property
    def next_round(self) -> int:
        """The number of the first round that is not published."""
        return len(self.rounds) + 1


def players_in(round_: Round) -> Iterable[PlayerNumber]:
    """Give everybody in a round: red and blue of each table, then those with a bye."""
    for pairing in round_.pairings:
        yield from pairing.players
    for bye in round_.byes:
        yield bye.player
