"""Stratego 4: flags that are carried, left, taken, and brought onto the turret (rules, section 7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from referee.rules import EndReason, Game, GameResult, Move, Pass, Recruit, TakeFlags, rule_set
from referee.rules.outcomes import Reason
from referee.rules.values import Seat
from tests.rules.castle_table import at, hands_off, move, quiet, reasons, sq, to_move


def test_flag_starts_on_the_piece_at_its_space(four: Callable[..., Game]) -> None:
    """The carrier is slow and seen by all; the other flags lie where nobody stands."""
    game = four("r:g1=captain r:f3=captain")
    assert game.castle is not None
    assert game.castle.flags[Seat.RED].carrier == at(game, "g1")
    assert game.castle.flags[Seat.BLUE].carrier is None
    assert game.castle.flags[Seat.BLUE].square == sq("a7")
    assert reasons(game, move("g1-g3")) == [Reason.CARRIES_FLAG]
    assert reasons(game, move("g1-g2-f2")) == [Reason.CARRIES_FLAG]
    game.play(move("g1-g2"))
    assert game.castle.flags[Seat.RED].square == sq("g2")


def test_flag_can_be_left_behind(four: Callable[..., Game]) -> None:
    """Voluntarily abandoned when its carrier moves away, which is still one space."""
    game = four("r:g1=major")
    assert game.castle is not None
    assert reasons(game, move("g1-g2", (Seat.RED,))) == []
    assert reasons(game, move("g1-g2", (Seat.BLUE,))) == [Reason.NO_FLAG]
    game.play(move("g1-g2", (Seat.RED,)))
    flag = game.castle.flags[Seat.RED]
    assert (flag.square, flag.carrier, flag.left_by) == (sq("g1"), None, Seat.RED)
    assert to_move(game) is Seat.BLUE


def test_entering_a_space_with_a_flag_asks(four: Callable[..., Game]) -> None:
    """Taking is asked; what is taken moves on with its carrier, what is not lies there still."""
    game = four("r:b7=major")
    assert game.castle is not None
    before = game.situation()
    game.play(move("b7-a7"))
    assert to_move(game) is Seat.RED
    assert before.after is not None
    (entering,) = (p for p in before.prospects if p.target == sq("a7"))
    assert before.after(entering) == game.situation()
    take, leave = TakeFlags(sq("a7"), (Seat.BLUE,)), TakeFlags(sq("a7"), ())
    assert game.legal_actions() == [leave, take]
    assert reasons(game, move("a7-a6")) == [Reason.DECISION_OWED]
    assert reasons(game, Pass()) == [Reason.DECISION_OWED]
    assert game.situation().prospects == ()
    left = game.copy()
    game.play(take)
    assert (game.turn, game.ply) == (Seat.BLUE, 1)
    assert game.castle.flags[Seat.BLUE].carrier == at(game, "a7")
    left.play(leave)
    assert left.castle is not None
    assert left.castle.flags[Seat.BLUE].carrier is None
    assert to_move(left) is Seat.BLUE


def test_own_flag_onto_the_turret_wins(four: Callable[..., Game]) -> None:
    """The game ends when a player moves his own flag onto the turret; nobody else may enter it."""
    game = four("r:g1=major r:g5=captain")
    assert Reason.NO_FLAG in reasons(game, move("g5-ring-turret"))
    for text in ("g1-g2", "g2-g3", "g3-g4"):
        game.play(move(text))
        for seat in (Seat.BLUE, Seat.GREEN, Seat.YELLOW):
            assert game.turn is seat
            game.play(quiet(game))
    game.play(move("g5-h5"))
    for _ in range(3):
        game.play(quiet(game))
    for text in ("g4-g5", "g5-ring"):
        game.play(move(text))
        for _ in range(3):
            game.play(quiet(game))
    assert reasons(game, move("ring-turret", (Seat.RED,))) == [Reason.NO_FLAG]
    game.play(move("ring-turret"))
    assert game.result == GameResult(Seat.RED, EndReason.FLAG)


def test_a_piece_without_its_flag_stays_out_of_the_turret(four: Callable[..., Game]) -> None:
    """Neither a bare piece nor one with a rival's flag may enter."""
    game = four("r:ring=major")
    assert reasons(game, move("ring-turret")) == [Reason.NO_FLAG]
    (refusal,) = game.refusals(move("ring-turret"))
    assert refusal.squares == (sq("turret"),)


def test_in_teams_either_flag_wins(four: Callable[..., Game]) -> None:
    """Red carries green's flag onto the turret; partners cannot attack each other."""
    game = four("r:g12=major g:f12=spy", "stratego4-teams")
    assert reasons(game, move("g12-f12")) == [Reason.OWN_PIECE]
    game.play(move("g12-g13"))
    game.play(TakeFlags(sq("g13"), (Seat.GREEN,)))
    assert game.castle is not None
    walk = ["g13-g12", "g12-g11", "g11-g10", "g10-g9", "g9-ring", "ring-turret"]
    for text in walk:
        for _ in range(3):
            game.play(quiet(game))
        game.play(move(text))
    assert game.result == GameResult(Seat.RED, EndReason.FLAG)


