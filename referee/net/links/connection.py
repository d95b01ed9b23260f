"""One MQTT connection: paho-mqtt behind a narrow mouth, with a stated behaviour for every queue.

- Nothing is handed to paho while the broker has not confirmed the subscriptions. What is published meanwhile waits here: of a
  retained topic only the newest value, of the others the newest `MOST_WAITING`; older ones are dropped and counted.
- After every connect the newest value of each retained topic is published again, behind whatever paho sends a second time, so
  that a stale one never stays. (A broker that was killed has lost them all.)
- The callables run on paho's own thread. They must return soon and must not raise; handing over to another thread is the
  owner's business.

Does not do: topics, values, sealing.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import ssl
import threading
from abc import ABC, abstractmethod
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.reasoncodes import ReasonCode

from referee.net.credential import Credential, KeyPair
from referee.net.errors import BrokerRefusedError, BrokerUnreachableError, CredentialError, PeerError, ReplayError
from referee.net.topics import topics
from referee.net.topics.payloads import LinkDown, LinkUp, PeerFault
from referee.net.topics.topics import Topic
from referee.rules.values import Seat

_log = logging.getLogger(__name__)

MOST_WAITING = 512
MOST_UNDER_WAY = 96
"""With so many to one seat on their way to the broker nothing is sent to it again: four seats leave room for everybody else."""
KEEPALIVE_S = 20
"""After 1.5 times this the broker takes a silent client for gone and publishes its last will."""
PATIENCE_S = 20.0
"""So long a broker may take to let a client in, or to do what it is told: the machine that it runs on may have much else to do."""
_LONGEST_PAUSE_S = 5
_GOODBYE_S = 2.0


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message to be published."""

    topic: str
    payload: bytes
    qos: int = 1
    retain: bool = False


@dataclass(frozen=True, slots=True)
class ConnectionFigures:
    """How a connection fares: messages waiting here, dropped because too many waited, and how often it was made."""

    waiting: int
    dropped: int
    connects: int


