"""What a thief does with a card: he reads every byte of it, and tries every key that he has. From docs/reference/keys.md alone."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from pathlib import Path

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, SealedBox


def files(card: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a card with its bytes, SQLite's own files and what is hidden too."""
    for path in sorted(card.rglob("*")):
        if path.is_file():
            yield str(path.relative_to(card)), path.read_bytes()


def written(secret: bytes) -> set[bytes]:
    """Return a secret in each form in which a file may hold it."""
    plain, safe = base64.b64encode(secret), base64.urlsafe_b64encode(secret)
    return {secret, plain.rstrip(b"="), safe.rstrip(b"="), secret.hex().encode(), secret.hex().upper().encode()}


def found(card: Path, secrets: dict[str, bytes]) -> list[str]:
    """Return which file holds which of these secrets, names of files too."""
    return [
        f"{name} in {where}"
        for where, held in files(card)
        for name, secret in secrets.items()
        if any(form in held or form in where.encode() for form in written(secret))
    ]


def key_of(text: str) -> bytes:
    """Return the 32 bytes of a key in URL-safe base64."""
    return base64.urlsafe_b64decode(text.strip() + "=" * (-len(text.strip()) % 4))


def boxes(owners: Path) -> list[bytes]:
    """Return the boxes of a `journal.owners`."""
    return [key_of(line) for line in owners.read_text("ascii").splitlines()]


def opened(sealed: Iterable[bytes], key: bytes) -> list[str]:
    """Return the text of each box that this key opens; one that is not made as the page says is an error."""
    texts = []
    for box in sealed:
        try:
            inside = SealedBox(PrivateKey(key)).decrypt(box)
        except CryptoError:
            continue
        length = int.from_bytes(inside[:4], "big")
        if len(inside) % 16_384 or any(inside[4 + length :]):
            raise ValueError("a box is not filled up as the page says")
        texts.append(inside[4 : 4 + length].decode())
    return texts


def set_up(record: str, seat: str) -> dict[str, str]:
    """Return square and rank of each piece that a record's text shows of a seat, `?` where it does not."""
    lines = iter(record.splitlines())
    for line in lines:
        if line == f"[set-up {seat}]":
            break
    shown = {}
    for line in lines:
        if line.startswith("["):
            break
        if line.strip():
            square, rank = line.split()
            shown[square] = rank
    return shown
