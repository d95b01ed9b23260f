"""Small games by lot, from the rules alone: few pieces a seat, every sort of rule set, and their records' text in any view."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import factorial, prod
from pathlib import Path

from referee.rules import (
    Action,
    Decided,
    EndReason,
    Fire,
    Game,
    Infiltrate,
    Move,
    MoveSlider,
    OptionValue,
    Pass,
    PieceId,
    Rank,
    Recruit,
    RuleSet,
    Seat,
    Square,
    TakeFlags,
    load_rule_set,
)
from tests.knowledge_brute.truth import Piece, Ply, told

FIELD = 'name = "field"\nsource = "unverified"\nmap = """\n....\n....\n.~..\n....\n....\n"""\n'
FIELD += '[homes.red]\nzone = "a1:d2"\n[homes.blue]\nzone = "a4:d5"\n'
CASTLE = 'name = "yard"\nsource = "unverified"\nmap = """\n' + "\n".join(
    (".......", ".......", "..OOO..", "..OTO..", "..OOO..", ".......", ".......", '"""\n')
)
HOMES = {"red": ("c1:e2", "d2", "d1"), "blue": ("a3:b5", "b4", "a4")}
HOMES |= {"green": ("c6:e7", "d6", "d7"), "yellow": ("f3:g5", "f4", "g4")}
for _seat, (_zone, _again, _flag) in HOMES.items():
    CASTLE += f'[homes.{_seat}]\nzone = "{_zone}"\nrecruitment = "{_again}"\nflag_start = "{_flag}"\n'
BOARDS = {"field.toml": FIELD, "yard.toml": CASTLE}
BASES = (
    "duel",
    "infiltrator",
    "infiltrator",
    "stratego4",
    "stratego4-three",
    "stratego4-three",
    "stratego4-teams",
    "stratego4-two",
)
REVEALS = ("book", "attacker-only", "result-only")
WORLDS = 6000
"""Joint set-ups of all armies that are tried at most."""
OPTIONS: dict[str, dict[str, tuple[OptionValue, ...]]] = {
    "duel": {"two_square_limit": (3, 5), "spy_against_spy": ("both-lost", "attacker-wins")},
    "infiltrator": {"move_then_infiltrate": (False, True), "line_must_be_clear": (False, True)},
    "castle": {
        "scout_attack": ("any-neighbour", "straight-on"),
        "shot_counts": (True, False),
        "slider": ("ask-always",),
    },
}


@dataclass(frozen=True)
class Played:
    """A game that was played by lot."""

    number: int
    rules: RuleSet
    file: Path
    reveal: str
    mode: str
    pieces: tuple[Piece, ...]
    before: tuple[str, ...]
    """Decisions before the first ply: seats that gave up."""
    plies: tuple[Ply, ...]
    result: tuple[str, str] | None
    corrected: bool
    """Whether its record says that plies were taken back, which counts for nothing."""


def rule_file(rng: random.Random, folder: Path) -> Path:
    """Return a new house rule file for a small game."""
    base = rng.choice(BASES)
    seats = {"stratego4": 4, "stratego4-three": 3, "stratego4-teams": 4}.get(base, 2)
    castle = base.startswith("stratego4")
    army = _army(rng, base, seats)
    lines = [f'base = "{"stratego4" if castle else base}"', 'name = "small"', "filled = false", 'source = "by lot"']
    lines += [f'board = "{"yard" if castle else "field"}.toml"']
    if base == "stratego4-teams":
        lines.append('teams = ["red green", "blue yellow"]')
    elif castle:
        lines.append(f"seats = [{', '.join(repr(one) for one in list(HOMES)[:seats])}]".replace("'", '"'))
    lines.append(f"army = {{ {', '.join(f'{rank} = {count}' for rank, count in army.items())} }}")
    lines.append("army_verified = false")
    gaits = ("step", "run-and-turn", "two-steps", "gun") if castle else ("step", "step", "run")
    for rank in army:
        if rank not in ("flag", "bomb", "infiltrator") and rng.random() < 0.2:
            lines += [f"[ranks.{rank}]", f'gait = "{rng.choice(gaits)}"']
    for name, choices in OPTIONS["castle" if castle else base].items():
        value = repr(rng.choice(choices)).replace("'", '"')
        value = value.lower() if value in ("True", "False") else value
        told = ", ".join(repr(one).replace("'", '"') if isinstance(one, str) else str(one).lower() for one in choices)
        lines += [f"[options.{name}]", f"value = {value}", f"choices = [{told}]", 'reason = "by lot"']
    for name, text in BOARDS.items():
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")
    file = folder / "small.toml"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _army(rng: random.Random, base: str, seats: int) -> dict[str, int]:
    """Return an army small enough that every joint set-up can be tried."""
    ranks = ["scout", "miner", "spy", "marshal", "general", "bomb", "scout"]
    must = ["flag", "scout"]
    if base.startswith("stratego4"):
        ranks, must = (
            ["scout", "captain", "cannon", "spy", "marshal", "scout"],
            ["cannon", "captain"][rng.randrange(2) :],
        )
    if base == "infiltrator":
        must = ["flag", "infiltrator"]
    while True:
        drawn = must + rng.choices(ranks, k=rng.randint(1, 5 - (len(must) if seats > 2 else 0)))
        found = {rank: drawn.count(rank) for rank in dict.fromkeys(drawn)}
        orders = factorial(len(drawn)) // prod(map(factorial, found.values()))
        if orders**seats <= WORLDS and len(drawn) <= 5 + (seats == 2 and not base.startswith("stratego4")):
            return found


