"""The second generator keeps docs/reference/hands.md: its limits of times, its rates, and frames as the firmware sends them."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise
from typing import TypeAlias

import pytest

from benchmarks.hands import names
from benchmarks.second_hands import CAREFUL, Part, Rates
from benchmarks.second_world import Noise
from firmware_bridge.messages import Reading
from referee.rules.values import Seat, Square
from tests.amount import tries
from tests.bench.second_script import Played, play
from tests.hands.explain import Explanation
from tests.hands.grammar import NARROW, Change, Ply, Start, trace_text

Changed: TypeAlias = tuple[float, str, Reading]
"""When a square began to show what."""

WHOLE = 600
PLIES = tries(WHOLE)
JUDGED, LONGEST = (WHOLE, 16) if PLIES == WHOLE else (5, 12)
"""So many stretches of a game the checker looks at, and of so many changes: what it tries grows fast with them."""
OFTEN = Rates(
    hesitates=0.3,
    replies_before_release=0.3,
    takes_back=0.15,
    nudges=0.3,
    looks=0.15,
    runs_up=0.8,
    draws_slowly=0.3,
)
"""Everything so often that a few hundred plies hold all of it, on top of each other too."""


@cache
def often(seed: int, overlap: float = 0.0, sensing: str = "colour") -> Played:
    """Return a game of restless hands."""
    return play(seed, PLIES, Noise(overlap=overlap), OFTEN, sensing)


@pytest.fixture(params=[(1, 0.0, "colour"), (2, 0.25, "colour"), (3, -0.1, "occupancy")], ids=str)
def played(request: pytest.FixtureRequest) -> Played:
    """Return restless games over sensors of different reach."""
    return often(*request.param)


def gap_ms(part: Part) -> float:
    """Return for how long nobody saw a piece; negative if two squares did."""
    return part.stroke.come_ms - part.stroke.leave_ms


def test_strokes(played: Played) -> None:
    """A carried piece is out of sight for 200 ms; a pushed one is seen on at most 1,000 ms twice, is gone for at most 150 ms a border."""
    for part in played.hands.script:
        if part.kind == "look":
            continue
        if not part.stroke.pushed:
            assert gap_ms(part) >= 200
            continue
        squares = [("", 0.0, part.stroke.leave_ms), *part.stroke.passed, ("", part.stroke.come_ms, 0.0)]
        gaps = [came_ms - left_ms for (_, _, left_ms), (_, came_ms, _) in pairwise(squares)]
        assert min(gaps) >= -1_000
        assert max(gaps) <= 150 * (1 + part.stroke.skipped)
        assert all(until_ms - from_ms <= 300 for _, from_ms, until_ms in part.stroke.passed)


def test_sensors_see_what_the_script_says(played: Played) -> None:
    """Each stroke's leaving and coming is a change of its square, at the time that the script has; nothing else changes but by shows."""
    changes = defaultdict(list)
    for ms, square, reading in played.hands.world.changes:
        changes[square].append((ms, reading))
    end_ms = played.hands.now_ms - 100
    for part in played.hands.script:
        stroke = part.stroke
        if stroke.end_ms < end_ms:
            gone = [reading for ms, reading in changes[stroke.source] if abs(ms - stroke.leave_ms) < 0.01]
            come = [reading for ms, reading in changes[stroke.target] if abs(ms - stroke.come_ms) < 0.01]
            assert gone == [Reading.EMPTY], part
            assert len(come) == 1, part
            assert (come[0] is Reading.BLUE) == (part.seat == "blue" and played.hands.colour), part


def test_one_stroke_at_a_time(played: Played) -> None:
    """The attempts and the ply of a player do not overlap, and no piece is in two strokes."""
    ends: dict[str, float] = defaultdict(float)
    for part in played.hands.script:
        if part.kind in ("attempt", "ply"):
            assert part.stroke.legs[0].start_ms >= ends[part.seat] - 0.01
            ends[part.seat] = part.stroke.end_ms
    for magnet in played.hands.world.magnets:
        assert all(one.end_ms <= other.start_ms + 0.01 for one, other in pairwise(magnet.legs))


def test_rests(played: Played) -> None:
    """A rest lasts 1 to 1,750 ms, a run-up at most 1,200 ms, each on a square to which the piece may go from where it stood."""
    for (game, move), made in zip(played.moves, played.hands.plies, strict=True):
        limit_ms = 1_200 if "run-up" in made.extras else 1_750
        assert all(0 < rest_ms <= limit_ms for _, rest_ms in made.rests), made
        board = game.rule_set.board
        for name, _ in made.rests:
            line = next(line for line in board.lines(move.source) if board.square(name) in line)
            way = line[: line.index(board.square(name)) + 1]
            assert all(game.piece_at(square) is None for square in way), (made, move)
    attempts = [part for part in played.hands.script if part.kind == "attempt"]
    for out, back in zip(attempts[::2], attempts[1::2], strict=True):
        assert (out.stroke.source, out.stroke.target) == (back.stroke.target, back.stroke.source)
        assert 0 < back.stroke.leave_ms - out.stroke.come_ms <= 1_750


