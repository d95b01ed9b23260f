"""Play: what differs from the position, and from the one before the move that was read last, becomes observations.

Two bases are kept while a move can still be revised. Whenever sensing has said something that changes the position (a move, an
attack) or that stops the game (disturbed), it is silent until it is told how the game goes on: it never guesses the answer.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from firmware_bridge.messages import Reading
from referee.rules import Situation
from referee.sensing import observations as seen
from referee.sensing.explain import MOST_TOLD, Due, answers_standing, both_up, explain, placed, swapped, unseen_target
from referee.sensing.layout import NO_CHANGE, Change, Layout
from referee.sensing.settle import LONG_AGO_MS, NEVER_MS, Senses


@dataclass(frozen=True, slots=True)
class _Move:
    """A move that was read and is not final: the position before it, and from where to where its piece went."""

    before: Layout
    source: int
    target: int
    read_ms: int
    slid: bool
    """Whether its piece was out of sight too short for a lift."""


class Following:
    """Reads moves and attacks from one position on. A new one is made for every `follow` and `advance`."""

    def __init__(self, senses: Senses, situation: Situation, after: Following | None = None) -> None:
        self._senses = senses
        self._occupants = situation.occupants
        self._layout = Layout(senses.ground, situation)
        self._open: _Move | None = after._said if after is not None else None
        """The move before this position, while it can be revised."""
        self._said: _Move | None = None
        self._hasty: dict[int, tuple[int, _Move]] = dict(after._answered) if after is not None else {}
        """Squares of pieces whose move got an early reply; until when leaving them may be the rest of that move; the move."""
        self._answered: dict[int, tuple[int, _Move]] = {}
        self._answer_begun = False
        """The next player has lifted, in answer to the last move: that it goes on cannot be told from a next move any more."""
        self._silent = False
        self._lifted: set[int] = set()
        self._returned: set[int] = set()
        self._told: set[tuple[seen.Difference, ...]] = set()
        self._seen: tuple[seen.Difference, ...] = ()
        self._begun_ms = self._seen_ms = senses.now_ms
        self._rested_ms = senses.now_ms  # since when the piece of the last move stands, or stood until it left
        self._crowded_ms: int | None = None
        self._answered_on: set[int] = set()
        """Where answers came to stand while the piece of the last move was up again."""
        self._undecided: set[tuple[int, int]] = set()
        """From where to where a piece went on while an answer to its first rest stood: the end of its move, or its next one."""
        self._rested: tuple[int, int] | None = None
        """Where a piece rested that has not been read: from which square to which it had come."""

    def differences(self) -> tuple[seen.Difference, ...]:
        """Return every square that differs from the position."""
        return self._senses.differences(self._occupants, self._layout.expected)

    @property
    def told(self) -> int:
        """Count the boards that were told not to be understood and are remembered."""
        return len(self._told)

    @property
    def quiet(self) -> bool:
        """Whether the board is as the position says. A move that can still be revised needs a hand for that, as a new one does."""
        return not self._silent and self._layout.expected == self._senses.settler.settled

    def step(self) -> list[seen.Observation]:
        """Return what there is to say after this frame."""
        if self._silent:
            return []
        said: list[seen.Observation] = []
        differences = self.differences()
        if differences != self._seen:
            self._seen, self._seen_ms = differences, self._senses.now_ms
        change = self._layout.change(self._senses.settler.settled, self._senses.masked)
        self._watch_hands(change, said)
        if self._is_disturbed(change):
            self._silent = True
            return [*said, seen.Disturbed(differences, self._senses.at_ms)]
        self._watch_last_move(change, said)
        if not differences:
            self._undecided.clear()
            self._answered_on.clear()
            return said
        due = self._find(change)
        if due is not None and self._is_due(due):
            self._conclude(due, said)
            return said
        if due is not None and due.layout is self._layout and not due.prospect.attack:
            number = self._senses.ground.number
            self._rested = number[due.prospect.source], number[due.prospect.target]
        if differences not in self._told and self._has_rested(change):
            if len(self._told) >= MOST_TOLD:
                self._told.clear()  # what is told a second time harms nobody
            self._told.add(differences)
            said.append(seen.Puzzled((*differences, *self._doubtful(change)), self._senses.at_ms))
        return said

    def _doubtful(self, change: Change) -> tuple[seen.Difference, ...]:
        """Return the square to which a move was read that may be wrong: its piece could have gone to one of these magnets instead."""
        move, senses = self._open, self._senses
        if (
            move is None
            or change.come.isdisjoint(move.before.moves.get(move.source, {}))
            or move.target in change.squares
        ):
            return ()
        square, shown = senses.ground.squares[move.target], senses.settler.shows(move.target)
        return (seen.Difference(square, self._occupants.get(square), shown, senses.ground.whose(shown)),)

    def _has_rested(self, change: Change) -> bool:
        """Whether this has stood for so long that nobody will put it right unasked, though another hand may go on elsewhere."""
        timing = self._senses.timing
        if self._is_unseen(change) and self._crowded_ms is None:
            if self._senses.settler.busy and not self._reached(self._seen_ms + timing.gap_ms):
                self._senses.alarm.ring()  # other squares may settle on more of what happened
                return False
            return self._reached(self._seen_ms + timing.agree_ms)
        stands = self._answered_on & change.come
        spoiled = self._answered_on and (stands != self._answered_on or change.come - stands)
        if spoiled or self._undecided or self._is_crossed(change):
            return self._reached(self._seen_ms + timing.crossed_ms)
        if not self._is_odd(change):
            both = 0 < len(self._layout.mine(change.gone)) < len(change.gone)
            return both and self._reached(self._seen_ms + timing.held_ms)
        return self._reached(min(self._seen_ms + timing.puzzled_ms, self._stray_until_ms(change)))

    def _stray_until_ms(self, change: Change) -> int:
        """Return how long magnets that nothing explains are left alone although other hands go on: less, if they answer a move unseen."""
        timing, since_ms = self._senses.timing, self._senses.settler.since_ms
        if not change.come:
            return NEVER_MS
        stood_ms = max(self._begun_ms, min(since_ms[square] for square in change.come))
        worlds = explain(self._senses, self._layout, change)
        answers = worlds.without and not worlds.prospects and not self._is_going_on(change)
        return stood_ms + (timing.ahead_ms + timing.crossed_ms if answers else timing.stray_ms)

    def _is_unseen(self, change: Change) -> bool:
        """Whether something came to stand while no frames did, or out of such a gap: it is never read, so ask before it is covered up."""
        hidden = self._senses.settler.hidden
        return any(square in hidden for square in change.come) or (
            bool(change.come) and any(square in hidden for square in self._layout.mine(change.gone))
        )

    def _is_crossed(self, change: Change) -> bool:
        """Whether two pieces have been set down and the two magnets could be either of them."""
        if len(change.gone) != 2 or len(change.come) != 2 or change.gone & change.come:
            return False
        return len(explain(self._senses, self._layout, change).prospects) > 1

    def _reached(self, at_ms: int) -> bool:
        return self._senses.alarm.reached(at_ms)

    def _watch_hands(self, change: Change, said: list[seen.Observation]) -> None:
        if change is NO_CHANGE and not self._lifted:
            return
        senses = self._senses
        for square in sorted(change.gone - change.come - self._lifted):
            # A first frame is believed as it is, so even a lift seen in it has to stand for as long as any other.
            if self._reached(senses.settler.since_ms[square] + senses.timing.vote_ms):
                self._lifted.add(square)
                self._returned.discard(square)
                said.append(seen.Lifted(senses.ground.squares[square], senses.at_ms))
        for square in sorted(self._lifted - change.gone):
            self._lifted.discard(square)
            self._returned.add(square)
            said.append(seen.Returned(senses.ground.squares[square], senses.at_ms))

    def _is_disturbed(self, change: Change) -> bool:
        timing = self._senses.timing
        if len(change.squares) <= timing.disturbed_squares:
            self._crowded_ms = None
            return False
        if self._crowded_ms is None:
            self._crowded_ms = self._senses.now_ms
        return self._reached(self._crowded_ms + timing.disturbed_ms)

    def _watch_last_move(self, change: Change, said: list[seen.Observation]) -> None:
        """Say `Final` when the move has rested long enough, or the next player has really begun."""
        move, timing, since_ms = self._open, self._senses.timing, self._senses.settler.since_ms
        if move is None or move.target in change.gone:
            return
        self._rested_ms = rested_ms = max(since_ms[move.target], self._senses.gap_ms)  # nobody saw it rest in a gap
        due_ms = max(rested_ms, move.read_ms) + timing.final_ms
        for square in self._layout.mine(change.gone - change.come):
            lifted_ms = since_ms[square] + timing.final_lift_ms
            if since_ms[square] >= rested_ms + timing.reaction_ms and self._reached(
                since_ms[square] + timing.answer_ms
            ):
                self._answer_begun = True
            due_ms = min(due_ms, max(rested_ms + timing.same_hand_ms, lifted_ms))
        # What nothing explains may belong to the same motion: then no time makes the move final, only the next one that is read.
        if not self._reached(due_ms) or (change.come and explain(self._senses, self._layout, change).only is None):
            return
        if self._senses.settler.holds(move.target):
            self._close_last_move(said)
        else:
            self._senses.alarm.ring()

    def _close_last_move(self, said: list[seen.Observation]) -> None:
        if self._open is not None:
            self._open = None
            said.append(seen.Final(self._senses.at_ms))

    def _find(self, change: Change) -> Due | None:
        """Return the one action that explains the board, or that the hands show."""
        senses, layout = self._senses, self._layout
        if self._is_going_on(change):
            return (
                self._find_revision(change)
                or both_up(senses, layout, change, self._rested_ms)
                or self._find_answer(change)
            )
        if explain(senses, layout, change).only is not None:
            return self._find_placed(change)
        return (
            both_up(senses, layout, change)
            or swapped(senses, layout, change, self._returned)
            or self._find_unseen(change)
        )

    def _find_unseen(self, change: Change) -> Due | None:
        """Return the move onto a masked square that the answer to it proves."""
        found = unseen_target(self._senses, self._layout, change) if self._senses.masked else None
        if found is None:
            return None
        prospect, answered_ms = found
        return Due(prospect, self._layout, answered_ms, answered_ms + self._senses.timing.ahead_ms)

    def _is_going_on(self, change: Change) -> bool:
        """Whether the piece of a move that can be revised has left its target again."""
        return self._open is not None and self._open.target in change.gone - change.come

    def _find_revision(self, change: Change) -> Due | None:
        """Return the other move of the same piece that explains the board, now that it has left the target of the first reading.

        That it went on to attack cannot be said: the first reading would have to be unsaid without another in its place. The
        board is asked about instead.
        """
        move, senses = self._open, self._senses
        assert move is not None
        self._answered_on |= answers_standing(senses, self._layout, change)
        if self._answered_on - change.come:
            return (
                None  # an answer stood and was taken up again, so what the piece did meanwhile is no rest of its move
            )
        only = explain(senses, move.before, move.before.change(senses.settler.settled, senses.masked)).only
        if only is None or only.attack or senses.ground.number[only.source] != move.source:
            return None
        due = placed(senses, move.before, only, rested=move.target)
        if self._answer_begun and self._may_be_next(move.target, senses.ground.number[only.target]):
            return None
        return self._unless_answered(due, change.come, move.target, self._layout.mine(change.gone))

    def _find_placed(self, change: Change) -> Due | None:
        """Return the only action, unless its piece rested somewhere else before and this may be its next one already."""
        senses, number = self._senses, self._senses.ground.number
        only = explain(senses, self._layout, change).only
        if only is None:
            return None
        due = placed(senses, self._layout, only)
        if self._rested is None or self._rested[0] != number[only.source] or self._rested[1] in change.come:
            return due
        return self._unless_answered(
            due, change.come, self._rested[1], change.gone - set(self._layout.mine(change.gone))
        )

    def _unless_answered(self, due: Due, come: frozenset[int], left: int, answers: Collection[int]) -> Due | None:
        """Wait for an answer that was lifted in good time before the piece left a square; once that is set down, this is the next move."""
        timing, since_ms = self._senses.timing, self._senses.settler.since_ms
        target = self._senses.ground.number[due.prospect.target]
        ahead = any(since_ms[square] <= since_ms[left] - timing.quick_ms for square in answers)
        if not ahead or not self._may_be_next(left, target):
            return due
        if come - {target}:
            self._undecided.add((left, target))  # whatever becomes of the answer now, this stays in doubt
        if (left, target) in self._undecided:
            return None
        return due._replace(due_ms=max(due.due_ms, due.changed_ms + timing.slide_ms))

    def _find_answer(self, change: Change) -> Due | None:
        """Return the next player's move if the piece that was read has since made a move of its own, which cannot be the rest of its last.

        On a board of single steps a piece never comes from two neighbours to the same square: where it goes tells which it is.
        """
        move, senses = self._open, self._senses
        assert move is not None
        only = explain(senses, self._layout, change).only
        if only is None or only.attack:
            return None
        others = change.come - {senses.ground.number[only.target]}
        if len(others) != 1 or change.gone != {senses.ground.number[only.source], move.target}:
            return None
        (square,) = others
        if square in move.before.moves.get(move.source, {}) or not self._may_be_next(move.target, square):
            return None
        return self._find_placed(change)

    def _may_be_next(self, rested: int, target: int) -> bool:
        """Whether the piece could have gone there from where it rested in a move of its own, instead of from where it started."""
        blocked = {n for n, want in enumerate(self._layout.expected) if want != Reading.EMPTY}
        return self._senses.ground.reaches(rested, target, blocked, turning=self._layout.turning)

    def _is_due(self, due: Due) -> bool:
        senses = self._senses
        source, target = senses.ground.number[due.prospect.source], senses.ground.number[due.prospect.target]
        come = due.layout.change(senses.settler.settled, senses.masked).come
        hidden = senses.settler.hidden - senses.masked.keys()
        if self._may_be_rest(source, target) or not hidden.isdisjoint({source, target, *come}):
            return False
        if not self._reached(max(due.due_ms, self._early_until_ms(due))):
            return False
        shown = [source, target]
        if self._open is not None and due.layout is self._layout:
            shown.append(self._open.target)  # it may be leaving just now
        if all(senses.settler.holds(square) or square in senses.masked for square in shown):
            return True
        senses.alarm.ring()
        return False

    def _early_until_ms(self, due: Due) -> int:
        """Return until when an early reply must wait, since the move before it may still be sliding on."""
        move, timing, since_ms = self._open, self._senses.timing, self._senses.settler.since_ms
        if move is None or not move.slid or due.layout is not self._layout:
            return LONG_AGO_MS
        number = self._senses.ground.number
        if number[due.prospect.target] == move.target:
            return LONG_AGO_MS  # it is taken where it stands
        began_ms = since_ms[number[due.prospect.source]]
        return began_ms + timing.early_ms if began_ms < since_ms[move.target] + timing.reaction_ms else LONG_AGO_MS

    def _conclude(self, due: Due, said: list[seen.Observation]) -> None:
        senses, prospect = self._senses, due.prospect
        at_ms, changed_ms = senses.at_ms, senses.board_ms(due.changed_ms)
        self._silent = True
        revises = due.layout is not self._layout
        self._answered = {square: one for square, one in self._hasty.items() if one[0] > senses.now_ms}
        if not revises:
            self._note_early_reply(due)
            self._close_last_move(said)
        if prospect.attack:
            said.append(seen.AttackSeen(prospect.source, prospect.target, at_ms, changed_ms))
            return
        number = senses.ground.number
        source, target = number[prospect.source], number[prospect.target]
        air_ms = senses.settler.since_ms[target] - senses.settler.since_ms[source]
        self._said = _Move(due.layout, source, target, senses.now_ms, air_ms < senses.timing.lift_ms)
        said.append((seen.Revised if revises else seen.Read)(prospect, at_ms, changed_ms))

    def _note_early_reply(self, due: Due) -> None:
        move, timing, since_ms = self._open, self._senses.timing, self._senses.settler.since_ms
        if move is not None:
            rested_ms = since_ms[move.target]
            if since_ms[self._senses.ground.number[due.prospect.source]] < rested_ms + timing.reaction_ms:
                self._answered[move.target] = (rested_ms + timing.same_hand_ms, move)

    def _left_hastily(self, square: int) -> bool:
        """Whether a piece left its square so soon after coming there that the hand may be finishing an earlier move."""
        return square in self._hasty and self._senses.settler.since_ms[square] < self._hasty[square][0]

    def _may_be_rest(self, source: int, target: int) -> bool:
        """Whether this may be the rest of an earlier move: its piece left hastily, and could have come to the target from the start."""
        if not self._left_hastily(source):
            return False
        _, move = self._hasty[source]
        return target in move.before.moves.get(move.source, {})

    def _is_odd(self, change: Change) -> bool:
        """Whether this is more than pieces in hands at play, so that somebody should be asked if it stays so."""
        if change.come or len(change.gone) > 3 or (self._is_going_on(change) and len(change.gone) > 1):
            return True
        if len(change.gone) > 1 and any(self._left_hastily(square) for square in change.gone):
            return True
        mine = self._layout.mine(change.gone)
        # A magnet that stays unsure beside the lifted piece's empty square is that piece, set down on a border.
        return len(mine) > 1 or (bool(mine) and len(self._seen) > len(change.squares))
