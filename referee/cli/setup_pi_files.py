"""The files that make a Raspberry Pi a table: systemd units, udev rules, a configuration to begin with. Pure: settings in, texts out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MARK = "# written by `hallmarshal setup-pi`; `hallmarshal setup-pi --uninstall` removes it"
TABLE_UNIT = "/etc/systemd/system/hallmarshal-table.service"
KIOSK_UNIT = "/etc/systemd/system/hallmarshal-kiosk.service"
RULES = "/etc/udev/rules.d/70-hallmarshal.rules"
CONFIG = "/etc/hallmarshal/table.toml"
STATE = "/var/lib/hallmarshal"
BOARD_LINK = "hallmarshal-board"
WATCHDOG_S = 30

# who makes the serial ports of boards that people build: Arduino (two), Raspberry Pi Pico, CH340, FTDI, CP210x
VENDORS = ("2341", "2a03", "2e8a", "1a86", "0403", "10c4")


@dataclass(frozen=True, slots=True)
class PiSettings:
    """What the files depend on. `command` is the installed `hallmarshal`; `serial` is the board's USB serial number, or empty."""

    command: Path
    user: str = "hallmarshal"
    serial: str = ""
    kiosk: bool = True
    cage: Path = Path("/usr/bin/cage")
    board: str = f"serial:/dev/{BOARD_LINK}"


def files(settings: PiSettings) -> Mapping[str, str]:
    """Give every file: absolute path -> text. The configuration is only written where there is none."""
    found = {TABLE_UNIT: _table_unit(settings), RULES: _rules(settings), CONFIG: _config()}
    if settings.kiosk:
        found[KIOSK_UNIT] = _kiosk_unit(settings)
    return found


def _table_unit(settings: PiSettings) -> str:
    return f"""{MARK}
[Unit]
Description=Hallmarshal, the referee of a table
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
User={settings.user}
ExecStart={settings.command} table --board {settings.board} --config {CONFIG} --state {STATE}
StateDirectory=hallmarshal
StateDirectoryMode=0700
StandardInput=null
Restart=always
RestartSec=3
# a configuration that is refused, a folder that is closed: another start mends neither, and the line that says so would scroll away
RestartPreventExitStatus=2 203
WatchdogSec={WATCHDOG_S}
NotifyAccess=main
KillSignal=SIGTERM
TimeoutStopSec=20
{_HARDENED}ProtectHome=read-only
DevicePolicy=closed
DeviceAllow=char-ttyACM rw
DeviceAllow=char-ttyUSB rw
DeviceAllow=char-gpiochip rw
DeviceAllow=char-spi rw
CapabilityBoundingSet=
ProtectProc=invisible

[Install]
WantedBy=multi-user.target
"""


def _kiosk_unit(settings: PiSettings) -> str:
    # a screen without a desktop: cage shows one program on the whole screen, on the first terminal, which no key leaves (no -s)
    return f"""{MARK}
[Unit]
Description=Hallmarshal, the screen beside the table
After=hallmarshal-table.service systemd-user-sessions.service
Wants=hallmarshal-table.service
Conflicts=getty@tty1.service
StartLimitIntervalSec=0

[Service]
User={settings.user}
PAMName=login
TTYPath=/dev/tty1
TTYReset=yes
TTYVHangup=yes
StandardInput=tty-fail
Environment=KIVY_HOME={STATE}/kivy KIVY_NO_FILELOG=1
ExecStart={settings.cage} -- {settings.command} kiosk --credential {STATE}/broker/kiosk.json
StateDirectory=hallmarshal
StateDirectoryMode=0700
Restart=always
RestartSec=3
# the kiosk itself says that it lives, not cage, which is the main process
WatchdogSec={WATCHDOG_S}
NotifyAccess=all
TimeoutStopSec=10
{_HARDENED}# not ProtectHome=: that makes /run/user read-only too, where cage has its socket
ReadOnlyPaths=-/home -/root
# /sys/devices: the light behind the screen, whose file the udev rules give to the group video; everything else there is root's
ReadWritePaths=-/run/user -/sys/devices

[Install]
WantedBy=multi-user.target
"""


_HARDENED = """NoNewPrivileges=yes
ProtectSystem=strict
PrivateTmp=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
UMask=0077
"""


def _rules(settings: PiSettings) -> str:
    which = f', ATTRS{{serial}}=="{settings.serial}"' if settings.serial else ""
    named = "".join(
        f'SUBSYSTEM=="tty", KERNEL=="ttyACM*|ttyUSB*", ATTRS{{idVendor}}=="{vendor}"{which}, '
        f'SYMLINK+="{BOARD_LINK}", GROUP="dialout", MODE="0660", ENV{{ID_MM_DEVICE_IGNORE}}="1", TAG+="systemd"\n'
        for vendor in VENDORS
    )
    return f"""{MARK}
# The board under a name that stays, left alone by ModemManager.
{named}
# An FTDI adapter keeps what arrives for 16 ms unless it is told otherwise: 1 ms, and at once at the byte 0x00 that ends each frame
# (the ninth bit of event_char switches it on).
ACTION!="remove", SUBSYSTEM=="usb-serial", DRIVER=="ftdi_sio", ATTR{{latency_timer}}="1", ATTR{{event_char}}="256"
# The kiosk may set the light behind the screen.
ACTION=="add", SUBSYSTEM=="backlight", RUN+="/bin/chgrp video $sys$devpath/brightness", RUN+="/bin/chmod g+w $sys$devpath/brightness"
"""


def _config() -> str:
    return f"""{MARK}
# Every key: docs/reference/table-config.md. Ports that stay let the kiosk find the broker again.
name = "table"
rules = "original"

[broker]
port = 18830
websocket-port = 18831
"""
