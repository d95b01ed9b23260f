"""Makes a tile's board in KiCad, in two steps that `workshop.fab` runs: `place` puts the footprints and says where their pads are; `finish`
draws tracks, planes and silk, has the design rules checked, and plots what a board house wants. `rules` checks a board's file again.

Runs in Debian's own Python, the only one that has KiCad's module `pcbnew` (6.0 in bookworm), so it imports nothing of the project. All that
comes in and goes out is JSON, in the tile's millimetres; KiCad's y runs down. Stands alone because it is a command.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pcbnew as kicad

LIBRARIES = Path("/usr/share/kicad/footprints")
_FROM_CORNER = 50.0  # where the tile's upper left corner lies on the sheet
_EDGE = 0.1  # width of the outline's line
_SIDES = {"front": kicad.F_Cu, "back": kicad.B_Cu}
_SILK = {"front": kicad.F_SilkS, "back": kicad.B_SilkS}
_LAYERS = (
    ("F_Cu", kicad.F_Cu),
    ("B_Cu", kicad.B_Cu),
    ("F_Mask", kicad.F_Mask),
    ("B_Mask", kicad.B_Mask),
    ("F_Silkscreen", kicad.F_SilkS),
    ("B_Silkscreen", kicad.B_SilkS),
    ("F_Paste", kicad.F_Paste),
    ("Edge_Cuts", kicad.Edge_Cuts),
)


class Sheet:
    """A board, and the tile's millimetres on it."""

    def __init__(self, design: dict[str, Any], board: Any) -> None:
        self.design, self.board = design, board
        self.wide, self.high = design["size"]

    def at(self, x: float, y: float) -> Any:
        """Return a place of the tile in KiCad's units."""
        return kicad.wxPointMM(_FROM_CORNER + x, _FROM_CORNER + self.high - y)

    def back(self, point: Any) -> tuple[float, float]:
        """Return a place of KiCad's in the tile's millimetres."""
        return point.x / 1e6 - _FROM_CORNER, self.high - (point.y / 1e6 - _FROM_CORNER)

    def net(self, name: str) -> Any:
        """Return the net of that name, which is made when it is not there yet; "" is none."""
        found = self.board.FindNet(name)
        if found is None:
            found = kicad.NETINFO_ITEM(self.board, name)
            self.board.Add(found)
        return found

    def line(self, layer: int, points: list[tuple[float, float]], width: float) -> None:
        """Draw a line through the points on a layer without copper."""
        for start, end in itertools.pairwise(points):
            shape = kicad.PCB_SHAPE(self.board)
            shape.SetShape(kicad.SHAPE_T_SEGMENT)
            shape.SetStart(self.at(*start))
            shape.SetEnd(self.at(*end))
            shape.SetLayer(layer)
            shape.SetWidth(kicad.FromMM(width))
            self.board.Add(shape)

    def dot(self, at: tuple[float, float], width: float) -> None:
        """Print a dot on the front."""
        shape = kicad.PCB_SHAPE(self.board)
        shape.SetShape(kicad.SHAPE_T_CIRCLE)
        shape.SetFilled(True)
        shape.SetCenter(self.at(*at))
        shape.SetEnd(self.at(at[0] + width / 4, at[1]))  # a radius; the line round it is as wide
        shape.SetWidth(kicad.FromMM(width / 2))
        shape.SetLayer(kicad.F_SilkS)
        self.board.Add(shape)

    def text(self, side: str, words: str, place: tuple[float, float], high: float) -> Any:
        """Write words on the silk of a side, middle on the place; on the back mirrored, as it is read from there. Return them."""
        text = kicad.PCB_TEXT(self.board)
        text.SetText(words)
        text.SetPosition(self.at(*place))
        text.SetLayer(_SILK[side])
        text.SetTextSize(kicad.wxSizeMM(high, high))
        text.SetTextThickness(kicad.FromMM(0.15))
        text.SetMirrored(side == "back")
        self.board.Add(text)
        return text


