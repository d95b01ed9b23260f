"""Whose turn it is to reach for the board in a demo: a hand with a lifted piece first puts that down. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.rules.values import Seat

Motion = Mapping[str, Any]


class WaitingHands:
    """Orders the motions of several players.

    Sensors that tell no army apart agree with a won attack before the two pieces have been exchanged. The next player, who hears that, must
    not take the piece that the winner's hand is about to take off.
    """

    def __init__(self) -> None:
        self._up: Seat | None = None
        """Whose hand has lifted a piece to tell an attack with it."""
        self._waiting: list[tuple[Seat, Motion]] = []

    def wish(self, seat: Seat, motion: Motion) -> list[Motion]:
        """Take a player's wish; give the motions to make now, in this order."""
        if self._up not in (None, seat):
            self._waiting.append((seat, motion))
            return []
        if motion["motion"] == "lift":
            self._up = seat
        elif motion["motion"] in ("put", "restore"):
            self._up = None
        return [motion, *self._those_free()]

    def lost(self) -> list[Motion]:
        """Note that nothing is put down any more: the lifted piece is lost, or all hands put the board right; give what may begin now."""
        self._up = None
        return self._those_free()

    def _those_free(self) -> list[Motion]:
        if not self._waiting or self._up not in (None, self._waiting[0][0]):
            return []
        return self.wish(*self._waiting.pop(0))
