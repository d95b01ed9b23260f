"""Named noise profiles: what sensors, link and hands are like, as data (`data/profiles.toml`, or a file of the same form)."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from toml_tables import Key, check_table, keyed, keys_of, parse_toml

PROFILES_PATH = Path(__file__).with_name("data") / "profiles.toml"


class ProfileError(ValueError):
    """A noise profile that does not exist or whose file cannot be used; every reason in one line."""


def _number(about: str, *, high: float = 1.0) -> Any:
    return keyed(about, 0.0, low=0, high=high)


def _span(about: str, default: tuple[int, int]) -> Any:
    return keyed(about, default, kind="list of whole numbers", low=1, high=600_000, read=_least_and_most)


def _least_and_most(numbers: list[int]) -> tuple[int, ...]:
    if len(numbers) != 2 or numbers[0] > numbers[1]:
        raise ValueError("least and most are needed")
    return tuple(numbers)


@dataclass(frozen=True, slots=True)
class SensorNoise:
    """How sensors differ from what the firmware was told of them. Fractions are of a square's own centred field."""

    gain_spread: float = _number("the stored gain is up to this much off: thresholds move with it", high=0.5)
    zero_spread: float = _number("standard deviation of the stored zero", high=0.2)
    noise: float = _number("standard deviation of each measurement", high=0.2)
    drift: float = _number("how far a zero wanders within half an hour or so", high=0.5)
    reach: float = _number("so much farther along the board a magnet is seen: 1 is twice as far", high=2.0)

    @property
    def perfect(self) -> bool:
        """Return whether every sensor is like the others and stays so."""
        return self == PERFECT


PERFECT = SensorNoise()


@dataclass(frozen=True, slots=True)
class Glitches:
    """Wrong readings that no magnet causes."""

    flips: float = _number("chance that a square reads wrong in a frame, for that frame")
    bursts_per_s: float = _number("how often a square reads wrong for longer, on the whole board", high=100)
    burst_ms: tuple[int, int] = _span("for how long: least and most", (20, 60))


@dataclass(frozen=True, slots=True)
class LinkNoise:
    """What becomes of frames on their way. `lost` and `repeated` are chances of a frame, `cut` of a ply; holes come by themselves."""

    lost: float = _number("chance of a frame not to arrive")
    repeated: float = _number("chance of a frame to arrive twice")
    cut: float = _number("chance of a ply to have the link cut in the middle of it")
    cut_ms: tuple[int, int] = _span("for how long: least and most", (200, 4000))
    hole_every_s: float = _number("nothing arrives for a while about so often; 0: never", high=3600)
    hole_ms: tuple[int, int] = _span("for how long: least and most", (200, 4000))


@dataclass(frozen=True, slots=True)
class MotionShares:
    """How often legal handling comes in each form: chances of a ply, `slid` of a move, `parked` of a captured piece."""

    slid: float = _number("moves that slide, instead of being lifted")
    bounced: float = _number("pieces set down that fumble: contact comes and goes for 10 to 150 ms")
    hesitated: float = _number("moves that rest on another legal square for 150 to 1,500 ms, if there is one")
    early_reply: float = _number("replies to a move that begin before the mover has let go")
    changed_mind: float = _number("another piece is lifted first, carried about and put back")
    adjusted: float = _number("another piece is pushed to the middle of its square first")
    lifted_and_returned: float = _number(
        "another piece is lifted first, looked at and put back, and the player thinks on"
    )
    parked: float = _number("captured pieces that are put on the rim of the board for a while")


def _time(about: str, usual_ms: float) -> Any:
    return keyed(about, usual_ms, low=5, high=5000)


@dataclass(frozen=True, slots=True)
class HandTimes:
    """How fast hands are, as the sensors see them. Each makes all times of its kind in `simulator/times.py` longer or shorter alike."""

    air_ms: float = _time("half of the pieces that are lifted over are out of sight for longer", 645)
    crossed_ms: float = _time("half of the squares that a sliding piece crosses see it for longer", 54)
    border_ms: float = _time("nothing sees a sliding piece at a border for so long, on average", 61)
    contact_lost_ms: float = _time(
        "half of the pieces that fumble are out of contact for longer, all hops together", 36
    )


