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
_WIDE = 300
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
            save(shot(page, screen, args.language, args.large), args.all / f"phone-{screen.name}.png")


def draw_for_documents(page: Page) -> None:
    """Draw the single pictures, the sheets, and write the page that shows them."""
    known = {screen.name: screen for screen in screens()}
    for name in (*SHOWN, *SET_UP):
        save(shot(page, known[name], "en"), PICTURES / f"phone-{name}.png")
    for sheet in SHEETS:
        shots = [(text, shot(page, known[name], "en")) for name, text in sheet.screens.items()]
        save(side_by_side(shots), PICTURES / sheet.file, 256)
    large = [("", shot(page, known[name], "en", large=True)) for name in LARGE]
    save(side_by_side(large), PICTURES / "phone-sheet-large.png", 256)
    spoken = [("", shot(page, known[IN_EVERY_LANGUAGE], language)) for language in LANGUAGES]
    save(side_by_side(spoken, columns=len(LANGUAGES)), PICTURES / "phone-sheet-languages.png", 256)
    PAGE.write_text(page_text(), encoding="utf-8")


def shot(page: Page, screen: Screen, language: str, large: bool = False) -> Image.Image:
    """Return the picture of a screen."""
    screen.show(page, language, large=large)
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def side_by_side(shots: Sequence[tuple[str, Image.Image]], columns: int = _COLUMNS, wide: int = _WIDE) -> Image.Image:
    """Return pictures side by side, all of them so wide, each with its label below."""
    font, label = ImageFont.load_default(14), _LABEL if any(text for text, _ in shots) else 0
    small = [shot.resize((wide, round(shot.height * wide / shot.width)), Image.Resampling.LANCZOS) for _, shot in shots]
    highs = [max(shot.height for shot in small[at : at + columns]) for at in range(0, len(small), columns)]
    size = (columns * (wide + _GAP) + _GAP, sum(highs) + len(highs) * (label + _GAP) + _GAP)
    made = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(made)
    for at, ((text, _), each) in enumerate(zip(shots, small, strict=True)):
        row = at // columns
        x, y = _GAP + at % columns * (wide + _GAP), _GAP + sum(highs[:row]) + row * (label + _GAP)
        made.paste(each, (x, y))
        pen.multiline_text((x + 2, y + highs[row] + 4), "\n".join(_lines(text.split())), fill="black", font=font)
    return made


def _lines(words: Iterable[str]) -> list[str]:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > _LINE:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def save(picture: Image.Image, path: Path, colours: int = 96, rare: bool = False) -> None:
    """Write a picture with so few colours that it is small; `rare`: also one that few pixels have is kept."""
    method = Image.Quantize.MAXCOVERAGE if rare else Image.Quantize.MEDIANCUT
    picture.quantize(colours, method, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
