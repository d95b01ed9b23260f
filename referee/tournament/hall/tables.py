"""Every table of the hall as it is known now, and which of them have changed since somebody looked. Safe for any thread.

Whoever shows tables keeps the number of the last change that he knows and waits for later ones: a slow screen gets the newest state
of each table once, however much has happened meanwhile.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import msgspec

from referee.net.broker.hall_broker import HallBroker
from referee.net.links.public_links import DelayLine, DelayLink, SpectatorLink
from referee.net.topics.payloads import Alert, Alerts, ArbiterAck, Bridge, FromBoard, Presence, StationIncoming, Status
from referee.net.topics.topics import Role
from referee.rules.values import Seat
from referee.table.views import PublicEvent, PublicInfo, PublicView

EVENTS_KEPT = 120
Json = dict[str, Any]


@dataclass(slots=True)
class HallTable:
    """What is known of one board."""

    board: str
    number: int
    """The table's number in the hall, from 1."""
    status: Status | None = None
    info: PublicInfo | None = None
    view: PublicView | None = None
    view_s: float = 0.0
    """When the view came, by the station's clock."""
    alerts: tuple[Alert, ...] = ()
    since: dict[Alert, float] = field(default_factory=dict)
    """When each alert was first heard here."""
    here: dict[Seat, bool] = field(default_factory=dict)
    events: deque[PublicEvent] = field(default_factory=lambda: deque(maxlen=EVENTS_KEPT))
    cut_s: float | None = None
    """When the bridge to its broker was heard to be cut; what is known of the table is from before. None while it stands."""
    stuck: str | None = None
    """Why it does not play what its round wants of it; a stable word, whose sentence is `alert.<word>`."""
    changed: int = 0

    @property
    def up(self) -> bool:
        """Return whether its referee is connected."""
        return self.status is not None and self.status.up

    def summary(self, now_s: float) -> Json:
        """Return what the room's screen may show: players, turn, clocks, phase, alerts; no square and no piece."""
        view, info, status = self.view, self.info, self.status
        occasion = status.occasion if status is not None and status.played is None else None
        return {
            "board": self.board,
            "number": self.number,
            "up": self.up,
            "cut_ms": None if self.cut_s is None else int(1000 * (now_s - self.cut_s)),
            "stuck": self.stuck,
            "phase": view.phase.value if view else None,
            "turn": view.turn.value if view and view.turn else None,
            "ply": view.ply if view else 0,
            "names": _by_seat(info.names) if info else {},
            "teams": msgspec.to_builtins(info.teams) if info else [],
            "clocks": msgspec.to_builtins(view.clocks, str_keys=True) if view else {},
            "hall_clock": msgspec.to_builtins(view.hall_clock) if view and view.hall_clock else None,
            "age_ms": int(1000 * (now_s - self.view_s)) if view else 0,
            "here": _by_seat(self.here),
            "result": msgspec.to_builtins(view.result) if view and view.result else None,
            "occasion": msgspec.to_builtins(occasion) if occasion else None,
            "alerts": [
                {**msgspec.to_builtins(alert), "age_ms": int(1000 * (now_s - self.since.get(alert, now_s)))}
                for alert in self.alerts
            ],
        }

    def whole(self, now_s: float) -> Json:
        """Return what an arbiter's page shows of the table: everything that is public."""
        return {
            **self.summary(now_s),
            "status": msgspec.to_builtins(self.status) if self.status else None,
            "info": msgspec.to_builtins(self.info, str_keys=True) if self.info else None,
            "view": msgspec.to_builtins(self.view, str_keys=True) if self.view else None,
            "events": [msgspec.to_builtins(event, str_keys=True) for event in self.events],
        }


