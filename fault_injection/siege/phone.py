"""A phone at a seat, made from docs/reference/messages.md and docs/asyncapi.yaml alone: it pairs, opens letters, answers.

It uses nothing of `referee` (tests/architecture), so that what it finds is true of the protocol as it is written down.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import json
import secrets
import struct
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import paho.mqtt.client as mqtt
from nacl.exceptions import CryptoError
from nacl.public import Box, PrivateKey, PublicKey
from nacl.secret import SecretBox
from paho.mqtt.enums import CallbackAPIVersion

_HEAD = struct.Struct(">BBBHIII8s8s8s")
_SEATS = ("red", "blue", "green", "yellow")
_TIMEOUT_S = 10.0
TO_REFEREE = 2


class PairingFailedError(Exception):
    """The table did not give the seat; its text is the table's word."""


def digest(word: str, *parts: bytes) -> bytes:
    """Return the SHA-512 that the joining of messages.md names by this word."""
    return hashlib.sha512(word.encode() + b"".join(parts)).digest()


def encoded(raw: bytes) -> str:
    """Return bytes in URL-safe base64 without padding."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def post(base: str, path: str, body: Any) -> dict[str, Any]:
    """Return what a server answers to a value in JSON. Raises `PairingFailedError` and `OSError`."""
    address = urlsplit(base)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=_TIMEOUT_S)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
    except (http.client.HTTPException, json.JSONDecodeError) as error:
        raise PairingFailedError("no answer") from error
    finally:
        connection.close()
    if not isinstance(answer, dict) or "error" in answer:
        raise PairingFailedError(str(answer))
    return answer


def pair(link: str) -> tuple[PrivateKey, dict[str, Any]]:
    """Return the key pair made for a join link, and the last letter: `credential` and `ws`.

    Raises `PairingFailedError` and `OSError`.
    """
    base, _, fragment = link.partition("/join#")
    secret, *rest = fragment.split("&")
    token = encoded(digest("hallmarshal token 1", secret.encode())[:16])
    own, nonce = PrivateKey.generate(), secrets.token_bytes(16)
    commitment = encoded(digest("hallmarshal commitment 1", bytes(own.public_key), nonce)[:32])
    peer = _decoded(post(base, "/pair", {"token": token, "commitment": commitment})["peer"])
    if rest and hashlib.sha512(peer).hexdigest()[:32] != rest[0]:
        raise PairingFailedError("wrong-referee")
    box = SecretBox(digest("hallmarshal key 1", secret.encode())[:32])
    answer = post(base, "/pair", {"token": token, "sealed": encoded(bytes(box.encrypt(bytes(own.public_key) + nonce)))})
    plain = Box(own, PublicKey(peer)).decrypt(_decoded(answer["sealed"]))
    return own, json.loads(plain)


class Phone:
    """A seat's phone. It keeps the last public view and answers what is asked: its rank, no to offers, yes to playing on."""

    def __init__(self, link: str, rank: str, on_view: Callable[[dict[str, Any]], None] | None = None) -> None:
        """`rank` is declared in every attack. Raises `PairingFailedError` and `OSError`."""
        own, letter = pair(link)
        credential = letter["credential"]
        self.seat: str = credential["seat"]
        self.ws: str = letter["ws"]
        self.view: dict[str, Any] = {}
        self.here = threading.Event()
        """Set while the broker has this phone."""
        self.refused = False
        """Whether the broker does not let this phone in any more: its seat was given to another."""
        self.accepted = self.questions = self.states = self.histories = 0
        self.playing = True
        """Whether it says `resume` after an opponent's pause."""
        self._rank, self._on_view = rank, on_view
        self._box = Box(own, PublicKey(_decoded(credential["peer"])))
        self._topic = f"hallmarshal/1/boards/{credential['board']}"
        self._session, self._referee, self._game = secrets.token_bytes(8), b"", b""
        self._counter = self._ids = self._ack = 0
        self._lock = threading.Lock()
        address = urlsplit(self.ws)
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2, credential["user"], protocol=mqtt.MQTTv311, transport="websockets"
        )
        client.username_pw_set(credential["user"], credential["password"])
        client.ws_set_options(path=address.path or "/")
        client.reconnect_delay_set(1, 1)
        client.max_inflight_messages_set(20)
        client.will_set(f"{self._topic}/seat/{self.seat}/presence", json.dumps({"here": False}), 1, True)
        client.on_connect, client.on_disconnect, client.on_message = self._connected, self._lost, self._take
        self.client = client
        client.connect_async(address.hostname or "", address.port or 80, keepalive=10)
        client.loop_start()

    def close(self) -> None:
        """Go, without a goodbye."""
        self.client.loop_stop()
        self.client.disconnect()
        self.client._reset_sockets()  # paho leaves two to the garbage collector

    def say(self, word: str, *fields: object, ack: int | None = None, large: bool = False, again: str = "") -> None:
        """Send the referee a message with a new id, or one that ends in `again`. `ack` overrules what was really got."""
        with self._lock:
            self._counter += 1
            self._ids += 1
            ident = f"{self._session.hex()}-{again or self._ids}"
            body = json.dumps([word, ident, *fields], separators=(",", ":")).encode()
            head = _HEAD.pack(
                *(1, TO_REFEREE, _SEATS.index(self.seat), len(body), self._counter),
                *(self._ack if ack is None else ack, self.view.get("ply", 0)),
                *(self._session, self._referee, self._game),
            )
            self.pour(bytes(self._box.encrypt((head + body).ljust(4096 if large else 256, b"\0"))))

    def pour(self, payload: bytes) -> None:
        """Send these bytes to the referee, whatever they are."""
        self.client.publish(f"{self._topic}/seat/{self.seat}/out", payload, 1)

    def _connected(self, client: mqtt.Client, _data: object, _flags: object, code: Any, _properties: object) -> None:
        self.refused = bool(code.is_failure)
        if self.refused:
            return
        own = f"{self._topic}/seat/{self.seat}"
        client.subscribe(
            [(f"{self._topic}/pub/{name}", 1) for name in ("status", "info", "state")] + [(f"{own}/in", 1)]
        )
        client.publish(f"{own}/presence", json.dumps({"here": True, "compared": True}), 1, True)
        self.here.set()
        self._hello()

    def _lost(self, *_: object) -> None:
        self.here.clear()

    def _hello(self) -> None:
        if self._referee and self._game:
            self.say("hello")

    def _take(self, _client: object, _data: object, message: mqtt.MQTTMessage) -> None:
        kind = message.topic.rpartition("/")[2]
        if kind == "in":
            with contextlib.suppress(CryptoError):
                self._open(self._box.decrypt(bytes(message.payload)))
            return
        value = json.loads(message.payload)
        if kind == "status" and value["up"] and bytes.fromhex(value["session"]) != self._referee:
            self._referee, self._ack = bytes.fromhex(value["session"]), 0
            self._hello()
        elif kind == "info":
            self._game = hashlib.sha512(value["game"].encode()).digest()[:8]
            self._hello()
        elif kind == "state":
            self.view = value
            if self.playing and (value.get("pause") or {}).get("seat", self.seat) != self.seat:
                self.say("resume")
            if self._on_view is not None:
                self._on_view(value)

    def _open(self, plain: bytes) -> None:
        _, _, _, length, counter, *_ = _HEAD.unpack_from(plain)
        self._ack = max(self._ack, counter)
        word, _, *fields = json.loads(plain[_HEAD.size : _HEAD.size + length])
        if word == "accepted":
            self.accepted += 1
        self.states += word == "state"
        self.histories += word == "history"
        asked = fields if word == "question" else (fields[5] or [None, None])[2:] if word == "state" else []
        if asked:
            self.questions += 1
            self._answer(*asked[:2])

    def _answer(self, question: int, kind: str) -> None:
        if kind == "declare":
            self.say("declare", question, self._rank)
        elif kind in ("draw", "abort", "take-back", "void"):
            self.say("answer", question, "refuse")
