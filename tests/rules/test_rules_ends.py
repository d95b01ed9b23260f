"""How a game ends (rules, section 5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.rules import EndReason, Game, GameResult, Move, rule_set
from referee.rules.outcomes import IllegalActionError, Mobility
from referee.rules.values import Rank, Seat, Square

GameOf = Callable[..., Game]


OWN_TURN = rule_set("original").with_options({"army_lost": "own-turn"})


def move(text: str) -> Move:
    """Return the move of a word like `a4-a5`."""
    source, _, target = text.partition("-")
    return Move(Square(source), Square(target))


def test_who_cannot_move_loses(game_of: GameOf) -> None:
    """Only bombs and the flag are left to blue, red can still move."""
    game = game_of("r:a4=major r:j1=flag b:a5=miner b:j10=flag b:i10=bomb")
    game.play(move("a4-a5"))
    assert game.result == GameResult(Seat.RED, EndReason.IMMOBILE)


def test_shut_in_pieces_cannot_move_either(game_of: GameOf) -> None:
    """Bombs block the way of the last piece that could move."""
    game = game_of("r:a4=major r:j1=flag b:a5=miner b:j10=spy b:i10=bomb b:j9=bomb b:a10=flag")
    game.play(move("a4-a5"))
    assert game.result == GameResult(Seat.RED, EndReason.IMMOBILE)


def test_mutual_exhaustion_is_a_draw(game_of: GameOf) -> None:
    """Neither side has a basic move after the last two pieces took each other (ISF)."""
    text = "r:a4=miner r:j1=flag b:a5=miner b:j10=flag b:i10=bomb"
    game = game_of(text)
    game.play(move("a4-a5"))
    assert game.result == GameResult(None, EndReason.BOTH_IMMOBILE)
    game = game_of(text, rule_set("original").with_options({"nobody_can_move": "last-mover-wins"}))
    game.play(move("a4-a5"))
    assert game.result == GameResult(Seat.RED, EndReason.IMMOBILE)


def test_an_army_of_bombs_and_flag_has_lost_at_once(game_of: GameOf) -> None:
    """Red attacks with the last piece that can move and loses it: blue has won, though blue is to move (booklets)."""
    game = game_of("r:a4=miner r:j1=flag b:a5=major b:j10=flag")
    game.play(move("a4-a5"))
    assert (game.result, game.turn) == (GameResult(Seat.BLUE, EndReason.IMMOBILE), Seat.BLUE)
    assert game.legal_actions() == []


def test_nobody_has_to_run_into_a_bomb_that_has_won(game_of: GameOf) -> None:
    """Red's last piece is lost to a bomb; judged at one's own turn, blue's only move would run into one: nobody could move."""
    text = "r:a4=major r:j1=flag r:a9=bomb b:a5=bomb b:j10=flag b:b10=bomb b:a10=major"
    game = game_of(text)
    game.play(move("a4-a5"))
    assert game.result == GameResult(Seat.BLUE, EndReason.IMMOBILE)
    game = game_of(text, OWN_TURN)
    game.play(move("a4-a5"))
    assert game.result is None
    game.play(move("a10-a9"))
    assert game.result == GameResult(None, EndReason.BOTH_IMMOBILE)


def test_judged_at_ones_own_turn_the_winner_plays_on(game_of: GameOf) -> None:
    """The option: red's last piece dies, blue can go on, so red loses a ply later (federations)."""
    game = game_of("r:a4=miner r:j1=flag b:a5=major b:j10=flag", OWN_TURN)
    game.play(move("a4-a5"))
    assert game.result is None
    game.play(move("a5-a4"))
    assert game.result == GameResult(Seat.BLUE, EndReason.IMMOBILE)


def test_a_shut_in_army_loses_at_its_own_turn_only(game_of: GameOf) -> None:
    """Red's spy stands behind bombs, which blue's miner could still open: no loss before red is to move."""
    game = game_of("r:a4=miner r:a1=spy r:a2=bomb r:b1=bomb r:j1=flag b:a5=major b:c9=miner b:j10=flag")
    game.play(move("a4-a5"))
    assert game.result is None
    game.play(move("c9-c8"))
    assert game.result == GameResult(Seat.BLUE, EndReason.IMMOBILE)


def test_who_is_shut_in_has_won_against_bombs_and_flag(game_of: GameOf) -> None:
    """Blue's spy cannot move either, but all of red's moving pieces are beaten: blue has won, as booklet 002 says."""
    text = "r:a4=spy r:j1=flag b:a5=bomb b:a10=spy b:a9=bomb b:b10=bomb b:j10=flag"
    for rules, result in (
        (None, GameResult(Seat.BLUE, EndReason.IMMOBILE)),
        (OWN_TURN, GameResult(None, EndReason.BOTH_IMMOBILE)),
    ):
        game = game_of(text, rules)
        game.play(move("a4-a5"))
        assert game.result == result


