"""Attacks: seen on the board or told on a handset, asked of both seats alike, settled when both have answered.

Then the hands clear the board. What cannot be is refused to its teller alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import msgspec

from referee.rules import CombatResult, EndReason, Fire, Game, Hidden, Infiltrate, Move, PieceId, Rank, Seat, Square
from referee.table import messages
from referee.table.arbiter_commands import RejectedError
from referee.table.commitments import leaf
from referee.table.conduct import endings, pauses
from referee.table.inputs import SeatSays, as_json
from referee.table.play import moves
from referee.table.play.moves import named
from referee.table.state import HeldAttack, OpenAttack, TableState, Trigger, is_allowed
from referee.table.step import TAKEN_BACK, Expect, StepBuilder
from referee.table.views import Ask, Attack, Fix, Mode, Reveal


def take_seen(step: StepBuilder, source: Square, target: Square) -> None:
    """Take an attack that the hands showed."""
    state = step.state
    if not is_allowed(state.phase, Trigger.ATTACKED):
        return
    moves.finalise(step)
    if not is_allowed(state.phase, Trigger.ATTACKED):
        return
    if moves.is_free(state, source, target):
        open_move(step, source, target)
    else:
        moves.ask_for_decided(step, source, target)


def open_move(step: StepBuilder, source: Square, target: Square) -> None:
    """Open an attack by moving, or refuse it."""
    ways = legal_ways(step, source, target)
    if ways:
        open_attack(step, tuple(ways))
        return
    action = moves.ways(step, source, target)[0]
    moves.refuse(step, action, step.state.game.known.refusals(action))


def legal_ways(step: StepBuilder, source: Square, target: Square) -> list[Move]:
    """Return the ways from source to target that are legal by everything the referee knows."""
    known = step.state.game.known
    return [action for action in moves.ways(step, source, target) if not known.refusals(action)]


def open_attack(step: StepBuilder, ways: tuple[Move | Infiltrate | Fire, ...]) -> None:
    """Ask both seats of an attack that is legal."""
    state, action = step.state, ways[0]
    attacker, defender = state.game.public.piece_at(action.source), state.game.public.piece_at(action.target)
    assert attacker is not None
    assert defender is not None
    step.go(Trigger.ATTACKED)
    endings.drop_offer(step, attacker.seat)
    state.barred = None
    state.in_hand.clear()
    state.questions += 1
    state.attack = OpenAttack(state.questions, attacker.seat, ways, {attacker.seat: attacker, defender.seat: defender})
    state.ask = Ask.DECLARE
    state.shown_attack = _shown(attacker.seat, action)
    state.deadline_ms = step.now_ms + state.settings.answer_limit_ms
    open_way = isinstance(action, Move) and len(moves.ways(step, action.source, action.target)) > 1
    via = () if open_way else _via(action)  # the verdict tells it, whoever knows it before
    kind, text = _said_aloud(action)
    step.event(
        kind, seat=attacker.seat, source=action.source, target=action.target, via=via, ply=state.ply + 1, text=text
    )
    for seat in (attacker.seat, defender.seat):
        step.letter(seat, rank_question(step, seat, state.attack))


def _said_aloud(action: Move | Infiltrate | Fire) -> tuple[str, str | None]:
    """Return an attack's type of event, and what was said aloud: the guess, or the flags that are left behind."""
    match action:
        case Infiltrate(guess=guess):
            return "infiltrate", guess.value
        case Fire():
            return "fire", None
        case Move(leaving=leaving):
            return "attack", " ".join(seat.value for seat in leaving) or None


def ask_anew(step: StepBuilder) -> None:
    """Open the attack again whose verdict was voided, if there is one and the game is back at the position where it was
    made.
    """
    state, action = step.state, step.state.unsettled
    if action is None or not is_allowed(state.phase, Trigger.ATTACKED):
        return
    state.unsettled = None
    if isinstance(action, Move):
        open_move(step, action.source, action.target)
    else:
        open_attack(step, (action,))


