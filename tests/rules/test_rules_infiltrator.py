"""The infiltrator on enemy ground (booklet 002; rules, section 6)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.rules import CombatResult, EndReason, Game, GameResult, Infiltrate, Move, OptionValue, rule_set
from referee.rules.outcomes import ContradictionError, Mobility, Reason, ResultNeededError
from referee.rules.values import PieceId, Rank, Seat, Square

POSITION = "r:e7=infiltrator r:a1=flag r:a4=major b:e8=bomb b:e9=flag b:f7=spy b:d8=miner b:b9=scout"


@pytest.fixture
def play(game_of: Callable[..., Game]) -> Callable[..., Game]:
    """Return a maker of positions with the infiltrator's options."""

    def make(position: str = POSITION, turn: Seat | None = None, **options: OptionValue) -> Game:
        return game_of(position, rule_set("infiltrator").with_options(options), turn)

    return make


def infiltrate(text: str) -> Infiltrate:
    """Return the infiltration of a word like `e7*e9=flag` or, after a step, `e6-e7*e9=flag`."""
    squares, _, rank = text.partition("=")
    way, _, target = squares.partition("*")
    source, *via = way.split("-")
    return Infiltrate(Square(source), Square(target), Rank(rank), tuple(Square(name) for name in via))


def reasons(game: Game, text: str) -> list[Reason]:
    """Return the reasons against an infiltration, and see that the legal list says the same."""
    action = infiltrate(text)
    found = [refusal.reason for refusal in game.refusals(action)]
    assert (action in game.legal_actions()) == (not found)
    return found


def test_right_guess_removes_and_he_stays(play: Callable[..., Game]) -> None:
    """The named piece goes, the infiltrator stays where he is, and the turn passes."""
    game = play()
    spy = game.piece_at(Square("f7"))
    played = game.play(infiltrate("e7*f7=spy"))
    assert played.result is CombatResult.INFILTRATED
    assert played.captured == (spy,)
    assert (game.turn, game.ply) == (Seat.BLUE, 1)
    assert game.piece_at(Square("e7")) == played.piece
    assert game.piece_at(Square("f7")) is None


def test_wrong_guess_leaves_both(play: Callable[..., Game]) -> None:
    """Both stay; it was a turn."""
    game = play()
    before = game.occupants()
    played = game.play(infiltrate("e7*f7=miner"))
    assert played.result is CombatResult.WRONG_GUESS
    assert played.captured == ()
    assert game.occupants() == before
    assert game.turn is Seat.BLUE


def test_bombs_and_the_flag_can_be_infiltrated(play: Callable[..., Game]) -> None:
    """Over a piece, too; the flag wins the game."""
    game = play()
    assert game.copy().play(infiltrate("e7*e8=bomb")).result is CombatResult.INFILTRATED
    game.play(infiltrate("e7*e9=flag"))
    assert game.result == GameResult(Seat.RED, EndReason.FLAG)


def test_range_is_two_squares_of_a_straight_line(play: Callable[..., Game]) -> None:
    """Not diagonally, not three away, not an empty square, not an own piece."""
    game = play("r:e7=infiltrator r:a1=flag r:d7=major b:d8=miner b:e10=flag b:g7=scout b:b9=scout")
    assert reasons(game, "e7*g7=scout") == []
    for text in ("e7*d8=miner", "e7*e10=flag", "e7*e8=spy", "e7*d7=major"):
        assert reasons(game, text) == [Reason.OUT_OF_RANGE]


def test_only_on_enemy_ground(play: Callable[..., Game]) -> None:
    """The opponent's set-up rows, judged by his own square; for blue they are rows one to four."""
    game = play("r:e6=infiltrator r:a1=flag b:e7=miner b:e8=scout b:j10=flag")
    assert reasons(game, "e6*e7=miner") == [Reason.NOT_ENEMY_GROUND]
    blue = play("b:e4=infiltrator r:a1=flag r:e2=miner b:j10=flag", Seat.BLUE)
    assert reasons(blue, "e4*e2=miner") == []
    own = play("r:e4=infiltrator r:a1=flag b:e3=miner b:j10=flag")
    assert reasons(own, "e4*e3=miner") == [Reason.NOT_ENEMY_GROUND]


