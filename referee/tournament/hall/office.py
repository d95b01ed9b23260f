"""What the chief sets up on the pages while the hall is open: events and which of them are played, accounts, passes of tables.

Passwords and passes go over https alone: on a plain line the whole room may listen.
"""

from __future__ import annotations

import logging
import re
import secrets
import threading
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import segno

from referee.net.broker.hall_broker import HallBroker
from referee.net.errors import LinkError
from referee.net.sealing.signing import OrderKey
from referee.table.arbiter_commands import STALE
from referee.tournament.event import acts
from referee.tournament.event import event as model
from referee.tournament.event.reports import entries_from_csv, event_from_trf, read_trf
from referee.tournament.hall.accounts import AccountError, Accounts, RefusedError, Role, Session
from referee.tournament.hall.lists import bad_file, is_trf, text_of
from referee.tournament.hall.tables import HallTables, Json, next_board
from referee.tournament.store import EventExistsError, Note, StaleError, Store, UnknownEventError

_log = logging.getLogger(__name__)

MOST_TABLES_AT_ONCE = 40
MOST_TABLES = 400
_SETTINGS = ("system", "rounds", "points", "bye_points", "tie_breaks", "tables", "accelerated", "draws", "team_boards")
_SECRET = frozenset({"account", "account-remove", "tables", "pass-anew"})
"""What needs https."""