def test_replies(played: Played) -> None:
    """A turn begins at most 400 ms before the end of the ply before it, and after that one began; some do."""
    early = 0
    for (game, before), (_, _), one, other in zip(
        played.moves, played.moves[1:], played.hands.plies, played.hands.plies[1:], strict=False
    ):
        if not game.is_attack(before):
            assert other.begin_ms >= max(one.rest_ms - 400.5, one.begin_ms)
            early += other.begin_ms < one.rest_ms
    assert early > len(played.moves) / 20


def test_nudges(played: Played) -> None:
    """A nudged piece is seen on the free neighbour for at most 600 ms and comes back."""
    nudges = [part for part in played.hands.script if part.kind == "nudge"]
    assert len(nudges) > len(played.moves) / 20
    for out, back in zip(nudges[::2], nudges[1::2], strict=True):
        assert out.stroke.pushed
        assert back.stroke.pushed
        assert (out.stroke.source, out.stroke.target) == (back.stroke.target, back.stroke.source)
        assert 0 < back.stroke.leave_ms - out.stroke.come_ms <= 600


def test_shows(played: Played) -> None:
    """Each way to show an attack keeps the page's times."""
    for show in played.hands.shows:
        match show.motion:
            case "both-lifted":
                assert show.gone_ms >= show.left_ms - 1_500
            case "swapped" | "target-first":
                assert 30 <= show.came_ms - show.gone_ms <= 1_000
                assert show.came_ms - show.left_ms >= 200
                assert (show.gone_ms < show.left_ms) == (show.motion == "target-first")
            case "replaced-under":
                assert show.came_ms - show.gone_ms <= 300
            case _:
                assert show.told_ms is not None
    assert played.hands.colour or all(s.told_ms is not None for s in played.hands.shows if s.motion == "replaced-under")


def test_the_checker_finds_the_script(played: Played) -> None:
    """Plies after a stillness, up to three moves: what `tests.hands` makes of their changes, by its narrowest reading of the page, holds
    what was meant. The two were written apart from each other."""
    hands, judged = played.hands, 0
    changes = sorted(hands.world.changes)
    for at, (game, _) in enumerate(played.moves[:-6]):
        if judged == JUDGED:
            break
        until = at
        while until < at + 3 and not played.moves[until][0].is_attack(played.moves[until][1]):
            until += 1
        begins_ms, ends_ms = (
            hands.plies[at].begin_ms - 0.5,
            max((m.rest_ms for m in hands.plies[at:until]), default=0) + 1,
        )
        if until == at or any(begins_ms - 2_600 <= ms < begins_ms for ms, _, _ in changes):
            continue
        if any(made.quiet_ms > begins_ms for made in hands.plies[:at]):
            continue  # this turn began while the ply before it was still to come
        trace = [Change(int(ms), Square(name), shown) for ms, name, shown in changes if begins_ms <= ms <= ends_ms]
        if len(trace) > LONGEST:
            continue
        start = Start({name: Seat(seat) for name, seat in names(game).items()}, None, game.turn, hands.colour)
        meant = tuple(Ply(move.source, move.target) for _, move in played.moves[at:until])
        worlds = Explanation(start, NARROW, trace).at(trace[-1].ms)
        found = {tuple(Ply(t.source, t.target) for t in world.turns if t.source and t.target) for world in worlds}
        assert any(plies[: len(meant)] == meant for plies in found), (meant, trace_text(trace))
        judged += 1
    assert judged >= len(played.moves) / 60


def test_overlap_is_a_width() -> None:
    """The wider the strip in which both neighbours see a piece, the longer they do; without one there are gaps."""
    wide, narrow = (
        [gap_ms(p) for p in often(*of).hands.script if p.stroke.pushed and not (p.stroke.passed or p.stroke.skipped)]
        for of in ((2, 0.25, "colour"), (3, -0.1, "occupancy"))
    )
    assert max(wide) < 0
    assert sum(narrow) / len(narrow) > 0
    assert min(wide) < -500  # drawn slowly


