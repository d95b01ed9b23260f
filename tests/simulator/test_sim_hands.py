"""The library of motions as event tables: what the squares show, in which order, and within which times."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.messages import Frame, Reading
from hardware import Sensing, load_board
from simulator.board import SimBoard
from simulator.players import Hands
from simulator.plies import way_over
from simulator.script import MotionError
from tests.amount import tries
from tests.simulator.stage import BOARD, GAME, Stage, at, words

SEEDS = range(tries(8))
SLIDE: dict[str, Any] = {"slid": 1.0}
BY_WAY: dict[str, dict[str, Any]] = {
    "both-lifted": {"both_lifted": 1.0},
    "tapped": {"tapped": 1.0},
    "target-first": {"target_first": 1.0},
    "swapped": {"swapped": 1.0},
}

# shares, target, path, rests of red's piece on e4; what a colour board tells
MOVES: list[tuple[str, dict[str, Any], str, list[str], dict[str, list[str]], str]] = [
    ("lifted", {}, "e5", [], {}, r"-e4 \+e5r"),
    ("lifted far", {}, "e8", ["e5", "e6", "e7"], {}, r"-e4 \+e8r"),
    ("slid", SLIDE, "e5", [], {}, r"-e4 \+e5r"),
    ("slid far", SLIDE, "e7", ["e5", "e6"], {}, r"-e4 \+e5r -e5 \+e6r -e6 \+e7r"),
    ("bounced", {"bounced": 1.0}, "e5", [], {}, r"(-e4 \+e4r )*-e4 \+e5r( -e5 \+e5r)*"),
    ("slid and bounced", {"bounced": 1.0, **SLIDE}, "e5", [], {}, r"-e4 \+e5r( -e5 \+e5r)*"),
    ("hesitated in the air", {"hesitated": 1.0}, "e5", [], {"e3": []}, r"-e4 \+e3r -e3 \+e5r"),
    ("hesitated on the way", {"hesitated": 1.0, **SLIDE}, "e6", ["e5"], {"e5": []}, r"-e4 \+e5r -e5 \+e6r"),
    ("too far and back", {"hesitated": 1.0, **SLIDE}, "e5", [], {"e6": ["e5"]},
     r"-e4 \+e5r -e5 \+e6r -e6 \+e5r"),
    ("another way first", {"hesitated": 1.0, **SLIDE}, "e5", [], {"e3": []},
     r"-e4 \+e3r -e3 \+e4r -e4 \+e5r"),
    ("nowhere to hesitate", {"hesitated": 1.0}, "e5", [], {}, r"-e4 \+e5r"),
    ("mind changed", {"changed_mind": 1.0}, "e5", [], {}, r"-([df]4) \+\1r -e4 \+e5r"),
    ("looked at", {"lifted_and_returned": 1.0}, "e5", [], {}, r"-([df]4) \+\1r -e4 \+e5r"),
    ("adjusted", {"adjusted": 1.0}, "e5", [], {}, r"(-([df]4) \+\2r )?-e4 \+e5r"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shares", "target", "path", "rests", "told"), MOVES, ids=[row[0] for row in MOVES])
@pytest.mark.parametrize("seed", SEEDS)
def test_moves(
    name: str, shares: dict[str, Any], target: str, path: list[str], rests: dict[str, list[str]], told: str, seed: int
) -> None:
    """Each kind of move shows its squares in its order and nothing else, on both kinds of board; then the board is as it should be."""
    for sensing in Sensing:
        stage = Stage(seed, sensing=sensing, **shares)
        ply = stage.hands.move("red", "e4", target, path, rests)
        shown = stage.until(ply.quiet_ms + 50)
        assert re.fullmatch(told, words(shown)), words(shown)
        assert ply.begin_ms <= shown[-1][0] <= ply.rest_ms + 10
        truth = {square: seat for square, seat in GAME.items() if square != "e4"} | {target: "red"}
        colours = {square: "r" if sensing is Sensing.OCCUPANCY else seat[0] for square, seat in truth.items()}
        assert stage.shows() == colours
        assert max(stage.board.changed_ms(square) for square in ("e4", target)) in [ms for ms, _ in shown]


def spans(shares: dict[str, Any], first: str, second: str, path: list[str], rests: dict[str, list[str]]) -> list[int]:
    """Return the times between two words over many seeds, for red's e4 to e6."""
    found = []
    for seed in range(60):
        stage = Stage(seed, **shares)
        ply = stage.hands.move("red", "e4", "e6", path, rests)
        shown = stage.until(ply.quiet_ms + 50)
        found.append(at(shown, second) - at(shown, first))
    return sorted(found)


