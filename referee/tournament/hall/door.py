"""The station as its web server asks for it: sessions, tables, orders and acts, with every refusal as a status and a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from referee.tournament.hall.accounts import Role, Session
from referee.tournament.hall.errors import DeniedError, RefusedError
from referee.tournament.hall.station import Station
from referee.tournament.hall.tables import Json, Spectators
from referee.tournament.store import StoreError
from referee.web.station_server import NoError, Visitor

_STATUS = {
    "wait": HTTPStatus.TOO_MANY_REQUESTS,
    "wrong": HTTPStatus.FORBIDDEN,
    "no-such-table": HTTPStatus.NOT_FOUND,
    "no-event": HTTPStatus.NOT_FOUND,
    "no-referee": HTTPStatus.SERVICE_UNAVAILABLE,
    "cut": HTTPStatus.SERVICE_UNAVAILABLE,
    "no-broker": HTTPStatus.SERVICE_UNAVAILABLE,
    "no-answer": HTTPStatus.GATEWAY_TIMEOUT,
    "not-understood": HTTPStatus.BAD_REQUEST,
}


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who is logged in."""

    session: Session
    screen_key: str

    @property
    def name(self) -> str:
        """Give the account's name."""
        return self.session.name

    @property
    def may_rule(self) -> bool:
        """Tell whether it is an arbiter."""
        return self.session.role is not Role.SCREEN

    def as_told(self) -> Json:
        """Give what the page is told of itself; arbiters also where the room's screen is opened."""
        told = {"name": self.session.name, "role": self.session.role.value}
        return {**told, "screen_key": self.screen_key} if self.may_rule else told


class Door:
    """What the web server holds in its hand (`referee.web.station_server.Hall`)."""

    def __init__(self, station: Station, spectators: Spectators) -> None:
        self._station, self._spectators = station, spectators

    def log_in(self, wanted: Mapping[str, Any], address: str) -> str:
        """Give the secret of a new session: an account's, or with a key the screen's."""
        try:
            if "key" in wanted:
                return self._station.show_screen(str(wanted["key"]), address)[0]
            return self._station.log_in(str(wanted.get("name", "")), str(wanted.get("password", "")), address)[0]
        except RefusedError as error:
            raise _no(error) from None

    def find(self, secret: str) -> Guest | None:
        """Give who holds a session."""
        session = self._station.find(secret)
        return None if session is None else Guest(session, self._station.screen_key)

    def log_out(self, secret: str) -> None:
        """End a session."""
        self._station.sessions.end(secret)

    def changed(self, after: int, patience_s: float) -> tuple[int, list[Json]]:
        """Wait for changes."""
        return self._station.tables.wait(after, patience_s)

    def live(self, after: int, patience_s: float) -> tuple[int, list[Json]]:
        """Wait for changes of what spectators see."""
        return self._spectators.wait(after, patience_s)

    @property
    def delay_s(self) -> float:
        """Give how much later spectators see a board."""
        return self._spectators.delay_s

    @property
    def ended(self) -> bool:
        """Tell whether the hall has closed."""
        return self._station.tables.ended

    @property
    def connected(self) -> bool:
        """Tell whether the station reaches its broker."""
        return self._station.connected

    @property
    def event_changes(self) -> int:
        """Count how often something of the event has changed."""
        return self._station.event_changes

    def get(self, what: str, name: str) -> Json | str:
        """Give a table, the event, or a file of it."""
        try:
            if what == "table":
                return self._station.table(name)
            return self._station.event() if what == "event" else self._station.exported(name)
        except RefusedError as error:
            raise _no(error) from None
        except StoreError as error:
            raise NoError(HTTPStatus.SERVICE_UNAVAILABLE, "no-store", str(error)) from None

    def post(self, who: Visitor, what: str, name: str, wanted: Mapping[str, Any]) -> Json:
        """Carry out an order or an act."""
        assert isinstance(who, Guest)
        try:
            if what == "order":
                return self._station.order(who.session, wanted)
            return self._station.act(who.session, name, wanted)
        except DeniedError as error:
            raise NoError(HTTPStatus.FORBIDDEN, "not-allowed", str(error)) from None
        except RefusedError as error:
            raise _no(error) from None
        except StoreError as error:
            raise NoError(HTTPStatus.SERVICE_UNAVAILABLE, "no-store", str(error)) from None


def _no(error: RefusedError) -> NoError:
    return NoError(_STATUS.get(error.word, HTTPStatus.CONFLICT), error.word, str(error), error.about)
