"""Seals the ranks of a row, and keeps the journal's key in a file of its own. One of the three places that open what is hidden.

A sealed column is a NaCl secret box around JSON that is padded to 256, 4,096 or 65,536 bytes, so that its length tells no rank.
The box also holds the row's number and the journal's own, so that a column cannot be moved to another row.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from nacl.exceptions import CryptoError
from nacl.secret import SecretBox
from nacl.utils import random as nacl_random

from referee.journal.errors import JournalError, JournalKeyError, JournalWriteError
from referee.private_file import read_start, write_private
from referee.rules import Hidden, Rank

Secret = Hidden[Mapping[str, Rank]] | Hidden[Mapping[str, str]]
"""Ranks by square name; as words when they come back from a journal."""
SIZES = (256, 4096, 65536)
_LENGTH_BYTES = 4
_LONGEST_KEY_FILE = 4096


class JournalKey:
    """The key of one or more journals; in no text form."""

    __slots__ = ("_box", "_mac")

    def __init__(self, secret: bytes) -> None:
        # two keys from one secret: a key is used for one thing only
        self._box = SecretBox(_derived(secret, b"seal"))
        self._mac = _derived(secret, b"mac")

    @classmethod
    def load(cls, path: Path) -> JournalKey:
        """Read a key file; raises `JournalKeyError`, or `JournalWriteError` where the disk does not let it be read."""
        try:
            secret = base64.urlsafe_b64decode(read_start(path, _LONGEST_KEY_FILE).strip())
        except FileNotFoundError:
            raise JournalKeyError(
                f"{path}: the journal's key file is missing; without it no rank can be read"
            ) from None
        except (IsADirectoryError, ValueError):
            secret = b""
        except OSError as error:
            raise JournalWriteError(f"{path}: the journal's key cannot be read ({error.strerror})") from None
        if len(secret) != SecretBox.KEY_SIZE:
            raise JournalKeyError(f"{path}: no key can be read from this file")
        return cls(secret)

    @classmethod
    def load_or_create(cls, path: Path) -> JournalKey:
        """Read a key file, or write a new one (mode 0600) where there is none; raises `JournalKeyError`."""
        if not path.exists():
            try:
                write_private(path, base64.urlsafe_b64encode(nacl_random(SecretBox.KEY_SIZE)).decode() + "\n")
            except OSError as error:
                raise JournalKeyError(f"{path}: the journal's key cannot be written ({error.strerror})") from None
        return cls.load(path)

    def mark(self, *parts: bytes) -> bytes:
        """Return the keyed hash of these parts: 32 bytes of BLAKE2b that only the holder of this key can compute."""
        return _digest(parts, self._mac)

    def fits(self, mark: bytes, *parts: bytes) -> bool:
        """Return whether a mark was made with this key for these parts; compares in constant time."""
        return hmac.compare_digest(mark, self.mark(*parts))

    def seal(self, hidden: Secret, place: bytes, random: Callable[[int], bytes] = nacl_random) -> bytes:
        """Return the sealed column for a row; `place` is its journal and number. Raises `JournalError` beyond the
        largest size.
        """
        return self._sealed(place + msgspec.json.encode(hidden.open_hidden()), random)

    def seal_whole(self, content: bytes, place: bytes) -> bytes:
        """Return bytes sealed in the longest of the lengths, whatever they are. Raises `JournalError` when they are too long."""
        return self._sealed(place + content.ljust(SIZES[-2]), nacl_random)

    def open_whole(self, sealed: bytes, place: bytes) -> bytes:
        """Return what `seal_whole` sealed. Raises `JournalKeyError` when it is not of this key and place."""
        try:
            return self._opened(sealed, place)
        except (CryptoError, ValueError):
            raise JournalKeyError("what is sealed cannot be opened with this key") from None

    def _sealed(self, body: bytes, random: Callable[[int], bytes]) -> bytes:
        for size in SIZES:
            if len(body) + _LENGTH_BYTES <= size:
                plain = (len(body).to_bytes(_LENGTH_BYTES) + body).ljust(size, b"\0")
                return bytes(self._box.encrypt(plain, random(SecretBox.NONCE_SIZE)))
        raise JournalError(f"what is to be sealed has {len(body)} bytes, more than {SIZES[-1]}")

    def open(self, sealed: bytes, place: bytes) -> Hidden[Mapping[str, str]]:
        """Return the content of a sealed column. Raises `JournalKeyError` for another key or another `place`."""
        try:
            return Hidden(msgspec.json.decode(self._opened(sealed, place), type=dict[str, str]))
        except (CryptoError, ValueError, msgspec.DecodeError):
            raise JournalKeyError("a sealed column cannot be opened with this key") from None

    def _opened(self, sealed: bytes, place: bytes) -> bytes:
        plain = self._box.decrypt(sealed)
        length = int.from_bytes(plain[:_LENGTH_BYTES])
        body = plain[_LENGTH_BYTES : _LENGTH_BYTES + length]
        if not body.startswith(place):
            raise JournalKeyError("a sealed column belongs to another row")
        return body[len(place) :]

    def __repr__(self) -> str:
        return "JournalKey(?)"


def chain(*parts: bytes) -> bytes:
    """Return the 32-byte BLAKE2b hash of parts, each with its length before it, so no two lists of parts have the same
    input.
    """
    return _digest(parts, b"")


def as_ranks(hidden: Hidden[Mapping[str, str]]) -> Hidden[Mapping[str, Rank]]:
    """Return the same secret with its words as ranks. Raises `ValueError` for a word that is no rank."""
    try:
        return Hidden({square: Rank(word) for square, word in hidden.open_hidden().items()})
    except ValueError:
        raise ValueError("a sealed column holds a word that is no rank") from None


def disclosed(hidden: Secret | None) -> Mapping[str, Rank] | Mapping[str, str] | None:
    """Return the hidden content in the clear: only for the referee's own view of a record
    (`referee.journal.journal_to_record`).
    """
    return None if hidden is None else hidden.open_hidden()


def _derived(secret: bytes, purpose: bytes) -> bytes:
    return hashlib.blake2b(secret, digest_size=SecretBox.KEY_SIZE, person=b"hallmarshal " + purpose).digest()


def _digest(parts: tuple[bytes, ...], key: bytes) -> bytes:
    state = hashlib.blake2b(digest_size=32, key=key)
    for part in parts:
        state.update(len(part).to_bytes(8))
        state.update(part)
    return state.digest()