def test_only_the_infiltrator_may(play: Callable[..., Game]) -> None:
    """Another rank is refused, so is a rank that the army has not, a piece of the other side, and an empty square."""
    game = play("r:e7=miner r:a1=flag b:e8=bomb b:j10=flag b:j9=spy")
    assert reasons(game, "e7*e8=bomb") == [Reason.NOT_THIS_RANK]
    game = play()
    assert reasons(game, "e7*e8=cannon") == [Reason.NOT_A_MOVE]
    assert reasons(game, "e8*e7=infiltrator") == [Reason.NOT_YOUR_PIECE]
    assert reasons(game, "e6*e7=miner") == [Reason.NO_PIECE]
    assert reasons(game, "e7*c5=miner") == [Reason.NOT_A_MOVE]


def test_line_must_be_clear_is_an_option(play: Callable[..., Game]) -> None:
    """On: no reaching over a piece."""
    game = play(line_must_be_clear=True)
    assert reasons(game, "e7*e9=flag") == [Reason.OUT_OF_RANGE]
    assert reasons(game, "e7*e8=bomb") == []


def test_where_enemy_ground_begins_is_an_option(play: Callable[..., Game]) -> None:
    """Enemy ground begins where the opponent set up, at the middle of the board, or where the own rows end."""
    for ground, rows in (("set-up-rows", "7"), ("enemy-half", "67"), ("lake-rows-too", "567")):
        for row in "567":
            game = play(f"r:e{row}=infiltrator r:a1=flag b:f{row}=miner b:j10=flag", enemy_ground=ground)
            wrong = [] if row in rows else [Reason.NOT_ENEMY_GROUND]
            assert reasons(game, f"e{row}*f{row}=miner") == wrong, (ground, row)
    blue = play("b:e5=infiltrator r:a1=flag r:f5=miner b:j10=flag", Seat.BLUE, enemy_ground="enemy-half")
    assert reasons(blue, "e5*f5=miner") == []


def test_step_and_infiltrate_is_an_option(play: Callable[..., Game]) -> None:
    """On: one step to an empty square first, which crosses its border; off: refused."""
    position = "r:e6=infiltrator r:a1=flag b:e8=miner b:d7=scout b:j10=flag b:i10=spy b:g10=spy"
    assert Reason.NOT_A_MOVE in reasons(play(position), "e6-e7*e8=miner")
    game = play(position, move_then_infiltrate=True)
    assert reasons(game, "e6-e7*e8=miner") == []
    assert Reason.BLOCKED in reasons(play(position.replace("d7", "e7"), move_then_infiltrate=True), "e6-e7*e8=miner")
    game.play(infiltrate("e6-e7*e8=spy"))
    assert game.piece_at(Square("e7")) is not None
    for text in ("i10-i9", "e7-e6", "i9-i10", "e6-e7", "g10-g9"):
        source, _, target = text.partition("-")
        game.play(Move(Square(source), Square(target)))
    assert [r.reason for r in game.refusals(Move(Square("e7"), Square("e6")))] == [Reason.TWO_SQUARES]


