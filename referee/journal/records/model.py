"""One game as a value: what was set up, what was played and corrected, how it ended, and by which rules.

The public types of this package. A `Record` of a finished game may hold every rank in the clear (the referee's view), so no
repr here shows one. Whether a record is legal is `check`'s business; here only its own shape is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from referee.journal.errors import RecordError, RecordFormatError, listed
from referee.rules import CombatResult, GameResult, RulesError, rule_set, rule_set_names
from referee.rules.actions import Decided, Fire, Pass
from referee.rules.ruleset import OptionValue, RuleSet, name_now, value_now
from referee.rules.values import BySeat, Rank, Seat, Square
from referee.table.chain import option_text
from referee.table.event_actions import LONGEST_TEXT, Turn, action_text, correction_text, plain
from referee.table.settings import COMPUTER_LEVELS
from referee.table.views import Mode, Reveal

# What was corrected in a game: gone back to a ply, a verdict voided, a clock set, a penalty, a ruling, a result by the arbiter's word.
#
# One line each in our own text: `12 taken-back agreed`, `13 voided red arbiter = the wrong rank was tapped`. Reasons are words of the
# arbiter's: only the referee's view holds them.


class CorrectionKind(Enum):
    """The value is the word in the text."""

    TAKEN_BACK = "taken-back"
    VOIDED = "voided"
    CLOCK = "clock"
    PENALTY = "penalty"
    RULING = "ruling"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Correction:
    """One of them. `ply`: the one gone back to, the voided verdict's, or how many had been played."""

    kind: CorrectionKind
    ply: int
    seat: Seat | None = None
    word: str | None = None
    """`arbiter` or `agreed` of what was taken back or voided, the milliseconds of a clock, the reason of an end."""
    reason: str | None = None


def write_correction(correction: Correction) -> str:
    """Return the line of a correction, with the arbiter's reason where there is one."""
    line = correction_text(correction.kind.value, correction.ply, correction.seat, correction.word)
    return line if correction.reason is None else f"{line} = {correction.reason}"


def read_correction(number: int, line: str) -> Correction:
    """Read a line; raises `RecordFormatError` with its number."""
    said, equals, reason = line.partition("=")
    words = said.split()
    kinds = {kind.value: kind for kind in CorrectionKind}
    if len(words) < 2 or not (words[0].isascii() and words[0].isdigit()) or words[1] not in kinds:
        raise RecordFormatError("'ply word' must stand here, as in '12 taken-back agreed'", number)
    seats = {seat.value: seat for seat in Seat}
    rest = words[2:]
    seat = seats[rest.pop(0)] if rest and rest[0] in seats else None
    if len(rest) > 1 or (equals and not reason.strip()) or len(words[0]) > 6:
        raise RecordFormatError("after ply, word and seat only one more word can stand here", number)
    return Correction(
        kinds[words[1]], int(words[0]), seat, rest[0] if rest else None, reason.strip() if equals else None
    )


# The game itself.


MOST_PLIES = 20_000


class View(Enum):
    """Whose knowledge a record holds. The value is the word in the text."""

    REFEREE = "referee"
    RED = "red"
    BLUE = "blue"
    GREEN = "green"
    YELLOW = "yellow"
    PUBLIC = "public"
    ARCHIVE = "archive"

    @property
    def seat(self) -> Seat | None:
        """Return the seat whose view this is; None for the referee's, the public and the archive view."""
        return _SEATS.get(self.value)


_SEATS = {seat.value: seat for seat in Seat}


class SetUp(Mapping[Square, Rank | None]):
    """The squares a seat set its pieces on, each with its rank, None where this view does not know it. Immutable."""

    __slots__ = ("_ranks",)

    def __init__(self, ranks: Mapping[Square, Rank | None] | None = None) -> None:
        given = ranks or {}
        self._ranks: dict[Square, Rank | None] = {square: given[square] for square in sorted(given, key=square_order)}

    def __getitem__(self, square: Square) -> Rank | None:
        return self._ranks[square]

    def __iter__(self) -> Iterator[Square]:
        return iter(self._ranks)

    def __len__(self) -> int:
        return len(self._ranks)

    def __hash__(self) -> int:
        return hash(tuple(self._ranks.items()))

    def __repr__(self) -> str:
        return f"SetUp({len(self)} pieces)"

    @property
    def known(self) -> dict[Square, Rank]:
        """Return the pieces whose rank is known."""
        return {square: rank for square, rank in self._ranks.items() if rank is not None}


