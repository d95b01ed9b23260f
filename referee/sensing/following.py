"""Play: what hands are seen to do is told as plies, and later as final, or as something else after all.

Every way in which the pieces can have gone where magnets were seen is kept (`tracks.py`), and of each every script that could have left it
(`scripts.py`). What is said follows from all of them together:

- a ply is *read* as soon as the cheapest script has it, if no script that has another ply instead is nearly as cheap, and the hand cannot
  be sliding on;
- it is *final* when every script has it: then the position moves on, and what led there is forgotten;
- it is *revised*, or *unsaid*, when another script has become cheaper by as much;
- hands are *asked* when no script is left, or when those that are left will never be told apart.

Whenever sensing has said something that changes the position or stops the game, it is silent until it is told how the game goes on.
"""

from __future__ import annotations

from itertools import permutations

from firmware_bridge.messages import Reading
from referee.rules import Situation
from referee.sensing import observations as seen
from referee.sensing.layout import NO_CHANGE, Change, Layout
from referee.sensing.scripts import DRAWN, OUTSIDE, Parser, Ply, Script, alike
from referee.sensing.settle import LONG_AGO_MS, MOST_TOLD, NEVER_MS, Senses
from referee.sensing.tracks import Flip, Tracks, extended

MARGIN = 2
"""A script must cost so much less than every one that contradicts it before it is believed."""

_MOST_WAYS = 32
_MOST_NEAR = 3
"""Of how many changes before it a change is tried in any order with."""
_MOST_UP = 2
"""With more pieces in the air than these nothing is read: that is no play."""