class Connection:
    """One client of the broker, which comes back by itself when the connection is lost."""

    def __init__(
        self,
        credential: Credential,
        reads: Sequence[tuple[str, int]],
        *,
        on_message: Callable[[str, bytes], None],
        on_up: Callable[[], None] = lambda: None,
        on_down: Callable[[str], None] = lambda reason: None,
        will: Outgoing | None = None,
    ) -> None:
        self._address = credential.address
        self._user = credential.user
        self._reads = list(reads)
        self._on_message, self._on_up, self._on_down = on_message, on_up, on_down
        self._lock = threading.Lock()
        self._waiting: deque[Outgoing] = deque()
        self._retained: dict[str, Outgoing] = {}
        self._under_way: dict[str, deque[mqtt.MQTTMessageInfo]] = defaultdict(deque)
        self._up = False
        self._dropped = self._connects = 0
        self._answers = self._welcomes = 0
        self._asked = False
        self._settled = threading.Event()
        self._refused: str | None = None
        self._stopping = False
        self._client = self._make_client(credential, will)

    @property
    def up(self) -> bool:
        """Return whether the broker has confirmed the connection and every subscription."""
        return self._up

    def figures(self) -> ConnectionFigures:
        """Return how this connection fares."""
        return ConnectionFigures(len(self._waiting), self._dropped, self._connects)

    def probe(self) -> tuple[int, int]:
        """Ask the broker for a sign of life; return how many came so far, and how often it has let this client in.

        It is asked to end a subscription that does not exist: it has to answer, and nobody else hears of it.
        """
        if self._up and not self._asked:
            self._asked = True
            self._client.unsubscribe("probe")
        return self._answers, self._welcomes

    def start(self, patience_s: float = PATIENCE_S) -> None:
        """Connect and subscribe; raises `BrokerUnreachableError` or `BrokerRefusedError`, and has then left nothing running."""
        host, port = self._address.host, self._address.port or self._address.ws_port or 0
        where = f"{host}:{port}"
        self._client.connect_timeout = min(self._client.connect_timeout, patience_s)
        try:  # for TLS paho waits as long as its keepalive
            keepalive_s = max(1, int(min(KEEPALIVE_S, patience_s)))
            self._client.connect(host, port, keepalive=keepalive_s)
        except (OSError, ValueError) as error:
            raise BrokerUnreachableError(f"no broker answers at {where} ({error})") from None
        self._client.loop_start()
        if not self._settled.wait(patience_s):
            self._shut()
            raise BrokerUnreachableError(f"the broker at {where} does not answer")
        if self._refused is not None:
            self._shut()
            raise BrokerRefusedError(f"the broker at {where} refuses {self._user}: {self._refused}")

    def stop(self, last: Outgoing | None = None) -> None:
        """Publish `last`, wait briefly for the broker to have it, and disconnect. The last will is not published then."""
        self._stopping = True
        if last is not None and self._up:
            info = self._client.publish(last.topic, last.payload, last.qos, last.retain)
            with contextlib.suppress(RuntimeError, ValueError):  # it was lost meanwhile: the last will says the same
                info.wait_for_publish(_GOODBYE_S)
        self._shut()

    def publish(self, message: Outgoing) -> None:
        """Publish a message now, or once the connection is up. Never blocks on the network."""
        with self._lock:
            if message.retain:
                self._retained[message.topic] = message
            if self._up:
                self._hand_over(message)
            elif not message.retain:
                self._waiting.append(message)
                if len(self._waiting) > MOST_WAITING:
                    self._drop(self._waiting.popleft())

    def under_way(self, topic: str) -> int:
        """Return how many messages that are not retained have gone out by a topic, and were not confirmed by the broker."""
        with self._lock:
            return len(self._unconfirmed(topic))

    def _make_client(self, credential: Credential, will: Outgoing | None) -> mqtt.Client:
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=credential.user,
            clean_session=True,
            protocol=MQTTProtocolVersion.MQTTv311,
            transport="tcp" if credential.address.port else "websockets",
        )
        client.username_pw_set(credential.user, credential.password)
        if credential.address.certificate is not None:
            client.tls_set_context(_trusting(credential.address.certificate))
        client.max_queued_messages_set(MOST_WAITING)
        client.reconnect_delay_set(min_delay=1, max_delay=_LONGEST_PAUSE_S)
        if will is not None:
            client.will_set(will.topic, will.payload, will.qos, will.retain)
        client.on_socket_open = _hurry
        client.on_connect = lambda client, _data, _flags, reason, _properties: self._connected(client, reason)
        client.on_subscribe = lambda _client, _data, _mid, reasons, _properties: self._subscribed(reasons)
        client.on_unsubscribe = lambda *_: self._answered()
        client.on_disconnect = lambda _client, _data, _flags, reason, _properties: self._disconnected(reason)
        client.on_message = lambda _client, _data, message: self._take(message.topic, bytes(message.payload))
        return client

    def _answered(self) -> None:
        self._asked, self._answers = False, self._answers + 1

    def _take(self, topic: str, payload: bytes) -> None:
        _log.debug("%s: %d bytes came by %s", self._user, len(payload), topic)
        self._on_message(topic, payload)

    def _shut(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()
        self._up = False
        with self._lock:  # whoever publishes wakes paho's thread by these sockets
            self._client._reset_sockets()  # paho leaves the two to the garbage collector

    def _connected(self, client: mqtt.Client, reason: ReasonCode) -> None:
        if reason.is_failure:
            self._give_up(str(reason).lower())
        else:
            self._asked, self._welcomes = False, self._welcomes + 1
            client.subscribe([(topic, qos) for topic, qos in self._reads])

    def _subscribed(self, reasons: Sequence[ReasonCode]) -> None:
        for (topic, _), reason in zip(self._reads, reasons, strict=False):
            if reason.is_failure:
                self._give_up(f"it may not read {topic}")
                return
        with self._lock:
            self._connects += 1
            self._up = True
            for message in (*self._retained.values(), *self._waiting):
                self._hand_over(message)
            self._waiting.clear()
        _log.info("%s: connected to %s", self._user, self._address.host)
        self._on_up()
        self._settled.set()

    def _disconnected(self, reason: ReasonCode) -> None:
        # no lock here: paho may hold its own, and a publisher takes ours first
        was_up, self._up = self._up, False
        if was_up and not self._stopping:
            _log.info("%s: the connection is lost: %s", self._user, reason)
            self._on_down(str(reason).lower())

    def _give_up(self, reason: str) -> None:
        """Stay away: the password was changed, or this user may not be here. Trying again would only repeat it."""
        self._refused = reason
        _log.info("%s: refused by the broker: %s", self._user, reason)
        first = not self._settled.is_set()
        self._settled.set()
        self._client.disconnect()
        if not first:
            self._on_down(f"refused: {reason}")

    def _hand_over(self, message: Outgoing) -> None:
        _log.debug("%s: %d bytes go by %s", self._user, len(message.payload), message.topic)
        info = self._client.publish(message.topic, message.payload, message.qos, message.retain)
        if info.rc == MQTTErrorCode.MQTT_ERR_QUEUE_SIZE:
            self._drop(message)
        elif info.rc == MQTTErrorCode.MQTT_ERR_SUCCESS and message.qos and not message.retain:
            self._unconfirmed(message.topic).append(info)

    def _unconfirmed(self, topic: str) -> deque[mqtt.MQTTMessageInfo]:
        sent = self._under_way[topic]
        while sent and sent[0].is_published():
            sent.popleft()
        return sent

    def _drop(self, message: Outgoing) -> None:
        self._dropped += 1
        if not self._dropped & (self._dropped - 1):
            _log.warning("%s: dropped for want of room, number %d, by %s", self._user, self._dropped, message.topic)


def _trusting(certificate: str) -> ssl.SSLContext:
    """Return what takes this one certificate and no other, under whatever name it was reached."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # also one that was signed by somebody else
    try:
        context.load_verify_locations(cadata=certificate)
    except (ssl.SSLError, ValueError):
        raise CredentialError("the broker's certificate cannot be read") from None
    return context


def _hurry(_client: mqtt.Client, _data: object, sock: Any) -> None:
    # a client that publishes and subscribes on one socket else waits for the peer's delayed ACK: 44 ms a message, measured
    with socket.socket(fileno=os.dup(sock.fileno())) as same:  # whatever paho has wrapped it in
        same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


# What all links have in common: figures, the count of faults, how a topic's row becomes a message.


@dataclass(frozen=True, slots=True)
class LinkFigures:
    """How a link fares."""

    connection: ConnectionFigures
    faults: int
    """What the other side sent and could not be used."""
    repeats: int = 0
    """Sealed messages that came a second time and were dropped: MQTT does that, and so does who says hello again."""
    unheard: int = 0
    """Letters for a handset that had not said hello."""


class FaultCounter:
    """Counts faults for each seat (in a hall: board) and kind. Reports the 1st, 2nd, 4th ...: a flood of them is none of reports.

    A repeat is no fault: it is counted apart and not reported.
    """

    def __init__(self) -> None:
        self.repeats = 0
        self._earlier = 0
        self._counts: dict[tuple[Seat | None, str, str], int] = {}

    @property
    def total(self) -> int:
        """Count all faults."""
        return self._earlier + sum(self._counts.values())

    def forget(self, seat: Seat) -> None:
        """Reset the counters of a seat for its next handset."""
        self._earlier += sum(count for (whose, *_), count in self._counts.items() if whose is seat)
        self._counts = {key: count for key, count in self._counts.items() if key[0] is not seat}

    def note(self, seat: Seat | None, error: PeerError, board: str = "") -> PeerFault | None:
        """Count a fault of a seat, or in a hall of a board; give it when it is to be reported."""
        if isinstance(error, ReplayError):
            self.repeats += 1
            return None
        what = type(error).__name__
        count = self._counts[seat, board, what] = self._counts.get((seat, board, what), 0) + 1
        if count & (count - 1):
            return None
        _log.warning("%s: %s, number %d", seat.value if seat else board or "no seat", what, count)
        return PeerFault(seat, what, f"{board}: {error}" if board else str(error), count)


class Rate:
    """Decides whether one more is in time: `BURST` at once, then `PER_S` a second. Time is passed in."""

    BURST = 200
    PER_S = 20.0

    def __init__(self) -> None:
        self._left = float(self.BURST)
        self._at_s: float | None = None

    def take(self, now_s: float, much: float = 1.0) -> bool:
        """Count one, or so much; False when it is too much, and then it does not count."""
        if self._at_s is not None:
            self._left = min(self.BURST, self._left + (now_s - self._at_s) * self.PER_S)
        self._at_s = now_s
        if self._left < much:
            return False
        self._left -= much
        return True


class Resends(Rate):
    """The same in bytes, of what goes to a seat because it asks for it again."""

    BURST = 1024 * 1024
    PER_S = 256 * 1024.0


T = TypeVar("T")


class Link(ABC, Generic[T]):
    """What links have in common: one connection whose messages are read one by one, and faults that are counted.

    `on_value` gets what a message means, on paho's own thread, and what befalls the connection.
    """

    def __init__(
        self,
        credential: Credential,
        reads: Iterable[str],
        on_value: Callable[[T | LinkUp | LinkDown | PeerFault], None],
        *,
        seat: Seat | None = None,
        will: Outgoing | None = None,
    ) -> None:
        """`seat` is whose messages are read, if they are of one; `will` is what the broker publishes when the link is lost."""
        self._credential, self._on_value, self._seat = credential, on_value, seat
        self._faults = FaultCounter()
        self._connection = Connection(
            credential,
            [(text, 1) for text in reads],
            on_message=self._take,
            on_up=lambda: on_value(LinkUp()),
            on_down=self._lost,
            will=will,
        )

    def start(self, patience_s: float = PATIENCE_S) -> None:
        """Connect; raises a `BrokerError`."""
        self._connection.start(patience_s)

    def stop(self) -> None:
        """Disconnect."""
        self._connection.stop()

    def figures(self) -> LinkFigures:
        """Return how this link fares."""
        return LinkFigures(self._connection.figures(), self._faults.total, self._faults.repeats)

    @abstractmethod
    def _read(self, text: str, payload: bytes) -> T | None:
        """Return what a message means, None for one that means nothing here. Raises a `PeerError`."""

    def _fault(self, text: str, error: PeerError) -> PeerFault | None:
        """Count what came by an address and cannot be used; give it when it is to be reported."""
        return self._faults.note(self._seat, error)

    def _lost(self, reason: str) -> None:
        self._on_value(LinkDown(reason, refused=reason.startswith("refused")))

    def _take(self, text: str, payload: bytes) -> None:
        value: T | PeerFault | None
        try:
            value = self._read(text, payload)
        except PeerError as error:
            value = self._fault(text, error)
        if value is not None:
            self._on_value(value)


def own_keys(credential: Credential) -> KeyPair:
    """Return the own key pair of a credential; raises `CredentialError` when it has none."""
    if credential.own is None:
        raise CredentialError("this credential lacks the own key pair")
    return credential.own


def outgoing(topic: Topic, board: str, payload: bytes, seat: Seat | None = None) -> Outgoing:
    """Return a message for a topic, published as the table of topics says."""
    return Outgoing(topics.address(topic, board, seat), payload, topic.qos, topic.retain)
