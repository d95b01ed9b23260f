"""Draws what a sensor feels of a piece, from our own field table: `docs/wiring/field.svg`. `python -m simulator.draw_field`.

Needs matplotlib, which comes with the `drawings` extra: nothing that runs with a board does.
"""

from __future__ import annotations

import importlib
import io
import sys

from hardware import load_board
from hardware.draw import ROOT, smaller, source_sum
from simulator.field import TABLE_PATH, field_mt

TARGET = ROOT / "docs/wiring/field.svg"
_STEPS = 120
_FARTHEST_MM = 24.0
_HIGHEST_MM = 16.0


def main() -> int:
    """Draw; give the exit code."""
    pyplot = importlib.import_module("matplotlib.pyplot")
    pyplot.rcParams.update({"svg.hashsalt": "field", "svg.fonttype": "none"})  # text stays text
    board = load_board("travel-10x10")
    magnet, pitch_mm = board.magnet, board.pitch_mm
    figure, (along, above) = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for height_mm in (0.0, 3.0, 10.0):
        points = [_FARTHEST_MM * i / _STEPS for i in range(_STEPS + 1)]
        along.plot(points, [field_mt(magnet, x, height_mm) for x in points], label=f"{height_mm:g} mm above the board")
    heights = [_HIGHEST_MM * i / _STEPS for i in range(_STEPS + 1)]
    above.plot(heights, [field_mt(magnet, 0.0, z) for z in heights], label="over the middle")
    centred = field_mt(magnet, 0.0)
    for axes in (along, above):
        axes.axhline(board.thresholds.on * centred, color="green", linestyle="--", linewidth=1, label="on")
        axes.axhline(board.thresholds.off * centred, color="red", linestyle="--", linewidth=1, label="off")
        axes.axhline(0.0, color="black", linewidth=0.5)
        axes.legend(fontsize=8)
    along.axvline(pitch_mm / 2, color="grey", linewidth=0.8)
    along.axvline(pitch_mm, color="grey", linewidth=0.8)
    along.set_title(f"piece pushed aside (border at {pitch_mm / 2:g} mm, next square at {pitch_mm:g} mm)", fontsize=9)
    above.set_title("piece lifted", fontsize=9)
    along.set_xlabel("mm from the middle of the square")
    above.set_xlabel("mm above the board")
    along.set_ylabel("mT at the sensor")
    figure.tight_layout()
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    TARGET.write_text(source_sum(TABLE_PATH) + smaller(drawn.getvalue()), encoding="utf-8")
    print(f"drawn: {TARGET.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