def play(number: int, folder: Path) -> Played:
    """Return the game of this number."""
    rng = random.Random(f"knowledge {number}")
    file = rule_file(rng, folder)
    rules = load_rule_set(file)
    places: dict[Square, Piece] = {}
    for seat in rules.seats:
        home = rules.board.homes[seat]
        army = [rank for rank, count in rules.army.items() for _ in range(count)]
        squares = rng.sample([one for one in rules.zone(seat) if one != home.recruitment], len(army))
        places.update((square, Piece(seat, square, rank)) for square, rank in zip(squares, army, strict=True))
    pieces = tuple(places[square] for square in rules.board.squares if square in places)
    game = Game(rules, {one.home: one.seat for one in pieces}, {one.home: one.rank for one in pieces})
    owned = {seat: [one for one in pieces if one.seat is seat] for seat in rules.seats}
    by_id = {PieceId(seat, at): one for seat, row in owned.items() for at, one in enumerate(row)}
    plies: list[Ply] = []
    before: list[str] = []
    length = rng.choice((5, 15, 30, 60))
    eager = rng.random()
    while game.result is None and len(plies) < length:
        if len(rules.seats) > 2 and rng.random() < 0.01:
            _give_up(rng.choice([one for one in rules.seats if one not in _out(game)]), game, plies, before)
            continue
        actions = sorted(game.legal_actions(), key=repr)
        rng.shuffle(actions)
        actions.sort(key=lambda one: -_weight(one, game, eager, rng))
        _carry_out(actions[0], game, by_id, plies, before)
    result = None
    if game.result is not None:
        winner = game.result.winner.value if game.result.winner else "draw"
        result = (winner, game.result.reason.value)
    elif rng.random() < 0.5:
        result = rng.choice((("none", "unfinished"), ("draw", EndReason.AGREED.value), ("none", "aborted")))
    mode = rng.choice(("declare", "enrol"))
    return Played(
        number, rules, file, rng.choice(REVEALS), mode, pieces, tuple(before), tuple(plies), result, rng.random() < 0.2
    )


def _out(game: Game) -> set[Seat]:
    return game.castle.out if game.castle else set()


def _weight(action: Action, game: Game, eager: float, rng: random.Random) -> float:
    """Return how much an action is wanted: attacks, special ones and long ways before steps, and sometimes not."""
    if rng.random() > max(0.1, eager):
        return 0
    if isinstance(action, Infiltrate | Fire):
        return 3
    if not isinstance(action, Move):
        return 0
    attack, piece = game.is_attack(action), game.piece_at(action.source)
    if piece is not None and game.possible(piece) == {Rank.INFILTRATOR}:
        return 0 if attack and not action.via else 2 * (action.target not in game.rule_set.zone(game.turn))
    return attack + bool(action.via)


def _give_up(seat: Seat, game: Game, plies: list[Ply], before: list[str]) -> None:
    game.drop_out(seat)
    _decided(f"{seat.value} gives up", seat, plies, before)


