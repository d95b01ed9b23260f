"""What was touched on this screen: its own settings, which page lies open, what was typed. And what a touch means. Pure.

A touch changes this screen, or becomes a wish that the referee may refuse; nothing here decides about the game.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from kiosk_ui.received_state import Chair, Desk, Pin
from referee.net.topics.payloads import KioskWish
from referee.words import LANGUAGES

LONGEST_PIN = 12
DIMMEST, BRIGHTEST, BRIGHTNESS_STEP = 20, 100, 20
"""Brightness and volume in percent; never so dark that the way back cannot be seen."""


class Page(Enum):
    """A page that lies over the middle of the screen."""

    MENU = "menu"
    LANGUAGE = "language"
    SCREEN = "screen"
    RULES = "rules"
    MODE = "mode"
    REVEAL = "reveal"
    CLOCK = "clock"
    OPTIONS = "options"
    WIFI = "wi-fi"
    PIN = "pin"
    ABORT = "abort"
    SEAL = "seal"


class Showing(Enum):
    """What is shown large for a while: the newest verdict, the end of the game, or the idle screen."""

    DUEL = "duel"
    END = "end"
    IDLE = "idle"


GUARDED = (Page.RULES, Page.MODE, Page.REVEAL, Page.CLOCK, Page.OPTIONS)
"""What only the arbiter may change where a PIN is set; the referee holds the lock, this screen only shows it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How this screen shows what it shows."""

    language: str
    brightness: int = BRIGHTEST
    """Percent."""
    sound: bool = False
    spoken: bool = False
    """Whether moves are said aloud."""
    volume: int = BRIGHTEST
    """Percent, of tones and voice."""
    motion: bool = True
    """Whether pictures may move."""
    turned: bool = False
    """Whether the second player's half is turned round, for two who sit opposite."""
    wifi: tuple[str, str] | None = field(default=None, repr=False)
    """Name and password of the Wi-Fi that this machine opens. They stay on this screen: no message holds them."""


@dataclass(frozen=True, slots=True)
class TouchState:
    """Settings, the open page, and a PIN while it is typed."""

    settings: Settings
    page: Page | None = None
    typed: str = ""
    beyond: Page | None = None
    """The page that the PIN opens."""
    far: bool = False
    """Whether the second player touched a menu last: where half the screen is turned round pages are turned to him."""
    voice: bool = True
    """Whether a program that speaks is installed."""
    seen: frozenset[str] = frozenset()
    """Digits that were seen and put away by touch, the names of seats whose links were, and `wi-fi` once any page was closed."""

    def shows(self, chair: Chair) -> bool:
        """Return whether a seat has something to show that was not put away."""
        return bool(chair.digits or chair.link) and (chair.digits or chair.seat.value) not in self.seen

    def settled(self, desk: Desk) -> TouchState:
        """Return it after what the referee said: a PIN that was right opens the page that it was typed for."""
        if self.page is Page.PIN and desk.pin is Pin.OPEN:
            return replace(self, page=self.beyond, typed="", beyond=None)
        return self

    def closed(self) -> TouchState:
        """Return it with no page open, nothing typed."""
        return replace(self, page=None, typed="", beyond=None)


def touch(touch_state: TouchState, desk: Desk, key: str) -> tuple[TouchState, tuple[KioskWish, ...]]:
    """Return what a touch on the button `key` makes of this screen, and the wishes for the referee. Unknown keys do nothing."""
    name, _, value = key.partition("=")
    match name:
        case "page":
            return _turn_to(touch_state, desk, Page(value)), ()
        case "menu":
            return replace(_turn_to(touch_state, desk, Page.MENU), far=value == "far"), ()
        case "close":
            return replace(touch_state.closed(), seen=touch_state.seen | {Page.WIFI.value}), ()
        case "language" if value in LANGUAGES:
            closed = replace(touch_state.closed(), settings=replace(touch_state.settings, language=value))
            return closed, (KioskWish("option", f"language={value}"),)
        case "brightness" | "volume" | "sound" | "spoken" | "motion" | "turned":
            return replace(touch_state, settings=_changed(touch_state.settings, name, value)), ()
        case "digit" | "erase" | "enter":
            return _typed(touch_state, name, value)
        case "rules" | "mode" | "reveal" | "clock":
            return touch_state.closed(), (KioskWish("option", f"{name}={value}"),)
        case "option":  # there are several on a page, so it stays open
            return touch_state, (KioskWish(name, value),)
        case "abort" | "rematch":
            return touch_state, (KioskWish(name, value),)
        case "play-on":
            return touch_state.closed(), (KioskWish("abort", ""),)
        case "seen":
            return _put_away(touch_state, [chair for chair in desk.chairs if chair.seat.value == value]), ()
        case "start":
            return _put_away(touch_state.closed(), desk.chairs), (KioskWish("start"),)
        case "pair" if _is_locked(desk):
            return replace(touch_state, page=Page.PIN, beyond=Page.MENU, typed=""), ()
        case "pair":
            again = replace(touch_state.closed(), seen=touch_state.seen - {value})
            return again, (KioskWish(name, value),)
        case "pause" | "resume" | "arbiter":
            return touch_state.closed(), (KioskWish(name, value),)
    return touch_state, ()


def _put_away(touch_state: TouchState, chairs: Iterable[Chair]) -> TouchState:
    """Put away the digits of these, and the links of their seats: those are renewed again and again."""
    return replace(touch_state, seen=touch_state.seen | {chair.digits or chair.seat.value for chair in chairs})


def _is_locked(desk: Desk) -> bool:
    return desk.pin not in (Pin.NONE, Pin.OPEN)


def _turn_to(touch_state: TouchState, desk: Desk, page: Page) -> TouchState:
    if page in GUARDED and _is_locked(desk):
        return replace(touch_state, page=Page.PIN, beyond=page, typed="")
    beyond = touch_state.page if page is Page.PIN else None
    return replace(touch_state, page=page, typed="", beyond=beyond)


def _changed(settings: Settings, name: str, value: str) -> Settings:
    now = getattr(settings, name)
    step = BRIGHTNESS_STEP if value == "up" else -BRIGHTNESS_STEP
    changed: dict[str, Any] = {name: not now if isinstance(now, bool) else max(DIMMEST, min(BRIGHTEST, now + step))}
    return replace(settings, **changed)


def _typed(touch_state: TouchState, name: str, value: str) -> tuple[TouchState, tuple[KioskWish, ...]]:
    if name == "enter":
        wishes = (KioskWish("pin", touch_state.typed),) if touch_state.typed else ()
        return replace(touch_state, typed=""), wishes
    typed = touch_state.typed[:-1] if name == "erase" else (touch_state.typed + value)[:LONGEST_PIN]
    return replace(touch_state, typed=typed), ()
