"""A hall at work: its broker, its station and its pages, until it is told to end."""

from __future__ import annotations

import logging
import os
import select
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from referee.net.broker.hall_broker import HallBroker, tables_in
from referee.net.broker.mosquitto import Tls
from referee.net.credential import own_address
from referee.net.errors import BrokerError, LinkError
from referee.net.sealing.signing import StationKey
from referee.runtime.typed_lines import TypedLines
from referee.tournament.event.event import EventId
from referee.tournament.hall.accounts import Accounts
from referee.tournament.hall.station import Station, screen_key_in
from referee.tournament.store import Store
from referee.web.station_server import StationServer

_log = logging.getLogger(__name__)

INTERRUPTED = 130


class RunningHall:
    """A hall that is open: broker, station and pages, ended by the stack that it was given."""

    def __init__(
        self,
        state: Path,
        stack: ExitStack,
        accounts: Accounts,
        *,
        web: tuple[str, int],
        tls: Tls | None,
        port: int | None,
        delay_s: float,
        boards: tuple[str, ...] | None,
        store: Store | None,
        event: EventId | None,
        begins: bool,
    ) -> None:
        """Open it. Raises `LinkError`, `WebAddressError`.

        `boards` are simulated ones, which have no broker of their own; None: those that have a pass. `port` is the broker's; None: the
        usual one, or for simulated boards a free one. `begins`: tables begin once they are told who plays.
        """
        self._ended = threading.Event()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)  # rings at the end
        stack.callback(os.close, self._bell)
        self._code = 0
        self._fault: LinkError | None = None
        host = web[0]
        folder = state / "broker"
        self.key = StationKey.load_or_create(state / "station.key")
        self.broker = HallBroker.start(
            folder,
            host=host,
            port=(1884 if port is None else port) if boards is None else (port or 0),
            is_open=boards is None and bool(tables_in(folder)),
            whole=boards or (),
            on_end=self._broker_ended,
        )
        stack.callback(self.broker.stop)
        self.station = Station(
            self.broker,
            self.key,
            tables_in(folder) if boards is None else boards,
            accounts,
            screen_key_in(state),
            store=store,
            event=event,
            starts_games=begins,
            delay_s=delay_s,
        )
        self.station.start()
        stack.callback(self.station.stop)
        shown = own_address() if host in ("0.0.0.0", "::") else host  # noqa: S104 # compared with
        self._pages = StationServer.start(*web, self.station, tls, shown=shown)
        stack.callback(self._pages.stop)
        self._url = f"http{'s' if tls is not None else ''}://{shown}:{self._pages.port}"
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._told_to_end)

    @property
    def addresses(self) -> Mapping[str, object]:
        """Return where the hall is: its pages, the screen's and the spectators' page, and the broker for tables."""
        address = self.broker.address
        return {
            "web": self._url,
            "screen": f"{self._url}/screen#{self.station.screen_key}",
            "live": f"{self._url}/live",
            "broker": f"{address.host}:{address.port}",
        }

    def wait(self, answer: Callable[[str], None]) -> int:
        """Wait until told to end; `answer` takes the lines that are typed meanwhile. Return the exit code. Raises `LinkError`."""
        typed = TypedLines()
        while not self._ended.is_set():
            waited = [self._bell] if typed.fd is None else [self._bell, typed.fd]
            if self._bell not in select.select(waited, [], [])[0]:
                for line in typed.read():
                    answer(line)
        if self._fault is not None:
            raise self._fault
        return self._code

    def status(self) -> Mapping[str, object]:
        """Give what waits at this station, and what was dropped where a limit was reached."""
        return {
            "delay": self.station.spectators.figures(),
            "link": asdict(self.station.link.figures()),
            "web": dict(self._pages.figures),
        }

    @property
    def over(self) -> bool:
        """Tell whether the hall was told to end."""
        return self._ended.is_set()

    def _told_to_end(self, number: int, _frame: object) -> None:
        self._code = INTERRUPTED if number == signal.SIGINT else 0
        self._end()

    def _end(self) -> None:
        self._ended.set()
        os.eventfd_write(self._bell, 1)

    def _broker_ended(self, error: BrokerError) -> None:
        """Start the broker again; everybody comes back by themselves. Called on the thread of the one that ended."""

        def again() -> None:
            try:
                self.broker.restart()
            except LinkError as failed:
                self._fault = failed
                self._end()

        if not self._ended.is_set():
            _log.warning("%s; it is started again", error)
            threading.Thread(target=again, daemon=True).start()
