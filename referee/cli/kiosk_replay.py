"""Plays a record again on the kiosk's screen, in a window of its own or into a picture: what everybody at the table saw."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kiosk_ui.display import NoDisplayError
from kiosk_ui.received_state import ReceivedState
from kiosk_ui.run import KioskOptions, run_kiosk
from kiosk_ui.touch_state import Settings
from referee.cli.record_screen import info_of, views
from referee.journal.records import Record, RecordError
from referee.net.topics.payloads import KioskIncoming, KioskWish, LinkUp, Status
from referee.rules import RuleSet
from referee.rules.values import Rank, Seat
from referee.runtime.errors import BadInputError, UnreachableError
from referee.table.views import PublicEvent, PublicInfo, PublicView

_NO_SESSION = "0" * 16


def replay_on_kiosk(
    record: Record, rules: RuleSet, plies_a_second: float, language: str, size: tuple[int, int], shot: Path | None
) -> int:
    """Show the game until the window is closed, or write its end as PNG into `shot` without a screen; give the exit code.

    Raises `RecordError` where a piece cannot be followed, before anything is shown.
    """
    if not record.set_ups:
        raise RecordError("the record has no set-up to begin from")
    info, screens = info_of(record, rules), list(views(record, rules))
    reading, writing = os.pipe()

    def shown(received: ReceivedState) -> None:
        if shot is not None and received.view is screens[-1]:
            _save(shot)
            os.close(writing)

    try:
        ending = run_kiosk(
            KioskOptions(Settings(language), size, offscreen=shot is not None),
            lambda take: Player(take, info, screens, plies_a_second),
            reading,
            shown,
        )
    except NoDisplayError as error:
        raise UnreachableError(str(error).replace("--offscreen", "--shot")) from None
    if shot is not None and not shot.exists():
        raise BadInputError(f"{shot}: cannot be written")
    return ending.code


class Player:
    """Stands where a link to a referee does: tells the game, ply by ply, on a thread of its own; takes no wishes."""

    def __init__(
        self,
        take: Callable[[KioskIncoming], None],
        info: PublicInfo,
        screens: Sequence[PublicView],
        plies_a_second: float,
    ) -> None:
        self._take, self._info, self._screens, self._pause_s = take, info, screens, 1 / plies_a_second
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._play, name="replay")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, wherever the game is."""
        self._stopped.set()
        self._thread.join()

    def wish(self, wish: KioskWish) -> None:
        """Take no notice: what was played was played."""

    def _play(self) -> None:
        for value in (LinkUp(), Status(True, 1, _NO_SESSION), self._info, self._screens[0]):
            self._take(value)
        for before, view in itertools.pairwise(self._screens):
            if self._stopped.wait(self._pause_s):
                return
            if lost := newly_captured(before, view):
                self._take(PublicEvent(view.game, view.seq, "verdict", view.ply, captured=lost))
            self._take(view)


def newly_captured(before: PublicView, view: PublicView) -> Mapping[Seat, Rank]:
    """Give the piece that each army lost from one view to the next."""
    return {
        seat: rank
        for seat, lost in view.captured.items()
        for rank, number in lost.items()
        if number > before.captured.get(seat, {}).get(rank, 0)
    }


def _save(path: Path) -> None:
    from kiosk_ui.window import save_open_window  # imports Kivy, whose window is open by now

    try:
        save_open_window(path)
    except OSError:
        path.unlink(missing_ok=True)
