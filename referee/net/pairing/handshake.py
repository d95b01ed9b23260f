"""The four letters of a pairing, over plain HTTP: what each proves, and the six digits. Pure but for chance.

    handset                                            referee
    token, commitment to its key and nonce        ->
                                                  <-   its key, its nonce
    token, key and nonce, boxed with the secret   ->
                                                  <-   the credential, boxed for the handset's key

What stands behind `#` in a join link, or is typed, is the *secret*. It is never sent: the token that names it and the key that boxes
the third letter are hashes of it. So whoever has read the link knows that nobody in between has put in a key of his own; the
fingerprint in the link proves the referee's. A typed code is too short for that (its hash can be searched), which is why the digits
do not rest on it: each side commits to its part before it knows the other's, so that somebody in between has one try in a million
(the order of "Numeric Comparison" in Bluetooth, Core Specification 5.4, volume 3, part H, 2.3.5.6.2).

Every piece is made of what tweetnacl has: SHA-512, secretbox and box. Bytes are written in URL-safe base64 without padding.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nacl.exceptions import CryptoError
from nacl.public import Box, PrivateKey
from nacl.secret import SecretBox
from nacl.utils import random as nacl_random

from referee.net.credential import KEY_BYTES, Credential, KeyPair, PublicKey, read_base64, write_base64
from referee.net.errors import CredentialError, JoinError

NONCE_BYTES = 16
COMMITMENT_BYTES = 32
_TOKEN_BYTES = 16
_ANY_PRIVATE = PrivateKey(bytes(range(KEY_BYTES)))

Random = Callable[[int], bytes]
Letter = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SecretKeys:
    """What follows from a secret: the token, which is sent, and the key, which is not."""

    token: str
    key: bytes

    def __repr__(self) -> str:
        return "SecretKeys(?)"


@dataclass(frozen=True, slots=True)
class Joined:
    """A seat that was taken: what connects to the broker, and the digits that the table shows too."""

    credential: Credential
    digits: str


def secret_keys(secret: str) -> SecretKeys:
    """Return token and key of a secret: the first 16 and 32 bytes of SHA-512 over a label of its own and the secret."""
    token = hashlib.sha512(b"hallmarshal token 1" + secret.encode()).digest()[:_TOKEN_BYTES]
    key = hashlib.sha512(b"hallmarshal key 1" + secret.encode()).digest()[:KEY_BYTES]
    return SecretKeys(write_base64(token), key)


def commitment(handset_key: PublicKey, nonce: bytes) -> bytes:
    """Return what binds a handset to its key and nonce before it shows them: 32 bytes of SHA-512."""
    return hashlib.sha512(b"hallmarshal commitment 1" + handset_key.raw + nonce).digest()[:COMMITMENT_BYTES]


def six_digits(referee_key: PublicKey, handset_key: PublicKey, referee_nonce: bytes, handset_nonce: bytes) -> str:
    """Return the digits of a pairing: SHA-512 over a label, both keys and both nonces, its first 8 bytes modulo a million."""
    parts = referee_key.raw + handset_key.raw + referee_nonce + handset_nonce
    digest = hashlib.sha512(b"hallmarshal pairing 2" + parts).digest()
    return f"{int.from_bytes(digest[:8]) % 1_000_000:06d}"


def open_claim(sealed: bytes, key: bytes) -> tuple[PublicKey, bytes]:
    """Return the handset's key and nonce in the third letter; raises `JoinError` (`proof-wrong`)."""
    try:
        plain = SecretBox(key).decrypt(sealed)
        if len(plain) != KEY_BYTES + NONCE_BYTES:
            raise JoinError("proof-wrong")
        shown = PublicKey(plain[:KEY_BYTES])
        Box(_ANY_PRIVATE, shown.nacl())  # refuses a key of low order, with which a box would open for everybody
        return shown, plain[KEY_BYTES:]
    except (CryptoError, ValueError):
        raise JoinError("proof-wrong") from None


def seal_answer(answer: Letter, referee: KeyPair, handset: PublicKey, random: Random = nacl_random) -> Letter:
    """Return the last message: the credential, encrypted for the handset and authenticated by the referee."""
    box = Box(referee.nacl(), handset.nacl())
    return {"sealed": write_base64(bytes(box.encrypt(json.dumps(answer).encode(), random(Box.NONCE_SIZE))))}


def letter_bytes(letter: Mapping[str, Any], name: str, length: int | None = None) -> bytes:
    """Return the bytes of a letter's field; raises `JoinError` (`request-unreadable`)."""
    try:
        raw = read_base64(letter[name])
    except (CredentialError, KeyError):
        raise JoinError("request-unreadable") from None
    if length is not None and len(raw) != length:
        raise JoinError("request-unreadable")
    return raw


class Joining:
    """The handset's half: three calls, in order. Each raises `JoinError` when the answer is not the referee's."""

    def __init__(
        self, secret: str, fingerprint: str | None, random: Random = nacl_random, keys: KeyPair | None = None
    ) -> None:
        """Begin with what the link says; without a fingerprint (a typed code) the digits alone tell the referee.

        `keys` are those of a handset that keeps them, None for new ones.
        """
        self._secret = secret_keys(secret)
        self._fingerprint = fingerprint
        self._random = random
        self._keys = keys or KeyPair(random(KEY_BYTES))
        self._nonce = random(NONCE_BYTES)

    def first(self) -> Letter:
        """Return the first letter."""
        return {
            "token": self._secret.token,
            "commitment": write_base64(commitment(self._keys.public, self._nonce)),
        }

    def second(self, answer: Mapping[str, Any]) -> Letter:
        """Return the third letter of the four, once the referee has shown its key."""
        try:
            self._referee = PublicKey(letter_bytes(answer, "peer", KEY_BYTES))
            self._referee_nonce = letter_bytes(answer, "nonce", NONCE_BYTES)
        except JoinError:
            raise JoinError("answer-unreadable") from None
        if self._fingerprint is not None and self._referee.fingerprint != self._fingerprint:
            raise JoinError("wrong-referee")
        plain = self._keys.public.raw + self._nonce
        sealed = bytes(SecretBox(self._secret.key).encrypt(plain, self._random(SecretBox.NONCE_SIZE)))
        return {"token": self._secret.token, "sealed": write_base64(sealed)}

    def last(self, answer: Mapping[str, Any]) -> Joined:
        """Return the seat that was taken."""
        try:
            box = Box(self._keys.nacl(), self._referee.nacl())
            opened = json.loads(box.decrypt(letter_bytes(answer, "sealed")))
            credential = Credential.from_json(opened["credential"])
        except CryptoError:
            raise JoinError("wrong-referee") from None
        except (JoinError, CredentialError, KeyError, TypeError, ValueError, RecursionError):
            raise JoinError("answer-unreadable") from None
        digits = six_digits(self._referee, self._keys.public, self._referee_nonce, self._nonce)
        return Joined(credential.with_keys(self._keys, self._referee), digits)
