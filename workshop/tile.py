"""A tile: a printed circuit board of a quarter of a board's squares, as data made from the board file. `workshop.fab` makes it.

Four equal tiles hang in a chain. Each has two multiplexers, A and B, and a header to the tile before (J1) and to the tile after (J2);
between the two the signal and enable lines move on by one tile's share, so each tile finds its own on the same pins and there is
nothing to set. The first one carries an Arduino Nano in place of J1, and the supply's socket. All are made alike; what a tile
does not need is left off.

A board of ten rows takes every square of its tiles, one of eight the eight in the middle: the same tiles, and two rows that nobody reads.

Millimetres from the tile's lower left corner, x to the right, y towards blue, seen from above.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hardware import BoardFile
from toml_tables import read_toml

_DATA = read_toml(Path(__file__).with_name("tile.toml"))
KINDS: Mapping[str, Mapping[str, Any]] = _DATA["kind"]
SAID: Mapping[str, str] = _DATA["said"]
COSTS: Sequence[Mapping[str, Any]] = _DATA["cost"]
COLUMNS, ROWS = 5, 5
CHAIN = ((0, 0), (1, 0), (1, 1), (0, 1))
"""Where the tiles lie, as (column, row) of tiles, from the controller on."""
INPUTS = 16  # of a multiplexer
PLAY = 0.1  # a tile is smaller than its squares by this at each edge, so that four of them fit
_HOLE_BELOW = 4.2  # a screw's hole, from the middle of its row towards red
_SELECT = ("S0", "S1", "S2", "S3")
POINTS = {"V+": "V+", "GND": "GND", "HALF": "HALF", "SIG0T": "A SIG", "SIG1T": "B SIG", "S0": "S0"}
"""What is printed at the test point of a net; A and B are the multiplexers: theirs are before R7 and R8."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part where it lies: `turn` in degrees, anticlockwise; `nets` by the number of the leg. What is soldered by hand lies below."""

    ref: str
    kind: str
    x: float
    y: float
    turn: float
    nets: Mapping[str, str]

    @property
    def hand(self) -> bool:
        """Whether it is soldered by hand."""
        return bool(KINDS[self.kind].get("hand"))


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile of that many squares: `names` are those of a place on the four tiles of the chain; "" for none."""

    columns: int
    rows: int
    pitch: float
    names: Mapping[tuple[int, int], tuple[str, ...]] = field(default_factory=dict)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the squares, without play."""
        return self.columns * self.pitch, self.rows * self.pitch

    @property
    def places(self) -> list[tuple[int, int]]:
        """Return column and row of each square, from 0, row by row."""
        return [(x, y) for y in range(self.rows) for x in range(self.columns)]

    def middle(self, place: tuple[float, float]) -> tuple[float, float]:
        """Return where the middle of a square lies; halves are borders."""
        return (place[0] + 0.5) * self.pitch, (place[1] + 0.5) * self.pitch


def tile_of(board: BoardFile) -> Tile:
    """Return the tile that four of make this board; ValueError if its squares are no halves of four tiles."""
    if board.columns != 2 * COLUMNS or board.rows % 2 or board.rows > 2 * ROWS:
        raise ValueError(
            f"{board.id}: {board.columns} x {board.rows} squares do not fit four tiles of {COLUMNS} x {ROWS}"
        )
    names: dict[tuple[int, int], list[str]] = {}
    for square, (tile, place) in zip(board.squares, _on_tiles(board), strict=True):
        names.setdefault(place, [""] * len(CHAIN))[tile] = square
    return Tile(COLUMNS, ROWS, board.pitch_mm, {place: tuple(at) for place, at in names.items()})


