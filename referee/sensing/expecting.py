"""When no moves are read: the board must become something given, or is watched for what comes to stand on it."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.messages import Reading
from referee.rules.values import Seat, Square
from referee.sensing.observations import Agreed, Difference, Observation, Puzzled, Seen, Standing
from referee.sensing.settle import MOST_TOLD, Senses


class Expecting:
    """Watches for the board to be as expected, once, and for what is wrong when hands rest on something else."""

    def __init__(self, senses: Senses, occupants: Mapping[Square, Seat], attacker: Standing | None = None) -> None:
        self._senses = senses
        self._occupants = dict(occupants)
        self.attacker = attacker
        """An attacker that was set down before this was expected: if a piece belongs there that reads like it, it has to go first."""
        self._expected = senses.ground.readings(occupants)
        self._lacking: dict[Square, Reading] | None = None
        """What was still to be done when this began: not wrong as long as it is only not done yet."""
        self._begun_ms = senses.now_ms
        self._told: set[tuple[Difference, ...]] = set()
        self._named_ms: dict[Difference, int] = {}
        """When each difference was told last, alone or among others."""
        self._since_ms: dict[Square, int] = {}
        """Since when each square that is not as expected has not been."""
        self._shown: set[Square | Difference] = set()
        """What came about so far: squares put right, and differences. A square that flickers shows nothing new, hands do."""
        self._rest_ms = senses.now_ms
        """Since when nothing new has shown."""
        self._done = False

    def differences(self) -> tuple[Difference, ...]:
        """Return every square that is not yet as expected."""
        found = self._senses.differences(self._occupants, self._expected)
        if (attacker := self.attacker) is None or self._occupants.get(attacker.square) in (None, attacker.seat):
            return found
        settler, number = self._senses.settler, self._senses.ground.number
        square = number[attacker.square]
        reads = settler.settled[square]
        if reads != self._expected[square] or settler.since_ms[square] > attacker.by_ms:
            return found
        return tuple(sorted((*found, Difference(attacker.square, None, reads)), key=lambda each: number[each.square]))

    @property
    def told(self) -> int:
        """Count the boards that were told not to be understood and are remembered."""
        return len(self._told)

    def step(self) -> list[Observation]:
        """Return what there is to say after this frame."""
        if self._done:
            return []
        senses, timing = self._senses, self._senses.timing
        differences = self.differences()
        if self._lacking is None:
            self._lacking = {difference.square: difference.seen for difference in differences}
        if senses.now_ms - self._begun_ms <= timing.under_way_ms:
            self._lacking |= {d.square: d.seen for d in differences if d.square in self._lacking}
        self._watch(differences)
        early = self._lifted_early(differences)
        if not differences or differences == (early,):
            return self._agree(early)
        stands = self._standing(differences, early)
        if not stands or stands in self._told:
            return self._mask(differences)
        if len(self._told) >= MOST_TOLD:
            self._told.clear()  # what is told a second time harms nobody
        self._told.add(stands)
        self._named_ms |= dict.fromkeys(stands, senses.now_ms)
        senses.alarm.ring()
        return [Puzzled(stands, senses.at_ms)]

    def _watch(self, differences: tuple[Difference, ...]) -> None:
        now_ms, before = self._senses.now_ms, self._since_ms
        self._since_ms = {d.square: before.get(d.square, now_ms) for d in differences}
        self._named_ms = {d: ms for d, ms in self._named_ms.items() if d.square in self._since_ms}
        right: set[Square | Difference] = {square for square in before if square not in self._since_ms}
        new = right.union(differences) - self._shown
        if new:
            self._shown |= new
            self._rest_ms = now_ms

    def _standing(self, differences: tuple[Difference, ...], early: Difference | None) -> tuple[Difference, ...]:
        """Return what has stood long enough to be told, now that hands rest; each square has its own time, so that none delays another."""
        senses, timing = self._senses, self._senses.timing
        stands: tuple[Difference, ...] = ()
        for wait_ms in (timing.puzzled_ms, timing.patience_ms):
            stands = tuple(
                d for d in differences if senses.alarm.reached(max(self._since_ms[d.square], self._rest_ms) + wait_ms)
            )
            if any(d is not early and not self._is_pending(d) for d in stands):
                break
        return stands

    def _mask(self, differences: tuple[Difference, ...]) -> list[Observation]:
        """Stop believing the last squares that are not right, though everybody has been told of them and nothing changes any more.

        A piece that is really missing shows as soon as it is put there: then its square is believed again.
        """
        senses, timing = self._senses, self._senses.timing
        if len(senses.masked) + len(differences) > timing.masked_squares:
            return []
        dead = [d.square for d in differences if self._is_dead(d)]
        if not dead:
            return []
        senses.alarm.ring()
        return [senses.mask(dead)]

    def _is_dead(self, difference: Difference) -> bool:
        """Return whether a square stays wrong for so long after it was told that its sensor is not believed any more."""
        if difference.seen == Reading.UNSURE or difference not in self._named_ms:
            return False
        since_ms = max(self._since_ms[difference.square], self._named_ms[difference], self._rest_ms)
        return self._senses.alarm.reached(since_ms + self._senses.timing.mask_ms)

    def _agree(self, early: Difference | None) -> list[Observation]:
        senses = self._senses
        left_out = senses.ground.number[early.square] if early is not None else -1
        changed_ms = max(since for square, since in enumerate(senses.settler.since_ms) if square != left_out)
        if not senses.alarm.reached(changed_ms + senses.timing.agree_ms):
            return []
        self._done = True
        return [Agreed(senses.at_ms, senses.board_ms(changed_ms), early.square if early is not None else None)]

    def _is_pending(self, difference: Difference) -> bool:
        assert self._lacking is not None
        if difference.square not in self._lacking:
            return False
        return difference.seen in (Reading.EMPTY, self._lacking[difference.square])

    def _lifted_early(self, differences: tuple[Difference, ...]) -> Difference | None:
        """Return the one piece that is in the air although nothing was to be done with it: the next player has begun.

        Only where few squares were to be put right: while a board is being filled, no piece may be missing.
        """
        assert self._lacking is not None
        if not 0 < len(self._lacking) <= self._senses.timing.disturbed_squares:
            return None
        found = [d for d in differences if d.square not in self._lacking and d.wanted and d.seen == Reading.EMPTY]
        return found[0] if len(found) == 1 else None


class Collecting:
    """Watches what stands on the board, each time that it came to rest on something new, first of all what stands there now."""

    def __init__(self, senses: Senses) -> None:
        self._senses = senses
        self._said: list[Reading] | None = None

    def differences(self) -> tuple[Difference, ...]:
        """Return nothing: nothing is expected."""
        return ()

    def step(self) -> list[Observation]:
        """Return what there is to say after this frame."""
        senses = self._senses
        shown = self._at_rest()
        if shown is None or shown == self._said:
            return []
        self._said = shown
        ground = senses.ground
        occupants = {
            square: ground.owner(number, shown[number])
            for number, square in enumerate(ground.squares)
            if shown[number] != Reading.EMPTY
        }
        return [Seen(occupants, senses.at_ms)]

    def _at_rest(self) -> list[Reading] | None:
        """Return what stands there once all is at rest; the others after `puzzled_ms`, where a square keeps changing."""
        timing, settler, reached = self._senses.timing, self._senses.settler, self._senses.alarm.reached
        if settler.settled == self._said or reached(max(settler.since_ms) + timing.collected_ms):
            return list(settler.settled)
        said = self._said or [Reading.EMPTY] * len(settler.settled)
        squares = list(zip(settler.since_ms, settler.settled, said, strict=True))
        new_ms = [since for since, now, was in squares if now != was] or settler.since_ms
        if not reached(min(new_ms) + timing.puzzled_ms):
            return self._said
        return [now if reached(since + timing.collected_ms) else was for since, now, was in squares]
