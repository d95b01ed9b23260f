"""The station: the hall's link, tables, accounts, orders and rounds, behind one object for its web server."""

from __future__ import annotations

import contextlib
import hmac
import json
import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from referee.net.broker.hall_broker import HallBroker
from referee.net.credential import Credential
from referee.net.errors import FloodError, MessageTooLongError, PeerError
from referee.net.links.connection import Link, Outgoing, Rate, outgoing
from referee.net.sealing.signing import StationKey
from referee.net.topics import codec, payloads, topics
from referee.net.topics.topics import Topic
from referee.private_file import write_private
from referee.table.arbiter_commands import CorrectionError, SignEnd, check_words
from referee.table.chain import signed_end
from referee.table.commitments import STATION
from referee.table.views import PublicInfo, PublicView
from referee.tournament.event.event import EventId
from referee.tournament.hall.accounts import (
    HASH_PATIENCE_S,
    HASHES_AT_ONCE,
    Accounts,
    FirstChief,
    RefusedError,
    Role,
    Session,
    Sessions,
    Tries,
)
from referee.tournament.hall.office import Office
from referee.tournament.hall.rounds import Rounds
from referee.tournament.hall.tables import HallTables, Json, Spectators
from referee.tournament.store import Store, Stored, StoreError

_log = logging.getLogger(__name__)

_LOOK_S = 2.0
"""So often boards are held against the round, besides whenever one of them says something that matters."""


ANSWER_S = 20.0
MOST_KNOWN = 255
CHIEFS_ONLY = frozenset({"end-game", "adjourn", "assign"})
"""Type words of orders that an arbiter leaves to the chief."""


# ---- the link: what every board of the hall has published, and orders to them


class _BoardRate(Rate):
    """A board plays faster than a hand taps: simulated ones many plies a second."""

    BURST = 4000
    PER_S = 1000.0