def place(folder: Path) -> None:
    """Put outline, holes, footprints and silk on a new board; write `placed.kicad_pcb`, `pads.json` with every pad and hole, `ink.json`."""
    design = json.loads((folder / "design.json").read_text(encoding="utf-8"))
    kicad.KIID.SeedGenerator(1)  # numbers of KiCad's own order what it writes: the same ones each time
    sheet = Sheet(design, kicad.BOARD())
    play = design["play"]
    left, right, low, high = play, sheet.wide - play, play, sheet.high - play
    sheet.line(kicad.Edge_Cuts, [(left, low), (right, low), (right, high), (left, high), (left, low)], _EDGE)
    for part in design["parts"]:
        _put(sheet, part)
    for n, at in enumerate(design["holes"], 1):
        hole = _put(
            sheet,
            {"ref": f"H{n}", "value": "M3", "footprint": "MountingHole:MountingHole_3.2mm_M3"}
            | {"x": at[0], "y": at[1]},
        )
        hole.SetAttributes(kicad.FP_EXCLUDE_FROM_POS_FILES | kicad.FP_EXCLUDE_FROM_BOM)
    pads = []
    for footprint in sheet.board.GetFootprints():
        for pad in footprint.Pads():
            box = pad.GetBoundingBox()
            x, y = sheet.back(box.Centre())
            through = pad.GetAttribute() in (kicad.PAD_ATTRIB_PTH, kicad.PAD_ATTRIB_NPTH)
            is_round = pad.GetShape() in (kicad.PAD_SHAPE_CIRCLE, kicad.PAD_SHAPE_OVAL)
            sides = ["front", "back"] if through else ["front" if pad.IsOnLayer(kicad.F_Cu) else "back"]
            pads.append(
                {"part": footprint.GetReference(), "leg": pad.GetNumber(), "net": pad.GetNetname(), "sides": sides}
                | {
                    "at": [x, y],
                    "size": [box.GetWidth() / 1e6, box.GetHeight() / 1e6],
                    "through": through,
                    "round": is_round,
                }
            )
    texts = [sheet.text(**text) for text in design["texts"]]
    for line in design["lines"]:
        sheet.line(_SILK[line["side"]], line["points"], 0.2)
    (folder / "ink.json").write_text(json.dumps(list(_ink(sheet, texts))), encoding="utf-8")
    kicad.SaveBoard(str(folder / "placed.kicad_pcb"), sheet.board)
    (folder / "pads.json").write_text(json.dumps(pads), encoding="utf-8")


def _ink(sheet: Sheet, texts: list[Any]) -> Iterator[dict[str, Any]]:
    """Yield what is printed, footprints' own silk included: a line from end to end, or a box with `size` round its middle."""
    own = [item for footprint in sheet.board.GetFootprints() for item in footprint.GraphicalItems()]
    for item in (*own, *sheet.board.GetDrawings(), *texts):
        for side, layer in _SILK.items():
            if item.GetLayer() == layer:
                line = item.GetClass() in ("MGRAPHIC", "PCB_SHAPE") and item.GetShape() == kicad.SHAPE_T_SEGMENT
                box = item.GetBoundingBox()
                ends = (item.GetStart(), item.GetEnd()) if line else (box.Centre(), box.Centre())
                size = None if line else (box.GetWidth() / 1e6, box.GetHeight() / 1e6)
                yield {"side": side, "ends": [sheet.back(end) for end in ends], "size": size}


def _put(sheet: Sheet, part: dict[str, Any]) -> Any:
    library, name = part["footprint"].split(":")
    footprint = kicad.FootprintLoad(str(LIBRARIES / f"{library}.pretty"), name)
    footprint.SetReference(part["ref"])
    footprint.SetValue(part["value"])
    footprint.SetPosition(sheet.at(part["x"], part["y"]))
    sheet.board.Add(footprint)
    if part.get("below"):
        footprint.Flip(footprint.GetPosition(), False)
    footprint.SetOrientation(10 * part.get("turn", 0))
    if part.get("centred"):  # such a footprint's own zero is its first leg
        box = [pad.GetPosition() for pad in footprint.Pads()]
        middle = [(min(v) + max(v)) / 2 for v in ([p.x for p in box], [p.y for p in box])]
        wanted = sheet.at(part["x"], part["y"])
        footprint.Move(kicad.wxPoint(round(wanted.x - middle[0]), round(wanted.y - middle[1])))
    for pad in footprint.Pads():
        if name := part.get("nets", {}).get(pad.GetNumber()):
            pad.SetNet(sheet.net(name))
    _clip(sheet, footprint)
    footprint.Reference().SetLayer(kicad.B_Fab if part.get("below") else kicad.F_Fab)
    return footprint


def _clip(sheet: Sheet, footprint: Any) -> None:
    """Cut off what a footprint has on its silk beyond the edge: lines of a socket that looks out of it."""
    inset = sheet.design["play"] + 0.25
    low, high = sheet.at(inset, sheet.high - inset), sheet.at(sheet.wide - inset, inset)

    def inside(point: Any) -> Any:
        return kicad.wxPoint(min(max(point.x, low.x), high.x), min(max(point.y, low.y), high.y))

    for shape in list(footprint.GraphicalItems()):
        if (
            shape.GetLayer() in _SILK.values()
            and shape.GetClass() == "MGRAPHIC"
            and shape.GetShape() == kicad.SHAPE_T_SEGMENT
        ):
            start, end = inside(shape.GetStart()), inside(shape.GetEnd())
            beyond = start != shape.GetStart() and end != shape.GetEnd()
            if start == end or beyond:
                footprint.Remove(shape)
            else:
                shape.SetStart(start)
                shape.SetEnd(end)
                shape.SetLocalCoord()


