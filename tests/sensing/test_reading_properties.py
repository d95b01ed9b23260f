"""Properties of sensing: legal hands give exactly the move, noise gives nothing, and neither scan rate nor wrap changes what is said."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firmware_bridge.messages import Reading
from referee.rules import CombatResult
from referee.rules.values import Seat, Square
from tests.amount import tries
from tests.sensing.hand_scripts import Script, full_game
from tests.sensing.sensing_stage import JUMPING_MS, POLES, READINGS, Stage, game_with, verdict

SEEDS = st.integers(0, 2**32 - 1)


def scripted(seed: int, colour: bool, plies: int) -> Script:
    """Return a random script from a position with room to run."""
    rng = Random(seed)
    return Script(full_game(empty=rng.choice((0, 12, 25)), rng=rng), rng, colour).write(plies)


def run(script: Script, scan_ms: tuple[int, ...] = (10,), start_ms: int = 0) -> Stage:
    """Play a script on a stage."""
    stage = Stage(script.start.copy(), colour=script.colour, scan_ms=scan_ms, start_ms=start_ms).follow()
    return stage.play(script.steps, script.now_ms + 500)


@settings(max_examples=tries(30), deadline=None)
@given(seed=SEEDS, colour=st.booleans(), scan_ms=st.sampled_from([(20,), (10,), (5,), JUMPING_MS]))
def test_legal_hands_give_exactly_their_moves(seed: int, colour: bool, scan_ms: tuple[int, ...]) -> None:
    """Whatever the air times, dwells, gaps, bounces and pauses: each move and attack is said once, and nothing is asked."""
    script = scripted(seed, colour, 8)
    stage = run(script, scan_ms)
    assert [text for text in stage.moves() if text != "final"] == script.told
    assert stage.interpreter.differences() == ()


@settings(max_examples=tries(10), deadline=None)
@given(seed=SEEDS, colour=st.booleans())
def test_twice_the_scan_rate_says_the_same(seed: int, colour: bool) -> None:
    """At 50, 100 and 200 Hz and with jumping frame times moves and agreements are the same, in the same order."""
    script = scripted(seed, colour, 4)
    said = [
        [text for text in run(script, scan_ms).words() if not text.startswith(("lifted", "returned", "final"))]
        for scan_ms in ((20,), (10,), (5,), JUMPING_MS)
    ]
    assert said[0] == said[1] == said[2] == said[3]


@settings(max_examples=tries(8), deadline=None)
@given(seed=SEEDS, colour=st.booleans(), before_ms=st.integers(0, 12_000))
def test_the_wrap_of_board_time_changes_nothing(seed: int, colour: bool, before_ms: int) -> None:
    """The same hands around 2^32 ms say the same at the same times."""
    script = scripted(seed, colour, 5)
    assert run(script).said == run(script, start_ms=2**32 - 1 - before_ms).said


@settings(max_examples=tries(15), deadline=None)
@given(seed=SEEDS, colour=st.booleans())
def test_looking_at_once_says_what_the_next_frame_would_say(seed: int, colour: bool) -> None:
    """An expectation judged by the frame that has come says the same in the same order, never later, and at the next frame nothing more."""
    script = scripted(seed, colour, 6)
    looking, waiting = (
        Stage(script.start.copy(), colour=colour, looks=looks).follow().play(script.steps, script.now_ms + 600)
        for looks in (True, False)
    )
    assert looking.words() == waiting.words()
    assert all(early[0] <= late[0] for early, late in zip(looking.said, waiting.said, strict=True))


class Restless(Stage):
    """A board that always sends every scan: somewhere a square flickers."""

    def _scan(self) -> None:
        self._sent_ms = None
        super()._scan()


class Resting(Restless):
    """Looks at a quiet board no oftener than every 150 ms, and then at all frames that have come, as the shell does."""

    rest_ms, looked_ms = 150, -150
    waiting: tuple[tuple[tuple[Reading, ...], int], ...] = ()

    def frame(self, shown: tuple[Reading, ...]) -> None:
        """Take a frame, and perhaps let it wait."""
        self.waiting += ((shown, self.now_ms),)
        if self.interpreter.quiet and self.now_ms < self.looked_ms + self.rest_ms:
            return
        waiting, self.waiting, self.looked_ms = self.waiting, (), self.now_ms
        for old, at_ms in waiting:
            self.feed(old, at_ms)


@settings(max_examples=tries(15), deadline=None)
@given(seed=SEEDS, colour=st.booleans())
@example(seed=169, colour=False)  # slid out of sight just before a look
def test_a_quiet_board_may_be_looked_at_seldom(seed: int, colour: bool) -> None:
    """The same is said in the same order; moves and attacks at most 80 ms later, a lift or the end of all doubt up to 150 ms."""
    script = scripted(seed, colour, 6)
    resting, awake = (
        kind(script.start.copy(), colour=colour).follow().play(script.steps, script.now_ms + 4_000)  # all is final
        for kind in (Resting, Restless)
    )
    assert resting.observations == awake.observations
    for (late_ms, text), (at_ms, _) in zip(resting.said, awake.said, strict=True):
        slack_ms = Resting.rest_ms if text.startswith(("lifted", "returned", "final")) else 80
        assert at_ms <= late_ms <= at_ms + slack_ms, text


@settings(max_examples=tries(20), deadline=None)
@given(
    colour=st.booleans(),
    scan_ms=st.sampled_from([(20,), (10,), (5,), JUMPING_MS]),
    bursts=st.lists(
        st.tuples(st.integers(0, 91), st.integers(500, 4000), st.integers(1, 60), st.sampled_from(".rb?")), max_size=25
    ),
)
def test_bursts_say_nothing(colour: bool, scan_ms: tuple[int, ...], bursts: list[tuple[int, int, int, str]]) -> None:
    """Squares that read anything for up to 60 ms, at rest for 160 ms between, anywhere and together: not a word."""
    game = full_game()
    stage = Stage(game, colour=colour, scan_ms=scan_ms).follow()
    letters = {reading: letter for letter, reading in READINGS.items()}
    free_ms: dict[int, int] = {}
    script = []
    for square, at_ms, long_ms, letter in sorted(bursts, key=lambda burst: burst[1]):
        if at_ms >= free_ms.get(square, 0):
            free_ms[square] = at_ms + long_ms + 160
            name = stage.squares[square].name
            script += [(at_ms, name + letter), (at_ms + long_ms, name + letters[stage.readings[square]])]
    assert stage.play(script, 8000).said == []


@settings(max_examples=tries(20), deadline=None)
@given(
    colour=st.booleans(),
    wrong=st.dictionaries(st.integers(0, 91), st.sampled_from(".rb?"), max_size=8),
    rhythm=st.sampled_from([(10,), (500,)]),
)
def test_a_constant_stream_is_never_a_move(colour: bool, wrong: dict[int, str], rhythm: tuple[int, ...]) -> None:
    """A board that never changes: nothing if it is as it should be; else hands and at most one question, but never a move."""
    stage = Stage(full_game(), colour=colour, scan_ms=rhythm, answer=False).follow()
    for square, letter in wrong.items():
        stage.readings[square] = READINGS[letter]
    stage.play([], 60_000)
    kinds = [text.split()[0] for text in stage.words()]
    assert not {"read", "revised", "final", "attack", "agreed", "returned"} & set(kinds)
    assert sum(kind in ("puzzled", "disturbed") for kind in kinds) <= 1
    assert all(at_ms < 12_000 for at_ms, _ in stage.said)
    shown = stage.readings if colour else [Reading.RED if r is Reading.BLUE else r for r in stage.readings]
    occupants = stage.game.occupants()
    wanted = [POLES[occupants[s]] if s in occupants else Reading.EMPTY for s in stage.squares]
    wanted = wanted if colour else [Reading.RED if r is Reading.BLUE else r for r in wanted]
    if shown == wanted:
        assert stage.said == []


@settings(max_examples=tries(15), deadline=None)
@given(seed=SEEDS, colour=st.booleans())
def test_no_frames_break_it(seed: int, colour: bool) -> None:
    """Garbage frames at garbage times between any orders: no error, and what is read is always a prospect of the position."""
    rng = Random(seed)
    stage = Stage(game_with({"red": "a4 b4 e4 f4", "blue": "a7 b7 e6 f5"}), colour=colour, answer=False)
    stage.follow()
    prospects = set(stage.game.situation().prospects)
    for _ in range(400):
        stage.now_ms += rng.choice((0, 5, 10, 10, 20, 90, 500, 2000, 2**31 + 5))
        if rng.random() < 0.05:
            order = rng.choice((stage.follow, stage.interpreter.collect, stage.interpreter.link_lost, stage.restore))
            order()
            stage.look()
        for square in rng.sample(range(92), rng.choice((0, 0, 1, 2, 4))):
            stage.readings[square] = rng.choice(list(Reading))
        stage.frame(tuple(stage.readings))
        assert stage.interpreter.look() == ()  # what a frame said is not said again
    for observation in stage.observations:
        assert getattr(observation, "prospect", None) in {None, *prospects}


@pytest.mark.parametrize("seed", range(4))
def test_four_armies_on_a_board_without_colour(seed: int) -> None:
    """Stratego 4: moves of all four seats are read by tracking alone, captains' turns and attacks with both in hand included."""
    rng = Random(seed)
    game = full_game("stratego4")
    script = Script(game, rng, colour=False).write(24)
    stage = Stage(script.start.copy(), colour=False).follow()
    stage.play(script.steps, script.now_ms + 500)
    assert [text for text in stage.moves() if text != "final"] == script.told
    assert len(script.told) == 24
    assert set(stage.game.occupants().values()) == set(Seat)


