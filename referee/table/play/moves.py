"""Ordinary moves: lifted, read, revised, unread, final, refused; what a ply leaves to decide; and the names of what hands did wrong."""

from __future__ import annotations

from collections.abc import Sequence

from referee.rules import Board, Decided, EndReason, Game, Move, MoveSlider, Prospect, Recruit, Seat, Square, TakeFlags
from referee.rules.outcomes import Reason, Refusal
from referee.sensing import Difference, Reading
from referee.table.arbiter_commands import STALE, RejectedError
from referee.table.conduct import endings, pauses
from referee.table.messages import Answer, Decide, Question, QuestionKind, TellLeave, Told
from referee.table.state import AT_REST, OpenDecision, OpenOffer, OpenPly, TableState, Trigger, is_allowed
from referee.table.step import UNREAD, Advance, Expect, Follow, StepBuilder
from referee.table.views import Ask, DecidedMove, Fix, LastMove, Phase

PUBLIC_REASONS = frozenset({Reason.TWO_SQUARES, Reason.CHASE, Reason.SITUATION})
"""Refusals that rest on where tracked pieces went, never on a rank: everybody may hear them."""


def lifted(step: StepBuilder, square: Square) -> None:
    """Note a lifted piece; only the mover's own piece changes the phase."""
    state = step.state
    if not is_allowed(state.phase, Trigger.LIFTED) or square in state.in_hand:
        return
    piece = state.game.public.piece_at(square)
    state.in_hand.append(square)
    if piece is not None and piece.seat is state.game.public.turn:
        step.go(Trigger.LIFTED)
    step.touch()


def returned(step: StepBuilder, square: Square) -> None:
    """Note that a lifted piece is back on its square: no move."""
    state = step.state
    if square not in state.in_hand:
        return
    state.in_hand.remove(square)
    if state.phase is Phase.PIECE_IN_HAND:
        own = [s for s in state.in_hand if (p := state.game.public.piece_at(s)) and p.seat is state.game.public.turn]
        step.go(Trigger.RETURNED, Phase.PIECE_IN_HAND if own else Phase.WAITING_FOR_MOVE)
    step.touch()


def read(step: StepBuilder, prospect: Prospect) -> None:
    """Take a move that sensing has read; it counts from now on, and can be revised until it is final. So may those before it.

    Only where the ply before has ended the game or owes a decision can nobody play on. The hands show then that its player has done
    with it: it is final, and what comes of that comes first.
    """
    state = step.state
    if not is_allowed(state.phase, Trigger.MOVE_READ):
        return
    if state.open_plies and (state.game.result is not None or (state.castle and state.castle.owed)):
        finalise(step)
        if not is_allowed(state.phase, Trigger.MOVE_READ):
            return
    _play(step, "move.read", Trigger.MOVE_READ, prospect)


def revised(step: StepBuilder, prospect: Prospect, plies: int) -> None:
    """Take the better reading of the last open plies: they and later offers are retracted, and this ply is played
    instead.
    """
    state = step.state
    if not is_allowed(state.phase, Trigger.MOVE_REVISED):
        return
    if _is_on_its_way(state):
        _play(step, "move.read", Trigger.MOVE_READ, prospect)
        return
    if not _are_open(state, plies):
        return
    offer = endings.offer_before(state, plies)
    if state.open_plies[-plies].decided is not None:  # nothing but what was decided comes instead of it
        step.unsay(plies, UNREAD)
        endings.offer_again(step, offer)
        _play(step, "move.read", Trigger.MOVE_READ, prospect)
        return
    endings.drop_offer(step, state.open_plies[-plies].seat)
    step.unsay(plies - 1, UNREAD)
    state.unsay_last_ply()
    _play(step, "move.revised", Trigger.MOVE_REVISED, prospect, overtaken=offer)


def unread(step: StepBuilder, plies: int) -> None:
    """Take the news that the last open plies are retracted: everything is as before them, also an offer that lapsed by
    them.
    """
    state = step.state
    if not is_allowed(state.phase, Trigger.MOVE_UNREAD):
        return
    if _is_on_its_way(state):
        step.order(Advance(state.game.public.situation()))
        return
    if not _are_open(state, plies):
        return
    offer, barred = endings.offer_before(state, plies), state.open_plies[-plies].barred
    step.unsay(plies, UNREAD)
    endings.offer_again(step, offer)
    step.go(Trigger.MOVE_UNREAD)
    state.barred = barred
    state.in_hand.clear()
    step.order(Advance(state.game.public.situation()))


