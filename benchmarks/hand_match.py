"""One game between simulated hands and the referee: hands play on at their own pace, and put the board right when they are asked to.

In order: the referee in this process (`RefereeInProcess`), what the hands meant (`Meant`), and the game (`HandMatch`). The truth is
what the hands meant. It is compared with what the referee made final and never told to it: what a wrong reading leads to goes on until
it is final, and then the game is given up as misread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.accuracy_tally import Tally
from benchmarks.game_sources import Moves
from benchmarks.hands import HandsAtBoard, Maker, rank_at
from firmware_bridge.messages import BoardMessage, Frame, Hello, Reading
from hardware import BoardFile
from referee.rules import Game, Move, RuleSet
from referee.rules.values import Rank, Seat, Square
from referee.runtime.event_loop import obey
from referee.runtime.game import interpreter_of
from referee.sensing import Observation
from referee.table.inputs import BoardDiffers, Open, SeatSays
from referee.table.messages import Decide, Declare, DenyAttack, FromHandset, Question, Ready, Rejected, TellAttack
from referee.table.settings import TableSettings
from referee.table.step import Step
from referee.table.table import Table
from referee.table.views import Phase, PublicEvent
from simulator.plies import HandPly
from simulator.profiles import Profile
from simulator.script import MotionError


class TimedEvent(NamedTuple):
    """A public event, and the board's time (since its first power-on) of the frame that completed it."""

    at_ms: int
    event: PublicEvent


class RefereeInProcess:
    """One table. Frames and words in, public events out, in order. Orders to sensing are carried out as the shell does."""

    def __init__(
        self,
        rules: RuleSet,
        board: BoardFile,
        on_observation: Callable[[int, Observation], None] = lambda at_ms, said: None,
        decided: tuple[Seat, ...] = (),
    ) -> None:
        self.table = Table(TableSettings("bench", "bench", rules, decided=decided))
        self.interpreter = interpreter_of(rules, board)
        self.rejected: list[str] = []
        """Why handsets were refused, in order; a bench says nothing that should be."""
        self._questions: dict[Seat, int] = {}
        self._heard: list[TimedEvent] = []
        self._at_ms = 0
        self._ids = 0
        self._expects_anew = False
        self._on_observation = on_observation

    @property
    def game(self) -> Game:
        """Return the game as the referee has it. Only after the game has begun."""
        game = self.table.public_game
        assert game is not None
        return game

    @property
    def restoring(self) -> bool:
        """Return whether the board has to be restored."""
        return self.table.phase is Phase.RESTORING

    def open(self, at_ms: int) -> None:
        """Begin with the set-up on the board; every player confirms it at once."""
        self._at_ms = at_ms
        self._carry_out(self.table.apply(Open(), at_ms))
        for seat in self.table.info().seats:
            self._tell(seat, Ready(id=self._id()))

    def hear(self, messages: Iterable[BoardMessage], boot_ms: int) -> list[TimedEvent]:
        """Take the board's messages, whose own time counts from `boot_ms`. Returns the public events that they lead to."""
        feed = self.interpreter.feed
        for message in messages:
            if not isinstance(message, Frame):
                if isinstance(message, Hello):  # the bridge tells of a restart by the boot count in it
                    self.interpreter.link_lost()
                continue
            for said in feed(message):
                self._at_ms = message.board_ms + boot_ms
                self._on_observation(self._at_ms, said)
                self._carry_out(self.table.apply(said, self._at_ms))
            self._look()
        if self.restoring:  # what is to be put right follows the hands
            self.table.apply(BoardDiffers(self.interpreter.differences()), self._at_ms)
        return self._give()

    def tell_attack(self, seat: Seat, source: Square, target: Square, at_ms: int) -> list[TimedEvent]:
        """Let a player press *Attack*."""
        self._at_ms = at_ms
        self._tell(seat, TellAttack(id=self._id(), source=source.name, target=target.name))
        return self._give()

    def declare(self, ranks: dict[Seat, Rank], at_ms: int) -> list[TimedEvent]:
        """Let every asked player say the rank of the own piece."""
        self._at_ms = at_ms
        for seat, question in list(self._questions.items()):
            self._tell(seat, Declare(id=self._id(), question=question, rank=ranks[seat]))
        return self._give()

    def deny(self, at_ms: int) -> list[TimedEvent]:
        """Let every asked player say that there was no attack."""
        self._at_ms = at_ms
        for seat, question in list(self._questions.items()):
            self._tell(seat, DenyAttack(id=self._id(), question=question))
        return self._give()

    def decide(self, seat: Seat, ply: int, source: str, target: str, at_ms: int) -> list[TimedEvent]:
        """Let a seat whose moves are decided elsewhere say one."""
        self._at_ms = at_ms
        self._tell(seat, Decide(id=self._id(), ply=ply, source=source, target=target))
        return self._give()

    def _tell(self, seat: Seat, message: FromHandset) -> None:
        self._carry_out(self.table.apply(SeatSays(seat, message), self._at_ms))
        self._look()

    def _look(self) -> None:
        while self._expects_anew:
            self._expects_anew = False
            for said in self.interpreter.look():
                self._on_observation(self._at_ms, said)
                self._carry_out(self.table.apply(said, self._at_ms))

    def _give(self) -> list[TimedEvent]:
        heard, self._heard = self._heard, []
        return heard

    def _carry_out(self, step: Step) -> None:
        for order in step.orders:
            self._expects_anew |= obey(self.interpreter, order)
        for fact in step.facts:
            if fact.event is not None:
                if fact.kind == "attack":
                    self._questions.clear()
                self._heard.append(TimedEvent(self._at_ms, fact.event))
        for letter in step.letters:
            message = letter.body.open_hidden()
            if isinstance(message, Question):
                self._questions[letter.seat] = message.question
            elif isinstance(message, Rejected):
                self.rejected.append(message.reason)

    def _id(self) -> str:
        self._ids += 1
        return str(self._ids)


