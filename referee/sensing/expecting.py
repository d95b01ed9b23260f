"""When no moves are read: the board must become something given, or is watched for what comes to stand on it."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.messages import Reading
from referee.rules.values import Seat, Square
from referee.sensing.observations import Agreed, Difference, Observation, Puzzled, Seen
from referee.sensing.senses import Senses
from referee.sensing.waits import MOST_TOLD


class Expecting:
    """Says once when the board is as expected, and what is wrong when hands rest on something else."""

    def __init__(self, senses: Senses, occupants: Mapping[Square, Seat]) -> None:
        self._senses = senses
        self._occupants = dict(occupants)
        self._expected = senses.ground.readings(occupants)
        self._lacking: dict[Square, Reading] | None = None
        """What was still to be done when this began: not wrong as long as it is only not done yet."""
        self._begun_ms = senses.now_ms
        self._told: set[tuple[Difference, ...]] = set()
        self._told_ms = senses.now_ms
        self._seen: tuple[Difference, ...] | None = None
        self._seen_ms = senses.now_ms
        self._done = False

    def differences(self) -> tuple[Difference, ...]:
        """Give every square that is not yet as expected."""
        return self._senses.differences(self._occupants, self._expected)

    @property
    def told(self) -> int:
        """Count the boards that were told not to be understood and are remembered."""
        return len(self._told)

    def step(self) -> list[Observation]:
        """Give what there is to say after this frame."""
        if self._done:
            return []
        senses, timing = self._senses, self._senses.timing
        differences = self.differences()
        if self._lacking is None:
            self._lacking = {difference.square: difference.seen for difference in differences}
        if senses.now_ms - self._begun_ms <= timing.under_way_ms:
            self._lacking |= {d.square: d.seen for d in differences if d.square in self._lacking}
        if differences != self._seen:
            self._seen, self._seen_ms = differences, senses.now_ms
        early = self._lifted_early(differences)
        if not differences or differences == (early,):
            return self._agree(early)
        wrong = any(difference is not early and not self._is_pending(difference) for difference in differences)
        wait_ms = timing.puzzled_ms if wrong else timing.patience_ms
        if differences in self._told:
            return self._mask(differences)
        if not senses.alarm.reached(self._seen_ms + wait_ms):
            return []
        if len(self._told) >= MOST_TOLD:
            self._told.clear()  # what is told a second time harms nobody
        self._told.add(differences)
        self._told_ms = senses.now_ms
        senses.alarm.ring()
        return [Puzzled(differences, senses.at_ms)]

    def _mask(self, differences: tuple[Difference, ...]) -> list[Observation]:
        """Stop believing the last squares that are not right, though everybody has been told of them and nothing changes any more.

        A piece that is really missing shows as soon as it is put there: then its square is believed again.
        """
        senses, timing = self._senses, self._senses.timing
        masked = len(senses.masked) + len(differences)
        if masked > timing.masked_squares or any(difference.seen == Reading.UNSURE for difference in differences):
            return []
        if not senses.alarm.reached(max(self._seen_ms, self._told_ms) + timing.mask_ms):
            return []
        senses.alarm.ring()
        return [senses.mask(difference.square for difference in differences)]

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
        """Give the one piece that is in the air although nothing was to be done with it: the next player has begun.

        Only where few squares were to be put right: while a board is being filled, no piece may be missing.
        """
        assert self._lacking is not None
        if not 0 < len(self._lacking) <= self._senses.timing.disturbed_squares:
            return None
        found = [d for d in differences if d.square not in self._lacking and d.wanted and d.seen == Reading.EMPTY]
        return found[0] if len(found) == 1 else None


class Collecting:
    """Says what stands on the board each time that it came to rest on something new, first of all what stands there now."""

    def __init__(self, senses: Senses) -> None:
        self._senses = senses
        self._said: list[Reading] | None = None

    def differences(self) -> tuple[Difference, ...]:
        """Give nothing: nothing is expected."""
        return ()

    def step(self) -> list[Observation]:
        """Give what there is to say after this frame."""
        senses, settled = self._senses, self._senses.settler.settled
        if settled == self._said or not senses.alarm.reached(max(senses.settler.since_ms) + senses.timing.rest_ms):
            return []
        self._said = list(settled)
        ground = senses.ground
        occupants = {
            square: ground.owner(number, settled[number])
            for number, square in enumerate(ground.squares)
            if settled[number] != Reading.EMPTY
        }
        return [Seen(occupants, senses.at_ms)]
