"""A folder with a small journal, closed and open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.journal.journal import Journal
from tests.journal.folders import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return a folder with a journal of five rows."""
    return Folder(tmp_path)


@pytest.fixture
def journal(folder: Folder) -> Iterator[Journal]:
    """Yield that journal, open."""
    opened = folder.open()
    yield opened
    opened.close()
