"""Setting up, restoring, gaps of the link, and what callers may get wrong; what hands do at every rate of the event tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from firmware_bridge.messages import Frame, Reading
from referee.rules import Game, Prospect, Situation, rule_set
from referee.rules.values import Seat, Square
from referee.sensing import Agreed, BoardMismatchError, Difference, Interpreter, Observation, Seen, SensingError, Unread
from tests.sensing.event_table import LATE_MS, RATES
from tests.sensing.hand_scripts import full_game
from tests.sensing.sensing_stage import POLES, READINGS, Stage, game_with

QUIET = {"red": "a4 a6 e4 j1", "blue": "b9 e9 j10"}
Scan = Sequence[int]


@pytest.fixture(params=RATES)
def scan_ms(request: pytest.FixtureRequest) -> Scan:
    """How long after each other frames come: at 50, 100 and 200 Hz, and with jumping times."""
    return RATES[request.param]


def empty_stage(game: Game, scan_ms: Scan = (10,), colour: bool = True, with_board: bool = True) -> Stage:
    """Return a stage whose board is still empty, and no orders."""
    stage = Stage(game, colour=colour, scan_ms=scan_ms, with_board=with_board, answer=False)
    stage.readings = [Reading.EMPTY] * len(stage.squares)
    return stage


@pytest.mark.parametrize("colour", [True, False])
def test_a_filled_set_up(colour: bool, scan_ms: Scan) -> None:
    """Eighty pieces set down one by one, with pauses for thought: agreed once, 100 ms after the last, and nothing else."""
    game = full_game()
    stage = empty_stage(game, scan_ms, colour)
    stage.interpreter.expect(game.occupants())
    script = []
    at_ms = 500
    for number, (square, seat) in enumerate(game.occupants().items()):
        at_ms += 9000 if number == 40 else 300
        script.append((at_ms, square.name + {Seat.RED: "r", Seat.BLUE: "b"}[seat]))
    stage.play(script, at_ms + 10_000)
    assert stage.words() == ["agreed"]
    assert at_ms + 100 <= stage.said[0][0] <= at_ms + 100 + LATE_MS


def test_a_set_up_that_lacks_a_piece_is_told_again_after_twenty_seconds(scan_ms: Scan) -> None:
    """A missing piece is no mistake, but a long silence names it; differences() names it at any time. After that its square is masked."""
    game = game_with(QUIET)
    stage = empty_stage(game, scan_ms)
    stage.interpreter.expect(game.occupants())
    stage.play([(1000, "a4r a6r e4r j1r b9b e9b")], 30_000)
    assert stage.words() == ["puzzled j10:blue/empty"]
    assert 21_000 <= stage.said[0][0] <= 21_700
    assert stage.interpreter.differences() == (Difference(Square("j10"), Seat.BLUE, Reading.EMPTY),)
    stage.play([], 60_000)
    assert stage.words() == ["puzzled j10:blue/empty", "masked j10", "agreed"]
    assert 36_000 <= stage.said[1][0] <= 37_500


def test_a_wrong_piece_is_told_soon_and_once(scan_ms: Scan) -> None:
    """The wrong pole, a stray piece and one on a border are named after 2.5 s of rest; every set of squares once."""
    game = game_with(QUIET)
    stage = empty_stage(game, scan_ms)
    stage.interpreter.expect(game.occupants())
    stage.play([(1000, "a4r a6r e4r j1r b9b e9b"), (3000, "j10r"), (9000, "j10."), (10_000, "j9? j10b")], 16_000)
    assert stage.words() == ["puzzled j10:blue/red", "puzzled j9:-/unsure"]
    stage.play([(17_000, "j9. j10.")], 18_000)
    stage.play([(18_100, "j10r"), (25_000, "j10b")], 27_000)
    assert stage.words() == ["puzzled j10:blue/red", "puzzled j9:-/unsure", "agreed"]


def test_a_square_that_flickers_delays_no_other(scan_ms: Scan) -> None:
    """f6 shows a magnet and none in turn, every 0.4 s: the wrong piece is told in its own time, and the dead square masked in its."""
    game = game_with(QUIET)
    stage = empty_stage(game, scan_ms)
    stage.interpreter.expect(game.occupants())
    flicker = [(3000 + 400 * step, "f6r" if step % 2 == 0 else "f6.") for step in range(150)]
    script = sorted([(1000, "a4r a6r e4r j1r b9b e9b"), (2000, "j9b"), *flicker, (12_100, "j9.")])
    stage.play(script, 63_500)
    assert stage.words() == ["puzzled j9:-/blue j10:blue/empty", "masked j10", "agreed"]
    told_ms = [at_ms for at_ms, _ in stage.said]
    assert told_ms[0] <= 3400 + 2500 + 900  # nothing new shows after the first flicker
    assert told_ms[1] <= 12_100 + 15_000 + 900


@pytest.mark.parametrize("half_ms", [30, 100, 350, 1500])
@pytest.mark.parametrize("every_ms", [3000, 9000])
def test_hands_at_work_are_not_interrupted_while_a_square_flickers(every_ms: int, half_ms: int) -> None:
    """Pieces are put back one by one, slower than questions and masks wait: nothing is asked or masked before the last stands."""
    names = "a4 b4 e4 f4 i4 j4"
    stage = Stage(game_with({"red": names, "blue": "a7 j10"}), answer=False)
    for name in names.split():
        stage.set(f"{name}.")
    stage.restore()
    script = [(500 + every_ms * number, f"{name}r") for number, name in enumerate(names.split(), 1)]
    last_ms = script[-1][0]
    flickers = [(at_ms, "j10." if at_ms // half_ms % 2 else "j10b") for at_ms in range(0, last_ms, half_ms)]
    stage.play(sorted([*script, *flickers, (last_ms + 10, "j10b")]), last_ms + 2000)
    assert stage.words() == ["agreed"]


def test_what_a_set_up_lacks_is_told_although_a_square_flickers(scan_ms: Scan) -> None:
    """And the last piece, once it stands, is agreed with."""
    game = game_with(QUIET)
    stage = empty_stage(game, scan_ms)
    stage.interpreter.expect(game.occupants())
    flicker = [(3000 + 400 * step, "f6r" if step % 2 == 0 else "f6.") for step in range(75)]
    stage.play([(1000, "a4r a6r e4r j1r b9b e9b"), *flicker, (30_000, "j10b")], 40_000)
    assert stage.words() == ["puzzled j10:blue/empty", "agreed"]
    assert 23_000 <= stage.said[0][0] <= 24_000


def test_a_difference_says_whose_piece_it_is_where_poles_tell() -> None:
    """Of two armies with a pole each; not without colour, not where armies share a pole, and never of an unsure magnet."""
    two = {seat: POLES[seat] for seat in (Seat.RED, Seat.BLUE)}
    for colour, poles, whose in ((True, two, Seat.RED), (False, two, None), (True, POLES, None)):
        stage = Stage(game_with(QUIET), colour=colour)
        stage.interpreter = Interpreter(stage.squares, colour, poles, board=stage.board)
        stage.follow().play([(500, "e4. a5r f6?")], 4000)
        found = {each.square.name: (each.seen, each.whose) for each in stage.interpreter.differences()}
        assert found == {"a5": (Reading.RED, whose), "e4": (Reading.EMPTY, None), "f6": (Reading.UNSURE, None)}


def test_restoring_in_any_order(scan_ms: Scan) -> None:
    """After a disturbance the pieces come back one by one; while hands are at it nothing is said."""
    stage = Stage(game_with(QUIET), scan_ms=scan_ms).follow()
    gone = "a4. a6. e4. b9. e9. j10. a5r"
    back = [
        (6000, "j10b"),
        (7000, "a6r"),
        (8000, "a5."),
        (9500, "a4r"),
        (11_000, "b9b"),
        (12_000, "e9b"),
        (14_000, "e4r"),
    ]
    stage.play([(1000, gone), *back], 20_000)
    told = [text for text in stage.moves() if text != "final"]
    assert [text.split()[0] for text in told] == ["disturbed"]
    assert stage.said[-1][1] == "agreed"
    assert 14_100 <= stage.said[-1][0] <= 14_100 + LATE_MS


@pytest.mark.parametrize("colour", [True, False])
def test_collecting_says_what_came_to_rest(colour: bool, scan_ms: Scan) -> None:
    """First what stands there, then each new picture once; owners by pole, or by the zone where there is no colour."""
    stage = empty_stage(game_with(QUIET, "duel"), scan_ms, colour)
    stage.interpreter.collect()
    stage.play([(1000, "a4r"), (1200, "b9b"), (3000, "b9."), (3040, "b9b"), (5000, "a4.")], 9000)
    assert stage.words() == ["seen ", "seen a4=red b9=blue", "seen b9=blue"]
    assert all(0 <= at_ms - due_ms <= LATE_MS for (at_ms, _), due_ms in zip(stage.said, (300, 1500, 5300), strict=True))


def test_a_pole_tells_whose_piece_it_is_wherever_it_stands() -> None:
    """Pieces in the other army's zone, as they are put there for a position out of a book."""
    stage = empty_stage(game_with(QUIET, "duel"))
    stage.interpreter.collect()
    stage.play([(1000, "a4b b9r e5r")], 3000)
    assert stage.words() == ["seen ", "seen a4=blue e5=red b9=red"]


