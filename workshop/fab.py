"""Makes what a board house takes: `make fab`. From a board file of tiles, in one zip in `docs/fab`: Gerbers, drill, placement, parts with
order codes and prices, assembly drawings, netlist, the rules' reports, frame and case as STL; and pictures of both sides.

Exit code 1, and nothing written, if the electrical rules (SKiDL) or the design rules (KiCad) find anything or a pad is not joined. With
`--check` only tells whether what is there was made from these sources; that needs none of the tools. Stands alone because it is a command.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import importlib
import io
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hardware import board_names, load_board
from hardware.draw import ROOT
from hardware.wiring import markdown_table
from workshop.print import PARTS_OF_TILES, solid
from workshop.tile import KINDS, SAID, Part, Tile, costs, is_whole, parts, tile_of
from workshop.tile_drawing import assembly

ZIPS, PICTURES = ROOT / "docs/fab", ROOT / "docs/pictures"
SIDES = {"front": "top", "back": "bottom"}
_SOURCES = (
    "tile.toml",
    "tile.py",
    "tile_layout.py",
    "tile_router.py",
    "tile_board.py",
    "tile_drawing.py",
    "fab.py",
    "print.py",
    "board.scad",
)
_DEBIAN_PYTHON = "/usr/bin/python3"  # the only one that has KiCad's module
_DATES = re.compile(r"(CreationDate,|\bdate )[^*<\n]*")
_DATE = (2026, 1, 1, 0, 0, 0)  # of every file in a zip: the same sources make the same bytes
_PACKED = (".drl", ".gbr", ".kicad_pcb", ".stl", ".txt")
_SHEET = 50.0  # where the Gerbers' tile begins: tile_board's _FROM_CORNER


class RulesError(RuntimeError):
    """The electrical or the design rules found something."""


def source_sum(tile: Tile) -> str:
    """Return a sum of what a tile is made from."""
    bytes_of = [Path(__file__).with_name(name).read_bytes() for name in _SOURCES]
    return hashlib.sha256(b"".join(bytes_of) + repr(tile).encode()).hexdigest()[:16]


def tiles() -> list[str]:
    """Return the boards whose tiles are made."""
    return [name for name in board_names() if is_whole(load_board(name))]


def picture_sum(pictures: Iterable[bytes]) -> str:
    """Return a sum of a tile's pictures, front first."""
    return hashlib.sha256(b"".join(pictures)).hexdigest()[:16]


def is_fresh(name: str) -> bool:
    """Return whether zip and pictures of this board are there and were made together, from the sources as they are."""
    target, pictures = ZIPS / f"{name}.zip", [PICTURES / f"{name}-{side}.png" for side in SIDES]
    if not all(path.is_file() for path in (target, *pictures)):
        return False
    with zipfile.ZipFile(target) as made:
        return made.comment.decode() == _comment(name, [path.read_bytes() for path in pictures])


def _comment(name: str, pictures: Iterable[bytes]) -> str:
    return f"{source_sum(tile_of(load_board(name)))} {picture_sum(pictures)}"


# ---------------------------------------------------------------- electrical rules