class HallTables:
    """All tables, by board."""

    def __init__(self, boards: Iterable[str], clock: Callable[[], float] = time.monotonic) -> None:
        """Number the tables of these boards: `t2` comes before `t10`."""
        self._clock = clock
        self._news = threading.Condition()
        numbered = enumerate(sorted(set(boards), key=_naturally), 1)
        self._tables = {board: HallTable(board, number, changed=number) for number, board in numbered}
        self._changes = len(self._tables)
        self._ended = False

    @property
    def boards(self) -> Mapping[int, str]:
        """Return the boards by table number."""
        with self._news:
            return {table.number: board for board, table in self._tables.items()}

    def add(self, board: str) -> None:
        """Add a table; its number is the next one. A board that is there already stays as it is."""
        with self._news:
            if board not in self._tables:
                self._tables[board] = table = HallTable(board, len(self._tables) + 1)
                self._note(table)
                self._news.notify_all()

    def take(self, said: FromBoard) -> None:
        """Take what a board has published; one that has no place in this hall is not listened to."""
        with self._news:
            table = self._tables.get(said.board)
            if table is None:
                return
            self._put(table, said)
            self._note(table)
            self._news.notify_all()

    def tell_stuck(self, words: Mapping[str, str], boards: Collection[str]) -> None:
        """Mark each of these boards with the reason why it does not play what its round wants; those without a word have none."""
        with self._news:
            for table in (self._tables[board] for board in boards if board in self._tables):
                if table.stuck != words.get(table.board):
                    table.stuck = words.get(table.board)
                    self._note(table)
            self._news.notify_all()

    def look(self, board: str) -> HallTable | None:
        """Return a table as it is now, None for an unknown board. Its values are replaced, never changed, except its
        lists.
        """
        with self._news:
            return self._tables.get(board)

    def whole(self, board: str) -> Json | None:
        """Return all that an arbiter's page shows of a table, None for an unknown board."""
        with self._news:
            table = self._tables.get(board)
            return None if table is None else {**table.whole(self._clock()), "change": table.changed}

    def wait(self, after: int, patience_s: float) -> tuple[int, list[Json]]:
        """Return the number of the last change and the tables changed after `after`; none when none did in `patience_s`
        seconds.
        """
        with self._news:
            self._await_news(after, patience_s)
            return self._changed(after)

    def has_news(self, after: int, patience_s: float) -> bool:
        """Wait as `wait` does. Returns whether a table has changed after `after`."""
        with self._news:
            self._await_news(after, patience_s)
            return self._changes > after

    def _await_news(self, after: int, patience_s: float) -> None:
        self._news.wait_for(lambda: self._changes > after or self._ended, patience_s)

    def await_end(self, board: str, game: str, patience_s: float) -> bool:
        """Wait until a game of a board is known to be over. Returns whether it is."""

        def over() -> bool:
            view = self._tables[board].view
            return view is not None and (view.game != game or view.result is not None)

        with self._news:
            return self._news.wait_for(over, patience_s)

    def nudge(self) -> None:
        """Wake everybody who waits, although no table has changed."""
        with self._news:
            self._changes += 1
            self._news.notify_all()

    def end(self) -> None:
        """Wake everybody who waits, for the last time."""
        with self._news:
            self._ended = True
            self._news.notify_all()

    @property
    def ended(self) -> bool:
        """Return whether the hall has closed."""
        return self._ended

    def _changed(self, after: int) -> tuple[int, list[Json]]:
        now_s = self._clock()
        found = [table.summary(now_s) for table in self._tables.values() if table.changed > after]
        return self._changes, sorted(found, key=lambda one: int(one["number"]))

    def _note(self, table: HallTable) -> None:
        self._changes += 1
        table.changed = self._changes

    def _put(self, table: HallTable, said: FromBoard) -> None:
        now_s = self._clock()
        match said.value:
            case Status() as status:
                if status.up or table.status is None:
                    table.status = status
                else:  # the last will knows nothing of the game that was played
                    old = table.status
                    table.status = replace(old, up=False, boot=status.boot, session=status.session)
            case PublicInfo() as info:
                if table.info is None or table.info.game != info.game:
                    table.events.clear()
                table.info = info
            case PublicView() as view:
                if table.view is None or table.view.game != view.game or view.seq >= table.view.seq:
                    table.view, table.view_s = view, now_s
            case PublicEvent() as event:
                if not table.events or (table.events[-1].game, table.events[-1].seq) != (event.game, event.seq):
                    table.events.append(event)
            case Presence() as presence if said.seat is not None:
                table.here = {**table.here, said.seat: presence.here}
            case Alerts() as alerts:
                table.since = {alert: table.since.get(alert, now_s) for alert in alerts.alerts}
                table.alerts = alerts.alerts
            case Bridge() as bridge:
                cut = bridge is Bridge.CUT
                table.cut_s = (table.cut_s or now_s) if cut else None
            case ArbiterAck():
                pass


