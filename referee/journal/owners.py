"""What is left of a finished game's ranks once its key is destroyed: each seat's own view, sealed to the key of its handset.

`journal.owners` is written beside the journal at the end, while its key is still there, so that at no moment there is neither. Boxes
have no labels, and are as long as everybody's knowledge of the game makes them.
"""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Mapping
from pathlib import Path

from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox

from referee.journal.errors import JournalKeyError, JournalMissingError, JournalWriteError, RecordError
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Record, View
from referee.journal.records.views import view_of
from referee.private_file import read_start
from referee.rules.values import Seat

OWNERS = "journal.owners"
"""The name of the file in a game's folder."""
_STEP = 16_384
_LENGTH_BYTES = 4
_OF_A_RANK, _OF_A_SEED = 16, 128
"""Bytes: no rank's word and no seed's line is longer."""
_MOST_BYTES = 64_000_000
_KEY = re.compile(rb"[\w-]{43}=?", re.ASCII)


def sealed_to_owners(record: Record, handsets: Mapping[Seat, str]) -> str:
    """Return the content of the file: of each seat its own view, of the computer's seats theirs to everybody who played them.

    `record` is the referee's view, `handsets` has the public keys as text; where there is none nobody can open that view.
    """
    size = _size(record)
    readers = {seat: [seat] for seat in record.set_ups if seat not in record.computers}
    readers |= {seat: [each for each in record.set_ups if each not in record.computers] for seat in record.computers}
    boxes = [
        _sealed(write_record(view_of(record, View(seat.value)), "own").encode(), size, handsets[reader])
        for seat, its_readers in readers.items()
        for reader in its_readers
        if reader in handsets
    ]
    random.SystemRandom().shuffle(boxes)
    return "".join(f"{box}\n" for box in boxes)


def _size(record: Record) -> int:
    """Return how long the plain text of each box is; everybody could count it."""
    ranks = sum(len(set_up) for set_up in record.set_ups.values()) + 2 * len(record.plies)
    text = len(write_record(view_of(record, View.PUBLIC), "own").encode())
    most = _LENGTH_BYTES + text + _OF_A_RANK * ranks + _OF_A_SEED * len(Seat)
    return -(-most // _STEP) * _STEP


def _sealed(text: bytes, size: int, handset: str) -> str:
    plain = (len(text).to_bytes(_LENGTH_BYTES) + text).ljust(size, b"\0")
    assert len(plain) == size
    key = PublicKey(base64.urlsafe_b64decode(handset + "=" * (-len(handset) % 4)))
    return base64.urlsafe_b64encode(SealedBox(key).encrypt(plain)).rstrip(b"=").decode()


def own_records(journal: Path, handset: Path) -> list[Record]:
    """Return the views of a game that a handset's key opens, its own first; `handset` is the file with its secret key.

    Raises `JournalError` where there is none, and `RecordError`.
    """
    path = journal.with_name(OWNERS)
    try:
        boxes = read_start(path, _MOST_BYTES).split()
    except FileNotFoundError:
        raise JournalMissingError(f"{path}: nothing was kept for this game's players") from None
    except OSError as error:
        raise JournalWriteError(f"{path}: it cannot be read ({error.strerror})") from None
    key = _secret_key(handset)
    found = [read_record(text) for box in boxes if (text := _opened(box, key)) is not None]
    if not found:
        raise JournalKeyError(f"{path}: nothing in it was kept for the handset of {handset}")
    return sorted(found, key=lambda record: record.view.seat in record.computers)


def _secret_key(path: Path) -> SealedBox[PrivateKey]:
    try:
        content = read_start(path, 4096).strip()
    except OSError as error:
        raise JournalKeyError(f"{path}: the handset's key cannot be read ({error.strerror})") from None
    if not _KEY.fullmatch(content):
        raise JournalKeyError(f"{path}: no handset's key can be read from this file")
    return SealedBox(PrivateKey(base64.urlsafe_b64decode(content.rstrip(b"=") + b"=")))


def _opened(box: bytes, key: SealedBox[PrivateKey]) -> bytes | None:
    try:
        plain = key.decrypt(base64.urlsafe_b64decode(box + b"=" * (-len(box) % 4)))
    except (CryptoError, ValueError, TypeError):
        return None
    length = int.from_bytes(plain[:_LENGTH_BYTES])
    if length > len(plain) - _LENGTH_BYTES:
        raise RecordError("what was kept for a handset is cut short")
    return plain[_LENGTH_BYTES : _LENGTH_BYTES + length]
