"""The second generator of hands: plays a game as docs/reference/hands.md says that hands may, and as often as its table of rates says.

It was written from that page alone and shares nothing with the simulator, neither field nor motions (`second_world`, `second_strokes`).
Nothing that it does is an accident, so whatever the referee asks beyond the questions of an attack was not needed; only what came to
stand while frames were known to be missing may be asked about.

Where the page leaves a choice: both halves of an army hesitate, moves and attacks; looks, for which it states no rate, come as often as
nudges do; nobody looks at a piece that the one in the opponent's hand could attack; a turn never begins before the one before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from benchmarks.hands import Maker, names, ways
from benchmarks.second_shows import SHOWS, Show, Shower
from benchmarks.second_strokes import HIGH, Drawer, Stroke
from benchmarks.second_world import LATE_MS, Leg, Magnet, Noise, Point, World
from hardware import BoardFile
from referee.rules import Game, Move
from referee.rules.values import PieceId, Rank, Seat, Square
from simulator.plies import HandPly
from simulator.profiles import Profile
from simulator.script import MotionError

REST_MS = 1_750
RUN_UP_MS = 1_200
EARLY_MS = 400
NUDGE_MS = 600
"""Limits of the page: a rest, a run-up, a reply before the release, a nudge."""

WIDE = 0.2
"""Width of the strip in which two neighbours see a piece, in squares, where sensors see farther than they should."""

_LEAD_MS = 450
"""A ply is planned so long before its first piece leaves its square."""
_BEGINS_AFTER_MS = 60
"""Two changes nearer than that have no order, so a turn begins at least so long after the one before it."""
_SLACK_MS = 2.0


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of the turns in which it is possible; the numbers are the page's."""

    hesitates: float = 0.03
    replies_before_release: float = 0.02
    replies_at_once: float = 0.10
    takes_back: float = 0.02
    nudges: float = 0.02
    looks: float = 0.02
    runs_up: float = 0.50
    draws_slowly: float = 0.03
    pushes: float = 0.35
    """How often a piece that can be pushed is."""


CAREFUL = Rates(
    hesitates=0, replies_before_release=0, replies_at_once=0, takes_back=0, nudges=0, looks=0, draws_slowly=0, runs_up=0
)
"""Of the profile `clean`: hands that do nothing but move and attack."""


class Part(NamedTuple):
    """One stroke of the script: the truth of what a hand did. Times are the sensors'."""

    kind: str
    """`attempt`, `ply`, `look` or `nudge`."""
    seat: str
    """Whose piece it is."""
    stroke: Stroke
    ply: int
    """The ply that the turn is for."""


@dataclass(slots=True)
class _Turn:
    """A turn while it is planned."""

    magnet: Magnet
    not_before_ms: float
    """No hand can do anything before this."""
    leave_ms: float
    """When the next stroke shall leave its square."""
    ply: int
    begin_ms: float = math.inf
    extras: list[str] = field(default_factory=list)
    rests: list[tuple[str, int]] = field(default_factory=list)
    resting: tuple[str, float] | None = None
    """Where its piece rests now, and since when."""

    def leaves(self, ms: float) -> None:
        """Note that a piece leaves a square at this time."""
        self.begin_ms = min(self.begin_ms, ms)
        if self.resting is not None:
            square, came_ms = self.resting
            self.rests.append((square, round(ms - came_ms)))
            self.resting = None


