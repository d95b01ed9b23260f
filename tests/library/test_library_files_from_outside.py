"""The library attacked from outside: files that are damaged, huge or not ours, strangers' names, JSON lines, and what it costs."""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from referee.cli.main import main
from referee.door.messages import Response
from referee.journal.records.check import completed
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import View
from referee.journal.records.views import view_of
from referee.library.worker import work
from referee.rules import Seat, rule_set
from tests.library.outsider import (
    BLUE_ONE,
    BLUE_TWO,
    NAME,
    OTHER,
    RED_ONE,
    RED_TWO,
    SEEDS,
    Browser,
    all_of,
    another_on,
    body_of,
    differing,
    error_of,
    exported,
    filled,
    headers_of,
    listed,
    opened,
    printed,
    put,
    record_text,
    served,
    telling,
)
from tests.patience import PATIENCE_S
from tests.records.recorded_games import random_game

REFUSALS = {"log-in", "not-you", "request-unreadable", "not-found", "game-on", "busy", "unreadable"}


def numbered(count: int, day: str = "2026-11-20") -> list[str]:
    """Return names as a table gives them, in order."""
    return [f"{day}-{number // 3600:02}{number // 60 % 60:02}{number % 60:02}-{number:06x}" for number in range(count)]


def damaged_records() -> dict[str, bytes]:
    """Return what may lie in a folder instead of a record."""
    good = record_text().encode()
    return {
        "nothing": b"",
        "a line feed": b"\n",
        "the first line alone": b"hallmarshal record 3\n",
        "a newer version": good.replace(b"record 3", b"record 9999999999999999999999"),
        "a version that is no number": good.replace(b"record 3", "record \u00b3".encode()),
        "half a record": good[: len(good) // 2],
        "binary": bytes(range(256)) * 40,
        "zeros": bytes(4096),
        "another encoding": record_text(names=("Ännchen", "Bram")).encode("utf-16"),
        "bytes that are no UTF-8": good.replace(b"Anna", b"Ann\xff"),
        "a megabyte and more of comments": good + b"# and so on\n" * 100_000,
        "two megabytes in one line": good + b"#" * 2_000_000,
        "a line of 900 kB": good + b"x" * 900_000 + b"\n",
        "lines and lines": good + b"\n \n" * 20_000 + b"x\n",
        "a set-up twice": good + b"\n[set-up red]\na1 flag\n",
        "a number of 100,000 digits": good.replace(b"1 red e4-e5", b"1" * 100_000 + b" red e4-e5"),
        "a square far away": good.replace(b"a1 ?", b"a99999999999999999999 ?"),
        "a square twice": good.replace(b"a1 ?", b"b1 ?"),
        "no rules": good.replace(b"rules = barrage\n", b""),
        "an option of 100,000 digits": good.replace(
            b"rules = barrage", b"rules = barrage\noption.two_square_limit = " + b"9" * 100_000
        ),
        "a seat that nobody has": good.replace(b"player.red", b"player.pink"),
        "a winner that nobody is": good.replace(b"winner = blue", b"winner = green"),
        "XML": b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><stratego>&b;</stratego>',
        "brackets": b"[" * 100_000,
        "sections": b"hallmarshal record 3\n" + b"[game]\n" * 50_000,
        "a journal": b"SQLite format 3\0" + bytes(4096),
        "JSON": b'{"hallmarshal": "public knowledge"}',
    }


FOLDERS = [
    b"list",
    b"enter",
    b"game.html",
    b"-rf",
    b"--help",
    b"a b",
    b"line\nfeed",
    b"return\r\nSet-Cookie: a=b",
    b"\x1b[2J\x1b]0;owned\x07",
    b"\x7f",
    b"<script>alert(1)</script>"[:-10] + b"x",
    b"\"'&<>",
    b"%2e%2e%2fx",
    b"..x",
    b".hidden",
    b"\\",
    b"?a=b",
    b"#a",
    b"*",
    b"{}",
    "é".encode(),
    "e\u0301".encode(),
    "\u202eabc".encode(),
    "\u2028".encode(),
    "\U0001f600".encode(),
    "\uff0e\uff0e".encode(),
    b"9999-99-99-999999-ffffff",
    b"2026-11-20",
    b"x" * 255,
]


class TestForeignFiles:
    """A file that is damaged, huge or not ours costs its own line."""

    def test_damage_costs_its_own_line(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        put(tmp_path, NAME, record_text())
        damaged = damaged_records()
        names = dict(zip(damaged, numbered(len(damaged), "2026-11-22"), strict=True))
        for what, record in damaged.items():
            put(tmp_path, names[what], record)
        browser = Browser(tmp_path)
        assert NAME in browser.names()
        for what, name in names.items():
            answer = browser.ask(f"/games/{name}/game.html")
            assert answer.status in (200, 404, 500), what
            assert answer.status == 200 or error_of(answer) in REFUSALS, what
        assert browser.ask(f"/games/{NAME}").status == 200
        assert main(["record", "list", str(tmp_path), "--json"]) == 1
        out, err = capsys.readouterr()
        entries = [json.loads(line) for line in out.splitlines()]
        assert NAME in [entry["name"] for entry in entries]
        told = [name for name in names.values() if name in err]
        missing = [
            what for what, name in names.items() if name not in told and name not in [e["name"] for e in entries]
        ]
        assert not missing, "neither in the list nor in the lines of what cannot be read"
        assert max(map(len, err.splitlines())) < 1_000
        assert len(err.splitlines()) == len(told)

    @pytest.mark.parametrize("thing", ["folder", "pipe", "link in a circle", "link to nothing"])
    def test_a_record_that_is_no_file_costs_its_own_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], thing: str
    ) -> None:
        put(tmp_path, NAME, record_text())
        record = put(tmp_path, OTHER, "") / "game.record"
        record.unlink()
        if thing == "folder":
            record.mkdir()
        elif thing == "pipe":
            os.mkfifo(record)
        else:
            record.symlink_to("game.record" if "circle" in thing else "nothing")
        with filled(record, record_text().encode() + b"# and so on\n" * 200_000):
            served(tmp_path, name=OTHER)
            listed(capsys, tmp_path)
            assert Browser(tmp_path).names() == [NAME]

    @pytest.mark.parametrize("victim", ["replay.html", "library.jsonl"])
    @pytest.mark.parametrize("thing", ["folder", "pipe"])
    def test_nor_does_a_pipe_or_folder_where_something_is_kept(self, tmp_path: Path, thing: str, victim: str) -> None:
        folder = put(tmp_path, NAME, record_text())
        place = (tmp_path if victim == "library.jsonl" else folder) / victim
        place.mkdir() if thing == "folder" else os.mkfifo(place)
        with filled(place, b"KANARI"):
            said = served(tmp_path)
        assert Browser(tmp_path).names() == [NAME]
        assert not telling(said, "KANARI")

    def test_names_of_folders_are_no_trouble(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        put(tmp_path, NAME, record_text())
        for number, name in enumerate(FOLDERS):
            folder = os.path.join(os.fsencode(tmp_path / "games"), name)
            os.mkdir(folder)
            with open(os.path.join(folder, b"game.record"), "wb") as record:
                record.write(record_text(game=f"{number:016x}").encode())
        browser = Browser(tmp_path)
        names = browser.names()
        assert NAME in names
        for called in {*names, *map(os.fsdecode, FOLDERS)}:
            for path in (called, quote(called, safe="")):
                answer = browser.ask(f"/games/{path}/game.record")
                assert answer.status in (200, 303, 404, 405), called
                assert not any(sign in str(value) for value in headers_of(answer).values() for sign in "\r\n\0")
        assert body_of(browser.ask("/games")) == body_of(Browser(tmp_path / "none").ask("/games"))
        assert NAME in listed(capsys, tmp_path)

    def test_thousands_of_folders_that_hold_nothing_hide_no_game(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(tmp_path, NAME, record_text())
        for name in numbered(3_000, "2099-01-01"):
            (tmp_path / "games" / name).mkdir()
        browser = Browser(tmp_path)
        with opened(monkeypatch) as paths:
            asked = next((turn for turn in range(40) if NAME in browser.names()), None)
        assert asked is not None, "never listed"
        assert len({path for path in paths if Path(path).name == "game.record"}) <= 100 * (asked + 1)

    def test_hundreds_of_damaged_ones_hide_no_game_and_a_request_reads_a_hundred(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        put(tmp_path, NAME, record_text())
        for name in numbered(210, "2099-01-01"):
            put(tmp_path, name, b"junk")
        browser = Browser(tmp_path)
        found, turn = False, 0
        while not found and turn < 12:
            with opened(monkeypatch) as paths:
                found = NAME in browser.names()
            assert len({path for path in paths if Path(path).name == "game.record"}) <= 100
            turn += 1
        assert found, "never listed"
        with opened(monkeypatch) as paths:
            assert browser.names() == [NAME]
        assert len({path for path in paths if Path(path).name == "game.record"}) <= 100

    def test_fifty_at_most_are_listed_and_all_are_found_page_by_page(self, tmp_path: Path) -> None:
        names = numbered(105)
        for number, name in enumerate(names):
            put(tmp_path, name, record_text(game=f"{number:016x}"))
        browser = Browser(tmp_path)
        for _ in range(3):
            browser.names()
        found: list[str] = []
        while True:
            page = browser.listing(**({"before": found[-1]} if found else {}))
            assert 0 < len(page["games"]) <= 50
            found += [entry["name"] for entry in page["games"]]
            if not page.get("more"):
                break
        assert found == names[::-1]

    def test_what_ids_call_themselves_is_no_path_and_hides_no_game(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text())
        (tmp_path / "referee.key").write_text("KANARI")
        ids = [
            "../referee.key",
            "..",
            ".",
            "list",
            "enter",
            "/etc/passwd",
            OTHER,
            "<script>",
            "%2e%2e",
            "game.html",
            "a b",
        ]
        for name, game in zip(numbered(len(ids), "2026-11-22"), ids, strict=True):
            put(tmp_path, name, record_text(game=game, names=("Cora", "Dirk")))
        browser = Browser(tmp_path)
        assert NAME in browser.names()
        for game in ids:
            for path in (game, quote(game, safe="")):
                for tail in ("", "/game.html", "/game.record"):
                    answer = browser.ask(f"/games/{path}{tail}")
                    assert not telling([all_of(answer)], "KANARI")
                    assert answer.status < 500
        assert b"player.red = Anna" in body_of(browser.ask(f"/games/{NAME}/game.record"))


FORGED = {
    "name": "../../outside",
    "game": "x",
    "date": "2026-11-20",
    "rules": "KANARI",
    "mode": "declare",
    "players": {"red": "KANARI"},
}


class TestIndexAndCache:
    """What was kept by somebody else is not shown for ours."""

    @pytest.mark.parametrize(
        "text",
        [
            b"",
            b"\n" * 5_000,
            b"KANARI",
            b"\0" * 5_000,
            b"\xff\xfe KANARI",
            b"[" * 200_000,
            b"null\ntrue\n[]\n0\n",
            b"9" * 20_000,
            b'{"name": "' + b"KANARI" * 300_000 + b'"}',
            json.dumps(FORGED).encode(),
            json.dumps({"name": NAME, "players": {"red": "KANARI"}}).encode(),
            json.dumps([FORGED] * 3).encode(),
            b'{"name": ["KANARI"], "game": 1, "players": "KANARI", "plies": "many", "shown": 3, "mtime": {}}\n' * 20,
        ],
        ids=range(13),
    )
    def test_a_forged_index_is_made_again(self, tmp_path: Path, text: bytes) -> None:
        put(tmp_path, NAME, record_text())
        (tmp_path / "library.jsonl").write_bytes(text)
        said = served(tmp_path)
        assert Browser(tmp_path).names() == [NAME]
        assert not telling(said, "KANARI")

    def test_a_line_that_was_changed_opens_nothing(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text("referee"))
        put(tmp_path / "elsewhere", "outside", record_text("referee", names=("KANARI", "Bram")))
        honest = served(tmp_path)
        index = tmp_path / "library.jsonl"
        for old, new in ((NAME, "../elsewhere/games/outside"), (NAME, ".."), (NAME, "/etc"), (NAME, "")):
            index.write_text(index.read_text().replace(old, new))
            browser = Browser(tmp_path)
            said = [all_of(browser.ask("/games/list", b"{}"))]
            for path in (new, quote(new, safe="")):
                said += [all_of(browser.ask(f"/games/{path}{tail}")) for tail in ("", "/game.html", "/game.record")]
            assert not telling(said, "KANARI", "c1 marshal")
            index.unlink(missing_ok=True)
            assert not differing(served(tmp_path), honest)

    def test_a_forged_replay_is_made_again(self, tmp_path: Path) -> None:
        folder, other = put(tmp_path, NAME, record_text()), put(tmp_path, OTHER, record_text(names=("KANARI", "Bram")))
        honest = served(tmp_path)
        served(tmp_path, name=OTHER)
        kept, foreign = (each / "replay.html" for each in (folder, other))
        forgeries = [b"", b"<script>KANARI</script>", foreign.read_bytes(), b"\xff", b"\0" * 1000]
        assert len(set(forgeries)) == len(forgeries)
        for text in forgeries:
            kept.write_bytes(text)
            assert not differing(served(tmp_path), honest), text[:40]

    def test_a_replay_of_another_record_of_the_same_length_and_time_is_not_served(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text(names=("Anna", "Bram")))
        assert telling(served(tmp_path)[1:], "Anna")
        put(tmp_path, NAME, record_text(names=("Cora", "Bram")))
        assert not telling(served(tmp_path)[1:4], "Anna")


HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "</title></style></textarea></template><svg onload=alert(1)>",
    '" onmouseover="alert(1)" x=\'',
    "&lt;b&gt;&#60;script&#62;",
    "]]><svg onload=alert(1)>",
    "\\u003cscript\\u003e\\",
    "{{7*7}}${7*7}<%= 7 %>",
    "\u202eanna\u2066\u200f",
    "\uff21\u0301\u200d\ufeff",
    "__proto__",
    "constructor",
    "javascript:alert(1)",
    "=HYPERLINK(1)",
    "%s%n%x{0}",
]
CONTROL = [
    "\x1b[2J\x1b[31mred",
    "a\x07b",
    "a\x00b",
    "a\x08b",
    "a\x7fb",
    "a\x85b",
    "a\x9b2Jb",
    "a\x0bb",
    "a\x0cb",
    "a\u2028b",
    "a\rb",
    "a\tb",
]


class Skeleton(HTMLParser):
    """The elements of a page and the names of their attributes, in order."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.found: list[object] = []
        self.feed(page.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.found.append((tag, sorted(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Note its end."""
        self.found.append(tag)

    def handle_comment(self, data: str) -> None:
        """Note a comment."""
        self.found.append("comment")


def harmful(text: str) -> list[str]:
    """Return the signs that a terminal would obey, or that turn a line round."""
    turning = {
        *map(chr, range(0x202A, 0x202F)),
        *map(chr, range(0x2066, 0x206A)),
        "\u200e",
        "\u200f",
        "\u2028",
        "\u2029",
    }
    return sorted(
        {sign for sign in text if (sign < " " and sign != "\n") or "\x7f" <= sign < "\xa0" or sign in turning}
    )


class TestStrangersNames:
    """A name is text, wherever it is shown."""

    def test_is_no_element_of_a_page(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text())
        browser = Browser(tmp_path)
        plain = {tail: Skeleton(body_of(browser.ask(f"/games/{NAME}{tail}"))).found for tail in ("", "/game.html")}
        for name, at in zip(numbered(4, "2026-11-22"), range(0, 16, 4), strict=True):
            put(tmp_path, name, record_text(names=(" ".join(HOSTILE[at : at + 2]), " ".join(HOSTILE[at + 2 : at + 4]))))
        found = Browser(tmp_path).listing()["games"]
        assert len(found) == 5
        for entry in found:
            for tail, skeleton in plain.items():
                answer = browser.ask(f"/games/{entry['name']}{tail}")
                assert answer.status == 200, entry
                assert Skeleton(body_of(answer)).found == skeleton, entry
                for said in entry["players"].values():
                    assert "<" not in said or said.encode() not in body_of(answer)

    def test_event_round_table_and_id_are_none_either(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text(lines=["event = a", "round = b", "table = c"]))
        put(
            tmp_path,
            OTHER,
            record_text(lines=[f"{key} = {HOSTILE[1]}" for key in ("event", "round", "table")], game=HOSTILE[0]),
        )
        browser = Browser(tmp_path)
        for tail in ("", "/game.html"):
            pages = [body_of(browser.ask(f"/games/{name}{tail}")) for name in (NAME, OTHER)]
            assert Skeleton(pages[0]).found == Skeleton(pages[1]).found
            assert b"<script>alert" not in pages[1]
            assert b"<img src=x" not in pages[1]

    def test_what_is_taken_along_is_no_page(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text(names=(HOSTILE[0], HOSTILE[1])))
        browser = Browser(tmp_path)
        for answer in (browser.ask(f"/games/{NAME}/game.record"), browser.ask("/games/list", b"{}")):
            kind = headers_of(answer)["content-type"]
            assert kind.partition(";")[0] in ("text/plain", "application/json", "application/octet-stream"), kind

    @pytest.mark.parametrize("sign", CONTROL, ids=ascii)
    def test_commands_a_terminal_nothing(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], sign: str) -> None:
        put(tmp_path, NAME, record_text())
        put(tmp_path, OTHER, record_text(names=(sign, HOSTILE[9])))
        browser = Browser(tmp_path)
        assert NAME in browser.names()
        assert browser.ask(f"/games/{OTHER}").status in (200, 303)
        said = printed(capsys, "record", "list", str(tmp_path))
        assert NAME in said
        assert not harmful(said)

    def test_one_of_900_kb_costs_its_own_line(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text())
        put(tmp_path, OTHER, record_text(names=("A" * 900_000, "Bram")))
        answer = Browser(tmp_path).ask("/games/list", b"{}")
        assert telling([all_of(answer)], NAME)
        assert len(body_of(answer)) < 100_000


class TestForgotten:
    """The name of a forgotten player is nowhere, and what was made of his games is made again."""

    def test_name_is_nowhere(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for name, players in ((NAME, ("Zebulon", "Bram")), (OTHER, ("Cora", "zebulon"))):
            put(
                tmp_path,
                name,
                record_text(
                    names=players,
                    consent=["red", "blue"],
                    lines=["salt.red = " + "ab" * 16, "salt.blue = " + "cd" * 16],
                ),
            )
        assert telling(served(tmp_path), "Zebulon")
        assert len(Browser(tmp_path).names(player="zebulon")) == 2
        assert main(["record", "forget", "Zebulon", str(tmp_path)]) == 0
        capsys.readouterr()
        assert not list(tmp_path.rglob("replay.html"))
        browser = Browser(tmp_path)
        assert browser.names(player="zebulon") == []
        said = [*served(tmp_path), *served(tmp_path, name=OTHER), listed(capsys, tmp_path)]
        said += [path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file()]
        assert sorted(browser.names(player="ra")) == [NAME, OTHER]
        assert not telling(map(str.lower, said), "zebulon")
        # Nor are the ranks that not everybody was shown: of the first Red's, of the second Blue's.
        entries = {entry["name"]: entry for entry in browser.listing()["games"]}
        assert [entries[name]["shown"] for name in (NAME, OTHER)] == [["blue"], ["red"]]
        assert "c1 marshal" not in body_of(browser.ask(f"/games/{NAME}/game.record")).decode()
        assert "c10 marshal" not in body_of(browser.ask(f"/games/{OTHER}/game.record")).decode()

    def test_one_who_is_forgotten_while_a_page_remembers(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text(names=("Zebulon", "Bram")))
        browser = Browser(tmp_path)
        assert browser.ask(f"/games/{NAME}").status == 200
        assert main(["record", "forget", "Zebulon", str(tmp_path)]) == 0
        said = [all_of(browser.ask("/games/list", b"{}"))] + [
            all_of(browser.ask(f"/games/{NAME}{tail}")) for tail in ("", "/game.html", "/game.record")
        ]
        assert not telling(said, "Zebulon")


GAMES = [
    ("barrage", "book", 1),
    ("duel", "attacker-only", 2),
    ("infiltrator", "result-only", 3),
    ("stratego4", "book", 4),
]


class TestJsonLines:
    """`--to jsonl` says the same of every view that holds a game: what everybody knew."""

    @pytest.mark.parametrize("consent", [(), ("red",)], ids=["nobody", "one"])
    @pytest.mark.parametrize(("rules", "reveal", "seed"), GAMES)
    def test_are_those_of_the_public_view(
        self,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        rules: str,
        reveal: str,
        seed: int,
        consent: Sequence[str],
    ) -> None:
        whole = replace(random_game(rule_set(rules), seed, 12).record, consent=frozenset(map(Seat, consent)))
        text = write_record(whole, "own").replace("reveal = book", f"reveal = {reveal}")
        whole = completed(read_record(text.encode()))
        views = [
            view
            for view in View
            if view.value not in {seat.value for seat in Seat} or Seat(view.value) in rule_set(rules).seats
        ]
        said = {}
        for view in views:
            file = tmp_path / "game.record"
            file.write_text(text if view.value == "referee" else write_record(view_of(whole, view), "own"))
            assert main(["record", "export", str(file), "--to", "jsonl"]) == 0
            said[view.value] = capsys.readouterr().out
        lines = said["public"].splitlines()
        assert len(lines) == json.loads(lines[0])["analysed"] + 2
        assert not [view for view, text in said.items() if text != said["public"]]

    @pytest.mark.parametrize("view", ["referee", "red", "blue", "archive", "public"])
    @pytest.mark.parametrize("consent", [(), ("red",), ("red", "blue")], ids=["nobody", "one", "two"])
    def test_hold_no_name_salt_or_hidden_rank(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], view: str, consent: Sequence[str]
    ) -> None:
        said = []
        for red, blue in ((RED_ONE, BLUE_ONE), (RED_TWO, BLUE_TWO)):
            lines = [
                f"salt.red = {'ab' * 16}",
                "event = KANARI",
                "table = KANARI",
                "mode = enrol",
                f"seed.red = {SEEDS['seed.red']}",
            ]
            corrections = ["3 penalty red = KANARI" if view == "referee" else "3 penalty red"]
            text = record_text(
                view,
                consent,
                red,
                blue,
                names=("KANARI", "KANARI"),
                lines=lines,
                corrections=corrections,
                game="KANARI",
            )
            (tmp_path / "game.record").write_text(text)
            said.append(exported(capsys, tmp_path / "game.record"))
        assert '"public knowledge"' in said[0]
        assert not differing(said[:1], said[1:])
        assert not telling(said, "KANARI", "abab", SEEDS["seed.red"])

    @pytest.mark.parametrize("view", ["red", "referee", "archive"])
    def test_no_other_view_can_be_wished_for(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], view: str
    ) -> None:
        (tmp_path / "game.record").write_text(record_text("referee", ["red"]))
        place = str(tmp_path / "game.record")
        public = exported(capsys, tmp_path / "game.record")
        wished = printed(capsys, "record", "export", place, "--to", "jsonl", "--view", view)
        assert wished.replace(place, "RECORD") == public or (wished.startswith("\n--\n") and wished.endswith("2"))