USUAL = HandTimes()


@dataclass(frozen=True, slots=True)
class CaptureShares:
    """How often a capture is made in each way; they add up to 1."""

    both_lifted: float = _number("attacker lifted, then its target; both in hand until the verdict")
    tapped: float = _number("the attacker taps its target, the handset tells the attack")
    target_first: float = _number("the target is taken, then the attacker set down in its place")
    swapped: float = _number("the attacker is set down as the same hand takes the victim")


@dataclass(frozen=True, slots=True)
class AccidentShares:
    """How often something goes wrong: chances of a ply, `wrong_removal` of a capture."""

    bumped: float = _number("the board is knocked: four pieces or more are no longer on their squares")
    knocked_over: float = _number("the moving hand knocks another piece over")
    own_swapped: float = _number("two own pieces are lifted and put back on each other's squares")
    parked_on_square: float = _number("a captured piece is put down on a free square")
    wrong_removal: float = _number("the wrong piece is taken after the verdict")
    rebooted: float = _number("the controller restarts in the middle of a ply")
    dead_square: float = _number("a sensor sees nothing for a while")
    stuck_square: float = _number("a sensor shows the same for a while, whatever is there")
    drifting_square: float = _number("a sensor's zero runs away, and comes back")


@dataclass(frozen=True, slots=True)
class Profile:
    """One world. What a profile's file leaves out does not happen in it."""

    name: str
    about: str
    sensors: SensorNoise = PERFECT
    glitches: Glitches = Glitches()
    link: LinkNoise = LinkNoise()
    motions: MotionShares = MotionShares()
    times: HandTimes = USUAL
    captures: CaptureShares = CaptureShares(both_lifted=1.0)
    accidents: AccidentShares = AccidentShares()


TABLES: Mapping[str, tuple[Key, ...]] = {
    table.name: keys_of(table.default) for table in fields(Profile) if table.name not in ("name", "about")
}
"""Every table of a profile and its keys."""

_NOTHING = Profile("", "")
CLEAN = "clean"
"""The profile in which nothing goes wrong."""


@cache
def _shipped() -> Mapping[str, Profile]:
    return parse_profiles(PROFILES_PATH.read_text(encoding="utf-8"), PROFILES_PATH.name)


def profile_names() -> tuple[str, ...]:
    """Return the names of the profiles that ship, calm ones first."""
    return tuple(_shipped())


def load_profile(name: str) -> Profile:
    """Return the profile of that name, or the one that a file (a name with `.toml`) holds; raise ProfileError."""
    if name.endswith(".toml"):
        return _in_file(Path(name))
    try:
        return _shipped()[name]
    except KeyError:
        raise ProfileError(f"noise profile {name!r} is none of {', '.join(_shipped())}, nor a file (.toml)") from None


def known_profile(name: str) -> str:
    """Return the name of a profile that can be loaded: for argparse, which tells a user its `ArgumentTypeError` in one line."""
    try:
        load_profile(name)
    except ProfileError as error:
        raise ArgumentTypeError(str(error)) from None
    return name


def _in_file(path: Path) -> Profile:
    try:
        found = parse_profiles(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise ProfileError(f"noise profile {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ProfileError(f"noise profile {path}: not a text") from None
    if len(found) != 1:
        raise ProfileError(f"noise profile {path}: one profile is needed, not {len(found)}")
    return next(iter(found.values()))


def parse_profiles(text: str, name: str = "(given)") -> Mapping[str, Profile]:
    """Return the profiles that a TOML document describes, by name; raise ProfileError with every fault in it."""
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise ProfileError(f"noise profiles {name}: {error}") from error
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
            parts[table] = type(getattr(_NOTHING, table))(**values)
    captures = parts.get("captures", _NOTHING.captures)
    if abs(sum(getattr(captures, key.name) for key in TABLES["captures"]) - 1.0) > 1e-9:
        faults.append(f"{name}.captures: the shares do not add up to 1")
    return Profile(name, tables["about"], **parts) if len(faults) == before else None