@pytest.mark.parametrize("half_ms", [100, 150, 200])
def test_a_square_that_flickers_keeps_no_set_up_waiting(half_ms: int) -> None:
    """It keeps the board from ever being at rest; what has stood on the others for a while is said, and it alone is left out."""
    stage = empty_stage(game_with(QUIET, "duel"))
    stage.interpreter.collect()
    flickers = [(at_ms, "b9b" if at_ms // half_ms % 2 else "b9.") for at_ms in range(0, 20_000, half_ms)]
    stage.play([*flickers, (5000, "a4r"), (5200, "a7b"), (12_000, "a4.")], 20_000)
    assert stage.words() == ["seen ", "seen a4=red a7=blue", "seen a7=blue"]


def test_collecting_without_colour_and_without_a_board_knows_no_owner() -> None:
    """Everything is the first seat's then, so that a caller who forgot the board sees it at once."""
    stage = empty_stage(game_with(QUIET, "duel"), colour=False, with_board=False)
    stage.interpreter.collect()
    stage.play([(1000, "a4r b9b")], 3000)
    (first, second) = stage.observations
    assert isinstance(first, Seen)
    assert first.occupants == {}
    assert isinstance(second, Seen)
    assert second.occupants == {Square("a4"): Seat.RED, Square("b9"): Seat.RED}


def test_without_a_board_lifts_are_read_all_the_same() -> None:
    """No geometry, so no square is another's neighbour: nothing can be drawn over a border, and what is lifted and set down is read."""
    for with_board in (True, False):
        stage = Stage(game_with(QUIET), colour=False, with_board=with_board).follow()
        stage.play([(1000, "a4."), (1200, "e9."), (1700, "a5r")], 6000)
        assert stage.moves()[0] == "read a4-a5"


def test_what_came_in_a_gap_is_asked_about_before_it_is_covered_up(scan_ms: Scan) -> None:
    """A move is made while no frames come, and soon after them the same piece goes on: never read as one move of the scout's."""
    stage = Stage(game_with(QUIET), scan_ms=scan_ms).follow()
    stage.play([], 1000)
    stage.set("e4. e5r")
    stage.now_ms += 3000
    stage.play([(5500, "e5."), (6000, "e7r"), (7000, "e9."), (7500, "e8b")], 12_000)
    assert stage.moves()[0] == "puzzled e4:red/empty e5:-/red"
    assert 4100 <= next(at_ms for at_ms, text in stage.said if text.startswith("puzzled")) <= 4300
    assert not [text for text in stage.words() if text.startswith(("read", "final"))]


def test_no_time_that_nobody_watched_makes_a_move_final(scan_ms: Scan) -> None:
    """A move is read, frames are missing for three seconds, and the hand has gone on in them: asked, not final."""
    stage = Stage(game_with(QUIET), scan_ms=scan_ms).follow()
    stage.play([(500, "e4."), (900, "e5r")], 1200)
    stage.set("e5. e6r")
    stage.now_ms += 3000
    stage.play([], 6000)
    assert stage.moves() == ["read e4-e5", "unread 1", "puzzled e4:red/empty e6:-/red"]


def test_a_piece_that_another_replaced_while_no_frames_came_makes_nothing_final(scan_ms: Scan) -> None:
    """e4-e5 is taken back and f5-e5 played instead while frames are missing for 600 ms: e5 looks as before, so the two others tell."""
    stage = Stage(game_with({"red": "e4 f5 j1", "blue": "b9 j10"}), scan_ms=scan_ms).follow()
    stage.play([(500, "e4."), (900, "e5r")], 2500)
    stage.set("f5. e4r")
    stage.now_ms += 600
    stage.play([], 9000)
    assert stage.moves() == ["read e4-e5", "unread 1", "puzzled e5:-/red f5:red/empty"]


@pytest.mark.parametrize("told", [Interpreter.link_lost, Interpreter.link_back, None])
def test_what_was_set_down_in_a_gap_is_asked_about(told: Callable[[Interpreter], None] | None, scan_ms: Scan) -> None:
    """A move made while no frames came is never read, even where one explanation fits; put back and made again it is.

    Either word of the caller's says that there was a gap, and so does a long step of the board's time.
    """
    stage = Stage(game_with(QUIET), scan_ms=scan_ms).follow()
    stage.play([], 1000)
    stage.set("a4. a5r")
    if told is not None:
        told(stage.interpreter)
    stage.now_ms += 300 if told is not None else 5000
    stage.play([], 12_000)
    assert stage.moves() == ["puzzled a4:red/empty a5:-/red"]
    stage.play([(13_000, "a5. a4r"), (14_000, "a4."), (14_500, "a5r")], 15_000)
    assert stage.moves()[1:] == ["read a4-a5"]


def test_a_piece_in_hand_outlasts_a_gap(scan_ms: Scan) -> None:
    """Lifted before the gap, set down after it: the frames saw it, and it is read."""
    stage = Stage(game_with(QUIET), scan_ms=scan_ms).follow()
    stage.play([(500, "a4.")], 1000)
    stage.interpreter.link_lost()
    stage.now_ms += 5000
    stage.play([(7000, "a5r")], 8000)
    assert stage.words() == ["lifted a4", "read a4-a5"]


def test_a_gap_in_which_nothing_happened_says_nothing(scan_ms: Scan) -> None:
    """Even right after a change that had not settled."""
    stage = Stage(game_with(QUIET), scan_ms=scan_ms).follow()
    stage.play([(500, "a4."), (540, "a4r")], 560)
    stage.now_ms += 60_000
    stage.interpreter.link_back()
    stage.play([], 70_000)
    assert stage.said == []


def test_a_few_lost_frames_are_no_gap(scan_ms: Scan) -> None:
    """Two hundred milliseconds without frames in the middle of a lift change nothing."""
    stage = Stage(game_with(QUIET), scan_ms=scan_ms).follow()
    stage.play([(500, "a4.")], 1000)
    stage.set("a5r")
    stage.now_ms += 200
    stage.play([], 3000)
    assert stage.words() == ["lifted a4", "read a4-a5"]


def test_a_reboot_is_a_gap(scan_ms: Scan) -> None:
    """Board time that jumps back invents nothing and stops nothing."""
    stage = Stage(game_with(QUIET), scan_ms=scan_ms, start_ms=50_000).follow()
    stage.play([(500, "a4.")], 1000)
    stage._start_ms = 0
    stage.now_ms = 100
    stage._sent_ms = None
    stage.play([(200, "a5r")], 1500)
    assert stage.words() == ["lifted a4", "read a4-a5"]


def test_read_is_silent_until_it_is_answered() -> None:
    """After Read nothing is said, whatever the hands do; an expectation instead of an advance puts the move back."""
    stage = Stage(game_with(QUIET), answer=False).follow()
    stage.play([(500, "a4."), (1000, "a5r")], 1500)
    assert stage.interpreter.differences() == ()  # from the position after the move
    stage.play([(2000, "e4."), (2500, "e5r")], 9000)
    assert stage.words() == ["lifted a4", "read a4-a5"]
    assert [str(each.square) for each in stage.interpreter.differences()] == ["e4", "e5"]
    stage.interpreter.expect(stage.game.occupants())
    stage.play([(9500, "a5."), (9600, "a4r"), (9900, "e5. e4r")], 12_000)
    assert stage.words()[2:] == ["agreed"]


def test_an_advance_without_a_move_is_a_follow() -> None:
    """No earlier base, nothing to become final."""
    stage = Stage(game_with(QUIET))
    stage.interpreter.advance(stage.game.situation())
    stage.play([(500, "a4."), (900, "a5r")], 1200)
    assert stage.words() == ["lifted a4", "read a4-a5"]


def test_pieces_already_in_the_air_are_told_when_following_begins() -> None:
    """The next player lifted before the order came: said once more, then read as usual."""
    stage = Stage(game_with(QUIET, turn=Seat.BLUE))
    stage.play([(500, "e9.")], 2000)
    stage.follow().play([(3000, "e8b")], 4000)
    assert stage.words() == ["lifted e9", "read e9-e8"]


def test_a_lift_in_the_first_frame_is_told_once_it_stood_as_long_as_any_other() -> None:
    """One frame alone is no lift: a square reads wrong for up to 60 ms."""
    stage = Stage(game_with(QUIET)).follow()
    stage.set("e4.")
    stage.play([], 1000)
    assert stage.said == [(70, "lifted e4")]


def test_a_piece_that_the_next_player_lifts_delays_no_agreement() -> None:
    """The board is put right at 1000 and agreed with 100 ms later, though e9 was lifted within them; that is told, too."""
    stage = Stage(game_with(QUIET), answer=False)
    stage.set("a4.")
    stage.restore()
    stage.play([(1000, "a4r"), (1030, "e9.")], 1500)
    assert stage.observations == [Agreed(1100, 1000, Square("e9"))]


def test_before_the_first_frame_every_piece_is_missing() -> None:
    """Nothing was seen yet, so whoever asks what differs is told every piece; nothing is said of it."""
    stage = Stage(game_with(QUIET)).follow()
    missing = {each.square: (each.wanted, each.seen) for each in stage.interpreter.differences()}
    assert missing == {square: (seat, Reading.EMPTY) for square, seat in stage.game.occupants().items()}
    stage.play([], 1000)
    assert (stage.interpreter.differences(), stage.said) == ((), [])


def test_nobodys_turn() -> None:
    """A game that is over has no prospects: hands are told, moves are asked about."""
    stage = Stage(game_with(QUIET))
    stage.interpreter.follow(Situation(stage.game.occupants(), None))
    stage.play([(500, "a4."), (900, "a5r")], 8000)
    assert stage.words() == ["lifted a4", "puzzled a4:red/empty a5:-/red"]


def test_latency_can_be_told_from_an_observation() -> None:
    """Read carries the board's time of the first frame that showed the last change."""
    stage = Stage(game_with(QUIET), start_ms=2**32 - 1000).follow()
    stage.play([(500, "a4."), (1100, "a5r")], 1500)
    read = stage.observations[-1]
    assert (read.at_ms, getattr(read, "changed_ms", None)) == (180, 100)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda s: s.interpreter.feed(Frame(0, 0, (Reading.EMPTY,) * 72)), "a frame of 72 squares for a board of 92"),
        (lambda s: s.interpreter.expect({Square("z9"): Seat.RED}), "the board has no square 'z9'"),
        (lambda s: Interpreter(s.squares, True, {Seat.RED: Reading.EMPTY}), "red's pole must be RED or BLUE"),
        (lambda s: Interpreter(s.squares[:1] * 2, True, POLES), "a square stands twice"),
        (lambda s: Interpreter([Square("z9")], True, POLES, board=s.board), "board 10x10 has no square 'z9'"),
        (lambda s: Interpreter(s.squares, True, {}).expect({Square("a1"): Seat.RED}), "seat red has no pole"),
    ],
)
def test_callers_mistakes(call: Callable[[Stage], object], reason: str) -> None:
    """One clear error each, and nothing has changed."""
    stage = Stage(game_with(QUIET)).follow()
    stage.play([(500, "a4.")], 800)
    with pytest.raises(SensingError, match=reason) as error:
        call(stage)
    assert isinstance(error.value, BoardMismatchError)
    stage.play([(900, "a5r")], 1200)
    assert stage.words() == ["lifted a4", "read a4-a5"]


