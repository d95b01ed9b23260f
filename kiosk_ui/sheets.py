"""What lies over the middle of the screen: the lobby, the menu and its pages, as values with buttons. Pure; holds no rules."""

from __future__ import annotations

from dataclasses import dataclass

from kiosk_ui.desk import Desk, Pin
from kiosk_ui.hand import BRIGHTEST, DIMMEST, Hand, Page
from referee.rules.values import Seat
from referee.table.views import Phase, PublicView
from referee.words import LANGUAGES, Words
from referee.words import words as words_of


@dataclass(frozen=True, slots=True)
class Button:
    """Something to touch. `on` is a choice that is made (None: it is no choice), `seat` whose colour it wears."""

    key: str
    text: str
    glyph: str = ""
    seat: Seat | None = None
    on: bool | None = None
    enabled: bool = True
    strong: bool = False
    whole: bool = False
    """Whether it takes a row of its page for itself."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: its title, what it says, its buttons in so many columns, and what was typed as dots (None: nothing is typed here)."""

    title: str
    lines: tuple[str, ...]
    buttons: tuple[Button, ...]
    columns: int = 2
    typed: int | None = None


_OPTIONS = ("rules", "mode", "reveal", "clock")
_SHORT, _LONGEST = 5, 16
"""A choice of no more letters than the first stays on the line of its option's last word, if both have no more than the second."""
_SEATS = frozenset(seat.value for seat in Seat)
_BETWEEN_GAMES = (None, Phase.LOBBY, Phase.FINISHED)
_CAN_PAUSE = (
    Phase.SETTING_UP,
    Phase.WAITING_FOR_MOVE,
    Phase.PIECE_IN_HAND,
    Phase.WAITING_FOR_DECLARATIONS,
    Phase.WAITING_FOR_BOARD,
    Phase.RESTORING,
)


def sheet(hand: Hand, desk: Desk, view: PublicView | None, words: Words) -> Sheet | None:
    """Give the page that lies open, the lobby where there is no board yet, or None where the board is to be seen."""
    phase = None if view is None else view.phase
    playing = phase not in _BETWEEN_GAMES
    if playing and hand.page is not Page.PIN and any(chair.abort for chair in desk.chairs):
        return _abort(desk, words)
    match hand.page:
        case Page.MENU:
            return _menu(desk, view, words)
        case Page.LANGUAGE:
            return _languages(hand, words)
        case Page.SCREEN:
            return _screen(hand, words)
        case (Page.RULES | Page.MODE | Page.REVEAL | Page.CLOCK) as page:
            return _choice(page, desk, words)
        case Page.OPTIONS:
            return _rule_options(desk, words)
        case Page.PIN:
            return _pin(hand, desk, words)
        case Page.ABORT if playing:
            return _abort(desk, words)
    return _lobby(desk, words) if phase in (None, Phase.LOBBY) and desk.chairs else None


def asks_to_abort(hand: Hand, desk: Desk, view: PublicView | None) -> bool:
    """Tell whether each side shows its button that agrees to break off."""
    if view is None or view.phase in _BETWEEN_GAMES:
        return False
    return hand.page is Page.ABORT or any(chair.abort for chair in desk.chairs)


def rule_options(desk: Desk) -> tuple[str, ...]:
    """Give the names of what the rule set leaves open."""
    return tuple(name for name, values in desk.choices.items() if values and name not in _OPTIONS)


def option_text(name: str, value: str, words: Words) -> str:
    """Give the words for a value of an option; a house rule set has only its own name."""
    if name == "clock":
        return clock_text(value, words)
    key = {"rules": "rule-set"}.get(name, name)
    return words.get(f"{key}.{value}", value)


def short_option_text(name: str, value: str, words: Words) -> str:
    """Give fewer words for it, where there are some: on the lobby's buttons there is little room."""
    return words.get(f"kiosk.{name}-{value}") or option_text(name, value, words)