def square_order(square: Square) -> tuple[int, str]:
    """Order squares by row, then column; squares without a row number (the castle's) come last."""
    digits = square.name.lstrip("abcdefghijklmnopqrstuvwxyz")
    return (int(digits), square.name) if digits.isascii() and digits.isdigit() else (1_000_000, square.name)


@dataclass(frozen=True, slots=True)
class GiveUp:
    """A seat leaves a game that the others play on: its pieces go off the board, unseen (Stratego 4)."""


Choice = Decided | GiveUp
"""What may be decided between two turns in Stratego 4."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What `seat` decided: the flags that it takes on `square`, its captured piece that comes back there, its slider, or to give up.

    A recruit's rank is public: captured pieces may be inspected (booklet 004), so a missing one is seen.
    """

    seat: Seat
    choice: Choice
    square: Square | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Ply:
    """One turn, and what was decided after it.

    `result` is the verdict of an attack, an infiltration or a shot, None for a move (or where it was not recorded).
    `attacker` and `defender` are the ranks in an attack or a shot that this view was told at that moment. An infiltration has
    neither: who infiltrates is an infiltrator, and the guess was spoken.
    """

    seat: Seat
    action: Turn
    result: CombatResult | None = None
    attacker: Rank | None = None
    defender: Rank | None = None
    decisions: tuple[Decision, ...] = ()

    def __repr__(self) -> str:
        return f"Ply({self.seat.value} {action_text(self.action, self.result is not None)})"


