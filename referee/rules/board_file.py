"""Board files: a map of a grid, or tracks written out, read into a `Board`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from referee.rules.board import LAKE, Board, Home, Shape
from referee.rules.fields import Fields
from referee.rules.outcomes import FileFault, RuleFileError, RulesError
from referee.rules.values import BySeat, Seat, Square

MOST_SQUARES = 255
"""A chase position holds eight bits a piece for the square that it stands on."""
_SQUARE, _NOTHING, _RING, _TURRET = ".", " ", "O", "T"


@dataclass
class _Plane:
    """Cells, squares and tracks while a file is being read: fields of the board."""

    shapes: dict[Square, Shape] = field(default_factory=dict)
    tracks: list[tuple[str, ...]] = field(default_factory=list)
    lake_squares: dict[Square, Shape] = field(default_factory=dict)
    columns: int = 0
    rows: int = 0


def board_from(table: Mapping[str, object], base: Callable[[str], Board] | None = None) -> Board:
    """Return the board that a file's table describes; `base` finds the board that a file draws its lakes into, by name.

    Raises `RuleFileError` with every fault.
    """
    faults: list[FileFault] = []
    fields = Fields(table, faults)
    name = fields.need("name", str, "?")
    source = fields.take("source", str, "")
    verified = fields.take("verified", bool, False)
    if not verified and "unverified" not in source:
        fields.fault("source", 'a board that nobody verified says "unverified"')
    if base is not None and fields.has("base"):
        return _with_lakes(fields, base, name=name, verified=verified, source=source)
    plane = _from_map(fields) if fields.has("map") else _from_tracks(fields)
    names = {square.name: square for square in plane.shapes}
    homes = _homes(fields.table("homes"), names)
    fields.finish()
    if len(names) > MOST_SQUARES:
        faults.append(FileFault("squares", f"{len(names)} are more than {MOST_SQUARES}"))
    if faults:
        raise RuleFileError(name, faults)
    return Board(
        name=name,
        **vars(plane),
        homes=BySeat(homes),
        ring=names.get("ring"),
        turret=names.get("turret"),
        verified=verified,
        source=source,
    )


def _with_lakes(fields: Fields, base: Callable[[str], Board], *, name: str, verified: bool, source: str) -> Board:
    """Read lakes drawn into another board."""
    lakes: set[Square] = set()
    board = None
    try:
        board = base(fields.take("base", str, ""))
    except RulesError as error:
        fields.fault("base", str(error))
    for word in fields.need("lakes", str, "").split():
        if board is not None:
            lakes.update(_range(fields, "lakes", word, {square.name: square for square in board.squares}))
    if board is not None:
        starts = {square for home in board.homes.values() for square in (*home.zone, home.recruitment)}
        for square in sorted(lakes & {*starts, board.ring, board.turret}, key=repr):
            fields.fault("lakes", f"{square!r} is of the castle or of a set-up zone")
    fields.finish()
    if fields.faults or board is None:
        raise RuleFileError(name, fields.faults)
    return board.with_lakes(lakes, name=name, verified=verified, source=source)


def _from_map(fields: Fields) -> _Plane:
    """Read a grid: the file's last line is row 1, its first letter column a."""
    lines = fields.take("map", str, "").strip("\n").split("\n")[::-1]
    plane = _Plane(columns=max(len(line) for line in lines), rows=len(lines))
    cells: dict[tuple[int, int], str] = {}
    for row, line in enumerate(lines):
        for column, letter in enumerate(line):
            square = Square(f"{chr(ord('a') + column)}{row + 1}")
            if letter == _SQUARE:
                cells[column, row] = square.name
                plane.shapes[square] = Shape(column, row)
            elif letter == LAKE:
                cells[column, row] = LAKE
                plane.lake_squares[square] = Shape(column, row)
            elif letter in (_RING, _TURRET):
                cells[column, row] = "ring" if letter == _RING else "turret"
            elif letter != _NOTHING:
                fields.fault("map", f"{letter!r} in row {row + 1} means nothing")
    for name in ("ring", "turret"):
        _add_castle(plane, name, [place for place, cell in cells.items() if cell == name])
    for column in range(plane.columns):
        _add_tracks(plane, [cells.get((column, row)) for row in range(plane.rows)])
    for row in range(plane.rows):
        _add_tracks(plane, [cells.get((column, row)) for column in range(plane.columns)])
    return plane


