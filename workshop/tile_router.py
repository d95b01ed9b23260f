"""Finds tracks: a small maze router for what a tile's rules leave open. Same input, same tracks.

Copper lies on two sides of a grid of `STEP`; the search itself is scikit-image's least-cost path. A net may at first cross what another net
has laid, at a price; that one is then taken up and laid anew, at a price that grows where nets meet, until none is crossed.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label
from skimage.graph import MCP_Geometric

Point = tuple[float, float]
Node = tuple[int, int, int]  # layer (front, via, back), row, column

STEP = 0.25  # mm
CLEARANCE = 0.2
VIA = (0.6, 0.3)  # copper and hole
_HOLES_APART = 0.3
_PLANE = 0.4  # from copper of another net to the middle of a plane's narrowest strip
_SIDES = ("front", "back")
_LAYER = {"front": 0, "back": 2}
_COST = {"front": 1.0, "back": 1.15}  # the back is rather left to ground
_VIA_COST = 10.0
_CROSSING = 6.0
_MOST_ROUNDS = 600
_MOVES = [(0, y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if x or y] + [(-1, 0, 0), (1, 0, 0)]


class NoWayError(RuntimeError):
    """Some nets could not be laid."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Copper of a net, or a hole: a line of that width through two points, with round ends, or a box of `size` round the first."""

    net: str
    sides: tuple[str, ...]
    start: Point
    end: Point
    width: float = 0.0
    size: Point | None = None
    hole: float = 0.0
    solder: bool = False  # a pad that is no place for a via
    within: float = 0.95  # of its size: there a track surely meets it


@dataclass(slots=True)
class Net:
    """What has to be joined: pads to reach from `start` on, or from one another when that is empty."""

    name: str
    width: float
    pads: list[Shape]
    start: list[Shape] = field(default_factory=list)
    laid: list[Shape] = field(default_factory=list)


