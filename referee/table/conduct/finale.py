"""After the game: are both armies turned over? Only where every owner agrees, shown at a fixed time after the end.

Only a yes is ever said; so a refusal is silence, for the table too. Before the time nothing that anybody else can see follows from an
answer: it is a fact of the journal alone, which keeps it apart until then (`referee.runtime.game_archive`).
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.rules import EndReason, Hidden, PieceId, Rank, Seat, Square
from referee.rules.outcomes import ContradictionError
from referee.table import messages
from referee.table.arbiter_commands import RejectedError
from referee.table.state import OpenFinale, TableState
from referee.table.step import StepBuilder
from referee.table.views import Finale, Phase


def begin(step: StepBuilder) -> None:
    """Ask, at the end of a game that was begun, until a fixed time after it."""
    state = step.state
    if state.dual is not None and state.settings.finale_ms:
        state.finale = OpenFinale(step.now_ms + state.settings.finale_ms)
        step.restates = True  # each owner is told what is known of his army


def begin_again(step: StepBuilder) -> None:
    """Restart the whole time limit after a restart of the program; answers given before still count."""
    asked = step.state.finale
    if asked is not None and asked.due_ms is not None:
        asked.due_ms = step.now_ms + step.state.settings.finale_ms


def is_open(state: TableState) -> bool:
    """Return whether it is asked and the outcome was not shown."""
    return due_ms(state) is not None


def due_ms(state: TableState) -> int | None:
    """Return when the outcome is shown; None where nothing is asked, and once it was."""
    return None if state.finale is None else state.finale.due_ms


def close_if_due(step: StepBuilder) -> None:
    """Show the outcome once its time has come."""
    due = due_ms(step.state)
    if due is not None and step.now_ms >= due:
        close(step, in_time=True)


def close(step: StepBuilder, *, in_time: bool) -> None:
    """Show the outcome, if it was not: turned over where every owner has agreed and the time has come."""
    state = step.state
    asked = state.finale
    if asked is None or asked.due_ms is None:
        return
    asked.due_ms = None
    asked.turned = in_time and all(_agrees(state, asked, seat) for seat in state.seats)
    step.event("finale", text=(Finale.TURNED if asked.turned else Finale.COVERED).value)


def _agrees(state: TableState, asked: OpenFinale, seat: Seat) -> bool:
    """Return whether an owner agrees; the computer always does, and its ranks are known where it has enrolled or said them."""
    return seat in asked.agreed or (seat in state.settings.computers and _all_known(state, seat) is not None)


def face(state: TableState) -> Finale | None:
    """Return what everybody sees of it."""
    if state.finale is None:
        return None
    if state.finale.due_ms is not None:
        return Finale.ASKED
    return Finale.TURNED if state.finale.turned else Finale.COVERED


def turned(state: TableState) -> dict[str, Rank]:
    """Return the rank of each piece on the board once both armies are turned over; nothing before."""
    asked = state.finale
    if asked is None or not asked.turned:
        return {}
    ranks: dict[PieceId, Rank] = {}
    for seat in state.seats:
        said = asked.agreed.get(seat)
        set_up = _all_known(state, seat) if said is None else said.open_hidden()
        ranks |= {state.origins[square]: rank for square, rank in (set_up or {}).items()}
    game = state.game.public
    standing = {square: game.piece_at(square) for square in game.occupants()}
    return {square.name: ranks[piece] for square, piece in standing.items() if piece in ranks}


def known_ranks(state: TableState, seat: Seat) -> dict[Square, Rank]:
    """Return the ranks of an army that the referee knows, by the square on which each piece began."""
    if state.dual is None:
        return {}
    own = {square: piece for square, piece in state.origins.items() if piece.seat is seat}
    found = {square: state.game.known.possible(piece) for square, piece in own.items()}
    return {square: next(iter(ranks)) for square, ranks in found.items() if len(ranks) == 1}


def _all_known(state: TableState, seat: Seat) -> Mapping[Square, Rank] | None:
    """Return an army's set-up where the referee knows all of it."""
    found = known_ranks(state, seat)
    return found if len(found) == sum(piece.seat is seat for piece in state.origins.values()) else None


def consent(step: StepBuilder, seat: Seat, message: messages.Consent) -> None:
    """Take an owner's consent, after the game, to have the set-up shown; it must fit what was played. Empty: as the referee knows it."""
    state = step.state
    origins = {square.name: (square, piece) for square, piece in state.origins.items() if piece.seat is seat}
    if state.phase is not Phase.FINISHED or state.dual is None:
        raise RejectedError("not-now")
    closed = state.finale is not None and state.finale.due_ms is None
    if (seat, message.id) in state.forgotten or (closed and state.finale and (seat, message.id) in state.finale.said):
        step.accept_again(seat, message.id)
        return
    as_known = {} if message.set_up else _all_known(state, seat) or {}
    set_up = message.set_up or {square.name: rank for square, rank in as_known.items()}
    if set(set_up) != set(origins):
        raise RejectedError("bad-set-up", tuple(sorted(set(set_up) ^ set(origins)))[:8])
    _check(state, {name: piece for name, (_, piece) in origins.items()}, set_up)
    ranks = {origins[name][0]: rank for name, rank in set_up.items()}
    if state.finale is not None and state.finale.due_ms is not None:
        state.finale.agreed[seat] = Hidden(ranks)
        state.finale.said.add((seat, message.id))
        step.accept_again(seat, message.id)  # a repeat says the same; that one more is remembered would be counted
    else:
        step.accept(seat, message.id)
    step.note("consent", seat, ranks)


def _check(state: TableState, pieces: Mapping[str, PieceId], set_up: Mapping[str, Rank]) -> None:
    """Raise `RejectedError` where a set-up contradicts the game; `pieces` by the square on which each began."""
    known = state.game.known.copy()
    if state.result is not None and state.result.reason == EndReason.FORFEIT.value:
        known.forget_forfeits({pieces[name]: rank for name, rank in set_up.items()})
    lies = [name for name, rank in set_up.items() if rank not in known.possible(pieces[name])]
    for name, rank in () if lies else set_up.items():
        try:
            known.learn(pieces[name], frozenset({rank}))  # one by one possible, but an army has only so many of each
        except ContradictionError:
            lies.append(name)
    if lies:
        raise RejectedError("contradicts-the-game", tuple(lies[:8]))
