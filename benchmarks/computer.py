"""How strong the computer is: whole games of a level against another, against the demo's `sensible`, or against another program.

Each game has its own seed, and colours change from game to game. Ranks are told as the booklets say: both of every fight. It stops once
the bound decides on which side of `--target` the share of won games is (Wilson's score interval, 95 %; a draw is no win). With `--results`
every game is kept as it ends, and the same command goes on where it was.

Another program (`--against "CMD"`) speaks the protocol of braathwaate/strategoevaluator on GitHub (doc/manager_manual.txt there): red is
above, a move is `x y DIRECTION [steps]`. Such programs know no repetition rule, so there is none then; spies take each other.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import random
import select
import shlex
import subprocess
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.measuring import above_zero, percentiles
from referee.computer import LEVELS, Computer, Level, SeenPly, generate_set_up
from referee.rules import (
    Action,
    CombatResult,
    Game,
    Infiltrate,
    Move,
    OptionValue,
    Rank,
    RuleSet,
    Seat,
    Square,
    rule_set,
    rule_set_names,
)
from referee.rules.outcomes import UnknownSquareError
from referee.runtime.errors import BadInputError
from referee.runtime.set_ups import generate
from referee.simulated_players.player import Bot

_Z = 1.96
_FEWEST = 16
"""Before so many games nothing is decided."""
_PATIENCE_S = 60.0
_OWN_FAULT = "own-fault"


class Contestant(ABC):
    """Who plays one seat of a game."""

    set_up: Mapping[Square, Rank]

    @abstractmethod
    def begin(self, occupants: Mapping[Square, Seat]) -> None:
        """Begin a game in which pieces stand like this."""

    @abstractmethod
    def see(self, seen: SeenPly) -> None:
        """Hear a ply."""

    @abstractmethod
    def act(self) -> tuple[Action | None, bool]:
        """Return the next action, None to resign, and whether a draw is offered."""

    def agrees(self) -> bool:
        """Return whether it agrees to a draw that is offered."""
        return False


class Engine(Contestant):
    """The computer at a level."""

    def __init__(self, rules: RuleSet, seat: Seat, seed: str, level: Level) -> None:
        self._rules, self._seat, self._seed, self._level = rules, seat, seed, level
        self.set_up = generate_set_up(rules, seat, seed)
        self.spent_ms: list[float] = []

    def begin(self, occupants: Mapping[Square, Seat]) -> None:
        """Begin a game."""
        self._mind = Computer(self._rules, self._seat, self.set_up, occupants, self._seed, self._level)

    def see(self, seen: SeenPly) -> None:
        """Hear a ply."""
        self._mind.see(seen)

    def act(self) -> tuple[Action | None, bool]:
        """Return the next action."""
        began = time.process_time()
        choice = self._mind.choose()
        self.spent_ms.append((time.process_time() - began) * 1000)
        return choice.action, choice.offers_draw

    def agrees(self) -> bool:
        """Return whether it agrees to a draw."""
        return self._mind.answers_draw()


class Sensible(Contestant):
    """The demo's bot."""

    def __init__(self, rules: RuleSet, seat: Seat, seed: str) -> None:
        rng = random.Random(seed)
        self.set_up = generate(rules, seat, rng)
        self._bot = Bot(rules, seat, rng, self.set_up)

    def begin(self, occupants: Mapping[Square, Seat]) -> None:
        """Begin a game."""
        self._bot.begin(occupants)

    def see(self, seen: SeenPly) -> None:
        """Hear a ply."""
        if seen.result is None:
            self._bot.decided(seen.action)
        else:
            self._bot.settled(seen.action, seen.result, seen.shown)

    def act(self) -> tuple[Action | None, bool]:
        """Return the next action."""
        return self._bot.choose(), False


_LETTERS = dict(zip(rule_set("original").ranks, "123456789sBF", strict=True))  # marshal first, bomb and flag last
_RANKS = {letter: rank for rank, letter in _LETTERS.items()}
_WAYS = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
_OUTCOMES = {
    CombatResult.ATTACKER_WINS: "KILLS",
    CombatResult.DEFENDER_WINS: "DIES",
    CombatResult.BOTH_LOST: "BOTHDIE",
    CombatResult.FLAG_TAKEN: "VICTORY_FLAG",
}


class ForeignError(Exception):
    """A foreign program ended, or said what is no set-up and no move."""


