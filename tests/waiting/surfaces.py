"""What kiosk, terminal and phone show of a situation, as text: the sentences of the real screens, not of copies of them."""

from __future__ import annotations

import contextlib
import io
import json
import queue
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unittest.mock import patch

import msgspec
from playwright.sync_api import Page

from kiosk_ui.received_state import Desk, ReceivedState
from kiosk_ui.screen import screen_state
from kiosk_ui.touch_state import ScreenSettings, TouchState
from referee.handset.line_handset import Events
from referee.handset.terminal_handset import TerminalHandset
from referee.net.broker.access import SeatPairing
from referee.net.credential import Address, KeyPair
from referee.net.links.handset_link import HandsetLink
from referee.net.pairing.handshake import Joined
from referee.net.topics.payloads import LinkDown, LinkUp, Status, ToSeat
from referee.presentation import text_board
from referee.presentation.sentences import Contact
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.table.messages import Question, SeatState
from referee.table.views import PublicInfo, PublicView
from referee.web.files import rule_sheet
from tests.web.gallery import SHOW


@dataclass(frozen=True, slots=True)
class Shown:
    """What a screen is given: the table, whether broker and referee are there, and what its own seat was asked and has said."""

    name: str
    info: PublicInfo | None = None
    view: PublicView | None = None
    contact: Contact = Contact.LIVE
    seat: Seat | None = None
    """Whose phone or terminal it is; None for the kiosk."""
    question: Question | None = None
    free: tuple[Seat, ...] | None = None
    desk: Desk = field(default_factory=Desk)
    stage: str = "table"
    """Which screen of the phone it is."""
    more: tuple[dict[str, Any], ...] = ()
    """What else happened on the phone."""


# ---- the kiosk


def kiosk_text(shown: Shown, language: str) -> str:
    """Return all sentences and all buttons that can be touched."""
    broker, referee = shown.contact is not Contact.NO_BROKER, shown.contact is Contact.LIVE
    received = ReceivedState(broker, referee, shown.info, shown.view, desk=shown.desk)
    screen = screen_state(received, TouchState(ScreenSettings(language)))
    table, sheet = screen.table, screen.sheet
    heads = [f"{head.name}: {head.note}" for tray in table.trays for head in tray.heads]
    cards = [text for side in screen.sides for card in side.cards for text in (card.text, card.question)]
    page = [] if sheet is None else [sheet.title, *sheet.lines]
    buttons = [button for side in screen.sides for button in side.buttons] + ([] if sheet is None else [*sheet.buttons])
    return "\n".join([table.banner.text, table.detail, *heads, *cards, *page, *(b.text for b in buttons if b.enabled)])


# ---- the terminal

_WIDE = 400


def terminal_text(shown: Shown, language: str) -> str:
    """Return what a player's terminal shows, on one wide enough that no sentence is folded into its neighbours.

    Without board and captured pieces, which would have to be read for a sentence, and take longer to draw than all the rest.
    """
    assert shown.seat is not None
    joined = _joined(shown.seat)
    events: Events = queue.SimpleQueue()
    for item in _heard(shown, shown.seat):
        events.put(item)
    events.put(None)
    with contextlib.redirect_stdout(io.StringIO()) as out, _wide(), _upper_lines():
        handset = TerminalHandset(joined, HandsetLink(joined.credential, on_value=events.put), language)
        handset._console.width = _WIDE
        handset._digits = None
        handset.serve(events)
        out.truncate(0)
        handset._drawn = ""
        handset._draw()
    return out.getvalue()


def _wide() -> AbstractContextManager[object]:
    return patch.object(text_board, "WIDTH", _WIDE)


def _upper_lines() -> AbstractContextManager[object]:
    return patch.object(text_board, "drawn", text_board._banner)


def _heard(shown: Shown, seat: Seat) -> Iterator[Any]:
    yield LinkUp()
    yield Status(shown.contact is not Contact.NO_REFEREE, 1, "0" * 16, free=shown.free)
    if shown.info is not None and shown.view is not None:
        yield shown.info
        yield shown.view
        yield ToSeat(_state_of(shown, seat), 1)
    if shown.contact is Contact.NO_BROKER:
        yield LinkDown("gone")


def _state_of(shown: Shown, seat: Seat) -> SeatState:
    view = shown.view
    assert view is not None
    ready = seat not in view.waiting_for
    return SeatState(id="r1", seat=seat, ply=view.ply, ready=ready, own={}, seen={}, question=shown.question, seed="")


@cache
def _joined(seat: Seat) -> Joined:
    keys = KeyPair.create()
    grant = SeatPairing(Address("127.0.0.1", 1), "kitchen", KeyPair.create().public).grant(seat, keys.public)
    return Joined(grant.credential.with_keys(keys), "482913")


# ---- the phone

_READ = """
(within) => {
    const page = document.querySelector("#page");
    const seen = (node) => node.closest(within) && !node.closest(".spoken, :disabled") && node.checkVisibility();
    const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) if (seen(walker.currentNode.parentElement)) texts.push(walker.currentNode.data);
    return texts.join("\\n");
}
"""
_READ_ALL = f"""
async ([language, within]) => {{
    const show = {SHOW};
    const read = {_READ};
    const texts = [];
    for (const screen of globalThis.waiting) {{
        const rules = globalThis.rules[screen.rules] ?? null;
        await show({{ ...screen, rules, wishes: {{ language, direction: "as-printed", large: false }} }});
        texts.push(read(within));
    }}
    return texts;
}}
"""


def give_phone(page: Page, every: Sequence[Shown]) -> None:
    """Hand an open gallery page all that it is to show; the rules of each game once."""
    names = {shown.info.rule_set for shown in every if shown.info is not None}
    rules = {name: rule_sheet(rule_set(name)) for name in names if name in _SHIPPED}
    text = json.dumps([[_told(shown) for shown in every], rules])
    page.evaluate("(text) => { [globalThis.waiting, globalThis.rules] = JSON.parse(text); }", text)


def phone_texts(page: Page, language: str, within: str = "#page") -> list[str]:
    """Return what can be read on each, but for what only a screen reader says and for buttons that cannot be tapped."""
    texts: list[str] = page.evaluate(_READ_ALL, [language, within])
    return texts


_SHIPPED = ("duel", "original", "infiltrator", "stratego4", "stratego4-teams", "stratego4-three")


def _told(shown: Shown) -> dict[str, Any]:
    assert shown.seat is not None
    seat = shown.seat.value
    place = {"seat": seat, "digits": "482913", "confirmed": True, "user": f"kitchen.{seat}", "board": "kitchen"}
    happened: list[dict[str, Any]] = []
    if shown.contact is not Contact.NO_BROKER or shown.view is not None:
        status = {"up": shown.contact is not Contact.NO_REFEREE, "boot": 1, "session": "0" * 16}
        free = {} if shown.free is None else {"free": [each.value for each in shown.free]}
        happened += [{"type": "up"}, {"type": "status", "value": {**status, **free}}]
    if shown.info is not None and shown.view is not None:
        letter = _plain(_state_of(shown, shown.seat))
        happened += [
            {"type": "info", "value": _plain(shown.info)},
            {"type": "view", "value": _plain(shown.view)},
            {"type": "asking"},
            {"type": "letter", "value": letter},
        ]
    happened += shown.more
    if shown.contact is Contact.NO_BROKER:
        happened.append({"type": "down"})
    rules = shown.info.rule_set if shown.info else ""
    return {"name": shown.name, "stage": shown.stage, "place": place, "happenings": happened, "rules": rules}


def _plain(value: object) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))
