"""Games at the simulated board in which blue's moves are decided elsewhere, and hands carry them out: right, late, in part, and wrongly.

Magnets, the firmware's own bytes, sensing and table are the real ones; what hands do is drawn from the seed, and every wrong thing that
they do is put right when the referee has said what to do. `Judge` sees the public side and the truth.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from benchmarks.hand_match import RefereeInProcess, TimedEvent
from firmware_bridge.messages import Reading, WireFault
from firmware_bridge.wire import Decoder
from hardware import Sensing, load_board
from referee.rules import Game, Move, rule_set
from referee.rules.values import Rank, Seat, Square
from referee.runtime.set_ups import generate
from referee.table.views import Phase
from simulator.board import SimBoard
from simulator.script import MotionError
from tests.carried.judge import Judge

RED, BLUE = Seat.RED, Seat.BLUE
_SLICE_MS = 100
_ANSWER_MS = 15_000
"""By then the referee has asked about whatever stands wrongly: two sorts of hands wait for ten seconds, and a second more is noise."""
_FINAL_MS = 4_500
"""By then a ply that stands is final."""
_MOST_PLIES = 90


class StuckError(Exception):
    """The game cannot go on as the hands wanted; that is a fault, too."""


@dataclass
class Carried:
    """One game; `play` plays it to its end and returns what was found."""

    seed: str
    sensing: Sensing
    profile: str = "clean"
    rules: str = "original"
    board: str = "travel-10x10"
    deeds: Counter[str] = field(default_factory=Counter)
    judge: Judge = field(default_factory=lambda: Judge({BLUE.value}))

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        rules, file = rule_set(self.rules), load_board(self.board).with_sensing(self.sensing)
        ranks: dict[Square, Rank] = {}
        for seat in rules.seats:
            ranks |= generate(rules, seat, self.rng)
        owners = {square: seat for seat in rules.seats for square in rules.zone(seat) if square in ranks}
        self.truth = Game(rules, owners, ranks)
        self.sim = SimBoard(file, self.rng.getrandbits(32), profile=self.profile)
        self.decoder = Decoder()
        self.referee = RefereeInProcess(rules, file, decided=(BLUE,))
        self.sim.lay({square.name: seat.value for square, seat in owners.items()})

    # ---------------------------------------------------------------- time, and what is said

    def listen(self, for_ms: int) -> None:
        """Let the board's time pass."""
        end_ms = self.sim.now_ms + for_ms
        while self.sim.now_ms < end_ms:
            self.hear(self.sim.advance(min(end_ms, self.sim.now_ms + _SLICE_MS)))

    def hear(self, sent: list[bytes]) -> None:
        """Feed the board's bytes to the referee."""
        messages = [said for said in self.decoder.feed(b"".join(sent)) if not isinstance(said, WireFault)]
        self.take(self.referee.hear(messages, self.sim.boot_ms))

    def until(self, done: Callable[[], bool], most_ms: int) -> bool:
        """Let time pass until something is so; return whether it came about."""
        end_ms = self.sim.now_ms + most_ms
        while not done() and self.sim.now_ms < end_ms:
            self.listen(_SLICE_MS)
        return done()

    def take(self, heard: list[TimedEvent]) -> None:
        """Let the judge hear what everybody hears; and both players say true ranks as soon as they are asked."""
        for _, event in heard:
            self.judge.hear(msgspec.to_builtins(event, str_keys=True))
            if event.kind == "move.final" and event.ply > self.truth.ply:
                self._play(event.source, event.target)

    def _play(self, source: str | None, target: str | None) -> None:
        action = next(
            each
            for each in self.truth.legal_actions()
            if isinstance(each, Move) and (each.source.name, each.target.name) == (source, target)
        )
        self.truth.play(action)

    @property
    def view(self) -> Any:
        """Return what everybody sees, as JSON has it."""
        return msgspec.to_builtins(self.referee.table.view(), str_keys=True)

    @property
    def phase(self) -> Phase:
        """Return where the table stands."""
        return self.referee.table.phase

    def rest(self) -> None:
        """Judge the table as it stands, with hands at rest."""
        owners = {Reading.RED: "red", Reading.BLUE: "blue"}
        colour = self.sensing is Sensing.COLOUR
        stands = {name: owners[seen] if colour else None for name, seen in self.sim.occupied().items()}
        self.judge.at_rest(self.view, stands)

    # ---------------------------------------------------------------- hands

    def hand(self, motion: str, quiet_ms: int = 0, **fields: object) -> None:
        """Let a hand make a motion to its end."""
        names = {"source": "from"} | ({"target": "to"} if motion == "move" else {})
        end_ms = self.sim.begin({"motion": motion, **{names.get(key, key): value for key, value in fields.items()}})
        self.listen(max(0, end_ms - self.sim.now_ms) + quiet_ms)

    def carry(self, move: Move) -> None:
        """Carry or push a piece to an empty square."""
        path = self.way(move)
        if path is not None and self.rng.random() < 0.5:
            self.hand("move", source=move.source.name, target=move.target.name, style="slide", via=path[:-1])
        else:
            self.hand("move", source=move.source.name, target=move.target.name)

    def way(self, move: Move) -> list[str] | None:
        """Return the squares of a legal move, its target last."""
        for prospect in self.referee.game.situation().prospects:
            if (prospect.source, prospect.target) == (move.source, move.target):
                return [square.name for square in prospect.path]
        return None

    def obey(self) -> None:
        """Put the board right as it is asked for, perhaps late, and prove that the referee then agrees."""
        for _ in range(3):
            self.listen(self.rng.randrange(200, 6_000))
            wanted = {square.name: seat.value for square, seat in self.referee.game.occupants().items()}
            self.hand("restore", squares=wanted)
            if self.until(lambda: self.phase is not Phase.RESTORING, 8_000):
                return
        raise StuckError("the board was put right and is asked about still")

    def answered(self, word: str, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Wait for the answer to something wrong, judge it, let something happen, and obey."""
        self.deeds[word] += 1
        self.until(lambda: self.phase is Phase.RESTORING, _ANSWER_MS)
        self.listen(600)
        before = len(self.judge.faults)
        self.rest()
        if len(self.judge.faults) > before:
            self.judge.faults[-1] += f" ({word})"
        meanwhile()
        self.obey()
        self.listen(400)
        self.rest()

    # ---------------------------------------------------------------- the game

    def play(self, most: Callable[[], bool]) -> None:
        """Play to the end of the game, or until there is enough."""
        try:
            self.hear(self.sim.start())
            self.referee.open(0)
            self.listen(3_000)
            while self.truth.ply < _MOST_PLIES and self.goes_on() and not most():
                if self.truth.turn is RED:
                    self.red()
                else:
                    self.blue()
            self.listen(_FINAL_MS)
        except (StuckError, MotionError, StopIteration, AssertionError) as error:
            self.judge.faults.append(f"stuck: {type(error).__name__} {error}")
        self.judge.faults = [f"game {self.seed} ply {self.truth.ply + 1}: {fault}" for fault in self.judge.faults]

    def goes_on(self) -> bool:
        """Return whether there is something to play."""
        over = self.phase is Phase.FINISHED or self.truth.result is not None
        return not over and any(isinstance(action, Move) for action in self.truth.legal_actions())

    def moves(self) -> list[Move]:
        """Return the legal plies, in an order that is always the same."""
        found = [action for action in self.truth.legal_actions() if isinstance(action, Move)]
        return sorted(found, key=lambda move: (move.source.name, move.target.name))

    def drawn(self, moves: list[Move]) -> Move:
        """Return a ply; attacks and long ones are drawn more often than they are."""
        attacks = [move for move in moves if self.truth.is_attack(move)]
        far = [move for move in moves if len(self.way(move) or ()) > 1]
        draw = self.rng.random()
        return self.rng.choice(attacks if attacks and draw < 0.3 else far if far and draw < 0.5 else moves)

    def red(self) -> None:
        """Let red play by its own hand, early or late; blue's ply may still be open."""
        move = self.drawn(self.moves())
        self.listen(self.rng.choice((400, 900, 2_500)))
        if self.truth.is_attack(move):
            self.fight(move)
            return
        ply = self.truth.ply
        self.carry(move)
        self.final(ply)

    def final(self, ply: int) -> None:
        """Wait until the ply that was made is final."""
        if not self.until(lambda: self.truth.ply > ply or self.phase is Phase.FINISHED, _FINAL_MS):
            raise StuckError(f"a ply is not final in {self.phase.value}")

    def fight(self, move: Move) -> None:
        """Show an attack by lifting both, answer, and clear the board."""
        self.listen(1_300)
        self.hand("both", source=move.source.name, target=move.target.name)
        if not self.until(lambda: self.phase is Phase.WAITING_FOR_DECLARATIONS, _ANSWER_MS):
            raise StuckError("an attack was not seen")
        ranks = {}
        for square in (move.source, move.target):
            piece = self.truth.piece_at(square)
            assert piece is not None
            ranks[piece.seat] = next(iter(self.truth.possible(piece)))
        self.truth.play(move)
        self.take(self.referee.declare(ranks, self.sim.now_ms))
        self.listen(self.rng.randrange(300, 3_000))
        if self.phase is not Phase.FINISHED:
            self.hand("restore", squares={s.name: seat.value for s, seat in self.referee.game.occupants().items()})
            if not self.until(lambda: self.phase is Phase.WAITING_FOR_MOVE, 8_000):
                raise StuckError("the board was cleared and does not agree")
            self.listen(300)

    # ---------------------------------------------------------------- blue decides, and hands carry it out

    def blue(self) -> None:
        """Decide, err, and carry it out."""
        move = self.drawn(self.moves())
        draw = self.rng.random()
        if draw < 0.2 and self.quiet():
            self.carry(self.rng.choice(self.quiet()))
            self.answered("a ply before the decision", (lambda: self.decide(move)) if draw < 0.1 else lambda: None)
        if draw >= 0.1 or not self.quiet():
            self.decide(move)
        for wrong in self.wrongs(move):
            wrong()
        self.judge.begun(self.truth.ply + 1)
        self.right(move)

    def quiet(self, *spared: Square) -> list[Move]:
        """Return blue's plies that are no attack, but those from these squares."""
        return [move for move in self.moves() if not self.truth.is_attack(move) and move.source not in spared]

    def decide(self, move: Move) -> None:
        """Send a decision, with messages before and after it that must be refused."""
        if self.phase not in (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND, Phase.RESTORING):
            raise StuckError(f"blue is to decide in {self.phase.value}")
        ply, (source, target) = self.truth.ply + 1, (move.source.name, move.target.name)
        self.refused(ply - 2, source, target, "stale")
        self.refused(ply, "a0", target, "no-such-square")
        self.judge.accepted(ply, source, target)
        self.take(self.referee.decide(BLUE, ply, source, target, self.sim.now_ms))
        self.refused(ply, source, target, "decided")

    def refused(self, ply: int, source: str, target: str, word: str) -> None:
        """Send a message that must be refused with this word, and note a fault when it is not."""
        rejected = len(self.referee.rejected)
        self.take(self.referee.decide(BLUE, max(0, ply), source, target, self.sim.now_ms))
        if self.referee.rejected[rejected:] != [word]:
            self.judge.faults.append(f"a decision was answered by {self.referee.rejected[rejected:]}, due is {word}")

    def wrongs(self, move: Move) -> Iterator[Callable[[], None]]:
        """Yield what hands do before they do the right thing: nothing half of the time, else one or two things."""
        kinds = (self.other_piece, self.other_target, self.wrong_square, self.rival, self.other_attack)
        more = (self.let_go, self.beyond, self.look, self.nothing, self.put_right_at_once, self.on_top)
        for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
            kind = self.rng.choice((*kinds, *more))
            yield lambda kind=kind: kind(move)  # type: ignore[misc]  # its default binds it

    def other_piece(self, move: Move) -> None:
        """Another piece makes a legal ply."""
        others = self.quiet(move.source)
        if others:
            self.carry(self.rng.choice(others))
            self.answered("another piece")

    def on_top(self, move: Move) -> None:
        """Another piece makes a ply, and then the decided one is made on top of it, whatever the referee has said of the first."""
        others = [each for each in self.quiet(move.source) if each.target != move.target]
        free = self.truth.piece_at(move.target) is None
        if others and free:
            other = self.rng.choice(others)
            self.carry(other)
            self.listen(self.rng.randrange(20, 5_000))
            self.hand("move", source=move.source.name, target=move.target.name)
            self.answered("another piece, and the right one on top of it")

    def other_target(self, move: Move) -> None:
        """The piece goes to another legal square."""
        way = self.way(move) or []
        others = [m for m in self.moves() if m.source == move.source and m.target != move.target]
        others = [m for m in others if not self.truth.is_attack(m) and m.target.name not in way]
        if others:
            self.carry(self.rng.choice(others))
            self.answered("another target")

    def wrong_square(self, move: Move) -> None:
        """A blue piece, mostly the right one, goes where no piece can."""
        occupants, legal = self.truth.occupants(), {(m.source, m.target) for m in self.moves()}
        own = [square for square, seat in occupants.items() if seat is BLUE]
        source = move.source if self.rng.random() < 0.7 else self.rng.choice(sorted(own, key=str))
        free = [square for square in self.truth.rule_set.board.squares if square not in occupants]
        public = {(p.source, p.target) for p in self.referee.game.situation().prospects}
        wrong = [square for square in free if (source, square) not in legal | public]
        self.hand("move", source=source.name, target=self.rng.choice(wrong).name)
        self.answered("a wrong square")

    def rival(self, move: Move) -> None:
        """The other seat's piece is moved."""
        occupants = self.truth.occupants()
        free = [square for square in self.truth.rule_set.board.squares if square not in occupants]
        red = sorted((square for square, seat in occupants.items() if seat is RED), key=str)
        self.hand("move", source=self.rng.choice(red).name, target=self.rng.choice(free).name)
        self.answered("the other seat's piece")

    def other_attack(self, move: Move) -> None:
        """Another attack is shown."""
        others = [
            m for m in self.moves() if self.truth.is_attack(m) and (m.source, m.target) != (move.source, move.target)
        ]
        if others:
            other = self.rng.choice(others)
            self.listen(1_300)
            self.hand("both", source=other.source.name, target=other.target.name)
            self.answered("another attack")

    def let_go(self, move: Move) -> None:
        """The piece stays on its way."""
        way = self.way(move) or []
        if len(way) > 1:
            self.hand("move", source=move.source.name, target=self.rng.choice(way[:-1]))
            self.answered("let go on its way")

    def beyond(self, move: Move) -> None:
        """The hand has put it where it belongs, and goes on."""
        if self.truth.is_attack(move):
            return
        occupants = self.truth.occupants()
        free = [s for s in self.truth.rule_set.board.neighbours(move.target) if s not in occupants and s != move.source]
        if free:
            self.judge.begun(self.truth.ply + 1)
            self.carry(move)
            self.listen(self.rng.randrange(50, 1_100))
            self.hand("move", source=move.target.name, target=self.rng.choice(sorted(free, key=str)).name)
            self.answered("gone beyond")

    def look(self, move: Move) -> None:
        """A piece is lifted, held for a while and brought back: nothing."""
        self.deeds["lifted and brought back"] += 1
        self.hand("lift", square=move.source.name)
        self.listen(self.rng.choice((300, 2_000, 20_000)))
        self.rest()
        self.hand("put", seat="blue", square=move.source.name)
        self.listen(700)
        self.rest()

    def nothing(self, move: Move) -> None:
        """Nobody does anything for long: it is shown all the time."""
        self.deeds["nothing for long"] += 1
        self.listen(self.rng.randrange(20_000, 90_000))
        self.rest()

    def put_right_at_once(self, move: Move) -> None:
        """Another piece, and back home again before anybody asks, or just when."""
        others = self.quiet(move.source)
        if others:
            self.deeds["another piece, taken back"] += 1
            other = self.rng.choice(others)
            self.hand("move", source=other.source.name, target=other.target.name)
            self.listen(self.rng.randrange(20, 900))
            self.hand("move", source=other.target.name, target=other.source.name)
            self.until(lambda: self.phase is not Phase.RESTORING, 8_000)
            self.listen(1_000)
            self.rest()

    def right(self, move: Move) -> None:
        """Carry it out: at once, late, in part first, or with a rest on its way."""
        self.listen(self.rng.choice((200, 1_000, 5_000)))
        if self.truth.is_attack(move):
            self.deeds["an attack"] += 1
            self.fight(move)
            return
        ply, way = self.truth.ply, self.way(move) or []
        draw = self.rng.random()
        if draw < 0.2:
            self.deeds["held in the air"] += 1
            self.hand("lift", square=move.source.name)
            self.listen(self.rng.choice((500, 3_000, 30_000)))
            self.rest()
            self.hand("put", seat="blue", square=move.target.name)
        elif draw < 0.4 and len(way) > 1:
            self.deeds["rested on its way"] += 1
            middle = self.rng.choice(way[:-1])
            self.hand("move", source=move.source.name, target=middle)
            self.listen(self.rng.randrange(50, 1_200))
            self.hand("move", source=middle, target=move.target.name)
        else:
            self.deeds["a move"] += 1
            self.carry(move)
        if self.rng.random() < 0.5 and self.until(lambda: self.view["ply"] > ply, 3_000):
            self.truth.play(move)  # red may answer while it is open
        else:
            self.final(ply)
