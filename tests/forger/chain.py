"""Chains, roots and countersignatures as docs/reference/commitments.md says, made without the program."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nacl.signing import SigningKey

SEATS = ("red", "blue", "green", "yellow")


def number_of(*lines: object) -> str:
    """Return the first 32 bytes of SHA-512 over lines of text, in hex."""
    return hashlib.sha512("\n".join(str(line) for line in lines).encode()).digest()[:32].hex()


def hashes(game: str, links: Iterable[str]) -> list[str]:
    """Return the hash of every link of a chain."""
    found = [game]
    for text in links:
        found.append(number_of("hallmarshal link 1", found[-1], text))
    return found[1:]


def head_of(game: str, links: Sequence[str], length: int | None = None) -> str:
    """Return the head of a chain, or of its first links."""
    links = links[:length]
    return f"{len(links)}:{hashes(game, links)[-1] if links else game}"


def seed_of(random_bytes: str, game: str, seat: str) -> str:
    """Return the seed of a seat."""
    return number_of("hallmarshal seed 1", random_bytes, game, seat)


def leaf_of(game: str, seat: str, square: str, rank: str, seed: str) -> str:
    """Return the leaf of a piece."""
    return number_of("hallmarshal leaf 1", game, seat, square, rank, number_of("hallmarshal salt 1", seed, square))


def root_of(game: str, seat: str, ranks: Mapping[str, str], seed: str) -> str:
    """Return the root of a set-up."""
    level = [leaf_of(game, seat, square, ranks[square], seed) for square in sorted(ranks)]
    while len(level) > 1:
        pairs = [level[at : at + 2] for at in range(0, len(level), 2)]
        level = [number_of("hallmarshal node 1", *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0]


def name_of(game: str, seat: str, salt: str, name: str) -> str:
    """Return the hash by which a chain knows a player's name."""
    return number_of("hallmarshal name 1", game, seat, salt, name)


def occasion_of(event: str, round_: str, table: str) -> str:
    """Return the hash by which a chain knows what a game counts for."""
    return number_of("hallmarshal occasion 1", event, round_, table)


def reason_of(seed: str, link: int, reason: str) -> str:
    """Return the hash by which a chain knows the arbiter's reason."""
    return number_of("hallmarshal reason 1", seed, link, reason)


@dataclass(frozen=True)
class Signer:
    """Who countersigns: a handset by its secret key, in hex."""

    secret: str

    @property
    def _key(self) -> SigningKey:
        return SigningKey(bytes.fromhex(number_of("hallmarshal signing key 1", self.secret)))

    @property
    def public(self) -> str:
        """Return the key that everybody may know."""
        return _base64(bytes(self._key.verify_key))

    def line(self, game: str, seat: str, head: str, result: tuple[str, str]) -> str:
        """Return a line of `[signatures]`."""
        signed = "\n".join(("hallmarshal countersign 1", game, seat, head, *result))
        return f"{seat} {self.public} {_base64(self._key.sign(signed.encode()).signature)}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
