"""What one game knows of ranks: for every tracked piece the ranks that it may have, exact under the army's counts."""

from __future__ import annotations

from collections.abc import Mapping

from referee.rules._bits.armies import feasible, narrow
from referee.rules._bits.masks import RuleTables
from referee.rules._bits.tables import bits_of
from referee.rules.errors import ContradictionError, PositionError
from referee.rules.outcomes import Doubt, Why
from referee.rules.values import PieceId

MOVED, RAN = 1, 2


class Knowledge:
    """Masks of possible ranks by piece. A piece's own evidence is kept apart from what the army's counts add to it."""

    __slots__ = ("_army", "_deeds", "_evidence", "_ids", "_possible", "_rules", "_seat_of", "_verdicts")

    def __init__(self, rules: RuleTables, ids: tuple[PieceId, ...], given: Mapping[int, int]) -> None:
        """`given` holds the one rank of each piece whose rank is told."""
        self._rules = rules
        self._ids = ids
        self._seat_of: list[int] = [rules.seat_index[piece.seat] for piece in ids]
        self._possible: list[int] = [given.get(piece, rules.army) for piece in range(len(ids))]
        self._evidence: list[int] = self._possible.copy()
        self._verdicts: dict[int, int] = {}
        self._deeds = bytearray(len(ids))
        self._army: list[range | None] = []
        """By seat its pieces, None where all their ranks are known: then nothing is left to be narrowed."""
        first = 0
        for seat in range(len(rules.seats)):
            after = first + self._seat_of.count(seat)
            pieces = range(first, after)
            self._army.append(None if all(piece in given for piece in pieces) else pieces)
            first = after
        for seat, army in enumerate(self._army):
            if army is not None:
                self._begin(seat, army)

    def _begin(self, seat: int, army: range) -> None:
        masks = narrow([self._possible[piece] for piece in army], self._rules.counts)
        if masks is None:
            raise PositionError(f"{self._rules.seats[seat].value}: these pieces cannot come from one army")
        self._possible[army.start : army.stop] = masks

    def _copy_knowledge(self, other: Knowledge) -> None:
        self._rules, self._ids, self._seat_of, self._army = other._rules, other._ids, other._seat_of, other._army
        self._possible = other._possible.copy()
        self._evidence = other._evidence.copy()
        self._verdicts = other._verdicts.copy()
        self._deeds = other._deeds[:]

    def _narrowed(self, wanted: Mapping[int, int], why: Why) -> dict[int, int]:
        """Give the new masks that follow when each of these pieces has one of the wanted ranks; nothing is changed.

        Raises `ContradictionError` with every doubt where no complete assignment is left.
        """
        doubts = [doubt for piece, mask in wanted.items() for doubt in self._doubts(piece, mask, why)]
        if doubts:
            raise ContradictionError(doubts)
        changed: dict[int, int] = {}
        for seat, army in enumerate(self._army):
            mine = {piece: mask for piece, mask in wanted.items() if self._seat_of[piece] == seat}
            if army is None or all(
                self._possible[piece] & mask == self._possible[piece] for piece, mask in mine.items()
            ):
                continue
            masks = narrow([self._possible[piece] & mine.get(piece, -1) for piece in army], self._rules.counts)
            if masks is None:
                raise ContradictionError([Doubt(self._ids[piece], Why.ARMY_COUNT) for piece in mine])
            changed |= {piece: mask for piece, mask in zip(army, masks, strict=True) if mask != self._possible[piece]}
        return changed

    def _doubts(self, piece: int, mask: int, why: Why) -> list[Doubt]:
        """Give what speaks against a piece having one of these ranks, nothing where it can."""
        if self._possible[piece] & mask:
            return []
        rules, deeds = self._rules, self._deeds[piece]
        found = []
        if not mask & rules.army:
            found.append(Why.NOT_IN_ARMY)
        elif mask & self._evidence[piece]:
            found.append(Why.ARMY_COUNT)
        else:
            if deeds & RAN and not mask & rules.runners:
                found.append(Why.RAN)
            elif deeds and not mask & rules.movers:
                found.append(Why.MOVED)
            if not mask & self._verdicts.get(piece, -1):
                found.append(Why.VERDICT)
        if not found:
            found.append(why if why is Why.VERDICT else Why.TOLD)
        return [Doubt(self._ids[piece], reason) for reason in found]

    def _note(self, wanted: Mapping[int, int], why: Why) -> None:
        """Keep evidence, so that a later contradiction can be named."""
        for piece, mask in wanted.items():
            self._evidence[piece] &= mask
            if why is Why.VERDICT:
                self._verdicts[piece] = self._verdicts.get(piece, -1) & mask

    def _unless_moved(self, piece: int) -> int:
        """Return the ranks that never move which a piece could have, were it not for its moves: nothing else was told or seen of it."""
        rules, army = self._rules, self._army[self._seat_of[piece]]
        went = rules.army & (rules.runners if self._deeds[piece] & RAN else rules.movers)
        if army is None or self._evidence[piece] & went != went:
            return 0
        found = 0
        for rank in bits_of(rules.army & rules.no_movers):
            masks = [1 << rank if other == piece else self._evidence[other] for other in army]
            found |= feasible(masks, rules.counts) << rank
        return found

    def _forget_moves(self, pieces: set[int]) -> None:
        """Take back all that is known of these pieces, of which only their moves told anything (`_unless_moved`)."""
        for piece in pieces:
            self._evidence[piece], self._deeds[piece] = self._rules.army, 0
        for seat in {self._seat_of[piece] for piece in pieces}:
            army = self._army[seat]
            assert army is not None
            masks = narrow([self._evidence[piece] for piece in army], self._rules.counts)
            assert masks is not None
            self._possible[army.start : army.stop] = masks

    def _must_move(self, seat: int, pieces: set[int]) -> bool:
        """Say whether at least one of these pieces of a seat is surely one that moves."""
        still = self._rules.no_movers
        if any(not self._possible[piece] & still for piece in pieces):
            return True
        army = self._army[seat]
        if army is None or not pieces:
            return False
        masks = [self._possible[piece] & (still if piece in pieces else -1) for piece in army]
        return not feasible(masks, self._rules.counts)
