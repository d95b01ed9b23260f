"""Made-up tables for pictures and tests, read from `fixtures.toml` beside this file, which says how they are written."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from kiosk_ui.received_state import Desk, ReceivedState
from kiosk_ui.screen import ScreenState, screen_state
from kiosk_ui.seen_again import GameReplay, read_replay
from kiosk_ui.touch_state import GameSearch, Page, ScreenSettings, Showing, TouchState, Watch
from referee.presentation.scenes import Duel
from referee.presentation.sentences import Contact
from referee.presentation.state import KioskState
from referee.rules import OptionValue, rule_set
from referee.rules.values import Rank, Seat
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import BoardShape, Finale, Phase, PublicInfo, PublicView
from referee.words import words

_FILE = Path(__file__).with_suffix(".toml")
_ARMIES = {seat.value[0]: seat.value for seat in Seat}


@dataclass(frozen=True, slots=True)
class Sample:
    """One made-up moment: what was received, and whether the referee is still there."""

    name: str
    info: PublicInfo | None = None
    view: PublicView | None = None
    contact: Contact = Contact.LIVE
    newest: Mapping[Seat, Rank] = field(default_factory=dict)
    desk: Desk = field(default_factory=Desk)
    page: Page | None = None
    typed: str = ""
    far: bool = False
    duel: Duel | None = None
    showing: Showing | None = None
    voice: bool = True
    wifi: tuple[str, str] | None = None
    watch: Watch | None = None
    search: GameSearch = field(default_factory=GameSearch)

    @property
    def received(self) -> ReceivedState:
        """Return what a kiosk has received at this moment."""
        live = self.contact is Contact.LIVE
        broker = self.contact is not Contact.NO_BROKER
        return ReceivedState(broker, live, self.info, self.view, self.newest, self.desk, self.duel)

    def state(self, language: str) -> KioskState:
        """Return the table as a screen in this language shows it."""
        return self.received.state(words(language))

    def screen(self, language: str, turned: bool = False) -> ScreenState:
        """Return all that a screen in this language shows."""
        touched = TouchState(
            ScreenSettings(language, turned=turned, wifi=self.wifi),
            self.page,
            self.typed,
            far=self.far,
            voice=self.voice,
            watch=self.watch,
            search=self.search,
        )
        return screen_state(self.received, touched, showing=self.showing)


def samples() -> tuple[Sample, ...]:
    """Return those with nothing to touch, in the order in which a game meets them."""
    return tuple(sample for sample in _all() if not sample.desk.chairs)


def touch_samples() -> tuple[Sample, ...]:
    """Return those with something to touch (joining, the menu and its pages, rematch), in the order in which a table meets them."""
    return tuple(sample for sample in _all() if sample.desk.chairs)


@cache
def _all() -> tuple[Sample, ...]:
    document = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    told: dict[str, dict[str, Any]] = {}
    for one in document["moment"]:
        like = told.get(one.get("like"), {})
        merged = {key: like.get(key, {}) | one.get(key, {}) for key in ("view", "desk")}
        told[one["name"]] = {**like, **one, **merged}
    return tuple(_sample(one, document) for one in told.values())


def _sample(told: Mapping[str, Any], document: Mapping[str, Any]) -> Sample:
    plain = {
        name: told[name]
        for name in (
            "name",
            "contact",
            "newest",
            "page",
            "typed",
            "far",
            "duel",
            "showing",
            "voice",
            "wifi",
            "watch",
            "search",
        )
        if name in told
    }
    desk = told["desk"]
    if desk:
        free = _open(told.get("options_of", "infiltrator"))
        by_itself = {name: values[0] for name, values in free.items()}
        desk = {**desk, "options": document["options"] | by_itself, "choices": document["choices"] | free}
    sample = msgspec.convert({**plain, "desk": desk}, type=Sample)
    if "rules" not in told:
        return sample
    info = Table(TableSettings("kitchen", "sample", rule_set(told["rules"]), version="0", finale_ms=60_000)).info()
    names = {Seat(seat): name for seat, name in told.get("names", {}).items()}
    sample = replace(sample, info=replace(info, names=names or info.names), view=_view(info, told))
    if sample.desk.library is None or not told.get("plies"):
        return sample
    assert sample.info is not None
    assert sample.view is not None
    again = _replay(sample.info, sample.view, told)
    return replace(sample, desk=replace(sample.desk, library=replace(sample.desk.library, replay=again)))


def _replay(info: PublicInfo, view: PublicView, told: Mapping[str, Any]) -> GameReplay:
    """Return a game that begins as the table stands, both armies known, with the `plies` that are told: `e3-e4`, `b2xb3=attacker-wins`."""
    ranks, seats = list(info.army), list(info.seats)
    squares = [square.name for square in info.board.squares]
    places = {square: number for number, square in enumerate(view.occupants)}
    turned = _turned(info, view)
    pieces = [
        (seats.index(seat), squares.index(at), ranks.index(turned[at]), squares.index(at))
        for at, seat in view.occupants.items()
    ]
    plies: list[Any] = []
    for ply in told["plies"]:
        action, _, result = ply.partition("=")
        source, target = re.split("[-x]", action)
        mover, met = places.pop(source), places.get(target, -1)
        goes = [each for each, word in ((mover, "defender-wins"), (met, "attacker-wins")) if result == word]
        if mover not in goes:
            places[target] = mover
        changes = [*((each, -1) for each in goes), *([] if mover in goes else [(mover, squares.index(target))])]
        plies.append((pieces[mover][0], action, result or None, mover, met, -1, changes))
    game = {
        "squares": [(square.name, square.x, square.y) for square in info.board.squares],
        "ranks": [(rank, info.numbers.get(rank), 1, many) for rank, many in info.army.items()],
        "seats": seats,
        "ending": ("red", "flag"),
        "pieces": pieces,
        "plies": plies,
        "knows": {},
        "turns": [(number, 0, "secret", 1.0) for number in told.get("turns", ())],
        "times": [7 + 5 * number for number in range(len(plies))],
    }
    return read_replay(
        msgspec.json.encode({"info": info, "game": game}), "http://192.168.1.20:8080/games/2026-11-21-201500-a1b2c3"
    )


def _view(info: PublicInfo, told: Mapping[str, Any]) -> PublicView:
    """Return a quiet moment with these pieces, the first seat to move, nothing captured, but for what is told of it."""
    pieces = _occupants(info.board, told.get("pieces", ())[::-1]) | told.get("put", {})
    quiet = PublicView(
        info.board_id,
        info.game,
        seq=1,
        phase=Phase.WAITING_FOR_MOVE,
        turn=info.seats[0],
        ply=0,
        occupants={square: Seat(army) for square, army in pieces.items() if army},
        captured={seat: {} for seat in info.seats},
        waiting_for=info.seats[:1],
        connected=dict.fromkeys(info.seats, True),
    )
    view = msgspec.convert(msgspec.to_builtins(quiet, str_keys=True) | _nones(told["view"]), type=PublicView)
    return replace(view, turned=_turned(info, view)) if view.finale is Finale.TURNED else view


def _turned(info: PublicInfo, view: PublicView) -> dict[str, Rank]:
    """Return a rank for each piece on the board: what is left of each army, in the order of the squares."""
    left = {
        seat: [rank for rank, of in info.army.items() for _ in range(of - view.captured[seat].get(rank, 0))]
        for seat in info.seats
    }
    return {square: left[seat].pop(0) for square, seat in view.occupants.items()}


def _nones(told: Any) -> Any:
    """Return the same with None for what is empty text, which TOML cannot say."""
    if isinstance(told, list):
        return [_nones(one) for one in told]
    if not isinstance(told, dict):
        return told if told != "" else None
    return {key: _nones(one) for key, one in told.items()}


def _occupants(shape: BoardShape, letters: Sequence[str]) -> dict[str, str]:
    return {
        square.name: _ARMIES[letter]
        for square in shape.squares
        if letters and (letter := letters[int(square.y)][int(square.x)]) in _ARMIES
    }


def _open(rules: str) -> dict[str, tuple[str, ...]]:
    """Return what a rule set leaves open, each with what it is by itself first."""
    return {
        name: tuple(dict.fromkeys(_said(value) for value in (option.value, *option.choices)))
        for name, option in rule_set(rules).options.items()
        if len(option.choices) > 1
    }


def _said(value: OptionValue) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
