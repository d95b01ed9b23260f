"""Every waiting state of each screen: what tables come to, the board in every state of health, every connection away, and around a game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from kiosk_ui.received_state import Chair, Desk
from referee.presentation.sentences import Contact
from referee.rules.values import Seat
from referee.table.views import Finale, Health, Phase, PublicInfo, PublicView
from tests.waiting.criterion import Duty, Who, duties, own_duties
from tests.waiting.reachable import Situation, situations
from tests.waiting.surfaces import Shown

Case = tuple[Shown, list[Duty]]
_FAULTS = ("lost", "silent", "other-board", "other-version", "uncalibrated")
_RED, _BLUE = Seat.RED, Seat.BLUE
_AROUND = ((None, "not begun"), ((_BLUE,), "a seat is free"), ((), "everybody is here"))


@cache
def named() -> Mapping[str, Situation]:
    """Return one situation of each name: those that differ in nothing that a player would call different are one."""
    found: dict[str, Situation] = {}
    for situation in situations():
        found.setdefault(_name(situation.info, situation.view), situation)
    return MappingProxyType(found)


def _name(info: PublicInfo, view: PublicView) -> str:
    parts = [view.phase.value]
    if view.phase is Phase.SETTING_UP:
        parts.append(f"{len(view.waiting_for)} of {len(info.seats)} not ready")
    if view.phase is Phase.PAUSED:
        parts.append(_pause(view))
    if view.ask is not None and view.phase is not Phase.SETTING_UP:
        parts.append(view.ask.value)
    if view.offer is not None:
        parts.append(f"{view.offer.kind} {'offered' if view.offer.declined_by is None else 'declined'}")
    parts += ["decided elsewhere"] if view.decided is not None else []
    parts += [view.fault] if view.fault else []
    parts += [view.barred] if view.barred else []
    parts += [f"{len(view.waiting_for)} asked"] if view.phase is Phase.WAITING_FOR_DECLARATIONS else []
    parts += [f"board {view.board_fault}"] if view.board_fault else []
    parts += ["a phone is away"] if view.graces or any(view.connected.get(s) is False for s in view.waiting_for) else []
    return ", ".join(parts)


def _pause(view: PublicView) -> str:
    if view.hall_clock is not None and view.hall_clock.left_ms == 0:
        return "round over"
    if view.called:
        return "arbiter called"
    if view.pause is not None:
        return "a player's, with an end" if view.pause.left_ms is not None else "a player's"
    return "no answer" if view.waiting_for else "held"


def kiosk_cases(every: bool) -> Iterator[Case]:
    """Return what a kiosk may show, with what it has to say; of the table's situations `every` one, or one of each name."""
    for name, one in _tables(every):
        yield Shown(name, one.info, one.view), duties(one.info, one.view, Contact.LIVE, None)
    any_table = next(iter(named().values()))
    for contact in (Contact.NO_BROKER, Contact.NO_REFEREE):
        for info, view in ((None, None), (any_table.info, any_table.view)):
            yield Shown(contact.value, info, view, contact), duties(info, view, contact, None)
    link = "http://10.0.0.1:8443/join#ABC"
    here = Chair(_RED, digits="482913", paired=True)
    yield Shown("no seats told"), duties(None, None, Contact.LIVE, None)
    missing = Desk((here, Chair(_BLUE, link=link, code="ABC234")))
    yield Shown("a seat is free", desk=missing), duties(None, None, Contact.LIVE, (_BLUE,))
    yield Shown("everybody is here", desk=Desk((here, replace(here, seat=_BLUE)))), duties(None, None, Contact.LIVE, ())


def seat_cases(every: bool) -> Iterator[Case]:
    """Return the same for phone and terminal: each situation as each seat sees it."""
    for name, one in _tables(every):
        for seat in one.info.seats:
            question = one.questions.get(seat)
            shown = Shown(name, one.info, one.view, seat=seat, question=question)
            yield shown, own_duties(one.info, one.view, Contact.LIVE, None, seat, question)
    any_table = next(iter(named().values()))
    for contact in (Contact.NO_BROKER, Contact.NO_REFEREE):
        for info, view in ((None, None), (any_table.info, any_table.view)):
            yield Shown(contact.value, info, view, contact, _RED), duties(info, view, contact, None)
    for free, name in _AROUND:
        yield Shown(name, seat=_RED, free=free), duties(None, None, Contact.LIVE, free)


def phone_cases(every: bool) -> Iterator[Case]:
    """Return those of a seat, and what only a phone has: taking the seat, its own Wi-Fi, and what it has sent and is not answered yet."""
    for shown, owed in seat_cases(every):
        yield shown, [Duty(frozenset({_RED}), "reconnect")] if shown.contact is Contact.NO_BROKER else owed
    yield Shown("joining", seat=_RED, stage="joining"), [Duty(Who.NOBODY, "wait for the seat")]
    yield Shown("digits", seat=_RED, stage="digits"), [Duty(frozenset({_RED}), "compare the digits")]
    asked = next(one for one in named().values() if _RED in one.questions and _RED in one.view.waiting_for)
    question = asked.questions[_RED]
    said = {"type": "declare", "id": "x-1", "question": question.question, "rank": question.choices[0]}
    sent = {"type": "sent", "message": said}
    waits = [Duty(Who.NOBODY, "wait for the answer")]
    yield Shown("answer sent", asked.info, asked.view, seat=_RED, question=question, more=(sent,)), waits
    lifted = next(one for name, one in named().items() if name == Phase.PIECE_IN_HAND.value and one.view.turn is _RED)
    told = {"type": "told", "id": "r-1", "ply": lifted.view.ply, "reason": "attack-waits", "squares": []}
    waits = [Duty(Who.NOBODY, "wait for the last move")]
    more = ({"type": "letter", "value": told},)
    yield Shown("an attack that was told waits", lifted.info, lifted.view, seat=_RED, more=more), waits


def _tables(every: bool) -> Iterator[tuple[str, Situation]]:
    """Return what tables come to, and with the board in trouble or a phone away: each of it, or one of each name and one in trouble."""
    whole = [(_name(one.info, one.view), one) for one in situations()] if every else list(named().items())
    yield from whole
    for name, one in named().items():
        if one.view.phase is Phase.FINISHED:
            for finale in Finale:
                yield f"{name}, armies {finale.value}", replace(one, view=replace(one.view, finale=finale))
        if one.view.result is None and (every or name == "waiting-for-move"):
            yield from _in_trouble(name, one)


def _in_trouble(name: str, one: Situation) -> Iterator[tuple[str, Situation]]:
    for fault in _FAULTS:
        view = replace(one.view, board_connected=False, board_fault=fault, health=(Health(fault),))
        yield f"{name}, board {fault}", replace(one, view=view)
    for seat in one.info.seats:
        view = replace(one.view, connected={**dict.fromkeys(one.info.seats, True), seat: False}, graces={})
        yield f"{name}, {seat.value}'s phone away", replace(one, view=view)