class Router:
    """A tile's copper. `fixed` is what does not move; nothing comes nearer to an edge than `inset`; no via lies under what is `printed`."""

    def __init__(self, size: Point, inset: float, fixed: Sequence[Shape], printed: Sequence[Shape] = ()) -> None:
        self.columns, self.rows = (round(length / STEP) + 1 for length in size)
        self.size, self.inset, self.fixed, self.printed = size, inset, list(fixed), printed
        self.grid_x = np.arange(self.columns) * STEP
        self.grid_y = np.arange(self.rows) * STEP
        self.known: dict[tuple[Shape, float], tuple[slice, slice, NDArray[np.bool_]]] = {}
        self.met = np.zeros((3, self.rows, self.columns))

    def lay(self, nets: Sequence[Net], wanted: Sequence[Net] | None = None) -> None:
        """Lay every net, or those wanted; what each got is in its `laid`. Raises NoWayError with the names of those left."""
        waiting = deque(nets if wanted is None else wanted)
        for _ in range(_MOST_ROUNDS):
            if not waiting:
                return
            net = waiting.popleft()
            others = [other for other in nets if other is not net and other.laid]
            self._lay(net, others)
            for other in others:
                if self._crosses(net, other):
                    other.laid = []
                    waiting.append(other)
        raise NoWayError(", ".join(net.name for net in waiting))

    # ---------------------------------------------------------------- one net

    def _lay(self, net: Net, others: Sequence[Net]) -> None:
        costs = self._costs(net, others)
        pads = list(net.pads)
        reached = list(net.start) or [pads.pop(0)]
        from_nodes = {node for shape in reached for node in self._nodes(shape, costs)}
        while pads:
            ends = {node: pad for pad in pads for node in self._nodes(pad, costs)}
            joined = [pad for node, pad in ends.items() if node in from_nodes]
            if not joined:
                search = MCP_Geometric(costs, offsets=_MOVES)
                reach, _ = search.find_costs(sorted(from_nodes), sorted(ends), find_all_ends=False)
                best = min(ends, key=lambda node: (reach[node], node))
                if not np.isfinite(reach[best]):
                    raise NoWayError(f"{net.name} at {pads[0].start}")
                path = search.traceback(best)
                net.laid += self._shapes(net, path)
                from_nodes |= {node for node in path if node[0] != 1}
                joined = [ends[best]]
            for pad in dict.fromkeys(joined):
                from_nodes |= set(self._nodes(pad, costs))
                pads.remove(pad)

    def _costs(self, net: Net, others: Sequence[Net]) -> NDArray[np.float64]:
        """Return what each node costs this net, -1 where it may not go."""
        costs = self.met + 1
        reach, via_reach = net.width / 2 + CLEARANCE, VIA[0] / 2 + CLEARANCE
        laid = [shape for other in others for shape in other.laid]
        foreign = [shape for shape in self.fixed if shape.net != net.name or not shape.net]
        via = np.ones((self.rows, self.columns), bool)
        via[::2, ::2] = False
        crossed = np.zeros_like(via)
        for side in _SIDES:
            layer = costs[_LAYER[side]]
            layer *= _COST[side]
            layer[self._painted(laid, side, reach)] += _CROSSING
            layer[self._painted(foreign, side, reach) | self._rim(reach - CLEARANCE)] = -1
            via |= self._painted(foreign, side, via_reach) | self._rim(VIA[0] / 2)
            via |= self._painted([s for s in self.fixed if s.solder], side, VIA[0] / 2 + 0.05)
            via |= self._painted(self.printed, side, VIA[0] / 2)
            crossed |= self._painted(laid, side, via_reach)
        holes = [Shape("", _SIDES, shape.start, shape.start, shape.hole) for shape in self.fixed if shape.hole]
        via |= self._painted(holes, "front", VIA[1] / 2 + _HOLES_APART)
        costs[1] = np.where(via, -1, costs[1] + _VIA_COST + 2 * _CROSSING * crossed)
        return costs

    def _rim(self, reach: float) -> NDArray[np.bool_]:
        low = self.inset + reach
        across = (self.grid_x < low) | (self.grid_x > self.size[0] - low)
        up = (self.grid_y < low) | (self.grid_y > self.size[1] - low)
        return up[:, None] | across[None, :]

    def _painted(self, shapes: Iterable[Shape], side: str, reach: float) -> NDArray[np.bool_]:
        """Return which nodes of a side lie nearer than `reach` to a shape."""
        found = np.zeros((self.rows, self.columns), bool)
        for shape in shapes:
            if side in shape.sides:
                rows, columns, near = self._near(shape, reach)
                found[rows, columns] |= near
        return found

    def _near(self, shape: Shape, reach: float) -> tuple[slice, slice, NDArray[np.bool_]]:
        """Return a window of the grid, and which of its nodes lie nearer than `reach` to a shape."""
        if (shape, reach) not in self.known:
            rows, columns, distance = self._distances(shape, reach)
            self.known[shape, reach] = rows, columns, distance < reach - 1e-6
        return self.known[shape, reach]

    def _distances(self, shape: Shape, reach: float) -> tuple[slice, slice, NDArray[np.float64]]:
        (x0, y0), (x1, y1) = shape.start, shape.end
        wide, high = shape.size or (shape.width, shape.width)
        columns = self._window(min(x0, x1) - wide / 2 - reach, max(x0, x1) + wide / 2 + reach, self.columns)
        rows = self._window(min(y0, y1) - high / 2 - reach, max(y0, y1) + high / 2 + reach, self.rows)
        x, y = self.grid_x[None, columns], self.grid_y[rows, None]
        if shape.size:
            across = np.maximum(np.abs(x - x0) - wide / 2, 0)
            up = np.maximum(np.abs(y - y0) - high / 2, 0)
            return rows, columns, np.hypot(across, up)
        length = (x1 - x0) ** 2 + (y1 - y0) ** 2
        along = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length, 0, 1) if length else 0 * (x + y)
        away = np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0))
        return rows, columns, np.maximum(away - shape.width / 2, 0)

    @staticmethod
    def _window(low: float, high: float, count: int) -> slice:
        return slice(max(math.floor(low / STEP), 0), min(math.ceil(high / STEP) + 1, count))

    def _nodes(self, shape: Shape, costs: NDArray[np.float64]) -> list[Node]:
        """Return the free nodes that lie well within a shape."""
        if shape.size:
            shape = replace(shape, size=(shape.within * shape.size[0], shape.within * shape.size[1]))
        rows, columns, distance = self._distances(shape, 0.001)
        found = []
        for side in shape.sides:
            layer = _LAYER[side]
            free = (distance < 0.001) & (costs[layer, rows, columns] > 0)
            found += [(layer, int(y) + rows.start, int(x) + columns.start) for y, x in np.argwhere(free)]
        return found

    def _shapes(self, net: Net, path: Sequence[Node]) -> list[Shape]:
        """Return the tracks and vias of a path."""
        found: list[Shape] = []
        start = 0
        for n in range(1, len(path)):
            turns = n + 1 == len(path) or any(
                a - b != b - c for a, b, c in zip(path[n + 1], path[n], path[n - 1], strict=True)
            )
            if not turns:
                continue
            (layer, *_), (last, *_) = path[start], path[n]
            a, b = self._point(path[start]), self._point(path[n])
            if layer == last:
                found.append(Shape(net.name, (_SIDES[layer // 2],), a, b, net.width))
            elif layer != 1:  # down or up through the middle
                found.append(Shape(net.name, _SIDES, a, a, VIA[0], hole=VIA[1]))
            start = n
        return found

    @staticmethod
    def _point(node: Node) -> Point:
        return round(node[2] * STEP, 3), round(node[1] * STEP, 3)

    def _crosses(self, net: Net, other: Net) -> bool:
        """Return whether two nets come too near to one another; where they do, it costs more from now on."""
        crossing = False
        for side in _SIDES:
            for width in sorted({shape.width for shape in net.laid}):
                middles = [replace(shape, width=0.0) for shape in net.laid if shape.width == width]
                both = self._painted(middles, side, 0.001) & self._painted(other.laid, side, CLEARANCE + width / 2)
                if both.any():
                    crossing = True
                    self.met[_LAYER[side]][both] += 1
        return crossing

    # ---------------------------------------------------------------- ground

    def lay_ground(self, nets: list[Net], width: float, net: str = "GND") -> None:
        """Lay a track from every hole of that net to which no plane would lead, and add them to `nets`. Raises NoWayError as `lay` does."""
        for _ in range(_MOST_ROUNDS):
            holes = self._holes(nets, net)
            part_of = self._parts(nets, holes, net)
            main = Counter(part_of).most_common(1)[0][0]
            alone = [hole for hole, part in zip(holes, part_of, strict=True) if part != main]
            if not alone:
                return
            nets.append(
                Net(net, width, [alone[0]], [hole for hole, part in zip(holes, part_of, strict=True) if part == main])
            )
            self.lay(nets, nets[-1:])

    def _holes(self, nets: Sequence[Net], net: str) -> list[Shape]:
        return [
            shape for shape in (*self.fixed, *(s for one in nets for s in one.laid)) if shape.net == net and shape.hole
        ]

    def _parts(self, nets: Sequence[Net], holes: Sequence[Shape], net: str) -> list[int]:
        """Return of each hole which part of that net it belongs to, when both sides are filled with it."""
        copper = [*self.fixed, *(shape for one in nets for shape in one.laid)]
        mine, foreign = [s for s in copper if s.net == net], [s for s in copper if s.net != net]
        filled = np.zeros((3, self.rows, self.columns), bool)
        for side in _SIDES:
            free = ~(self._painted(foreign, side, _PLANE) | self._rim(_PLANE))
            filled[_LAYER[side]] = free | self._painted(mine, side, 0.001)
        nodes = [(1, round(hole.start[1] / STEP), round(hole.start[0] / STEP)) for hole in holes]
        for node in nodes:
            filled[node] = True
        parts, _ = label(filled)
        return [int(parts[node]) for node in nodes]

    def stitches(self, nets: Sequence[Net], every: float, net: str = "GND") -> list[Shape]:
        """Return vias that join the ground of both sides, on a grid as wide as `every`, where there is room."""
        via_free = self._costs(Net(net, VIA[0], []), [])[1] > 0
        laid = [shape for one in nets for shape in one.laid]
        holes = [Shape("", _SIDES, s.start, s.start, s.hole) for s in laid if s.hole]
        for side in _SIDES:
            via_free &= ~self._painted([shape for shape in laid if shape.net != net], side, VIA[0] / 2 + CLEARANCE)
        via_free &= ~self._painted(holes, "front", VIA[1] / 2 + _HOLES_APART)
        found = []
        for y in np.arange(every / 2, self.size[1], every):
            for x in np.arange(every / 2, self.size[0], every):
                row, column = (2 * round(place / STEP / 2) for place in (y, x))
                if via_free[row, column]:
                    at = self._point((0, row, column))
                    found.append(Shape(net, _SIDES, at, at, VIA[0], hole=VIA[1]))
        part_of = self._parts(nets, [*self._holes(nets, net), *found], net)
        main = Counter(part_of).most_common(1)[0][0]
        return [via for via, part in zip(found, part_of[-len(found) :], strict=True) if part == main]
