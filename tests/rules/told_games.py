"""Games told in full: everything that a game says of itself after each ply, known and public, also of actions that nobody would try.

    python -m tests.rules.told_games             writes golden/told.txt anew, after a change of the rules that was meant
    python -m tests.rules.told_games NAME PLY    shows what a line of it stands for

A line is one ply of one game: what was played, and a digest of all that is told after it. A digest that differs names the first ply at
which the rules say something else; it says nothing of who is right.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from referee.rules import Game, Infiltrate, Move, RuleSet, Situation, rule_set, rule_set_names
from referee.rules.actions import Action, Fire, MoveSlider, Pass, Recruit, TakeFlags
from referee.rules.library import board_named
from referee.rules.outcomes import RulesError
from referee.rules.rule_file import rule_set_from
from referee.rules.values import PieceId, Rank, Square
from tests.rules.conftest import random_set_up

GOLDEN = Path(__file__).parent / "golden" / "told.txt"
PLIES = {"stratego4": 60, "stratego4-teams": 40, "stratego4-three": 40}
"""Where it is not 30."""
STRANGE = 6
"""How many actions drawn at random are asked about after each ply."""
EVERY = 3
"""After so many plies everything is told; of those between only what they did."""
ALWAYS = {"army_lost", "first_seat"}
"""Options that a short game from the set-up never comes to."""


def sets() -> dict[str, RuleSet]:
    """Return every rule set, and with each other choice of each of its options those that have a way to play of their own."""
    found = {name: rule_set(name) for name in rule_set_names()}
    for base in ("original", "infiltrator", "stratego4"):
        for name, option in found[base].options.items():
            for choice in option.choices:
                if choice != option.value and name not in ALWAYS:
                    title = f"{base} {name}={choice}"
                    table = {"name": title, "base": base, "source": "none", "options": {name: choice}}
                    found[title] = rule_set_from(table, board_named, rule_set)
    return found


def text(value: object) -> str:
    """Return a value as text that is the same in each run: sets and mappings sorted, everything by its fields."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, str | int | Square | PieceId | Move):  # most values by far, and the tests for them are quick
        return repr(value)
    if isinstance(value, tuple | list):
        return "(" + ", ".join([text(each) for each in value]) + ")"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted([text(each) for each in value])) + "}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(sorted([f"{text(key)}: {text(each)}" for key, each in value.items()])) + "}"
    if is_dataclass(value):
        kind: Any = type(value)
        return type(value).__name__ + text({name: getattr(value, name) for name in _names(kind)})
    return repr(value)


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Return the fields that a dataclass shows of itself."""
    return tuple(each.name for each in fields(kind) if each.repr)


def strange(game: Game, rng: random.Random) -> Action:
    """Return an action that may be anything: a move over the board, of nobody's piece, a shot with nothing, an answer unasked."""
    squares = [*game.rule_set.board.squares, Square("z9")]
    own = [square for square, seat in game.occupants().items() if seat is game.turn]
    source = rng.choice(own) if own and rng.random() < 0.7 else rng.choice(squares)
    lines = [] if source.name == "z9" else [square for line in game.rule_set.board.lines(source) for square in line]
    target = rng.choice(lines) if lines and rng.random() < 0.7 else rng.choice(squares)
    seats = game.rule_set.seats
    return rng.choice(
        (
            Move(source, target),
            Move(source, target),
            Move(source, target, via=(rng.choice(squares),)),
            Move(source, target, leaving=(rng.choice(seats),)),
            Infiltrate(source, target, rng.choice(list(Rank))),
            Infiltrate(source, target, rng.choice(list(Rank)), via=(rng.choice(squares),)),
            Fire(source, target),
            Pass(),
            TakeFlags(source, (rng.choice(seats),)),
            MoveSlider(rng.random() < 0.5),
            Recruit(rng.choice([None, PieceId(rng.choice(seats), rng.randrange(3))])),
        )
    )