def rank_question(step: StepBuilder, seat: Seat, attack: OpenAttack) -> messages.Question:
    """Return the open question of an attack to one seat, with the ranks that its piece can still have."""
    state, piece = step.state, attack.pieces[seat]
    square = state.game.known.square_of(piece)
    declarable = _declarable(step, seat, attack)
    return messages.Question(
        id=state.next_id(seat),
        question=attack.question,
        kind=messages.QuestionKind.DECLARE,
        ply=state.ply + 1,
        source=attack.action.source.name,
        target=attack.action.target.name,
        square=square.name if square else None,
        choices=tuple(rank.value for rank in state.rules.army if rank in declarable),
    )


def _declarable(step: StepBuilder, seat: Seat, attack: OpenAttack) -> frozenset[Rank]:
    """Return the ranks that a seat's piece can have, seen from this attack: one that attacked can move, a far one is a scout.

    Those of `_forfeiting` besides: who moved a bomb can say so only there.
    """
    game, piece, besides = step.state.game.known, attack.pieces[seat], _forfeiting(step, seat, attack)
    if seat is not attack.seat:
        return game.possible(piece) | besides
    return besides.union(*(game.possible_for(piece, way) for way in attack.ways))


def _forfeiting(step: StepBuilder, seat: Seat, attack: OpenAttack) -> frozenset[Rank]:
    """Return the ranks that lose the game if a seat's piece turns out to have one, since it moved or attacks by moving."""
    if seat is attack.seat and not isinstance(attack.action, Move):
        return frozenset()  # whoever infiltrates or fires is known by that
    return step.state.game.known.forfeits_as(attack.pieces[seat], moving=seat is attack.seat)


def _asked(state: TableState, seat: Seat, question: int) -> OpenAttack:
    """Return the open attack, of which this seat is asked this question now. Raises `RejectedError` where it is not."""
    attack = state.attack
    if attack is None or attack.question != question or seat not in attack.pieces or not pauses.takes_answers(state):
        raise RejectedError("no-such-question")
    return attack


def declare(step: StepBuilder, seat: Seat, message: messages.Declare) -> None:
    """Take a declaration, or refuse one that contradicts what the referee knows; the second one settles the attack."""
    state, attack = step.state, _asked(step.state, seat, message.question)
    if message.rank not in _declarable(step, seat, attack):
        raise RejectedError("impossible-rank")
    step.accept(seat, message.id)
    if seat in attack.denied:
        attack.denied.discard(seat)
        _show_denied(step, attack)
    if seat not in attack.answers:  # that somebody changes an answer is nobody else's business
        pauses.break_silence(step)
        step.touch()
    attack.answers[seat] = Hidden(message.rank)
    square = state.game.known.square_of(attack.pieces[seat])
    assert square is not None
    step.note("declared", seat, {square: message.rank})
    if len(attack.answers) == len(attack.pieces):
        _settle(step, attack)


def deny(step: StepBuilder, seat: Seat, message: messages.DenyAttack) -> None:
    """Take a seat's word that there was no attack; when both of its seats have said so, it is withdrawn.

    Nothing is revealed before both have answered, so nobody has heard anything by then. One seat alone withdraws nothing: it could
    think better of its attack. Its own answer is void until it declares again, so the other one cannot settle the attack meanwhile.
    """
    state, attack = step.state, _asked(step.state, seat, message.question)
    if not isinstance(attack.action, Move):  # a guess and a shot were said aloud by the attacker himself
        raise RejectedError("no-such-question")
    step.accept(seat, message.id)
    if seat in attack.denied:
        return
    pauses.break_silence(step)
    attack.answers.pop(seat, None)
    attack.denied.add(seat)
    _show_denied(step, attack)
    source, target = attack.action.source, attack.action.target
    step.event("attack.denied", seat=seat, source=source, target=target, ply=state.ply + 1)
    if len(attack.denied) == len(attack.pieces):
        _withdraw(step, attack)


