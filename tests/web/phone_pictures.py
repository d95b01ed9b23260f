"""Draws the phone's screens for the documents: `python -m tests.web.phone_pictures [--all DIR] [--language CODE] [--large]`."""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Page

from benchmarks.handset import chromium
from tests.web.gallery import Screen, gallery, screens
from tests.web.phone_sheets import DOCS, IN_EVERY_LANGUAGE, LANGUAGES, LARGE, PAGE, SHEETS, page_text

PICTURES = DOCS / "pictures"
SHOWN = ("join", "digits", "my-move", "in-hand", "attacked", "verdict-won", "restoring", "won")
"""Those that docs/how-to/the-phone.md shows."""
SET_UP = ("set-up-picked", "set-up-text", "set-up-handed-in")
"""Those that docs/how-to/set-up-on-the-phone.md shows."""
_COLUMNS = 4
_SIZE = (300, 533)
_GAP, _LABEL = 14, 40
_LINE = 44
"""As many signs of a label go into a line."""


def main() -> None:
    """Draw them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", type=Path, metavar="DIR", help="draw every screen into this folder instead")
    parser.add_argument("--language", default="en")
    parser.add_argument("--large", action="store_true")
    args = parser.parse_args()
    with chromium() as browser, gallery(browser) as page:
        if args.all is None:
            draw_for_documents(page)
            return
        args.all.mkdir(parents=True, exist_ok=True)
        for screen in screens():
            _save(_shot(page, screen, args.language, args.large), args.all / f"phone-{screen.name}.png")


def draw_for_documents(page: Page) -> None:
    """Draw the single pictures, the sheets, and write the page that shows them."""
    known = {screen.name: screen for screen in screens()}
    for name in (*SHOWN, *SET_UP):
        _save(_shot(page, known[name], "en"), PICTURES / f"phone-{name}.png")
    for sheet in SHEETS:
        shots = [(text, _shot(page, known[name], "en")) for name, text in sheet.screens.items()]
        _save(_sheet(shots), PICTURES / sheet.file, 256)
    large = [("", _shot(page, known[name], "en", large=True)) for name in LARGE]
    _save(_sheet(large), PICTURES / "phone-sheet-large.png", 256)
    spoken = [("", _shot(page, known[IN_EVERY_LANGUAGE], language)) for language in LANGUAGES]
    _save(_sheet(spoken, columns=len(LANGUAGES)), PICTURES / "phone-sheet-languages.png", 256)
    PAGE.write_text(page_text(), encoding="utf-8")


def _shot(page: Page, screen: Screen, language: str, large: bool = False) -> Image.Image:
    screen.show(page, language, large=large)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def _sheet(shots: Sequence[tuple[str, Image.Image]], columns: int = _COLUMNS) -> Image.Image:
    """Give the screens side by side, each with its label below."""
    (wide, high), font = _SIZE, ImageFont.load_default(14)
    label = _LABEL if any(text for text, _ in shots) else 0
    rows = -(-len(shots) // columns)
    size = (columns * (wide + _GAP) + _GAP, rows * (high + label + _GAP) + _GAP)
    made = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(made)
    for at, (text, shot) in enumerate(shots):
        x, y = _GAP + at % columns * (wide + _GAP), _GAP + at // columns * (high + label + _GAP)
        made.paste(shot.resize(_SIZE, Image.Resampling.LANCZOS), (x, y))
        pen.multiline_text((x + 2, y + high + 4), "\n".join(_lines(text.split())), fill="black", font=font)
    return made


def _lines(words: Iterable[str]) -> list[str]:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > _LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _save(picture: Image.Image, path: Path, colours: int = 96) -> None:
    picture.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
