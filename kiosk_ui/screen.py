"""Everything that is to be seen at one moment, as one plain value: the table, an open page over the middle, what lies near each player.

A page is the lobby, the menu or one of its pages. Near a player are the way to join, the digits to compare, and what only this side may
touch. Pure; holds no rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import segno

from kiosk_ui.received_state import Chair, Desk, KeptGame, Library, Pin, ReceivedState
from kiosk_ui.seen_again import GameReplay, eyes_text, replay_state
from kiosk_ui.touch_state import (
    BRIGHTEST,
    CHOICES_SHOWN,
    DIMMEST,
    FIELDS,
    GameSearch,
    Page,
    ScreenSettings,
    Showing,
    TouchState,
    Watch,
)
from referee.presentation.scenes import Scene, duel_scene, end_scene
from referee.presentation.sentences import Contact, seal_text, signed_text, wifi_text
from referee.presentation.state import KioskState
from referee.rules.values import Seat
from referee.table.views import Phase, PublicView
from referee.words import LANGUAGES, Words
from referee.words import words as words_in


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
    code: tuple[str, ...] = ()
    """A QR code's rows."""
    full: bool = False
    """Whether it takes the whole window."""


@dataclass(frozen=True, slots=True)
class Strip:
    """What drives a game that is seen again: what was played last, how far it is, where it turned, and buttons.

    `at` and `turns` are plies out of `last`.
    """

    text: str
    at: int
    last: int
    turns: tuple[int, ...]
    buttons: tuple[Button, ...]


# ---- over the middle

_OPTIONS = ("rules", "mode", "reveal", "clock")
_SHORT, _LONGEST = 5, 16
"""A choice of no more letters than the first stays on the line of its option's last word, if both have no more than the second."""
_SEATS = frozenset(seat.value for seat in Seat)
_BETWEEN_GAMES = (None, Phase.LOBBY, Phase.FINISHED)


def sheet(touch_state: TouchState, desk: Desk, view: PublicView | None, words: Words) -> Sheet | None:
    """Return the page that lies open, the lobby where there is no board yet, or None where the board is to be seen."""
    phase = None if view is None else view.phase
    playing = phase not in _BETWEEN_GAMES
    if playing and touch_state.page is not Page.PIN and any(chair.abort for chair in desk.chairs):
        return _abort(desk, words)
    match touch_state.page:
        case Page.MENU:
            return _menu(desk, view, words, touch_state.settings.wifi is not None)
        case Page.LANGUAGE:
            return _languages(touch_state, words)
        case Page.SCREEN:
            return _screen(touch_state, words)
        case (Page.RULES | Page.MODE | Page.REVEAL | Page.CLOCK) as page:
            return _choice(page, desk, words)
        case Page.OPTIONS:
            return _rule_options(desk, words)
        case Page.PIN:
            return _pin(touch_state, desk, words)
        case Page.WIFI if touch_state.settings.wifi:
            return _wifi_page(touch_state.settings.wifi, words)
        case Page.ABORT if playing:
            return _abort(desk, words)
        case Page.SEAL if view is not None and view.chain:
            return _seal(view, words)
        case (Page.GAMES | Page.FIND | Page.REPLAY | Page.KEEP) as page if desk.library is not None and not playing:
            return library_sheet(page, touch_state, desk.library, words)
    if phase not in (None, Phase.LOBBY) or not desk.chairs:
        return None
    newcomers = not any(chair.paired for chair in desk.chairs) and Page.WIFI.value not in touch_state.seen
    if touch_state.settings.wifi and newcomers:  # without it their phones open no seat's code
        return _wifi_page(touch_state.settings.wifi, words)
    return _lobby(desk, words, touch_state.settings.wifi is not None)


def asks_to_abort(touch_state: TouchState, desk: Desk, view: PublicView | None) -> bool:
    """Return whether each side shows its button that agrees to break off."""
    if view is None or view.phase in _BETWEEN_GAMES:
        return False
    return touch_state.page is Page.ABORT or any(chair.abort for chair in desk.chairs)


def rule_options(desk: Desk) -> tuple[str, ...]:
    """Return the names of what the rule set leaves open."""
    return tuple(name for name, values in desk.choices.items() if values and name not in _OPTIONS)


def option_text(name: str, value: str, words: Words) -> str:
    """Return the words for a value of an option; a house rule set has only its own name."""
    if name == "clock":
        return clock_text(value, words)
    key = {"rules": "rule-set"}.get(name, name)
    return words.get(f"{key}.{value}", value)