class SecondHands:
    """Hands and the board that they play on: `benchmarks.hands.HandsAtBoard`."""

    def __init__(self, board: BoardFile, random: Random, noise: Noise, rates: Rates) -> None:
        self.world = World(board, Random(random.random()), noise)
        self.colour = self.world.colour
        self.listen, self.occupied, self.changed_ms = self.world.listen, self.world.occupied, self.world.changed_ms
        self.rates = rates
        self.next_ms = 0
        self.boot_ms = 0
        self.script: list[Part] = []
        """Everything that was done, in the order in which it was planned."""
        self.plies: list[HandPly] = []
        self.shows: list[Show] = []
        self._random = random
        self._draw = Drawer(self.world, random)
        self._shower = Shower(self._draw)
        self._free_ms: dict[Seat, float] = {}
        """When each player's last ply is over: one thing comes after the other."""
        self._looked_ms = 0.0
        """When the last look is over."""
        self._standing: dict[str, Magnet] = {}
        """What stands where once everything that is planned is done."""
        self._spare: list[Magnet] = []
        """Pieces that are in hands or off the board."""
        self._leave_ms = 0.0
        """When the next turn begins."""
        self._last: HandPly | None = None
        self._met: set[PieceId] = set()
        """Pieces that ran or fought: everybody knows more of them than how they moved."""
        self._shown: tuple[str, Magnet, Magnet] | None = None
        """The target of the attack that is being settled, the attacker and the defender."""

    # ---- the board

    @property
    def now_ms(self) -> int:
        """Return the board's time."""
        return self.world.now_ms

    @property
    def busy(self) -> bool:
        """Return whether a piece is still moving."""
        return self.world.busy

    def lay(self, game: Game) -> None:
        """Put the pieces on the board."""
        for name, seat in names(game).items():
            self._standing[name] = Magnet(seat, self._draw.spot(name))
            self.world.lay(self._standing[name])

    def mishap(self, seat: Seat) -> None:
        """Return no accident: there are none."""

    # ---- plies

    def move(self, game: Game, move: Move) -> HandPly:
        """Make a move that is no attack. Raises `MotionError` on a board that is not as the game has it."""
        turn = self._begin(game, move)
        stroke = self._to_target(game, move, turn)
        word = "slide" if stroke.pushed else "lift"
        squares = [move.source.name, *(name for name, _ in turn.rests), move.target.name]
        self._nudge(turn, squares, stroke)
        if len(game.rule_set.board.path(move)) > 1:
            self._met.add(_piece(game, move.source))
        self._free_ms[game.turn] = stroke.end_ms
        return self._end(turn, word, squares, stroke.come_ms, stroke.end_ms)

    def attack(self, game: Game, move: Move) -> HandPly:
        """Show an attack, perhaps after a run-up. Raises `MotionError` on a board that is not as the game has it."""
        turn = self._begin(game, move, delay=self._turn_before_moves(game, move))
        source, target = move.source.name, move.target.name
        path = [square.name for square in game.rule_set.board.path(move)[:-1]]
        at = source
        if path and self._happens(self.rates.runs_up):
            at = path[-1]
            stroke = self._go(turn, self._stroke(turn.magnet, source, at, path, turn), "ply")
            self._rest(turn, stroke, at, RUN_UP_MS)
            turn.extras.append("run-up")
        elif self._happens(self.rates.hesitates):
            at = self._hesitate(game, move, turn) or source
        self._met |= {_piece(game, move.source), _piece(game, move.target)}
        defender = self._standing.pop(target)
        self._standing.pop(source, None)
        motion = self._random.choices(list(SHOWS), list(SHOWS.values()))[0]
        times = (turn.leave_ms, turn.not_before_ms)
        rested = turn.resting is not None
        show = self._shower.show(motion, turn.magnet, defender, at, target, *times, rested=rested)
        turn.leaves(show.left_ms)
        turn.begin_ms = min(turn.begin_ms, show.gone_ms)
        self.shows.append(show)
        self._shown = (target, turn.magnet, defender)
        self._spare += [turn.magnet, defender]
        squares = [source, *(name for name, _ in turn.rests), target]
        quiet_ms = max(turn.magnet.free_ms, defender.free_ms)
        return self._end(turn, motion, squares, show.rest_ms, quiet_ms, show.told_ms)

    def resolve(self, result: str) -> HandPly:
        """Clear the board after the verdict on the last attack."""
        assert self._shown is not None
        (target, attacker, defender), self._shown = self._shown, None
        self._spare = [magnet for magnet in self._spare if magnet is not attacker and magnet is not defender]
        ms = max(self.now_ms, attacker.free_ms, defender.free_ms) + self._random.uniform(250, 1_500)
        stays = {"attacker-wins": attacker, "flag-taken": attacker, "defender-wins": defender}.get(result)
        for magnet in (defender, attacker):
            if magnet is not stays:
                self._spare.append(magnet)
                ms = self._shower.take_away(magnet, ms) + self._random.uniform(50, 500)
        if stays is not None:
            if stays.last.z > 0:
                ms = self._shower.put(stays, target, ms)
            self._standing[target] = stays
        return self._settle("removal", (target,), ms)

    def restore(self, game: Game) -> HandPly:
        """Put the board right, one piece after the other."""
        self._shown = None
        ms = max([self.now_ms, *(magnet.free_ms for magnet in self.world.magnets)]) + self._random.uniform(400, 1_200)
        wanted = names(game)
        squares = []
        for magnet in self._spare:
            if magnet.last.z < HIGH:  # it lies or is held where the attack was
                ms = self._shower.take_away(magnet, ms) + self._random.uniform(30, 300)
        for name, magnet in list(self._standing.items()):
            if wanted.get(name) != magnet.seat:
                del self._standing[name]
                self._spare.append(magnet)
                squares.append(name)
                ms = self._shower.take_away(magnet, ms) + self._random.uniform(30, 300)
        for name, seat in wanted.items():
            if name not in self._standing:
                magnet = next(spare for spare in self._spare if spare.seat == seat)
                self._spare.remove(magnet)
                self._standing[name] = magnet
                squares.append(name)
                ms = self._shower.put(magnet, name, ms) + self._random.uniform(30, 300)
        return self._settle("restored", tuple(squares), ms)

    def lift(self, square: str) -> int:
        """Lift a piece up to show it."""
        magnet = self._standing[square]
        ms = max(magnet.free_ms, self.now_ms + 100)
        self.world.run(magnet, [leg.later(ms) for leg in self._draw.lift(magnet.last, 120)])
        return int(magnet.free_ms)

    def put(self, seat: Seat, square: str) -> int:
        """Put a lifted piece back."""
        return int(self._shower.put(self._standing[square], square, self.now_ms + 100))

    # ---- a turn

    def _begin(self, game: Game, move: Move, delay: bool = False) -> _Turn:
        """Begin a turn: when, and what comes before its ply."""
        if {name: magnet.seat for name, magnet in self._standing.items()} != names(game):
            raise MotionError("the board is not as the game has it")
        magnet = self._standing[move.source.name]
        leave_ms = max(self._leave_ms, self.next_ms + 1.0)
        if delay and self._last is not None:
            leave_ms = max(leave_ms, self._last.quiet_ms + self._random.uniform(1, 200))
        free_ms = max(float(self.now_ms), self._free_ms.get(game.turn, 0.0))
        turn = _Turn(magnet, free_ms, leave_ms, game.ply + 1)
        early = self._last is not None and leave_ms < self._last.rest_ms
        if not early and self._happens(self.rates.looks):
            self._look(game, move, turn)
        elif self._happens(self.rates.takes_back):
            self._attempt(game, turn)
        turn.not_before_ms = max(turn.not_before_ms, magnet.free_ms)
        return turn

    def _turn_before_moves(self, game: Game, move: Move) -> bool:
        """Return whether a piece that this attack needs is still on its way from the turn before."""
        target = self._standing.get(move.target.name)
        return target is not None and target.free_ms > self._leave_ms - EARLY_MS

    def _to_target(self, game: Game, move: Move, turn: _Turn) -> Stroke:
        """Move the piece to its last square, perhaps with a rest on other ones."""
        at = (self._hesitate(game, move, turn) if self._happens(self.rates.hesitates) else None) or move.source.name
        over = self._straight(game, at, move.target.name, move.source.name)
        del self._standing[move.source.name]
        self._standing[move.target.name] = turn.magnet
        return self._go(turn, self._stroke(turn.magnet, at, move.target.name, over, turn), "ply")

    def _hesitate(self, game: Game, move: Move, turn: _Turn) -> str | None:
        """Let the piece rest on one or two other legal targets. Returns its square then, None if there is no such
        square.
        """
        source, at = move.source.name, move.source.name
        choice = [name for name in self._targets(game, move.source) if name != move.target.name]
        for _ in range(2 if self._random.random() < 0.2 else 1):
            choice = [name for name in choice if name != at]
            if not choice:
                break
            target = self._random.choice(choice)
            stroke = self._stroke(turn.magnet, at, target, self._straight(game, at, target, source), turn)
            self._rest(turn, self._go(turn, stroke, "ply"), target, REST_MS)
            at = target
        if at == source:
            return None
        turn.extras.append("hesitated")
        return at

    def _targets(self, game: Game, source: Square) -> list[str]:
        """Return the free squares to which a piece may move, for all that everybody knows of it.

        A piece that nobody has seen run or fight may be a scout, as long as one of its army's scouts is as unknown.
        """
        found = {square.name for square in ways(game, source)}
        piece = _piece(game, source)
        hidden = any(
            one not in self._met and game.possible(one) == frozenset({Rank.SCOUT}) for one in game.pieces(piece.seat)
        )
        if found and hidden and piece not in self._met and self._random.random() < 0.3:
            for line in game.rule_set.board.lines(source):
                for square in line:
                    if game.piece_at(square) is not None:
                        break
                    found |= {square.name} if line[0].name in found else set()
        return sorted(found)

    def _straight(self, game: Game, start: str, end: str, origin: str) -> list[str] | None:
        """Return the squares between two ones in a line that is free but for the origin, None if there is no such line."""
        board = game.rule_set.board
        for line in board.lines(board.square(start)):
            over: list[str] = []
            for square in line:
                if square.name == end:
                    return over
                if game.piece_at(square) is not None and square.name != origin:
                    break
                over.append(square.name)
        return None

    def _stroke(self, magnet: Magnet, source: str, target: str, over: Sequence[str] | None, turn: _Turn) -> Stroke:
        """Draw a stroke, pushed if that can be and happens."""
        if over is not None and self._happens(self.rates.pushes):
            slow = self._happens(self.rates.draws_slowly)
            stroke = self._draw.push(magnet.last, [source, *over, target], slow=slow)
            if stroke is not None:
                if stroke.slow:
                    turn.extras.append("slow-border")
                return stroke
        return self._draw.carry(magnet.last, source, target)

    def _go(self, turn: _Turn, stroke: Stroke, kind: str) -> Stroke:
        """Carry out a stroke of a turn, later if something stands or moves in its way."""
        start = stroke.beginning_at if turn.resting is None else stroke.leaving_at
        timed = start(turn.leave_ms, turn.not_before_ms)
        if self.world.collides(turn.magnet, timed.legs):
            quiet_ms = max(magnet.free_ms for magnet in self.world.magnets)
            later_ms = max(turn.leave_ms, quiet_ms + self._random.uniform(20, 200))
            timed = start(later_ms, max(turn.not_before_ms, quiet_ms))
        self.world.run(turn.magnet, timed.legs)
        self.script.append(Part(kind, turn.magnet.seat, timed, turn.ply))
        turn.leaves(timed.leave_ms)
        turn.begin_ms = min(turn.begin_ms, timed.begin_ms)
        turn.not_before_ms = timed.end_ms
        return timed

    def _rest(self, turn: _Turn, stroke: Stroke, square: str, most_ms: float) -> None:
        """Let the piece rest: for how long its square sees it is drawn, and the hand goes on accordingly."""
        if self._random.random() < 0.3:
            rest_ms = self._random.uniform(1, most_ms - _SLACK_MS)
        else:
            rest_ms = self._draw.out_of_sight_ms(380, 1, most_ms - _SLACK_MS)
        turn.leave_ms = stroke.come_ms + rest_ms
        turn.resting = (square, stroke.come_ms)

    def _end(
        self,
        turn: _Turn,
        motion: str,
        squares: Sequence[str],
        rest_ms: float,
        quiet_ms: float,
        told_ms: float | None = None,
    ) -> HandPly:
        """Note a ply as done, and when the reply to it begins."""
        made = HandPly(
            motion,
            tuple(dict.fromkeys(squares)),
            tuple(dict.fromkeys(turn.extras)),
            begin_ms=int(turn.begin_ms),
            rest_ms=round(rest_ms),
            quiet_ms=round(max(quiet_ms, rest_ms)),
            told_ms=None if told_ms is None else round(told_ms),
            rests=tuple(turn.rests),
        )
        self._last = made
        self.plies.append(made)
        self._think(rest_ms, turn.begin_ms)
        return made

    def _settle(self, motion: str, squares: tuple[str, ...], ms: float) -> HandPly:
        """Note what was done between plies; the next turn begins after it."""
        self._last = None
        self._think(ms, ms)
        return HandPly(motion, squares, rest_ms=round(ms), quiet_ms=round(ms))

    def _think(self, end_ms: float, begin_ms: float) -> None:
        """Draw when the next turn begins."""
        rates, drawn = self.rates, self._random.random()
        if drawn < rates.replies_before_release and self._last is not None:
            leave_ms = end_ms - self._random.uniform(1, EARLY_MS - _SLACK_MS)
        elif drawn < rates.replies_before_release + rates.replies_at_once:
            leave_ms = end_ms + self._random.uniform(1, 200)
        else:
            leave_ms = end_ms + 200 + self._draw.out_of_sight_ms(1_500, 0, 60_000)
        self._leave_ms = max(leave_ms, begin_ms + _BEGINS_AFTER_MS, self._looked_ms + _BEGINS_AFTER_MS)
        self.next_ms = max(self.now_ms, int(self._leave_ms) - _LEAD_MS)

    def _happens(self, share: float) -> bool:
        return self._random.random() < share

    # ---- what else hands do

    def _attempt(self, game: Game, turn: _Turn) -> None:
        """Begin a move with some piece, and take it back."""
        movable = sorted({a.source.name for a in game.legal_actions() if isinstance(a, Move) and not game.is_attack(a)})
        movable = [name for name in movable if self._standing[name].free_ms <= turn.not_before_ms]
        if not movable:
            return
        source = self._random.choice(movable)
        square = game.rule_set.board.square(source)
        target = self._random.choice(self._targets(game, square))
        ply_magnet, turn.magnet = turn.magnet, self._standing[source]
        rests = turn.rests
        turn.rests = []
        out = self._stroke(turn.magnet, source, target, self._straight(game, source, target, source), turn)
        self._rest(turn, self._go(turn, out, "attempt"), target, REST_MS)
        back = self._stroke(turn.magnet, target, source, self._straight(game, target, source, source), turn)
        done = self._go(turn, back, "attempt")
        turn.rests, turn.magnet = rests, ply_magnet
        turn.leave_ms = done.come_ms + self._draw.out_of_sight_ms(900, 60, 10_000)
        turn.extras.append("took-back")

    def _look(self, game: Game, move: Move, turn: _Turn) -> None:
        """Lift somebody's piece, look at it and put it back; the turn begins after it, unless the other player looks meanwhile."""
        free = [
            name
            for name, magnet in self._standing.items()
            if magnet is not turn.magnet and magnet.free_ms <= turn.not_before_ms and name != move.target.name
        ]
        name = self._random.choice(free)
        magnet = self._standing[name]
        ms = max(turn.not_before_ms, 0 if self._last is None else self._last.quiet_ms) + self._random.uniform(0, 300)
        stays_ms = self._draw.out_of_sight_ms(700, 60, 6_000)
        up = [leg.later(ms) for leg in self._draw.lift(magnet.last, self._random.uniform(60, 150))]
        self._run_down(magnet, up, name, stays_ms)
        left_ms, came_ms = self.world.spans(up, name)[-1][1], self.world.spans(magnet.legs[-1:], name)[0][0]
        stroke = Stroke(tuple(magnet.legs[-3:]), name, name, left_ms, came_ms)
        self.script.append(Part("look", magnet.seat, stroke, turn.ply))
        square = game.rule_set.board.square(name)
        in_line = {other for line in game.rule_set.board.lines(square) for other in line}
        apart = in_line.isdisjoint((move.source, move.target)) and _piece(game, square).seat is not game.turn
        overlaps = apart and self._happens(0.4)
        turn.extras.append("looked")
        self._looked_ms = stroke.come_ms
        if not overlaps:  # one hand does one thing after the other; and a look at what the piece in hand can attack would be an attack
            turn.leave_ms = max(turn.leave_ms, stroke.come_ms + self._random.uniform(80, 1_000))

    def _run_down(self, magnet: Magnet, up: list[Leg], square: str, stays_ms: float) -> None:
        top = up[-1].end
        end = self._draw.spot(square)
        ms = up[-1].end_ms + stays_ms
        above, down_ms = Point(end.x, end.y, HIGH), self._random.uniform(60, 150)
        legs = [*up, Leg(up[-1].end_ms, ms, top, above), Leg(ms, ms + down_ms, above, end)]
        self.world.run(magnet, legs)

    def _nudge(self, turn: _Turn, squares: Sequence[str], stroke: Stroke) -> None:
        """Let the hand push a piece beside its way to a free neighbour and back."""
        if not self._happens(self.rates.nudges):
            return
        near = [
            (name, beside)
            for square in squares
            for name in self._beside(square)
            if name in self._standing and self._standing[name] is not turn.magnet
            for beside in self._beside(name)
            if beside not in self._standing and beside not in squares
        ]
        self._random.shuffle(near)
        for name, beside in near[:4]:
            magnet = self._standing[name]
            there = self._draw.push(magnet.last, [name, beside], skims=False)
            if there is None or magnet.free_ms > stroke.legs[0].start_ms:
                continue
            back = self._draw.push(there.legs[-1].end, [beside, name], skims=False)
            if back is None:
                continue
            out = there.leaving_at(self._random.uniform(stroke.leave_ms - 200, stroke.come_ms), turn.begin_ms - 200)
            out = out if out.legs[0].start_ms >= self.now_ms else there.at(self.now_ms)
            room_ms = out.end_ms - out.come_ms + back.leave_ms
            seen_ms = self._random.uniform(room_ms, NUDGE_MS - _SLACK_MS)
            if room_ms > NUDGE_MS - _SLACK_MS:
                continue
            home = back.at(out.come_ms + seen_ms - back.leave_ms)
            if self.world.collides(magnet, [*out.legs, *home.legs]):
                continue
            self.world.run(magnet, [*out.legs, *home.legs])
            self.script += [Part("nudge", magnet.seat, one, turn.ply) for one in (out, home)]
            turn.extras.append("nudged")
            return

    def _beside(self, name: str) -> list[str]:
        middle = self.world.middles[name]
        return [other for other, place in self.world.middles.items() if abs(math.dist(middle, place) - 1) < 0.01]


def _piece(game: Game, square: Square) -> PieceId:
    piece = game.piece_at(square)
    assert piece is not None
    return piece


def second_hands(overlap: float | None = None) -> Maker:
    """Return what makes the second generator's hands.

    `overlap` is the width, in squares, of the strip at a border in which both neighbours see a piece; below 0 neither does. Without one
    it is `WIDE` in a profile whose sensors see farther than they should, else 0.
    """

    def make(board: BoardFile, profile: Profile, seed: str) -> SecondHands:
        glitches, clean = profile.glitches, profile.name == "clean"
        noise = Noise(
            glitches.flips,
            glitches.bursts_per_s,
            glitches.burst_ms,
            profile.link.hole_every_s,
            profile.link.hole_ms,
            overlap=(WIDE if profile.sensors.reach else 0.0) if overlap is None else overlap,
            late_ms=0 if clean else LATE_MS,
        )
        return SecondHands(board, Random(f"{seed}/second"), noise, CAREFUL if clean else Rates())

    return make
