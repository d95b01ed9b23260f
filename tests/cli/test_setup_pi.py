"""`setup-pi`: what it would do, that systemd takes the units, that it undoes only what is its own; and the watchdog's line."""

from __future__ import annotations

import asyncio
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.presentation.sentences import wifi_text
from referee.runtime import pi_setup
from referee.runtime.child_processes import keep_alive
from referee.runtime.pi_setup import CONFIG, HOTSPOT, KIOSK_UNIT, RULES, TABLE_UNIT, PiSettings, files, wifi_of
from referee.runtime.pi_update import PiReleases
from referee.runtime.table_config import read_config
from tests.bridge.matrix_table import MATRIX
from tests.patience import PATIENCE_S

SETTINGS = PiSettings(Path(sys.executable))  # a program that exists: systemd looks
GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "set-up-the-pi.md"


@pytest.fixture(autouse=True)
def programs(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What the units start, here in a folder that everybody may read, wherever this copy of the project is."""
    found = [Path("/usr/bin/env")]
    monkeypatch.setattr(pi_setup, "_programs", lambda settings: found)
    return found


@pytest.mark.process
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here; CI has it")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    """`systemd-analyze verify` has nothing to say about either unit."""
    units = []
    for path, text in files(replace(SETTINGS, hotspot="Hallmarshal", psk="abcdefgh2345")).items():
        if path.endswith((".service", ".socket")):
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
        assert "\nWatchdogSec=30\n" in text
    assert "\nNotifyAccess=main\n" in files(SETTINGS)[TABLE_UNIT]
    assert "\nNotifyAccess=all\n" in files(SETTINGS)[KIOSK_UNIT]


def test_what_another_start_cannot_mend_is_not_started_again() -> None:
    """A table whose configuration or folder is at fault stops with its line; a kiosk waits for the credential that its table makes."""
    assert "\nRestartPreventExitStatus=2 203\n" in files(SETTINGS)[TABLE_UNIT]
    assert "RestartPreventExitStatus" not in files(SETTINGS)[KIOSK_UNIT]


def test_the_units_have_a_ceiling_on_their_memory() -> None:
    """What is over it costs the front door, which is opened again, and never ends the whole unit; a Pi of 1 GiB has room for both."""
    found = files(SETTINGS)
    limits = [re.findall(r"\nMemoryMax=(\d+)M\n", found[unit]) for unit in (TABLE_UNIT, KIOSK_UNIT)]
    assert sum(int(limit) for (limit,) in limits) < 800
    assert "\nOOMPolicy=continue\n" in found[TABLE_UNIT]


def test_the_kiosks_unit_leaves_cage_what_it_needs() -> None:
    """Its socket below /run/user can be made (`ProtectHome=` forbids that); X11 is there for Kivy; no key leads to another terminal."""
    text = files(SETTINGS)[KIOSK_UNIT]
    assert not [line for line in text.splitlines() if line.startswith("ProtectHome=")]
    assert "\nReadOnlyPaths=-/home -/root\n" in text
    assert "\nReadWritePaths=-/run/user -/sys/devices\n" in text
    assert "\nProtectHome=read-only\n" in files(SETTINGS)[TABLE_UNIT]
    assert f"\nExecStart={SETTINGS.command} kiosk " in text  # SDL draws on the screen by itself
    caged = files(PiSettings(Path(sys.executable), cage=Path(sys.executable)))[KIOSK_UNIT]
    assert caged == text.replace("ExecStart=", f"ExecStart={sys.executable} -- ")


def test_cage_shows_the_kiosk_where_it_is_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Its packages come with it, and an update asks for it again."""
    assert main(["setup-pi", "--dry-run", "--cage"]) == 0
    printed = capsys.readouterr().out
    assert "run apt-get install --yes --no-install-recommends bubblewrap cage xwayland\n" in printed
    assert "ExecStart=/usr/bin/cage -- " in printed
    for told in ([], ["--cage"]):
        assert main(["setup-pi", "--root", str(tmp_path), *told]) == 0
        assert [*PiReleases(tmp_path)._options()][-1:] == (told or ["serial:/dev/hallmarshal-board"])


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
    """What it starts with is read without complaint, and the broker's port stays."""
    path = tmp_path / "table.toml"
    path.write_text(files(SETTINGS)[CONFIG])
    read_config(path, {})
    assert set(tomllib.loads(path.read_text())["broker"]) == {"port"}


@pytest.mark.process
def test_an_authority_of_its_own(tmp_path: Path) -> None:
    """Its certificate is for the machine's names and is believed by who has the authority; that is made once, and signs for nobody else."""
    folder = tmp_path / "https"
    for _ in range(2):
        for step in pi_setup.certifying(pwd.getpwuid(os.getuid()).pw_name, str(folder), "table"):
            step.take(None)
    assert (folder / "authority.key").stat().st_mode & 0o777 == (folder / "key.pem").stat().st_mode & 0o777 == 0o600
    assert not [
        step
        for step in pi_setup.certifying("pi", str(folder), "table")
        if " -CA " not in step.shown and " -days " in step.shown
    ]
    check = ["openssl", "verify", "-CAfile", str(folder / "authority.pem"), "-verify_hostname", "table.local"]
    assert subprocess.run([*check, str(folder / "certificate.pem")], check=False, capture_output=True).returncode == 0
    for step in pi_setup.certifying("root", str(folder), "elsewhere"):
        if " -CA " in step.shown:
            step.take(None)
    check[-1] = "elsewhere.local"
    assert subprocess.run([*check, str(folder / "certificate.pem")], check=False, capture_output=True).returncode != 0
    read_config(None, {"https_certificate": folder / "certificate.pem", "https_key": folder / "key.pem"})


def test_https_in_the_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Asked for, the two keys stand above the table of the broker; into a mounted image no key is put."""
    path = tmp_path / "table.toml"
    path.write_text(files(PiSettings(Path("x"), https=True))[CONFIG])
    found = tomllib.loads(path.read_text())
    assert found["https-certificate"] == f"{pi_setup.HTTPS}/certificate.pem"
    assert set(found["broker"]) == {"port"}
    assert main(["setup-pi", "--dry-run", "--https"]) == 0
    assert capsys.readouterr().out.count("run openssl req -x509 ") == 2
    assert main(["setup-pi", "--https", "--root", str(tmp_path)]) == 2


def test_a_dry_run_prints_all_and_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Every file with its text and every command, in order; no file is there afterwards that was not before."""
    before = [Path(path).exists() for path in (TABLE_UNIT, KIOSK_UNIT, RULES, CONFIG)]
    assert main(["setup-pi", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    for path in (TABLE_UNIT, KIOSK_UNIT, RULES, CONFIG):
        assert f"write {path}" in printed
    for text in files(PiSettings(Path("x"))).values():
        assert f"    {text.splitlines()[-1]}\n" in printed
    assert "run apt-get install --yes --no-install-recommends bubblewrap\n" in printed
    assert printed.index("run systemctl daemon-reload") < printed.index("run systemctl enable")
    assert before == [Path(path).exists() for path in (TABLE_UNIT, KIOSK_UNIT, RULES, CONFIG)]


def test_a_board_on_the_pins(capsys: pytest.CaptureFixture[str]) -> None:
    """The unit opens that board, the two libraries come from apt, and the SPI is switched on."""
    assert main(["setup-pi", "--dry-run", "--no-kiosk", "--board", "gpio:travel-pi-mcp3008"]) == 0
    printed = capsys.readouterr().out
    assert " table --board gpio:travel-pi-mcp3008 --config " in printed
    assert "install --yes --no-install-recommends bubblewrap python3-lgpio python3-spidev\n" in printed
    assert "run raspi-config nonint do_spi 0\n" in printed


def test_a_matrix_on_the_pins_of_the_spi(capsys: pytest.CaptureFixture[str]) -> None:
    """The kernel's SPI would keep those pins for itself: it is switched off."""
    assert main(["setup-pi", "--dry-run", "--no-kiosk", "--board", f"gpio:{MATRIX}"]) == 0
    assert "run raspi-config nonint do_spi 1\n" in capsys.readouterr().out


def test_what_else_uses_the_pins_of_a_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    """I2C, the serial console and its port, and 1-wire leave their pins; a board without those pins leaves all of them as they are."""
    assert main(["setup-pi", "--dry-run", "--no-kiosk", "--board", f"gpio:{MATRIX}"]) == 0
    printed = capsys.readouterr().out
    for name in ("i2c", "serial_cons", "serial_hw", "onewire"):
        assert f"run raspi-config nonint do_{name} 1\n" in printed
    assert main(["setup-pi", "--dry-run", "--no-kiosk", "--board", "gpio:travel-pi-chain"]) == 0
    assert capsys.readouterr().out.count("raspi-config") == 1
    assert main(["setup-pi", "--dry-run", "--no-kiosk"]) == 0
    assert "raspi-config" not in capsys.readouterr().out


RASPI_CONFIG = """#!/bin/sh
cd "$(dirname "$0")/state" || exit 1
case "$2" in
get_*) cat "${2#get_}" ;;
do_*) echo "$3" >"${2#do_}" ;;
esac
"""


@pytest.mark.process
def test_interfaces_are_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Undoing switches on again what was on, also after a second setting up, and leaves alone what was off before."""
    before = {"i2c": "0", "serial_cons": "0", "serial_hw": "1", "onewire": "1", "spi": "0"}
    (tmp_path / "state").mkdir()
    for name, value in before.items():
        (tmp_path / "state" / name).write_text(f"{value}\n")
    (tmp_path / "raspi-config").write_text(RASPI_CONFIG)
    (tmp_path / "raspi-config").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(pi_setup, "INTERFACES", str(tmp_path / "etc" / "interfaces"))

    def state() -> dict[str, str]:
        return {name: (tmp_path / "state" / name).read_text().strip() for name in before}

    for _ in range(2):
        for name, on in pi_setup.interfaces(f"gpio:{MATRIX}").items():
            pi_setup.switching(name, on).take(None)
        assert state() == dict.fromkeys(before, "1")
    undoing = list(pi_setup.putting_back(None))
    assert [step.shown for step in undoing if step.shown.startswith("run ")] == [
        f"run raspi-config nonint do_{name} 0\n" for name in ("serial_cons", "i2c", "spi")
    ]
    for step in undoing:
        step.take(None)
    assert state() == before
    assert not (tmp_path / "etc" / "interfaces").exists()


def test_a_folder_that_the_user_may_not_enter(
    tmp_path: Path, programs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """A home of mode 0700 is refused in one line before anything is done, unless it is that user's own."""
    home = tmp_path / "pi"
    programs.append(home / "hallmarshal" / ".venv" / "bin" / "hallmarshal")
    programs[-1].parent.mkdir(parents=True)
    home.chmod(0o700)
    assert main(["setup-pi", "--dry-run", "--user", "nobody"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert re.fullmatch(
        r"hallmarshal: setup-pi: /\S+ is closed to user nobody \(mode 0700\).*/opt/hallmarshal.*\n", said.err
    )
    assert main(["setup-pi", "--dry-run", "--user", pwd.getpwuid(os.getuid()).pw_name]) == 0


def test_a_system_of_32_bits(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """There are no wheels for it, whatever its kernel: one line."""
    monkeypatch.setattr(sys, "maxsize", 2**31 - 1)
    assert main(["setup-pi", "--dry-run"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "32 bit" in said.err


def test_the_guide_leads_to_a_folder_that_the_table_may_read() -> None:
    """What can be copied is a command as it stands, of a program that is there; nothing is unpacked into a home directory."""
    commands = [line[4:] for line in GUIDE.read_text().splitlines() if line.startswith("    ")]
    assert not [line for line in commands if "..." in line]
    assert "cd /opt/hallmarshal" in commands
    in_lite = {
        "cd",
        "/opt/hallmarshal-releases/current/bin/hallmarshal",
        "install",
        "mv",
        "tar",
        "apt",
        "python3",
        "make",
        "reboot",
        "journalctl",
        "systemctl",
        ".venv/bin/hallmarshal",
    }
    for line in commands:
        program = re.sub(r"^sudo (-u \w+ )?", "", line).split()[0]
        assert program in in_lite, line
        if "apt install " in line:
            in_lite |= set(line.partition("apt install ")[2].partition("#")[0].split())


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


def test_an_access_point_in_an_image(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its password is made once, said with what a QR code of it holds, and readable by root alone; undoing leaves nothing of it."""
    said = []
    for _ in range(2):
        assert main(["setup-pi", "--root", str(tmp_path), "--hotspot", "Table 4"]) == 0
        said.append(capsys.readouterr().out.splitlines()[-1])
    connection = tmp_path / HOTSPOT.lstrip("/")
    assert read_config(tmp_path / CONFIG.lstrip("/"), {}).address == "10.42.0.1"
    assert connection.stat().st_mode & 0o777 == 0o600
    kiosk = (tmp_path / KIOSK_UNIT.lstrip("/")).read_text()
    assert (
        f"\nLoadCredential=wi-fi:{HOTSPOT}\nSetCredential=wi-fi:none\n" in kiosk
    )  # root's file, which the kiosk's user cannot read
    assert "kiosk.json --wi-fi %d/wi-fi\n" in kiosk
    psk = re.findall(r"^psk=(\w{12})$", connection.read_text(), re.MULTILINE)[0]
    assert said == [f"Wi-Fi Table 4, password {psk}; as a QR code: WIFI:T:WPA;S:Table 4;P:{psk};;"] * 2
    assert main(["setup-pi", "--root", str(tmp_path), "--uninstall"]) == 0
    assert [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()] == [Path(CONFIG.lstrip("/"))]
    assert main(["setup-pi", "--dry-run", "--hotspot", "a\nb"]) == 2


def test_a_password_that_its_owner_chose() -> None:
    """What stands for something in a QR code has a backslash before it there."""
    found = wifi_of('[wifi]\nssid=Club; 4\n[wifi-security]\npsk=a:b,"c\\d\n')
    assert found == ("Club; 4", 'a:b,"c\\d')
    assert wifi_text(*found) == r"WIFI:T:WPA;S:Club\; 4;P:a\:b\,\"c\\d;;"


@pytest.mark.process
@pytest.mark.skipif(not (shutil.which("dnsmasq") and shutil.which("nmcli")), reason="neither here; CI brings them")
def test_network_manager_and_dnsmasq_take_the_access_point(tmp_path: Path) -> None:
    """`nmcli --offline` reads the connection, `dnsmasq --test` the names; no radio has been tried."""
    made = files(PiSettings(Path(sys.executable), hotspot="Hallmarshal", psk="abcdefgh2345"))
    wish = ["nmcli", "--offline", "connection", "modify", "connection.autoconnect", "yes"]
    done = subprocess.run(wish, input=made[HOTSPOT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {"mode=ap", "ssid=Hallmarshal", "method=shared", "psk=abcdefgh2345"} <= set(done.stdout.splitlines())
    names = tmp_path / "names.conf"
    names.write_text(next(text for path, text in made.items() if "dnsmasq-shared.d" in path))
    done = subprocess.run(["dnsmasq", "--test", "-C", str(names)], capture_output=True, text=True, check=False)
    assert (done.returncode, "syntax check OK" in done.stderr) == (0, True), done.stderr


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
