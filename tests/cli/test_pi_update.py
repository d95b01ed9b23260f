"""`setup-pi --update`: real wheels of this tree in real environments, and a real table.

Only systemd is stood in for, by a script that starts what the real units say.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.runtime.pi_setup import CONFIG, RELEASES, STATE, TABLE_UNIT
from referee.runtime.pi_update import PiReleases
from tests.demo.running import environment
from tests.demo.test_what_goes_wrong import wait_until
from tests.packages import PACKAGES, ROOT
from tests.patience import PATIENCE_S

# starts and stops what a unit's ExecStart says, with the folders of the system below $PI; a Pi that is switched on does `start`
SYSTEMCTL = """#!{python}
import os, re, signal, subprocess, sys, threading
from pathlib import Path

pi = Path(os.environ["PI"])
verb, *units = [word for word in sys.argv[1:] if not word.startswith("--")]

def alive(pid):
    try:
        return Path(f"/proc/{{pid}}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False

for unit in units:
    kept = pi / unit
    pid = int(kept.read_text()) if kept.exists() else 0
    if verb == "show":
        print("NRestarts=0 ActiveState=" + ("active" if alive(pid) else "failed"))
    if verb in ("stop", "restart") and alive(pid):
        os.killpg(pid, signal.SIGTERM)
        while alive(pid):
            threading.Event().wait(0.05)
    if verb in ("start", "restart"):
        line = re.search("^ExecStart=(.*)", (pi / "etc/systemd/system" / unit).read_text(), re.MULTILINE)[1]
        words = [re.sub("^(?=/(etc|var)/)", str(pi), word) for word in line.split()]
        said = (pi / "said").open("a")
        kept.write_text(str(subprocess.Popen(words, stdin=0, stdout=said, stderr=said, start_new_session=True).pid))
"""
# takes the steps of an update or of the way back; the power goes before the Nth thing that is done to the system
DRIVER = """
import os, signal, sys
from pathlib import Path
from referee.runtime import pi_setup, pi_update
from referee.runtime.errors import CommandError
from referee.runtime.pi_update import PiReleases

left = int(sys.argv[3])
pi_update._LOOK_S = 0.1  # this machine is no small Pi
def count(event, arguments):
    global left
    if event in ("subprocess.Popen", "os.rename", "os.symlink", "os.remove", "shutil.rmtree"):
        left -= 1
        if left == 0:
            os.killpg(0, signal.SIGKILL)
releases = PiReleases(Path(sys.argv[1]), patience_s=float(sys.argv[4]))
sys.addaudithook(count)
try:
    for step in releases.updating(Path(sys.argv[2])) if sys.argv[2] else releases.going_back():
        step.take(None)
except CommandError as error:
    sys.exit(str(error))
"""


class Pi:
    """A Pi's folders below a folder, on which a table of the environment that these tests run in is set up."""

    def __init__(self, root: Path, board: str) -> None:
        """`board` is the path of the serial port."""
        self.root = root
        (root / "bin").mkdir(parents=True)
        systemctl = root / "bin" / "systemctl"
        systemctl.write_text(SYSTEMCTL.format(python=sys.executable))
        systemctl.chmod(0o755)
        path = f"{root / 'bin'}:{os.environ['PATH']}"
        self._environment = environment(
            root, PI=str(root), PATH=path, PIP_NO_DEPS="1", PIP_NO_COMPILE="1", PYTHONPATH=str(_packages(root))
        )
        assert main(["setup-pi", "--root", str(root), "--no-kiosk", "--board", f"serial:{board}"]) == 0
        (root / STATE.lstrip("/")).mkdir(parents=True)
        self.port, broker = _free_port(), _free_port()
        config = root / CONFIG.lstrip("/")
        config.write_text(f'name = "table"\nweb = "127.0.0.1:{self.port}"\n[broker]\nport = {broker}\n')

    def systemctl(self, verb: str) -> None:
        """Start or stop the table."""
        subprocess.run(["systemctl", verb, Path(TABLE_UNIT).name], env=self._environment, check=True)

    def change(self, source: Path | None, *, cut: int = 0, patience_s: float = PATIENCE_S) -> tuple[int, str]:
        """Update, or go back without a source; return the exit code and what was said. With `cut` the power goes."""
        words = [sys.executable, "-c", DRIVER, str(self.root), str(source or ""), str(cut), str(patience_s)]
        done = subprocess.run(
            words,
            env=self._environment,
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
        )
        return done.returncode, done.stderr

    def link(self, name: str) -> str:
        """Return the folder that a link names, empty for none."""
        link = self.root / RELEASES.lstrip("/") / name
        return str(link.resolve().name) if link.is_symlink() else ""

    def runs(self) -> str:
        """Return the folder of the release whose table answers now."""
        wait_until(self._answers)
        pid = (self.root / Path(TABLE_UNIT).name).read_text()
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        return next(Path(word) for word in words if word.endswith("/bin/hallmarshal")).parents[1].resolve().name

    def _answers(self) -> bool:
        with closing(socket.socket()) as line:
            return line.connect_ex(("127.0.0.1", self.port)) == 0


def _free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        return int(server.getsockname()[1])


def _packages(folder: Path) -> Path:
    """Return a folder with all packages of this environment but our own, so that a release needs no index."""
    (folder / "packages").mkdir()
    for each in Path(next(path for path in sys.path if path.endswith("site-packages"))).iterdir():
        if "hallmarshal" not in each.name:
            (folder / "packages" / each.name).symlink_to(each)
    return folder / "packages"


def release(folder: Path, version: str, change: tuple[str, str, str] | None = None) -> Path:
    """Return a wheel of this tree under another version, with one text of one file changed."""
    tree = folder / f"tree-{version}"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__", "build"))
    for name in ("README.md", "LICENSE", "pyproject.toml"):
        shutil.copy(ROOT / name, tree)
    about = tree / "pyproject.toml"
    about.write_text(re.sub(r'^version = ".*"', f'version = "{version}"', about.read_text(), flags=re.MULTILINE))
    if change is not None:
        path, old, new = change
        text = (tree / path).read_text()
        assert old in text
        (tree / path).write_text(text.replace(old, new))
    build = ["hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run([sys.executable, "-m", *build], cwd=tree, check=True, capture_output=True)
    return folder / f"hallmarshal-{version}-py3-none-any.whl"


@pytest.fixture
def board() -> Iterator[str]:
    """The path of a simulated board's serial port."""
    command = [sys.executable, "-m", "simulator.process", "--board", "travel-10x10", "--speed", "max"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield json.loads(running.stdout.readline())["pty"]
        running.terminate()


@pytest.fixture
def pi(tmp_path: Path, board: str) -> Iterator[Pi]:
    """A Pi whose table runs."""
    found = Pi(tmp_path / "pi", board)
    found.systemctl("start")
    yield found
    found.systemctl("stop")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This tree as release 9.0."""
    return release(tmp_path_factory.mktemp("wheels"), "9.0")


@pytest.mark.process
def test_a_release_comes_fails_and_goes(pi: Pi, wheel: Path, tmp_path: Path) -> None:
    """The new table runs on the old one's keys; one that does not start is taken back; the way back leads to where all began."""
    state = pi.root / STATE.lstrip("/")
    ours = pi.runs()
    before = {path.name: path.read_bytes() for path in state.glob("*.key")}
    assert before
    assert pi.change(wheel) == (0, "")
    assert (pi.link("current"), pi.link("former"), pi.link("trying"), pi.runs()) == ("1", ours, "", "1")
    assert {path.name: path.read_bytes() for path in state.glob("*.key")} == before
    copy = pi.root / RELEASES.lstrip("/") / "1" / "state-before.tar.gz"
    assert copy.stat().st_mode & 0o777 == 0o600

    broken = release(
        tmp_path, "9.1", ("referee/cli/table.py", "\ndef run(", '\nraise SystemExit("broken")\n\n\ndef run(')
    )
    code, said = pi.change(broken, patience_s=PATIENCE_S)
    assert (code, said.count("\n")) == (1, 1)
    assert "does not start" in said
    assert (pi.link("current"), pi.link("former"), pi.link("trying"), pi.runs()) == ("1", ours, "", "1")

    assert pi.change(None) == (0, "")
    assert (pi.link("current"), pi.link("former"), pi.runs()) == (ours, "1", ours)
    assert {path.name: path.read_bytes() for path in state.glob("*.key")} == before


@pytest.mark.process
def test_the_plug_is_pulled_during_an_update(pi: Pi, wheel: Path) -> None:
    """Whatever was cut short, a table runs once the Pi is on again, and the same command comes to its end."""
    ours = pi.runs()
    for cut in (2, 9):  # before pip, between the two links; the way back is tried at every place
        assert pi.change(wheel, cut=cut)[0] == -signal.SIGKILL
        pi.systemctl("restart")
        assert pi.runs() in (ours, pi.link("current"))
    assert pi.change(wheel) == (0, "")
    assert (pi.runs(), pi.link("trying")) == (pi.link("current"), "")
    kept = sorted(each.name for each in (pi.root / RELEASES.lstrip("/")).glob("[0-9]*"))
    assert kept == sorted({pi.link("current"), pi.link("former")} - {ours})


SMALL = """#!{python}
import http.server, sys
if sys.argv[1] == "table":
    http.server.test(http.server.SimpleHTTPRequestHandler, port={port}, bind="127.0.0.1")
"""


@pytest.mark.process
def test_the_plug_is_pulled_on_the_way_back(tmp_path: Path) -> None:
    """At each place, of releases that do nothing but answer: where a change was cut short, the same command ends it."""
    pi = Pi(tmp_path, "/dev/null")
    folder = tmp_path / RELEASES.lstrip("/")
    for name in ("1", "2"):
        command = folder / name / "bin" / "hallmarshal"
        command.parent.mkdir(parents=True)
        command.write_text(SMALL.format(python=sys.executable, port=pi.port))
        command.chmod(0o755)
    unit = tmp_path / TABLE_UNIT.lstrip("/")
    unit.write_text(
        re.sub(r"(?<=^ExecStart=)\S+", f"{folder}/current/bin/hallmarshal", unit.read_text(), flags=re.MULTILINE)
    )
    (folder / "current").symlink_to("1")
    (folder / "former").symlink_to("2")
    pi.systemctl("start")
    cuts = 0
    while True:
        before, wanted = pi.link("current"), pi.link("former")
        cuts += 1
        code = pi.change(None, cut=cuts)[0]
        if code == -signal.SIGKILL:
            pi.systemctl("restart")
            assert pi.runs() in (before, wanted)
            assert pi.change(None) == (0, "")
        assert (pi.runs(), pi.link("current"), pi.link("former"), pi.link("trying")) == (wanted, wanted, before, "")
        if code == 0:
            break
    pi.systemctl("stop")
    assert cuts > 8


def test_the_plug_is_pulled_before_any_release_was_in_use(tmp_path: Path) -> None:
    """Of the first update only the link to what ran before was there: nothing has to be judged."""
    assert main(["setup-pi", "--root", str(tmp_path), "--no-kiosk", "--board", "gpio:travel-pi-chain"]) == 0
    trying = tmp_path / RELEASES.lstrip("/") / "trying"
    trying.parent.mkdir(parents=True)
    trying.symlink_to(tmp_path)
    next(PiReleases(tmp_path).updating(tmp_path)).take(None)
    assert not trying.is_symlink()


def test_what_cannot_be_updated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line each: no such release, a Pi that is not set up, nothing to go back to, an image."""
    for words in (
        ["--update", str(tmp_path / "none")],
        ["--update", str(tmp_path)],
        ["--back"],
        ["--back", "--root", "/x"],
    ):
        assert main(["setup-pi", *words]) == 2
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)


def test_a_dry_run_of_an_update(tmp_path: Path) -> None:
    """Every step is named, and nothing is done."""
    assert main(["setup-pi", "--root", str(tmp_path), "--board", "gpio:travel-pi-chain", "--hotspot", "Club 4"]) == 0
    before = sorted(tmp_path.rglob("*"))
    shown = "".join(step.shown for step in PiReleases(tmp_path).updating(tmp_path))
    assert shown.count("\n") == 6
    assert f"{tmp_path}{RELEASES}/1" in shown
    assert sorted(tmp_path.rglob("*")) == before
    told = " ".join(PiReleases(tmp_path)._options())
    assert told == "--user hallmarshal --board gpio:travel-pi-chain --hotspot Club 4"
