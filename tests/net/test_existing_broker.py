"""A Mosquitto that somebody else started, set up with what `hallmarshal broker` prints."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.net.broker import access as broker_access
from referee.net.broker import mosquitto
from referee.net.broker.mosquitto import Listener, accepts, configuration, find_mosquitto, find_plugin, free_port
from referee.net.credential import Address, Credential, KeyPair
from referee.net.errors import BrokerControlError, BrokerRefusedError, BrokerStartError, BrokerUnreachableError
from referee.net.links.public_links import KioskLink
from referee.net.links.referee_link import RefereeLink
from referee.net.topics.payloads import LinkDown
from referee.net.topics.topics import Role
from referee.rules.values import Seat
from tests.demo.test_what_goes_wrong import wait_until
from tests.net.hall import Hall, Inbox
from tests.patience import PATIENCE_S
from tests.runtime.at_table import AtTable

BOARD = "test-board"


@contextmanager
def running(conf: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run Mosquitto as its owner would, until the end."""
    text = conf.read_text()
    if os.geteuid() == 0:
        conf.write_text("user root\n" + text)
    process = subprocess.Popen([find_mosquitto(), "-c", str(conf)], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: accepts("127.0.0.1", port))
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


@contextmanager
def set_up(folder: Path, state: Path, board: str = BOARD, shows_certificate: bool = False) -> Iterator[Address]:
    """Run a Mosquitto with what is printed for a table. Yields its address."""
    folder.mkdir()
    users, conf = folder / "users.json", folder / "mosquitto.conf"
    tls = mosquitto.own_certificate(folder, "hall") if shows_certificate else None
    port = free_port("127.0.0.1", 0)
    users.write_text(broker_access.printed_users(board, broker_access.load_or_create(state, board)))
    conf.write_text(broker_access.printed_configuration(board, find_plugin(), users, port, 0, tls))
    with running(conf, port):
        yield Address("127.0.0.1", port, None, tls.certificate.read_text() if tls else None)


@pytest.mark.process
def test_a_table_joins(tmp_path: Path) -> None:
    """Referee, kiosk and handsets come in, a second pairing throws the first handset off, and the broker outlives the table."""
    state = tmp_path / "state"
    with set_up(tmp_path / "broker", state) as address:
        access = broker_access.join(state, BOARD, address)
        hall = Hall(access)
        first = hall.pair(Seat.RED)
        _, inbox = hall.handset(first)
        hall.pair(Seat.RED)
        assert inbox.wait(LinkDown, lambda down: down.refused)
        kiosk = Credential.from_json(json.loads((state / "kiosk.json").read_text()))
        link = KioskLink(kiosk, on_value=Inbox())
        link.start()
        link.stop()
        hall.close()
        access.stop()
        again = broker_access.join(state, BOARD, address)
        referee = RefereeLink(again.credential(Role.REFEREE, KeyPair.create()), on_value=Inbox())
        referee.start()
        referee.stop()


def test_what_is_printed_holds_no_password(tmp_path: Path) -> None:
    """Roles and hashes; the passwords lie in the state directory, for the owner's eyes."""
    passwords = broker_access.load_or_create(tmp_path, BOARD)
    assert broker_access.load_or_create(tmp_path, BOARD) == passwords == broker_access.load(tmp_path, BOARD)
    assert (tmp_path / "passwords.json").stat().st_mode & 0o777 == 0o600
    users = broker_access.printed_users(BOARD, passwords)
    assert not any(password in users for password in passwords.values())
    roles = {role["rolename"]: role["acls"] for role in json.loads(users)["roles"]}
    assert set(roles) == {f"{BOARD}.{name}" for name in ("control", "referee", "kiosk", *(seat.value for seat in Seat))}
    control = {rule["topic"] for rule in roles[f"{BOARD}.control"]}
    assert control == {"$CONTROL/dynamic-security/v1", "$CONTROL/dynamic-security/v1/response"}


@pytest.mark.process
def test_brokers_that_were_not_set_up(tmp_path: Path) -> None:
    """No passwords, another table's, no broker, wrong users, no such roles: one clear line each."""
    state, nobody = tmp_path / "state", Address("127.0.0.1", free_port("127.0.0.1", 0))
    with pytest.raises(BrokerStartError, match="hallmarshal broker users"):
        broker_access.join(state, BOARD, nobody)
    broker_access.load_or_create(state, BOARD)
    with pytest.raises(BrokerStartError, match="not the users of table other"):
        broker_access.join(state, "other", nobody)
    with pytest.raises(BrokerUnreachableError, match="no broker answers"):
        broker_access.join(state, BOARD, nobody)
    other = tmp_path / "other"
    with (
        set_up(tmp_path / "broker", other, BOARD) as address,
        pytest.raises(BrokerRefusedError, match=r"test-board\.control"),
    ):
        broker_access.join(state, BOARD, address)
    (state / "passwords.json").write_text("nonsense")
    with pytest.raises(BrokerStartError, match="cannot be read"):
        broker_access.join(state, BOARD, nobody)


@pytest.mark.process
def test_a_broker_that_lost_a_role(tmp_path: Path) -> None:
    """Said by its name, before anybody is paired."""
    port = free_port("127.0.0.1", 0)
    users, conf = tmp_path / "users.json", tmp_path / "mosquitto.conf"
    document = json.loads(broker_access.printed_users(BOARD, broker_access.load_or_create(tmp_path, BOARD)))
    document["roles"] = [role for role in document["roles"] if role["rolename"] != f"{BOARD}.blue"]
    users.write_text(json.dumps(document))
    conf.write_text(configuration(find_plugin(), users, [Listener(port)]))
    address = Address("127.0.0.1", port)
    with running(conf, port), pytest.raises(BrokerControlError, match=r"getRole.*not found"):
        broker_access.join(tmp_path, BOARD, address)


@pytest.mark.process
def test_a_whole_table_joins_a_broker_that_runs(tmp_path: Path) -> None:
    """`hallmarshal table --broker` with what `hallmarshal broker` prints, and with TLS: seats are taken and the game begins."""
    state, file = tmp_path / "table", tmp_path / "table.toml"
    file.write_text(f"[broker]\ncertificate = '{tmp_path / 'broker' / 'certificate.pem'}'\n")
    with (
        set_up(tmp_path / "broker", state / "broker", "table", shows_certificate=True) as address,
        AtTable(tmp_path, "duel", "--broker", f"mqtts://127.0.0.1:{address.port}", "--config", str(file)) as table,
    ):
        assert table.ready["broker"] == f"mqtts://127.0.0.1:{address.port}"
        table.take_seats()
        table.play_on("move.read", game=1)
        assert table.table.end(signal.SIGTERM) == 0
