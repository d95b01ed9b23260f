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


def _digest(purpose: str, *parts: str) -> str:
    """Return 32 of SHA-512's bytes: a phone page that may not use WebCrypto has that hash, too."""
    text = "\n".join((f"hallmarshal {purpose} 1", *parts))
    return hashlib.sha512(text.encode()).digest()[:32].hex()
