"""Going back to a ply, from every phase and at any ply of any game."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.sensing import Agreed, Difference, Lifted, Puzzled, Reading
from referee.table import dual_game
from referee.table.arbiter_commands import CorrectionError, PauseGame, ResumeGame, TakeBack
from referee.table.dual_game import DualGame
from referee.table.inputs import Tick
from referee.table.messages import Resign, SeatState
from referee.table.replay import repeat, steps_of, told_settings
from referee.table.settings import ClockKind, TimeControl
from referee.table.step import Expect, Follow
from referee.table.table import Table
from referee.table.views import Ask, GameEnd, LastMove, Mode, Phase, Reveal
from tests.amount import tries
from tests.table.corrected import back, ended, fought, opened, rebuilt, squares, walked
from tests.table.sitting import BLUE, RED, Sitting
from tests.table.storm import Storm

# ---- take back


@pytest.mark.parametrize(
    ("ply", "fixes", "turn"),
    [
        (0, {"e4": RED, "e5": None, "e7": BLUE, "e6": None}, RED),
        (1, {"e7": BLUE, "e6": None}, BLUE),
    ],
)
def test_the_game_goes_back_to_a_ply_once_the_board_agrees(ply: int, fixes: dict[str, Seat | None], turn: Seat) -> None:
    """Everybody sees which squares are to be put right; then play goes on from there."""
    sitting = opened()
    sitting.order(back(ply))
    view = sitting.table.view()
    assert (view.phase, view.ask, view.ply, squares(sitting)) == (Phase.RESTORING, Ask.CORRECTED, ply, fixes)
    assert view.last_move == (LastMove(RED, "e4", "e5", True) if ply else None)
    assert isinstance(sitting.steps[-1].orders[-1], Expect)
    sitting.see(Agreed(0))
    view = sitting.table.view()
    assert (view.phase, view.turn, view.fixes, view.ask) == (Phase.WAITING_FOR_MOVE, turn, (), None)
    assert isinstance(sitting.steps[-1].orders[-1], Follow)
    rebuilt(sitting)


def test_a_move_that_can_still_be_revised_goes_too() -> None:
    """Nothing of it is left: neither the move nor its revision."""
    sitting = opened()
    sitting.read("e5", "f5")
    sitting.order(back(1))
    assert squares(sitting) == {"e5": RED, "f5": None, "e6": None, "e7": BLUE}
    sitting.see(Agreed(0))
    assert sitting.table.view().ply == 1
    assert sitting.kinds()[-3:] == ["move.read", "plies.taken-back", "restored"]
    rebuilt(sitting)


def test_an_open_attack_goes_with_its_ply() -> None:
    """What was declared is forgotten, and the question is asked no more."""
    sitting = opened()
    sitting.attack("e5", "e6")
    sitting.declare(RED, Rank.GENERAL)
    sitting.order(back(1))
    assert sitting.table.view().attack is None
    sitting.see(Agreed(0))
    sitting.move("e7", "e6")
    sitting.attack("e5", "e6")
    sitting.declare(RED, Rank.MARSHAL)  # red had said general before: that binds nobody
    sitting.declare(BLUE, Rank.SPY)
    assert sitting.kinds()[-1] == "verdict"
    rebuilt(sitting)


@pytest.mark.parametrize("mode", list(Mode))
def test_captured_pieces_come_back(mode: Mode) -> None:
    """Trays, board and books are as before; who saw the captured rank knows it still, its rank is no longer public."""
    sitting = fought(mode)
    assert sitting.table.view().captured[BLUE] == {Rank.SPY: 1}
    sitting.order(back(2))
    assert sitting.table.view().captured == {RED: {}, BLUE: {}}
    assert squares(sitting) == {"e5": RED, "e6": BLUE}
    states = {seat: sitting.letters(seat)[-1] for seat in (RED, BLUE)}
    assert all(isinstance(state, SeatState) for state in states.values())
    assert states[RED].seen == {"e6": Rank.SPY}  # type: ignore[union-attr]
    assert states[BLUE].seen == {"e5": Rank.MARSHAL}  # type: ignore[union-attr]
    game = sitting.table.public_game
    assert game is not None
    piece = game.piece_at(sitting.square("e6"))
    assert piece is not None
    assert len(game.possible(piece)) > 1
    sitting.see(Agreed(0))
    rebuilt(sitting)


def test_the_game_goes_back_from_every_phase() -> None:
    """Whatever hands and players are doing."""
    in_hand, declaring, clearing, restoring = opened(), opened(), opened(), opened()
    in_hand.see(Lifted(in_hand.square("e5"), 0))
    declaring.attack("e5", "e6")
    clearing.attack("e5", "e6")
    clearing.declare(RED, Rank.MARSHAL)
    clearing.declare(BLUE, Rank.SPY)
    restoring.order(back(1))
    restoring.see(Puzzled((Difference(restoring.square("a1"), RED, Reading.EMPTY),), 0))
    phases = (Phase.PIECE_IN_HAND, Phase.WAITING_FOR_DECLARATIONS, Phase.WAITING_FOR_BOARD, Phase.RESTORING)
    for sitting, phase in zip((in_hand, declaring, clearing, restoring), phases, strict=True):
        assert sitting.phase() is phase
        sitting.order(back(0))
        assert (sitting.phase(), sitting.table.view().in_hand) == (Phase.RESTORING, ())
        assert squares(sitting).items() >= {"e4": RED, "e5": None}.items()
        sitting.see(Agreed(0))
        assert sitting.table.view().turn is RED
        rebuilt(sitting)
    clearing.order(ended("draw"))
    clearing.order(ended("red"))
    assert clearing.table.result == GameEnd(RED, "ruled")


def test_going_back_in_a_pause_stays_a_pause() -> None:
    """The arbiter has stopped the table and says when it goes on; the board is compared then."""
    sitting = opened()
    sitting.order(PauseGame(id="p", reason="to look at it"))
    sitting.order(back(1))
    assert sitting.phase() is Phase.PAUSED
    assert squares(sitting) == {"e7": BLUE, "e6": None}
    sitting.see(Agreed(0))
    assert sitting.phase() is Phase.PAUSED
    sitting.order(ResumeGame(id="r", reason="looked at"))
    assert sitting.phase() is Phase.RESTORING
    sitting.see(Agreed(0))
    assert sitting.table.view().turn is BLUE
    rebuilt(sitting)


def test_going_back_ends_a_silence() -> None:
    """Nobody is asked any more for what nobody answered."""
    sitting = opened()
    sitting.attack("e5", "e6")
    sitting.now_ms = sitting.steps[-1].deadline_ms or 0
    sitting.take(sitting.table.apply(Tick(), sitting.now_ms))
    sitting.order(back(0))
    assert (sitting.phase(), sitting.steps[-1].deadline_ms) == (Phase.RESTORING, None)
    rebuilt(sitting)


@pytest.mark.parametrize("ply", [-1, 2, 3, 10**9])
def test_a_ply_that_is_not_there_is_no_way_back(ply: int) -> None:
    """Nor is the one at which the game stands."""
    assert opened().not_ordered(back(ply)) == "no-such-ply"


def test_before_the_game_there_is_nothing_to_go_back_to() -> None:
    """While armies are set up."""
    assert Sitting(begin=False).not_ordered(back(0)) == "not-now"


def test_a_game_that_is_over_can_be_gone_on_with() -> None:
    """A resignation was a slip of the finger: back to the last ply. Where the rules ended it, one ply more has to go."""
    sitting = opened()
    sitting.say(RED, Resign(id="r"))
    assert sitting.phase() is Phase.FINISHED
    sitting.order(back(2))
    assert (sitting.phase(), sitting.table.result) == (Phase.RESTORING, None)
    sitting.see(Agreed(0))
    sitting.move("e5", "f5")
    rebuilt(sitting)
    taken = walked()
    assert taken.not_ordered(back(3)) == "still-over"
    taken.order(back(2))
    taken.see(Agreed(0))
    assert taken.table.view().turn is RED
    rebuilt(taken)


# ---- clocks


def test_clocks_go_back_to_what_they_were_when_the_ply_had_been_played() -> None:
    """The time since is nobody's; they stand still until the board agrees."""
    sitting = Sitting(clock=TimeControl(ClockKind.FISCHER, 60_000, 2_000))
    sitting.now_ms += 5_000
    sitting.move("e4", "e5")
    left = {seat: face.left_ms for seat, face in sitting.table.view().clocks.items()}
    sitting.now_ms += 20_000
    sitting.move("e7", "e6")
    sitting.now_ms += 7_000
    sitting.order(back(1))
    sitting.now_ms += 30_000
    sitting.see(Agreed(0))
    faces = sitting.table.view().clocks
    assert {seat: face.left_ms for seat, face in faces.items()} == left == {RED: 57_000, BLUE: 60_000}
    assert (faces[RED].runs, faces[BLUE].runs) == (False, True)
    rebuilt(sitting)


