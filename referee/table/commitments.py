"""Commitments: what is published before the first move so that nobody, the referee included, can change a rank afterwards.

Every piece is a leaf, salted so that nobody can try the ranks out; a seat's leaves are the leaves of a Merkle tree whose root
everybody gets. Who knows the set-up and the seed (its owner, and the referee's journal) computes the root again.
docs/reference/commitments.md gives the same in words, with numbers to check another program by. A file of its own: who proves a record
reads nothing else of a table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from referee.rules.values import Rank, Seat

SEED_BYTES = 32
SALT_BYTES = 16
"""Of each player's name."""


def seat_seed(secret: bytes, game: str, seat: Seat) -> str:
    """Return the secret from which one seat's salts are made, as 64 hex digits; from one secret of the whole game."""
    return _digest("seed", secret.hex(), game, seat.value)


def leaf(seed: str, game: str, seat: Seat, square: str, rank: Rank) -> str:
    """Return the commitment of one piece, as 64 hex digits: `square` is where it stood when the game began."""
    salt = _digest("salt", seed, square)
    return _digest("leaf", game, seat.value, square, rank.value, salt)


def root(seed: str, game: str, seat: Seat, set_up: Mapping[str, Rank]) -> str:
    """Return the root over a whole set-up, as 64 hex digits; leaves in the order of their squares' names, an odd one goes up as it is."""
    level = [leaf(seed, game, seat, square, set_up[square]) for square in sorted(set_up)]
    while len(level) > 1:
        pairs = [level[at : at + 2] for at in range(0, len(level), 2)]
        level = [_digest("node", *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0] if level else _digest("node")


def arbiter_seed(secret: bytes, game: str) -> str:
    """Return the secret that salts the reasons of a game's arbiter, as 64 hex digits."""
    return _digest("seed", secret.hex(), game, "arbiter")


def name_hash(salt: str, game: str, seat: Seat, name: str) -> str:
    """Return what stands for a player's name in a chain."""
    return _digest("name", game, seat.value, salt, name)


def reason_hash(seed: str, number: int, reason: str) -> str:
    """Return what stands for an arbiter's reason in the link of this number; `seed` is the arbiter's."""
    return _digest("reason", seed, str(number), reason)


def occasion_hash(event: str, round_: str, table: str) -> str:
    """Return what stands for what a game counts for; everybody knows that, so nothing salts it."""
    return _digest("occasion", event, round_, table)


def link(before: str, text: str) -> str:
    """Return the hash of a chain's link; `before` is that of the link before, of the first one the game's id."""
    return _digest("link", before, text)


STATION = "station"
"""Who signs besides the seats."""


def statement(game: str, signer: str, head: str, winner: str, reason: str) -> bytes:
    """Return what is signed under a game that is over; `signer` is a seat's word or `station`."""
    return "\n".join(("hallmarshal countersign 1", game, signer, head, winner, reason)).encode()


def signing_seed(secret: bytes) -> bytes:
    """Return what the key is made from with which the holder of a handset's secret key signs."""
    return bytes.fromhex(_digest("signing key", secret.hex()))


def _digest(purpose: str, *parts: str) -> str:
    """Return 32 of SHA-512's bytes: a phone page that may not use WebCrypto has that hash, too."""
    text = "\n".join((f"hallmarshal {purpose} 1", *parts))
    return hashlib.sha512(text.encode()).digest()[:32].hex()
