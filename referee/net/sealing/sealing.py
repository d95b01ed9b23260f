"""Letters between referee and handset, sealed so that nobody else can read, forge, replay or measure them.

A payload is a NaCl box (24-byte nonce, ciphertext, 16-byte authenticator) around exactly 256 bytes for questions, answers and
verdicts, or 4,096 for set-ups and seat states: 296 or 4,136 bytes on the wire, whatever is inside. The plain bytes:

    version  way  seat  body length  counter  ack  ply   from       to         game       body  zeros
    u8       u8   u8    u16          u32      u32  u32   8 bytes    8 bytes    8 bytes    JSON  up to the size

`way` is 1 towards the handset, 2 towards the referee: a box opens with either key pair, so a letter could else be sent back to
its sender. `from` and `to` are session numbers that each side draws at its start. The referee tells its own in `pub/status`; it
learns the handset's from the first hello. So a letter of an earlier start, on either side, fits nobody. Within a session the
counter rises from 1, and each number is taken once. `ack` is the counter up to which the writer has got everything; what lies
above it is sent again after the next hello, in order. `game` is the start of the SHA-512 of the game's id.

This module is one of the three places that open what is hidden.
"""

from __future__ import annotations

import hashlib
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
from nacl.exceptions import CryptoError
from nacl.public import Box
from nacl.utils import random as nacl_random

from referee.net import errors
from referee.net.credential import KeyPair, PublicKey
from referee.net.topics.codec import FROM_HANDSET, TO_HANDSET, decode_body, encode_body
from referee.rules.values import Seat
from referee.table.messages import FromHandset, Hello, Letter, MessageKind, Rejected, ToHandset, Told, message_kind

VERSION = 1
SESSION_BYTES = 8
_HEADER = struct.Struct(">BBBHIII8s8s8s")
OVERHEAD = Box.NONCE_SIZE + 16
SMALL_PAYLOAD = MessageKind.SMALL.value + OVERHEAD
LARGE_PAYLOAD = MessageKind.LARGE.value + OVERHEAD
KEPT = 64
"""How many letters are kept to be sent again, and how far behind a late one may come."""
MOST_SESSIONS = 4096
"""How many sessions of one handset are remembered between two starts of the referee; after that it has to pair again."""

_TO_HANDSET, _TO_REFEREE = 1, 2
_SEATS = tuple(Seat)  # the order is part of the format: red 0, blue 1, green 2, yellow 3

Random = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Opened:
    """A message that was opened, and the ply its writer knew of."""

    message: FromHandset | ToHandset
    ply: int


@dataclass(frozen=True, slots=True)
class _Header:
    """The fields of the envelope, in the order of the bytes."""

    version: int
    way: int
    seat: int
    length: int
    counter: int
    ack: int
    ply: int
    sender: bytes
    receiver: bytes
    game: bytes


class Window:
    """Takes each number once, also out of order, as long as it is not more than `KEPT` behind the highest."""

    __slots__ = ("_ahead", "whole")

    def __init__(self) -> None:
        self.whole = 0
        """Everything up to here has come, or is past waiting for."""
        self._ahead: set[int] = set()

    def take(self, number: int) -> None:
        """Note a number; raises `ReplayError` when it has come before, or is too old to tell."""
        if number <= self.whole or number in self._ahead:
            raise errors.ReplayError("a sealed message came a second time")
        self._ahead.add(number)
        self.whole = max(self.whole, max(self._ahead) - KEPT)
        while self.whole + 1 in self._ahead:
            self.whole += 1
        self._ahead = {ahead for ahead in self._ahead if ahead > self.whole}


class _Envelope:
    """What both ends do alike: the box, the padding, the checks that need no memory."""

    def __init__(self, own: KeyPair, peer: PublicKey, seat: Seat, way_in: int, random: Random) -> None:
        self._box = Box(own.nacl(), peer.nacl())
        self._seat = _SEATS.index(seat)
        self._way_in = way_in
        self._random = random

    def close(
        self, kind: MessageKind, body: bytes, ply: int, numbers: tuple[int, int], route: tuple[bytes, bytes, str]
    ) -> bytes:
        """Seal a body. `numbers` is counter and ack, `route` the sender's session, the receiver's, and the game."""
        sender, receiver, game = route
        way = _TO_REFEREE if self._way_in == _TO_HANDSET else _TO_HANDSET
        header = _HEADER.pack(VERSION, way, self._seat, len(body), *numbers, ply, sender, receiver, digest(game))
        plain = (header + body).ljust(kind.value, b"\0")
        assert len(plain) == kind.value
        return bytes(self._box.encrypt(plain, self._random(Box.NONCE_SIZE)))

    def open(self, payload: bytes, session: bytes, game: str) -> tuple[_Header, bytes]:
        """Open a payload that is meant for this end's `session` and `game`."""
        if len(payload) not in (SMALL_PAYLOAD, LARGE_PAYLOAD):
            raise errors.SealError(f"a sealed message has {SMALL_PAYLOAD} or {LARGE_PAYLOAD} bytes, not {len(payload)}")
        try:
            plain = self._box.decrypt(payload)
        except CryptoError:
            raise errors.SealError("a sealed message was not made with the key of this seat, or was damaged") from None
        header = _Header(*_HEADER.unpack_from(plain))
        if header.version != VERSION:
            raise errors.PayloadError(f"a sealed message has format {header.version}, this is format {VERSION}")
        if header.way != self._way_in or header.seat != self._seat:
            raise errors.OtherSeatError("a sealed message is for another seat, or goes the other way")
        if header.game != digest(game):
            raise errors.OtherGameError("a sealed message belongs to another game")
        if header.receiver != session:
            raise errors.OtherSessionError("a sealed message was written for an earlier start")
        return header, _body(plain, header.length)


