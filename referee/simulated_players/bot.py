"""A player of the demo: knows its own ranks and what its handset and the public view told it, and nothing else.

Pure: what happened goes in, the next action comes out. Simple but sensible: it attacks what it probably beats, keeps away from what
beats it, walks towards the enemy, and grows bolder the longer nothing happens, so that games end.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from referee.rules import Action, CombatResult, Fire, Game, Infiltrate, Move, RuleSet
from referee.rules.values import PieceId, Rank, Seat, Square
from referee.runtime.set_ups import TASTE

_WORTH = {rank: worth for rank, (worth, _) in TASTE.items()}
_BOLD_AFTER_PLIES = 300
_IMPATIENT_AFTER_PLIES = 40
"""Plies without an attack after which a player risks a scout's worth more, and again after as many."""


@dataclass(slots=True)
class Bot:
    """One seat's player. `style` is `sensible`, or `random` for one that plays any legal action."""

    rules: RuleSet
    seat: Seat
    rng: random.Random
    set_up: Mapping[Square, Rank]
    style: str = "sensible"
    game: Game | None = None
    _before: list[Game] = field(default_factory=list)
    """The games before each move that was read and is not final, oldest first."""
    _last_attack: int = 0
    _occupants: Mapping[Square, Seat] = field(default_factory=dict)
    _played: list[tuple[Action, CombatResult | None, Mapping[PieceId, Rank]]] = field(default_factory=list)
    """Everything that was played, so that an earlier ply can be gone back to."""

    @property
    def _now(self) -> Game:
        """Return the game that was begun."""
        assert self.game is not None
        return self.game

    def begin(self, occupants: Mapping[Square, Seat]) -> None:
        """Start a game from what stands on the board."""
        self.game = Game(self.rules, occupants, dict(self.set_up))
        self._before = []
        self._occupants, self._played = dict(occupants), []

    def moved(self, action: Action) -> None:
        """Take a move that was read."""
        self._before.append(self._now.copy())
        self.decided(action)

    def revised(self, action: Action) -> None:
        """Take the better reading of the move that was read last."""
        self.taken_back()
        self.moved(action)

    def taken_back(self) -> None:
        """Take the news that the move that was read last never was."""
        self.game = self._before.pop()
        self._played.pop()

    def stands(self) -> None:
        """Take the news that the oldest move that was not final is."""
        self._before.pop(0)

    def back_to(self, ply: int) -> None:
        """Take the news that the game stands again where it stood after a ply; by two armies."""
        played = self._played
        self.begin(self._occupants)
        for action, result, shown in played:
            if self._now.ply >= ply:
                break
            self._play(action, result, shown)
        self._last_attack = min(self._last_attack, ply)

    def settled(self, action: Action, result: CombatResult, shown: Mapping[PieceId, Rank]) -> None:
        """Take a verdict and the ranks this seat heard with it."""
        self._play(action, result, shown)
        self._last_attack = self._now.ply

    def decided(self, action: Action) -> None:
        """Take a decision that somebody made between two turns, or a pass."""
        self._play(action, None, {})

    def _play(self, action: Action, result: CombatResult | None, shown: Mapping[PieceId, Rank]) -> None:
        self._now.play(action, result, shown)
        self._played.append((action, result, shown))

    def gave_up(self, seat: Seat) -> None:
        """Take the news that a seat plays no more."""
        self._now.drop_out(seat)

    def recruit(self, choices: Iterable[str]) -> str:
        """Choose whom to bring back: the one worth most."""
        return max((word for word in choices if word != "none"), key=lambda word: _WORTH[Rank(word)])

    def slider(self) -> str:
        """Return `up`, or `stay` where the chance to recruit would be lost at VI: the recruitment space is occupied."""
        space = self.rules.board.homes[self.seat].recruitment
        return "up" if space is None or self._now.piece_at(space) is None else "stay"

    def choose(self) -> Action | None:
        """Give the next action, None when there is none."""
        actions = [one for one in self._now.legal_actions() if not (isinstance(one, Infiltrate) and one.via)]
        if not actions:
            return None
        if self.style == "random":
            return self.rng.choice(actions)
        return max(actions, key=lambda action: self._value(action) + self.rng.random() * 0.9)

    def declare(self, square: Square, choices: Iterable[str]) -> Rank:
        """Give the own rank on a square. It is always one of the choices, or set-up and board do not fit together."""
        piece = self._now.piece_at(square)
        assert piece is not None
        (rank,) = self._now.possible(piece)
        assert rank.value in set(choices)
        return rank

    def _value(self, action: Action) -> float:
        if isinstance(action, Infiltrate):
            return self._guess_value(action)
        if isinstance(action, Fire):
            return self._shot_value(action)
        if not isinstance(action, Move) or action.leaving:
            return -10.0
        mine = self._now.piece_at(action.source)
        assert mine is not None
        (rank,) = self._now.possible(mine)
        victim = self._now.piece_at(action.target)
        if victim is not None:
            return self._attack_value(rank, victim)
        return self._walk_value(action, rank)

    def _attack_value(self, rank: Rank, victim: PieceId) -> float:
        possible = self._now.possible(victim)
        bold = min(2.0, self._now.ply / _BOLD_AFTER_PLIES)
        bold += (self._now.ply - self._last_attack) // _IMPATIENT_AFTER_PLIES
        total = weight = 0.0
        for other in possible:
            count = self.rules.army.get(other, 1)
            total += count * self._exchange(rank, other)
            weight += count
        expected = total / weight
        certain = 1.0 if len(possible) == 1 else 0.0
        return expected + bold + (2.0 * certain if expected > 0 else -4.0 * certain)

    def _guess_value(self, action: Infiltrate) -> float:
        """A right guess wins the piece, a wrong one only tells who he is."""
        victim = self._now.piece_at(action.target)
        assert victim is not None
        possible = self._now.possible(victim)
        if action.guess not in possible:
            return -10.0
        chance = self.rules.army[action.guess] / sum(self.rules.army[rank] for rank in possible)
        return chance * min(_WORTH[action.guess], 30.0) - (1.0 - chance)

    def _shot_value(self, action: Fire) -> float:
        victim = self._now.piece_at(action.target)
        assert victim is not None
        possible = self._now.possible(victim)
        return sum(_WORTH[rank] for rank in possible) / len(possible) - _WORTH[Rank.CANNON]

    def _exchange(self, rank: Rank, other: Rank) -> float:
        result = self.rules.combat(rank, other)
        if result is CombatResult.FLAG_TAKEN:
            return 30.0
        if result is CombatResult.ATTACKER_WINS:
            return _WORTH[other]
        if result is CombatResult.BOTH_LOST:
            return (_WORTH[other] - _WORTH[rank]) * 0.5
        return -_WORTH[rank]

    def _walk_value(self, move: Move, rank: Rank) -> float:
        value = 0.25 * (self._distance(move.source) - self._distance(move.target)) + self._homeward(move)
        for neighbour in self.rules.board.neighbours(move.target):
            piece = self._now.piece_at(neighbour)
            if piece is None or piece.seat is self.seat:
                continue
            possible = self._now.possible(piece)
            if len(possible) == 1:
                (other,) = possible
                if self.rules.combat(other, rank) is CombatResult.ATTACKER_WINS and self._now.moved(piece):
                    value -= min(3.0, _WORTH[rank] * 0.3)
                elif self._exchange(rank, other) > 0:
                    value += 0.6
            elif _WORTH[rank] < 5:
                value += 0.3
        return value

    def _homeward(self, move: Move) -> float:
        """Say how much a carrier of the own flag gains on its way to the turret (Stratego 4)."""
        castle, turret = self._now.castle, self.rules.board.turret
        if castle is None or turret is None or castle.flags[self.seat].square != move.source:
            return 0.0
        if move.target == turret:
            return 100.0
        there = self.rules.board.place(turret)
        before, after = (
            sum(abs(a - b) for a, b in zip(self.rules.board.place(s), there, strict=True))
            for s in (move.source, move.target)
        )
        return 0.8 * (before - after)

    def _distance(self, square: Square) -> float:
        """Give the steps to the nearest rival piece, as the crow flies."""
        column, row = self.rules.board.place(square)
        rivals = [self.rules.board.place(s) for s, seat in self._now.occupants().items() if seat is not self.seat]
        return min((abs(c - column) + abs(r - row) for c, r in rivals), default=0.0)
