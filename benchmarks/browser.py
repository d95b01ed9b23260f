"""Chromium as the tests and the measurements of the phone page use it: Debian's, without a screen, with an empty profile."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from referee.runtime.errors import UnreachableError

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_START_MS = 150_000
"""A machine that is busy takes its time to start one."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Give a running browser; raises `UnreachableError` where playwright or Chromium is missing."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise UnreachableError("this needs Chromium and the Python package playwright (make install brings both)")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=list(FLAGS), timeout=_START_MS)
        try:
            yield browser
        finally:
            browser.close()
