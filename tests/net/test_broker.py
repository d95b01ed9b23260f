"""The referee's own Mosquitto: started, refused, ended, and never left behind."""

from __future__ import annotations

import itertools
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from referee.net.broker import exec_pdeathsig, mosquitto
from referee.net.broker.access import SeatPairing
from referee.net.broker.broker import Broker
from referee.net.broker.dynsec import command
from referee.net.broker.mosquitto import find_mosquitto, find_plugin
from referee.net.credential import Address, Credential, KeyPair
from referee.net.errors import (
    BrokerControlError,
    BrokerError,
    BrokerMissingError,
    BrokerPortError,
    BrokerRefusedError,
    BrokerStartError,
    BrokerUnreachableError,
    TopicError,
)
from referee.net.links.connection import Connection
from referee.net.links.public_links import KioskLink
from referee.net.links.referee_link import RefereeLink
from referee.net.topics.payloads import LinkDown, LinkUp, PeerFault, Status
from referee.net.topics.topics import Role
from referee.rules.values import Seat
from tests.net.hall import BOARD, Hall, Inbox, info
from tests.patience import PATIENCE_S


def gone(pid: int) -> bool:
    """Wait for the end of a process that is not our child; False when it does not come."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], PATIENCE_S)[0])
    finally:
        os.close(handle)


@pytest.mark.process
def test_it_listens_on_this_machine_alone_and_the_files_are_private(tmp_path: Path) -> None:
    """Also where the table serves the whole network; its folder and files are for their owner only; stopping ends it."""
    state = tmp_path / "broker"
    broker = Broker.start(state, BOARD, host="0.0.0.0")
    listeners = [line for line in (state / "mosquitto.conf").read_text().splitlines() if line.startswith("listener ")]
    assert listeners == [f"listener {broker.address.port} 127.0.0.1"]
    assert state.stat().st_mode & 0o777 == 0o700
    modes = {path.name: path.stat().st_mode & 0o777 for path in state.iterdir()}
    names = ("mosquitto.conf", "dynamic-security.json", "mosquitto.log", "kiosk.json")
    assert modes == dict.fromkeys(names, 0o600)
    pid = broker.pid
    assert broker.running
    broker.stop()
    assert not broker.running
    assert gone(pid)


@pytest.mark.process
def test_a_kiosk_comes_back_after_a_restart_of_the_broker(tmp_path: Path) -> None:
    """Its credential lies in a file of its own and holds at every start, at the same port."""
    broker = Broker.start(tmp_path, BOARD)
    kept = Credential.from_json(json.loads((tmp_path / "kiosk.json").read_text()))
    assert kept.address == broker.address
    inbox = Inbox()
    kiosk = KioskLink(kept, on_value=inbox)
    kiosk.start()
    broker.stop()
    inbox.wait(LinkDown, lambda down: not down.refused)
    mark = len(inbox.values)
    again = Broker.start(tmp_path, BOARD, port=broker.address.port)
    inbox.wait(LinkUp, after=mark)
    kiosk.stop()
    again.stop()
    (tmp_path / "kiosk.json").write_text("nonsense")
    other = Broker.start(tmp_path, BOARD)
    assert other.credential(Role.KIOSK).password != kept.password
    other.stop()


@pytest.mark.process
def test_strangers_who_hold_all_connections_do_not_keep_the_referee_out(tmp_path: Path) -> None:
    """With every place of the network's listener taken by clients that say nothing, the referee and its kiosk still come in."""
    broker = Broker.start(tmp_path, BOARD, tls=True)
    at = (broker.address.host, broker.address.port)
    with ExitStack() as stack:
        stack.callback(broker.stop)
        for _ in range(mosquitto.MOST_CONNECTIONS + 1):
            last = stack.enter_context(socket.create_connection(at, timeout=PATIENCE_S))
        last = stack.enter_context(socket.create_connection(at, timeout=PATIENCE_S))
        assert last.recv(1) == b""
        referee = RefereeLink(broker.credential(Role.REFEREE, KeyPair.create()), on_value=Inbox())
        referee.start()
        referee.stop()


