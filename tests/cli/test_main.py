"""The root command: exit codes, one clear line, nothing heavy imported, and the ways a process is stopped."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.sources.gpio import calibration_path
from hardware import load_board
from referee.cli.bench import BENCHMARKS
from referee.cli.command import LazyParser
from referee.cli.main import COMMANDS, guarded, main, parser_of_commands
from referee.cli.station_serve import opened_state
from referee.runtime.errors import BadInputError, UnreachableError
from referee.runtime.state_folder import state_folder
from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-W", "error", "-m", "referee.cli.main"]


def run(*arguments: str, text: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a process that reads `text`."""
    command = [*COMMAND, *arguments]
    return subprocess.run(
        command, cwd=ROOT, input=text, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


def test_alone_it_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    """As with `--help`: every command, exit 0."""
    with pytest.raises(SystemExit) as caught:
        main([])
    out, err = capsys.readouterr()
    assert (caught.value.code, err) == (0, "")
    assert set(COMMANDS) <= set(out.split())


def helped(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what `--help` prints, without its line breaks."""
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main([command, "--help"])
    return re.sub(r"\s+", "", capsys.readouterr().out)


def test_what_is_kept_lies_in_the_state_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """XDG_STATE_HOME where it is set, and in tests it always is; the hall's store and accounts too, and help names it."""
    assert not state_folder("x").is_relative_to(Path.home())
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["station", "new", "cup", "--rounds", "3"]) == 0
    assert main(["station", "tables", "t1"]) == 0
    kept = tmp_path / "hallmarshal" / "station"
    assert (kept / "events.db").is_file()
    assert kept == opened_state(None)
    for command, place in (
        ("station", kept),
        ("table", kept.with_name("NAME")),
        ("field-trial", kept.with_name("field-trial")),
    ):
        assert str(place) in helped(command, capsys)
    usual = Path.home() / ".local/state/hallmarshal"
    for unfit in (
        "",
        "relative",
        "~/state",
    ):  # a folder of wherever the program was called is none to find anything again in
        monkeypatch.setenv("XDG_STATE_HOME", unfit)
        assert state_folder("x") == usual / "x"
        assert calibration_path(load_board("travel-pi-mcp3008")).is_relative_to(usual)
    monkeypatch.delenv("XDG_STATE_HOME")
    assert state_folder("x") == usual / "x"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there(name: str) -> None:
    """A module named in the list exists, and answers --help."""
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["rules"], ["rules", "nonsense"], ["record", "check"], ["rules", "list", "--x"]]
)
def test_bad_arguments_are_exit_2_and_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Arguments that make no sense: exit 2, one line, no usage, no traceback."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    out, err = capsys.readouterr()
    assert caught.value.code == 2
    assert out == ""
    assert err.startswith("hallmarshal")
    assert err.count("\n") == 1


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` prints the name and a version."""
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.startswith("hallmarshal ")


def test_errors_become_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    """Bad input is 2, an unreachable board 3, Ctrl-C 130; each error is one line."""

    def failing(error: BaseException) -> int:
        raise error

    assert guarded(lambda: failing(BadInputError("a\nb"))) == 2
    assert guarded(lambda: failing(UnreachableError("no board on /dev/ttyACM0"))) == 3
    assert guarded(lambda: failing(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == "hallmarshal: a b\nhallmarshal: no board on /dev/ttyACM0\n"


def test_our_own_faults_show_no_traceback_and_no_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours is exit 1 and names its place; its text, which could hold a secret, is kept back."""
    monkeypatch.delenv("HALLMARSHAL_TRACEBACK", raising=False)

    def failing() -> int:
        raise ValueError("the flag stands on a1")

    assert guarded(failing) == 1
    err = capsys.readouterr().err
    assert "ValueError" in err
    assert "flag" not in err
    monkeypatch.setenv("HALLMARSHAL_TRACEBACK", "1")
    with pytest.raises(ValueError, match="flag"):
        guarded(failing)


@pytest.mark.process
def test_no_core_is_dumped(tmp_path: Path) -> None:
    """A process of ours that is made to abort leaves no core, where any other program leaves one."""

    def dumps(code: str) -> bool:
        unlimited = "import os, resource; resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)"
        words = [sys.executable, "-c", f"{unlimited}; {code}", "rules", "list", "--json"]
        child = subprocess.Popen(
            words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL
        )
        status = os.waitpid(child.pid, 0)[1]
        child.returncode = os.waitstatus_to_exitcode(status)
        return os.WCOREDUMP(status) or list(tmp_path.iterdir()) != []

    ours = dumps("from referee.cli.main import main; main(); os.abort()")
    if not dumps("os.abort()"):
        pytest.skip("this machine dumps no core of anything")
    assert not ours


@pytest.mark.process
def test_a_thread_that_breaks_is_one_line_without_its_text() -> None:
    """As with the main thread: class and place, never the text, and no traceback."""
    code = (
        "import threading; from referee.cli import main\n"
        "def weak(): raise ValueError('the flag stands on a1')\n"
        "def run(arguments): thread = threading.Thread(target=weak); thread.start(); thread.join(); return 0\n"
        "main._run = run; raise SystemExit(main.main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (0, "", 1)
    assert "ValueError in __main__, line 2" in done.stderr
    assert "flag" not in done.stderr


@pytest.mark.process
def test_rules_and_records_import_nothing_heavy() -> None:
    """Kivy, MQTT, serial ports and sealing stay out of the commands that need none of them."""
    code = (
        "import sys; from referee.cli.main import main; main(['rules', 'list', '--json']); "
        "print([m for m in ('kivy', 'paho', 'serial', 'nacl') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    assert json.loads(done.stdout)
    assert done.stderr == "[]\n"


@pytest.mark.process
def test_moves_as_a_process() -> None:
    """Positions on stdin, lines on stdout; a bad byte is a bad line with its number."""
    position = "A" * 42 + "__AA__AAAA__AA__" + "A" * 42
    done = run("rules", "moves", text=f"{position} r\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {"pos": f"{position} r", "moves": []}
    done = run("rules", "moves", text=f"{position} r\n{position} \u00e9\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("hallmarshal: line 2: ")


@pytest.mark.process
def test_a_reader_that_goes_away_is_no_traceback() -> None:
    """A closed pipe ends the command quietly."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "rules", "show", "original"],
        cwd=ROOT,
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=PATIENCE_S,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.process
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGHUP, -signal.SIGTERM)])
def test_the_ways_it_is_stopped(how: signal.Signals, code: int) -> None:
    """Ctrl-C while waiting for input: exit 130 and no traceback. A closed terminal ends it as SIGTERM does."""
    child = subprocess.Popen(
        [*COMMAND, "rules", "moves"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdin is not None
    child.stdin.write(b"A")
    child.stdin.flush()
    while waiting_bytes(child.stdin.fileno()):  # once the byte is gone the command is reading
        assert child.poll() is None
        os.sched_yield()
    child.send_signal(how)
    out, err = child.communicate(timeout=PATIENCE_S)
    assert (child.returncode, out, err) == (code, b"", b"")


def waiting_bytes(pipe: int) -> int:
    """Return the number of unread bytes in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_benchmarks_are_offered(capsys: pytest.CaptureFixture[str]) -> None:
    """`bench --help` lists every benchmark."""
    with pytest.raises(SystemExit):
        main(["bench", "--help"])
    text = capsys.readouterr().out
    for name, help_text in BENCHMARKS.items():
        assert help_text[:20] in text, name


@pytest.mark.parametrize(
    "words",
    [
        "rules --rules nope",
        "rules --games 0",
        "rules --rounds 0",
        "accuracy --plies 0",
        "accuracy --moves /nowhere",
        "accuracy --accidents nan",
        "latency --plies 0",
        "latency --rules nope",
        "kills --plies -1",
        "kills --every 0",
        "kills --rules nope",
        "kiosk --sizes 800xlarge",
        "kiosk --events 0",
        "handset --attacks 0",
    ],
)
def test_benchmarks_refuse_what_they_cannot_measure(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One clear line and exit code 2, before anything is measured."""
    with pytest.raises(SystemExit) as ended:
        sys.exit(main(["bench", *words.split()]))
    assert ended.value.code == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_every_option_is_documented() -> None:
    """docs/reference/commands.md names every command, verb and option that there is."""
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    for words, parser in parsers("hallmarshal", parser_of_commands()):
        assert words in text, f"{words} is missing in commands.md"
        for action in parser._actions:
            for option in action.option_strings:
                assert option in ("-h", "--help") or option in text, f"{words}: {option} is missing in commands.md"


def parsers(words: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield a parser and all parsers below it, each with the words that lead to it."""
    if isinstance(parser, LazyParser):
        parser.fill()
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) and words != "hallmarshal bench":  # benchmarks come and go
            for name, below in action.choices.items():
                yield from parsers(f"{words} {name}", below)
