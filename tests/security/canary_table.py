"""A whole table that is watched from everywhere: an auditor who may read every topic, the disk, the programs, the process list."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from referee.arbitration.messages import Consent
from referee.demo.player import Deed, Say
from referee.link import dynsec, existing
from referee.link.credential import Address, Credential
from referee.link.mosquitto import find_plugin
from referee.link.topics import Role
from referee.rules import load_rule_set
from referee.rules.values import Seat
from tests.link.hall import Stranger
from tests.link.test_existing_broker import free_port, running
from tests.security.searching import files_below, rule_sheet, without_the_rule_sheet
from tests.table.at_table import AtTable, Heard, Program

CANARIES = ("colonel", "captain", "lieutenant", "sergeant")
"""Words too long to come up by chance, in the army of these house rules; who was captured is public and no canary any more."""
_RULES = """\
base = "duel"
name = "canaries"
source = "the tests"
army = { colonel = 1, captain = 1, lieutenant = 2, sergeant = 2, miner = 1, scout = 1, bomb = 1, flag = 1 }
"""
_AUDITOR = "auditor"


class CanaryTable(AtTable):
    """A table of house rules on a broker that was set up for it, with one user more, who hears everything."""

    def __init__(self, folder: Path, *more: str, board: str, faults: dict[str, str] | None = None) -> None:
        """`faults` are put into the environment of a table that runs with faults (`tests.security.leaking`)."""
        super().__init__(folder, "duel", *more, board=board)
        self.folder = folder
        self._faults = faults
        self._outer = ExitStack()
        self.printed = b""
        self.letters: list[tuple[Seat, dict[str, Any]]] = []
        self.processes: dict[str, bytes] = {}
        self.kiosks: list[Program] = []

    def __enter__(self) -> Self:
        self.folder.mkdir(exist_ok=True)
        rules = self.folder / "canaries.toml"
        rules.write_text(_RULES)
        self.rules = load_rule_set(rules)
        broker = self._outer.enter_context(self._broker())
        self._auditor = Credential(Role.ENGINEER, _AUDITOR, self._password, broker, "table")
        self.auditor = Stranger(self._auditor)
        self._outer.callback(self.auditor.stop)
        self.auditor.subscribe("#")
        self._more = (*self._more, "--broker", f"mqtt://127.0.0.1:{broker.port}", "--rules", str(rules))
        super().__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        self._outer.close()

    def hallmarshal(self, name: str, *arguments: str) -> Program:
        """Start `hallmarshal`; the table with the faults that were asked for."""
        if name != "table" or self._faults is None:
            return super().hallmarshal(name, *arguments)
        return self.program(name, "tests.security.leaking", *arguments, **self._faults)

    def take(self) -> Heard:
        """Keep what is printed, and what each handset is told."""
        who, line = super().take()
        if line is not None:
            if who in ("table", "kiosk"):
                self.printed += json.dumps(line).encode() + b"\n"
            for seat, handset in self.handsets.items():
                if handset.name == who and "letter" in line:
                    self.letters.append((seat, line["letter"]))
        return who, line

    def show_kiosk(self) -> None:
        """Start a kiosk that draws where nobody sees it, and says what it has drawn; return once it draws."""
        credential = self.folder / "table" / "broker" / "kiosk.json"
        options = ("--offscreen", "--size", "800x480", "--json", "--language", "en")
        self.kiosks.append(self.hallmarshal("kiosk", "kiosk", "--credential", str(credential), *options))
        self.next("kiosk", lambda line: line.get("contact") == "live")

    def play(self, plies: int) -> None:
        """Play a whole game: to its end, or until red has had enough after so many plies."""
        for seat in (Seat.RED, Seat.BLUE):
            self.join(seat, self.ready["join"][seat.value])
        tired = False
        while True:
            who, line = self.take()
            if who != "table" or line is None:
                assert line is not None, f"{who} ended: {self.table.complaint}"
                continue
            if line.get("kind") == "move.read" and line["ply"] >= plies and not tired:
                tired = True
                self.look_at_processes()
                self.handsets[Seat.RED].send({"type": "resign"})
            if line.get("kind") == "end":
                self.look_at_processes()
                return

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
        """Give everything that can be searched once it is over, by the name of the kind of place."""
        programs = [self.table, self.board, *self.handsets.values(), *self.kiosks]
        complaints = "\n".join(line for program in programs for line in program.complaint).encode()
        sheet = rule_sheet(self.rules)
        heard = {
            f"{topic} {number}": without_the_rule_sheet(payload, sheet)
            for number, (topic, payload) in enumerate(self.auditor.got)
        }
        return {
            "every payload that any role is given": heard,
            "every file of the table: journal, keys, links, records": files_below(self.folder / "table"),
            "the broker's files and its log": files_below(self.folder / "broker"),
            "what the programs print": {"stdout": self.printed, "stderr": complaints},
            "arguments and environments of all programs": dict(self.processes),
        }

    def payloads(self) -> list[bytes]:
        """Give every payload that the auditor heard."""
        return [payload for _, payload in self.auditor.got]

    def _do(self, seat: Seat, handset: Program, deeds: Any) -> None:
        """Consent to nothing: a consented set-up is no secret."""
        kept: list[Deed] = [deed for deed in deeds if not (isinstance(deed, Say) and isinstance(deed.message, Consent))]
        super()._do(seat, handset, kept)

    def _broker(self) -> Any:
        folder = self.folder / "broker"
        folder.mkdir()
        users, conf = folder / "users.json", folder / "mosquitto.conf"
        document = json.loads(
            existing.printed_users("table", existing.load_or_create(self.folder / "table" / "broker", "table"))
        )
        self._password = secrets.token_hex(8)
        document["clients"].append(dynsec._user(_AUDITOR, self._password))
        kinds = ("subscribePattern", "publishClientReceive")
        rules = [{"acltype": kind, "topic": "#", "priority": 0, "allow": True} for kind in kinds]
        document["roles"].append({"rolename": _AUDITOR, "acls": rules})
        users.write_text(json.dumps(document))
        port, ws_port = free_port(), free_port()
        text = existing.printed_configuration("table", find_plugin(), users, port, ws_port, None)
        conf.write_text(f"{text}log_dest file {folder / 'mosquitto.log'}\nlog_type all\n")
        return _at(running(conf, port), Address("127.0.0.1", port, ws_port))


class _at:  # noqa: N801  # a context, used as one
    def __init__(self, context: Any, address: Address) -> None:
        self._context, self._address = context, address

    def __enter__(self) -> Address:
        process = self._context.__enter__()
        assert isinstance(process, subprocess.Popen)
        return self._address

    def __exit__(self, *error: Any) -> None:
        self._context.__exit__(*error)
