"""A handset's link."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from referee.net.credential import Credential
from referee.net.errors import CredentialError, LinkFullError
from referee.net.links.connection import PATIENCE_S, Link, Outgoing, outgoing, own_keys
from referee.net.sealing.sealing import SESSION_BYTES, HandsetSeal
from referee.net.sealing.signing import countersigned
from referee.net.topics import codec, topics
from referee.net.topics.payloads import HandsetIncoming, OfTable, Presence, Status, ToSeat
from referee.net.topics.topics import Topic
from referee.table.chain import signed_end
from referee.table.heard_chain import HeardChain, Proof
from referee.table.messages import Accepted, Countersign, FromHandset, Hello, History, Missed, Rejected
from referee.table.views import PublicEvent, PublicInfo, PublicView

ANSWER_S = 5.0
"""After this long without an answer a message is said again."""
GOODBYE_S = 2.0
"""So long a handset that is stopped waits for the answers to what it has said."""
UNANSWERED_KEPT = 32
"""How many messages a handset may have sent without an answer."""
HandsetValue = Status | OfTable | ToSeat


class HandsetLink(Link[HandsetValue]):
    """A handset's link: its own seat's letters and what is public.

    It says hello by itself: when it has come or come back, when the referee has, when a game is announced, and when a message has
    no answer for `patience_s` (a broker that is flooded drops what it cannot keep). Every message is kept until it was answered,
    and repeated after each hello under the same id.
    """

    def __init__(
        self,
        credential: Credential,
        *,
        on_value: Callable[[HandsetIncoming], None],
        patience_s: float = ANSWER_S,
        signs: bool = False,
    ) -> None:
        """`signs`: it computes each game's chain by itself, asks for what it missed, and signs the end where the table's is the same."""
        if credential.seat is None or credential.peer is None:
            raise CredentialError("a handset needs a seat and the referee's key")
        board, seat = credential.board, credential.seat
        super().__init__(
            credential,
            topics.read_by(topics.Role.HANDSET, board, seat),
            on_value,
            seat=seat,
            will=outgoing(Topic.PRESENCE, board, codec.encode_public(Presence(False)), seat),
        )
        session = secrets.token_bytes(SESSION_BYTES)
        self._seal = HandsetSeal(own_keys(credential), credential.peer, credential.seat, session)
        self._signs = signs
        self._signed = ""
        """The head of the chain that was signed last."""
        self._chain = HeardChain("")
        self._view: PublicView | None = None
        """The newest of this game; None before there is one."""
        self._asked = ""
        """The id of the wish to hear what was missed of the chain that is not answered yet."""
        self._sign_prefix = f"sign-{session.hex()[:8]}-"
        self._hello_prefix = f"hello-{session.hex()[:8]}-"
        self._hellos = 0
        self._lock = threading.Condition()
        """Told of whatever came in."""
        self._stopping = False
        self._status: Status | None = None
        self._game: str | None = None
        self._drawn = ""
        """The session and the key that the referee has drawn for this game, as `pub/info` has them."""
        self._ply = 0
        self._heard = self._hears = 0
        """The last public event of this game under an earlier start of the referee, and under this one."""
        self._knows_start = False
        """Whether this connection has told which start of the referee is heard."""
        self._greeted = False
        self._unanswered: OrderedDict[str, FromHandset] = OrderedDict()
        self._patience_s = patience_s
        self._compared = False
        self._overdue: threading.Timer | None = None

    def start(self, patience_s: float = PATIENCE_S) -> None:
        """Connect and say in `presence` that the handset is here; raises a `BrokerError`."""
        self._connection.publish(self._presence(True))
        super().start(patience_s)

    @property
    def proof(self) -> Proof:
        """Return what is known here of the head of the chain that the table shows."""
        with self._lock:
            return self._chain.proof

    @property
    def signing_key(self) -> str:
        """Return the key with which this handset signs."""
        keys = self._credential.own
        return "" if keys is None else countersigned(bytes(keys.nacl()), b"")[0]

    def confirm_digits(self) -> None:
        """Publish in `presence`, now and after each reconnect, that the player has compared the six digits."""
        self._compared = True
        self._connection.publish(self._presence(True))

    def stop(self, patience_s: float = GOODBYE_S) -> None:
        """Wait for the answers to what was said, as long as the referee is there; publish in `presence` that the handset has gone."""
        with self._lock:
            self._lock.wait_for(lambda: not (self._unanswered and self._greeted), patience_s)
            self._stopping = True
            self._unanswered.clear()
            if self._overdue is not None:
                self._overdue.cancel()
        self._connection.stop(self._presence(False))

    def send(self, message: FromHandset) -> None:
        """Seal a message and send it, or keep it until the referee is there; do nothing once the link is stopped.

        Raises `LinkFullError` when `UNANSWERED_KEPT` messages already wait for their answer.
        """
        with self._lock:
            if self._stopping:
                return
            if len(self._unanswered) >= UNANSWERED_KEPT and message.id not in self._unanswered:
                raise LinkFullError("the referee has not answered for a while; wait for it")
            self._unanswered[message.id] = message
            if self._greeted and self._seal.ready:
                self._post(message)
            self._watch()

    def repeat(self) -> None:
        """Publish hello again, and every message that has no answer yet."""
        with self._lock:
            self._greeted = False
            self._greet()

    def _watch(self) -> None:
        if self._overdue is None and self._unanswered:
            self._overdue = threading.Timer(self._patience_s, self._ask_again)
            self._overdue.daemon = True
            self._overdue.start()

    def _ask_again(self) -> None:
        with self._lock:
            self._overdue = None
            if self._unanswered and self._connection.up:
                self.repeat()
            self._watch()

    def _greet(self) -> None:
        if self._greeted or self._game is None or self._status is None or not self._status.up:
            return
        session, _, drawn = self._drawn.partition(":")
        if session != self._status.session:
            return  # a referee that was started again has not yet told which keys it has drawn
        self._seal.draw(drawn)
        self._greeted = True
        self._hellos += 1
        hello = Hello(id=f"{self._hello_prefix}{self._hellos}", heard=self._heard)
        self._post(hello)
        if self._seal.ready:
            self._post_unanswered()

    def _post_unanswered(self) -> None:
        for message in self._unanswered.values():
            self._post(message)

    def _post(self, message: FromHandset) -> None:
        assert self._game is not None
        payload = self._seal.seal(message, self._game, self._ply)
        if payload is not None:
            self._connection.publish(outgoing(Topic.SEAT_OUT, self._credential.board, payload, self._seat))

    def _read(self, text: str, payload: bytes) -> HandsetValue | None:
        topic, _ = topics.parse(text, self._credential.board) or (None, None)
        with self._lock:
            self._lock.notify_all()  # they look when this is done
            if topic is Topic.SEAT_IN:
                return self._open(payload)
            if topic is None or topic not in codec.PUBLIC:
                return None
            value = codec.decode_public(topic, payload)
            match value:
                case Status():
                    self._follow(value)
                case PublicInfo():
                    if value.game != self._game:
                        self._game, self._ply = value.game, 0
                        self._heard = self._hears = 0
                        self._unanswered.clear()
                        self._chain, self._view, self._asked = HeardChain(value.game), None, ""
                    self._drawn, value = value.fresh, replace(value, fresh="")  # nobody else's
                    # also for a game we know: a referee that has just begun could not open a hello before it knew its game itself
                    self._greeted = False
                    self._greet()
                case PublicView():
                    self._ply = value.ply
                    self._hear(value.seq)
                    self._view = value
                    self._prove()
                case PublicEvent():
                    self._hear(value.seq)
                    if self._signs:
                        self._chain.take((value,))
                case _:
                    return None
            return value

    def _prove(self) -> None:
        """Hold the head that the table shows to the one computed here; ask for what is missing, and sign the end if they are the same."""
        view = self._view
        if not self._signs or view is None:
            return
        match self._chain.judge(view):
            case Proof.UNHEARD if not self._asked and len(self._unanswered) < UNANSWERED_KEPT:
                self._asked = f"{self._sign_prefix}{view.seq}-{self._chain.heard}"
                self.send(Missed(self._asked, self._chain.heard))
            case Proof.CHECKED:
                self._countersign(view)

    def _take_missed(self, events: tuple[PublicEvent, ...]) -> None:
        """Take what was missed; where nothing follows it is asked for again when the next view comes."""
        before, self._asked = self._chain.heard, ""
        self._chain.take(events)
        if self._chain.heard > before:
            self._prove()

    def _countersign(self, view: PublicView) -> None:
        """Sign the end of a game, each head of its chain once."""
        seat, keys = self._credential.seat, self._credential.own
        if seat is None or keys is None or view.chain == self._signed or seat.value in view.signed:
            return
        if (signed := signed_end(view, seat.value)) is not None and len(self._unanswered) < UNANSWERED_KEPT:
            self._signed = view.chain
            key, signature = countersigned(bytes(keys.nacl()), signed)
            self.send(Countersign(f"{self._sign_prefix}{view.seq}", key, signature))

    def _open(self, payload: bytes) -> ToSeat | None:
        if self._game is None:
            return None
        waited = not self._seal.ready
        opened = self._seal.open(payload, self._game)
        if waited and self._greeted:
            self._post_unanswered()
        if isinstance(opened.message, Accepted | Rejected | History):
            self._unanswered.pop(opened.message.re, None)
            if opened.message.re.startswith((self._sign_prefix, self._hello_prefix)):
                if opened.message.re == self._asked:
                    found = opened.message.events if isinstance(opened.message, History) else ()
                    self._take_missed(tuple(one.event for one in found))
                return None  # nobody asked for it
        return ToSeat(opened.message, opened.ply)  # type: ignore[arg-type]  # the seal opens letters of the referee only

    def _hear(self, seq: int) -> None:
        if self._knows_start:
            self._hears = max(self._hears, seq)

    def _follow(self, status: Status) -> None:
        started = self._status is None or status.session != self._status.session
        if started or not status.up:
            self._greeted = False
        if started and self._hears:
            self._heard, self._hears = self._hears, 0
        self._knows_start = status.up
        self._status = status
        self._seal.follow(bytes.fromhex(status.session))
        self._greet()

    def _lost(self, reason: str) -> None:
        self._greeted = False  # what the broker still had for us is gone; after the next status we say hello again
        self._knows_start = False
        super()._lost(reason)

    def _presence(self, here: bool) -> Outgoing:
        return outgoing(
            Topic.PRESENCE, self._credential.board, codec.encode_public(Presence(here, self._compared)), self._seat
        )
