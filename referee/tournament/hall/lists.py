"""A list of players, as it comes from a page: CSV of any kind, a column of a spreadsheet, a TRF; perhaps packed."""

from __future__ import annotations

import base64
import binascii
import csv
import re
import zlib
from collections.abc import Mapping
from typing import Any

from referee.tournament.event import acts
from referee.tournament.event import event as model
from referee.tournament.hall.accounts import RefusedError

MOST_TEXT = 256 * 1024
"""Bytes of a list. It may come packed, since a request has 16 KiB."""
_COLUMNS = ("name", "rating", "federation", "group", "team")


def text_of(given: Mapping[str, Any]) -> str:
    """Return the text that came, plain (`text`) or packed (`packed`: gzip in base64); empty where none did. Raises `RefusedError`."""
    if "packed" not in given:
        return str(given.get("text", "")).removeprefix("\ufeff")
    unpacking = zlib.decompressobj(wbits=31)
    try:
        found = unpacking.decompress(base64.b64decode(str(given["packed"]), validate=True), MOST_TEXT + 1)
    except (zlib.error, binascii.Error):
        raise RefusedError("not-understood") from None
    if len(found) > MOST_TEXT or not unpacking.eof:
        raise RefusedError("file-too-long")
    return found.decode("utf-8-sig", errors="replace")


def is_trf(text: str) -> bool:
    """Return whether a text is a tournament report file and no list of names."""
    return re.search(r"^001 [ 0-9]{4} ", text, re.MULTILINE) is not None


def entries_from(text: str) -> list[acts.Entry]:
    """Return the players of a list: a line each, between commas, semicolons or tabs.

    The first line may name its columns: `name`, `rating`, `federation`, `group`, `team`; else they stand in this order. Raises
    `RefusedError`.
    """
    text = text.strip("\r\n")
    apart = next((sign for sign in "\t;" if sign in text), ",")
    try:
        lines = [(at, row) for at, row in enumerate(csv.reader(text.splitlines(), delimiter=apart), 1) if any(row)]
    except csv.Error as error:
        raise RefusedError("bad-file", str(error), "1") from None
    heads = [cell.strip().casefold() for cell in lines[0][1]] if lines else []
    named = "name" in heads
    at = {column: heads.index(column) if column in heads else None for column in _COLUMNS}
    places = at if named else {column: index for index, column in enumerate(_COLUMNS)}
    entries = []
    for number, row in lines[1:] if named else lines:
        cells = {key: row[place].strip() for key, place in places.items() if place is not None and place < len(row)}
        rating = cells.get("rating") or "0"
        if not (rating.isascii() and rating.isdigit() and len(rating) < 5):
            raise RefusedError("bad-file", f"line {number}: no rating", str(number))
        try:  # as a player of an event it has to be right
            model.Player(model.PlayerNumber(1), cells.get("name", ""), int(rating), cells.get("federation", "").upper())
        except model.EventValueError as error:
            raise RefusedError("bad-file", f"line {number}: {error}", str(number)) from None
        federation, group, team = cells.get("federation", "").upper(), cells.get("group", ""), cells.get("team", "")
        entries.append(acts.Entry(cells["name"], int(rating), federation, group, team))
    return entries


def bad_file(error: model.TrfError) -> RefusedError:
    """Return the refusal of a TRF: its text has all faults, the page names their first lines."""
    lines = list(dict.fromkeys(fault.line for fault in error.faults))
    return RefusedError("bad-file", str(error), ", ".join(map(str, lines[:5])))