class TestCost:
    """What is asked costs the referee a bounded amount."""

    def test_nothing_is_read_or_made_while_a_game_is_played(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text())
        put(tmp_path, OTHER, record_text())
        Browser(tmp_path).ask(f"/games/{NAME}")
        put(tmp_path, "2026-11-22-201500-c1b2c3", record_text())
        asked: list[object] = []

        def busy(*told: Any, **more: Any) -> bytes | None:
            asked.append(told)
            return work(*told, **more)

        browser = Browser(tmp_path, another_on, worker=busy)
        assert NAME in browser.names()
        kept, unmade = browser.ask(f"/games/{NAME}/game.html"), browser.ask(f"/games/{OTHER}/game.html")
        assert (kept.status, unmade.status, error_of(unmade)) == (200, 503, "game-on")
        assert not asked

    def test_three_requests_wait_at_most(self, tmp_path: Path) -> None:
        names = numbered(9)
        for number, name in enumerate(names):
            put(tmp_path, name, record_text(game=f"{number:016x}"))
        open_gate, at_work = threading.Event(), []
        open_gate.set()

        def slow(*told: Any, **more: Any) -> bytes | None:
            at_work.append(threading.current_thread())
            assert len(at_work) == 1, "two at a time"
            try:
                assert open_gate.wait(60)
                return work(*told, **more)
            finally:
                at_work.pop()

        browser = Browser(tmp_path, worker=slow)
        assert len(browser.names()) == len(names)
        open_gate.clear()
        answers: queue.Queue[Response] = queue.Queue()

        def ask(name: str) -> None:
            answers.put(browser.ask(f"/games/{name}/game.html"))

        threads = [threading.Thread(target=ask, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        try:
            refused = [answers.get(timeout=60) for _ in range(len(names) - 4)]
        finally:
            open_gate.set()
            for thread in threads:
                thread.join(PATIENCE_S)
        assert {(answer.status, error_of(answer)) for answer in refused} == {(503, "busy")}
        rest = [answers.get_nowait() for _ in range(4)]
        assert {answer.status for answer in rest} <= {200, 503}
        assert [answer.status for answer in rest].count(200) >= 3

    def test_a_worker_that_comes_to_nothing_is_said(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text())
        assert Browser(tmp_path).names() == [NAME]
        browser = Browser(tmp_path, worker=lambda *told, **more: None)
        answer = browser.ask(f"/games/{NAME}/game.html")
        assert (answer.status, error_of(answer)) in ((500, "unreadable"), (503, "busy"))
        assert browser.ask(f"/games/{NAME}").status == 303
        assert Browser(tmp_path).ask(f"/games/{NAME}/game.html").status == 200


class TestCommand:
    """`record list` reads what stands below a place, and nothing else."""

    def test_a_place_that_is_none_is_an_error_and_nothing_is_made_there(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "file").write_text("KANARI")
        for place in (tmp_path / "none", tmp_path / "file", tmp_path / "\udcff", tmp_path / ("x" * 300)):
            assert not telling([printed(capsys, "record", "list", str(place))], "KANARI")
        assert [path.name for path in tmp_path.iterdir()] == ["file"]

    def test_opens_records_alone(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = put(tmp_path, NAME, record_text())
        for secret in (
            folder / "journal.key",
            folder / "journal.db",
            folder / "journal.owners",
            tmp_path / "referee.key",
        ):
            secret.write_text("KANARI")
        with opened(monkeypatch) as paths:
            said = listed(capsys, tmp_path)
        assert NAME in said
        assert {Path(path).name for path in paths if str(tmp_path) in path} <= {"game.record", "library.jsonl"}