def _decided(line: str, answer: Decided | Seat, plies: list[Ply], before: list[str]) -> None:
    if not plies:
        before.append(line)
        return
    last = plies[-1]
    plies[-1] = replace(last, decisions=(*last.decisions, line), answers=(*last.answers, answer))


def _carry_out(action: Action, game: Game, by_id: dict[PieceId, Piece], plies: list[Ply], before: list[str]) -> None:
    if isinstance(action, TakeFlags | MoveSlider | Recruit):
        assert game.castle is not None
        owed = game.castle.owed[0]
        if isinstance(action, TakeFlags):
            flags = ",".join(one.value for one in action.flags) or "nothing"
            line = f"{owed.seat.value} takes {flags} on {action.square.name}"
        elif isinstance(action, MoveSlider):
            line = f"{owed.seat.value} slider {'up' if action.up else 'stay'}"
        elif action.piece is None:
            line = f"{owed.seat.value} recruits nobody"
        else:
            space = game.rule_set.board.homes[owed.seat].recruitment
            line = f"{owed.seat.value} recruits #{action.piece.number} on {space.name if space else ''}"
        game.play(action)
        _decided(line, action, plies, before)
        return
    done = game.play(action)
    piece = by_id[done.piece] if done.piece else None
    plies.append(Ply(action, done.seat, piece, by_id[done.defender] if done.defender else None, done.result))


def known_in(game: Played, view: str) -> set[Piece]:
    """Return whose ranks a view knows in the end."""
    seat = next((one for one in Seat if one.value == view), None)
    known = {piece for piece in game.pieces if view == "referee" or piece.seat is seat}
    for ply in game.plies:
        known |= {piece for piece, to in told(game.rules, ply, game.reveal).items() if to in (None, seat)}
    return known


def text_of(game: Played, view: str) -> str:
    """Return the record of a game as a view of it is written: `referee`, a seat or `public`."""
    seat = next((one for one in Seat if one.value == view), None)
    known = {piece for piece in game.pieces if view == "referee" or piece.seat is seat}
    lines: list[str] = []
    for number, ply in enumerate(game.plies, start=1):
        known |= {piece for piece, to in told(game.rules, ply, game.reveal).items() if to in (None, seat)}
        lines.append(f"{number} {ply.seat.value} {_action(ply, known)}")
        lines += [f"      {decision}" for decision in ply.decisions]
    entries = [f"view = {view}", f"rules = {game.rules.name}", f"mode = {game.mode}", f"reveal = {game.reveal}"]
    parts = ["hallmarshal record 3", "", "[game]", *entries, ""]
    for army in game.rules.seats:
        own = [piece for piece in game.pieces if piece.seat is army]
        parts += [f"[set-up {army.value}]"]
        parts += [f"{piece.home.name} {piece.rank.value if piece in known else '?'}" for piece in own] + [""]
    parts += ["[plies]", *(f"      {decision}" for decision in game.before), *lines, ""]
    if game.corrected and game.plies:
        parts += ["[corrections]", "1 taken-back agreed", ""]
    if game.result is not None:
        parts += ["[result]", f"winner = {game.result[0]}", f"reason = {game.result[1]}", ""]
    return "\n".join(parts)


def _action(ply: Ply, known: set[Piece]) -> str:
    action, verdict = ply.action, ply.verdict.value if ply.verdict else ""
    ranks = " ".join(one.rank.value if one in known else "?" for one in (ply.piece, ply.target) if one is not None)
    if isinstance(action, Pass):
        return "pass"
    if isinstance(action, Infiltrate):
        return f"{action!r} {verdict}"
    if isinstance(action, Fire):
        return f"{action!r} {ranks} {verdict}"
    assert isinstance(action, Move)
    source = "-".join(square.name for square in (action.source, *action.via))
    left = f" leaving {','.join(one.value for one in action.leaving)}" if action.leaving else ""
    if ply.target is None:
        return f"{source}-{action.target.name}{left}"
    return f"{source}x{action.target.name} {ranks} {verdict}{left}"


def positions(games: Sequence[Played]) -> int:
    """Return how many moments of how many observers some games have."""
    return sum((len(game.plies) + 1) * (len(game.rules.seats) + 1) for game in games)
