"""Recorded games in which the chase rule bars the last action and nothing bars any earlier one."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.rules import Game, Move, RuleSet, rule_set
from referee.rules.outcomes import Reason
from referee.rules.values import Rank, Seat, Square

CORPUS = Path(__file__).parents[2].parent / "shared" / "data" / "chase"
RED_LETTERS = "bcdefghijklm"
RANKS = (
    Rank.BOMB,
    Rank.SPY,
    Rank.SCOUT,
    Rank.MINER,
    Rank.SERGEANT,
    Rank.LIEUTENANT,
    Rank.CAPTAIN,
    Rank.MAJOR,
    Rank.COLONEL,
    Rank.GENERAL,
    Rank.MARSHAL,
    Rank.FLAG,
)
OWN_GAMES = {
    # Red's marshal b4 follows blue's general round the square b5, a5, a4, b4: the third time round is barred.
    "round-a-square": (
        ["a4=marshal", "j1=flag"],
        ["b5=general", "j10=flag", "i10=miner"],
        "a4-a5 b5-b4 a5-b5 b4-a4 b5-b4 a4-a5 b4-a4 a5-b5 a4-a5",
    ),
}


def square(index: int) -> Square:
    """Return the square of a corpus index, counted row by row from red's left corner."""
    return Square(f"{'abcdefghij'[index % 10]}{index // 10 + 1}")


def read_position(letters: str) -> tuple[dict[Square, Seat], dict[Square, Rank]]:
    """Return occupants and ranks of a line of 100 letters (rules, section 8)."""
    occupants, ranks = {}, {}
    for index, letter in enumerate(letters.strip().lower()):
        number = ord(letter) - ord("b")
        if 0 <= number < 24:
            occupants[square(index)] = Seat.RED if number < 12 else Seat.BLUE
            ranks[square(index)] = RANKS[number % 12]
    return occupants, ranks


def read_action(number: int, turn: Seat) -> Move:
    """Return the move that an action number of the corpus stands for."""
    source, way = number % 100, number // 100
    row, column = divmod(source, 10)
    if way < 9:
        row = way + (way >= row)
    else:
        column = way % 9 + (way % 9 >= column)
    target = 10 * row + column
    if turn is Seat.BLUE:
        source, target = 99 - source, 99 - target
    return Move(square(source), square(target))


def game_of(path: Path, known: bool) -> tuple[Game, list[int]]:
    """Return a corpus game at its start and its action numbers."""
    letters, *numbers = path.read_text(encoding="ascii").split()
    occupants, ranks = read_position(letters)
    rules = rule_set("original" if path.name.startswith("original") else "barrage")
    return Game(rules, occupants, ranks if known else None), [int(number) for number in numbers]


def own_game(name: str, rules: RuleSet) -> tuple[Game, list[Move]]:
    """Return one of our own games at its start, and its moves."""
    red, blue, moves = OWN_GAMES[name]
    ranks = {Square(word.split("=")[0]): Rank(word.split("=")[1]) for word in [*red, *blue]}
    occupants = {
        Square(word.split("=")[0]): seat for seat, words in ((Seat.RED, red), (Seat.BLUE, blue)) for word in words
    }
    squares = [word.split("-") for word in moves.split()]
    return Game(rules, occupants, ranks), [Move(Square(one), Square(other)) for one, other in squares]


def check(game: Game, moves: list[Move]) -> None:
    """Play all moves but the last, each of which must be legal; the last is refused for the chase and nothing else."""
    for move in moves[:-1]:
        assert game.refusals(move) == ()
        game.play(move)
        assert game.result is None
    before = repr(game)
    assert [refusal.reason for refusal in game.refusals(moves[-1])] == [Reason.CHASE]
    assert moves[-1] not in game.legal_actions()
    assert repr(game) == before


@pytest.mark.parametrize("name", OWN_GAMES)
def test_own_chase_is_barred_at_its_last_move(name: str) -> None:
    """Our own recorded chases end with the first barred move, with and without the corpus at hand."""
    check(*own_game(name, rule_set("original")))


def test_corpus_is_judged_move_for_move() -> None:
    """In every game of the corpus the last action is the first that is refused, and for the chase."""
    paths = sorted(CORPUS.glob("*.txt"))
    for path in paths:
        game, numbers = game_of(path, known=True)
        check_numbers(game, numbers)
    assert len(paths) in (0, 110)


@pytest.mark.parametrize("pattern", ["barrage-*.txt", "original-game1*.txt"])
def test_corpus_is_judged_alike_without_ranks(pattern: str) -> None:
    """A referee that hears verdicts and captured ranks only bars the same last action, and nothing before it."""
    for path in sorted(CORPUS.glob(pattern)):
        known, numbers = game_of(path, known=True)
        public, _ = game_of(path, known=False)
        turns = [Seat.RED, Seat.BLUE]
        moves = [read_action(number, turns[ply % 2]) for ply, number in enumerate(numbers)]
        for move in moves[:-1]:
            assert public.refusals(move) == ()
            played = known.play(move)
            shown = {piece: next(iter(known.possible(piece))) for piece in played.captured}
            public.play(move, played.result, shown)
            assert public.result is None
        assert [refusal.reason for refusal in public.refusals(moves[-1])] == [Reason.CHASE]


def check_numbers(game: Game, numbers: list[int]) -> None:
    """Check a game of action numbers; an attack's verdict follows from the ranks."""
    turns = [Seat.RED, Seat.BLUE]
    check(game, [read_action(number, turns[ply % 2]) for ply, number in enumerate(numbers)])
