"""What an ordinary move is, what an attack does, and every reason against what is none (rules, sections 2 and 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from referee.rules import CombatResult, EndReason, Fire, Game, GameResult, Move, Pass, Situation, rule_set
from referee.rules.outcomes import (
    ContradictionError,
    IllegalActionError,
    PositionError,
    Reason,
    ResultNeededError,
    UnknownSquareError,
)
from referee.rules.values import PieceId, Rank, Seat, Square

GameOf = Callable[..., Game]


def move(text: str) -> Move:
    """Return the move of a word like `a4-a5`."""
    source, _, target = text.partition("-")
    return Move(Square(source), Square(target))


def legal(game: Game, source: str) -> list[str]:
    """Return where the piece on a square may go."""
    found = [a.target.name for a in game.legal_actions() if isinstance(a, Move) and a.source.name == source]
    return sorted(found)


def reasons(game: Game, text: str) -> list[Reason]:
    """Return the reasons against a move."""
    return [refusal.reason for refusal in game.refusals(move(text))]


def test_a_piece_steps_one_square_in_four_directions(game_of: GameOf) -> None:
    """No diagonal, no jump, no lake, not onto an own piece; onto an enemy is an attack."""
    game = game_of("r:b5=major r:a5=flag b:b6=miner b:j10=flag")
    assert legal(game, "b5") == ["b4", "b6"]
    assert legal(game, "a5") == []


def test_a_scout_runs_and_attacks_at_the_end(game_of: GameOf) -> None:
    """Any number of empty squares in a line, the first enemy on it, nothing behind it; lakes stop it."""
    game = game_of("r:c4=scout r:e4=flag b:c1=miner b:j10=flag")
    assert legal(game, "c4") == ["a4", "b4", "c1", "c2", "c3", "d4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b4-b6", [Reason.TOO_FAR]),
        ("b4-c5", [Reason.NOT_A_MOVE]),
        ("b4-b4", [Reason.NOT_A_MOVE]),
        ("b4-a4", [Reason.OWN_PIECE]),
        ("e4-e5", [Reason.NO_PIECE]),
        ("e4-e9", [Reason.NO_PIECE, Reason.BLOCKED]),
        ("b9-b8", [Reason.NOT_YOUR_PIECE]),
        ("a4-a5", [Reason.IMMOBILE]),
        ("a4-a7", [Reason.IMMOBILE, Reason.TOO_FAR]),
        ("d4-d1", [Reason.BLOCKED]),
        ("b4-d4", [Reason.OWN_PIECE, Reason.TOO_FAR]),
        ("b4-c6", [Reason.NOT_A_MOVE]),
        ("b4-z5", [Reason.NOT_A_MOVE]),
        ("z5-b4", [Reason.NOT_A_MOVE]),
        ("d4-g4", [Reason.OWN_PIECE]),
    ],
)
def test_every_reason_is_named_at_once(game_of: GameOf, text: str, expected: list[Reason]) -> None:
    """An illegal move carries all its reasons, and playing it changes nothing."""
    game = game_of("r:b4=major r:a4=bomb r:d4=scout r:d2=miner r:g4=flag b:b9=miner b:e8=spy b:j10=flag")
    assert reasons(game, text) == expected
    with pytest.raises(IllegalActionError) as error:
        game.play(move(text))
    assert [refusal.reason for refusal in error.value.refusals] == expected
    assert game.ply == 0
    assert game.turn is Seat.RED


def test_blocked_moves_name_the_squares_in_the_way(game_of: GameOf) -> None:
    """The squares of a refusal are those that show it."""
    game = game_of("r:a1=scout b:a4=miner b:a6=miner r:j1=flag b:j10=flag")
    assert [r.squares for r in game.refusals(move("a1-a9"))] == [(Square("a4"), Square("a6"))]


def test_other_kinds_of_action_are_no_moves_here(game_of: GameOf) -> None:
    """Passing and firing belong to other rule sets; a turn must be a move."""
    game = game_of("r:b4=major r:j1=flag b:j10=flag b:j9=spy")
    for action in (Pass(), Fire(Square("b4"), Square("b7"))):
        assert [refusal.reason for refusal in game.refusals(action)] == [Reason.NOT_A_MOVE]
    turned = Move(Square("b4"), Square("c5"), (Square("b5"),))
    assert [refusal.reason for refusal in game.refusals(turned)] == [Reason.NOT_A_MOVE]
    left = Move(Square("b4"), Square("b5"), (), (Seat.RED,))
    assert [refusal.reason for refusal in game.refusals(left)] == [Reason.NOT_A_MOVE]


@pytest.mark.parametrize(
    ("attacker", "defender", "result", "on_source", "on_target"),
    [
        ("major", "miner", CombatResult.ATTACKER_WINS, None, Seat.RED),
        ("miner", "major", CombatResult.DEFENDER_WINS, None, Seat.BLUE),
        ("miner", "miner", CombatResult.BOTH_LOST, None, None),
        ("major", "bomb", CombatResult.DEFENDER_WINS, None, Seat.BLUE),
        ("miner", "bomb", CombatResult.ATTACKER_WINS, None, Seat.RED),
        ("spy", "marshal", CombatResult.ATTACKER_WINS, None, Seat.RED),
        ("marshal", "spy", CombatResult.ATTACKER_WINS, None, Seat.RED),
    ],
)
def test_what_an_attack_does(
    game_of: GameOf, attacker: str, defender: str, result: CombatResult, on_source: Seat | None, on_target: Seat | None
) -> None:
    """The winner stands on the target if it attacked, stays if it defended; equal ranks both go."""
    game = game_of(f"r:a4={attacker} r:j1=flag r:i1=spy b:a5={defender} b:j10=flag b:i10=spy")
    played = game.play(move("a4-a5"))
    assert played.result is result
    assert (played.seat, played.piece, played.defender) == (Seat.RED, PieceId(Seat.RED, 2), PieceId(Seat.BLUE, 0))
    owners = [game.occupants().get(Square(name)) for name in ("a4", "a5")]
    assert owners == [on_source, on_target]
    lost = {seat: game.captured(seat) for seat in (Seat.RED, Seat.BLUE)}
    assert set(played.captured) == {piece for pieces in lost.values() for piece in pieces}
    assert game.turn is Seat.BLUE
    assert game.ply == 1


def test_a_scout_takes_the_flag_from_afar(game_of: GameOf) -> None:
    """Any piece that moves takes the flag, a scout in one run; the game is over and nothing is legal any more."""
    game = game_of("r:a1=scout r:j1=flag b:a9=flag b:b9=miner")
    played = game.play(move("a1-a9"))
    assert played.result is CombatResult.FLAG_TAKEN
    assert played.captured == (PieceId(Seat.BLUE, 0),)
    assert game.result == GameResult(Seat.RED, EndReason.FLAG)
    assert game.legal_actions() == []
    assert reasons(game, "b9-b8") == [Reason.GAME_OVER]
    assert game.situation().turn is None


def test_pieces_are_tracked_by_number(game_of: GameOf) -> None:
    """Numbers follow the board's square order at the start and stay with the piece."""
    game = game_of("r:b1=flag r:a1=miner r:c2=spy b:j10=flag b:a9=miner")
    assert [game.square_of(PieceId(Seat.RED, n)) for n in range(3)] == [Square("a1"), Square("b1"), Square("c2")]
    game.play(move("c2-c3"))
    assert game.piece_at(Square("c3")) == PieceId(Seat.RED, 2)
    assert game.moved(PieceId(Seat.RED, 2))
    assert not game.moved(PieceId(Seat.RED, 0))
    assert game.pieces(Seat.BLUE) == (PieceId(Seat.BLUE, 0), PieceId(Seat.BLUE, 1))


