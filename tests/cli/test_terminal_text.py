"""Control sequences that strangers wrote reach no terminal: from a server, a file's name, a file's content, an argument."""

from __future__ import annotations

import ast
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from unicodedata import bidirectional, category

import pytest
from rich.table import Table
from rich.text import Text

from referee.cli.main import guarded, main
from referee.terminal import TerminalConsole
from referee.terminal_text import print_data, visible
from tests.cli.test_main import ROOT, run

ESCAPES = "\x1b[2J\x1b]0;title\x07\x1b[8m"
C1 = "\x9b31m\x9d0;title\x9c"
BIDI = "\u202eflag\u202c\u2066x\u2069\u200f\u061c"
NASTY = ESCAPES + C1 + BIDI + "\r\x7f"
"""All of them in one: clear the screen, set its title, conceal, write from right to left, go back to the line's start."""

QUOTED = json.dumps(NASTY).replace("\x7f", "\\u007f")
HOUSE_RULES = f'name = "house"\nbase = "duel"\nsource = {QUOTED}\n'
JOIN = "http://127.0.0.1:{port}/join#5xV0rJ2mQ9yAZk3TnB7cWg&0123456789abcdef0123456789abcdef"


def steers(text: str) -> list[str]:
    """Return the characters of a text that a terminal would obey: controls, surrogates, marks of direction."""
    turns = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")  # and the marks of UAX #9
    return [
        letter
        for letter in text
        if (category(letter) in ("Cc", "Cs", "Zl", "Zp") and letter not in "\t\n")
        or bidirectional(letter) in turns
        or letter in "\u061c\u200e\u200f"
    ]


def test_what_steers_a_terminal_is_written_out() -> None:
    """Every C0, C1 and bidi control; letters, joiners, line ends and tabs stay, and JSON stays the same document."""
    assert visible("a\x1b[31mb\x9bc\u202ed\x7f\udcff") == "a\\u001b[31mb\\u009bc\\u202ed\\u007f\\udcff"
    kept = "Zoë\t♜ नि\u200dx \u200c家\n"
    assert visible(kept) == kept
    controls = [
        chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    ]
    everything = "".join(map(chr, range(sys.maxunicode)))
    steering = steers(everything)
    assert set("".join(controls)) <= {*steering, "\t", "\n"}
    rows = [everything[at : at + 64] for at in range(0, len(everything), 64)]  # most of which are left as they are
    changed = [letter for row in rows if visible(row) != row for letter in row if visible(letter) != letter]
    assert changed == steering
    document = json.dumps({"name": NASTY}, ensure_ascii=False)
    assert json.loads(visible(document)) == {"name": NASTY}


@pytest.mark.process
@pytest.mark.parametrize(
    "words",
    [
        [NASTY],
        ["rules", "show", NASTY],
        ["rules", "show", f"{NASTY}.toml"],
        ["record", "check", NASTY],
        ["record", "audit", "game.xml", "--root", NASTY],
        ["handset", "--join", NASTY],
        ["table", "--board", NASTY],
        ["kiosk", "--broker", NASTY, "--board", "b"],
        ["station", "show", NASTY],
        ["doctor", "--board", f"replay:{NASTY}", "--once"],
        ["demo", "--rules", NASTY],
    ],
    ids=lambda words: words[0] if words[0] != NASTY else "alone",
)
def test_an_argument_steers_no_terminal(words: list[str]) -> None:
    """What a name that a page told us to type says is shown, not obeyed."""
    done = run(*words, text="")
    assert done.returncode in (2, 3)
    assert steers(done.stdout + done.stderr) == []


@pytest.mark.process
@pytest.mark.parametrize("verb", ["check", "audit", "show"])
def test_the_name_of_a_file_steers_no_terminal(verb: str, tmp_path: Path) -> None:
    """Of one that can be read, one that cannot, and one whose name is no UTF-8."""
    whole = "<?xml version='1.0'?><games></games>"
    for number, name in enumerate((NASTY.encode(), b"\xff\x1b[2J.xml")):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = os.fsencode(folder) + b"/" + name
        Path(os.fsdecode(path)).write_text(whole)
        command = [os.fsencode(word) for word in (sys.executable, "-m", "referee.cli.main", "record", verb)]
        done = subprocess.run([*command, path], cwd=ROOT, capture_output=True, check=False)
        assert b"fault of the program" not in done.stderr
        assert steers((done.stdout + done.stderr).decode()) == []


def test_a_journal_and_a_record_of_that_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is said on stdout when all is well holds the name, too."""
    from tests.records.recorded_games import own_games

    path = tmp_path / f"{NASTY}.xml"
    path.write_bytes(own_games()[0].xml())
    for verb in ("check", "audit"):
        main(["record", verb, str(path)])
        out = capsys.readouterr().out
        assert "\\u001b[2J" in out
        assert steers(out) == []


def test_a_rule_file_steers_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its source on its sheet, a fault in it, and the name of the file. A name that could not stand in a record is refused."""
    path = tmp_path / "house.toml"
    path.write_text(HOUSE_RULES)
    assert main(["rules", "show", str(path), "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert "\\u001b]0;title" in out
    assert steers(out) == []
    for name in (QUOTED, json.dumps("a  b"), '""', json.dumps("a" * 201)):
        path.write_text(f'name = {name}\nbase = "duel"\n')
        assert main(["rules", "show", str(path)]) == 2
        assert "name: must be 1 to 200 printable" in capsys.readouterr().err
    path = tmp_path / f"{NASTY}.toml"
    path.write_text(HOUSE_RULES + f"[options]\n{QUOTED} = 1\n")
    assert main(["rules", "show", str(path)]) == 2
    assert steers(capsys.readouterr().err) == []


@contextmanager
def server(answer: dict[str, str]) -> Iterator[str]:
    """Answer every POST with this and status 403. Yields the join link of this server."""

    class Page(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.dumps(answer).encode()
            self.send_response(403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield JOIN.format(port=serving.server_port)
        serving.shutdown()


@pytest.mark.process
def test_a_servers_error_word_steers_no_terminal() -> None:
    """Whoever answers behind a join link chooses the word."""
    with server({"error": NASTY}) as url:
        done = run("handset", "--join", url, text="")
    assert done.returncode == 2
    assert "\\u001b[2J" in done.stderr
    assert steers(done.stdout + done.stderr) == []


def test_a_console_steers_with_its_own_sequences_only() -> None:
    """Text, tables, plain strings and rich's own styles in one: bold is bold, what was in the text is written out."""
    console = TerminalConsole(force_terminal=True, color_system="standard", width=200)
    console.file = io.StringIO()
    table = Table(NASTY)
    table.add_row(NASTY, Text(NASTY))
    for what in (NASTY, Text(NASTY, "bold"), table):
        console.print(what)
    printed = console.file.getvalue()
    assert "\x1b[1m\\u001b[2J" in printed
    assert steers(printed.replace("\x1b[1m", "").replace("\x1b[0m", "")) == []


def test_data_stay_as_they_are_in_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    """An export into a pipe is not touched: a name may hold marks that right-to-left scripts need."""

    def act() -> int:
        print_data("\u200fשרה\n")
        print("\u200f")
        return 0

    assert guarded(act) == 0
    assert capsys.readouterr().out == "\u200fשרה\n\\u200f\n"


def test_no_other_console_is_made() -> None:
    """A console of rich's own class would write what strangers wrote as it is; those that draw into a file are none."""
    for path in (ROOT / "referee").rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "Console" in text else ():  # few name one, and parsing takes its time
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Console":
                assert any(word.arg == "file" for word in node.keywords), f"{path}:{node.lineno}"
