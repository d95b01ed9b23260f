"""A picture of our own for every rank, the shape of every army, and signs for what can be touched, as drawings in a 1 x 1 space.

Plain signs that can be distinguished at 24 pixels: the higher the rank, the more ceremonial. Nothing is taken from a booklet.
At the end the same pictures as an ES module for the phone page: one source for all screens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

from referee.presentation.palette import ARMY, INK, ON_ARMY, Colour
from referee.presentation.shapes import (
    Block,
    Disc,
    Drawing,
    Fill,
    Mark,
    Point,
    Stroke,
    arc,
    mirrored,
    place,
    ring,
    star,
    turned,
)
from referee.rules.values import Rank, Seat

# The blade of a sword that points up, and its guard and grip, drawn once and turned where two of them cross.
_BLADE = ((0.44, 0.33), (0.56, 0.33), (0.56, 0.87), (0.5, 0.98), (0.44, 0.87))
_GUARD = ((0.31, 0.3), (0.69, 0.3))
_GRIP = ((0.5, 0.28), (0.5, 0.08))


@cache
def emblem(rank: Rank, ink: Colour, ground: Colour) -> Drawing:
    """Return the picture of a rank in `ink`, with `ground` where something shows through."""
    return _EMBLEMS[rank](ink, ground)


@cache
def piece(seat: Seat, colour: Colour | None = None) -> Drawing:
    """Return a piece of an army seen from above: a disc, a block, a triangle or a diamond, so that colour is not needed.

    `colour` replaces the army's own, for a piece that is only wanted or in the air.
    """
    body = colour or ARMY[seat]
    rim = body.mixed(INK, 0.55)
    gleam = body.mixed(Colour(255, 255, 255), 0.28)
    if seat is Seat.RED:
        return (
            Disc(0.5, 0.5, 0.37, 0.37, rim),
            Disc(0.5, 0.5, 0.325, 0.325, body),
            Stroke(arc(0.5, 0.5, 0.2, 0, 360, 28), 0.045, gleam),
        )
    if seat is Seat.BLUE:
        return (
            Block(0.16, 0.16, 0.68, 0.68, 0.12, rim),
            Block(0.205, 0.205, 0.59, 0.59, 0.08, body),
            Stroke(((0.34, 0.34), (0.66, 0.34), (0.66, 0.66), (0.34, 0.66)), 0.045, gleam, closed=True),
        )
    sides, centre = (3, (0.5, 0.41)) if seat is Seat.GREEN else (4, (0.5, 0.5))
    return (
        Fill(ring(*centre, 0.46, sides), rim),
        Fill(ring(*centre, 0.46 - (0.1 if sides == 3 else 0.064), sides), body),
        Stroke(ring(*centre, 0.16, sides), 0.045, gleam, closed=True),
    )


@cache
def sign(seat: Seat, colour: Colour) -> Drawing:
    """Return the flat shape of an army in one colour, for banners and the heads of trays."""
    if seat is Seat.RED:
        return (Disc(0.5, 0.5, 0.4, 0.4, colour),)
    if seat is Seat.BLUE:
        return (Block(0.14, 0.14, 0.72, 0.72, 0.1, colour),)
    if seat is Seat.GREEN:
        return (Fill(ring(0.5, 0.39, 0.5, 3), colour),)
    return (Fill(ring(0.5, 0.5, 0.48, 4), colour),)


@cache
def pennant(seat: Seat) -> Drawing:
    """Return the flag of an army as it is carried in Stratego 4: in its colour, with its shape on it."""
    cloth = ((0.2, 0.42), (0.2, 0.95), (0.95, 0.95), (0.95, 0.42))
    return (
        Stroke(((0.2, 0.06), (0.2, 0.92)), 0.16, INK),
        Fill(cloth, INK),
        Fill(((0.26, 0.49), (0.26, 0.88), (0.88, 0.88), (0.88, 0.49)), ARMY[seat]),
        *place(sign(seat, ON_ARMY[seat]), 0.41, 0.52, 0.33),
    )


def _marshal(ink: Colour, ground: Colour) -> Drawing:
    """A crown."""
    crown = ((0.16, 0.3), (0.84, 0.3), (0.9, 0.7), (0.69, 0.53), (0.5, 0.82), (0.31, 0.53), (0.1, 0.7))
    tips = ((0.1, 0.73), (0.5, 0.85), (0.9, 0.73))
    return (
        Fill(crown, ink),
        *(Disc(x, y, 0.065, 0.065, ink) for x, y in tips),
        Block(0.16, 0.14, 0.68, 0.11, 0.03, ink),
    )


def _general(ink: Colour, ground: Colour) -> Drawing:
    """A star."""
    return (Fill(star(0.5, 0.47, 0.45, 0.185), ink),)


def _colonel(ink: Colour, ground: Colour) -> Drawing:
    """A shield with a star."""
    half = ((0.5, 0.9), (0.68, 0.85), (0.85, 0.83), (0.84, 0.5), (0.76, 0.31), (0.65, 0.18), (0.5, 0.08))
    return (Fill(half + mirrored(half)[-2:0:-1], ink), Fill(star(0.5, 0.52, 0.23, 0.095), ground))


def _major(ink: Colour, ground: Colour) -> Drawing:
    """Two crossed swords."""
    return place((*_sword(ink, 45.0), *_sword(ink, -45.0, gap=ground)), 0.0, -0.06, 1.0)


def _captain(ink: Colour, ground: Colour) -> Drawing:
    """A helmet with a crest."""
    crest = (
        (0.36, 0.77),
        (0.4, 0.93),
        (0.62, 0.95),
        (0.82, 0.84),
        (0.93, 0.62),
        (0.94, 0.4),
        (0.84, 0.5),
        (0.76, 0.66),
    )
    dome = (*arc(0.48, 0.45, 0.33, 0, 180), (0.15, 0.12), (0.36, 0.12), (0.42, 0.3), (0.81, 0.3))
    return (
        Fill(crest, ink),
        Stroke(arc(0.48, 0.45, 0.37, 10, 140), 0.05, ground),
        Fill(dome, ink),
        Stroke(((0.18, 0.46), (0.42, 0.46)), 0.075, ground),
    )


def _lieutenant(ink: Colour, ground: Colour) -> Drawing:
    """One sword."""
    return _sword(ink, 0.0)


def _sergeant(ink: Colour, ground: Colour) -> Drawing:
    """Three chevrons."""
    return tuple(Stroke(((0.17, y - 0.2), (0.5, y), (0.83, y - 0.2)), 0.11, ink) for y in (0.86, 0.63, 0.4))


def _miner(ink: Colour, ground: Colour) -> Drawing:
    """A pickaxe."""
    head = (*arc(0.5, 0.3, 0.56, 42, 138), *arc(0.5, 0.1, 0.66, 126, 54))
    return (
        Stroke(turned(((0.5, 0.06), (0.5, 0.8)), -35.0), 0.1, ink),
        Fill(turned(head, -35.0), ink),
    )


def _scout(ink: Colour, ground: Colour) -> Drawing:
    """A spyglass."""
    parts = (
        ((0.05, 0.43), (0.3, 0.43), (0.3, 0.57), (0.05, 0.57)),
        ((0.34, 0.39), (0.59, 0.39), (0.59, 0.61), (0.34, 0.61)),
        ((0.63, 0.35), (0.88, 0.33), (0.88, 0.67), (0.63, 0.65)),
        ((0.91, 0.3), (0.97, 0.3), (0.97, 0.7), (0.91, 0.7)),
    )
    return tuple(Fill(turned(points, 35.0), ink) for points in parts)


def _spy(ink: Colour, ground: Colour) -> Drawing:
    """A mask."""
    half = ((0.5, 0.64), (0.68, 0.71), (0.95, 0.72), (0.95, 0.5), (0.86, 0.33), (0.7, 0.28), (0.58, 0.36), (0.5, 0.46))
    eye = ((0.58, 0.51), (0.68, 0.59), (0.83, 0.58), (0.75, 0.46), (0.65, 0.45))
    return (Fill(half + mirrored(half)[-2:0:-1], ink), Fill(eye, ground), Fill(mirrored(eye), ground))


def _bomb(ink: Colour, ground: Colour) -> Drawing:
    """A round bomb with its fuse."""
    return (
        Disc(0.44, 0.38, 0.32, 0.32, ink),
        Fill(turned(((0.36, 0.64), (0.56, 0.64), (0.56, 0.76), (0.36, 0.76)), -40.0, 0.44, 0.38), ink),
        Stroke(((0.68, 0.67), (0.74, 0.78), (0.84, 0.8)), 0.055, ink),
        Fill(star(0.88, 0.83, 0.14, 0.055, 6), ink),
        Stroke(arc(0.44, 0.38, 0.21, 115, 175, 8), 0.055, ground),
    )


def _flag(ink: Colour, ground: Colour) -> Drawing:
    """A flag on its pole."""
    cloth = (
        (0.3, 0.87), (0.45, 0.91), (0.6, 0.85), (0.75, 0.81), (0.92, 0.86),
        (0.92, 0.47), (0.75, 0.42), (0.6, 0.46), (0.45, 0.52), (0.3, 0.48),
    )  # fmt: skip
    return (Stroke(((0.22, 0.1), (0.22, 0.92)), 0.08, ink), Fill(cloth, ink))


def _infiltrator(ink: Colour, ground: Colour) -> Drawing:
    """A keyhole."""
    return (
        Block(0.2, 0.08, 0.6, 0.84, 0.12, ink),
        Disc(0.5, 0.6, 0.14, 0.14, ground),
        Fill(((0.45, 0.56), (0.55, 0.56), (0.62, 0.24), (0.38, 0.24)), ground),
    )


def _cannon(ink: Colour, ground: Colour) -> Drawing:
    """A barrel on its wheel."""
    barrel = ((0.1, 0.45), (0.16, 0.62), (0.94, 0.9), (0.97, 0.72), (0.5, 0.42))
    return (
        Fill(barrel, ink),
        Disc(0.36, 0.32, 0.27, 0.27, ground),
        Disc(0.36, 0.32, 0.23, 0.23, ink),
        Disc(0.36, 0.32, 0.13, 0.13, ground),
        Disc(0.36, 0.32, 0.06, 0.06, ink),
    )


def _sword(ink: Colour, angle_deg: float, gap: Colour | None = None) -> Drawing:
    """Return a sword turned at the middle of its blade; `gap` sets it off from one that lies under it."""
    turn = partial(turned, angle_deg=angle_deg, y=0.58)
    under: Drawing = () if gap is None else (Stroke(turn(((0.5, 0.44), (0.5, 0.74))), 0.24, gap),)
    return (*under, Fill(turn(_BLADE), ink), Stroke(turn(_GUARD), 0.1, ink), Stroke(turn(_GRIP), 0.1, ink))


# each drawn by the function of its name
_EMBLEMS: Mapping[Rank, Callable[[Colour, Colour], Drawing]] = {
    Rank(drawn.__name__.lstrip("_")): drawn
    for drawn in (
        *(_flag, _bomb, _infiltrator, _cannon, _spy, _scout, _miner),
        *(_sergeant, _lieutenant, _captain, _major, _colonel, _general, _marshal),
    )
}


# Small signs for what can be touched, and for a handset.


@cache
def glyph(name: str, ink: Colour, ground: Colour) -> Drawing:
    """Return the sign of that name in `ink`, with `ground` where something shows through; an unknown name is a dot."""
    return _GLYPHS.get(name, _dot)(ink, ground)


@cache
def phone(ink: Colour, ground: Colour, there: bool) -> Drawing:
    """Return a handset: with an empty screen, or struck out where it is not connected."""
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


# each drawn by the function of its name
_GLYPHS: Mapping[str, Callable[[Colour, Colour], Drawing]] = {
    drawn.__name__.lstrip("_"): drawn
    for drawn in (
        *(_menu, _pause, _start, _arbiter, _language, _screen, _rules, _mode, _reveal, _clock, _options, _pair, _abort),
        *(_close, _lock, _erase, _enter, _darker, _brighter),
    )
}


# The pictures of the ranks and the shapes of the armies for the phone page.


_INK, _GROUND = Colour(0, 0, 0), Colour(255, 255, 255)
_HEAD = """\
// Generated from the kiosk's emblems: make docs
// A mark is [ink or ground, path, width of the line or 0 for a filled one] in a space of 100 x 100, y downwards.
"""


def emblems_module() -> str:
    """Return the ES module: `EMBLEMS` by rank, `SIGNS` by seat, and the armies' colours."""
    ranks = "".join(f"  {rank.value}: {_marks(emblem(rank, _INK, _GROUND))},\n" for rank in Rank)
    seats = "".join(f"  {seat.value}: {_marks(sign(seat, _INK))},\n" for seat in Seat)
    colours = "".join(f'  {seat.value}: {{ army: "{ARMY[seat].hex}", on: "{ON_ARMY[seat].hex}" }},\n' for seat in Seat)
    return (
        f"{_HEAD}export const EMBLEMS = {{\n{ranks}}};\n\nexport const SIGNS = {{\n{seats}}};\n\n"
        f"export const COLOURS = {{\n{colours}}};\n"
    )


