"""The brute force by positions worked out by hand, and a few games by it; `python -m tests.knowledge_brute` plays thousands."""

from __future__ import annotations

import ast
from fractions import Fraction
from pathlib import Path

import pytest

from referee.rules import CombatResult, Infiltrate, Move, Rank, RuleSet, Seat, Square, load_rule_set
from tests.amount import tries
from tests.knowledge_brute.compare import by_command, by_sets, differences
from tests.knowledge_brute.games import BOARDS, play
from tests.knowledge_brute.truth import Observer, Piece, Ply, armies, told

HERE = Path(__file__).parent
RED, BLUE = Seat.RED, Seat.BLUE
SMALL = """base = "infiltrator"
name = "small"
board = "field.toml"
filled = false
source = "by hand"
army = { marshal = 1, scout = 2, infiltrator = 1, bomb = 1, flag = 1 }
"""
SAMPLE = (22, 8, 31, 11, 23, 43, 30, 15)
"""Small games of two, three and four seats, with infiltrations, a shot, and every way to reveal."""
ARMY = ("flag", "bomb", "scout", "scout", "infiltrator", "marshal")


def test_the_truth_is_computed_from_the_rules_alone() -> None:
    """Where games are drawn and counted nothing of the program is imported but its rules, without what they say of hidden ranks."""
    for module in ("truth", "games", "story"):
        for node in ast.walk(ast.parse((HERE / f"{module}.py").read_text(encoding="utf-8"))):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                rules = name in ("referee.rules", "referee.rules.ruleset")
                mine = name == "tests.knowledge_brute.truth"
                assert rules or mine or name.split(".")[0] not in ("referee", "tests"), f"{module} imports {name}"


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    """Return a rule set of six pieces a seat, an infiltrator among them."""
    folder = tmp_path_factory.mktemp("rules")
    for name, text in {**BOARDS, "small.toml": SMALL}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return load_rule_set(folder / "small.toml")


def army(seat: Seat) -> list[Piece]:
    """Return a seat's six pieces, from the left: red's on a1 to d1, a2, b2, blue's opposite."""
    homes = ("a1", "b1", "c1", "d1", "a2", "b2") if seat is RED else ("a5", "b5", "c5", "d5", "a4", "b4")
    return [Piece(seat, Square(home), Rank(rank)) for home, rank in zip(homes, ARMY, strict=True)]


def test_what_follows_from_each_thing_seen(rules: RuleSet) -> None:
    """An army of six, 6!/2! = 360 ways: a step, a run, a wrong guess, a lost attack, a piece that is taken."""
    pieces = [*army(RED), *army(BLUE)]
    mine, its = ({piece.home.name: piece for piece in pieces if piece.seat is seat} for seat in (RED, BLUE))
    seen = Observer(rules, pieces, RED)
    assert seen.known()[BLUE].ways == 360
    seen.see(Ply(Move(Square("a4"), Square("a3")), BLUE, its["a4"]), "book")
    assert seen.known()[BLUE].ways == 360 - 2 * 60  # neither bomb nor flag
    assert seen.known()[BLUE].chances[Square("a4")][Rank.SCOUT] == Fraction(1, 2)  # 120, against 60 each
    seen.see(
        Ply(Infiltrate(Square("a3"), Square("a2"), Rank.BOMB), BLUE, its["a4"], mine["a2"], CombatResult.WRONG_GUESS),
        "result-only",
    )
    assert seen.known()[BLUE].ways == 60  # he is known
    seen.see(
        Ply(Infiltrate(Square("a2"), Square("a5"), Rank.BOMB), RED, mine["a2"], its["a5"], CombatResult.WRONG_GUESS),
        "book",
    )
    assert seen.known()[BLUE].ways == 60 - 12
    seen.see(Ply(Move(Square("c5"), Square("c2")), BLUE, its["c5"]), "book")
    known = seen.known()[BLUE]
    assert known.ways == 4 * 3 * 2 - 3 * 2  # flag, bomb, scout, marshal on four squares, no bomb on a5
    assert known.chances[Square("a5")] == dict.fromkeys((Rank.FLAG, Rank.SCOUT, Rank.MARSHAL), Fraction(1, 3))
    took = Ply(Move(Square("d1"), Square("d5")), RED, mine["d1"], its["d5"], CombatResult.DEFENDER_WINS)
    seen.see(took, "result-only")
    known = seen.known()[BLUE]  # bomb or marshal beat a scout: 6 ways with the bomb on d5, with the marshal there 4
    assert known.ways == 10
    assert known.chances[Square("d5")] == {Rank.BOMB: Fraction(3, 5), Rank.MARSHAL: Fraction(2, 5)}


@pytest.mark.parametrize(
    ("verdict", "reveal", "heard"),
    [
        (CombatResult.ATTACKER_WINS, "book", {"red": BLUE, "blue": None}),
        (CombatResult.ATTACKER_WINS, "attacker-only", {"red": BLUE, "blue": None}),
        (CombatResult.ATTACKER_WINS, "result-only", {"blue": None}),
        (CombatResult.DEFENDER_WINS, "book", {"red": None, "blue": RED}),
        (CombatResult.DEFENDER_WINS, "attacker-only", {"red": None}),
        (CombatResult.BOTH_LOST, "result-only", {"red": None, "blue": None}),
    ],
)
def test_who_is_told(rules: RuleSet, verdict: CombatResult, reveal: str, heard: dict[str, Seat | None]) -> None:
    """Captured pieces are told to everybody (None), survivors by `reveal` to their rival."""
    ply = Ply(Move(Square("d1"), Square("d5")), RED, army(RED)[3], army(BLUE)[3], verdict)
    assert {piece.seat.value: to for piece, to in told(rules, ply, reveal).items()} == heard


def test_an_army_is_ordered_in_every_way_once() -> None:
    """Three pieces of which two are alike stand in three ways."""
    assert sorted(armies({Rank.SCOUT: 2, Rank.BOMB: 1}), key=repr) == [
        (Rank.BOMB, Rank.SCOUT, Rank.SCOUT),
        (Rank.SCOUT, Rank.BOMB, Rank.SCOUT),
        (Rank.SCOUT, Rank.SCOUT, Rank.BOMB),
    ]


@pytest.mark.parametrize("number", SAMPLE[: tries(len(SAMPLE))])
def test_the_analysis_is_what_the_brute_force_finds(tmp_path: Path, number: int) -> None:
    """Of a few small games: two, three and four seats, every way to reveal."""
    game = play(number, tmp_path)
    assert differences(game, ["referee", "public"], by_command, tmp_path) == []


def test_assignments_are_those_that_the_brute_force_finds() -> None:
    """Of small armies whose pieces have any sets of ranks, some of which leave no army at all."""
    assert [what for what in map(by_sets, range(tries(60))) if what] == []