def _add_castle(plane: _Plane, name: str, places: list[tuple[int, int]]) -> None:
    if places:
        left, low = min(column for column, _ in places), min(row for _, row in places)
        right, high = max(column for column, _ in places), max(row for _, row in places)
        plane.shapes[Square(name)] = Shape(left, low, right - left + 1, high - low + 1)


def _add_tracks(plane: _Plane, cells: list[str | None]) -> None:
    """Cut a row or column where the board has no cell at all."""
    track: list[str] = []
    for cell in [*cells, None]:
        if cell is not None:
            track.append(cell)
        elif track:
            plane.tracks.append(tuple(track))
            track = []


def _from_tracks(fields: Fields) -> _Plane:
    """Read a board that is no grid: its squares with their places, and its tracks."""
    plane = _Plane(columns=fields.need("columns", int, 1), rows=fields.need("rows", int, 1))
    squares = fields.table("squares")
    for name in squares.keys():  # noqa: SIM118 - a Fields is no mapping: taking empties it
        numbers = squares.take(name, list, [])
        if len(numbers) in (2, 4) and all(isinstance(number, int | float) for number in numbers):
            plane.shapes[Square(name)] = Shape(*numbers)
        else:
            squares.fault(name, "must be [column, row] or [column, row, width, height]")
    known = {square.name for square in plane.shapes} | {LAKE}
    for at, track in enumerate(fields.need("tracks", list, [])):
        names = track.split() if isinstance(track, str) else []
        unknown = [name for name in names if name not in known]
        if len(names) < 2 or unknown:
            fields.fault(f"tracks[{at}]", "must name two squares or more" if not unknown else f"unknown {unknown}")
        else:
            plane.tracks.append(tuple(names))
    return plane


def _homes(fields: Fields, names: Mapping[str, Square]) -> dict[Seat, Home]:
    homes = {}
    for key in fields.keys():  # noqa: SIM118 - a Fields is no mapping: taking empties it
        seat = fields.word(key, key, Seat)
        home = fields.table(key)
        special = {which: home.take(which, str, "") for which in ("recruitment", "flag_start")}
        for which, name in special.items():
            if name and name not in names:
                home.fault(which, f"unknown square {name!r}")
        zone = [square for word in home.need("zone", str, "").split() for square in _range(home, "zone", word, names)]
        home.finish()
        if seat is not None:
            order = [square for square in names.values() if square in zone and square.name != special["recruitment"]]
            homes[seat] = Home(tuple(order), names.get(special["recruitment"]), names.get(special["flag_start"]))
    return homes


def _range(fields: Fields, key: str, word: str, names: Mapping[str, Square]) -> list[Square]:
    """Return the squares of `c1` or of the rectangle `a1:j4`."""
    low, _, high = word.partition(":")
    ends = [names.get(low), names.get(high or low)]
    if None in ends:
        fields.fault(key, f"unknown square in {word!r}")
        return []
    if not high:
        return [names[low]]
    if not (low[1:].isdigit() and high[1:].isdigit()):
        fields.fault(key, f"{word!r} is no rectangle of a grid")
        return []
    columns = (low[0], high[0])
    rows = (int(low[1:]), int(high[1:]))
    return [
        square
        for name, square in names.items()
        if columns[0] <= name[0] <= columns[1] and name[1:].isdigit() and rows[0] <= int(name[1:]) <= rows[1]
    ]
