"""The kiosk as a process: beside a real broker, without one, refused, told to end; and what its command refuses."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image

from kiosk_ui.fixtures import samples
from kiosk_ui.run import Shutdown
from referee.cli import kiosk as kiosk_command
from referee.cli.kiosk import KIOSK_PASSWORD
from referee.cli.main import parser_of_commands
from referee.door.front_door import listening
from referee.door.messages import NOT_FOUND
from referee.door.settings import BrokerTarget, DoorSettings
from referee.net.broker.broker import Broker
from referee.net.broker.mosquitto import find_mosquitto
from referee.net.credential import Address, Credential, KeyPair
from referee.net.links.referee_link import RefereeLink
from referee.net.topics.payloads import KioskWish
from referee.net.topics.topics import Role
from referee.presentation import palette
from referee.rules.values import Seat
from referee.runtime.errors import BadInputError
from referee.runtime.pi_setup import HOTSPOT, PiSettings, files
from referee.table.views import PublicInfo, PublicView
from tests.door.thread_door import ThreadDoor
from tests.patience import PATIENCE_S
from tests.web.relay import Relay

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = {sample.name: sample for sample in samples()}["middle"]
INFO, VIEW = cast(PublicInfo, SAMPLE.info), cast(PublicView, SAMPLE.view)
NOBODY = Credential(Role.KIOSK, "kitchen.kiosk", "x" * 32, Address("127.0.0.1", 9), "kitchen")


class Kiosk:
    """A kiosk in another process, whose credential came through its standard input."""

    def __init__(self, credential: Credential, home: Path, *more: str, **systemd: str) -> None:
        """`more` are further arguments."""
        environ = {
            **os.environ,
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "TMPDIR": str(home),
            **systemd,
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee.cli.main", "kiosk", "--credential", "-", "--offscreen", "--json", *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environ,
        )
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(credential.to_json()) + "\n")
        self.process.stdin.flush()

    def drawn(self, **wanted: Any) -> dict[str, Any]:
        """Read what was drawn until it is what was wanted, and give it."""
        assert self.process.stdout is not None
        for text in self.process.stdout:
            line: dict[str, Any] = json.loads(text)
            if wanted.items() <= line.items():
                return line
        raise AssertionError(f"{wanted} was never drawn")

    def end(self) -> tuple[int, str]:
        """Wait for the end. Returns exit code and standard error."""
        code = self.process.wait(timeout=PATIENCE_S)
        assert self.process.stderr is not None
        said = self.process.stderr.read()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code, said


@pytest.fixture
def mosquitto_again() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Return a list for brokers that a test starts by itself; they are ended after it."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.terminate()
        process.wait(timeout=PATIENCE_S)


@pytest.mark.process
def test_it_draws_what_is_published_and_outlives_a_broker(
    tmp_path: Path, mosquitto_again: list[subprocess.Popen[bytes]]
) -> None:
    """Every state is drawn; when broker or referee goes the kiosk says so, and draws again once they are back, a new referee too."""
    broker = Broker.start(tmp_path / "broker", "kitchen")
    wishes: queue.Queue[object] = queue.Queue()
    link = RefereeLink(broker.credential(Role.REFEREE, KeyPair.create()), on_value=wishes.put)
    link.start()
    link.publish_info(INFO)
    link.publish_state(VIEW)
    kiosk = Kiosk(broker.credential(Role.KIOSK), tmp_path)
    assert kiosk.drawn(contact="live", seq=1) == {
        "contact": "live",
        "game": "sample",
        "seq": 1,
        "phase": "waiting-for-move",
        "ply": 137,
    }
    while wishes.get(timeout=PATIENCE_S) != KioskWish("hello"):
        pass
    link.publish_state(replace(VIEW, seq=2, ply=138))
    assert kiosk.drawn(seq=2)["ply"] == 138
    broker.stop()
    assert kiosk.drawn(contact="no-broker")["seq"] == 2
    command = [find_mosquitto(), "-c", str(tmp_path / "broker" / "mosquitto.conf")]
    mosquitto_again.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
    kiosk.drawn(contact="live", seq=2)
    link.stop()
    kiosk.drawn(contact="no-referee")
    again = RefereeLink(broker.credential(Role.REFEREE, KeyPair.create()), on_value=wishes.put, boot=2)
    again.start()
    again.publish_info(INFO)
    again.publish_state(replace(VIEW, seq=3, ply=139))
    assert kiosk.drawn(contact="live", seq=3)["ply"] == 139
    while wishes.get(timeout=PATIENCE_S) != KioskWish("hello"):  # what notes told is asked for anew
        pass
    again.stop()
    kiosk.process.send_signal(signal.SIGTERM)
    assert kiosk.end() == (0, "")


@pytest.mark.process
def test_a_kiosk_elsewhere_comes_by_the_front_door(tmp_path: Path) -> None:
    """With the credential that the table keeps, and the address of its pages."""
    broker = Broker.start(tmp_path / "broker", "kitchen")
    door = ThreadDoor(
        [listening("127.0.0.1", 0)],
        lambda request: NOT_FOUND,
        DoorSettings("", broker=BrokerTarget(broker.inner.host, broker.inner.port)),
    )
    link = RefereeLink(broker.credential(Role.REFEREE, KeyPair.create()), on_value=lambda value: None)
    link.start()
    link.publish_info(INFO)
    link.publish_state(VIEW)
    file = str(tmp_path / "broker" / "kiosk.json")
    args = Namespace(broker=f"ws://127.0.0.1:{door.port}", board=None, credential=file)
    kiosk = Kiosk(kiosk_command._credential(args), tmp_path)
    kiosk.drawn(contact="live", seq=1)
    kiosk.process.send_signal(signal.SIGTERM)
    assert kiosk.end() == (0, "")
    link.stop()
    door.stop()
    broker.stop()


@pytest.mark.process
def test_systemd_hears_that_the_screen_lives(tmp_path: Path) -> None:
    """With a watchdog it is told again and again by the screen's own clock, from any process under the unit."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(PATIENCE_S)
        kiosk = Kiosk(NOBODY, tmp_path, NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="100000")
        for _ in range(5):
            assert systemd.recv(100) == b"WATCHDOG=1"
        kiosk.process.send_signal(signal.SIGTERM)
        assert kiosk.end() == (0, "")


