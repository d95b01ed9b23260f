"""The demo's player as the pure machine that it is: views and events in, deeds out."""

from __future__ import annotations

import random

import pytest

from referee.rules import Game
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Final, Unread
from referee.simulated_players.player import Bot, SimulatedPlayer
from tests.table.sitting import BLUE, RED, Sitting


def player_of(sitting: Sitting, seat: Seat, turn: Seat) -> SimulatedPlayer:
    """Return a player who knows what the seat knows of the position."""
    bot = Bot(sitting.rules, seat, random.Random(1), {})
    game = sitting.table.public_game
    assert game is not None
    own = {square: Rank.MAJOR for square, owner in game.occupants().items() if owner is seat}
    bot.game = Game(sitting.rules, game.occupants(), own, turn)
    return SimulatedPlayer(bot, sitting.table.info())


def test_a_player_whose_move_came_to_a_flag_waits_to_be_asked_about_it() -> None:
    """Until that move is final the turn is still its own; the hands have nothing to do."""
    sitting = Sitting(rules="stratego4-three")
    sitting.place({RED: {"bd2": Rank.MAJOR}, BLUE: {"ba1": Rank.MAJOR}, Seat.GREEN: {"ga1": Rank.MAJOR}}, RED)
    player = player_of(sitting, RED, RED)
    step = sitting.read("bd2", "bd1")
    for fact in step.facts:
        assert fact.event is not None
        assert list(player.event(fact.event)) == []
    assert sitting.table.view().turn is RED
    assert list(player.view(sitting.table.view())) == []
    sitting.see(Final(0))
    (said,) = player.letter(sitting.question(RED))
    assert said.message.choice == "blue"  # type: ignore[union-attr]  # it is an answer


@pytest.mark.parametrize(("beside", "moves"), [({}, "up"), ({"rd2": Rank.SPY}, "stay")])
def test_a_player_leaves_the_slider_where_the_chance_would_be_lost(beside: dict[str, Rank], moves: str) -> None:
    """VI with a piece on the recruitment space brings nobody back; what everybody hears of it is followed."""
    sitting = Sitting(rules="stratego4-three")
    blue = {"bd1": Rank.SPY, "bc1": Rank.SPY}
    sitting.place({RED: {"bd2": Rank.MAJOR, **beside}, BLUE: blue, Seat.GREEN: {"ga1": Rank.MAJOR}}, RED)
    player = player_of(sitting, RED, RED)
    for game in (player.bot.game, sitting.table._state.game.public, sitting.table._state.game.known):
        assert game is not None
        assert game.castle is not None
        game.castle.sliders[RED] = 5
    steps = [sitting.attack("bd2", "bd1"), sitting.declare(RED, Rank.MAJOR), sitting.declare(BLUE, Rank.SPY)]
    deeds = [deed for step in steps for fact in step.facts if fact.event for deed in player.event(fact.event)]
    deeds += [deed for message in sitting.letters(RED) for deed in player.letter(message)]
    sitting.see(Agreed(0))
    (said,) = player.letter(sitting.question(RED))
    assert said.message.choice == moves  # type: ignore[union-attr]  # it is an answer
    (told,) = [fact.event for fact in sitting.answer(RED, moves).facts if fact.kind == "slider.decided"]
    assert told is not None
    assert list(player.event(told)) == []
    assert player.bot.game is not None
    assert player.bot.game.castle is not None
    assert player.bot.game.castle.sliders == sitting.table.view().sliders


def test_a_player_goes_back_as_many_open_plies_as_never_were() -> None:
    """Three are read, the first is final, the last two never were, and one of them is read again."""
    sitting = Sitting()
    bot = Bot(
        sitting.rules, RED, random.Random(1), {sitting.square(name): rank for name, rank in sitting.ranks[RED].items()}
    )
    player = SimulatedPlayer(bot, sitting.table.info())
    game = sitting.table.public_game
    assert game is not None
    bot.begin(game.occupants())

    def hear() -> None:
        for fact in sitting.steps[-1].facts:
            assert fact.event is not None
            list(player.event(fact.event))

    for source, target in (("e4", "e5"), ("a7", "a6"), ("i4", "i5")):
        sitting.read(source, target)
        hear()
    for seen in (Final(0), Unread(0, 2)):
        sitting.see(seen)
        hear()
    assert bot.game is not None
    assert (bot.game.occupants(), bot.game.ply) == (sitting.table.public_game.occupants(), 1)  # type: ignore[union-attr]  # begun
    sitting.read("a7", "a5")
    hear()
    assert bot.game.piece_at(sitting.square("a5")) is not None
