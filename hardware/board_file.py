"""Reads board files: which squares a board has, in which order they are sent, and what its sensors and magnets are like.

A file is checked as a whole: keys and values by `TABLES`, what does not fit together, and what no part can do. What scans the sensors is
read by `hardware.scanners`.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

from hardware.scanners import PI_TABLES, Controller, Gpio, SpiChain, SpiConverters, controllers_of
from toml_tables import Key, check_table, keyed, keys_of, read_toml

BOARDS_FOLDER = Path(__file__).with_name("boards")
MAX_SQUARES = 255  # a count on the wire is one byte
NO_SQUARE = "--"
POLES = ("north", "south")

HIGHEST_COUNT = 1023
"""Ten bits, whatever the converter has."""

FULL_FIELD = 16_000
"""A centred field in the firmware's whole numbers: a multiple of 1000, so that thresholds in thousandths are whole numbers too."""

LEAST_GAIN = 20
"""Counts: with less the thresholds would lie inside the converter's own noise."""

DEFAULT_ZERO = 512
"""Counts without a magnet, until a board is calibrated: half the supply."""

HALF_SUPPLY = 512
"""Counts of the divider of the sensors' supply while that is the converter's reference too."""

SUPPLY_RANGE = range(410, 615)
"""Counts of a divider that works: a fifth off at most. With others the firmware corrects nothing."""

REACH = 2
"""Squares: a magnet is corrected for on the 24 squares round it."""

_MOST_GAIN = HIGHEST_COUNT // 2  # from the middle of its range a sensor has no farther to go
_LARGEST_SHARE = 0.075  # of a centred field: the sum of 24 such shares of FULL_FIELD still fits 16 bits
_MOST_CHANNELS = 255  # a byte counts them, in HELLO and in the firmware's loops
_PULLED_UP = (2, 3)  # a Pi's GPIO with resistors of their own
HIGHEST_PIN_MV = 3600  # a Pi's pins break above it


class Sensing(Enum):
    """What a board can tell of a magnet: presence and pole, or presence only."""

    COLOUR = "colour"
    OCCUPANCY = "occupancy"


