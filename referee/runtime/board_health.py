"""How a board is by its own words: whether its readings mean anything, and what else is wrong with it. Pure; time is the board's own.

A board whose readings mean nothing is not read: nothing is guessed, and what stands elsewhere afterwards is asked about. Everything
else is a warning: the game goes on, and the warning stands until nothing of its kind has been seen for two minutes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from firmware_bridge.messages import RANGE_MS, FaultKind, Frame, FrameFlag, Hello, LinkLost, News, ResetCause, WireFault
from referee.table.views import Health

SHOWN_MS: Final = 120_000
"""So long after it was seen last a warning stands."""
_ORDER: Final = {health: place for place, health in enumerate(Health)}


class BoardWatch:
    """Hears everything that a board says, from the opening of its port on.

    `objections` says why a board that comes in the middle is not the one that the game was begun on; each goes to `on_note`.
    `on_change` is called when it is well or ill in another way than before.
    """

    def __init__(
        self,
        objections: Callable[[Hello], tuple[str, ...]] = lambda hello: (),
        on_note: Callable[[str], None] = lambda text: None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self._objections, self._on_note, self._on_change = objections, on_note, on_change
        self.fault: Health | None = None
        """Why what the board reads means nothing now; None while it does."""
        self.warnings: tuple[Health, ...] = ()
        """What else is wrong, worst first."""
        self.said: Counter[str] = Counter()
        """How many frames came, how many of them with which flag, what was wrong with the stream, by kind, and starts by their cause."""
        self._seen_ms: dict[Health, int | None] = {}
        """When each warning was seen last; None: before any frame of this start of the board."""
        self._boot: int | None = None
        self._known = True
        """Whether it is the board that was begun on; after a cable was out only a HELLO tells."""

    @property
    def health(self) -> tuple[Health, ...]:
        """All that is wrong with the board now, worst first."""
        return (*((self.fault,) if self.fault is not None else ()), *self.warnings)

    def take(self, news: News) -> None:
        """Take the next thing that the board said."""
        if isinstance(news, Frame):
            self.said["frames"] += 1
            if not (news.flags or self.fault or self._seen_ms):
                return  # nearly all of a hundred frames a second
        before = self.health
        self._take(news)
        if self.health != before:
            self._on_change()

    def _take(self, news: News) -> None:
        match news:
            case Frame():
                self._take_frame(news)
            case Hello():
                self._take_hello(news)
            case WireFault():
                self.said[news.kind.value] += 1
                if news.kind is FaultKind.OTHER_VERSION:
                    self.fault = Health.OTHER_VERSION
                elif news.kind is FaultKind.REBOOTED:
                    self._seen_ms = dict.fromkeys(self._seen_ms)  # its time begins anew
                    if self._known:  # with its cable back a board has been started anew, and that says nothing
                        self._warn(Health.RESTARTED)
            case LinkLost():
                self.said["link-lost"] += 1
                self._known = False
                self.fault = Health.LOST
            case _:
                pass

    def _take_frame(self, frame: Frame) -> None:
        flags = frame.flags
        if flags:
            self.said.update(flag.name.lower().replace("_", "-") for flag in flags if flag.name)
        if self._known:
            self.fault = Health.UNCALIBRATED if flags & FrameFlag.UNCALIBRATED else None
        if flags & FrameFlag.QUEUE_FULL:
            self._warn(Health.QUEUE_FULL)
        now_ms = frame.board_ms
        self._seen_ms = {
            health: now_ms if seen_ms is None else seen_ms
            for health, seen_ms in self._seen_ms.items()
            if seen_ms is None or (now_ms - seen_ms) % RANGE_MS <= SHOWN_MS
        }
        self._show()

    def _take_hello(self, hello: Hello) -> None:
        objections = self._objections(hello)
        for text in objections:
            self._on_note(text)
        known, self._known = self._known, not objections
        if objections:
            self.fault = Health.OTHER_BOARD
            return
        self.fault = None if hello.calibrated else Health.UNCALIBRATED
        if hello.boot_count != self._boot:
            self.said[f"started-{hello.reset.name.lower().replace('_', '-')}"] += 1
            again = self._boot is not None and (known or hello.reset is ResetCause.WATCHDOG)
            if hello.reset is ResetCause.BROWN_OUT:
                self._seen_ms.pop(Health.RESTARTED, None)
                self._warn(Health.BROWN_OUT)
            elif again:
                self._warn(Health.RESTARTED)
            self._boot = hello.boot_count

    def _warn(self, health: Health) -> None:
        self._seen_ms[health] = None
        self._show()

    def _show(self) -> None:
        if len(self._seen_ms) != len(self.warnings) or not self._seen_ms.keys() <= set(self.warnings):
            self.warnings = tuple(sorted(self._seen_ms, key=_ORDER.__getitem__))
