"""Noise profiles: what the data say, what bad data are told, and that what happens has the shares that were asked for."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from firmware_bridge.messages import Frame, Reading, WireFault
from firmware_bridge.wire import Decoder
from hardware import Sensing, load_board
from simulator.board import SimBoard
from simulator.faults import NEVER, next_gap
from simulator.players import Hands
from simulator.profiles import (
    AccidentShares,
    Glitches,
    LinkNoise,
    MotionShares,
    Profile,
    ProfileError,
    SensorNoise,
    load_profile,
    parse_profiles,
    profile_names,
)

BOARD = load_board("travel-10x10")
EMPTY, RED, BLUE, UNSURE = Reading


def within(count: int, tries: int, share: float) -> bool:
    """Return whether a count fits a share: within four standard deviations of its binomial distribution."""
    return abs(count - tries * share) <= 4 * math.sqrt(tries * share * (1 - share)) + 1e-9


# ------------------------------------------------------------------------------------------------------------- data


def test_the_shares_that_the_accuracy_bench_is_promised() -> None:
    """`home` and `rough` are what the benches are stated for; `clean` has nothing that goes wrong."""
    assert profile_names() == ("clean", "home", "rough", "gaps", "overlap")
    clean, home, rough, gaps, overlap = map(load_profile, profile_names())
    motions = home.motions
    shares = (motions.slid, motions.bounced, motions.hesitated, motions.early_reply, home.captures.swapped)
    assert shares == (0.30, 0.20, 0.025, 0.07, 0.15)
    assert (home.glitches.flips, home.glitches.burst_ms) == (1e-4, (20, 60))
    assert (rough.glitches.flips, rough.glitches.burst_ms) == (1e-3, (20, 60))
    assert rough.glitches.bursts_per_s > home.glitches.bursts_per_s > 0
    assert rough.accidents.bumped > 0
    assert clean.accidents == home.accidents == AccidentShares()
    holes = replace(home.link, hole_every_s=25, hole_ms=(200, 4000))
    assert gaps == replace(home, name="gaps", about=gaps.about, link=holes)
    assert overlap == replace(home, name="overlap", about=overlap.about, sensors=replace(home.sensors, reach=1.0))
    assert clean == Profile("clean", clean.about, motions=MotionShares(slid=0.3), captures=home.captures)


BAD = [
    ("x = 1", "x: a table is needed"),
    ("[x]", "x: key 'about' is missing"),
    ("[x]\nabout = 'x'\nfips = 1", "x: unknown key 'fips' (known: about, accidents, captures"),
    (
        "[x]\nabout = 'x'\n[x.glitches]\nfips = 1",
        "x.glitches: unknown key 'fips' (known: burst_ms, bursts_per_s, flips)",
    ),
    ("[x]\nabout = 'x'\n[x.glitches]\nflips = 2", "x.glitches.flips: 2 is more than 1"),
    ("[x]\nabout = 'x'\n[x.glitches]\nburst_ms = [60, 20]", "x.glitches.burst_ms: least and most are needed"),
    ("[x]\nabout = 'x'\n[x.link]\ncut_ms = [60]", "x.link.cut_ms: least and most are needed"),
    ("[x]\nabout = 'x'\n[x.captures]\nswapped = 0.5", "x.captures: the shares do not add up to 1"),
    ("[x", "noise profiles (given): not TOML"),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_bad_profiles(text: str, reason: str) -> None:
    """One error that names the place and the reason."""
    with pytest.raises(ProfileError) as error:
        parse_profiles(text)
    assert reason in str(error.value)


def test_every_fault_is_told_at_once() -> None:
    """Two profiles, three faults, one error."""
    with pytest.raises(ProfileError) as error:
        parse_profiles("[x]\nabout = 1\n[y]\nabout = ''\n[y.motions]\nslid = -1\nslud = 1")
    assert all(reason in str(error.value) for reason in ("x.about", "y.motions.slid", "'slud'"))


def test_an_unknown_profile() -> None:
    """The names that there are are told."""
    with pytest.raises(ProfileError, match="noise profile 'wild' is none of clean, home, rough, gaps, overlap"):
        load_profile("wild")
    with pytest.raises(ProfileError, match="'wild'"):
        SimBoard(BOARD, profile="wild")


# ---------------------------------------------------------------------------------------------------------- glitches


def test_gaps_are_geometric() -> None:
    """The mean gap before the next hit is what single tries would give; certain and impossible things are just that."""
    random = Random(5)
    for share in (0.5, 0.01, 1e-3):
        gaps = [next_gap(share, random) for _ in range(4000)]
        assert sum(gaps) / 4000 == pytest.approx((1 - share) / share, rel=0.07)
    assert next_gap(0.0, random) == NEVER
    assert next_gap(1.0, random) == 0


def wrong_spells(
    profile: Profile, seconds: int, sensing: Sensing = Sensing.COLOUR
) -> tuple[list[int], Counter[Reading]]:
    """Return how many frames in a row each square of an untouched board was wrong, and what it showed: 20 red pieces, 72 empty."""
    board = SimBoard(BOARD.with_sensing(sensing), 11, profile=profile)
    board.lay(dict.fromkeys(BOARD.squares[:20], "red"))
    truth = [RED] * 20 + [EMPTY] * 72
    spells: list[int] = []
    shown: Counter[Reading] = Counter()
    lasting: dict[int, int] = {}
    for message in board.listen(seconds * 1000)[1:]:
        assert isinstance(message, Frame)
        for square, (reading, true) in enumerate(zip(message.squares, truth, strict=True)):
            if reading is not true:
                lasting[square] = lasting.get(square, 0) + 1
                shown[reading] += 1
            elif square in lasting:
                spells.append(lasting.pop(square))
    return spells, shown


def test_flips_have_their_share() -> None:
    """1e-3 of squares and frames are wrong, each for one frame, and show each of the other readings."""
    profile = Profile("x", "", glitches=Glitches(flips=1e-3))
    spells, shown = wrong_spells(profile, 100)
    assert within(sum(spells), 92 * 10_000, 1e-3)
    assert set(spells) <= {1, 2}
    assert spells.count(1) > 0.99 * len(spells)
    assert set(shown) == {EMPTY, RED, BLUE, UNSURE}
    _, shown = wrong_spells(profile, 20, Sensing.OCCUPANCY)
    assert set(shown) == {EMPTY, RED}


def test_bursts_have_their_rate_and_length() -> None:
    """Two bursts a second, each of 20 to 60 ms, on any square."""
    spells, _ = wrong_spells(Profile("x", "", glitches=Glitches(bursts_per_s=2.0)), 200)
    assert abs(len(spells) - 400) <= 4 * math.sqrt(400)
    assert {2, 3, 4, 5, 6} <= set(spells)
    assert sum(2 <= spell <= 6 for spell in spells) >= 0.99 * len(spells)  # two may meet on one square


def test_holes_come_by_themselves() -> None:
    """About every 25 s nothing arrives for 0.2 to 4 s, and the board goes on meanwhile."""
    board = SimBoard(BOARD, 3, profile=Profile("x", "", link=LinkNoise(hole_every_s=25), glitches=Glitches(flips=1e-3)))
    frames = [message for message in board.listen(1_000_000) if isinstance(message, Frame)]
    holes = [b.board_ms - a.board_ms for a, b in pairwise(frames) if b.board_ms - a.board_ms > 510]
    assert 22 <= len(holes) <= 48
    assert max(holes) <= 4_500
    assert max(holes) > 3_000
    assert not any(b.board_ms - a.board_ms > 500 and (b.seq - a.seq) % 256 == 1 for a, b in pairwise(frames))


def test_neighbours_see_a_piece_on_their_border() -> None:
    """With a reach of 1 both do, without one neither; a piece in the middle of its square is seen there alone."""
    for reach, seen in ((0.0, (0, 1)), (1.0, (1, 2))):
        board = SimBoard(BOARD, 3, profile=Profile("x", "", sensors=SensorNoise(reach=reach)))
        board.lay({"c3": "red"})
        board.listen(1_000)
        board.begin({"motion": "move", "from": "c3", "to": "c4", "style": "slide"})
        counts = [sum(r is RED for r in f.squares) for f in board.listen(4_000) if isinstance(f, Frame)]
        assert (min(counts), max(counts)) == seen
        assert counts[-1] == 1


def test_the_line_loses_and_repeats() -> None:
    """Shares of frames that are missing or come twice; what is heard as messages is what a decoder makes of the bytes."""
    profile = Profile("x", "", glitches=Glitches(flips=1e-3), link=LinkNoise(lost=0.02, repeated=0.05))
    sent, heard = SimBoard(BOARD, 3, profile=profile), SimBoard(BOARD, 3, profile=profile)
    raw = sent.advance(100_000)
    decoded = Decoder().feed(b"".join(raw))
    assert [item for item in decoded if not isinstance(item, WireFault)] == heard.listen(100_000)
    faults = Counter(item.kind.value for item in decoded if isinstance(item, WireFault))
    missing = sum(item.count for item in decoded if isinstance(item, WireFault) and item.kind.value == "gap")
    frames = len(raw) - faults["repeated"] + missing
    assert within(missing, frames, 0.02)
    assert within(faults["repeated"], frames, 0.05)
    assert set(faults) == {"gap", "repeated"}


# ------------------------------------------------------------------------------------------------------------- hands


def walk(profile: Profile, plies: int, seed: int = 4) -> Counter[str]:
    """Let two pieces a side walk to and fro, with room on all sides; return how often each word was drawn."""
    board = SimBoard(BOARD, seed, profile=replace(profile, glitches=Glitches(), link=LinkNoise()))
    board.lay({"b2": "red", "e2": "red", "b9": "blue", "e9": "blue", "a1": "red", "a10": "blue"})
    hands = Hands(board, seed)
    drawn: Counter[str] = Counter()
    seats = {"red": ("b2", "b3"), "blue": ("b9", "b8")}
    for n in range(plies):
        seat = ("red", "blue")[n % 2]
        source, target = seats[seat]
        beside = "c" + target[1:]
        ply = hands.move(seat, source, target, (), {beside: ["c" + source[1:]]})
        seats[seat] = (target, source)
        drawn.update((ply.motion, *ply.extras, *ply.accidents))
        assert all(150 <= ms <= 1501 for _, ms in ply.rests)
        assert bool(ply.rests) == ("hesitated" in ply.extras)
    return drawn


@pytest.mark.parametrize("name", ["home", "rough"])
def test_motions_have_their_shares(name: str) -> None:
    """Over 2,000 moves each kind of handling comes as often as the profile says."""
    profile = load_profile(name)
    drawn = walk(profile, 2000)
    shares = profile.motions
    for word, share in (
        ("slide", shares.slid),
        ("bounced", shares.bounced),
        ("hesitated", shares.hesitated),
        ("early-reply", shares.early_reply),
    ):
        assert within(drawn[word], 2000, share), word
    late = 2000 - drawn["early-reply"]  # who replies early does not fidget first
    for word, share in (
        ("changed-mind", shares.changed_mind),
        ("adjusted", shares.adjusted),
        ("lifted-and-returned", shares.lifted_and_returned),
    ):
        assert within(drawn[word], late, share), word
    assert drawn["lift"] + drawn["slide"] == 2000


def test_on_clean_nothing_is_drawn_but_lifts_and_slides() -> None:
    """The careful hands of `clean`."""
    assert set(walk(load_profile("clean"), 200)) == {"lift", "slide"}


def test_captures_and_accidents_have_their_shares() -> None:
    """Over 600 captures: ways of attacking, and accidents at ten times the rate of `rough`."""
    rough, rounds = load_profile("rough"), 600
    often = AccidentShares(
        **{name: 10 * getattr(rough.accidents, name) for name in AccidentShares.__dataclass_fields__}
    )
    profile = replace(rough, accidents=often, glitches=Glitches(), link=LinkNoise(cut=0.02, cut_ms=(200, 300)))
    board = SimBoard(BOARD, 9, profile=profile)
    hands = Hands(board, 9)
    drawn: Counter[str] = Counter()
    lost = 0
    for n in range(rounds):
        board.lay(dict.fromkeys(("d2", "e2", "f2", "b2"), "red") | dict.fromkeys(("e3", "f3", "d3", "b3"), "blue"))
        mishap = hands.mishap("red")
        if mishap is not None:
            drawn.update(mishap.accidents)
            board.lay(dict.fromkeys(("d2", "e2", "f2", "b2"), "red") | dict.fromkeys(("e3", "f3"), "blue"))
        shown = hands.attack("red", "e2", "e3")
        cleared = hands.resolve(("attacker-wins", "defender-wins", "both-lost")[n % 3])
        drawn.update((shown.motion, *shown.accidents, *cleared.accidents, *cleared.extras))
        lost += (1, 1, 2)[n % 3] if "wrong-removal" not in cleared.accidents else 0
    captures = profile.captures
    for word, tries, share in (
        ("both-lifted", rounds, captures.both_lifted),
        ("tapped", rounds, captures.tapped),
        ("target-first", rounds, captures.target_first),
        ("swapped", rounds, captures.swapped),
        ("bumped", rounds, often.bumped),
        ("own-swapped", rounds, often.own_swapped),
        ("wrong-removal", rounds, often.wrong_removal),
        ("parked-on-square", lost, often.parked_on_square),
        ("parked", lost, (1 - often.parked_on_square) * profile.motions.parked),
        ("rebooted", 2 * rounds, often.rebooted),
        ("dead-square", 2 * rounds, often.dead_square),
        ("stuck-square", 2 * rounds, often.stuck_square),
        ("drifting-square", 2 * rounds, often.drifting_square),
        ("cut", 2 * rounds, profile.link.cut),
    ):
        assert within(drawn[word], tries, share), (word, drawn[word], tries * share)


def test_the_same_seed_plays_the_same() -> None:
    """Board, profile, seed and calls decide everything: messages and plies alike; another seed gives others."""

    def run(seed: int) -> tuple[object, ...]:
        board = SimBoard(BOARD, seed, profile="rough")
        board.lay(dict.fromkeys(BOARD.squares[:40], "red"))
        hands = Hands(board, seed)
        plies = [hands.move("red", "a4", "a5"), hands.move("red", "b4", "b5"), hands.restore({"b5": "red"})]
        return plies, board.listen(60_000)

    assert run(3) == run(3)
    assert run(3) != run(4)
