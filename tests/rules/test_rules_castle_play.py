"""Stratego 4: slider and recruits, shots, passing, dropping out, ends (rules, section 7)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from referee.rules import (
    CombatResult,
    EndReason,
    Fire,
    Game,
    GameResult,
    MoveSlider,
    Pass,
    Recruit,
    TakeFlags,
    load_rule_set,
    rule_set,
)
from referee.rules.outcomes import ContradictionError, IllegalActionError, Mobility, Reason
from referee.rules.values import Rank, Seat
from tests.rules.castle_table import at, hands_off, move, reasons, sq, to_move

UP, STAYS, NOBODY = MoveSlider(True), MoveSlider(False), Recruit(None)
LAST_STEP = "r:e2=major r:f2=spy b:e3=sergeant b:a5=spy"
"""Red's major beats blue's sergeant by e2-e3; red's spy is to be recruited."""


def slider_of(game_of: Callable[..., Game], position: str, reading: str, slider: int) -> Game:
    """Return a game by one reading of `slider`, with red's slider at that place."""
    rules = rule_set("stratego4").with_options({"slider": reading})
    game = game_of(f"{position} g:f13=spy y:m5=spy", rules)
    assert game.castle is not None
    game.castle.sliders[Seat.RED] = slider
    return game


def states(game: Game) -> tuple[int, Seat]:
    """Return red's slider and whose turn it is."""
    assert game.castle is not None
    return game.castle.sliders[Seat.RED], game.turn


@pytest.mark.parametrize("reading", ["ask-at-five", "ask-always", "automatic"])
@pytest.mark.parametrize("slider", range(7))
def test_who_is_asked_about_the_slider(game_of: Callable[..., Game], reading: str, slider: int) -> None:
    """The winner "can move his slider" (004): asked at V, or always; the reading without a question moves it by itself."""
    game = slider_of(game_of, LAST_STEP, reading, slider)
    spy = at(game, "f2")
    hands_off(game, spy)
    game.play(move("e2-e3"))
    recruits = [Recruit(spy), *([] if reading == "automatic" else [NOBODY])]
    if (slider < 6 and reading == "ask-always") or (slider == 5 and reading == "ask-at-five"):
        assert states(game) == (slider, Seat.RED)
        assert game.legal_actions() == [UP, STAYS]
        assert reasons(game, Recruit(spy)) == [Reason.DECISION_OWED]
        stays = game.copy()
        stays.play(STAYS)
        assert states(stays) == (slider, Seat.BLUE)
        game.play(UP)
    if slider >= 5:
        assert states(game) == (0 if reading == "automatic" else 6, Seat.RED)
        assert game.legal_actions() == recruits
    else:
        assert states(game) == (slider + 1, Seat.BLUE)


def test_slider_recruits_at_six(game_of: Callable[..., Game]) -> None:
    """At VI he may recruit at once and it returns to 0; declined it stays there, and the next engagement won offers it again."""
    game = slider_of(game_of, f"{LAST_STEP} b:e5=spy b:e6=spy", "ask-at-five", 5)
    spy = at(game, "f2")
    hands_off(game, spy)
    game.play(move("e2-e3"))
    game.play(UP)
    declined = game.copy()
    game.play(Recruit(spy))
    assert game.square_of(spy) == sq("g2")
    assert states(game) == (0, Seat.BLUE)
    declined.play(NOBODY)
    assert states(declined) == (6, Seat.BLUE)
    for text in ("e5-e4", "f13-f12", "m5-m6"):
        declined.play(move(text))
    declined.play(move("e3-e4"))
    assert declined.legal_actions() == [Recruit(spy), NOBODY]
    declined.play(Recruit(spy))
    assert states(declined) == (0, Seat.BLUE)