def _are_open(state: TableState, plies: int) -> bool:
    return 1 <= plies <= len(state.open_plies)


def _play(
    step: StepBuilder, kind: str, trigger: Trigger, prospect: Prospect, overtaken: OpenOffer | None = None
) -> None:
    state = step.state
    mover = state.game.public.turn
    if not is_free(state, prospect.source, prospect.target):
        _wait_or_ask(step, prospect)
        return
    action, refusals = _first_legal(state.game.known, ways(step, prospect.source, prospect.target))
    state.in_hand.clear()
    if refusals:
        refuse(step, action, refusals)
        return
    if trigger is Trigger.MOVE_READ:
        overtaken = endings.played_on(step, mover)
    ply = OpenPly(
        mover,
        action.source,
        action.target,
        dual=state.game.copy(),
        last_move=state.last_move,
        shown_attack=state.shown_attack,
        clocks=state.clocks.stopped(step.now_ms) if state.clocks else None,
        barred=state.barred,
        leaving=state.leaving.pop(mover, None),
        overtaken=overtaken,
        decided=state.decided,
    )
    state.decided = None
    state.open_plies.append(ply)
    state.game.play(action)
    step.go(trigger)
    state.barred = None
    state.shown_attack = None
    state.last_move = LastMove(mover, action.source.name, action.target.name, final=False)
    step.order(Advance(state.game.public.situation()))
    left = " ".join(seat.value for seat in action.leaving) or None
    step.event(kind, seat=mover, source=action.source, target=action.target, via=action.via, text=left)


def ways(step: StepBuilder, source: Square, target: Square) -> list[Move]:
    """Return the ways from source to target, as everybody may think of them: where they turn, sensing cannot tell them apart.

    Those of most ranks come first, so that the first legal one says as little as possible of the piece.
    """
    state = step.state
    game = state.game
    square, flags = state.leaving.get(game.public.turn, (None, ()))
    left = flags if square == source else ()
    if game.public.castle is None and not state.rules.steps_first:
        return [Move(source, target, (), left)]
    prospects = game.public.situation().prospects
    told = [p.path_told for p in prospects if (p.source, p.target) == (source, target)]
    found = [Move(source, target, way, left) for way in told] or [Move(source, target, (), left)]
    piece = game.public.piece_at(source)
    return found if piece is None else sorted(found, key=lambda move: -len(game.public.possible_for(piece, move)))


def _first_legal(known: Game, actions: list[Move]) -> tuple[Move, tuple[Refusal, ...]]:
    judged = [(action, known.refusals(action)) for action in actions]
    return next((one for one in judged if not one[1]), judged[0])


def final(step: StepBuilder) -> None:
    """Take sensing's message that the oldest open ply can no longer be revised; while paused, the board is compared
    first.

    After the last of them the game may be over, or a decision owed.
    """
    state = step.state
    if not is_allowed(state.phase, Trigger.MOVE_REVISED):
        return
    if _is_on_its_way(state):
        assert state.decided is not None
        ask_for_decided(step, Square(state.decided.source))
        return
    if not state.open_plies:
        return
    endings.close_oldest_ply(step)
    if not state.open_plies:
        ask_if_owed(step)


def finalise(step: StepBuilder) -> None:
    """Make every open ply final; after them the game may be over, or a decision owed.

    The next player has acted on them, as sensing saw.
    """
    if step.state.open_plies:
        endings.close_open_plies(step)
        ask_if_owed(step)


def refuse(step: StepBuilder, action: Move, refusals: tuple[Refusal, ...]) -> None:
    """Refuse what the hands did: everybody hears which squares to put right, the mover alone a reason that rests on a rank.

    The event has the number of the ply that it would have been: where that ply was read and this refuses its revision, it never was.

    Plies before it that are still open stay so, since sensing may have read this one while the hand of the one before was on its
    way. From here on sensing forgets how it read them: the board is asked for as they left it, they are final once it agrees, and
    taken back if anything else shows on their squares (`board`). Only a refusal that ends the game leaves nothing to wait for: they
    were answered, so they count.
    """
    state = step.state
    public, mover = state.game.public, state.game.public.turn
    step.go(Trigger.MOVE_REFUSED)
    reason = refusals[0].reason
    state.barred = _public_reason(public, action)
    state.ask = Ask.ILLEGAL_MOVE
    squares = (action.source.name, action.target.name)
    state.ask_to_fix(squares)
    state.in_hand.clear()
    step.order(Expect(public.occupants()))
    ply = state.ply + 1
    step.event("move.refused", seat=mover, source=action.source, target=action.target, text=state.barred, ply=ply)
    step.letter(mover, Told(id=state.next_id(mover), ply=ply, reason=reason.value, squares=squares))
    rules = state.rules
    if reason is Reason.IMMOBILE and rules.option("immobile_moved", "illegal") == "forfeit":
        endings.close_open_plies(step)
        endings.end(step, rules.seat_after(mover), EndReason.FORFEIT)