def _show_denied(step: StepBuilder, attack: OpenAttack) -> None:
    assert step.state.shown_attack is not None
    denied = tuple(seat for seat in attack.pieces if seat in attack.denied)
    step.state.shown_attack = replace(step.state.shown_attack, denied=denied)
    step.touch()


def _withdraw(step: StepBuilder, attack: OpenAttack) -> None:
    """Continue as if there had been no attack, once the board is as it was; what was declared is forgotten."""
    state, action = step.state, attack.action
    state.attack, state.shown_attack, state.deadline_ms = None, None, None
    step.go(Trigger.WITHDRAWN)
    state.ask = Ask.RESTORE
    step.order(Expect(state.game.public.occupants()))
    step.close(attack.pieces, attack.question)
    step.event("attack.withdrawn", seat=attack.seat, source=action.source, target=action.target, ply=state.ply + 1)


def _shown(seat: Seat, action: Move | Infiltrate | Fire, result: str | None = None) -> Attack:
    """Return what everybody sees of an attack: also what its owner said aloud."""
    guess = action.guess if isinstance(action, Infiltrate) else None
    return Attack(seat, action.source.name, action.target.name, result, fires=isinstance(action, Fire), guess=guess)


def _settle(step: StepBuilder, attack: OpenAttack) -> None:
    state, dual = step.state, step.state.game
    ranks = {attack.pieces[seat]: answer.open_hidden() for seat, answer in attack.answers.items()}
    for piece in sorted(ranks, key=lambda piece: piece.seat is attack.seat):  # the attacked piece moved before
        if ranks[piece] in _forfeiting(step, piece.seat, attack):
            dual.known.forget_forfeits(ranks)
            for told, rank in ranks.items():  # a set-up that is shared later has to fit what was said here
                dual.known.learn(told, frozenset({rank}))
            endings.end(step, state.rules.seat_after(piece.seat), EndReason.FORFEIT)
            return
    action = _way_taken(dual.known, attack, ranks)
    source, target = action.source, action.target
    result = _verdict(step, attack, ranks)
    before = dual.public.occupants()
    lost = dual.play(action, result, ranks).captured
    captured = {piece: ranks[piece] for piece in lost}
    state.attack, state.deadline_ms, state.decided = None, None, None
    state.leaving.pop(attack.seat, None)
    step.go(Trigger.SETTLED)
    state.ask = Ask.REMOVE_CAPTURED
    state.last_move = None
    shown = {piece.seat: rank for piece, rank in captured.items()}
    state.shown_attack = replace(_shown(attack.seat, action, result.value), took=shown)
    state.fixes = (*state.fixes, *_fixes(before, dual.public))  # besides the pieces of who resigned meanwhile
    step.order(Expect(dual.public.occupants()))
    step.event(
        "verdict",
        seat=attack.seat,
        source=source,
        target=target,
        via=_via(action),
        result=result.value,
        captured=shown,
        leaves=_leaves(step, ranks),
    )
    _tell_verdict(step, attack, result, ranks, lost)
    endings.end_if_over(step)


def _leaves(step: StepBuilder, ranks: Mapping[PieceId, Rank]) -> dict[Seat, str]:
    """Return the commitments of what was declared just now, of both pieces alike: from here on the referee is bound to it."""
    state = step.state
    if state.settings.secret is None or state.settings.mode is not Mode.DECLARE:
        return {}
    origin = {piece: square.name for square, piece in state.origins.items()}
    game = state.settings.game
    return {p.seat: leaf(state.seed(p.seat), game, p.seat, origin[p], rank) for p, rank in ranks.items()}


def _way_taken(known: Game, attack: OpenAttack, ranks: Mapping[PieceId, Rank]) -> Move | Infiltrate | Fire:
    """Return the way that the attacker went: in Stratego 4 a scout and a captain may come to the same space by different ones.

    Everybody saw it at the board, where no sensor could; so the verdict names it.
    """
    piece = attack.pieces[attack.seat]
    return next(way for way in attack.ways if ranks[piece] in known.possible_for(piece, way))


