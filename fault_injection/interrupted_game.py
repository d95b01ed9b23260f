"""A game that is played to its end whatever happens to its referee, and how it differs from the same game without
faults.

In order: the script (`script`), written down before it is played; what the arbiter corrects in it; the game (`InterruptedGame`), in
which hands, handsets and the true ranks live on when the referee is killed; the comparison (`faults`). The world knows no more than
people do: it looks at the public view, answers what its seats are asked, puts right what is asked for, and says again, under the same
id, what was not answered.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import random
import re
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from fault_injection.faulty_disk import LoopDisk
from fault_injection.killable_referee import Moment, Pipe, SentMessage, other_clock, serve
from firmware_bridge.messages import NO_FLAGS, Frame, FrameFlag, Reading
from hardware import BoardFile, load_board
from referee.journal.journal import Journal
from referee.journal.proof import audit_journal
from referee.journal.records.audit import Audit
from referee.journal.records.chained import Evidence
from referee.journal.records.model import Record
from referee.journal.stored import JOURNAL
from referee.net.sealing.signing import countersigned
from referee.rules import Game, Move, RuleSet
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat, Square
from referee.runtime.boards import POLES
from referee.runtime.game_archive import KEY
from referee.runtime.set_ups import generate
from referee.table import messages
from referee.table.arbiter_commands import ArbiterVerb, TakeBack, VoidVerdict
from referee.table.chain import signed_end
from referee.table.commitments import SALT_BYTES
from referee.table.heard_chain import HeardChain
from referee.table.inputs import Pause, Resume, SeatSays
from referee.table.settings import ClockKind, TableSettings, TimeControl
from referee.table.step import Fact
from referee.table.views import Mode, Phase, PublicEvent, PublicView, Reveal


@dataclass(frozen=True, slots=True)
class Script:
    """What is to be played: set-ups and legal plies, and the true game after each."""

    rules: RuleSet
    mode: Mode
    set_ups: Mapping[Seat, Mapping[Square, Rank]]
    plies: Sequence[Move]
    truths: Sequence[Game]


def script(rules: RuleSet, mode: Mode, seed: int, plies: int) -> Script:
    """Return a random game with many attacks that does not end by itself within so many plies; the same for the same
    seed.
    """
    for attempt in range(1000):
        rng = random.Random(f"{seed}/{attempt}")
        set_ups = {seat: generate(rules, seat, rng) for seat in rules.seats}
        truth = _begun(rules, set_ups)
        moves: list[Move] = []
        truths = [truth.copy()]
        while len(moves) < plies and truth.result is None:
            actions = [action for action in truth.legal_actions() if isinstance(action, Move)]
            attacks = [action for action in actions if truth.is_attack(action)]
            ahead = 1 if truth.turn is Seat.RED else -1
            forward = [action for action in actions if ahead * (_row(action.target) - _row(action.source)) > 0]
            moves.append(rng.choice(attacks if attacks and rng.random() < 0.5 else forward or actions))
            truth.play(moves[-1])
            truths.append(truth.copy())
        attacks_played = sum(one.is_attack(move) for one, move in zip(truths, moves, strict=False))
        if truth.result is None and attacks_played >= plies // 8:
            return Script(rules, mode, set_ups, moves, truths)
    raise AssertionError("no game of this kind was found")


def _row(square: Square) -> int:
    return int(square.name[1:])


def _begun(rules: RuleSet, set_ups: Mapping[Seat, Mapping[Square, Rank]]) -> Game:
    owners = {square: seat for seat, set_up in set_ups.items() for square in set_up}
    return Game(rules, owners, {square: rank for set_up in set_ups.values() for square, rank in set_up.items()})


_BACK_AT, _BACK_TO, _VOID_AT = 12, 10, 20
"""After so many plies the arbiter goes back to that one; after so many he voids the last verdict."""


def correction_after(ply: int, plies: Sequence[Move], truths: Sequence[Game]) -> ArbiterVerb | None:
    """Return the arbiter's order after so many plies of a game, None for none. Its id names the correction."""
    if ply == _BACK_AT:
        return TakeBack(id="back", reason="a piece was touched too soon", ply=_BACK_TO)
    attacks = [at for at in range(1, ply + 1) if truths[at - 1].is_attack(plies[at - 1])]
    if ply == _VOID_AT and attacks:
        return VoidVerdict(id="void", reason="the wrong rank was tapped", ply=attacks[-1])
    return None