SLICE_MS = 100
"""Board time between two looks at what was said."""

TOLD_LATE_MS = 6_000
"""A player whose attack nobody asks about presses *Attack* after this."""

PRESS_MS = 300
"""A player holds the piece up for so long before the other hand presses *Attack*."""

SILENT_MS = 600
"""A board at rest sends a frame every 500 ms: a longer silence is a hole."""
KNOWN_HOLE_MS = 1_100
"""Frames that are missing for longer are known to be missing (docs/reference/hands.md)."""

LATE_MS = 25
"""A change is seen up to so late."""

LOST_MS = 12_000
"""A ply that is neither final nor asked about after this much rest is lost: everything that sensing waits for is over."""

TAKE_BACK = ("move.unread", "move.taken-back", "move.revised")
"""Events that take a reading back: several of them, the last ply first, where several plies were open."""

KEPT_PLIES = 100
"""So many plies back a game can be taken up again: quick hands play on while a series of plies is in doubt."""

FOR_EVER_MS = 1 << 60
AGREE_MS = 45_000
HEALS_MS = 10_000
SICK_MS = 30_000
SICK = ("dead-square", "stuck-square", "drifting-square")
RESTORES = 4
SLOW_MS = {
    "lift": 200,
    "slide": 400,
    "attack, both lifted": 2_100,  # soon after a move: no attack is asked about while that is open
    "attack, colour change": 2_100,
    "attack without colour, swapped": 2_500,
    "attack without colour, target-first": 2_500,
}
"""A single verdict slower than this is told among the faults."""


@dataclass(slots=True)
class WrongRead:
    """A reading of something else than was meant, and how long its square held the piece, on the clock by which verdicts are timed."""

    event: PublicEvent
    came_ms: int
    """When a magnet last changed the square that was read as the target."""
    left_ms: int | None = None
    """When one changed it again."""

    @property
    def stood_ms(self) -> int:
        """Return how long the piece stood there, in milliseconds; `FOR_EVER_MS` if it still does."""
        return FOR_EVER_MS if self.left_ms is None else self.left_ms - self.came_ms

    def watch(self, changed_ms: Callable[[str], int]) -> None:
        """Note whether the piece has left; `changed_ms` returns when a magnet last changed a square."""
        assert self.event.target is not None
        latest_ms = changed_ms(self.event.target)
        if self.left_ms is None and latest_ms > self.came_ms:
            self.left_ms = latest_ms


