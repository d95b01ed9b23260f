"""`setup-pi`: what it would do, that systemd takes the units, that it undoes only what is its own; and the watchdog's line."""

from __future__ import annotations

import asyncio
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.cli.setup_pi_files import CONFIG, KIOSK_UNIT, RULES, TABLE_UNIT, WATCHDOG_S, PiSettings, files
from referee.cli.table_config import read_config
from referee.cli.watchdog import keep_alive
from tests.patience import PATIENCE_S

SETTINGS = PiSettings(Path(sys.executable), cage=Path(sys.executable))  # programs that exist: systemd looks


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here; CI has it")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """`systemd-analyze verify` has nothing to say about either unit."""
    units = []
    for path, text in files(SETTINGS).items():
        if path.endswith(".service"):
            unit = tmp_path / Path(path).name
            unit.write_text(text)
            units.append(str(unit))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, check=False
    )
    ours = [line for line in (done.stdout + done.stderr).splitlines() if "hallmarshal" in line]
    assert ours == []


def test_the_units_restart_and_are_hardened() -> None:
    """Both come back whatever happens, gain nothing, and are watched; of the kiosk's processes not the main one says it lives."""
    for path in (TABLE_UNIT, KIOSK_UNIT):
        text = files(SETTINGS)[path]
        assert "\nUser=hallmarshal\n" in text
        for line in ("Restart=always", "NoNewPrivileges=yes", "ProtectSystem=strict", "PrivateTmp=yes", "UMask=0077"):
            assert f"\n{line}\n" in text, (path, line)
        assert f"\nWatchdogSec={WATCHDOG_S}\n" in text
    assert "\nNotifyAccess=main\n" in files(SETTINGS)[TABLE_UNIT]
    assert "\nNotifyAccess=all\n" in files(SETTINGS)[KIOSK_UNIT]


def test_the_kiosks_unit_leaves_cage_what_it_needs() -> None:
    """Its socket below /run/user can be made (`ProtectHome=` forbids that); X11 is there for Kivy; no key leads to another terminal."""
    text = files(SETTINGS)[KIOSK_UNIT]
    assert not [line for line in text.splitlines() if line.startswith("ProtectHome=")]
    assert "\nReadOnlyPaths=-/home -/root\n" in text
    assert "\nReadWritePaths=-/run/user -/sys/devices\n" in text
    assert "\nProtectHome=read-only\n" in files(SETTINGS)[TABLE_UNIT]
    assert f"\nExecStart={SETTINGS.cage} -- {SETTINGS.command} kiosk " in text


def test_the_rules_name_the_board_and_hurry_the_adapter() -> None:
    """One name for every kind of board, only the one with the serial number if told; latency timer, event character; the screen's light."""
    text = files(PiSettings(Path("/x"), serial="A1B2"))[RULES]
    rules = [line for line in text.splitlines() if line and not line.startswith("#")]
    named = [line for line in rules if 'SYMLINK+="hallmarshal-board"' in line]
    assert len(named) == len(rules) - 2
    assert all('ATTRS{serial}=="A1B2"' in line and 'GROUP="dialout"' in line for line in named)
    assert 'ATTR{latency_timer}="1"' in rules[-2]
    assert 'ATTR{event_char}="256"' in rules[-2]
    assert 'SUBSYSTEM=="backlight"' in rules[-1]
    for rule in rules:  # every part is KEY OP "value"
        assert re.fullmatch(r'([A-Z_]+(\{[\w]+\})?(==|!=|\+=|=)"[^"]*"(, |$))+', rule), rule


def test_the_configuration_is_one_that_a_table_takes(tmp_path: Path) -> None:
    """What it starts with is read without complaint, and both ports stay."""
    path = tmp_path / "table.toml"
    path.write_text(files(SETTINGS)[CONFIG])
    read_config(path, {})
    assert set(tomllib.loads(path.read_text())["broker"]) == {"port", "websocket-port"}


