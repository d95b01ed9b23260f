"""Made-up moments with something to touch: joining, the menu and its pages, rematch. For pictures and tests, like `samples`."""

from __future__ import annotations

from dataclasses import replace

from kiosk_ui.desk import Chair, Desk, Pin
from kiosk_ui.hand import Page
from kiosk_ui.samples import Sample, samples
from referee.rules.values import Rank, Seat

_R, _B, _G, _Y = Seat.RED, Seat.BLUE, Seat.GREEN, Seat.YELLOW
_LINK = "http://192.168.1.20:8080/join#5xV0rJ2mQ9yAZk3TnB7cWg&0123456789abcdef0123456789abcdef"
_RULES = ("original", "classic", "vintage", "duel", "barrage", "infiltrator")
_OPTIONS = {"rules": "original", "mode": "declare", "reveal": "book"}
_CHOICES = {
    "rules": _RULES,
    "mode": ("declare", "enrol"),
    "reveal": ("book", "attacker-only", "result-only"),
}


def touch_samples() -> tuple[Sample, ...]:
    """Give all of them, in the order in which a table meets them."""
    known = {sample.name: sample for sample in samples()}
    middle, won, castle = known["middle"], known["won"], known["four-armies"]
    joining = _desk(Chair(_R, digits="482913", paired=True), Chair(_B, link=_LINK, code="K7Q 2MX"))
    here = _desk(Chair(_R, digits="482913", paired=True), Chair(_B, digits="077302", paired=True))
    playing = _desk(Chair(_R, paired=True), Chair(_B, paired=True))
    again = _desk(Chair(_R, paired=True), Chair(_B, digits="615240", again=True, paired=True))
    agreed = _desk(Chair(_R, paired=True, abort=True), Chair(_B, paired=True))
    rematch = _desk(Chair(_R, paired=True, rematch=True), Chair(_B, paired=True))
    four = tuple(Chair(seat, link=_LINK, code="K7Q 2MX") for seat in (_R, _B, _G, _Y))
    lobby = Sample("joining", None, None, desk=joining)
    return (
        lobby,
        replace(lobby, name="joining-four", desk=_desk(*four)),
        replace(lobby, name="all-here", desk=replace(here, sensors="uncalibrated")),
        replace(lobby, name="rules", desk=here, page=Page.RULES),
        replace(lobby, name="reveal", desk=here, page=Page.REVEAL),
        replace(lobby, name="pin", desk=replace(here, pin=Pin.WRONG), page=Page.PIN, typed="123"),
        replace(known["setting-up"], name="menu-setting-up", desk=playing, page=Page.MENU),
        replace(middle, name="captured", desk=playing, newest={_B: Rank.GENERAL, _R: Rank.CAPTAIN}),
        replace(middle, name="menu", desk=playing, page=Page.MENU),
        replace(middle, name="language", desk=playing, page=Page.LANGUAGE),
        replace(middle, name="screen", desk=playing, page=Page.SCREEN),
        replace(middle, name="new-handset", desk=again),
        replace(middle, name="abort", desk=replace(agreed, pin=Pin.WANTED)),
        replace(known["paused"], name="arbiter", desk=replace(playing, arbiter=True)),
        replace(won, name="rematch", desk=rematch),
        replace(castle, name="menu-four", desk=_desk(*(Chair(seat, paired=True) for seat in (_R, _B, _G, _Y))), page=Page.MENU),
    )  # fmt: skip


def _desk(*chairs: Chair) -> Desk:
    return Desk(chairs, options=_OPTIONS, choices=_CHOICES)
