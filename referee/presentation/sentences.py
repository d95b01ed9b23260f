"""Which sentence a screen shows: the big one that is read from two metres away, and the small one below that says more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from referee.rules.values import Seat
from referee.table.views import Ask, Finale, Found, Phase, PublicInfo, PublicView, Sighting
from referee.words import Words

_MOST_NAMED = 3
"""A sentence names no more squares than these, to stay short; the board marks all of them."""
_SEATS = frozenset(seat.value for seat in Seat)
_MOST_SEEN = 4
"""The same where the sentence says what was seen on each of them."""


class Contact(Enum):
    """Whether what a screen shows is true now; each value but `live` is a sentence `kiosk.<value>` of `referee/words`."""

    LIVE = "live"
    NO_BROKER = "no-broker"
    NO_REFEREE = "no-referee"


class Tone(Enum):
    """Kind of the banner's sentence: a turn, news while waiting, something to do, or the end."""

    TURN = "turn"
    CALM = "calm"
    ASK = "ask"
    END = "end"


def headline(
    info: PublicInfo | None, view: PublicView | None, words: Words, contact: Contact
) -> tuple[str, tuple[Seat, ...], Tone]:
    """Return the big sentence, the armies that it is about (several only where a team won), and its tone."""
    if contact is not Contact.LIVE:
        return words[f"kiosk.{contact.value}"], (), Tone.CALM
    if view is None:
        return words["phase.lobby"], (), Tone.CALM
    if view.result is not None:
        return _result(info, view, words)
    if not view.board_connected:
        key = f"board.{view.board_fault}"
        return words[key if key in words else "kiosk.no-board"], (), Tone.ASK
    match view.phase:
        case Phase.WAITING_FOR_MOVE | Phase.PIECE_IN_HAND if view.decided is not None:
            return _decided(view, words), (view.decided.seat,), Tone.TURN
        case Phase.WAITING_FOR_MOVE | Phase.PIECE_IN_HAND if view.turn is not None:
            return words.say("turn.to-move", seat=words.seat(view.turn)), (view.turn,), Tone.TURN
        case Phase.WAITING_FOR_DECLARATIONS if view.attack is not None and view.attack.result is None:
            return _attack(view, words), (view.attack.seat,), Tone.TURN
        case Phase.WAITING_FOR_DECLARATIONS if len(view.waiting_for) == 1:
            return _named("turn.waiting-for", view, words), view.waiting_for, Tone.TURN
        case Phase.WAITING_FOR_BOARD if view.ask is Ask.REMOVE_CAPTURED and view.attack and view.attack.result:
            return words[f"verdict.{view.attack.result}"], (), Tone.CALM
        case Phase.WAITING_FOR_BOARD | Phase.RESTORING if is_compared(view):
            return words["board.compared"], (), Tone.CALM
        case Phase.WAITING_FOR_BOARD:
            return words["page.clear-board"], (), Tone.CALM
        case Phase.SETTING_UP:
            return words["ask.set-up"], (), Tone.CALM
        case Phase.RESTORING if view.fault is not None:
            return fault(view, words), (), Tone.ASK
        case phase:
            return words[f"phase.{phase.value}"], (), Tone.ASK if phase is Phase.RESTORING else Tone.CALM


def detail(info: PublicInfo | None, view: PublicView | None, words: Words, contact: Contact = Contact.LIVE) -> str:
    """Return the small sentences, a line each: why nobody can act, the reason of the end, what hands must do, or what was played last."""
    if contact is not Contact.LIVE:
        return words["page.comes-back" if contact is Contact.NO_BROKER else "page.starts-again"]
    if view is None:
        return words["handset.no-game"]
    if view.result is not None:
        turned = "" if view.finale in (None, Finale.ASKED) else words[f"finale.{view.finale.value}"]
        return _joined(words[f"end.{view.result.reason}"], turned)
    if view.board_fault is not None:
        return health(view, words)
    if view.phase is Phase.LOBBY:
        return _named("turn.waiting-for", view, words)
    away = _away(view, words)
    if view.phase is Phase.SETTING_UP:
        return _joined(away, _misplaced(info, view, words) or _named("ask.say-ready", view, words))
    carry = carrying(info, view, words)
    still = _stands_still(view, words) if view.phase is Phase.PAUSED else ""
    silence = view.pause is None and bool(view.waiting_for) and view.ask in (Ask.DECLARE, Ask.DECIDE)
    if (still and not silence) or (away and view.ask is None and view.barred is None):
        return _joined(away, still, carry)
    return _joined(away, still, _in_play(info, view, words, carry))