def clock_text(value: str, words: Words) -> str:
    """Give the words for a clock from its word, `fischer:20:10`; what cannot be spelt out stays as it is."""
    kind, *numbers = value.split(":")
    names = {"none": (), "sudden-death": ("minutes",), "per-move": ("seconds",)}.get(kind, ("minutes", "seconds"))
    if f"clock.{kind}" not in words or len(names) != len(numbers):
        return value
    return words.say(f"clock.{kind}", **dict(zip(names, numbers, strict=True)))


def _lobby(desk: Desk, words: Words) -> Sheet:
    settings = [
        Button(f"page={name}", short_option_text(name, desk.options[name], words), name)
        for name in _OPTIONS
        if name in desk.options
    ]
    if rule_options(desk):
        settings.append(Button("page=options", words["rules.options"], "options"))
    missing = ", ".join(words.seat(chair.seat) for chair in desk.chairs if not chair.paired)
    waiting = (words.say("turn.waiting-for", seat=missing),) if missing else ()
    return Sheet(
        words["kiosk.next-game"],
        (*waiting, *_address(desk), *_sensors(desk, words)),
        (
            *settings,
            Button("page=language", words["language.name"], "language"),
            Button("page=screen", words["kiosk.screen"], "screen"),
            Button("start", words["kiosk.start"], "start", enabled=desk.complete, strong=True, whole=True),
        ),
    )


def _menu(desk: Desk, view: PublicView | None, words: Words) -> Sheet:
    # a referee that has told nothing of its seats, as that of a demo, takes no wishes either
    phase = view.phase if view is not None and desk.chairs else None
    buttons: list[Button] = []
    if phase is Phase.PAUSED:
        buttons.append(Button("resume", words["kiosk.resume"], "start"))
    elif phase in _CAN_PAUSE:
        buttons.append(Button("pause", words["kiosk.pause"], "pause"))
    if phase is not None and phase not in _BETWEEN_GAMES:
        called = desk.arbiter or bool(view and view.called)
        text = words["kiosk.arbiter-called" if called else "kiosk.arbiter"]
        buttons.append(Button("arbiter", text, "arbiter", enabled=not called))
    buttons += [
        Button("page=language", words["kiosk.language"], "language"),
        Button("page=screen", words["kiosk.screen"], "screen"),
    ]
    if phase is Phase.FINISHED:
        buttons += [Button(f"page={name}", words[f"kiosk.{name}"], name) for name in _OPTIONS if name in desk.choices]
        if rule_options(desk):
            buttons.append(Button("page=options", words["rules.options"], "options"))
    buttons += [
        Button(f"pair={chair.seat.value}", words["kiosk.pair"], "pair", chair.seat)
        for chair in desk.chairs
        if chair.paired
    ]
    if phase is not None and phase not in _BETWEEN_GAMES:
        buttons.append(Button("page=abort", words["kiosk.abort"], "abort"))
    return Sheet(words["kiosk.menu"], _sensors(desk, words), (*buttons, _back(words)))


def _address(desk: Desk) -> tuple[str, ...]:
    """Give where codes are typed, once for many seats: their cards have no room for it."""
    links = [chair.link for chair in desk.chairs if chair.link]
    return (typed_address(links[0]),) if links and len(desk.chairs) > 2 else ()


def typed_address(link: str) -> str:
    """Give what is typed into a phone without a camera: a join link up to its path."""
    return link.removeprefix("http://").partition("/")[0]


def _sensors(desk: Desk, words: Words) -> tuple[str, ...]:
    return (words[f"health.{desk.sensors}"],) if desk.sensors else ()


def _languages(hand: Hand, words: Words) -> Sheet:
    names = tuple(
        Button(f"language={language}", words_of(language)["language.name"], on=language == hand.settings.language)
        for language in LANGUAGES
    )
    return Sheet(words["kiosk.language"], (), (*names, _back(words)))