def test_winner_takes_the_flag_of_a_removed_carrier_and_recruits(four: Callable[..., Game]) -> None:
    """Capturing a rival's flag by removing its carrier recruits an own removed piece onto the own recruitment space."""
    game = four("r:a8=major r:e2=scout b:a7=sergeant b:b5=marshal b:e3=marshal")
    assert game.castle is not None
    scout = at(game, "e2")
    game.play(move("e2-e3"))  # the scout falls to a marshal: red has a removed piece
    assert game.captured(Seat.RED) == (scout,)
    assert game.castle.sliders[Seat.BLUE] == 1
    for _ in range(3):
        game.play(quiet(game))
    game.play(move("a8-a7"))
    assert game.castle.owed[0].flags == (Seat.BLUE,)
    assert to_move(game) is Seat.RED
    declined = game.copy()
    game.play(TakeFlags(sq("a7"), (Seat.BLUE,)))
    assert game.legal_actions() == [Recruit(scout), Recruit(None)]
    game.play(Recruit(scout))
    assert game.square_of(scout) == sq("g2")
    assert to_move(game) is Seat.BLUE
    declined.play(TakeFlags(sq("a7"), ()))
    assert to_move(declined) is Seat.BLUE
    assert declined.captured(Seat.RED) == (scout,)


def test_defender_that_wins_may_take_the_attackers_flag(four: Callable[..., Game]) -> None:
    """The flag lies where the attacker came from; the winner takes it from its own space, and recruits."""
    game = four("r:g1=spy b:g2=major")
    assert game.castle is not None
    game.play(move("g1-g2"))
    assert to_move(game) is Seat.BLUE
    assert game.castle.flags[Seat.RED].square == sq("g1")
    game.play(TakeFlags(sq("g1"), (Seat.RED,)))
    flag = game.castle.flags[Seat.RED]
    assert (flag.square, flag.carrier) == (sq("g2"), at(game, "g2"))
    assert to_move(game) is Seat.BLUE
    assert game.ply == 1


def test_on_mutual_loss_flags_stay_where_their_carriers_stood(four: Callable[..., Game]) -> None:
    """Both carriers go, nothing is taken, no slider moves."""
    game = four("r:g1=major b:h1=major")
    assert game.castle is not None
    game.castle.flags[Seat.BLUE] = type(game.castle.flags[Seat.RED])(sq("h1"), at(game, "h1"))
    game.play(move("g1-h1"))
    assert [game.castle.flags[seat].square.name for seat in (Seat.RED, Seat.BLUE)] == ["g1", "h1"]
    assert all(game.castle.flags[seat].carrier is None for seat in (Seat.RED, Seat.BLUE))
    assert set(game.castle.sliders.values()) == {0}
    assert not game.castle.owed


def test_rivals_abandoned_flag_recruits_but_not_who_abandoned_it(four: Callable[..., Game]) -> None:
    """Taking a voluntarily abandoned rival flag recruits; dropping and taking it again does not raise an army."""
    position = "r:f1=major r:e2=spy b:e3=marshal b:h1=major"
    for abandoner, recruits in ((Seat.BLUE, True), (Seat.GREEN, True), (Seat.RED, False), (None, False)):
        game = four(position)
        assert game.castle is not None
        spy = at(game, "e2")
        game.play(move("e2-d2"))
        game.castle.flags[Seat.BLUE] = type(game.castle.flags[Seat.RED])(sq("f2"), None, abandoner)
        for _ in range(3):
            game.play(quiet(game))
        hands_off(game, spy)
        game.play(move("f1-f2"))
        game.play(TakeFlags(sq("f2"), (Seat.BLUE,)))
        assert ([Recruit(spy), Recruit(None)] == game.legal_actions()) == recruits


def test_own_abandoned_flag_does_not_recruit(game_of: Callable[..., Game]) -> None:
    """Only a rival's flag does, or where the option says so anybody's that was abandoned, not one that was lost."""
    for reading, abandoner, recruits in (("rival", Seat.RED, False), ("any", Seat.RED, True), ("any", None, False)):
        rules = rule_set("stratego4").with_options({"abandoned_flag_recruits": reading})
        game = game_of("r:g1=major r:f2=spy r:e1=spy b:a10=spy g:j13=spy y:m4=spy", rules)
        assert game.castle is not None
        hands_off(game, at(game, "e1"))
        game.play(move("g1-h1", (Seat.RED,)))
        game.castle.flags[Seat.RED] = replace(game.castle.flags[Seat.RED], left_by=abandoner)
        for _ in range(3):
            game.play(quiet(game))
        game.play(move("h1-g1"))
        game.play(TakeFlags(sq("g1"), (Seat.RED,)))
        assert (to_move(game) is Seat.RED) == recruits


def test_several_flags_lie_on_one_piece(four: Callable[..., Game]) -> None:
    """Each can be taken or left by itself, in whatever order they are named."""
    game = four("r:f2=major")
    assert game.castle is not None
    for seat in (Seat.BLUE, Seat.GREEN):
        game.castle.flags[seat] = type(game.castle.flags[seat])(sq("f3"))
    game.play(move("f2-f3"))
    assert len(game.legal_actions()) == 4
    game.play(TakeFlags(sq("f3"), (Seat.GREEN, Seat.BLUE)))
    for _ in range(3):
        game.play(quiet(game))
    choices = {
        action.leaving for action in game.legal_actions() if isinstance(action, Move) and action.target == sq("f4")
    }
    assert choices == {(), (Seat.BLUE,), (Seat.GREEN,), (Seat.BLUE, Seat.GREEN)}
    assert game.refusals(move("f3-f4", (Seat.GREEN, Seat.BLUE))) == ()
    game.play(move("f3-f4", (Seat.GREEN, Seat.BLUE)))
    assert [game.castle.flags[seat].square.name for seat in (Seat.BLUE, Seat.GREEN)] == ["f3", "f3"]
    assert [game.castle.flags[seat].left_by for seat in (Seat.BLUE, Seat.GREEN)] == [Seat.RED, Seat.RED]