def _via(action: Move | Infiltrate | Fire) -> tuple[Square, ...]:
    return () if isinstance(action, Fire) else action.via


def _verdict(step: StepBuilder, attack: OpenAttack, ranks: Mapping[PieceId, Rank]) -> CombatResult:
    attacker, defender = attack.pieces[attack.seat], next(p for s, p in attack.pieces.items() if s is not attack.seat)
    match attack.action:
        case Infiltrate(guess=guess):
            return CombatResult.INFILTRATED if ranks[defender] is guess else CombatResult.WRONG_GUESS
        case Fire():
            return CombatResult.BOTH_LOST
        case _:
            return step.state.rules.combat(ranks[attacker], ranks[defender])


def _fixes(before: Mapping[Square, Seat], after: Game) -> tuple[Fix, ...]:
    occupants = after.occupants()
    changed = [square for square in {**before, **occupants} if before.get(square) is not occupants.get(square)]
    return tuple(Fix(square.name, occupants.get(square)) for square in changed)


def _tell_verdict(
    step: StepBuilder,
    attack: OpenAttack,
    result: CombatResult,
    ranks: Mapping[PieceId, Rank],
    lost: tuple[PieceId, ...],
) -> None:
    """Send both seats an equal letter; a survivor's rank is in it only where `reveal` says so."""
    state = step.state
    for seat, own in attack.pieces.items():
        other = next(piece for who, piece in attack.pieces.items() if who is not seat)
        told = other in lost or reveals_survivor(state.settings.reveal, result, other.seat is attack.seat)
        if told and other not in lost:
            state.seen.setdefault(seat, {})[other] = ranks[other]
        step.letter(
            seat,
            messages.Verdict(
                id=state.next_id(seat),
                question=attack.question,
                ply=state.ply,
                result=result.value,
                own=ranks[own],
                other=ranks[other] if told else None,
            ),
        )


def reveals_survivor(reveal: Reveal, result: CombatResult, survivor_attacked: bool) -> bool:
    """Return whether the loser of an attack hears the survivor's rank."""
    if result in (CombatResult.INFILTRATED, CombatResult.WRONG_GUESS):
        return (
            survivor_attacked  # the infiltrator is known from then on; of a wrong guess's target nothing is told (002)
        )
    return reveal is Reveal.BOOK or (reveal is Reveal.ATTACKER_ONLY and survivor_attacked)


# --- attacks that are told on the handset: by moving, by infiltrating, by firing --------------------------------------


def take_told(step: StepBuilder, seat: Seat, message: messages.ToldAttack, held: HeldAttack | None = None) -> None:
    """Take an attack that its owner told: by moving, or what no sensor can see, an infiltration with its guess or a shot.

    What he leaves out of a move must follow from the hands and from his own ranks. A guess is spoken aloud, so it is public.
    While a ply before it can be revised it is held (docs/reference/messages.md#an-attack-that-waits has every event); `held` is it then.
    """
    state = step.state
    if _is_open(step, seat, message):  # the hands were quicker than the word: it is the same attack
        step.accept(seat, message.id)
        _charge_no_wait(state, held)
        return
    if (waits := state.held.get(seat)) is not None and waits.message.id == message.id:  # a repeat
        _tell_of_wait(step, seat, "attack-waits")
        return
    _check_decided(state, seat, message)
    begun = _begun_from(step, seat, message.source)
    others_turn = state.dual is not None and state.game.public.turn is not seat
    if not is_allowed(state.phase, Trigger.ATTACKED) or (others_turn and begun is None):
        raise RejectedError("not-your-turn" if others_turn else "not-now")
    ply = state.ply if begun else state.ply + 1
    if held is not None and held.ply != ply:
        raise RejectedError("not-your-turn" if others_turn else "not-now")  # a ply before it never was
    in_hand = [begun] if begun else _in_hand(step, seat)
    if isinstance(message, messages.TellAttack):
        sources = in_hand if begun or message.source is None else _named(step, seat, message.source)
        missing = "no-piece-in-hand" if message.source is None else "not-your-piece"
    else:
        named_squares = {square.name for square in state.rules.board.squares} >= {message.source, message.target}
        sources = [begun or Square(message.source)] if named_squares else []
        missing = "no-such-square"
    if not sources:
        raise RejectedError(missing)
    if _hold(step, seat, message, sources, ply):
        return
    with _unsaid(step, begun):
        if isinstance(message, messages.TellAttack):
            opens = _by_moving(step, message, sources)
        else:
            opens = _by_word(step, message, sources[0], begun)
    if _goes_on(step, seat, message.id, begun):
        _charge_no_wait(state, held)
        opens()