def _in_play(info: PublicInfo | None, view: PublicView, words: Words, carry: str) -> str:
    """Return what is asked of hands or players in the middle of a game, or what was played last; `carry` is what `carrying` gives."""
    if view.barred is not None:
        return _joined(words[f"refusal.{view.barred}"], asked(view, words) if view.ask is not None else "", carry)
    if view.saw and view.ask is not None:
        wish = words["ask.restore"] if view.fault is not None else asked(view, words)
        return _joined(f"{seen(view.saw, words)} {wish}", carry)
    if view.ask is not None and not is_compared(view):
        waiting = view.ask in (Ask.DECLARE, Ask.DECIDE) or view.ask.value.startswith("confirm-")
        named = _named("turn.waiting-for", view, words) if waiting else ""
        return _joined(asked(view, words), counts_as(info, view, words), named, carry)
    if carry:
        return _joined(declined(view, words), health(view, words), carry)
    if view.bars:
        return words.say("kiosk.bars", moves=", ".join(_barred_moves(view)[:_MOST_NAMED]))
    blind = words.say("kiosk.blind", squares=", ".join(view.blind[:_MOST_NAMED])) if view.blind else ""
    return _joined(declined(view, words), health(view, words) or _quiet(view, words), blind)


def is_compared(view: PublicView) -> bool:
    """Return whether the board is compared with the game after a pause or an attack, and nothing is known to be wrong."""
    at_board = view.phase in (Phase.WAITING_FOR_BOARD, Phase.RESTORING) and not (view.fixes or view.saw or view.fault)
    return at_board and view.ask in (None, Ask.RESTORE, Ask.REMOVE_CAPTURED)


def carrying(info: PublicInfo | None, view: PublicView, words: Words) -> str:
    """Return what hands shall do for a seat whose moves are decided elsewhere: now, or once the board is right; else who decides."""
    at_rest, move = view.phase in (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND), view.decided
    if move is None:
        waits = at_rest and info is not None and view.turn in info.decided
        return words.say("decided.wait", seat=words.seat(view.turn)) if waits and view.turn else ""
    if at_rest:
        return words["decided.lift" if move.target in view.occupants else "decided.please"]
    if view.phase is Phase.RESTORING:
        return words.say("decided.then", source=move.source, target=move.target)
    return ""


def _decided(view: PublicView, words: Words) -> str:
    move = view.decided
    assert move is not None
    key = "decided.attack" if move.target in view.occupants else "decided.move"
    return words.say(key, seat=words.seat(move.seat), source=move.source, target=move.target)


