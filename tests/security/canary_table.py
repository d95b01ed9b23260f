"""A whole table that is watched from everywhere: an auditor who may read every topic, the disk, the programs, the process list."""

from __future__ import annotations

import http.client
import json
import os
import queue
import secrets
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from kiosk_ui.received_state import ReceivedState
from kiosk_ui.screen import screen_state
from kiosk_ui.touch_state import ScreenSettings, TouchState
from referee.net.broker import access as broker_access
from referee.net.broker import dynsec
from referee.net.broker.mosquitto import find_plugin, free_port
from referee.net.credential import Address, Credential
from referee.net.links.public_links import KioskLink
from referee.net.topics.codec import decode_public
from referee.net.topics.payloads import KioskWish, LinkUp
from referee.net.topics.topics import Role, Topic, parse
from referee.rules import load_rule_set
from referee.rules.values import Seat
from referee.simulated_players.player import BotAct, Fault, Say
from referee.table.messages import Consent
from tests.net.hall import Stranger
from tests.net.test_existing_broker import running
from tests.patience import PATIENCE_S
from tests.runtime import at_table
from tests.runtime.at_table import AtTable, Program
from tests.security.leaking import CANARIES, FAULT, FOLDER
from tests.security.logged import LINE, secrets_below
from tests.security.searching import files_below, rule_sheet, without_the_rule_sheet
from tests.security.watched_kiosk import told

_RULES = """\
base = "{base}"
name = "canaries"
source = "the tests"
army = {{ general = 1, colonel = 1, captain = 1, lieutenant = 1, sergeant = 1, {others} }}
"""
_OTHERS = {
    "duel": "miner = 1, scout = 2, bomb = 1, flag = 1",
    "stratego4": "marshal = 1, major = 5, scout = 6, spy = 1, cannon = 2",
}
_AUDITOR = "auditor"
PLANTED = {
    "PIN": "830417265594",
    "wrong PIN": "what-i-type-is-no-pin",
    "token": "aCanaryForATokenNobodyGave",
    "body": "a-canary-in-a-body-that-is-no-json",
    "path": "a-canary-in-a-path",
    "method": "ACANARYFORAMETHOD",
    "cookie": "a-canary-for-a-cookie",
}
"""Secrets that are typed, sent and configured, at the right door or at the wrong one."""
_KIOSK_TOPICS = (Topic.STATUS, Topic.INFO, Topic.STATE, Topic.EVENT, Topic.KIOSK_IN)


