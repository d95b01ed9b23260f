"""Clients of a real broker that are waited for by their events, never by the clock; and made-up public values."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeVar

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from referee.net.broker.access import BrokerAccess, SeatPairing
from referee.net.credential import Credential, KeyPair
from referee.net.links.handset_link import HandsetLink
from referee.net.links.referee_link import RefereeLink
from referee.net.topics.payloads import LinkUp
from referee.net.topics.topics import Role
from referee.rules.values import Rank, Seat
from referee.table.views import BoardShape, Mode, PublicEvent, PublicInfo, PublicView, Reveal
from referee.table.views import Phase as TablePhase
from tests.patience import PATIENCE_S

BOARD = "test-board"
T = TypeVar("T")


class Inbox:
    """Keeps every value that a link hands over, and waits for the one that is wanted."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._news = threading.Condition()

    def __call__(self, value: Any) -> None:
        with self._news:
            self.values.append(value)
            self._news.notify_all()

    def wait(self, kind: type[T], fits: Callable[[T], bool] = lambda value: True, after: int = 0) -> T:
        """Return the first value of a kind that fits, at or after a place in the list; fails if none comes in time."""

        def found() -> T | None:
            return next((value for value in self.values[after:] if isinstance(value, kind) and fits(value)), None)

        with self._news:
            assert self._news.wait_for(lambda: found() is not None, PATIENCE_S), (
                f"no {kind.__name__} among {self.values}"
            )
            value = found()
        assert value is not None
        return value

    def of(self, kind: type[T]) -> list[T]:
        """Return all values of a kind so far."""
        with self._news:
            return [value for value in self.values if isinstance(value, kind)]


class Stranger:
    """A bare MQTT client that does as it likes: subscribes and publishes anything, and keeps what it gets."""

    def __init__(
        self,
        credential: Credential,
        *,
        client_id: str | None = None,
        will: tuple[str, bytes] | None = None,
        acknowledges: bool = True,
    ) -> None:
        self.got: list[tuple[str, bytes]] = []
        self.granted: dict[str, bool] = {}
        """What the broker said to each subscription, which is not what it delivers."""
        self._news = threading.Condition()
        self._acked: set[int] = set()
        self.refused = threading.Event()
        self.joined = threading.Event()
        self.settled = threading.Event()
        self.lost = threading.Event()
        name = credential.user if client_id is None else client_id
        address = credential.address
        transport: Literal["tcp", "websockets"] = "tcp" if address.port else "websockets"
        self._client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=name, manual_ack=not acknowledges, transport=transport
        )
        if credential.user:
            self._client.username_pw_set(credential.user, credential.password)
        if will:
            self._client.will_set(will[0], will[1], 1, True)
        self._client.on_connect = self._connected
        self._client.on_message = self._message
        self._client.on_subscribe = self._subscribed
        self._client.on_unsubscribe = lambda _c, _d, mid, _r, _p: self._ack(mid)
        self._client.on_publish = lambda _c, _d, mid, _r, _p: self._ack(mid)
        self._client.on_disconnect = lambda *_: self.lost.set()
        self._client.on_socket_open = _hurry
        self._client.connect(address.host, address.port or address.ws_port or 0)
        self._client.loop_start()

    def subscribe(self, *filters: str) -> None:
        """Subscribe, and wait for the broker's answer whatever it is (it also says "granted" for what it will never deliver)."""
        assert self.settled.wait(PATIENCE_S)
        assert self.joined.is_set()
        for text in filters:
            _, mid = self._client.subscribe(text, 1)
            assert mid is not None
            self._await(mid)
            self.granted[text] = self._granted

    def unsubscribe(self, *filters: str) -> None:
        """Take subscriptions back."""
        for text in filters:
            _, mid = self._client.unsubscribe(text)
            assert mid is not None
            self._await(mid)

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> None:
        """Publish, and wait for the broker's confirmation."""
        assert self.joined.wait(PATIENCE_S)
        self._await(self._client.publish(topic, payload, 1, retain).mid)

    def wait_for(self, topic: str, part: bytes) -> None:
        """Wait until a payload with this part came on a topic."""

        def came() -> bool:
            return any(got == topic and part in payload for got, payload in self.got)

        with self._news:
            assert self._news.wait_for(came, PATIENCE_S), f"nothing on {topic}"

    def drop(self) -> None:
        """Vanish without a goodbye, so that the will is published."""
        if (sock := self._client.socket()) is not None:
            with socket.socket(fileno=os.dup(sock.fileno())) as same:
                same.shutdown(socket.SHUT_RDWR)
        self.stop()  # a goodbye that no longer gets out; its thread ends

    def stop(self) -> None:
        """Leave."""
        self._client.disconnect()
        self._client.loop_stop()
        self._client._reset_sockets()  # paho leaves two to the garbage collector

    def _connected(self, _client: object, _data: object, _flags: object, reason: Any, _properties: object) -> None:
        (self.refused if reason.is_failure else self.joined).set()
        self.settled.set()
        if reason.is_failure:
            self._client.disconnect()

    def _message(self, _client: object, _data: object, message: mqtt.MQTTMessage) -> None:
        with self._news:
            self.got.append((message.topic, bytes(message.payload)))
            self._news.notify_all()

    def _subscribed(self, _client: object, _data: object, mid: int, reasons: Any, _properties: object) -> None:
        self._granted = not reasons[0].is_failure
        self._ack(mid)

    def _ack(self, mid: int) -> None:
        with self._news:
            self._acked.add(mid)
            self._news.notify_all()

    def _await(self, mid: int) -> None:
        with self._news:
            assert self._news.wait_for(lambda: mid in self._acked, PATIENCE_S)


