"""`hallmarshal station serve`, `account` and `tables`: what cannot be done is one line, and changes nothing."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.net.broker.hall_broker import HallPass, tables_in
from referee.tournament.hall.accounts import Accounts


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a station's directory with a chief."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a long password\n"), "utf-8"))
    assert main(["station", "account", "Ada", "--role", "chief", "--password-stdin", "--state", str(tmp_path)]) == 0
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["serve", "--event", "none"], 2, "no event none"),
        (["serve", "--event", "No Name"], 2, "No Name"),
        (["serve", "--event", "cup", "--store", "what://x"], 2, "a store is"),
        (["serve", "--event", "cup", "--store", "postgresql://nobody@127.0.0.1:1/x"], 3, "connection"),
        (["serve", "--delay", "soon"], 2, "is no number of minutes from 1 to 1440"),
        (["serve", "--web", "here"], 2, "an address like"),
        (["serve", "--key", "/none"], 2, "go together"),
        (["account", "Bram", "--remove"], 2, "no account"),
        (["tables", "../out"], 2, "cannot stand in a topic"),
        (["tables", "t1", "--port", "99999"], 2, "no pass"),
        (["tables", "t1", "--host", "a b"], 2, "no pass"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    state: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, said: str
) -> None:
    """Exit 2 for what makes no sense, 3 for what cannot be reached."""
    capsys.readouterr()
    try:
        found = main(["station", *words, "--state", str(state)])
    except SystemExit as left:  # argparse
        found = int(str(left.code))
    complaint = capsys.readouterr().err
    assert (found, said in complaint, complaint.count("\n")) == (code, True, 1), complaint
    assert tables_in(state / "broker") == ()
    assert set(Accounts(state / "accounts.json").names) == {"Ada"}


@pytest.mark.parametrize(
    ("typed", "said"), [(b"", "8 to 200"), (b"\xff\xfe\n", "no password"), (b"short\n", "8 to 200")]
)
def test_a_password_that_is_none(
    state: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, typed: bytes, said: str
) -> None:
    """One line, and no account."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed), "utf-8"))
    assert main(["station", "account", "Bram", "--password-stdin", "--state", str(state)]) == 2
    assert said in capsys.readouterr().err
    assert set(Accounts(state / "accounts.json").names) == {"Ada"}


def test_passes_are_written_once_and_keep_their_password(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Asked for again, a table gets the same pass; a new host changes nothing else."""
    assert main(["station", "tables", "t1", "t2", "--state", str(state), "--host", "10.0.0.1"]) == 0
    first = HallPass.read(state / "t1.pass")
    assert main(["station", "tables", "t1", "--state", str(state), "--host", "10.0.0.2"]) == 0
    again = HallPass.read(state / "t1.pass")
    assert (again.host, again.password, again.station) == ("10.0.0.2", first.password, first.station)
    capsys.readouterr()
    assert main(["station", "tables", "--state", str(state)]) == 0
    assert capsys.readouterr().out.split() == ["t1", "t2"]
