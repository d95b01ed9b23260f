"""Random games with the simulator's magnets and hands through the firmware's own bytes: nothing misread, nothing asked."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from firmware_bridge.messages import Frame, Reading
from firmware_bridge.wire import Decoder
from hardware import Sensing, load_board
from referee.rules import Game, Move, Prospect, rule_set
from referee.rules.values import Rank, Seat, Square
from referee.sensing import (
    Agreed,
    AttackSeen,
    Disturbed,
    Final,
    Interpreter,
    Observation,
    Puzzled,
    Read,
    Revised,
    Unread,
)
from simulator.board import SimBoard
from tests.amount import tries

POLES = {Seat.RED: Reading.RED, Seat.BLUE: Reading.BLUE}


def armies(rules_name: str, rng: random.Random) -> tuple[Game, Game]:
    """Return a game with a random set-up: as everybody knows it, and with all ranks known."""
    rules = rule_set(rules_name)
    ranks: dict[Square, Rank] = {}
    owners: dict[Square, Seat] = {}
    for seat in rules.seats:
        pieces = [rank for rank, count in rules.army.items() for _ in range(count)]
        squares = rng.sample(list(rules.zone(seat)), len(pieces))
        ranks |= dict(zip(squares, pieces, strict=True))
        owners |= dict.fromkeys(squares, seat)
    return Game(rules, owners), Game(rules, owners, ranks)


@dataclass
class Match:
    """A referee that knows both games, and hands that move magnets; the ranks stay on this side of sensing."""

    seed: int
    colour: bool
    rules: str = "original"
    board: str = "travel-10x10"
    asked: list[Observation] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    revised: int = 0
    attack: AttackSeen | None = None
    agreed: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.public, self.known = armies(self.rules, self.rng)
        self.before: list[tuple[Game, Game]] = []
        """What stood before each open ply."""
        sensing = Sensing.COLOUR if self.colour else Sensing.OCCUPANCY
        self.sim = SimBoard(load_board(self.board).with_sensing(sensing), self.seed)
        self.decoder = Decoder()
        squares = [Square(name) for name in self.sim.board.squares]
        self.interpreter = Interpreter(squares, self.colour, POLES, board=self.public.rule_set.board)
        self.hear(self.sim.start())
        self.interpreter.expect(self.public.occupants())
        for seat in self.public.rule_set.seats:
            names = [square.name for square, owner in self.public.occupants().items() if owner is seat]
            self.hand({"motion": "place", "seat": seat.value, "squares": names})
        assert self.agreed == 1

    def hand(self, motion: dict[str, object], quiet_ms: int = 700) -> None:
        """Let a hand move, and hear what sensing says meanwhile."""
        self.hear(self.sim.play(motion, quiet_ms=quiet_ms))

    def hear(self, sent: list[bytes]) -> None:
        """Feed the board's bytes."""
        for message in self.decoder.feed(b"".join(sent)):
            if isinstance(message, Frame):
                for observation in self.interpreter.feed(message):
                    self.answer(observation)

    def answer(self, observation: Observation) -> None:
        """Do what arbitration does."""
        match observation:
            case Read(prospect):
                self.take(prospect)
            case Revised(prospect):
                self.revised += 1
                self.go_back(observation.plies)
                self.take(prospect)
            case Unread():
                self.revised += 1
                self.go_back(observation.plies)
                self.interpreter.advance(self.public.situation())
            case Final():
                self.before.pop(0)
            case AttackSeen():
                self.attack = observation
            case Agreed():
                self.agreed += 1
                if self.public.ply:
                    self.interpreter.follow(self.public.situation())
            case Puzzled() | Disturbed():
                self.asked.append(observation)
            case _:
                pass

    def go_back(self, plies: int) -> None:
        """Take the last open plies back."""
        del self.read[-plies:]
        self.public, self.known = self.before[-plies]
        del self.before[-plies:]

    def take(self, prospect: Prospect) -> None:
        """Play a move that was read."""
        self.before.append((self.public.copy(), self.known.copy()))
        move = Move(prospect.source, prospect.target, prospect.path_told)
        self.read.append(repr(move))
        for game in (self.public, self.known):
            game.play(move)
        self.interpreter.advance(self.public.situation())

    def play(self, plies: int) -> None:
        """Let hands play random legal plies; every one must be understood as it is, and nothing else."""
        self.interpreter.follow(self.public.situation())
        for _ in range(plies):
            actions = [action for action in self.known.legal_actions() if isinstance(action, Move)]
            if self.known.result is not None or not actions:
                return
            attacks = [action for action in actions if self.known.is_attack(action)]
            action = self.rng.choice(attacks if attacks and self.rng.random() < 0.4 else actions)
            ply, heard = self.public.ply, len(self.read)
            if self.known.is_attack(action):
                self.play_attack(action)
            else:
                self.play_move(action)
                assert self.read[heard:] == [repr(action)], action
            assert (self.public.ply, self.asked) == (ply + 1, [])
            assert self.interpreter.differences() == ()

    def play_move(self, action: Move) -> None:
        """Lift or slide a piece to an empty square."""
        motion: dict[str, object] = {"motion": "move", "from": action.source.name, "to": action.target.name}
        if self.rng.random() < 0.5:
            path = next(
                p.path
                for p in self.public.situation().prospects
                if (p.source, p.target) == (action.source, action.target)
            )
            motion |= {"style": "slide", "via": [square.name for square in path[:-1]]}
        self.hand(motion)

    def play_attack(self, action: Move) -> None:
        """Attack in one of the ways that hands have, hear the verdict, and put the board right in some order."""
        source, target = action.source, action.target
        attacker, defender = self.known.piece_at(source), self.known.piece_at(target)
        assert attacker is not None
        assert defender is not None
        ways = ["both", "swap", "target first"] if self.colour else ["both", "swap"]
        way = self.rng.choice(ways)
        mover, other = attacker.seat.value, defender.seat.value
        self.attack, agreed = None, self.agreed
        self.hand({"motion": "wait", "after_ms": 1300})  # no attack is asked about before the move before it is final
        if way == "both":
            self.hand({"motion": "both", "from": source.name, "target": target.name})
        else:
            first, second = (source, target) if way == "swap" else (target, source)
            self.hand({"motion": "lift", "square": first.name}, 250)
            self.hand({"motion": "lift", "square": second.name}, 100)
            self.hand({"motion": "put", "seat": mover, "square": target.name}, 700 if self.colour else 1700)
        heard: AttackSeen | None = self.attack
        assert heard is not None, (way, action)
        assert (heard.source, heard.target) == (source, target)
        ranks = {piece: next(iter(self.known.possible(piece))) for piece in (attacker, defender)}
        played = self.known.play(action)
        assert played.result is not None
        gone = {piece: ranks[piece] for piece in played.captured}
        self.public.play(action, played.result, gone)
        self.interpreter.expect(self.public.occupants())
        survivor = self.public.occupants().get(target)
        standing = self.sim.occupied().get(target.name)
        if standing is not None and (survivor is None or survivor.value != mover):
            self.hand({"motion": "remove", "square": target.name}, 300)
            standing = None
        if survivor is not None and standing is None:
            self.hand({"motion": "put", "seat": mover if survivor.value == mover else other, "square": target.name})
        self.hand({"motion": "wait", "after_ms": 500})
        if self.known.result is None:
            assert self.agreed == agreed + 1, (way, action, played.result)


@pytest.mark.parametrize("colour", [True, False], ids=["colour", "occupancy"])
@pytest.mark.parametrize("seed", range(3))
def test_random_games(seed: int, colour: bool) -> None:
    """Lifts, slides, and attacks in every way of the simulator's hands, played from the set-up on."""
    match = Match(seed, colour)
    match.play(tries(120))
    assert len(match.read) > tries(60)