def test_nothing_to_recruit_keeps_the_chance(game_of: Callable[..., Game]) -> None:
    """The booklet takes it "if the recruitment space is occupied", else not: VI stays until somebody can come back."""
    for reading, slider in (("ask-at-five", 6), ("automatic", 0)):
        game = slider_of(game_of, "r:e2=major b:e3=sergeant b:a5=spy", reading, 5)
        game.play(move("e2-e3"))
        if game.castle is not None and game.castle.owed:
            game.play(UP)
        assert states(game) == (slider, Seat.BLUE)


def test_a_flag_that_recruits_brings_a_slider_at_six_back(game_of: Callable[..., Game]) -> None:
    """One piece comes back for both; taking a flag without an engagement offers VI's chance only where the flag recruits."""
    for abandoner, offered in ((Seat.BLUE, True), (None, False)):
        game = slider_of(game_of, "r:f1=major r:f2=spy b:a5=spy", "ask-at-five", 6)
        assert game.castle is not None
        spy = at(game, "f2")
        hands_off(game, spy)
        game.castle.flags[Seat.BLUE] = type(game.castle.flags[Seat.RED])(sq("f2"), None, abandoner)
        game.play(move("f1-f2"))
        game.play(TakeFlags(sq("f2"), (Seat.BLUE,)))
        assert (game.legal_actions() == [Recruit(spy), NOBODY]) == offered
        if offered:
            game.play(Recruit(spy))
            assert states(game) == (0, Seat.BLUE)


def test_the_slider_is_asked_about_before_the_flag(game_of: Callable[..., Game]) -> None:
    """A removed carrier's flag is offered next, then the recruit that both of them allow."""
    game = slider_of(game_of, "r:a8=major r:f2=spy b:a7=sergeant b:b5=spy", "ask-at-five", 5)
    spy = at(game, "f2")
    hands_off(game, spy)
    game.play(move("a8-a7"))
    for answer, offered in ((STAYS, [Recruit(spy), NOBODY]), (UP, [Recruit(spy), NOBODY])):
        chosen = game.copy()
        chosen.play(answer)
        assert isinstance(chosen.legal_actions()[0], TakeFlags)
        chosen.play(TakeFlags(sq("a7"), (Seat.BLUE,)))
        assert chosen.legal_actions() == offered
        chosen.play(NOBODY)
        assert states(chosen) == (5 + (answer is UP), Seat.BLUE)


def test_defender_recruits_before_the_turn_goes_on(four: Callable[..., Game]) -> None:
    """The defender's slider moves too; play goes on after the attacker's seat, not after the one that recruited."""
    game = four("r:e2=spy r:f2=spy g:e3=major g:f13=spy")
    assert game.castle is not None
    recruit = at(game, "f13")
    hands_off(game, recruit)
    game.castle.sliders[Seat.GREEN] = 5
    game.play(move("e2-e3"))
    assert to_move(game) is Seat.GREEN
    game.play(UP)
    game.play(Recruit(recruit))
    assert to_move(game) is Seat.BLUE
    assert game.square_of(recruit) == sq("g12")


def test_occupied_recruitment_space_loses_the_chance(four: Callable[..., Game]) -> None:
    """The slider goes back to 0 all the same; a player who sees that stays at V."""
    game = four("r:e2=major r:f2=spy b:e3=sergeant b:a5=spy y:g2=spy y:l5=spy")
    assert game.castle is not None
    hands_off(game, at(game, "f2"))
    game.castle.sliders[Seat.RED] = 5
    game.play(move("e2-e3"))
    stays = game.copy()
    stays.play(STAYS)
    assert states(stays) == (5, Seat.BLUE)
    game.play(UP)
    assert states(game) == (0, Seat.BLUE)


