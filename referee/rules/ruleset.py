"""A rule set: board, armies, gaits, verdicts, limits and options, all of it data read from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from referee.rules._bits.masks import RuleTables
from referee.rules.board import Board
from referee.rules.errors import FileFault, RuleFileError
from referee.rules.outcomes import CombatResult
from referee.rules.values import Rank, Seat, Square

OptionValue = bool | int | str


class Repetition(Enum):
    """Which repeated positions are forbidden, besides moves between two squares (rules, section 4)."""

    NONE = "none"
    PURSUIT = "pursuit"
    """A threat that recreates a position of the running chase, but straight back (ISF)."""
    PURSUIT_EXACT = "pursuit-exact"
    """The same straight back too, so also in a pursuit over two squares (French booklets)."""
    SITUATION = "situation"
    """Every move that recreates any position of the game, whoever makes it (German booklets)."""


class Gait(Enum):
    """How a rank goes; each is one small named rule of the engine."""

    NONE = "none"
    """Never moves (bomb, flag)."""
    STEP = "step"
    """One square."""
    RUN = "run"
    """Any number of empty squares in a line, and an attack at its end."""
    RUN_AND_TURN = "run-and-turn"
    """Like `RUN`, and after a longer run an attack on any neighbour (Stratego 4's scout)."""
    TWO_STEPS = "two-steps"
    """One or two squares with a turn between, one attack, none of it carried on after a won one (Stratego 4's captain)."""
    GUN = "gun"
    """One square, never onto an enemy: it attacks by firing only (Stratego 4's cannon)."""


class Special(Enum):
    """The named rules that go beyond moving and attacking."""

    INFILTRATION = "infiltration"
    CASTLE = "castle"


@dataclass(frozen=True, slots=True)
class Option:
    """A decision where the booklets are silent or disagree: its value, what else it may be, and why it is what it is.

    One with a single choice is a decision that the engine does not know otherwise.
    """

    value: OptionValue
    choices: tuple[OptionValue, ...]
    reason: str
    former: OptionValue | None = None
    """What a stored game was played by that does not name this option; None: its value here.

    It keeps games readable that were stored before the option was there or while another value was the default.
    """


@dataclass(frozen=True, slots=True)
class RankRule:
    """What one rank is in a rule set: how many an army has, the number on it (None: no number), how it goes."""

    count: int
    number: int | None
    gait: Gait


@dataclass(frozen=True, eq=False)
class RuleSet:
    """One way to play, as data. Two rule sets are the same only if they are one object."""

    name: str
    board: Board
    seats: tuple[Seat, ...]
    ranks: Mapping[Rank, RankRule]
    order: tuple[Rank, ...]
    """Ranks that fight, weakest first."""
    exceptions: tuple[tuple[Rank | None, Rank | None, CombatResult], ...]
    """(attacker, defender, verdict), None meaning any rank; the first that fits comes before the order."""
    filled: bool
    options: Mapping[str, Option]
    teams: tuple[tuple[Seat, ...], ...] = ()
    specials: frozenset[Special] = frozenset()
    army_verified: bool = True
    source: str = ""
    tables: RuleTables = field(init=False, repr=False)
    """The same in integers, for the private inside."""
    _partners: Mapping[Seat, tuple[Seat, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        partners = {
            seat: tuple(other for other in self.seats if self._team(other) == self._team(seat)) for seat in self.seats
        }
        object.__setattr__(self, "_partners", partners)
        object.__setattr__(
            self,
            "tables",
            RuleTables(
                ranks=tuple(self.ranks),
                counts=tuple(rule.count for rule in self.ranks.values()),
                movers=self._with_gait(*(gait for gait in Gait if gait is not Gait.NONE)),
                runners=self._with_gait(Gait.RUN, Gait.RUN_AND_TURN),
                verdicts={(one, other): self._verdict(one, other) for one in self.ranks for other in self.ranks},
                seats=self.seats,
                team_of=[self._team(seat) for seat in self.seats],
                two_square_limit=self.two_square_limit,
                remembers=self.repetition is not Repetition.NONE,
                situations=self.repetition is Repetition.SITUATION,
                straight_back=self.repetition is Repetition.PURSUIT,
                quiet_limit=int(self.option("no_progress_limit", 0)),
                lost_at_once=self.option("army_lost", "own-turn") == "at-once",
                stuck_loses=self.stuck_loses,
                first_seat=self.seats.index(Seat(self.option("first_seat", self.seats[0].value))),
            ),
        )

    def __repr__(self) -> str:
        return f"RuleSet({self.name})"

    @property
    def army(self) -> Mapping[Rank, int]:
        """How many pieces of each rank a seat has, in the order of the rule set; ranks without pieces left out."""
        return {rank: rule.count for rank, rule in self.ranks.items() if rule.count}

    @property
    def two_square_limit(self) -> int:
        """How many turns in a row a piece may cross one border; the next crossing is barred (rules, two squares)."""
        return int(self.option("two_square_limit", 3))

    @property
    def repetition(self) -> Repetition:
        """Which repeated positions are forbidden (the more-squares rule)."""
        return Repetition(self.option("repetition", Repetition.NONE.value))

    @property
    def stuck_loses(self) -> bool:
        """Whether who cannot move loses even where the other one could not either; otherwise that is a draw."""
        return self.option("nobody_can_move", "draw") == "last-mover-wins"

    @property
    def steps_first(self) -> bool:
        """Whether an infiltrator may step and then attack or infiltrate in one turn."""
        return bool(self.option("move_then_infiltrate", False))

    @property
    def former_options(self) -> dict[str, OptionValue]:
        """Return the options of a stored game that names none, as far as they differ from what is played now."""
        return {name: option.former for name, option in self.options.items() if option.former is not None}

    @property
    def verified(self) -> bool:
        """Whether board and army stand in a booklet, in words or pictures, follow from one, or are the federations' own."""
        return self.army_verified and self.board.verified

    def option(self, name: str, default: OptionValue) -> OptionValue:
        """Give an option's value, the default where this rule set has no such option."""
        found = self.options.get(name)
        return default if found is None else found.value

    def zone(self, seat: Seat) -> tuple[Square, ...]:
        """Give the squares on which a seat sets up, in the board's order."""
        return self.board.homes[seat].zone

    def number(self, rank: Rank) -> int | None:
        """Give the number on a rank's piece, None for those without one."""
        return self.ranks[rank].number

    def gait(self, rank: Rank) -> Gait:
        """Give how a rank goes."""
        return self.ranks[rank].gait

    def combat(self, attacker: Rank, defender: Rank) -> CombatResult:
        """Give the verdict of an attack (a shot, for the cannon). Raises `KeyError` for ranks outside this rule set."""
        return self.tables.verdicts[attacker, defender]

    def seat_after(self, seat: Seat) -> Seat:
        """Give the next seat in turn order, the first after the last; who dropped out is not considered here."""
        return self.seats[(self.seats.index(seat) + 1) % len(self.seats)]

    def partners(self, seat: Seat) -> tuple[Seat, ...]:
        """Give all seats of a seat's team, itself among them, in turn order."""
        return self._partners[seat]

    def with_options(self, values: Mapping[str, OptionValue]) -> RuleSet:
        """Give the same rule set with some options changed. Raises `RuleFileError` naming every unknown option or choice."""
        faults = []
        for name, value in values.items():
            option = self.options.get(name)
            if option is None:
                faults.append(FileFault(f"options.{name}", "no such option here"))
            elif not any(value == choice and type(value) is type(choice) for choice in option.choices):
                choices = ", ".join(repr(choice) for choice in option.choices)
                faults.append(FileFault(f"options.{name}", f"{value!r} is none of {choices}"))
        if faults:
            raise RuleFileError(self.name, faults)
        changed = {name: replace(self.options[name], value=value) for name, value in values.items()}
        return replace(self, options={**self.options, **changed})

    def _team(self, seat: Seat) -> int:
        for number, team in enumerate(self.teams):
            if seat in team:
                return number
        return self.seats.index(seat)

    def _with_gait(self, *gaits: Gait) -> frozenset[Rank]:
        return frozenset(rank for rank, rule in self.ranks.items() if rule.gait in gaits)

    def _verdict(self, attacker: Rank, defender: Rank) -> CombatResult:
        for one, other, result in self.exceptions:
            if one in (None, attacker) and other in (None, defender):
                return result
        if attacker not in self.order:
            return CombatResult.DEFENDER_WINS  # never played: it cannot move
        difference = self.order.index(attacker) - self.order.index(defender)
        if difference == 0:
            spies = attacker is Rank.SPY and self.option("spy_against_spy", "both-lost") == "attacker-wins"
            return CombatResult.ATTACKER_WINS if spies else CombatResult.BOTH_LOST
        return CombatResult.ATTACKER_WINS if difference > 0 else CombatResult.DEFENDER_WINS
