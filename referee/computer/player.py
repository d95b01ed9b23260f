"""One seat's player: it hears every ply as its seat does and says what it would do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple

from referee.computer.belief import Behaviour, chances
from referee.computer.chance import chance
from referee.computer.kinds import FOE, OWN, Kinds, worths
from referee.computer.pulls import pulls
from referee.computer.search import EMPTY, WON, Search, SearchPosition, deepened
from referee.rules import Action, CombatResult, Game, Infiltrate, Move, PieceId, Rank, RuleSet, Seat, Square
from referee.rules.ruleset import Gait

_BOLD_FROM, _BOLD_PLIES, _BOLD_MOST, _CHEAP = 30, 120, 0.8, 4.0
"""From how many plies without a capture on it holds its own pieces cheaper, over how many more, by which part at most, and of how much.

That much grows as well: first cheap pieces find out what stands in the way, at last dear ones.
"""
_AGAIN = 0.25
"""What it takes off a move that the piece comes to a square where it has been since the last capture, each time."""
_MOBILE = 0.35
"""An enemy piece less likely to move is not moved in the search."""
_DULL_PLIES, _OFFERS_EVERY, _AHEAD = 300, 40, 1.4
"""After so many plies without a capture it offers a draw, every so many plies, unless it has so many times the enemy's worth."""
_HOPELESS, _LAST_PIECES = 0.12, 4
"""With this share of the enemy's worth, and so many pieces that move, it resigns."""


@dataclass(frozen=True, slots=True)
class Level:
    """How strong it plays. `nodes` bounds a ply's work, so that it is the same on every machine."""

    nodes: int
    depth: int
    quiet: int
    """What counts after the last move: 0 nothing, 1 the best capture, 2 less what takes it back."""
    noise: float = 0.0
    """Up to so much, in scouts, is a move misjudged."""
    memory: int = 0
    """After about so many plies it forgets the rank of a piece that it saw; 0: never."""


LEVELS: Mapping[int, Level] = {
    1: Level(2_000, 1, 0, 2.6, 30),
    2: Level(2_000, 1, 1, 1.8),
    3: Level(2_000, 2, 2, 0.8),
    4: Level(2_000, 3, 2, 0.4),
    5: Level(6_000, 8, 2),
}
"""By number, 1 to 5 (`docs/why/computer.md` says how they fare)."""


class SeenPly(NamedTuple):
    """One ply as a seat saw it: what was done, the verdict of an attack, and the ranks that were shown to this seat with it."""

    action: Action
    result: CombatResult | None = None
    shown: Mapping[PieceId, Rank] = {}


@dataclass(frozen=True, slots=True)
class Choice:
    """What it does in its turn: an action, or None to resign; `offers_draw` with it where it sees no way on for anybody."""

    action: Action | None
    offers_draw: bool = False


