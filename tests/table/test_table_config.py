"""The table's file: every key, every fault in one line, the command line on top."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from referee.arbitration.views import Mode, Reveal
from referee.cli.errors import BadInputError
from referee.cli.table_config import _KEYS, TableConfig, host_and_port, read_config
from referee.rules.values import Seat
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
[names]
red = "Anna"
[broker]
port = 1883
websocket-port = 9001
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
        names={Seat.RED: "Anna"},
        broker_port=1883,
        websocket_port=9001,
    )


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
        ("mode = 'guess'", "one of declare, enrol"),
        ("reveal = ['book']", "one of book"),
        ("language = 'it'", "language"),
        ("web = '8080'", "an address like"),
        ("web = 'host:99999'", "an address like"),
        ("kiosk = 1", "true or false"),
        ("answer-limit-s = 5", "from 10 to"),
        ("answer-limit-s = true", "from 10 to"),
        ("names = 'Anna'", "seat = name"),
        ("[names]\npurple = 'Anna'", "one of red, blue"),
        ("broker = 1883", "table of ports"),
        ("[broker]\nport = 65536", "from 0 to 65535"),
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
    for key in _KEYS:
        assert f"| `{key}" in text, key
    set_by_keys = {name for name, _ in _KEYS.values() if name} | {"broker_port", "websocket_port"}
    assert {field.name for field in fields(TableConfig)} == set_by_keys
