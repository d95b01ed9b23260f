"""What a table says when it is asked for its status: everything that can grow or wait, as a number beside the limits of the documents."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from referee.net.broker.access import BrokerAccess
from referee.net.links.referee_link import RefereeLink
from referee.net.pairing.lobby import Lobby
from referee.runtime.board_health import BoardWatch
from referee.runtime.game import TableGame
from referee.runtime.orders import ArbiterDesk
from referee.runtime.typed_lines import Orders
from referee.web.pair_server import PairServer


@dataclass(frozen=True, slots=True)
class TableParts:
    """The parts of a table that keep something besides its game."""

    link: RefereeLink
    broker: BrokerAccess
    web: PairServer
    lobby: Lobby
    hall: ArbiterDesk
    typed: Orders
    watch: BoardWatch

    def status_line(self, game: TableGame | None) -> str:
        """Give one line of JSON: what waits, what was dropped where a limit was reached, how the board is, how big the game has become.

        Of the board: what is wrong with it now, and how often it said what since the table was started.
        """
        health = self.watch.health if game is None else game.table.view().health
        status = {
            "link": {**asdict(self.link.figures()), **self.link.kept()},
            "broker": {"connections": self.broker.connections()},
            "web": dict(self.web.figures),
            "lobby": {"spent": self.lobby.spent},
            "hall": dict(self.hall.kept),
            "typed": {"cut": self.typed.typed.cut},
            "board": {"health": [each.value for each in health], "said": dict(self.watch.said)},
            "game": None if game is None else game.status(),
        }
        return json.dumps({"status": status})