@dataclass
class Computer:
    """A player of one seat, of two. It can be told its own set-up and what was seen; there is no way to tell it a hidden rank.

    Plies that were taken back are unsaid by a new one that is told the others (`after`).
    """

    rules: RuleSet
    seat: Seat
    set_up: Mapping[Square, Rank]
    occupants: Mapping[Square, Seat]
    seed: str = ""
    level: Level = LEVELS[5]
    game: Game = field(init=False)
    _behaviour: Behaviour = field(init=False)
    _own: dict[PieceId, Rank] = field(init=False)
    _last_loss: int = 0
    _visits: Counter[tuple[PieceId, Square]] = field(default_factory=Counter)
    _shown_at: dict[PieceId, int] = field(default_factory=dict)
    """When an enemy piece whose rank was shown was seen last in a fight."""

    def __post_init__(self) -> None:
        own = {square: rank for square, rank in self.set_up.items() if self.occupants.get(square) is self.seat}
        self.game = Game(self.rules, self.occupants, own)
        self.foe = self.rules.seat_after(self.seat)
        self._own = {piece: own[square] for square in own if (piece := self.game.piece_at(square)) is not None}
        self._behaviour = Behaviour(self.game, self.foe, self._own)

    def after(self, played: Sequence[SeenPly]) -> Computer:
        """Return a player like this one at the beginning, once it has seen these plies."""
        other = Computer(self.rules, self.seat, self.set_up, self.occupants, self.seed, self.level)
        for seen in played:
            other.see(seen)
        return other

    def see(self, seen: SeenPly) -> None:
        """Take a ply that was played, of either side. Raises what `Game.play` raises."""
        game, action = self.game, seen.action
        is_attack, mover = game.is_attack(action), game.turn
        if isinstance(action, Move) and not is_attack and mover is self.foe:
            self._behaviour.before(action)
        squares = [action.source, action.target] if isinstance(action, Move | Infiltrate) else []
        fought = [piece for square in squares if is_attack and (piece := game.piece_at(square)) is not None]
        played = game.play(action, seen.result, seen.shown)
        if played.captured:
            self._last_loss = game.ply
            self._visits.clear()
        for piece in fought:
            self._shown_at[piece] = game.ply
            if piece in self._own:
                self._behaviour.exposed[piece] = self._own[piece]
        if not is_attack and mover is self.seat and played.piece is not None and isinstance(action, Move):
            self._visits[played.piece, action.target] += 1
            self._visits[played.piece, action.source] += 1

    # ---- what it does

    def choose(self) -> Choice:
        """Return what it does in its turn. Only what the rules allow, both repetition rules counted, is ever chosen."""
        actions = sorted(self.game.legal_actions(), key=repr)
        plain = [one for one in actions if isinstance(one, Move) and not one.via]
        guesses = [one for one in actions if isinstance(one, Infiltrate) and not one.via]
        if not actions:
            return Choice(None)
        if not plain and not guesses:
            return Choice(actions[0])
        board, pieces = self._field()
        index = self.rules.board.index
        at = {square: piece for piece, square in enumerate(board.where) if square != EMPTY}
        tries = {(at[index[move.source]], index[move.target]): move for move in plain}
        search = Search(board, self.level.nodes, self.level.quiet)
        biases = {
            (piece, target): self._misjudged(move)
            - (0 if target in at else _AGAIN * self._visits[pieces[piece], move.target])
            for (piece, target), move in tries.items()
        }
        values, depth = deepened(search, biases, self.level.depth)
        found: list[tuple[float, Action]] = [(value, tries[one]) for one, value in values.items()]
        found += self._guesses(guesses, board, at, max(1, min(depth, 2)))
        value, action = max(found, key=lambda one: one[0])  # of equals the first: the others' values are bounds
        if self._is_hopeless(board) and value < WON / 2:
            return Choice(None)
        own, foe = self._material(board)
        quiet = self._quiet_plies()
        return Choice(action, quiet >= _DULL_PLIES and quiet % _OFFERS_EVERY < 2 and own < _AHEAD * foe)

    def answers_draw(self) -> bool:
        """Return whether it agrees to a draw that is offered now: where it is behind, or not ahead and nothing has happened for long."""
        own, foe = self._material(self._field()[0])
        return own < foe / _AHEAD or (self._quiet_plies() >= _DULL_PLIES and own < _AHEAD * foe)

    def _misjudged(self, action: Action) -> float:
        return self.level.noise * (2 * chance(self.seed, self.game.ply, action) - 1) if self.level.noise else 0.0

    def _guesses(
        self, guesses: Sequence[Infiltrate], board: SearchPosition, at: Mapping[int, int], depth: int
    ) -> list[tuple[float, Action]]:
        """Return the infiltrations that may be right and what each is worth."""
        index, found = self.rules.board.index, list[tuple[float, Action]]()
        for guess in guesses:
            victim = at[index[guess.target]]
            likely = board.kinds.chance_of(board.kind[victim], guess.guess)
            if likely > 0.3:
                value = Search(board, 1_000_000_000, self.level.quiet).guess(
                    victim, likely, guess.guess is Rank.FLAG, depth
                )
                found.append((value + self._misjudged(guess), guess))
        return found

    # ---- what it thinks of the position

    def _field(self) -> tuple[SearchPosition, list[PieceId]]:
        """Return the position to be searched, and its pieces."""
        game, rules = self.game, self.rules
        believed = chances(self._behaviour, game, self._forgotten())
        own, foes = game.pieces(self.seat), game.pieces(self.foe)
        left = Counter(self._own[piece] for piece in own)
        theirs = {rank: fsum(believed[piece][at] for piece in foes) for at, rank in enumerate(self._behaviour.ranks)}
        mine_worth, their_worth = worths(rules, {rank: float(left[rank]) for rank in rules.army}, theirs)
        wait = max(0.0, (self._quiet_plies() - _BOLD_FROM) / _BOLD_PLIES)
        bold, cheap = min(1.0, wait) * _BOLD_MOST, _CHEAP * max(1.0, wait)
        mine_worth = [
            worth - (bold * min(worth, cheap) if rank is not Rank.FLAG else 0)
            for rank, worth in zip(rules.army, mine_worth, strict=True)
        ]
        kinds = Kinds(rules, (mine_worth, their_worth))
        kind = [kinds.own(self._own[piece], piece not in self._behaviour.exposed) for piece in own]
        kind += [kinds.foe(believed[piece]) for piece in foes]
        sides = [OWN] * len(own) + [FOE] * len(foes)
        squares = [square for piece in (*own, *foes) if (square := game.square_of(piece)) is not None]
        where = [rules.board.index[square] for square in squares]
        movers = [piece for piece, one in enumerate(kind) if kinds.mobility(one) > _MOBILE]
        each = ([one for one in movers if sides[one] == OWN], [one for one in movers if sides[one] == FOE])
        runs = [rank for rank in rules.army if rules.gait(rank) is Gait.RUN]
        runners = [piece for piece in movers if fsum(kinds.chance_of(kind[piece], rank) for rank in runs) > 0.9]
        running = ([one for one in runners if sides[one] == OWN], [one for one in runners if sides[one] == FOE])
        pull = pulls(rules.board, kinds, where, sides, kind, each, running)
        return SearchPosition(rules.board, kinds, where, sides, kind, pull, each, running), [*own, *foes]

    def _forgotten(self) -> frozenset[PieceId]:
        """Return the enemy's pieces whose ranks it has seen and does not remember."""
        memory, ply = self.level.memory, self.game.ply
        if not memory:
            return frozenset()
        return frozenset(
            piece
            for piece, at in self._shown_at.items()
            if piece.seat is self.foe
            and ply - at > memory * (0.2 + 1.6 * chance(self.seed, piece, at))
            and self.game.square_of(piece) is not None
        )

    def _material(self, board: SearchPosition) -> tuple[float, float]:
        """Return what each side's walkers are worth."""
        totals = [0.0, 0.0]
        for side in (OWN, FOE):
            for piece in board.movers[side]:
                totals[side] += board.kinds.value[board.kind[piece]] * board.kinds.mobility(board.kind[piece])
        return totals[OWN], totals[FOE]

    def _is_hopeless(self, board: SearchPosition) -> bool:
        """Return whether what can still move is next to nothing against the enemy's."""
        own, foe = self._material(board)
        return len(board.movers[OWN]) <= _LAST_PIECES and own < _HOPELESS * foe

    def _quiet_plies(self) -> int:
        """Return how many plies ago a piece was captured last."""
        return self.game.ply - self._last_loss
