"""Who must do what while a table waits, and what a shown sentence says of it: the criterion of "no mute waiting".

`duties` says it from the state alone. `SAYS` says of each sentence that players read whom it speaks to and of what. A screen is mute
where a duty is left that no sentence on it covers. A sentence that is not in `SAYS` ("Paused", "Waiting for the ranks") says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

from referee.presentation.sentences import Contact
from referee.rules.values import Seat
from referee.table.messages import Question, QuestionKind
from referee.table.views import Ask, Phase, PublicInfo, PublicView
from referee.words import words
from tests.waiting.surfaces import Shown


class Who(Enum):
    """Who acts, where it is not a seat."""

    HANDS = "whoever is at the board"
    ARBITER = "the arbiter"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Duty:
    """Something that the table waits for: these seats, or others, have to do that."""

    who: frozenset[Seat] | Who
    what: str

    @property
    def text(self) -> str:
        """Return it for the document: `red and blue: declare`."""
        who = self.who.value if isinstance(self.who, Who) else " and ".join(sorted(seat.value for seat in self.who))
        return f"{who}: {self.what}"


YOU, NAMED, ALL = "you", "named", "all"
"""Whom a sentence speaks to: the owner of the phone, the seats that it names, whoever reads it."""
_ANSWER = "answer the offer"
SAYS: Mapping[str, tuple[str, str]] = {
    "turn.waiting-for": (NAMED, ""),
    "kiosk.scan": (ALL, "take the seat"),
    "page.seats-how": (ALL, "take the seat"),
    "kiosk.compare": (ALL, "compare the digits"),
    "page.digits-same": (YOU, "compare the digits"),
    "handset.compare": (YOU, "compare the digits"),
    "kiosk.start": (ALL, "start"),
    "page.start-there": (ALL, "start"),
    "turn.to-move": (NAMED, "move"),
    "decided.move": (ALL, "carry out"),
    "decided.attack": (ALL, "carry out"),
    "refusal.out-of-turn": (NAMED, "move"),
    "turn.you": (YOU, "move"),
    "ask.set-up": (ALL, "set up"),
    "handset.pieces-first": (YOU, "set up"),
    "ask.outside-zone": (NAMED, "set up"),
    "ask.too-many-pieces": (NAMED, "set up"),
    "ask.say-ready": (NAMED, "set up, say ready"),
    "page.i-am-ready": (YOU, "say ready"),
    "ask.declare": (ALL, "declare"),
    "page.which-attacks": (YOU, "declare"),
    "page.which-attacked": (YOU, "declare"),
    "handset.declare-attacker": (YOU, "declare"),
    "handset.declare-defender": (YOU, "declare"),
    "ask.decide": (ALL, "choose"),
    "page.which-recruit": (YOU, "choose"),
    "page.which-flags": (YOU, "choose"),
    "handset.asked-slider": (YOU, "choose"),
    "ask.confirm-abort": (ALL, _ANSWER),
    "ask.confirm-claim": (ALL, _ANSWER),
    "ask.confirm-draw": (ALL, _ANSWER),
    "ask.confirm-take-back": (ALL, _ANSWER),
    "ask.confirm-void": (ALL, _ANSWER),
    "page.asked-abort": (YOU, _ANSWER),
    "handset.asked-void": (YOU, _ANSWER),
    "ask.remove-captured": (ALL, "set the board"),
    "ask.put-recruit": (ALL, "set the board"),
    "page.clear-board": (ALL, "set the board"),
    "page.put-mine": (YOU, "set the board"),
    "page.put-own": (YOU, "set the board"),
    "board.compared": (ALL, "set the board"),
    "fix.put": (ALL, "set the board"),
    "fix.take": (ALL, "set the board"),
    "fix.take-both": (ALL, "set the board"),
    "fix.empty": (ALL, "set the board"),
    "fix.piece": (ALL, "set the board"),
    "ask.restore": (ALL, "set the board"),
    "ask.illegal-move": (ALL, "set the board"),
    "ask.not-understood": (ALL, "set the board"),
    "ask.not-decided": (ALL, "set the board"),
    "ask.disturbed": (ALL, "set the board"),
    "ask.taken-back": (ALL, "set the board"),
    "ask.corrected": (ALL, "set the board"),
    "pause.limited": (ALL, "play on"),
    "page.go-on-waiting": (NAMED, "play on"),
    "pause.held": (ALL, "play on"),
    "page.go-on": (YOU, "play on"),
    "round.over": (ALL, "decide"),
    "page.called": (ALL, "decide"),
    "kiosk.arbiter-called": (ALL, "decide"),
    "page.phone-lost": (NAMED, "reconnect"),
    "clock.waits": (NAMED, "reconnect"),
    "page.comes-back": (ALL, "wait for the connection"),
    "handset.away": (ALL, "wait for the connection"),
    "page.no-connection": (YOU, "reconnect"),
    "page.no-connection-how": (YOU, "reconnect"),
    "page.starts-again": (ALL, "wait for the referee"),
    "handset.no-game": (ALL, "wait for the game"),
    "page.joining": (ALL, "wait for the seat"),
    "set-up.sending": (ALL, "wait for the answer"),
    "refusal.attack-waits": (YOU, "wait for the last move"),
    **{
        f"health.{health}": (ALL, "mend the board")
        for health in ("lost", "silent", "other-board", "other-version", "uncalibrated")
    },
}


_ASKED = {QuestionKind.DECLARE: "declare"} | dict.fromkeys(
    (QuestionKind.SLIDER, QuestionKind.RECRUIT, QuestionKind.TAKE_FLAG), "choose"
)


def own_duties(
    info: PublicInfo | None,
    view: PublicView | None,
    contact: Contact,
    free: Sequence[Seat] | None,
    seat: Seat,
    question: Question | None,
) -> list[Duty]:
    """Return the same as one seat's phone knows it: its own open question is a duty in every phase."""
    owed = duties(info, view, contact, free)
    if contact is Contact.LIVE and question and view and seat in view.waiting_for:
        owed.insert(0, Duty(frozenset({seat}), _ASKED.get(question.kind, _ANSWER)))
    return owed


