"""Small signs for what can be touched, in a 1 x 1 space, and for a handset. Ours, like all pictures here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from kiosk_ui.marks import Block, Disc, Drawing, Fill, Stroke, arc, ring
from kiosk_ui.palette import Colour


@cache
def glyph(name: str, ink: Colour, ground: Colour) -> Drawing:
    """Give the sign of that name in `ink`, with `ground` where something shows through; an unknown name is a dot."""
    return _GLYPHS.get(name, _dot)(ink, ground)


@cache
def phone(ink: Colour, ground: Colour, there: bool) -> Drawing:
    """Give a handset: with an empty screen, or struck out where it is not connected."""
    body: Drawing = (Block(0.26, 0.04, 0.48, 0.92, 0.09, ink), Block(0.33, 0.2, 0.34, 0.64, 0.02, ground))
    if there:
        return (*body, Stroke(((0.4, 0.5), (0.47, 0.42), (0.6, 0.62)), 0.08, ink))
    return (*body, Stroke(((0.08, 0.16), (0.92, 0.84)), 0.2, ground), Stroke(((0.1, 0.18), (0.9, 0.82)), 0.09, ink))


def _dot(ink: Colour, ground: Colour) -> Drawing:
    return (Disc(0.5, 0.5, 0.12, 0.12, ink),)


def _menu(ink: Colour, ground: Colour) -> Drawing:
    return tuple(Block(0.16, y, 0.68, 0.12, 0.06, ink) for y in (0.7, 0.44, 0.18))


def _pause(ink: Colour, ground: Colour) -> Drawing:
    return (Block(0.24, 0.18, 0.18, 0.64, 0.05, ink), Block(0.58, 0.18, 0.18, 0.64, 0.05, ink))


def _start(ink: Colour, ground: Colour) -> Drawing:
    return (Fill(((0.28, 0.14), (0.86, 0.5), (0.28, 0.86)), ink),)


def _arbiter(ink: Colour, ground: Colour) -> Drawing:
    """A bell."""
    bell = ((0.14, 0.24), (0.86, 0.24), (0.76, 0.4), *arc(0.5, 0.56, 0.25, 0, 180), (0.24, 0.4))
    return (Fill(bell, ink), Disc(0.5, 0.17, 0.09, 0.09, ink), Disc(0.5, 0.84, 0.06, 0.06, ink))


def _language(ink: Colour, ground: Colour) -> Drawing:
    """A globe."""
    return (
        Disc(0.5, 0.5, 0.38, 0.38, ink),
        Disc(0.5, 0.5, 0.31, 0.31, ground),
        Stroke(tuple((0.5 + (x - 0.5) * 0.45, y) for x, y in ring(0.5, 0.5, 0.345, 32)), 0.06, ink, closed=True),
        Stroke(((0.17, 0.5), (0.83, 0.5)), 0.06, ink),
    )


def _screen(ink: Colour, ground: Colour) -> Drawing:
    return (
        Block(0.12, 0.28, 0.76, 0.54, 0.07, ink),
        Block(0.19, 0.35, 0.62, 0.4, 0.03, ground),
        Block(0.32, 0.12, 0.36, 0.09, 0.04, ink),
    )


def _rules(ink: Colour, ground: Colour) -> Drawing:
    """A book."""
    return (
        Block(0.2, 0.12, 0.6, 0.76, 0.07, ink),
        *(Stroke(((0.34, y), (0.66, y)), 0.06, ground) for y in (0.7, 0.55, 0.4)),
    )


def _mode(ink: Colour, ground: Colour) -> Drawing:
    """A bubble."""
    tail = ((0.28, 0.36), (0.24, 0.1), (0.52, 0.36))
    return (
        Block(0.1, 0.32, 0.8, 0.52, 0.2, ink),
        Fill(tail, ink),
        *(Disc(x, 0.58, 0.05, 0.05, ground) for x in (0.32, 0.5, 0.68)),
    )


def _reveal(ink: Colour, ground: Colour) -> Drawing:
    """An eye."""
    lid = (*arc(0.5, 0.2, 0.5, 37, 143), *arc(0.5, 0.8, 0.5, 217, 323))
    return (Fill(lid, ink), Disc(0.5, 0.5, 0.15, 0.15, ground), Disc(0.5, 0.5, 0.07, 0.07, ink))


def _clock(ink: Colour, ground: Colour) -> Drawing:
    return (
        Disc(0.5, 0.5, 0.38, 0.38, ink),
        Disc(0.5, 0.5, 0.3, 0.3, ground),
        Stroke(((0.5, 0.68), (0.5, 0.48), (0.64, 0.4)), 0.08, ink),
    )


def _options(ink: Colour, ground: Colour) -> Drawing:
    """Three sliders."""
    rows = ((0.76, 0.34), (0.5, 0.66), (0.24, 0.44))
    bars = tuple(Stroke(((0.14, y), (0.86, y)), 0.08, ink) for y, _ in rows)
    knobs = tuple(Disc(x, y, 0.12, 0.12, ink) for y, x in rows)
    holes = tuple(Disc(x, y, 0.05, 0.05, ground) for y, x in rows)
    return (*bars, *knobs, *holes)


def _pair(ink: Colour, ground: Colour) -> Drawing:
    return phone(ink, ground, True)


def _abort(ink: Colour, ground: Colour) -> Drawing:
    """A stop sign."""
    return (Fill(ring(0.5, 0.5, 0.42, 8, 22.5), ink), Block(0.24, 0.44, 0.52, 0.12, 0.03, ground))


def _close(ink: Colour, ground: Colour) -> Drawing:
    return (Stroke(((0.26, 0.26), (0.74, 0.74)), 0.12, ink), Stroke(((0.26, 0.74), (0.74, 0.26)), 0.12, ink))


def _lock(ink: Colour, ground: Colour) -> Drawing:
    return (
        Stroke(((0.32, 0.5), *arc(0.5, 0.6, 0.18, 180, 0), (0.68, 0.5)), 0.1, ink),
        Block(0.2, 0.12, 0.6, 0.42, 0.07, ink),
        Disc(0.5, 0.34, 0.07, 0.07, ground),
    )


def _erase(ink: Colour, ground: Colour) -> Drawing:
    shape = ((0.08, 0.5), (0.34, 0.22), (0.92, 0.22), (0.92, 0.78), (0.34, 0.78))
    cross = (((0.46, 0.38), (0.7, 0.62)), ((0.46, 0.62), (0.7, 0.38)))
    return (Fill(shape, ink), *(Stroke(bar, 0.07, ground) for bar in cross))


def _enter(ink: Colour, ground: Colour) -> Drawing:
    return (Stroke(((0.2, 0.5), (0.42, 0.28), (0.82, 0.74)), 0.13, ink),)


def _darker(ink: Colour, ground: Colour) -> Drawing:
    """A moon."""
    return (Disc(0.5, 0.5, 0.36, 0.36, ink), Disc(0.66, 0.6, 0.3, 0.3, ground))


def _brighter(ink: Colour, ground: Colour) -> Drawing:
    """A sun."""
    rays = zip(ring(0.5, 0.5, 0.31, 8), ring(0.5, 0.5, 0.43, 8), strict=True)
    return (Disc(0.5, 0.5, 0.2, 0.2, ink), *(Stroke(ray, 0.07, ink) for ray in rays))


_GLYPHS: Mapping[str, Callable[[Colour, Colour], Drawing]] = {
    "menu": _menu,
    "pause": _pause,
    "start": _start,
    "arbiter": _arbiter,
    "language": _language,
    "screen": _screen,
    "rules": _rules,
    "mode": _mode,
    "reveal": _reveal,
    "clock": _clock,
    "options": _options,
    "pair": _pair,
    "abort": _abort,
    "close": _close,
    "lock": _lock,
    "erase": _erase,
    "enter": _enter,
    "darker": _darker,
    "brighter": _brighter,
}