def said(game: Game, tried: list[Action]) -> Iterator[str]:
    """Return all that a game tells of itself, a line each."""
    yield f"{game!r} {game.ply} {text(game.turn)} {text(game.result)} {text(game.occupants())}"
    for seat in game.rule_set.seats:
        pieces = game.pieces(seat)
        yield f"{text(seat)} {text(pieces)} {text(game.captured(seat))} {text(game.mobile(seat))}"
        for piece in pieces:
            at = game.square_of(piece)
            assert at is not None
            forfeits = game.forfeits_as(piece), game.forfeits_as(piece, moving=True)
            told = (game.possible(piece), game.moved(piece), forfeits)
            yield f"{piece!r} {at!r} {text(told)}"
    actions = game.legal_actions()
    yield "legal " + text({repr(action) for action in actions})
    sources = sorted({action.source for action in actions if isinstance(action, Move)}, key=repr)
    yield text({source: set(game.attack_targets(source)) for source in sources[:2]})
    yield f"barred {text(game.barred())}"
    if game.castle is not None:
        yield text({name: getattr(game.castle, name) for name in ("flags", "sliders", "out", "owed")})
    situation = game.situation()
    yield _shown(situation)
    for prospect in sorted(situation.prospects, key=repr)[:2]:
        assert situation.after is not None
        yield _shown(situation.after(prospect))
    for action in tried:
        yield f"{action!r} {_answer(game, action)}"


def _shown(situation: Situation) -> str:
    """Return a situation as text, its prospects sorted: they come in no particular order."""
    return text((situation.occupants, situation.turn, sorted(map(repr, situation.prospects))))


def _answer(game: Game, action: Action) -> str:
    """Return what is said against an action, and what comes of it in a copy."""
    try:
        refusals = text(game.refusals(action))
        copy = game.copy()
        played = copy.play(action)
    except (RulesError, LookupError) as error:
        told = getattr(error, "refusals", None) or getattr(error, "doubts", ())
        return f"{type(error).__name__} {text(told)}"
    return f"{refusals} {text(played)} {text(copy.result)} {copy!r}"


def tellings(name: str, rules: RuleSet) -> Iterator[tuple[str, list[str]]]:
    """Return each ply of a game with what was played, and all that the known and the public game say after it."""
    rng = random.Random(name)
    placed = random_set_up(rules, rng)
    occupants = {square: seat for square, (seat, _) in placed.items()}
    known = Game(rules, occupants, {square: rank for square, (_, rank) in placed.items()})
    public = Game(rules, occupants)
    yield "begins", [*said(known, []), *said(public, [])]
    for _ in range(PLIES.get(rules.name, 30)):
        actions = sorted(known.legal_actions(), key=repr)
        if not actions:
            return
        attacks = [action for action in actions if known.is_attack(action) or not isinstance(action, Move)]
        action = rng.choice(attacks if attacks and rng.random() < 0.6 else actions)
        played = known.play(action)
        seen = [piece for piece in (played.piece, played.defender) if piece is not None and played.result is not None]
        shown = {piece: next(iter(known.possible(piece))) for piece in seen if rng.random() < 0.7}
        told = public.play(action, played.result, shown)
        tried = [strange(known, rng) for _ in range(STRANGE)]
        telling = [text(played), text(told)]
        if known.ply % EVERY == 0 or known.result is not None:
            telling += [*said(known, tried), *said(public, tried)]
        yield repr(action), telling


def lines(name: str, rules: RuleSet) -> Iterator[str]:
    """Return the golden file's lines of one rule set."""
    for ply, (action, telling) in enumerate(tellings(name, rules)):
        yield f"{name} | {ply} {action} | {sha256(str(telling).encode()).hexdigest()[:8]}"


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(*next(islice(tellings(sys.argv[1], sets()[sys.argv[1]]), int(sys.argv[2]), None))[1], sep="\n")
    else:
        told = [line for name, rules in sets().items() for line in lines(name, rules)]
        GOLDEN.write_text("".join(f"{line}\n" for line in told), encoding="utf-8")
