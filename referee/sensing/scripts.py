"""Which plies were played: every script of docs/reference/hands.md that could have left these tracks, its unseen future included.

A *script* is the plies that are over in it, and whether a hand is still at work. A piece that stands on a legal square is in one script at
the end of its ply and in another at rest in a hand that goes on; only time, or what the other player does, ends the second. A ply is
certain once every script that is left contains it. Each script has a cost, roughly how rare such hands are: the cheapest is the best guess.

Wherever noise blurs a limit, more scripts are allowed than the page does, never fewer: that may wait longer, but decides nothing too early.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from referee.rules import Prospect
from referee.rules.values import Seat
from referee.sensing.layout import Layout
from referee.sensing.settle import LONG_AGO_MS, NEVER_MS, Senses
from referee.sensing.tracks import Track, Tracks, Visit

REST, NUDGE, ATTEMPT = 3, 9, 3
EARLY, HASTY, DRAWN = 3, 1, 3
LOOK, LONG_LOOK, UNSEEN = 1, 6, 4
STRANGE, UNBEGUN, TARGET_FIRST, OUTSIDE = 9, 4, 2, 1000
"""What a script pays for a rest, a nudge, an attempt taken back, a reply before the release, one within a quarter of a second, a border
drawn over slowly, a piece in the air whose turn it is not, a move that no sensor saw,
and for what the page does not have: it is believed where nothing else is left."""


class Ply(NamedTuple):
    """A move of a script: whose piece (by where it stood in the position), up to which of its visits, and its times."""

    prospect: Prospect
    seat: Seat
    home: int
    visit: int
    began_ms: int
    """When it was first seen: its piece left, or a neighbour saw that piece already."""
    ended_ms: int
    """The last frame before its piece came to its last square: in a hole it may have been there since."""
    changed_ms: int
    before: Layout
    """The position in which it was played."""

    @property
    def move(self) -> tuple[str, str]:
        """Source and target."""
        return self.prospect.source.name, self.prospect.target.name


Plies: TypeAlias = tuple[Ply, ...]
At: TypeAlias = Mapping[int, int]
"""On which of its visits each piece stands in a position."""


class ShownAttack(NamedTuple):
    """An attack that hands show: by which squares, when it showed, and from when on it may be said."""

    prospect: Prospect
    changed_ms: int
    due_ms: int
    cost: int
    homes: tuple[int, int]
    """Its two pieces."""


class Script(NamedTuple):
    """One way in which everything came about."""

    plies: tuple[Ply, ...]
    cost: int
    moving: bool
    """Whether a piece of the side to move is still in a hand, or may be."""
    shown: tuple[ShownAttack, ...]
    tracks: Tracks
    odd: bool = False
    """Whether only rare hands explain what is under way: a magnet stands where no ply brought it, or a piece was lifted too soon."""

    @property
    def moves(self) -> tuple[tuple[str, str], ...]:
        """Source and target of each ply."""
        return tuple(ply.move for ply in self.plies)


def alike(games: Sequence[Sequence[object]]) -> int:
    """Return how many first plies games have in common."""
    return next((n for n, plies in enumerate(zip(*games, strict=False)) if len(set(plies)) > 1), min(map(len, games)))


class Loose(NamedTuple):
    """What a piece is doing that is no ply: its cost, and whether that may still become a ply."""

    cost: int
    moving: bool = False
    early: bool = False
    """Whether it can only be the reply to a ply that is not over."""


class Parser:
    """Reads scripts from tracks at one time. A time that is asked for, and is not over yet, wakes sensing."""

    def __init__(self, senses: Senses, way: Tracks) -> None:
        self._timing, self._masked, self._passed = senses.timing, senses.masked, senses.passed
        self._began_ms, self._ended_ms = way.began_ms, way.ended_ms
        self._hole_ms = senses.settler.hole_ms
        self._gap_ms = LONG_AGO_MS if senses.gap_ms in senses.settler.since_ms else senses.gap_ms
        """The last gap that hid nothing: where it did, that is asked about, and who waits for the answer does not go on."""
        self._blind_ms = max(self._hole_ms, senses.gap_ms)
        self.holes = self._hole_ms, senses.gap_ms, self._gap_ms, tuple(self._masked)

    def scripts(self, layout: Layout, way: Tracks) -> Iterator[Script]:
        """Yield every script of one way to tell the pieces apart; none once a magnet fitted no piece."""
        if not way.stray:
            yield from self._from(layout, way, dict.fromkeys(way.moved, 0), (), 0)

    def _from(self, layout: Layout, way: Tracks, at: At, plies: Plies, cost: int) -> Iterator[Script]:
        """Yield every script that goes on from here: `at` says on which of its visits each piece stands in the position of `layout`."""
        loose = {home: self._loose(layout, track, at[home], plies) for home, track in way.moved.items()}
        stays = {home: track.last_stay(at[home]) for home, track in way.moved.items()}
        shown = tuple(self._shown(way, layout, stays, plies))
        spared = {home for one in shown for home in one.homes}
        lifted = self._lifted_before(way, stays, plies, spared)
        found = {home: one for home, one in loose.items() if one is not None}
        taken = {one.homes[1] for one in shown}  # by another hand: what it does since then is nothing of its own
        known = found.keys() | {n for n in taken if self._returned(layout, way.moved[n], at[n], plies) is not None}
        if len(known) == len(loose) and lifted is not None and not self._attacked_amid(layout, way, stays):
            begun = any(one.moving and not one.early for one in found.values())
            beside = {home: one for home, one in found.items() if home not in spared}
            cost_now = cost + lifted + sum(one.cost for one in beside.values()) + self._nudged_beside(way, beside)
            cost_now += min((one.cost for one in shown), default=0)
            cost_now += 0 if begun else UNBEGUN * sum(one.early for one in found.values())
            overlaps = len(loose) > 1 and self._overlaps(layout, way, stays, plies, found, spared)
            cost_now += OUTSIDE * overlaps
            # with two own pieces in the air and a sensor that is not believed, one of them stands where nobody sees it
            if not self._masked or shown or sum(t.seat is layout.turn for t in way.lifted(stays).values()) < 2:
                odd = way.up > 0 and (overlaps or (lifted > 0 and not shown))
                odd = odd or any(track.straddles for track in way.moved.values())
                odd = odd or any(self._stands_oddly(way.moved[home], stays[home], one) for home, one in beside.items())
                yield Script(plies, cost_now, any(one.moving for one in found.values()), shown, way, odd)
                replies_ms = [*(ply.began_ms for ply in plies[1:]), NEVER_MS]
                unseen = [n for n, ply in enumerate(plies) if self._went_unseen(way, ply, replies_ms[n])]
                if unseen:
                    yield Script(plies[: unseen[0]], cost_now + UNSEEN, False, (), way)
        for home, track in way.moved.items():
            if track.seat is layout.turn:
                yield from self._plies_of(layout, way, at, plies, cost, home)

    def _stands_oddly(self, track: Track, place: int, one: Loose) -> bool:
        """Return whether a piece stands away from its place, nudged or drawn over a border: it may turn out to be another magnet."""
        last = track.visits[-1]
        away = last.stands and last.square != track.visits[place].square
        return away and one.cost >= 2 * DRAWN and (track.straddles or one.early or not one.moving)

    def _went_unseen(self, way: Tracks, ply: Ply, replied_ms: int) -> bool:
        """Return whether a hole has the end of a rest, or began while its piece was up: its hand may have gone to other squares in it.

        A piece that was up comes to the end of its ply elsewhere, is answered, and goes on from there, and nobody knows its ply; the
        reply began when it was first seen, `replied_ms`, and where that is in the hole, what came after it may be the next ply.
        """
        came, rest, *after = way.moved[ply.home].visits[ply.visit - 1 :]
        long = rest.came_ms - came.left_ms > 2 * self._timing.push_ms + self._timing.hasty_ms  # there, a pause, and on
        if long and replied_ms <= max(self._blind_ms, rest.least_ms) and self._lost(came, rest):
            return True
        drawn = any(visit.came_ms < rest.left_ms for visit in after)
        up = replied_ms != NEVER_MS and any(rest.left_ms < self._hole_ms <= visit.came_ms for visit in after[:1])
        return not rest.stands and not drawn and (up or rest.left_ms - rest.seen_ms > self._timing.push_ms)

    def _overlaps(
        self, layout: Layout, way: Tracks, stays: At, plies: Plies, found: Mapping[int, Loose], spared: Collection[int]
    ) -> bool:
        """Return whether a player looks, or attempts something, before another thing is over; nudges may overlap anything.

        Whose hand has a piece that is in the air while its player makes a ply is not known: it may be taken as a target.
        """
        back = []
        busy = [(ply.seat, ply.began_ms, ply.changed_ms) for ply in plies]
        for home, track in way.moved.items():
            ends, place = {ply.began_ms: ply.visit for ply in plies if ply.home == home}, 0
            for n, visit in enumerate(track.visits):
                if n < place or visit.touched or visit.square != track.visits[place].square:
                    continue
                trip = track.visits[place : n + 1]
                if len(trip) == 2 or (len(trip) > 2 and not self._is_nudge(layout, trip)):
                    back.append((track.seat, trip[0].left_ms, visit.least_ms))
                place = ends.get(track.began_ms(n), n) if ends else n
            out = track.so_far[stays[home] :]
            at_work = home in found and found[home].moving
            if track.in_air and home not in spared and self._passed(track.left_ms + self._timing.target_first_ms):
                back.append((track.seat, out[0].left_ms, NEVER_MS))  # no target
            elif at_work and not self._may_be_nudged(layout, out):
                busy.append((track.seat, out[0].left_ms, NEVER_MS))
        return any(
            one[0] is other[0] and max(one[1], other[1]) + self._timing.together_ms < min(one[2], other[2])
            for n, one in enumerate(back)
            for other in (*back[n + 1 :], *busy)
        )

    def _nudged_beside(self, way: Tracks, found: Mapping[int, Loose]) -> int:
        """Return what it costs that a player has several pieces under way: one thing after the other, so all but one are nudged."""
        under_way: dict[Seat, list[int]] = {}
        for home, one in found.items():
            if one.moving or way.moved[home].in_air:
                under_way.setdefault(way.moved[home].seat, []).append(one.cost)
        return sum(max(0, NUDGE - cost) for costs in under_way.values() for cost in sorted(costs)[1:])

    def _plies_of(self, layout: Layout, way: Tracks, at: At, plies: Plies, cost: int, home: int) -> Iterator[Script]:
        """Yield every script in which this piece makes the next ply, from wherever it is at home."""
        track = way.moved[home]
        visits = track.visits[at[home] :]
        if not self._can_be(layout, visits):
            return
        for start in (n for n, visit in enumerate(visits) if visit.square == visits[0].square and not visit.touched):
            back = self._back(layout, track.seat, visits[: start + 1], plies)
            if back is None:
                return
            yield from self._ply(layout, way, {**at, home: at[home] + start}, plies, cost + back, home)

    def _ply(self, layout: Layout, way: Tracks, at: At, plies: Plies, cost: int, home: int) -> Iterator[Script]:
        """Yield every script in which this piece makes the next ply, from where it stands now."""
        timing, track, start = self._timing, way.moved[home], at[home]
        visits = track.so_far
        source, began_ms = visits[start].square, track.began_ms(start)
        ended_ms = plies[-1].ended_ms if plies else self._ended_ms
        own_ms = [max(ply.ended_ms, ply.changed_ms - timing.together_ms) for ply in plies if ply.seat is track.seat]
        if began_ms < max([ended_ms - timing.early_ms, *own_ms]):  # one thing after the other
            return
        hurry, targets = self._hurry(began_ms, ended_ms), layout.moves.get(source, {})
        for end in range(start + 1, len(visits)):
            before, visit = visits[end - 1], visits[end]
            prospect = targets.get(visit.square)
            if prospect is not None and prospect.attack:
                return
            nudged = visit.touched and end == start + 1  # and the ply begins after it
            if nudged or self._is_hidden(before, visit):
                return
            drawn_ms = track.visits[end - 1].left_ms  # from the square before
            cost += DRAWN * ((drawn_ms > visit.came_ms + timing.together_ms) + track.visits[end - 1].stands)
            # over before what it answers had begun, it is none
            early = visit.came_ms < (plies[-1].began_ms if plies else self._began_ms) - timing.together_ms
            if prospect is not None and not visit.touched and not early:
                changed_ms = max(visit.came_ms, before.left_ms if drawn_ms == NEVER_MS else drawn_ms)
                ply = Ply(prospect, track.seat, home, end, began_ms, visit.least_ms, changed_ms, layout)
                dropped = ATTEMPT if visit.lasted_ms < timing.hasty_ms else 0
                after = layout.after(prospect)
                yield from self._from(after, way, {**at, home: end}, (*plies, ply), cost + hurry + dropped)
            rest = None if visit.stands else self._rest(layout, targets, visits[start:], end - start)
            if rest is None or self._takes(layout, visits[start:], end - start, way, at):
                return
            cost += rest
        yield from self._unseen(layout, way, at, plies, cost, home)

    def _unseen(self, layout: Layout, way: Tracks, at: At, plies: Plies, cost: int, home: int) -> Iterator[Script]:
        """Yield every script in which a piece that no square sees was set down where the sensor is not believed."""
        track = way.moved[home]
        source = track.visits[at[home]].square
        for square in self._masked if track.in_air else ():
            prospect = layout.moves.get(source, {}).get(square)
            if prospect is not None and not prospect.attack:
                ms = track.left_ms
                landed = way.having(home, track.comes(square, ms, ms))
                ply = Ply(prospect, track.seat, home, len(track.visits), ms, ms, ms, layout)
                after = {**at, home: len(track.visits)}
                yield from self._from(layout.after(prospect), landed, after, (*plies, ply), cost + UNSEEN)

    def _lifted_before(self, way: Tracks, stays: At, plies: Plies, shown: Collection[int]) -> int | None:
        """Return what it costs that a player made a ply with another own piece in the air, lifted before it was over and not back yet.

        What is lifted a little before may be the target that the other player takes first. None if it cannot be that.
        """
        timing, cost = self._timing, 0
        for home, track in way.lifted(stays).items():
            own = [ply for ply in plies if ply.seat is track.seat and ply.home != home]
            if not own or own[-1].changed_ms < track.left_ms - timing.together_ms:
                continue
            cost += STRANGE
            waits = own[-1].changed_ms > track.left_ms + timing.together_ms and home not in shown
            early = own[-1].ended_ms <= track.left_ms + timing.early_ms
            if not early or (waits and self._passed(track.left_ms + timing.target_first_ms)):
                return None
        return cost

    def _attacked_amid(self, layout: Layout, way: Tracks, stays: At) -> bool:
        """Return whether a piece that could go on was answered by an attack: the rival lifted a piece that could take it, then it left.

        That the one only looked while the other's hand went on is left out of the scripts, or no such attack could ever be asked about.
        So is a look at a piece that has just moved, and that the one in the other's hand could take.
        """
        hands = (track.visits[stays[home] :] for home, track in way.moved.items() if len(stays) > 1)
        if any(self._takes(layout, hand, n, way, stays) for hand in hands for n in range(1, len(hand))):
            return True
        return any(self._misses(layout, way, stays, taker) for taker in way.moved)

    def _misses(self, layout: Layout, way: Tracks, stays: At, taker: int) -> bool:
        """Return whether a piece that moved and was lifted again cannot be back, or swapped for the taker: that is up, or came too late."""
        timing, hand, near_ms = self._timing, way.moved[taker], self._timing.together_ms
        start, last = hand.visits[stays[taker]], hand.visits[-1]
        prospects = layout.moves.get(start.square, {}) if hand.seat is layout.turn and not start.stands else {}
        targets = {target for target, prospect in prospects.items() if prospect.attack}
        for home, track in way.moved.items() if targets else ():
            stay = track.visits[stays[home]]
            if stay.square == home or stay.square not in targets:
                continue
            if last is start:
                trips = pairwise(track.visits[: stays[home] + 1])
                looks = (
                    two.came_ms
                    for one, two in trips
                    if one.square == two.square and one.left_ms + near_ms < two.came_ms
                )
                if any(start.left_ms + near_ms < came_ms for came_ms in looks):
                    return True
            elif last.square == stay.square and track.in_air and stay.left_ms + timing.swap_ms + near_ms < last.came_ms:
                return True
        return False

    def _takes(self, layout: Layout, visits: Sequence[Visit], place: int, way: Tracks, at: At) -> bool:
        """Return whether a piece was lifted to take the one that rested at that place of its visits, before that went on.

        It is not asked what became of that piece: it may have been looked at, or moved. Only where the one that rested was swapped
        for it, that one was the attacker.
        """
        latest_ms, after = self._timing.swap_ms + self._timing.together_ms, visits[place + 1 : place + 2]
        for home, track in way.moved.items():
            stay = track.last_stay(at[home])
            for n in range(at[home], stay + 1):
                trip, last = track.visits[n : stay + 1], n + 1 == len(track.visits) and place + 1 == len(visits)
                lifted = trip[0].square == trip[-1].square and not trip[0].stands
                swapped = any(v.square == trip[0].square and v.came_ms <= trip[0].left_ms + latest_ms for v in after)
                drawn = any(
                    v.came_ms <= trip[0].left_ms + self._timing.together_ms for v in track.visits[n + 1 : n + 2]
                )
                if not lifted or swapped or drawn:  # drawn over the border, it was not lifted
                    continue
                nudged = self._is_nudge(layout, trip) if n < stay else self._may_be_nudged(layout, track.visits[n:])
                looked = len(trip) == 2  # no nudge
                if (looked or not nudged) and self._taken_by(layout, visits[: place + 1], last, trip[0]):
                    return True
        return False

    def _taken_by(self, layout: Layout, visits: Sequence[Visit], last: bool, taker: Visit) -> bool:
        """Return whether a piece was lifted from there to take the one that rested at the end of these visits, their last ones or not."""
        timing, rest, square, lifted_ms = self._timing, visits[-1], taker.square, taker.left_ms
        prospect = layout.moves.get(visits[0].square, {}).get(rest.square)
        since_ms, until_ms = rest.came_ms + timing.hasty_ms + timing.together_ms, rest.seen_ms - timing.together_ms
        if prospect is None or prospect.attack or rest.touched or not (last or since_ms <= lifted_ms <= until_ms):
            return False
        if rest.square not in layout.after(prospect).moves.get(square, {}):
            return False
        due_ms = rest.left_ms + timing.both_up_ms
        if self._disputed(layout, visits, square):
            due_ms = max(due_ms, self._swapped_ms(lifted_ms))
            if last and not self._runs_up(layout, rest, square):
                # the other piece is the attacker, whenever it was lifted; or it was taken first, and this one rests once more
                if lifted_ms > until_ms:
                    due_ms = lifted_ms + timing.target_first_ms + timing.together_ms
                since_ms, until_ms = visits[0].left_ms, NEVER_MS
        return since_ms <= lifted_ms <= until_ms and self._passed(due_ms - timing.vote_window_ms)

    # ---------------------------------------------------------------- what is no ply (yet)

    def _loose(self, layout: Layout, track: Track, place: int, plies: Plies) -> Loose | None:
        """Return what a piece does since its place in the position; None if the page knows no such thing.

        `place`: the visit that is its place, above 0 if it came there in a ply that is not final.
        """
        back = self._returned(layout, track, place, plies)
        out = None if back is None else self._out(layout, track, place, track.last_stay(place), plies)
        return None if out is None or back is None else out._replace(cost=out.cost + back)

    def _returned(self, layout: Layout, track: Track, place: int, plies: Plies) -> int | None:
        """Return what it costs that a piece was away from its place and is back there, or was before it left; None if that cannot be."""
        if not self._can_be(layout, track.visits[place:]):
            return None
        return self._back(layout, track.seat, track.so_far[place : track.last_stay(place) + 1], plies)

    def _back(self, layout: Layout, seat: Seat, visits: Sequence[Visit], plies: Plies) -> int | None:
        """Return the cost of a piece that came back to its place, once or more; None if the page knows no such thing."""
        homes = [n for n, visit in enumerate(visits) if visit.square == visits[0].square and not visit.touched]
        trips = [self._trip(layout, seat, visits[left : back + 1], plies) for left, back in pairwise(homes)]
        return None if None in trips else sum(filter(None, trips))

    def _trip(self, layout: Layout, seat: Seat, visits: Sequence[Visit], plies: Plies) -> int | None:
        """Return the cost of a look, a nudge or an attempt; None if it is none of them."""
        away = visits[1:-1]
        if not away:
            return 0
        if self._is_nudge(layout, visits):
            return NUDGE
        targets = self._legal(layout, seat, visits, plies)
        if targets is None:
            return None
        rests = [self._rest(layout, targets, visits, n) for n in range(1, len(visits) - 1)]
        return None if None in rests else max([ATTEMPT, *filter(None, rests)])

    def _rest(self, layout: Layout, targets: Container[int], visits: Sequence[Visit], place: int) -> int | None:
        """Return what it costs that a hand goes on from a square: a rest on a legal one, a nudge, or on its way; None if it is none."""
        before, visit, *after = visits[place - 1 : place + 2]
        if self._is_hidden(before, visit):
            return 0 if visit.square in targets else None
        back = [one for one in after if one.square == visit.square]
        if back and self._is_look(visit) and not self._lost(visit, back[0]):
            return None  # in a hole a hand may go on to other squares, and come back
        if visit.square in targets and not visit.touched:
            first = place
            while first > 1 and visits[first - 2].square == visit.square and visits[first - 1].square not in targets:
                first -= 2  # a nudge in between does not begin a rest again
            # drawn over the border, it rests from its end on
            visit = visit._replace(came_ms=max(visits[first].came_ms, visits[first - 1].left_ms))
            rest = REST if visit.lasted_ms >= self._timing.slide_ms else 0
            return rest if self._is_short(visit, self._timing.rest_ms) else None
        if not after and not visit.stands and self._passed(visit.left_ms + self._timing.unsay_ms):
            return None  # pushed on or back, it would have come somewhere
        squares, ground = [one.square for one in (before, visit, *after)], layout.ground
        nudged = ground.beside(before.square, visit.square) and squares[2:] in ([], [before.square])
        if visit.touched or nudged:
            return NUDGE if self._is_short(visit, self._timing.nudge_ms) else None
        passes = ground.passes(*squares) if after else ground.straight(*squares)
        return NUDGE if passes and self._is_short(visit, self._timing.pass_ms) else None

    def _is_look(self, visit: Visit) -> bool:
        """Return whether a piece that is lifted from there was let go before; sooner it bounces, or a hand goes on."""
        return visit.left_ms - visit.came_ms >= self._timing.push_ms - self._timing.together_ms

    def _lost(self, before: Visit, visit: Visit) -> bool:
        """Return whether frames were missing while a piece was in the air between two visits, for long enough to set it down elsewhere."""
        unseen = visit.came_ms - visit.least_ms > self._timing.push_ms
        return unseen or before.left_ms < self._blind_ms <= visit.came_ms

    def _is_hidden(self, before: Visit, visit: Visit) -> bool:
        """Return whether a piece came there from another square while no frames did: nobody saw how, so it is no ply, and asked about."""
        return visit.square != before.square and visit.came_ms - visit.least_ms > self._timing.gap_ms

    def _legal(self, layout: Layout, seat: Seat, trip: Sequence[Visit], plies: Plies) -> Container[int] | None:
        """Return where a piece could go in the turn in which it was away, which may be an earlier one; None if in none.

        One thing after the other: it is home again before the ply of that turn begins.
        """
        ended_ms, began_ms, early_ms = self._ended_ms, trip[0].left_ms, self._timing.early_ms
        over_ms = trip[-1].came_ms - self._timing.together_ms
        for ply in plies:
            if ply.seat is seat and ended_ms - early_ms <= began_ms and over_ms <= ply.began_ms:
                return ply.before.free(trip[0].square)
            ended_ms = ply.ended_ms
        if not self._is_free(seat, began_ms, plies):
            return None
        if layout.turn is not seat:  # then it was the reply to a ply that is not over, and could go anywhere
            return None if self._passed(began_ms + early_ms) else range(len(layout.owners))
        return layout.free(trip[0].square) if began_ms >= ended_ms - early_ms else None

    def _is_free(self, seat: Seat, began_ms: int, plies: Sequence[Ply]) -> bool:
        """Return whether a player could begin something then: one thing after the other, and the last own ply was over."""
        return all(began_ms >= ply.ended_ms - self._timing.together_ms for ply in plies if ply.seat is seat)

    def _out(self, layout: Layout, track: Track, place: int, home: int, plies: Sequence[Ply]) -> Loose | None:
        """Return what a piece does that has left its place, or is being drawn from it; it stands there if it has not.

        `place`: the visit that is its place; `home`: the last one to there.
        """
        visits = track.so_far[home:]
        ended_ms = plies[-1].ended_ms if plies else self._ended_ms
        began_ms = track.began_ms(home)
        base, last, mine = visits[0].square, visits[-1], track.seat is layout.turn
        if len(visits) == 1 and last.stands:
            return Loose(2 * DRAWN if track.straddles else 0)
        drawn, away = (2 * DRAWN, visits[1:-1]) if track.straddles else (0, visits[1:])
        if not away:
            if place and not mine and not self._is_look(visits[0]) and self._passed(began_ms + self._timing.early_ms):
                return None  # so soon nobody looks at the piece of his last ply, and it has not gone on either
            adjusted = not (place and track.in_air and self._passed(track.left_ms + self._timing.unsay_ms))
            look = LOOK if adjusted else LOOK + LONG_LOOK
            return Loose(drawn + (min(look, self._hurry(began_ms, ended_ms)) if mine else look), moving=mine)
        found = []
        if self._may_be_nudged(layout, visits):
            found.append(Loose(NUDGE))
        targets, free = layout.moves.get(base, {}), self._is_free(track.seat, began_ms, plies)
        if mine and free and began_ms >= ended_ms - self._timing.early_ms:
            shows = last.stands and last.square in targets and targets[last.square].attack
            rested = range(1, len(visits) - (shows or track.straddles))
            rests = [self._rest(layout, layout.free(base), visits, place) for place in rested]
            if None not in rests:
                cost = drawn + self._hurry(began_ms, ended_ms)
                found.append(Loose(cost + min(STRANGE, sum(filter(None, rests))), moving=True))
        if not mine and free and not self._passed(began_ms + self._timing.early_ms):
            strange = any(not layout.ground.straight(base, visit.square) for visit in away)
            found.append(Loose(STRANGE if strange else EARLY, moving=True, early=True))
        return min(found, default=None)

    def _can_be(self, layout: Layout, visits: Sequence[Visit]) -> bool:
        """Return whether a hand can take a piece this way: no border sees it too long, it turns no corner faster than it is carried.

        The way of a slanting move has a corner, and is pushed.
        """
        most_ms, carried_ms = self._timing.border_ms, self._timing.push_ms - self._timing.together_ms
        straight, masked = layout.ground.straight, self._masked
        return all(
            not self._passed(visit.came_ms + most_ms)
            if before.stands
            else visit.came_ms >= before.left_ms - most_ms
            and (
                visit.came_ms >= before.seen_ms + carried_ms
                or before.square in masked
                or straight(before.square, visit.square)
                or layout.crossed(before.square, visit.square)
            )
            for before, visit in pairwise(visits)
        )

    def _hurry(self, began_ms: int, ended_ms: int) -> int:
        """Return what a turn costs that begins so soon after the ply before it ended, or even before that."""
        return EARLY if began_ms < ended_ms else HASTY if began_ms < ended_ms + self._timing.hasty_ms else 0

    def _may_be_nudged(self, layout: Layout, visits: Sequence[Visit]) -> bool:
        """Return whether a piece that has left its square may be about to be pushed back."""
        last = visits[-1]
        in_reach = last.stands or not self._passed(last.left_ms + self._timing.push_ms)
        return in_reach and self._is_nudge(layout, visits)

    def _is_nudge(self, layout: Layout, visits: Sequence[Visit]) -> bool:
        """Return whether a piece was only pushed to a neighbour and back, or is about to be."""
        base = visits[0].square
        for before, visit in pairwise(visits):
            if visit.least_ms - before.left_ms > self._timing.push_ms and visit.square != before.square:
                return False
            if visit.square != base and (
                visit.square not in layout.ground.near(base) or not self._is_short(visit, self._timing.nudge_ms)
            ):
                return False
        return True

    def _is_short(self, visit: Visit, most_ms: int) -> bool:
        """Return whether a visit lasted, or has lasted so far, at most so long: since a hole, if it may have been away in one."""
        since_ms = max(self._gap_ms, self._hole_ms)
        if visit.came_ms < since_ms <= visit.seen_ms:
            visit = visit._replace(came_ms=since_ms)
        return not self._passed(visit.came_ms + most_ms) if visit.stands else visit.lasted_ms <= most_ms

    # ---------------------------------------------------------------- attacks that show in hands

    def _shown(self, way: Tracks, layout: Layout, stays: At, plies: Plies) -> Iterator[ShownAttack]:
        """Yield the attacks by the one piece of the side to move that is away; the turn begins with the first of both that leaves."""
        early_ms = (plies[-1].ended_ms if plies else self._ended_ms) - self._timing.early_ms
        left_ms = {home: track.visits[stays[home]].left_ms for home, track in way.moved.items()}
        away = {home: track for home, track in way.moved.items() if early_ms <= left_ms[home] != NEVER_MS}
        mine = [home for home, track in away.items() if track.seat is layout.turn]
        for home in away if len(mine) == 1 else ():
            attack = self._attack(layout, away[mine[0]].visits[stays[mine[0]] :], away[home], stays[home])
            if attack is not None:
                yield ShownAttack(*attack, (mine[0], home))

    def _attack(
        self, layout: Layout, visits: Sequence[Visit], target: Track, place: int
    ) -> tuple[Prospect, int, int, int] | None:
        """Return the attack by a piece with these visits on another one, when it showed, from when on it may be said, and its cost."""
        timing, square, last = self._timing, target.visits[place].square, visits[-1]
        prospect = layout.moves.get(visits[0].square, {}).get(square)
        if prospect is None or not prospect.attack or not target.in_air or len(target.visits) > place + 1:
            return None
        if last.stands and last.square != square:
            return None
        stood = visits[-2] if last.stands else last
        if stood is not visits[0] and not self._runs_up(layout, stood, square):
            return None
        if last.stands and stood.left_ms > last.came_ms + timing.together_ms:
            return None  # who attacks has left before: on that square the defender is back
        if last.stands:
            changed_ms, wait_ms = last.came_ms, timing.quick_ms if layout.ground.colour else timing.swap_ms
        else:
            changed_ms = max(visits[-1].left_ms, target.left_ms)
            if last.left_ms > target.left_ms + timing.target_first_ms + timing.together_ms:
                return None
            quick = target.left_ms >= visits[0].left_ms - timing.together_ms
            stood_ms = target.left_ms - target.visits[place].came_ms
            if not quick and stood_ms < timing.hasty_ms - timing.together_ms:
                return None  # who takes the defender first needs time to do so: it is in the hand that brought it
            wait_ms = timing.both_up_ms if quick else timing.target_first_ms
            if quick and self._disputed(layout, visits, square):
                wait_ms = max(wait_ms, self._swapped_ms(min(last.left_ms, target.left_ms)) - changed_ms)
        return prospect, changed_ms, changed_ms + wait_ms, TARGET_FIRST if wait_ms == timing.target_first_ms else 0

    def _runs_up(self, layout: Layout, rest: Visit, square: int) -> bool:
        """Return whether a piece that rested there may attack that square: beside it, it stood for no longer than a run-up."""
        return not layout.ground.beside(rest.square, square) or self._is_short(rest, self._timing.run_up_ms)

    def _swapped_ms(self, lifted_ms: int) -> int:
        """Return when a piece that is swapped for one lifted at this time would have settled on its square."""
        return lifted_ms + self._timing.swap_ms + self._timing.together_ms + self._timing.vote_window_ms

    def _disputed(self, layout: Layout, visits: Sequence[Visit], square: int) -> bool:
        """Return whether a piece that rested and the one on that square could each be the attacker, the other one lifted first.

        The first of them that is set down where the other one stood tells which, and does so before `swap_ms` are over.
        """
        targets = layout.moves.get(visits[0].square, {})
        run_up, attack = targets.get(visits[-1].square), targets.get(square)
        if run_up is None or run_up.attack or attack is None or not attack.attack:
            return False
        return visits[-1].square in layout.after(run_up).moves.get(square, {})
