"""What was touched on this screen: its own settings, which page lies open, what was typed. And what a touch means. Pure.

A touch changes this screen, or becomes a wish that the referee may refuse; nothing here decides about the game.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from kiosk_ui.received_state import Chair, Desk, Pin
from kiosk_ui.seen_again import OPEN, GameReplay
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
    GAMES = "games"
    FIND = "find"
    REPLAY = "replay"
    KEEP = "keep"


class Showing(Enum):
    """What is shown large for a while: the newest verdict, the end of the game, or the idle screen."""

    DUEL = "duel"
    END = "end"
    IDLE = "idle"


GUARDED = (Page.RULES, Page.MODE, Page.REVEAL, Page.CLOCK, Page.OPTIONS)
"""What only the arbiter may change where a PIN is set; the referee holds the lock, this screen only shows it."""


@dataclass(frozen=True, slots=True)
class ScreenSettings:
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


FIELDS = ("player", "rules", "date", "result")
"""By what kept games are looked for."""
CHOICES_SHOWN = 15
"""So many values to look for stand on a page."""


@dataclass(frozen=True, slots=True)
class GameSearch:
    """What is looked for among the kept games, how far back, and the field whose values are chosen from, the first of them by number."""

    wanted: Mapping[str, str] = field(default_factory=dict)
    before: tuple[str, ...] = ()
    """The last game of each list that was left behind."""
    chosen: str = FIELDS[0]
    first: int = 0

    def wish(self) -> KioskWish:
        """Return the wish for the list."""
        before = {"before": self.before[-1]} if self.before else {}
        return KioskWish("games", json.dumps({**self.wanted, **before}))


@dataclass(frozen=True, slots=True)
class Watch:
    """A game that is seen again: after how many plies, through whose eyes, and whether it goes on by itself."""

    at: int = 0
    eyes: str = OPEN
    playing: bool = False


@dataclass(frozen=True, slots=True)
class TouchState:
    """Settings, the open page, and a PIN while it is typed."""

    settings: ScreenSettings
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
    search: GameSearch = field(default_factory=GameSearch)
    watch: Watch | None = None
    answers: int = 0
    """How many replays had been told when one was asked for."""

    def shows(self, chair: Chair) -> bool:
        """Return whether a seat has something to show that was not put away."""
        return bool(chair.digits or chair.link) and (chair.digits or chair.seat.value) not in self.seen

    def settled(self, desk: Desk, playing: bool = False) -> TouchState:
        """Return it after what the referee said: a PIN that was right opens the page that it was typed for.

        A replay that was asked for begins once it is there, and so does the next one that was; none is shown while a game is `playing`.
        """
        if self.page in _LIBRARY and (playing or desk.library is None):
            return self.closed()
        told = desk.library
        if self.page in (Page.REPLAY, Page.KEEP) and told and told.answers > self.answers and not told.fault:
            return replace(self, watch=Watch(), answers=told.answers)
        if self.page is Page.PIN and desk.pin is Pin.OPEN:
            return replace(self, page=self.beyond, typed="", beyond=None)
        return self

    def closed(self) -> TouchState:
        """Return it with no page open, nothing typed, nothing seen again."""
        return replace(self, page=None, typed="", beyond=None, watch=None)

    def watching(self, desk: Desk) -> tuple[GameReplay, Watch] | None:
        """Return what is seen again, if anything is."""
        replay = desk.library and desk.library.replay
        return (replay, self.watch) if replay and self.watch and self.page in (Page.REPLAY, Page.KEEP) else None


_LIBRARY = (Page.GAMES, Page.FIND, Page.REPLAY, Page.KEEP)


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
        case "games" | "find" | "found" | "more" | "replay" if desk.library is not None:
            return _in_library(touch_state, desk, name, value)
        case "watch" if (seen := touch_state.watching(desk)) is not None:
            return _watched(touch_state, *seen, value), ()
    return touch_state, ()


def _in_library(touch_state: TouchState, desk: Desk, name: str, value: str) -> tuple[TouchState, tuple[KioskWish, ...]]:
    """Return what a touch on the list of games means, or on what is looked for."""
    search, told = touch_state.search, desk.library
    match name:
        case "replay":
            answers = told.answers if told else 0
            return replace(touch_state, page=Page.REPLAY, watch=None, answers=answers), (KioskWish(name, value),)
        case "find" if value in FIELDS:
            return replace(touch_state, page=Page.FIND, search=replace(search, chosen=value, first=0)), ()
        case "more" if touch_state.page is Page.FIND:
            first = max(0, search.first + (CHOICES_SHOWN if value == "on" else -CHOICES_SHOWN))
            return replace(touch_state, search=replace(search, first=first)), ()
        case "more" if value == "on" and told and told.found and told.found.games:
            search = replace(search, before=(*search.before, told.found.games[-1].name))
        case "more":
            search = replace(search, before=search.before[:-1])
        case "found":
            wanted = {field: text for field, text in search.wanted.items() if field != search.chosen}
            search = GameSearch({**wanted, search.chosen: value} if value else wanted, (), search.chosen)
        case _:
            search = search if value else GameSearch()
    return replace(touch_state, page=Page.GAMES, watch=None, search=search), (search.wish(),)


def _watched(touch_state: TouchState, replay: GameReplay, watch: Watch, value: str) -> TouchState:
    """Return what a touch during a replay makes of it; a step stops what plays by itself, `next` is such a step."""
    at, stops = watch.at, {"attack": replay.attacks(), "turn": replay.turning_points()}
    way, _, what = value.partition("-")
    match way:
        case "keep":
            return replace(touch_state, page=Page.KEEP, watch=replace(watch, playing=False))
        case "board":
            return replace(touch_state, page=Page.REPLAY)
        case "eyes":
            return replace(touch_state, watch=replace(watch, eyes=_next(replay.eyes, watch.eyes)))
        case "play":
            begin = 0 if at == replay.last else at
            return replace(touch_state, watch=replace(watch, playing=not watch.playing, at=begin))
        case "next":
            at = min(at + 1, replay.last)
            return replace(touch_state, watch=replace(watch, at=at, playing=watch.playing and at < replay.last))
        case "on":
            at = next((ply for ply in stops.get(what, (at + 1,)) if ply > at), at)
        case "back":
            at = next((ply for ply in reversed(stops.get(what, (at - 1,))) if ply < at), at)
        case "to" if what.isdecimal():
            at = int(what)
    return replace(touch_state, watch=replace(watch, at=max(0, min(at, replay.last)), playing=False))


def _next(values: Sequence[str], value: str) -> str:
    return values[(values.index(value) + 1) % len(values)] if value in values else values[0]


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


def _changed(settings: ScreenSettings, name: str, value: str) -> ScreenSettings:
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