# ---------------------------------------------------------------- tracks, planes, silk


def finish(folder: Path) -> None:
    """Draw what `routes.json` says, planes and silk; write the board, its rules' report and what a house wants into `fab`."""
    design = json.loads((folder / "design.json").read_text(encoding="utf-8"))
    routes = json.loads((folder / "routes.json").read_text(encoding="utf-8"))
    kicad.KIID.SeedGenerator(2)
    sheet = Sheet(design, kicad.LoadBoard(str(folder / "placed.kicad_pcb")))
    for route in routes["tracks"]:
        _track(sheet, route)
    for via in routes["vias"]:
        item = kicad.PCB_VIA(sheet.board)
        item.SetPosition(sheet.at(*via["at"]))
        item.SetWidth(kicad.FromMM(design["via"][0]))
        item.SetDrill(kicad.FromMM(design["via"][1]))
        item.SetNet(sheet.net(via["net"]))
        sheet.board.Add(item)
    for dot in routes["dots"]:
        sheet.dot(**dot)
    for side in _SIDES.values():
        _plane(sheet, side)
    kicad.ZONE_FILLER(sheet.board).Fill(sheet.board.Zones())
    (folder / "fab").mkdir(exist_ok=True)
    name = folder / "fab" / f"{design['name']}.kicad_pcb"
    kicad.SaveBoard(str(name), sheet.board)
    _plot(rules(name), folder / "fab", design["name"])


def rules(name: Path) -> Any:
    """Check a board's file against the design rules, into `FILE.rules.txt`; return the board."""
    board = kicad.LoadBoard(str(name))
    kicad.WriteDRCReport(board, str(name.with_suffix(".rules.txt")), kicad.EDA_UNITS_MILLIMETRES, True)
    return board


def _track(sheet: Sheet, route: dict[str, Any]) -> None:
    for start, end in zip(route["points"], route["points"][1:], strict=False):
        item = kicad.PCB_TRACK(sheet.board)
        item.SetStart(sheet.at(*start))
        item.SetEnd(sheet.at(*end))
        item.SetWidth(kicad.FromMM(route["width"]))
        item.SetLayer(_SIDES[route["side"]])
        item.SetNet(sheet.net(route["net"]))
        sheet.board.Add(item)


def _plane(sheet: Sheet, layer: int) -> None:
    """Fill a side with ground."""
    zone = kicad.ZONE(sheet.board)
    zone.SetLayer(layer)
    zone.SetNet(sheet.net("GND"))
    inset = sheet.design["play"] + 0.5
    outline = zone.Outline()
    outline.NewOutline()
    for x, y in (
        (inset, inset),
        (sheet.wide - inset, inset),
        (sheet.wide - inset, sheet.high - inset),
        (inset, sheet.high - inset),
    ):
        point = sheet.at(x, y)
        outline.Append(point.x, point.y)
    zone.SetLocalClearance(kicad.FromMM(0.25))
    zone.SetMinThickness(kicad.FromMM(0.25))
    zone.SetThermalReliefGap(kicad.FromMM(0.25))
    zone.SetThermalReliefSpokeWidth(kicad.FromMM(0.4))
    zone.SetIslandRemovalMode(kicad.ISLAND_REMOVAL_MODE_ALWAYS)
    sheet.board.Add(zone)


def _plot(board: Any, into: Path, name: str) -> None:
    control = kicad.PLOT_CONTROLLER(board)
    options = control.GetPlotOptions()
    options.SetOutputDirectory(str(into))
    options.SetPlotFrameRef(False)
    options.SetUseGerberProtelExtensions(False)
    options.SetUseGerberX2format(True)
    options.SetIncludeGerberNetlistInfo(True)
    options.SetSubtractMaskFromSilk(True)
    options.SetUseAuxOrigin(False)
    options.SetDrillMarksType(kicad.PCB_PLOT_PARAMS.NO_DRILL_SHAPE)  # else there is ink on every via
    for ending, layer in _LAYERS:
        control.SetLayer(layer)
        control.OpenPlotfile(ending, kicad.PLOT_FORMAT_GERBER, ending)
        control.PlotLayer()
    control.ClosePlot()
    drill = kicad.EXCELLON_WRITER(board)
    drill.SetFormat(True)
    drill.SetOptions(False, False, kicad.wxPoint(0, 0), False)
    drill.CreateDrillandMapFilesSet(str(into), True, False)


if __name__ == "__main__":
    {"place": place, "finish": finish, "rules": rules}[sys.argv[1]](Path(sys.argv[2]))
