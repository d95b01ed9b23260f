"""What the two repetition rules remember of one game (rules, section 4): the two-squares rule and the more-squares rule.

Both work in a board's integers and know no pieces but by number; what they have to know of a position they are told.
"""

from __future__ import annotations

from referee.rules.ruleset import Repetition, RuleSet

NOBODY = -1


class TwoSquares:
    """A piece may cross one border so many turns in a row; the next crossing is barred."""

    __slots__ = ("_came_from", "_crossed", "_limit", "barred", "last")

    def __init__(self, seats: int, limit: int) -> None:
        self._limit = limit
        self.last = [NOBODY] * seats
        """By seat the piece that it moved last."""
        self._came_from = [NOBODY] * seats
        """By seat where that piece came from."""
        self.barred = [0] * seats
        """By seat the borders that its last piece may not cross now."""
        self._crossed: list[tuple[int, ...]] = [()] * seats
        """By seat levels of borders: level n are those that its last piece crossed in each of its last n + 1 turns."""

    def copy(self) -> TwoSquares:
        """Return an independent copy."""
        other = TwoSquares.__new__(TwoSquares)
        other._limit = self._limit
        other.last, other._came_from = self.last.copy(), self._came_from.copy()
        other.barred, other._crossed = self.barred.copy(), self._crossed.copy()
        return other

    def bars(self, seat: int, piece: int, borders: int) -> bool:
        """Return whether a seat's piece may not cross these borders now."""
        return bool(borders & self.barred[seat]) and piece == self.last[seat]

    def goes_back(self, seat: int, piece: int, target: int) -> bool:
        """Return whether a seat's piece would go straight back to where it came from a turn ago."""
        return piece == self.last[seat] and target == self._came_from[seat]

    def note_move(self, seat: int, piece: int, source: int, borders: int) -> None:
        """Note a turn that moved a piece or attacked with it."""
        crossed = self._crossed[seat]
        if piece == self.last[seat] and borders & crossed[0]:
            levels = [borders, *(borders & level for level in crossed)][: self._limit]
            self._crossed[seat] = tuple(level for level in levels if level)
            self.barred[seat] = levels[-1] if len(levels) == self._limit else 0
        else:
            self.last[seat], self._crossed[seat], self.barred[seat] = piece, (borders,), 0
        self._came_from[seat] = source

    def note_stay(self, seat: int) -> None:
        """Note a turn that crossed no border."""
        self.last[seat] = self._came_from[seat] = NOBODY
        self._crossed[seat], self.barred[seat] = (), 0


class MoreSquares:
    """Positions that may not come again (two seats): all of the game, or those of a running chase.

    A position is the squares of all pieces as bytes (`Position.where`), so nothing is mistaken for another. A chase is a row of
    threats, each ending beside an enemy, whose side evades: its next move comes from beside where the threat ended.
    """

    __slots__ = ("_ends", "_exact", "_near", "seen", "whole_game")

    def __init__(self, rules: RuleSet, where: bytearray) -> None:
        self._near = rules.board.near
        self.whole_game = rules.repetition is Repetition.SITUATION
        self._exact = rules.repetition is not Repetition.PURSUIT
        self._ends = [NOBODY] * len(rules.seats)
        """By seat where its last move ended."""
        self.seen: list[set[bytes] | None] = [None] * len(rules.seats)
        """By seat the positions that it may not bring about again, None where nothing is forbidden."""
        if self.whole_game:
            self.seen = [{bytes(where)}] * len(rules.seats)  # one history: whoever came to a position, nobody may again

    def copy(self) -> MoreSquares:
        """Return an independent copy."""
        other = MoreSquares.__new__(MoreSquares)
        other._near, other.whole_game, other._exact = self._near, self.whole_game, self._exact
        other._ends = self._ends.copy()
        other.seen = [None if seen is None else seen.copy() for seen in self.seen]
        if self.whole_game:
            other.seen = other.seen[:1] * len(other.seen)
        return other

    def may_bar(self, seat: int) -> bool:
        """Return whether so many positions are remembered that a move can bring one about again.

        In a chase both sides have to come back. A wrong guess of an infiltrator moves nothing: the next move may undo the last.
        """
        seen = self.seen[seat]
        return seen is not None and len(seen) >= (2 if self.whole_game else 4)

    def bars(self, seat: int, where: bytearray, piece: int, target: int, goes_back: bool) -> bool:
        """Return whether a seat may not move a piece to an empty square, a threat if it is in a chase.

        Straight back is allowed in the federation's form of the rule (ISF) only.
        """
        seen = self.seen[seat]
        if seen is None or (goes_back and not self._exact):
            return False
        after = where.copy()
        after[piece] = target
        return bytes(after) in seen

    def note_move(self, seat: int, source: int, target: int, where: bytearray, threatens: bool) -> None:
        """Note a move without attack and where the pieces are after it."""
        own, foe = self.seen[seat], self.seen[1 - seat]
        if foe is not None:
            if self.whole_game or self._ends[1 - seat] in self._near[source]:
                foe.add(bytes(where))
            else:
                self.seen[1 - seat] = None  # not evaded
        if not self.whole_game:
            if not threatens:
                self.seen[seat] = None
            elif own is not None:
                own.add(bytes(where))
            else:
                self.seen[seat] = {bytes(where)}
        self._ends[seat] = target

    def note_attack(self, seat: int, target: int, where: bytearray, threatens: bool) -> None:
        """Note an attack: it ends both chases, and is a threat if its target then still is beside an enemy.

        Where all of the game counts nothing is forgotten: a position says who is off the board, a wrong guess leaves all.
        """
        seen = self.seen[seat]
        if self.whole_game and seen is not None:
            seen.add(bytes(where))
            return
        self.seen[1 - seat] = None
        self.seen[seat] = {bytes(where)} if threatens else None
        self._ends[seat] = target
