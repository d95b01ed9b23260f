"""A recorded game played again on the simulated board: a sample of `python -m tests.replayed`, and each answer once."""

from __future__ import annotations

import pytest

from hardware import Sensing
from referee.journal.records.model import Record, View
from referee.journal.records.views import view_of
from referee.presentation.sentences import Contact, detail, headline
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.runtime.record_on_board import RecordedGame
from referee.sensing import Puzzled
from referee.table.arbiter_commands import CorrectionError, TakeBack
from referee.table.inputs import BoardLink, BoardWarnings, Open
from referee.table.views import Health, Phase
from referee.words import words
from tests.records.recorded_games import random_game
from tests.replayed.__main__ import played
from tests.replayed.at_board import RecordAtBoard

BARRAGE = rule_set("barrage")
GAME = random_game(BARRAGE, 3, 40).record
"""Red moves a piece, blue attacks at ply 20, and the flag is taken with ply 21, the last."""
ATTACK = next(number for number, ply in enumerate(GAME.plies) if ply.result is not None)


def at_ply(ply: int, sensing: Sensing = Sensing.COLOUR) -> RecordAtBoard:
    """Return the game at a board that stands as it did after a ply."""
    at_board = RecordAtBoard(GAME, BARRAGE, "travel-10x10", sensing, ply)
    at_board.lay(ply)
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    return at_board


def said(at_board: RecordAtBoard) -> str:
    """Return the sentences that screens show."""
    info, view, english = at_board.game.info(), at_board.view, words("en")
    return f"{headline(info, view, english, Contact.LIVE)[0]}. {detail(info, view, english)}"


@pytest.mark.parametrize("number", [4, 8])
def test_a_game_ends_as_recorded(number: int) -> None:
    """Hands that err and are asked, on boards for two and three; each ply is compared with the magnets."""
    at_board = played(number, 4)
    assert at_board.game.ply == len(at_board.record.plies)
    assert at_board.sim.occupied().keys() == at_board.occupants(at_board.game.ply).keys()


def test_what_no_hand_makes_is_compared_too() -> None:
    """A shot, and a slider that nobody sees: where pieces stand afterwards is asked for."""
    rules = rule_set("stratego4")
    record = random_game(rules, 12, 7).record
    shot = next(number for number, ply in enumerate(record.plies) if "!" in repr(ply))
    at_board = RecordAtBoard(record, rules, "castle-four", ply=shot)
    at_board.lay(shot)
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_BOARD)
    assert at_board.game.ply == shot + 1
    assert len(at_board.view.fixes) == 2
    at_board.lead()
    at_board.compare()


def test_the_set_up_is_asked_for_square_by_square() -> None:
    """An empty board lacks every piece; then each that stands is asked for no more, and a wrong one is."""
    at_board = RecordAtBoard(GAME, BARRAGE, "travel-10x10")
    assert said(at_board) == "Putting the board right. Set up your pieces.  Then g2 to f2."
    at_board.listen(200)
    assert len(at_board.view.fixes) == len(at_board.view.occupants)
    red = [name for name, seat in at_board.view.occupants.items() if seat is Seat.RED]
    at_board.hand("place", seat="blue", squares=red[:1])
    at_board.hand("place", seat="red", squares=red[1:])
    blue = {name for name, seat in at_board.view.occupants.items() if seat is Seat.BLUE}
    assert {fix.square for fix in at_board.view.fixes} == {red[0], *blue}
    at_board.restore()
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    assert said(at_board) == "Red: g2 to f2. Please move it."


@pytest.mark.parametrize("sensing", Sensing)
def test_a_move_and_an_attack(sensing: Sensing) -> None:
    """The sentences of a carried-out move; the verdict, then what is left to take off, and a captured piece that is left is waited for."""
    at_board = at_ply(ATTACK - 1, sensing)
    assert said(at_board).endswith("Please move it.")
    at_board.lead()
    ply = GAME.plies[ATTACK]
    decided = at_board.view.decided
    assert decided is not None
    assert (
        said(at_board)
        == f"{words('en').seat(ply.seat)}: {decided.source} attacks {decided.target}. Please lift both pieces."
    )
    at_board.hand("both", source=decided.source, target=decided.target)
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_BOARD)
    assert ply.result is not None
    assert said(at_board).startswith(words("en")[f"verdict.{ply.result.value}"])
    at_board.listen(5_000)
    assert at_board.game.phase is Phase.WAITING_FOR_BOARD
    at_board.restore()
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    assert at_board.game.ply == ATTACK + 1