def test_a_copy_is_independent(game_of: GameOf) -> None:
    """What happens to a copy does not happen to the game."""
    game = game_of("r:a4=major r:j1=flag b:a5=miner b:j10=flag b:i10=spy")
    other = game.copy()
    other.play(move("a4-a5"))
    assert game.piece_at(Square("a5")) == PieceId(Seat.BLUE, 0)
    assert (game.ply, game.turn, other.ply, other.turn) == (0, Seat.RED, 1, Seat.BLUE)
    assert sorted(map(repr, game.legal_actions())) == ["a4-a3", "a4-a5", "a4-b4"]


def test_repr_names_no_rank(game_of: GameOf) -> None:
    """A game's text form can stand in a log."""
    game = game_of("r:a4=major r:j1=flag b:a5=miner b:j10=flag")
    assert repr(game) == "Game(original, ply 0, red to move; red 2, blue 2)"


def test_squares_of_another_board_are_refused(game_of: GameOf) -> None:
    """A square that the board has not is an error of the caller, not an empty square."""
    game = game_of("r:a4=major r:j1=flag b:a5=miner b:j10=flag")
    with pytest.raises(UnknownSquareError, match="no square 'c5'"):
        game.piece_at(Square("c5"))


def test_targets_of_attack(game_of: GameOf) -> None:
    """The squares that a piece may attack now, in no special order."""
    game = game_of("r:a4=scout r:j1=flag b:a9=miner b:j4=flag b:b5=spy")
    assert set(game.attack_targets(Square("a4"))) == {Square("a9"), Square("j4")}
    assert game.attack_targets(Square("j1")) == ()
    assert game.is_attack(move("a4-a9"))
    assert not game.is_attack(move("a4-a8"))


