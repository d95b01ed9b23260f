"""The table's file: every key, every fault in one line, the command line on top."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.rules.values import Seat
from referee.runtime.errors import BadInputError
from referee.runtime.table_config import (
    BrokerUrl,
    TableConfig,
    config_keys,
    host_and_port,
    read_broker_url,
    read_config,
)
from referee.table.settings import ClockKind, TimeControl
from referee.table.views import Mode, Reveal
from tests.demo.running import ROOT

WHOLE = """
name = "kitchen"
rules = "duel"
mode = "enrol"
reveal = "result-only"
language = "nl"
web = "127.0.0.1:0"
address = "board.local"
kiosk = true
state = "/tmp/somewhere"
answer-limit-s = 60
keep-games = 200
[names]
red = "Anna"
[moves]
decided = ["blue"]
[clock]
kind = "bronstein"
minutes = 20
increment-s = 7.5
set-up-minutes = 5
[broker]
port = 1883
websocket-port = 9001
tls = true
certificate = "/tmp/broker.pem"
"""


def test_every_key(tmp_path: Path) -> None:
    """Each sets what it is called after."""
    path = tmp_path / "table.toml"
    path.write_text(WHOLE)
    assert read_config(path, {}) == TableConfig(
        name="kitchen",
        rules="duel",
        mode=Mode.ENROL,
        reveal=Reveal.RESULT_ONLY,
        language="nl",
        web=("127.0.0.1", 0),
        address="board.local",
        kiosk=True,
        state=Path("/tmp/somewhere"),
        answer_limit_s=60,
        keep_games=200,
        names={Seat.RED: "Anna"},
        decided=(Seat.BLUE,),
        clock=TimeControl(ClockKind.BRONSTEIN, 1_200_000, 7_500, 300_000),
        broker_port=1883,
        websocket_port=9001,
        tls=True,
        certificate=Path("/tmp/broker.pem"),
    )


def test_a_broker_that_runs_already(tmp_path: Path) -> None:
    """Its address, with the usual ports where none is named; what belongs to an own broker cannot be said of it."""
    path = tmp_path / "table.toml"
    path.write_text("[broker]\nurl = 'mqtts://hall.local'\nwebsocket-port = 9002")
    config = read_config(path, {})
    assert config.broker_url == BrokerUrl("mqtts", "hall.local", 8883)
    said = read_config(path, {"broker_url": read_broker_url("mqtt://[::1]:41883", "--broker")})
    assert said.broker_url == BrokerUrl("mqtt", "::1", 41883)
    assert said.broker_url.text == "mqtt://[::1]:41883"
    assert read_broker_url("ws://h:8080", "--broker", ("mqtt", "ws")).text == "ws://h:8080/mqtt"
    for said_too in ({"tls": True}, {"broker_port": 1883}):
        with pytest.raises(BadInputError, match="own broker"):
            read_config(path, said_too)


@pytest.mark.parametrize(
    "url",
    ["", "hall.local", "http://hall", "mqtt://", "mqtt://h:x", "mqtt://h/x", "mqtt://h?a", "mqtt://h#a", "ws://h"],
)
def test_addresses_of_brokers(url: str) -> None:
    """mqtt:// or mqtts://, a host, a port; never a password."""
    with pytest.raises(BadInputError, match="an address like mqtt"):
        read_broker_url(url, "--broker")
    with pytest.raises(BadInputError, match="leave the password out") as caught:
        read_broker_url("mqtt://user:secret@host", "--broker")
    assert "secret" not in str(caught.value)


def test_the_command_line_wins(tmp_path: Path) -> None:
    """What was said replaces what the file says; what was not said does not."""
    path = tmp_path / "table.toml"
    path.write_text(WHOLE)
    config = read_config(path, {"rules": "barrage", "kiosk": None})
    assert (config.rules, config.kiosk) == ("barrage", True)
    assert read_config(None, {}) == TableConfig()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nmae = 'x'", "unknown key 'nmae'"),
        ("[broker]\nprot = 1", "unknown key 'prot'"),
        ("name = 'a/b'", "name"),
        ("rules = 7", "rules: a text"),
        ("mode = 'guess'", "'guess' is none of declare, enrol"),
        ("reveal = ['book']", "reveal: a text is needed"),
        ("language = 'it'", "language"),
        ("web = '8080'", "an address like"),
        ("web = 'host:99999'", "an address like"),
        ("kiosk = 1", "kiosk: true or false is needed"),
        ("answer-limit-s = 5", "5 is less than 10"),
        ("answer-limit-s = true", "answer-limit-s: a whole number is needed"),
        ("names = 'Anna'", "names: a table is needed"),
        ("[names]\npurple = 'Anna'", "'purple' is none of red, blue"),
        ("[moves]\ndecided = ['purple']", "decided: 'purple' is not"),
        ("[moves]\ndecided = 'blue'", "decided: a list of text"),
        ("[moves]\nred = 1", "moves: unknown key 'red'"),
        ("[computer]\nblue = 3.0", "blue: a level from 1 to 5 is needed, not 3.0"),
        ("[computer]\npurple = 3", "'purple' is none of red, blue"),
        ("broker = 1883", "broker: a table is needed"),
        ("[broker]\nurl = 'http://x'", "an address like mqtt"),
        ("[broker]\ntls = 1", "true or false"),
        ("[broker]\nport = 65536", "broker.port: 65536 is more than 65535"),
        ("name = ", "table.toml"),
    ],
)
def test_faults_name_file_and_key(text: str, says: str, tmp_path: Path) -> None:
    """One line that says what is wanted."""
    path = tmp_path / "table.toml"
    path.write_text(text)
    with pytest.raises(BadInputError, match=re.escape(says)) as caught:
        read_config(path, {})
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("value", ["483920", "48.39", "['483920']", "'48392O'"])
def test_a_bad_pin_is_not_said(value: str, tmp_path: Path) -> None:
    """Who forgets the quotes is told what is needed; the digits do not go to the terminal, nor to systemd's journal."""
    path = tmp_path / "table.toml"
    path.write_text(f"pin = {value}")
    with pytest.raises(BadInputError, match="pin: 4 to 12 digits in quotes are needed") as caught:
        read_config(path, {})
    assert "48" not in str(caught.value).removeprefix(str(path))