def test_rates() -> None:
    """The shares of the page, of the turns in which it is possible: far within what chance allows."""
    extras: Counter[str] = Counter()
    plies = runs = 0
    for seed in range(10, 14):
        game = play(seed, tries(900), Noise())
        plies += len(game.moves)
        extras.update(word for made in game.hands.plies for word in made.extras)
        runs += sum(g.is_attack(m) and len(g.rule_set.board.path(m)) > 1 for g, m in game.moves)
    for word, share in (("hesitated", 0.03), ("took-back", 0.02), ("nudged", 0.02), ("looked", 0.02)):
        assert 0.4 * share < extras[word] / plies < 1.6 * share + 5 / plies, word
    assert extras["run-up"] <= runs


def test_careful_hands() -> None:
    """The profile `clean` has moves and attacks and nothing else."""
    game = play(4, 100, Noise(late_ms=0), CAREFUL)
    assert not any(made.extras or made.rests for made in game.hands.plies)
    assert {part.kind for part in game.hands.script} == {"ply"}


def test_frames_are_the_firmware_s(played: Played) -> None:
    """A frame each 10 ms while a square changed in the last 400 ms, else one 500 ms after the last; each change at most 25 ms late."""
    changed_ms = 0
    for one, other in pairwise(played.frames):
        apart_ms = other.board_ms - one.board_ms
        changes = other.squares != one.squares
        if not changes and other.board_ms - changed_ms > 400:
            assert apart_ms == 500 or (apart_ms < 500 and one.board_ms - changed_ms <= 400), one
        elif not changes:
            assert apart_ms == 10
        assert apart_ms <= 500
        assert other.seq == (one.seq + 1) % 256
        changed_ms = other.board_ms if changes else changed_ms
    seen = _seen_changes(played)
    noticed = sorted(played.hands.world.changes)
    for at, (ms, square, reading) in enumerate(noticed):
        if any(other == square for _, other, _ in _within(noticed[at + 1 : at + 40], ms + 25)):
            continue  # two changes that a scan may show as one, or not at all
        assert any(0 <= at_ms - ms <= 25 and found is reading for at_ms, found in seen[square]), (ms, square)


def _within(changes: list[Changed], until_ms: float) -> list[Changed]:
    return [change for change in changes if change[0] < until_ms]


def _seen_changes(played: Played) -> dict[str, list[tuple[int, Reading]]]:
    found: dict[str, list[tuple[int, Reading]]] = defaultdict(list)
    for one, other in pairwise(played.frames):
        for square, before, after in zip(played.hands.world.board.squares, one.squares, other.squares, strict=True):
            if after is not before:
                found[square].append((other.board_ms, after))
    return found


def test_flickers_are_short() -> None:
    """With nobody at the board a square reads wrong for at most 60 ms, about as often as was asked for."""
    game = play(5, 0, Noise(flips=1e-3, bursts_per_s=1.0))
    frames = game.hands.listen(120_000)
    truth, wrong, count = frames[0].squares, dict[int, int](), 0
    for frame in frames:
        for at, (shown, there) in enumerate(zip(frame.squares, truth, strict=True)):
            if shown is there:
                wrong.pop(at, None)
            elif at not in wrong:
                wrong[at], count = frame.board_ms, count + 1
            assert at not in wrong or frame.board_ms - wrong[at] < 60
    assert 0.5 < count / (1e-3 * 92 * 100 * 120) < 1.5


def test_holes() -> None:
    """A hole lies between two frames that are 200 to 4,000 ms apart, and the second one shows the board as it is."""
    game = play(6, PLIES, Noise(hole_every_s=4))
    holes = [(a, b) for a, b in pairwise(game.frames) if (b.seq - a.seq) % 256 != 1 or b.board_ms - a.board_ms > 500]
    assert len(holes) > game.hands.now_ms / 1_000 / 4 / 3
    assert all(200 <= b.board_ms - a.board_ms <= 4_010 for a, b in holes)
    index = {name: at for at, name in enumerate(game.hands.world.board.squares)}
    for before, after in holes:
        inside = [c for c in game.hands.world.changes if before.board_ms < c[0] < after.board_ms - 25]
        for _, square, reading in {c[1]: c for c in inside}.values():
            later = [
                c for c in game.hands.world.changes if c[1] == square and after.board_ms - 25 <= c[0] <= after.board_ms
            ]
            assert later or after.squares[index[square]] is reading


def test_the_same_seed_gives_the_same_frames() -> None:
    """Everything is drawn from the seed."""
    noise = Noise(flips=1e-4, bursts_per_s=0.2, hole_every_s=10)
    one, other, third = play(7, 60, noise), play(7, 60, noise), play(8, 60, noise)
    assert one.frames == other.frames
    assert one.hands.plies == other.hands.plies
    assert one.frames != third.frames