@pytest.mark.process
def test_secrets_stand_in_no_argument_and_no_file(tmp_path: Path) -> None:
    """The passwords are in no process's arguments or environment and in no file of the state directory."""
    broker = Broker.start(tmp_path, BOARD)
    password = broker.credential(Role.REFEREE).password.encode()
    seen = Path(f"/proc/{broker.pid}/cmdline").read_bytes() + Path(f"/proc/{broker.pid}/environ").read_bytes()
    broker.stop()
    assert password not in seen
    assert all(password not in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.process
def test_a_taken_port_is_one_clear_line(tmp_path: Path) -> None:
    """A given port that is in use is refused by its number, for either listener, and nothing is left running."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(BrokerPortError, match=str(port)) as caught:
            Broker.start(tmp_path, BOARD, port=port)
        assert "\n" not in str(caught.value)
        with pytest.raises(BrokerPortError, match=str(port)):
            Broker.start(tmp_path, BOARD, port=port, tls=True)


@pytest.mark.process
@pytest.mark.parametrize("number", range(2), ids=["referee", "terminals"])
def test_a_free_port_that_was_taken_meanwhile_is_looked_for_again(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When somebody takes a listener's port between our look and Mosquitto's, another one is used."""
    look, looks = mosquitto.free_port, itertools.count()
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        monkeypatch.setattr(
            mosquitto, "free_port", lambda host, wanted: taken if next(looks) == number else look(host, wanted)
        )
        broker = Broker.start(tmp_path, BOARD, tls=True)
    assert next(looks) > 2
    assert taken not in (broker.address.port, broker.inner.port)
    broker.stop()


def test_a_missing_mosquitto_names_the_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the program, or without its plugin, one line says what to install."""
    monkeypatch.setattr(shutil, "which", lambda *_args, **_options: None)
    with pytest.raises(BrokerMissingError, match="apt install mosquitto"):
        Broker.start(tmp_path, BOARD)
    monkeypatch.undo()
    monkeypatch.setattr(mosquitto, "PLUGIN", "no_such_plugin.so")
    with pytest.raises(BrokerMissingError, match="apt install mosquitto"):
        find_plugin()


def test_mosquitto_is_found_where_debian_puts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's PATH without /usr/sbin is enough."""
    monkeypatch.setenv("PATH", "/nowhere")
    assert Path(find_mosquitto()).name == "mosquitto"


@pytest.mark.parametrize("host", ["no.such.host.invalid", "127.0.0.1\nallow_anonymous true", ""])
def test_an_address_that_is_none_is_one_clear_line(tmp_path: Path, host: str) -> None:
    """What is no address of this machine starts nothing, and cannot smuggle a line into the configuration."""
    with pytest.raises((BrokerStartError, BrokerPortError)):
        Broker.start(tmp_path, BOARD, host=host, tls=True)


def test_a_board_that_is_no_topic_and_a_folder_that_is_none(tmp_path: Path) -> None:
    """Bad names and places are refused before anything starts."""
    with pytest.raises(TopicError):
        Broker.start(tmp_path, "a/b")
    (tmp_path / "file").write_text("")
    with pytest.raises(BrokerStartError):
        Broker.start(tmp_path / "file", BOARD)
    (tmp_path / "mosquitto.conf.new").mkdir()
    with pytest.raises(BrokerStartError):
        Broker.start(tmp_path, BOARD)


@pytest.mark.process
def test_a_broken_configuration_is_told_in_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When Mosquitto ends at once its last error is the reason."""
    monkeypatch.setattr(mosquitto, "_OWN", mosquitto._OWN + "no_such_option true\n")
    with pytest.raises(BrokerStartError, match="no_such_option"):
        Broker.start(tmp_path, BOARD)


PARENT = """
    import sys, threading
    from pathlib import Path
    from referee.net.broker.broker import Broker
    made = []
    def start():
        made.append(Broker.start(Path(sys.argv[1]), "b1"))
    thread = threading.Thread(target=start)  # a thread that ends at once: the broker must outlive it
    thread.start()
    thread.join()
    print(made[0].pid, flush=True)
    assert sys.stdin.readline() == "are you there?\\n"
    print("running" if made[0].running else "gone", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.process
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_broker_outlives_its_referee(tmp_path: Path, end: signal.Signals) -> None:
    """However the referee dies, Mosquitto dies with it; and it does live on when the thread that started it has ended."""
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(PARENT), str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    parent.stdin.write("are you there?\n")
    parent.stdin.flush()
    assert parent.stdout.readline() == "running\n"
    parent.send_signal(end)
    parent.wait(PATIENCE_S)
    parent.stdin.close()
    parent.stdout.close()
    assert gone(pid)


@pytest.mark.process
def test_the_wrapper_refuses_when_its_parent_is_gone_already() -> None:
    """A child whose parent died before it could ask for the signal ends at once."""
    ended = subprocess.run([sys.executable, "-I", "-S", exec_pdeathsig.__file__, "1", "1000", "/bin/true"], check=False)
    assert ended.returncode == exec_pdeathsig.PARENT_GONE
    ended = subprocess.run(
        [sys.executable, "-I", "-S", exec_pdeathsig.__file__, str(os.getpid()), "1000", "/no/such"], check=False
    )
    assert ended.returncode == exec_pdeathsig.NO_PROGRAM


@pytest.mark.process
def test_an_unexpected_end_is_told(tmp_path: Path) -> None:
    """When Mosquitto is killed, the owner hears of it once; when it is stopped, he does not."""
    told: list[BrokerError] = []
    heard = threading.Event()

    def hear(error: BrokerError) -> None:
        told.append(error)
        heard.set()

    broker = Broker.start(tmp_path, BOARD, on_end=hear)
    os.kill(broker.pid, signal.SIGKILL)
    assert heard.wait(PATIENCE_S)
    broker.stop()
    again = Broker.start(tmp_path, BOARD, on_end=hear)
    again.stop()
    assert [str(error) for error in told] == [
        "Mosquitto ended by itself: it said nothing (see " + str(tmp_path / "mosquitto.log") + ")"
    ]


@pytest.mark.process
def test_a_handset_comes_back_after_a_restart_of_the_broker(tmp_path: Path) -> None:
    """Paired handsets stay in the file: after a restart at the same port their passwords still hold, and the links come back."""
    broker = Broker.start(tmp_path, BOARD)
    hall = Hall(broker)
    _, inbox = hall.handset(hall.pair(Seat.RED))
    hall.referee.publish_info(info())
    inbox.wait(Status, lambda status: status.up)
    hall.referee.stop()
    os.kill(broker.pid, signal.SIGKILL)
    inbox.wait(LinkDown)
    assert gone(broker.pid)
    mark = len(inbox.values)
    broker.stop()
    again = Broker.start(tmp_path, BOARD, port=broker.address.port)
    inbox.wait(LinkUp, after=mark)
    other = RefereeLink(again.credential(Role.REFEREE, hall.keys), on_value=Inbox(), boot=2)
    other.start()
    assert inbox.wait(Status, lambda status: status.boot == 2, after=mark).up
    other.stop()
    hall.close()
    again.stop()


@pytest.mark.process
def test_a_new_pairing_throws_the_old_handset_off(hall: Hall) -> None:
    """The password of the first pairing is refused from then on, and its link is told that it is not welcome."""
    first = hall.pair(Seat.RED)
    _, inbox = hall.handset(first)
    second = hall.pair(Seat.RED)
    assert inbox.wait(LinkDown, lambda down: down.refused).reason.startswith("refused")
    with pytest.raises(BrokerRefusedError, match=r"test-board\.red"):
        hall.handset(first)
    hall.handset(second)
    hall.broker.remove(Seat.RED)
    with pytest.raises(BrokerRefusedError):
        hall.handset(second)


@pytest.mark.process
def test_wrong_and_missing_users_are_refused(broker: Broker) -> None:
    """A wrong password and an unknown user give the same clear error, without the password."""
    right = broker.credential(Role.KIOSK)
    for user, password in ((right.user, "a wrong one"), ("nobody", right.password)):
        wrong = Credential(Role.KIOSK, user, password, broker.address, BOARD)
        with pytest.raises(BrokerRefusedError) as caught:
            KioskLink(wrong, on_value=Inbox()).start()
        assert password not in str(caught.value)


@pytest.mark.process
def test_a_topic_that_may_not_be_read_is_told(broker: Broker) -> None:
    """A client of ours that asks for what its role does not have fails at the start, not silently."""
    kiosk = Connection(
        broker.credential(Role.KIOSK),
        [("hallmarshal/1/boards/test-board/seat/red/in", 1)],
        on_message=lambda topic, payload: None,
    )
    with pytest.raises(BrokerRefusedError, match="may not read"):
        kiosk.start()


@pytest.mark.process
def test_nobody_at_the_address_is_one_clear_line(broker: Broker) -> None:
    """A closed port, and a port where somebody says nothing."""
    right = broker.credential(Role.KIOSK)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        port = mute.getsockname()[1]
        silent = Credential(right.role, right.user, right.password, Address("127.0.0.1", port), BOARD)
        with pytest.raises(BrokerUnreachableError, match=str(port)):
            KioskLink(silent, on_value=Inbox()).start(patience_s=0.2)
    with socket.socket() as closed:  # bound, so that nobody else has its port, and not listening
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        nobody = Credential(right.role, right.user, right.password, Address("127.0.0.1", port), BOARD)
        with pytest.raises(BrokerUnreachableError, match=str(port)):
            KioskLink(nobody, on_value=Inbox()).start()


@pytest.mark.process
def test_control_says_what_the_broker_refused(broker: Broker) -> None:
    """A command that the plugin refuses is an error that names command and reason."""
    with pytest.raises(BrokerControlError, match=r"deleteRole.*not found"):
        command(broker._control(), [{"command": "deleteRole", "rolename": "no-such-role"}])


@pytest.mark.process
def test_the_plugin_keeps_only_hashes_of_what_control_told_it(tmp_path: Path) -> None:
    """After a pairing at run time the file has the handset's user, bound to its client id, and no password."""
    broker = Broker.start(tmp_path, BOARD)
    grant = SeatPairing(broker.address, BOARD, KeyPair.create().public).grant(Seat.GREEN, KeyPair.create().public)
    broker.admit(grant)
    broker.stop()
    path = tmp_path / "dynamic-security.json"
    text = path.read_text()
    users = {user["username"]: user for user in json.loads(text)["clients"]}
    assert users["test-board.green"]["clientid"] == "test-board.green"
    assert grant.credential.password not in text
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.process
def test_the_log_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of refused connections cannot fill the disk with log lines; the broker goes on."""
    monkeypatch.setattr(mosquitto, "_LOG_BYTES", 20_000)
    broker = Broker.start(tmp_path, BOARD)
    right = broker.credential(Role.KIOSK)
    for _ in range(200):
        with socket.create_connection((broker.address.host, broker.address.port), timeout=PATIENCE_S) as flood:
            flood.sendall(b"\x10\x10\x00\x04MQTT\x04\x02\x00\x14\x00\x04nobo")
            flood.recv(10)
    kiosk = KioskLink(right, on_value=Inbox())
    kiosk.start()
    kiosk.stop()
    assert broker.running
    broker.stop()
    assert 10_000 < (tmp_path / "mosquitto.log").stat().st_size <= 20_000


@pytest.mark.process
def test_pairing_and_keys_fit_together(hall: Hall) -> None:
    """A grant made for another referee's key is no way in: its letters cannot be opened."""
    stranger = SeatPairing(hall.broker.address, BOARD, KeyPair.create().public)
    keys = KeyPair.create()
    grant = stranger.grant(Seat.BLUE, keys.public)
    hall.broker.admit(grant)
    hall.referee.pair(Seat.BLUE, keys.public)
    hall.referee.publish_info(info())
    hall.handset(grant.credential.with_keys(keys))
    fault = hall.inbox.wait(PeerFault, lambda value: value.seat is Seat.BLUE)
    assert fault.what == "SealError"
