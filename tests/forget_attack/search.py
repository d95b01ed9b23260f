"""Where a name still is: every spelling of it, in every file of a folder, in names of files, and as a guess that a salt confirms."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import unicodedata
import urllib.parse
from collections.abc import Iterator
from pathlib import Path


def written(name: str) -> set[str]:
    """Return the name in every normal form and case in which somebody may have typed it."""
    forms = {unicodedata.normalize(form, name) for form in ("NFC", "NFD", "NFKC", "NFKD")} | {name}
    cased = {way(form) for form in forms for way in (str.lower, str.upper, str.casefold, str.title, str)}
    return cased | {unicodedata.normalize(form, text) for text in cased for form in ("NFC", "NFD")}


def spelled(name: str) -> Iterator[bytes]:
    """Yield the bytes of the name in every spelling that a file of text may have it in."""
    for text in written(name):
        yield text.encode("utf-8")
        yield json.dumps(text)[1:-1].encode()
        yield json.dumps(text, ensure_ascii=False)[1:-1].encode()
        yield urllib.parse.quote(text).encode()
        yield urllib.parse.quote_plus(text).encode()
        yield html.escape(text).encode("ascii", "xmlcharrefreplace")
        yield text.encode("unicode_escape")
        for code in ("latin-1", "cp437", "punycode"):
            try:
                yield text.encode(code)
            except UnicodeError:
                continue


def encoded(name: str) -> Iterator[bytes]:
    """Yield what stands for the name in files that are no text: wide characters, hex, and base64 wherever it may begin."""
    for text in written(name):
        plain = text.encode()
        yield from (
            text.encode("utf-16-le"),
            text.encode("utf-16-be"),
            plain.hex().encode(),
            plain.hex().upper().encode(),
        )
        for shift in range(3):
            inside = base64.b64encode(b"\0" * shift + plain)
            whole = inside[(shift * 8 + 5) // 6 : (shift + len(plain)) * 8 // 6]
            yield whole
            yield whole.replace(b"+", b"-").replace(b"/", b"_")


_LETTER = {True: rb"[0-9A-Za-z\x80-\xff]", False: rb"[A-Za-z]"}
"""What makes a name a part of a longer word: in texts, and in other files, where numbers of any kind stand beside it."""


def holds(held: bytes, name: str, others: frozenset[str] = frozenset()) -> bool:
    """Return whether these bytes hold the name as a word; `others` are names of people who stay.

    In files that are no text three letters stand by chance, so a name shorter than four bytes is looked for in texts alone.
    """
    try:
        held.decode()
        text = b"\0" not in held
    except UnicodeDecodeError:
        text = False
    part_of_others = any(name.casefold() in other.casefold() for other in others)
    for form in set(spelled(name)):
        if not form or form not in held or not (text or len(form) > 3):
            continue
        letter = _LETTER[text]
        alone = rb"(?<!" + letter + rb")" + re.escape(form) + rb"(?!" + letter + rb")"
        if not (text or part_of_others) or re.search(alone, held):
            return True
    return not part_of_others and any(len(form) > 5 and form in held for form in set(encoded(name)))


def files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file below a folder with its bytes, those behind links too."""
    seen = set[Path]()
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        if here.resolve() in seen:
            continue
        seen.add(here.resolve())
        for path in sorted(here.iterdir()):
            if path.is_dir():
                waiting.append(path)
            elif path.is_file():
                yield str(path.relative_to(folder)), path.read_bytes()


def left(folder: Path, name: str, others: frozenset[str] = frozenset()) -> list[str]:
    """Return which files of a folder hold the name in any spelling, in their own names too."""
    return [where for where, held in files(folder) if holds(held, name, others) or holds(where.encode(), name, others)]


_NAMED = re.compile(rb"name[. ](red|blue|green|yellow)[= ]([0-9a-f]{64})")
_GAME = re.compile(rb"^game = (\S+)$", re.M)
_SALT = re.compile(rb"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")


def confirmed(folder: Path, name: str) -> list[str]:
    """Return which links tell a guesser that this name is the one: one hash of it, by any salt that any file holds."""
    held = list(files(folder))
    salts = {match.decode() for _, text in held for match in _SALT.findall(text)}
    told = []
    for where, text in held:
        for game in _GAME.findall(text):
            for seat, wanted in _NAMED.findall(text):
                for salt in salts:
                    for form in written(name):
                        lines = ("hallmarshal name 1", game.decode(), seat.decode(), salt, form)
                        if hashlib.sha512("\n".join(lines).encode()).digest()[:32].hex() == wanted.decode():
                            told.append(f"{where}: {seat.decode()}")
    return told