@pytest.mark.process
def test_it_waits_for_a_broker_and_ends_with_its_parent(tmp_path: Path) -> None:
    """Without a broker it says so on the screen; it ends with the process that started it, and leaves nothing in anybody's home."""
    kiosk = Kiosk(NOBODY, tmp_path)
    assert kiosk.drawn(contact="no-broker")["game"] is None
    assert kiosk.process.stdin is not None
    kiosk.process.stdin.close()  # what a parent's death does
    assert kiosk.end() == (0, "")
    assert [path.name for path in tmp_path.iterdir()] in ([], ["cache"])
    assert all(
        path.name.startswith("mesa_shader_cache") for path in tmp_path.glob("cache/*")
    )  # the graphics driver's own


@pytest.mark.process
def test_the_password_of_the_wifi_stays_on_the_screen(tmp_path: Path) -> None:
    """Neither what kiosk and broker say to each other nor what is printed or logged holds it; a file without one costs the code alone."""
    connection = tmp_path / "hallmarshal.nmconnection"
    connection.write_text(files(PiSettings(Path("x"), hotspot="Club 4", psk="abcd2345efgh"))[HOTSPOT])
    broker = Broker.start(tmp_path / "broker", "kitchen")
    link = RefereeLink(broker.credential(Role.REFEREE, KeyPair.create()), on_value=lambda value: None)
    link.start()
    link.publish_info(INFO)
    link.publish_state(VIEW)
    place = broker.credential(Role.KIOSK)
    with closing(Relay(place.address.host, place.address.port)) as wire:
        near = replace(place, address=replace(place.address, port=wire.port))
        kiosk = Kiosk(near, tmp_path, "--wi-fi", str(connection), HALLMARSHAL_LOG_LEVEL="debug")
        printed = kiosk.drawn(contact="live", seq=1)
        assert kiosk.process.stdin is not None
        kiosk.process.stdin.close()
        code, said = kiosk.end()
        assert b"kitchen.kiosk" in wire.heard
        assert b"abcd2345efgh" not in wire.heard
    link.stop()
    broker.stop()
    assert code == 0
    assert "abcd2345efgh" not in f"{printed} {said}"
    connection.write_text("[wifi]\nmode=ap\n")
    without = Kiosk(NOBODY, tmp_path, "--wi-fi", str(connection))
    without.drawn(contact="no-broker")
    assert without.process.stdin is not None
    without.process.stdin.close()
    code, said = without.end()
    assert (code, said.count("\n"), "opens no access point" in said) == (0, 1, True)


@pytest.mark.process
def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    """An interrupt ends it at once, without a traceback."""
    kiosk = Kiosk(NOBODY, tmp_path)
    kiosk.drawn(contact="no-broker")
    kiosk.process.send_signal(signal.SIGINT)
    assert kiosk.end() == (130, "")


@pytest.mark.process
def test_a_broker_that_refuses_it_ends_it(tmp_path: Path) -> None:
    """A wrong password: exit 3 and one line that does not hold it."""
    broker = Broker.start(tmp_path / "broker", "kitchen")
    credential = replace(broker.credential(Role.KIOSK), password="a wrong one")
    kiosk = Kiosk(credential, tmp_path)
    code, said = kiosk.end()
    broker.stop()
    assert code == 3
    assert said.startswith("hallmarshal: ")
    assert said.count("\n") == 1
    assert "a wrong one" not in said