@pytest.mark.parametrize(
    ("way", "wanted"),
    [
        ("e6-e7*e8=miner", []),
        ("e6-e7-f7*f8=scout", [(Reason.NOT_A_MOVE, "e6 e7 f7")]),
        ("e6-f7*f8=scout", [(Reason.NOT_A_MOVE, "e6 f7")]),
        ("e6-f6*f8=scout", [(Reason.BLOCKED, "f6")]),
    ],
)
def test_it_is_one_step_to_a_neighbour_that_is_free(
    play: Callable[..., Game], way: str, wanted: list[tuple[Reason, str]]
) -> None:
    """The refusal names the squares that are wrong, which are shown to the player."""
    position = "r:e6=infiltrator r:f6=major r:a1=flag b:e8=miner b:f8=scout b:j10=flag"
    game = play(position, move_then_infiltrate=True, enemy_ground="lake-rows-too")
    refusals = game.refusals(infiltrate(way))
    assert [(each.reason, " ".join(square.name for square in each.squares)) for each in refusals] == wanted


def test_he_loses_to_everything_he_attacks(play: Callable[..., Game]) -> None:
    """His rank is below the spy; another infiltrator goes with him, the flag he takes."""
    game = play()
    assert game.copy().play(Move(Square("e7"), Square("f7"))).result is CombatResult.DEFENDER_WINS
    game = play("r:e7=infiltrator r:a1=flag b:e8=infiltrator b:d7=flag")
    assert game.copy().play(Move(Square("e7"), Square("e8"))).result is CombatResult.BOTH_LOST
    assert game.play(Move(Square("e7"), Square("d7"))).result is CombatResult.FLAG_TAKEN


def unknown(game: Game) -> Game:
    """Return the same position with nothing known."""
    return Game(game.rule_set, game.occupants())


def piece(game: Game, name: str) -> PieceId:
    """Return the piece on a square."""
    found = game.piece_at(Square(name))
    assert found is not None
    return found


def test_infiltrating_shows_who_he_is(play: Callable[..., Game]) -> None:
    """Right or wrong he is known; a right guess tells the rank, a wrong one only that it is not that."""
    game = unknown(play())
    with pytest.raises(ResultNeededError, match="this infiltration needs its verdict told: the piece is not known"):
        game.play(infiltrate("e7*f7=spy"))
    him, other = piece(game, "e7"), piece(game, "f7")
    game.play(infiltrate("e7*f7=spy"), CombatResult.WRONG_GUESS)
    assert game.possible(him) == {Rank.INFILTRATOR}
    assert game.possible(other) == frozenset(game.rule_set.army) - {Rank.SPY}
    game = unknown(play())
    game.play(infiltrate("e7*f7=spy"), CombatResult.INFILTRATED)
    assert game.possible(other) == {Rank.SPY}
    assert game.captured(Seat.BLUE) == (other,)


def test_a_flag_that_is_told_as_taken_was_infiltrated(play: Callable[..., Game]) -> None:
    """Programs that know no such verdict say of it what they say of an attack."""
    game = unknown(play())
    assert game.play(infiltrate("e7*e9=flag"), CombatResult.FLAG_TAKEN).result is CombatResult.INFILTRATED
    assert game.result == GameResult(Seat.RED, EndReason.FLAG)


def test_a_false_verdict_changes_nothing(play: Callable[..., Game]) -> None:
    """What contradicts the ranks is refused whole."""
    game = play()
    with pytest.raises(ContradictionError):
        game.play(infiltrate("e7*f7=spy"), CombatResult.WRONG_GUESS)
    with pytest.raises(ContradictionError):
        game.play(infiltrate("e7*f7=miner"), CombatResult.INFILTRATED)
    assert (game.ply, game.turn, game.moved(piece(game, "e7"))) == (0, Seat.RED, False)


def test_an_infiltration_keeps_a_shut_in_player_alive(play: Callable[..., Game]) -> None:
    """It is a legal action: without any move, but with somebody to infiltrate, the game goes on."""
    position = "r:e10=infiltrator r:d10=bomb r:f10=bomb r:e9=bomb r:a1=flag b:e8=spy b:j10=flag b:j9=spy"
    game = play(position)
    assert game.result is None
    assert {type(action).__name__ for action in game.legal_actions()} == {"Infiltrate"}
    assert game.mobile(Seat.RED) is Mobility.YES
    assert play(position.replace("e8=spy", "a8=spy")).result == GameResult(Seat.BLUE, EndReason.IMMOBILE)