class Foreign(Contestant):
    """Another program, by the protocol of strategoevaluator."""

    def __init__(self, rules: RuleSet, seat: Seat, command: str) -> None:
        self._rules, self._last, self._heard = rules, "START", b""
        self._process = subprocess.Popen(  # noqa: S603  # the user's own words
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        top = 0 if seat is Seat.RED else 6
        try:
            self._say(f"{seat.value.upper()} hallmarshal 10 10")
            rows = [self._hear() for _ in range(4)]
            self.set_up = {
                _square(rules, x, top + y): _RANKS[letter] for y, row in enumerate(rows) for x, letter in enumerate(row)
            }
        except (ForeignError, KeyError) as error:
            self.close()
            raise BadInputError(f"{command} gave no set-up: {error}") from error

    def begin(self, occupants: Mapping[Square, Seat]) -> None:
        """Begin a game."""
        self._board = {square: _LETTERS[self.set_up[square]] if square in self.set_up else "#" for square in occupants}

    def see(self, seen: SeenPly) -> None:
        """Hear a ply; the program's own one comes back to it at once."""
        move = seen.action
        assert isinstance(move, Move)
        (x, y), end = _place(move.source), _place(move.target)
        steps = max(abs(end[0] - x), abs(end[1] - y))
        way = next(word for word, (dx, dy) in _WAYS.items() if (x + dx * steps, y + dy * steps) == end)
        outcome = " ".join(
            ["OK" if seen.result is None else _OUTCOMES[seen.result], *(_LETTERS[rank] for rank in seen.shown.values())]
        )
        self._last = f"{x} {y} {way}{f' {steps}' if steps > 1 else ''} {outcome}"
        mover = self._board.pop(move.source)
        if seen.result is CombatResult.BOTH_LOST:
            del self._board[move.target]
        elif seen.result is not CombatResult.DEFENDER_WINS:
            self._board[move.target] = mover
        if mover != "#":
            self._say(self._last)

    def act(self) -> tuple[Action | None, bool]:
        """Return the next move. Raises `ForeignError`."""
        self._say(self._last)
        lakes = {_place(square) for square in self._rules.board.lake_squares}
        here = {_place(square): letter for square, letter in self._board.items()}
        for y in range(10):
            self._say("".join("+" if (x, y) in lakes else here.get((x, y), ".") for x in range(10)))
        words = self._hear().split()
        if words[:1] == ["SURRENDER"]:
            return None, False
        try:
            x, y, (dx, dy), steps = int(words[0]), int(words[1]), _WAYS[words[2]], int((*words, "1")[3])
            return Move(_square(self._rules, x, y), _square(self._rules, x + dx * steps, y + dy * steps)), False
        except (KeyError, IndexError, ValueError, UnknownSquareError) as error:
            raise ForeignError(" ".join(words)) from error

    def close(self) -> None:
        """End the program."""
        with contextlib.suppress(ForeignError):
            self._say("QUIT")
        self._process.kill()
        self._process.communicate()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise ForeignError("it ended") from error

    def _hear(self) -> str:
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        while b"\n" not in self._heard:
            said = os.read(output, 4096) if select.select([output], [], [], _PATIENCE_S)[0] else b""
            if not said:
                raise ForeignError("it said nothing")
            self._heard += said
        line, _, self._heard = self._heard.partition(b"\n")
        return line.decode(errors="replace").strip()


def _square(rules: RuleSet, x: int, y: int) -> Square:
    return rules.board.square(f"{'abcdefghij'[x]}{y + 1}" if 0 <= x < 10 else "")


def _place(square: Square) -> tuple[int, int]:
    return ord(square.name[0]) - ord("a"), int(square.name[1:]) - 1


@dataclass(frozen=True)
class FinishedGame:
    """How one game went, for the computer: `won`, `drawn` or `lost`."""

    number: int
    result: str
    reason: str
    plies: int
    spent_ms: list[float]


def play(rules: RuleSet, sides: Mapping[Seat, Contestant], most: int) -> tuple[Seat | None, str, int]:
    """Play a game to its end. Returns the winner, the reason, and the number of plies."""
    occupants = {square: seat for seat, side in sides.items() for square in side.set_up}
    game = Game(rules, occupants, {square: rank for side in sides.values() for square, rank in side.set_up.items()})
    for side in sides.values():
        side.begin(occupants)
    while game.result is None and game.ply < most:
        seat = game.turn
        foe = rules.seat_after(seat)
        action, offers = sides[seat].act()
        if action is None:
            return foe, "resign", game.ply
        if offers and sides[foe].agrees():
            return None, "agreed", game.ply
        if game.refusals(action):
            return foe, "fault" if isinstance(sides[seat], Foreign) else _OWN_FAULT, game.ply
        squares = (action.source, action.target) if isinstance(action, Move | Infiltrate) else ()
        fighters = [piece for square in squares if (piece := game.piece_at(square)) is not None]
        ranks = {piece: next(iter(game.possible(piece))) for piece in fighters}
        played = game.play(action)
        shown = {} if played.result is None or isinstance(action, Infiltrate) else ranks
        for side in sides.values():
            side.see(SeenPly(action, played.result, shown))
    if game.result is None:
        return None, "too-long", game.ply
    return game.result.winner, game.result.reason.value, game.ply


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument("--level", type=int, choices=LEVELS, default=5, help="the computer's level (default: 5)")
    parser.add_argument(
        "--against", default="sensible", metavar="WHO", help="sensible, level:N, or a program's command line"
    )
    parser.add_argument("--rules", choices=rule_set_names(), default="original", help="rule set (default: original)")
    parser.add_argument("--games", type=above_zero, default=100, help="games at most (default: 100)")
    parser.add_argument(
        "--target", type=float, default=0.65, help="the share of won games to be decided on (default: 0.65)"
    )
    parser.add_argument(
        "--most", type=above_zero, default=3000, help="plies after which a game is drawn (default: 3000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the games")
    parser.add_argument("--results", type=Path, help="a file that keeps each game, to go on with")


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Play until the bound decides. Returns the wins and their bound."""
    rules = rule_set(args.rules)
    if len(rules.seats) != 2:
        raise BadInputError(f"{rules.name} is not for two seats")
    if args.against not in ("sensible", *(f"level:{level}" for level in LEVELS)):
        rules = _plain(rules)
    key = [args.level, args.against, args.rules, args.seed]
    games = _kept(args.results, key)
    while len(games) < args.games and not _decided(games, args.target):
        games.append(one_game(rules, args, len(games)))
        if args.results is not None:
            with args.results.open("a") as file:
                file.write(json.dumps([key, asdict(games[-1])]) + "\n")
    results = Counter(game.result for game in games)
    low, high = wilson(results["won"], len(games))
    return {
        "level": args.level,
        "against": args.against,
        "rules": rules.name,
        "games": len(games),
        **{word: results[word] for word in ("won", "drawn", "lost")},
        "won_share": round(results["won"] / len(games), 3),
        "bound_95": [round(low, 3), round(high, 3)],
        "target": args.target,
        "decided": _decided(games, args.target) or "open",
        "reasons": dict(Counter(f"{game.result} {game.reason}" for game in games)),
        "failures": [f"game {game.number}: a ply was refused" for game in games if game.reason == _OWN_FAULT],
        "plies": round(sum(game.plies for game in games) / len(games)),
        "ply_cpu_ms": percentiles([ms for game in games for ms in game.spent_ms], p50=0.5, p99=0.99, most=1.0),
    }


def one_game(rules: RuleSet, args: argparse.Namespace, number: int) -> FinishedGame:
    """Play the game of this number."""
    seed = f"{args.seed}/{number}"
    mine, theirs = rules.seats if number % 2 == 0 else rules.seats[::-1]
    engine = Engine(rules, mine, f"{seed}/1", LEVELS[args.level])
    with contextlib.ExitStack() as stack:
        other: Contestant
        if args.against == "sensible":
            other = Sensible(rules, theirs, seed)
        elif args.against.startswith("level:"):
            other = Engine(rules, theirs, f"{seed}/2", LEVELS[int(args.against[6:])])
        else:
            other = foreign = Foreign(rules, theirs, args.against)
            stack.callback(foreign.close)
        try:
            winner, reason, plies = play(rules, {mine: engine, theirs: other}, args.most)
        except ForeignError:
            winner, reason, plies = mine, "fault", len(engine.spent_ms) * 2
    result = "drawn" if winner is None else "won" if winner is mine else "lost"
    return FinishedGame(number, result, reason, plies, [round(ms, 1) for ms in engine.spent_ms])


def wilson(won: int, games: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share (Wilson, 1927)."""
    if not games:
        return 0.0, 1.0
    share, z2 = won / games, _Z**2 / games
    middle, wide = share + z2 / 2, _Z * math.sqrt(share * (1 - share) / games + z2 / (4 * games))
    return (middle - wide) / (1 + z2), (middle + wide) / (1 + z2)


def _decided(games: list[FinishedGame], target: float) -> str:
    low, high = wilson(sum(game.result == "won" for game in games), len(games))
    if len(games) < _FEWEST or low <= target <= high:
        return ""
    return "reached" if low > target else "not reached"


def _kept(results: Path | None, key: list[object]) -> list[FinishedGame]:
    if results is None or not results.exists():
        return []
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    return [FinishedGame(**game) for one, game in lines if one == key]


def _plain(rules: RuleSet) -> RuleSet:
    """Return the rules without those on repetition, and with equal ranks always taking each other."""
    plain: Mapping[str, OptionValue] = {"two_square_limit": 10**6, "repetition": "none", "spy_against_spy": "both-lost"}
    options = {name: replace(option, value=plain.get(name, option.value)) for name, option in rules.options.items()}
    return replace(rules, options=options)
