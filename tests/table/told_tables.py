"""Tables told in full: what each input of a game under fire comes to - facts, letters, orders, and what everybody sees after it.

    python -m tests.table.told_tables              writes golden/told.txt anew, after a change of the table that was meant
    python -m tests.table.told_tables NAME NUMBER  shows what a line of it stands for

A line is one input that came to facts, with those before it that came to none: what happened, and a digest of all that came of them.
A digest that differs names the first input to which the table says something else; it says nothing of who is right.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from referee.rules import Hidden, PieceId, Seat, Situation, Square, rule_set
from referee.sensing import Agreed
from referee.table import arbiter_commands as orders
from referee.table.arbiter_commands import ArbiterVerb, CorrectionError
from referee.table.inputs import Reopen
from referee.table.messages import Answer, Hello, OfferTakeBack, OfferVoid, QuestionKind
from referee.table.settings import TimeControl
from referee.table.step import Step
from referee.table.views import Mode, Phase, PublicEvent, Reveal
from tests.table.inputs import CLOCKS, Said, put_in
from tests.table.storm import Storm

GOLDEN = Path(__file__).parent / "golden" / "told.txt"
LATER = frozenset({"began", "decided", "finale", "finale_s", "fresh", "took", "turned"})
"""Fields that came later: one that holds nothing is left out, so that what these games came to stays what it was."""
REASON = "as ruled at the board"


class Told(NamedTuple):
    """A game that is told: everything else follows from its name."""

    rules: str
    mode: Mode
    reveal: Reveal
    clock: TimeControl
    plies: int
    options: Mapping[str, str] = {}  # a tuple's default, which nobody changes
    sparse: bool = False
    """Whether it goes on with few pieces anywhere: flags, guesses, shots and recruits come soon there."""


NONE, SUDDEN_DEATH, FISCHER, BRONSTEIN, PER_MOVE = CLOCKS
GAMES = {
    "duel declared": Told("duel", Mode.DECLARE, Reveal.BOOK, SUDDEN_DEATH, 40),
    "duel enrolled": Told("duel", Mode.ENROL, Reveal.RESULT_ONLY, NONE, 60),
    "duel attacker-only": Told("duel", Mode.DECLARE, Reveal.ATTACKER_ONLY, PER_MOVE, 40),
    "barrage declared": Told("barrage", Mode.DECLARE, Reveal.RESULT_ONLY, FISCHER, 40),
    "barrage enrolled": Told("barrage", Mode.ENROL, Reveal.BOOK, BRONSTEIN, 40),
    "original declared": Told("original", Mode.DECLARE, Reveal.BOOK, FISCHER, 24),
    "original enrolled": Told("original", Mode.ENROL, Reveal.ATTACKER_ONLY, NONE, 24),
    "classic declared": Told("classic", Mode.DECLARE, Reveal.BOOK, NONE, 30),
    "infiltrator declared": Told("infiltrator", Mode.DECLARE, Reveal.BOOK, NONE, 40),
    "infiltrator sparse 1": Told("infiltrator", Mode.ENROL, Reveal.BOOK, NONE, 40, {}, True),
    "infiltrator sparse declared 0": Told("infiltrator", Mode.DECLARE, Reveal.BOOK, NONE, 40, {}, True),
    "stratego4": Told("stratego4", Mode.DECLARE, Reveal.BOOK, SUDDEN_DEATH, 16, {"slider": "ask-always"}),
    "three": Told("stratego4-three", Mode.ENROL, Reveal.BOOK, FISCHER, 16, {"slider": "ask-always"}),
    "four sparse 5": Told("stratego4", Mode.DECLARE, Reveal.BOOK, NONE, 40, {"slider": "ask-always"}, True),
    "three sparse 5": Told("stratego4-three", Mode.DECLARE, Reveal.BOOK, NONE, 40, {}, True),
    "teams sparse 9": Told("stratego4-teams", Mode.ENROL, Reveal.BOOK, NONE, 40, {}, True),
    "teams enrolled": Told("stratego4-teams", Mode.ENROL, Reveal.BOOK, PER_MOVE, 16),
}


def text(value: object) -> str:
    """Return a value as text that is the same in each run, sealed ones opened: sets and mappings sorted, everything by its fields."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Square):
        return value.name
    if isinstance(value, str | int):  # most values by far, and the tests for them are quick
        return repr(value)
    if isinstance(value, Hidden):
        return f"Hidden({text(value.open_hidden())})"
    if isinstance(value, Situation):
        return f"{text(value.occupants)} {text(value.turn)} {sorted(map(repr, value.prospects))}"
    if isinstance(value, msgspec.Struct):
        named = {name: getattr(value, name) for name in value.__struct_fields__}
        return type(value).__name__ + text({key: each for key, each in named.items() if each or key not in LATER})
    if isinstance(value, PieceId):
        return "PieceId" + text(value._asdict())
    if isinstance(value, tuple | list):
        return "(" + ", ".join([text(each) for each in value]) + ")"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted([text(each) for each in value])) + "}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(sorted([f"{text(key)}: {text(each)}" for key, each in value.items()])) + "}"
    if is_dataclass(value):
        kind: Any = type(value)
        named = {name: getattr(value, name) for name in _names(kind)}
        return type(value).__name__ + text({key: each for key, each in named.items() if each or key not in LATER})
    return repr(value)


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Return the fields of a dataclass."""
    return tuple(each.name for each in fields(kind))


@dataclass
class Teller(Storm):
    """A game under fire with an arbiter in it, who orders what no other player does; it tells everything and checks nothing."""

    tellings: list[tuple[str, str]] = field(default_factory=list, init=False)
    """What happened, and all that came of it."""
    over_again: bool = field(default=False, init=False)
    """Whether the arbiter has taken the end back: from then on nobody keeps the truth."""
    quiet: list[str] = field(default_factory=list, init=False)
    """What came of inputs that are no fact: letters, views, refusals."""
    numbers: Iterator[int] = field(default_factory=count, init=False)

    def _put(self, said: Said) -> Step:
        self.inputs.append(said)
        step = put_in(self.table, said)
        self.steps.append(step)
        for fact in step.facts:
            if fact.event is not None and not self.over_again:
                self.listener.hear(fact.event)
                self._follow(fact.event)
        if not self.over_again:
            self.watch.obey(step)
        for letter in step.letters:
            self._receive(letter.seat, letter.body.open_hidden())
        told = [text(said), text(step)]
        if step.view_changed:
            told.append(text(self.table.view()))
        if step.info_changed:
            told.append(text(self.table.info()))
        self.quiet += told
        if step.facts:
            self.tellings.append((" ".join(fact.kind for fact in step.facts), "\n".join(self.quiet)))
            self.quiet = []
        return step

    def _give_up(self) -> None:
        if self.chance(0.1):  # a game that ends early tells little
            super()._give_up()

    def _disturb(self) -> None:
        super()._disturb()
        if self.chance(0.15):
            for seat in self.rules.seats:
                self.say(seat, Hello(id=self.new_id()))
        if self.chance(0.5 if self.table.phase is Phase.PAUSED else 0.15):
            self.order(self.rng.choice(VERBS))

    def _verbs(self) -> None:
        super()._verbs()
        if self.chance(0.2) and not self.over:
            wish = self.rng.choice((OfferTakeBack, OfferVoid))
            ply = max(0, self.table.view().ply - self.rng.randint(0, 2))
            self.say(self.rng.choice(self.rules.seats), wish(id=self.new_id(), ply=ply))

    def _answer_offer(self) -> None:
        offer = self.table._state.offer
        assert offer is not None
        if offer.kind not in (QuestionKind.TAKE_BACK, QuestionKind.VOID):
            super()._answer_offer()
            return
        for seat in sorted(
            offer.owed, key=lambda one: one.value
        ):  # the last one refuses: nobody keeps the truth of before
            choice = "accept" if len(offer.owed) > 1 else "refuse"
            self.say(seat, Answer(id=self.new_id(), question=offer.question, choice=choice))

    def order(self, verb: Callable[[Teller, str], ArbiterVerb]) -> None:
        """Put in what an arbiter orders; what cannot be is told as well."""
        given = verb(self, f"o{next(self.numbers)}")
        try:
            self._put(Said(given, self.now_ms))
        except CorrectionError as error:
            self.inputs.pop()
            self.quiet += [text(given), error.word, str(error)]

    def afterwards(self) -> None:
        """Let the arbiter take the end back, and the last fight, and end it otherwise; the referee is started again in between."""
        self.over_again = True
        last = max(0, self.table.view().ply - 1)
        fights = [event.ply for event in self.verdicts()]
        self.order(lambda _, name: orders.TakeBack(id=name, reason=REASON, ply=last))
        self.see(Agreed(0, 0, None))
        self.order(lambda _, name: orders.VoidVerdict(id=name, reason=REASON, ply=([0, *fights])[-1]))
        for seat in self.rules.seats:
            self.say(seat, Hello(id=self.new_id()))
        self.do(Reopen(500))
        self.see(Agreed(0, 0, None))
        self.order(lambda _, name: orders.TakeBack(id=name, reason=REASON, ply=0))
        self.order(lambda teller, name: orders.EndGame(id=name, reason=REASON, result=teller.rng.choice(RESULTS)))
        for seat in self.rules.seats:
            self.say(seat, Hello(id=self.new_id()))

    def verdicts(self) -> Iterator[PublicEvent]:
        """Return the verdicts so far."""
        for step in self.steps:
            yield from (fact.event for fact in step.facts if fact.event is not None and fact.kind == "verdict")


RESULTS = ("red", "draw", "both-lose", "abort")
VERBS: tuple[Callable[[Teller, str], ArbiterVerb], ...] = (
    lambda told, name: orders.SetClock(
        id=name, reason=REASON, seat=told.rng.choice(list(Seat)), left_ms=told.rng.choice([-1, 0, 5_000, 90_000])
    ),
    lambda told, name: orders.SetHallClock(
        id=name,
        reason=REASON,
        left_ms=told.rng.choice([None, -1, 9_000, 60_000]),
        at_end=told.rng.choice(["arbiter", "draw"]),
    ),
    lambda told, name: orders.PauseGame(id=name, reason=REASON),
    lambda told, name: orders.AdjournGame(id=name, reason=REASON),
    lambda told, name: orders.ResumeGame(id=name, reason=REASON),
    lambda told, name: orders.ResumeGame(id=name, reason=REASON, by="Ann"),
    lambda told, name: orders.Penalise(id=name, reason=REASON, seat=told.rng.choice(list(Seat))),
    lambda told, name: orders.Rule(id=name, reason=REASON, seat=told.rng.choice([None, *Seat])),
    lambda told, name: orders.Rule(id=name, reason=told.rng.choice([" ", "two\nlines", "x" * 201])),
    lambda told, name: orders.TakeBack(id=name, reason=REASON, ply=999),
    lambda told, name: orders.VoidVerdict(id=name, reason=REASON, ply=-1),
    lambda told, name: orders.EndGame(id=name, reason=REASON, result="nobody"),
)


def tellings(name: str) -> list[tuple[str, str]]:
    """Return what happened in a game, and all that came of each of its inputs."""
    game = GAMES[name]
    rules = rule_set(game.rules).with_options(game.options)
    teller = Teller(rules, game.mode, game.reveal, random.Random(name), 0.3, clock=game.clock, proves=False)
    teller.play(game.plies, game.sparse)
    teller.afterwards()
    return [*teller.tellings, ("and no more", "\n".join(teller.quiet))]


def lines(name: str) -> Iterator[str]:
    """Return the golden file's lines of one game."""
    for number, (happened, told) in enumerate(tellings(name)):
        yield f"{name} | {number} {happened} | {sha256(told.encode()).hexdigest()[:8]}"


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(tellings(sys.argv[1])[int(sys.argv[2])][1])
    else:
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text("".join(f"{line}\n" for name in GAMES for line in lines(name)), encoding="utf-8")
