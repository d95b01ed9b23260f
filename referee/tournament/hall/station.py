"""The station: the hall's broker, its link, tables, accounts and rounds in one hand, as the web server asks for them."""

from __future__ import annotations

import contextlib
import hmac
import json
import logging
import secrets
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from referee.net.broker.hall_broker import HallBroker
from referee.net.links.station_link import StationLink
from referee.net.sealing.signing import StationKey
from referee.net.topics.payloads import ArbiterAck, FromBoard, PeerFault, StationIncoming, Status
from referee.private_file import write_private
from referee.table.views import PublicInfo, PublicView
from referee.tournament.event.event import EventId
from referee.tournament.hall.accounts import HASH_PATIENCE_S, HASHES_AT_ONCE, Accounts, Role, Session, Sessions, Tries
from referee.tournament.hall.errors import RefusedError
from referee.tournament.hall.ordering import Ordering
from referee.tournament.hall.rounds import Rounds
from referee.tournament.hall.tables import HallTables, Json
from referee.tournament.store import Store, StoreError

_log = logging.getLogger(__name__)

_LOOK_S = 2.0
"""So often boards are held against the round, besides whenever one of them says something that matters."""


class Station:
    """An open hall. `start` it once; `stop` ends it. Everything else is safe from any thread."""

    def __init__(
        self,
        broker: HallBroker,
        key: StationKey,
        boards: tuple[str, ...],
        accounts: Accounts,
        screen_key: str,
        *,
        store: Store | None = None,
        event: EventId | None = None,
        starts_games: bool = False,
    ) -> None:
        self.accounts, self.sessions, self._screen_key = accounts, Sessions(), screen_key
        self._tries = Tries()
        self._hashing = threading.BoundedSemaphore(HASHES_AT_ONCE)
        self.tables = HallTables(boards)
        self._broker = broker
        self.link = StationLink(broker.station(), key, on_value=self._take)
        self.ordering = Ordering(self.tables, self.link.order)
        self.rounds: Rounds | None = None
        if store is not None and event is not None:
            self.rounds = Rounds(store, event, self.tables, self.ordering, self._tell_all, starts_games=starts_games)
        self._event = event
        self.event_changes = 0
        """How often something of the event has changed since this start."""
        self._ended = threading.Event()
        self._look_now = threading.Event()
        self._watch = threading.Thread(target=self._look_often, name="rounds", daemon=True)

    def start(self) -> None:
        """Connect; raises a `BrokerError`."""
        self.link.start()
        self._watch.start()

    def stop(self) -> None:
        """Let everybody go. The broker is the caller's."""
        self._ended.set()
        self._look_now.set()
        self.tables.end()
        if self._watch.is_alive():
            self._watch.join(timeout=10)
        self.link.stop()

    # ---- who is there

    def log_in(self, name: str, password: str, address: str) -> tuple[str, Session]:
        """Give a new session's secret, and the session. Raises `RefusedError`: `wait`, `wrong`."""
        keys = (f"name {name}", f"address {address}")
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
        _log.info("%s (%s) has logged in from %s", name, role.value, address)
        return self._begin(name, role, mark)

    def find(self, secret: str) -> Session | None:
        """Give who holds a session; it is over once the account is taken away or changed."""
        session = self.sessions.find(secret)
        if session is None or session.role is Role.SCREEN or self.accounts.mark(session.name) == session.mark:
            return session
        self.sessions.end(secret)
        return None

    def show_screen(self, key: str, address: str) -> tuple[str, Session]:
        """Give a session of the room's screen to who brings its key. Raises `RefusedError`: `wait`, `wrong`."""
        tried = f"screen {address}"
        if not self._tries.take(tried):
            raise RefusedError("wait")
        if not hmac.compare_digest(key.encode(), self._screen_key.encode()):
            raise RefusedError("wrong")
        self._tries.forget(tried)
        return self._begin("screen", Role.SCREEN)

    @property
    def screen_key(self) -> str:
        """Give the key of the room's screen."""
        return self._screen_key

    def _begin(self, name: str, role: Role, mark: str = "") -> tuple[str, Session]:
        secret = self.sessions.begin(name, role, mark)
        session = self.sessions.find(secret)
        assert session is not None
        return secret, session

    # ---- what pages ask for

    def table(self, board: str) -> Json:
        """Give all that is public of a table. Raises `RefusedError`."""
        found = self.tables.whole(board)
        if found is None:
            raise RefusedError("no-such-table")
        return found

    def order(self, who: Session, wanted: Mapping[str, Any]) -> Json:
        """Carry an arbiter's order to a table and give its answer. Raises `DeniedError` or `RefusedError`."""
        act = wanted.get("act")
        if not isinstance(act, dict):
            raise RefusedError("not-understood")
        ack = self.ordering.order(who, str(wanted.get("board", "")), str(wanted.get("game", "")), act)
        told: Json = msgspec.to_builtins(ack, str_keys=True)
        return told

    def event(self) -> Json:
        """Give the event. Raises `RefusedError` where none is played."""
        return self._rounds().event()

    def act(self, who: Session, name: str, wanted: Mapping[str, Any]) -> Json:
        """Do something with the event. Raises `DeniedError` or `RefusedError`."""
        revision = wanted.get("revision")
        if type(revision) is not int:
            raise RefusedError("not-understood")
        return self._rounds().act(who, name, revision, wanted)

    def exported(self, form: str) -> str:
        """Give the event's file. Raises `RefusedError` where none is played."""
        return self._rounds().exported(form)

    @property
    def connected(self) -> bool:
        """Tell whether the broker is reached."""
        return self.link.up

    def _rounds(self) -> Rounds:
        if self.rounds is None:
            raise RefusedError("no-event")
        return self.rounds

    # ---- what comes in

    def _take(self, value: StationIncoming) -> None:
        match value:
            case FromBoard(value=ArbiterAck() as ack):
                self.ordering.answer(ack)
            case FromBoard():
                self.tables.take(value)
                if isinstance(value.value, Status | PublicInfo) or _is_over(value.value):
                    self._look_now.set()
            case PeerFault():
                pass  # counted by the link; a board that speaks nonsense is shown by what it says last

    def _look_often(self) -> None:
        while not self._ended.is_set():
            self._look_now.wait(_LOOK_S)
            self._look_now.clear()
            if self.rounds is not None and not self._ended.is_set():
                with contextlib.suppress(StoreError):  # a database that is away comes back: it is looked at again
                    self.rounds.look()

    def _tell_all(self, name: str, what: Json) -> None:
        assert self._event is not None
        self.link.publish(self._event.value, name, json.dumps(what, ensure_ascii=False).encode())
        self.event_changes += 1
        self.tables.nudge()


def _is_over(value: object) -> bool:
    return isinstance(value, PublicView) and value.result is not None


def screen_key_in(folder: Path) -> str:
    """Give the key of the room's screen, kept in a folder; the first call draws it."""
    path = folder / "screen.key"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(12) + "\n")
    return path.read_text().strip()
