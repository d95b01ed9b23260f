"""One table: an input in, one `Step` out, and the views of it.

    table = Table(settings)
    step = table.apply(Open(), now_ms)          # journal step.facts, publish, send step.letters, obey step.orders
    step = table.apply(observation, now_ms)
    step = table.apply(SeatSays(seat, message), now_ms)
    step = table.apply(Tick(), now_ms)          # at step.deadline_ms

Does not do: sockets, files, clocks, the settling of squares, sealing. Times are milliseconds of any monotonic clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from referee.rules import Game
from referee.rules.values import Seat
from referee.sensing import (
    Agreed,
    AttackSeen,
    Disturbed,
    Final,
    Lifted,
    Masked,
    Puzzled,
    Read,
    Returned,
    Revised,
    Seen,
)
from referee.table import (
    announced_attacks,
    attack,
    board,
    carrying_out,
    decisions,
    ends,
    hall_clock,
    offers,
    pauses,
    play,
    projections,
    resignation,
    set_up,
    timekeeping,
)
from referee.table.arbiter_commands import ArbiterVerb, SetHallClock
from referee.table.inputs import (
    Abort,
    BoardDiffers,
    BoardLink,
    BoardWarnings,
    Cable,
    Cause,
    Connection,
    Input,
    Open,
    Pause,
    Reopen,
    Resume,
    SeatSays,
    Tick,
    as_json,
)
from referee.table.messages import (
    Answer,
    AskPause,
    AskResume,
    CallArbiter,
    ClaimImmobile,
    Consent,
    Declare,
    DenyAttack,
    Enrol,
    Hello,
    OfferAbort,
    OfferDraw,
    OfferTakeBack,
    OfferVoid,
    Ready,
    Resign,
    SeatState,
    TellAttack,
    TellFire,
    TellInfiltrate,
    TellLeave,
)
from referee.table.settings import TableSettings
from referee.table.settings_codec import settings_as_told
from referee.table.state import Sheet, TableState
from referee.table.step import Step
from referee.table.views import Ask, GameEnd, Phase, PublicInfo, PublicView


class Table:
    """One board with its players, from the opening of the set-up to the end of one game."""

    def __init__(self, settings: TableSettings) -> None:
        self._state = TableState(settings)
        self._now_ms = 0

    def apply(self, given: Input, now_ms: int) -> Step:
        """Take one input and return what came of it; what means nothing in this phase gives an empty step.

        Raises `CorrectionError` for an arbiter's order that cannot be carried out and `TransitionError` for a second `Open`; then
        nothing has changed. A flag that is due falls before an input counts, but for an order: `Tick` comes before that.
        """
        before_ms, self._now_ms = self._now_ms, now_ms
        sheet = Sheet(self._state, now_ms, self._cause(given, now_ms), before_ms)
        if not isinstance(given, _UNTIMED):
            timekeeping.fall_if_due(sheet)
            hall_clock.end_if_due(sheet)
        _INPUTS[type(given)](sheet, given)
        announced_attacks.take_held(sheet)
        timekeeping.keep(sheet)
        if sheet.restates:
            for seat in self._state.settings.rule_set.seats:
                sheet.letter(seat, projections.seat_state(sheet, seat))
        due_ms = (timekeeping.deadline_ms(self._state), hall_clock.deadline_ms(self._state))
        return sheet.step(min((each for each in due_ms if each is not None), default=None))

    def _cause(self, given: Input, now_ms: int) -> Cause | None:
        """Return the input as the journal keeps it; with the time where clocks can be rebuilt from when things happened."""
        state = self._state
        if isinstance(given, Connection | BoardDiffers):
            return None
        cause = as_json(given)
        if isinstance(given, Open):
            cause["settings"] = settings_as_told(state.settings)
        elif isinstance(given, Reopen) and state.hall_clock is None:
            del cause["away_ms"]
        if isinstance(given, SetHallClock) or state.settings.clock or state.hall_clock is not None:
            cause["now_ms"] = now_ms
        return cause

    @property
    def phase(self) -> Phase:
        """Give the phase the table is in."""
        return self._state.phase

    @property
    def result(self) -> GameEnd | None:
        """Give how the game ended, None while it has not."""
        return self._state.result

    @property
    def board_fault(self) -> str | None:
        """Give why the board cannot be read, None while it can."""
        return self._state.board_fault

    @property
    def public_game(self) -> Game | None:
        """Give the game as everybody knows it, None before it began. It is the table's own: copy it before changing anything."""
        return self._state.books.public if self._state.books else None

    @property
    def can_go_back(self) -> int:
        """Count the turns and decisions that could be taken back now."""
        return len(self._state.books.deeds) if self._state.books else 0

    @property
    def remembered(self) -> int:
        """Count what a repeat is known by: accepted messages of the seat that has most of them, and arbiters' orders."""
        return max(len(self._state.ordered), *map(len, self._state.taken.values()), 0)

    def view(self) -> PublicView:
        """Give what everybody may see, clocks as they were at the last input."""
        return projections.public_view(self._state, self._now_ms)

    def info(self) -> PublicInfo:
        """Give what stays the same for this game."""
        return projections.public_info(self._state)

    def seat_state(self, seat: Seat, now_ms: int) -> SeatState:
        """Give what this seat may know beyond the public view."""
        self._now_ms = now_ms
        return projections.seat_state(Sheet(self._state, now_ms), seat)


