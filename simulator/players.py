"""Two players' hands on a simulated board: every ply drawn at random from the library of motions, by the shares of a profile."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, replace
from random import Random

from simulator import plies, times
from simulator.board import SimBoard
from simulator.magnets import Resting
from simulator.motions import Both, Move, plan
from simulator.plies import Attack, HandPly, Verdict, Way
from simulator.script import Gesture, Held, MotionError

HEALED = 0.5
"""Share of accidents that players see and put right by themselves; the others wait until somebody asks."""

_LEAST_LEAD_MS = 150  # of a mover before an early reply
_TURN_ROUND_MS = 300  # from a player's own move to the next one, however early


class Hands:
    """Makes plies on a board. Times are the board's; nothing happens until its time passes (`SimBoard.listen` or `advance`).

    The same board, profile, seed and calls give the same hands. Knows no rule: the caller says which squares a piece goes over, and
    on which others it might have rested.
    """

    def __init__(self, board: SimBoard, seed: int = 0, *, healed: float = HEALED) -> None:
        self.board = board
        self.profile = board.profile
        self.next_ms = board.now_ms
        """When the next hand begins; before the last ply's `rest_ms` if the reply comes early."""
        self._healed = healed
        self._random = Random(f"{seed}/players")
        self._early = False
        self._busy: Collection[int] = ()
        self._busy_ms = 0
        self._attack: Attack | None = None

    # ---------------------------------------------------------------- what can be asked for

    def move(
        self,
        seat: str,
        source: str,
        target: str,
        path: Sequence[str] = (),
        rests: Mapping[str, Sequence[str]] | None = None,
        *,
        slid: bool | None = None,
    ) -> HandPly:
        """Move a piece to a free square. `path`: the squares that it goes over, in order.

        `rests`: other squares to which it might go by the rules, each with the squares on the way there; one of them may be
        hesitated on. `slid` says so instead of the profile. Raises MotionError, nothing having moved, if no hand could.
        """
        table, random, shares = self.board.table, self._random, self.profile.motions
        first, last = table.taken(source), table.free(target)
        over = [table.free(square) for square in path if square != target]
        before_ms = self._busy_ms
        script, extras = self._begin(seat, {first, last, *over})
        begin_ms = script.at_ms
        drawn, bounced = random.random() < shares.slid, random.random() < shares.bounced
        slid = drawn if slid is None else slid
        rest: list[int] = []
        if rests and random.random() < shares.hesitated:
            word = random.choice(list(rests))
            rest = [table.index(square) for square in (*rests[word], word)]
            extras.append("hesitated")
        about = {first, last, *over, *rest}
        fallen = self._knock(script, about)
        if slid:
            way = plies.way_over(first, rest, [*over, last]) if rest else [*over, last]
            rested = script.slide(first, way, rest[-1:], fumble=bounced)
        else:
            rested = self._carry(script, first, rest[-1:], last, fumble=bounced)
        rest_ms = script.at_ms
        if fallen is not None:
            self._stand_up(script, *fallen)
        ply = HandPly(
            "slide" if slid else "lift",
            (source, target),
            (*extras, "bounced") if bounced else tuple(extras),
            ("knocked-over",) if fallen else (),
            rests=tuple((self.board.board.squares[square], ms) for square, ms in rested.items()),
        )
        ply = self._perform(ply, script, (begin_ms, rest_ms), about)
        self._early = fallen is None and random.random() < shares.early_reply
        if self._early:
            early_ms = round(ply.rest_ms + times.EARLY.draw(random))
            self.next_ms = max(early_ms, ply.begin_ms + _LEAST_LEAD_MS, before_ms + _TURN_ROUND_MS)
        return ply

    def attack(
        self, seat: str, source: str, target: str, path: Sequence[str] = (), *, way: Way | None = None
    ) -> HandPly:
        """Show an attack in one of the ways that hands have, or in that `way`; `resolve` must follow.

        `told_ms` is set if it is told on the handset. Raises MotionError, nothing having moved, if no hand could make it.
        """
        table, random, shares = self.board.table, self._random, self.profile.motions
        first, last = table.taken(source), table.taken(target)
        over = [table.free(square) for square in path if square != target]
        script, extras = self._begin(seat, {first, last, *over})
        begin_ms = script.at_ms
        drawn = random.choices(tuple(Way), astuple(self.profile.captures))[0]
        way = way or drawn
        slid, bounced = random.random() < shares.slid, random.random() < shares.bounced
        self._attack, told_ms = plies.show(script, first, last, over, way, slid=slid, fumble=bounced)
        ply = HandPly(way.value, (source, target), (*extras, "bounced") if bounced else tuple(extras), told_ms=told_ms)
        return self._perform(ply, script, (begin_ms, script.at_ms), {first, last, *over})

    def resolve(self, verdict: str) -> HandPly:
        """Clear an attack away: attacker-wins, defender-wins, both-lost or flag-taken. Raises MotionError if there is none."""
        attack, meant = self._attack, plies.parse_verdict(verdict)
        if attack is None:
            raise MotionError("no attack is under way")
        self._attack = None
        random, shares = self._random, self.profile.motions
        script = self._script()
        script.wait(times.ANSWER)
        begin_ms = script.at_ms
        wanted = self._after(script.standing, attack, meant)
        slid, bounced = random.random() < shares.slid, random.random() < shares.bounced
        done, bystander = self._mishear(script, attack, meant)
        lost = plies.clear(script, attack, done or meant, slid=slid, fumble=bounced)
        rest_ms, heals = script.at_ms, True
        set_down = any(track.target == attack.target for track in script.tracks)
        extras, wrong = (["bounced"] if bounced and set_down else []), (["wrong-removal"] if done else [])
        if done:
            heals = random.random() < self._healed
            if heals:
                script.wait(times.NOTICE)
                hands = [held for held, _ in lost] + ([bystander] if bystander else [])
                plies.put_right(script, wanted, hands)
        else:
            heals = self._put_away(script, lost, wanted, extras, wrong)
        names = self._names((attack.source, attack.target))
        ply = HandPly("removal", names, tuple(extras), tuple(wrong), heals=heals)
        ply = self._perform(ply, script, (begin_ms, rest_ms), {attack.source, attack.target})
        self.next_ms = round(ply.quiet_ms + times.THINK.draw(random))
        return ply

    def restore(self, wanted: Mapping[str, str]) -> HandPly:
        """Put the board right: these squares hold these seats' pieces, and nothing else lies about. An attack under way is given up."""
        table = self.board.table
        goal = {table.index(square): (seat, table.pole(seat)) for square, seat in wanted.items()}
        self._attack = None
        script = self._script()
        script.wait(times.ANSWER)
        begin_ms = script.at_ms
        plies.put_right(script, goal)
        return self._perform(HandPly("restore", ()), script, (begin_ms, script.at_ms), ())

    def mishap(self, seat: str) -> HandPly | None:
        """Let an accident happen between two plies, by its share; None in most cases. Call it once before each ply.

        If it does not heal, hands wait for `restore`. None happens while a hand is still busy.
        """
        shares, random = self.profile.accidents, self._random
        draw = random.random()
        if draw >= shares.bumped + shares.own_swapped or self.board.busy or self._early:
            return None
        script = self._script()
        begin_ms, before = script.at_ms, dict(script.standing)
        if draw >= shares.bumped:
            pair = plies.own_swap(script, self._own(script, seat, ()))
            ply = HandPly("own-swapped", self._names(pair), accidents=("own-swapped",))
            return self._perform(ply, script, (begin_ms, script.at_ms), pair) if pair else None
        hit = plies.bump(script)
        rest_ms = max((track.end_ms for track in script.tracks), default=begin_ms)
        heals = random.random() < self._healed
        if heals:
            script.at_ms = rest_ms
            script.wait(times.NOTICE)
            plies.put_right(script, _wanted(before))
        ply = HandPly("bumped", self._names(hit), accidents=("bumped",), heals=heals)
        return self._perform(ply, script, (begin_ms, rest_ms), hit) if hit else None

    def make(self, motion: Move | Both, after_ms: int = 0) -> int:
        """Make a plain motion as these hands make it, with what may go wrong before and in it; return when all is quiet again.

        Raises MotionError, nothing having moved, if no hand could make it or the last one has not ended.
        """
        board = self.board
        if board.busy:
            raise MotionError("the motion before has not ended")
        plan(motion, board.table, board.now_ms, Random(0))  # only to be refused before anything has moved
        self.next_ms, self._early = board.now_ms + after_ms, False
        table = board.table
        seat = table.resting[table.taken(motion.source)].seat
        mishap = self.mishap(seat)
        if mishap is not None:
            self.next_ms = mishap.quiet_ms
        if isinstance(motion, Both):
            ply = self.attack(seat, motion.source, motion.target, way=Way.BOTH_LIFTED)
            self._attack = None  # what follows is told motion by motion
        else:
            ply = self.move(seat, motion.source, motion.target, motion.via, dict(motion.rests), slid=motion.slide)
            self._early = False
        return max(ply.quiet_ms, board.rests_ms)

    # ---------------------------------------------------------------- parts

    def _script(self) -> Gesture:
        return Gesture(self.board.table, self._random, max(self.board.now_ms, self.next_ms))

    def _begin(self, seat: str, about: Collection[int]) -> tuple[Gesture, list[str]]:
        """Return a hand that begins a ply, its fidgeting done, and what that was. A reply that would touch what moves still waits."""
        script = self._script()
        early, self._early = self._early, False
        if early and script.at_ms < self._busy_ms + times.EARLY.most_ms:
            if not set(self._busy) & set(about):
                return script, ["early-reply"]
            script.at_ms = max(script.at_ms, self._busy_ms)
            script.wait(times.THINK)
        own = self._own(script, seat, about)
        return script, plies.fidget(script, self.profile.motions, own)

    def _own(self, script: Gesture, seat: str, about: Collection[int]) -> list[int]:
        return [n for n, piece in script.standing.items() if n >= 0 and piece.seat == seat and n not in about]

    def _carry(self, script: Gesture, source: int, rest: Sequence[int], target: int, *, fumble: bool) -> dict[int, int]:
        """Lift a piece over to its target, perhaps set down on another square first; return how long it stood there."""
        at_lift = fumble and self._random.random() < 0.5
        held = script.take(source, fumble=at_lift)
        script.carry()
        rested: dict[int, int] = {}
        for square in rest:
            script.put(held, square)
            since_ms = script.at_ms
            script.wait(times.HESITATION)
            rested[square] = round(script.at_ms - since_ms)
            held = script.take(square)
            script.carry()
        script.put(held, target, fumble=fumble and not at_lift)
        return rested

    def _knock(self, script: Gesture, about: Collection[int]) -> tuple[int, int] | None:
        """Perhaps knock a neighbour over; return where it stood and the number under which it lies."""
        random = self._random
        if random.random() >= self.profile.accidents.knocked_over:
            return None
        moving = (
            self._busy if script.at_ms < self._busy_ms else ()
        )  # another hand has those, until its ply has come to rest
        near = plies.neighbours(script.standing, self.board.board.places, about)
        near = [place for place in near if place not in moving]
        if not near:
            return None
        place = random.choice(near)
        return place, plies.fall(script, place, script.at_ms + random.uniform(50, 300))

    def _stand_up(self, script: Gesture, place: int, lying: int) -> None:
        script.wait(times.NOTICE)
        held = script.take(lying)
        script.carry()
        script.put(held, place)

    def _mishear(self, script: Gesture, attack: Attack, meant: Verdict) -> tuple[Verdict | None, Held | None]:
        if self._random.random() >= self.profile.accidents.wrong_removal:
            return None, None
        about = (attack.source, attack.target)
        near = plies.neighbours(script.standing, self.board.board.places, about)
        return plies.wrong_removal(script, meant, near, colour=self.board.colour)

    def _put_away(
        self,
        script: Gesture,
        lost: Sequence[tuple[Held, float]],
        wanted: Mapping[int, object],
        extras: list[str],
        wrong: list[str],
    ) -> bool:
        """Let captured pieces be put on the rim, or by mistake on a square; return whether hands put that right by themselves."""
        random, places, heals = self._random, self.board.board.places, True
        for held, at_ms in lost:
            other = Gesture(self.board.table, random, at_ms)
            other.carry()
            if random.random() < self.profile.accidents.parked_on_square:
                free = [n for n in plies.edge_squares(places) if n not in wanted and n not in script.standing]
                if free:
                    square = random.choice(free)
                    other.put(held, square)
                    wrong.append("parked-on-square")
                    heals = random.random() < self._healed
                    if heals:
                        other.wait(times.NOTICE)
                        other.take(square)
                    script.at_ms = max(script.at_ms, other.at_ms)
            elif random.random() < self.profile.motions.parked:
                lying = other.lay_beside(held, plies.rim_place(places, random))
                other.wait(times.PARKED)
                other.take(lying)
                extras.append("parked")
            script.tracks += other.tracks
        return heals

    def _perform(self, ply: HandPly, script: Gesture, span_ms: tuple[float, float], about: Collection[int]) -> HandPly:
        """Carry out the motion together with any fault of the board. Returns the ply with its times."""
        random, squares = self._random, self.board.board.squares
        self.board.perform(script.tracks)
        befalls = []
        if ply.motion not in ("restore", "bumped", "own-swapped"):
            befalls = plies.draw_troubles(self.profile, random, span_ms, squares, ply.squares)
        for _, at_ms, trouble in befalls:
            self.board.trouble(trouble, at_ms)
        self._busy, self._busy_ms = frozenset(about), round(span_ms[1])
        self._early = False
        quiet_ms = round(max(script.at_ms, span_ms[1]))
        self.next_ms = round(quiet_ms + times.THINK.draw(random))
        return replace(
            ply,
            accidents=(*ply.accidents, *(word for word, *_ in befalls)),
            begin_ms=round(span_ms[0]),
            rest_ms=round(span_ms[1]),
            quiet_ms=quiet_ms,
        )

    def _after(self, standing: Mapping[int, Resting], attack: Attack, verdict: Verdict) -> dict[int, tuple[str, int]]:
        """Return how the board must stand after the verdict."""
        wanted = _wanted(standing)
        for square in (attack.source, attack.target):
            wanted.pop(square, None)
        if verdict is Verdict.DEFENDER_WINS:
            wanted[attack.target] = (attack.defender.seat, attack.defender.pole)
        elif verdict is not Verdict.BOTH_LOST:
            wanted[attack.target] = (attack.attacker.seat, attack.attacker.pole)
        return wanted

    def _names(self, numbers: Collection[int]) -> tuple[str, ...]:
        return tuple(self.board.board.squares[number] for number in numbers)


def _wanted(standing: Mapping[int, Resting]) -> dict[int, tuple[str, int]]:
    return {place: (piece.seat, piece.pole) for place, piece in standing.items() if place >= 0}
