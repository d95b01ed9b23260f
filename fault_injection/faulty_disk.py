"""Loopback ext4 disk for fault injection: a file behind a loop device, mounted. Needs root on Linux (`why_not`).

Its faults are those of a memory card as the kernel reports them: no room left; an error in the middle of a write that
turns the file system read-only; writes that hang; and a power cut between two sectors, as file systems are tested for
it: nothing more is written, neither what waits in memory nor the file system's own log.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import struct
import subprocess
import threading
from pathlib import Path
from typing import Self

_SIZE = 8 * 2**20
_SHUTDOWN = 0x8004587D  # EXT4_IOC_SHUTDOWN
_NO_LOG_FLUSH = 2  # EXT4_GOING_FLAGS_NOLOGFLUSH
_FREEZE, _THAW = 0xC0045877, 0xC0045878  # FIFREEZE, FITHAW
_FILLER = "filler"


def why_not() -> str | None:
    """Return why there can be no such disk here (missing tools, no root, no loop devices), None when there can."""
    missing = [tool for tool in ("mkfs.ext4", "mount", "umount", "findmnt") if _tool(tool) is None]
    if missing:
        return f"{', '.join(missing)} is not installed"
    if os.geteuid() != 0 or not Path("/dev/loop-control").exists():
        return "it needs root and loop devices"
    return None


class LoopDisk:
    """A mounted disk of 8 MiB. A context; leaving it takes it away, whatever state it is in."""

    def __init__(self, folder: Path) -> None:
        """Make it in an empty folder; raises `OSError` or `subprocess.CalledProcessError` where that cannot be."""
        self._image = folder / "disk.img"
        self.path = folder / "disk"
        """Where it is mounted."""
        self._broken = False
        self.path.mkdir()
        with self._image.open("wb") as image:
            image.truncate(_SIZE)
        # blocks as on a card: in smaller ones SQLite cannot tell that there is no room for what it maps into memory
        _run("mkfs.ext4", "-q", "-F", "-m", "0", "-b", "4096", str(self._image))
        self._mount()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._thaw_if_frozen()
        with contextlib.suppress(subprocess.CalledProcessError):  # it is not mounted now
            _run("umount", "--lazy", str(self.path))

    def fill(self) -> None:
        """Leave no room at all; one that is read-only stays as it is."""
        with contextlib.suppress(OSError), (self.path / _FILLER).open("ab", buffering=0) as filler:
            size = 2**20
            while size:
                try:
                    filler.write(bytes(size))
                    os.fsync(filler.fileno())
                except OSError:
                    size //= 2

    def put_right(self) -> None:
        """Repair what a person would before the next start: mount it again if it is broken, delete what filled it."""
        if self._broken:
            self.power_up()
        (self.path / _FILLER).unlink(missing_ok=True)

    def fail(self) -> None:
        """Let the file system find an error in itself: from then on it is read-only, also for files that are open."""
        self._broken = True
        device = _run("findmnt", "--noheadings", "--output", "SOURCE", str(self.path)).strip()
        (Path("/sys/fs/ext4") / Path(device).name / "trigger_fs_error").write_text("a test")

    def stand_still(self, for_s: float) -> None:
        """Delay every write by so long."""
        self._ioctl(_FREEZE)
        timer = threading.Timer(for_s, self._thaw_if_frozen)
        timer.daemon = True
        timer.start()

    def cut(self) -> None:
        """Cut the power: nothing that is not on the disk by now is ever written."""
        self._broken = True
        self._ioctl(_SHUTDOWN, _NO_LOG_FLUSH)

    def raw(self) -> bytes:
        """Return every block that was written, also blocks that no file has any more."""
        return self._image.read_bytes()

    def power_up(self) -> None:
        """Mount it again, as after a start of the machine: the file system puts itself right. Nobody may have a file open on it."""
        _run("umount", str(self.path))
        self._mount()

    def _mount(self) -> None:
        _run("mount", "-o", "loop,errors=remount-ro", str(self._image), str(self.path))
        self._broken = False

    def _thaw_if_frozen(self) -> None:
        with contextlib.suppress(OSError):  # it is not frozen, or not there any more
            self._ioctl(_THAW)

    def _ioctl(self, request: int, flag: int = 0) -> None:
        handle = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(handle, request, struct.pack("i", flag))
        finally:
            os.close(handle)


def _tool(name: str) -> str | None:
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def _run(tool: str, *arguments: str) -> str:
    command = [_tool(tool) or tool, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603  # our own words
