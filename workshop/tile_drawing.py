"""The assembly drawing of a tile's side, twice as large as life, from where its pads are: names and legs of all parts, leg 1 in black."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workshop.canvas import FAINT, Canvas
from workshop.tile import KINDS, POINTS, Tile, parts

_TIMES = 2.0
_HEAD = 14.0
_SIZES = {"front": 1.9, "back": 2.4}


def assembly(tile: Tile, pads: Sequence[Mapping[str, Any]], side: str) -> str:
    """Return the drawing as SVG; the back as it is seen from there, its left edge on the right. Legs 1 are black."""
    wide, high = (_TIMES * length for length in tile.size)
    canvas = Canvas(wide + 4, high + 4 + _HEAD)
    words = "front: by machine" if side == "front" else "back, seen from there: by hand"
    canvas.text(
        2,
        4,
        f"Tile {tile.columns} x {tile.rows}, {tile.pitch:g} mm, {words}. 2 : 1. Up: towards BLUE. Black: leg 1, a diode's bar.",
        3,
    )
    by_hand = side == "back"
    mounted: dict[str, list[str]] = {}
    for part in parts(tile):
        if part.hand is by_hand:
            mounted.setdefault(part.kind, []).append(part.ref)
    values = [f"{_listed(refs)}: {KINDS[kind]['value']}" for kind, refs in mounted.items()]
    canvas.lines(2, 8.5, ("; ".join(values[:5]), "; ".join(values[5:])), 2.2)
    canvas.box(2, _HEAD, wide, high)

    def at(x: float, y: float) -> tuple[float, float]:
        return 2 + (wide - _TIMES * x if by_hand else _TIMES * x), _HEAD + high - _TIMES * y

    for ref in (ref for refs in mounted.values() for ref in refs):
        own = [pad for pad in pads if pad["part"] == ref]
        for pad in own:
            (x, y), (across, up) = at(*pad["at"]), (_TIMES * length for length in pad["size"])
            corners = [(x + a * across / 2, y + b * up / 2) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            canvas.shape(*corners, fill="#000" if pad["leg"] == "1" else "#bbb")
        boxes = [(at(*pad["at"]), pad["size"]) for pad in own]
        left, right = min(x for (x, _), _ in boxes), max(x for (x, _), _ in boxes)
        low = max(y + up for (_, y), (_, up) in boxes)
        canvas.text((left + right) / 2, low + 1.6, ref, _SIZES[side], "middle")
    for pad in pads:
        if by_hand and pad["part"].startswith("TP"):
            x, y = at(*pad["at"])
            canvas.circle(x, y, _TIMES * 0.75, color=FAINT)
            canvas.text(x, y + 3, POINTS[pad["net"]], _SIZES[side], "middle", FAINT)
    return canvas.svg()


def _listed(refs: Sequence[str]) -> str:
    return f"{refs[0]} to {refs[-1]}" if len(refs) > 20 else " ".join(refs)
