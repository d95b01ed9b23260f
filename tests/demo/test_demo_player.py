"""The demo's player as the pure machine that it is: views and events in, deeds out."""

from __future__ import annotations

import random

import pytest

from referee.rules import Game, Move
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Final, Lifted, Observation, Puzzled, Read, Unread
from referee.simulated_players.player import Bot, BotAct, Do, Fault, Say, SimulatedPlayer
from referee.table.messages import TellAttack
from referee.table.step import Step
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


class Steady(random.Random):
    """Draws the same share each time."""

    def __init__(self, share: float) -> None:
        super().__init__(1)
        self._share = share

    def random(self) -> float:
        """Return the share."""
        return self._share


def heard(player: SimulatedPlayer, sitting: Sitting, step: Step) -> list[BotAct]:
    """Return what a player does about one step, in the order in which it is told: events, the view, letters."""
    deeds = [deed for fact in step.facts if fact.event for deed in player.event(fact.event)]
    deeds += player.view(sitting.table.view())
    letters = [letter.body.open_hidden() for letter in step.letters if letter.seat is player.seat]
    return deeds + [deed for letter in letters for deed in player.letter(letter)]


def test_hands_wait_until_the_board_is_restored_after_a_move_that_never_was() -> None:
    """The piece stands where they set it down, and nobody could take it from where it was; then they move again."""
    sitting = Sitting()
    set_up = {sitting.square(name): rank for name, rank in sitting.ranks[RED].items()}
    player = SimulatedPlayer(Bot(sitting.rules, RED, Steady(0.9), set_up), sitting.table.info())
    (made,) = player.view(sitting.table.view())
    assert isinstance(made, Do)
    assert made.intent is not None
    assert heard(player, sitting, sitting.read(*made.intent[1:])) == []
    assert heard(player, sitting, sitting.see(Unread(0, 1))) == []
    (restored,) = heard(player, sitting, sitting.see(Puzzled((), 0)))
    assert isinstance(restored, Do)
    assert restored.motion["motion"] == "restore"
    (again,) = heard(player, sitting, sitting.see(Agreed(0)))
    assert isinstance(again, Do)
    assert again.motion["motion"] == "move"


@pytest.mark.parametrize("restores", [False, True])
def test_an_attack_that_is_told_too_early_is_told_again(restores: bool) -> None:
    """The move before it never was, and is read once more; or the board is asked about, and the attack begun anew."""
    sitting = Sitting()
    sitting.place({RED: {"e5": Rank.MINER, "a1": Rank.FLAG}, BLUE: {"e7": Rank.MARSHAL, "j10": Rank.FLAG}}, RED)
    game = sitting.table.public_game
    assert game is not None
    own = {sitting.square("e7"): Rank.MARSHAL, sitting.square("j10"): Rank.FLAG}
    bot = Bot(sitting.rules, BLUE, Steady(0.9), own, game=Game(sitting.rules, game.occupants(), own, RED))
    player = SimulatedPlayer(bot, sitting.table.info())

    def sees(observation: Observation) -> list[object]:
        deeds = heard(player, sitting, sitting.see(observation))
        return [deed.motion["motion"] if isinstance(deed, Do) else deed for deed in deeds]

    up, read = Lifted(sitting.square("e7"), 0), Read(sitting.prospect("e5", "e6"), 0)
    assert sees(read) == ["lift"]
    for doubt, brings in ((Puzzled((), 0), ["restore"]) if restores else (Unread(0, 1), []), (None, [])):
        (told,) = sees(up)
        assert isinstance(told, Say)
        assert isinstance(told.message, TellAttack)
        answered = heard(player, sitting, sitting.say(BLUE, told.message))
        assert not any(isinstance(deed, Fault) for deed in answered)
        if doubt is not None:
            assert sees(doubt) == brings
            assert sees(Agreed(0) if restores else read) == (["lift"] if restores else [])
    sitting.see(Final(0))
    assert sitting.kinds()[-1] == "attack"


CASTLE = [
    ("i6", "ring", "g9", "lift"),
    ("ring", "", "g9", "lift"),
    ("g9", "", "ring", "lift"),
    ("d4", "d5", "d6", "slide"),
]


@pytest.mark.parametrize(("source", "by", "target", "style"), CASTLE)
def test_no_piece_is_slid_through_the_tower(source: str, by: str, target: str, style: str) -> None:
    """The ring's sensor lies before the tower: on the straight way from there the turret's would see the piece."""
    sitting = Sitting(rules="stratego4")
    bot = Bot(sitting.rules, RED, Steady(0.0), {})
    sitting.place({RED: {source: Rank.CAPTAIN}, BLUE: {"a4": Rank.SPY}}, RED)
    move = Move(sitting.square(source), sitting.square(target), (sitting.square(by),) if by else ())
    assert SimulatedPlayer(bot, sitting.table.info())._walk(move)["style"] == style