class StationLink(Link[payloads.FromBoard]):
    """A station's link to the hall's broker. Hands `FromBoard` over on paho's own thread; safe to call from any thread."""

    def __init__(
        self,
        credential: Credential,
        key: StationKey,
        *,
        on_value: Callable[[payloads.StationIncoming], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(credential, topics.hall_reads(), on_value)
        self._key = key
        self._clock = clock
        self._rates: dict[str, _BoardRate] = {}
        """What comes from each board: one that floods the hall costs the others nothing."""

    @property
    def up(self) -> bool:
        """Return whether the broker is connected."""
        return self._connection.up

    def order(self, order: payloads.ArbiterOrder) -> bool:
        """Sign an order and send it to its board. Returns False, with nothing sent, while the broker is away: no order
        arrives late.
        """
        if not self._connection.up:
            return False
        payload = codec.encode_public(self._key.sign(order))
        self._connection.publish(outgoing(Topic.ARBITER_COMMAND, order.board, payload))
        return True

    def publish(self, event: str, name: str, payload: bytes) -> None:
        """Publish something of a tournament, retained, to `events/{event}/pub/{name}`."""
        start = f"{topics.ROOT}/events/{topics.checked_name(event)}/pub"
        self._connection.publish(Outgoing(f"{start}/{topics.checked_name(name)}", payload, 1, True))

    def _read(self, text: str, payload: bytes) -> payloads.FromBoard | None:
        parsed = topics.parse_of_hall(text)
        if parsed is None or parsed[1] not in codec.PUBLIC:
            return None
        board, topic, seat = parsed
        if not self._rates.setdefault(board, _BoardRate()).take(self._clock()):
            raise FloodError("too many messages in too short a time")
        value = codec.decode_of_board(board, topic, payload)
        return payloads.FromBoard(board, value, seat) if isinstance(value, payloads.OfBoard) else None

    def _fault(self, text: str, error: PeerError) -> payloads.PeerFault | None:
        board, *_ = topics.parse_of_hall(text) or ("",)
        return self._faults.note(None, error, board)


# ---- orders, and who is there


class Ordering:
    """Sends orders of arbiters to tables: each is sent once and waits for its answer. Safe for any thread.

    An answer that does not come says nothing about what became of the order: the table may have carried it out and lost its line. The
    arbiter is told so and looks at the table; nothing is sent again by itself.
    """

    def __init__(
        self, tables: HallTables, send: Callable[[payloads.ArbiterOrder], bool], patience_s: float = ANSWER_S
    ) -> None:
        self._tables, self._send, self._patience_s = tables, send, patience_s
        self._waiting: dict[str, Future[payloads.ArbiterAck]] = {}

    def answer(self, ack: payloads.ArbiterAck) -> None:
        """Take the answer to an order; one that nobody waits for is dropped."""
        waiting = self._waiting.pop(ack.re, None)
        if waiting is not None:
            waiting.set_result(ack)

    def order(self, who: Session, wanted: Mapping[str, Any]) -> payloads.ArbiterAck:
        """Send what an arbiter wants of a table (`act` of `board` and `game`) and wait for the answer.

        `act` has the order's type word and fields as `arb/cmd` has them. Raises `RefusedError`: `not-allowed`, `not-understood`,
        `no-such-table`, `no-referee`, `cut`, `no-broker`, `no-answer`.
        """
        given = wanted.get("act")
        if not isinstance(given, dict):
            raise RefusedError("not-understood")
        if not who.may_rule or (who.role is not Role.CHIEF and str(given.get("type")) in CHIEFS_ONLY):
            raise RefusedError("not-allowed", "only the chief arbiter may order that")
        try:
            act = msgspec.convert({**given, "id": secrets.token_hex(12), "by": who.name}, type=payloads.Act)
            check_words(act.id, act.reason, act.by)
        except msgspec.ValidationError as error:
            raise RefusedError("not-understood", str(error)) from None
        except CorrectionError as error:
            raise RefusedError(error.word, str(error)) from None
        return self.send(str(wanted.get("board", "")), str(wanted.get("game", "")), act)

    def send(self, board: str, game: str, act: payloads.Act) -> payloads.ArbiterAck:
        """Send an order and wait for its answer; raises `RefusedError` as `order` does."""
        table = self._tables.look(board)
        if table is None:
            raise RefusedError("no-such-table")
        if table.status is None or not table.status.up:
            raise RefusedError("no-referee")
        if table.cut_s is not None:
            raise RefusedError("cut")  # it would wait at the hall's broker and come late
        order = payloads.ArbiterOrder(board=board, session=table.status.session, game=game, act=act)
        answer = self._waiting[act.id] = Future[payloads.ArbiterAck]()
        try:
            if not self._send(order):
                raise RefusedError("no-broker")
            ack = answer.result(self._patience_s)
        except MessageTooLongError as error:
            raise RefusedError("not-understood", str(error)) from None
        except TimeoutError:
            raise RefusedError("no-answer") from None
        finally:
            self._waiting.pop(act.id, None)
        _log.info("%s by %s at table %s: %s", type(act).__name__, act.by, board, ack.word)
        return ack


@dataclass(frozen=True, slots=True)
class HallEvents:
    """A hall's store of events, and which of them is played; None: those that were chosen on the pages before.

    `begins`: tables begin once they are told who plays.
    """

    store: Store
    event: EventId | None = None
    begins: bool = False


class Station:
    """An open hall. `start` it once; `stop` ends it. Everything else is safe from any thread."""

    def __init__(
        self,
        broker: HallBroker,
        key: StationKey,
        boards: tuple[str, ...],
        accounts: Accounts,
        screen_key: str,
        played: HallEvents | None = None,
        delay_s: float | None = None,
        seen: Callable[[payloads.FromBoard], None] = lambda said: None,
        heard: Callable[[payloads.FromBoard], None] = lambda said: None,
        *,
        reached: str = "127.0.0.1",
        chosen: Path | None = None,
        first_code: str = "",
    ) -> None:
        """`delay_s`: spectators see boards so much later; None: there are none. `seen` is told what they are, `heard` all at once.

        `reached` is this machine's address for tables; `chosen` is the file that keeps which events are played.
        `first_code` makes the first chief.
        """
        self._heard = heard
        self._delayed = None if delay_s is None else Spectators(broker, boards, delay_s, seen)
        self.accounts, self.sessions, self.screen_key = accounts, Sessions(), screen_key
        self._tries = Tries()
        self.first_chief = FirstChief(accounts, first_code)
        self._known: tuple[str, ...] = ()
        """Addresses from which somebody has logged in."""
        self._hashing = threading.BoundedSemaphore(HASHES_AT_ONCE)
        self.tables = HallTables(boards)
        self._key = key
        self._signed: dict[str, tuple[str, str]] = {}
        """Start of the table and head of the chain that was signed last at each one."""
        self._broker = broker
        self.link = StationLink(broker.client(topics.Role.STATION), key, on_value=self._take)
        self.ordering = Ordering(self.tables, self.link.order)
        self._played, self._chosen = played, chosen
        self.event_changes = 0
        self._names: tuple[int, Json] = (-1, {})
        """How often something of the events has changed since this start."""
        self.events: Mapping[str, Rounds] = {}
        """Those that are played, by id."""
        self._take_up([played.event.value] if played is not None and played.event is not None else self._choice())
        self.office = Office(
            None if played is None else played.store,
            accounts,
            self.tables,
            broker,
            key.public,
            reached=reached,
            added=self._show_board,
            play=self._play,
            playing=lambda: tuple(self.events),
            changed=self._told_news,
        )
        self._ended = threading.Event()
        self._look_now = threading.Event()
        self._watch = threading.Thread(target=self._look_often, name="rounds", daemon=True)

    def start(self) -> None:
        """Connect; raises a `BrokerError`."""
        self.link.start()
        self._watch.start()
        if self._delayed is not None:
            self._delayed.start()

    def stop(self) -> None:
        """Let everybody go. The broker is the caller's."""
        if self._delayed is not None:
            self._delayed.stop()
        self._ended.set()
        self._look_now.set()
        self.tables.end()
        if self._watch.is_alive():
            self._watch.join(timeout=10)
        self.link.stop()

    # ---- who is there

    def log_in(self, wanted: Mapping[str, Any], address: str) -> str:
        """Return the secret of a new session: an account's, or with a key the room's screen's. Raises `RefusedError`."""
        if "key" in wanted:
            return self._show_screen(str(wanted["key"]), address)
        return self._log_in(str(wanted.get("name", "")), str(wanted.get("password", "")), address)

    def _log_in(self, name: str, password: str, address: str) -> str:
        # a name's lock is for strangers: who tries a name from everywhere must not keep its owner out of where he works;
        # with an account of his own nobody may try another's name there for ever, since that does not forget his guesses
        keys = (f"address {address}", f"{address} as {name}", *(() if address in self._known else (f"name {name}",)))
        if not self._hashing.acquire(timeout=HASH_PATIENCE_S):
            raise RefusedError("wait")
        try:
            if not self._tries.take(*keys):
                raise RefusedError("wait")
            mark = self.accounts.mark(name)
            role = self.accounts.check(name, password)
        finally:
            self._hashing.release()
        if role is None:
            raise RefusedError("wrong")
        self._tries.forget(*keys)
        return self._enter(name, role, mark, address)

    def make_chief(self, wanted: Mapping[str, Any], address: str) -> str:
        """Make the first chief, by the code; return the secret of his session. Raises `RefusedError`."""
        name = self.first_chief.make(wanted, address)
        return self._enter(name, Role.CHIEF, self.accounts.mark(name), address)

    def _enter(self, name: str, role: Role, mark: str, address: str) -> str:
        self._known = (*self._known[-MOST_KNOWN:], address) if address not in self._known else self._known
        _log.info("%s (%s) has logged in from %s", name, role.value, address)
        return self.sessions.begin(name, role, mark)

    def _show_screen(self, key: str, address: str) -> str:
        tried = f"screen {address}"
        if not self._tries.take(tried):
            raise RefusedError("wait")
        if not hmac.compare_digest(key.encode(), self.screen_key.encode()):
            raise RefusedError("wrong")
        self._tries.forget(tried)
        return self.sessions.begin("screen", Role.SCREEN, "")

    def find(self, secret: str) -> Session | None:
        """Return a session; it is over once the account is removed or changed."""
        session = self.sessions.find(secret)
        if session is None:
            return None
        if session.may_rule and self.accounts.mark(session.name) != session.mark:
            self.sessions.end(secret)
            return None
        return session

    def told_of(self, session: Session) -> Json:
        """Return what a page shows of the session; for arbiters also the key that opens the room's screen and the
        station's key.
        """
        told = {"name": session.name, "role": session.role.value}
        arbiters = {"screen_key": self.screen_key, "signs_with": self._key.public.text}
        return {**told, **arbiters} if session.may_rule else told

    # ---- what pages ask for

    @property
    def spectators(self) -> Spectators:
        """Return the spectators' delay service. Only where there is one."""
        assert self._delayed is not None
        return self._delayed

    def kept_events(self) -> list[Stored]:
        """Return the events that are played, as they are in the store now."""
        return [rounds.kept() for rounds in list(self.events.values())]

    @property
    def rounds(self) -> Rounds | None:
        """Return the first of the events that are played; None where there is none."""
        return next(iter(self.events.values()), None)

    def playing(self, event_id: str = "") -> Rounds:
        """Return an event that is played; without a name the first. Raises `RefusedError` where there is none."""
        found = self.events.get(event_id) if event_id else self.rounds
        if found is None:
            raise RefusedError("no-event")
        return found

    def named_events(self) -> list[Json]:
        """Return the events that are played, with their names."""
        return [{"id": name, "name": rounds.name} for name, rounds in self.events.items()]

    def event_names(self) -> Json:
        """Return the names of the events that are played by their ids, read once after each change: every message of a stream has them."""
        if self._names[0] != self.event_changes:
            self._names = (self.event_changes, {one["id"]: one["name"] for one in self.named_events()})
        return self._names[1]

    def _choice(self) -> list[str]:
        """Return which events were chosen before and are still kept."""
        if self._chosen is None or self._played is None:
            return []
        try:
            found = msgspec.json.decode(self._chosen.read_bytes(), type=list[str])
        except FileNotFoundError:
            return []
        except (OSError, msgspec.MsgspecError):
            _log.warning("%s cannot be read: no event is played until one is chosen", self._chosen)
            return []
        kept = {event_id.value for event_id in self._played.store.ids()}
        return [name for name in found if name in kept]

    def _play(self, wanted: Sequence[str]) -> None:
        """Play these events from now on, and after a restart too."""
        if self._chosen is not None:
            write_private(self._chosen, json.dumps(wanted) + "\n")
        self._take_up(wanted)
        self._told_news()
        self._look_now.set()

    def _take_up(self, wanted: Sequence[str]) -> None:
        """Play these events. One that was played already keeps what it knows of its tables."""
        before = self.events
        self.events = {name: before.get(name) or self._taken_up(name) for name in wanted}
        for name in before.keys() - self.events.keys():
            before[name].close()

    def _taken_up(self, name: str) -> Rounds:
        assert self._played is not None
        store, begins = self._played.store, self._played.begins
        tell, claimed, shared = partial(self._tell_all, name), partial(self._claimed, name), partial(self._shared, name)
        send = self.ordering.send
        return Rounds(
            store, EventId(name), self.tables, send, tell, starts_games=begins, claimed=claimed, shared=shared
        )

    def _shared(self, name: str, own: Collection[int]) -> bool:
        """Return whether an event with these tables as its own would play at those of another one."""
        others = [rounds.listed for other, rounds in self.events.items() if other != name]
        return any(set(own) & set(other) or (not own and not other) for other in others)

    def _claimed(self, name: str, own: Collection[int]) -> set[int]:
        """Return the tables of other events: of all that name theirs where this one names none, else of those before it.

        Where an act that was undone has left two that name none, the first has all that are left.
        """
        found: set[int] = set()
        is_before = True
        for other, rounds in self.events.items():
            if other == name:
                if own:
                    break
                is_before = False
            elif is_before and not own and not rounds.listed:
                return set(self.tables.boards)
            else:
                found.update(rounds.listed)
        return found

    def _show_board(self, board: str) -> None:
        if self._delayed is not None:
            self._delayed.add(board)

    # ---- what comes in

    def _take(self, value: payloads.StationIncoming) -> None:
        match value:
            case payloads.FromBoard(value=payloads.ArbiterAck() as ack):
                self.ordering.answer(ack)
            case payloads.FromBoard():
                self.tables.take(value)
                self._heard(value)
                if isinstance(value.value, payloads.Status | PublicInfo) or _is_over(value.value):
                    self._look_now.set()
            case payloads.PeerFault():
                pass  # counted by the link; a board that speaks nonsense is shown by what it says last

    def _look_often(self) -> None:
        while not self._ended.is_set():
            self._look_now.wait(_LOOK_S)
            self._look_now.clear()
            self._sign_ends()
            for rounds in self.events.values():
                if self._ended.is_set():
                    return
                with contextlib.suppress(StoreError):  # a database that is away comes back: it is looked at again
                    rounds.look()

    def _sign_ends(self) -> None:
        """Sign the end of each game that counts for an event, each head of its chain once."""
        for board in self.tables.boards.values():
            table = self.tables.look(board)
            view, status = (None, None) if table is None else (table.view, table.status)
            if table is None or view is None or status is None or not status.up or table.cut_s is not None:
                continue
            signed = signed_end(view, STATION)
            if (
                signed is None
                or STATION in view.signed
                or self._signed.get(board) == (status.session, view.chain)
                or status.game != view.game
            ):
                continue
            key, signature = self._key.countersign(signed)
            act = SignEnd(id=secrets.token_hex(12), reason="the end", by=STATION, key=key, signature=signature)
            order = payloads.ArbiterOrder(board=board, session=status.session, game=view.game, act=act)
            if self.link.order(order):
                self._signed[board] = (status.session, view.chain)

    def _tell_all(self, event: str, name: str, what: Json) -> None:
        self.link.publish(event, name, json.dumps(what, ensure_ascii=False).encode())
        self._told_news()

    def _told_news(self) -> None:
        self.event_changes += 1
        self.tables.nudge()


def _is_over(value: object) -> bool:
    return isinstance(value, PublicView) and value.result is not None


def screen_key_in(folder: Path) -> str:
    """Return the key of the room's screen from a folder; the first call draws it at random and writes it."""
    path = folder / "screen.key"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(12) + "\n")
    return path.read_text().strip()