def _public_reason(public: Game, action: Move) -> str | None:
    """Return the repetition rule that bars an action for all that everybody knows.

    Not whether it is why the action was refused: that would tell of a long move whether the piece can run.
    """
    reasons = [refusal.reason for refusal in public.refusals(action)]
    return next((reason.value for reason in reasons if reason in PUBLIC_REASONS), None)


def resume_play(step: StepBuilder) -> None:
    """Go on after the board agreed: nothing but an open offer is asked any more, sensing follows the game as it stands."""
    state = step.state
    state.ask, state.fixes = endings.offer_asks(state), ()
    state.in_hand.clear()
    step.go(Trigger.BOARD_AGREES)
    if not ask_if_owed(step):
        step.order(Follow(state.game.public.situation()))


# --- a seat whose moves are decided elsewhere: it tells them, and hands carry them out --------------------------------


def decide(step: StepBuilder, seat: Seat, message: Decide) -> None:
    """Take the move that a seat has decided elsewhere, once; hands have to carry it out (docs/reference/messages.md has every answer)."""
    state = step.state
    if seat not in state.settings.decided:
        raise RejectedError("not-elsewhere")
    at_board = state.phase in AT_REST or state.phase in (Phase.RESTORING, Phase.WAITING_FOR_BOARD)
    if not at_board or state.unsettled is not None or (state.castle and state.castle.owed):
        raise RejectedError("not-now")
    if state.game.public.turn is not seat:
        raise RejectedError("not-your-turn")
    if message.ply != state.ply + 1:
        raise RejectedError(STALE)
    if state.open_plies:
        raise RejectedError("not-final")
    if state.decided is not None:
        raise RejectedError("decided")
    source, target = (_square(state, name) for name in (message.source, message.target))
    if state.game.public.occupants().get(source) is not seat:
        raise RejectedError("not-your-piece")
    action, refusals = _first_legal(state.game.known, ways(step, source, target))
    if refusals:
        raise RejectedError(named(state.rules.board, action.source, action.target, refusals[0].reason))
    step.accept(seat, message.id)
    state.decided = DecidedMove(seat, source.name, target.name)
    step.event("move.decided", seat=seat, source=source, target=target, ply=message.ply)


def _square(state: TableState, name: str) -> Square:
    if name not in {square.name for square in state.rules.board.squares}:
        raise RejectedError("no-such-square")
    return Square(name)


def is_free(state: TableState, source: Square, target: Square) -> bool:
    """Return whether hands may make this ply: any, or of a seat whose moves are decided elsewhere the one it decided."""
    decided = state.decided
    return not state.decides_elsewhere or (
        decided is not None and (source.name, target.name) == (decided.source, decided.target)
    )


def _wait_or_ask(step: StepBuilder, prospect: Prospect) -> None:
    """Wait where a hand rests on the path of a decided move; after any other ply ask for the board as it was.

    Sensing then follows what it has read, until it is revised to the decided move, unread, or final: it is no ply of the game.
    """
    state = step.state
    decided, situation = state.decided, state.game.public.situation()
    on_its_way = decided is not None and any(
        prospect.target in way.path[:-1]
        for way in situation.prospects
        if way.source == prospect.source and (way.source.name, way.target.name) == (decided.source, decided.target)
    )
    if on_its_way and not state.open_plies and situation.after is not None:
        step.order(Advance(situation.after(prospect)))
    else:
        ask_for_decided(step, prospect.source, prospect.target)


def _is_on_its_way(state: TableState) -> bool:
    """Return whether the last reading can only be a rest on the path of the decided move: no ply of the game is open."""
    return state.decided is not None and not state.open_plies


