"""One table: an input in, one `Step` out, and the views of it.

    table = Table(settings)
    step = table.apply(Open(), now_ms)          # journal step.facts, publish, send step.letters, obey step.orders
    step = table.apply(observation, now_ms)
    step = table.apply(SeatSays(seat, message), now_ms)
    step = table.apply(Tick(), now_ms)          # at step.deadline_ms

Does not do: sockets, files, clocks, the settling of squares, sealing. Times are milliseconds of any monotonic clock.

How it works. There is one machine with nine phases (`state.TRANSITIONS`, drawn in docs/reference/states.md). A phase says what the table
waits for: set-ups, a move, ranks, the board, somebody's word to go on. An input (`inputs.Input`) is looked up by its type in `_INPUTS`
below, a handset's message once more in `_MESSAGES`; the function there writes what comes of it into a `StepBuilder`: facts, letters,
orders to sensing, and, by `go`, the next phase. Functions of `play/` stand for what hands and players do in turn, those of `conduct/`
for what happens beside it; play may call conduct, never the other way round. Around every input `apply` does four things that no row has
to think of: a flag or a round that was due ends first; a told attack that was put off is looked at again; clocks are brought in line with
the new phase; and seats whose whole state has changed get it again.

What holds at any time:
- All that is told of a step is in the step, in order, and its first fact says what it answers. So a journal's facts, put in again one
  after the other, give the same table (`replay`), and nothing else may be read: no clock, no chance, no order of a set.
- What depends on a rank that no verdict has shown goes to the rank's owner alone. What outsiders can count - events, letters, their kinds
  and sizes, deadlines - is the same whatever those ranks are; a test plays the same game with others and compares.
- Who is refused has changed nothing: every function checks first and writes then.

What is ugly, so that nobody has to find out alone:
- The phase does not say everything. Beside it stand plies that can still be revised (`state.open_plies`), an offer, a pause, an attack
  that is put off (`held`) or asked about again (`unsettled`), each there or not. They go together in more ways than phases could name, but
  that some never do - an attack and a decision, say - is kept by the functions, not by the types.
- An open ply is final when sensing says so, oldest first; all are when hands show an attack on top of them, when the board agrees after a
  question, and when the game ends around them. Each way has its own function (`moves.final`, `moves.finalise`, `board.agreed`,
  `endings.settle_open_plies`), since each has another answer to "did the hand let go?".
- A pause keeps the phase that it came in (`OpenPause.phase`), and whoever changes the game meanwhile has to put his next phase there
  (`pauses.put_off`).
- Message types are looked up in dicts that mypy cannot prove complete; a test does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, get_args

from referee import sensing
from referee.rules import Game, Seat
from referee.table import arbiter_commands, inputs, messages, projections
from referee.table.arbiter_commands import (
    ArbiterVerb,
    CorrectionError,
    RejectedError,
    SetHallClock,
    SignEnd,
    check_words,
)
from referee.table.chain import Chain
from referee.table.commitments import STATION
from referee.table.conduct import endings, finale, outages, pauses, takeback, timekeeping
from referee.table.inputs import Cause, Input, as_json
from referee.table.play import attacks, board, moves, setup
from referee.table.settings import TableSettings, settings_as_told
from referee.table.state import TableState
from referee.table.step import Step, StepBuilder
from referee.table.views import Ask, GameEnd, Phase, PublicInfo, PublicView


class Table:
    """One board with its players, from the opening of the set-up to the end of one game."""

    def __init__(self, settings: TableSettings) -> None:
        chain = None if settings.salts is None else Chain(settings)
        self._state = TableState(settings, names=settings.names, chain=chain)
        self._now_ms = 0

    def apply(self, given: Input, now_ms: int) -> Step:
        """Take one input and return what came of it; what means nothing in this phase gives an empty step.

        Raises `CorrectionError` for an arbiter's order that cannot be carried out and `TransitionError` for a second `Open`; then
        nothing has changed. A flag that is due falls before an input counts, but for an order: `Tick` comes before that.
        """
        before_ms, self._now_ms = self._now_ms, now_ms
        step = StepBuilder(self._state, now_ms, self._cause(given, now_ms), before_ms)
        if not isinstance(given, inputs.Open | inputs.Reopen):
            outages.end_grace_if_due(step)
        if not isinstance(given, _UNTIMED) and not getattr(given, "quiet_ms", 0):
            timekeeping.fall_if_due(step)
            timekeeping.end_round_if_due(step)
        _INPUTS[type(given)](step, given)
        attacks.take_held(step)
        timekeeping.keep(step)
        if step.restates:
            for seat in self._state.rules.seats:
                step.letter(seat, projections.seat_state(step, seat))
        due_ms = (
            timekeeping.deadline_ms(self._state),
            timekeeping.round_deadline_ms(self._state),
            finale.due_ms(self._state),
        )
        return step.build(min((each for each in due_ms if each is not None), default=None))

    def _cause(self, given: Input, now_ms: int) -> Cause | None:
        """Return the input as the journal keeps it; with the time where clocks can be rebuilt from when things happened."""
        state = self._state
        if isinstance(given, inputs.BoardDiffers) or (
            isinstance(given, inputs.Connection) and not state.settings.clock
        ):
            return None
        cause = as_json(given)
        if isinstance(given, inputs.Open):
            cause["settings"] = settings_as_told(state.settings)
        elif isinstance(given, inputs.Reopen) and state.hall_clock is None:
            del cause["away_ms"]
        if isinstance(given, SetHallClock) or state.settings.clock or state.hall_clock is not None:
            cause["now_ms"] = now_ms
        if state.limits.grace_ms and (
            away := [seat.value for seat in state.seats if state.connected.get(seat) is False]
        ):
            cause["away"] = away
        return cause

    def phones_away(self, seats: Collection[Seat]) -> None:
        """Note that these seats' phones are not connected and nothing is known of the others, as a row of a journal
        says.
        """
        self._state.connected = dict.fromkeys(seats, False)

    def give(self, seats: Collection[Seat]) -> None:
        """Note that a person has these seats of the computer; the game's journal keeps naming who began it."""
        self._state.given = frozenset(seats)

    def tell_at_once(self, at_once: bool) -> None:
        """Let a told attack make open plies final, as when some rows of a journal were written; or not, as today."""
        self._state.told_at_once = at_once

    @property
    def phase(self) -> Phase:
        """Return the phase the table is in."""
        return self._state.phase

    @property
    def result(self) -> GameEnd | None:
        """Return how the game ended, None while it has not."""
        return self._state.result

    @property
    def asks_after_the_end(self) -> bool:
        """Return whether the game is over and nobody may know yet who has agreed to turn the armies over."""
        return finale.is_open(self._state)

    @property
    def board_fault(self) -> str | None:
        """Return why the board cannot be read, None while it can."""
        return self._state.board_fault

    @property
    def public_game(self) -> Game | None:
        """Return the game as everybody knows it, None before it began. It is the table's own object: copy it before
        changing it.
        """
        return self._state.dual.public if self._state.dual else None

    @property
    def moment(self) -> int:
        """Return the number of the last event that changed anything: who has that event knows the present state."""
        return self._state.moment

    @property
    def can_go_back(self) -> int:
        """Count the turns and decisions that could be taken back now."""
        return len(self._state.dual.history) if self._state.dual else 0

    @property
    def remembered(self) -> int:
        """Count what a repeat is known by: accepted messages of the seat that has most of them."""
        return max(map(len, self._state.taken.values()), default=0)

    def view(self) -> PublicView:
        """Return what everybody may see, clocks as they were at the last input."""
        return projections.public_view(self._state, self._now_ms)

    def info(self) -> PublicInfo:
        """Return what stays the same for this game."""
        return projections.public_info(self._state)