@pytest.mark.process
def test_no_screen_is_one_line_and_exit_3(tmp_path: Path) -> None:
    """Without a screen, and with a display nobody answers at: exit 3 and one line, no window, no waiting."""
    for environ in ({"SDL_VIDEODRIVER": "offscreen"}, {"DISPLAY": f"{tmp_path}/nowhere:9"}):
        clean = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "SDL_VIDEODRIVER")}
        done = subprocess.run(
            [sys.executable, "-m", "referee.cli.main", "kiosk", "--broker", "mqtt://127.0.0.1:9", "--board", "kitchen"],
            env={**clean, **environ, KIOSK_PASSWORD: "secret"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 3
        assert done.stdout == ""
        assert done.stderr.startswith("hallmarshal: ")
        assert done.stderr.count("\n") == 1
        assert "--offscreen" in done.stderr


@pytest.mark.process
@pytest.mark.parametrize("turned", [False, True], ids=["upright", "turned"])
def test_pictures_are_made_and_named(tmp_path: Path, turned: bool) -> None:
    """`--shots` writes a picture of each table, language and size, and the same tables as a terminal shows them."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "referee.cli.main", "kiosk", "--shots", str(tmp_path), "--only", "duel", "--json"),
            *("--language", "da", "--size", "800x480,1022x600", *(["--turned"] if turned else [])),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    named = "kiosk-duel-turned" if turned else "kiosk-duel"
    names = [f"{named}-800x480.png", f"{named}-1022x600.png", "terminal-duel.svg"]
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"pictures": [str(tmp_path / name) for name in names]}
    for name in names:
        head = (tmp_path / name).read_bytes()
        assert head.startswith(b"\x89PNG") if name.endswith(".png") else b"@font-face" not in head
    with Image.open(tmp_path / names[1]) as picture:  # its width is no multiple of four
        assert picture.size == (1022, 600)
        edge = {picture.getpixel((0, y)) for y in range(picture.height)}
    assert edge == {(each.red, each.green, each.blue) for each in (palette.ARMY[Seat.RED], palette.NIGHT)}


def test_a_pipe_that_is_followed_to_its_end_is_closed() -> None:
    """By whoever opened it at once, and by its reader at its end."""
    before = os.listdir("/proc/self/fd")
    reading, writing = os.pipe()
    shutdown = Shutdown(lambda: None)
    shutdown.follow(reading)
    os.close(reading)
    os.close(writing)
    assert shutdown.coming.wait(PATIENCE_S)
    assert os.listdir("/proc/self/fd") == before


CREDENTIAL = NOBODY.to_json()


@pytest.mark.parametrize(
    ("arguments", "document", "said"),
    [
        ([], None, "--broker and --board"),
        (["--broker", "mqtt://h", "--board", "b"], None, KIOSK_PASSWORD),
        (["--broker", "h:1883", "--board", "b"], None, "mqtt://192.168.1.20:1883"),
        (["--broker", "mqtts://h", "--board", "b"], None, "mqtts:// broker needs a --credential"),
        (["--broker", "mqtts://h", "--credential", "FILE"], json.dumps(CREDENTIAL), "no certificate"),
        (["--broker", "mqtt://u:p@h", "--board", "b"], None, "arguments can be read by everybody"),
        (["--broker", "mqtt://h:70000", "--board", "b"], None, "mqtt://192.168.1.20:1883"),
        (["--broker", "mqtt://h", "--board", "no/slash"], None, "'no/slash' cannot stand in a topic"),
        (["--size", "big"], None, "800x480"),
        (["--size", "800x480,640x480"], None, "--shots"),
        (["--language", "all"], None, "--shots"),
        (["--only", "duel"], None, "--shots"),
        (["--shots", "x", "--only", "chess"], None, "'chess'"),
        (["--shots", "x", "--board", "b"], None, "leave --broker"),
        (["--credential", "FILE"], "not JSON", "one JSON object"),
        (["--credential", "FILE"], "[]", "one JSON object"),
        (["--credential", "FILE"], "{}", "no credential"),
        (["--credential", "FILE"], json.dumps({**CREDENTIAL, "role": "referee"}), "not of a kiosk"),
        (["--credential", "FILE", "--board", "attic"], json.dumps(CREDENTIAL), "not for attic"),
        (["--credential", "MISSING"], None, "No such file"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], document: str | None, said: str
) -> None:
    """Arguments and credentials that cannot be used: one line that says why, before anything was opened."""
    monkeypatch.delenv(KIOSK_PASSWORD, raising=False)
    if "no/slash" in arguments:
        monkeypatch.setenv(KIOSK_PASSWORD, "secret")
    if document is not None:
        (tmp_path / "credential").write_text(document, encoding="utf-8")
    arguments = [str(tmp_path / "credential") if text == "FILE" else text for text in arguments]
    args, module = parsed(arguments)
    with pytest.raises(BadInputError) as caught:
        module.run(args)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def parsed(arguments: list[str]) -> tuple[Any, Any]:
    """Return the parsed arguments of `kiosk`, and its module."""
    from referee.cli import kiosk

    return parser_of_commands().parse_args(["kiosk", *arguments]), kiosk
