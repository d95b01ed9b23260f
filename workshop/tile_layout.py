"""Lays a tile out by rule: what KiCad places (`design_of`), and from where its pads then are what is drawn between them (`routes_of`).

The supply runs along every row towards blue of its sensors, between two trunks at the edges; each sensor and its capacitor hang on it by
a stub, and on ground by a hole of their own. All else the router finds. Ground fills both sides, joined wherever there is room.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workshop.tile import CHAIN, KINDS, PLAY, POINTS, Tile, holes, jack_at, nano_at, parts
from workshop.tile_router import VIA, Net, Point, Router, Shape

_BOTH = ("front", "back")
_BUS, _TRUNK, _STUB = 0.8, 1.2, 0.4
_BUS_ABOVE = 2.6  # a row's supply lies so far towards blue of the middle
_TRUNK_AT = 1.4  # from the edge
_GROUND_BELOW = 1.1  # a hole lies so far from the pad that it grounds
_HEAD = 3.0  # radius that a screw's head covers
_RIM = 3.0  # of the frame on the front, board.scad's
_INSET = PLAY + 0.4
_SIGNAL = 0.2
_WIDE = {"V+": 0.6, "VIN": 1.2, "FUSED": 1.2, "NANO5V": 0.4, "GND": 0.25}
_STITCH = 4.75
_NAMES = {  # from the middle of a part of that kind to its name, to the right and up
    "sensor": (0.0, 3.5),
    "mux": (-3.0, 5.6),
    "fuse": (0.0, 2.8),
    "mosfet": (0.0, 2.6),
    "tvs": (0.0, -1.9),
    "schottky": (0.0, 2.0),
    "c10u": (0.0, 1.8),
    "c100n": (2.75, 0.0),
    "r10k": (2.75, 0.0),
    "r1k": (2.75, 0.0),
}
_LEFT = ("R9", "R10", "C28")  # their names are on the other side
_MUX_WORDS = {"U26": "U26 A", "U27": "U27 B"}
_DOT = 0.5  # width of the dot at leg 1
_LINE = 0.2  # of silk
_ROOMY = 19.0  # pitch from which the top edge's words fit in full height


def design_of(tile: Tile, name: str) -> dict[str, Any]:
    """Return what `workshop.tile_board` places."""
    placed: list[dict[str, Any]] = [
        {"ref": part.ref, "x": part.x, "y": part.y, "turn": part.turn, "nets": dict(part.nets)}
        | {"below": part.hand, "centred": part.kind in ("ribbon", "nano")}
        | {"value": KINDS[part.kind]["value"], "footprint": KINDS[part.kind]["footprint"]}
        for part in parts(tile)
    ]
    placed += [
        {"ref": f"TP{n}", "value": net, "footprint": "TestPoint:TestPoint_Pad_D1.5mm"}
        | {"x": x, "y": y, "turn": 0, "nets": {"1": net}, "below": True, "centred": False}
        for n, (net, (x, y)) in enumerate(test_points(tile).items(), 1)
    ]
    return {"name": name, "size": tile.size, "play": PLAY, "via": VIA, "parts": placed, "holes": holes(tile)} | _silk(
        tile
    )


def test_points(tile: Tile) -> dict[str, Point]:
    """Return where nets can be measured from below."""
    y = tile.middle((0, tile.rows - 1.5))[1]
    return {net: (6.0 + 6 * n, y) for n, net in enumerate(POINTS)}


def _silk(tile: Tile) -> dict[str, Any]:
    """Return words and lines of both sides. Each square has its names as the four tiles lie: the lower left one's at the lower left."""
    wide, high = tile.size
    texts = [*_squares(tile), *_part_names(tile)]
    jx, jy = tile.middle((tile.columns - 2, 0.5))
    nano, jack = nano_at(tile), jack_at(tile)
    up, down = high - _RIM - 1.4, _RIM + 1.4
    beside = tile.pitch / 2 + 1  # between names of parts, on either side of the middle one
    top = 1.5 if tile.pitch >= _ROOMY else 1.2
    for side in _BOTH:
        texts += [
            _text(side, f"HALLMARSHAL TILE {tile.columns} x {tile.rows}, {tile.pitch:g} mm", 0.27 * wide, 15.0, 1.2),
            _text(side, "towards BLUE", wide / 2 - beside, up, top),
            _text(side, "towards RED", tile.pitch * 2, down, 1.0),
        ]
    texts += [
        _text("front", "THIS SIDE UP", wide / 2 + beside, up, top),
        _text("back", "J2 to the tile after", jx, jy + tile.pitch + 6.6, 1.2),
        _text("back", "J1 to the tile before; none on the first", jx, jy + 6.6, 1.2),
        _text("back", "A1 Arduino Nano, on the first tile only", 22, nano + 12, 1.2),
        _text("back", "J3 5 V, plus in the middle", 16, jack - 7, 1.2),
        _text("back", "on the first tile only", 16, jack - 9, 1.2),
        *(_text("back", POINTS[net], x, y + 1.9, 0.9) for net, (x, y) in test_points(tile).items()),
    ]
    tip = (wide / 2 - 22, up + 1.0)
    arrow = [(tip[0], up - 1.8), tip, (tip[0] - 1, tip[1] - 1.2), tip, (tip[0] + 1, tip[1] - 1.2)]
    tick = [
        [(x, y), (x + 2, y), (x + 2, y + 2), (x, y + 2), (x, y)]
        for x, y in ((3 * tile.pitch - 2 + 2 * a, down - 0.6 + 2 * u) for a, u in CHAIN)
    ]
    lines = [{"side": side, "points": arrow} for side in _BOTH] + [
        {"side": "front", "points": points} for points in tick
    ]
    return {"texts": texts, "lines": lines}


