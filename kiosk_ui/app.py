"""The Kivy application: one screen, and the inbox through which other threads reach it.

Apart from `run`, which imports it only once the window is open.
"""
# mypy: disable-error-code="import-untyped,misc,no-any-unimported"
# Kivy ships no types.

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kivy.app import App
from kivy.clock import Clock
from kivy.graphics.opengl import glFinish

from kiosk_ui.display import Backlight
from kiosk_ui.received_state import ReceivedState
from kiosk_ui.screen import screen_state, showing_between
from kiosk_ui.seen_again import spoken_ply
from kiosk_ui.sounds import Sounds, cue_between
from kiosk_ui.spoken import Voice, spoken_between, voice_command
from kiosk_ui.table_screen import TableScreen
from kiosk_ui.touch_state import BRIGHTEST, ScreenSettings, Showing, TouchState, Watch, touch
from referee.net.topics.payloads import KioskIncoming, KioskWish
from referee.presentation.sentences import Contact
from referee.words import words

LEFT_OPEN_S = 25.0
"""An open page that is not touched for so long closes by itself: the board is what matters."""

WATCHED_S = 300.0
"""So is a game that is seen again after so long."""
KEYS = {
    276: "watch=back",
    275: "watch=on",
    280: "watch=back-attack",
    281: "watch=on-attack",
    278: "watch=to-0",
    279: "watch=to-{last}",
    32: "watch=play",
    101: "watch=eyes",
    27: "close",
}
"""Arrows, page up and down, home and end, the space bar, e and escape."""

SCENES = (Showing.DUEL, Showing.END)
SHOWN_S: Mapping[Showing | None, float] = {Showing.DUEL: 1.1, Showing.END: 8.0, Showing.IDLE: 30.0, None: 180.0}
"""How long each is shown: a scene, the idle screen before it moves, the table before the idle screen comes where nothing goes on.

The time of a scene runs before it is drawn: its tenth of a second more is what a Pi takes for that.
"""

_LATE_S = 0.02
"""Kivy calls a few milliseconds early: the text would be the same, and it would be asked again and again until it is not."""


def call_every(seconds: float, call: Callable[[], None]) -> None:
    """Call this now and every so many seconds by Kivy's clock, which stops when the screen does."""
    call()
    Clock.schedule_interval(lambda _dt: call(), seconds)


