"""What is fitted: arithmetic on made-up counts, the profile as a file, and two whole boards with hidden parameters."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from benchmarks.field_trial import RANGES, hidden_profile, limit_of, try_board
from hardware import load_board
from referee.field_trial.fitting import BASE, Fit, _spans, profile_of, profile_text
from referee.runtime.field_trial_session import places_of
from simulator.profiles import ProfileError, load_profile, parse_profiles
from tests.amount import tries


@pytest.mark.parametrize(("least", "most"), [(20, 60), (24, 47), (30, 58)])
def test_ends_of_an_even_distribution_in_whole_scans(least: int, most: int) -> None:
    """Within two milliseconds, though only scans of 10 ms are seen and a few flips come in a row."""
    random = Random(1)
    counts = Counter(max(1, round(random.uniform(least, most) / 10)) for _ in range(2000)) + Counter(
        {2: 5, 11: 2, 1: 900}
    )
    found = _spans(counts, 10.0)
    assert found is not None
    assert found == pytest.approx((least, most), abs=2)


def test_lengths_that_say_nothing() -> None:
    """One length, or none, has no two ends."""
    assert _spans(Counter({1: 50}), 10.0) is None
    assert _spans(Counter({3: 50}), 10.0) is None


def test_the_profile_as_a_file(tmp_path: Path) -> None:
    """What is written is what is read, by name of the file; what is hardly known stays as it was."""
    fits = [
        Fit("glitches.flips", 3e-4, 400),
        Fit("glitches.burst_ms", (22, 51), 90),
        Fit("motions.bounced", 0.02, 3, 0.004, 0.06),
        Fit("link.lost", 1.0, 1, 0.02, 1.0),
        Fit("times.air_ms", 480.5, 70),
        Fit("times.crossed_ms", 300.0, 2),
    ]
    profile = profile_of(fits, "a board")
    home = load_profile(BASE)
    assert (profile.glitches.flips, profile.glitches.burst_ms, profile.motions.bounced) == (3e-4, (22, 51), 0.02)
    assert (profile.times.air_ms, profile.times.crossed_ms) == (480.5, home.times.crossed_ms)
    assert (profile.captures, profile.link.lost) == (home.captures, home.link.lost)
    text = profile_text(profile)
    assert parse_profiles(text) == {"fitted": profile}
    path = tmp_path / "mine.toml"
    path.write_text(text)
    assert load_profile(str(path)) == profile


BAD = {
    "missing": (None, "No such file or directory"),
    "nonsense": (b"[", "noise profiles"),
    "not a text": (b"\xff\xfe", "not a text"),
    "two": (b"[a]\nabout = 'x'\n[b]\nabout = 'y'\n", "one profile is needed, not 2"),
    "a wrong key": (b"[a]\nabout = 'x'\n[a.times]\nair_ms = 1\n", "a.times"),
}


@pytest.mark.parametrize("name", BAD)
def test_files_that_are_no_profile(name: str, tmp_path: Path) -> None:
    """One line that names the file."""
    content, reason = BAD[name]
    path = tmp_path / "bad.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ProfileError, match=reason) as caught:
        load_profile(str(path))
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_hidden_parameters_lie_in_their_ranges() -> None:
    """And differ from board to board."""
    profiles = [hidden_profile(Random(seed)) for seed in range(20)]
    assert len({profile.times for profile in profiles}) == 20
    for key in (key for key in RANGES if "." in key):
        part, _, name = key.partition(".")
        low, high = RANGES[key]
        assert all(low <= getattr(getattr(profile, part), name) <= high for profile in profiles)


@pytest.mark.parametrize("number", [0, 1][: tries(4)])
def test_a_board_with_hidden_parameters(number: int) -> None:
    """One with colour, one without, which `make quick` leaves out: every parameter within 20 % of the truth.

    `bench field-trial` tries twenty, and the latency. `make quick` has fewer motions to fit from, and so errs by half as much again.
    """
    motions = max(100, tries(200))
    errors = try_board("sample", number, motions=motions, held_out=motions // 10)
    wrong = {name for name, error in errors.items() if abs(error) > limit_of(name) * (200 / motions) ** 0.5}
    assert wrong <= {"latency p99"}


def test_places_are_those_of_the_board() -> None:
    """Neighbours are one pitch apart."""
    places = places_of(load_board("travel-10x10"))
    assert len(places) == len(set(places.values())) == 92