_UNTIMED = (
    inputs.Open
    | inputs.Reopen
    | inputs.Connection
    | inputs.BrokerLink
    | inputs.BoardDiffers
    | inputs.Cable
    | ArbiterVerb
)
"""Inputs before which no flag falls; nor does one before a silence that nobody is charged for."""


def _from_seat(step: StepBuilder, given: inputs.SeatSays) -> None:
    seat, message = given.seat, given.message
    with step.answering(seat, message.id):
        if seat not in step.state.seats:
            raise RejectedError("no-such-seat")
        if message.id in step.state.taken.get(seat, ()):
            step.accept_again(seat, message.id)
        else:
            _MESSAGES[type(message)](step, seat, message)


def _ordered(step: StepBuilder, verb: ArbiterVerb) -> None:
    """Take an arbiter's order; that it is no repeat and does not come too late is judged where it comes in (`referee.runtime.orders`)."""
    check_words(verb.id, verb.reason, verb.by)
    if step.state.pause is None and step.state.called and not isinstance(verb, SignEnd):  # he is there
        step.state.called.clear()
        step.touch()
    _ORDERS[type(verb)](step, verb)


def _at_table(step: StepBuilder, seat: Seat) -> Seat:
    if seat not in step.state.seats:
        raise CorrectionError("no-such-seat", f"{seat.value} does not play here")
    return seat


