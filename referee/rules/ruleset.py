"""A rule set: board, armies, gaits, verdicts, limits and options, all of it data read from a file.

`RuleTables` holds what every ply asks of it, in integers. At the end stand the former names of options: rule files, journals
and records that say those are still read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeVar

from referee.rules.board import Board
from referee.rules.outcomes import CombatResult, FileFault, RuleFileError
from referee.rules.values import Rank, Seat, Square

OptionValue = bool | int | str
_Any = TypeVar("_Any")


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
class Draft:
    """A rule set while it is being read: everything in it has the right type, nothing is known to fit."""

    name: str
    board: Board | None
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


@dataclass(frozen=True, eq=False)
class RuleSet(Draft):
    """One way to play, as data. Two rule sets are the same only if they are one object."""

    board: Board
    verdicts: Mapping[tuple[Rank, Rank], CombatResult] = field(init=False, repr=False)
    """Of every attacker and defender."""
    tables: RuleTables = field(init=False, repr=False)
    """What every ply asks, in integers; for this room only."""
    _partners: Mapping[Seat, tuple[Seat, ...]] = field(init=False, repr=False)
    _otherwise: dict[tuple[object, ...], RuleSet] = field(init=False, repr=False, default_factory=dict)
    """Those that `with_options` gave: whoever reads a folder of records asks for the same ones again and again."""

    def __post_init__(self) -> None:
        teams = self.teams or tuple((seat,) for seat in self.seats)
        partners = {one: tuple(seat for seat in self.seats if seat in team) for team in teams for one in team}
        object.__setattr__(self, "_partners", partners)
        verdicts = {(one, other): self._verdict(one, other) for one in self.ranks for other in self.ranks}
        object.__setattr__(self, "verdicts", verdicts)
        object.__setattr__(self, "tables", RuleTables(self))

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
    def quiet_limit(self) -> int:
        """After how many plies without a piece lost the game is drawn; 0: never."""
        return int(self.option("no_progress_limit", 0))

    @property
    def stuck_loses(self) -> bool:
        """Return whether who cannot move loses even where the other one could not either; otherwise that is a draw."""
        return self.option("nobody_can_move", "draw") == "last-mover-wins"

    @property
    def moving_forfeits(self) -> bool:
        """Return whether moving a bomb or the flag loses the game (DE); otherwise it is no move."""
        return self.option("immobile_moved", "illegal") == "forfeit"

    @property
    def steps_first(self) -> bool:
        """Return whether an infiltrator may step and then attack or infiltrate in one turn."""
        return bool(self.option("move_then_infiltrate", False))

    @property
    def former_options(self) -> dict[str, OptionValue]:
        """Return the options of a stored game that names none, as far as they differ from what is played now."""
        return {name: option.former for name, option in self.options.items() if option.former is not None}

    @property
    def verified(self) -> bool:
        """Return whether board and army stand in a booklet, in words or pictures, follow from one, or are the federations' own."""
        return self.army_verified and self.board.verified

    def option(self, name: str, default: OptionValue) -> OptionValue:
        """Return an option's value, the default where this rule set has no such option."""
        found = self.options.get(name)
        return default if found is None else found.value

    def zone(self, seat: Seat) -> tuple[Square, ...]:
        """Return the squares on which a seat sets up, in the board's order."""
        return self.board.homes[seat].zone

    def number(self, rank: Rank) -> int | None:
        """Return the number on a rank's piece, None for those without one."""
        return self.ranks[rank].number

    def gait(self, rank: Rank) -> Gait:
        """Return how a rank goes."""
        return self.ranks[rank].gait

    def combat(self, attacker: Rank, defender: Rank) -> CombatResult:
        """Return the verdict of an attack (a shot, for the cannon). Raises `KeyError` for ranks outside this rule set."""
        return self.verdicts[attacker, defender]

    def seat_after(self, seat: Seat) -> Seat:
        """Return the next seat in turn order, the first after the last; who dropped out is not considered here."""
        return self.seats[(self.seats.index(seat) + 1) % len(self.seats)]

    def partners(self, seat: Seat) -> tuple[Seat, ...]:
        """Return all seats of a seat's team, itself among them, in turn order."""
        return self._partners[seat]

    def with_options(self, values: Mapping[str, OptionValue]) -> RuleSet:
        """Return the same rule set with some options changed, for the same values the same object.

        Raises `RuleFileError` naming every unknown option or choice.
        """
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
        key = tuple((name, type(value), value) for name, value in sorted(values.items()))
        if key not in self._otherwise:
            changed = {name: replace(self.options[name], value=value) for name, value in values.items()}
            self._otherwise[key] = replace(self, options={**self.options, **changed})
        return self._otherwise[key]

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