def _marks(drawing: Drawing) -> str:
    return "[" + ", ".join(_mark(mark) for mark in drawing) + "]"


def _mark(mark: Mark) -> str:
    match mark:
        case Fill(points=points):
            path, width = _line(points) + "Z", 0.0
        case Stroke(points=points, width=width, closed=closed):
            path = _line(points) + ("Z" if closed else "")
        case Disc(x=x, y=y, radius_x=rx, radius_y=ry):
            arc = f"a{_n(rx)} {_n(ry)} 0 1 0 "
            path, width = f"M{_n(x - rx)} {_n(1 - y)}{arc}{_n(2 * rx)} 0{arc}{_n(-2 * rx)} 0Z", 0.0
        case Block(x=x, y=y, width=wide, height=high, corner=corner):
            path, width = _block(x, 1 - y - high, wide, high, corner), 0.0
        case _:
            raise AssertionError(mark)
    return f'["{"ink" if mark.colour == _INK else "ground"}", "{path}", {_n(width)}]'


def _block(x: float, y: float, wide: float, high: float, corner: float) -> str:
    turn = f"a{_n(corner)} {_n(corner)} 0 0 1 "
    c = _n(corner)
    across, down = _n(wide - 2 * corner), _n(high - 2 * corner)
    return (
        f"M{_n(x + corner)} {_n(y)}h{across}{turn}{c} {c}v{down}{turn}-{c} {c}"
        f"h-{across}{turn}-{c} -{c}v-{down}{turn}{c} -{c}Z"
    )


def _line(points: tuple[Point, ...]) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(1 - y)}" for x, y in points)


def _n(value: float) -> str:
    """Return a length in hundredths of the space, a tenth of one exact."""
    return f"{round(value * 100, 1):g}"