def test_situation_holds_every_basic_move(game_of: GameOf) -> None:
    """Prospects name the squares entered, and barred moves are among them."""
    game = game_of("r:a4=scout r:j1=flag b:a6=miner b:j10=flag b:i10=spy")
    situation = game.situation()
    assert situation.turn is Seat.RED
    assert situation.occupants == game.occupants()
    found = {(p.source.name, p.target.name): p for p in situation.prospects}
    assert found["a4", "a6"].attack
    assert [square.name for square in found["a4", "a6"].path] == ["a5", "a6"]
    assert not found["a4", "d4"].attack
    assert [square.name for square in found["a4", "d4"].path] == ["b4", "c4", "d4"]
    for text in ["a4-a5", "i10-i9", "a5-a4", "i9-i10", "a4-a5", "a6-a7"]:
        game.play(move(text))
    assert reasons(game, "a5-a4") == [Reason.TWO_SQUARES]
    assert ("a5", "a4") in {(p.source.name, p.target.name) for p in game.situation().prospects}


def test_a_situation_says_what_it_would_be_after_a_move(game_of: GameOf) -> None:
    """On games of its own: neither is this one changed, nor does it matter that this one has gone on; several plies deep."""
    game = game_of("r:a4=scout r:j1=flag b:a9=miner b:j10=flag b:i10=spy")
    situation = game.situation()
    assert situation.after is not None
    played = game.copy()
    first = next(p for p in situation.prospects if (p.source.name, p.target.name) == ("a4", "a6"))
    for _ in range(2):
        played.play(move("a4-a6"))
        reached = situation.after(first)
        assert reached == played.situation()
        assert (reached.turn, game.ply) == (Seat.BLUE, 0)
        second = next(p for p in reached.prospects if p.source.name == "i10")
        assert reached.after is not None
        played.play(Move(second.source, second.target))
        assert reached.after(second) == played.situation()
        played, game = game, game.copy()


def test_nothing_is_said_of_the_board_after_an_attack_or_a_refused_move(game_of: GameOf) -> None:
    """Whose outcome is open, or which everybody knows to be none; after the end nothing is played any more."""
    game = game_of("r:a4=scout r:j1=flag b:a6=miner b:j10=flag b:i10=spy")
    for text in ["a4-a5", "i10-i9", "a5-a4", "i9-i10", "a4-a5", "i10-i9"]:
        game.play(move(text))
    situation = game.situation()
    assert situation.after is not None
    found = {(p.source.name, p.target.name): p for p in situation.prospects}
    strange = replace(found["a5", "a4"], target=Square("z9"), path=(Square("z9"),))
    for prospect in (found["a5", "a6"], found["a5", "a4"], strange, replace(found["a5", "a6"], attack=False)):
        assert situation.after(prospect) == Situation(game.occupants(), None)
    game.end(None, EndReason.AGREED)
    over = game.situation()
    assert over.after is not None
    assert over.after(found["a5", "b5"]) == over == Situation(game.occupants(), None)


def test_positions_that_cannot_be_are_refused() -> None:
    """Every fault of a position is named, and no rank."""
    rules = rule_set("original")
    occupants = {Square("c5"): Seat.RED, Square("a1"): Seat.GREEN, Square("b1"): Seat.RED}
    with pytest.raises(PositionError) as error:
        Game(rules, occupants, {Square("b1"): Rank.CANNON, Square("d1"): Rank.SPY})
    assert str(error.value) == (
        "c5 is no square; d1 holds no piece; green does not play; b1 holds a rank that original has not"
    )
    crowd = dict.fromkeys(rules.board.squares[:41], Seat.RED)
    with pytest.raises(PositionError, match="red: these pieces cannot come from one army"):
        Game(rules, crowd)


def test_attack_on_unknown_pieces_needs_its_verdict() -> None:
    """Without the verdict nothing happens; with one that nobody can come to, neither."""
    rules = rule_set("original")
    occupants = {Square("a4"): Seat.RED, Square("j1"): Seat.RED, Square("a5"): Seat.BLUE, Square("j10"): Seat.BLUE}
    game = Game(rules, occupants, {Square("a4"): Rank.MAJOR})
    with pytest.raises(ResultNeededError):
        game.play(move("a4-a5"))
    known = Game(rules, occupants, {Square("a4"): Rank.MAJOR, Square("a5"): Rank.MINER})
    with pytest.raises(ContradictionError):
        known.play(move("a4-a5"), CombatResult.DEFENDER_WINS)
    for untouched in (game, known):
        assert (untouched.ply, untouched.turn) == (0, Seat.RED)
    assert game.play(move("a4-a5"), CombatResult.DEFENDER_WINS).captured == (PieceId(Seat.RED, 1),)


def test_turn_can_be_given() -> None:
    """A position may begin with any seat to move."""
    rules = rule_set("original")
    occupants = {Square("a4"): Seat.RED, Square("a9"): Seat.BLUE}
    game = Game(rules, occupants, {Square("a4"): Rank.SPY, Square("a9"): Rank.SPY}, Seat.BLUE)
    assert game.turn is Seat.BLUE


