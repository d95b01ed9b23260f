"""Made-up moments with something to touch: joining, the menu and its pages, rematch. For pictures and tests, like `samples`."""

from __future__ import annotations

from dataclasses import replace

from kiosk_ui.desk import Chair, Desk, Pin
from kiosk_ui.hand import Page
from kiosk_ui.samples import Sample, samples
from referee.rules import OptionValue, rule_set
from referee.rules.values import Rank, Seat
from referee.table.views import GameEnd, Phase

_R, _B, _G, _Y = Seat.RED, Seat.BLUE, Seat.GREEN, Seat.YELLOW
_LINK = "http://192.168.1.20:8080/join#5xV0rJ2mQ9yAZk3TnB7cWg&0123456789abcdef0123456789abcdef"


def _said(value: OptionValue) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


_RULES = ("original", "classic", "vintage", "duel", "barrage", "infiltrator")
_OPTIONS = {"rules": "original", "mode": "declare", "reveal": "book", "clock": "fischer:20:10"}
_CHOICES = {
    "rules": _RULES,
    "mode": ("declare", "enrol"),
    "reveal": ("book", "attacker-only", "result-only"),
    "clock": (
        "none",
        "sudden-death:20",
        "sudden-death:30",
        "fischer:10:5",
        "fischer:20:10",
        "per-move:30",
        "bronstein:25:3",
    ),
}


def _open(rules: str) -> dict[str, tuple[str, ...]]:
    """Return what a rule set leaves open, each with what it is by itself first."""
    return {
        name: tuple(dict.fromkeys(_said(value) for value in (option.value, *option.choices)))
        for name, option in rule_set(rules).options.items()
        if len(option.choices) > 1
    }


def touch_samples() -> tuple[Sample, ...]:
    """Give all of them, in the order in which a table meets them."""
    known = {sample.name: sample for sample in samples()}
    middle, won, castle = known["middle"], known["won"], known["four-armies"]
    joining = _desk(Chair(_R, digits="482913", paired=True), Chair(_B, link=_LINK, code="K7Q 2MX"))
    here = _desk(
        Chair(_R, digits="482913", compared=True, paired=True), Chair(_B, digits="077302", compared=True, paired=True)
    )
    playing = _desk(Chair(_R, paired=True), Chair(_B, paired=True))
    again = _desk(Chair(_R, paired=True), Chair(_B, digits="615240", again=True, paired=True))
    agreed = _desk(Chair(_R, paired=True, abort=True), Chair(_B, paired=True))
    rematch = _desk(Chair(_R, paired=True, rematch=True), Chair(_B, paired=True))
    four_here = tuple(Chair(seat, paired=True) for seat in (_R, _B, _G, _Y))
    four = tuple(Chair(seat, link=_LINK, code="K7Q 2MX") for seat in (_R, _B, _G, _Y))
    lobby = Sample("joining", None, None, desk=joining)
    return (
        lobby,
        replace(lobby, name="joining-four", desk=_desk(*four)),
        replace(lobby, name="all-here", desk=replace(here, sensors="uncalibrated")),
        replace(lobby, name="rules", desk=here, page=Page.RULES),
        replace(lobby, name="reveal", desk=here, page=Page.REVEAL),
        replace(lobby, name="clock", desk=here, page=Page.CLOCK),
        replace(lobby, name="options", desk=here, page=Page.OPTIONS),
        replace(lobby, name="options-four", desk=_desk(*four_here, rules="stratego4"), page=Page.OPTIONS),
        replace(lobby, name="pin", desk=replace(here, pin=Pin.WRONG), page=Page.PIN, typed="123"),
        replace(known["setting-up"], name="menu-setting-up", desk=playing, page=Page.MENU),
        replace(middle, name="captured", desk=playing, newest={_B: Rank.GENERAL, _R: Rank.CAPTAIN}),
        replace(middle, name="menu", desk=playing, page=Page.MENU),
        replace(middle, name="menu-far", desk=playing, page=Page.MENU, far=True),
        replace(middle, name="language", desk=playing, page=Page.LANGUAGE),
        replace(middle, name="screen", desk=playing, page=Page.SCREEN),
        replace(middle, name="new-handset", desk=again),
        replace(middle, name="abort", desk=replace(agreed, pin=Pin.WANTED)),
        replace(known["paused"], name="arbiter", desk=replace(playing, arbiter=True)),
        replace(won, name="rematch", desk=rematch),
        replace(castle, name="menu-four", desk=_desk(*four_here), page=Page.MENU),
        replace(castle, name="abort-four", desk=_desk(replace(four_here[0], abort=True), *four_here[1:])),
        _ended(castle, _desk(*four_here[:3], replace(four_here[3], rematch=True))),
    )  # fmt: skip


def _ended(castle: Sample, desk: Desk) -> Sample:
    """Give the end of a game of four, one of whom wants another."""
    assert castle.view is not None
    end = GameEnd(_G, "immobile")
    view = replace(castle.view, phase=Phase.FINISHED, turn=None, waiting_for=(), result=end, out=(_Y,))
    return replace(castle, name="rematch-four", view=view, desk=desk)


def _desk(*chairs: Chair, rules: str = "infiltrator") -> Desk:
    free = _open(rules)
    return Desk(chairs, options=_OPTIONS | {name: values[0] for name, values in free.items()}, choices=_CHOICES | free)