def ask_for_decided(step: StepBuilder, *squares: Square) -> None:
    """Ask the hands to undo a ply that was not decided; plies before it that are open stay so, as after a refusal (`refuse`)."""
    state = step.state
    step.go(Trigger.NOT_UNDERSTOOD)
    state.ask = Ask.NOT_DECIDED
    state.ask_to_fix(square.name for square in squares)
    state.in_hand.clear()
    step.order(Expect(state.game.public.occupants()))
    step.event("ask", text=Ask.NOT_DECIDED.value)


# --- what a ply of Stratego 4 leaves to decide: flags to take or leave, the slider, a recruit -------------------------


NOTHING = "none"
UP, STAY = "up", "stay"


def ask_if_owed(step: StepBuilder) -> bool:
    """Ask the seat that owes a decision, if the game continues and one is owed. Returns whether it was asked."""
    state = step.state
    castle = state.castle
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
    step.letter(owed.seat, decision_question(step, state.decision))
    return True


def _sizes(flags: int) -> frozenset[int]:
    """Return how many of some flags may be taken: any number, but of four only none, one or all, or the letter would be too long."""
    return frozenset(range(flags + 1)) if flags < 4 else frozenset({0, 1, flags})


def decision_question(step: StepBuilder, decision: OpenDecision) -> Question:
    """Return a decision as a question."""
    return step.state.question_for(decision.seat, decision.question, decision.kind, tuple(decision.choices))


def answer_decision(step: StepBuilder, seat: Seat, message: Answer) -> None:
    """Take the answer to an open decision; then the board has to agree with it."""
    state, decision = step.state, step.state.decision
    if decision is None or decision.seat is not seat or not pauses.takes_answers(state):
        raise RejectedError("no-such-question")
    choice = decision.choices.get(message.choice)
    if choice is None:
        raise RejectedError("no-such-choice")
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
    endings.end_if_over(step)


def leave_flags(step: StepBuilder, seat: Seat, message: TellLeave) -> None:
    """Take the mover's word that a piece leaves flags behind when it moves."""
    state = step.state
    if state.phase not in AT_REST or state.game.public.turn is not seat:
        raise RejectedError("not-now")
    castle = state.game.public.castle
    square = Square(message.square)
    carried = [
        owner
        for owner, flag in (castle.flags.items() if castle else ())
        if flag.carrier is not None and flag.square == square and flag.carrier.seat is seat
    ]
    if not set(message.flags) <= set(carried):
        raise RejectedError("no-flag")
    step.accept(seat, message.id)
    state.leaving.pop(seat, None)
    if message.flags:
        state.leaving[seat] = (square, tuple(owner for owner in carried if owner in message.flags))


# --- hands that moved one piece as no rule allows: which rule it was, by what everybody sees --------------------------


def fault_of(public: Game, board: Board, differences: Sequence[Difference]) -> str | None:
    """Return the word of the fault (key `refusal.<word>` of the words), None where the hands did not simply move one piece.

    `public` is the game as everybody knows it, so that no word rests on a hidden rank.
    """
    gone = [d for d in differences if d.wanted is not None and d.seen == Reading.EMPTY]
    come = [d for d in differences if d not in gone]
    if len(gone) == 2 and not come and all(d.wanted is public.turn for d in gone):
        return Reason.OWN_PIECE.value
    if len(gone) != 1 or len(come) != 1:
        return None
    (left,), (reached,) = gone, come
    if reached.seen == Reading.UNSURE or reached.whose not in (None, left.wanted):
        return None
    if left.wanted is not public.turn:
        return "out-of-turn"
    refusals = public.refusals(Move(left.square, reached.square))
    return named(board, left.square, reached.square, refusals[0].reason) if refusals else None


def named(board: Board, source: Square, target: Square, reason: Reason) -> str:
    """Return the word of a refusal; what is no move of any piece is told by where it went: `diagonal`, through a `lake`, or neither."""
    if reason is not Reason.NOT_A_MOVE or board.ring is not None:
        return reason.value
    (x1, y1), (x2, y2) = board.shape(source)[:2], board.shape(target)[:2]
    if x1 != x2 and y1 != y2:
        return "diagonal"
    low, high = sorted(((x1, y1), (x2, y2)))
    crossed = any(low[0] <= column + 0.5 <= high[0] and low[1] <= row + 0.5 <= high[1] for column, row in board.lakes)
    return "lake" if crossed else reason.value
