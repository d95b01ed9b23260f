"""A table's pass into a hall, as a file: read as it was written, or one clear line without a secret."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from referee.net.broker.hall_broker import HallPass
from referee.net.errors import CredentialError
from referee.net.sealing.signing import StationKey

PASS = HallPass("t1", "10.0.0.1", 1884, "t1.table", "secret-word", StationKey.create().public.text)


def test_a_pass_is_read_as_it_was_written(tmp_path: Path) -> None:
    """For nobody else to read; its text form shows no password."""
    PASS.write(tmp_path / "t1.pass")
    assert HallPass.read(tmp_path / "t1.pass") == PASS
    assert stat.S_IMODE((tmp_path / "t1.pass").stat().st_mode) == 0o600
    assert "secret-word" not in repr(PASS)


@pytest.mark.parametrize(
    "change",
    [
        {"board": 5},
        {"board": "a b"},
        {"host": 5},
        {"host": ""},
        {"host": "a b"},
        {"host": "a\nlistener 1"},
        {"port": 1.5},
        {"port": "1884"},
        {"port": 0},
        {"user": "x\u0000y"},
        {"password": None},
        {"station": "short"},
        {"certificate": 5},
    ],
    ids=str,
)
def test_what_is_no_pass_is_said_in_one_line(change: dict[str, Any], tmp_path: Path) -> None:
    """Nothing of it comes into the broker's configuration."""
    path = tmp_path / "t1.pass"
    PASS.write(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(CredentialError, match="no pass of a hall") as caught:
        HallPass.read(path)
    assert "secret-word" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b"[" * 9000])
def test_a_file_of_another_kind(content: bytes, tmp_path: Path) -> None:
    """One line as well."""
    (tmp_path / "t1.pass").write_bytes(content)
    with pytest.raises(CredentialError, match="no pass of a hall"):
        HallPass.read(tmp_path / "t1.pass")