def _hurry(_client: object, _data: object, sock: Any) -> None:
    with socket.socket(fileno=os.dup(sock.fileno())) as same:  # whatever paho has wrapped it in
        same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class Hall:
    """A broker with a referee, a paired handset a seat, and whatever else a test lets in."""

    def __init__(self, broker: BrokerAccess) -> None:
        self.broker = broker
        self.keys = KeyPair.create()
        self.pairing = SeatPairing(broker.address, BOARD, self.keys.public)
        self.inbox = Inbox()
        self.referee = RefereeLink(broker.credential(Role.REFEREE, self.keys), on_value=self.inbox)
        self.referee.start()
        self._leave: list[Callable[[], None]] = []

    def pair(self, seat: Seat) -> Credential:
        """Return a seat's credential, paired at broker and link."""
        keys = KeyPair.create()
        grant = self.pairing.grant(seat, keys.public)
        self.broker.admit(grant)
        self.referee.pair(seat, keys.public)
        return grant.credential.with_keys(keys)

    def handset(self, credential: Credential) -> tuple[HandsetLink, Inbox]:
        """Return a running handset and its inbox."""
        inbox = Inbox()
        link = HandsetLink(credential, on_value=inbox)
        link.start()
        self._leave.append(partial(link.stop, 0))
        inbox.wait(LinkUp)
        return link, inbox

    def stranger(self, credential: Credential, **options: Any) -> Stranger:
        """Return a client that may do anything a program can."""
        stranger = Stranger(credential, **options)
        self._leave.append(stranger.stop)
        return stranger

    def close(self) -> None:
        """Send everybody home."""
        for leave in reversed(self._leave):
            leave()
        self.referee.stop()


def info(game: str = "game-1") -> PublicInfo:
    """Return a public info of a game."""
    return PublicInfo(
        board_id=BOARD,
        game=game,
        version="0",
        rule_set="original",
        mode=Mode.DECLARE,
        reveal=Reveal.BOOK,
        seats=(Seat.RED, Seat.BLUE),
        army={Rank.MARSHAL: 1},
        board=BoardShape(10, 10, ()),
    )


def view(seq: int, game: str = "game-1", ply: int = 0) -> PublicView:
    """Return a public view with this number."""
    return PublicView(
        board_id=BOARD,
        game=game,
        seq=seq,
        phase=TablePhase.WAITING_FOR_MOVE,
        turn=Seat.RED,
        ply=ply,
        occupants={"a1": Seat.RED, "a10": Seat.BLUE},
        captured={Seat.RED: {}, Seat.BLUE: {Rank.SCOUT: 2}},
    )


def event(seq: int, game: str = "game-1") -> PublicEvent:
    """Return a public event with this number."""
    return PublicEvent(game=game, seq=seq, kind="move.read", ply=1, seat=Seat.RED, source="a4", target="a5")
