"""Attacks that are told on the handset: by moving, by infiltrating, by firing. What cannot be is refused to its teller alone."""

from __future__ import annotations

from referee.arbitration import attack, causes, play
from referee.arbitration.messages import TellAttack, TellFire, TellInfiltrate
from referee.arbitration.state import Sheet
from referee.arbitration.transitions import Happening, may
from referee.rules import Fire, Infiltrate, Move
from referee.rules.values import Seat, Square


def told(sheet: Sheet, seat: Seat, message: TellAttack) -> None:
    """Take an attack by moving that the mover told; what he leaves out must follow from the hands and from his own ranks."""
    state = sheet.state
    if _is_open(sheet, seat, message):  # the hands were quicker than the word: it is the same attack
        sheet.accept(seat, message.id)
        return
    if not may(state.phase, Happening.ATTACKED) or state.game.public.turn is not seat:
        sheet.reject(seat, message.id, _out_of_place(sheet, seat))
        return
    in_hand = _in_hand(sheet, seat)
    sources = in_hand if message.source is None else _named(sheet, seat, message.source)
    if not sources:
        sheet.reject(seat, message.id, "no-piece-in-hand" if message.source is None else "not-your-piece")
        return
    if not in_hand and _hold(sheet, seat, message):
        return
    pairs = _pairs(sheet, sources, message.target)
    if len(pairs) != 1:
        _refuse(sheet, seat, message, sources, pairs)
        return
    sheet.accept(seat, message.id)
    play.finalise(
        sheet
    )  # the next player has a piece up and has said what it does: no hand is going on with the last move
    if may(state.phase, Happening.ATTACKED):
        attack.open_move(sheet, *pairs[0])


def _out_of_place(sheet: Sheet, seat: Seat) -> str:
    state = sheet.state
    return "not-your-turn" if state.books is not None and state.game.public.turn is not seat else "not-now"


def _hold(sheet: Sheet, seat: Seat, message: TellAttack | TellInfiltrate | TellFire) -> bool:
    """Put the word off while the move before it can be revised; give whether that was done.

    With no piece up nothing shows that this player has begun, and the hand that made the last move may still be going on with it.
    The answer waits, too: it is the same for every rank, since it depends on what everybody sees.
    """
    state = sheet.state
    if state.before is None:
        return False
    if state.held is not None:
        sheet.reject(seat, message.id, "not-now")
    else:
        state.held = (seat, message)
    return True


def take_held(sheet: Sheet) -> None:
    """Look at the word that was put off, once the move before it is final, taken back, or in doubt."""
    state = sheet.state
    if state.held is None or (state.before is not None and may(state.phase, Happening.ATTACKED)):
        return
    (seat, message), state.held = state.held, None
    sheet.answers_also(causes.of_message(seat, message))
    if isinstance(message, TellAttack):
        told(sheet, seat, message)
    else:
        told_special(sheet, seat, message)


def _in_hand(sheet: Sheet, seat: Seat) -> list[Square]:
    public = sheet.state.game.public
    return [s for s in sheet.state.in_hand if (piece := public.piece_at(s)) and piece.seat is seat]


def _named(sheet: Sheet, seat: Seat, name: str) -> list[Square]:
    occupants = sheet.state.game.public.occupants()
    return [square for square, owner in occupants.items() if square.name == name and owner is seat]


def _pairs(sheet: Sheet, sources: list[Square], target: str | None) -> list[tuple[Square, Square]]:
    public = sheet.state.game.public
    return [
        (source, there)
        for source in sources
        for there in public.attack_targets(source)
        if target in (None, there.name) and attack.legal_ways(sheet, source, there)
    ]


def _refuse(
    sheet: Sheet, seat: Seat, message: TellAttack, sources: list[Square], pairs: list[tuple[Square, Square]]
) -> None:
    """Say why to the teller alone: the reason may rest on the rank of his own piece."""
    if pairs:
        sheet.reject(seat, message.id, "which-target", tuple(dict.fromkeys(target.name for _, target in pairs)))
        return
    rivals = [square for square in sheet.state.game.public.occupants() if square.name == message.target]
    actions = [way for source in sources for target in rivals for way in play.ways(sheet, source, target)]
    refusals = [refusal.reason.value for way in actions for refusal in sheet.state.game.known.refusals(way)]
    sheet.reject(seat, message.id, refusals[0] if refusals else "out-of-reach")


def _is_open(sheet: Sheet, seat: Seat, message: TellAttack) -> bool:
    open_attack = sheet.state.attack
    return (
        open_attack is not None
        and open_attack.seat is seat
        and isinstance(open_attack.action, Move)
        and message.source in (None, open_attack.action.source.name)
        and message.target in (None, open_attack.action.target.name)
    )


def told_special(sheet: Sheet, seat: Seat, message: TellInfiltrate | TellFire) -> None:
    """Take what no sensor can see: an infiltration with its guess, or a shot. The guess is spoken aloud, so it is public."""
    state = sheet.state
    names = {square.name: square for square in state.settings.rule_set.board.squares}
    source, target = names.get(message.source), names.get(message.target)
    if not may(state.phase, Happening.ATTACKED) or state.game.public.turn is not seat:
        sheet.reject(seat, message.id, _out_of_place(sheet, seat))
        return
    if source is None or target is None:
        sheet.reject(seat, message.id, "no-such-square")
        return
    if not _in_hand(sheet, seat) and _hold(sheet, seat, message):
        return
    action: Fire | Infiltrate
    if isinstance(message, TellFire):
        action, kind, guess = Fire(source, target), "fire", None
    else:
        action, kind, guess = Infiltrate(source, target, message.guess), "infiltrate", message.guess.value
    refusals = state.game.known.refusals(action)
    if refusals:
        reasons = tuple(refusal.reason.value for refusal in refusals)
        sheet.reject(seat, message.id, reasons[0], reasons[1:])
        return
    sheet.accept(seat, message.id)
    play.finalise(sheet)
    if may(state.phase, Happening.ATTACKED):
        attack.open_attack(sheet, (action,), kind, guess)
