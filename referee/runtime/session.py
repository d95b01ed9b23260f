"""What is around the games of a real table: broker, web server, seats that are given away, kiosk, and lines that are typed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import signal
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from referee.door.front_door import listening
from referee.door.messages import Request, Response
from referee.library.pages import LibraryPages, Seats
from referee.library.shelf import Now, Shelf
from referee.net.broker.access import Grant, SeatPairing
from referee.net.credential import KeyPair, PublicKey
from referee.net.errors import BrokerError, CredentialError, LinkError
from referee.net.links.referee_link import RefereeLink
from referee.net.pairing.lobby import Lobby, Reception, join_url
from referee.net.topics.payloads import (
    KioskNote,
    KioskWish,
    LinkDown,
    PeerFault,
    RefereeIncoming,
    SeatPresence,
)
from referee.net.topics.topics import Role
from referee.private_file import write_private
from referee.rules.values import Seat
from referee.runtime.announcements import TableScreen
from referee.runtime.board_listening import TableBoard
from referee.runtime.boards import OpenBoard
from referee.runtime.child_processes import ChildError, keep_alive
from referee.runtime.computer_processes import ComputerProcesses, OpponentsWished
from referee.runtime.errors import BadInputError
from referee.runtime.game import Around, RunningTable
from referee.runtime.kiosk_games import KioskGames
from referee.runtime.kiosk_service import KioskDesk, start_kiosk
from referee.runtime.orders import open_desk
from referee.runtime.screen_board import open_browser
from referee.runtime.state_file import writing
from referee.runtime.state_folder import REFEREE_KEY
from referee.runtime.table_broker import Deaths, FormerPorts, TableBroker, hall_pass, open_broker, start_again
from referee.runtime.table_plan import TablePlan
from referee.runtime.typed_lines import TABLE_LINES, WORDS, Orders
from referee.table.inputs import Abort, Pause, Resume
from referee.web.files import library_files
from referee.web.pair_server import PairServer

_log = logging.getLogger(__name__)

INTERRUPTED = 130
_LOOK_S = 1.0
"""How often ports are looked at that somebody else has."""
_TOO_MUCH = {"FloodError": 1024, "ResendError": 64}
"""So many messages too many, or refused wishes to have letters sent again, cost a handset its seat. Fewer messages may be what an earlier
one of the seat had on its way.
"""


class TableSession:
    """Starts all parts, gives seats away, plays until told to end, stops all parts."""

    def __init__(self, plan: TablePlan, board: OpenBoard, screen: TableScreen) -> None:
        self._plan, self._board, self._screen = plan, board, screen
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[int] = self._loop.create_future()
        self._lobby = Lobby(plan.rules.seats)
        self._users = ThreadPoolExecutor(1)  # changes the broker's users one by one: the loop waits for no broker
        self._links: dict[Seat, str] = {}
        self._codes: dict[Seat, str] = {}
        self._renewal: asyncio.TimerHandle | None = None
        self._paired: set[Seat] = set()
        self._thrown_off: tuple[Seat, ...] = ()
        self._holders: Mapping[Seat, str] = {}
        """The public key of each seat's handset; one that is thrown off may ask whose the seat is, as soon as the broker refuses it."""
        self._kiosk_here = False
        self._deaths = Deaths()
        house = Path(plan.config.rules) if plan.config.rules.endswith(".toml") else None
        shut = plan.config.library == "off"
        self._shelf = None if shut else Shelf(plan.state, self._played_now, house=house)
        self._web = ""
        games = None if self._shelf is None else KioskGames(self._shelf, lambda: self._web, self._tell_kiosk)
        self._desk = KioskDesk(
            self._lobby.seats,
            self._tell_kiosk,
            self._order,
            playing=lambda: self._table.game is not None and not self._table.over,
            pin=plan.config.pin,
            library=None if games is None else games.take,
        )
        self._computers = ComputerProcesses(plan.state, plan.config.rules, self._invite_computer, screen.note)
        self._wished = OpponentsWished()
        """Against which level of the computer each seat's player wants to play, by his phone."""
        self._seating = asyncio.Lock()
        self._seatings: set[asyncio.Task[None]] = set()
        self._at_rest = TableBoard(board, screen.note, plan.language, self._desk.tell_sensors, self._break)

    async def run(self) -> int:
        """Return the exit code once told to end. Raises `LinkError`, `WebAddressError`, `BoardUnreachableError` and others."""
        async with AsyncExitStack() as stack:
            for sign, code in ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, 0)):
                self._loop.add_signal_handler(sign, self._end, code)
            self._loop.set_exception_handler(self._callback_failed)
            stack.callback(keep_alive(self._loop))
            self._start(stack)
            self._desk.offer(self._plan.options(), self._plan.choices())
            if self._plan.config.kiosk:
                credential = self._broker.credential(Role.KIOSK)
                beside = (
                    ("--size", "1024x600") if self._board.page else ()
                )  # the whole screen would hide the board's page
                kiosk = await start_kiosk(self._plan.config, self._plan.language, credential, stack, *beside)
                self._kiosk_here = True
                kiosk.ended.add_done_callback(self._kiosk_ended)
            stack.push_async_callback(self._computers.close)
            await self._seat_computers()
            self._typed = Orders(self._order)
            stack.callback(self._typed.close)
            return await self._ended

    def _start(self, stack: AsyncExitStack) -> None:
        config, state = self._plan.config, self._plan.state
        kept = self._plan.kept.now
        self._keys = _own_keys((config.keys or state) / REFEREE_KEY)
        back = self._coming_back()
        doors = self._listeners(stack)
        port = int(doors[0].getsockname()[1])
        broker = open_broker(config, state / "broker", port, lambda error: self._later(self._broker_ended, error), back)
        self._broker = broker.access
        stack.callback(self._broker.stop)
        back = self._known_to_broker(back)
        self._link = RefereeLink(
            self._broker.credential(Role.REFEREE, self._keys),
            on_value=lambda value: self._later(self._take, value),
            boot=kept.starts + 1,
        )
        self._holders = {seat: key.text for seat, key in back.items()}
        for seat, key in back.items():
            self._link.pair(seat, key)
            self._paired.add(seat)
        self._certificate = broker.address.certificate_fingerprint
        pairing = SeatPairing(broker.address, config.name, self._keys.public, broker.host)
        admit = self._users.submit
        self._reception = Reception(
            self._lobby,
            pairing,
            self._keys,
            lambda grant: admit(self._admit, grant).result(),
            lambda: self._holders,
        )
        self._table = self._running_table()
        hall = hall_pass(config)
        self._hall_desk = open_desk(None if hall is None else hall.key, self._table, self._link)
        self._link.start()  # from its first word the hall hears what the game counts for
        stack.callback(self._link.stop)
        server = self._server = self._open_pages(doors, broker)
        stack.callback(self._users.shutdown, wait=False, cancel_futures=True)
        stack.callback(server.stop)
        self._web = f"http://{broker.host}:{server.port}"
        stack.callback(self._leave_board)
        stack.callback(self._stop_renewal)
        self._keep(back, {"web": server.port, "broker": broker.access.address.port, "websocket": server.port})
        taken = (*(seat for seat in back if seat not in self._former.seats), *config.computers)
        free = tuple(seat for seat in self._lobby.seats if seat not in taken)
        for seat in free:
            self._offer(seat)
        self._keep_links()
        ways, join = self._ways(broker), {seat.value: url for seat, url in self._links.items()}
        self._screen.ready({**ways, "join": join, "state": str(state.absolute())})
        if config.browser and "play" in ways:
            open_browser(ways["play"])
        self._announce(free)
        self._tell_free(free)
        self._at_rest.listen()
        if self._plan.unfinished is not None:
            for seat in self._paired - self._links.keys():
                self._desk.tell(KioskNote("paired", "", seat))
            self._table.go_on(self._plan.unfinished)

    def _open_pages(self, doors: list[socket.socket], broker: TableBroker) -> PairServer:
        return PairServer.start(
            doors,
            self._give_seat,
            self._plan.rules,
            shown=broker.host,
            broker=broker.target,
            certificate=self._plan.config.https,
            board=self._board.page,
            library=self._library(),
        )

    def _library(self) -> Callable[[Request], Response] | None:
        """Return what answers for the games that the table keeps, None where nobody may see them."""
        if self._shelf is None:
            return None
        everybody = self._plan.config.library == "open"
        seats = None if everybody else Seats(self._keys, lambda: tuple(self._holders.values()))
        return LibraryPages(self._shelf, library_files()["/games"], seats).answer

    def _played_now(self) -> Now:
        """Return which game's end may still be taken back, and whether one is played. Called on threads of the door."""
        game, unfinished = self._table.game, self._plan.unfinished
        if game is None:
            return Now() if unfinished is None else Now(unfinished.keeping.folder.name, True)
        return Now(None if game.confirmed else game.journal_path.parent.name, not self._table.over)

    def _ways(self, broker: TableBroker) -> dict[str, str]:
        """Return where board, broker and pages are."""
        ways = {"board": self._plan.board_url, "broker": broker.url, "web": self._web}
        if self._plan.config.https[0]:
            ways["https"] = self._web.replace("http:", "https:")
        if self._board.page is not None:
            ways["screen"] = f"{self._web}/screen#{self._board.page.secret}"
            ways["play"] = self._with_phones(ways["screen"])
        return ways

    def _with_phones(self, screen: str) -> str:
        """Return the link of a board on a screen with phones beside it, for every seat that is free and played at the board."""
        ours = [url for seat, url in self._links.items() if seat not in self._plan.config.elsewhere]
        return "~".join((screen, *(url.partition("#")[2] for url in ours)))

    def _listeners(self, stack: AsyncExitStack) -> list[socket.socket]:
        """Return where the door listens: at the table's port, and where phones of earlier starts look for it."""
        config, kept = self._plan.config, self._plan.kept.now
        doors = [listening(*config.web)]
        stack.callback(doors[0].close)
        port = int(doors[0].getsockname()[1])
        self._former = FormerPorts(kept, self._held_before(), port)
        if former := self._former.listeners(config.web[0]):
            doors += former
            if kept.ports.get("web") != kept.ports.get("websocket") and not config.tls:
                # no link is offered: phones keep their seats
                terminals = _pair_again(self._former.seats, "terminals, if any,", "with `pair SEAT`")
                self._screen.note(f"phones come back at {self._former.text}, as an earlier version had it; {terminals}")
            self._former = FormerPorts(kept, (), port)
        return doors

    def _running_table(self) -> RunningTable:
        around = Around(
            self._board,
            self._at_rest.watch,
            self._link,
            self._screen,
            self._offer_again,
            lambda: self._paired == set(self._lobby.seats),
            self._break,
            self._game_begins,
            lambda seat: self._desk.tell(KioskNote("rematch", "", seat)),
            self._desk.forget_rematch,
        )
        return RunningTable(self._plan, around)

    def _keep(self, back: Iterable[Seat], ports: Mapping[str, int]) -> None:
        """Write down this start, and look for the ports at which phones look for the table, where somebody else has them."""
        kept = self._plan.kept.now
        phones = {seat: kept.ports_of(seat) for seat in back}
        starts, referee = kept.starts + 1, self._keys.public.text
        self._plan.kept.change(starts=starts, ports=ports, seats=self._holders, phones=phones, referee=referee)
        if lost := [seat for seat in self._former.seats if seat in phones]:
            self._screen.note(
                f"{self._former.text} cannot be had now; {_pair_again(lost)}, or come back once it is free"
            )
        if self._former.seats:
            self._loop.call_later(_LOOK_S, self._look_for_ports)

    def _coming_back(self) -> dict[Seat, PublicKey]:
        """Return the handsets that hold their seats from before the table was stopped: those of a game that goes on."""
        kept, back = self._plan.kept.now, self._held_before()
        if self._plan.unfinished is not None and not back:
            self._screen.note(
                f"{self._plan.state / 'table.json'}: no phones are in it; {_pair_again(self._lobby.seats)}"
            )
        if back and kept.referee not in ("", self._keys.public.text):
            self._screen.note(f"{self._plan.state / 'referee.key'}: not the key that phones know; {_pair_again(back)}")
            return {}
        return back

    def _held_before(self) -> dict[Seat, PublicKey]:
        """Return the handsets that held the seats of the game that goes on, whether or not they can come back; the computer pairs again."""
        seats = [seat for seat in self._lobby.seats if seat not in self._plan.config.computers]
        keys = {seat: self._plan.kept.now.key(seat) for seat in seats if self._plan.unfinished is not None}
        return {seat: key for seat, key in keys.items() if key is not None}

    def _known_to_broker(self, back: Mapping[Seat, PublicKey]) -> dict[Seat, PublicKey]:
        """Leave out the handsets whose users the broker has lost, and say so: their seats are offered again."""
        known = self._broker.known(back)
        if lost := [seat for seat in back if seat not in known]:
            self._screen.note(f"the broker has lost its list of phones; {_pair_again(lost)}")
        return {seat: key for seat, key in back.items() if seat in known}

    def _look_for_ports(self) -> None:
        """Listen again where phones of earlier starts look for the table, once those ports are free."""
        if not self._former.seats or self._ended.done():
            return
        if not (found := self._former.listeners(self._plan.config.web[0])):
            self._loop.call_later(_LOOK_S, self._look_for_ports)
            return
        self._server.door.listen_too(found)
        back = [seat for seat in self._former.seats if seat in self._paired]
        if back:  # the others come to hear that they are not known any more
            self._screen.note(f"the table listens at {self._former.text} again: phones come back there")
        for seat in set(self._former.seats) - set(back):
            self._former.forget(seat)
        for seat in back:
            self._reception.withdraw(seat)
            self._links.pop(seat, None)
            self._desk.tell(KioskNote("paired", "", seat))
            self._former.forget(seat)
        self._keep_links()

    # ---- seats

    def _invite(self, seat: Seat) -> str:
        """Return a new link to a seat."""
        invitation = self._reception.invite(seat, time.monotonic())
        self._codes[seat] = invitation.spelt_code
        return join_url(self._web, invitation, self._keys.public, self._certificate)

    def _invite_computer(self, seat: Seat) -> str:
        """Return a link for the computer, which nobody else is shown."""
        self._links.pop(seat, None)
        return self._invite(seat)

    async def _seat_computers(self) -> None:
        """Let the computer take the seats that were chosen for it, and offer those that it has no more."""
        async with self._seating:
            for seat in self._lobby.seats:
                if seat in self._table.plan.config.computers:
                    await self._computers.start(seat)
                elif seat in self._computers.seats:
                    await self._computers.stop(seat)
                    self._paired.discard(seat)
                    self._offer_again(seat)
                    self._tell_free(self._unpaired())

    def _unpaired(self) -> tuple[Seat, ...]:
        return tuple(each for each in self._lobby.seats if each not in self._paired)

    def _tell_free(self, seats: tuple[Seat, ...]) -> None:
        # the computer is on its way; and without a kiosk nobody has to touch anything for the game to begin
        others = tuple(seat for seat in seats if seat not in self._table.plan.config.computers)
        told = others or (None if seats or not self._kiosk_here else ())
        self._link.tell_free(told, self._plan.config.pin is not None or self._wished.spent)

    def _offer(self, seat: Seat) -> None:
        self._links[seat] = self._invite(seat)

    def _announce(self, seats: tuple[Seat, ...]) -> None:
        """Show these seats' new links, keep all that are worth something in a file, and renew them in time."""
        for seat in seats:
            self._screen.invited(seat, self._links[seat], self._codes[seat])
            self._desk.tell(KioskNote("join", self._links[seat], seat))
            self._desk.tell(KioskNote("code", self._codes[seat], seat))
        self._keep_links()
        self._stop_renewal()
        if ends := [each.ends_s for each in self._lobby.invitations if each.seat in self._links]:
            self._renewal = self._loop.call_later(max(0.0, min(ends) - time.monotonic()), self._renew)

    def _keep_links(self) -> None:
        links = {seat.value: url for seat, url in self._links.items()}
        path = self._plan.state / "join.json"
        with writing(path):
            write_private(path, json.dumps(links) + "\n")

    def _renew(self) -> None:
        now = time.monotonic()
        late = tuple(each.seat for each in self._lobby.invitations if each.seat in self._links and each.ends_s <= now)
        for seat in late:
            self._offer(seat)
        self._announce(late)
        if late and self._board.page is not None:
            self._screen.beside_board(self._with_phones(f"{self._web}/screen#{self._board.page.secret}"))

    def _stop_renewal(self) -> None:
        if self._renewal is not None:
            self._renewal.cancel()

    def _give_seat(self, sent: object, address: str) -> dict[str, Any]:
        """Answer one of the two requests of a pairing; called on threads of the web server."""
        return self._reception.answer(sent, time.monotonic(), address)

    def _admit(self, grant: Grant) -> None:
        before = self._holders
        self._holders = {**before, grant.seat: grant.handset_key.text}
        try:
            self._broker.admit(grant)
        except LinkError as error:
            self._holders = before
            self._later(self._screen.note, f"{grant.seat.value}: {error}; the seat is offered again")
            self._later(self._offer_again, grant.seat)
            raise
        self._link.pair(grant.seat, grant.handset_key)
        self._later(self._seat_given, grant)

    def _offer_again(self, seat: Seat) -> None:
        if seat in self._computers.seats:  # or it would take its seat back
            self._choose(*self._table.plan.player(seat, 0))
            return
        self._offer(seat)
        self._announce((seat,))

    def _seat_given(self, grant: Grant) -> None:
        seat = grant.seat
        again = seat in self._paired
        _log.info("%s is paired%s", seat.value, ", its earlier phone is thrown off" if again else "")
        self._paired.add(seat)
        address, kept = grant.credential.address, self._plan.kept.now
        phones = {**kept.phones, seat: {"broker": address.port, "websocket": address.ws_port or 0}}
        self._plan.kept.change(seats={**kept.seats, seat: grant.handset_key.text}, phones=phones)
        self._former.forget(seat)
        self._links.pop(seat, None)
        self._tell_thrown_off({*self._thrown_off} - {seat})
        self._tell_free(self._unpaired())
        digits = "" if seat in self._computers.seats else grant.digits  # a computer has no phone to compare them on
        self._screen.paired(seat, digits, again)
        self._desk.tell(KioskNote("paired-again" if again else "paired", digits, seat))
        self._announce(())
        if not self._kiosk_here:  # where there is one, players compare the digits on it and touch Start
            self._begin_first()

    # ---- games

    def _game_begins(self) -> None:
        self._at_rest.leave()
        self._desk.begun()

    def _begin_first(self) -> None:
        if self._table.game is None:
            self._table.begin()

    # ---- what comes in

    def _take(self, value: RefereeIncoming) -> None:
        match value:
            case KioskWish():
                self._desk.take(value)
            case PeerFault(what=what, count=count, seat=Seat() as seat) if count == _TOO_MUCH.get(what):
                self._users.submit(self._throw_off, seat)
            case LinkDown() if value.refused:
                self._break(ChildError(f"the broker refuses the referee: {value.reason}"))
            case LinkDown():
                _log.warning("the broker is lost: %s", value.reason)
                self._screen.note(f"the broker is lost ({value.reason}): clocks stand still until it is back")
            case _:
                if isinstance(value, SeatPresence) and value.compared:
                    self._desk.confirm_digits(value.seat)
                if isinstance(value, SeatPresence) and value.here:
                    self._take_opponent(value.seat, value.against)
                self._table.take(value)

    def _take_opponent(self, seat: Seat, level: int) -> None:
        """Let the computer take the seat of two that nobody has where the other one's player wants that, or no more; before any game.

        With a PIN, or after too many changes, it is chosen at the table, as `pub/status` says: phones then offer no choice, but say so.
        """
        if not self._wished.take(seat, level):
            return
        if self._wished.spent:
            self._tell_free(self._unpaired())
            self._screen.note("phones have changed the opponent too often: from now on who plays is chosen here")
        others = [other for other in self._lobby.seats if other is not seat]
        if len(others) > 1 or self._table.game is not None or self._plan.config.pin is not None:
            return
        (other,) = others
        if other not in self._paired or other in self._computers.seats:
            self._choose(*self._table.plan.player(other, level))

    def _throw_off(self, seat: Seat) -> None:
        """Keep out a handset that floods the table, until its seat is paired again; the link drops what is too much in any case."""
        said = "was thrown off"
        self._reception.throw_off(seat)
        try:
            self._broker.remove(seat)
        except LinkError as error:
            said = f"could not be thrown off: {error}"
        _log.warning("%s: its handset sent or asked for far too much and %s", seat.value, said)
        self._later(
            self._screen.note, f"{seat.value}: its handset sent or asked for far too much and {said}; pair it again"
        )
        self._later(self._tell_thrown_off, {*self._thrown_off, seat})

    def _tell_thrown_off(self, seats: set[Seat]) -> None:
        self._thrown_off = tuple(seat for seat in self._lobby.seats if seat in seats)
        self._link.tell_thrown_off(self._thrown_off)

    def _order(self, order: list[str]) -> None:
        """Do what was typed at the table, or touched on the kiosk (`set NAME VALUE` chooses an option for the next game)."""
        table, seats = self._table, {seat.value: seat for seat in self._lobby.seats}
        match order:
            case ["pair", seat] if seat in seats:
                self._offer_again(seats[seat])
            case ["pause"] if table.game is not None:
                table.game.shell.put_in(Pause())
            case ["resume"] if table.game is not None:
                self._desk.arbiter(False)
                table.game.shell.put_in(Resume())
            case ["start"]:
                self._begin_first()
            case ["rematch", seat] if table.over and seat in seats:
                table.agree_to_rematch(seats[seat])
            case ["set", name, value] if table.game is None or table.over or self._is_given_back(name, value):
                self._choose(name, value)
            case ["abort"] if table.game is not None:
                table.game.shell.put_in(Abort())
            case [word, *_] if word in WORDS and table.game is not None:
                table.game.order(order)
            case ["status"]:
                self._screen.note(self._status_line())
            case ["quit"]:
                self._end(0)
            case [_, *_]:
                self._screen.note(TABLE_LINES)

    def _status_line(self) -> str:
        """Return one line of JSON: all that can grow or wait, as a number beside the limits of the documents.

        That is what waits, what was dropped where a limit was reached, how big the game has become; and of the board what is wrong with it
        now, and how often it said what since the table was started.
        """
        game, watch = self._table.game, self._at_rest.watch
        health = watch.health if game is None else game.table.view().health
        status = {
            "link": {**asdict(self._link.figures()), **self._link.kept()},
            "broker": {"connections": self._broker.connections()},
            "web": dict(self._server.figures),
            "lobby": {"spent": self._lobby.spent},
            "hall": dict(self._hall_desk.kept),
            "typed": {"cut": self._typed.typed.cut},
            "board": {"health": [each.value for each in health], "said": dict(watch.said)},
            "game": None if game is None else game.status(),
        }
        return json.dumps({"status": status})

    def _choose(self, name: str, value: str) -> None:
        table, computers = self._table, self._table.plan.config.computers
        try:
            table.plan = table.plan.choosing(name, value)
        except BadInputError as error:
            self._screen.note(str(error))
        else:
            self._server.serve_rules(table.plan.rules)
            if computers.keys() != table.plan.config.computers.keys():
                self._take_players(computers.keys(), table.plan.config.computers.keys())
            self._seatings.add(seating := self._loop.create_task(self._seat_computers()))
            seating.add_done_callback(self._seated)
        self._desk.offer(table.plan.options(), table.plan.choices())

    def _take_players(self, before: Set[Seat], now: Set[Seat]) -> None:
        """Take it that the computer plays other seats now: also after a restart, where a game is on."""
        kept, left = self._plan.kept.now, before - now
        if left:
            self._table.forget_rematch()  # to which a computer agrees at once, that plays no more
        others = {seat: key for seat, key in kept.seats.items() if seat not in left}
        self._plan.kept.change(given=tuple({*kept.given, *left} - now), seats=others)
        if self._table.game is not None and not self._table.over:
            self._table.game.give(self._plan.kept.now.given)

    def _is_given_back(self, name: str, value: str) -> bool:
        """Return whether this gives the computer a seat again that it had when the game began."""
        table = self._table
        played = {} if table.game is None else table.game.computers
        return (name, value) in [table.plan.player(seat, level) for seat, level in played.items()]

    def _seated(self, seating: asyncio.Task[None]) -> None:
        self._seatings.discard(seating)
        if not seating.cancelled() and (error := seating.exception()) is not None:
            self._break(error)

    def _leave_board(self) -> None:
        self._at_rest.leave()
        self._table.close()

    def _later(self, act: object, *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the table has ended
            self._loop.call_soon_threadsafe(act, *arguments)  # type: ignore[arg-type]  # always one of our methods

    def _tell_kiosk(self, note: KioskNote) -> None:
        self._link.tell_kiosk(note)

    def _kiosk_ended(self, ended: asyncio.Future[None]) -> None:
        self._kiosk_here = False
        if not self._ended.done():
            self._begin_first()
        if (error := ended.exception()) is not None:
            self._screen.note(str(error))

    def _broker_ended(self, error: BrokerError) -> None:
        """Start the table's own broker again; everybody comes back to it by themselves. One that dies at once for good ends the table."""
        if self._ended.done() or not self._deaths.may_start_again(time.monotonic()):
            self._break(error)
            return
        self._screen.note(f"{error}; it is started again")
        self._loop.run_in_executor(None, start_again, self._broker, lambda error: self._later(self._break, error))

    def _callback_failed(self, _loop: asyncio.AbstractEventLoop, told: dict[str, Any]) -> None:
        """End the table: what was begun was not carried out, and asyncio's own report would show the text of the error."""
        if isinstance(error := told.get("exception"), Exception):
            self._break(error)

    def _break(self, error: BaseException) -> None:
        if not self._ended.done():
            self._at_rest.leave()
            self._ended.set_exception(error)

    def _end(self, code: int) -> None:
        if not self._ended.done():
            self._ended.set_result(code)


def _own_keys(path: Path) -> KeyPair:
    """Return the referee's keys, new ones where the file is gone or holds none; such a file is kept beside it as `referee.key-saved`.

    Raises `CredentialError` where the disk lets nothing be read or written.
    """
    try:
        return KeyPair.load_or_create(path)
    except CredentialError as error:
        if isinstance(error.__cause__, OSError):
            raise
    try:
        path.replace(path.with_name(f"{path.name}-saved"))
        return KeyPair.load_or_create(path)
    except OSError as error:
        raise CredentialError(
            f"{path}: no key can be read from this file, nor another written ({error.strerror})"
        ) from None


def _pair_again(seats: Iterable[Seat], which: str = "phones", how: str = "by the new links") -> str:
    return f"the {which} of {' and '.join(seat.value for seat in seats)} have to be paired again, {how}"