def electrical_report(tile: Tile) -> str:
    """Return the netlist, one net a line; raises RulesError with SKiDL's words if its rules find an error or a warning."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # SKiDL writes files where it runs
        skidl = importlib.import_module("skidl")
        return _checked(skidl, tile)


def _checked(skidl: Any, tile: Tile) -> str:
    kinds = {"V": "PWRIN", "I": "INPUT", "O": "OUTPUT", "P": "PASSIVE", "-": "NOCONNECT"}
    circuit = skidl.Circuit()
    nets: dict[str, Any] = {}
    for part in parts(tile):
        legs = [leg.split() for leg in KINDS[part.kind]["pins"]]
        pins = [
            skidl.Pin(num=str(n), name=name, func=getattr(skidl.Pin.types, kinds[kind]))
            for n, (name, kind) in enumerate(legs, 1)
        ]
        template = skidl.Part(name=part.kind, tool=skidl.SKIDL, dest=skidl.TEMPLATE, pins=pins)
        for leg in template(circuit=circuit, ref=part.ref).pins:
            name = part.nets.get(leg.num)
            if name:
                if name not in nets:
                    nets[name] = skidl.Net(name, circuit=circuit)
                nets[name].connect(leg)
            else:
                circuit.NC.connect(leg)
    for name in ("V+", "GND"):
        nets[name].drive = skidl.POWER
    circuit.ERC()
    found = skidl.erc_logger.error.count + skidl.erc_logger.warning.count
    if found:
        raise RulesError(f"electrical rules: {found} findings, see the lines above")
    lines = [
        f"{name}: {' '.join(sorted(f'{pin.part.ref}.{pin.num}' for pin in net.pins))}"
        for name, net in sorted(nets.items())
    ]
    return "\n".join(
        [f"Electrical rules (SKiDL): 0 errors, 0 warnings; {len(parts(tile))} parts, {len(nets)} nets", *lines, ""]
    )


# ---------------------------------------------------------------- the board


def lay_out(tile: Tile, name: str, folder: Path) -> None:
    """Place, route and plot a tile in `folder`; raises RulesError with the report if KiCad's rules find anything."""
    from workshop.tile_layout import design_of, routes_of

    (folder / "design.json").write_text(json.dumps(design_of(tile, name)), encoding="utf-8")
    _kicad("place", folder)
    pads, ink = (json.loads((folder / f"{what}.json").read_text(encoding="utf-8")) for what in ("pads", "ink"))
    (folder / "routes.json").write_text(json.dumps(routes_of(tile, pads, ink)), encoding="utf-8")
    _kicad("finish", folder)
    report = (folder / "fab" / f"{name}.rules.txt").read_text(encoding="utf-8")
    if re.findall(r"Found (\d+)", report) != ["0", "0", "0"]:
        raise RulesError(report)


def _kicad(step: str, folder: Path) -> None:
    script = Path(__file__).with_name("tile_board.py")
    subprocess.run([_DEBIAN_PYTHON, script, step, folder], check=True)  # noqa: S603 # our own


def draw(folder: Path) -> dict[str, bytes]:
    """Return a PNG of each side, drawn from the Gerbers in `folder/fab`."""
    pictures = {}
    for side, word in SIDES.items():
        drawing = folder / f"{side}.svg"
        program = Path(sys.executable).with_name("gerbonara")
        command: list[str | Path] = [program, "render", "--warnings", "ignore", f"--{word}", folder / "fab", drawing]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)  # noqa: S603 # our own files
        done = subprocess.run(["rsvg-convert", "-w", "1100", drawing], check=True, capture_output=True)  # noqa: S603, S607
        pictures[side] = done.stdout
    return pictures


# ---------------------------------------------------------------- lists


def parts_list(tile: Tile) -> str:
    """Return the parts list (BOM) of one tile as CSV; prices are one part's in euros."""
    by_kind: dict[str, list[Part]] = {}
    for part in parts(tile):
        by_kind.setdefault(part.kind, []).append(part)
    heads = (
        "Comment",
        "Designator",
        "Footprint",
        "Quantity",
        "Order code",
        "LCSC Part #",
        "Mounted",
        "EUR each",
        "Price from",
        "For",
    )
    rows: list[Sequence[object]] = []
    for kind, made in by_kind.items():
        row = KINDS[kind]
        mounted = "by machine, front"
        if row.get("hand"):
            mounted = "by hand, from below; not in the CPL"
        elif "house" not in row:
            mounted += "; choose it by hand"
        rows.append(
            (
                row["value"],
                ",".join(part.ref for part in made),
                row["footprint"].split(":")[1],
                len(made),
                row["order"],
                row.get("house", ""),
                mounted,
                f"{row['eur']:.2f}",
                row.get("priced", "estimate, 2026-11-26"),
                row["for"],
            )
        )
    return _csv(heads, rows)


