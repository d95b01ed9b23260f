"""Event tables: when which square shows what, what must be said, and nothing else; at 50, 100, 200 Hz and with jumping frame times."""

from __future__ import annotations

from dataclasses import dataclass, field

from referee.rules.values import Seat
from tests.sensing.sensing_stage import IDLE_MS, JUMPING_MS, Stage, Step, Wish, game_with

RATES = {"50 Hz": (20,), "100 Hz": (10,), "200 Hz": (5,), "jumping": JUMPING_MS}
LATE_MS = 52  # settling counts whole frames: at 50 Hz two frames more, when frames jump up to 25 ms each


@dataclass(frozen=True)
class Case:
    """A table: pieces, hands, and what must be said not before its time and soon after it (`idle`: at the next idle frame)."""

    name: str
    pieces: dict[str, str]
    hands: list[Step | tuple[int, Wish]]
    says: list[tuple[int, str]]
    until_ms: int
    colours: tuple[bool, ...] = (True, False)
    turn: Seat = Seat.RED
    idle: frozenset[str] = field(default=frozenset({"final", "puzzled", "unread"}))
    late_ms: int = LATE_MS

    def check(self, rate: str) -> None:
        """Play the table at a rate, on boards with and without colour."""
        for colour in self.colours:
            stage = Stage(game_with(self.pieces, turn=self.turn), colour=colour, scan_ms=RATES[rate]).follow()
            stage.play(self.hands, self.until_ms)
            wanted = [text if colour else text.replace("/blue", "/red") for _, text in self.says]
            assert stage.words() == wanted
            for (at_ms, text), (due_ms, _) in zip(stage.said, self.says, strict=True):
                slack_ms = self.late_ms + (IDLE_MS if text.split()[0] in self.idle else 0)
                assert due_ms <= at_ms <= due_ms + slack_ms, f"{text} at {at_ms}, due {due_ms}, colour {colour}"
