"""Before the first move: the board fills, the players say they are ready or enrol their set-ups, the game begins."""

from __future__ import annotations

from collections.abc import Mapping

from referee.arbitration.messages import Accepted, Enrol, Ready, Rejected
from referee.arbitration.state import Books, Sheet
from referee.arbitration.step import Collect, Expect, Follow
from referee.arbitration.transitions import Happening
from referee.arbitration.views import Ask, Fix, Mode, Phase
from referee.rules import Game, check_set_up
from referee.rules.hidden import Hidden
from referee.rules.values import Rank, Seat, Square


def open_table(sheet: Sheet) -> None:
    """Start setting up: filled zones are expected whole, free zones are watched for what comes to stand in them."""
    state, rules = sheet.state, sheet.state.settings.rule_set
    sheet.go(Happening.OPENED)
    state.ask = Ask.SET_UP
    if rules.filled:
        full = {square: seat for seat in rules.seats for square in rules.zone(seat)}
        sheet.order(Expect(full))
        state.fixes = tuple(Fix(square.name, seat) for square, seat in full.items())
    else:
        sheet.order(Collect())
    sheet.event("opened", text=rules.name)


def board_is_full(sheet: Sheet) -> None:
    """Take the news that every square of the filled zones holds its piece."""
    rules = sheet.state.settings.rule_set
    take_occupants(sheet, {square: seat for seat in rules.seats for square in rules.zone(seat)})


def take_occupants(sheet: Sheet, occupants: Mapping[Square, Seat]) -> None:
    """Take what came to rest on the board; it is a set-up when every zone holds its whole army and nothing stands elsewhere."""
    state, rules = sheet.state, sheet.state.settings.rule_set
    size = sum(rules.army.values())
    home = {square: seat for seat in rules.seats for square in rules.zone(seat)}
    stray = [square for square, seat in occupants.items() if home.get(square) is not seat]
    counts = {seat: sum(1 for owner in occupants.values() if owner is seat) for seat in rules.seats}
    state.occupants = dict(occupants)
    state.board_set_up = not stray and all(count == size for count in counts.values())
    state.fixes = tuple(Fix(square.name, None) for square in stray)
    sheet.touch()
    _begin_when_complete(sheet)


def take_ready(sheet: Sheet, seat: Seat, message: Ready) -> None:
    """Take a player's word that the set-up stands; in enrol mode the set-up itself is needed."""
    state = sheet.state
    if state.phase is not Phase.SETTING_UP:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="not-now"))
    elif state.settings.mode is Mode.ENROL and seat not in state.enrolled:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="enrol-first"))
    else:
        sheet.letter(seat, Accepted(id=state.next_id(), re=message.id))
        if seat not in state.ready:
            state.ready.add(seat)
            sheet.event("ready", seat=seat)
        _begin_when_complete(sheet)


def take_enrolment(sheet: Sheet, seat: Seat, message: Enrol) -> None:
    """Take a set-up in enrol mode, or refuse it with every fault; it may be sent again until the game begins."""
    state, rules = sheet.state, sheet.state.settings.rule_set
    if state.phase is not Phase.SETTING_UP or state.settings.mode is not Mode.ENROL:
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="not-now"))
        return
    names = {square.name: square for square in rules.board.squares}
    unknown = tuple(name for name in message.set_up if name not in names)
    placed = {names[name]: rank for name, rank in message.set_up.items() if name in names}
    faults = [fault for fault in check_set_up(rules, seat, placed) if fault.fatal]
    if unknown or faults:
        detail = (*unknown, *(fault.text for fault in faults))[:8]
        sheet.letter(seat, Rejected(id=state.next_id(), re=message.id, reason="bad-set-up", detail=detail))
        return
    state.enrolled[seat] = Hidden(placed)
    sheet.letter(seat, Accepted(id=state.next_id(), re=message.id))
    sheet.event("enrolled", seat=seat, hidden=placed)


def _begin_when_complete(sheet: Sheet) -> None:
    state = sheet.state
    if state.ready != set(state.settings.rule_set.seats) or not state.board_set_up:
        return
    ranks: dict[Square, Rank] = {}
    for placed in state.enrolled.values():
        ranks |= placed.open_hidden()
    missing = [square for square in ranks if square not in state.occupants]
    if missing:  # enrolled squares and magnets must be the same squares
        state.fixes = tuple(Fix(square.name, seat_of(sheet, square)) for square in missing)
        sheet.touch()
        return
    sheet.go(Happening.SET_UP_COMPLETE)
    public = Game(state.settings.rule_set, state.occupants)
    known = Game(state.settings.rule_set, state.occupants, ranks or None)
    state.books = Books(public, known)
    state.origins = {square: piece for square in state.occupants if (piece := public.piece_at(square))}
    state.ask, state.fixes = None, ()
    sheet.order(Follow(public.situation()))
    sheet.event("begin", text=" ".join(f"{square.name}={seat.value}" for square, seat in public.occupants().items()))


def seat_of(sheet: Sheet, square: Square) -> Seat | None:
    """Give the seat in whose zone a square lies."""
    rules = sheet.state.settings.rule_set
    return next((seat for seat in rules.seats if square in rules.zone(seat)), None)
