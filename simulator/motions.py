"""What hands can be asked to do, as values, and how such a wish looks in JSON.

    {"motion": "place", "seat": "red", "squares": ["a1", "b1"]}      set down from the box, one after the other
    {"motion": "move", "from": "d4", "to": "d5", "style": "lift"}    lift, hover, set down; style "slide" stays on the board
    {"motion": "move", "from": "d4", "to": "d7", "style": "slide", "via": ["d5", "d6"]}
    {"motion": "lift", "square": "d4"}                               into the hand
    {"motion": "put", "seat": "red", "square": "d4"}                 out of the hand
    {"motion": "remove", "square": "d5"}                             off the board
    {"motion": "both", "from": "d4", "target": "d5"}                 one lifted, then the other; both in hand
    {"motion": "clear"}                                              everything off the board
    {"motion": "restore", "squares": {"a1": "red"}}                  these pieces stand where they should, and nothing else does
    {"motion": "bump"}                                               a knock: four pieces or more fly off their squares
    {"motion": "trouble", "kind": "dead", "square": "d4", "for_ms": 5000}     something befalls the board itself
    {"motion": "wait"}                                               nothing, for after_ms

Each may have "after_ms": board time that passes first. A move may have "rests": {"d6": ["d5"]}, other squares to which its piece might go,
with the squares on the way: noisy hands hesitate on one of them now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from simulator.errors import MotionError

LONGEST_WAIT_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Place:
    """Pieces of a seat are set down from the box, one after the other."""

    seat: str
    squares: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A piece goes to an empty square: through the air, or along the board over the squares `via`."""

    source: str
    target: str
    slide: bool = False
    via: tuple[str, ...] = ()
    rests: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Lift:
    """A piece is taken into the hand, and stays there."""

    square: str


@dataclass(frozen=True, slots=True)
class Put:
    """A piece of a seat is set down out of the hand."""

    seat: str
    square: str


@dataclass(frozen=True, slots=True)
class Remove:
    """A piece leaves the board."""

    square: str


@dataclass(frozen=True, slots=True)
class Both:
    """A piece is lifted, then the one that it attacks; both are in hand."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Clear:
    """Every piece leaves the board."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Hands put the board right: each of these squares with its seat's piece, and no other piece anywhere."""

    squares: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Bump:
    """The board is knocked."""


@dataclass(frozen=True, slots=True)
class Befall:
    """Something happens to the board itself: a word of `TROUBLES`, the square if it is a sensor, and for how long (0: for ever)."""

    kind: str
    square: str = ""
    for_ms: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing moves."""


Motion: TypeAlias = Place | Move | Lift | Put | Remove | Both | Clear | Restore | Bump | Befall | Wait

_SENSORS = ("dead", "stuck", "open", "weak", "drifting", "mended")
TROUBLES = (*_SENSORS, "cut", "reboot", "brown-out", "calibration-lost", "jam")
"""What can befall a board. All but the last five are a square's."""


def parse_motion(wish: object) -> tuple[Motion, int]:
    """Return the motion that a JSON object asks for and the milliseconds to wait first; raise MotionError."""
    if not isinstance(wish, dict):
        raise MotionError("a motion is a JSON object")
    keys = dict(wish)
    name, after_ms = keys.pop("motion", None), keys.pop("after_ms", 0)
    if not isinstance(name, str) or name not in _KEYS:
        raise MotionError(f"motion {name!r} is none of {', '.join(_KEYS)}")
    if not isinstance(after_ms, int) or isinstance(after_ms, bool) or not 0 <= after_ms <= LONGEST_WAIT_MS:
        raise MotionError(f"after_ms: a whole number from 0 to {LONGEST_WAIT_MS} is needed")
    needed, optional, make = _KEYS[name]
    for key in keys:
        if key not in needed and key not in optional:
            raise MotionError(f"{name}: unknown key {key!r}")
    for key in needed:
        if key not in keys:
            raise MotionError(f"{name}: key {key!r} is missing")
    for key, value in keys.items():
        _check(name, key, value)
    return make(keys), after_ms


def _check(name: str, key: str, value: object) -> None:
    """Raise MotionError if a key's value is none that the motion can have."""
    if key == "squares" and name == "restore":
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            raise MotionError("restore: squares is an object of squares and seats")
    elif key in ("squares", "via"):
        if not _is_squares(value):
            raise MotionError(f"{name}: {key} is a list of squares")
    elif key == "rests":
        if not isinstance(value, dict) or not all(map(_is_squares, value.values())):
            raise MotionError(f"{name}: rests is an object of squares and lists of squares")
    elif key == "for_ms":
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LONGEST_WAIT_MS:
            raise MotionError(f"{name}: for_ms is a whole number from 0 to {LONGEST_WAIT_MS}")
    elif not isinstance(value, str):
        raise MotionError(f"{name}: {key} is text")
    elif key == "style" and value not in ("lift", "slide"):
        raise MotionError(f"{name}: style is lift or slide")


def _is_squares(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _befall(keys: dict[str, Any]) -> Befall:
    kind, square = keys["kind"], keys.get("square", "")
    if kind not in TROUBLES:
        raise MotionError(f"trouble: kind {kind!r} is none of {', '.join(TROUBLES)}")
    if (kind in _SENSORS) != bool(square):
        raise MotionError(f"trouble: {kind} {'needs a' if kind in _SENSORS else 'has no'} square")
    return Befall(kind, square, keys.get("for_ms", 0))


def _move(keys: dict[str, Any]) -> Move:
    rests = tuple((square, tuple(over)) for square, over in keys.get("rests", {}).items())
    return Move(keys["from"], keys["to"], keys.get("style") == "slide", tuple(keys.get("via", ())), rests)


_KEYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], Callable[[dict[str, Any]], Motion]]] = {
    "place": (("seat", "squares"), (), lambda keys: Place(keys["seat"], tuple(keys["squares"]))),
    "move": (("from", "to"), ("style", "via", "rests"), _move),
    "lift": (("square",), (), lambda keys: Lift(keys["square"])),
    "put": (("seat", "square"), (), lambda keys: Put(keys["seat"], keys["square"])),
    "remove": (("square",), (), lambda keys: Remove(keys["square"])),
    "both": (("from", "target"), (), lambda keys: Both(keys["from"], keys["target"])),
    "clear": ((), (), lambda keys: Clear()),
    "restore": (("squares",), (), lambda keys: Restore(tuple(keys["squares"].items()))),
    "bump": ((), (), lambda keys: Bump()),
    "trouble": (("kind",), ("square", "for_ms"), _befall),
    "wait": ((), (), lambda keys: Wait()),
}
"""Name -> needed keys, optional keys, and what makes the value."""

MOTION_NAMES = tuple(_KEYS)
"""The words that `motion` may be."""
