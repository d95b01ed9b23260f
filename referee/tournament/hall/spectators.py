"""What spectators see of the hall: every board as it was some minutes ago, read from the delayed copy and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from referee.net.broker.hall_broker import HallBroker
from referee.net.links.public_links import DelayLine, DelayLink, SpectatorLink
from referee.net.topics.payloads import FromBoard, StationIncoming
from referee.tournament.hall.tables import HallTables, Json

_SHOWN = ("board", "number", "names", "turn", "phase", "ply", "result", "clocks", "age_ms", "info", "view")


class Spectators:
    """The delay service and what its copy shows. `start` it once; `stop` ends it. Safe from any thread."""

    def __init__(self, broker: HallBroker, boards: Iterable[str], delay_s: float) -> None:
        self.delay_s = delay_s
        self._tables = HallTables(boards)
        self._copying = DelayLink(broker.delay(), DelayLine(delay_s))
        self._reading = SpectatorLink(broker.spectator(), on_value=self._take)

    def start(self) -> None:
        """Connect; raises a `BrokerError`."""
        self._reading.start()
        self._copying.start()

    def stop(self) -> None:
        """Let everybody go. What has not been shown yet is never shown."""
        self._tables.end()
        self._copying.stop()
        self._reading.stop()

    @property
    def waiting(self) -> int:
        """Count the messages that wait for their time."""
        return self._copying.waiting

    def figures(self) -> Json:
        """Give how many messages wait and how many were dropped because too many of their board did, and how the copying link fares."""
        return {"waiting": self._copying.waiting, "dropped": self._copying.dropped, **asdict(self._copying.figures())}

    def wait(self, after: int, patience_s: float) -> tuple[int, list[Json]]:
        """Give the number of the last change, and each board that has changed after `after`; nothing when none did in time."""
        change, changed = self._tables.wait(after, patience_s)
        wholes = (self._tables.whole(table["board"]) for table in changed)
        return change, [{key: whole[key] for key in _SHOWN} for whole in wholes if whole is not None]

    def _take(self, value: StationIncoming) -> None:
        if isinstance(value, FromBoard):
            self._tables.take(value)