_RUNNING = (Gait.RUN, Gait.RUN_AND_TURN)


class RuleTables:
    """A rule set in integers: rank i is the i-th of the rule set; a set of ranks is the integer with those bits."""

    def __init__(self, rules: RuleSet) -> None:
        self.counts = tuple(rule.count for rule in rules.ranks.values())
        self.bit: dict[Rank, int] = {rank: 1 << at for at, rank in enumerate(rules.ranks)}
        self.army = self.mask(rules.army)
        self.no_movers = self.mask(rank for rank, rule in rules.ranks.items() if rule.gait is Gait.NONE)
        self.movers = self.mask(rules.ranks) & ~self.no_movers
        self.runners = self.mask(rank for rank, rule in rules.ranks.items() if rule.gait in _RUNNING)
        self.no_runners = self.mask(rules.ranks) & ~self.runners
        self._sets: dict[int, frozenset[Rank]] = {}
        self.by_bits = {(self.bit[one], self.bit[other]): result for (one, other), result in rules.verdicts.items()}
        sides = list(dict.fromkeys(map(rules.partners, rules.seats)))
        self.side_of = [sides.index(rules.partners(seat)) for seat in rules.seats]
        """By seat its side, a team or with two seats the seat itself."""
        self.sides = range(len(sides))

    def mask(self, ranks: Iterable[Rank]) -> int:
        """Return the bits of some ranks; those that the rule set has not are left out."""
        return sum({self.bit.get(rank, 0) for rank in ranks})

    def ranks_of(self, mask: int) -> frozenset[Rank]:
        """Return the ranks of some bits; each set is made once."""
        found = self._sets.get(mask)
        if found is None:
            found = self._sets[mask] = frozenset(rank for rank, bit in self.bit.items() if mask & bit)
        return found

    def verdicts_of(self, attackers: int, defenders: int) -> dict[CombatResult, tuple[int, int]]:
        """Return every verdict that these attackers and defenders can come to, with those of them that can have come to it."""
        found: dict[CombatResult, tuple[int, int]] = {}
        for (attacker, defender), verdict in self.by_bits.items():
            if attacker & attackers and defender & defenders:
                one, other = found.get(verdict, (0, 0))
                found[verdict] = one | attacker, other | defender
        return found


@dataclass(frozen=True)
class _Renamed:
    now: str
    values: Mapping[bool, str]


_RENAMED = {
    "include_lake_rows": _Renamed("enemy_ground", {True: "lake-rows-too", False: "set-up-rows"}),
    "chase_rule": _Renamed("repetition", {True: Repetition.PURSUIT.value, False: Repetition.NONE.value}),
}


def name_now(name: str) -> str:
    """Return what an option is called today."""
    return _RENAMED[name].now if name in _RENAMED else name


def value_now(name: str, value: _Any) -> _Any | str:
    """Return today's value for one of the option's former values; any other is left as it is, to be refused by the rules."""
    renamed = _RENAMED.get(name)
    return renamed.values[value] if renamed is not None and isinstance(value, bool) else value


def options_now(options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Return options by today's names and values."""
    return {name_now(name): value_now(name, value) for name, value in options.items()}


def by_every_name(options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """Return today's options and beside them what they were called before; a value that there was not then stays as it is."""
    found = dict(options)
    for name, renamed in _RENAMED.items():
        if renamed.now in options:
            then = {text: value for value, text in renamed.values.items()}
            value = options[renamed.now]
            found[name] = then.get(value, value) if isinstance(value, str) else value
    return found
