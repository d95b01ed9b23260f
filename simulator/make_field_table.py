"""Makes the table of fields that ships: `python -m simulator.make_field_table` writes it, `--check` says whether it is up to date.

Needs magpylib, a development dependency: nothing that runs with a board does. Stands alone because it is a command.
"""

from __future__ import annotations

import argparse
import importlib
import math
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias

from simulator.magnets import DISCS, DISTANCES, STEP_MM, TABLE_PATH, Z_FIRST_MM, ZS

_HEAD = """\
# Bz under an axially magnetised disc of 1 T polarisation, made with magpylib by `python -m simulator.make_field_table`; not edited by hand.
# A section a disc: "disc, diameter mm, thickness mm", then a line for each distance z from its face to the sensor: {first:g} mm and
# {step:g} mm more a line. In it a value for each distance r from its axis: 0 mm and {step:g} mm more a value.
# Value = Bz in mT x (rho / 10 mm)^3 x 1000, rho from the middle of the disc: smooth enough for straight lines between the points.
"""

Solver: TypeAlias = Callable[[float, float, Sequence[tuple[float, float]]], Sequence[float]]
"""(diameter, thickness, points (r, z), all in mm) -> Bz in mT at each point for 1 T."""


def solve_with_magpylib(diameter_mm: float, thickness_mm: float, points: Sequence[tuple[float, float]]) -> list[float]:
    """Return Bz in mT at points (distance from the axis, distance from the face) of a disc of 1 T."""
    # by name: neither the type checker nor a board at run time has to have it
    magpylib = importlib.import_module("magpylib")
    disc = magpylib.magnet.Cylinder(polarization=(0, 0, 1), dimension=(diameter_mm / 1000, thickness_mm / 1000))
    places = [(r / 1000, 0.0, (z + thickness_mm / 2) / 1000) for r, z in points]
    return [float(field[2]) * 1000 for field in disc.getB(places)]


def make(solve: Solver = solve_with_magpylib) -> str:
    """Return the whole text of the table."""
    lines = [_HEAD.format(first=Z_FIRST_MM, step=STEP_MM)]
    for diameter_mm, thickness_mm in DISCS:
        lines.append(f"disc,{diameter_mm:g},{thickness_mm:g}\n")
        zs = [Z_FIRST_MM + row * STEP_MM for row in range(ZS)]
        points = [(column * STEP_MM, z_mm) for z_mm in zs for column in range(DISTANCES)]
        rhos = [math.hypot(r, z + thickness_mm / 2) / 10 for r, z in points]
        fields = solve(diameter_mm, thickness_mm, points)
        forms = [str(round(field * rho**3 * 1000)) for field, rho in zip(fields, rhos, strict=True)]
        lines += [",".join(forms[first : first + DISTANCES]) + "\n" for first in range(0, len(forms), DISTANCES)]
    return "".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Write or check the table; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m simulator.make_field_table", description="Makes the table of fields."
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the table is not up to date")
    wanted = parser.parse_args(arguments)
    try:
        text = make()
    except ImportError:
        print("magpylib is missing: it comes with the development dependencies", file=sys.stderr)
        return 2
    if not wanted.check:
        TABLE_PATH.write_text(text, encoding="utf-8")
        return 0
    if TABLE_PATH.read_text(encoding="utf-8") == text:
        return 0
    print(f"{TABLE_PATH.name} is not what magpylib gives: run python -m simulator.make_field_table", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
