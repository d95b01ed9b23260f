"""Stratego 4 with lakes that players draw into a board of their own: nobody moves into or over them, a cannon fires across."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.rules import Fire, Game, RuleSet, load_rule_set
from referee.rules.outcomes import Reason, RuleFileError
from referee.rules.values import Rank, Seat
from tests.rules.castle_table import Drawing, move, reasons, sq
from tests.rules.house_examples import write_examples

LAKES = {"castle-four": "f4:h4 d6 d8", "castle-three": "rd4 bd4 gd4"}


def with_lakes(folder: Path, base: str, lakes: str, rules: str = "stratego4") -> RuleSet:
    """Return a house rule set on a shipped board with lakes, read from two files."""
    board = f'base = "{base}"\nname = "ours"\nlakes = "{lakes}"\nsource = "our box, unverified"\n'
    (folder / "ours.toml").write_text(board, encoding="utf-8")
    house = folder / "house.toml"
    house.write_text(f'base = "{rules}"\nname = "our-four"\nboard = "ours.toml"\n', encoding="utf-8")
    return load_rule_set(house)


@pytest.fixture(scope="module")
def four_with_lakes(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    """Return Stratego 4 on the board for four with lakes on f4 to h4, d6 and d8."""
    return with_lakes(tmp_path_factory.mktemp("lakes"), "castle-four", LAKES["castle-four"])


@pytest.fixture
def lakes(four_with_lakes: RuleSet, game_of: Callable[..., Game]) -> Callable[..., Game]:
    """Return a maker of positions there."""
    rules = four_with_lakes
    far = "b:a10=sergeant g:j13=sergeant y:m4=sergeant"

    def make(text: str) -> Game:
        return game_of(f"{text} {far}", rules)

    return make


def test_a_board_with_lakes_is_as_verified_as_its_file_says(tmp_path: Path) -> None:
    """Nobody checked the lakes of this box; a file that says otherwise is believed."""
    rules = with_lakes(tmp_path, "castle-four", LAKES["castle-four"])
    assert (rules.board.verified, rules.board.source) == (False, "our box, unverified")
    board = tmp_path / "ours.toml"
    board.write_text(board.read_text().replace("unverified", "seen") + "verified = true\n")
    assert load_rule_set(tmp_path / "house.toml").board.verified is True


def test_nobody_moves_into_or_over_a_lake(lakes: Callable[..., Game]) -> None:
    """Booklet 004: no step, no run, no captain's second step; round the lake they go."""
    game = lakes("r:g3=captain r:d3=scout r:e4=major")
    for text in ("g3-g4", "g3-g5", "d3-d7", "e4-f4"):
        assert reasons(game, move(text)) == [Reason.NOT_A_MOVE], text
    for text in ("g3-e3", "d3-d5", "e4-e5"):
        assert reasons(game, move(text)) == [], text
    game = lakes("r:d7=scout")
    assert reasons(game, move("d7-j7")) == [Reason.NOT_A_MOVE]
    assert reasons(game, move("d7-a7")) == []


@pytest.mark.parametrize(
    ("pieces", "shot", "refused"),
    [
        ("r:g2=cannon b:g5=spy", "g2-g5", []),
        ("r:g3=cannon b:ring=spy", "g3-ring", []),
        ("r:c8=cannon b:ring=spy", "c8-ring", []),
        ("r:g3=cannon b:ring=spy b:g5=spy", "g3-ring", [Reason.OUT_OF_RANGE]),
        ("r:g3=cannon b:g5=spy", "g3-g5", [Reason.OUT_OF_RANGE]),
    ],
)
def test_a_cannon_fires_over_a_lake(pieces: str, shot: str, refused: list[Reason], lakes: Callable[..., Game]) -> None:
    """Booklet 004: fire is allowed over lakes, at a piece exactly three away; a piece between stops it as anywhere."""
    source, _, target = shot.partition("-")
    assert reasons(lakes(pieces), Fire(sq(source), sq(target))) == refused


