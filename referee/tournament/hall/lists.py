"""A list of players or a TRF, as it comes from a page, perhaps packed."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Mapping
from typing import Any

from referee.tournament.event import acts
from referee.tournament.event import event as model
from referee.tournament.hall.accounts import RefusedError

MOST_TEXT = 256 * 1024
"""Bytes of a list. It may come packed, since a request has 16 KiB."""
_MOST_SAID = 1024
"""Characters of a refusal: a list may have a fault in every line."""


def text_of(given: Mapping[str, Any]) -> str:
    """Return the text that came, plain (`text`) or packed (`packed`: gzip in base64); empty where none did. Raises `RefusedError`."""
    if "packed" not in given:
        return acts.text(given, "text", "").removeprefix("\ufeff")
    unpacking = zlib.decompressobj(wbits=31)
    try:
        found = unpacking.decompress(base64.b64decode(acts.text(given, "packed"), validate=True), MOST_TEXT + 1)
    except (zlib.error, binascii.Error):
        raise RefusedError("not-understood") from None
    if len(found) > MOST_TEXT or not unpacking.eof:
        raise RefusedError("file-too-long")
    return found.decode("utf-8-sig", errors="replace")


def is_trf(text: str) -> bool:
    """Return whether a text is a tournament report file and no list of names."""
    return re.search(r"^001 [ 0-9]{4} ", text, re.MULTILINE) is not None


def bad_file(error: model.TrfError) -> RefusedError:
    """Return the refusal of a TRF or list: its text has the first faults, the page names their lines."""
    lines = list(dict.fromkeys(fault.line for fault in error.faults))
    return RefusedError("bad-file", str(error)[:_MOST_SAID], ", ".join(map(str, lines[:5])))