def short_option_text(name: str, value: str, words: Words) -> str:
    """Return fewer words for it, where there are some: on the lobby's buttons there is little room."""
    return words.get(f"kiosk.{name}-{value}") or option_text(name, value, words)


def clock_text(value: str, words: Words) -> str:
    """Return the words for a clock from its word, `fischer:20:10`; what cannot be spelt out stays as it is."""
    kind, *numbers = value.split(":")
    names = {"none": (), "sudden-death": ("minutes",), "per-move": ("seconds",)}.get(kind, ("minutes", "seconds"))
    if f"clock.{kind}" not in words or len(names) != len(numbers):
        return value
    return words.say(f"clock.{kind}", **dict(zip(names, numbers, strict=True)))


def _lobby(desk: Desk, words: Words, wifi: bool) -> Sheet:
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
            *_wifi_button(wifi, words),
            *([Button("games=", words["games.all"], "games")] if desk.library is not None else []),
            Button("start", words["kiosk.start"], "start", enabled=desk.complete, strong=True, whole=True),
        ),
    )


def _menu(desk: Desk, view: PublicView | None, words: Words, wifi: bool) -> Sheet:
    # a referee that sends no notes of its seats, as that of a demo, takes no wishes either
    phase = view.phase if view is not None and desk.chairs else None
    playing = phase not in _BETWEEN_GAMES
    buttons: list[Button] = []
    if phase is Phase.PAUSED:
        buttons.append(Button("resume", words["kiosk.resume"], "start"))
    elif playing:
        buttons.append(Button("pause", words["kiosk.pause"], "pause"))
    if playing:
        called = desk.arbiter or bool(view and view.called)
        text = words["kiosk.arbiter-called" if called else "kiosk.arbiter"]
        buttons.append(Button("arbiter", text, "arbiter", enabled=not called))
    buttons += [
        Button("page=language", words["kiosk.language"], "language"),
        Button("page=screen", words["kiosk.screen"], "screen"),
    ]
    if (
        phase is Phase.FINISHED and view is not None and desk.library is not None and len(desk.chairs) > 2
    ):  # else each side has it
        buttons.append(Button(f"replay={view.game}", words["games.again"], "again"))
    if phase is Phase.FINISHED:
        buttons += [Button(f"page={name}", words[f"kiosk.{name}"], name) for name in _OPTIONS if name in desk.choices]
        if rule_options(desk):
            buttons.append(Button("page=options", words["rules.options"], "options"))
    buttons += [
        Button(f"pair={chair.seat.value}", words["kiosk.pair"], "pair", chair.seat)
        for chair in desk.chairs
        if chair.paired
    ]
    buttons += _wifi_button(wifi, words)
    if view is not None and view.chain:
        buttons.append(Button("page=seal", words["proof.title"], "lock"))
    if playing:
        buttons.append(Button("page=abort", words["kiosk.abort"], "abort"))
    return Sheet(words["kiosk.menu"], _sensors(desk, words), (*buttons, _back(words)))


def _wifi_button(wifi: bool, words: Words) -> list[Button]:
    return [Button("page=wi-fi", words["kiosk.wi-fi"], "wi-fi")] if wifi else []


def _wifi_page(wifi: tuple[str, str], words: Words) -> Sheet:
    """Return the code that takes a phone into the Wi-Fi, and what is typed where there is no camera."""
    return Sheet(
        words["kiosk.wi-fi"], (words["kiosk.wi-fi-first"], "   ".join(wifi)), (_back(words),), code=wifi_rows(wifi)
    )


def wifi_rows(wifi: tuple[str, str]) -> tuple[str, ...]:
    """Return the rows of the QR code that cameras take for a Wi-Fi."""
    return qr_rows(wifi_text(*wifi))


def _address(desk: Desk) -> tuple[str, ...]:
    """Return where codes are typed, once for many seats: their cards have no room for it."""
    links = [chair.link for chair in desk.chairs if chair.link]
    return (typed_address(links[0]),) if links and len(desk.chairs) > 2 else ()


def typed_address(link: str) -> str:
    """Return what is typed into a phone without a camera: a join link up to its path."""
    return link.removeprefix("http://").partition("/")[0]


def _sensors(desk: Desk, words: Words) -> tuple[str, ...]:
    return (words[f"health.{desk.sensors}"],) if desk.sensors else ()