# ---- any game

PLIES = {"duel": 60, "barrage": 60}
SETS = ("original", "duel", "barrage", "infiltrator", "stratego4", "stratego4-teams")


@pytest.mark.parametrize("name", SETS)
@settings(max_examples=tries(2), deadline=None)
@given(seed=st.integers(0, 2**32))
def test_any_game_goes_back_to_any_ply(name: str, seed: int) -> None:
    """Board, trays, turn and knowledge are those that stood after that ply, whatever was played, decided and left."""
    rng = random.Random(seed)
    storm = Storm(rule_set(name), rng.choice(list(Mode)), rng.choice(list(Reveal)), rng, 0.2, proves=False)
    storm.play(PLIES.get(name, 25), False)
    facts = [fact for step in storm.steps for fact in step.facts]
    table = Table(told_settings(facts, rule_set))
    stood: dict[int, object] = {}
    for number, step in steps_of(facts):
        repeat(table, step, number)
        books = table._state.dual
        if books is not None and not table._state.open_plies:
            stood[books.public.ply] = standing(books)
    assert table._state.dual is not None
    for ply, then in stood.items():
        assert standing(table._state.dual.back_to(ply)) == then
    ply = rng.choice(list(stood))
    try:
        table.apply(TakeBack(id="o", reason="any", ply=ply), 0)
    except CorrectionError:
        return
    table.apply(Agreed(0), 0)
    assert (table.view().ply, table.phase in (Phase.WAITING_FOR_MOVE, Phase.WAITING_FOR_DECLARATIONS)) == (ply, True)