def next_board(boards: Iterable[str]) -> str:
    """Return a name for one table more: that of the last one with the next number, so that its number in the hall is the last too."""
    last = max(boards, key=_naturally, default="table-0")
    name, number = re.fullmatch(r"(.*?)(\d*)", last).groups()  # type: ignore[union-attr]  # it fits everything
    return f"{name}{int(number) + 1}" if number else f"{name}-2"


def _naturally(board: str) -> list[tuple[int, str]]:
    """Return the sort key of people's order: numbers within names by their value, so `t2` before `t10`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", board)]


def _by_seat(values: Mapping[Seat, Any]) -> Json:
    return {seat.value: value for seat, value in values.items()}


# What spectators see of the hall: every board as it was some minutes ago, read from the delayed copy and nowhere else.


SHARED_S = 0.5
"""So long what one spectator is told is told to all who have heard the same: boards are large, and many watch."""
_SHOWN = ("board", "number", "names", "turn", "phase", "ply", "result", "clocks", "age_ms", "info", "view")


class Spectators:
    """The delay service and what its copy shows. `start` it once; `stop` ends it. Safe from any thread."""

    def __init__(
        self, broker: HallBroker, boards: Iterable[str], delay_s: float, seen: Callable[[FromBoard], None]
    ) -> None:
        """`seen` is told all that spectators are, on one thread."""
        self.delay_s = delay_s
        self._seen = seen
        self._tables = HallTables(boards)
        self._sharing = threading.Lock()
        self._shared: dict[tuple[int, Callable[[Json], Json]], tuple[float, tuple[int, str]]] = {}
        self._copying = DelayLink(broker.client(Role.DELAY), DelayLine(delay_s))
        self._reading = SpectatorLink(broker.client(Role.SPECTATOR), on_value=self._take)

    def add(self, board: str) -> None:
        """Show a table more."""
        self._tables.add(board)

    def start(self) -> None:
        """Connect; raises a `BrokerError`."""
        self._reading.start()
        self._copying.start()

    def stop(self) -> None:
        """End the service. What has not been shown yet is never shown."""
        self._tables.end()
        self._copying.stop()
        self._reading.stop()

    def figures(self) -> Json:
        """Return the numbers of messages waiting and dropped (too many of one board), and the figures of the copying
        link.
        """
        return {"waiting": self._copying.waiting, "dropped": self._copying.dropped, **asdict(self._copying.figures())}

    def wait(self, after: int, patience_s: float, named: Callable[[Json], Json]) -> tuple[int, str]:
        """Return the number of the last change, and as JSON each board that has changed after `after`, with its players as `named` calls
        them; none when none did in time.
        """
        if not self._tables.has_news(after, patience_s):
            return after, "[]"
        with self._sharing:
            now_s = time.monotonic()
            self._shared = {key: kept for key, kept in self._shared.items() if kept[0] > now_s - SHARED_S}
            if (after, named) not in self._shared:
                change, told = self.changed(after)
                self._shared[after, named] = (now_s, (change, json.dumps(list(map(named, told)), ensure_ascii=False)))
            return self._shared[after, named][1]

    def changed(self, after: int) -> tuple[int, list[Json]]:
        """Return the number of the last change, and each board that has changed after `after`."""
        change, changed = self._tables.wait(after, 0)
        wholes = (self._tables.whole(table["board"]) for table in changed)
        return change, [{key: whole[key] for key in _SHOWN} for whole in wholes if whole is not None]

    def _take(self, value: StationIncoming) -> None:
        if isinstance(value, FromBoard):
            self._tables.take(value)
            self._seen(value)
