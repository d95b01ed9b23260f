"""Draws the phone's screens for the documents: `python -m tests.web.phone_pictures [--all DIR] [--language CODE]`."""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from PIL import Image

from benchmarks.browser import chromium
from tests.web.gallery import gallery, screens

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
SHOWN = ("join", "digits", "my-move", "in-hand", "attacked", "verdict-won", "restoring", "won")
"""Those that docs/how-to/the-phone.md shows."""
SET_UP = ("set-up-picked", "set-up-text", "set-up-handed-in")
"""Those that docs/how-to/set-up-on-the-phone.md shows."""


def main() -> None:
    """Draw them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", type=Path, metavar="DIR", help="draw every screen into this folder instead")
    parser.add_argument("--language", default="en")
    parser.add_argument("--large", action="store_true")
    args = parser.parse_args()
    with chromium() as browser, gallery(browser) as page:
        for screen in screens():
            if args.all is None and screen.name not in (*SHOWN, *SET_UP):
                continue
            screen.show(page, args.language, large=args.large)
            folder = args.all or PICTURES
            folder.mkdir(parents=True, exist_ok=True)
            picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            picture.quantize(96, dither=Image.Dither.NONE).save(folder / f"phone-{screen.name}.png", optimize=True)


if __name__ == "__main__":
    main()