def test_an_army_is_lost_when_its_last_unknown_pieces_turn_out_to_be_bombs() -> None:
    """Nothing ends while a piece may move, nor while the winner may have none that does; then it ends whoever is to move."""
    occupants = dict.fromkeys(map(Square, ("a1", "j1")), Seat.RED) | dict.fromkeys(map(Square, ("a9", "b9")), Seat.BLUE)
    game = Game(rule_set("original"), occupants, {Square("j1"): Rank.FLAG, Square("a9"): Rank.FLAG})
    a1, b9 = game.piece_at(Square("a1")), game.piece_at(Square("b9"))
    assert a1 is not None
    assert b9 is not None
    game.learn(b9, frozenset({Rank.BOMB}))
    assert game.result is None
    game.learn(a1, frozenset({Rank.BOMB, Rank.SPY}))
    assert game.result is None
    for ranks, result in (
        ({Rank.SPY}, GameResult(Seat.RED, EndReason.IMMOBILE)),
        ({Rank.BOMB}, GameResult(None, EndReason.BOTH_IMMOBILE)),
    ):
        other = game.copy()
        other.learn(a1, frozenset(ranks))
        assert (other.result, other.turn) == (result, Seat.RED)


def test_a_position_can_be_over_from_the_start(game_of: GameOf) -> None:
    """The end is looked for when a game is made, too."""
    assert game_of("r:a4=bomb r:j1=flag b:j10=flag").result == GameResult(None, EndReason.BOTH_IMMOBILE)
    assert game_of("r:a4=bomb r:j1=flag b:j10=flag b:a9=spy").result == GameResult(Seat.BLUE, EndReason.IMMOBILE)


def test_players_can_end_a_game(game_of: GameOf) -> None:
    """Resignation, agreement and clocks are told; once over a game stays over."""
    game = game_of("r:a4=miner r:j1=flag b:a7=major b:j10=flag")
    other, third = game.copy(), game.copy()
    third.end(Seat.BLUE, EndReason.CLOCK)
    assert third.result == GameResult(Seat.BLUE, EndReason.CLOCK)
    game.end(None, EndReason.AGREED)
    assert game.result == GameResult(None, EndReason.AGREED)
    with pytest.raises(IllegalActionError):
        game.end(Seat.RED, EndReason.CLOCK)
    other.drop_out(Seat.RED)
    assert other.result == GameResult(Seat.BLUE, EndReason.RESIGN)


def test_no_progress_is_an_option(game_of: GameOf) -> None:
    """A hundred plies without a loss draw the game where the option says so; a loss begins the count anew."""
    rules = rule_set("original").with_options({"no_progress_limit": 100})
    game = game_of("r:a2=miner r:a3=spy r:j1=flag b:a8=miner b:a7=spy b:b7=bomb b:j10=flag", rules)
    walk = ["a2-b2 a8-b8 b2-c2 b8-c8 c2-d2 c8-d8 d2-c2 d8-c8 c2-b2 c8-b8 b2-a2 b8-a8"]
    while game.result is None:
        for text in walk[0].split():
            if game.result is None:
                game.play(move(text))
    assert game.result == GameResult(None, EndReason.NO_PROGRESS)
    assert game.ply == 100


def test_nothing_ends_by_what_is_not_known() -> None:
    """Unknown pieces that might move keep a game going; once it is told that they are bombs it is over."""
    rules = rule_set("original")
    occupants = {Square("a4"): Seat.RED, Square("j1"): Seat.RED, Square("a9"): Seat.BLUE, Square("j10"): Seat.BLUE}
    game = Game(rules, occupants, {Square("a4"): Rank.MAJOR, Square("j1"): Rank.FLAG})
    assert game.mobile(Seat.RED) is Mobility.YES
    assert game.mobile(Seat.BLUE) is Mobility.UNKNOWN
    game.play(move("a4-a5"))
    assert game.result is None
    a9, j10 = game.piece_at(Square("a9")), game.piece_at(Square("j10"))
    assert a9 is not None
    assert j10 is not None
    game.learn(a9, frozenset({Rank.BOMB}))
    assert game.result is None
    game.learn(j10, frozenset({Rank.FLAG, Rank.BOMB}))
    assert game.result == GameResult(Seat.RED, EndReason.IMMOBILE)
    assert game.mobile(Seat.BLUE) is Mobility.NO


def test_an_undecided_end_stays_open() -> None:
    """Red surely cannot move, blue perhaps can: a win or a draw, so nothing is said, and nothing is legal."""
    rules = rule_set("original")
    occupants = {Square("j1"): Seat.RED, Square("a9"): Seat.BLUE}
    game = Game(rules, occupants, {Square("j1"): Rank.FLAG})
    assert game.result is None
    assert game.legal_actions() == []
    assert game.mobile(Seat.RED) is Mobility.NO
    piece = game.piece_at(Square("a9"))
    assert piece is not None
    for ranks, result in (
        ({Rank.FLAG, Rank.BOMB}, GameResult(None, EndReason.BOTH_IMMOBILE)),
        ({Rank.SPY, Rank.SCOUT}, GameResult(Seat.BLUE, EndReason.IMMOBILE)),
    ):
        other = game.copy()
        other.learn(piece, frozenset(ranks))
        assert other.result == result


def test_counts_alone_can_make_a_move_certain() -> None:
    """Eight unknown pieces of which at most seven can be bombs or the flag: one of them surely moves."""
    rules = rule_set("original")
    squares = [Square(f"{column}7") for column in "abcdefgh"]
    occupants = {Square("a4"): Seat.RED, **dict.fromkeys(squares, Seat.BLUE)}
    game = Game(rules, occupants, {Square("a4"): Rank.MAJOR})
    assert game.mobile(Seat.BLUE) is Mobility.YES
    fewer = Game(rules, {Square("a4"): Seat.RED, **dict.fromkeys(squares[:7], Seat.BLUE)}, {Square("a4"): Rank.MAJOR})
    assert fewer.mobile(Seat.BLUE) is Mobility.UNKNOWN
