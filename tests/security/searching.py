"""Looks for words that must not be there: as they are, in hex, in base64 at any place, in the wide letters of other systems."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from referee.rules import RuleSet
from referee.table.settings import TableSettings
from referee.table.table import Table


def traces(word: str) -> tuple[bytes, ...]:
    """Return the bytes that a word may appear as: plain, UTF-16, hex, Base64 at each offset."""
    raw = word.encode()
    wide = raw.decode().encode("utf-16-le")
    inner = []
    for offset in range(3):  # what does not depend on its neighbours, wherever it begins among three bytes
        text = base64.b64encode(b"\0" * offset + raw + b"\0\0")
        inner.append(text[-(-offset * 4 // 3) : (offset + len(raw)) * 4 // 3])
    return (raw, wide, raw.hex().encode(), *inner)


def found(places: Mapping[str, bytes], words: Iterable[str]) -> list[tuple[str, str]]:
    """Return every place that holds a word, with the word; packed data is unpacked."""
    hits = []
    looks = [(word, trace) for word in words for trace in traces(word)]
    for place, content in places.items():
        text = content.lower()
        for word, trace in looks:
            if trace in content or trace.lower() in text:
                hits.append((place, word))
    return sorted(set(hits))


def files_below(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder, with its unpacked content where it is packed."""
    contents = {}
    for path in folder.rglob("*"):
        if path.is_file():
            contents[str(path.relative_to(folder))] = unpacked(path.read_bytes())
    return contents


def unpacked(content: bytes) -> bytes:
    """Return content as it is, followed by its unpacked content if it is packed."""
    for unpack in (gzip.decompress, zlib.decompress):
        try:
            return content + unpack(content)
        except (OSError, EOFError, zlib.error):
            continue
    return content


def rule_sheet(rules: RuleSet) -> Mapping[str, object]:
    """Return the fields of the public info that list a rule set's ranks, with their expected content."""
    info = msgspec.to_builtins(Table(TableSettings("t", "g", rules)).info(), str_keys=True)
    return {key: info[key] for key in ("army", "numbers", "immobile")}


def without_the_rule_sheet(payload: bytes, sheet: Mapping[str, object]) -> bytes:
    """Return a public payload without fields equal to the rule sheet; other content of those fields stays, and is
    searched.
    """
    try:
        value: Any = json.loads(payload)
    except ValueError:
        return payload
    if not isinstance(value, dict):
        return payload
    kept = {key: content for key, content in value.items() if key not in sheet or content != sheet[key]}
    return json.dumps(kept).encode() if len(kept) < len(value) else payload


def never_shown(words: Iterable[str], payloads: Sequence[bytes]) -> list[str]:
    """Return the ranks that no public view shows among the captured pieces."""
    shown: set[str] = set()
    for payload in payloads:
        try:
            value = json.loads(payload)
        except ValueError:
            continue
        if isinstance(value, dict):
            for lost in (value.get("captured") or {}).values():
                shown |= {word for word, count in lost.items() if count} if isinstance(lost, dict) else {lost}
    return [word for word in words if word not in shown]
