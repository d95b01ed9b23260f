"""Who may see what: the public view, and a seat's own state. One function each; nothing else builds them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from referee.rules import Board, Gait, Game, Rank, RuleSet, Seat, exits, seated_zone
from referee.table.conduct import endings, finale, outages, pauses, timekeeping
from referee.table.messages import Question, SeatState
from referee.table.play import attacks, moves
from referee.table.state import AT_REST, TableState
from referee.table.step import StepBuilder
from referee.table.views import BoardShape, FlagPlace, Health, Phase, PublicInfo, PublicView, SquareShape

_RULES_KEPT = 8
"""Of so many rules and boards is kept what is told of them at every game's beginning: neither changes, and it says much."""


def public_info(state: TableState) -> PublicInfo:
    """Return what stays the same for a game; the roots come with its beginning."""
    settings, rules = state.settings, state.rules
    return PublicInfo(
        board_id=settings.board_id,
        game=settings.game,
        version=settings.version,
        rule_set=rules.name,
        mode=settings.mode,
        reveal=settings.reveal,
        seats=tuple(rules.seats),
        army=dict(rules.army),
        board=board_shape(rules.board),
        numbers={rank: number for rank in rules.army if (number := rules.number(rank)) is not None},
        army_verified=rules.army_verified,
        names=dict(state.names),
        decided=settings.decided,
        computers={seat: level for seat, level in settings.computers.items() if seat not in state.given},
        options={name: each.value for name, each in rules.options.items() if len(each.choices) > 1},
        roots=dict(state.roots),
        teams=rules.teams,
        finale_s=settings.finale_ms // 1000,
        **_set_up_sheet(rules),
    )


@lru_cache(_RULES_KEPT)
def _set_up_sheet(rules: RuleSet) -> dict[str, Any]:
    """Return what a screen on which a set-up is entered has to know of the rules."""
    return {
        "zones": {
            seat: tuple(tuple(square and square.name for square in row) for row in seated_zone(rules.board, seat))
            for seat in rules.seats
        },
        "filled": rules.filled,
        "exits": {seat: tuple(square.name for square in exits(rules, seat)) for seat in rules.seats},
        "immobile": tuple(rank for rank in rules.army if rules.gait(rank) is Gait.NONE),
    }


@lru_cache(_RULES_KEPT)
def board_shape(board: Board) -> BoardShape:
    """Return the board as screens draw it."""
    squares = tuple(SquareShape(square.name, *board.shape(square)) for square in board.squares)
    return BoardShape(board.columns, board.rows, squares, tuple(board.lakes), board.verified)


def public_view(state: TableState, now_ms: int) -> PublicView:
    """Return what everybody may see now; made of what is public in itself, never of the game that knows ranks."""
    public = state.dual.public if state.dual else None
    occupants = public.occupants() if public else dict(state.occupants)
    captured: dict[Seat, dict[Rank, int]] = {seat: {} for seat in state.seats}
    for piece, rank in (state.dual.captured if state.dual else {}).items():
        captured[piece.seat][rank] = captured[piece.seat].get(rank, 0) + 1
    return PublicView(
        board_id=state.settings.board_id,
        game=state.settings.game,
        seq=state.seq,
        phase=state.phase,
        turn=public.turn if public and state.phase is not Phase.FINISHED else None,
        ply=state.ply,
        occupants={square.name: seat for square, seat in occupants.items()},
        captured=captured,
        in_hand=tuple(square.name for square in state.in_hand),
        last_move=state.last_move,
        attack=state.shown_attack,
        decided=state.decided,
        ask=state.ask,
        fixes=state.fixes,
        saw=state.saw,
        fault=state.fault,
        waiting_for=_waiting_for(state),
        barred=state.barred,
        connected=dict(state.connected),
        board_connected=state.board_fault is None,
        board_fault=state.board_fault,
        health=(*([Health(state.board_fault)] if state.board_fault is not None else []), *state.warnings),
        blind=tuple(square.name for square in state.blind),
        result=state.result,
        finale=finale.face(state),
        turned=finale.turned(state),
        called=tuple(state.called),
        pause=pauses.face(state, now_ms),
        pauses_left={seat: left for seat in state.seats if (left := pauses.pauses_left(state, seat)) is not None},
        graces=outages.graces(state, now_ms),
        bars=_bars(state),
        clocks=timekeeping.faces(state, now_ms),
        hall_clock=timekeeping.hall_face(state, now_ms),
        last_plies=state.dual.last_plies() if state.dual else {},
        offer=endings.shown_offer(state),
        chain="" if state.chain is None else state.chain.head,
        signed=tuple(state.signatures),
        **_castle(public),
    )


