"""Attacks: asked of both seats alike, settled when both have answered, then the hands clear the board."""

from __future__ import annotations

from collections.abc import Mapping

from referee.arbitration import ends, play
from referee.arbitration.messages import (
    Accepted,
    Declare,
    Question,
    QuestionKind,
    Rejected,
    TellAttack,
    TellFire,
    TellInfiltrate,
    Verdict,
)
from referee.arbitration.state import OpenAttack, Sheet
from referee.arbitration.step import Expect
from referee.arbitration.transitions import Happening, may
from referee.arbitration.views import Ask, Attack, Fix, Phase, Reveal
from referee.rules import CombatResult, ContradictionError, Fire, Game, Infiltrate, Move
from referee.rules.hidden import Hidden
from referee.rules.values import PieceId, Rank, Seat, Square


def seen(sheet: Sheet, source: Square, target: Square) -> None:
    """Take an attack that the hands showed."""
    state = sheet.state
    if not may(state.phase, Happening.ATTACKED):
        return
    play.finalise(sheet)
    if may(state.phase, Happening.ATTACKED):
        _open_move(sheet, source, target)


def told(sheet: Sheet, seat: Seat, message: TellAttack) -> None:
    """Take an attack that the mover told on the handset; what he leaves out must follow from the hands."""
    state = sheet.state
    if state.phase is not Phase.PIECE_IN_HAND or state.game.public.turn is not seat:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="no-piece-in-hand"))
        return
    public = state.game.public
    sources = [s for s in state.in_hand if (p := public.piece_at(s)) and p.seat is seat]
    pairs = [
        (source, target)
        for source in sources
        if message.source in (None, source.name)
        for target in public.attack_targets(source)
        if message.target in (None, target.name)
    ]
    if len(pairs) != 1:
        reason = "which-target" if pairs else "out-of-reach"
        detail = tuple(target.name for _, target in pairs)
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason=reason, detail=detail))
        return
    sheet.letter(seat, Accepted(id=state.next_id(), re=message.id))
    play.finalise(sheet)
    if may(state.phase, Happening.ATTACKED):
        _open_move(sheet, *pairs[0])


def told_special(sheet: Sheet, seat: Seat, message: TellInfiltrate | TellFire) -> None:
    """Take what no sensor can see: an infiltration with its guess, or a shot. The guess is spoken aloud, so it is public."""
    state = sheet.state
    names = {square.name: square for square in state.settings.rule_set.board.squares}
    source, target = names.get(message.source), names.get(message.target)
    if not may(state.phase, Happening.ATTACKED) or state.game.public.turn is not seat:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="not-your-turn"))
        return
    if source is None or target is None:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="no-such-square"))
        return
    action: Fire | Infiltrate
    if isinstance(message, TellFire):
        action, kind, guess = Fire(source, target), "fire", None
    else:
        action, kind, guess = Infiltrate(source, target, message.guess), "infiltrate", message.guess.value
    refusals = state.game.known.refusals(action)
    if refusals:
        reasons = tuple(refusal.reason.value for refusal in refusals)
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason=reasons[0], detail=reasons[1:]))
        return
    sheet.letter(seat, Accepted(id=state.next_id(), re=message.id))
    play.finalise(sheet)
    if may(state.phase, Happening.ATTACKED):
        _open(sheet, action, kind, guess)


def _open_move(sheet: Sheet, source: Square, target: Square) -> None:
    """Open an attack by moving. A captain's way there may turn: of several ways that he may have gone the first legal one counts."""
    game = sheet.state.game
    ways = [p.path_told for p in game.public.situation().prospects if (p.source, p.target) == (source, target)]
    leaving = sheet.state.leaving
    left = leaving[1] if leaving is not None and leaving[0] == source else ()
    actions = [Move(source, target, way, left) for way in ways] or [Move(source, target)]
    refused = [(action, game.known.refusals(action)) for action in actions]
    for action, refusals in refused:
        if not refusals:
            _open(sheet, action, "attack", None)
            return
    play.refuse(sheet, *refused[0])


def _open(sheet: Sheet, action: Move | Infiltrate | Fire, kind: str, text: str | None) -> None:
    state = sheet.state
    attacker, defender = state.game.public.piece_at(action.source), state.game.public.piece_at(action.target)
    assert attacker is not None
    assert defender is not None
    sheet.go(Happening.ATTACKED)
    ends.forget_offer(sheet)
    state.barred = None
    state.in_hand.clear()
    state.questions += 1
    state.attack = OpenAttack(
        state.questions, attacker.seat, action, {attacker.seat: attacker, defender.seat: defender}
    )
    state.ask = Ask.DECLARE
    state.shown_attack = Attack(attacker.seat, action.source.name, action.target.name)
    state.deadline_ms = sheet.now_ms + state.settings.answer_limit_ms
    via = () if isinstance(action, Fire) else action.via
    sheet.event(
        kind, seat=attacker.seat, source=action.source, target=action.target, via=via, ply=state.ply + 1, text=text
    )
    for seat in (attacker.seat, defender.seat):
        sheet.letter(seat, question(sheet, seat))