# the frames are 10 ms apart, and a sensor sees a lifted magnet some 40 ms longer and a falling one as much earlier
TIMES: list[tuple[str, dict[str, Any], str, str, dict[str, list[str]], int, int, int, int]] = [
    ("air time of a lift", {}, "-e4", "+e6r", {}, 300, 450, 900, 1600),
    ("dwell on a crossed square", SLIDE, "+e5r", "-e5", {}, 10, 40, 80, 250),
    ("gap before a square", SLIDE, "-e4", "+e5r", {}, 10, 30, 80, 110),
    ("hesitation on the way", {"hesitated": 1.0, **SLIDE}, "+e5r", "-e5", {"e5": []}, 150, 400, 1300, 1700),
    ("hesitation, lifted", {"hesitated": 1.0}, "+e3r", "-e3", {"e3": []}, 150, 400, 1400, 1800),
]


@pytest.mark.parametrize(("name", "shares", "first", "second", "rests", "least", "low", "high", "most"), TIMES)
def test_times(
    name: str,
    shares: dict[str, Any],
    first: str,
    second: str,
    rests: dict[str, list[str]],
    least: int,
    low: int,
    high: int,
    most: int,
) -> None:
    """Times lie within their bounds, and their middle where it should."""
    found = spans(shares, first, second, ["e5"], rests)
    assert least <= found[0] <= found[-1] <= most, found
    assert low <= found[len(found) // 2] <= high, found


def test_contact_flips_while_fumbling() -> None:
    """A fumble shows as 10 to 150 ms without contact, now and then in pieces; over many it is seen in most."""
    lost = []
    for seed in range(60):
        stage = Stage(seed, bounced=1.0)
        ply = stage.hands.move("red", "e4", "e5")
        shown = stage.until(ply.quiet_ms + 50)
        assert ply.extras == ("bounced",)
        gone = [ms for ms, word in shown if word in ("-e4", "-e5")]
        back = [ms for ms, word in shown if word in ("+e4r", "+e5r")]
        spells = sorted(b - g for g, b in zip(gone, back, strict=True))
        lost.append(sum(spells[:-1]))  # the longest is the move itself
    assert 0 <= min(lost) <= max(lost) <= 170
    assert sum(ms >= 10 for ms in lost) > 40


def test_a_mind_that_changes_moves_on_at_once_and_one_that_looks_thinks() -> None:
    """The other piece's return is followed by the move within a second, or after a while."""
    cases: list[tuple[dict[str, Any], int]] = [({"changed_mind": 1.0}, 1000), ({"lifted_and_returned": 1.0}, 6400)]
    for shares, most in cases:
        for seed in SEEDS:
            stage = Stage(seed, **shares)
            shown = stage.until(stage.hands.move("red", "e4", "e5").quiet_ms)
            assert 100 <= at(shown, "-e4") - shown[1][0] <= most


def test_early_replies() -> None:
    """Both hands are at work at once: most replies begin before the mover's piece rests; each player's own plies stay in order."""
    overlapping = 0
    for seed in range(30):
        stage = Stage(seed, early_reply=1.0)
        first = stage.hands.move("red", "e4", "e5")
        assert first.extras == ()
        shown = stage.until(stage.hands.next_ms)
        second = stage.hands.move("blue", "f7", "f6")
        assert second.extras == ("early-reply",)
        assert first.begin_ms + 150 <= second.begin_ms <= first.rest_ms + 160
        overlapping += second.begin_ms < first.rest_ms
        shown += stage.until(stage.hands.next_ms)
        third = stage.hands.move("red", "f4", "f5")
        assert third.begin_ms >= first.rest_ms + 300
        shown += stage.until(third.quiet_ms)
        assert sorted(words(shown).split()) == sorted(["-e4", "+e5r", "-f7", "+f6b", "-f4", "+f5r"])
    assert overlapping > 15


def test_a_reply_that_would_touch_what_moves_waits() -> None:
    """Nobody takes a piece that has not come to rest: the reply comes at its time and is not called early."""
    for seed in SEEDS:
        stage = Stage(seed, early_reply=1.0, both_lifted=1.0)
        first = stage.hands.move("red", "e4", "e6")
        stage.until(stage.hands.next_ms)
        second = stage.hands.attack("blue", "f7", "e6")
        assert second.extras == ()
        assert second.begin_ms >= first.rest_ms + 500


ATTACKS = [
    ("both-lifted", r"-e6 -e7|-e7 -e6", r"-e6 -e7|-e7 -e6"),
    ("tapped", r"-e6( \+e6r)?", r"-e6( \+e6r)?"),
    ("target-first", r"-e7 -e6 \+e7r", r"-e7 -e6 \+e7r"),
    ("swapped", r"-e6 (-e7 )?\+e7r", r"-e6 (-e7 \+e7r)?"),
]
FIGHT = dict.fromkeys(("e6", "a4"), "red") | dict.fromkeys(("e7", "f7"), "blue")


@pytest.mark.parametrize(("way", "colour", "occupancy"), ATTACKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_attacks(way: str, colour: str, occupancy: str, seed: int) -> None:
    """Each way of attacking shows what it shows; only a tap is told on the handset."""
    for sensing, told in ((Sensing.COLOUR, colour), (Sensing.OCCUPANCY, occupancy)):
        stage = Stage(seed, pieces=FIGHT, sensing=sensing, **BY_WAY[way])
        ply = stage.hands.attack("red", "e6", "e7")
        shown = stage.until(ply.quiet_ms + 50)
        assert re.fullmatch(told, words(shown)), words(shown)
        assert ply.motion == way
        assert (ply.told_ms is not None) == (way == "tapped")
        assert ply.told_ms is None or ply.told_ms >= ply.rest_ms + 400


@pytest.mark.parametrize("sensing", Sensing)
@pytest.mark.parametrize("way", BY_WAY)
@pytest.mark.parametrize("slid", [0.0, 1.0])
@pytest.mark.parametrize(
    ("verdict", "left"),
    [("attacker-wins", {"e7": "r"}), ("flag-taken", {"e7": "r"}), ("defender-wins", {"e7": "b"}), ("both-lost", {})],
)
def test_clearing_an_attack_away(way: str, sensing: Sensing, slid: float, verdict: str, left: dict[str, str]) -> None:
    """Whatever hands showed, after the verdict the right piece stands on the target and nothing on the source."""
    for seed in range(4):
        stage = Stage(seed, pieces=FIGHT, sensing=sensing, bounced=0.5, slid=slid, parked=0.5, **BY_WAY[way])
        ply = stage.hands.attack("red", "e6", "e7")
        stage.until(ply.told_ms or ply.quiet_ms)
        ply = stage.hands.resolve(verdict)
        stage.until(ply.quiet_ms + 50)
        wanted = {"a4": "r", "f7": "b"} | left
        assert stage.shows() == {s: "r" if sensing is Sensing.OCCUPANCY else pole for s, pole in wanted.items()}
        assert ply.heals
        assert ply.accidents == ()


def test_after_a_tap_removals_come_in_either_order() -> None:
    """Attacker up first, or defender away first: both are seen."""
    seen = set()
    for seed in range(30):
        stage = Stage(seed, pieces=FIGHT, tapped=1.0)
        stage.until(stage.hands.attack("red", "e6", "e7").told_ms or 0)
        shown = stage.until(stage.hands.resolve("attacker-wins").quiet_ms + 50)
        seen.add(words(shown))
    assert {"-e6 -e7 +e7r", "-e7 -e6 +e7r", "-e7 +e7r"} == seen


def test_parked_pieces_are_seen_by_nobody() -> None:
    """A captured piece on the rim: beside the squares for seconds, and no square reads it."""
    for seed in SEEDS:
        stage = Stage(seed, pieces=FIGHT, both_lifted=1.0, parked=1.0)
        stage.until(stage.hands.attack("red", "e6", "e7").quiet_ms + 500)
        ply = stage.hands.resolve("both-lost")
        assert ply.extras == ("parked", "parked")
        assert stage.until(ply.quiet_ms + 100) == []
        assert not stage.board.busy
        assert stage.until(ply.quiet_ms + 30_000) == []


def test_restoring() -> None:
    """Hands make any board into any other: what is wrong goes, what is missing comes, and nothing else is touched."""
    stage = Stage(3)
    ply = stage.hands.restore({"d4": "red", "e4": "blue", "a10": "blue", "f7": "blue"})
    shown = stage.until(ply.quiet_ms + 50)
    assert sorted(words(shown).split()) == sorted(["-e4", "-f4", "-d7", "+e4b", "+a10b"])
    assert stage.shows() == {"d4": "r", "e4": "b", "a10": "b", "f7": "b"}


@pytest.mark.parametrize("hz", [20, 50, 120, 200, 1000])
def test_any_scan_rate(hz: int) -> None:
    """Noise and troubles included, at any rate frames lie on its grid and the board ends as hands left it."""
    board = replace(BOARD, scan=replace(BOARD.scan, hz=hz))
    sim = SimBoard(board, 5, profile="rough")
    sim.lay(GAME)
    hands = Hands(sim, 5)
    times = []
    for target in ("e5", "e6", "e5", "e4"):
        source = next(square for square in ("e4", "e5", "e6") if square in sim.occupied())
        ply = hands.move("red", source, target)
        heard = sim.listen(ply.quiet_ms + 1000)
        times += [message.board_ms for message in heard if isinstance(message, Frame)]
    assert set(sim.occupied()) == set(GAME)
    assert times == sorted(set(times))
    assert {ms * hz % 1000 < hz or -ms * hz % 1000 < hz for ms in times} == {True}


def test_four_armies() -> None:
    """Every seat has hands, on boards that are no grid too; two armies that share a pole are told apart when hands put things right."""
    for name, squares in (("castle-four", ("g2", "a7", "g12", "m7")), ("castle-three", ("rd3", "bd3", "gd3", "rd4"))):
        sim = SimBoard(load_board(name), 2, profile="home")
        seats = dict(zip(squares, ("red", "blue", "green", "yellow"), strict=True))
        sim.lay(seats)
        hands = Hands(sim, 2)
        away = dict(zip(squares[1:] + squares[:1], seats.values(), strict=True))
        sim.listen(hands.restore(away).quiet_ms + 500)
        shown = {sim.board.squares[n] for n in range(len(sim.board.squares)) if sim.firmware.reading(n) is Reading.RED}
        assert shown == set(squares)
        assert {sim.board.squares[n]: magnet.seat for n, magnet in sim.table.resting.items()} == away


@settings(max_examples=tries(200), deadline=None)
@given(
    rest=st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True),
    path=st.lists(st.integers(1, 6), min_size=1, max_size=4, unique=True),
)
def test_the_way_over_a_rest(rest: list[int], path: list[int]) -> None:
    """It passes the rest, ends on the target, and goes only over squares of the two ways and the source."""
    way = way_over(0, rest, path)
    assert way[-1] == path[-1]
    assert rest[-1] in way
    assert set(way) <= {0, *rest, *path}


REFUSED = [
    (lambda hands: hands.move("red", "a1", "a2"), "no piece stands on a1"),
    (lambda hands: hands.move("red", "e4", "f4"), "a piece stands on f4 already"),
    (lambda hands: hands.move("red", "e4", "g4", ["f4"]), "a piece stands on f4 already"),
    (lambda hands: hands.move("red", "e4", "z9"), "the board has no square 'z9'"),
    (lambda hands: hands.attack("red", "e4", "e5"), "no piece stands on e5"),
    (lambda hands: hands.resolve("both-lost"), "no attack is under way"),
    (lambda hands: hands.resolve("draw"), "verdict 'draw' is none of attacker-wins"),
    (lambda hands: hands.restore({"a1": "mauve"}), "seat 'mauve' is none of"),
]


@pytest.mark.parametrize(("wish", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_no_hand_can_do(wish: Any, reason: str) -> None:
    """One clear reason, and nothing has moved."""
    stage = Stage(1)
    with pytest.raises(MotionError, match=reason):
        wish(stage.hands)
    assert stage.until(5000) == []
