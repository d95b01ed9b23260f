"""Whoever has all that is public guesses what is hidden: every rank on every square, every name, under every salt he has."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from tests.forger.chain import SEATS, hashes, leaf_of, name_of, number_of, root_of
from tests.forger.forgeries import RANKS
from tests.forger.record_text import Text

RANKS_OF_OTHERS = (*RANKS, "infiltrator", "cannon")
NAMES = ("Anna", "Bram", "Carla", "Dirk", "Eve")


def published(text: Text) -> set[str]:
    """Return every hash that everybody got: of each link as it was made, and those that stand in the links."""
    links = text.of("chain")
    return {*hashes(text.game, links), *(word for link in links for word in re.findall(r"[0-9a-f]{64}", link))}


def confirmed(text: Text, secrets: Iterable[str] = ()) -> list[str]:
    """Return each guess that a published hash confirms; `secrets` are the seeds and salts that the guesser has besides."""
    known = published(text)
    salts = ["", "0" * 32, "0" * 64, text.game, *SEATS, *known, *secrets]
    return [guess for guess, made in _guesses(text, salts) if made in known]


def _guesses(text: Text, salts: Sequence[str]) -> Iterator[tuple[str, str]]:
    begin = next((link for link in text.of("chain") if link.startswith("begin ")), "begin")
    places = [tuple(word.split("=")) for word in begin.split(" ")[1:]]
    for square, seat in places:
        for rank in RANKS_OF_OTHERS:
            guess = f"{rank} on {square}"
            for made in _bare(text.game, seat, square, rank):
                yield guess, made
            for salt in salts:
                yield guess, number_of("hallmarshal leaf 1", text.game, seat, square, rank, salt)
                yield guess, leaf_of(text.game, seat, square, rank, salt)
    for seat in {seat for _, seat in places}:
        for name in NAMES:
            for made in (*_bare(name), *_bare(seat, name), *_bare(text.game, seat, name)):
                yield name, made
            for salt in salts:
                yield name, name_of(text.game, seat, salt, name)
                yield name, number_of("hallmarshal name 1", text.game, seat, name)


def _bare(*words: str) -> Iterator[str]:
    """Yield hashes without any salt, as a careless program makes them."""
    for much in range(len(words)):
        for between in ("", " ", "\n"):
            said = between.join(words[much:]).encode()
            yield hashlib.sha512(said).digest()[:32].hex()
            yield hashlib.sha256(said).hexdigest()
    yield number_of("hallmarshal leaf 1", *words)


def disagreements(text: Text) -> list[str]:
    """Return where a record differs from what the page says that its numbers are made of: roots, leaves, names, heads."""
    found = []
    links = text.of("chain")
    head = f"{len(links)}:{hashes(text.game, links)[-1]}"
    if text.entry("chain") != head:
        found.append(f"head {head}")
    for seat in SEATS:
        seed, root, told = text.entry(f"seed.{seat}"), text.entry(f"root.{seat}"), text.set_up(seat)
        if root and f"root {seat} {root}" not in links:
            found.append(f"root of {seat} in the chain")
        if seed and root and "?" not in told.values() and root_of(text.game, seat, told, seed) != root:
            found.append(f"root of {seat}")
        leaves = (
            {leaf_of(text.game, seat, square, rank, seed) for square, rank in told.items()}
            if seed and not root
            else set()
        )
        said = [
            word.partition("=")[2] for link in links for word in link.split(" ") if word.startswith(f"leaf.{seat}=")
        ]
        voided = any(link.startswith("corrected ") and " voided " in link for link in links)
        if leaves and not voided and not set(said) <= leaves:
            found.append(f"leaf of {seat}")
        name, salt = text.entry(f"player.{seat}"), text.entry(f"salt.{seat}")
        if name and salt and not any(name_of(text.game, seat, salt, name) in link for link in links):
            found.append(f"name of {seat}")
    return found