def duties(
    info: PublicInfo | None, view: PublicView | None, contact: Contact, free: Sequence[Seat] | None
) -> list[Duty]:
    """Return what a table waits for; several at a time where several can act. Empty once a game is over."""
    if contact is not Contact.LIVE:
        return [Duty(Who.NOBODY, f"wait for the {'connection' if contact is Contact.NO_BROKER else 'referee'}")]
    if free is None and (info is None or view is None):
        return [Duty(Who.NOBODY, "wait for the game")]
    if info is None or view is None:
        return [Duty(frozenset(free), "take the seat") if free else Duty(Who.HANDS, "start")]
    if view.result is not None:
        return []
    if not view.board_connected:
        return [Duty(Who.HANDS, "mend the board")]
    owed = list(_owed(info, view))
    phones = {seat for duty in owed if not isinstance(duty.who, Who) and duty.what != "move" for seat in duty.who}
    lost = {seat for seat in phones & {*view.waiting_for} if view.connected.get(seat) is False} | set(view.graces)
    return [*owed, *([Duty(frozenset(lost), "reconnect")] if lost else [])]


def _owed(info: PublicInfo, view: PublicView) -> Iterator[Duty]:
    waiting = frozenset(view.waiting_for)
    match view.phase:
        case Phase.SETTING_UP:
            yield from _set_up(info, view)
        case Phase.WAITING_FOR_MOVE | Phase.PIECE_IN_HAND:
            assert view.turn is not None
            yield Duty(frozenset({view.turn}), "move") if view.decided is None else Duty(Who.HANDS, "carry out")
            if view.offer is not None and view.offer.declined_by is None:
                yield Duty(waiting, _ANSWER)
        case Phase.WAITING_FOR_DECLARATIONS:
            yield Duty(waiting, "choose" if view.ask is Ask.DECIDE else "declare")
        case Phase.WAITING_FOR_BOARD:
            yield Duty(Who.HANDS, "set the board")
        case Phase.RESTORING:
            yield Duty(Who.HANDS, "set the board")
        case Phase.PAUSED:
            yield _paused(view)