def _on_tiles(board: BoardFile) -> list[tuple[int, tuple[int, int]]]:
    """Return of each square, in wire order, the tile's number in the chain and the place on it."""
    unused = ROWS - board.rows // 2  # at either edge
    places = [(round(x), round(y) + unused) for x, y in board.places]
    return [(CHAIN.index((x // COLUMNS, y // ROWS)), (x % COLUMNS, y % ROWS)) for x, y in places]


def holes(tile: Tile) -> list[tuple[float, float]]:
    """Return the middles of the holes for screws: on the borders between the two outer columns, beside the outer rows' sensors."""
    return [
        (tile.middle((column, 0))[0], tile.middle((0, row))[1] - _HOLE_BELOW)
        for row in (0, tile.rows - 1)
        for column in (0.5, tile.columns - 1.5)
    ]


def nano_at(tile: Tile) -> float:
    """Return how high up the left edge the Nano's USB socket is, on the first tile."""
    return tile.middle((0, 1))[1]


def jack_at(tile: Tile) -> float:
    """Return how high up the left edge the supply's socket is, on the first tile."""
    return tile.middle((0, tile.rows - 2.5))[1]


def multiplexers(tile: Tile) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return where A and B lie: on the crossings right of the middle column, A a row below B."""
    at = tile.columns // 2 + 0.5
    return tile.middle((at, tile.rows - 2.5)), tile.middle((at, tile.rows - 1.5))


def inputs(tile: Tile) -> dict[tuple[int, int], int]:
    """Return the input of every square, A's from 0, B's from 16: a chip's side takes the squares on that side, as they lie round it."""
    found: dict[tuple[int, int], int] = {}
    lower = (len(tile.places) - 1) // 2
    right_first = sorted(tile.places, key=lambda place: (place[1], -place[0]))
    for chip, squares in enumerate((right_first[:lower], right_first[lower:])):
        x, y = multiplexers(tile)[chip]
        turned = {}
        for place in squares:
            across, up = tile.middle(place)[0] - x, tile.middle(place)[1] - y
            turned[place] = math.atan2(-across, -up) % (2 * math.pi)  # clockwise from straight towards red
        left = sorted((at for at in squares if turned[at] < math.pi), key=turned.__getitem__)
        right = sorted((at for at in squares if turned[at] >= math.pi), key=turned.__getitem__, reverse=True)
        found |= {at: INPUTS * chip + n for n, at in enumerate(left)}
        found |= {at: INPUTS * chip + INPUTS - 1 - n for n, at in enumerate(right)}
    return found


def divider_input(tile: Tile) -> int:
    """Return the input that half the supply is on: B's first that no square has."""
    taken = set(inputs(tile).values())
    return next(n for n in range(INPUTS, 2 * INPUTS) if n not in taken)


def channels(board: BoardFile) -> list[int]:
    """Return the channel of each square of the board, in wire order, when it is made of four tiles."""
    at = inputs(tile_of(board))
    return [2 * INPUTS * tile + at[place] for tile, place in _on_tiles(board)]


# ---------------------------------------------------------------- parts and nets


def nets_of(kind: str, **of: str) -> dict[str, str]:
    """Return the nets by the number of a leg, from those by its signal."""
    legs = [pin.split()[0] for pin in KINDS[kind]["pins"]]
    return {str(n): of[name] for n, name in enumerate(legs, 1) if name in of}


def parts(tile: Tile) -> list[Part]:
    """Return every part of a tile."""
    return [*_squares(tile), *_chips(tile), *_supply(tile), *_lines(tile)]


def _squares(tile: Tile) -> Iterator[Part]:
    for n, place in enumerate(tile.places, 1):
        x, y = tile.middle(place)
        nets = nets_of("sensor", VCC="V+", GND="GND", OUT=f"OUT{n}")
        yield Part(f"U{n}", "sensor", x, y, 270, nets)  # VCC and OUT towards blue
        yield Part(f"C{n}", "c100n", x - 2.9, y + 1.2, 270, {"1": "V+", "2": "GND"})


def _two(ref: str, kind: str, at: tuple[float, float], first: str, second: str, turn: float = 0) -> Part:
    return Part(ref, kind, *at, turn, {"1": first, "2": second})


def _chips(tile: Tile) -> Iterator[Part]:
    count = len(tile.places)
    on = {channel: f"OUT{n}" for n, channel in enumerate((inputs(tile)[place] for place in tile.places), 1)}
    on[divider_input(tile)] = "HALF"
    for chip, (x, y) in enumerate(multiplexers(tile)):
        wired = {f"Y{n}": on.get(INPUTS * chip + n, "GND") for n in range(INPUTS)}
        wired |= {name: f"{name}T" for name in _SELECT} | {"E": "ENT", "GND": "GND", "VCC": "V+", "Z": f"SIG{chip}T"}
        yield Part(f"U{count + 1 + chip}", "mux", x, y, 0, nets_of("mux", **wired))
        yield _two(f"C{count + 1 + chip}", "c100n", (x + 1.6, y + 5.6), "GND", "V+")
    x, y = multiplexers(tile)[0]
    for n, name in enumerate(_SELECT):
        yield _two(f"R{n + 1}", "r10k", (x + 9.5, y - 4.2 + 2.4 * n), name, f"{name}T", 180)
    yield _two("R5", "r10k", (x + 15, y - 4.2), "ENT", "GND")
    yield _two("R6", "r1k", (x + 15, y - 1.8), "ENT", "EN0")
    yield _two("R7", "r1k", (x + 15, y + 0.6), "SIG0T", "SIG0")
    yield _two("R8", "r1k", (x + 15, y + 3.0), "SIG1T", "SIG1")
    x, y = multiplexers(tile)[1]
    yield _two("R9", "r10k", (x - 12, y - 2.4), "HALF", "V+", 180)
    yield _two("R10", "r10k", (x - 12, y), "HALF", "GND", 180)
    yield _two(f"C{count + 3}", "c100n", (x - 12, y + 2.4), "HALF", "GND", 180)


def _supply(tile: Tile) -> Iterator[Part]:
    y = jack_at(tile)
    yield Part("J3", "jack", 13.7, y, 90, {"1": "VIN", "2": "GND", "3": "GND"})
    yield _two("F1", "fuse", (20.5, y), "VIN", "FUSED")
    yield Part("Q1", "mosfet", 27.5, y, 180, nets_of("mosfet", G="GATE", S="V+", D="FUSED"))
    yield _two("R11", "r10k", (27.5, y - 3.8), "GND", "GATE")
    yield _two("D1", "tvs", (34, y - 2), "V+", "GND", 180)
    yield _two(f"C{len(tile.places) + 4}", "c10u", (34, y + 2), "GND", "V+")


def _lines(tile: Tile) -> Iterator[Part]:
    own = {"+": "V+", "-": "GND"} | {name: name for name in _SELECT}
    before = own | {f"EN{n}": f"EN{n}" for n in range(4)} | {f"SIG{n}": f"SIG{n}" for n in range(8)}
    after = own | {f"EN{n}": f"EN{n + 1}" for n in range(3)} | {f"SIG{n}": f"SIG{n + 2}" for n in range(6)}
    for ref, wired, row in (("J1", before, 0.5), ("J2", after, 1.5)):
        x, y = tile.middle((tile.columns - 2, row))
        yield Part(ref, "ribbon", x, y, 90, nets_of("ribbon", **wired))
    x, y = 22.4, nano_at(tile)  # its USB socket at the left edge
    wired = (
        {"GND": "GND", "5V": "NANO5V"}
        | {f"D{n + 4}": f"S{n}" for n in range(4)}
        | {f"A{n}": f"SIG{n}" for n in range(8)}
    )
    yield Part("A1", "nano", x, y, 90, nets_of("nano", **wired))
    yield _two("D2", "schottky", (41.5, y + 10.3), "NANO5V", "V+", 180)


def is_whole(board: BoardFile) -> bool:
    """Return whether a board file names every row of its tiles: their silk, zip and pictures are made from that one."""
    return bool(board.tiles) and board.rows == 2 * ROWS


# ---------------------------------------------------------------- what it costs


def costs(tile: Tile) -> str:
    """Return what tiles cost, as Markdown: one board and five, in two orders: two tiles are tested before the rest are made."""
    machine, hand = (
        sum(KINDS[part.kind]["eur"] for part in parts(tile) if part.hand is by_hand) for by_hand in (False, True)
    )
    first = KINDS["nano"]["eur"] + KINDS["jack"]["eur"]  # on one tile of four, which has no J1
    rows = ["| what | one board: 4 tiles, in two orders | five boards: 20 tiles, in two orders |", "|---|---|---|"]
    lines: list[tuple[str, float, float]] = [("parts that machines mount", 4 * machine, 20 * machine)]
    by_hand = 4 * hand - 3 * first - 2 * KINDS["ribbon"]["eur"]  # the last tile has no J2
    lines.append(("headers, sockets, socket of the supply", by_hand, 5 * by_hand))
    lines += [(row["for"], row["one"], row["five"]) for row in COSTS]
    rows += [f"| {what} | {one:.0f} EUR | {five:.0f} EUR |" for what, one, five in lines]
    one, five = sum(line[1] for line in lines), sum(line[2] for line in lines)
    rows.append(f"| together | **{one:.0f} EUR** | **{five:.0f} EUR**, {five / 5:.0f} a board |")
    return "\n".join([*rows, ""])
