"""A process that cannot look at the table's files: it gets a file system of its own in which they are not (bubblewrap).

User namespaces are what Debian and Raspberry Pi OS give without root; Landlock is not in the kernels of Raspberry Pi OS.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee import log_output

_OURS = ("firmware_bridge", "hardware", "referee", "simulator", "toml_tables")
_SYSTEM = ("/usr", "/bin", "/lib", "/lib64")
_NAMES = (
    *(f"/etc/{name}" for name in ("hosts", "ld.so.cache", "localtime", "nsswitch.conf", "resolv.conf")),
    *(f"{run}/{socket}" for run in ("/run", "/var/run") for socket in ("avahi-daemon/socket", "systemd/resolve")),
)
"""What programs need to start, to know the time zone, and to find the table by its name, which may end in `.local`: for such a name
Avahi or systemd is asked.
"""
_TRIAL_S = 10.0


@dataclass(frozen=True, slots=True)
class Confinement:
    """What stands before a command so that it runs apart; nothing where this machine cannot do that, and `missing` says why."""

    command: tuple[str, ...] = ()
    missing: str = ""


def apart_from(state: Path, *more: Path) -> Confinement:
    """Return what keeps a Python process from a folder and from whatever it needs not; `more` are files that it may read.

    Of files it sees the system's programs, Python and this program, and can change none; of processes its own only, so that it can
    look into no other one's memory.
    """
    program = shutil.which("bwrap")
    if program is None:
        return Confinement(missing="bubblewrap (bwrap) is not installed")
    roots = {str(path) for path in (*_pythons(), *_ours())}
    before = [program, "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--chdir", "/", "--dev", "/dev"]
    before += [f"--unshare-{what}" for what in ("user", "pid", "ipc", "uts", "cgroup-try")]
    before += ["--tmpfs", "/tmp"]  # noqa: S108  # one of its own
    seen = (*_SYSTEM, *_NAMES, *sorted(roots))
    for path in seen:
        before += ["--ro-bind-try", path, path]
    for path in _within(state, seen):
        before += ["--tmpfs", path] if Path(path).is_dir() else ["--ro-bind", os.devnull, path]
    for file in more:
        before += ["--ro-bind", str(file.absolute()), str(file.absolute())]
    try:
        tried = subprocess.run([*before, "true"], capture_output=True, timeout=_TRIAL_S, check=False)  # noqa: S603  # our own
    except (OSError, subprocess.TimeoutExpired) as error:
        return Confinement(missing=f"bubblewrap cannot be run ({error})")
    if tried.returncode:
        why = tried.stderr.decode(errors="replace").strip().splitlines()[:1]
        return Confinement(missing=" ".join(("bubblewrap may not be used on this system:", *why)))
    return Confinement(tuple(before))


def _within(state: Path, seen: Iterable[str]) -> Iterable[str]:
    """Return under which names a state folder could be seen, and what in it is a link to elsewhere.

    A folder may be seen by several: where `/lib` is a link to `/usr/lib`, what lies below one is there by both.
    """
    links = [path for path in state.iterdir() if path.is_symlink()] if state.is_dir() else []
    for real in {path.resolve() for path in (state, *links) if path.exists()}:
        for root in map(Path, seen):
            if real.is_relative_to(root.resolve()):
                yield str(root / real.relative_to(root.resolve()))


def bare_environment() -> dict[str, str]:
    """Return the least that a process of ours needs of an environment: nothing of the parent's but what it logs."""
    kept = {log_output.LEVEL_VARIABLE: level} if (level := os.environ.get(log_output.LEVEL_VARIABLE)) else {}
    return {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(_root()), "PYTHONUNBUFFERED": "1", **kept}


def _root() -> Path:
    return Path(log_output.__file__).resolve().parents[1]


def _pythons() -> Iterable[Path]:
    """Return where Python is: this one, and the one that it was made from where it is a virtual environment."""
    return (Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent)


def _ours() -> Sequence[Path]:
    """Return our own packages, one by one: a checkout may hold anything beside them."""
    return [path for name in _OURS if (path := _root() / name).is_dir()]
