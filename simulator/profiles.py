"""Named noise profiles: what sensors, link and hands are like, as data (`data/profiles.toml`, or a file of the same form)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hardware.toml_tables import Key, check_table

PROFILES_PATH = Path(__file__).with_name("data") / "profiles.toml"


class ProfileError(ValueError):
    """A noise profile that does not exist or whose file cannot be used; every reason in one line."""


@dataclass(frozen=True, slots=True)
class SensorNoise:
    """How sensors differ from what the firmware was told of them. Fractions are of a square's own centred field."""

    gain_spread: float = 0.0
    zero_spread: float = 0.0
    noise: float = 0.0
    drift: float = 0.0

    @property
    def perfect(self) -> bool:
        """Whether every sensor is like the others and stays so."""
        return self == PERFECT


PERFECT = SensorNoise()


@dataclass(frozen=True, slots=True)
class Glitches:
    """Wrong readings that no magnet causes."""

    flips: float = 0.0
    bursts_per_s: float = 0.0
    burst_ms: tuple[int, int] = (20, 60)


@dataclass(frozen=True, slots=True)
class LinkNoise:
    """What becomes of frames on their way. `lost` and `repeated` are chances of a frame, `cut` of a ply."""

    lost: float = 0.0
    repeated: float = 0.0
    cut: float = 0.0
    cut_ms: tuple[int, int] = (200, 4000)


@dataclass(frozen=True, slots=True)
class MotionShares:
    """How often legal handling comes in each form: chances of a ply, `slid` of a move, `parked` of a captured piece."""

    slid: float = 0.0
    bounced: float = 0.0
    hesitated: float = 0.0
    early_reply: float = 0.0
    changed_mind: float = 0.0
    adjusted: float = 0.0
    lifted_and_returned: float = 0.0
    parked: float = 0.0


@dataclass(frozen=True, slots=True)
class CaptureShares:
    """How often a capture is made in each way; they add up to 1."""

    both_lifted: float = 1.0
    tapped: float = 0.0
    target_first: float = 0.0
    swapped: float = 0.0


@dataclass(frozen=True, slots=True)
class AccidentShares:
    """How often something goes wrong: chances of a ply, `wrong_removal` of a capture."""

    bumped: float = 0.0
    knocked_over: float = 0.0
    own_swapped: float = 0.0
    parked_on_square: float = 0.0
    wrong_removal: float = 0.0
    rebooted: float = 0.0
    dead_square: float = 0.0
    stuck_square: float = 0.0
    drifting_square: float = 0.0


@dataclass(frozen=True, slots=True)
class Profile:
    """One world. What a profile's file leaves out does not happen in it."""

    name: str
    about: str
    sensors: SensorNoise = PERFECT
    glitches: Glitches = Glitches()
    link: LinkNoise = LinkNoise()
    motions: MotionShares = MotionShares()
    captures: CaptureShares = CaptureShares()
    accidents: AccidentShares = AccidentShares()


def _share(name: str, about: str) -> Key:
    return Key(name, "number", about, default=0.0, low=0, high=1)


def _span(name: str, about: str, default: tuple[int, int]) -> Key:
    return Key(name, "list of whole numbers", about, default=list(default), low=1, high=600_000)


