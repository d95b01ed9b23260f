"""A living kiosk in this process: a window, a link that comes back by itself, and an end. Imports Kivy only when it runs.

It ends by a signal, the window's closing, the end of the process that started it, or a broker that no longer lets it in. In the place
of a link there may be a record, played again (`replay`).
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import logging
import os
import queue
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Protocol

from kiosk_ui.display import Backlight, prepare_kivy
from kiosk_ui.received_state import ReceivedState
from kiosk_ui.spoken import Voice, spoken_between, voice_command
from kiosk_ui.touch_state import ScreenSettings
from referee.net.errors import BrokerRefusedError, BrokerUnreachableError
from referee.net.topics.payloads import KioskIncoming, KioskWish, LinkDown, LinkUp, Status
from referee.rules.values import Rank, Seat
from referee.table.views import PublicEvent, PublicInfo, PublicView
from referee.words import words

_log = logging.getLogger(__name__)

NOT_REACHABLE = 3
_AGAIN_S = 1.0


class Link(Protocol):
    """What a kiosk needs of its link."""

    def start(self) -> None:
        """Connect; raises a `BrokerError`."""

    def stop(self) -> None:
        """Disconnect."""

    def wish(self, wish: KioskWish) -> None:
        """Send the referee a wish that was touched."""


Connect = Callable[[Callable[[KioskIncoming], None]], Link]
"""Makes a link that hands what it hears to the callable, on a thread of its own."""


class Alive(Protocol):
    """A watchdog that wants a sign of life every `every_s` seconds."""

    @property
    def every_s(self) -> float:
        """Seconds between two signs."""

    def tell(self) -> None:
        """Send a sign of life."""


@dataclass(frozen=True, slots=True)
class KioskOptions:
    """How the kiosk appears: its settings at first, and the size of its window; None is the whole screen."""

    settings: ScreenSettings
    size: tuple[int, int] | None
    offscreen: bool = False


def run_kiosk(
    options: KioskOptions,
    connect: Connect,
    parent: int | None = None,
    on_shown: Callable[[ReceivedState], None] = lambda received: None,
    alive: Alive | None = None,
    on_said: Callable[[str], None] = lambda text: None,
) -> Ending:
    """Show a table until a signal, the window's closing, the end of the pipe `parent`, or a broker that refuses this kiosk.

    A broker that does not answer is waited for: the screen says so. `on_shown` is called with what was drawn, frame by frame; `alive` by
    Kivy's own clock, which stops when the screen does; `on_said` with what is said aloud, on another thread. Raises `NoDisplayError`
    before anything was started. To be called on the main thread, once in a process.
    """
    prepare_kivy(options.offscreen)
    from kiosk_ui.window import draw_changes, open_window

    window = open_window(options.size)
    _log.info("the window has %d x %d pixels", *window.size)
    from kiosk_ui.app import Inbox, KioskApp, call_every

    keeper, voice = LinkKeeper(connect), Voice(on_said)
    if options.settings.spoken and not voice_command(options.settings.language, options.settings.volume):
        _log.warning("no voice is installed, so nothing is said aloud: sudo apt install espeak-ng")
    whole_screen = options.size is None
    app = KioskApp(options.settings, keeper.wish, backlight=Backlight() if whole_screen else None, voice=voice)
    inbox = Inbox(app, on_shown)
    draw_changes(window, app.screen.take_changes)
    window.bind(on_flip=inbox.drawn, on_key_down=app.key_pressed)
    inbox.request_draw()
    shutdown = Shutdown(inbox.stop)
    shutdown.heed_signals()
    if parent is not None:
        shutdown.follow(parent)
    link = threading.Thread(target=keeper.stay_linked, args=(inbox.take, shutdown), name="kiosk-link")
    link.start()
    if alive is not None:
        call_every(alive.every_s, alive.tell)
    # what is there by now stays: looking through it again and again would put off what pictures leave behind, up to 20 MB of it
    gc.collect()
    gc.freeze()
    try:
        app.run()
    finally:
        shutdown.coming.set()
        voice.stop()
        link.join()
    return shutdown.ending


class LinkKeeper:
    """The link of this kiosk, from its first start to the end; wishes made while it is down are lost, because they
    would arrive too late.
    """

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._link: Link | None = None
        self._up = False

    def wish(self, wish: KioskWish) -> None:
        """Send the referee a wish, if the link is up."""
        if self._link is not None and self._up:
            self._link.wish(wish)

    def stay_linked(self, take: Callable[[KioskIncoming], None], shutdown: Shutdown) -> None:
        """Keep one link until the end; it comes back by itself once it was up, so only its first start is tried again here."""

        def hear(value: KioskIncoming) -> None:
            if isinstance(value, LinkDown) and value.refused:
                shutdown.put(Ending(NOT_REACHABLE, f"the broker no longer lets this kiosk in ({value.reason})"))
            if isinstance(value, LinkUp | LinkDown):
                self._up = isinstance(value, LinkUp)
            take(value)
            if isinstance(value, Status) and value.up:
                self.wish(KioskWish("hello"))

        while not shutdown.coming.is_set():
            link = self._link = self._connect(hear)
            try:
                link.start()
            except BrokerUnreachableError as error:
                _log.debug("%s; it is tried again", error)
                shutdown.coming.wait(_AGAIN_S)
            except BrokerRefusedError as error:
                shutdown.put(Ending(NOT_REACHABLE, str(error)))
                return
            else:
                shutdown.coming.wait()
                link.stop()
                return


@dataclass(frozen=True, slots=True)
class Ending:
    """Why it ended, as an exit code and, when the user has to know, one line."""

    code: int = 0
    text: str = ""


STOPPED = Ending()
INTERRUPTED = Ending(130)


class Shutdown:
    """Takes the first ending from whichever thread or signal it comes, and passes it to `on_end` on a thread of its
    own.
    """

    def __init__(self, on_end: Callable[[], None]) -> None:
        self.ending = STOPPED
        self.coming = threading.Event()
        self._on_end = on_end
        # a SimpleQueue may be fed from a signal handler; a lock may not be taken there
        self._queue: queue.SimpleQueue[Ending] = queue.SimpleQueue()
        threading.Thread(target=self._wait, name="kiosk-end", daemon=True).start()

    def put(self, ending: Ending) -> None:
        """End, unless it was decided already."""
        self._queue.put(ending)

    def heed_signals(self) -> None:
        """End on SIGTERM and SIGINT. To be called on the main thread."""

        def take(number: int, _frame: FrameType | None) -> None:
            self.put(INTERRUPTED if number == signal.SIGINT else STOPPED)

        signal.signal(signal.SIGTERM, take)
        signal.signal(signal.SIGINT, take)

    def follow(self, pipe: int) -> None:
        """End at the end of the pipe: the process that started this one holds it open until it dies. The caller may close it at once."""
        threading.Thread(target=self._read_to_end, args=(os.dup(pipe),), name="kiosk-parent", daemon=True).start()

    def _read_to_end(self, pipe: int) -> None:
        # the bare file descriptor: a thread that waits in a buffered reader would hold its lock when the interpreter shuts down
        with contextlib.suppress(OSError):  # a terminal that is gone
            while os.read(pipe, 4096):
                pass
        os.close(pipe)
        self.put(STOPPED)

    def _wait(self) -> None:
        self.ending = self._queue.get()
        _log.info("the kiosk ends with exit code %d", self.ending.code)
        self.coming.set()
        self._on_end()


# ---------------------------------------------------------------- a record, played again: what everybody at the table saw

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
    ended = threading.Event()

    def shown(received: ReceivedState) -> None:
        if shot is not None and received.view is screens[-1]:
            _save(shot)
            ended.set()

    def lead(show: Callable[[PublicView], None]) -> Leader:
        return _RecordingPlayer(screens if shot is None else screens[-1:], 1 / plies_a_second, show, ended)

    return follow(info, lead, KioskOptions(ScreenSettings(language), size, offscreen=shot is not None), shown)


@dataclass(frozen=True, slots=True)
class _RecordingPlayer:
    """Shows one view after the other, `pause_s` seconds each; the last one stays until the end."""

    screens: Sequence[PublicView]
    pause_s: float
    show: Callable[[PublicView], None]
    ended: threading.Event

    def run(self) -> int:
        for view in self.screens:
            self.show(view)
            if self.ended.wait(self.pause_s):
                break
        self.ended.wait()
        return 0

    def stop(self) -> None:
        self.ended.set()


class Leader(Protocol):
    """A game that plays by itself, on the thread that runs it."""

    def run(self) -> int:
        """Play until it is over or stopped; return the exit code."""

    def stop(self) -> None:
        """End it, from any thread."""


def follow(
    info: PublicInfo,
    lead: Callable[[Callable[[PublicView], None]], Leader],
    options: KioskOptions,
    on_shown: Callable[[ReceivedState], None] = lambda received: None,
) -> int:
    """Show the views that a game gives until the window is closed or the game ends; return the exit code.

    Raises `NoDisplayError`, and what the game does.
    """
    reading, writing = os.pipe()
    games: list[_GameThread] = []

    def connect(take: Callable[[KioskIncoming], None]) -> _GameThread:
        games.append(_GameThread(info, lead, take, lambda: os.close(writing)))
        return games[-1]

    try:
        ending = run_kiosk(options, connect, reading, on_shown)
    finally:
        os.close(reading)
        if not games:  # nothing has begun that would close it
            os.close(writing)
    for game in games:
        if game.error is not None:
            raise game.error
    return ending.code


class _GameThread(threading.Thread):
    """Stands where a link to a referee does, and runs the game."""

    def __init__(
        self,
        info: PublicInfo,
        lead: Callable[[Callable[[PublicView], None]], Leader],
        take: Callable[[KioskIncoming], None],
        ended: Callable[[], None],
    ) -> None:
        super().__init__(name="game")
        self._info, self._take, self._ended = info, take, ended
        self._before: PublicView | None = None
        self._leader = lead(self._show)
        self.error: Exception | None = None

    def wish(self, wish: KioskWish) -> None:
        """Ignore the wish: the game is already played."""

    def stop(self) -> None:
        """End the game."""
        self._leader.stop()
        self.join()

    def run(self) -> None:
        """Play."""
        try:
            self._leader.run()
        except Exception as error:  # said on the main thread, once the window is gone
            self.error = error
        self._ended()

    def _show(self, view: PublicView) -> None:
        before, self._before = self._before, view
        for value in _begun(self._info, view) if before is None else _played(before, view):
            self._take(value)


def told(info: PublicInfo, screens: Sequence[PublicView]) -> Iterator[Sequence[KioskIncoming]]:
    """Return what a link would deliver: the table before the first ply, then each ply."""
    yield _begun(info, screens[0])
    for before, view in itertools.pairwise(screens):
        yield _played(before, view)


def _begun(info: PublicInfo, view: PublicView) -> Sequence[KioskIncoming]:
    """Return what a link would deliver first."""
    return LinkUp(), Status(True, 1, _NO_SESSION), info, view


def _played(before: PublicView, view: PublicView) -> Sequence[KioskIncoming]:
    """Return what a link would deliver for a change: the verdict, where an attack had one, and the view."""
    lost = newly_captured(before, view)
    attack = view.attack if view.attack is not None and view.attack.result is not None else None
    verdict = PublicEvent(view.game, view.seq, "verdict", view.ply, captured=lost)
    if attack is not None:
        verdict = replace(verdict, seat=attack.seat, source=attack.source, target=attack.target, result=attack.result)
    return *([verdict] if lost or (attack and attack != before.attack) else []), view


def said_aloud(info: PublicInfo, screens: Sequence[PublicView], language: str) -> Iterator[tuple[int, str]]:
    """Return what a kiosk says aloud while this game is played, each with its ply."""
    received = ReceivedState()
    for values in told(info, screens):
        before = received
        for value in values:
            received = received.after(value)
        if text := spoken_between(before, received, words(language)):
            yield received.view.ply if received.view else 0, text


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
