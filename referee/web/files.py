"""What the server gives to a browser: the page's own files, the words in all languages, the rules of this table.

All of it is read once, at the start, into a table of paths; a request can name nothing else.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from referee.rules import RuleSet
from referee.rules.values import Rank
from referee.words import LANGUAGES, words

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
}
_START = "index.html"
_NOT_FOR_PHONES = ("option.", "option-reason.", "record.", "doctor.", "calibrate.", "handset.word-", "hall.", "alert.")
_FOR_HALLS = (
    *("alert.", "ask.", "clock.", "end.", "hall.", "health.", "language.", "phase.", "rank.", "record.", "refusal."),
    *("result.", "saw.apart", "seat.", "seats.", "text.", "turn.", "verdict."),
)
_GZIP_FROM_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Served:
    """One file: its media type, its bytes, the same packed with gzip where that pays, and a mark that changes with them."""

    kind: str
    body: bytes
    packed: bytes | None
    mark: str

    @classmethod
    def of(cls, name: str, body: bytes) -> Served:
        """Give the file of this name."""
        kind = _KINDS[name[name.rindex(".") :]]
        packed = gzip.compress(body, mtime=0) if len(body) >= _GZIP_FROM_BYTES else None
        return cls(kind, body, packed, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def page_files(rules: RuleSet | None = None) -> Mapping[str, Served]:
    """Give everything that is served, by its path; the rules are left out where none are given."""
    found = _folder("page")
    start = found.pop(f"/{_START}")
    found |= {"/": start, "/join": start, "/words.json": Served.of("words.json", _json(_all_words()))}
    if rules is not None:
        found["/rules.json"] = Served.of("rules.json", _json(rule_sheet(rules)))
    return found


def station_files() -> Mapping[str, Served]:
    """Give everything that a station serves to browsers, by its path; nothing of it is secret."""
    found = _folder("station")
    start = found.pop(f"/{_START}")
    found |= {"/": start, "/screen": start, "/live": start}
    said = {
        language: {key: text for key, text in words(language).items() if key.startswith(_FOR_HALLS)}
        for language in LANGUAGES
    }
    return found | {"/words.json": Served.of("words.json", _json(said))}


def rule_sheet(rules: RuleSet) -> dict[str, Any]:
    """Give what a page needs of a rule set: ranks, zones, and of every square where a piece can go from it."""
    board = rules.board
    return {
        "name": rules.name,
        "filled": rules.filled,
        "steps_first": rules.steps_first,
        "seats": [seat.value for seat in rules.seats],
        "partners": {seat.value: [other.value for other in rules.partners(seat)] for seat in rules.seats},
        "ranks": {rank.value: _rank(rules, rank) for rank in rules.ranks},
        "zones": {seat.value: [square.name for square in rules.zone(seat)] for seat in rules.seats},
        "squares": {
            square.name: {
                "neighbours": [other.name for other in board.neighbours(square)],
                "lines": [[other.name for other in line] for line in board.lines(square)],
                "shots": [shot.target.name for shot in board.shots(square)],
            }
            for square in board.squares
        },
    }


def _rank(rules: RuleSet, rank: Rank) -> dict[str, Any]:
    rule = rules.ranks[rank]
    return {"count": rule.count, "number": rule.number, "gait": rule.gait.value}


def _all_words() -> dict[str, dict[str, str]]:
    return {
        language: {key: text for key, text in words(language).items() if not key.startswith(_NOT_FOR_PHONES)}
        for language in LANGUAGES
    }


def _folder(name: str) -> dict[str, Served]:
    root = resources.files("referee.web")
    walked = (*_walk(root / name, ""), *_walk(root / "toolkit", "toolkit/"))
    return {f"/{path}": Served.of(path, body) for path, body in walked}


def _walk(folder: Traversable, before: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = before + entry.name
        if entry.is_dir():
            yield from _walk(entry, f"{name}/")
        elif any(entry.name.endswith(end) for end in _KINDS):
            yield name, entry.read_bytes()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
