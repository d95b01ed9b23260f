"""A table's place in a hall: whose orders it takes, who plays its next game, and what that counts for.

Without a pass a table belongs to no hall, and every order is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.journal.events import JournalRow
from referee.journal.journal import public_rows
from referee.net.broker.hall_broker import HallPass
from referee.net.errors import CredentialError
from referee.net.links.referee_link import RefereeLink
from referee.net.topics.payloads import HandSign, Occasion, Played, SignedOrder
from referee.private_file import write_private
from referee.rules import RuleSet
from referee.rules.values import Seat
from referee.runtime.arbiter_desk import ArbiterDesk
from referee.runtime.errors import BadInputError
from referee.runtime.event_loop import TableShell
from referee.runtime.game import TableGame
from referee.runtime.state_file import KeptFile
from referee.runtime.table_config import TableConfig
from referee.table.table import Table
from referee.table.views import GameEnd, PublicInfo


@dataclass(frozen=True, slots=True)
class TableDoors:
    """What an arbiter may have done at the table itself."""

    game: Callable[[], TableGame | None]
    offer: Callable[[Seat], None]
    """Offer a seat anew."""
    name: Callable[[Mapping[Seat, str]], None]
    """Say who plays the next game."""
    begin: Callable[[], str | None]
    """Begin the next game; gives a stable word where it cannot."""


class TableHall:
    """Takes the station's orders; kept across restarts is who was assigned, in the table's own file."""

    def __init__(
        self,
        config: TableConfig,
        seats: tuple[Seat, ...],
        link: RefereeLink,
        kept: KeptFile,
        rules: Callable[[], RuleSet],
        doors: TableDoors,
    ) -> None:
        self._seats, self._link, self._kept, self._rules, self._doors = seats, link, kept, rules, doors
        hall = hall_pass(config)
        key = None if hall is None else hall.key
        self._desk = ArbiterDesk(key, config.name, link.session, self._at_hand, self, link.acknowledge)
        if hall is not None and kept.now.names:
            doors.name(kept.now.names)
            link.tell_occasion(kept.now.occasion, kept.now.occasion_game, kept.now.played)

    def take(self, signed: SignedOrder) -> None:
        """Carry out an order, or refuse it; the station is answered."""
        self._desk.take(signed)

    @property
    def kept(self) -> Mapping[str, int]:
        """Count the orders that were taken, and the answers that are kept."""
        return self._desk.kept

    def begun(self, game: str) -> None:
        """Take it that a game is on: the one that players were assigned for, or one that counts for nothing."""
        now = self._kept.now
        if now.occasion is None:
            return
        if now.occasion_game in ("", game):
            self._kept.change(occasion_game=game)
            self._link.tell_occasion(now.occasion, game)
        elif now.played is None:  # how it ended is not known here any more
            self._kept.change(occasion=None, names={})
            self._link.tell_occasion(None, game)

    def left(self, info: PublicInfo, end: GameEnd | None) -> None:
        """Take it that players begin another game: what came of one that counted is told until somebody is assigned anew."""
        now = self._kept.now
        if now.occasion is not None and now.occasion_game == info.game and end is not None:
            played = Played(dict(info.names), end)
            self._kept.change(played=played, names={})
            self._link.tell_occasion(now.occasion, now.occasion_game, played)

    def pair_again(self, seat: Seat) -> str | None:
        """Offer a seat anew."""
        if seat not in self._seats:
            return "no-such-seat"
        self._doors.offer(seat)
        return None

    def assign(self, names: Mapping[Seat, str], occasion: Occasion | None) -> str | None:
        """Take the players of the next game."""
        if not set(names) <= set(self._seats):
            return "no-such-seat"
        self._kept.change(names=dict(names), occasion=occasion, occasion_game="", played=None)
        self._doors.name(names)
        self._link.tell_occasion(occasion, "")
        return None

    def begin(self) -> str | None:
        """Begin the next game."""
        return self._doors.begin()

    def _at_hand(self) -> _AtHand | None:
        game = self._doors.game()
        return None if game is None else _AtHand(game, self._rules())


@dataclass(frozen=True, slots=True)
class _AtHand:
    """The game that is on, as an arbiter's orders need it."""

    game: TableGame
    rules: RuleSet

    @property
    def table(self) -> Table:
        return self.game.table

    @property
    def shell(self) -> TableShell:
        return self.game.shell

    def rows(self) -> list[JournalRow]:
        return public_rows(self.game.journal_path)

    def hands(self) -> list[HandSign]:
        return list(self.game.shell.hands)


def hall_pass(config: TableConfig) -> HallPass | None:
    """Give the table's pass, None where it belongs to no hall. Raises `BadInputError`."""
    if config.hall is None:
        return None
    try:
        found = HallPass.read(config.hall)
    except CredentialError as error:
        raise BadInputError(str(error)) from None
    if found.board != config.name:
        raise BadInputError(f"{config.hall}: this pass is for table {found.board}, not {config.name}")
    return found


def bridge_lines(config: TableConfig, folder: Path) -> str:
    """Give the lines that join the table's own broker to the hall's; none without a pass. Raises `BadInputError`."""
    found = hall_pass(config)
    if found is None:
        return ""
    if found.certificate is None:
        return found.bridge()
    certificate = folder / "hall.pem"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(certificate, found.certificate)
    return found.bridge(certificate.absolute())