def _body(plain: bytes, length: int) -> bytes:
    body, rest = plain[_HEADER.size : _HEADER.size + length], plain[_HEADER.size + length :]
    if len(body) != length or rest.strip(b"\0"):
        raise errors.PayloadError("a sealed message says a wrong length")
    return body


@dataclass(slots=True)
class _Session:
    """What the referee remembers of one session of a handset."""

    window: Window
    counter: int = 0
    unacknowledged: deque[tuple[int, bytes]] = field(default_factory=lambda: deque(maxlen=KEPT))


class RefereeSeal:
    """The referee's end of one seat's letters. Not safe for several threads at once."""

    def __init__(self, own: KeyPair, peer: PublicKey, seat: Seat, session: bytes, random: Random = nacl_random) -> None:
        self._envelope = _Envelope(own, peer, seat, _TO_REFEREE, random)
        self._session = session
        self._sessions: dict[bytes, _Session] = {}
        self._handset: bytes | None = None

    def seal(self, letter: Letter, game: str, ply: int) -> bytes | None:
        """Give the payload of a letter, None while the handset has not said hello (its hello asks for the whole state)."""
        if self._handset is None:
            return None
        message = letter.body.open_hidden()
        body, kind = fitted(message), message_kind(message)
        session = self._sessions[self._handset]
        session.counter += 1
        numbers = (session.counter, session.window.whole)
        payload = self._envelope.close(kind, body, ply, numbers, (self._session, self._handset, game))
        session.unacknowledged.append((session.counter, payload))
        return payload

    def open(self, payload: bytes, game: str) -> Opened:
        """Open what the handset sent; raises a `PeerError`. A hello makes its session the current one."""
        header, body = self._envelope.open(payload, self._session, game)
        session = self._sessions.get(header.sender)
        if session is not None:
            session.window.take(header.counter)
        message = decode_body(body, FROM_HANDSET)
        if header.sender != self._handset:
            session = self._begin(header, message)
        assert session is not None
        while session.unacknowledged and session.unacknowledged[0][0] <= header.ack:
            session.unacknowledged.popleft()
        return Opened(message, header.ply)

    @property
    def sessions(self) -> int:
        """Count the sessions of the handset."""
        return len(self._sessions)

    def unacknowledged(self) -> tuple[bytes, ...]:
        """Give the payloads that the handset has not confirmed, in order, as they were sent."""
        if self._handset is None:
            return ()
        return tuple(payload for _, payload in self._sessions[self._handset].unacknowledged)

    def _begin(self, header: _Header, message: FromHandset | ToHandset) -> _Session:
        """Make a session the current one, a new one or one that was left for another (the same handset in two windows)."""
        if not isinstance(message, Hello):
            raise errors.OtherSessionError("the first message of a session is not a hello")
        if header.sender not in self._sessions:
            if len(self._sessions) >= MOST_SESSIONS:
                raise errors.OtherSessionError("this handset has begun too many sessions; pair it again")
            self._sessions[header.sender] = _Session(Window())
            self._sessions[header.sender].window.take(header.counter)
        self._handset = header.sender
        return self._sessions[header.sender]


class HandsetSeal:
    """A handset's end of its letters. Not safe for several threads at once."""

    def __init__(self, own: KeyPair, peer: PublicKey, seat: Seat, session: bytes, random: Random = nacl_random) -> None:
        self._envelope = _Envelope(own, peer, seat, _TO_HANDSET, random)
        self._session = session
        self._referee: bytes | None = None
        self._window = Window()
        self._counter = 0

    def follow(self, referee: bytes) -> None:
        """Take the referee's session from its status; a new one starts the count of its letters anew."""
        if referee != self._referee:
            self._referee = referee
            self._window = Window()

    def seal(self, message: FromHandset, game: str, ply: int) -> bytes | None:
        """Give the payload of a message, None while the referee's session is not known."""
        if self._referee is None:
            return None
        self._counter += 1
        numbers = (self._counter, self._window.whole)
        route = (self._session, self._referee, game)
        return self._envelope.close(message_kind(message), fitted(message), ply, numbers, route)

    def open(self, payload: bytes, game: str) -> Opened:
        """Open what the referee sent; raises a `PeerError`."""
        header, body = self._envelope.open(payload, self._session, game)
        if header.sender != self._referee:
            raise errors.OtherSessionError("a sealed message belongs to an earlier start of the referee")
        self._window.take(header.counter)
        return Opened(decode_body(body, TO_HANDSET), header.ply)


def digest(game: str) -> bytes:
    """Give the 8 bytes that stand for a game in the envelope."""
    return hashlib.sha512(game.encode()).digest()[:8]


def fitted(message: FromHandset | ToHandset) -> bytes:
    """Give the body of a message within its size: the list of squares that explains a refusal is cut to what fits.

    Raises `MessageTooLongError` when even that does not help, naming the type only.
    """
    most = message_kind(message).value - _HEADER.size
    body = encode_body(message)
    while len(body) > most:
        shorter = _shortened(message)
        if shorter is None:
            raise errors.MessageTooLongError(f"{type(message).__name__} has {len(body)} bytes, {most} fit")
        message, body = shorter, encode_body(shorter)
    return body


def _shortened(message: FromHandset | ToHandset) -> FromHandset | ToHandset | None:
    if isinstance(message, Rejected) and message.detail:
        return msgspec.structs.replace(message, detail=message.detail[:-1])
    if isinstance(message, Told) and message.squares:
        return msgspec.structs.replace(message, squares=message.squares[:-1])
    return None


def answered(letter: Letter) -> str | None:
    """Give the id of the message that a letter answers, None for a letter that answers nothing."""
    return getattr(letter.body.open_hidden(), "re", None)
