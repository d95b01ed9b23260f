"""The station's signature under an arbiter's order, so that a table carries out nothing that merely came over the broker."""

from __future__ import annotations

import msgspec
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from referee.net.credential import StoredKey, read_base64, write_base64
from referee.net.errors import CredentialError, PayloadError, SignatureError
from referee.net.topics.payloads import ArbiterOrder, SignedOrder
from referee.table.commitments import signing_seed


def countersigned(secret: bytes, signed: bytes) -> tuple[str, str]:
    """Return the key with which the holder of a handset's secret key signs, and the signature, as text."""
    key = SigningKey(signing_seed(secret))
    return write_base64(bytes(key.verify_key)), write_base64(key.sign(signed).signature)


_LABEL = b"hallmarshal order 1\0"
_DECODER = msgspec.json.Decoder(ArbiterOrder)


class OrderKey:
    """The public half of a station's key: tells its orders from everybody else's. Its text form is URL-safe base64."""

    __slots__ = ("_key", "text")

    def __init__(self, text: str) -> None:
        try:
            self._key = VerifyKey(read_base64(text))
        except (TypeError, ValueError):
            raise CredentialError("a station's key has 32 bytes") from None
        self.text = text

    def open(self, signed: SignedOrder) -> ArbiterOrder:
        """Return the order; raises `SignatureError` when another key signed it, `PayloadError` when it cannot be read."""
        raw = signed.order.encode()
        try:
            self._key.verify(_LABEL + raw, read_base64(signed.signature))
        except (BadSignatureError, CredentialError, TypeError, ValueError):
            raise SignatureError("an order was not signed by the station") from None
        try:
            return _DECODER.decode(raw)
        except msgspec.MsgspecError:
            raise PayloadError("an order cannot be read") from None


class StationKey(StoredKey):
    """The key pair of a station."""

    def __init__(self, seed: bytes) -> None:
        self._key = SigningKey(seed)
        self.public = OrderKey(write_base64(bytes(self._key.verify_key)))

    def sign(self, order: ArbiterOrder) -> SignedOrder:
        """Return the order as it travels."""
        raw = msgspec.json.encode(order)
        return SignedOrder(raw.decode(), write_base64(self._key.sign(_LABEL + raw).signature))

    def countersign(self, signed: bytes) -> tuple[str, str]:
        """Return the public key and the signature under a game that is over, as text."""
        return self.public.text, write_base64(self._key.sign(signed).signature)

    def __repr__(self) -> str:
        return f"StationKey({self.public.text}, ?)"
