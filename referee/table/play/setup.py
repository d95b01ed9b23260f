"""Before the first move: the board fills, the players say they are ready or enrol their set-ups, the game begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from referee.rules import Game, Hidden, Rank, Seat, Square, check_set_up
from referee.sensing import Difference
from referee.table.arbiter_commands import RejectedError
from referee.table.commitments import root
from referee.table.conduct import endings
from referee.table.dual_game import DualGame
from referee.table.messages import Enrol, Ready
from referee.table.state import TableState, Trigger
from referee.table.step import Collect, Expect, Follow, StepBuilder
from referee.table.views import Ask, Fix, Mode, Phase

_UNSEEN = 2
"""Pieces that may be missing from the sensors' sight when every player says that the set-up stands."""


def open_table(step: StepBuilder) -> None:
    """Start setting up: the board is watched for what comes to stand on it, until the game begins."""
    state, rules = step.state, step.state.rules
    step.go(Trigger.OPENED)
    state.ask = Ask.SET_UP
    state.fixes = _fixes(state)
    step.order(Collect())
    step.opened(rules.name)


def take_occupants(step: StepBuilder, occupants: Mapping[Square, Seat]) -> None:
    """Take what came to rest on the board; it is a set-up when every zone holds its whole army and nothing stands elsewhere."""
    step.state.occupants = dict(occupants)
    _compare(step)
    step.touch()
    _begin_when_complete(step)


def _compare(step: StepBuilder) -> None:
    """Hold what stands on the board against what the players said of it."""
    state, rules = step.state, step.state.rules
    counts, size = Counter(state.occupants.values()), sum(rules.army.values())
    fixes = _fixes(state)
    if fixes != state.fixes:
        state.fixes = fixes
        step.touch()
    state.board_set_up = not fixes and all(counts[seat] == size for seat in rules.seats)


def _fixes(state: TableState) -> tuple[Fix, ...]:
    """Return the squares with a piece that does not belong there, and those without one where somebody said that one
    stands.

    That is so in zones that are filled, and in free ones once a player who enrolled is ready; before that nobody hears where.
    """
    rules = state.rules
    home = {square: seat for seat in rules.seats for square in rules.zone(seat)}
    said = {seat: state.enrolled[seat].open_hidden() for seat in state.ready if seat in state.enrolled}
    fixes = []
    for square in rules.board.squares:
        owner, there = home.get(square), state.occupants.get(square)
        wanted = owner if rules.filled or (owner in said and square in said[owner]) else None
        anywhere = owner is not None and not rules.filled and owner not in said
        if there is not wanted and not (anywhere and there is owner):
            fixes.append(Fix(square.name, wanted))
    return tuple(fixes)


def take_ready(step: StepBuilder, seat: Seat, message: Ready) -> None:
    """Take a player's word that the set-up stands; in enrol mode the set-up itself is needed."""
    state = step.state
    if state.phase is not Phase.SETTING_UP:
        raise RejectedError("not-now")
    if state.settings.mode is Mode.ENROL and seat not in state.enrolled:
        raise RejectedError("enrol-first")
    if astray := _astray(state, seat):
        raise RejectedError("outside-zone", astray)
    if (placed := Counter(state.occupants.values())[seat]) > (size := sum(state.rules.army.values())):
        raise RejectedError("too-many-pieces", (str(placed), str(size)))
    step.accept(seat, message.id)
    if seat not in state.ready:
        state.ready.add(seat)
        step.event("ready", seat=seat)
    _compare(step)
    _begin_when_complete(step)


def _astray(state: TableState, seat: Seat) -> tuple[str, ...]:
    """Return the squares outside its zone on which an army has pieces: with them its set-up would wait for ever."""
    zone = set(state.rules.zone(seat))
    return tuple(square.name for square, owner in state.occupants.items() if owner is seat and square not in zone)


def take_enrolment(step: StepBuilder, seat: Seat, message: Enrol) -> None:
    """Take a set-up in enrol mode, or refuse it with every fault; it may be sent again until the game begins."""
    state, rules = step.state, step.state.rules
    if state.phase is not Phase.SETTING_UP or state.settings.mode is not Mode.ENROL:
        raise RejectedError("not-now")
    names = {square.name: square for square in rules.board.squares}
    unknown = tuple(name for name in message.set_up if name not in names)
    placed = {names[name]: rank for name, rank in message.set_up.items() if name in names}
    faults = [fault for fault in check_set_up(rules, seat, placed) if fault.fatal]
    if unknown or faults:
        detail = (*unknown, *(fault.text for fault in faults))[:8]
        raise RejectedError("bad-set-up", detail)
    state.enrolled[seat] = Hidden(placed)
    step.accept(seat, message.id)
    step.event("enrolled", seat=seat, hidden=placed)
    _compare(step)
    _begin_when_complete(step)


def take_agreement(step: StepBuilder) -> None:
    """Take the news that the board is as every player said it stands, but for squares whose sensors are not believed."""
    take_occupants(step, _said_to_stand(step.state))


def look_again(step: StepBuilder, differences: Sequence[Difference]) -> None:
    """Collect again when more pieces are missing than a dead sensor or two explain, or a piece is where none belongs."""
    astray = any(d.wanted is None or d.whose not in (None, d.wanted) for d in differences)
    if astray or len(differences) > _UNSEEN:
        step.order(Collect())


def _said_to_stand(state: TableState) -> dict[Square, Seat]:
    """Return the pieces that the players confirm: their enrolled squares, or whole zones where those are filled."""
    if state.enrolled:
        return {square: seat for seat, placed in state.enrolled.items() for square in placed.open_hidden()}
    rules = state.rules
    return {square: seat for seat in rules.seats for square in rules.zone(seat)} if rules.filled else {}


def _expect_unseen(step: StepBuilder) -> None:
    """Let sensing expect the one or two pieces that no sensor shows although all players confirm them; it masks a dead
    square.
    """
    state, wanted = step.state, _said_to_stand(step.state)
    lacking = wanted.keys() - state.occupants.keys()
    if 0 < len(lacking) <= _UNSEEN and state.occupants.items() <= wanted.items():
        step.order(Expect(wanted))


def _begin_when_complete(step: StepBuilder) -> None:
    state = step.state
    if state.ready != set(state.seats):
        return
    if not state.board_set_up:
        _expect_unseen(step)
        return
    ranks: dict[Square, Rank] = {}
    for placed in state.enrolled.values():
        ranks |= placed.open_hidden()
    step.go(Trigger.SET_UP_COMPLETE)
    public = Game(state.rules, state.occupants)
    known = Game(state.rules, state.occupants, ranks or None)
    state.dual = DualGame(public, known, ends_by_public=state.settings.mode is Mode.DECLARE)
    state.origins = {square: piece for square in state.occupants if (piece := public.piece_at(square))}
    state.ask, state.fixes = None, ()
    _commit(step)
    step.order(Follow(public.situation()))
    step.event("begin", text=" ".join(f"{square.name}={seat.value}" for square, seat in public.occupants().items()))
    endings.end_if_over(step)


def _commit(step: StepBuilder) -> None:
    """Bind the referee to every enrolled set-up before the first move."""
    state = step.state
    if state.settings.secret is None:
        return
    for seat in state.seats:
        if seat in state.enrolled:
            set_up = {square.name: rank for square, rank in state.enrolled[seat].open_hidden().items()}
            step.commit(seat, root(state.seed(seat), state.settings.game, seat, set_up))
