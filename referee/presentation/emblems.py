"""A picture of our own for every rank, the shape of every army, and signs for what can be touched, as drawings in a 1 x 1 space.

They stand in `pictures.svg` beside this module, where a class names a colour that whoever draws chooses.
At the end the same pictures as an ES module for the phone page: one source for all screens.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from xml.etree.ElementTree import Element, fromstring

from referee.presentation.palette import ARMY, INK, ON_ARMY, Colour
from referee.presentation.shapes import Block, Disc, Drawing, Fill, Mark, Stroke, place
from referee.rules.values import Rank, Seat

_SVG = "{http://www.w3.org/2000/svg}"


@cache
def _pictures() -> Mapping[str, Element]:
    sheet = fromstring(resources.files("referee.presentation").joinpath("pictures.svg").read_text("utf-8"))  # noqa: S314 # ours
    return {drawn.attrib["id"]: drawn for drawn in sheet.iter(f"{_SVG}svg") if "id" in drawn.attrib}


@cache
def picture(name: str, **colours: Colour) -> Drawing:
    """Return the picture of that name, each class in the colour of its name."""
    return tuple(_mark(shape, colours) for shape in _shapes(name))


def _shapes(name: str) -> Iterator[Element]:
    return (shape for shape in _pictures()[name] if shape.tag != f"{_SVG}title")


def _mark(shape: Element, colours: Mapping[str, Colour]) -> Mark:
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
    return picture(rank.value, ink=ink, ground=ground)


def piece(seat: Seat, colour: Colour | None = None) -> Drawing:
    """Return a piece of an army seen from above: a disc, a block, a triangle or a diamond, so that colour is not needed.

    `colour` replaces the army's own, for a piece that is only wanted or in the air.
    """
    body = colour or ARMY[seat]
    gleam = body.mixed(Colour(255, 255, 255), 0.28)
    return picture(f"piece-{seat.value}", body=body, rim=body.mixed(INK, 0.55), gleam=gleam)


def sign(seat: Seat, colour: Colour) -> Drawing:
    """Return the flat shape of an army in one colour, for banners and the heads of trays."""
    return picture(f"sign-{seat.value}", ink=colour)


@cache
def pennant(seat: Seat) -> Drawing:
    """Return the flag of an army as it is carried in Stratego 4: in its colour, with its shape on it."""
    return (*picture("pennant", ink=INK, army=ARMY[seat]), *place(sign(seat, ON_ARMY[seat]), 0.41, 0.52, 0.33))


def glyph(name: str, ink: Colour, ground: Colour) -> Drawing:
    """Return the sign of that name in `ink`, with `ground` where something shows through; an unknown name is a dot."""
    known = f"glyph-{name}" in _pictures()
    return picture(f"glyph-{name if known else 'dot'}", ink=ink, ground=ground)


def phone(ink: Colour, ground: Colour, there: bool) -> Drawing:
    """Return a handset: with an empty screen, or struck out where it is not connected."""
    return picture("glyph-pair" if there else "phone-away", ink=ink, ground=ground)


def symbol(identity: str, name: str, ink: Colour, ground: Colour) -> str:
    """Return the picture of that name as an SVG `<symbol>`, 100 wide, in colours that hold wherever it is used."""
    colours, shapes = {"ink": ink.hex, "ground": ground.hex}, []
    for shape in _shapes(name):
        given = {key: value for key, value in shape.attrib.items() if key != "class"}
        colour = colours[shape.attrib["class"].split()[0]]
        line = {"fill": "none", "stroke": colour, "stroke-linecap": "round", "stroke-linejoin": "round"}
        given |= line if "stroke-width" in given else {"fill": colour}
        told = " ".join(f'{key}="{value}"' for key, value in given.items())
        shapes.append(f"<{shape.tag.removeprefix(_SVG)} {told}/>")
    return f'<symbol id="{identity}" viewBox="0 0 100 100">{"".join(shapes)}</symbol>'


# The pictures of the ranks and the shapes of the armies for the phone page.


_HEAD = """\
// Generated from the pictures of all screens: make docs
// A mark is [ink or ground, the kind of shape, its attributes in SVG] in a space of 100 x 100.
"""


def emblems_module() -> str:
    """Return the ES module: `EMBLEMS` by rank, `SIGNS` by seat, and the armies' colours."""
    ranks = "".join(f"  {rank.value}: {_marks(rank.value)},\n" for rank in Rank)
    seats = "".join(f"  {seat.value}: {_marks(f'sign-{seat.value}')},\n" for seat in Seat)
    colours = "".join(f'  {seat.value}: {{ army: "{ARMY[seat].hex}", on: "{ON_ARMY[seat].hex}" }},\n' for seat in Seat)
    return (
        f"{_HEAD}export const EMBLEMS = {{\n{ranks}}};\n\nexport const SIGNS = {{\n{seats}}};\n\n"
        f"export const COLOURS = {{\n{colours}}};\n"
    )


def _marks(name: str) -> str:
    marks = []
    for shape in _shapes(name):
        given = {key: value for key, value in shape.attrib.items() if key != "class"}
        marks.append([shape.attrib["class"].split()[0], shape.tag.removeprefix(_SVG), given])
    return json.dumps(marks)
