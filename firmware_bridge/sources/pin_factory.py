"""Where gpiozero finds a Raspberry Pi's pins: the header's chip has another number on each model and kernel, but keeps its label."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

import gpiozero  # type: ignore[import-untyped] # it ships no types

HEADER_LABELS = frozenset({"pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"})
"""What kernels call the chip of the 40-pin header: Pi 5; Pi 4; all before (pinctrl-rp1.c and pinctrl-bcm2835.c in Linux)."""
_GET_CHIP_INFO = 0x8044B401
"""GPIO_GET_CHIPINFO_IOCTL of linux/gpio.h; it fills in a name and a label of 32 bytes each, and how many lines there are."""
_CHIP_INFO = struct.Struct("32s32sI")


class HeaderNotFoundError(Exception):
    """There are GPIO chips, but none of them is known to be the header's."""


def default_factory() -> object:
    """Return the pin factory that GPIOZERO_PIN_FACTORY names, else that of the header's chip. Raises `HeaderNotFoundError`."""
    with warnings.catch_warnings(), _writable_folder():
        # gpiozero warns of each library that it looked for in vain; only that none is left matters, and that is raised
        warnings.simplefilter("ignore")
        if gpiozero.Device.pin_factory is None and "GPIOZERO_PIN_FACTORY" not in os.environ:
            found = chips()
            with contextlib.suppress(ModuleNotFoundError):  # gpiozero then looks for other libraries
                lgpio = import_module("gpiozero.pins.lgpio") if found else None
                if lgpio is not None:
                    gpiozero.Device.pin_factory = lgpio.LGPIOFactory(chip=header_chip(found))
        gpiozero.Device.ensure_pin_factory()
    return gpiozero.Device.pin_factory


def header_chip(labels: Mapping[int, str]) -> int:
    """Return the number of the header's chip among these labels by number. Raises `HeaderNotFoundError`, which names them all."""
    for number, label in labels.items():
        if label in HEADER_LABELS:
            return number
    found = ", ".join(f"gpiochip{number} ({label})" for number, label in labels.items())
    raise HeaderNotFoundError(
        f"none of the GPIO chips here is the pin header's: {found}; it would be called {' or '.join(sorted(HEADER_LABELS))}"
    )


def chips(folder: Path = Path("/dev"), ask: Callable[[int, int, bytes], bytes] = fcntl.ioctl) -> Mapping[int, str]:
    """Return the label of each GPIO character device by its number; where one may not be opened, why."""
    found = {}
    for path in folder.glob("gpiochip*"):
        if not (number := path.name.removeprefix("gpiochip")).isdecimal() or path.is_symlink():
            continue
        try:
            device = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            found[int(number)] = f"cannot be opened: {error.strerror}"
            continue
        try:
            _, label, _ = _CHIP_INFO.unpack(ask(device, _GET_CHIP_INFO, bytes(_CHIP_INFO.size)))
            found[int(number)] = label.rstrip(b"\0").decode(errors="replace")
        except OSError as error:
            found[int(number)] = f"tells no label: {error.strerror}"
        finally:
            os.close(device)
    return dict(sorted(found.items()))


@contextlib.contextmanager
def _writable_folder() -> Iterator[None]:
    """Be in a folder where a file may be made: lgpio makes a pipe in the one it is imported in, and fails where it may not.

    A service's is the root, which nobody may write to.
    """
    if os.access(".", os.W_OK):
        yield
        return
    before = os.open(".", os.O_PATH | os.O_DIRECTORY)
    os.chdir(tempfile.gettempdir())
    try:
        yield
    finally:
        os.fchdir(before)
        os.close(before)