def _answer(step: StepBuilder, seat: Seat, message: messages.Answer) -> None:
    decision = step.state.decision
    if decision is not None and message.question == decision.question:
        moves.answer_decision(step, seat, message)
    else:
        endings.answer_offer(step, seat, message)


def _connection(step: StepBuilder, given: inputs.Connection) -> None:
    state = step.state
    if given.seat in state.seats and state.connected.get(given.seat) is not given.here:
        state.connected[given.seat] = given.here
        step.touch()


def _named(step: StepBuilder, given: inputs.Named) -> None:
    state = step.state
    known = state.names.get(given.seat, "")
    name = given.name or state.settings.names.get(given.seat, "")
    if given.seat in state.seats and name != known and state.phase not in (Phase.LOBBY, Phase.FINISHED):
        step.name(given.seat, name)


def _puzzled(step: StepBuilder, seen: sensing.Puzzled) -> None:
    if step.state.phase is Phase.SETTING_UP:
        setup.look_again(step, seen.differences)
    else:
        board.not_understood(step, seen.differences, Ask.NOT_UNDERSTOOD)


def _agreed(step: StepBuilder, seen: sensing.Agreed) -> None:
    if step.state.phase is Phase.SETTING_UP:
        setup.take_agreement(step)
    else:
        board.agreed(step, seen.lifted)


def _seen(step: StepBuilder, seen: sensing.Seen) -> None:
    if step.state.phase is Phase.SETTING_UP:
        setup.take_occupants(step, seen.occupants)


def _tell_again(*_: object) -> None:
    """Refuse: what was missed is told where the journal is (`referee.runtime.game`)."""
    raise RejectedError("no-journal")


def _resume(step: StepBuilder, _: inputs.Resume) -> None:
    if not timekeeping.round_is_over(step.state):
        pauses.resume(step)


def _reopen(step: StepBuilder, given: inputs.Reopen) -> None:
    timekeeping.stand_unmeasured(step)
    timekeeping.count_on(step, step.before_ms, given.away_ms)
    pauses.reopen(step)
    finale.begin_again(step)
    board.warn(step, ())  # the program that knew of it is gone; what is so still is told anew


def _tick(step: StepBuilder, _: inputs.Tick) -> None:
    pauses.tick(step)
    finale.close_if_due(step)


