"""What fingers did on this screen: its own settings, which page lies open, what was typed. And what a touch means. Pure.

A touch changes this screen, or becomes a wish that the referee may refuse; nothing here decides about the game.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from kiosk_ui.desk import Chair, Desk, Pin
from referee.net.topics.notes import KioskWish
from referee.words import LANGUAGES

LONGEST_PIN = 12
DIMMEST, BRIGHTEST, BRIGHTNESS_STEP = 20, 100, 20
"""Brightness in percent; never so dark that nobody finds the way back."""


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
    PIN = "pin"
    ABORT = "abort"


GUARDED = (Page.RULES, Page.MODE, Page.REVEAL, Page.CLOCK, Page.OPTIONS)
"""What only the arbiter may change where a PIN is set; the referee holds the lock, this screen only shows it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How this screen shows what it shows."""

    language: str
    brightness: int = BRIGHTEST
    """Percent."""
    sound: bool = False
    motion: bool = True
    """Whether pictures may move."""
    turned: bool = False
    """Whether the second player's half is turned round, for two who sit opposite."""


@dataclass(frozen=True, slots=True)
class Hand:
    """Settings, the open page, and a PIN while it is typed."""

    settings: Settings
    page: Page | None = None
    typed: str = ""
    beyond: Page | None = None
    """The page that the PIN opens."""
    far: bool = False
    """Whether the second player touched a menu last: where half the screen is turned round pages are turned to him."""
    seen: frozenset[str] = frozenset()
    """Digits that were seen and put away by touch, and the names of seats whose links were."""

    def shows(self, chair: Chair) -> bool:
        """Tell whether a seat has something to show that was not put away."""
        return bool(chair.digits or chair.link) and (chair.digits or chair.seat.value) not in self.seen

    def settled(self, desk: Desk) -> Hand:
        """Give it after what the referee said: a PIN that was right opens the page that it was typed for."""
        if self.page is Page.PIN and desk.pin is Pin.OPEN:
            return replace(self, page=self.beyond, typed="", beyond=None)
        return self

    def closed(self) -> Hand:
        """Give it with no page open, nothing typed."""
        return replace(self, page=None, typed="", beyond=None)


def touch(hand: Hand, desk: Desk, key: str) -> tuple[Hand, tuple[KioskWish, ...]]:
    """Give what a touch on the button `key` makes of this screen, and what the referee is to be told. Unknown keys do nothing."""
    name, _, value = key.partition("=")
    match name:
        case "page":
            return _turn_to(hand, desk, Page(value)), ()
        case "menu":
            return replace(_turn_to(hand, desk, Page.MENU), far=value == "far"), ()
        case "close":
            return hand.closed(), ()
        case "language" if value in LANGUAGES:
            closed = replace(hand.closed(), settings=replace(hand.settings, language=value))
            return closed, (KioskWish("option", f"language={value}"),)
        case "brightness" | "sound" | "motion" | "turned":
            return replace(hand, settings=_changed(hand.settings, name, value)), ()
        case "digit" | "erase" | "enter":
            return _typed(hand, name, value)
        case "rules" | "mode" | "reveal" | "clock":
            return hand.closed(), (KioskWish("option", f"{name}={value}"),)
        case "option":  # there are several on a page, so it stays open
            return hand, (KioskWish(name, value),)
        case "abort" | "rematch":
            return hand, (KioskWish(name, value),)
        case "play-on":
            return hand.closed(), (KioskWish("abort", ""),)
        case "seen":
            return _put_away(hand, [chair for chair in desk.chairs if chair.seat.value == value]), ()
        case "start":
            return _put_away(hand.closed(), desk.chairs), (KioskWish("start"),)
        case "pair" if _is_locked(desk):
            return replace(hand, page=Page.PIN, beyond=Page.MENU, typed=""), ()
        case "pair":
            again = replace(hand.closed(), seen=hand.seen - {value})
            return again, (KioskWish(name, value),)
        case "pause" | "resume" | "arbiter":
            return hand.closed(), (KioskWish(name, value),)
    return hand, ()


def _put_away(hand: Hand, chairs: Iterable[Chair]) -> Hand:
    """Put away the digits of these, and the links of their seats: those are renewed again and again."""
    return replace(hand, seen=hand.seen | {chair.digits or chair.seat.value for chair in chairs})


def _is_locked(desk: Desk) -> bool:
    return desk.pin not in (Pin.NONE, Pin.OPEN)


def _turn_to(hand: Hand, desk: Desk, page: Page) -> Hand:
    if page in GUARDED and _is_locked(desk):
        return replace(hand, page=Page.PIN, beyond=page, typed="")
    beyond = hand.page if page is Page.PIN else None
    return replace(hand, page=page, typed="", beyond=beyond)


def _changed(settings: Settings, name: str, value: str) -> Settings:
    match name:
        case "brightness":
            step = BRIGHTNESS_STEP if value == "up" else -BRIGHTNESS_STEP
            return replace(settings, brightness=max(DIMMEST, min(BRIGHTEST, settings.brightness + step)))
        case "sound":
            return replace(settings, sound=not settings.sound)
        case "motion":
            return replace(settings, motion=not settings.motion)
    return replace(settings, turned=not settings.turned)


def _typed(hand: Hand, name: str, value: str) -> tuple[Hand, tuple[KioskWish, ...]]:
    if name == "enter":
        wishes = (KioskWish("pin", hand.typed),) if hand.typed else ()
        return replace(hand, typed=""), wishes
    typed = hand.typed[:-1] if name == "erase" else (hand.typed + value)[:LONGEST_PIN]
    return replace(hand, typed=typed), ()