@pytest.mark.parametrize("seed", range(4))
def test_four_armies_on_a_board_with_colour(seed: int) -> None:
    """Two armies share each pole: moves and attacks of all four are read, those between armies of one pole included."""
    script = Script(full_game("stratego4"), Random(seed), colour=True).write(24)
    stage = Stage(script.start.copy(), colour=True).follow()
    stage.play(script.steps, script.now_ms + 500)
    assert [text for text in stage.moves() if text != "final"] == script.told
    assert len(script.told) == 24
    assert stage.interpreter.differences() == ()
    assert set(stage.game.occupants().values()) == set(Seat)


def test_a_quick_slide_onto_the_ring() -> None:
    """The ring lies in no row, and yet it shares a side with f5: a hand goes there as quickly as to any neighbour."""
    pieces = {"red": "h2 g5 f2 g3 d3 h3", "blue": "f5 a6", "green": "g12", "yellow": "m6"}
    stage = Stage(game_with(pieces, "stratego4", Seat.RED), colour=False).follow()
    stage.play([(1000, "h2."), (1040, "i2r"), (1800, "f5."), (1890, "ringr")], 6000)
    assert stage.words() == ["lifted h2", "read h2-i2", "lifted f5", "read f5-ring", "final", "final"]


def test_an_attack_between_two_armies_of_one_pole() -> None:
    """Red attacks green, whose magnets show red too: both in hand is an attack, and whichever stays is agreed with."""
    stage = Stage(game_with({"red": "d7", "green": "d8", "blue": "a6", "yellow": "m6"}, "stratego4", Seat.RED))
    stage.follow()
    settled = verdict("d7", "d8", CombatResult.DEFENDER_WINS)
    stage.play([(500, "d7."), (900, "d8."), (2000, settled), (3000, "d8r")], 4000)
    assert stage.moves() == ["attack d7xd8"]
    assert stage.words()[-1] == "agreed"
    assert stage.game.occupants()[Square("d8")] is Seat.GREEN
    assert stage.interpreter.differences() == ()
