"""Draws what a sensor feels of a piece, from our own field table: `docs/wiring/field.svg`. `python -m simulator.draw_field`.

Needs matplotlib, which comes with the `drawings` extra: nothing that runs with a board does. Stands alone because it is a command.
"""

from __future__ import annotations

import importlib
import io
import sys
from dataclasses import replace
from typing import Any

from hardware import BoardFile, load_board
from hardware.draw import ROOT, smaller, source_sum
from hardware.field import LEAST_QUARTER, quarter
from simulator.magnets import DISCS, TABLE_PATH, field_mt

TARGET = ROOT / "docs/wiring/field.svg"
_STEPS = 120
_FARTHEST_MM = 24.0
_HIGHEST_MM = 16.0
_GAPS_MM = (2.0, 8.0)
_WANTED_MT = (40.0, 50.0)
_TOPPLES_MM = 8.0  # discs this wide push each other over


def main() -> int:
    """Draw; return the exit code."""
    pyplot = importlib.import_module("matplotlib.pyplot")
    pyplot.rcParams.update({"svg.hashsalt": "field", "svg.fonttype": "none"})  # text stays text
    board = load_board("travel-10x10")
    figure, (along, above, choice) = pyplot.subplots(1, 3, figsize=(12.5, 3.8))
    _aside(along, board)
    _lifted(above, board)
    _choice(choice, board)
    figure.tight_layout()
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    TARGET.write_text(source_sum(TABLE_PATH) + smaller(drawn.getvalue()), encoding="utf-8")
    print(f"drawn: {TARGET.relative_to(ROOT)}")
    return 0


def _aside(axes: Any, board: BoardFile) -> None:
    for height_mm in (0.0, 3.0, 10.0):
        points = _steps(0.0, _FARTHEST_MM)
        fields = [field_mt(board.magnet, x, height_mm) for x in points]
        axes.plot(points, fields, label=f"{height_mm:g} mm above the board")
    _thresholds(axes, board)
    for where, x_mm in (("border", board.pitch_mm / 2), ("next square", board.pitch_mm)):
        axes.axvline(x_mm, color="grey", linewidth=0.8)
        axes.annotate(where, (x_mm, 12), rotation=90, fontsize=8, ha="right", color="grey")
    axes.set_title("a piece pushed aside", fontsize=10)
    axes.set_xlabel("mm from the middle of the square")
    axes.set_ylabel("mT at the sensor")


def _lifted(axes: Any, board: BoardFile) -> None:
    heights = _steps(0.0, _HIGHEST_MM)
    axes.plot(heights, [field_mt(board.magnet, 0.0, z) for z in heights], label="over the middle")
    _thresholds(axes, board)
    axes.set_title("a piece lifted", fontsize=10)
    axes.set_xlabel("mm above the board")


def _choice(axes: Any, board: BoardFile) -> None:
    gaps = _steps(*_GAPS_MM)
    for diameter_mm, thickness_mm in DISCS:
        disc = replace(board.magnet, diameter_mm=diameter_mm, thickness_mm=thickness_mm)
        fields = [field_mt(replace(disc, gap_mm=gap), 0.0) for gap in gaps]
        (line,) = axes.plot(gaps, fields, linestyle=":", linewidth=0.8)
        taken = [gap for gap in gaps if quarter(replace(disc, gap_mm=gap), board.pitch_mm) >= LEAST_QUARTER]
        if diameter_mm < _TOPPLES_MM:
            strong = [field_mt(replace(disc, gap_mm=gap), 0.0) for gap in taken]
            axes.plot(
                taken, strong, color=line.get_color(), linewidth=2, label=f"{diameter_mm:g} x {thickness_mm:g} mm"
            )
        else:
            line.set_label(f"{diameter_mm:g} x {thickness_mm:g} mm: topples")
    axes.axhspan(*_WANTED_MT, color="green", alpha=0.15, label="aim here, on a thick line")
    axes.annotate("dotted: refused", (2.1, 20), fontsize=8)
    axes.set_ylim(0, 160)
    axes.set_title(f"which disc ({board.magnet.grade}) at which gap?", fontsize=10)
    axes.set_xlabel("mm from disc to sensor, piece in the middle")
    axes.legend(fontsize=8)


def _thresholds(axes: Any, board: BoardFile) -> None:
    centred = field_mt(board.magnet, 0.0)
    axes.axhline(board.thresholds.on * centred, color="green", linestyle="--", linewidth=1, label="on")
    axes.axhline(board.thresholds.off * centred, color="red", linestyle="--", linewidth=1, label="off")
    axes.axhline(0.0, color="black", linewidth=0.5)
    axes.legend(fontsize=8)


def _steps(first: float, last: float) -> list[float]:
    return [first + (last - first) * i / _STEPS for i in range(_STEPS + 1)]


if __name__ == "__main__":
    sys.exit(main())