class KioskApp(App):
    """Shows what was received, and does what fingers want: on this screen at once, or as a wish to the referee."""

    title = "Hallmarshal"

    def __init__(
        self,
        settings: ScreenSettings,
        on_wish: Callable[[KioskWish], None],
        clock: Callable[[], float] = time.monotonic,
        backlight: Backlight | None = None,
        voice: Voice | None = None,
        **kwargs: Any,
    ) -> None:
        """Make it; `clock` returns seconds, by which the players' clocks count down between two views."""
        super().__init__(**kwargs)
        self._clock = clock
        self._backlight = backlight
        lit = backlight.percent() if backlight is not None else None
        self._lit = lit is not None
        self.touch_state = TouchState(settings if lit is None else replace(settings, brightness=lit))
        self._received = ReceivedState()
        self._on_wish = on_wish
        self._sounds = Sounds()
        self._voice = voice or Voice()
        self._closing: Any = None
        self._showing: Showing | None = None
        self._place = 0
        self._next_showing: Any = None
        self._view_s = 0.0
        self._passed_ms = 0
        self._ticking: Any = None
        self._stepping: Any = None
        self.screen = TableScreen(self.touched)

    def build(self) -> Any:
        """Return the screen."""
        self._turn_to(None)
        return self.screen

    def show(self, received: ReceivedState) -> None:
        """Show what was received. On the main thread only; others use the inbox."""
        before, self._received = self._received, received
        if received.view is not before.view:
            self._view_s = self._clock()
        self.touch_state = self.touch_state.settled(received.desk, not received.between_games)
        if (showing := showing_between(before, received)) is not None:
            self._turn_to(showing)
        elif self._showing not in SCENES and received.stirs(before):
            self._turn_to(None)
        self._draw()
        if received.newest and received.newest is not before.newest:
            self.screen.pulse()
        self._let_hear(before, received)

    def _let_hear(self, before: ReceivedState, received: ReceivedState) -> None:
        settings = self.touch_state.settings
        if settings.sound and (cue := cue_between(before, received)) is not None:
            self._sounds.play(cue, settings.volume)
        if settings.spoken and (text := spoken_between(before, received, words(settings.language))):
            self._voice.say(text, settings.language, settings.volume)

    def touched(self, key: str) -> None:
        """Take a touch on a button."""
        before, watched = self.touch_state.settings.brightness, self.touch_state.watch
        self._turn_to(None)
        speaks = bool(voice_command(self.touch_state.settings.language, BRIGHTEST))
        self.touch_state, wishes = touch(replace(self.touch_state, voice=speaks), self._received.desk, key)
        if self._backlight is not None and self.touch_state.settings.brightness != before:
            self._lit = self._backlight.shine(self.touch_state.settings.brightness)
        for wish in wishes:
            self._on_wish(wish)
        self._draw()
        if self._closing is not None:
            self._closing.cancel()
        self._closing = None
        if self.touch_state.page is not None:
            left_s = LEFT_OPEN_S if self.touch_state.watch is None else WATCHED_S
            self._closing = Clock.schedule_once(self._close, left_s)
        self._go_on_watching(watched, not key.startswith("watch=to"))

    def _go_on_watching(self, before: Watch | None, aloud: bool) -> None:
        """Speak the ply that is seen now where another one was, and step on later where the game plays by itself."""
        if self._stepping is not None:
            self._stepping.cancel()
            self._stepping = None
        settings, seen = self.touch_state.settings, self.touch_state.watching(self._received.desk)
        if seen is None:
            return
        replay, watch = seen
        if aloud and settings.spoken and before is not None and before.at != watch.at:
            self._voice.say(spoken_ply(replay, watch.at, words(settings.language)), settings.language, settings.volume)
        if watch.playing:
            self._stepping = Clock.schedule_once(lambda _dt: self.touched("watch=next"), replay.wait_s(watch.at))

    def key_pressed(self, _window: object, code: int, *_: object) -> bool:
        """Take a key of a keyboard, by its number in SDL, while a game is seen again; return whether it meant anything."""
        seen = self.touch_state.watching(self._received.desk)
        if seen is None or code not in KEYS:
            return False
        self.touched(KEYS[code].format(last=seen[0].last))
        return True

    def open_settings(self, *_: object) -> bool:
        """Do nothing: Kivy's own settings (F1) are not for players."""
        return False

    def _close(self, _dt: float) -> None:
        self.touch_state = self.touch_state.closed()
        self._draw()

    def _turn_to(self, showing: Showing | None) -> None:
        """Show this large from now on, and ask again what is to be shown once its time is over."""
        self._showing = showing
        if self._next_showing is not None:
            self._next_showing.cancel()
        self._next_showing = Clock.schedule_once(self._go_on, SHOWN_S[showing])

    def _go_on(self, _dt: float) -> None:
        """After a scene show the table; after a table that nobody has to see show the idle screen, each time at another
        place.
        """
        self._place += 1
        rests = self._received.rests and self._showing not in SCENES and self.touch_state.watch is None
        self._turn_to(Showing.IDLE if rests else None)
        self._draw()

    def _draw(self, _dt: float = 0.0) -> None:
        """Draw, and again when a clock that runs shows another second."""
        live = self._received.contact is Contact.LIVE
        if live:  # else nobody knows whether a clock runs
            self._passed_ms = int((self._clock() - self._view_s) * 1000)
        state = screen_state(self._received, self.touch_state, self._passed_ms, self._showing, self._place)
        if self._lit:  # no veil over a light that dims
            state = replace(state, settings=replace(state.settings, brightness=BRIGHTEST))
        self.screen.state = state
        if self._ticking is not None:
            self._ticking.cancel()
        waits_ms = [clock.next_ms for side in self.screen.state.table.clocks for clock in side if clock.next_ms]
        self._ticking = Clock.schedule_once(self._draw, min(waits_ms) / 1000 + _LATE_S) if waits_ms and live else None


class Inbox:
    """Takes messages on any thread and shows the newest state on Kivy's, once a frame however many came."""

    def __init__(self, app: KioskApp, on_shown: Callable[[ReceivedState], None]) -> None:
        """`on_shown` is called on Kivy's thread with what was drawn, as its frame is finished."""
        self._app = app
        self._on_shown = on_shown
        self._undrawn: ReceivedState | None = None
        self._lock = threading.Lock()
        self._received = ReceivedState()
        self._requested = False

    def take(self, value: KioskIncoming) -> None:
        """Take one message."""
        with self._lock:
            before, self._received = self._received, self._received.after(value)
            changed = self._received != before
        if changed:
            self.request_draw()

    def request_draw(self) -> None:
        """Show what was received in the next frame."""
        with self._lock:
            first, self._requested = not self._requested, True
        if first:
            Clock.schedule_once(self._open, 0)

    def drawn(self, *_: object) -> None:
        """Call `on_shown` for the frame that was drawn (the window's `on_flip`)."""
        if self._undrawn is not None:
            glFinish()  # what was drawn has been drawn: some drivers only begin then
            received, self._undrawn = self._undrawn, None
            self._on_shown(received)

    def stop(self) -> None:
        """End the application."""
        Clock.schedule_once(lambda _dt: self._app.stop(), 0)

    def _open(self, _dt: float) -> None:
        with self._lock:
            received, self._requested = self._received, False
        self._app.show(received)
        self._undrawn = received
        self._app.screen.canvas.ask_update()