class CanaryTable(AtTable):
    """A table of house rules on a broker that was set up for it, with one user more, who hears everything."""

    def __init__(
        self, folder: Path, *more: str, board: str, base: str = "duel", fault: str = "crash", decided: str = ""
    ) -> None:
        """`fault` says what is wrong with the table (`tests.security.leaking`), `decided` whose moves are decided elsewhere."""
        super().__init__(folder, base, *more, board=board)
        self.folder = folder
        self._fault, self._decided = fault, decided
        self._outer = ExitStack()
        self.printed = b""
        self.letters: list[tuple[Seat, dict[str, Any]]] = []
        self.processes: dict[str, bytes] = {}
        self.kiosks: list[Program] = []
        self.drawn = b""
        self.hidden = set(CANARIES)
        self.gone: set[Seat] = set()
        """Who has given up: what its player still had to say comes too late, and is refused."""

    def __enter__(self) -> Self:
        self.folder.mkdir(exist_ok=True)
        rules = self.folder / "canaries.toml"
        rules.write_text(_RULES.format(base=self.rules.name, others=_OTHERS[self.rules.name]))
        config = self.folder / "table.toml"
        elsewhere = f'[moves]\ndecided = ["{self._decided}"]\n' if self._decided else ""
        config.write_text(f'pin = "{PLANTED["PIN"]}"\n{elsewhere}')
        self.rules = load_rule_set(rules)
        broker = self._outer.enter_context(self._broker())
        self._auditor = Credential(Role.ENGINEER, _AUDITOR, self._password, broker, "table")
        self.auditor = Stranger(self._auditor)
        self._outer.callback(self.auditor.stop)
        self.auditor.subscribe("#")
        self._more = (
            *self._more,
            "--broker",
            f"mqtt://127.0.0.1:{broker.port}",
            "--rules",
            str(rules),
            "--config",
            str(config),
        )
        super().__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._outer.close()

    def hallmarshal(self, name: str, *arguments: str) -> Program:
        """Start `hallmarshal`, logging all that it can; the kiosk such that it tells what it shows, the table with its fault."""
        arguments = ("--log-level", "debug", *arguments)
        if name == "kiosk":
            path = f"{self._voice()}:{os.environ['PATH']}"
            return self.program(name, "tests.security.watched_kiosk", *arguments, PATH=path)
        if name == "table":
            wrong = {FAULT: self._fault, FOLDER: str(self.folder)}
            return self.program(name, "tests.security.leaking", *arguments, **wrong)
        return super().hallmarshal(name, *arguments)

    def _voice(self) -> Path:
        """Install a silent voice that notes its arguments, its environment and every word. Returns its folder."""
        folder = self.folder / "voice"
        folder.mkdir(exist_ok=True)
        program = folder / "hallmarshal-voice"
        program.write_text('#!/bin/sh\n{ echo "$@"; env; cat; echo; } >> "${0%/*}/said"\necho > "${0%/*}/sentences"\n')
        program.chmod(0o755)
        os.mkfifo(folder / "sentences")
        self._sentences = os.open(folder / "sentences", os.O_RDWR)  # so that no voice waits for a reader
        self._outer.callback(os.close, self._sentences)
        return folder

    def wait_for_its_voice(self) -> None:
        """Wait until one more sentence has been said."""
        os.read(self._sentences, 1)

    def spoken(self) -> bytes:
        """Return what the kiosk's voice was told so far."""
        said = self.folder / "voice" / "said"
        return said.read_bytes() if said.exists() else b""

    def take(self) -> at_table.Heard:
        """Keep what is printed, and what each handset is told."""
        who, line = super().take()
        if line is not None:
            if "drawn" in line:
                self.drawn += json.dumps(line).encode() + b"\n"
            elif who in ("table", "kiosk"):
                self.printed += json.dumps(line).encode() + b"\n"
            for seat, handset in self.handsets.items():
                if handset.name == who and "letter" in line:
                    self.letters.append((seat, line["letter"]))
        return who, line

    def show_kiosk(self) -> None:
        """Start a kiosk that draws where nobody sees it, and says what it has drawn; return once it draws."""
        credential = self.folder / "table" / "broker" / "kiosk.json"
        options = ("--offscreen", "--size", "800x480", "--json", "--language", "en", "--spoken")
        self.kiosks.append(self.hallmarshal("kiosk", "kiosk", "--credential", str(credential), *options))
        self.next("kiosk", lambda line: line.get("contact") == "live")

    def play(self, plies: int) -> None:
        """Play a whole game, to its end by the rules.

        The players give up one after the other after so many plies, or before the last of the canaries could be shown to all. Once it
        is over somebody asks for a rematch, which breaks the table.
        """
        for seat in self.rules.seats:
            self.join(seat, self.ready["join"][seat.value])
        self.knock()
        staying = list(self.rules.seats)
        while True:
            who, line = self.take()
            assert line is not None, f"{who} ended: {self.table.complaint}"
            event = line.get(
                "event", line
            )  # whoever hears of it first: the players go on from what their handsets hear
            self.hidden -= set((event.get("captured") or {}).values())
            at_rest = event.get("kind") in ("move.read", "verdict")
            if at_rest and (event["ply"] >= plies or len(self.hidden) <= 2) and staying[1:]:
                self.gone.add(staying[0])
                self.handsets[staying.pop(0)].send({"type": "resign"})
            if who == "table" and line.get("kind") == "begin":
                self.look_at_processes()
            if who == "table" and line.get("kind") == "end":
                self.look_at_processes()
                self.handsets[staying[0]].send({"type": "ready"})
                return

    def knock(self) -> None:
        """Bring secrets to every door: the right and a wrong PIN, and to the web server what is no pairing."""
        url = urlsplit(self.ready["web"])
        pairing = json.dumps({"token": PLANTED["token"], "commitment": "A" * 43})
        for method, path, body in (
            ("POST", "/pair", pairing),
            ("POST", "/pair", PLANTED["body"]),
            ("GET", f"/{PLANTED['path']}?{PLANTED['path']}", ""),
            (PLANTED["method"], "/", ""),
        ):
            line = http.client.HTTPConnection(str(url.hostname), url.port, timeout=PATIENCE_S)
            line.request(method, path, body, {"Cookie": f"hallmarshal={PLANTED['cookie']}"})
            assert line.getresponse().status >= 400
            line.close()
        if self.kiosks:
            return  # it is there itself
        words: queue.SimpleQueue[str] = queue.SimpleQueue()
        document = json.loads((self.folder / "table" / "broker" / "kiosk.json").read_text())
        kiosk = KioskLink(Credential.from_json(document), on_value=lambda value: words.put(getattr(value, "text", "")))
        kiosk.start()
        kiosk.wish(KioskWish("pin", PLANTED["wrong PIN"]))
        kiosk.wish(KioskWish("pin", PLANTED["PIN"]))
        while words.get(timeout=PATIENCE_S) != "open":
            pass
        kiosk.stop()

    def logs(self) -> dict[str, list[str]]:
        """Return the log lines of each program, by its name; other output on stderr is left out."""
        programs = [self.table, *self.handsets.values(), *self.kiosks]
        return {each.name: [line for line in each.complaint if LINE.fullmatch(line)] for each in programs}

    def secrets(self) -> set[str]:
        """Return everything that no log may hold: every rank, what was planted, links, and the secrets in this table's
        files.
        """
        links = [word for url in self.ready["join"].values() for word in url.partition("#")[2].split("&")]
        kept = secrets_below(self.folder / "table", self.folder / "broker")
        return {*CANARIES, *PLANTED.values(), self._password, *links, *kept}

    def look_at_processes(self) -> None:
        """Note arguments and environment of every program of this table, the broker included."""
        mark = str(self.folder).encode()
        for entry in Path("/proc").glob("[0-9]*"):
            if entry.name == str(os.getpid()):
                continue
            try:
                told = (entry / "cmdline").read_bytes() + b"\n" + (entry / "environ").read_bytes()
            except OSError:
                continue
            if mark in told:
                self.processes[entry.name] = told

    def places(self) -> dict[str, dict[str, bytes]]:
        """Return everything that can be searched after the game, by the name of the kind of place."""
        programs = [self.table, self.board, *self.handsets.values(), *self.kiosks]
        complaints = "\n".join(line for program in programs for line in program.complaint).encode()
        sheet = rule_sheet(self.rules)
        heard = {
            f"{topic} {number}": without_the_rule_sheet(payload, sheet)
            for number, (topic, payload) in enumerate(self.auditor.got)
        }
        drawn = {"what a kiosk has drawn": {"texts": self.drawn}} if self.kiosks else {}
        if self.kiosks:
            drawn["every word that a kiosk says aloud, its voice's arguments and environment"] = {
                "voice": self.spoken()
            }
        return {
            "every payload that any role is given": heard,
            "the kiosk's view, after each of them": self.on_a_kiosk(),
            **drawn,
            "every file of the table: journal, keys, links, records": files_below(self.folder / "table"),
            "the broker's files and its log": files_below(self.folder / "broker"),
            "what the programs print": {"stdout": self.printed, "stderr": complaints},
            "arguments and environments of all programs": dict(self.processes),
        }

    def on_a_kiosk(self) -> dict[str, bytes]:
        """Return what a kiosk shows after each payload that it may read, in order."""
        received = ReceivedState().after(LinkUp())
        shown = {}
        for number, (address, payload) in enumerate(self.auditor.got):
            found = parse(address, "table")
            if payload and found is not None and found[0] in _KIOSK_TOPICS:
                received = received.after(decode_public(found[0], payload))  # type: ignore[arg-type]  # the kiosk's topics only
                shown[f"after {number}"] = json.dumps(
                    told(screen_state(received, TouchState(ScreenSettings("en"))))
                ).encode()
        return shown

    def payloads(self) -> list[bytes]:
        """Return every payload that the auditor received."""
        return [payload for _, payload in self.auditor.got]

    def _do(self, seat: Seat, handset: Program, deeds: Any) -> None:
        """Consent to nothing: a consented set-up is no secret."""

        def counts(deed: BotAct) -> bool:
            consents = isinstance(deed, Say) and isinstance(deed.message, Consent)
            return not consents and not (isinstance(deed, Fault) and seat in self.gone)

        super()._do(seat, handset, [deed for deed in deeds if counts(deed)])

    def _broker(self) -> Any:
        folder = self.folder / "broker"
        folder.mkdir()
        users, conf = folder / "users.json", folder / "mosquitto.conf"
        document = json.loads(
            broker_access.printed_users(
                "table", broker_access.load_or_create(self.folder / "table" / "broker", "table")
            )
        )
        self._password = secrets.token_hex(8)
        document["clients"].append(dynsec._user(_AUDITOR, self._password))
        kinds = ("subscribePattern", "publishClientReceive")
        rules = [{"acltype": kind, "topic": "#", "priority": 0, "allow": True} for kind in kinds]
        document["roles"].append({"rolename": _AUDITOR, "acls": rules})
        users.write_text(json.dumps(document))
        port = free_port("127.0.0.1", 0)
        text = broker_access.printed_configuration("table", find_plugin(), users, port, 0, None)
        conf.write_text(f"{text}log_dest file {folder / 'mosquitto.log'}\nlog_type all\n")
        return _at(running(conf, port), Address("127.0.0.1", port))


class _at:  # noqa: N801  # a context, used as one
    def __init__(self, context: Any, address: Address) -> None:
        self._context, self._address = context, address

    def __enter__(self) -> Address:
        process = self._context.__enter__()
        assert isinstance(process, subprocess.Popen)
        return self._address

    def __exit__(self, *error: Any) -> None:
        self._context.__exit__(*error)
