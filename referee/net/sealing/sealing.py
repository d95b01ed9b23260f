"""Letters between referee and handset, sealed so that nobody else can read, forge, replay or measure them.

A payload is a NaCl box (24-byte nonce, ciphertext, 16-byte authenticator) around exactly 256 bytes for questions, answers and
verdicts, or 4,096 for set-ups and seat states: 296 or 4,136 bytes on the wire, whatever is inside. The plain bytes:

    version  way  seat  body length  counter  ack  ply   from       to         game       body  zeros
    u8       u8   u8    u16          u32      u32  u32   8 bytes    8 bytes    8 bytes    JSON  up to the size

A hello is in the box of the two long-lived key pairs. All else is in one that is also made from two pairs that both ends draw for each
game and keep in memory alone: who steals the long-lived ones later opens nothing of it. A handset of earlier days draws none.

`way` is 1 towards the handset, 2 towards the referee: a box opens with either key pair, so a letter could else be sent back to
its sender. `from` and `to` are session numbers that each side draws at its start. The referee tells its own in `pub/status`; it
learns the handset's from the first hello. So a letter of an earlier start, on either side, fits nobody. Within a session the
counter rises from 1, and each number is taken once. `ack` is the counter up to which the writer has got everything; what lies
above it is sent again after the next hello, in order. `game` is the start of the SHA-512 of the game's id.

This module is one of the three places that open what is hidden.
"""

from __future__ import annotations

import contextlib
import hashlib
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
from nacl.exceptions import CryptoError
from nacl.public import Box
from nacl.secret import SecretBox
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
    drew: bool = False
    """Whether it is a hello with which both ends have keys of this game from now on."""


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

    def fresh(self, own: KeyPair, peer: str) -> SecretBox:
        """Return the game's box, from both long-lived keys and both ephemeral keys, which no disk ever holds (forward secrecy).

        Raises `PayloadError` for what is no key.
        """
        try:
            shared = self._box.shared_key() + Box(own.nacl(), PublicKey.from_text(peer).nacl()).shared_key()
        except (CryptoError, ValueError, errors.CredentialError):
            raise errors.PayloadError("a key that was drawn for a game cannot be read") from None
        return SecretBox(hashlib.sha512(b"hallmarshal fresh 1" + shared).digest()[: SecretBox.KEY_SIZE])

    def close(
        self,
        kind: MessageKind,
        body: bytes,
        ply: int,
        numbers: tuple[int, int],
        route: tuple[bytes, bytes, str],
        fresh: SecretBox | None,
    ) -> bytes:
        """Seal a body. `numbers` is counter and ack, `route` the sender's session, the receiver's, and the game."""
        sender, receiver, game = route
        way = _TO_REFEREE if self._way_in == _TO_HANDSET else _TO_HANDSET
        header = _HEADER.pack(VERSION, way, self._seat, len(body), *numbers, ply, sender, receiver, digest(game))
        plain = (header + body).ljust(kind.value, b"\0")
        assert len(plain) == kind.value
        return bytes((fresh or self._box).encrypt(plain, self._random(Box.NONCE_SIZE)))

    def open(self, payload: bytes, session: bytes, game: str, fresh: SecretBox | None) -> tuple[_Header, bytes, bool]:
        """Open a payload that is meant for this end's `session` and `game`; the last part is whether the game's own box did."""
        if len(payload) not in (SMALL_PAYLOAD, LARGE_PAYLOAD):
            raise errors.SealError(f"a sealed message has {SMALL_PAYLOAD} or {LARGE_PAYLOAD} bytes, not {len(payload)}")
        plain = b""
        for box in (fresh, self._box):
            with contextlib.suppress(CryptoError):
                plain = box.decrypt(payload) if box is not None else b""
            if plain:
                break
        else:
            raise errors.SealError("a sealed message was not made with the key of this seat, or was damaged")
        header = _Header(*_HEADER.unpack_from(plain))
        if header.version != VERSION:
            raise errors.PayloadError(f"a sealed message has format {header.version}, this is format {VERSION}")
        if header.way != self._way_in or header.seat != self._seat:
            raise errors.OtherSeatError("a sealed message is for another seat, or goes the other way")
        if header.game != digest(game):
            raise errors.OtherGameError("a sealed message belongs to another game")
        if header.receiver != session:
            raise errors.OtherSessionError("a sealed message was written for an earlier start")
        return header, _body(plain, header.length), box is fresh


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
    said: str = ""
    """The public key that the handset has drawn for this game."""
    fresh: SecretBox | None = None
    """What is said in this game is in this box, once both ends have drawn."""