@dataclass(slots=True)
class Meant:
    """One ply as the hands meant it, and what became of it."""

    move: Move
    attack: bool
    ply: HandPly
    far: bool
    """A scout's move over several squares."""
    read_ms: int | None = None
    """When the reading came that stands, None while there is none or a wrong one."""
    timed: bool = False
    wrong: WrongRead | None = None
    """The wrong reading that stands."""

    @property
    def paused_ms(self) -> int:
        """Return the longest rest of the piece on another legal square, in milliseconds from set-down to lift; 0
        without one.
        """
        return max((rest_ms for _, rest_ms in self.ply.rests), default=0)

    def timed_as(self, colour: bool) -> str | None:
        """Return the class that this ply's latency is counted in; None for an attack that only the handset could
        report.
        """
        motion = self.ply.motion
        if not self.attack:
            return motion
        assert self.read_ms is not None
        early = motion in ("swapped", "target-first") and self.read_ms < self.ply.rest_ms - 50
        if motion == "both-lifted" or early:
            return "attack, both lifted"
        if motion == "tapped":
            return None
        return "attack, colour change" if colour else f"attack without colour, {motion}"


@dataclass(slots=True)
class Accident:
    """What went wrong, until when it can still show, and whether it has been asked about."""

    word: str
    until_ms: int
    asked: bool = False


class StuckError(Exception):
    """The game cannot go on; it is given up and counted."""


def is_move(event: PublicEvent, move: Move) -> bool:
    """Return whether an event is about this move."""
    return (event.source, event.target) == (move.source.name, move.target.name)