def test_files_that_are_none(tmp_path: Path) -> None:
    """Missing, or no text."""
    with pytest.raises(BadInputError, match="No such file"):
        read_config(tmp_path / "nowhere.toml", {})
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    with pytest.raises(BadInputError, match="UTF-8"):
        read_config(tmp_path / "bytes.toml", {})


def test_addresses() -> None:
    """HOST:PORT and nothing else."""
    assert host_and_port("0.0.0.0:8080", "--web") == ("0.0.0.0", 8080)
    for text in ("", ":80", "host:", "host", "host:x", "host:-1", "host:65536", "::1:80"):
        with pytest.raises(BadInputError, match="--web"):
            host_and_port(text, "--web")


def test_the_document_has_every_key() -> None:
    """docs/reference/table-config.md names each, and the class has nothing that no key sets."""
    text = (ROOT / "docs" / "reference" / "table-config.md").read_text()
    broker = [f"broker.{key.name}" for key in config_keys("broker").values()]
    for name in (*(key.name for key in config_keys("").values()), *broker):
        assert re.search(rf"^\| .*`{name}", text, re.MULTILINE), name


def test_every_field_is_set_by_a_key(tmp_path: Path) -> None:
    """All faults of a file are told at once, and what has no fault is set: nothing in the class is out of reach."""
    assert {field.name for field in fields(TableConfig)} == config_keys("").keys() | config_keys("broker").keys()
    path = tmp_path / "table.toml"
    path.write_text("kiosk = 1\nrules = ' '\n[broker]\ntls = 1\n")
    with pytest.raises(BadInputError) as caught:
        read_config(path, {})
    assert str(caught.value) == (
        f"{path}: rules: a text is needed, not blanks; kiosk: true or false is needed, not 1; broker.tls: true or false is needed, not 1"
    )


CLOCKS = {
    'kind = "sudden-death"\nminutes = 0.05': TimeControl(ClockKind.SUDDEN_DEATH, 3_000),
    'kind = "fischer"\nminutes = 10\nincrement-s = 5': TimeControl(ClockKind.FISCHER, 600_000, 5_000),
    'kind = "per-move"\nmove-s = 30': TimeControl(ClockKind.PER_MOVE, 0, 30_000),
    "set-up-minutes = 4": TimeControl(set_up_ms=240_000),
    'kind = "none"': TimeControl(),
}


@pytest.mark.parametrize("text", CLOCKS)
def test_clocks_of_every_kind(text: str, tmp_path: Path) -> None:
    """Each with the times that belong to it."""
    path = tmp_path / "table.toml"
    path.write_text(f"[clock]\n{text}\n")
    assert read_config(path, {}).clock == CLOCKS[text]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('kind = "hourglass"', "clock: kind: 'hourglass' is none of none, sudden-death"),
        ('kind = "fischer"\nminutes = 10', "a fischer clock needs increment-s"),
        ('kind = "sudden-death"\nminutes = 10\nincrement-s = 5', "sudden-death does not go with increment-s"),
        ("minutes = 10", "none does not go with minutes"),
        ('kind = "per-move"\nmove-s = 0', "above 0"),
        ('kind = "per-move"\nmove-s = true', "move-s: a number is needed"),
        ('kind = "per-move"\nmove-s = nan', "nan is no number"),
        ('kind = "sudden-death"\nminutes = 1441', "up to 1440"),
        ("hours = 1", "unknown key 'hours'"),
    ],
)
def test_faults_of_clocks(text: str, fault: str, tmp_path: Path) -> None:
    """One line that says what is wrong; nothing is started."""
    path = tmp_path / "table.toml"
    path.write_text(f"[clock]\n{text}\n")
    with pytest.raises(BadInputError, match=fault) as caught:
        read_config(path, {})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rules", ["stratego4", "stratego4-three"])
def test_the_computer_plays_no_game_of_more_than_two(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused before anything is started."""
    assert main(["table", "--board", "sim:", "--rules", rules, "--blue", "computer:3"]) == 2
    assert f"the computer plays rule sets for two, and {rules} is none" in capsys.readouterr().err
