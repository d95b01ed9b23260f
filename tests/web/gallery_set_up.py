"""The screens on which a set-up is entered, each as what the referee announced and what the player then tapped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from referee.rules import rule_set
from referee.rules.values import Seat
from referee.table.settings import TableSettings
from referee.table.table import Table
from referee.table.views import Mode, Phase

Happening = dict[str, Any]
Told = tuple[str, Seat, tuple[Happening, ...], str]
"""A screen's name, whose it is, what happened, the rule set."""

FOUR_ROWS = """
 2  6  9  2  8  2  7  2  6  2
 3 10  5  7  1  5  2  6  8  4
 5  4  B  3  2  7  B  3  5  2
 4  B  F  B  3  B  4  B  3  6
"""
NO_WAY_OUT = """
 B  B  9  2  B  B  7  2  B  B
 3 10  5  7  1  5  2  6  8  4
 5  4  6  3  2  7  2  3  5  2
 4  8  F  2  3  6  4  2  3  6
"""
TEN = ".......... / . . 2 . 10 . . 1 . . / . 3 . . B . . . 9 . / . . . 3 F B . 2 . ."
CASTLE = "10 9 8 8 7 7 6 / 6 6 5 5 5 4 / 4 4 3 3 3 2 1"
WRONG = FOUR_ROWS.replace(" 10  5", " 10 10").replace(" 9 ", " Q ").replace(" 3  6\n", " F  pawn\n")


def told_set_ups() -> Iterator[Told]:
    """Yield all set-up screens, in the order in which a player meets them."""
    red, blue = Seat.RED, Seat.BLUE
    yield "set-up-empty", blue, _begun("original", blue), "original"
    yield (
        "set-up-duel",
        red,
        (*_begun("duel", red), *_read(TEN), _tap("[data-square=e1]"), _tap(".tray .spare")),
        "duel",
    )
    half = FOUR_ROWS.replace("2", ".").replace("5", ".")
    yield "set-up-picked", red, (*_begun("original", red), *_read(half), _tap("[data-rank=scout]")), "original"
    yield "set-up-complete", red, (*_begun("original", red), *_read(FOUR_ROWS)), "original"
    yield "set-up-square", blue, (*_begun("original", blue), *_read(FOUR_ROWS), _tap("[data-square=h10]")), "original"
    yield "set-up-stuck", red, (*_begun("original", red), *_read(NO_WAY_OUT)), "original"
    handed = (*_begun("original", red), *_read(FOUR_ROWS), _tap("[data-step=hand-in]"), _accepted())
    yield "set-up-handed-in", red, handed, "original"
    yield "set-up-changed", red, (*handed, _tap("[data-tool=mirror]")), "original"
    yield "set-up-sending", red, handed[:-1], "original"
    refused = {"type": "rejected", "id": "r-1", "re": "x-1", "reason": "bad-set-up"}
    detail = ["too-many miner 2 a1 b1 c1", "too-few flag 1", "square-empty a2 b2 c2 d2 e2 f2 g2", "outside-zone e5"]
    yield "set-up-refused", red, (*handed[:-1], {"type": "letter", "value": {**refused, "detail": detail}}), "original"
    menu = {"type": "sheet", "sheet": {"name": "menu"}}
    playing = _begun("original", red, phase=Phase.WAITING_FOR_MOVE, sealed=True)
    yield "set-up-sealed", red, (*playing, menu), "original"
    yield "set-up-hidden", red, (*handed, {"type": "cover", "covered": True}), "original"
    yield from _drawers(red)
    yield "set-up-infiltrator", blue, _begun("infiltrator", blue), "infiltrator"
    yield "set-up-classic", red, _begun("classic", red), "classic"
    for rules in ("stratego4", "stratego4-three"):
        yield f"set-up-{rules}", Seat.GREEN, (*_begun(rules, Seat.GREEN), *_read(CASTLE)), rules
    yield "set-up-yellow", Seat.YELLOW, _begun("stratego4-teams", Seat.YELLOW), "stratego4-teams"


def _drawers(seat: Seat) -> Iterator[Told]:
    begun = (*_begun("original", seat), *_read(FOUR_ROWS))
    yield "set-up-text", seat, (*begun, _tap("[data-tool=text]")), "original"
    yield "set-up-text-faults", seat, (*begun, *_read(WRONG)), "original"
    saved = [*begun, _tap("[data-tool=saved]")]
    yield "set-up-none-saved", seat, tuple(saved), "original"
    for name in ("Storm on the left", "Flag in the corner", "Donaudampfschifffahrtsgesellschaftskapitän"):
        saved += [_fill(".drawer input", name), _tap(".drawer form button")]
    yield "set-up-saved", seat, tuple(saved), "original"
    yield "set-up-delete", seat, (*saved, _tap(".drawer li button:last-child")), "original"


def _begun(rules: str, seat: Seat, *, phase: Phase = Phase.SETTING_UP, sealed: bool = False) -> tuple[Happening, ...]:
    table = Table(TableSettings("kitchen", f"g-{rules}", rule_set(rules), Mode.ENROL))
    info = table.info()
    if sealed:
        info = replace(info, roots={seat: "3f9a6c01" * 8})
    view = replace(table.view(), phase=phase, turn=seat, waiting_for=tuple(info.seats))
    return (
        {"type": "up"},
        {"type": "status", "value": {"up": True, "boot": 1, "session": "0" * 16}},
        {"type": "info", "value": _plain(info)},
        {"type": "view", "value": _plain(view)},
    )


def _read(text: str) -> tuple[Happening, ...]:
    return (
        _tap("[data-tool=text]"),
        _fill(".drawer textarea", text),
        _tap(".drawer .pair button"),
    )


def _accepted() -> Happening:
    return {"type": "letter", "value": {"type": "accepted", "id": "r-1", "re": "x-1"}}


def _tap(at: str) -> Happening:
    return {"type": "tap", "at": at}


def _fill(at: str, text: str) -> Happening:
    return {"type": "fill", "at": at, "text": text}


def _plain(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))