_UNTIMED = Open | Reopen | Connection | BoardDiffers | Cable | ArbiterVerb
"""Inputs before which no flag falls."""


def _from_seat(sheet: Sheet, given: SeatSays) -> None:
    seat, message = given.seat, given.message
    if seat not in sheet.state.settings.rule_set.seats:
        sheet.reject(seat, message.id, "no-such-seat")
    elif message.id in sheet.state.taken.get(seat, ()):
        sheet.accept_again(seat, message.id)
    else:
        _MESSAGES[type(message)](sheet, seat, message)


def _answer(sheet: Sheet, seat: Seat, message: Answer) -> None:
    decision = sheet.state.decision
    if decision is not None and message.question == decision.question:
        decisions.answer(sheet, seat, message)
    else:
        offers.answer(sheet, seat, message)


def _connection(sheet: Sheet, given: Connection) -> None:
    state = sheet.state
    if given.seat in state.settings.rule_set.seats and state.connected.get(given.seat, False) != given.here:
        state.connected[given.seat] = given.here
        sheet.touch()


def _puzzled(sheet: Sheet, seen: Puzzled) -> None:
    if sheet.state.phase is Phase.SETTING_UP:
        set_up.look_again(sheet, seen.differences)
    else:
        board.not_understood(sheet, seen.differences, Ask.NOT_UNDERSTOOD)


def _agreed(sheet: Sheet, seen: Agreed) -> None:
    if sheet.state.phase is Phase.SETTING_UP:
        set_up.take_agreement(sheet)
    else:
        board.agreed(sheet, seen.lifted)


def _seen(sheet: Sheet, seen: Seen) -> None:
    if sheet.state.phase is Phase.SETTING_UP:
        set_up.take_occupants(sheet, seen.occupants)


def _resume(sheet: Sheet, _: Resume) -> None:
    if not hall_clock.holds(sheet.state):
        pauses.resume(sheet)


def _reopen(sheet: Sheet, given: Reopen) -> None:
    timekeeping.stand_unmeasured(sheet)
    hall_clock.go_on_counting(sheet, sheet.before_ms, given.away_ms)
    pauses.reopen(sheet)
    board.warn(sheet, ())  # the program that knew of it is gone; what is so still is told anew


_MESSAGES: dict[type, Callable[[Sheet, Seat, Any], None]] = {
    Hello: lambda sheet, seat, _: sheet.letter(seat, projections.seat_state(sheet, seat)),
    Ready: set_up.take_ready,
    Enrol: set_up.take_enrolment,
    TellAttack: announced_attacks.told,
    TellInfiltrate: announced_attacks.told_special,
    TellFire: announced_attacks.told_special,
    TellLeave: decisions.leave,
    Declare: attack.declare,
    DenyAttack: attack.deny,
    Resign: resignation.resign,
    OfferDraw: offers.offer_draw,
    OfferAbort: offers.offer_abort,
    OfferTakeBack: offers.offer_correction,
    OfferVoid: offers.offer_correction,
    AskPause: pauses.ask_for,
    CallArbiter: pauses.ask_for,
    AskResume: pauses.ask_to_go_on,
    ClaimImmobile: offers.claim,
    Answer: _answer,
    Consent: ends.consent,
}
_INPUTS: dict[type, Callable[[Sheet, Any], None]] = {
    Lifted: lambda sheet, seen: play.lifted(sheet, seen.square),
    Returned: lambda sheet, seen: play.returned(sheet, seen.square),
    Read: lambda sheet, seen: play.read(sheet, seen.prospect),
    Revised: lambda sheet, seen: play.revised(sheet, seen.prospect),
    Final: lambda sheet, _: play.final(sheet),
    AttackSeen: lambda sheet, seen: attack.seen(sheet, seen.source, seen.target),
    Disturbed: lambda sheet, seen: board.not_understood(sheet, seen.differences, Ask.DISTURBED),
    Puzzled: _puzzled,
    Agreed: _agreed,
    Seen: _seen,
    Masked: lambda sheet, seen: board.distrust(sheet, seen.squares),
    SeatSays: _from_seat,
    **dict.fromkeys(get_args(ArbiterVerb), carrying_out.order),
    Open: lambda sheet, _: set_up.open_table(sheet),
    Reopen: _reopen,
    Connection: _connection,
    BoardLink: lambda sheet, given: board.link(sheet, given.fault),
    BoardWarnings: lambda sheet, given: board.warn(sheet, given.warnings),
    BoardDiffers: lambda sheet, given: board.compare(sheet, given.differences),
    Cable: lambda *_: None,
    Pause: lambda sheet, _: pauses.pause(sheet),
    Resume: _resume,
    Abort: lambda sheet, given: resignation.abort(sheet, given.reason),
    Tick: lambda sheet, _: pauses.tick(sheet),
}
"""What each type of input sets going: one row a type of `Input`, which a test proves."""