class Following:
    """Reads moves and attacks from one position on. A new one is made for every `follow`."""

    def __init__(self, senses: Senses, situation: Situation) -> None:
        self._senses = senses
        self._base = Layout(senses.ground, situation)
        """The position after the last final ply."""
        self._open: list[Ply] = []
        """The plies that were said and are not final."""
        self._after: list[Layout] = []
        """The position after each of them."""
        self._ways: list[Tracks] = [Tracks({})]
        self._taken: list[Reading] = list(self._base.expected)
        """What of the settled squares the ways know."""
        self._near: list[tuple[Flip, list[Tracks]]] = []
        """The last changes, and the ways before each."""
        self._flipped_ms = LONG_AGO_MS
        self._played = False
        """Whether a script that is left has a ply, or none is left: then what cannot be is not forgotten."""
        self._hidden = False
        """Something came to stand while no frames did, or out of such a gap."""
        self._outside = False
        """Whether the scripts that are left are none of the page."""
        self._waits = False
        """Something was said that must be answered first."""
        self.attacker: seen.Standing | None = None
        """The piece that was seen to attack, if it was set down in the place of the other."""
        self._lifted: set[int] = set()
        self._told: set[tuple[seen.Difference, ...]] = set()
        self._seen: tuple[seen.Difference, ...] = ()
        self._seen_ms = senses.now_ms
        """Since when these differences are seen."""
        self._lost_ms = NEVER_MS
        """Since when no script is left."""
        self._crowded_ms: int | None = None
        self._parsed: dict[object, tuple[Tracks, list[Script], int]] = {}
        """Of each way its scripts, and until when they stay these if no square changes."""

    @property
    def _layout(self) -> Layout:
        """The position after everything that was said."""
        return self._after[-1] if self._after else self._base

    def advance(self, situation: Situation) -> None:
        """Take the game's answer to what was said: the position now."""
        layout = Layout(self._senses.ground, situation)
        if self._after:
            before = self._after[-2] if len(self._after) > 1 else self._base
            before.follow(self._open[-1].prospect, layout)
            self._after[-1] = layout
        else:
            self._base = layout
        self._waits = False
        self._parsed.clear()
        self._seen = self.differences()  # what was said is no change on the board
        self._lifted.clear()

    def differences(self) -> tuple[seen.Difference, ...]:
        """Return every square that differs from the position."""
        return self._senses.differences(self._layout.occupants, self._layout.expected)

    @property
    def told(self) -> int:
        """Count the boards that were told not to be understood and are remembered."""
        return len(self._told)

    @property
    def quiet(self) -> bool:
        """Return whether the board is as the position says. A move that can still be revised needs a hand for that, as a new one does."""
        return not self._waits and self._layout.expected == self._senses.settler.settled

    def step(self) -> list[seen.Observation]:
        """Return what there is to say after this frame."""
        if self._waits:
            return []
        said: list[seen.Observation] = []
        self._take_flips()
        differences = self.differences()
        if differences != self._seen:
            self._seen, self._seen_ms = differences, self._senses.now_ms
        self._hidden &= bool(differences)
        change = self._layout.change(self._senses.settler.settled, self._senses.masked)
        self._watch_hands(change, said)
        if change is NO_CHANGE and not self._open and not differences:
            self._crowded_ms, self._lost_ms = None, NEVER_MS
            # whatever it was, the board is as it was before
            self._scripts()
            if self._outside or all(way.stray for way in self._ways):
                self._ways, self._near = [self._ways[0]._replace(moved={}, stray=False)], []
            return said
        scripts = self._scripts()
        if not self._hidden:  # what a hole hid may have changed any open ply
            scripts = self._finalise(scripts, said)
        if self._is_disturbed(change, scripts):
            self._waits = True
            return [*said, seen.Disturbed(differences, self._senses.at_ms)]
        if self._hidden and self._crowded_ms is None:  # it is never read, so ask before it is covered up
            if self._has_settled():
                self._ask(scripts, said)
        elif not self._say(scripts, said) and self._has_rested(change, scripts):
            self._ask(scripts, said)
        return said

    # ---------------------------------------------------------------- what could have happened

    def _take_flips(self) -> None:
        """Let every way know what settled, in the order in which it showed."""
        senses, settled = self._senses, self._senses.settler.settled
        if settled == self._taken:
            return
        since_ms, least_ms = senses.settler.since_ms, senses.settler.least_ms
        flips = [
            Flip(square, before, after, since_ms[square], least_ms[square])
            for square, (before, after) in enumerate(zip(self._taken, settled, strict=True))
            if before != after and square not in senses.masked
        ]
        if flips:
            self._ways = self._without_returned()
            self._look_for_hidden(flips)
        for flip in sorted(flips, key=lambda flip: flip.at_ms):
            if len(flips) > senses.timing.disturbed_squares:  # no hands, in whatever order
                self._near.clear()
            self._take(flip)
            self._taken[flip.square] = flip.after
            self._flipped_ms = senses.now_ms

    def _look_for_hidden(self, flips: list[Flip]) -> None:
        """Note whether something came to stand while no frames did, or after several pieces were lifted then."""
        hidden, expected = self._senses.settler.hidden, self._layout.expected
        came = {flip.square for flip in flips if flip.after not in (Reading.EMPTY, expected[flip.square])}
        gone = self._layout.change(self._senses.settler.settled, self._senses.masked).gone
        self._hidden |= bool(came & hidden) or (bool(came) and len(hidden & gone) > 1)

    def _take(self, flip: Flip) -> None:
        """Let every way know of one more change; with those that are too near to have an order, in any order."""
        senses, before = self._senses, self._ways
        near_ms = flip.at_ms - senses.timing.together_ms
        self._near = [near for near in self._near if near[0].at_ms >= near_ms][-_MOST_NEAR:]
        found: dict[object, Tracks] = {}
        for first in range(len(self._near) + 1):
            near = [*(one for one, _ in self._near[first:]), flip]
            for order in permutations(near):
                if len(near) > 1 and (order[0] is near[0] or order[-1] is flip):
                    continue  # one that begins later, or the order of before, has it
                ways = self._near[first][1] if len(near) > 1 else before
                for one in order:
                    ways = extended(ways, self._base, one, senses.timing, senses.masked)[: 4 * _MOST_WAYS]
                found |= {way.key: way for way in ways}
        self._near.append((flip, before))
        self._ways = list(found.values())[: 4 * _MOST_WAYS]

    def _scripts(self) -> list[Script]:
        """Return every script, cheapest first; forget the ways to tell pieces apart that have none."""
        known, self._parsed, alarm = self._parsed, {}, self._senses.alarm
        for way in self._ways:
            parser = Parser(self._senses, way)
            one = known.get(key := (id(way), parser.holes))
            if one is None or alarm.reached(one[2]):
                before_ms = alarm.wake_ms
                alarm.sleep()
                one = way, [*parser.scripts(self._base, way)], alarm.wake_ms
                alarm.wake_ms = min(before_ms, alarm.wake_ms)
            self._parsed[key] = one
        found = [script for _, scripts, _ in self._parsed.values() for script in scripts]
        found.sort(key=lambda script: script.cost)
        self._played = not found or any(script.plies for script in found)
        self._lost_ms = NEVER_MS if found else min(self._lost_ms, self._senses.now_ms)
        if found:
            ways = {script.tracks.key: script.tracks for script in reversed(found)}
            self._ways = [*reversed(ways.values())][:_MOST_WAYS]
        usual = [script for script in found if script.cost < OUTSIDE]
        self._outside = bool(found) and not usual
        return usual or ([] if self._outside and self._was_hidden(found[0]) else found)

    def _was_hidden(self, script: Script) -> bool:
        """Return whether frames were missing since a script began: then one that the page does not have is not believed."""
        left_ms = [visit.left_ms for track in script.tracks.moved.values() for visit in track.visits]
        return max(self._senses.gap_ms, self._senses.settler.hole_ms) >= min(left_ms)

    def _without_returned(self) -> list[Tracks]:
        """Return the ways without pieces that have been where they belong for as long as a hand rests: what they did says nothing now."""
        long_ago_ms, looked = self._senses.now_ms - self._senses.timing.rest_ms, self._played
        ways = {}
        for way in self._ways:
            moved = {home: track for home, track in way.moved.items() if not track.is_back(home, long_ago_ms, looked)}
            kept = way._replace(moved=moved)
            ways[kept.key] = kept
        return list(ways.values())

    def _finalise(self, scripts: list[Script], said: list[seen.Observation]) -> list[Script]:
        """Add `Final` to what is said for every ply that all scripts have; return the scripts from there on."""
        senses = self._senses
        while (
            self._open
            and scripts
            and all(self._is_late(ms, scripts[0]) for ms in self._up_ms(scripts[0], 1))
            and all(s.moves[:1] == (self._open[0].move,) for s in scripts)
        ):
            in_doubt = [senses.ground.number[ply.prospect.target] for ply in self._open]
            best, fresh = scripts[0], senses.settler.fresh
            if best.odd or self._hides_more(best) or fresh or not senses.steady(in_doubt):
                senses.alarm.ring()
                return scripts
            self._rebase(scripts)
            said.append(seen.Final(senses.at_ms))
            scripts = self._scripts()
        return scripts

    def _hides_more(self, best: Script) -> bool:
        """Return whether a hole may have hidden what makes an open ply another one: its changes have not settled, or fit no usual hands."""
        senses = self._senses
        seen_ms = max(senses.gap_ms, senses.settler.hole_ms)
        over_ms = seen_ms + senses.timing.border_ms + 2 * senses.timing.vote_window_ms
        return senses.now_ms < over_ms and (senses.settler.busy or best.cost >= 2 * DRAWN)

    def _up_ms(self, script: Script, plies: int) -> list[int]:
        """Return since when the pieces of the first plies of a script are in the air again, but for a later ply or an attack."""
        later = {*script.tracks.moved} if script.shown else {ply.home for ply in script.plies[plies:]}
        moved = [script.tracks.moved[ply.home] for ply in script.plies[:plies] if ply.home not in later]
        return [track.left_ms for track in moved if track.in_air]

    def _is_late(self, left_ms: int, script: Script) -> bool:
        """Return whether a piece was taken up only after the reply to its ply began, too long ago to come down as part of it."""
        replied = any(reply.began_ms <= left_ms for reply in script.plies[1:2])
        return replied and self._senses.alarm.reached(left_ms + self._senses.timing.unsay_ms)

    def _rebase(self, scripts: list[Script]) -> None:
        """Start from the position after the first open ply."""
        ways: dict[object, Tracks] = {}
        for script in scripts:
            ply = script.plies[0]
            before = dict(script.tracks.moved)
            track = before.pop(ply.home)
            moved = {home: other.since(home, ply.began_ms) for home, other in before.items()}
            start = track.visits[ply.visit]
            visits = (start._replace(least_ms=LONG_AGO_MS, came_ms=LONG_AGO_MS), *track.visits[ply.visit + 1 :])
            if len(visits) > 1 or not start.stands:
                moved[start.square] = track._replace(visits=visits)
            moved = {home: track for home, track in moved.items() if track.moved}
            way = Tracks(moved, script.tracks.stray, ply.began_ms, ply.ended_ms)
            ways.setdefault(way.key, way)
        self._near.clear()
        self._ways = list(ways.values())
        self._base = self._after.pop(0)
        self._open.pop(0)

    # ---------------------------------------------------------------- what is said

    def _say(self, scripts: list[Script], said: list[seen.Observation]) -> bool:
        """Add what the cheapest script has and was not said yet; return whether anything was, or will be as soon as its time has come."""
        if not scripts or self._crowded_ms is not None:
            return False
        best, told = scripts[0], [ply.move for ply in self._open]
        same = alike([told, best.moves])
        if same == len(told) == len(best.plies):
            return self._say_attack(scripts, said)
        # those that have another ply at that place, or none though one was said
        rivals = [
            s.cost
            for s in scripts
            if s.moves[: same + 1] != best.moves[: same + 1] and max(len(s.plies), len(told)) > same
        ]
        if min(rivals, default=best.cost + MARGIN) < best.cost + MARGIN:
            return False
        if same == len(best.plies):
            return self._unsay(best, same, said)
        ply = best.plies[same]
        if (
            any(ms < ply.ended_ms - self._senses.timing.early_ms for ms in self._up_ms(best, same + 1))
            or best.tracks.up > _MOST_UP
        ):
            return False
        if not self._is_due(ply, best, same):
            return True
        senses = self._senses
        at_ms, changed_ms, back = senses.at_ms, senses.board_ms(ply.changed_ms), len(told) - same
        del self._open[same:], self._after[same:]
        self._open.append(ply)
        self._after.append(self._layout.after(ply.prospect))
        self._waits = True
        said.append(
            seen.Revised(ply.prospect, at_ms, changed_ms, back) if back else seen.Read(ply.prospect, at_ms, changed_ms)
        )
        return True

    def _is_due(self, ply: Ply, script: Script, same: int) -> bool:
        """Return whether a piece that stands on its target may be believed to stay there: soon, if it cannot be sliding on."""
        senses, timing = self._senses, self._senses.timing
        layout = (self._after[:same] or [self._base])[-1] if same else self._base
        number = senses.ground.number
        source, target = number[ply.prospect.source], number[ply.prospect.target]
        wait_ms = timing.quick_ms
        if layout.goes_on(source, target):
            visits = script.tracks.moved[ply.home].visits
            way = {source, *layout.crossed(source, target), *(visit.square for visit in visits[: ply.visit])} - {target}
            seen_ms = max(senses.settler.touched_ms(square) for square in way)
            if ply.ended_ms - seen_ms < timing.lift_ms:
                wait_ms = timing.slide_ms
        return senses.alarm.reached(ply.changed_ms + wait_ms) and senses.steady((source, target))

    def _unsay(self, best: Script, same: int, said: list[seen.Observation]) -> bool:
        """Add that the last plies never were: their piece is home again, or has been in the air for long; return True."""
        timing, reached = self._senses.timing, self._senses.alarm.reached
        visits = [visit for track in best.tracks.moved.values() for visit in track.visits]
        left_ms = max((track.left_ms for track in best.tracks.moved.values() if track.in_air), default=LONG_AGO_MS)
        home_ms = max((visit.came_ms for visit in visits), default=LONG_AGO_MS)
        shown_ms = min((shown.due_ms for shown in best.shown), default=NEVER_MS)
        if not reached(min(shown_ms, max(home_ms + timing.quick_ms, left_ms + timing.unsay_ms))):
            return True
        self._take_back(len(self._open) - same, said)
        return True

    def _take_back(self, plies: int, said: list[seen.Observation]) -> None:
        keep = len(self._open) - plies
        del self._open[keep:], self._after[keep:]
        self._waits = True
        said.append(seen.Unread(self._senses.at_ms, plies))

    def _say_attack(self, scripts: list[Script], said: list[seen.Observation]) -> bool:
        """Add the one attack that hands show, once no ply is open; return whether it was, and does not wait."""
        best = [script for script in scripts if script.cost == scripts[0].cost and not script.plies]
        shown = [script.shown[0] for script in best if script.shown and not script.odd]
        if self._open or not shown:
            return False
        attack = shown[0]
        if not self._senses.alarm.reached(attack.due_ms):
            return False
        self._waits = True
        senses = self._senses
        changed_ms = senses.board_ms(attack.changed_ms)
        source, target = attack.prospect.source, attack.prospect.target
        if senses.settler.settled[senses.ground.number[target]] != Reading.EMPTY:
            self.attacker = seen.Standing(target, self._base.occupants[source], senses.now_ms)
        said.append(seen.AttackSeen(source, target, senses.at_ms, changed_ms))
        return True

    # ---------------------------------------------------------------- when to ask

    def _has_rested(self, change: Change, scripts: list[Script]) -> bool:
        """Return whether this has stood for so long that nobody will put it right unasked, though another hand may go on elsewhere."""
        timing, senses = self._senses.timing, self._senses
        changed_ms = max(self._seen_ms, self._flipped_ms)
        both_up = 0 < len(self._layout.mine(change.gone)) < len(change.gone)
        waits = bool(self._open and scripts and scripts[0].shown)  # an attack, for plies before it
        if both_up or (waits and any(script.moves != scripts[0].moves for script in scripts)):
            attacks = (
                both_up and bool(scripts) and all(s.shown for s in scripts if s.cost < scripts[0].cost + 2 * DRAWN)
            )
            if senses.alarm.reached(changed_ms + (timing.puzzled_ms if attacks else timing.held_ms)):
                return True
        if scripts and not self._is_odd(change):
            moves = [script.moves for script in scripts]
            # over in all of them, a ply is in dispute also while another hand is at work; or where a hole hid how it ended
            agreed, most = alike(moves), max(map(len, moves))
            hidden = most > agreed and any(not s.moving and len(s.plies) == agreed for s in scripts)
            disputed = min(map(len, moves)) > agreed or hidden
            if len(set(moves)) == 1 or (any(script.moving for script in scripts) and not disputed):
                return False
        until_ms = changed_ms + timing.puzzled_ms
        return senses.alarm.reached(until_ms if scripts else min(until_ms, self._lost_ms + timing.stray_ms))

    def _ask(self, scripts: list[Script], said: list[seen.Observation]) -> None:
        """Name what is not understood, once; first unsay the plies on which scripts disagree, or of which none knows any more."""
        told = [ply.move for ply in self._open]
        agreed = alike([told, *(script.moves for script in scripts)]) if scripts else 0
        if self._hidden:
            agreed = next((n for n, ply in enumerate(self._open[:agreed]) if self._went_on_unseen(ply)), agreed)
        if agreed < len(self._open):
            self._take_back(len(self._open) - agreed, said)
        differences = self.differences()
        if differences and differences not in self._told:
            if len(self._told) >= MOST_TOLD:
                self._told.clear()  # what is told a second time harms nobody
            self._told.add(differences)
            said.append(seen.Puzzled(differences, self._senses.at_ms))

    def _went_on_unseen(self, ply: Ply) -> bool:
        """Return whether a hand may have gone on with a ply in a hole, and another piece have come in it to where that ended."""
        senses, layout = self._senses, self._layout
        number, settled = senses.ground.number, senses.settler.settled
        target, change = number[ply.prospect.target], layout.change(settled, senses.masked)
        left = {n for n in change.gone if layout.expected[n] == settled[target] and senses.ground.straight(n, target)}
        came = {n for n in change.come if settled[n] == settled[target]}
        return bool(left) and not came.isdisjoint(ply.before.free(number[ply.prospect.source]))

    def _has_settled(self) -> bool:
        """Return whether no more will be seen of what happened while no frames came."""
        senses, timing = self._senses, self._senses.timing
        if senses.settler.busy and not senses.alarm.reached(self._seen_ms + timing.gap_ms):
            senses.alarm.ring()  # other squares may settle on more of what happened
            return False
        return senses.alarm.reached(self._seen_ms + timing.agree_ms)

    def _is_odd(self, change: Change) -> bool:
        """Return whether this is more than pieces in hands at play, so that somebody should be asked if it stays so."""
        if change.come or len(change.gone) > 3:
            return True
        mine = self._layout.mine(change.gone)
        # A magnet that stays unsure beside the lifted piece's empty square is that piece, set down on a border.
        return len(mine) > 1 or (bool(mine) and len(self._seen) > len(change.squares))

    # ---------------------------------------------------------------- hands

    def _watch_hands(self, change: Change, said: list[seen.Observation]) -> None:
        if change is NO_CHANGE and not self._lifted:
            return
        senses = self._senses
        for square in sorted(change.gone - change.come - self._lifted):
            # A first frame is believed as it is, so even a lift seen in it has to stand for as long as any other.
            if senses.alarm.reached(senses.settler.since_ms[square] + senses.timing.vote_ms):
                self._lifted.add(square)
                said.append(seen.Lifted(senses.ground.squares[square], senses.at_ms))
        for square in sorted(self._lifted - change.gone):
            self._lifted.discard(square)
            said.append(seen.Returned(senses.ground.squares[square], senses.at_ms))

    def _is_disturbed(self, change: Change, scripts: list[Script]) -> bool:
        timing = self._senses.timing
        if len(change.squares) <= timing.disturbed_squares or any(script.tracks.up <= _MOST_UP for script in scripts):
            self._crowded_ms = None
            return False
        if self._crowded_ms is None:
            self._crowded_ms = self._senses.now_ms
        return self._senses.alarm.reached(self._crowded_ms + timing.disturbed_ms)
