"""Keys on another disk than the table's state: nothing on the card opens a game; without that disk nothing is begun."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.journal.owners import OWNERS
from referee.journal.stored import JOURNAL
from referee.net.credential import KeyPair
from referee.rules.values import Seat
from referee.runtime.errors import UnreachableError
from referee.runtime.game_archive import KEY, take_keys
from referee.runtime.state_folder import REFEREE_KEY
from tests.demo.test_what_goes_wrong import wait_until
from tests.reliability.test_killed_table import Interrupted

DISKS = [path for path in map(Path, ("/dev/shm", "/var/tmp")) if path.is_dir()]
GAME = "2026-11-26-120000-0a1b2c"
pytestmark = pytest.mark.skipif(
    len({path.stat().st_dev for path in DISKS}) < 2, reason="there is no second file system here"
)


@pytest.fixture
def stick(tmp_path: Path) -> Iterator[Path]:
    """Yield a folder on another disk than the test's."""
    other = next(path for path in DISKS if path.stat().st_dev != tmp_path.stat().st_dev)
    with tempfile.TemporaryDirectory(dir=other) as folder:
        yield Path(folder)


def card(state: Path) -> str:
    """Make the state of a table that has played without a stick; return the referee's public key."""
    folder = state / "games" / GAME
    folder.mkdir(parents=True)
    (folder / JOURNAL).touch()
    (folder / KEY).write_text("the game's")
    return KeyPair.load_or_create(state / REFEREE_KEY).public.text


def test_keys_move_to_the_stick_once(tmp_path: Path, stick: Path) -> None:
    """The referee's, and that of the game that is on; the card has none afterwards, and a second start finds them there."""
    referee = card(tmp_path)
    for _ in range(2):
        take_keys(stick, tmp_path, referee, GAME)
        assert not list(tmp_path.rglob("*.key"))
        assert (stick / f"{GAME}.key").read_text() == "the game's"
        assert KeyPair.load_or_create(stick / REFEREE_KEY).public.text == referee


def test_another_key_on_the_card_is_left_alone(tmp_path: Path, stick: Path) -> None:
    """Nobody knows which of two is wanted later."""
    referee = card(tmp_path)
    KeyPair.load_or_create(stick / REFEREE_KEY)
    take_keys(stick, tmp_path, referee, None)
    assert (tmp_path / REFEREE_KEY).exists()


def test_without_the_stick_nothing_is_begun(tmp_path: Path, stick: Path) -> None:
    """No folder, an empty one, one on the card itself: each is one clear error, and no key is made."""
    card(tmp_path)
    for path in (tmp_path / REFEREE_KEY, tmp_path / "games" / GAME / KEY):
        path.unlink()
    for keys in (stick / "none", stick):
        with pytest.raises(UnreachableError, match="put in the disk that has them"):
            take_keys(keys, tmp_path, "known", GAME)
    with pytest.raises(UnreachableError, match="on the same disk"):
        take_keys(tmp_path, tmp_path, "", None)
    assert not [*tmp_path.rglob("*.key"), *stick.iterdir()]


@pytest.mark.process
def test_a_game_goes_on_once_its_stick_is_back(tmp_path: Path, stick: Path) -> None:
    """Killed in its middle, started without the stick: one line and exit code 3; with it the game goes on, and at its end its key goes.

    Also where the stick was pulled just before that end: the table comes back to it.
    """
    config, gone = tmp_path / "table.toml", stick.with_name(f"{stick.name}-gone")
    config.write_text(f'keys = "{stick}"\n')
    with Interrupted(tmp_path, "duel", "--config", str(config)) as table:
        table.take_seats()
        table.play_on("begin", game=1)
        state = tmp_path / "table"
        assert not list(state.rglob("*.key"))
        assert len(list(stick.iterdir())) == 2
        stick.rename(gone)
        table.rest()
        with pytest.raises(AssertionError, match=r"exit code 3.*put in the disk that has them"):
            table.start_again(signal.SIGKILL, "--config", str(config))
        gone.rename(stick)
        table.start_again(signal.SIGKILL, "--config", str(config))
        stick.rename(gone)
        table.handsets[Seat.RED].send({"type": "resign"})
        assert table.table.wait() == 3
        gone.rename(stick)
        table.start_again(signal.SIGKILL, "--config", str(config))
        (folder,) = (state / "games").iterdir()
        wait_until((folder / OWNERS).exists)
        table.table.send("quit")
        wait_until(lambda: [path.name for path in stick.iterdir()] == [REFEREE_KEY])