@pytest.mark.parametrize("seed", range(3))
def test_moves_agree_with_the_drawing(
    seed: int, tmp_path: Path, set_ups: Callable[..., Any], start: Callable[..., Game]
) -> None:
    """Basic moves of random games on a board with lakes equal those found cell by cell."""
    rng = random.Random(seed)
    rules = with_lakes(tmp_path, "castle-four", LAKES["castle-four"])
    game = start(rules, set_ups(rules, rng))
    assert game.castle is not None
    for number in range(300):
        if game.result is not None:
            break
        if number % 6 == 0 and not game.castle.owed:
            assert {(p.source, *p.path) for p in game.situation().prospects} == Drawing(game).all_paths()
        game.play(rng.choice(game.legal_actions()))


def test_the_board_for_three_takes_lakes_too(tmp_path: Path) -> None:
    """A square of each sector becomes a lake: no neighbour, in no line, fired over."""
    rules = with_lakes(tmp_path, "castle-three", LAKES["castle-three"], "stratego4-three")
    board = rules.board
    assert len(board.squares) == 92
    assert not [s for s in board.squares for ray in board.lines(s) if {sq("rd3"), sq("rd5")} <= {s, *ray}]
    assert {shot.target.name: [s.name for s in shot.between] for shot in board.shots(sq("rd3"))}["ring"] == ["rd5"]
    assert board.homes[Seat.RED].recruitment == sq("rd2")


@pytest.mark.parametrize(
    ("lakes", "fault"),
    [
        ("g2", "lakes: g2 is of the castle or of a set-up zone"),
        ("ring", "lakes: ring is of the castle or of a set-up zone"),
        ("a1", "lakes: unknown square in 'a1'"),
        ("f4:ring", "lakes: 'f4:ring' is no rectangle of a grid"),
    ],
)
def test_impossible_lakes_are_refused(lakes: str, fault: str, tmp_path: Path) -> None:
    """Where a set-up stands, on the castle, off the board."""
    with pytest.raises(RuleFileError) as error:
        with_lakes(tmp_path, "castle-four", lakes)
    assert fault in str(error.value)


def test_a_board_file_that_is_not_there_is_one_clear_fault(tmp_path: Path) -> None:
    """Of the board named, and of the board that it begins from."""
    house = tmp_path / "house.toml"
    house.write_text('base = "stratego4"\nname = "our-four"\nboard = "ours.toml"\n', encoding="utf-8")
    with pytest.raises(RuleFileError, match=r"board: ours\.toml: file: No such file"):
        load_rule_set(house)
    (tmp_path / "ours.toml").write_text(
        'base = "9x9"\nname = "ours"\nlakes = "a1"\nverified = true\n', encoding="utf-8"
    )
    with pytest.raises(RuleFileError, match="base: no board '9x9'"):
        load_rule_set(house)


def test_the_boards_of_the_documents_can_be_played(
    tmp_path: Path, set_ups: Callable[..., Any], start: Callable[..., Game]
) -> None:
    """Lakes drawn into a shipped board, and a whole board with an army: read, unverified, each army of 20, playable."""
    write_examples(tmp_path)
    for name, squares, lakes in (("our-stratego4", 118, 8), ("wide-stratego4", 146, 12)):
        rules = load_rule_set(tmp_path / f"{name}.toml")
        assert (len(rules.board.squares), len(rules.board.lakes), sum(rules.army.values())) == (squares, lakes, 20)
        assert not rules.verified
        assert len(rules.board.neighbours(sq("ring"))) == 13
        rng = random.Random(name)
        game = start(rules, set_ups(rules, rng))
        for _ in range(100):
            game.play(rng.choice(game.legal_actions()))
    assert rules.number(Rank.MARSHAL) == 9
    assert rules.board.is_sensed_by([square.name for square in rules.board.squares])