def _charge_no_wait(state: TableState, held: HeldAttack | None) -> None:
    """Set the clocks back to when an attack that had to wait was told: its player has owed nothing since."""
    if held is not None and held.told_ms and state.clocks is not None:
        state.clocks = state.clocks.as_of(held.told_ms)


def _check_decided(state: TableState, seat: Seat, message: messages.ToldAttack) -> None:
    """Raise `RejectedError` for a word that is not what its seat has decided elsewhere."""
    decided = state.decided
    if seat not in state.settings.decided:
        return
    if isinstance(message, messages.TellAttack):
        if decided is None or (message.source, message.target) != (decided.source, decided.target):
            raise RejectedError("not-decided")
    elif decided is not None:
        raise RejectedError("decided")


def _begun_from(step: StepBuilder, seat: Seat, source: str | None) -> Square | None:
    """Return where the piece in the player's hand came from, if the last reading was only a rest on its path; else
    None.

    It is up again from where it was read, and its owner says that it attacks: so it had not been let go.
    """
    state = step.state
    last = state.open_plies[-1] if state.open_plies else None
    if last is None or last.seat is not seat or last.target not in state.in_hand:
        return None
    return last.source if source in (None, last.source.name, last.target.name) else None


@contextmanager
def _unsaid(step: StepBuilder, begun: Square | None) -> Iterator[None]:
    """Judge as if the last reading had not happened, where the piece in the hand continues it."""
    state, dual, leaving = step.state, step.state.dual, step.state.leaving
    if begun is not None:
        last = state.open_plies[-1]
        state.dual = last.dual
        state.leaving = leaving if last.leaving is None else {**leaving, last.seat: last.leaving}
    try:
        yield
    finally:
        state.dual, state.leaving = dual, leaving


def _goes_on(step: StepBuilder, seat: Seat, message_id: str, begun: Square | None) -> bool:
    """Accept a told attack, and take the last ply back if the attack continues it. Returns whether the game continues
    after that.

    Others are open only where a row of before is repeated (`TableState.told_at_once`), and final by that.
    """
    step.accept(seat, message_id)
    if begun is not None:
        step.unsay(1, TAKEN_BACK)
    moves.finalise(step)
    return is_allowed(step.state.phase, Trigger.ATTACKED)


def _hold(step: StepBuilder, seat: Seat, message: messages.ToldAttack, sources: list[Square], ply: int) -> bool:
    """Put the message off while a ply before it can be revised. Returns whether it was put off.

    Hands decide about those plies, no word does: whoever made the last of them may still be going on with it. What the hand holds now
    is noted, since it may be put back meanwhile. The player alone hears that it waits, whatever his ranks are: what he hears depends on
    what everybody sees.
    """
    state = step.state
    if state.told_at_once or not _is_one_open_before(state, ply):
        return False
    if seat in state.held:
        raise RejectedError("not-now")
    if len(sources) == 1:
        message = msgspec.structs.replace(message, source=sources[0].name)
    state.held[seat] = HeldAttack(seat, message, ply, step.now_ms)
    _tell_of_wait(step, seat, "attack-waits")
    return True


def _is_one_open_before(state: TableState, ply: int) -> bool:
    return bool(state.open_plies) and state.open_plies[0].number < ply


def _tell_of_wait(step: StepBuilder, seat: Seat, word: str) -> None:
    step.letter(seat, messages.Told(id=step.state.next_id(seat), ply=step.state.ply, reason=word))


