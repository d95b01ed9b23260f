"""One game between simulated hands and the referee: hands play on at their own pace, and put the board right when they are asked to.

The truth is what the hands meant. It is compared with what the referee made final and never told to it: what a wrong reading leads to
goes on until it is final, and then the game is given up as misread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from benchmarks.accuracy_tally import Tally
from benchmarks.game_sources import Moves
from benchmarks.ground_truth import (
    AGREE_MS,
    HEALS_MS,
    LOST_MS,
    PRESS_MS,
    RESTORES,
    SICK,
    SICK_MS,
    SLICE_MS,
    SLOW_MS,
    TOLD_LATE_MS,
    Accident,
    Meant,
    StuckError,
    WrongRead,
    is_move,
)
from benchmarks.referee_in_process import Heard, RefereeInProcess
from hardware import BoardFile
from referee.rules import Game, Move
from referee.rules.values import Rank, Seat, Square
from referee.sensing import Observation
from referee.table.views import Phase, PublicEvent
from simulator.board import SimBoard
from simulator.players import Hands
from simulator.plies import Ply
from simulator.profiles import Profile
from simulator.script import MotionError


@dataclass
class HandMatch:
    """One game on one board of its own. `play` plays it to its end."""

    rules_moves: Moves
    board_file: BoardFile
    profile: Profile
    seed: str
    tally: Tally
    truth: Game = field(init=False)
    _meant: dict[int, Meant] = field(default_factory=dict)
    _games: dict[int, Game] = field(default_factory=dict)
    """The truth before each of the last plies, by the number of plies played."""
    _accidents: list[Accident] = field(default_factory=list)
    _asked: bool = False
    _settled: PublicEvent | None = None
    _settled_ms: int = 0
    _agreed: bool = False
    _over: bool = False
    _denies: bool = False
    """Both players are about to say that there was no attack."""
    _log: deque[str] = field(default_factory=lambda: deque(maxlen=60))

    def __post_init__(self) -> None:
        """Lay the pieces out."""
        self.truth = self.rules_moves.start.copy()
        self.sim = SimBoard(self.board_file, Random(self.seed).randrange(1 << 30), profile=self.profile)
        self.hands = Hands(self.sim, Random(f"{self.seed}/hands").randrange(1 << 30))
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
        occupants = self.truth.occupants()
        self.sim.lay({square.name: seat.value for square, seat in occupants.items()})
        self.referee.open(0)
        self._listen(3_000)
        self._games[0] = self.truth.copy()
        self.hands.next_ms = self.sim.now_ms
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
        mishap = self.hands.mishap(seat.value)
        if mishap is not None:
            self._suffer(mishap)
            return
        move = self.rules_moves.choose(self.truth)
        if move is None:
            self._over = True
            return
        try:
            (self._attack if self.truth.is_attack(move) else self._move)(seat, move)
        except MotionError:  # a piece lies about where this one should go: the players see that and put it right
            self.hands.restore(self._names(self.truth))

    def _move(self, seat: Seat, move: Move) -> None:
        ways = self._ways(move.source)
        path = ways[move.target]
        rests = {square.name: over for square, over in ways.items() if square != move.target}
        far = self._rank(move.source) is Rank.SCOUT and len(path) > 0
        ply = self.hands.move(seat.value, move.source.name, move.target.name, path, rests)
        self._mean(move, ply, attack=False, far=far)
        if far and ply.motion == "slide":
            self.tally.scout_slides += 1

    def _attack(self, seat: Seat, move: Move) -> None:
        path = [square.name for square in self.truth.rule_set.board.path(move)[:-1]]
        ranks = {self.truth.piece_at(s).seat: self._rank(s) for s in (move.source, move.target)}  # type: ignore[union-attr]  # both are taken
        ply = self.hands.attack(seat.value, move.source.name, move.target.name, path)
        number = self.truth.ply + 1
        self._settled = None
        self._mean(move, ply, attack=True)
        told_ms = ply.told_ms
        while self._settled is None and not self._asked and not self._over:
            if told_ms is not None and self.sim.now_ms >= told_ms:
                told_ms = told_ms + TOLD_LATE_MS
                self._tell(seat, move)
            elif told_ms is None and self.sim.now_ms > ply.rest_ms + TOLD_LATE_MS:
                self.tally.told_late += 1
                self._fault(f"told late: ply {number} {move!r} {ply}")
                told_ms = self.sim.now_ms
            if self.sim.now_ms > ply.rest_ms + 6 * TOLD_LATE_MS:
                self.tally.lost += 1
                raise StuckError(f"attack {move!r} {ply.motion} was never asked about {self.referee.rejected[-1:]}")
            answers = self.referee.table.phase is Phase.WAITING_FOR_DECLARATIONS and not self._denies
            if answers and self.sim.now_ms >= ply.rest_ms:
                self._take(self.referee.declare(ranks, self.sim.now_ms))
            self._listen(self.sim.now_ms + SLICE_MS)
        if self._settled is not None and not self._over:
            self._resolve(self._settled)

    def _tell(self, seat: Seat, move: Move) -> None:
        """Press *Attack*; with the piece back on its square it has to be lifted for that, since the handset asks for it."""
        source = move.source.name
        lifts = source in self.sim.occupied() and not self.sim.busy
        if lifts:
            self._listen(self.sim.begin({"motion": "lift", "square": source}) + PRESS_MS)
        self._take(self.referee.tell_attack(seat, move.source, move.target, self.sim.now_ms))
        if lifts:
            self._listen(
                self.sim.begin({"motion": "put", "seat": seat.value, "square": source}) + SLICE_MS, through=True
            )

    def _resolve(self, verdict: PublicEvent) -> None:
        assert verdict.result is not None
        settled_ms = self.sim.now_ms
        ply = self.hands.resolve(verdict.result)
        self._happened(ply)
        while not self._agreed and not self._asked and not self._over:
            if self.sim.now_ms > max(ply.quiet_ms, settled_ms) + AGREE_MS:
                self.tally.lost += 1
                raise StuckError(f"no agreement after {verdict.result} {ply}")
            self._listen(self.sim.now_ms + SLICE_MS)
        if self._asked:
            self._restore()
        self.hands.next_ms = max(self.hands.next_ms, self.sim.now_ms)

    def _suffer(self, mishap: Ply) -> None:
        """Let an accident pass: it heals, somebody asks, or in the end the players see it themselves."""
        self._happened(mishap)
        until_ms = mishap.quiet_ms + (0 if mishap.heals else HEALS_MS)
        while self.sim.now_ms < until_ms and not self._asked:
            self._listen(self.sim.now_ms + SLICE_MS)
        if not self._asked and not mishap.heals:
            self.hands.restore(self._names(self.truth))
        self.hands.next_ms = max(self.hands.next_ms, self.sim.now_ms)

    def _restore(self) -> None:
        """Put the board right as the referee asks, and go on from the ply that it counts."""
        for _ in range(RESTORES):
            while self.sim.busy or self.sim.now_ms < self._last_quiet_ms():
                self._listen(self.sim.now_ms + SLICE_MS, through=True)
            if not self._asked:
                break
            end_ms = self.hands.restore(self._names(self.referee.game)).quiet_ms + 12_000
            while self._asked and self.sim.now_ms < end_ms:
                self._listen(self.sim.now_ms + SLICE_MS, through=True)
        if self._asked:
            self.tally.lost += 1
            raise StuckError(f"the board cannot be put right: {self.referee.interpreter.differences()}")
        played = self.referee.game.ply
        for number in [number for number in self._meant if number > played]:
            self._judge(self._meant.pop(number))
        if self.referee.table.phase is Phase.FINISHED or self._over:
            self._over = True
            return
        self.truth = self._games[played].copy()
        self.hands.next_ms = max(self.hands.next_ms, self.sim.now_ms + 300)

    def _last_quiet_ms(self) -> int:
        return max((meant.ply.quiet_ms for meant in self._meant.values()), default=0)

    def _wind_up(self) -> None:
        """Let the last plies become final; what does not is lost."""
        end_ms = self.sim.now_ms + LOST_MS
        while self._meant and self.sim.now_ms < end_ms and not self._asked:
            self._listen(self.sim.now_ms + 500)

    # ---------------------------------------------------------------- what hands meant

    def _mean(self, move: Move, ply: Ply, *, attack: bool, far: bool = False) -> None:
        number = self.truth.ply + 1
        self._meant[number] = Meant(move, attack, ply, far)
        self._log.append(f"{self.sim.now_ms} ply {number} meant {move!r} {ply}")
        self.truth.play(move)
        self._games[number] = self.truth.copy()
        self._games.pop(number - 12, None)
        self._happened(ply)

    def _happened(self, ply: Ply) -> None:
        self.tally.motions[ply.motion] += 1
        self.tally.extras.update(ply.extras)
        self.tally.accidents.update(ply.accidents)
        for word in ply.accidents:
            until_ms = ply.quiet_ms + (SICK_MS if word in SICK else HEALS_MS)
            self._accidents.append(Accident(word, until_ms if ply.heals else 1 << 60))
            self._log.append(f"{self.sim.now_ms} accident {ply}")

    def _ways(self, source: Square) -> dict[Square, list[str]]:
        """Give every free square that the piece may go to by the rules, with the squares on the way."""
        board = self.truth.rule_set.board
        found: dict[Square, list[str]] = {}
        for action in self.truth.legal_actions():
            if isinstance(action, Move) and action.source == source and not self.truth.is_attack(action):
                found[action.target] = [square.name for square in board.path(action)[:-1]]
        return found

    def _rank(self, square: Square) -> Rank:
        piece = self.truth.piece_at(square)
        assert piece is not None
        return next(iter(self.truth.possible(piece)))

    def _names(self, game: Game) -> dict[str, str]:
        return {square.name: seat.value for square, seat in game.occupants().items()}

    # ---------------------------------------------------------------- what the referee says

    def _listen(self, until_ms: int, *, through: bool = False) -> None:
        """Let board time pass; return early when the board has to be put right, unless it is to be `through`."""
        sim = self.sim
        while sim.now_ms < until_ms and (through or not self._asked):
            messages = sim.listen(min(sim.now_ms + SLICE_MS, until_ms))
            if messages:
                heard = self.referee.hear(messages, sim.boot_ms)
                if heard:
                    self._take(heard)
            if self._denies:
                self._take(self.referee.deny(sim.now_ms))
            if self._meant:
                self._measure()

    def _note(self, at_ms: int, said: Observation) -> None:
        self._log.append(f"{at_ms} {said}"[:300])

    def _take(self, heard: list[Heard]) -> None:
        for at_ms, event in heard:
            match event.kind:
                case "move.read" | "move.revised":
                    self._take_read(event, at_ms)
                case "move.final":
                    self._take_final(event)
                case "attack":
                    self._take_attack(event, at_ms)
                case "verdict":
                    self._take_final(event)
                    self._settled, self._settled_ms, self._agreed = event, at_ms, False
                case "ask" | "move.refused":
                    self._take_ask(event, at_ms)
                case "attack.withdrawn":
                    self._asked, self._denies = True, False
                case "restored" | "board.agrees":
                    self._asked = False
                    self._agreed = True
                    if event.kind == "board.agrees":
                        self._time_agreement(at_ms)
                case "end":
                    self._over = True

    def _take_read(self, event: PublicEvent, at_ms: int) -> None:
        meant = self._meant.get(event.ply)
        if meant is None or meant.attack:
            self.tally.count_wrong(0, 0)
            self._fault(f"ghost: ply {event.ply} {event.source}-{event.target}, meant {meant}", trace=False)
            return
        right = is_move(event, meant.move)
        self._judge(meant, corrected=right and event.kind == "move.revised")
        meant.read_ms = at_ms if right else None
        if not right:
            assert event.target is not None
            meant.wrong = WrongRead(event, self.sim.changed_ms(event.target))

    def _judge(self, meant: Meant, *, corrected: bool = False) -> None:
        """Count the wrong reading that stood, if one did, now that its piece has gone on."""
        wrong, meant.wrong = meant.wrong, None
        if wrong is None:
            return
        wrong.watch(self.sim.changed_ms)
        slid = meant.far and meant.ply.motion == "slide"
        if self.tally.count_wrong(wrong.stood_ms, meant.paused_ms, corrected=corrected, scout_slide=slid):
            event = wrong.event
            self._fault(f"ghost: ply {event.ply} {event.source}-{event.target}, meant {meant}", trace=False)

    def _take_final(self, event: PublicEvent) -> None:
        meant = self._meant.get(event.ply)
        self.tally.plies += 1
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
                meant.wrong.watch(self.sim.changed_ms)
            if meant.timed or meant.read_ms is None or (self.sim.now_ms < meant.ply.rest_ms + 50 and not now):
                continue
            meant.timed = True
            name = meant.timed_as(self.sim.colour)
            if name is None or meant.ply.accidents or any(self.sim.now_ms <= one.until_ms for one in self._accidents):
                continue
            changed_ms = max(self.sim.changed_ms(square) for square in meant.ply.squares)
            late_ms = max(0, meant.read_ms - changed_ms)
            self.tally.latencies[name].append(late_ms)
            if late_ms > SLOW_MS.get(name, 500):
                self._fault(f"slow: {late_ms} ms {name} {meant}")

    def _time_agreement(self, at_ms: int) -> None:
        if self._settled is None or any(self.sim.now_ms <= one.until_ms for one in self._accidents):
            return
        squares = (self._settled.source, self._settled.target)
        changed_ms = max(self.sim.changed_ms(square) for square in squares if square)
        if changed_ms > self._settled_ms:
            self.tally.latencies["board agrees"].append(max(0, at_ms - changed_ms))
        else:
            self.tally.latencies["board agreed before the verdict"].append(at_ms - self._settled_ms)

    def _fault(self, text: str, *, trace: bool = True) -> None:
        lines = "".join(f"\n      {line}" for line in self._log) if trace else ""
        self.tally.faults.append(f"game {self.seed} at {self.sim.now_ms} ms: {text}{lines}")