def _squares(tile: Tile) -> Iterator[dict[str, Any]]:
    """Yield the names of squares: beside the sensor; in the outer rows, where the frame's arms are, below it."""
    for place in tile.places:
        x, y = tile.middle(place)
        left, low = (x - 1.6, y - 5.1) if place[1] in (0, tile.rows - 1) else (x + 3.3, y - 1.0)
        for (across, up), name in zip(CHAIN, tile.names[place], strict=True):
            if name:
                yield _text("front", name, left + (3.2 if left < x else 2.4) * across, low + 1.5 * up, 0.9)


def _part_names(tile: Tile) -> Iterator[dict[str, Any]]:
    """Yield the names of what machines mount; a sensor's capacitor has none: its number is the sensor's."""
    of_sensors = {f"C{n}" for n in range(1, len(tile.places) + 1)}
    for part in parts(tile):
        if not part.hand and part.ref not in of_sensors:
            across, up = _NAMES[part.kind]
            words = _MUX_WORDS.get(part.ref, part.ref)
            yield _text("front", words, part.x + (-across if part.ref in _LEFT else across), part.y + up, 0.9)


def _text(side: str, words: str, x: float, y: float, high: float) -> dict[str, Any]:
    return {"side": side, "words": words, "place": (x, y), "high": high}


# ---------------------------------------------------------------- tracks


def routes_of(
    tile: Tile, pads: Sequence[Mapping[str, Any]], ink: Sequence[Mapping[str, Any]]
) -> dict[str, list[dict[str, Any]]]:
    """Return tracks and vias of a tile whose pads and ink are there; raises NoWayError if one cannot be joined."""
    copper = [_pad(pad) for pad in pads]
    heads = [Shape("", _BOTH, at, at, 2 * _HEAD, hole=3.2) for at in holes(tile)]
    rules = [*_rails(tile), *_stubs(tile, pads)]
    marks = dots(tile, pads).values()
    printed = [_printed(one) for one in ink]
    printed += [Shape("", ("front",), at, at, _DOT) for at in marks]
    router = Router(tile.size, _INSET, [*copper, *heads, *rules], printed)
    nets = list(_nets(copper, rules))
    router.lay(nets)
    router.lay_ground(nets, _WIDE["GND"])
    laid = [*rules, *(shape for net in nets for shape in net.laid)]
    laid += router.stitches(nets, _STITCH)
    return {
        "tracks": [
            {"net": shape.net, "side": shape.sides[0], "points": _through(shape, laid), "width": shape.width}
            for shape in laid
            if not shape.hole
        ],
        "vias": [{"net": shape.net, "at": shape.start} for shape in laid if shape.hole],
        "dots": [{"at": at, "width": _DOT} for at in marks],
    }


