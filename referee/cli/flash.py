"""`hallmarshal flash`: puts the firmware of a board file into the Arduino or Pico that is plugged in."""

from __future__ import annotations

import argparse
from pathlib import Path

from firmware_bridge.flashing import Device, FlashError, found_controllers, write_image
from hardware import BoardFile, BoardFileError, load_board
from hardware.images import shipped_image
from referee.cli.command import LazyParser
from referee.runtime.errors import BadInputError, UnreachableError, told_as

_NONE = (
    "no Arduino and no Pico is plugged in by USB. Is its cable one with data lines? A Pico that does not run this firmware yet: "
    "hold BOOTSEL while you plug it in"
)


def add_arguments(parser: LazyParser) -> None:
    """Add what `flash` takes."""
    parser.add_argument("board", metavar="BOARD", help="the board that you built: a board file, or its name")
    parser.add_argument(
        "--port", metavar="PATH", help="port of the controller, or a Pico's drive (default: the one there is)"
    )
    parser.add_argument(
        "--image", type=Path, metavar="FILE", help="another image (default: the one that ships for this board)"
    )


def run(args: argparse.Namespace) -> int:
    """Find the controller, write the image into it, and say what comes next."""
    with told_as(BadInputError, BoardFileError):
        board = load_board(args.board)
    if not board.controllers:
        raise BadInputError(
            f"the Pi's own pins scan {board.id}: nothing to flash. Use it with --board gpio:{args.board}"
        )
    with told_as(UnreachableError, FlashError):
        chip = write_image(_chosen(args.port), lambda chip: args.image or _image(board, chip), print)
    if chip == "rp2350":
        print(
            "Nobody has tried this image on a Pico 2 yet: if nothing answers, a Pico (RP2040) is what it was made for."
        )
    print(f"The {chip} has the firmware of {board.id}. Next: hallmarshal doctor --board serial:/dev/serial/by-id/...")
    return 0


def _chosen(port: str | None) -> Device:
    found = found_controllers()
    if port is not None:
        known = [one for one in found if Path(one.where).resolve() == Path(port).resolve()]
        return (
            known[0] if known else Device(port, "rp2040" if Path(port).is_dir() else None, is_drive=Path(port).is_dir())
        )
    if len(found) > 1:
        raise BadInputError(f"several could take it: {', '.join(map(str, found))}; say which with --port")
    if not found:
        raise UnreachableError(_NONE)
    return found[0]


def _image(board: BoardFile, chip: str) -> Path:
    image = shipped_image(board.id, chip)
    if image is None:
        chips = ", ".join(one.chip for one in board.controllers)
        raise BadInputError(
            f"there is no image of {board.id} for the {chip} (its controllers: {chips}); of a board file of your own "
            "`make firmware` makes it, and --image takes it"
        )
    return image