class Office:
    """One for a station. Safe from any thread."""

    def __init__(
        self,
        store: Store | None,
        accounts: Accounts,
        tables: HallTables,
        broker: HallBroker,
        key: OrderKey,
        *,
        reached: str,
        added: Callable[[str], None],
        play: Callable[[Sequence[str]], None],
        playing: Callable[[], Sequence[str]],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`reached` is this machine's address for tables; `added` hears of a new board.

        `play` plays these events from now on; `playing` returns which are played; `changed` hears that one of them is not as it was.
        """
        self._store, self._accounts, self._tables = store, accounts, tables
        self._broker, self._key, self._reached, self._added = broker, key, reached, added
        self._play, self._playing, self._changed = play, playing, changed
        self._lock = threading.Lock()

    def told(self, secure: bool) -> Json:
        """Return what the page shows; without https nothing of accounts."""
        roles = self._accounts.names.items() if secure else ()
        return {
            "secure": secure,
            "accounts": [{"name": name, "role": role.value} for name, role in sorted(roles)],
            "tables": [
                {"number": number, "board": board, "up": table is not None and table.up}
                for number, board in self._tables.boards.items()
                for table in (self._tables.look(board),)
            ],
            "events": [] if self._store is None else list(map(self._event_told, self._store.ids())),
            "systems": [system.value for system in model.System],
            "tie_breaks": [tie_break.value for tie_break in model.TieBreak],
        }

    def _event_told(self, event_id: model.EventId) -> Json:
        assert self._store is not None
        event = self._store.load(event_id).event
        return {
            "id": event.id.value,
            "name": event.name,
            "system": event.system.value,
            "players": len(event.players),
            "round": len(event.rounds),
            "planned": event.rounds_planned,
            "plays": event.id.value in self._playing(),
            "tables": list(event.tables),
            "names": event.public_names and event.public_names.value,
        }

    def act(self, who: Session, name: str, given: Mapping[str, Any], secure: bool) -> Json:
        """Do one act; return what the page shows then, and with it what is shown this once. Raises `RefusedError`."""
        if who.role is not Role.CHIEF:
            raise RefusedError("not-allowed", "only the chief arbiter may do that")
        do = _ACTS.get(name)
        if do is None:
            raise RefusedError("not-understood")
        if name in _SECRET and not secure:
            raise RefusedError("not-secure", "this needs https")
        try:
            with self._lock:
                once = do(self, given, who.name) or {}
        except AccountError as error:
            raise RefusedError(error.word, str(error)) from None
        except LinkError as error:
            raise RefusedError("no-broker", str(error)) from None
        except StaleError:
            raise RefusedError(STALE) from None
        except UnknownEventError:
            raise RefusedError("no-event") from None
        except EventExistsError:
            raise RefusedError("event-exists") from None
        except model.TrfError as error:
            raise bad_file(error) from None
        except model.ActError as error:
            raise RefusedError(error.word, str(error), error.about) from None
        except model.EventError as error:
            raise RefusedError("bad-value", str(error)) from None
        except (KeyError, TypeError, ValueError, OverflowError):
            raise RefusedError("not-understood") from None
        _log.info("%s by %s", name, who.name)
        return {**self.told(secure), **once}

    # ---- accounts

    def _put_account(self, given: Mapping[str, Any], who: str) -> None:
        name, role, password = acts.text(given, "name"), Role(given["role"]), given.get("password", "")
        if role is Role.SCREEN or not isinstance(password, str):
            raise ValueError(role)
        if role is not Role.CHIEF:
            self._refuse_last_chief(name)
        if password:
            self._accounts.put(name, role, password)
        else:
            self._accounts.set_role(name, role)

    def _remove_account(self, given: Mapping[str, Any], who: str) -> None:
        name = acts.text(given, "name")
        self._refuse_last_chief(name)
        self._accounts.remove(name)

    def _refuse_last_chief(self, name: str) -> None:
        if [one for one, role in self._accounts.names.items() if role is Role.CHIEF] == [name]:
            raise RefusedError("last-chief")

    # ---- tables

    def _add_tables(self, given: Mapping[str, Any], who: str) -> Json:
        count = acts.whole(given, "count")
        if not 1 <= count <= MOST_TABLES_AT_ONCE or len(self._tables.boards) + count > MOST_TABLES:
            raise RefusedError("too-many-tables")
        made = []
        for _ in range(count):
            board = next_board(self._tables.boards.values())
            made.append(self._pass(board, anew=False))
            self._tables.add(board)
            self._added(board)
        self._broker.open()
        return {"passes": made}

    def _pass_anew(self, given: Mapping[str, Any], who: str) -> Json:
        board = acts.text(given, "board")
        if self._tables.look(board) is None:
            raise RefusedError("no-such-table")
        made = self._pass(board, anew=True)
        self._broker.open()
        return {"passes": [made]}

    def _pass(self, board: str, *, anew: bool) -> Json:
        text = self._broker.admit(board, self._key, self._reached, anew=anew).text
        code = segno.make(text, error="l", boost_error=False)
        return {"board": board, "text": text, "code": ["".join(map(str, map(int, row))) for row in code.matrix]}

    # ---- events

    def _new_event(self, given: Mapping[str, Any], who: str) -> Json:
        if self._store is None:
            raise RefusedError("no-store")
        name, text = acts.text(given, "name"), text_of(given)
        seed = secrets.randbelow(2**32)
        event_id = self._free_id(acts.text(given, "id", "") or name)
        if is_trf(text):
            made = event_from_trf(read_trf(text), event_id, seed)
        else:
            wanted = {key: given[key] for key in _SETTINGS if key in given}
            made = acts.enter_all(
                acts.new_event(event_id, {**wanted, "name": name, "seed": seed}), entries_from_csv(text)
            )
        self._store.create(made, Note(who))
        return {"made": made.id.value}

    def _name_players(self, given: Mapping[str, Any], who: str) -> None:
        """Note what an event's players are called in public."""
        if self._store is None:
            raise RefusedError("no-store")
        kept = self._store.load(model.EventId(acts.text(given, "event")))
        self._store.act(kept.event.id, kept.revision, "settings", {"public_names": given["names"]}, Note(who))
        self._changed()

    def _free_id(self, name: str) -> model.EventId:
        """Return an id made of a name, with a number where another event has it already."""
        assert self._store is not None
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        start = re.sub(r"[^a-z0-9]+", "-", plain)[:32].strip("-") or "event"
        taken = {one.value for one in self._store.ids()} | model.NO_IDS
        numbered = (f"{start}-{number}" for number in range(2, len(taken) + 3))
        return model.EventId(next(one for one in (start, *numbered) if one not in taken))

    def _choose(self, given: Mapping[str, Any], who: str) -> None:
        if self._store is None:
            raise RefusedError("no-store")
        if not isinstance(given["events"], list):
            raise TypeError("events")
        wanted = list(dict.fromkeys(map(str, given["events"])))
        if set(wanted) - {one.value for one in self._store.ids()}:
            raise RefusedError("no-event")
        tables = [self._store.load(model.EventId(name)).event.tables for name in wanted]
        named = [number for own in tables for number in own]
        if len(set(named)) < len(named) or tables.count(()) > 1:
            raise RefusedError("same-tables", "two events would play at the same tables")
        self._play(wanted)


_ACTS: Mapping[str, Callable[[Office, Mapping[str, Any], str], Json | None]] = {
    "account": Office._put_account,
    "account-remove": Office._remove_account,
    "tables": Office._add_tables,
    "pass-anew": Office._pass_anew,
    "event": Office._new_event,
    "play": Office._choose,
    "names": Office._name_players,
}
