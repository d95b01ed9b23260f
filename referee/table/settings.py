"""What is agreed before a game starts; and the same as a journal and a frame log keep it (`settings_as_told`, `settings_from`)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Any

import msgspec

from referee.rules import Hidden, OptionValue, RuleSet, Seat
from referee.rules.outcomes import RuleFileError
from referee.rules.ruleset import Special, by_every_name, options_now
from referee.table.views import Mode, Reveal

COMPUTER_LEVELS = range(1, 6)
"""How strong the computer may be."""
COMPUTER_ENGINE = "2"
"""Which way of choosing it has: another one, once a choice or a set-up comes out otherwise from the same inputs and seed."""
FIRST_ENGINE = "1"
"""The one of games that name none."""


class SettingsError(Exception):
    """Settings that cannot be played, e.g. a mode that the rule set does not have."""


MOST_MS = 24 * 3_600_000
"""More is no time control and no adjustment."""


class ClockKind(Enum):
    """How a player's time is measured; the values are the words of the table's file."""

    NONE = "none"
    SUDDEN_DEATH = "sudden-death"
    """So much for the whole game."""
    FISCHER = "fischer"
    """So much for the game, and some more after each of the player's plies."""
    BRONSTEIN = "bronstein"
    """So much for the game, and after each ply what it took, up to some."""
    PER_MOVE = "per-move"
    """So much for each ply; what is left of it is lost."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """The times of a game. Raises `SettingsError` where they do not go together."""

    kind: ClockKind = ClockKind.NONE
    game_ms: int = 0
    """A seat's time for the whole game; 0 without a clock and with `per-move`."""
    ply_ms: int = 0
    """What a ply brings (`fischer`, `bronstein`) or may take (`per-move`)."""
    set_up_ms: int = 0
    """How long a seat may take until it says that it is ready; 0 is as long as it likes."""

    def __post_init__(self) -> None:
        """Check."""
        by_game = self.kind not in (ClockKind.NONE, ClockKind.PER_MOVE)
        by_ply = self.kind not in (ClockKind.NONE, ClockKind.SUDDEN_DEATH)
        for wanted, value in ((by_game, self.game_ms), (by_ply, self.ply_ms)):
            if not (0 < value <= MOST_MS if wanted else value == 0):
                raise SettingsError(f"a clock of kind {self.kind.value} does not go with {value} ms")
        if not 0 <= self.set_up_ms <= MOST_MS:
            raise SettingsError(f"no set-up may take {self.set_up_ms} ms")

    def __bool__(self) -> bool:
        return self.kind is not ClockKind.NONE or self.set_up_ms > 0


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a player may keep a game with clocks waiting, for each seat and game. Games without clocks have no such limits."""

    grace_ms: int = 30_000
    """How long a seat's clock stands still altogether while its phone is not connected."""
    pauses: int | None = 2
    """How often a player may pause; None: as often as he likes, until everybody is ready to go on."""
    pause_ms: int = 300_000
    """After so long a player's pause ends by itself."""


NO_LIMITS = Limits(0, None, 0)
"""What games without clocks are played by, and journals that name no limits."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """Where a game belongs in an event: the event's id, the round and the table, counted from 1."""

    event: str
    round: int
    table: int


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Rule set, mode and limits of one table; times in milliseconds of the monotonic clock that is passed in."""

    board_id: str
    game: str
    rule_set: RuleSet
    mode: Mode = Mode.DECLARE
    reveal: Reveal = Reveal.BOOK
    names: Mapping[Seat, str] = field(default_factory=dict)
    version: str = ""
    answer_limit_ms: int = 180_000
    """Silence on a question beyond this pauses the game and offers the arbiter."""
    secret: Hidden[bytes] | None = None
    """32 random bytes that salt the commitments of this game; None publishes none."""
    clock: TimeControl = field(default_factory=TimeControl)
    occasion: Occasion | None = None
    """What the game counts for, where a station has said so."""
    limits: Limits = field(default_factory=Limits)
    """They hold where there is a clock."""
    decided: tuple[Seat, ...] = ()
    """Seats whose moves are decided elsewhere and carried out at the board (docs/reference/messages.md)."""
    computers: Mapping[Seat, int] = field(default_factory=dict)
    """Those among them that the computer plays, with its level."""
    engine: str = COMPUTER_ENGINE
    """Which way of choosing it has; of no meaning where it plays no seat."""
    salts: Hidden[Mapping[Seat, str]] | None = None
    """What salts each player's name, as hex, drawn for each apart so that it can be forgotten; without them the game has no chain."""
    finale_ms: int = 0
    """So long after its end it is shown whether both armies are turned over; 0: nobody is asked."""
    date: str | None = None
    """The day on which it is opened, as people at the table count days: `2026-11-26`."""


# --- as JSON has it ---------------------------------------------------------------------------------------------------


_FIRST_OPTIONS = {
    False: "chase_rule immobile_moved include_lake_rows line_must_be_clear move_then_infiltrate no_progress_limit "
    "spy_against_spy turn_without_move two_square_limit wrong_guess_reveals",
    True: "abandoned_flag_recruits cannon_attack captain_return first_seat leaving_a_flag leaving_the_game mutual_loss "
    "no_progress_limit scout_attack shot_counts slider take_flag turret_entry two_square_limit without_a_move",
}
"""The options that the mark of the first journals covers, by whether there is a castle: all that there were, also those with one choice."""