def dots(tile: Tile, pads: Sequence[Mapping[str, Any]]) -> dict[str, Point]:
    """Return where a dot is printed for leg 1 of each mounted part with more than two legs: outside, where that leg points to."""
    found = {}
    many = {part.ref: part for part in parts(tile) if not part.hand and len(KINDS[part.kind]["pins"]) > 2}
    for pad in pads:
        if pad["leg"] == "1" and (part := many.get(pad["part"])):
            at, middle = list(pad["at"]), (part.x, part.y)
            along = 0 if pad["size"][0] > pad["size"][1] else 1
            at[along] += math.copysign(pad["size"][along] / 2 + _DOT, at[along] - middle[along])
            found[part.ref] = (at[0], at[1])
    return found


def _through(track: Shape, laid: Sequence[Shape]) -> list[Point]:
    """Return the ends of a track, and between them where others of its net end on it: KiCad sees joints only there."""
    (x0, y0), (x1, y1) = track.start, track.end
    length = max(abs(x1 - x0), abs(y1 - y0))
    found = {0.0: track.start, length: track.end}
    for other in laid:
        if other.net == track.net and set(other.sides) & set(track.sides):
            for x, y in (other.start, other.end):
                along = max(abs(x - x0), abs(y - y0))
                if (
                    along < length
                    and math.isclose((x - x0) * length, (x1 - x0) * along)
                    and math.isclose((y - y0) * length, (y1 - y0) * along)
                ):
                    found[along] = (x, y)
    return [found[along] for along in sorted(found)]


def _printed(one: Mapping[str, Any]) -> Shape:
    (x0, y0), (x1, y1) = one["ends"]
    return Shape("", (one["side"],), (x0, y0), (x1, y1), _LINE, size=tuple(one["size"]) if one["size"] else None)


def _pad(pad: Mapping[str, Any]) -> Shape:
    at = (pad["at"][0], pad["at"][1])
    hole = min(pad["size"]) if pad["through"] else 0.0
    size, within = (pad["size"][0], pad["size"][1]), 0.65 if pad["round"] else 0.95  # a circle's square
    return Shape(pad["net"], tuple(pad["sides"]), at, at, size=size, hole=hole, solder=not hole, within=within)


def _rails(tile: Tile) -> Iterator[Shape]:
    left, right = _TRUNK_AT, tile.size[0] - _TRUNK_AT
    buses = [tile.middle((0, row))[1] + _BUS_ABOVE for row in range(tile.rows)]
    for y in buses:
        yield Shape("V+", ("front",), (left, y), (right, y), _BUS)
    for x in (left, right):
        yield Shape("V+", ("front",), (x, buses[0]), (x, buses[-1]), _TRUNK)


def _stubs(tile: Tile, pads: Sequence[Mapping[str, Any]]) -> Iterator[Shape]:
    count = len(tile.places)
    for pad in pads:
        part, (x, y) = pad["part"], pad["at"]
        if part[0] not in "UC" or int(part[1:]) > count:
            continue
        place = tile.places[int(part[1:]) - 1]
        if pad["net"] == "V+":
            yield Shape("V+", ("front",), (x, y), (x, tile.middle(place)[1] + _BUS_ABOVE), _STUB)
        elif pad["net"] == "GND":
            yield Shape("GND", ("front",), (x, y), (x, y - _GROUND_BELOW), _STUB)
            yield Shape("GND", _BOTH, (x, y - _GROUND_BELOW), (x, y - _GROUND_BELOW), VIA[0], hole=VIA[1])


def _nets(copper: Sequence[Shape], rules: Sequence[Shape]) -> Iterator[Net]:
    """Yield what is left to be laid: short ones first, and every pad that still has to come to ground, as a net of its own."""
    names = sorted({pad.net for pad in copper if pad.net} - {"GND"}, key=lambda name: (_length(copper, name), name))
    for name in names:
        start = [shape for shape in rules if shape.net == name]
        pads = [pad for pad in copper if pad.net == name and not any(_meets(pad, shape) for shape in start)]
        if pads and len(pads) + bool(start) > 1:
            yield Net(name, _WIDE.get(name, _SIGNAL), pads, start)
    ground = [shape for shape in (*rules, *copper) if shape.net == "GND" and shape.hole]
    for pad in copper:
        if pad.net == "GND" and not pad.hole and not any(_meets(pad, s) for s in rules if s.net == "GND"):
            yield Net("GND", _WIDE["GND"], [pad], ground)


def _meets(pad: Shape, line: Shape) -> bool:
    return pad.start in (line.start, line.end)


def _length(copper: Sequence[Shape], name: str) -> float:
    places = [pad.start for pad in copper if pad.net == name]
    return float(sum(max(values) - min(values) for values in zip(*places, strict=True)))