def _stands_still(view: PublicView, words: Words) -> str:
    """Return who lets a paused game go on; empty where a missing answer does, which is asked for as in play."""
    if view.hall_clock is not None and view.hall_clock.left_ms == 0:
        return words["round.over"]
    if view.called:
        return words.say("page.called", seat=", ".join(map(words.seat, view.called)))
    if view.pause is not None and view.pause.left_ms is not None:
        return words.say("pause.limited", seat=words.seat(view.pause.seat), minutes=-(-view.pause.left_ms // 60_000))
    if view.pause is not None:
        return _named("page.go-on-waiting", view, words)
    return "" if view.waiting_for else words.say("pause.held", resume=words["kiosk.resume"])


def _away(view: PublicView, words: Words) -> str:
    """Return whose phone is missed: a clock stands still for it, and for how long at most, or it has to answer. May be empty."""
    waits = [
        words.say("clock.waits", seat=words.seat(seat), seconds=-(-left // 1000)) for seat, left in view.graces.items()
    ]
    offered = view.offer is not None and view.offer.declined_by is None
    by_hand = view.phase in (Phase.WAITING_FOR_MOVE, Phase.PIECE_IN_HAND) and not offered
    missed = () if by_hand else view.waiting_for
    lost = [seat for seat in missed if view.connected.get(seat) is False and seat not in view.graces]
    return _joined(*waits, *(words.say("page.phone-lost", seat=words.seat(seat)) for seat in lost))


def asked(view: PublicView, words: Words) -> str:
    """Return what is asked of the hands or the players; of an offer, by whom."""
    assert view.ask is not None
    key = f"ask.{view.ask.value}"
    if view.ask is Ask.REMOVE_CAPTURED and (hands := _after_attack(view, words)):
        return hands
    if not view.ask.value.startswith("confirm-"):
        return words[key]
    seat = words.seat(view.offer.seat) if view.offer else "?"
    if view.ask is Ask.CONFIRM_TAKE_BACK:
        return words.say(key, seat=seat, moves=undone(view, view.offer.ply if view.offer else None, words))
    return words.say(key, seat=seat)


def _after_attack(view: PublicView, words: Words) -> str:
    """Return what hands do on the squares of an attack that has its verdict, without a rank; empty where nothing is left to do there."""
    attack = view.attack
    if attack is None or attack.result is None:
        return ""
    fixes = [fix for fix in view.fixes if fix.square in (attack.source, attack.target)]
    won = [attack.target] if fixes and view.occupants.get(attack.target) is attack.seat else []
    for square in (*won, *(fix.square for fix in fixes if fix.wanted is not None)):
        return words.say("fix.put", square=square, seat=words.seat(view.occupants[square]))
    key = "fix.take" if len(fixes) == 1 else "fix.take-both"
    return words.say(key, squares=", ".join(fix.square for fix in fixes)) if fixes else ""


def counts_as(info: PublicInfo | None, view: PublicView, words: Words) -> str:
    """Return what a captured piece of the computer's was, which any piece of its colour stood for; empty where there is none."""
    captured = view.attack.took if view.attack is not None and info is not None else {}
    theirs = {seat: rank for seat, rank in captured.items() if info is not None and seat in info.computers}
    return _joined(
        *(words.say("fix.counts-as", seat=words.seat(seat), rank=words.rank(rank)) for seat, rank in theirs.items())
    )


def undone(view: PublicView, ply: int | None, words: Words) -> str:
    """Return which moves going back to where the game stood after a ply would undo, each with its army where all are known."""
    first = view.ply if ply is None else ply + 1
    seats = {number: seat for seat, number in view.last_plies.items()}
    plies = range(first, view.ply + 1)
    if not all(number in seats for number in plies):
        return words.say("undone.moves", first=first, last=view.ply)
    return ", ".join(words.say("undone.move", number=number, seat=words.seat(seats[number])) for number in plies)


def declined(view: PublicView, words: Words) -> str:
    """Return who has declined what was offered last; empty where nobody has."""
    offer = view.offer
    if offer is None or offer.declined_by is None:
        return ""
    return words.say(f"declined.{offer.kind}", seat=words.seat(offer.declined_by))


def _misplaced(info: PublicInfo | None, view: PublicView, words: Words) -> str:
    """Return which pieces hinder the beginning: outside their zone, more than the army has, fewer once everybody is ready."""
    if info is None or view.phase is not Phase.SETTING_UP:
        return ""
    said, size = [], sum(info.army.values())
    for seat in info.seats:
        if astray := info.astray(seat, view):
            squares = ", ".join(astray[:_MOST_NAMED]) + (" …" if len(astray) > _MOST_NAMED else "")
            said.append(words.say("ask.outside-zone", seat=words.seat(seat), squares=squares))
        elif (placed := info.placed(seat, view)) > size or (placed < size and not view.waiting_for):
            said.append(words.say("ask.too-many-pieces", seat=words.seat(seat), number=placed, all=size))
    return _joined(*said)


def fault(view: PublicView, words: Words) -> str:
    """Return which rule was broken by what has to be put right; empty where that is not known."""
    if view.fault == "out-of-turn" and view.turn is not None:
        return words.say("refusal.out-of-turn", seat=words.seat(view.turn))
    return words[f"refusal.{view.fault}"] if view.fault is not None else ""


def health(view: PublicView, words: Words) -> str:
    """Return what to do about the worst that is wrong with the board; empty when nothing is known to be."""
    return words[f"health.{view.health[0].value}"] if view.health else ""


def seen(saw: Sequence[Sighting], words: Words) -> str:
    """Return what the sensors showed, in one sentence: squares that showed the same together, the first few of them."""
    alike = dict.fromkeys((sighting.found, sighting.seat) for sighting in saw)
    ordered = [sighting for found in alike for sighting in saw if (sighting.found, sighting.seat) == found]
    shown = ordered[:_MOST_SEEN]
    parts = [_seen_alike([s.square for s in shown if (s.found, s.seat) == found], *found, words) for found in alike]
    if len(shown) < len(ordered):
        parts.append(words.say("saw.more", number=len(ordered) - len(shown)))
    return words.say("saw.sentence", parts=words["saw.apart"].join(part for part in parts if part))


def _seen_alike(squares: list[str], found: Found, seat: Seat | None, words: Words) -> str:
    if not squares:
        return ""
    where = ", ".join(squares)
    if found is not Found.PIECE:
        return words.say("saw.nothing" if found is Found.EMPTY else "saw.unclear", squares=where)
    key = "saw.piece" if len(squares) == 1 else "saw.pieces"
    if seat is None:
        return words.say(key, squares=where)
    return words.say(f"{key}-of", seat=words.seat(seat), squares=where)


def _quiet(view: PublicView, words: Words) -> str:
    """Return the sentence while no question is open."""
    if view.in_hand:
        return words.say("kiosk.in-hand", square=", ".join(view.in_hand))
    if view.attack is not None and view.attack.result is not None:
        return words.labelled(_attack(view, words), words[f"verdict.{view.attack.result}"])
    if view.last_move is not None:
        return words.say("kiosk.last-move", source=view.last_move.source, target=view.last_move.target)
    return ""


def _barred_moves(view: PublicView) -> list[str]:
    """Return what a repetition rule bars now, without a rank."""
    return [f"{source} – {target}" for source, targets in view.bars.items() for target in targets]  # noqa: RUF001


def _result(info: PublicInfo | None, view: PublicView, words: Words) -> tuple[str, tuple[Seat, ...], Tone]:
    assert view.result is not None
    winner = view.result.winner
    if winner is not None:
        winners = (winner,) if info is None else info.partners(winner)
        return words.wins(winners), winners, Tone.END
    without = view.result.reason in ("aborted", "unfinished", "clock", "both-lose")
    return words["result.none" if without else "result.draw"], (), Tone.END


def _attack(view: PublicView, words: Words) -> str:
    attack = view.attack
    assert attack is not None
    if attack.guess is not None:
        return words.say(
            "attack.infiltrates", source=attack.source, target=attack.target, rank=words.rank(attack.guess)
        )
    return words.say("attack.fires" if attack.fires else "attack.now", source=attack.source, target=attack.target)


def _named(key: str, view: PublicView, words: Words) -> str:
    """Return a sentence about those who are waited for; empty where nobody is."""
    names = ", ".join(map(words.seat, view.waiting_for))
    return words.say(key, seat=names) if names else ""


def _joined(*sentences: str) -> str:
    said = [sentence for sentence in sentences if sentence]
    return "\n".join([*(f"{each}." if each[-1].isalnum() else each for each in said[:-1]), *said[-1:]])


def wifi_text(name: str, password: str) -> str:
    """Return what the QR code of a Wi-Fi holds: cameras take a character that stands for something there only behind a backslash."""
    name, password = (re.sub(r'([\\;,:"])', r"\\\1", part) for part in (name, password))
    return f"WIFI:T:WPA;S:{name};P:{password};;"


# --- the chain of the game --------------------------------------------------------------------------------------------


def seal_text(chain: str) -> str:
    """Return a head of a chain as two people compare it: how many links, and 16 digits of the hash in groups; empty without one."""
    number, _, digits = chain.partition(":")
    return f"{number}: {' '.join(digits[at : at + 4] for at in range(0, 16, 4))}" if digits else ""


def signed_text(view: PublicView, words: Words) -> str:
    """Return who has signed the end of a game with a chain; empty before the end, and without a chain."""
    if view.result is None or not view.chain:
        return ""
    names = [words.seat(Seat(who)) if who in _SEATS else words["proof.station"] for who in view.signed]
    return words.labelled(words["proof.signed"], ", ".join(names) or words["proof.nobody"])
