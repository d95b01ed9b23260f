"""An event as one frozen value that is checked for contradictions; its players, scoring, pairings, byes and rounds; its
errors.

EventError
├── EventValueError      a value that no event can have: a name, a number of rounds, points
├── UnknownPlayerError   a number that no player of the event has
├── ActError             an act that this event does not allow now; nothing was changed
│   └── DoubleResultError    a table already has another result
└── TrfError             a TRF file, or a list of players, with faults, all of them at once
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import NewType


class EventError(Exception):
    """The root of all errors of this room. Its text is one sentence for the arbiter."""


class EventValueError(EventError):
    """No event can have this value."""


class UnknownPlayerError(EventError):
    """No player of the event has this number."""


class ActError(EventError):
    """The event does not allow this act now; nothing was changed.

    `word` is stable, for pages; `about` is what it is about: a number or a name.
    """

    def __init__(self, text: str, word: str = "refused", about: object = "") -> None:
        super().__init__(text)
        self.word, self.about = word, str(about)


class DoubleResultError(ActError):
    """The table already has another result, which only a correction may replace."""


@dataclass(frozen=True, slots=True)
class TrfFault:
    """One thing wrong in a TRF file or a list of players: the line, counted from 1, and what."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


class TrfError(EventError):
    """A TRF file or a list of players that cannot be used; `faults` has all of them, in the order of the lines."""

    def __init__(self, faults: Sequence[TrfFault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(map(str, self.faults)))


# The nouns of an event: players, scoring, pairings, byes, rounds. Frozen values that refuse what cannot be.


MAX_PLAYERS = 9999
MAX_ROUNDS = 99
NAME_LENGTH = 33
"""What a TRF has room for, in all three."""


PlayerNumber = NewType("PlayerNumber", int)
"""A player's number in the event, from 1; the lower one is the stronger seed. A TRF calls it the starting rank."""


class System(Enum):
    """How pairings are made. The value is the stable word."""

    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"
    KNOCK_OUT = "knock-out"


class KnockOutDraw(Enum):
    """What a draw of a knock-out is followed by. The value is the stable word."""

    REPLAY = "replay"  # the two play again in a round of its own
    HIGHER_SEED = "higher-seed"  # the lower number goes through


class PublicNames(Enum):
    """How players are called where everybody reads it. The value is the stable word."""

    FULL = "full"
    INITIALS = "initials"
    NUMBERS = "numbers"


@dataclass(frozen=True, slots=True)
class Group:
    """Players with a name: who meet only each other, by number, or a team in the order of its boards."""

    name: str
    players: tuple[PlayerNumber, ...]


class TieBreak(Enum):
    """What decides between equal points. The value is the stable word; the formulas stand in `standings`."""

    BUCHHOLZ = "buchholz"
    BUCHHOLZ_CUT_1 = "buchholz-cut-1"
    BUCHHOLZ_MEDIAN = "buchholz-median"
    SONNEBORN_BERGER = "sonneborn-berger"
    WINS = "wins"
    PROGRESSIVE = "progressive"
    DIRECT_ENCOUNTER = "direct-encounter"
    PERFORMANCE = "performance"
    BOARD_POINTS = "board-points"  # of a team


class Result(Enum):
    """The result of a table. The value is the stable word."""

    RED_WINS = "red"
    BLUE_WINS = "blue"
    DRAW = "draw"
    BOTH_LOSE = "both-lose"
    RED_ABSENT = "red-absent"
    BLUE_ABSENT = "blue-absent"
    BOTH_ABSENT = "both-absent"


ABSENCES = {Result.RED_ABSENT, Result.BLUE_ABSENT, Result.BOTH_ABSENT}
"""The results of tables at which nobody played."""
MIRRORED = {
    Result.RED_WINS: Result.BLUE_WINS,
    Result.BLUE_WINS: Result.RED_WINS,
    Result.RED_ABSENT: Result.BLUE_ABSENT,
    Result.BLUE_ABSENT: Result.RED_ABSENT,
}
"""What a result is when the two change seats; the others stay."""


class ByeKind(Enum):
    """Why a player has no opponent. The value is the stable word."""

    PAIRING = "pairing"  # the number of players is odd
    HALF = "half"  # asked for beforehand, worth a draw
    ZERO = "zero"  # asked for beforehand, or not in the event in that round
    FULL = "full"  # given by the arbiter, worth a win


@dataclass(frozen=True, slots=True)
class Scoring:
    """The points of a game, in whole tenths; by default the ISF's 6-3-1.

    `bye` is what a pairing bye is worth: a win's points in FIDE C.04.1, article 3. Who does not come gets `absent`.
    """

    win: Fraction = Fraction(6)
    draw: Fraction = Fraction(3)
    loss: Fraction = Fraction(1)
    bye: Fraction = Fraction(6)
    absent: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        given = (self.win, self.draw, self.loss, self.bye, self.absent)
        if any((points * 10).denominator != 1 or not 0 <= points <= 99 for points in given):
            raise EventValueError("points are from 0 to 99, with at most one decimal")
        if not self.win > self.draw >= self.loss >= self.absent or self.bye > self.win:
            raise EventValueError(
                "a win is worth more than a draw, a draw no less than a loss, a bye no more than a win"
            )

    def of_bye(self, kind: ByeKind) -> Fraction:
        """Return the points of a bye of this kind."""
        return {
            ByeKind.PAIRING: self.bye,
            ByeKind.HALF: self.draw,
            ByeKind.ZERO: self.absent,
            ByeKind.FULL: self.win,
        }[kind]


def points_text(points: Fraction) -> str:
    """Write points without a needless decimal: `18`, `4.5`, `2.25`. They are never finer than twentieths."""
    return f"{float(points):.2f}".rstrip("0").rstrip(".")


def points_from(text: str) -> Fraction:
    """Read points as people write them. Raises `EventValueError`."""
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise EventValueError(f"{text!r} are no points") from None


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody who entered. `first_round` is the first that he can be paired in; `last_round` the last before he withdrew.

    A `rating` of 0 means that there is none. `federation` has up to three letters.
    """

    number: PlayerNumber
    name: str
    rating: int = 0
    federation: str = ""
    first_round: int = 1
    last_round: int | None = None

    def __post_init__(self) -> None:
        check_line("a player's name", self.name, NAME_LENGTH)
        if self.federation and not (
            self.federation.isascii() and self.federation.isalpha() and len(self.federation) <= 3
        ):
            raise EventValueError(f"a federation is written with up to three letters, not {self.federation!r}")
        if not 0 <= self.rating <= 9999:
            raise EventValueError(f"a rating is from 0 to 9999, not {self.rating}")

    def plays_in(self, round_number: int) -> bool:
        """Return whether the player is in the event in that round."""
        return self.first_round <= round_number and not self.withdrew_before(round_number)

    def withdrew_before(self, round_number: int) -> bool:
        """Return whether the player had withdrawn when that round was paired."""
        return self.last_round is not None and round_number > self.last_round


def check_line(what: str, text: str, length: int) -> None:
    """Refuse what does not stand on one line of this length without spaces around it. Raises `EventValueError`."""
    if not text or text != text.strip() or not text.isprintable() or len(text) > length:
        raise EventValueError(f"{what} is one line of 1 to {length} signs, not {text!r}")


class ReasonWord(Enum):
    """Why a pairing is as it is. The value is the stable word; a player is named where the note says so."""

    SAME_POINTS = "same-points"
    FLOATS_DOWN = "floats-down"  # this player meets one with fewer points
    HALVES = "halves"  # of those with these points, the upper half meets the lower half in order
    REMATCH = "rematch-unavoidable"
    SEAT_LIMIT = "seat-limit-unavoidable"  # this player sits at the same colour too often
    SEAT_BOTH = "seats-as-both-prefer"
    SEAT_STRONGER = "seat-of-the-stronger-preference"  # this player's
    SEAT_ALTERNATES = "seats-other-than-last-time"  # when they last sat at different colours
    SEAT_HIGHER = "seat-of-the-higher-ranked"  # this player's
    SEAT_LOT = "seats-by-lot"
    BYE_LOWEST = "bye-lowest-points"
    BYE_AGAIN = "second-bye-unavoidable"
    REQUESTED = "asked-for"
    BERGER = "berger-table"
    BRACKET = "bracket"  # of a knock-out
    REPLAY = "replay"
    NO_OPPONENT = "no-opponent"  # the other team had nobody for this board
    WITHDRAWN = "withdrawn"  # this player; of a bye: its own, who came back later
    NOT_PRESENT = "not-present"  # not checked in
    FORCED = "forced"  # by an arbiter's rule
    PAIRED_LATE = "paired-late"  # by an arbiter, both having been free
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for a pairing, and the player whom it concerns. As text: the word, a colon and the player's number."""

    word: ReasonWord
    player: PlayerNumber | None = None

    def __str__(self) -> str:
        return self.word.value if self.player is None else f"{self.word.value}:{self.player}"


def reason_from(text: str) -> Reason:
    """Read a reason's text form. Raises `ValueError`."""
    word, colon, player = text.partition(":")
    return Reason(ReasonWord(word), PlayerNumber(int(player)) if colon else None)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players at a table, tables being counted from 1."""

    table: int
    red: PlayerNumber
    blue: PlayerNumber
    result: Result | None = None
    reasons: tuple[Reason, ...] = ()
    is_unplayed: bool = False
    """Whether nobody played although the result does not say so: a match of teams that absences at its boards drew. It is kept nowhere."""

    @property
    def players(self) -> tuple[PlayerNumber, PlayerNumber]:
        """Red, then blue."""
        return self.red, self.blue


@dataclass(frozen=True, slots=True)
class Bye:
    """A player who is in the event and has no opponent in a round."""

    player: PlayerNumber
    kind: ByeKind
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestedBye:
    """A bye for a round to come: half or zero as somebody asked for it, full as an arbiter gives it."""

    player: PlayerNumber
    round_number: int
    kind: ByeKind


class PairRuleKind(Enum):
    """What an arbiter says of two players. The value is the stable word."""

    FORCED = "forced"
    FORBIDDEN = "forbidden"


@dataclass(frozen=True, slots=True)
class PairRule:
    """Two who have to meet in a round, or must not; None: in no round at all. The lower number is the first."""

    players: tuple[PlayerNumber, PlayerNumber]
    kind: PairRuleKind
    round_number: int | None


@dataclass(frozen=True, slots=True)
class CheckIn:
    """Who has been seen before a round, in the order of numbers; whoever is not among them is free in it."""

    round_number: int
    present: tuple[PlayerNumber, ...]


class AtEnd(Enum):
    """What happens to a game in progress when its round ends. The value is the stable word."""

    ARBITER = "arbiter"  # he decides
    DRAW = "draw"


@dataclass(frozen=True, slots=True)
class RoundEnd:
    """The end of a round at all tables (milliseconds since 1970 by the station's clock), and what happens to a game in
    progress.
    """

    at_ms: int
    at_end: AtEnd = AtEnd.ARBITER


@dataclass(frozen=True, slots=True)
class Round:
    """Who meets whom. In rounds of an event: everybody who is in it, once."""

    number: int
    pairings: tuple[Pairing, ...]
    byes: tuple[Bye, ...] = ()
    ends: RoundEnd | None = None
    """None where nobody has said when; then only players' clocks limit a game."""

    @property
    def open_tables(self) -> tuple[int, ...]:
        """The tables without a result."""
        return tuple(pairing.table for pairing in self.pairings if pairing.result is None)


# The event itself.


_ID = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TEXT_LENGTH = 80


NO_IDS = frozenset({"live", "public", "station", "toolkit"})
"""Folders of the public pages that are no event's: a new event is not called like one."""


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
    pair_rules: tuple[PairRule, ...] = ()
    check_in: CheckIn | None = None
    """None: everybody counts as present."""
    tables: tuple[int, ...] = ()
    """The hall's tables that it may use, the first for table 1 of a round; empty: table 1 plays at 1, and so on."""
    accelerated: bool = False
    draws: KnockOutDraw = KnockOutDraw.REPLAY
    groups: tuple[Group, ...] = ()
    """Who meet only each other, in the order of names; whoever is in none is in one more."""
    team_boards: int = 0
    """On how many boards teams meet; 0: everybody plays for himself."""
    teams: tuple[Group, ...] = ()
    public_names: PublicNames | None = None
    """None: as whoever shows the event is told."""

    def __post_init__(self) -> None:
        check_line("an event's name", self.name, _TEXT_LENGTH)
        if not 1 <= self.rounds_planned <= MAX_ROUNDS:
            raise EventValueError(f"an event has 1 to {MAX_ROUNDS} rounds, not {self.rounds_planned}")
        if len(self.players) > MAX_PLAYERS:
            raise EventValueError(f"an event has at most {MAX_PLAYERS} players")
        if [player.number for player in self.players] != list(range(1, len(self.players) + 1)):
            raise EventValueError("players are numbered 1, 2, 3 and so on")
        if len(set(self.tie_breaks)) != len(self.tie_breaks):
            raise EventValueError("a tie-break is named once")
        self._check_requested()
        self._check_pair_rules()
        self._check_groups()
        if len(set(self.tables)) != len(self.tables) or not all(1 <= table <= MAX_PLAYERS for table in self.tables):
            raise EventValueError(f"the hall's tables are different numbers from 1 to {MAX_PLAYERS}")
        for number in self.check_in.present if self.check_in is not None else ():
            self.player(number)
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
            if not 1 <= bye.player <= len(self.sides):
                raise EventValueError(f"nobody has the number {bye.player}")
            if bye.kind is ByeKind.PAIRING or not 1 <= bye.round_number <= self.rounds_planned:
                raise EventValueError("a bye is asked for as half, zero or full, for a round of the event")

    def _check_groups(self) -> None:
        if self.team_boards not in (0, *range(2, 7)):
            raise EventValueError("teams have two to six boards")
        for what, groups in (("group", self.groups), ("team", self.teams)):
            members = [number for group in groups for number in group.players]
            if len({group.name for group in groups}) != len(groups) or len({*members}) != len(members):
                raise EventValueError(f"there is one {what} of a name, and a player is in one {what}")
            for group in groups:
                check_line(f"a {what}'s name", group.name, NAME_LENGTH - 1)  # a TRF's team has one sign less
            for number in members:
                self.player(number)
        if self.groups and (self.teams or self.system is System.KNOCK_OUT):
            raise EventValueError("there are groups in a Swiss and a round robin of single players")

    def _check_pair_rules(self) -> None:
        told = [(rule.players, rule.round_number) for rule in self.pair_rules]
        if len(set(told)) != len(told):
            raise EventValueError("there is one rule for two players and a round")
        forced: set[tuple[PlayerNumber, int]] = set()
        for rule in self.pair_rules:
            one, two = rule.players
            if not 1 <= one < two <= len(self.sides):
                raise EventValueError("a pair is two players, the lower number first")
            round_number = rule.round_number
            if round_number is not None and not 1 <= round_number <= self.rounds_planned:
                raise EventValueError(f"the event has no round {round_number}")
            if rule.kind is PairRuleKind.FORBIDDEN:
                continue
            if round_number is None:
                raise EventValueError("a forced pairing is for one round")
            if forced & (both := {(one, round_number), (two, round_number)}):
                raise EventValueError(f"a player has one forced pairing in round {round_number}")
            forced |= both

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
        self._check_matches(round_)
        missing = [str(player.number) for player in self.playing_in(round_.number) if player.number not in seen]
        if missing:
            raise EventValueError(f"{where}: neither paired nor free: {', '.join(missing)}")

    def _check_matches(self, round_: Round) -> None:
        """Refuse a round in which a team does not meet just one other."""
        if not self.team_boards:
            return
        teams = {player: team.name for team in self.teams for player in team.players}
        opponents: dict[str | None, str | None] = {}
        for pairing in round_.pairings:
            red, blue = (teams.get(player) for player in pairing.players)
            if (
                None in (red, blue)
                or red == blue
                or {opponents.setdefault(red, blue), opponents.setdefault(blue, red)} != {red, blue}
            ):
                raise EventValueError(f"round {round_.number}: at table {pairing.table} their teams do not meet")

    def player(self, number: PlayerNumber) -> Player:
        """Return the player with this number. Raises `UnknownPlayerError`."""
        if not 1 <= number <= len(self.players):
            raise UnknownPlayerError(f"no player has the number {number}")
        return self.players[number - 1]

    def playing_in(self, round_number: int) -> tuple[Player, ...]:
        """Return the players who have to be in that round, by number, with those who have a bye; in a round robin always everybody,
        in a knock-out and for a team nobody has to be.
        """
        if self.system is System.KNOCK_OUT or self.team_boards:
            return ()
        if self.system is System.ROUND_ROBIN:
            return self.players
        return tuple(player for player in self.players if player.plays_in(round_number))

    @property
    def sides(self) -> tuple[Player | Group, ...]:
        """Who is paired: the players, or the teams; a side's number is its place here, from 1."""
        return self.teams if self.team_boards else self.players

    @property
    def pools(self) -> dict[str, tuple[PlayerNumber, ...]]:
        """The groups by name, in order, and under no name those who are in none."""
        grouped = {group.name: group.players for group in self.groups}
        members = {number for numbers in grouped.values() for number in numbers}
        rest = tuple(player.number for player in self.players if player.number not in members)
        return {**grouped, **({"": rest} if rest or not grouped else {})}

    @property
    def next_round(self) -> int:
        """The number of the first round that is not published."""
        return len(self.rounds) + 1


def players_in(round_: Round) -> Iterable[PlayerNumber]:
    """Yield every player of a round: red and blue of each table, then those with a bye."""
    for pairing in round_.pairings:
        yield from pairing.players
    for bye in round_.byes:
        yield bye.player