def _languages(touch_state: TouchState, words: Words) -> Sheet:
    names = tuple(
        Button(
            f"language={language}", words_in(language)["language.name"], on=language == touch_state.settings.language
        )
        for language in LANGUAGES
    )
    return Sheet(words["kiosk.language"], (), (*names, _back(words)))


def _screen(touch_state: TouchState, words: Words) -> Sheet:
    settings = touch_state.settings
    return Sheet(
        words["kiosk.screen"],
        (
            "   ".join(
                words.labelled(words[f"kiosk.{name}"], f"{percent}\u00a0%")
                for name, percent in (("brightness", settings.brightness), ("volume", settings.volume))
            ),
            *(() if touch_state.voice else (words["kiosk.voice-missing"],)),
        ),
        (
            Button("brightness=down", words["kiosk.darker"], "darker", enabled=settings.brightness > DIMMEST),
            Button("brightness=up", words["kiosk.brighter"], "brighter", enabled=settings.brightness < BRIGHTEST),
            Button("volume=down", words["kiosk.quieter"], "quieter", enabled=settings.volume > DIMMEST),
            Button("volume=up", words["kiosk.louder"], "louder", enabled=settings.volume < BRIGHTEST),
            Button("sound", words["kiosk.sound"], on=settings.sound),
            Button("spoken", words["kiosk.spoken"], on=settings.spoken, enabled=touch_state.voice),
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
    """Return a page where each touch takes the next choice of what the rule set leaves open."""
    buttons = []
    for name in rule_options(desk):
        values, chosen = desk.choices[name], desk.options.get(name, "")
        following = values[(values.index(chosen) + 1) % len(values)] if chosen in values else values[0]
        title = words.get(f"option.{name}", name)
        buttons.append(Button(f"option={name}={following}", _rule_text(title, _rule_value(chosen, words), words)))
    return Sheet(words["rules.options"], (), (*buttons, _back(words)))


def _rule_text(title: str, value: str, words: Words) -> str:
    """Return an option with its choice; a short one never takes a line by itself."""
    said = words.labelled(title, value)
    together = len(value) <= _SHORT and len(title.split()[-1]) + len(value) <= _LONGEST
    return f"{said[: -len(value) - 1]}\u00a0{value}" if together else said


def _rule_value(value: str, words: Words) -> str:
    """Return the words for one choice; a number says itself, and none of a number is no."""
    if value in ("yes", "no", "0"):
        return words["answer.yes" if value == "yes" else "answer.no"]
    if value in _SEATS:
        return words.seat(Seat(value))
    return words.get(f"option-value.{value}", value)


def _pin(touch_state: TouchState, desk: Desk, words: Words) -> Sheet:
    said = {Pin.WRONG: "kiosk.pin-wrong", Pin.WAIT: "kiosk.pin-wait"}.get(desk.pin)
    digits = tuple(Button(f"digit={digit}", digit) for digit in "123456789")
    return Sheet(
        words["kiosk.pin"],
        (words[said] if said else "",),
        (
            *digits,
            Button("erase", "", "erase"),
            Button("digit=0", "0"),
            Button("enter", "", "enter", enabled=bool(touch_state.typed)),
            _back(words),
        ),
        columns=3,
        typed=len(touch_state.typed),
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


def _seal(view: PublicView, words: Words) -> Sheet:
    """Return the head of the game's chain, to be compared with what phones show, and who has signed the end."""
    signed = signed_text(view, words)
    lines = (seal_text(view.chain), words["proof.compare"], *((signed,) if signed else ()))
    return Sheet(words["proof.title"], lines, (_back(words),))


def _back(words: Words, whole: bool = True) -> Button:
    return Button("close", words["kiosk.close"], "close", whole=whole)


# ---- games that are kept, and one that is seen again


def library_sheet(page: Page, touch_state: TouchState, library: Library, words: Words) -> Sheet | None:
    """Return the list of games, what is looked for, how a phone keeps one, or nothing where one is seen."""
    watched = library.replay if touch_state.watch is not None else None
    match page:
        case Page.KEEP if watched is not None and watched.link:
            back = Button("watch=board", words["kiosk.close"], "close", whole=True)
            return Sheet(
                words["games.keep"],
                (words["kiosk.keep"], watched.link.removeprefix("http://").rpartition("/")[0]),
                (back,),
                code=qr_rows(watched.link),
            )
        case Page.REPLAY | Page.KEEP if watched is not None:
            return None
        case Page.REPLAY if library.answers > touch_state.answers:
            return Sheet(words["games.again"], (_games_fault(library, words),), (_list_button(words), _back(words)))
        case Page.REPLAY:
            return Sheet(words["games.again"], (words["kiosk.wait"],), (_back(words),))
        case Page.FIND:
            return _find(touch_state.search, library, words)
    return _games(touch_state.search, library, words)


def _games(search: GameSearch, library: Library, words: Words) -> Sheet:
    found = library.found
    looked = [
        Button(f"find={name}", words.labelled(words[f"kiosk.games-{name}"], _wanted_text(search, name, words)))
        for name in FIELDS
    ]
    games = (
        []
        if found is None
        else [Button(f"replay={one.name}", _game_text(one, words), whole=True) for one in found.games]
    )
    text = words["kiosk.wait"] if found is None else "" if games else words["games.none"]
    if library.fault:
        text = _games_fault(library, words)
    turns = (
        Button("more=back", words["kiosk.newer-games"], "back", enabled=bool(search.before)),
        Button("more=on", words["games.more"], "on", enabled=found is not None and found.more),
        _back(words, whole=False),
    )
    lines = (text,) if text else ()
    return Sheet(words["games.title"], lines, (*looked, *games, *turns), columns=len(FIELDS), full=True)


def _find(search: GameSearch, library: Library, words: Words) -> Sheet:
    """Return what a field can be, among what the kept games have."""
    name = search.chosen
    values = library.found.choices.get(name, ()) if library.found else ()
    wanted = search.wanted.get(name, "")
    shown = values[search.first : search.first + CHOICES_SHOWN]
    buttons = [Button(f"found={value}", _value_text(name, value, words), on=value == wanted) for value in shown]
    turns = (
        Button("more=back", "", "back", enabled=search.first > 0),
        Button("more=on", "", "on", enabled=search.first + CHOICES_SHOWN < len(values)),
    )
    ways = (
        *(turns if len(values) > CHOICES_SHOWN else ()),
        Button("games=back", words["kiosk.close"], "close", whole=True),
    )
    everything = Button("found=", words["games.any"], on=not wanted, whole=True)
    return Sheet(words[f"kiosk.games-{name}"], (), (everything, *buttons, *ways), columns=3, full=True)


def _wanted_text(search: GameSearch, name: str, words: Words) -> str:
    value = search.wanted.get(name, "")
    return _value_text(name, value, words) if value else words["games.any"]


def _value_text(name: str, value: str, words: Words) -> str:
    if name == "rules":
        return words.get(f"rule-set.{value}", value)
    return _result_text(value, words) if name == "result" else value


def _result_text(winner: str, words: Words) -> str:
    if winner in _SEATS:
        return words.say("result.wins", seat=words.seat(Seat(winner)))
    return words.get(f"result.{winner}", winner)


def _game_text(kept: KeptGame, words: Words) -> str:
    """Return a line of the list: who played, when, by which rules, how long, and who won."""
    names = " \u2013 ".join(
        kept.players.get(seat)
        or (words.say("games.computer", level=kept.computers[seat]) if seat in kept.computers else words.seat(seat))
        for seat in kept.seats
    )
    rules, moves = _value_text("rules", kept.rules, words), words.say("games.moves", count=kept.plies)
    return " \u00b7 ".join(
        text for text in (names, kept.date, rules, moves, _result_text(kept.winner or "none", words)) if text
    )


def _games_fault(library: Library, words: Words) -> str:
    return words["games.no-answer" if library.fault in ("game-on", "busy") else "games.unreadable"]


def _list_button(words: Words) -> Button:
    return Button("games=back", words["games.all"], "games", whole=True)


def strip(replay: GameReplay, watch: Watch, shown: KioskState, words: Words) -> Strip:
    """Return what drives a game that is seen again."""
    turns, fights = replay.turning_points(), replay.attacks()

    def step(key: str, text: str, name: str, possible: bool) -> Button:
        return Button(f"watch={key}", words[text], name, enabled=possible)

    def ways(plies: Sequence[int]) -> tuple[bool, bool]:
        return any(ply < watch.at for ply in plies), any(ply > watch.at for ply in plies)

    turned, fought = ways(turns), ways(fights)
    play = ("kiosk.pause", "pause") if watch.playing else ("report.play", "start")
    buttons = (
        step("back-turn", "kiosk.turn-back", "turn-back", turned[0]),
        step("back-attack", "report.fight-back", "attack-back", fought[0]),
        step("back", "report.back", "back", watch.at > 0),
        step("play", *play, replay.last > 0),
        step("on", "report.on", "on", watch.at < replay.last),
        step("on-attack", "report.fight-on", "attack-on", fought[1]),
        step("on-turn", "kiosk.turn-on", "turn-on", turned[1]),
    )
    text = words.labelled(shown.banner.text, shown.detail) if shown.detail else shown.banner.text
    return Strip(text, watch.at, replay.last, turns, buttons)


def replay_sides(replay: GameReplay, watch: Watch, words: Words) -> tuple[PlayerPanel, PlayerPanel]:
    """Return both sides while a game is seen again: whose eyes look, how to keep it, and the way back."""
    seats = replay.info.seats
    seat = Seat(watch.eyes) if watch.eyes in _SEATS else None
    eyes = Button("watch=eyes", words.labelled(words["report.eyes"], eyes_text(watch.eyes, words)), seat=seat)
    keep = (Button("watch=keep", words["games.keep"]),) if replay.link else ()
    return (
        PlayerPanel(seats[::2], (), (eyes, *keep)),
        PlayerPanel(seats[1::2], (), (Button("games=back", words["games.all"]), Button("close", words["kiosk.close"]))),
    )


# ---- near each player

QUIET = 4
"""Light modules around a QR code, as its standard wants (ISO/IEC 18004)."""


@dataclass(frozen=True, slots=True)
class Card:
    """How one seat is joined, or how its pairing is checked. `code` is the picture's rows of 0 and 1 without its quiet zone.

    Without a seat: how a phone gets into the Wi-Fi.
    """

    seat: Seat | None
    name: str
    text: str
    code: tuple[str, ...] = ()
    digits: str = ""
    question: str = ""
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayerPanel:
    """One player's side, or that of two who share it: cards in the place of the tray (none: the tray is shown), and buttons below."""

    seats: tuple[Seat, ...]
    cards: tuple[Card, ...]
    buttons: tuple[Button, ...]


def sides(
    seats: Sequence[Seat], touch_state: TouchState, desk: Desk, view: PublicView | None, words: Words
) -> tuple[PlayerPanel, ...]:
    """Return both sides; the first and third seat sit on the left. Empty before the seats are known."""
    if not seats:
        return ()
    left, right = (tuple(seats[at::2]) for at in (0, 1))
    return _side(left, touch_state, desk, view, words), _side(right, touch_state, desk, view, words)


@lru_cache(maxsize=16)
def qr_rows(text: str) -> tuple[str, ...]:
    """Return a QR code as rows of 0 and 1, the top one first, without a quiet zone."""
    return tuple("".join("1" if dark else "0" for dark in row) for row in segno.make_qr(text, error="l").matrix)


def _side(
    seats: tuple[Seat, ...], touch_state: TouchState, desk: Desk, view: PublicView | None, words: Words
) -> PlayerPanel:
    chairs = [chair for seat in seats if (chair := desk.chair(seat)) is not None]
    phase = None if view is None else view.phase
    lobby = phase in (None, Phase.LOBBY)
    shown = chairs if lobby else [chair for chair in chairs if touch_state.shows(chair)]
    buttons: list[Button] = []
    if asks_to_abort(touch_state, desk, view):
        agreed = {chair.seat for chair in chairs if chair.abort}
        text = words["kiosk.abort-agree"]
        buttons = [Button(f"abort={seat.value}", text, seat=seat, on=seat in agreed) for seat in seats]
    elif shown and not lobby:
        buttons = [Button(f"seen={chair.seat.value}", words["kiosk.seen"], seat=chair.seat) for chair in shown]
    elif phase is Phase.FINISHED:
        text = words["kiosk.again"]
        buttons = [Button(f"rematch={chair.seat.value}", text, seat=chair.seat, on=chair.rematch) for chair in chairs]
        if view is not None and desk.library is not None and len(buttons) == 1:  # where more sit the menu has it
            buttons.append(Button(f"replay={view.game}", words["games.again"]))
    return PlayerPanel(seats, tuple(_card(chair, words) for chair in shown), tuple(buttons))


def _card(chair: Chair, words: Words) -> Card:
    name = words.seat(chair.seat)
    if chair.digits:
        text = words["kiosk.thrown-off"] if chair.again else words["kiosk.paired"]
        question = words["kiosk.compared" if chair.compared else "kiosk.compare"]
        return Card(chair.seat, name, text, digits=f"{chair.digits[:3]} {chair.digits[3:]}", question=question)
    if chair.link:
        hints = (typed_address(chair.link), *((chair.code,) if chair.code else ()))
        return Card(chair.seat, name, words["kiosk.scan"], code=qr_rows(chair.link), hints=hints)
    return Card(chair.seat, name, words["kiosk.paired" if chair.paired else "kiosk.wait"])


# ---- all of it


@dataclass(frozen=True, slots=True)
class Idle:
    """How to begin, in one sentence, and the cards of the seats that are free; `place` counts on, so that no picture burns itself in."""

    title: str
    cards: tuple[Card, ...]
    place: int = 0


def showing_between(before: ReceivedState, after: ReceivedState) -> Showing | None:
    """Return what the step from one moment to the next is shown large for: the end of a game, a verdict, or nothing."""
    if before.table is None or after.table is None or before.table[0].game != after.table[0].game:
        return None
    if before.table[1].result is None and after.table[1].result is not None:
        return Showing.END
    return Showing.DUEL if after.duel is not None and after.duel is not before.duel else None


def _scene(showing: Showing | None, received: ReceivedState, words: Words) -> Scene | None:
    if received.table is None or received.contact is not Contact.LIVE:
        return None
    info, view = received.table
    if showing is Showing.DUEL and received.duel is not None:
        return duel_scene(received.duel, info, words)
    return end_scene(info, view, words) if showing is Showing.END else None


def _idle(
    received: ReceivedState, sides: Sequence[PlayerPanel], place: int, words: Words, wifi: tuple[str, str] | None
) -> Idle:
    if received.contact is not Contact.LIVE:
        return Idle(words[f"kiosk.{received.contact.value}"], (), place)
    cards = tuple(card for side in sides for card in side.cards if card.code)
    if cards and wifi:
        first = Card(None, words["kiosk.wi-fi"], words["kiosk.wi-fi-first"], wifi_rows(wifi))
        cards = (first, *cards)
    return Idle(words["kiosk.idle-join" if cards else "kiosk.idle-touch"], cards, place)


@dataclass(frozen=True, slots=True)
class ScreenState:
    """What one screen shows. Two equal ones look the same: nothing has to be drawn again."""

    table: KioskState
    sides: tuple[PlayerPanel, ...]
    """Left and right; empty before the seats are known."""
    sheet: Sheet | None
    settings: ScreenSettings
    sheet_turned: bool = False
    """Whether the page is shown upside down, for the player opposite."""
    strip: Strip | None = None
    """What drives a game that is seen again, in the place of a banner."""
    scene: Scene | None = None
    """What is shown large over the board for a moment."""
    idle: Idle | None = None
    """What is shown instead of everything while no game is on."""


def screen_state(
    received: ReceivedState,
    touch_state: TouchState,
    passed_ms: int = 0,
    showing: Showing | None = None,
    place: int = 0,
) -> ScreenState:
    """Return what a screen shows after all that was received and touched, so long after the view was received.

    A page that lies open hides what is `showing` large; `place` says where the idle screen's picture stands.
    """
    spoken = words_in(touch_state.settings.language)
    table = received.table
    view = table[1] if table else None
    seats = table[0].seats if table else tuple(chair.seat for chair in received.desk.chairs)
    live = received.contact is Contact.LIVE
    shown = received.state(spoken, passed_ms)
    if received.desk.arbiter and live:
        shown = replace(shown, detail=spoken["kiosk.arbiter-called"])
    page = sheet(touch_state, received.desk, view, spoken)
    if (seen := touch_state.watching(received.desk)) is not None and live:
        shown = replay_state(seen[0], seen[1].at, seen[1].eyes, spoken)
        return ScreenState(
            table=shown,
            sides=replay_sides(*seen, spoken),
            sheet=page,
            settings=touch_state.settings,
            sheet_turned=touch_state.settings.turned and touch_state.far,
            strip=strip(*seen, shown, spoken),
        )
    both = sides(seats, touch_state, received.desk, view, spoken) if live or table else ()
    return ScreenState(
        table=shown,
        sides=both,
        sheet=page,
        settings=touch_state.settings,
        sheet_turned=touch_state.settings.turned and touch_state.far,
        scene=_scene(showing, received, spoken) if page is None else None,
        idle=_idle(received, both, place, spoken, touch_state.settings.wifi) if showing is Showing.IDLE else None,
    )