def test_the_boards_of_every_rule_set_fit() -> None:
    """Each rule set's own board is taken as it is."""
    for name in ("original", "classic", "stratego4"):
        board = rule_set(name).board
        assert Interpreter(board.squares, False, POLES, board=board).differences() == ()
    assert set(READINGS.values()) == set(Reading)


def test_nothing_is_read_before_the_game_has_taken_back_what_was_unsaid() -> None:
    """Until then the reader does not know what stands where."""

    class SilentOnce(Stage):
        def _answer(self, observation: Observation) -> None:
            if not isinstance(observation, Unread):
                super()._answer(observation)

    home_again = [(300, "e4."), (600, "e5r"), (1200, "e5."), (1500, "e4r")]
    stage = SilentOnce(game_with({"red": "e4", "blue": "h8"})).follow()
    stage.play([*home_again, (4000, "e4."), (4400, "d4r")], 6000)
    assert [what for _, what in stage.said] == ["lifted e4", "read e4-e5", "lifted e5", "unread 1"]


def test_after_two_open_plies_the_position_is_what_the_game_says() -> None:
    """Its word for what may be done then counts, not what follows from the moves: here e4 may go round a corner."""
    bent = Prospect(Square("e4"), Square("f5"), False, (Square("f5"),))

    class Bent(Stage):
        def _advance(self, prospect: Prospect) -> None:
            if prospect == bent:
                return
            super()._advance(prospect)
            situation = self.game.situation()
            self.interpreter.advance(replace(situation, prospects=(*situation.prospects, bent)))

    stage = Bent(game_with(QUIET)).follow()
    stage.play([(1000, "a4."), (1100, "a5r"), (1250, "b9."), (1400, "b8b"), (2700, "e4."), (2950, "f5r")], 3150)
    assert stage.moves() == ["read a4-a5", "read b9-b8", "final", "read e4-f5"]
