"""Random legal hands as scripts for the stage: moves lifted and slid, attacks, with times that hands have."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from firmware_bridge.messages import Reading
from referee.rules import CombatResult, Game, Move, Prospect, RulesError, rule_set
from referee.rules.values import Seat, Square
from tests.sensing.sensing_stage import POLES, Step, Wish, verdict

LETTERS = {Reading.RED: "r", Reading.BLUE: "b"}
RESULTS = (CombatResult.ATTACKER_WINS, CombatResult.DEFENDER_WINS, CombatResult.BOTH_LOST)


def full_game(name: str = "original", empty: int = 0, rng: Random | None = None) -> Game:
    """Return a public game whose zones are filled, `empty` squares of each left out."""
    rules = rule_set(name)
    occupants: dict[Square, Seat] = {}
    for seat in rules.seats:
        zone = [square for square in rules.zone(seat) if square != rules.board.homes[seat].recruitment]
        keep = rng.sample(zone, len(zone) - empty) if rng else zone
        occupants |= dict.fromkeys(keep, seat)
    return Game(rules, occupants)


@dataclass
class Script:
    """What hands do from a position on, and the words that tell it."""

    game: Game
    rng: Random
    colour: bool = True
    steps: list[Step | tuple[int, Wish]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    now_ms: int = 500

    def __post_init__(self) -> None:
        self.start = self.game.copy()

    def write(self, plies: int) -> Script:
        """Add random plies; stops where the game is over."""
        for _ in range(plies):
            situation = self.game.situation()
            legal = {(a.source, a.target) for a in self.game.legal_actions() if isinstance(a, Move)}
            prospects = [p for p in situation.prospects if (p.source, p.target) in legal]
            attacks = [p for p in prospects if p.attack]
            moves = [p for p in prospects if not p.attack]
            if attacks and (not moves or self.rng.random() < 0.3) and self._attack(self.rng.choice(attacks)):
                continue
            if not moves:
                break
            self._move(self.rng.choice(moves))
        return self

    def wait(self, least_ms: int, most_ms: int) -> None:
        """Let some time pass."""
        self.now_ms += self.rng.randint(least_ms, most_ms)

    def show(self, square: Square, seat: Seat | None) -> None:
        """Set one square now."""
        self.steps.append((self.now_ms, square.name + (LETTERS[POLES[seat]] if seat else ".")))

    def land(self, square: Square, seat: Seat) -> None:
        """Set a piece down, perhaps with a bounce."""
        self.show(square, seat)
        if self.rng.random() < 0.3:
            self.wait(10, 40)
            self.show(square, None)
            self.wait(10, 30)
            self.show(square, seat)

    def _move(self, prospect: Prospect) -> None:
        seat = self.game.turn
        self.show(prospect.source, None)
        if self.rng.random() < 0.5:
            self.wait(20, 90)
            for square in prospect.path[:-1]:
                self.show(square, seat)
                self.wait(20, 150)
                self.show(square, None)
                self.wait(20, 90)
        else:
            self.wait(300, 2500)
        self.land(prospect.target, seat)
        self.told.append(f"read {prospect.source}-{prospect.target}")
        self.game.play(Move(prospect.source, prospect.target, prospect.path_told))
        self.wait(280, 3000)

    def _attack(self, prospect: Prospect) -> bool:
        source, target, mover = prospect.source, prospect.target, self.game.turn
        other = self.game.occupants()[target]
        result = self._possible_result(prospect)
        if result is None:
            return False
        self.wait(
            1600, 1700
        )  # what is answered by an attack within a second of its rest can be told apart only by its colour
        self.show(source, None)
        self.wait(100, 900)
        self.show(target, None)
        # Where both armies' magnets show the same pole nothing tells the attacker on that square from the defender put back.
        if self.colour and POLES[mover] is not POLES[other] and self.rng.random() < 0.5:
            self.wait(80, 350)
            self.show(target, mover)
            self.wait(2600, 3200)  # the move before is final by then
            standing: Seat | None = mover
        else:
            self.wait(2600, 3200)
            standing = None
        self.told.append(f"attack {source}x{target}")
        self.game.play(Move(source, target), result)
        self.steps.append((self.now_ms, verdict(source.name, target.name, result)))
        survivor = self.game.occupants().get(target)
        self.wait(100, 5000)
        if standing is not survivor and standing is not None:
            self.show(target, None)
            self.wait(100, 800)
        if survivor is not None and standing is not survivor:
            self.show(target, mover if survivor is mover else other)
        self.wait(280, 2000)
        return True

    def _possible_result(self, prospect: Prospect) -> CombatResult | None:
        for result in self.rng.sample(RESULTS, len(RESULTS)):
            trial = self.game.copy()
            try:
                trial.play(Move(prospect.source, prospect.target), result)
            except RulesError:
                continue
            if trial.result is None:
                return result
        return None