@dataclass
class HandMatch:
    """One game on one board of its own. `play` plays it to its end."""

    rules_moves: Moves
    board_file: BoardFile
    profile: Profile
    seed: str
    tally: Tally
    maker: Maker
    truth: Game = field(init=False)
    hands: HandsAtBoard = field(init=False)
    _meant: dict[int, Meant] = field(default_factory=dict)
    _games: dict[int, Game] = field(default_factory=dict)
    """The truth before each of the last plies, by the number of plies played."""
    _accidents: list[Accident] = field(default_factory=list)
    _asked: bool = False
    _settled: PublicEvent | None = None
    _settled_ms: int = 0
    _agreed: bool = False
    _agreed_ms: int = 0
    _over: bool = False
    _taken_back: list[bool] = field(default_factory=list)
    """Of the readings that were just taken back, the last ply first: whether each was right."""
    _framed_ms: int = 0
    """When the last frame arrived."""
    _shown: tuple[Reading, ...] = ()
    """What it showed."""
    _silences: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=8))
    """The last holes: from one frame to the next."""
    _denies: bool = False
    """Both players are about to say that there was no attack."""
    _log: deque[str] = field(default_factory=lambda: deque(maxlen=60))

    def __post_init__(self) -> None:
        """Lay the pieces out."""
        self.truth = self.rules_moves.start.copy()
        self.hands = self.maker(self.board_file, self.profile, self.seed)
        self.referee = RefereeInProcess(self.truth.rule_set, self.board_file, self._note)

    # ---------------------------------------------------------------- the game

    def play(self, most_plies: int, told: Callable[[], None]) -> None:
        """Play until the game is over, has been given up, or the tally has so many plies."""
        self.tally.games += 1
        try:
            self._begin()
            while not self._over and self.tally.plies < most_plies:
                self._next_ply()
                told()
            self._wind_up()
        except StuckError as error:
            self._fault(f"stuck: {error}")
        self.tally.rejected.update(self.referee.rejected)

    def _begin(self) -> None:
        self.hands.lay(self.truth)
        self.referee.open(0)
        self._listen(3_000)
        self._games[0] = self.truth.copy()
        self.hands.next_ms = self.hands.now_ms
        if self.referee.table.phase is not Phase.WAITING_FOR_MOVE:
            raise StuckError("the set-up was not accepted")

    def _next_ply(self) -> None:
        self._listen(self.hands.next_ms)
        if self._asked:
            self._restore()
            return
        if self.truth.result is not None:
            self._over = True
            return
        seat = self.truth.turn
        mishap = self.hands.mishap(seat)
        if mishap is not None:
            self._suffer(mishap)
            return
        move = self.rules_moves.choose(self.truth)
        if move is None:
            self._over = True
            return
        try:
            if self.truth.is_attack(move):
                self._attack(seat, move)
            else:
                self._move(move)
        except MotionError:  # a piece lies about where this one should go: the players see that and put it right
            self.hands.restore(self.truth)

    def _move(self, move: Move) -> None:
        far = rank_at(self.truth, move.source) is Rank.SCOUT and len(self.truth.rule_set.board.path(move)) > 1
        ply = self.hands.move(self.truth, move)
        self._mean(move, ply, attack=False, far=far)
        if far and ply.motion == "slide":
            self.tally.scout_slides += 1

    def _attack(self, seat: Seat, move: Move) -> None:
        ranks = {self.truth.piece_at(s).seat: rank_at(self.truth, s) for s in (move.source, move.target)}  # type: ignore[union-attr]  # both are taken
        ply = self.hands.attack(self.truth, move)
        number = self.truth.ply + 1
        self._settled = None
        self._mean(move, ply, attack=True)
        told_ms = ply.told_ms
        while self._settled is None and not self._asked and not self._over:
            if told_ms is not None and self.hands.now_ms >= told_ms:
                told_ms = told_ms + TOLD_LATE_MS
                self._tell(seat, move)
            elif told_ms is None and self.hands.now_ms > ply.rest_ms + TOLD_LATE_MS:
                self.tally.told_late += 1
                self._fault(f"told late: ply {number} {move!r} {ply}")
                told_ms = self.hands.now_ms
            if self.hands.now_ms > ply.rest_ms + 6 * TOLD_LATE_MS:
                self.tally.lost += 1
                raise StuckError(f"attack {move!r} {ply.motion} was never asked about {self.referee.rejected[-1:]}")
            answers = self.referee.table.phase is Phase.WAITING_FOR_DECLARATIONS and not self._denies
            if answers and self.hands.now_ms >= ply.rest_ms:
                self._take(self.referee.declare(ranks, self.hands.now_ms))
            self._listen(self.hands.now_ms + SLICE_MS)
        if self._settled is not None and not self._over:
            self._resolve(self._settled)

    def _tell(self, seat: Seat, move: Move) -> None:
        """Press *Attack*; with the piece back on its square it has to be lifted for that, since the handset asks for it."""
        source = move.source.name
        lifts = source in self.hands.occupied() and not self.hands.busy
        if lifts:
            self._listen(self.hands.lift(source) + PRESS_MS)
        self._take(self.referee.tell_attack(seat, move.source, move.target, self.hands.now_ms))
        if lifts:
            self._listen(self.hands.put(seat, source) + SLICE_MS, through=True)

    def _resolve(self, verdict: PublicEvent) -> None:
        assert verdict.result is not None
        settled_ms = self.hands.now_ms
        ply = self.hands.resolve(verdict.result)
        self._happened(ply)
        while not self._agreed and not self._asked and not self._over:
            if self.hands.now_ms > max(ply.quiet_ms, settled_ms) + AGREE_MS:
                self.tally.lost += 1
                raise StuckError(f"no agreement after {verdict.result} {ply}")
            self._listen(self.hands.now_ms + SLICE_MS)
        if self._asked:
            self._restore()
        self.hands.next_ms = max(self.hands.next_ms, self.hands.now_ms)

    def _suffer(self, mishap: HandPly) -> None:
        """Let an accident pass: it heals, the referee asks, or in the end the players notice it themselves."""
        self._happened(mishap)
        until_ms = mishap.quiet_ms + (0 if mishap.heals else HEALS_MS)
        while self.hands.now_ms < until_ms and not self._asked:
            self._listen(self.hands.now_ms + SLICE_MS)
        if not self._asked and not mishap.heals:
            self.hands.restore(self.truth)
        self.hands.next_ms = max(self.hands.next_ms, self.hands.now_ms)

    def _restore(self) -> None:
        """Restore the board as the referee asks, and continue from the ply that it counts."""
        for _ in range(RESTORES):
            while self.hands.busy or self.hands.now_ms < self._last_quiet_ms():
                self._listen(self.hands.now_ms + SLICE_MS, through=True)
            if not self._asked:
                break
            end_ms = self.hands.restore(self.referee.game).quiet_ms + 12_000
            while self._asked and self.hands.now_ms < end_ms:
                self._listen(self.hands.now_ms + SLICE_MS, through=True)
            if self._asked:
                self._lift_what_is_named()
        if self._asked:
            self.tally.lost += 1
            raise StuckError(f"the board cannot be put right: {self.referee.interpreter.differences()}")
        played = self.referee.game.ply
        while (meant := self._meant.get(played + 1)) is not None and meant.ply.rest_ms > self._agreed_ms:
            played += 1  # the hand finished it after the board had been agreed
        for number in [number for number in self._meant if number > played]:
            self._judge(self._meant.pop(number))
        if self.referee.table.phase is Phase.FINISHED or self._over:
            self._over = True
            return
        self.truth = self._games[played].copy()
        self.hands.next_ms = max(self.hands.next_ms, self.hands.now_ms + 300)

    def _lift_what_is_named(self) -> None:
        """Lift a piece that is asked to go though it stands right, and put it back: a hole hid that another one stood there."""
        occupants = self.referee.game.occupants()
        for difference in self.referee.interpreter.differences():
            if difference.wanted is None and (seat := occupants.get(difference.square)) is not None:
                self._listen(self.hands.lift(difference.square.name) + TOLD_LATE_MS // 6, through=True)
                self._listen(self.hands.put(seat, difference.square.name) + SLICE_MS, through=True)

    def _last_quiet_ms(self) -> int:
        return max((meant.ply.quiet_ms for meant in self._meant.values()), default=0)

    def _wind_up(self) -> None:
        """Let the last plies become final; what does not is lost."""
        end_ms = self.hands.now_ms + LOST_MS
        while self._meant and self.hands.now_ms < end_ms and not self._asked:
            self._listen(self.hands.now_ms + 500)

    # ---------------------------------------------------------------- what hands meant

    def _mean(self, move: Move, ply: HandPly, *, attack: bool, far: bool = False) -> None:
        number = self.truth.ply + 1
        self._meant[number] = Meant(move, attack, ply, far)
        self._log.append(f"{self.hands.now_ms} ply {number} meant {move!r} {ply}")
        self.truth.play(move)
        self._games[number] = self.truth.copy()
        self._games.pop(number - KEPT_PLIES, None)
        self._happened(ply)

    def _happened(self, ply: HandPly) -> None:
        self.tally.motions[ply.motion] += 1
        self.tally.extras.update(ply.extras)
        self.tally.accidents.update(ply.accidents)
        for word in ply.accidents:
            until_ms = ply.quiet_ms + (SICK_MS if word in SICK else HEALS_MS)
            self._accidents.append(Accident(word, until_ms if ply.heals else 1 << 60))
            self._log.append(f"{self.hands.now_ms} accident {ply}")

    # ---------------------------------------------------------------- what the referee says

    def _listen(self, until_ms: int, *, through: bool = False) -> None:
        """Let board time pass; return early when the board has to be put right, unless it is to be `through`."""
        hands = self.hands
        while hands.now_ms < until_ms and (through or not self._asked):
            messages = hands.listen(min(hands.now_ms + SLICE_MS, until_ms))
            if messages:
                self._look_for_hole(messages)
                heard = self.referee.hear(messages, hands.boot_ms)
                if heard:
                    self._take(heard)
            if self._denies:
                self._take(self.referee.deny(hands.now_ms))
            if self._meant:
                self._measure()

    def _look_for_hole(self, messages: Sequence[BoardMessage]) -> None:
        """Excuse a prompt where frames were known to be missing and something came to stand meanwhile, or is on its way down after it."""
        hands = self.hands
        for message in messages:
            if isinstance(message, Frame):
                began_ms, self._framed_ms = self._framed_ms, message.board_ms + hands.boot_ms
                before, self._shown = self._shown, message.squares
                if self._framed_ms - began_ms > SILENT_MS:
                    self._silences.append((began_ms, self._framed_ms))
                if not self.profile.link.hole_every_s or self._framed_ms - began_ms <= KNOWN_HOLE_MS:
                    continue
                came = any(was is Reading.EMPTY is not now for was, now in zip(before, message.squares, strict=False))
                if came or any(began_ms - LATE_MS <= hands.changed_ms(square) for square in hands.occupied()):
                    self.tally.accidents["hole"] += 1
                    self._accidents.append(Accident("hole", self._framed_ms + HEALS_MS))
                    self._log.append(f"{self._framed_ms} no frames since {began_ms}")

    def _note(self, at_ms: int, said: Observation) -> None:
        self._log.append(f"{at_ms} {said}"[:300])

    def _take(self, heard: list[TimedEvent]) -> None:
        for at_ms, event in heard:
            if event.kind not in TAKE_BACK:
                self._judge_taken_back()
            match event.kind:
                case "move.read" | "move.revised":
                    self._take_read(event, at_ms)
                case "move.unread" | "move.taken-back":
                    self._take_unread(event)
                case "move.final":
                    self._take_final(event, at_ms)
                case "attack":
                    self._take_attack(event, at_ms)
                case "verdict":
                    self._take_final(event, at_ms)
                    self._settled, self._settled_ms, self._agreed = event, at_ms, False
                case "ask" | "move.refused":
                    self._take_ask(event, at_ms)
                case "attack.withdrawn":
                    self._asked, self._denies = True, False
                case "restored" | "board.agrees":
                    self._asked, self._agreed, self._agreed_ms = False, True, at_ms
                    if event.kind == "board.agrees":
                        self._time_agreement(at_ms)
                case "end":
                    self._over = True
        self._judge_taken_back()

    def _take_read(self, event: PublicEvent, at_ms: int) -> None:
        meant = self._meant.get(event.ply)
        if meant is None:
            self.tally.count_wrong(0, 0)
            self._fault(f"ghost: ply {event.ply} {event.source}-{event.target}, meant {meant}", trace=False)
            return
        right = not meant.attack and is_move(event, meant.move)
        if event.kind == "move.revised" and (meant.read_ms is not None or meant.wrong is not None):
            self._taken_back.append(meant.read_ms is not None and not right)
        self._judge(meant, corrected=right and event.kind == "move.revised")
        meant.read_ms = at_ms if right else None
        if (
            not right or at_ms < meant.ply.rest_ms
        ):  # an attempt that is taken back may look like the ply that follows it
            assert event.target is not None
            meant.wrong = WrongRead(event, self.hands.changed_ms(event.target))

    def _take_unread(self, event: PublicEvent) -> None:
        """Handle that the reading of a ply was retracted."""
        meant = self._meant.get(event.ply)
        if meant is None or (meant.attack and meant.wrong is None):
            return
        self._taken_back.append(meant.read_ms is not None and self.hands.now_ms >= meant.ply.rest_ms)
        meant.read_ms = None
        self._judge(meant)

    def _judge_taken_back(self) -> None:
        """Count the right readings among those taken back together, unless a wrong one below them was the reason."""
        taken, self._taken_back = self._taken_back, []
        if taken and taken[-1]:
            self.tally.unsaid += sum(taken)
            self._fault(f"unsaid without need: {[f'{number} {meant}' for number, meant in self._meant.items()]}")

    def _judge(self, meant: Meant, *, corrected: bool = False) -> None:
        """Count the wrong reading that stood, if one did, now that its piece has gone on."""
        wrong, meant.wrong = meant.wrong, None
        if wrong is None or meant.read_ms is not None:
            return
        wrong.watch(self.hands.changed_ms)
        slid = meant.far and meant.ply.motion == "slide"
        if self.tally.count_wrong(wrong.stood_ms, meant.paused_ms, corrected=corrected, scout_slide=slid):
            event = wrong.event
            self._fault(f"ghost: ply {event.ply} {event.source}-{event.target}, meant {meant}", trace=False)

    def _take_final(self, event: PublicEvent, at_ms: int) -> None:
        meant, reply = self._meant.get(event.ply), self._meant.get(event.ply + 1)
        self.tally.plies += 1
        if event.kind == "move.final" and reply is not None and not reply.attack:
            rest_ms = reply.ply.rest_ms
            unseen_ms = sum(max(0, min(end, at_ms) - max(begin, rest_ms)) for begin, end in self._silences)
            self.tally.final_after_reply.append(max(0, at_ms - rest_ms))
            self.tally.final_after_reply_seen.append(max(0, at_ms - rest_ms - unseen_ms))
        if meant is not None and is_move(event, meant.move):
            if not meant.timed:
                self._measure(now=True)
            del self._meant[event.ply]
            return
        if meant is not None:
            self._judge(meant)
        self.tally.misread += 1
        self._over = True
        self._fault(f"MISREAD: {event.kind} ply {event.ply} {event.source}-{event.target}, meant {meant}")

    def _take_attack(self, event: PublicEvent, at_ms: int) -> None:
        meant = self._meant.get(event.ply)
        if meant is not None and meant.attack and is_move(event, meant.move):
            meant.read_ms = at_ms
            return
        self.tally.false_attacks += 1
        self._fault(f"false attack: ply {event.ply} {event.source}x{event.target}, meant {meant}")
        self._denies = True

    def _take_ask(self, event: PublicEvent, at_ms: int) -> None:
        if self._asked:
            return
        self._asked = True
        self.tally.asked += 1
        blamed = next((one for one in self._accidents if not one.asked and at_ms <= one.until_ms), None)
        if blamed is not None:
            blamed.asked, blamed.until_ms = True, min(blamed.until_ms, at_ms + HEALS_MS)
            self.tally.accidents_asked += 1
            return
        self.tally.asked_needless += 1
        meant = [f"{number} {meant}" for number, meant in self._meant.items()]
        self._fault(
            f"asked: {event.kind} {event.text} ply {event.ply} {self.referee.interpreter.differences()} {meant}"
        )

    # ---------------------------------------------------------------- how long it took

    def _measure(self, now: bool = False) -> None:
        for meant in self._meant.values():
            if meant.wrong is not None:
                meant.wrong.watch(self.hands.changed_ms)
            if meant.timed or meant.read_ms is None or (self.hands.now_ms < meant.ply.rest_ms + 50 and not now):
                continue
            meant.timed = True
            name = meant.timed_as(self.hands.colour)
            if name is None or meant.ply.accidents or any(self.hands.now_ms <= one.until_ms for one in self._accidents):
                continue
            changed_ms = max(self.hands.changed_ms(square) for square in meant.ply.squares)
            late_ms = max(0, meant.read_ms - changed_ms)
            self.tally.latencies[name].append(late_ms)
            if late_ms > SLOW_MS.get(name, 500):
                self._fault(f"slow: {late_ms} ms {name} {meant}")

    def _time_agreement(self, at_ms: int) -> None:
        if self._settled is None or any(self.hands.now_ms <= one.until_ms for one in self._accidents):
            return
        squares = (self._settled.source, self._settled.target)
        changed_ms = max(self.hands.changed_ms(square) for square in squares if square)
        if changed_ms > self._settled_ms:
            self.tally.latencies["board agrees"].append(max(0, at_ms - changed_ms))
        else:
            self.tally.latencies["board agreed before the verdict"].append(at_ms - self._settled_ms)

    def _fault(self, text: str, *, trace: bool = True) -> None:
        lines = "".join(f"\n      {line}" for line in self._log) if trace else ""
        self.tally.faults.append(f"game {self.seed} at {self.hands.now_ms} ms: {text}{lines}")