def test_immobile_moved_can_forfeit(game_of: GameOf) -> None:
    """DE: moving a bomb or the flag loses at once; only where the option says so, and never in the legal list."""
    rules = rule_set("original").with_options({"immobile_moved": "forfeit"})
    game = game_of("r:a4=bomb r:b1=miner r:j1=flag b:a9=miner b:j10=flag", rules)
    assert move("a4-a5") not in game.legal_actions()
    assert reasons(game, "a4-a5") == [Reason.IMMOBILE]
    game.play(move("a4-a5"))
    assert game.result == GameResult(Seat.BLUE, EndReason.FORFEIT)


def unknown_red(words: str, option: str = "forfeit") -> Game:
    """Return a game with pieces of red that nobody knows on these squares, and two of blue."""
    rules = rule_set("original").with_options({"immobile_moved": option})
    occupants = {
        **{Square(word): Seat.RED for word in words.split()},
        Square("a9"): Seat.BLUE,
        Square("j10"): Seat.BLUE,
    }
    return Game(rules, occupants, {Square("a9"): Rank.MINER, Square("j10"): Rank.FLAG})


@pytest.mark.parametrize("ranks", [{Rank.BOMB}, {Rank.FLAG}, {Rank.BOMB, Rank.FLAG}])
def test_a_bomb_that_moved_forfeits_when_its_rank_becomes_known(ranks: set[Rank]) -> None:
    """DE: it moved while nobody knew it, by a step or a run; once it is told the game is lost, without the option it cannot be one."""
    for moves in ("a4-a5", "a4-a8", "a4-a5 a9-a8 a5-a6"):
        for option in ("illegal", "forfeit"):
            game = unknown_red("a4 b1 j1", option)
            for text in moves.split():
                game.play(move(text))
            piece = game.piece_at(move(moves.split()[-1]).target)
            assert piece is not None
            if option == "illegal":
                with pytest.raises(ContradictionError):
                    game.learn(piece, frozenset(ranks))
                assert game.result is None
            else:
                game.learn(piece, frozenset(ranks))
                assert game.result == GameResult(Seat.BLUE, EndReason.FORFEIT)


def test_a_forfeit_that_was_judged_is_forgotten() -> None:
    """From then on its moves say nothing of the piece, and the counts of its army still do; of other pieces nothing is forgotten."""
    game = unknown_red("a4 b1 j1")
    for text in ("a4-a5", "a9-a8", "b1-b2", "a8-a9"):
        game.play(move(text))
    piece, other, flag = (game.piece_at(Square(name)) for name in ("a5", "b2", "j1"))
    assert piece is not None
    assert other is not None
    assert flag is not None
    game.learn(flag, frozenset({Rank.FLAG}))
    game.forget_forfeits({piece: Rank.BOMB, other: Rank.MINER})
    assert game.possible(piece) == frozenset(rule_set("original").army) - {Rank.FLAG}
    assert not game.possible(other) & {Rank.BOMB, Rank.FLAG}
    game.learn(piece, frozenset({Rank.BOMB}))
    assert game.result is None


def test_what_more_than_its_moves_speaks_against_is_no_forfeit() -> None:
    """A rank told before, a won attack, another piece that is the flag: those contradict as ever, and a rank that may move narrows."""
    game = unknown_red("a4 b1 j1")
    game.play(move("a4-a5"))
    piece, other = game.piece_at(Square("a5")), game.piece_at(Square("j1"))
    assert piece is not None
    assert other is not None
    assert game.forfeits_as(piece) == {Rank.BOMB, Rank.FLAG}
    assert game.forfeits_as(other) == frozenset()
    assert game.forfeits_as(other, moving=True) == {Rank.BOMB, Rank.FLAG}
    for ranks in ({Rank.SPY}, {Rank.SPY, Rank.BOMB}):
        told = game.copy()
        told.learn(piece, frozenset(ranks))
        assert told.result is None
        assert (told.possible(piece), told.forfeits_as(piece)) == (frozenset({Rank.SPY}), frozenset())
        with pytest.raises(ContradictionError):
            told.learn(piece, frozenset({Rank.BOMB}))
    game.learn(other, frozenset({Rank.FLAG}))
    assert game.forfeits_as(piece) == {Rank.BOMB}
    with pytest.raises(ContradictionError):
        game.learn(piece, frozenset({Rank.FLAG}))
    fought = unknown_red("a8 b1 j1")
    fought.play(move("a8-a9"), CombatResult.ATTACKER_WINS)
    winner = fought.piece_at(Square("a9"))
    assert winner is not None
    with pytest.raises(ContradictionError):
        fought.learn(winner, frozenset({Rank.BOMB}))