_MESSAGES: dict[type, Callable[[StepBuilder, Seat, Any], None]] = {
    messages.Hello: lambda step, seat, _: step.letter(seat, projections.seat_state(step, seat)),
    messages.Missed: _tell_again,
    messages.Ready: setup.take_ready,
    messages.Enrol: setup.take_enrolment,
    messages.TellAttack: attacks.take_told,
    messages.TellInfiltrate: attacks.take_told,
    messages.TellFire: attacks.take_told,
    messages.Decide: moves.decide,
    messages.TellLeave: moves.leave_flags,
    messages.Declare: attacks.declare,
    messages.DenyAttack: attacks.deny,
    messages.Resign: endings.resign,
    messages.OfferDraw: endings.take_offer,
    messages.OfferAbort: endings.take_offer,
    messages.OfferTakeBack: endings.take_offer,
    messages.OfferVoid: endings.take_offer,
    messages.AskPause: pauses.ask_for,
    messages.CallArbiter: pauses.ask_for,
    messages.AskResume: pauses.ask_to_go_on,
    messages.ClaimImmobile: endings.take_offer,
    messages.Answer: _answer,
    messages.Consent: finale.consent,
    messages.Countersign: endings.countersign,
}
_ORDERS: dict[type, Callable[[StepBuilder, Any], None]] = {
    arbiter_commands.TakeBack: lambda step, verb: takeback.take_back(step, verb.ply, takeback.BY_ARBITER),
    arbiter_commands.VoidVerdict: lambda step, verb: takeback.void(step, verb.ply, takeback.BY_ARBITER),
    arbiter_commands.SetClock: lambda step, verb: timekeeping.adjust(step, verb.seat, verb.left_ms),
    arbiter_commands.SetHallClock: lambda step, verb: timekeeping.set_hall_clock(step, verb.left_ms, verb.at_end),
    arbiter_commands.EndGame: lambda step, verb: endings.rule(step, verb.result),
    arbiter_commands.PauseGame: lambda step, _: pauses.order(step, "arbiter"),
    arbiter_commands.AdjournGame: lambda step, _: pauses.order(step, "adjourned", any_pause=True),
    arbiter_commands.ResumeGame: lambda step, _: pauses.order_resume(step),
    arbiter_commands.Penalise: lambda step, verb: step.event("penalty", seat=_at_table(step, verb.seat)),
    arbiter_commands.SignEnd: lambda step, verb: endings.sign_in_hall(step, STATION, verb.key, verb.signature),
    arbiter_commands.Rule: lambda step, verb: step.event("ruling", seat=verb.seat and _at_table(step, verb.seat)),
}
_INPUTS: dict[type, Callable[[StepBuilder, Any], None]] = {
    sensing.Lifted: lambda step, seen: moves.lifted(step, seen.square),
    sensing.Returned: lambda step, seen: moves.returned(step, seen.square),
    sensing.Read: lambda step, seen: moves.read(step, seen.prospect),
    sensing.Revised: lambda step, seen: moves.revised(step, seen.prospect, seen.plies),
    sensing.Unread: lambda step, seen: moves.unread(step, seen.plies),
    sensing.Final: lambda step, _: moves.final(step),
    sensing.AttackSeen: lambda step, seen: attacks.take_seen(step, seen.source, seen.target),
    sensing.Disturbed: lambda step, seen: board.not_understood(step, seen.differences, Ask.DISTURBED),
    sensing.Puzzled: _puzzled,
    sensing.Agreed: _agreed,
    sensing.Seen: _seen,
    sensing.Masked: lambda step, seen: board.distrust(step, seen.squares),
    inputs.SeatSays: _from_seat,
    **dict.fromkeys(get_args(ArbiterVerb), _ordered),
    inputs.Open: lambda step, _: setup.open_table(step),
    inputs.Reopen: _reopen,
    inputs.Connection: _connection,
    inputs.Named: _named,
    inputs.BoardLink: lambda step, given: board.link(step, given.fault, given.quiet_ms),
    inputs.BrokerLink: lambda step, given: outages.broker_link(step, given.heard, given.quiet_ms, given.awaited),
    inputs.BoardWarnings: lambda step, given: board.warn(step, given.warnings),
    inputs.BoardDiffers: lambda step, given: board.compare(step, given.differences),
    inputs.Cable: lambda *_: None,
    inputs.Pause: lambda step, _: pauses.pause(step),
    inputs.Resume: _resume,
    inputs.Abort: lambda step, given: endings.settle_and_end(step, None, given.reason),
    inputs.Tick: _tick,
    inputs.Leave: lambda step, _: finale.close(step, in_time=False),
}
"""What each type of input sets going: one row a type of `Input`, which a test proves."""
