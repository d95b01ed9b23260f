"""What a ply leaves a player to decide in Stratego 4: flags to take, the slider to move, a piece to recruit; and leaving flags."""

from __future__ import annotations

from referee.rules import Decided, MoveSlider, Recruit, TakeFlags
from referee.rules.values import Seat, Square
from referee.table import ends, pauses
from referee.table.messages import Answer, Question, QuestionKind, TellLeave
from referee.table.state import OpenDecision
from referee.table.step import Expect, StepBuilder
from referee.table.transitions import Trigger
from referee.table.views import Ask, Fix, Phase

NOTHING = "none"
UP, STAY = "up", "stay"


def ask_if_owed(step: StepBuilder) -> bool:
    """Ask the seat that owes a decision, if the game goes on and one is owed; tell whether it was asked."""
    state = step.state
    castle = state.dual.public.castle if state.dual is not None else None
    if castle is None or not castle.owed or state.phase is Phase.FINISHED:
        return False
    owed = castle.owed[0]
    choices: dict[str, Decided] = {}
    for action in state.game.public.legal_actions():
        if isinstance(action, TakeFlags) and len(action.flags) in _sizes(len(owed.flags)):
            choices[",".join(seat.value for seat in action.flags) or NOTHING] = action
        elif isinstance(action, MoveSlider):
            choices[UP if action.up else STAY] = action
        elif isinstance(action, Recruit) and action.piece is None:
            choices[NOTHING] = action
        elif isinstance(action, Recruit) and action.piece in state.game.captured:
            choices.setdefault(state.game.captured[action.piece].value, action)
    state.questions += 1
    kind = QuestionKind.TAKE_FLAG if owed.flags else QuestionKind.SLIDER if owed.slider else QuestionKind.RECRUIT
    state.decision = OpenDecision(state.questions, kind, owed.seat, choices)
    step.go(Trigger.DECISION_OWED)
    state.ask = Ask.DECIDE
    state.deadline_ms = step.now_ms + state.settings.answer_limit_ms
    step.letter(owed.seat, decision_question(step))
    return True


def _sizes(flags: int) -> frozenset[int]:
    """Give how many of some flags may be taken: any number, but of four only none, one or all, or the letter would be too long."""
    return frozenset(range(flags + 1)) if flags < 4 else frozenset({0, 1, flags})


def decision_question(step: StepBuilder) -> Question:
    """Give the open decision as a question."""
    decision = step.state.decision
    assert decision is not None
    return step.state.question_for(decision.seat, decision.question, decision.kind, tuple(decision.choices))


def answer_decision(step: StepBuilder, seat: Seat, message: Answer) -> None:
    """Take the answer to an open decision; then the board has to agree with it."""
    state, decision = step.state, step.state.decision
    if decision is None or decision.seat is not seat or not pauses.takes_answers(state):
        step.reject(seat, message.id, "no-such-question")
        return
    choice = decision.choices.get(message.choice)
    if choice is None:
        step.reject(seat, message.id, "no-such-choice")
        return
    step.accept(seat, message.id)
    step.close([seat], decision.question)
    pauses.break_silence(step)
    state.decision, state.deadline_ms, state.ask = None, None, None
    before = state.game.public.occupants()
    state.game.play(choice)
    occupants = state.game.public.occupants()
    step.go(Trigger.SETTLED)
    if isinstance(choice, MoveSlider):
        step.event("slider.decided", seat=seat, text=message.choice)
    elif isinstance(choice, TakeFlags):
        step.event("flags.taken", seat=seat, target=choice.square, text=message.choice)
    elif choice.piece is None:
        step.event("recruit.declined", seat=seat)
    else:
        came = next(square for square in occupants if square not in before)
        state.ask, state.fixes = Ask.PUT_RECRUIT, (Fix(came.name, seat),)
        step.event("recruited", seat=seat, target=came, text=f"{choice.piece.number} {message.choice}")
    step.order(Expect(occupants))
    ends.end_if_over(step)


def leave_flags(step: StepBuilder, seat: Seat, message: TellLeave) -> None:
    """Take the mover's word that a piece leaves flags behind when it moves."""
    state = step.state
    if state.phase not in (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND) or state.game.public.turn is not seat:
        step.reject(seat, message.id, "not-now")
        return
    castle = state.game.public.castle
    square = Square(message.square)
    carried = [
        owner
        for owner, flag in (castle.flags.items() if castle else ())
        if flag.carrier is not None and flag.square == square and flag.carrier.seat is seat
    ]
    if not set(message.flags) <= set(carried):
        step.reject(seat, message.id, "no-flag")
        return
    step.accept(seat, message.id)
    state.leaving.pop(seat, None)
    if message.flags:
        state.leaving[seat] = (square, tuple(owner for owner in carried if owner in message.flags))