def take_held(step: StepBuilder) -> None:
    """Look at the messages put off, once every ply before them is final or retracted, or nobody can attack any more."""
    state = step.state
    for held in sorted(state.held.values(), key=lambda held: held.ply):
        if _is_one_open_before(state, held.ply) and is_allowed(state.phase, Trigger.ATTACKED):
            continue
        del state.held[held.seat]
        _tell_of_wait(step, held.seat, "attack-answered")
        with step.answering(held.seat, held.message.id):
            take_told(step, held.seat, held.message, held)
            step.answers_also(as_json(SeatSays(held.seat, held.message)), held.told_ms)


def _in_hand(step: StepBuilder, seat: Seat) -> list[Square]:
    public = step.state.game.public
    return [s for s in step.state.in_hand if (piece := public.piece_at(s)) and piece.seat is seat]


def _named(step: StepBuilder, seat: Seat, name: str) -> list[Square]:
    occupants = step.state.game.public.occupants()
    return [square for square, owner in occupants.items() if square.name == name and owner is seat]


def _pairs(step: StepBuilder, sources: list[Square], target: str | None) -> list[tuple[Square, Square]]:
    public = step.state.game.public
    return [
        (source, there)
        for source in sources
        for there in public.attack_targets(source)
        if target in (None, there.name) and legal_ways(step, source, there)
    ]


def _by_moving(step: StepBuilder, message: messages.TellAttack, sources: list[Square]) -> Callable[[], None]:
    """Return what opens the only attack that is meant. Else `RejectedError` says why to the teller alone: it may rest on his own rank."""
    pairs = _pairs(step, sources, message.target)
    if len(pairs) == 1:
        return partial(open_move, step, *pairs[0])
    if pairs:
        raise RejectedError("which-target", tuple(dict.fromkeys(target.name for _, target in pairs)))
    rivals = [square for square in step.state.game.public.occupants() if square.name == message.target]
    actions = [way for source in sources for target in rivals for way in moves.ways(step, source, target)]
    board, known = step.state.rules.board, step.state.game.known
    refusals = [named(board, way.source, way.target, no.reason) for way in actions for no in known.refusals(way)]
    raise RejectedError(refusals[0] if refusals else "out-of-reach")


def _is_open(step: StepBuilder, seat: Seat, message: messages.ToldAttack) -> bool:
    open_attack = step.state.attack
    return (
        isinstance(message, messages.TellAttack)
        and open_attack is not None
        and open_attack.seat is seat
        and isinstance(open_attack.action, Move)
        and message.source in (None, open_attack.action.source.name)
        and message.target in (None, open_attack.action.target.name)
    )


def _meant(step: StepBuilder, source: Square, target: Square, guess: Rank, begun: Square | None) -> Infiltrate:
    """Return the infiltration that the player means: after the hand's step, else at once, else after the only step that
    fits.
    """
    state, direct = step.state, Infiltrate(source, target, guess)
    if not state.rules.steps_first:
        return direct
    known, last = state.game.known, state.last_move
    steps = [Square(last.target)] if begun and last else state.rules.board.neighbours(source)
    after = [Infiltrate(source, target, guess, (first,)) for first in steps]
    after = [action for action in after if not known.refusals(action)]
    return after[0] if len(after) == 1 and (begun or known.refusals(direct)) else direct


def _by_word(
    step: StepBuilder, message: messages.TellInfiltrate | messages.TellFire, source: Square, begun: Square | None
) -> Callable[[], None]:
    """Return what opens an infiltration or a shot; else `RejectedError` says why not, to the teller alone."""
    target = Square(message.target)
    if isinstance(message, messages.TellFire):
        action: Fire | Infiltrate = Fire(source, target)
    else:
        action = _meant(step, source, target, message.guess, begun)
    reasons = tuple(refusal.reason.value for refusal in step.state.game.known.refusals(action))
    if not reasons:
        return partial(open_attack, step, (action,))
    raise RejectedError(reasons[0], reasons[1:])