class BoardFileError(ValueError):
    """A board file cannot be used; `faults` lists every reason with its place in the file."""

    def __init__(self, name: str, faults: Sequence[str]) -> None:
        super().__init__(f"board file {name}: " + "; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Scan:
    """How the sensors are read: whole scans a second, the parts that select a sensor, and each square's channel in wire order."""

    hz: int = keyed("scans of the whole board a second", low=20, high=1000)
    chips: int = keyed("multiplexers or shift registers", low=1, high=32)
    channels_per_chip: int = keyed("inputs of each", low=1, high=64)
    channels: tuple[int, ...] = keyed(
        "channel of each square in wire order, as numbers `17` or ranges `0-91`", kind="list of text"
    )
    supply: int | None = keyed(
        "spare channel of a multiplexer with half the sensors' supply on it: what that moves is taken out",
        None,
        kind="whole number",
        low=0,
        high=254,
    )


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Hysteresis as fractions of a square's own centred field: occupied from `on` upwards, empty from `off` downwards."""

    on: float = keyed("occupied from this fraction of a square's own centred field upwards", low=0.01, high=0.99)
    off: float = keyed("empty from this fraction downwards; less than `on`", low=0.01, high=0.99)


@dataclass(frozen=True, slots=True)
class Magnet:
    """What is glued under a piece. `gap_mm` from its face to the sensor; `centred_mt` is the field there in millitesla.

    `red_down` is the pole of a red piece's magnet that faces the sensor. `beside` is what a centred magnet does to the sensors round
    it, as fractions of its own field, by the distances of `BESIDE_PITCHES`.
    """

    grade: str = keyed("the material")
    diameter_mm: float = keyed("of the disc", low=1, high=20)
    thickness_mm: float = keyed("of the disc", low=0.5, high=20)
    gap_mm: float = keyed("from the disc's face to the sensor", low=0.5, high=20)
    centred_mt: float = keyed("field at the sensor, piece centred, in millitesla", low=1, high=500)
    red_down: str = keyed("pole of a red piece's magnet that faces the sensor", "south", choices=POLES)
    beside: tuple[float, ...] = keyed(
        "fractions of a centred field that it gives 1, 1.41, 2, 2.24 and 2.83 pitches away; a dipole's if left out",
        (),
        kind="list",
    )
    count: int = keyed("how many pieces get one, for the shopping list", 0, low=1, high=500)


@dataclass(frozen=True, slots=True)
class Sensor:
    """What is under a square: its type, what it gives in millivolts a millitesla (0: it is digital), its supply, and its current."""

    part: str = keyed("the sensor's type")
    mv_per_mt: float = keyed("what a linear sensor gives; left out for a digital one", 0.0, low=0.1, high=500)
    supply_mv: int = keyed("its supply, which is the converter's reference too", 5000, low=1800, high=5500)
    ma: float = keyed("current of one sensor in milliamperes", 6.0, low=0.01, high=50)


BESIDE_PITCHES = (1.0, 2**0.5, 2.0, 5**0.5, 8**0.5)
"""The distances of the 24 squares round one on a grid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardFile:
    """One board. `squares` are names in wire order, `places` their (column, row) from 0 in the same order, row 0 red's back row."""

    id: str = keyed("name on the wire and of the file: small letters, digits, hyphens, at most 24")
    about: str = keyed("what board this is, in a sentence")
    verified: bool = keyed("checked against a real board; otherwise squares are our reading of booklets")
    sensing: Sensing = keyed(  # noqa: RUF009 # that is a field
        "presence and pole, or presence only", kind="text", choices=("colour", "occupancy"), read=Sensing
    )
    columns: int = keyed("width of the drawing in squares", low=1, high=32)
    rows: int = keyed("height of the drawing in squares", low=1, high=32)
    pitch_mm: float = keyed("from the middle of one square to the middle of the next", low=8, high=100)
    tiles: int = keyed("equal printed circuit boards that it is made of, see `workshop/tile.py`", 0, low=4, high=4)
    sensor: Sensor
    squares: tuple[str, ...]
    places: tuple[tuple[float, float], ...]
    scan: Scan
    thresholds: Thresholds
    magnet: Magnet
    gpio: Gpio | None = None
    spi: SpiChain | None = None
    mcp3008: SpiConverters | None = None
    controllers: tuple[Controller, ...] = ()
    path: Path | None = field(
        default=None, compare=False
    )  # where it was read, to hand the same board to another process

    @property
    def fingerprint(self) -> int:
        """A 16-bit sum of id, sensing, squares and channels: equal when host and firmware mean the same bits of a KEYFRAME."""
        parts = [self.id, self.sensing.value, *self.squares, *map(str, self.scan.channels)]
        return binascii.crc_hqx("\n".join(parts).encode(), 0xFFFF)

    def index(self, square: str) -> int:
        """Return the wire number of a square; KeyError if the board has none of that name."""
        try:
            return self.squares.index(square)
        except ValueError:
            raise KeyError(square) from None

    def beyond_tiles(self, count: int) -> frozenset[str]:
        """Return the squares that are not on the first so many tiles; none for a board that is not made of tiles."""
        each = self.scan.chips * self.scan.channels_per_chip // (self.tiles or 1)
        pairs = zip(self.squares, self.scan.channels, strict=True)
        return frozenset(square for square, channel in pairs if self.tiles and channel >= count * each)

    def with_sensing(self, sensing: Sensing) -> BoardFile:
        """Return the same board with other sensors: a colour board may be built, or shown, with digital ones."""
        return replace(self, sensing=sensing)


@dataclass(frozen=True, slots=True)
class _Squares:
    rows: tuple[str, ...] = keyed("a line a row, red's back row first: names, blanks between, `--` for no square", None)
    places: tuple[object, ...] = keyed(
        "for boards that are no grid: `[name, column, row]` each, from 0, with fractions", None, kind="list"
    )


TABLES: Mapping[str, tuple[Key, ...]] = {
    "": keys_of(BoardFile),
    "squares": keys_of(_Squares),
    "scan": keys_of(Scan),
    "sensor": keys_of(Sensor),
    "thresholds": keys_of(Thresholds),
    "magnet": keys_of(Magnet),
    **{name: keys_of(made) for name, (made, _) in PI_TABLES.items()},
}
"""Every table of a board file and its keys; "" is the top of the file. The reference page is made from this."""

OPTIONAL_TABLES = frozenset(PI_TABLES)
"""Tables that a board file may leave out: boards with a controller of their own have no pins here."""


WITHDRAWN = BOARDS_FOLDER / "withdrawn"
"""Boards that nobody should build any more; who has one names its file."""


def board_names() -> tuple[str, ...]:
    """Return the names of the boards that ship, sorted."""
    return tuple(sorted(path.stem for path in BOARDS_FOLDER.glob("*.toml")))


def load_board(name_or_path: str | Path) -> BoardFile:
    """Return the board of that name, or of that file if a path (with a slash, or ending in .toml) is given; raise BoardFileError."""
    text = str(name_or_path)
    is_path = isinstance(name_or_path, Path) or "/" in text or text.endswith(".toml")
    if not is_path and text not in board_names():
        raise BoardFileError(text, [f"there is no such board (known: {', '.join(board_names())})"])
    path = Path(text) if is_path else BOARDS_FOLDER / f"{text}.toml"
    try:
        data = read_toml(path)
    except ValueError as error:
        raise BoardFileError(text, [str(error)]) from error
    return replace(parse_board(data, text), path=path.resolve())


def parse_board(data: Mapping[str, Any], name: str = "(given)") -> BoardFile:
    """Return the board that a parsed TOML document describes; raise BoardFileError with every fault in it."""
    faults: list[str] = []
    sections = {section for section in TABLES if section}
    data = dict(data)
    driven = data.pop("controller", {})
    top = check_table({key: value for key, value in data.items() if key not in sections}, TABLES[""], "top", faults)
    tables = {}
    for section in sorted(sections):
        if section in data:
            tables[section] = check_table(data[section], TABLES[section], section, faults)
        elif section not in OPTIONAL_TABLES:
            faults.append(f"top: table [{section}] is missing")
    named = _named_places(tables.get("squares", {}), faults)
    _check_squares(named, top, faults)
    channels = _channels(tables.get("scan", {}), len(named), faults)
    limits = tables.get("thresholds", {})
    if limits.get("off", 0) >= limits.get("on", 1):
        faults.append("thresholds: off must be less than on")
    if not re.fullmatch(r"[a-z0-9-]{1,24}", top.get("id", "x")):
        faults.append("top.id: only small letters, digits and hyphens, at most 24")
    scan = tables.get("scan", {})
    for table, (_, check) in PI_TABLES.items():
        if table in tables:
            check(tables[table], scan, faults)
    linear = top.get("sensing") is Sensing.COLOUR
    wired = [name for name in sorted(OPTIONAL_TABLES) if name in tables]
    wired += ["controller"] if driven else []
    _check_wiring(wired, tables, faults, linear=linear)
    controllers = controllers_of(driven, scan, linear=linear, faults=faults)
    if (driven or "mcp3008" in tables) and linear and any(x % 1 or y % 1 for _, (x, y) in named):
        faults.append("squares.places: linear sensors are corrected on a grid; fractions need digital ones")
    beside = _beside(tables.get("magnet", {}), top.get("pitch_mm", 19.0), faults)
    check_limits(tables, beside, wired, faults, linear=linear)
    if faults:
        raise BoardFileError(name, faults)
    return BoardFile(
        **top,
        sensor=Sensor(**tables["sensor"]),
        squares=tuple(square for square, _ in named),
        places=tuple(place for _, place in named),
        scan=Scan(**{**scan, "channels": channels}),
        thresholds=Thresholds(**limits),
        magnet=Magnet(**{**tables["magnet"], "beside": beside}),
        controllers=controllers,
        **{table: made(**tables[table]) for table, (made, _) in PI_TABLES.items() if table in tables},
    )


def _check_wiring(wired: Sequence[str], tables: Mapping[str, Any], faults: list[str], *, linear: bool) -> None:
    if len(wired) > 1:
        faults.append(f"top: {' and '.join(wired)} cannot both scan the sensors")
    if linear and wired and wired[0] in ("gpio", "spi"):
        faults.append(f"{wired[0]}: pins tell presence only; sensing must be occupancy")
    if "mcp3008" in wired and not linear:
        faults.append("mcp3008: converters are for linear sensors; sensing must be colour")


def _beside(magnet: Mapping[str, Any], pitch_mm: float, faults: list[str]) -> tuple[float, ...]:
    given = magnet.get("beside")
    if given is None or given == ():
        depth_mm = magnet.get("gap_mm", 4.5) + magnet.get("thickness_mm", 2.0)
        return tuple(dipole(pitches * pitch_mm, depth_mm) for pitches in BESIDE_PITCHES)
    if len(given) != len(BESIDE_PITCHES) or not all(isinstance(x, (int, float)) and -0.5 < x < 0.5 for x in given):
        faults.append(f"magnet.beside: {len(BESIDE_PITCHES)} numbers between -0.5 and 0.5 are needed")
        return ()
    return tuple(given)


def dipole(distance_mm: float, depth_mm: float) -> float:
    """Return the field of a dipole at that depth beside the one below it, as a fraction: close enough to a disc's from a pitch away on."""
    across, down = distance_mm**2, depth_mm**2
    return float((2 * down - across) * depth_mm**3 / (2 * (across + down) ** 2.5))


def _named_places(squares: Mapping[str, Any], faults: list[str]) -> list[tuple[str, tuple[float, float]]]:
    rows, places = squares.get("rows"), squares.get("places")
    if (rows is None) == (places is None):
        faults.append("squares: exactly one of rows and places is needed")
        return []
    if places is None:
        return [
            (name, (column, row))
            for row, line in enumerate(rows or ())
            for column, name in enumerate(line.split())
            if name != NO_SQUARE
        ]
    named = []
    for number, item in enumerate(places, 1):
        match item:
            case [str(name), int() | float() as column, int() | float() as row]:
                named.append((name, (column, row)))
            case _:
                faults.append(f"squares.places item {number}: [name, column, row] is needed")
    return named


def _check_squares(named: list[tuple[str, tuple[float, float]]], top: Mapping[str, Any], faults: list[str]) -> None:
    names, places = [name for name, _ in named], [place for _, place in named]
    faults += [f"squares: {name} stands twice" for name in sorted({n for n in names if names.count(n) > 1})]
    faults += [f"squares: two squares lie at {place}" for place in sorted({p for p in places if places.count(p) > 1})]
    faults += [
        f"squares: {name!r} is no name (letters and digits only)"
        for name in names
        if not re.fullmatch(r"[a-z0-9]{1,16}", name)
    ]
    columns, rows = top.get("columns", 32), top.get("rows", 32)
    outside = [name for name, (x, y) in named if not (0 <= x <= columns - 1 and 0 <= y <= rows - 1)]
    faults += [f"squares: {name} lies outside {columns} columns and {rows} rows" for name in outside]
    if len(named) > MAX_SQUARES:
        faults.append(f"squares: {len(named)} are more than {MAX_SQUARES}")


def _channels(scan: Mapping[str, Any], squares: int, faults: list[str]) -> tuple[int, ...]:
    channels: list[int] = []
    for item in scan.get("channels", ()):
        span = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", item)
        if span is None:
            faults.append(f"scan.channels: {item!r} is no number or range")
            return ()
        channels.extend(range(int(span[1]), int(span[2] or span[1]) + 1))
    room = scan.get("chips", 0) * scan.get("channels_per_chip", 0)
    if channels and squares and len(channels) != squares:
        faults.append(f"scan.channels: {len(channels)} channels for {squares} squares")
    if len(set(channels)) != len(channels):
        faults.append("scan.channels: a channel stands twice")
    if scan.get("supply") in channels:
        faults.append(f"scan.supply: a square is on channel {scan['supply']}")
    if room and channels and max(channels) >= room:
        faults.append(f"scan.channels: {max(channels)} is beyond the {room} that the chips have")
    return tuple(channels)


# ---------------------------------------------------------------- limits
# What parts, firmware and wire cannot do although every single value is allowed: found before anything is made of it.


def counts_of(centred_mt: float, mv_per_mt: float, supply_mv: float) -> int:
    """Return the counts that a centred magnet adds by the data sheets; the supply is the converter's reference too."""
    return round(HIGHEST_COUNT * centred_mt * mv_per_mt / supply_mv)


def check_limits(
    tables: Mapping[str, Mapping[str, Any]],
    beside: Sequence[float],
    wired: Collection[str],
    faults: list[str],
    *,
    linear: bool,
) -> None:
    """Append what is beyond a limit. `tables` are the checked ones, `beside` the magnet's shares, `wired` what scans the sensors."""
    scan, sensor, magnet = (tables.get(name, {}) for name in ("scan", "sensor", "magnet"))
    channels = scan.get("chips", 0) * scan.get("channels_per_chip", 0)
    if wired and channels > _MOST_CHANNELS:
        faults.append(f"scan: {channels} channels; firmware and wire count {_MOST_CHANNELS}")
    if wired and linear is not (sensor.get("mv_per_mt", float(linear)) > 0):
        faults.append("sensor.mv_per_mt: sensing colour needs linear sensors, which tell it; occupancy digital ones")
    elif wired and linear and "centred_mt" in magnet and {"mv_per_mt", "supply_mv"} <= sensor.keys():
        counts = counts_of(magnet["centred_mt"], sensor["mv_per_mt"], sensor["supply_mv"])
        if not LEAST_GAIN <= counts <= _MOST_GAIN:
            faults.append(f"magnet.centred_mt: {counts} counts of the converter, not {LEAST_GAIN} to {_MOST_GAIN}")
    supply = scan.get("supply")
    if supply is not None and (supply >= channels or (wired and not ("controller" in wired and linear))):
        faults.append(f"scan.supply: no input {supply} of a multiplexer")
    if wired and linear and any(abs(share) > _LARGEST_SHARE for share in beside):
        faults.append(f"magnet.beside: more than {_LARGEST_SHARE:g} of a field beside a square cannot be corrected")
    _check_pi(tables, sensor.get("supply_mv", 0), faults)


def _check_pi(tables: Mapping[str, Mapping[str, Any]], supply_mv: int, faults: list[str]) -> None:
    faults += [
        f"{name}.device: SPI 0 has no device {tables[name]['device']}"
        for name in ("spi", "mcp3008")
        if tables.get(name, {}).get("bus") == 0 and tables[name].get("device", 0) > 1
    ]
    gpio = tables.get("gpio", {})
    if gpio.get("pull", "up") != "up":
        faults += [
            f"gpio.columns: pin {pin} has a pull-up of its own; gpio.pull must be up"
            for pin in gpio.get("columns", ())
            if pin in _PULLED_UP
        ]
    driven = {"spi", "mcp3008"} & tables.keys() or gpio.get("magnet") == "high"
    if driven and supply_mv > HIGHEST_PIN_MV:
        faults.append(f"sensor.supply_mv: {supply_mv} would reach a Raspberry Pi's pins, which stand 3300")


# ---------------------------------------------------------------- linear sensors
# Whole numbers that C firmware and Python firmware both use.


def default_gain(board: BoardFile) -> int:
    """Return the counts that red's centred magnet adds by the datasheets, until a board is calibrated."""
    return counts_of(board.magnet.centred_mt, board.sensor.mv_per_mt, board.sensor.supply_mv)


def share(board: BoardFile, across: int, down: int) -> int:
    """Return what a centred magnet adds to the sensor so many columns and rows away, in `FULL_FIELD`ths of its own field."""
    if not across and not down:
        return 0
    nearest = min(range(len(BESIDE_PITCHES)), key=lambda i: abs(BESIDE_PITCHES[i] - (across**2 + down**2) ** 0.5))
    return round(FULL_FIELD * board.magnet.beside[nearest])