def _set_up(info: PublicInfo, view: PublicView) -> Iterator[Duty]:
    army = sum(info.army.values())
    placed = {seat: info.placed(seat, view) for seat in info.seats}
    unfit = {seat for seat in info.seats if placed[seat] != army or info.astray(seat, view)}
    if setting := {
        seat for seat in unfit if seat in view.waiting_for or not view.waiting_for or info.astray(seat, view)
    }:
        yield Duty(frozenset(setting), "set up")
    if unready := {seat for seat in view.waiting_for if seat not in unfit}:
        yield Duty(frozenset(unready), "say ready")


def _paused(view: PublicView) -> Duty:
    waiting = frozenset(view.waiting_for)
    if view.called or (view.hall_clock is not None and view.hall_clock.left_ms == 0):
        return Duty(Who.ARBITER, "decide")
    if view.pause is not None:
        return Duty(Who.NOBODY if view.pause.left_ms is not None else waiting, "play on")
    if waiting:
        return Duty(waiting, "choose" if view.ask is Ask.DECIDE else "declare")
    return Duty(Who.HANDS, "play on")


def mute(owed: Sequence[Duty], shown: str, language: str, own: Seat | None = None) -> list[str]:
    """Return the duties that a screen's text does not tell of; `own` is the seat whose phone or terminal it is."""
    claims = list(_claims(shown, language))
    mine = [duty for duty in owed if not isinstance(duty.who, Who) and own in duty.who]
    left = mine or owed  # who has to act himself is told that; of the others he hears when he has done it
    if mine and any(_covered(duty, claims, own) for duty in mine):
        return []
    return [duty.text for duty in left if not _covered(duty, claims, own)]


def told(read: Iterable[tuple[Shown, Sequence[Duty], str]], language: str) -> dict[str, list[str]]:
    """Return the states whose text leaves out what somebody has to do, with what that is; empty where no screen is mute."""
    found: dict[str, list[str]] = {}
    for shown, owed, text in read:
        if left := mute(owed, text, language, shown.seat):
            name = f"{shown.name} {shown.seat.value}" if shown.seat else shown.name
            found.setdefault(name, []).extend(each for each in left if each not in found.get(name, []))
    return found


def _covered(duty: Duty, claims: Sequence[tuple[str, str, frozenset[Seat]]], own: Seat | None) -> bool:
    fitting = [(to, seats) for to, what, seats in claims if duty.what in what.split(", ")]
    if isinstance(duty.who, Who):
        return bool(fitting)
    if own in duty.who:
        return any(to in (YOU, ALL) or own in seats for to, seats in fitting)
    named = {seat for _, what, seats in claims if not what or duty.what in what.split(", ") for seat in seats}
    return bool(fitting) and duty.who <= named


def _claims(shown: str, language: str) -> Iterator[tuple[str, str, frozenset[Seat]]]:
    """Return of every sentence on a screen that says anything whom it speaks to, of what, and which seats it names."""
    text = " ".join(shown.split())
    for key, (part, pattern) in _patterns(language).items():
        if part not in text:
            continue
        to, what = SAYS[key]
        for found in pattern.finditer(text):
            names = found.groupdict().get("seat") or ""
            yield to, what, frozenset(seat for seat in Seat if words(language).seat(seat) in names)


@cache
def _patterns(language: str) -> dict[str, tuple[str, re.Pattern[str]]]:
    """Return what each sentence of `SAYS` looks like with anything in its gaps, behind its longest part without one.

    A seat's gap takes names of seats alone. Looking for the part first is quick, and most sentences are not there.
    """
    said = words(language)
    seats = "|".join(re.escape(said.seat(seat)) for seat in Seat)
    joint = said.say("seats.and", first="|", last="|").strip("|")
    names = f"(?P<seat>(?:{seats})(?:(?:, |{re.escape(joint)})(?:{seats}))*)"
    found = {}
    for key in SAYS:
        parts = re.split(r"\{(\w+)\}", " ".join(said[key].split()))
        gaps = (names if part == "seat" else ".{1,80}?" for part in parts[1::2])
        fixed = (re.escape(part) for part in parts[0::2])
        pattern = re.compile("".join(a + b for a, b in zip(fixed, [*gaps, ""], strict=True)))
        found[key] = max(parts[0::2], key=len), pattern
    return found