def squares_of(action: Turn) -> frozenset[Square]:
    """Return every square that an action names: source, target and path; none for a pass."""
    if isinstance(action, Pass):
        return frozenset()
    via = () if isinstance(action, Fire) else action.via
    return frozenset((action.source, action.target, *via))


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """One game. `view` says whose knowledge it is; a rank that view may not know is None wherever it would stand.

    `rules` names a rule set, `options` its options that differ from their defaults, `any_army` a game with pieces of the
    player's own choice (some of Gravon's), whose set-up is not checked. `consent` lists the owners who let the archive show
    their set-up. `set_ups` is empty for a game that ended before it was set up; `before` holds what was decided before the
    first ply (to give up). Raises `RecordError` for text that cannot stand in one line, plies without set-ups, and more
    than 20,000 plies.
    """

    rules: str
    set_ups: BySeat[SetUp] = field(default_factory=lambda: BySeat({}))
    plies: tuple[Ply, ...] = ()
    result: GameResult | None = None
    view: View = View.REFEREE
    mode: Mode = Mode.DECLARE
    reveal: Reveal = Reveal.BOOK
    names: BySeat[str] = field(default_factory=lambda: BySeat({}))
    consent: frozenset[Seat] = frozenset()
    date: str | None = None
    event: str | None = None
    round: str | None = None
    table: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    any_army: bool = False
    before: tuple[Decision, ...] = ()
    corrections: tuple[Correction, ...] = ()
    """What was corrected on the way, in order; what was taken back is in no ply."""
    game: str | None = None
    """The id under which the table published it; commitments are made for it."""
    roots: BySeat[str] = field(default_factory=lambda: BySeat({}))
    """What each enrolled set-up was committed with before the first move, as it was published."""
    seeds: BySeat[str] = field(default_factory=lambda: BySeat({}))
    """What the salts were made from; who has a set-up and its seed can compute the root. As hidden as the set-up."""
    computers: BySeat[str] = field(default_factory=lambda: BySeat({}))
    """The level of each seat that the computer played."""
    engine: str | None = None
    """Which way of choosing the computer had; None where there was none, and in records of the first one."""
    chain: tuple[str, ...] = ()
    """The texts of the links of its chain, the same in every view; and what they lead to, as it was published."""
    head: str | None = None
    salts: BySeat[str] = field(default_factory=lambda: BySeat({}))
    """What salts each player's name in the chain."""
    reason_seed: str | None = None
    """What salts the arbiter's reasons in the chain; the referee's view alone has it, where there are any."""
    signatures: Mapping[str, str] = field(default_factory=dict)
    """Key and signature of each who signed the head with the result: seats, and `station`."""

    def __post_init__(self) -> None:
        faults = list(_shape_faults(self))
        if faults:
            raise RecordError(listed(faults))

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return the seats that have a set-up."""
        return tuple(self.set_ups)

    @property
    def is_seen(self) -> bool:
        """Return whether it was written down by spectators, who hear no seed and no salt: what it lacks of its chain is no fault."""
        return bool(self.chain) and self.view in (View.PUBLIC, View.ARCHIVE) and not (self.seeds or self.salts)

    def __repr__(self) -> str:
        ending = "unfinished" if self.result is None else self.result.reason.value
        return f"Record({self.rules}, {self.view.value} view, {len(self.plies)} plies, {ending})"


def _shape_faults(record: Record) -> Iterator[str]:
    texts = {
        **{
            key: getattr(record, key)
            for key in ("rules", "date", "event", "round", "table", "game", "engine", "head", "reason_seed")
        },
        **{f"reason {at} of the corrections": each.reason for at, each in enumerate(record.corrections, 1)},
        **{f"the root of {seat.value}": text for seat, text in record.roots.items()},
        **{f"the seed of {seat.value}": text for seat, text in record.seeds.items()},
        **{f"the salt of {seat.value}": text for seat, text in record.salts.items()},
        **{f"the signature of {signer}": text for signer, text in record.signatures.items()},
        **{f"the name of {seat.value}": name for seat, name in record.names.items()},
        **{f"option {name}": value for name, value in record.options.items()},
        **{f"the name of option {name!r}": name for name in record.options},
    }
    for what, text in texts.items():
        if text is not None and (not text or text != plain(text)):
            yield f"{what} must be one line of at most {LONGEST_TEXT} characters, without white space around it"
    for seat, level in record.computers.items():
        if level not in map(str, COMPUTER_LEVELS):
            yield f"the level of {seat.value}'s computer is no number from 1 to 5"
    if (record.plies or record.before) and not record.set_ups:
        yield "there are plies but no set-up"
    if any(not text.isprintable() or text != text.strip() or not text for text in record.chain):
        yield "a link of the chain is not one line"
    if len(record.plies) > MOST_PLIES:
        yield f"{len(record.plies)} plies are more than {MOST_PLIES:,}"
    if not record.consent <= set(record.seats) and record.set_ups:
        yield "a seat consents that did not set up"
    if not set(record.computers) <= set(record.seats) and record.set_ups:
        yield "the computer played a seat that did not set up"


# Which rules a record's game was played by: the rule set that it names, and the options that it names of it.


def rules_of(record: Record, rules: RuleSet | None = None) -> RuleSet:
    """Return the rule set that a record names, or the shipped one `rules`, with the record's options.

    House rules are taken as they are. Raises `RecordError`.
    """
    if rules is not None and (rules.name not in rule_set_names() or rules is not rule_set(rules.name)):
        return rules
    try:
        named = rule_set(record.rules) if rules is None else rules
        texts = {
            name: text for name, text in record.options.items() if rules is None or name_now(name) in rules.options
        }
        return named.with_options(_values(named, texts))
    except RulesError as error:
        raise RecordError(str(error)) from None


def options_of(rules: RuleSet) -> dict[str, str]:
    """Return the options that a record of a game by these rules has to name, so that `rules_of` finds them again.

    None for house rules: a record does not say what they are.
    """
    if rules.name not in rule_set_names():
        return {}
    shipped = rule_set(rules.name).options
    return {name: option_text(each.value) for name, each in rules.options.items() if shipped[name].value != each.value}


def former_options(name: str) -> dict[str, str]:
    """Return the options of a game by this rule set that names none: one of another program, or of our first format.

    None for a rule set that is not shipped.
    """
    former = rule_set(name).former_options if name in rule_set_names() else {}
    return {option: option_text(value) for option, value in former.items()}


def _values(rules: RuleSet, texts: Mapping[str, str]) -> dict[str, OptionValue]:
    """Return the options' values for their texts; a text that is no choice stays a text, which the rules refuse."""
    values: dict[str, OptionValue] = {}
    for name, text in texts.items():
        now = name_now(name)
        choices = rules.options[now].choices if now in rules.options else ()
        said = option_text(value_now(name, {"true": True, "false": False}.get(text, text)))
        values[now] = next((choice for choice in choices if option_text(choice) == said), text)
    return values