TABLES: Mapping[str, tuple[Key, ...]] = {
    "sensors": (
        Key("gain_spread", "number", "the stored gain is up to this much off: thresholds move with it", 0.0, 0, 0.5),
        Key("zero_spread", "number", "standard deviation of the stored zero", 0.0, 0, 0.2),
        Key("noise", "number", "standard deviation of each measurement", 0.0, 0, 0.2),
        Key("drift", "number", "how far a zero wanders within half an hour or so", 0.0, 0, 0.5),
    ),
    "glitches": (
        _share("flips", "chance that a square reads wrong in a frame, for that frame"),
        Key("bursts_per_s", "number", "how often a square reads wrong for longer, on the whole board", 0.0, 0, 100),
        _span("burst_ms", "for how long: least and most", (20, 60)),
    ),
    "link": (
        _share("lost", "chance of a frame not to arrive"),
        _share("repeated", "chance of a frame to arrive twice"),
        _share("cut", "chance of a ply to have the link cut in the middle of it"),
        _span("cut_ms", "for how long: least and most", (200, 4000)),
    ),
    "motions": (
        _share("slid", "moves that slide, instead of being lifted"),
        _share("bounced", "pieces set down that fumble: contact comes and goes for 10 to 150 ms"),
        _share("hesitated", "moves that rest on another legal square for 150 to 1,500 ms, if there is one"),
        _share("early_reply", "replies to a move that begin before the mover has let go"),
        _share("changed_mind", "another piece is lifted first, carried about and put back"),
        _share("adjusted", "another piece is pushed to the middle of its square first"),
        _share(
            "lifted_and_returned", "another piece is lifted first, looked at and put back, and the player thinks on"
        ),
        _share("parked", "captured pieces that are put on the rim of the board for a while"),
    ),
    "captures": tuple(
        _share(name, about)
        for name, about in (
            ("both_lifted", "attacker lifted, then its target; both in hand until the verdict"),
            ("tapped", "the attacker taps its target, the handset tells the attack"),
            ("target_first", "the target is taken, then the attacker set down in its place"),
            ("swapped", "the attacker is set down as the same hand takes the victim"),
        )
    ),
    "accidents": (
        _share("bumped", "the board is knocked: four pieces or more are no longer on their squares"),
        _share("knocked_over", "the moving hand knocks another piece over"),
        _share("own_swapped", "two own pieces are lifted and put back on each other's squares"),
        _share("parked_on_square", "a captured piece is put down on a free square"),
        _share("wrong_removal", "the wrong piece is taken after the verdict"),
        _share("rebooted", "the controller restarts in the middle of a ply"),
        _share("dead_square", "a sensor sees nothing for a while"),
        _share("stuck_square", "a sensor shows the same for a while, whatever is there"),
        _share("drifting_square", "a sensor's zero runs away, and comes back"),
    ),
}
"""Every table of a profile and its keys."""

_CLASSES: Mapping[str, Any] = {
    "sensors": SensorNoise,
    "glitches": Glitches,
    "link": LinkNoise,
    "motions": MotionShares,
    "captures": CaptureShares,
    "accidents": AccidentShares,
}
CLEAN = "clean"
"""The profile in which nothing goes wrong."""


@cache
def _shipped() -> Mapping[str, Profile]:
    return parse_profiles(PROFILES_PATH.read_text(encoding="utf-8"), PROFILES_PATH.name)


def profile_names() -> tuple[str, ...]:
    """Return the names of the profiles that ship, calm ones first."""
    return tuple(_shipped())


def load_profile(name: str) -> Profile:
    """Return the profile of that name; raise ProfileError."""
    try:
        return _shipped()[name]
    except KeyError:
        raise ProfileError(f"noise profile {name!r} is none of {', '.join(_shipped())}") from None


def parse_profiles(text: str, name: str = "(given)") -> Mapping[str, Profile]:
    """Return the profiles that a TOML document describes, by name; raise ProfileError with every fault in it."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"noise profiles {name}: not TOML: {error}") from error
    faults: list[str] = []
    profiles = {word: _profile(word, content, faults) for word, content in data.items()}
    if faults:
        raise ProfileError(f"noise profiles {name}: " + "; ".join(faults))
    return {word: profile for word, profile in profiles.items() if profile is not None}


def _profile(name: str, content: object, faults: list[str]) -> Profile | None:
    before = len(faults)
    keys = (Key("about", "text", ""), *(Key(table, "table", "", default={}) for table in TABLES))
    tables = check_table(content, keys, name, faults)
    parts: dict[str, Any] = {}
    for table in TABLES:
        if table in tables and (table != "captures" or tables[table]):
            values = check_table(tables[table], TABLES[table], f"{name}.{table}", faults)
            parts[table] = _CLASSES[table](**{key: _plain(value) for key, value in values.items()})
    faults += [
        f"{name}.{table}.{key}: least and most are needed"
        for table, key in (("glitches", "burst_ms"), ("link", "cut_ms"))
        if table in parts and not _is_span(getattr(parts[table], key))
    ]
    captures = parts.get("captures", CaptureShares())
    if abs(sum(getattr(captures, key.name) for key in TABLES["captures"]) - 1.0) > 1e-9:
        faults.append(f"{name}.captures: the shares do not add up to 1")
    return Profile(name, tables["about"], **parts) if len(faults) == before else None


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _is_span(value: tuple[int, ...]) -> bool:
    return len(value) == 2 and value[0] <= value[1]
