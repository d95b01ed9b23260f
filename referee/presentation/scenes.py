"""What a screen shows large for a moment: a verdict, the end of a game. Computed from what is public: no survivor has a rank here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from referee.presentation.sentences import Contact, headline
from referee.rules.values import Rank, Seat
from referee.table.views import PublicEvent, PublicInfo, PublicView
from referee.words import Words


@dataclass(frozen=True, slots=True)
class Duel:
    """A verdict: who attacked whom and where, and the pieces that it took off the board."""

    attacker: Seat
    source: str
    defender: Seat
    target: str
    result: str
    captured: Mapping[Seat, Rank]


@dataclass(frozen=True, slots=True)
class Figure:
    """A piece in a scene, named by its square or not; its rank only where it was captured."""

    seat: Seat
    square: str = ""
    rank: Rank | None = None
    number: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A sentence, smaller lines below it, and pieces beside each other: the attacker before its victim, or who has won."""

    title: str
    lines: tuple[str, ...]
    figures: tuple[Figure, ...]
    duel: bool = False


def duel_of(event: PublicEvent, info: PublicInfo | None, view: PublicView | None) -> Duel | None:
    """Return the duel that an event settles, by the view before it; None for others, or where the victim is not known."""
    if event.kind != "verdict" or event.seat is None or event.source is None or event.target is None:
        return None
    others = [seat for seat in event.captured if seat is not event.seat]
    if view is not None and (stood := view.occupants.get(event.target)) is not None and stood is not event.seat:
        others.append(stood)
    if info is not None and len(info.seats) == 2:
        others += [seat for seat in info.seats if seat is not event.seat]
    if not others:
        return None
    return Duel(event.seat, event.source, others[0], event.target, event.result or "", dict(event.captured))


def duel_scene(duel: Duel, info: PublicInfo, words: Words) -> Scene:
    """Return what is shown of a verdict: both pieces, and who lost which; where nobody did, the verdict's own word."""
    losses = losses_of(duel, words)
    places = ((duel.attacker, duel.source), (duel.defender, duel.target))
    figures = (
        Figure(seat, square, rank := duel.captured.get(seat), str(info.numbers.get(rank, "")) if rank else "")
        for seat, square in places
    )
    return Scene(losses[0] if losses else words[f"verdict.{duel.result}"], losses[1:], tuple(figures), duel=True)


def losses_of(duel: Duel, words: Words) -> tuple[str, ...]:
    """Return a sentence for each army that lost a piece, the attacker's first."""
    seats = (seat for seat in (duel.attacker, duel.defender) if seat in duel.captured)
    return tuple(words.loses(seat, duel.captured[seat]) for seat in seats)


def end_scene(info: PublicInfo, view: PublicView, words: Words) -> Scene | None:
    """Return what is shown of a game that is over: who has won, why, and after how many moves."""
    if view.result is None:
        return None
    text, winners, _ = headline(info, view, words, Contact.LIVE)
    lines = (words[f"end.{view.result.reason}"], words.say("turn.ply", number=view.ply))
    return Scene(text, lines, tuple(Figure(seat) for seat in winners))