def question(sheet: Sheet, seat: Seat) -> Question:
    """Give the open question of an attack to one seat, with the ranks that its piece can still have."""
    state, attack = sheet.state, sheet.state.attack
    assert attack is not None
    piece = attack.pieces[seat]
    square = state.game.known.square_of(piece)
    order = list(state.settings.rule_set.army)
    return Question(
        id=state.next_id(),
        question=attack.question,
        kind=QuestionKind.DECLARE,
        ply=state.ply + 1,
        source=attack.action.source.name,
        target=attack.action.target.name,
        square=square.name if square else None,
        choices=tuple(rank.value for rank in order if rank in _declarable(sheet, seat, piece)),
    )


def _declarable(sheet: Sheet, seat: Seat, piece: PieceId) -> frozenset[Rank]:
    """Give the ranks that the piece can have, seen from this attack: one that attacked can move, a far one is a scout."""
    state, attack = sheet.state, sheet.state.attack
    assert attack is not None
    game = state.game.known
    if seat is not attack.seat:
        return game.possible(piece)
    return game.possible_for(piece, attack.action)


def declare(sheet: Sheet, seat: Seat, message: Declare) -> None:
    """Take a declaration, or refuse one that contradicts what the referee knows; the second one settles the attack."""
    state, attack = sheet.state, sheet.state.attack
    if (
        attack is None
        or state.phase is not Phase.WAITING_FOR_DECLARATIONS
        or message.question != attack.question
        or seat not in attack.pieces
    ):
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="no-such-question"))
        return
    if message.rank not in _declarable(sheet, seat, attack.pieces[seat]):
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="impossible-rank"))
        return
    attack.answers[seat] = Hidden(message.rank)
    sheet.letter(seat, Accepted(id=state.next_id(), re=message.id))
    square = state.game.known.square_of(attack.pieces[seat])
    assert square is not None
    sheet.secret("declared", seat, {square: message.rank})
    sheet.touch()
    if len(attack.answers) == len(attack.pieces):
        _settle(sheet, attack)


def _settle(sheet: Sheet, attack: OpenAttack) -> None:
    state = sheet.state
    ranks = {attack.pieces[seat]: answer.open_hidden() for seat, answer in attack.answers.items()}
    known = state.game.known.copy()
    try:
        for piece, rank in ranks.items():
            known.learn(piece, frozenset({rank}))
    except ContradictionError:  # each alone was possible; armies are independent, so this cannot come from honest books
        attack.answers.clear()
        for seat in attack.pieces:
            sheet.letter(seat, question(sheet, seat))
        return
    source, target = attack.action.source, attack.action.target
    result = _verdict(sheet, attack, ranks)
    before = state.game.public.occupants()
    state.game.known = known
    lost = known.play(attack.action, result, ranks).captured
    shown = {piece: ranks[piece] for piece in lost}
    state.game.public.play(attack.action, result, shown)
    state.captured |= shown
    state.attack, state.deadline_ms = None, None
    sheet.go(Happening.SETTLED)
    state.ask = Ask.REMOVE_CAPTURED
    state.last_move = None
    state.shown_attack = Attack(attack.seat, source.name, target.name, result.value)
    state.fixes = _fixes(before, state.game.public)
    sheet.order(Expect(state.game.public.occupants()))
    sheet.event(
        "verdict",
        seat=attack.seat,
        source=source,
        target=target,
        result=result.value,
        captured={piece.seat: rank for piece, rank in shown.items()},
    )
    _tell_verdict(sheet, attack, result, ranks, lost)
    ends.end_if_over(sheet)


def _verdict(sheet: Sheet, attack: OpenAttack, ranks: Mapping[PieceId, Rank]) -> CombatResult:
    attacker, defender = attack.pieces[attack.seat], next(p for s, p in attack.pieces.items() if s is not attack.seat)
    match attack.action:
        case Infiltrate(guess=guess):
            return CombatResult.INFILTRATED if ranks[defender] is guess else CombatResult.WRONG_GUESS
        case Fire():
            return CombatResult.BOTH_LOST
        case _:
            return sheet.state.settings.rule_set.combat(ranks[attacker], ranks[defender])


def _fixes(before: Mapping[Square, Seat], after: Game) -> tuple[Fix, ...]:
    occupants = after.occupants()
    changed = [square for square in {**before, **occupants} if before.get(square) is not occupants.get(square)]
    return tuple(Fix(square.name, occupants.get(square)) for square in changed)


def _tell_verdict(
    sheet: Sheet,
    attack: OpenAttack,
    result: CombatResult,
    ranks: Mapping[PieceId, Rank],
    lost: tuple[PieceId, ...],
) -> None:
    """Send both seats an equal letter; a survivor's rank is in it only where `reveal` says so."""
    state = sheet.state
    for seat, own in attack.pieces.items():
        other = next(piece for who, piece in attack.pieces.items() if who is not seat)
        told = other in lost or _revealed(state.settings.reveal, result, other.seat is attack.seat)
        if told and other not in lost:
            state.seen.setdefault(seat, {})[other] = ranks[other]
        sheet.letter(
            seat,
            Verdict(
                id=state.next_id(),
                question=attack.question,
                ply=state.ply,
                result=result.value,
                own=ranks[own],
                other=ranks[other] if told else None,
            ),
        )


def _revealed(reveal: Reveal, result: CombatResult, survivor_attacked: bool) -> bool:
    if result in (CombatResult.INFILTRATED, CombatResult.WRONG_GUESS):
        return (
            survivor_attacked  # the infiltrator is known from then on; of a wrong guess's target nothing is told (002)
        )
    return reveal is Reveal.BOOK or (reveal is Reveal.ATTACKER_ONLY and survivor_attacked)