def test_he_steps_and_attacks_in_the_ordinary_way(play: Callable[..., Game]) -> None:
    """002: nobody may move and attack in one turn "behalve de verkenners en de infiltrant"; with the option, after one step."""
    position = "r:a7=infiltrator r:a1=flag r:j1=spy b:b8=infiltrator b:a9=flag b:b7=scout b:j10=spy"
    way = Move(Square("a7"), Square("b8"), (Square("a8"),))
    assert [found.reason for found in play(position).refusals(way)] == [Reason.NOT_A_MOVE]
    game = play(position, move_then_infiltrate=True)
    assert game.refusals(way) == ()
    assert way in game.legal_actions()
    assert Square("b8") in game.attack_targets(Square("a7"))
    found = [p for p in game.situation().prospects if (p.source, p.target) == (way.source, way.target)]
    assert [(p.attack, p.path, p.path_told) for p in found] == [(True, (*way.via, way.target), way.via)]
    taken = game.copy()
    taken.play(Move(Square("a7"), Square("a9"), (Square("a8"),)))
    assert taken.result == GameResult(Seat.RED, EndReason.FLAG)
    played = game.play(way)
    assert (played.result, game.turn, game.ply) == (CombatResult.BOTH_LOST, Seat.BLUE, 1)
    assert game.piece_at(Square("a7")) is game.piece_at(Square("b8")) is None


def test_only_an_infiltrator_steps_over_an_empty_square_and_attacks(play: Callable[..., Game]) -> None:
    """The reasons against the others; what is not known may be one, and is one once it has done it."""
    position = "r:a7=infiltrator r:e6=scout r:a1=flag r:b6=spy b:b7=scout b:b8=miner b:c8=spy b:j10=flag"
    game = play(position, move_then_infiltrate=True)
    for text, reason in (
        ("a7-b7-b8", Reason.BLOCKED),
        ("e6-f6-f7", Reason.NOT_THIS_RANK),
        ("b7-c7-d7", Reason.NOT_YOUR_PIECE),
        ("a7-a6-a5", Reason.NOT_A_MOVE),
        ("a5-a6-b6", Reason.NO_PIECE),
    ):
        source, via, target = map(Square, text.split("-"))
        assert [found.reason for found in game.refusals(Move(source, target, (via,)))] == [reason], text
    unknown = Game(game.rule_set, game.occupants())
    piece, way = unknown.piece_at(Square("a7")), Move(Square("a7"), Square("b8"), (Square("a8"),))
    assert piece is not None
    assert unknown.possible_for(piece, way) == {Rank.INFILTRATOR}
    with pytest.raises(ResultNeededError):
        unknown.play(way)
    unknown.play(way, CombatResult.DEFENDER_WINS)
    assert unknown.possible(piece) == {Rank.INFILTRATOR}


def test_a_barred_step_leads_to_no_attack(play: Callable[..., Game]) -> None:
    """The step crosses its border like any other."""
    game = play("r:a6=infiltrator r:a1=flag b:b6=scout b:j9=spy b:j10=flag", move_then_infiltrate=True)
    for text in ("a6-a7", "j9-i9", "a7-a6", "i9-j9", "a6-a7", "j9-i9"):
        source, _, target = text.partition("-")
        game.play(Move(Square(source), Square(target)))
    barred, other = (Move(Square("a7"), Square("b6"), (Square(step),)) for step in ("a6", "b7"))
    assert [found.reason for found in game.refusals(barred)] == [Reason.TWO_SQUARES]
    assert game.refusals(other) == ()
    assert other in game.legal_actions()
    assert barred not in game.legal_actions()
    assert game.barred() == ((Square("a7"), Square("a6")),), "moves without a turn, and no others"