def test_another_move_is_put_back() -> None:
    """What to do is said, in the words of a game; then the move is shown again."""
    at_board = at_ply(0)
    at_board.hand("move", source="c2", target="c3")
    at_board.until(lambda: at_board.game.phase is Phase.RESTORING)
    assert said(at_board) == "Putting the board right. Not that move. Put the board right.  Then g2 to f2."
    assert {(fix.square, fix.wanted) for fix in at_board.view.fixes} == {("c2", Seat.RED), ("c3", None)}
    at_board.hand("move", source="c3", target="c2")
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    assert (at_board.game.ply, said(at_board)) == (0, "Red: g2 to f2. Please move it.")


def test_half_a_move_is_waited_for() -> None:
    """A piece in the air, back, and in the air again for long: nothing is asked."""
    at_board = at_ply(0)
    at_board.hand("lift", square="g2")
    at_board.listen(20_000)
    assert (at_board.game.phase, at_board.view.in_hand) == (Phase.PIECE_IN_HAND, ("g2",))
    at_board.hand("put", seat="red", square="g2")
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    assert not at_board.view.in_hand
    at_board.lead()
    assert at_board.game.ply == 1


def test_a_hand_that_goes_on_is_asked_back() -> None:
    """The move was made, and then the piece went on: it is asked back to where the record has it."""
    at_board = at_ply(0)
    at_board.lead()
    at_board.hand("move", source="f2", target="f3")
    at_board.until(lambda: at_board.game.phase is Phase.RESTORING)
    assert {(fix.square, fix.wanted) for fix in at_board.view.fixes} == {("f2", Seat.RED), ("f3", None)}


def test_the_end_is_the_records() -> None:
    """The last position is compared before the result is shown."""
    last = len(GAME.plies) - 1
    at_board = at_ply(last)
    at_board.lead()
    assert (at_board.game.phase, at_board.view.result) == (Phase.WAITING_FOR_BOARD, None)
    at_board.lead()
    assert at_board.game.phase is Phase.FINISHED
    assert said(at_board) == "Red wins. The flag was captured"


def test_going_to_any_ply() -> None:
    """Back and forward, also from the end; a ply that is not there changes nothing."""
    at_board = at_ply(2)
    at_board.put_in(TakeBack(id="test", reason="test", ply=1))
    assert "The game goes back." in said(at_board)
    assert [(fix.square, fix.wanted) for fix in at_board.view.fixes] == [("e7", Seat.BLUE)]
    at_board.restore()
    at_board.until(lambda: at_board.game.phase is Phase.WAITING_FOR_MOVE)
    before = at_board.view
    for ply in (-1, len(GAME.plies) + 1):
        with pytest.raises(CorrectionError):
            at_board.put_in(TakeBack(id="test", reason="test", ply=ply))
    assert at_board.view == before
    at_board.put_in(TakeBack(id="test", reason="test", ply=len(GAME.plies)))
    assert "goes back" not in said(at_board)
    at_board.restore()
    at_board.until(lambda: at_board.game.phase is Phase.FINISHED)
    at_board.put_in(TakeBack(id="test", reason="test", ply=0))
    assert (at_board.game.phase, at_board.view.result) == (Phase.RESTORING, None)


def test_a_board_that_is_not_read() -> None:
    """It is said while it is so, whatever the game waits for."""
    at_board = at_ply(0)
    at_board.put_in(BoardLink(Health.LOST.value))
    assert (at_board.view.board_connected, at_board.view.health) == (False, (Health.LOST,))
    at_board.put_in(BoardWarnings((Health.QUEUE_FULL,)))
    at_board.put_in(BoardLink(None))
    assert (at_board.view.board_connected, at_board.view.health) == (True, (Health.QUEUE_FULL,))
    at_board.lead()
    assert at_board.view.health == (Health.QUEUE_FULL,)


def hidden_game(record: Record) -> RecordedGame:
    """Return the replay of what everybody may know of a game."""
    game = RecordedGame(view_of(record, View.PUBLIC), BARRAGE)
    game.apply(Open(), 0)
    return game


def test_a_view_shows_no_more_than_it_may() -> None:
    """Nothing of a replay of the public view depends on the ranks that were never shown."""
    game = hidden_game(GAME)
    shown = {rank for lost in game.view().captured.values() for rank in lost}
    game.apply(TakeBack(id="test", reason="test", ply=len(GAME.plies)), 0)
    lost = [(seat, rank) for seat, ranks in game.view().captured.items() for rank in ranks]
    assert not shown
    told = {
        (seat, rank)
        for ply in view_of(GAME, View.PUBLIC).plies
        for seat in Seat
        for rank in (ply.attacker, ply.defender)
    }
    assert set(lost) <= told


def test_puzzled_while_pieces_are_laid_out() -> None:
    """What stands wrongly is in the view already: nothing else comes of it."""
    at_board = RecordAtBoard(GAME, BARRAGE, "travel-10x10")
    before = at_board.view
    at_board.put_in(Puzzled((), 0))
    assert at_board.view == before
