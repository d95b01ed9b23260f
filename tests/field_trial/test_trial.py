"""A person followed through the plan: what counts, what is asked for again, and that nothing else ever counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

import pytest

from benchmarks.field_trial import PlayedBoard
from firmware_bridge.messages import FaultKind, Frame, LinkLost, Reading, WireFault
from referee.field_trial.plan import MotionKind
from referee.field_trial.result import COUNTED
from referee.field_trial.trial import Asks, Prompt, RejectReason, Repeats, SetBoard, Trial
from referee.rules.values import Square
from referee.runtime.boards import POLES
from referee.runtime.field_trial_hands import Wish, wishes
from referee.runtime.field_trial_session import new_trial
from referee.runtime.game import interpreter_of
from simulator.profiles import load_profile
from tests.field_trial.test_plan import board_of

Does = Callable[[Asks, list[Wish]], Iterable[Wish]]


def tried(
    motions: int, does: Does, profile: str = "clean", sensing: str = "colour", times: int = 1
) -> tuple[Trial, list[RejectReason]]:
    """Return a trial whose hands do something else with each motion for the first `times`, and why motions did not count."""
    board, start = board_of("travel-10x10", sensing)
    trial = new_trial(board, start, motions)
    whys: list[RejectReason] = []
    done: dict[int, int] = {}

    def hands(said: Prompt, random: Random) -> Iterable[Wish]:
        wanted = list(wishes(said, random))
        if isinstance(said, Repeats):
            whys.append(said.why)
        if isinstance(said, Asks):
            done[said.number] = done.get(said.number, 0) + 1
            if done[said.number] <= times:
                return does(said, wanted)
        return wanted

    PlayedBoard(board, load_profile(profile), 1, hands).run(trial)
    return trial, whys


def as_asked(said: Asks, wanted: list[Wish]) -> Iterable[Wish]:
    """Return what was asked for."""
    return wanted


@pytest.mark.parametrize("sensing", ["colour", "occupancy"])
def test_who_does_what_is_asked_for(sensing: str) -> None:
    """Everything counts once, everything is read as it was meant."""
    trial, whys = tried(40, as_asked, "home", sensing)
    assert (len(trial.outcomes), trial.repeated, trial.left_out, whys) == (40, 0, [], [])
    assert [outcome.motion for outcome in trial.outcomes] == list(trial.plan)
    for outcome in trial.outcomes:
        assert [name for name, count in COUNTED.items() if count(outcome)] == []
        assert len(outcome.latencies_ms) == (
            0 if outcome.motion.kind is MotionKind.LOOK else max(1, len(outcome.motion.plies))
        )


def test_another_motion_never_counts() -> None:
    """A piece set down beside its target is legal, and read; it was not asked for. Put back and made again, the motion counts."""

    def elsewhere(said: Asks, wanted: list[Wish]) -> Iterable[Wish]:
        if said.number != 4:
            return wanted
        motion = said.motion
        other = next(
            p.target
            for p in motion.before.prospects
            if p.source == motion.plies[0].source and len(p.path) == 1 and p.target not in motion.touched
        )
        return [{**wish, "to": other.name} if wish["motion"] == "move" else wish for wish in wanted]

    trial, whys = tried(6, elsewhere)
    assert (whys, trial.repeated, len(trial.outcomes)) == ([RejectReason.OTHER_BOARD], 1, 6)


def test_three_times_wrong_is_left_out() -> None:
    """Hands that take a piece away instead; the trial goes on with the next motion."""

    def taken_away(said: Asks, wanted: list[Wish]) -> Iterable[Wish]:
        if said.number != 2:
            return wanted
        return [{"motion": "remove", "square": said.motion.plies[0].source.name}, {"motion": "wait", "after_ms": 8000}]

    trial, whys = tried(4, taken_away, times=3)
    assert (whys, [motion is trial.plan[1] for motion in trial.left_out]) == ([RejectReason.OTHER_BOARD] * 3, [True])
    assert [outcome.motion for outcome in trial.outcomes] == [trial.plan[n] for n in (0, 2, 3)]


@pytest.mark.parametrize(("rest_ms", "why"), [(2200, RejectReason.LONG_REST), (None, RejectReason.NO_REST)])
def test_a_rest_that_hands_may_not_make(rest_ms: int | None, why: RejectReason) -> None:
    """Longer than the page of hands allows, or none at all: neither counts, whatever was read."""

    def rests(said: Asks, wanted: list[Wish]) -> Iterable[Wish]:
        if said.motion.kind is not MotionKind.HESITATION:
            return wanted
        if rest_ms is None:
            ply = said.motion.plies[0]
            return [{"motion": "move", "from": ply.source.name, "to": ply.target.name}, wanted[-1]]
        assert said.motion.rest is not None
        return [
            {**wish, "after_ms": rest_ms}
            if wish.get("square") == said.motion.rest.name and wish["motion"] == "lift"
            else wish
            for wish in wanted
        ]

    trial, whys = tried(5, rests)
    assert (whys, len(trial.outcomes)) == ([why], 5)


@pytest.mark.parametrize(("early_ms", "why"), [(700, RejectReason.EARLY_REPLY), (200, None)])
def test_an_answer_that_comes_too_early(early_ms: int, why: RejectReason | None) -> None:
    """More than 400 ms before the move ends is not what hands may do; less is, and counts."""
    board, start = board_of("travel-10x10")
    motion = next(motion for motion in new_trial(board, start, 40).plan if motion.kind is MotionKind.REPLY)
    trial = Trial([motion], interpreter_of(start.rules, board), [Square(name) for name in board.squares])
    shown = {square.name: POLES[seat] for square, seat in motion.before.occupants.items()}
    said: list[Prompt] = []
    (move, answer), came_ms = motion.plies, 3000
    changes = {
        came_ms - 900: (move.source, None),
        came_ms - early_ms: (answer.source, None),
        came_ms - early_ms + 450: (answer.target, answer.source),
        came_ms: (move.target, move.source),
    }
    poles = dict(shown)
    for at_ms in range(0, 12_000, 10):
        if at_ms in changes:
            square, source = changes[at_ms]
            if source is None:
                del shown[square.name]
            else:
                shown[square.name] = poles[source.name]
        said += trial.feed(Frame(0, at_ms, tuple(shown.get(name, Reading.EMPTY) for name in board.squares)))
    assert [one.why for one in said if isinstance(one, Repeats)][:1] == ([why] if why else [])
    assert len(trial.outcomes) == (0 if why else 1)


@pytest.mark.parametrize("trouble", [{"kind": "reboot"}, {"kind": "cut", "for_ms": 2500}])
def test_frames_that_are_missing(trouble: dict[str, object]) -> None:
    """A restart or a hole in the middle of a motion: it is asked for again, and is not one of its three tries."""

    def befallen(said: Asks, wanted: list[Wish]) -> Iterable[Wish]:
        if said.number != 1:
            return wanted
        ply = said.motion.plies[0]
        lifted: list[Wish] = [
            {"motion": "lift", "square": ply.source.name},
            {"motion": "trouble", **trouble},
            {"motion": "wait", "after_ms": 4000},
        ]
        return [*lifted, {"motion": "put", "seat": said.motion.seat.value, "square": ply.target.name}, wanted[-1]]

    trial, whys = tried(2, befallen)
    assert set(whys) == {RejectReason.GAP}
    assert (len(trial.outcomes), trial.left_out) == (2, [])


def test_a_hole_before_anything_was_made() -> None:
    """It is asked for once: whoever is there is still reading."""
    asked: list[int] = []

    def after_a_hole(said: Asks, wanted: list[Wish]) -> Iterable[Wish]:
        asked.append(said.number)
        return [{"motion": "trouble", "kind": "cut", "for_ms": 2500}, {"motion": "wait", "after_ms": 4000}, *wanted]

    trial, whys = tried(2, after_a_hole, times=2)
    assert (asked, whys, len(trial.outcomes)) == ([1, 2], [], 2)


def test_r_takes_the_last_motion_out() -> None:
    """What was counted counts no more and is asked for again, once; before anything was made there is nothing to take out."""
    board, start = board_of("travel-10x10")
    trial = new_trial(board, start, 4)
    assert trial.again() == ()
    typed: list[tuple[Prompt, ...]] = []

    def hands(said: Prompt, random: Random) -> Iterable[Wish]:
        if isinstance(said, Asks) and said.number == 3 and not typed:
            typed.append(trial.again())
            return [wish for one in typed[0] for wish in wishes(one, random)]
        return wishes(said, random)

    PlayedBoard(board, load_profile("clean"), 1, hands).run(trial)
    repeats, stand = typed[0]
    assert isinstance(repeats, Repeats)
    assert (repeats.why, repeats.motion) == (RejectReason.TYPED, trial.plan[1])
    assert isinstance(stand, SetBoard)
    assert stand.wanted == trial.plan[1].before.occupants
    assert ([outcome.motion for outcome in trial.outcomes], trial.repeated) == (list(trial.plan), 1)


def test_a_board_that_is_away_before_anything_was_made() -> None:
    """Nothing is repeated, since nothing was begun."""
    board, start = board_of("travel-10x10")
    trial = new_trial(board, start, 2)
    assert trial.feed(LinkLost("pulled")) == ()
    assert trial.feed(WireFault(FaultKind.REBOOTED, "")) == ()
    assert (trial.repeated, trial.over) == (0, False)