def standing(books: DualGame) -> object:
    """Return what distinguishes dual games: where pieces stand, their possible ranks, what was lost, the turn, what is
    barred.
    """
    games = (books.public, books.known)
    known = [
        {piece: game.possible(piece) for seat in game.rule_set.seats for piece in game.pieces(seat)} for game in games
    ]
    return books.public.occupants(), known, dict(books.captured), books.public.turn, books.public.barred()


def test_a_long_game_keeps_a_limited_way_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Earlier deeds stay; the limit, a lower one here, does not change what the later ones are."""
    most_back = 64
    monkeypatch.setattr(dual_game, "MOST_BACK", most_back)
    sitting = Sitting()
    moves = [
        ("e4", "e5"),
        ("e7", "e6"),
        ("e5", "e4"),
        ("e6", "e7"),
        ("f4", "f5"),
        ("f7", "f6"),
        ("f5", "f4"),
        ("f6", "f7"),
    ]
    for number in range(most_back + 8):
        sitting.move(*moves[number % 8])
    books = sitting.table._state.dual
    assert books is not None
    assert (len(books.history), books.first_ply) == (most_back, 8)
    assert sitting.not_ordered(back(7)) == "no-such-ply"
    sitting.order(back(9))
    assert sitting.table.view().occupants.keys() >= {"e5"}