FRAME_MS, IDLE_MS, BUSY_MS = 10, 500, 400
CLOCK = TimeControl(ClockKind.FISCHER, 600_000, 100_000)
"""A ply brings more than any of these games takes, so what a clock shows tells how often it was given that."""
_SECRET = bytes(range(32))
"""One for every game, else no two of them would commit to the same; the salts of names likewise."""
_CLOCK_WORD = re.compile(r" clock\.\w+=\d+")
"""What a link says of clocks, which a referee that was away has not measured."""
_REBOOTS_MS = (0, 40 * 86_400_000, -3_600_000)
"""How far off the clock that never jumps is at each start of the referee: the machine may have been started again in between."""
_MOST_TURNS = 4000
_KNOCK_AT, _PAUSE_AT = 3, 6
"""The plies before which pieces are knocked over, and a pause is asked for."""


@dataclass
class InterruptedGame:
    """One game of a script with a referee that may die; everything that it sends is kept."""

    script: Script
    state: Path
    dies_at: int | None = None
    told: list[SentMessage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    forgiving: bool = False
    """Whether the next failure of the referee is expected."""
    forgiven: list[str] = field(default_factory=list)
    """The failures that were expected, as the referee told them."""
    repairs: list[Callable[[], None]] = field(default_factory=list)
    """What somebody does, once, before he starts the referee again."""
    disk: LoopDisk | None = None
    """The disk that `state` lies on, where it can be had; then it is the power that goes when the referee dies at `dies_at`."""
    corrected: bool = False
    """Whether the arbiter takes plies back and voids a verdict, once each."""
    flags: FrameFlag = NO_FLAGS
    """What the board confesses with every frame."""
    twice: bool = False
    """Whether every message comes a second time."""
    years: int = -1
    """By how much the machine's clock jumped the last time."""
    deaths: int = 0
    resumed: int = 0
    moments: list[Moment] = field(default_factory=list)
    answer: Any = None
    """What the referee had to say to what it was asked last."""
    view: PublicView | None = None
    physical: dict[Square, Seat] = field(default_factory=dict)
    questions: dict[Seat, messages.Question | None] = field(default_factory=dict)
    unanswered: dict[Seat, dict[str, messages.FromHandset]] = field(default_factory=dict)
    board_ms: int = 0
    _ids: int = 0
    pid: int = 0
    patience_s: float | None = None
    """How long the referee may take for one request before `TimeoutError` is raised; None for ever."""
    _done: set[str] = field(default_factory=set)
    _ordered: dict[str, int] = field(default_factory=dict)
    """After which ply each order was given, by its id."""
    _enrolled: set[Seat] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.board: BoardFile = load_board("travel-10x10")
        self.settings = TableSettings(
            "t1",
            "g1",
            self.script.rules,
            self.script.mode,
            Reveal.BOOK,
            secret=Hidden(_SECRET),
            salts=Hidden(dict.fromkeys(self.script.rules.seats, _SECRET[:SALT_BYTES].hex())),
            clock=CLOCK,
        )
        self.seats = self.script.rules.seats
        self.first_death = self.dies_at

    def start(self) -> None:
        """Start a referee; the handsets greet it and repeat what was not answered."""
        if self.disk is not None and self.dies_at is not None:
            self.repairs.append(self.disk.power_up)
        ours, theirs = multiprocessing.Pipe()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                ours.close()
                dies_at, self.dies_at = self.dies_at, None
                other_clock(_REBOOTS_MS[self.deaths % len(_REBOOTS_MS)])
                last_act = self.disk.cut if self.disk is not None else lambda: None
                serve(Pipe(theirs), self.state, self.settings, self.board, dies_at, last_act)
                code = 0
            finally:
                os._exit(code)
        theirs.close()
        self.pipe = Pipe(ours, self.patience_s)
        self._greet()

    def _greet(self) -> None:
        if not self._hear_all():
            return
        self.resumed += self.answer
        for seat in self.seats:
            self.say(seat, messages.Hello(id=self.new_id(seat)))
            for message in list(self.unanswered.get(seat, {}).values()):
                self.say(seat, message)

    def kill(self) -> None:
        """Kill the referee from outside, wherever it is."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._bury()

    def _bury(self) -> None:
        os.waitpid(self.pid, 0)
        self.pipe.close()
        self.deaths += 1
        self.dies_at = None
        self.forgiving = False
        while self.repairs:
            self.repairs.pop()()
        self.start()

    def _hear_all(self) -> bool:
        """Take everything until the referee has done what it was asked; when it dies on the way another one is started."""
        try:
            while True:
                kind, value = self.pipe.receive()
                if kind == "told":
                    self._hear(value)
                elif kind == "note":
                    self.notes.append(value)
                elif kind == "failed":  # the table ends; somebody starts it again
                    (self.forgiven if self.forgiving else self.failures).append(value)
                    self.forgiving = False
                    self.kill()
                    return False
                elif kind == "done":
                    self.answer = value
                    return True
        except EOFError:
            self._bury()
            return False

    def ask(self, request: tuple[str, Any]) -> bool:
        """Send the referee a request. Returns False when it died of it."""
        try:
            self.pipe.send(request)
        except EOFError:
            self._bury()
            return False
        return self._hear_all()

    def end(self) -> None:
        """End the referee in order, once both handsets have asked for all that they may know."""
        for seat in self.seats:
            self.say(seat, messages.Hello(id=self.new_id(seat)))
        if self.ask(("end", None)):
            self.moments = self.answer
        os.waitpid(self.pid, 0)
        self.pipe.close()

    def take_over(self, earlier: InterruptedGame) -> None:
        """Play with the referee of an earlier game, in the same process."""
        if earlier.ask(("end", (self.state, self.script.mode))):
            self.pid, self.pipe = earlier.pid, earlier.pipe
            self._greet()
        else:
            earlier.stop()  # it died of it and was started again
            self.start()

    def stop(self) -> None:
        """Kill the referee and start no other one."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self.pipe.close()

    # ---- what is heard and said

    def _hear(self, told: SentMessage) -> None:
        self.told.append(told)
        value = told.value
        if isinstance(value, PublicView):
            self.view = value
        elif isinstance(value, PublicEvent) or told.seat is None:
            pass
        elif isinstance(value, messages.SeatState):
            self.questions[told.seat] = value.question
        elif isinstance(value, messages.Question):
            self.questions[told.seat] = value
        elif isinstance(value, messages.Verdict):
            self.questions[told.seat] = None
        elif isinstance(value, messages.Accepted | messages.Rejected):
            self.unanswered.get(told.seat, {}).pop(value.re, None)

    def say(self, seat: Seat, message: messages.FromHandset) -> bool:
        """Let a handset say something; it is said again to the next referee until it is answered."""
        if not isinstance(message, messages.Hello):
            self.unanswered.setdefault(seat, {})[message.id] = message
        return all(self.ask(("put in", SeatSays(seat, message))) for _ in range(1 + self.twice))

    def new_id(self, seat: Seat) -> str:
        """Return the next message id of a seat."""
        self._ids += 1
        return f"{seat.value}-{self._ids}"

    def wait(self, for_ms: int) -> bool:
        """Let the board stand as it is for so long, with frames as the firmware sends them."""
        frames: list[Frame] = []
        squares = tuple(self._reading(Square(name)) for name in self.board.squares)
        passed = 0
        while passed < for_ms:
            step = FRAME_MS if passed < BUSY_MS else IDLE_MS
            passed += step
            self.board_ms += step
            frames.append(Frame(len(frames) % 256, self.board_ms % 2**32, squares, self.flags))
        return self.ask(("frames", frames))

    def _reading(self, square: Square) -> Reading:
        seat = self.physical.get(square)
        return POLES[seat] if seat is not None else Reading.EMPTY

    # ---- what people do

    def play(self) -> None:
        """Play to the end."""
        self.start()
        for _ in self.turns():
            pass
        self.end()

    @property
    def over(self) -> bool:
        """Return whether the game is over and everybody has signed its end."""
        return self.view is not None and self.view.result is not None and not self._unsigned(self.view)

    def turns(self) -> Iterator[PublicView | None]:
        """Return the public view before each turn, so that something may happen then. Raises `AssertionError` if they have no end."""
        for _ in range(_MOST_TURNS):
            if self.over:
                return
            yield self.view
            self.turn()
        raise AssertionError(f"the game does not end: {self.view}")

    def turn(self) -> None:
        """Do what the public view asks for now."""
        view = self.view
        assert view is not None
        match view.phase:
            case Phase.SETTING_UP:
                self._set_up(view)
            case Phase.WAITING_FOR_MOVE | Phase.PIECE_IN_HAND:
                self._move(view)
            case Phase.WAITING_FOR_DECLARATIONS:
                self._declare(view)
            case Phase.WAITING_FOR_BOARD | Phase.RESTORING:
                self.physical = {Square(name): seat for name, seat in view.occupants.items()}
                self.wait(1500)
            case Phase.PAUSED:
                self.ask(("put in", Resume()))
            case Phase.FINISHED:
                self._sign(view)

    def _unsigned(self, view: PublicView) -> list[Seat]:
        """Return who has not signed the end; a message that is on its way is said again to the next referee."""
        return [seat for seat in self.seats if seat.value not in view.signed]

    def _sign(self, view: PublicView) -> None:
        for seat in self._unsigned(view):
            signed = signed_end(view, seat.value)
            assert signed is not None
            key, signature = countersigned(handset_secret(seat), signed)
            if not self.say(seat, messages.Countersign(id=self.new_id(seat), key=key, signature=signature)):
                return

    def _set_up(self, view: PublicView) -> None:
        for seat in view.waiting_for:
            if self.script.mode is Mode.ENROL and seat not in self._enrolled:
                self._enrolled.add(
                    seat
                )  # if nobody has answered it when the referee dies, it is said again under the same id
                set_up = {square.name: rank for square, rank in self.script.set_ups[seat].items()}
                if not self.say(seat, messages.Enrol(id=self.new_id(seat), set_up=set_up)):
                    return
            if not self.say(seat, messages.Ready(id=self.new_id(seat))):
                return
        self.physical = {square: seat for seat, set_up in self.script.set_ups.items() for square in set_up}
        self.wait(2000)

    def _move(self, view: PublicView) -> None:
        if view.ply == len(self.script.plies):
            if self.wait(2600):
                loser = self.script.truths[-1].turn
                self.say(loser, messages.Resign(id=self.new_id(loser)))
            return
        if self._incident(view.ply):
            return
        move = self.script.plies[view.ply]
        if not self.wait(2200):  # the move before has rested
            return
        mover = self.physical.pop(move.source, None)
        if mover is None or not self.wait(300):
            return
        if move.target in self.physical:
            del self.physical[move.target]
            self.wait(600)
            return
        self.physical[move.target] = mover
        self.wait(700)

    def _incident(self, ply: int) -> bool:
        """Let something happen once: somebody knocks pieces over, or asks for a pause."""
        if ply == _KNOCK_AT and "knock" not in self._done:
            self._done.add("knock")
            # of one army: one piece of each can be just how somebody attacks
            for square in [square for square, seat in self.physical.items() if seat is self.seats[0]][:2]:
                del self.physical[square]
            self.wait(4000)
            return True
        if ply == _PAUSE_AT and "pause" not in self._done:
            self._done.add("pause")
            self.ask(("put in", Pause()))
            return True
        return self.corrected and self._correction(ply)

    def _correction(self, ply: int) -> bool:
        """Let the arbiter order something once, and again until he has heard that it was taken, or sees that the game went back."""
        self._done |= {order for order, ordered_at in self._ordered.items() if ply < ordered_at}
        verb = correction_after(ply, self.script.plies, self.script.truths)
        if verb is None or verb.id in self._done:
            return False
        if self.wait(2600):  # once the move before is final, as it is after every restart
            self._ordered[verb.id] = ply
            if self.ask(("put in", verb)):
                self._done.add(verb.id)
        return True

    def _declare(self, view: PublicView) -> None:
        for seat in view.waiting_for:
            question = self.questions.get(seat)
            assert question is not None
            assert question.square is not None
            truth = self.script.truths[question.ply - 1]
            piece = truth.piece_at(Square(question.square))
            assert piece is not None
            (rank,) = truth.possible(piece)
            if not self.say(seat, messages.Declare(id=self.new_id(seat), question=question.question, rank=rank)):
                return

    # ---- what was heard, for comparison

    def events(self) -> list[PublicEvent]:
        """Return every public event that was received, in order."""
        return [one.value for one in self.told if isinstance(one.value, PublicEvent)]


OF_TROUBLES = frozenset(
    {
        "paused",
        "resumed",
        "ask",
        "restored",
        "move.refused",
        "move.revised",
        "move.unread",
        "board.agrees",
        "board.link",
        "board.health",
        "broker.link",
        "phone.link",
    }
)
"""What may be said more or less often where something went wrong; whatever else is said belongs to the game."""


def told_of(events: Iterable[PublicEvent]) -> list[PublicEvent]:
    """Return the game as its events tell it, word for word: set-ups, moves, attacks, verdicts, corrections, the end.

    Links tell of clocks besides, and a signature of what they lead to: `without_clocks`, and who has signed, are what is left of those.
    """
    return [
        replace(
            event, seq=0, links=without_clocks(event.links), text=None if event.kind == "countersigned" else event.text
        )
        for event in events
        if event.kind not in OF_TROUBLES
    ]


def without_clocks(links: Iterable[str]) -> tuple[str, ...]:
    """Return links without the clocks' times."""
    return tuple(_CLOCK_WORD.sub("", text) for text in links)


def handset_secret(seat: Seat) -> bytes:
    """Return the secret key of a seat's handset, from which the one follows that it signs with."""
    return seat.value.encode().ljust(32, b"-")


def faults(unbroken: InterruptedGame, broken: InterruptedGame) -> list[str]:
    """Return how a game whose referee died differs from the same game without a death; empty if all promises hold."""
    rows = list(_facts(broken))
    journalled = [fact.event for fact in rows if fact.event is not None]
    by_seq = {event.seq: event for event in journalled}
    # the first moment is before the first row is written: then there is nothing to go on with, and a new game is right
    begun_anew = broken.deaths > 0 and broken.resumed == 0 and broken.first_death == 1
    proven = audited(broken)
    wrong = {
        "an attack settled twice": settled_twice(rows),
        "a gap in the events": [event.seq for event in journalled] != list(range(1, len(journalled) + 1)),
        "an event that the journal does not hold, or holds otherwise": any(
            by_seq.get(event.seq) != event for event in broken.events()
        ),
        "letters that contradict each other": contradicted(broken),
        "a rank that somebody should not have heard": not heard(broken) <= heard(unbroken),
        "a start that did not go on with the game": broken.deaths != broken.resumed + begun_anew,
        "another end": _end(unbroken) != _end(broken),
        "a clock that was given too much, or charged for what nobody measured": _given(unbroken) != _given(broken),
        "a handset that knows something else at the end": known(broken) != known(unbroken),
        "another record, or one that proves something else": comparable(proven) != comparable(audited(unbroken)),
        "a head of the chain that was published and does not hold": contradicted_heads(broken, journalled),
        "a signature that is missing": bool(proven[1].chain.missing),
    }
    return [
        *broken.failures,
        *_difference(told_of(journalled), told_of(unbroken.events())),
        *(text for text, is_so in wrong.items() if is_so),
        *(f"the audit: {finding.text}" for finding in proven[1].wrong),
    ]


def _difference(broken: list[PublicEvent], unbroken: list[PublicEvent]) -> list[str]:
    """Return the first event that differs between the two, in words; empty if none does."""
    pairs = [pair for pair in zip_longest(broken, unbroken) if pair[0] != pair[1]]
    return [f"another game: {one or 'nothing'} where {other or 'nothing'} was" for one, other in pairs[:1]]


def _end(game: InterruptedGame) -> tuple[object, ...]:
    assert game.view is not None
    return game.view.occupants, game.view.captured, game.view.ply, game.view.result


def known(game: InterruptedGame) -> dict[Seat, tuple[object, ...]]:
    """Return for each seat its last state (ranks, question, seed), without message numbers."""
    told = {
        one.seat: one.value for one in game.told if one.seat is not None and isinstance(one.value, messages.SeatState)
    }
    return {
        seat: (state.seat, state.ply, state.ready, state.own, state.seen, _asked(state.question), state.seed)
        for seat, state in told.items()
    }


def _asked(question: messages.Question | None) -> tuple[object, ...]:
    if question is None:
        return ()
    return question.kind, question.ply, question.source, question.target, question.square, question.choices


def audited(game: InterruptedGame) -> tuple[Record | None, Audit]:
    """Return the journal's record, and what it proves with the seats' keys and the published head."""
    folder = game.state / "games" / "game"
    keys = {seat.value: countersigned(handset_secret(seat), b"")[0] for seat in game.seats}
    assert game.view is not None
    number, _, digits = game.view.chain.partition(":")
    return audit_journal(folder / JOURNAL, folder / KEY, known=Evidence((int(number), digits), keys))


def comparable(proven: tuple[Record | None, Audit]) -> tuple[Record | None, Audit]:
    """Return a record and its proofs without what differs between two games played alike: clocks, and what depends on
    them.
    """
    record, audit = proven
    if record is not None:
        record = replace(record, chain=without_clocks(record.chain), head=None, signatures={})
    return record, replace(audit, chain=replace(audit.chain, head=None))


def contradicted_heads(game: InterruptedGame, journalled: Iterable[PublicEvent]) -> bool:
    """Return whether a published head does not match the journal's links up to the same event."""
    chain = HeardChain(game.settings.game)
    heads = {}
    for event in journalled:
        chain.take((event,))
        heads[event.seq] = chain.head
    views = (one.value for one in game.told if isinstance(one.value, PublicView))
    return any(view.seq and heads.get(view.seq) != view.chain for view in views)


def settled_twice(rows: Iterable[Fact]) -> bool:
    """Return whether an attack was settled twice without having been taken back or voided in between."""
    settled: set[int] = set()
    for fact in rows:
        if fact.kind == "verdict" and fact.ply in settled:
            return True
        if fact.kind == "verdict":
            settled.add(fact.ply)
        elif fact.kind == "plies.taken-back":
            settled = {ply for ply in settled if ply <= fact.ply}
        elif fact.kind == "verdict.voided":
            settled = {ply for ply in settled if ply < fact.ply}
    return False


def contradicted(game: InterruptedGame) -> bool:
    """Return whether a seat was told two different things about one message, verdict or question."""
    first: dict[tuple[object, ...], tuple[object, ...]] = {}
    return any(
        first.setdefault((one.seat, *about), said) != said for one in game.told for about, said in _claims(one.value)
    )


def _claims(value: object) -> Iterable[tuple[tuple[object, ...], tuple[object, ...]]]:
    """Yield what a private message is about, and what it says about it."""
    question = value.question if isinstance(value, messages.SeatState) else value
    if isinstance(value, messages.Accepted | messages.Rejected):
        yield ("message", value.re), (type(value),)
    elif isinstance(value, messages.Verdict):
        yield ("verdict", value.ply), (value.result, value.own, value.other)
    elif isinstance(question, messages.Question):
        yield ("question", question.question), (question.kind, question.ply, question.square, question.choices)


def _given(game: InterruptedGame) -> dict[Seat, int]:
    """Return for each clock how many plies' time it was given: each ply adds more than the whole game takes."""
    assert game.view is not None
    return {seat: -(-face.left_ms // CLOCK.ply_ms) for seat, face in game.view.clocks.items()}


def heard(game: InterruptedGame) -> set[tuple[object, ...]]:
    """Return every rank of an opponent that was received, in verdicts, states and public messages."""
    found: set[tuple[object, ...]] = set()
    for one in game.told:
        value = one.value
        if isinstance(value, messages.Verdict):
            found.add((one.seat, "verdict", value.ply, value.result, value.own, value.other))
            found.add((one.seat, "seen", value.other))
        elif isinstance(value, messages.SeatState):
            found |= {(one.seat, "seen", rank) for rank in value.seen.values()}
        elif isinstance(value, PublicEvent):
            found |= {("public", value.ply, seat, rank) for seat, rank in value.captured.items()}
        elif isinstance(value, PublicView):
            found |= {("shown", seat, rank) for seat, ranks in value.captured.items() for rank in ranks}
    return found


def journalled(game: InterruptedGame) -> list[PublicEvent]:
    """Return every public event in the journal, in order."""
    return [fact.event for fact in _facts(game) if fact.event is not None]


def _facts(game: InterruptedGame) -> Iterable[Fact]:
    folder = game.state / "games" / "game"
    journal = Journal.open(folder / JOURNAL, folder / KEY, read_only=True)
    try:
        return journal.facts()
    finally:
        journal.close()
