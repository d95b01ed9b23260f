"""A new release on a Raspberry Pi that is set up, and the way back, step by step: where the plug is pulled, the same command runs again.

Each release is an environment of its own below `RELEASES`. The units start what the link `current` names, so that one step changes all
of them. While there is a link `trying` nobody knows yet whether the new release runs: it names the one to go back to, and becomes `former`
once the table has answered.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.private_file import sync_folder
from referee.runtime.backup import back_up
from referee.runtime.errors import BadInputError, CommandError, UnreachableError, file_named
from referee.runtime.pi_setup import (
    CONFIG,
    HOTSPOT,
    KIOSK_UNIT,
    RELEASES,
    RULES,
    STATE,
    TABLE_UNIT,
    InstallStep,
    run_command,
    under,
)
from referee.runtime.table_config import read_config

_COPY = "state-before.tar.gz"
_HERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 # where a table answers that listens everywhere
_LOOK_S = 0.5
_MOST_RESTARTS = 3
_PATIENCE_S = 120.0
"""How long a table may take until its pages answer; a small Pi with a cold card takes half a minute."""


@dataclass(frozen=True, slots=True)
class PiReleases:
    """The releases of the Pi whose files lie below `root` (None: of this one)."""

    root: Path | None = None
    patience_s: float = _PATIENCE_S

    def updating(self, source: Path) -> Iterator[InstallStep]:
        """Yield what brings the release in `source`, a folder of the project or a wheel. Raises `BadInputError`."""
        if not source.exists():
            raise BadInputError(f"{source}: there is no such folder or file")
        self._check()
        source = source.resolve()
        new = self._folder / str(max((int(each.name) for each in self._numbered()), default=0) + 1)
        yield self._step("end what an update that was cut short has begun", self._settle)
        yield self._step(
            f"remove all releases but the one in use and the former one; install {source} into {new}",
            self._install,
            source,
            new,
        )
        yield self._step("stop table and kiosk", self._stop)
        yield self._step(f"copy {under(self.root, STATE)} to {new / _COPY}", self._copy, new)
        yield from self._changing(new)

    def going_back(self) -> Iterator[InstallStep]:
        """Yield what makes the Pi run its former release. Raises `BadInputError` where there is none."""
        self._check()
        current, former, trying = (self._named(link) for link in ("current", "former", "trying"))
        if trying not in (None, current):  # cut short: on the way back, or on the way to a new release
            yield self._step("end the change that was cut short", self._settle if current == former else self._return)
        elif former is not None:
            yield self._step("stop table and kiosk", self._stop)
            yield from self._changing(former)
        else:
            raise BadInputError("setup-pi: there is no former release to go back to")

    def in_use(self) -> Path:
        """Return the environment that the units start."""
        if (current := self._named("current")) is not None:
            return current
        found = re.search(r"^ExecStart=(\S+)/bin/hallmarshal ", self._read(TABLE_UNIT), re.MULTILINE)
        if found is None:
            raise BadInputError(f"{under(self.root, TABLE_UNIT)} does not start a table of ours")
        return Path(found[1])

    def copy(self) -> Path:
        """Return where the games are as they were before the release that is in use, or the former one, came."""
        ways = (self._folder / str(self._named(link)) / _COPY for link in ("current", "former"))
        return next((path for path in ways if path.exists()), self._folder)

    @property
    def _folder(self) -> Path:
        return under(self.root, RELEASES)

    def _link(self, name: str) -> Path:
        return self._folder / name

    def _named(self, link: str) -> Path | None:
        return self._link(link).resolve() if self._link(link).is_symlink() else None

    def _numbered(self) -> list[Path]:
        return [each for each in self._folder.glob("*") if each.name.isdecimal()]

    def _read(self, path: str) -> str:
        with contextlib.suppress(FileNotFoundError):
            return under(self.root, path).read_text(encoding="utf-8")
        return ""

    def _check(self) -> None:
        if not under(self.root, TABLE_UNIT).exists():
            raise BadInputError("setup-pi: this Pi is not set up yet: run setup-pi without --update first")

    def _step(self, shown: str, act: object, *arguments: object) -> InstallStep:
        def take(_: Path | None) -> None:
            assert callable(act)
            with file_named(shown):
                act(*arguments)

        return InstallStep(f"{shown}\n", take)

    def _changing(self, new: Path) -> Iterator[InstallStep]:
        yield self._step(f"let {self._link('current')} name {new}", self._switch, new)
        yield self._step(
            "start table and kiosk with the units of that release; go back if no page answers", self._try_out
        )

    def _settle(self) -> None:
        """Judge a release that nobody has judged, because the plug was pulled."""
        trying = self._named("trying")
        if trying is not None and self._named("current") in (None, trying):  # no release, or the one of before
            self._link("trying").unlink()
        elif trying is not None:
            self._try_out()

    def _install(self, source: Path, new: Path) -> None:
        """What a link does not name is an older release, or one whose installation was cut short."""
        self._folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        kept = {self._named("current"), self._named("former")}
        for each in self._numbered():
            if each not in kept:
                shutil.rmtree(each)
        ours = Path(sys.prefix) / "pyvenv.cfg"
        with_system = ours.exists() and "include-system-site-packages = true" in ours.read_text(encoding="utf-8")
        run_command(sys.executable, "-m", "venv", *(("--system-site-packages",) if with_system else ()), str(new))
        pinned = source / "constraints.txt"
        pins = ("--constraint", str(pinned)) if pinned.exists() else ()
        run_command(str(new / "bin" / "python"), "-m", "pip", "install", "--quiet", *pins, str(source))
        run_command(str(new / "bin" / "hallmarshal"), "--version")
        os.sync()  # a link must not outlast what it names

    def _copy(self, new: Path) -> None:
        back_up(under(self.root, STATE), new / _COPY)

    def _switch(self, new: Path) -> None:
        before = self.in_use()
        self._point("trying", before)
        self._point("current", new)

    def _point(self, name: str, target: Path) -> None:
        draft = self._link(f"{name}.new")
        draft.unlink(missing_ok=True)
        draft.symlink_to(target)
        draft.replace(self._link(name))
        sync_folder(self._folder)

    def _start(self) -> None:
        """The release in use writes its units, and starts."""
        command = str(self._link("current").resolve() / "bin" / "hallmarshal")
        run_command(command, "setup-pi", "--root", str(self.root or "/"), *self._options())
        run_command("systemctl", "daemon-reload")
        run_command("systemctl", "restart", *self._units())

    def _stop(self) -> None:
        run_command("systemctl", "stop", *self._units())

    def _try_out(self) -> None:
        """Keep the release that is in use where its table answers, else go back and say so."""
        why = "its table does not answer"
        try:
            self._start()
            runs = self._answers()
        except CommandError as error:
            runs, why = False, str(error)
        if not runs:
            failed = self._named("current")
            self._return()
            raise UnreachableError(f"{failed} does not start ({why}): the release before it runs again")
        self._link("trying").replace(self._link("former"))
        sync_folder(self._folder)

    def _return(self) -> None:
        """Go back to what `trying` names."""
        with contextlib.suppress(CommandError):
            self._stop()
        self._point("current", self._link("trying").resolve())
        self._start()
        if not self._answers():
            raise UnreachableError(
                "the release before does not answer either: `journalctl -u hallmarshal-table` says why; "
                f"the games as they were: {self.copy()}"
            )
        self._link("trying").unlink()

    def _units(self) -> tuple[str, ...]:
        return tuple(Path(unit).name for unit in (TABLE_UNIT, KIOSK_UNIT) if under(self.root, unit).exists())

    def _options(self) -> Iterator[str]:
        """Yield what `setup-pi` was told when it wrote the files that are there."""
        unit = self._read(TABLE_UNIT)
        for option, text, form in (
            ("--user", unit, r"^User=(\S+)$"),
            ("--board", unit, r" --board (\S+) "),
            ("--serial", self._read(RULES), r'ATTRS\{serial\}=="([^"]+)"'),
            ("--hotspot", self._read(HOTSPOT), r"^ssid=(.+)$"),
        ):
            if found := re.search(form, text, re.MULTILINE):
                yield from (option, found[1])
        if not under(self.root, KIOSK_UNIT).exists():
            yield "--no-kiosk"
        elif "/cage -- " in self._read(KIOSK_UNIT):
            yield "--cage"

    def _answers(self) -> bool:
        """Return whether the table's pages answer before long. A unit that fails again and again is not waited for."""
        host, port = read_config(under(self.root, CONFIG), {}).web
        until = time.monotonic() + self.patience_s
        while time.monotonic() < until:
            if _page_answers(_HERE.get(host, host), port):
                return True
            shown = run_command("systemctl", "show", "--property=ActiveState,NRestarts", Path(TABLE_UNIT).name)
            if "ActiveState=failed" in shown or int(re.findall(r"NRestarts=(\d+)", shown)[0]) >= _MOST_RESTARTS:
                return False
            time.sleep(_LOOK_S)
        return False


def _page_answers(host: str, port: int) -> bool:
    page = http.client.HTTPConnection(host, port, timeout=_LOOK_S)
    try:
        page.request("GET", "/")
        return page.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        page.close()