def test_a_dry_run_prints_all_and_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Every file with its text and every command, in order; no file is there afterwards that was not before."""
    before = [Path(path).exists() for path in (TABLE_UNIT, KIOSK_UNIT, RULES, CONFIG)]
    assert main(["setup-pi", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    for path in (TABLE_UNIT, KIOSK_UNIT, RULES, CONFIG):
        assert f"write {path}" in printed
    for text in files(PiSettings(Path("x"))).values():
        assert f"    {text.splitlines()[-1]}\n" in printed
    assert "run apt-get install --yes --no-install-recommends cage xwayland\n" in printed
    assert printed.index("run systemctl daemon-reload") < printed.index("run systemctl enable")
    assert before == [Path(path).exists() for path in (TABLE_UNIT, KIOSK_UNIT, RULES, CONFIG)]


def test_a_board_on_the_pins(capsys: pytest.CaptureFixture[str]) -> None:
    """The unit opens that board, the two libraries come from apt, and the SPI is switched on."""
    assert main(["setup-pi", "--dry-run", "--no-kiosk", "--board", "gpio:travel-pi-mcp3008"]) == 0
    printed = capsys.readouterr().out
    assert " table --board gpio:travel-pi-mcp3008 --config " in printed
    assert "install --yes --no-install-recommends python3-lgpio python3-spidev\n" in printed
    assert "run raspi-config nonint do_spi 0\n" in printed


def test_a_matrix_on_the_pins_of_the_spi(capsys: pytest.CaptureFixture[str]) -> None:
    """The kernel's SPI would keep those pins for itself: it is switched off."""
    assert main(["setup-pi", "--dry-run", "--no-kiosk", "--board", "gpio:travel-pi-matrix"]) == 0
    assert "run raspi-config nonint do_spi 1\n" in capsys.readouterr().out


def test_a_board_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    """One line, before anything is done."""
    assert main(["setup-pi", "--dry-run", "--no-kiosk", "--board", "gpio:travel-pi-matrx"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "--board: board file travel-pi-matrx: there is no such board" in said.err


def test_into_an_image_and_out_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Below --root files are written; again changes nothing; undoing leaves the configuration, and what is not ours."""
    for _ in range(2):
        assert main(["setup-pi", "--root", str(tmp_path)]) == 0
    config = tmp_path / CONFIG.lstrip("/")
    config.write_text("# mine\n")
    assert main(["setup-pi", "--root", str(tmp_path), "--no-kiosk"]) == 0
    assert config.read_text() == "# mine\n"
    assert main(["setup-pi", "--root", str(tmp_path), "--uninstall"]) == 0
    assert [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()] == [Path(CONFIG.lstrip("/"))]
    unit = tmp_path / TABLE_UNIT.lstrip("/")
    unit.write_text("[Unit]\n")
    capsys.readouterr()
    assert main(["setup-pi", "--root", str(tmp_path)]) == 2
    assert "is not ours" in capsys.readouterr().err
    assert main(["setup-pi", "--root", str(tmp_path), "--uninstall"]) == 0
    assert unit.read_text() == "[Unit]\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--user", "Bad Name"],
        ["--serial", 'x", RUN+="sh'],
        ["--serial", "x\ny"],
        ["--board", "sim:"],
        ["--board", "gpio:%h"],
        ["--board", "gpio:x --state /"],
    ],
)
def test_names_that_would_end_up_in_a_rule(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Names that systemd or udev would read as something else are refused in one line."""
    assert main(["setup-pi", "--dry-run", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_watchdog_hears_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first word comes at once and the next while the loop turns; without systemd nothing is opened."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(PATIENCE_S)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "2000")

        async def turn() -> None:
            end = keep_alive(asyncio.get_running_loop())
            for _ in range(3):
                assert await asyncio.to_thread(systemd.recv, 100) == b"WATCHDOG=1"
            end()

        asyncio.run(turn())
    monkeypatch.delenv("WATCHDOG_USEC")
    loop = asyncio.new_event_loop()
    keep_alive(loop)()
    loop.close()
