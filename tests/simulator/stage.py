"""A simulated board for tests of hands: what happens is told as words in the order of the frames."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from firmware_bridge.messages import BoardMessage, Frame, Reading
from hardware import Sensing, load_board
from simulator.board import SimBoard
from simulator.players import Hands
from simulator.profiles import AccidentShares, CaptureShares, MotionShares, Profile, load_profile

BOARD = load_board("travel-10x10")
EMPTY, RED, BLUE, UNSURE = Reading
_SIGNS = {EMPTY: "-", RED: "+", BLUE: "+", UNSURE: "?"}
_POLES = {EMPTY: "", RED: "r", BLUE: "b", UNSURE: ""}
GAME = dict.fromkeys(("d4", "e4", "f4"), "red") | dict.fromkeys(("d7", "f7"), "blue")

Told = list[tuple[int, str]]
"""Board time of the frame, and a word: `+d4r` red came, `-d4` gone."""


def profile(**shares: Any) -> Profile:
    """Return a profile in which only what is named happens; each name is one of motions, accidents or ways of capturing."""
    motions = {name: share for name, share in shares.items() if name in MotionShares.__dataclass_fields__}
    accidents = {name: share for name, share in shares.items() if name in AccidentShares.__dataclass_fields__}
    captures = {name: share for name, share in shares.items() if name in CaptureShares.__dataclass_fields__}
    assert len(motions) + len(accidents) + len(captures) == len(shares)
    return replace(
        load_profile("clean"),
        motions=MotionShares(**motions),
        accidents=AccidentShares(**accidents),
        captures=CaptureShares(**(captures or {"both_lifted": 1.0})),
    )


class Stage:
    """A board with pieces on it, its hands, and what its frames told so far."""

    def __init__(
        self,
        seed: int,
        *,
        pieces: dict[str, str] = GAME,
        sensing: Sensing = Sensing.COLOUR,
        **shares: Any,
    ) -> None:
        self.board = SimBoard(BOARD.with_sensing(sensing), seed, profile=profile(**shares))
        self.hands = Hands(self.board, seed)
        self.board.lay(pieces)
        self._before: dict[int, Reading] = {}
        self._last: tuple[Reading, ...] = ()
        self.told: Told = []
        self.messages: list[BoardMessage] = []
        self.until(300)
        self.told.clear()

    def until(self, ms: int) -> Told:
        """Let time pass; return all that was told since the last time it was asked for."""
        heard = self.board.listen(ms)
        self.messages += heard
        for message in heard:
            if isinstance(message, Frame):
                self._tell(message)
        told, self.told = self.told, []
        return told

    def _tell(self, frame: Frame) -> None:
        if frame.squares == self._last:
            return
        self._last = frame.squares
        for number, reading in enumerate(frame.squares):
            old = self._before.get(number, reading)
            if reading is UNSURE:
                continue
            self._before[number] = reading
            if reading is not old:
                at_ms = frame.board_ms + self.board.boot_ms
                self.told.append((at_ms, _SIGNS[reading] + BOARD.squares[number] + _POLES[reading]))

    def shows(self) -> dict[str, str]:
        """Return what the last frame shows, unsure left out: square -> r or b."""
        return {BOARD.squares[n]: _POLES[reading] for n, reading in self._before.items() if reading in (RED, BLUE)}


def words(told: Told) -> str:
    """Return the words alone, in order."""
    return " ".join(word for _, word in told)


def at(told: Told, word: str) -> int:
    """Return when a word was told first."""
    return next(ms for ms, said in told if said == word)
