"""Repeats the choices of a seat that the computer played, from its seed, its level and what its seat was told, and
nothing else.

A choice that comes out otherwise was not made by the program that the record names, or was made with more than its seat may know.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from referee.computer import LEVELS, Choice, Computer, SeenPly, generate_set_up, standing_on
from referee.journal.records.model import Ply, Record, View
from referee.journal.records.views import view_of
from referee.rules import CombatResult, EndReason, Fire, Infiltrate, Move, PieceId, Rank, RulesError, RuleSet, Seat
from referee.table.settings import COMPUTER_ENGINE, FIRST_ENGINE

NOT_SHOWN = "does not show all that it was told"

_BY_CHANCE = 1e-9
"""So seldom may pieces that are set down at random come to stand as the computer sets them up; people's habits make it likelier."""

_OPEN = 2
"""So many plies may not be final yet when a draw is agreed to: the computer's own, and the reply to it."""


def engine_of(record: Record) -> str:
    """Return which engine chose for the computer."""
    return record.engine or FIRST_ENGINE


def is_of_this_engine(record: Record) -> bool:
    """Return whether this program's engine made the computer's choices; another engine's cannot be repeated here."""
    return engine_of(record) == COMPUTER_ENGINE


def is_unsaid(record: Record, seat: Seat, rules: RuleSet) -> bool:
    """Return whether a seat's set-up is the one that the computer makes from its seed, though the record names no
    computer.

    False where people could well have chosen the same by chance, as when few ranks are known or pieces stand elsewhere.
    """
    stands, seed = record.set_ups[seat], record.seeds.get(seat)
    if seed is None or seat in record.computers or len(rules.seats) > 2:
        return False
    made, known = generate_set_up(rules, seat, seed), stands.known
    if len(made) != len(stands) or not known.items() <= standing_on(made, set(stands), rules).items():
        return False
    by_chance = 1 / math.comb(len(rules.zone(seat)), len(made)) if set(made) == set(stands) else 1.0
    left = dict(rules.army)
    for at, rank in enumerate(known.values()):
        by_chance *= left[rank] / (len(made) - at)
        left[rank] -= 1
    return by_chance < _BY_CHANCE


def as_told(record: Record, seat: Seat) -> Record | None:
    """Return the game as a seat was told it, with the seed of its choices.

    None where the record does not show that, and where another engine chose.
    """
    if seat not in record.seeds or not is_of_this_engine(record):
        return None
    if record.view is View.ARCHIVE and record.consent >= set(record.seats):
        record = replace(record, view=View.REFEREE)  # nothing was left out of it
    if record.view not in (View.REFEREE, View(seat.value)):
        return None
    return view_of(record, View(seat.value))


def wrong_choices(told: Record, seat: Seat, rules: RuleSet, since: int = 0) -> Iterator[tuple[int | None, str]]:
    """Yield each ply after `since` that the computer would play differently, and its choice; of plies only the first.

    `told` is what `as_told` returned.
    """
    seed, level = told.seeds[seat], LEVELS[int(told.computers[seat])]
    stands = told.set_ups[seat]
    set_up = standing_on(generate_set_up(rules, seat, seed), set(stands), rules)
    if not stands.known.items() <= set_up.items():
        yield None, f"{seat.value}: the computer's set-up does not follow from its seed"
        return
    occupants = {square: owner for owner, squares in told.set_ups.items() for square in squares}
    computer = Computer(rules, seat, set_up, occupants, seed, level)
    offered = False
    try:
        for number, ply in enumerate(told.plies, start=1):
            if ply.seat is not computer.game.turn or computer.game.refusals(ply.action):
                return  # judging says it: a computer is asked, and told of, what can be played alone
            if ply.seat is seat:
                choice = computer.choose()
                offered = choice.offers_draw
                if number > since and not _is_same(choice, ply):
                    yield (
                        number,
                        f"ply {number}: from what it could know {seat.value}'s computer would have chosen otherwise",
                    )
                    return
            if number > len(told.plies) - _OPEN:  # it may have become final while the answer was on its way
                offered = offered or computer.answers_draw()
            computer.see(_seen(computer, ply))
        yield from _wrong_end(told, seat, computer, offered)
    except RulesError:
        return  # judging says it, with its reason


def _is_same(choice: Choice, ply: Ply) -> bool:
    """Return whether two choices are the same; the path of a move is left out, because hands at the board chose it."""
    match choice.action, ply.action:
        case (Move() | Fire()) as chosen, (Move() | Fire()) as played if type(chosen) is type(played):
            return (chosen.source, chosen.target) == (played.source, played.target)
        case chosen, played:
            return chosen == played


def _seen(computer: Computer, ply: Ply) -> SeenPly:
    action, game = ply.action, computer.game
    if ply.result is None or not isinstance(action, Move | Infiltrate | Fire):
        return SeenPly(action, ply.result)
    attacker, defender = ply.attacker, ply.defender
    if isinstance(action, Infiltrate):
        attacker = Rank.INFILTRATOR
        defender = action.guess if ply.result is CombatResult.INFILTRATED else None
    told: dict[PieceId, Rank] = {}
    for square, rank in ((action.source, attacker), (action.target, defender)):
        if rank is not None and (piece := game.piece_at(square)) is not None:
            told[piece] = rank
    return SeenPly(action, ply.result, told)


def _wrong_end(told: Record, seat: Seat, computer: Computer, offered: bool) -> Iterator[tuple[int | None, str]]:
    end, last = told.result, len(told.plies)
    if end is None or computer.game.result is not None:
        return
    if end.reason is EndReason.RESIGN and end.winner is not seat and computer.choose().action is not None:
        yield last, f"after ply {last}: {seat.value}'s computer would not have resigned"
    elif end.reason is EndReason.AGREED and end.winner is None:
        agrees = offered or computer.answers_draw()
        if not agrees and not (computer.game.turn is seat and computer.choose().offers_draw):
            yield last, f"after ply {last}: {seat.value}'s computer would not have agreed to a draw"
