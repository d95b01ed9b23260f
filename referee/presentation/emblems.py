"""A picture of our own for every rank, the shape of every army, and signs for what can be touched, as drawings in a 1 x 1 space.

They stand in `pictures.svg` beside this module, where a class names a colour that whoever draws chooses.
At the end the same pictures as an ES module for the phone page: one source for all screens.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from xml.etree.ElementTree import Element, fromstring

from referee.presentation.palette import ARMY, INK, ON_ARMY, Colour
from referee.presentation.shapes import Block, Disc, Drawing, Fill, Mark, Point, Stroke, place
from referee.rules.values import Rank, Seat

_SVG = "{http://www.w3.org/2000/svg}"


@cache
def _pictures() -> Mapping[str, Element]:
    sheet = fromstring(resources.files("referee.presentation").joinpath("pictures.svg").read_text("utf-8"))  # noqa: S314 # ours
    return {picture.attrib["id"]: picture for picture in sheet.iter(f"{_SVG}svg") if "id" in picture.attrib}


@cache
def _drawn(name: str, **colours: Colour) -> Drawing:
    """Return the picture of that name, each class in the colour of its name."""
    return tuple(_shape(shape, colours) for shape in _pictures()[name] if shape.tag != f"{_SVG}title")


def _shape(shape: Element, colours: Mapping[str, Colour]) -> Mark:
    """Return a shape of the file, where y points down and 100 is the width of the space, as a mark."""
    colour = colours[shape.attrib["class"].split()[0]]
    of = {name: float(value) / 100 for name, value in shape.attrib.items() if name not in ("class", "points")}
    match shape.tag.removeprefix(_SVG):
        case "ellipse":
            return Disc(of["cx"], 1 - of["cy"], of["rx"], of["ry"], colour)
        case "rect":
            return Block(of["x"], 1 - of["y"] - of["height"], of["width"], of["height"], of["rx"], colour)
        case tag:
            pairs = (pair.split(",") for pair in shape.attrib["points"].split())
            points = tuple((float(x) / 100, 1 - float(y) / 100) for x, y in pairs)
            if "stroke-width" not in of:
                return Fill(points, colour)
            return Stroke(points, of["stroke-width"], colour, closed=tag == "polygon")


def emblem(rank: Rank, ink: Colour, ground: Colour) -> Drawing:
    """Return the picture of a rank in `ink`, with `ground` where something shows through."""
    return _drawn(rank.value, ink=ink, ground=ground)


def piece(seat: Seat, colour: Colour | None = None) -> Drawing:
    """Return a piece of an army seen from above: a disc, a block, a triangle or a diamond, so that colour is not needed.

    `colour` replaces the army's own, for a piece that is only wanted or in the air.
    """
    body = colour or ARMY[seat]
    gleam = body.mixed(Colour(255, 255, 255), 0.28)
    return _drawn(f"piece-{seat.value}", body=body, rim=body.mixed(INK, 0.55), gleam=gleam)


def sign(seat: Seat, colour: Colour) -> Drawing:
    """Return the flat shape of an army in one colour, for banners and the heads of trays."""
    return _drawn(f"sign-{seat.value}", ink=colour)


@cache
def pennant(seat: Seat) -> Drawing:
    """Return the flag of an army as it is carried in Stratego 4: in its colour, with its shape on it."""
    return (*_drawn("pennant", ink=INK, army=ARMY[seat]), *place(sign(seat, ON_ARMY[seat]), 0.41, 0.52, 0.33))


def glyph(name: str, ink: Colour, ground: Colour) -> Drawing:
    """Return the sign of that name in `ink`, with `ground` where something shows through; an unknown name is a dot."""
    known = f"glyph-{name}" in _pictures()
    return _drawn(f"glyph-{name if known else 'dot'}", ink=ink, ground=ground)


def phone(ink: Colour, ground: Colour, there: bool) -> Drawing:
    """Return a handset: with an empty screen, or struck out where it is not connected."""
    return _drawn("glyph-pair" if there else "phone-away", ink=ink, ground=ground)


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
