"""`hallmarshal broker`: what it prints is what a Mosquitto needs, and nothing that is secret."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.cli import broker
from referee.cli.main import parser_of_commands
from referee.runtime.errors import BadInputError, UnreachableError


def run(*arguments: str) -> int:
    """Run the command in this process."""
    return broker.run(parser_of_commands().parse_args(["broker", *arguments]))


def test_the_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    """On this machine alone unless a certificate is given, the plugin with the users' file, no anonymous user."""
    assert run("config", "--port", "2883", "--users-file", "/srv/users.json") == 0
    lines = capsys.readouterr().out.splitlines()
    assert {"listener 2883 127.0.0.1", "allow_anonymous false"} <= set(lines)
    assert "protocol websockets" not in lines
    assert "plugin_opt_config_file /srv/users.json" in lines
    assert not any("memory_limit" in line or line.startswith("certfile") for line in lines)
    assert run("config", "--certificate", "/srv/a.pem", "--key", "/srv/a.key", "--websocket-port", "9001") == 0
    lines = capsys.readouterr().out.splitlines()
    listener = lines.index("listener 1883")
    assert "certfile /srv/a.pem" in lines[listener : lines.index("listener 9001")]


def test_the_users(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same passwords each time, kept for their owner; what is printed has hashes only, and the table's name."""
    file = tmp_path / "table.toml"
    file.write_text(f"name = 'kitchen'\nstate = '{tmp_path / 'state'}'\n")
    printed = []
    for _ in range(2):
        assert run("users", "--config", str(file)) == 0
        printed.append(capsys.readouterr().out)
    kept = tmp_path / "state" / "broker" / "passwords.json"
    passwords = json.loads(kept.read_text())
    assert kept.stat().st_mode & 0o777 == 0o600
    assert set(passwords) == {"kitchen.control", "kitchen.referee", "kitchen.kiosk"}
    for text in printed:
        assert {client["username"] for client in json.loads(text)["clients"]} == set(passwords)
        assert not any(password in text for password in passwords.values())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("config", "--port", "0"), "a port is a number from 1"),
        (("config", "--websocket-port", "70000"), "a port is a number from 1"),
        (("config", "--key", "x.pem"), "go together"),
        (("users", "--config", "/nowhere.toml"), "No such file"),
    ],
)
def test_what_makes_no_sense(arguments: tuple[str, ...], says: str) -> None:
    """One line."""
    with pytest.raises(BadInputError, match=says):
        run(*arguments)


def test_passwords_that_cannot_be_kept(tmp_path: Path) -> None:
    """Said with the place."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreachableError, match="file"):
        run("users", "--state", str(tmp_path / "file"))
