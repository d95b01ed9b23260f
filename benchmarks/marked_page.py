"""Puts figures into a page of the documents, between two marks that carry a name."""

from __future__ import annotations

from pathlib import Path

from referee.runtime.errors import BadInputError


def look_for_block(page: Path, name: str) -> None:
    """Raise `BadInputError` for a page without the marks of this name: said before anything is measured, not after."""
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise BadInputError(f"{page}: no page can be read") from None
    if f"<!-- {name} -->" not in text or f"<!-- /{name} -->" not in text:
        raise BadInputError(f"{page} has no place marked <!-- {name} --> ... <!-- /{name} -->")


def put_block(page: Path, name: str, text: str) -> None:
    """Replace what stands between the marks of this name. Raises `ValueError` when the page does not have them."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{page} has no place marked {begin} ... {end}")
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