class RefereeSeal:
    """The referee's end of one seat's letters. Not safe for several threads at once."""

    def __init__(self, own: KeyPair, peer: PublicKey, seat: Seat, session: bytes, random: Random = nacl_random) -> None:
        self._envelope = _Envelope(own, peer, seat, _TO_REFEREE, random)
        self._session = session
        self._sessions: dict[bytes, _Session] = {}
        self._handset: bytes | None = None
        self._drawn: KeyPair | None = None
        self._draws = False
        """Whether this handset has drawn a key once: nothing but hello is taken from it in another box any more."""

    def draw(self, keys: KeyPair) -> None:
        """Use keys that were drawn for a new game; its handset says hello before it hears anything."""
        self._drawn = keys
        for session in self._sessions.values():
            session.said, session.fresh = "", None
            session.unacknowledged.clear()

    def seal(self, letter: Letter, game: str, ply: int) -> bytes | None:
        """Return the payload of a letter, None while the handset has not said hello (its hello asks for the whole state)."""
        if self._handset is None:
            return None
        message = letter.body.open_hidden()
        body, kind = fitted(message), message_kind(message)
        session = self._sessions[self._handset]
        if self._draws and session.fresh is None:
            return None
        session.counter += 1
        numbers = (session.counter, session.window.whole)
        payload = self._envelope.close(kind, body, ply, numbers, (self._session, self._handset, game), session.fresh)
        session.unacknowledged.append((session.counter, payload))
        return payload

    def open(self, payload: bytes, game: str) -> Opened:
        """Open what the handset sent; raises a `PeerError`. A hello makes its session the current one."""
        on = None if self._handset is None else self._sessions[self._handset].fresh
        header, body, fresh = self._envelope.open(payload, self._session, game, on)
        if self._draws and not fresh and not _said(decode_body(body, FROM_HANDSET)):
            raise errors.SealError("a sealed message was not made with this game's keys")
        session = self._sessions.get(header.sender)
        if session is not None:
            session.window.take(header.counter)
        message = decode_body(body, FROM_HANDSET)
        if header.sender != self._handset:
            session = self._begin(header, message)
        assert session is not None
        drew = bool(said := _said(message)) and self._drawn is not None and self._agree(session, said, self._drawn)
        while session.unacknowledged and session.unacknowledged[0][0] <= header.ack:
            session.unacknowledged.popleft()
        return Opened(message, header.ply, drew)

    def _agree(self, session: _Session, said: str, drawn: KeyPair) -> bool:
        """Make the box of a game once the handset has said what it has drawn; return whether it is another than before."""
        if said == session.said:
            return False
        session.fresh = self._envelope.fresh(drawn, said)
        session.said, self._draws = said, True
        session.unacknowledged.clear()  # of another box
        return True

    @property
    def sessions(self) -> int:
        """Count the sessions of the handset."""
        return len(self._sessions)

    def unacknowledged(self) -> tuple[bytes, ...]:
        """Return the payloads that the handset has not confirmed, in order, as they were sent."""
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
        self._drawn = KeyPair.create()
        self._peer = ""
        self._fresh: SecretBox | None = None
        self._proven = False

    @property
    def ready(self) -> bool:
        """Return whether more than hello may be said: the referee has proven that the key which its info names is its own."""
        return self._fresh is None or self._proven

    def follow(self, referee: bytes) -> None:
        """Take the referee's session from its status; a new session resets the message counter."""
        if referee != self._referee:
            self._referee = referee
            self._window = Window()

    def draw(self, peer: str) -> None:
        """Draw keys for a game, once the referee has told which it has drawn; the same again changes nothing. Raises a `PeerError`."""
        if peer != self._peer:
            drawn = KeyPair.create()
            self._fresh = self._envelope.fresh(drawn, peer)
            self._drawn, self._peer, self._proven = drawn, peer, False

    def seal(self, message: FromHandset, game: str, ply: int) -> bytes | None:
        """Return the payload of a message, None while the referee's session is not known."""
        if self._referee is None:
            return None
        hello = isinstance(message, Hello)
        if hello and self._fresh is not None:
            message = msgspec.structs.replace(message, fresh=self._drawn.public.text)
        self._counter += 1
        numbers = (self._counter, self._window.whole)
        route = (self._session, self._referee, game)
        fresh = None if hello else self._fresh
        return self._envelope.close(message_kind(message), fitted(message), ply, numbers, route, fresh)

    def open(self, payload: bytes, game: str) -> Opened:
        """Open what the referee sent; raises a `PeerError`."""
        header, body, fresh = self._envelope.open(payload, self._session, game, self._fresh)
        if self._fresh is not None and not fresh:
            raise errors.SealError("a sealed message was not made with this game's keys")
        if header.sender != self._referee:
            raise errors.OtherSessionError("a sealed message belongs to an earlier start of the referee")
        self._window.take(header.counter)
        self._proven = True
        return Opened(decode_body(body, TO_HANDSET), header.ply)


def _said(message: FromHandset | ToHandset) -> str:
    """Return the key that a hello says was drawn; empty in one without, and in any other message."""
    return message.fresh if isinstance(message, Hello) else ""


def digest(game: str) -> bytes:
    """Return the 8 bytes that stand for a game in the envelope."""
    return hashlib.sha512(game.encode()).digest()[:8]


def fitted(message: FromHandset | ToHandset) -> bytes:
    """Return the body of a message within its size: the list of squares that explains a refusal is cut to what fits.

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
    """Return the id of the message that a letter answers, None for a letter that answers nothing."""
    return getattr(letter.body.open_hidden(), "re", None)