def _bars(state: TableState) -> dict[str, tuple[str, ...]]:
    """Return the moves that the repetition rules bar for the mover, of all that everybody may think of."""
    if state.dual is None or state.phase not in AT_REST:
        return {}
    bars: dict[str, tuple[str, ...]] = {}
    for source, target in state.dual.public.barred():
        bars[source.name] = (*bars.get(source.name, ()), target.name)
    return bars


def _castle(public: Game | None) -> dict[str, Any]:
    castle = public.castle if public else None
    if castle is None:
        return {}
    flags = [FlagPlace(seat, flag.square.name, flag.carrier is not None) for seat, flag in castle.flags.items()]
    return {
        "flags": tuple(flags),
        "sliders": dict(castle.sliders),
        "out": tuple(s for s in castle.flags if s in castle.out),
    }


def _waiting_for(state: TableState) -> tuple[Seat, ...]:
    seats = state.seats
    if state.phase is Phase.SETTING_UP:
        return tuple(seat for seat in seats if seat not in state.ready)
    if state.pause is not None and not state.pause.silence:
        return pauses.owed(state)
    if pauses.takes_answers(state) and state.attack is not None:
        return tuple(seat for seat in seats if seat in state.attack.pieces and seat not in state.attack.answers)
    if state.decision is not None:
        return (state.decision.seat,)
    if state.offer is not None:
        return tuple(seat for seat in seats if seat in state.offer.owed)
    if state.dual is not None and state.phase in AT_REST and state.decided is None:
        return (state.dual.public.turn,)
    return ()


def seat_state(step: StepBuilder, seat: Seat) -> SeatState:
    """Return what one seat may know: its own ranks as far as the referee knows them, rival ranks that were told to it."""
    state = step.state
    own: dict[str, Rank] = {}
    seen: dict[str, Rank] = {}
    if state.dual is not None:
        known = state.dual.known
        for square, owner in known.occupants().items():
            piece = known.piece_at(square)
            assert piece is not None
            if owner is seat and len(possible := known.possible(piece)) == 1:
                own[square.name] = next(iter(possible))
            elif owner is not seat and piece in state.seen.get(seat, {}):
                seen[square.name] = state.seen[seat][piece]
    elif seat in state.enrolled:
        own = {square.name: rank for square, rank in state.enrolled[seat].open_hidden().items()}
    return SeatState(
        id=state.next_id(seat),
        seat=seat,
        ply=state.ply,
        ready=seat in state.ready,
        own=own,
        seen=seen,
        question=_open_question(step, seat),
        seed=state.seed(seat),
        began={} if state.finale is None else {at.name: rank for at, rank in finale.known_ranks(state, seat).items()},
    )


def _open_question(step: StepBuilder, seat: Seat) -> Question | None:
    state = step.state
    if state.attack is not None and seat in state.attack.pieces:
        return attacks.rank_question(step, seat, state.attack)
    if state.decision is not None and seat is state.decision.seat:
        return moves.decision_question(step, state.decision)
    if state.offer is not None and seat in state.offer.owed:
        offer = state.offer
        return state.question_for(seat, offer.question, offer.kind, endings.CHOICES[offer.kind], offer.ply)
    return None
