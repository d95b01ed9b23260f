"""One table: inputs in, one `Step` out, and the views of it.

    table = Table(settings)
    step = table.open(now_ms)            # journal step.facts, publish, send step.letters, obey step.orders
    step = table.observe(observation, now_ms)
    step = table.tell(seat, message, now_ms)
    step = table.tick(now_ms)            # at step.deadline_ms

Does not do: sockets, files, clocks, the settling of squares, sealing. Times are milliseconds of any monotonic clock.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.rules import EndReason, Game
from referee.rules.values import Seat
from referee.sensing import (
    Agreed,
    AttackSeen,
    Difference,
    Disturbed,
    Final,
    Lifted,
    Masked,
    Observation,
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
    causes,
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
from referee.table.causes import Cause
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
    FromHandset,
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
from referee.table.views import Ask, GameEnd, Health, Phase, PublicInfo, PublicView


class Table:
    """One board with its players, from the opening of the set-up to the end of one game."""

    def __init__(self, settings: TableSettings) -> None:
        self._state = TableState(settings)
        self._now_ms = 0

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

    def open(self, now_ms: int) -> Step:
        """Begin setting up. Raises `TransitionError` when that was done before."""
        sheet = self._sheet(now_ms, {"by": "open", "settings": settings_as_told(self._state.settings)})
        set_up.open_table(sheet)
        return self._done(sheet)

    def observe(self, observation: Observation, now_ms: int) -> Step:
        """Take what sensing said. One that means nothing in this phase gives an empty step."""
        sheet = self._timed(now_ms, causes.of_observation(observation))
        match observation:
            case Lifted():
                play.lifted(sheet, observation.square)
            case Returned():
                play.returned(sheet, observation.square)
            case Read():
                play.read(sheet, observation.prospect)
            case Revised():
                play.revised(sheet, observation.prospect)
            case Final():
                play.final(sheet)
            case AttackSeen():
                attack.seen(sheet, observation.source, observation.target)
            case Disturbed():
                board.not_understood(sheet, observation.differences, Ask.DISTURBED)
            case Puzzled() if self._state.phase is not Phase.SETTING_UP:
                board.not_understood(sheet, observation.differences, Ask.NOT_UNDERSTOOD)
            case Masked():
                board.distrust(sheet, observation.squares)
            case Puzzled():
                set_up.look_again(sheet, observation.differences)
            case Agreed() if self._state.phase is Phase.SETTING_UP:
                set_up.take_agreement(sheet)
            case Agreed():
                board.agreed(sheet, observation.lifted)
            case Seen() if self._state.phase is Phase.SETTING_UP:
                set_up.take_occupants(sheet, observation.occupants)
        return self._done(sheet)

    def tell(self, seat: Seat, message: FromHandset, now_ms: int) -> Step:
        """Take a message of a seat's handset; one that is out of place is answered with `Rejected` and changes nothing.

        So does a repeat of one that was accepted, before or after a restart: it is accepted again.
        """
        sheet = self._timed(now_ms, causes.of_message(seat, message))
        if seat not in self._state.settings.rule_set.seats:
            sheet.reject(seat, message.id, "no-such-seat")
            return self._done(sheet)
        if message.id in self._state.taken.get(seat, ()):
            sheet.accept_again(seat, message.id)
            return self._done(sheet)
        match message:
            case Hello():
                sheet.letter(seat, projections.seat_state(sheet, seat))
            case Ready():
                set_up.take_ready(sheet, seat, message)
            case Enrol():
                set_up.take_enrolment(sheet, seat, message)
            case TellAttack():
                announced_attacks.told(sheet, seat, message)
            case TellInfiltrate() | TellFire():
                announced_attacks.told_special(sheet, seat, message)
            case TellLeave():
                decisions.leave(sheet, seat, message)
            case Declare():
                attack.declare(sheet, seat, message)
            case DenyAttack():
                attack.deny(sheet, seat, message)
            case Resign():
                resignation.resign(sheet, seat, message)
            case OfferDraw():
                offers.offer_draw(sheet, seat, message)
            case OfferAbort():
                offers.offer_abort(sheet, seat, message)
            case OfferTakeBack() | OfferVoid():
                offers.offer_correction(sheet, seat, message)
            case AskPause() | CallArbiter():
                pauses.ask_for(sheet, seat, message)
            case AskResume():
                pauses.ask_to_go_on(sheet, seat, message)
            case ClaimImmobile():
                offers.claim(sheet, seat, message)
            case Answer() if self._state.decision is not None and message.question == self._state.decision.question:
                decisions.answer(sheet, seat, message)
            case Answer():
                offers.answer(sheet, seat, message)
            case Consent():
                ends.consent(sheet, seat, message)
        return self._done(sheet)

    def connect(self, seat: Seat, connected: bool, now_ms: int) -> Step:
        """Note whether a seat's handset is there."""
        sheet = self._sheet(now_ms)
        at_table = seat in self._state.settings.rule_set.seats
        if at_table and self._state.connected.get(seat, False) != connected:
            self._state.connected[seat] = connected
            sheet.touch()
        return self._done(sheet)

    def link(self, connected: bool, now_ms: int, fault: str = "lost") -> Step:
        """Note whether the board is read; if not, `fault` says why: one of the first five words of `Health`."""
        sheet = self._timed(now_ms, {"by": "link", "fault": None if connected else fault})
        board.link(sheet, None if connected else fault)
        return self._done(sheet)

    def warn(self, warnings: Sequence[Health], now_ms: int) -> Step:
        """Note what else is wrong with the board now, worst first; the game goes on."""
        sheet = self._timed(now_ms, {"by": "warn", "warnings": [health.value for health in warnings]})
        board.warn(sheet, warnings)
        return self._done(sheet)

    def compare(self, differences: Sequence[Difference], now_ms: int) -> Step:
        """Take which squares differ now from what sensing was told to expect, to keep the list of them up to date."""
        sheet = self._sheet(now_ms)
        board.compare(sheet, differences)
        return self._done(sheet)

    def pause(self, now_ms: int) -> Step:
        """Stand still at somebody's word (players, kiosk, arbiter); an empty step in lobby and pause and after the end.

        Answers are not taken, nothing on the board is read, a resignation still counts. A move that can still be revised stays so:
        whoever asked for the pause, the hand may not have let go. It is final once the board agrees with it afterwards.
        """
        sheet = self._timed(now_ms, {"by": "pause"})
        pauses.pause(sheet)
        return self._done(sheet)

    def resume(self, now_ms: int) -> Step:
        """Go on after any pause: with the open question and the time that was left for it, or once the board agrees.

        Where the round is over an arbiter has to order it.
        """
        sheet = self._timed(now_ms, {"by": "resume"})
        if not hall_clock.holds(self._state):
            pauses.resume(sheet)
        return self._done(sheet)

    def reopen(self, now_ms: int, away_ms: int = 0) -> Step:
        """Go on after the referee was started again and this table rebuilt (`resuming.rebuild`): players' clocks stood still meanwhile.

        The hall's did not: `away_ms` have passed since the last fact was written down.

        In play the board is compared with the game first; a question is asked anew with its full time; a pause stays one.
        """
        was_ms = self._now_ms
        away = {"away_ms": away_ms} if self._state.hall_clock is not None else {}
        sheet = self._sheet(now_ms, {"by": "reopen", **away})
        timekeeping.stand_unmeasured(sheet)
        hall_clock.go_on_counting(sheet, was_ms, away_ms)
        pauses.reopen(sheet)
        board.warn(sheet, ())  # the program that knew of it is gone; what is so still is told anew
        return self._done(sheet)

    def abort(self, now_ms: int, reason: EndReason = EndReason.ABORTED) -> Step:
        """End the game without a result, at the word of both players or of the arbiter; after the end it is an empty step."""
        sheet = self._timed(now_ms, {"by": "abort", "reason": reason.value})
        resignation.abort(sheet, reason)
        return self._done(sheet)

    def rule(self, verb: ArbiterVerb, now_ms: int) -> Step:
        """Carry out an arbiter's order; its reason goes to the journal. One that was carried out before is an empty step.

        Raises `CorrectionError`, and then nothing has changed. A flag that is due falls first: call `tick` before this.
        """
        sheet = self._sheet(now_ms, causes.of_verb(verb), timed=isinstance(verb, SetHallClock))
        carrying_out.order(sheet, verb)
        return self._done(sheet)

    def tick(self, now_ms: int) -> Step:
        """Let time pass: silence on a question beyond its limit pauses the game, and a flag that is due falls."""
        sheet = self._timed(now_ms, {"by": "tick"})
        pauses.tick(sheet)
        return self._done(sheet)

    def view(self) -> PublicView:
        """Give what everybody may see, clocks as they were at the last input."""
        return projections.public_view(self._state, self._now_ms)

    def info(self) -> PublicInfo:
        """Give what stays the same for this game."""
        return projections.public_info(self._state)

    def seat_state(self, seat: Seat, now_ms: int) -> SeatState:
        """Give what this seat may know beyond the public view."""
        return projections.seat_state(self._sheet(now_ms), seat)

    def _sheet(self, now_ms: int, cause: Cause | None = None, timed: bool = False) -> Sheet:
        self._now_ms = now_ms
        if cause is not None and (timed or self._state.settings.clock or self._state.hall_clock is not None):
            cause = {**cause, "now_ms": now_ms}  # clocks can be rebuilt from when things happened
        return Sheet(self._state, now_ms, cause)

    def _timed(self, now_ms: int, cause: Cause) -> Sheet:
        """Give the sheet of an input that came at a time: a flag that was due before it falls first."""
        sheet = self._sheet(now_ms, cause)
        timekeeping.fall_if_due(sheet)
        hall_clock.end_if_due(sheet)
        return sheet

    def _done(self, sheet: Sheet) -> Step:
        announced_attacks.take_held(sheet)
        timekeeping.keep(sheet)
        if sheet.restates:
            for seat in self._state.settings.rule_set.seats:
                sheet.letter(seat, projections.seat_state(sheet, seat))
        due_ms = (timekeeping.deadline_ms(self._state), hall_clock.deadline_ms(self._state))
        return sheet.step(min((each for each in due_ms if each is not None), default=None))
