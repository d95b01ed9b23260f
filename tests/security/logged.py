"""Looks for secrets in what programs log, as somebody would who has got hold of a whole log and nothing else.

It is searched for every secret that is known (those that the test planted, and all that the programs drew and keep in their files), and
for whatever else looks as if it had been drawn by chance: a password that nobody thought of looks like that as well.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.security.searching import found

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR) [\w.]+: .*")
_WORD = re.compile(r"[A-Za-z0-9+=_-]{12,}")
_KEY_BYTES = range(16, 65)


def looks_drawn(word: str) -> bool:
    """Return whether a word looks drawn by chance: hex, or capitals, small letters and digits mixed."""
    kinds = sum(bool(re.search(kind, word)) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    return kinds == 3 or bool(re.fullmatch(r"(?=.*[0-9])(?=.*[a-f])[0-9a-f]{12,}", word))


def drawn_words(text: str) -> Iterator[str]:
    """Return the words of a text that look drawn by chance."""
    return (word for word in _WORD.findall(text) if looks_drawn(word))


def secrets_below(*folders: Path) -> set[str]:
    """Return all words in the files of these folders that look drawn by chance, and the keys kept there as bytes."""
    secrets: set[str] = set()
    for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        if path.suffix in (".sqlite", ".sqlite-wal", ".sqlite-shm", ".db", ".log"):
            continue
        secrets.update(drawn_words(content.decode(errors="replace")))
        if len(content) in _KEY_BYTES:
            secrets |= {content.hex(), base64.b64encode(content).decode().rstrip("=")}
    return secrets


def said_in(log: Iterable[str], secrets: Iterable[str], public: Iterable[str]) -> str:
    """Return what a log gives away, `nothing` if nothing; `public` are drawn words that everybody may know, such as a
    game's name.
    """
    lines = list(log)
    known = set(public)
    hits = {f"{word} in {line}" for line in lines for word in drawn_words(line) if word not in known}
    text = {"the log": "\n".join(lines).encode()}
    hits |= {word for _, word in found(text, [word for word in secrets if word not in known])}
    return f"FOUND: {sorted(hits)}" if hits else "nothing"