def test_cannon_fires_exactly_three_spaces(four: Callable[..., Game]) -> None:
    """Target and cannon both go, the slider moves up; not two away, not over a piece, not at a friend or at nothing."""
    game = four("r:e2=cannon b:e5=marshal b:g2=spy b:d2=spy r:h2=spy")
    assert game.castle is not None
    shot = Fire(sq("e2"), sq("e5"))
    assert reasons(game, shot) == []
    assert game.is_attack(shot)
    assert reasons(game, Fire(sq("e2"), sq("g2"))) == [Reason.OUT_OF_RANGE]
    assert reasons(game, Fire(sq("e2"), sq("h2"))) == [Reason.OUT_OF_RANGE]
    assert reasons(game, Fire(sq("h2"), sq("h5"))) == [Reason.NOT_THIS_RANK]
    assert reasons(game, Fire(sq("e5"), sq("e2"))) == [Reason.NOT_YOUR_PIECE]
    assert reasons(game, Fire(sq("e4"), sq("e1"))) == [Reason.NO_PIECE]
    assert reasons(game, move("e4-e3")) == [Reason.NO_PIECE]
    assert reasons(game, move("e2-d2")) == [Reason.NO_ATTACK]
    assert reasons(game, move("e2-e3")) == []
    pieces = (at(game, "e2"), at(game, "e5"))
    played = game.play(shot)
    assert played.result is CombatResult.BOTH_LOST
    assert set(played.captured) == set(pieces)
    assert game.castle.sliders[Seat.RED] == 1
    assert to_move(game) is Seat.BLUE


def test_cannon_fires_at_the_castle_and_out_of_it(four: Callable[..., Game]) -> None:
    """The ring is a target like any space, and a place to fire from; nothing flies over it."""
    game = four("r:g3=cannon b:ring=spy")
    assert reasons(game, Fire(sq("g3"), sq("ring"))) == []
    game = four("r:ring=cannon b:k7=spy")
    assert reasons(game, Fire(sq("ring"), sq("k7"))) == []
    game = four("r:g4=cannon b:g10=spy")
    assert reasons(game, Fire(sq("g4"), sq("g10"))) == [Reason.OUT_OF_RANGE]


def test_a_shot_takes_no_flag_and_may_be_switched_to_count_nothing(game_of: Callable[..., Game]) -> None:
    """The target's flag lies where it stood; the option `shot_counts` keeps the slider where it was."""
    rules = rule_set("stratego4").with_options({"shot_counts": False})
    game = game_of("r:d7=cannon r:d1=spy b:a7=spy b:b6=spy g:f13=spy y:m5=spy", rules)
    assert game.castle is not None
    game.play(Fire(sq("d7"), sq("a7")))
    assert game.castle.flags[Seat.BLUE].carrier is None
    assert game.castle.flags[Seat.BLUE].square == sq("a7")
    assert game.castle.sliders[Seat.RED] == 0
    assert not game.castle.owed


def test_a_player_without_a_move_passes(four: Callable[..., Game]) -> None:
    """Passing is legal only then; he is not out."""
    game = four("r:g1=spy y:f1=major y:h1=major y:g2=major")
    assert reasons(game, Pass()) == [Reason.MUST_MOVE]
    teams = four("r:d1=spy g:e1=major g:d2=major", "stratego4-teams")
    assert teams.legal_actions() == [Pass()]
    assert teams.mobile(Seat.RED) is Mobility.NO
    played = teams.play(Pass())
    assert (played.piece, played.result) == (None, None)
    assert to_move(teams) is Seat.BLUE
    assert teams.castle is not None
    assert not teams.castle.out


def test_who_has_no_piece_left_is_out(game_of: Callable[..., Game]) -> None:
    """The others play on in turn order; the last army standing wins."""
    game = game_of("r:e2=major b:e3=spy g:f3=marshal y:m4=spy", rule_set("stratego4"))
    assert game.castle is not None
    game.play(move("e2-e3"))
    assert game.castle.out == {Seat.BLUE}
    assert to_move(game) is Seat.GREEN
    game.play(move("f3-e3"))
    assert game.castle.out == {Seat.BLUE, Seat.RED}
    assert to_move(game) is Seat.YELLOW
    game.play(move("m4-m5"))
    assert to_move(game) is Seat.GREEN
    game.drop_out(Seat.YELLOW)
    assert game.result == GameResult(Seat.GREEN, EndReason.IMMOBILE)