def placement(tile: Tile) -> str:
    """Return the placement list (CPL) as CSV, of what machines mount; in the Gerbers' coordinates."""
    rows = [
        (part.ref, f"{_SHEET + part.x:.3f}mm", f"{part.y - tile.size[1] - _SHEET:.3f}mm", "Top", f"{part.turn:g}")
        for part in parts(tile)
        if not part.hand
    ]
    return _csv(("Designator", "Mid X", "Mid Y", "Layer", "Rotation"), rows)


def _csv(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([heads, *rows])
    return text.getvalue()


def order_sheet(tile: Tile, name: str) -> str:
    """Return what to tell the house, and what it may cost."""
    counts = Counter(part.hand for part in parts(tile))
    wide, high = (f"{length - 0.2:g}" for length in tile.size)
    return str(SAID["order"]).format(
        name=name,
        tile=tile,
        wide=wide,
        high=high,
        railed=f"{tile.size[1] - 0.2 + 10:g}",
        last=len(tile.places),
        machine=counts[False],
        hand=counts[True],
        costs=costs(tile),
    )


def page(tile: Tile, name: str) -> str:
    """Return the text of `docs/fab/NAME.md`: parts and costs, from the same data as the zip's."""
    rows = list(csv.DictReader(io.StringIO(parts_list(tile))))
    heads = (
        "Quantity",
        "Comment",
        "Designator",
        "Order code",
        "LCSC Part #",
        "Mounted",
        "EUR each",
        "Price from",
        "For",
    )
    table = markdown_table(heads, [[row[head] for head in heads] for row in rows])
    return str(SAID["page"]).format(name=name, table=table, costs=costs(tile))


# ---------------------------------------------------------------- the zip


def write(name: str, files: Mapping[str, bytes], pictures: Mapping[str, bytes]) -> None:
    """Write the zip, and the pictures by their side."""
    ZIPS.mkdir(exist_ok=True)
    with zipfile.ZipFile(ZIPS / f"{name}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        made.comment = _comment(name, pictures.values()).encode()
        for path in sorted(files):
            made.writestr(zipfile.ZipInfo(path, _DATE), files[path], zipfile.ZIP_DEFLATED)
    for side, picture in pictures.items():
        (PICTURES / f"{name}-{side}.png").write_bytes(picture)


def make(name: str, folder: Path) -> dict[str, bytes]:
    """Return every file of a board's zip; `folder` gets what is made on the way."""
    tile = tile_of(load_board(name))
    texts = {"netlist.txt": electrical_report(tile), "parts.csv": parts_list(tile), "placement.csv": placement(tile)}
    lay_out(tile, name, folder)
    for part in PARTS_OF_TILES:
        solid(load_board(name), part, folder / "fab" / f"{name}-{part}.stl")
    pads = json.loads((folder / "pads.json").read_text(encoding="utf-8"))
    texts |= {f"assembly_{side}.svg": assembly(tile, pads, side) for side in SIDES}
    files = {f"{name}-{end}": text for end, text in (texts | {"order.txt": order_sheet(tile, name)}).items()}
    files |= {
        path.name: path.read_text(encoding="utf-8") for path in (folder / "fab").iterdir() if path.suffix in _PACKED
    }
    return {path: _undated(text) for path, text in files.items()}


def _undated(text: str) -> bytes:
    return _DATES.sub(r"\1", re.sub(r"Created on .*|Drc report for .*", "", text)).encode()


def main(arguments: list[str] | None = None) -> int:
    """Make, or with `--check` only name, what is stale; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m workshop.fab", description="Make what a board house takes.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if something is stale")
    parser.add_argument("--all", action="store_true", help="also what is fresh")
    parser.add_argument("--into", type=Path, help="folder that keeps KiCad's board and all that is made on the way")
    given = parser.parse_args(arguments)
    stale = [name for name in tiles() if given.all or not is_fresh(name)]
    for name in stale:
        if given.check:
            print(f"stale: docs/fab/{name}.zip (run: make fab)", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as made:
            folder = (given.into or Path(made)) / name
            folder.mkdir(parents=True, exist_ok=True)
            try:
                write(name, make(name, folder), draw(folder))
            except RulesError as error:
                print(error, file=sys.stderr)
                return 1
        print(f"made: docs/fab/{name}.zip")
    return 1 if given.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
