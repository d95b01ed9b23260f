"""A stage for event tables: squares that a script sets, frames in the firmware's rhythm, and a referee that answers as arbitration does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import TypeAlias

from firmware_bridge.messages import Frame, Reading
from referee.rules import CombatResult, Game, Move, Prospect, rule_set
from referee.rules.values import Seat, Square
from referee.sensing import (
    Agreed,
    AttackSeen,
    Disturbed,
    Final,
    Interpreter,
    Lifted,
    Masked,
    Observation,
    Puzzled,
    Read,
    Returned,
    Revised,
    Seen,
    Unread,
)

ACTIVE_MS, IDLE_MS = 400, 500
READINGS = {".": Reading.EMPTY, "r": Reading.RED, "b": Reading.BLUE, "?": Reading.UNSURE}
POLES = {
    Seat.RED: Reading.RED,
    Seat.BLUE: Reading.BLUE,
    Seat.GREEN: Reading.RED,
    Seat.YELLOW: Reading.BLUE,
}
JUMPING_MS = (3, 14, 8, 22, 5, 17, 10, 2, 25, 9)
"""Scan intervals of a board that keeps no beat."""

Step: TypeAlias = tuple[int, str]
Wish: TypeAlias = Callable[["Stage"], None]


def words(observation: Observation) -> str:
    """Return an observation in short words, without its time."""
    match observation:
        case Lifted() | Returned():
            return f"{type(observation).__name__.lower()} {observation.square}"
        case Unread():
            return f"unread {observation.plies}"
        case Read() | Revised():
            prospect = observation.prospect
            plies = f" for {observation.plies}" if isinstance(observation, Revised) and observation.plies > 1 else ""
            return f"{type(observation).__name__.lower()} {prospect.source}-{prospect.target}{plies}"
        case Unread():
            return f"unread {observation.plies}"
        case AttackSeen():
            return f"attack {observation.source}x{observation.target}"
        case Puzzled() | Disturbed():
            named = " ".join(
                f"{d.square}:{d.wanted.value if d.wanted else '-'}/{d.seen.name.lower()}"
                for d in observation.differences
            )
            return f"{type(observation).__name__.lower()} {named}"
        case Seen():
            return "seen " + " ".join(f"{square}={seat.value}" for square, seat in observation.occupants.items())
        case Masked():
            return " ".join(["masked", *(square.name for square in observation.squares)])
        case Final() | Agreed():
            return type(observation).__name__.lower()


def game_with(pieces: Mapping[str, str], rules: str = "original", turn: Seat | None = None) -> Game:
    """Return a public game with few pieces: seat word to squares, as `{"red": "a4 e4", "blue": "a7"}`."""
    found = rule_set(rules)
    occupants = {found.board.square(name): Seat(seat) for seat, names in pieces.items() for name in names.split()}
    return Game(found, occupants, turn=turn) if turn else Game(found, occupants)


class Stage:
    """One board under an interpreter. `play` lets time pass; `said` keeps every observation, `at` when it came."""

    def __init__(
        self,
        game: Game,
        *,
        colour: bool = True,
        scan_ms: Sequence[int] = (10,),
        start_ms: int = 0,
        with_board: bool = True,
        answer: bool = True,
        looks: bool = True,
    ) -> None:
        self.game, self.colour, self.answer, self.looks = game, colour, answer, looks
        self.board = game.rule_set.board
        self.squares = self.board.squares
        self.number = {square.name: n for n, square in enumerate(self.squares)}
        self.interpreter = Interpreter(self.squares, colour, POLES, board=self.board if with_board else None)
        self.readings = [Reading.EMPTY] * len(self.squares)
        for square, seat in game.occupants().items():
            self.readings[self.number[square.name]] = POLES[seat]
        self.before: list[Game] = []
        """What stood before each open ply."""
        self.restoring = False
        self.said: list[tuple[int, str]] = []
        self.observations: list[Observation] = []
        self.now_ms = 0
        self.board_ms = start_ms
        self.seq = 0
        """The number of the next frame; one that is lost has had its own."""
        self._start_ms = start_ms
        self._scan_ms = cycle(scan_ms)
        self._changed_ms = -ACTIVE_MS - 1
        self._sent_ms: int | None = None
        self._sent: tuple[Reading, ...] = ()
        self._scanned: list[Reading] = []
        self._shown: tuple[Reading, ...] = ()

    def restore(self) -> None:
        """Order the game's position to be expected, until it is agreed with."""
        self.restoring = True
        self.interpreter.expect(self.game.occupants())

    def look(self) -> None:
        """Let the last frame be judged by an expectation that came after it, as the shell does."""
        if self.looks:
            self._hear(self.interpreter.look())

    def leap(self, by_ms: int) -> None:
        """Let the board's clock jump forward, as if no frame had come for so long."""
        self._start_ms += by_ms

    def follow(self) -> Stage:
        """Order the game's situation to be followed."""
        self.interpreter.follow(self.game.situation())
        return self

    def set(self, what: str) -> None:
        """Set squares: `a4. a5r` empties a4 and puts a red magnet on a5."""
        for item in what.split():
            self.readings[self.number[item[:-1]]] = READINGS[item[-1]]

    def play(self, script: Sequence[Step | tuple[int, Wish]], until_ms: int) -> Stage:
        """Scan until then; each step of the script (time, squares to set or something to do) takes place before the scan at its time."""
        steps = sorted(script, key=lambda step: step[0])
        while self.now_ms <= until_ms:
            while steps and steps[0][0] <= self.now_ms:
                _, what = steps.pop(0)
                if isinstance(what, str):
                    self.set(what)
                else:
                    what(self)
            self._scan()
            self.now_ms += next(self._scan_ms)
        assert not steps, "the script goes on beyond the end"
        return self

    def _scan(self) -> None:
        if self._scanned != self.readings:
            self._scanned = self.readings.copy()
            self._shown = tuple(
                Reading.RED if reading is Reading.BLUE and not self.colour else reading for reading in self.readings
            )
        shown = self._shown
        if shown != self._sent:
            self._changed_ms = self.now_ms
        idle = self._sent_ms is not None and self.now_ms - self._sent_ms < IDLE_MS
        if self.now_ms - self._changed_ms > ACTIVE_MS and idle:
            return
        self._sent, self._sent_ms = shown, self.now_ms
        self.frame(shown)

    def frame(self, shown: tuple[Reading, ...]) -> None:
        """Feed one frame as it is, at the present time, and answer what it brings."""
        self.feed(shown, self.now_ms)

    def feed(self, shown: tuple[Reading, ...], at_ms: int) -> None:
        """Feed a frame that was scanned then."""
        before_ms, self.board_ms = self.board_ms, (self._start_ms + at_ms) % 2**32
        if self.board_ms - before_ms > IDLE_MS + 50:  # no board is silent for so long: its frames were lost
            self.seq += 1
        self._hear(self.interpreter.feed(Frame(self.seq % 256, self.board_ms, shown)))
        self.seq += 1
        self.look()

    def _hear(self, observations: Sequence[Observation]) -> None:
        for observation in observations:
            assert observation.at_ms == self.board_ms
            self.observations.append(observation)
            self.said.append((self.now_ms, words(observation)))
            if self.answer:
                self._answer(observation)

    def _answer(self, observation: Observation) -> None:
        match observation:
            case Read():
                self._advance(observation.prospect)
            case Revised():
                self._go_back(observation.plies)
                self._advance(observation.prospect)
            case Unread():
                self._go_back(observation.plies)
                self.interpreter.advance(self.game.situation())
            case Final():
                self.before.pop(0)
            case Puzzled() | Disturbed() if not self.restoring:
                self.before.clear()
                self.restore()
            case Agreed():
                self.restoring = False
                self.follow()
            case _:
                pass

    def _go_back(self, plies: int) -> None:
        self.game = self.before[-plies]
        del self.before[-plies:]

    def _advance(self, prospect: Prospect) -> None:
        self.before.append(self.game.copy())
        move = self.board.move(prospect.source, prospect.target, prospect.path_told)
        assert move is not None
        self.game.play(move)
        self.interpreter.advance(self.game.situation())

    def words(self) -> list[str]:
        """Return what was said, in order."""
        return [text for _, text in self.said]

    def moves(self) -> list[str]:
        """Return what was said of moves and attacks and questions, without hands and without times."""
        return [text for text in self.words() if not text.startswith(("lifted", "returned", "agreed"))]


def verdict(source: str, target: str, result: CombatResult) -> Wish:
    """Return a step that settles an attack and expects the board to become what the verdict says."""

    def settle(stage: Stage) -> None:
        stage.game.play(Move(Square(source), Square(target)), result)
        stage.interpreter.expect(stage.game.occupants())
        stage.look()

    return settle