def settings_as_told(settings: TableSettings) -> Mapping[str, Any]:
    """Return settings as JSON values, with the name and mark of the rule set instead of its rules."""
    options = {name: each.value for name, each in settings.rule_set.options.items() if len(each.choices) > 1}
    told: dict[str, Any] = msgspec.to_builtins(
        {
            "board_id": settings.board_id,
            "game": settings.game,
            "rules": settings.rule_set.name,
            "rules_mark": rules_mark(settings.rule_set, options),
            "options": options,
            "mode": settings.mode,
            "reveal": settings.reveal,
            "names": settings.names,
            "version": settings.version,
            "answer_limit_ms": settings.answer_limit_ms,
            "clock": settings.clock or None,
            **({} if settings.date is None else {"date": settings.date}),
            **({} if settings.occasion is None else {"occasion": settings.occasion}),
            **({"decided": settings.decided} if settings.decided else {}),
            **({"computers": settings.computers, "engine": settings.engine} if settings.computers else {}),
            **({"limits": settings.limits} if settings.clock and settings.limits != NO_LIMITS else {}),
            **({"finale_ms": settings.finale_ms} if settings.finale_ms else {}),
        },
        str_keys=True,
    )
    return told


def settings_from(told: Mapping[str, Any], rules: RuleSet) -> TableSettings:
    """Return settings from what `settings_as_told` gave; raises `SettingsError` when these are not the rules that were meant."""
    rules = rules_as_told(rules, told)
    values = _values(rules)
    options = {name: values.get(name, value) for name, value in told.get("options", {}).items()}
    if rules.name != told["rules"] or told["rules_mark"] not in (rules_mark(rules, options), _first_mark(rules)):
        raise SettingsError(f"the game is played by rule set {told['rules']} as it was then, and that is not at hand")
    return TableSettings(
        board_id=told["board_id"],
        game=told["game"],
        rule_set=rules,
        mode=Mode(told["mode"]),
        reveal=Reveal(told["reveal"]),
        names={Seat(word): name for word, name in told["names"].items()},
        version=told["version"],
        answer_limit_ms=told["answer_limit_ms"],
        clock=msgspec.convert(told.get("clock") or {}, type=TimeControl),
        date=told.get("date"),
        occasion=Occasion(**told["occasion"]) if "occasion" in told else None,
        limits=Limits(**told["limits"]) if "limits" in told else NO_LIMITS if told.get("clock") else Limits(),
        decided=tuple(Seat(word) for word in told.get("decided", ())),
        computers={Seat(word): level for word, level in told.get("computers", {}).items()},
        finale_ms=told.get("finale_ms", 0),
        engine=told.get("engine", FIRST_ENGINE if told.get("computers") else COMPUTER_ENGINE),
    )


def opened_with(hidden: Mapping[str, str]) -> tuple[bytes, dict[Seat, str]]:
    """Return the secret of a game's commitments and the salts of its names, as the hidden part of its opening has them."""
    salts = {seat: hidden[key] for seat in Seat if (key := f"salt.{seat.value}") in hidden}
    return bytes.fromhex(hidden["secret"]), salts


def rules_as_told(rules: RuleSet, told: Mapping[str, Any]) -> RuleSet:
    """Return the rules with the options that a game's settings name, others as they were then
    (`RuleSet.former_options`).

    They come back as they are where they no longer know what is named, and so are other rules.
    """
    values = rules.former_options | options_now(told.get("options", {}))  # the oldest journals name none
    changed = {name: value for name, value in values.items() if rules.option(name, value) != value}
    try:
        return rules.with_options(changed) if changed else rules
    except RuleFileError:
        return rules


def _first_mark(rules: RuleSet) -> str:
    """Return the mark that the first journals had for these rules, whatever options came since."""
    values = _values(rules)
    names = _FIRST_OPTIONS[Special.CASTLE in rules.specials].split()
    return rules_mark(rules, {name: values[name] for name in names if name in values})


def _values(rules: RuleSet) -> dict[str, OptionValue]:
    """Return the rules' options by today's names and those that journals of before have."""
    return by_every_name({name: option.value for name, option in rules.options.items()})


def rules_mark(rules: RuleSet, options: Mapping[str, OptionValue]) -> str:
    """Return 16 hex digits that change with whatever decides a game: board, armies, gaits, combat and these options."""
    text = f"({_fixed(rules)}, {sorted(options.items())!r}, {sorted(special.value for special in rules.specials)!r})"
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


@lru_cache(maxsize=32)
def _fixed(rules: RuleSet) -> str:
    """Return what no option changes, as `rules_mark` has it; every game that opens asks, and the board alone has a hundred squares."""
    parts = (
        rules.name,
        [(square.name, rules.board.place(square)) for square in rules.board.squares],
        [seat.value for seat in rules.seats],
        [[seat.value for seat in team] for team in rules.teams],
        [(rank.value, rule.count, rule.gait.value) for rank, rule in rules.ranks.items()],
        sorted((one.value, other.value, result.value) for (one, other), result in rules.verdicts.items()),
        rules.filled,
    )
    return repr(parts)[1:-1]
