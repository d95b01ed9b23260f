"""A record, played again on the kiosk: what everybody at the table saw."""

from __future__ import annotations

import itertools
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from kiosk_ui.received_state import ReceivedState
from kiosk_ui.run import KioskOptions, run_kiosk
from kiosk_ui.touch_state import Settings
from referee.net.topics.payloads import KioskIncoming, KioskWish, LinkUp, Status
from referee.rules.values import Rank, Seat
from referee.table.views import PublicEvent, PublicInfo, PublicView

_NO_SESSION = "0" * 16


def replay(
    info: PublicInfo,
    screens: Sequence[PublicView],
    plies_a_second: float,
    language: str,
    size: tuple[int, int],
    shot: Path | None,
) -> int:
    """Show the game until the window is closed, or write its end as PNG into `shot` without a screen; return the exit code.

    Where `shot` cannot be written it is not there afterwards. Raises `NoDisplayError`.
    """
    reading, writing = os.pipe()

    def shown(received: ReceivedState) -> None:
        if shot is not None and received.view is screens[-1]:
            _save(shot)
            os.close(writing)

    ending = run_kiosk(
        KioskOptions(Settings(language), size, offscreen=shot is not None),
        lambda take: Player(take, told(info, screens), 1 / plies_a_second),
        reading,
        shown,
    )
    return ending.code


class Player(threading.Thread):
    """Stands where a link to a referee does: tells one ply after the other, on a thread of its own; takes no wishes."""

    def __init__(
        self, take: Callable[[KioskIncoming], None], plies: Iterator[Sequence[KioskIncoming]], pause_s: float
    ) -> None:
        super().__init__(name="replay")
        self._take, self._plies, self._pause_s = take, plies, pause_s
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End, wherever the game is."""
        self._stopping.set()
        self.join()

    def wish(self, wish: KioskWish) -> None:
        """Take no notice: what was played was played."""

    def run(self) -> None:
        """Tell the game."""
        for values in self._plies:
            for value in values:
                self._take(value)
            if self._stopping.wait(self._pause_s):
                return


def told(info: PublicInfo, screens: Sequence[PublicView]) -> Iterator[Sequence[KioskIncoming]]:
    """Return what a link would tell: the table before the first ply, then each ply."""
    yield LinkUp(), Status(True, 1, _NO_SESSION), info, screens[0]
    for before, view in itertools.pairwise(screens):
        lost = newly_captured(before, view)
        yield *([PublicEvent(view.game, view.seq, "verdict", view.ply, captured=lost)] if lost else []), view


def newly_captured(before: PublicView, view: PublicView) -> Mapping[Seat, Rank]:
    """Return the piece that each army lost from one view to the next."""
    return {
        seat: rank
        for seat, lost in view.captured.items()
        for rank in Counter(lost) - Counter(before.captured.get(seat, {}))
    }


def _save(path: Path) -> None:
    from kiosk_ui.window import save_open_window  # imports Kivy, whose window is open by now

    try:
        save_open_window(path)
    except OSError:
        path.unlink(missing_ok=True)