def test_dropping_out_removes_the_pieces(four: Callable[..., Game]) -> None:
    """Who gives up leaves the turn order; flags stay; the turn passes on if it was his."""
    game = four("r:g1=major")
    assert game.castle is not None
    game.drop_out(Seat.RED)
    assert to_move(game) is Seat.BLUE
    assert game.pieces(Seat.RED) == ()
    assert game.castle.flags[Seat.RED].square == sq("g1")
    assert game.castle.flags[Seat.RED].carrier is None
    game.drop_out(Seat.YELLOW)
    assert to_move(game) is Seat.BLUE
    game.drop_out(Seat.GREEN)
    assert game.result == GameResult(Seat.BLUE, EndReason.IMMOBILE)
    with pytest.raises(IllegalActionError):
        game.drop_out(Seat.BLUE)


def test_last_two_armies_can_perish_together(game_of: Callable[..., Game]) -> None:
    """Nobody is left: a draw."""
    game = game_of("r:e2=major b:e3=major", rule_set("stratego4"))
    game.play(move("e2-e3"))
    assert game.result == GameResult(None, EndReason.BOTH_IMMOBILE)


def test_first_seat_is_a_setting(game_of: Callable[..., Game]) -> None:
    """The youngest player begins: an option, and `turn` for any position."""
    rules = rule_set("stratego4").with_options({"first_seat": "green"})
    assert game_of("r:e2=major b:a6=spy g:f13=spy y:m5=spy", rules).turn is Seat.GREEN


def test_unknown_pieces_fire_and_run_by_what_they_may_be() -> None:
    """A shot shows a cannon, a long run a scout, two straight squares a scout or captain, a turn a captain."""
    rules = rule_set("stratego4")
    game = Game(rules, {square: seat for seat in rules.seats for square in rules.zone(seat)})
    army = frozenset(rules.army)
    piece = at(game, "e3")
    assert game.possible_for(piece, move("e3-e4")) == army
    assert game.possible_for(piece, move("e3-e5")) == {Rank.SCOUT, Rank.CAPTAIN}
    assert game.possible_for(piece, move("e3-e4-f4")) == {Rank.CAPTAIN}
    assert game.possible_for(piece, move("e3-e10")) == {Rank.SCOUT}
    assert game.possible_for(piece, Fire(sq("e3"), sq("e6"))) == {Rank.CANNON}
    game.play(move("e3-e5"))
    assert game.possible(piece) == {Rank.SCOUT, Rank.CAPTAIN}
    assert Rank.SCOUT in game.possible(at(game, "f3"))


@pytest.mark.parametrize("rank", [Rank.CANNON, Rank.CAPTAIN])
def test_the_rank_of_who_fired_is_learned_where_two_ranks_fire(tmp_path: Path, rank: Rank) -> None:
    """By a house rule captains fire as well: which of the two it was is shown with the shot; a scout it was not."""
    house = tmp_path / "guns.toml"
    house.write_text('base = "stratego4"\nname = "guns"\n[ranks]\ncaptain = { number = 6, gait = "gun" }\n')
    rules = load_rule_set(house)
    occupants = {square: seat for seat in rules.seats for square in rules.zone(seat)}
    del occupants[min(rules.zone(Seat.BLUE), key=str)]
    game = Game(rules, occupants | {sq("e6"): Seat.BLUE})
    gunner, shot = at(game, "e3"), Fire(sq("e3"), sq("e6"))
    assert game.possible_for(gunner, shot) == {Rank.CANNON, Rank.CAPTAIN}
    with pytest.raises(ContradictionError):
        game.copy().play(shot, CombatResult.BOTH_LOST, {gunner: Rank.SCOUT})
    game.play(shot, CombatResult.BOTH_LOST, {gunner: rank})
    assert game.possible(gunner) == {rank}