def _screen(hand: Hand, words: Words) -> Sheet:
    settings = hand.settings
    return Sheet(
        words["kiosk.screen"],
        (words.labelled(words["kiosk.brightness"], f"{settings.brightness}\u00a0%"),),
        (
            Button("brightness=down", words["kiosk.darker"], "darker", enabled=settings.brightness > DIMMEST),
            Button("brightness=up", words["kiosk.brighter"], "brighter", enabled=settings.brightness < BRIGHTEST),
            Button("sound", words["kiosk.sound"], on=settings.sound),
            Button("motion", words["kiosk.motion"], on=settings.motion),
            Button("turned", words["kiosk.turned"], on=settings.turned),
            _back(words),
        ),
    )


def _choice(page: Page, desk: Desk, words: Words) -> Sheet:
    name = page.value
    chosen = desk.options.get(name)
    values = desk.choices.get(name, ()) or ((chosen,) if chosen else ())
    buttons = tuple(Button(f"{name}={value}", option_text(name, value, words), on=value == chosen) for value in values)
    return Sheet(
        words[f"kiosk.{name}"], (), (*buttons, _back(words)), columns=2 if page in (Page.RULES, Page.CLOCK) else 1
    )


def _rule_options(desk: Desk, words: Words) -> Sheet:
    """Give a page where each touch takes the next choice of what the rule set leaves open."""
    buttons = []
    for name in rule_options(desk):
        values, chosen = desk.choices[name], desk.options.get(name, "")
        following = values[(values.index(chosen) + 1) % len(values)] if chosen in values else values[0]
        title = words.get(f"option.{name}", name)
        buttons.append(Button(f"option={name}={following}", _rule_text(title, _rule_value(chosen, words), words)))
    return Sheet(words["rules.options"], (), (*buttons, _back(words)))


def _rule_text(title: str, value: str, words: Words) -> str:
    """Give an option with its choice; a short one never stands on a line by itself."""
    said = words.labelled(title, value)
    together = len(value) <= _SHORT and len(title.split()[-1]) + len(value) <= _LONGEST
    return f"{said[: -len(value) - 1]}\u00a0{value}" if together else said


def _rule_value(value: str, words: Words) -> str:
    """Give the words for one choice; a number says itself, and none of a number is no."""
    if value in ("yes", "no", "0"):
        return words["answer.yes" if value == "yes" else "answer.no"]
    if value in _SEATS:
        return words.seat(Seat(value))
    return words.get(f"option-value.{value}", value)


def _pin(hand: Hand, desk: Desk, words: Words) -> Sheet:
    said = {Pin.WRONG: "kiosk.pin-wrong", Pin.WAIT: "kiosk.pin-wait"}.get(desk.pin)
    digits = tuple(Button(f"digit={digit}", digit) for digit in "123456789")
    return Sheet(
        words["kiosk.pin"],
        (words[said] if said else "",),
        (
            *digits,
            Button("erase", "", "erase"),
            Button("digit=0", "0"),
            Button("enter", "", "enter", enabled=bool(hand.typed)),
            _back(words),
        ),
        columns=3,
        typed=len(hand.typed),
    )


def _abort(desk: Desk, words: Words) -> Sheet:
    agreed = tuple(words.say("kiosk.abort-agreed", seat=words.seat(chair.seat)) for chair in desk.chairs if chair.abort)
    arbiter: tuple[Button, ...] = ()
    if desk.pin is Pin.OPEN:
        arbiter = (Button("abort=arbiter", words["kiosk.abort-arbiter"], "abort"),)
    elif desk.pin is not Pin.NONE:
        arbiter = (Button("page=pin", words["kiosk.pin"], "lock"),)
    return Sheet(
        words["kiosk.abort"],
        (words["kiosk.abort-ask"], *agreed),
        (*arbiter, Button("play-on", words["kiosk.play-on"], "start", strong=True, whole=True)),
        columns=1,
    )


def _back(words: Words) -> Button:
    return Button("close", words["kiosk.close"], "close", whole=True)
