"""A table under fire: players who know the rules, hands as sensing would report them, junk from every seat in every phase.

One seed decides everything. After each input the table is held against the events, the truth and what sensing was told.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple, TypeAlias

from referee.journal.events import EVENTS
from referee.net.sealing.sealing import fitted
from referee.net.topics.codec import encode_public
from referee.rules import (
    Action,
    CombatResult,
    Fire,
    Game,
    Infiltrate,
    Move,
    MoveSlider,
    Pass,
    Prospect,
    Recruit,
    RuleSet,
    TakeFlags,
)
from referee.rules.hidden import Hidden
from referee.rules.outcomes import ActionResult
from referee.rules.values import PieceId, Rank, Seat, Square
from referee.runtime.set_ups import generate
from referee.sensing import (
    AttackSeen,
    Difference,
    Final,
    Lifted,
    Observation,
    Read,
)
from referee.table.dual_game import DualGame, HistoryEntry
from referee.table.inputs import Input, Open, SeatSays
from referee.table.messages import (
    Accepted,
    Answer,
    ClaimImmobile,
    Declare,
    Enrol,
    FromHandset,
    Hello,
    OfferDraw,
    Question,
    QuestionKind,
    Ready,
    Rejected,
    Resign,
    TellAttack,
    TellFire,
    TellInfiltrate,
    TellLeave,
    ToHandset,
    Told,
)
from referee.table.settings import TableSettings, TimeControl
from referee.table.state import OpenPly
from referee.table.step import Follow, Step
from referee.table.table import Table
from referee.table.views import Mode, Phase, PublicEvent, Reveal
from tests.table.inputs import Jump, Said, put_in, words
from tests.table.listening import Listener, Watch

SECRET = bytes(range(32))
SALTS = {seat: f"{at:032x}" for at, seat in enumerate(Seat, start=1)}
AT_REST = (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND)
RANK_WORDS = frozenset(rank.value for rank in Rank)


Fingerprint: TypeAlias = tuple[str, list[list[HistoryEntry]]]


class Fight(NamedTuple):
    """Who met whom and how it ended; with the guess of an infiltration, or by a shot."""

    piece: PieceId
    other: PieceId
    guess: Rank | None
    fired: bool
    result: CombatResult


@dataclass
class RandomTable:
    """One table and everything that is known about it outside."""

    rules: RuleSet
    mode: Mode
    reveal: Reveal
    rng: random.Random
    junk: float = 0.3
    lies: bool = True
    """Whether somebody declares what cannot be now and then."""
    clock: TimeControl = field(default_factory=TimeControl)
    decided: tuple[Seat, ...] = ()
    """Seats whose moves are decided elsewhere."""
    proves: bool = True
    """Whether each step is held to what a table promises; where a game is only needed, that costs half of it."""
    salts: Mapping[Seat, str] | None = field(default_factory=lambda: SALTS)
    """Those of the names; without them the game has no chain, as those of before."""
    table: Table = field(init=False)
    set_ups: dict[Seat, dict[Square, Rank]] = field(init=False)
    truth: Game | None = None
    truths: list[Game] = field(default_factory=list)
    """The truth before each ply that is not final, oldest first."""
    listener: Listener = field(default_factory=Listener)
    watch: Watch = field(default_factory=Watch)
    inputs: list[Said] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    questions: dict[Seat, list[Question]] = field(default_factory=dict)
    pending: Action | None = None
    about: dict[str, PieceId] = field(default_factory=dict)
    """Which piece a declaration is about, by its id."""
    honest: set[str] = field(default_factory=set)
    """The ids of true set-ups, enrolled or consented to."""
    fights: list[Fight] = field(default_factory=list)
    captured_once: set[PieceId] = field(default_factory=set)
    now_ms: int = 1000
    ids: int = 0
    _looked_at: dict[int, HistoryEntry] = field(default_factory=dict)
    """What was done and named no rank, by identity: an entry never changes, and is kept here so that no other takes its place."""
    waits: dict[Seat, str] = field(default_factory=dict)
    """The told attacks that have been told that they wait, and have no answer yet: their ids."""
    remembered: Fingerprint = field(default=("", []), init=False)
    """The table's fingerprint after the last input."""

    def __post_init__(self) -> None:
        said = TableSettings("t1", "g1", self.rules, self.mode, self.reveal, secret=Hidden(SECRET), clock=self.clock)
        salts = None if self.salts is None else Hidden(self.salts)
        self.table = Table(replace(said, decided=self.decided, salts=salts))
        self.set_ups = {seat: generate(self.rules, seat, self.rng) for seat in self.rules.seats}
        self.do(Open())

    def jump(self, pieces: Mapping[Seat, Mapping[Square, Rank]], turn: Seat) -> None:
        """Go on from another position, as if it had come about; it has no record."""
        owners = {square: seat for seat, squares in pieces.items() for square in squares}
        ranks = {square: rank for squares in pieces.values() for square, rank in squares.items()}
        self.truth = Game(self.rules, owners, ranks, turn)
        self.listener.occupants = {square.name: seat for square, seat in owners.items()}
        self.set_ups = {seat: dict(squares) for seat, squares in pieces.items()}
        self._put(Said(Jump(pieces, turn), self.now_ms))
        self.watch.order = Follow(self.table._state.game.public.situation())

    # ---- putting in

    def see(self, observation: Observation) -> Step:
        """Put in what sensing says; after some words it is silent."""
        self.watch.said(observation)
        return self._put(Said(observation, self.now_ms))

    def say(self, seat: Seat, message: FromHandset) -> Step:
        """Put in what a handset says; a message that is rejected has changed nothing."""
        before = self.remembered
        step = self._put(Said(SeatSays(seat, message), self.now_ms))
        answers = [letter.body.open_hidden() for letter in step.letters if letter.seat is seat]
        if isinstance(answers[0], Told):
            held = self.table._state.held[seat]
            assert (answers[0].reason, held.seat, held.message.id) == ("attack-waits", seat, message.id)
            assert (step.facts, step.orders, step.view_changed, len(step.letters)) == ((), (), False, 1)
            return step
        if any(isinstance(answer, Rejected) and answer.re == message.id for answer in answers):  # not one that was held
            assert (step.facts, step.orders, step.view_changed, len(step.letters)) == ((), (), False, 1), message
            assert self.remembered == before, type(message)
        elif not isinstance(message, Hello):
            assert getattr(answers[0], "re", None) == message.id
        return step

    def do(self, given: Input) -> Step:
        """Put in what neither sensing nor a handset says."""
        return self._put(Said(given, self.now_ms))

    def _put(self, said: Said) -> Step:
        self.inputs.append(said)
        step = put_in(self.table, said)
        self.steps.append(step)
        for fact in step.facts:
            assert fact.kind in EVENTS
            if fact.event is not None:
                assert fact.event.kind == fact.kind
                self.listener.hear(fact.event)
                self._follow(fact.event)
                if self.proves:
                    self._only_public_ranks(encode_public(fact.event).decode(), fact.kind)
        self.watch.obey(step)
        self._answered_once(step)
        for letter in step.letters:
            self._receive(letter.seat, letter.body.open_hidden())
        if self.proves:
            self._check(step)
        return step

    # ---- checking

    def _check(self, step: Step) -> None:
        for letter in step.letters:
            fitted(letter.body.open_hidden())
        view = self.table.view()
        self.listener.agrees(view)
        encode_public(view)
        text, histories = self.remembered = self.fingerprint()
        done = {id(entry): entry for history in histories for entry in history}
        told = text.replace(f"Game({self.rules.name}", "") + repr(step).replace("text='infiltrator'", "")
        told = re.sub(r"opened rules=[^']*", "", told)  # the options are named after ranks
        told = " ".join([told, *(repr(entry) for at, entry in done.items() if at not in self._looked_at)])
        assert not self._unspoken(told) - {"flag"}, "a rank in a text form"
        self._looked_at |= done
        if self.truth is not None:
            self._books_agree(self.truth)

    def _answered_once(self, step: Step) -> None:
        """An attack that waits is answered once, after the word that says so; no ply becomes final by a word that tells one."""
        what, heard = self.inputs[-1].what, list[tuple[Seat, str]]()
        if isinstance(what, SeatSays) and isinstance(what.message, TellAttack | TellInfiltrate | TellFire):
            assert all(fact.kind != "move.final" for fact in step.facts)
        for letter in step.letters:
            match letter.body.open_hidden():
                case Told(reason="attack-waits"):
                    assert isinstance(what, SeatSays)
                    assert self.waits.get(letter.seat) in (None, what.message.id)
                    self.waits[letter.seat] = what.message.id
                case Told(reason=reason):
                    heard.append((letter.seat, reason))
                case Accepted(re=re) | Rejected(re=re) if re == self.waits.get(letter.seat):
                    assert heard[-1] == (letter.seat, "attack-answered")
                    del self.waits[letter.seat]
        assert self.waits == {seat: held.message.id for seat, held in self.table._state.held.items()}

    def _books_agree(self, truth: Game) -> None:
        books = self.table._state.dual
        assert books is not None
        assert books.public.occupants() == books.known.occupants() == truth.occupants()
        if self.table.result is None:
            assert books.public.turn is books.known.turn is truth.turn
            assert books.public.ply == books.known.ply == truth.ply
        for square in truth.occupants():
            piece = truth.piece_at(square)
            assert piece is not None
            assert truth.possible(piece) <= books.known.possible(piece) <= books.public.possible(piece)

    def _only_public_ranks(self, text: str, kind: str) -> None:
        """No rank is named in public but those of captured pieces and those that were spoken aloud."""
        if kind in ("end", "opened"):
            return  # its reason may be the word flag, and one rule set is called infiltrator
        assert not self._unspoken(text), kind

    def _unspoken(self, text: str) -> set[str]:
        """Return the ranks in a text that were not spoken aloud."""
        unspoken = RANK_WORDS - self.listener.spoken
        found = [word for word in unspoken if word in text]  # seldom one, and quicker than to take all words apart
        return set(words(text)) & unspoken if found else set()

    def _follow(self, event: PublicEvent) -> None:
        """Let the truth do what everybody heard."""
        if event.kind == "begin":
            placed = {square: rank for set_up in self.set_ups.values() for square, rank in set_up.items()}
            owners = {square: seat for seat, set_up in self.set_ups.items() for square in set_up}
            self.truth = Game(self.rules, owners, placed)
            return
        truth = self.truth
        if truth is None:
            return
        if self.mode is Mode.DECLARE:
            truth.result = None  # that somebody cannot move need not follow from what everybody knows
        match event.kind:
            case "move.read":
                self.truths.append(truth.copy())
                truth.play(self._move(event))
            case "move.revised":
                self.truth = self.truths[-1].copy()
                self.truth.play(self._move(event))
            case "move.taken-back" | "move.unread":
                self.truth = self.truths.pop()
            case "move.refused" if event.ply == truth.ply:
                self.truth = self.truths.pop()
            case "move.final":
                self.truths.pop(0)
            case "attack" | "infiltrate" | "fire":
                self.pending = self._action(event)
            case "attack.withdrawn":
                self.pending = None
            case "verdict":
                assert self.pending is not None
                if isinstance(self.pending, Move):
                    way = tuple(Square(name) for name in event.via)
                    self.pending = Move(self.pending.source, self.pending.target, way, self.pending.leaving)
                played = truth.play(self.pending)
                assert played.result is not None
                assert event.result == played.result.value
                self._remember(played)
            case "pass":
                truth.play(Pass())
            case "recruited":
                assert event.seat
                truth.play(Recruit(PieceId(event.seat, int((event.text or "").split()[0]))))
            case "recruit.declined":
                truth.play(Recruit(None))
            case "slider.decided":
                truth.play(MoveSlider(event.text == "up"))
            case "flags.taken":
                assert event.target
                flags = tuple(Seat(word) for word in (event.text or "").split(",") if word != "none")
                truth.play(TakeFlags(Square(event.target), flags))
            case "resigned":
                assert event.seat
                truth.drop_out(event.seat)

    def _remember(self, played: ActionResult) -> None:
        action, self.pending = self.pending, None
        assert played.piece is not None
        assert played.defender is not None
        assert played.result is not None
        guess = action.guess if isinstance(action, Infiltrate) else None
        self.fights.append(Fight(played.piece, played.defender, guess, isinstance(action, Fire), played.result))
        self.captured_once |= set(played.captured)

    def _move(self, event: PublicEvent) -> Move:
        assert event.source
        assert event.target
        left = tuple(Seat(word) for word in (event.text or "").split())
        via = tuple(Square(name) for name in event.via)
        return Move(Square(event.source), Square(event.target), via, left)

    def _action(self, event: PublicEvent) -> Action:
        assert event.source
        assert event.target
        source, target = Square(event.source), Square(event.target)
        if event.kind == "infiltrate":
            return Infiltrate(source, target, Rank(event.text), tuple(Square(name) for name in event.via))
        if event.kind == "fire":
            return Fire(source, target)
        left = tuple(Seat(word) for word in (event.text or "").split())
        return Move(source, target, tuple(Square(name) for name in event.via), left)

    def _receive(self, seat: Seat, message: ToHandset) -> None:
        if isinstance(message, Question):
            self.questions.setdefault(seat, []).append(message)

    def fingerprint(self) -> Fingerprint:
        """Return all that the table remembers, but for the count of letters; the histories of its games beside the text of the rest.

        Nothing where steps are not held to their promises.
        """
        if not self.proves:
            return "", []
        state, histories = self.table._state, list[list[HistoryEntry]]()
        names = [one.name for one in fields(state) if one.repr and one.name not in ("settings", "letters_sent")]
        text = " ".join(f"{name}={self._text(getattr(state, name), histories)}" for name in names)
        return text, histories

    def _text(self, value: object, histories: list[list[HistoryEntry]]) -> str:
        """Return the text form of a part of the state. Histories only grow longer, and their entries are shared: they are put aside."""
        match value:
            case DualGame() | OpenPly():
                return " ".join(
                    f"{one.name}={self._text(getattr(value, one.name), histories)}" for one in fields(value) if one.repr
                )
            case list() if value and isinstance(value[0], HistoryEntry):
                histories.append(value.copy())
                return f"history {len(histories)}"
            case list():
                return ", ".join([self._text(one, histories) for one in value])
        return repr(value)

    def new_id(self) -> str:
        """Return the next message id."""
        self.ids += 1
        return f"m{self.ids}"

    # ---- hands and words

    def action(self, action: Action) -> None:
        """Bring about a legal action by hands and words."""
        assert self.truth is not None
        seat = self.truth.turn
        self._bring_about(seat, action)
        while self.table._state.held and self.rng.random() < 0.8:
            self.see(Final(0))

    def _bring_about(self, seat: Seat, action: Action) -> None:
        assert self.truth is not None
        if isinstance(action, Pass):
            self.say(seat, ClaimImmobile(id=self.new_id()))
        elif isinstance(action, Infiltrate):
            told = TellInfiltrate(
                id=self.new_id(), source=action.source.name, target=action.target.name, guess=action.guess
            )
            self.say(seat, told)
        elif isinstance(action, Fire):
            self.say(seat, TellFire(id=self.new_id(), source=action.source.name, target=action.target.name))
        elif isinstance(action, Move):
            if action.leaving:
                leave = TellLeave(id=self.new_id(), square=action.source.name, flags=action.leaving[::-1])
                self.say(seat, leave)
            if self.rng.random() < 0.9:  # in a quick slide nobody is seen in the air
                self.see(Lifted(action.source, 0))
            if self.truth.is_attack(action):
                self._strike(seat, action)
            elif self.watch.situation is not None:
                self.see(Read(self.prospect(self.watch.situation.prospects, action), 0))

    def _strike(self, seat: Seat, action: Move) -> None:
        if self.rng.random() < 0.5 and self.table.phase is Phase.PIECE_IN_HAND:
            source = self.rng.choice([None, action.source.name])
            self.say(seat, TellAttack(id=self.new_id(), source=source, target=action.target.name))
            return
        self.see(Lifted(action.target, 0))
        self.see(AttackSeen(action.source, action.target, 0))

    def prospect(self, prospects: Sequence[Prospect], action: Move) -> Prospect:
        """Return the prospect of a move as sensing would name it: by source and target."""
        found = [p for p in prospects if (p.source, p.target) == (action.source, action.target)]
        return next((p for p in found if p.path_told == action.via), found[0])

    def differ(self) -> tuple[Difference, ...]:
        """Return some squares that differ from the game."""
        squares = self.rng.sample(list(self.rules.board.squares), self.rng.randint(1, 3))
        last = self.table.view().last_move
        if last is not None and self.rng.random() < 0.3:
            squares.append(self.rules.board.square(self.rng.choice([last.source, last.target])))
        return tuple(Difference(square, None, 0) for square in squares)  # type: ignore[arg-type]  # Reading.EMPTY

    def owed(self, seat: Seat) -> Question | None:
        """Return the last question that a seat was asked."""
        asked = self.questions.get(seat)
        return asked[-1] if asked else None

    def reply(self, seat: Seat, question: Question) -> FromHandset:
        """Answer truthfully, or by chance where there is nothing true."""
        if question.kind is QuestionKind.DECLARE:
            assert self.truth is not None
            assert question.square
            piece = self.truth.piece_at(Square(question.square))
            assert piece is not None
            (rank,) = self.truth.possible(piece)
            assert rank.value in question.choices, "the truth cannot be said"
            message = Declare(id=self.new_id(), question=question.question, rank=rank)
            self.about[message.id] = piece
            return message
        return Answer(id=self.new_id(), question=question.question, choice=self.rng.choice(question.choices))

    def accept(self, question: Question) -> Answer:
        """Accept a draw or a claim."""
        return Answer(id=self.new_id(), question=question.question, choice="accept")

    def ready(self, seat: Seat) -> None:
        """Enrol, if that is how it is played, and be ready."""
        if self.mode is Mode.ENROL:
            set_up = {square.name: rank for square, rank in self.set_ups[seat].items()}
            message = Enrol(id=self.new_id(), set_up=set_up)
            self.honest.add(message.id)
            self.say(seat, message)
        self.say(seat, Ready(id=self.new_id()))

    def pieces(self) -> Mapping[Square, Seat]:
        """Return the board as it is set up."""
        return {square: seat for seat, set_up in self.set_ups.items() for square in set_up}

    def resign(self, seat: Seat) -> None:
        """Send a seat's resignation."""
        self.say(seat, Resign(id=self.new_id()))

    def offer(self, seat: Seat) -> None:
        """Offer a draw."""
        self.say(seat, OfferDraw(id=self.new_id()))
