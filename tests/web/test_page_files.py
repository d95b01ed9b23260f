"""What the server gives to browsers: the files of the page, their types, the policy, and third-party code as it was published."""

from __future__ import annotations

import gzip
import hashlib
import html
import http.client
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from referee.door.front_door import listening
from referee.presentation import palette
from referee.rules import rule_set
from referee.rules.values import Seat
from referee.web.files import page_files
from referee.web.pair_server import PairServer
from referee.words import LANGUAGES, words
from tests.door.thread_door import ThreadDoor, body_of
from tests.patience import PATIENCE_S
from tests.web.gallery import gallery

PAGE = Path(__file__).resolve().parents[2] / "referee" / "web" / "page"
OURS = sorted(
    path for folder in (PAGE, PAGE.with_name("toolkit")) for path in folder.rglob("*.js") if "vendor" not in path.parts
)


@pytest.fixture(scope="module")
def server() -> Iterator[PairServer]:
    """A server that gives no seats; it keeps nothing of what it is asked, so one serves all tests."""
    running = PairServer.start(
        [listening("127.0.0.1", 0)], lambda sent, address: {}, rule_set("duel"), open_door=ThreadDoor
    )
    yield running
    running.stop()


def get(server: PairServer, path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    """Ask for a path."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    try:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html"),
        ("/join", "text/html"),
        ("/main.js", "text/javascript"),
        ("/set_up/entry.js", "text/javascript"),
        ("/toolkit/dom.js", "text/javascript"),
        ("/vendor/mqtt.min.js", "text/javascript"),
        ("/style.css", "text/css"),
        ("/vendor/NoSleep.min.js", "text/javascript"),
        ("/icon.svg", "image/svg+xml"),
        ("/icon-180.png", "image/png"),
        ("/page.webmanifest", "application/manifest+json"),
        ("/words.json", "application/json"),
        ("/rules.json", "application/json"),
    ],
)
def test_files_have_their_types_and_the_policy(path: str, kind: str, server: PairServer) -> None:
    """Each is what a browser that does not guess wants, may run nothing from elsewhere, and comes packed to who can unpack it."""
    response, body = get(server, path)
    assert (response.status, response.headers["Content-Type"].split(";")[0]) == (200, kind)
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    packed, bytes_packed = get(server, path, **{"Accept-Encoding": "gzip"})
    assert (gzip.decompress(bytes_packed) if packed.headers["Content-Encoding"] == "gzip" else bytes_packed) == body
    again, nothing = get(server, path, **{"If-None-Match": response.headers["ETag"]})
    assert (again.status, nothing) == (304, b"")


def test_nothing_else_is_served(server: PairServer) -> None:
    """No folder, no licence text, no way up and out."""
    for path in (
        "/vendor/",
        "/vendor/README.md",
        "/../pair_server.py",
        "/%2e%2e/pair_server.py",
        "/index.htm",
        "//etc/passwd",
    ):
        assert get(server, path)[0].status == 404, path


def test_the_start_holds_no_script_of_its_own() -> None:
    """The policy would stop it: every script and style is a file that is served."""
    html = (PAGE / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\bstyle=", html)
    served = page_files()
    assert all(path in served for path in re.findall(r'(?:src|href)="([^"]+)"', html))


def test_third_party_code_is_as_published() -> None:
    """Each file has the hash that stands beside it, and its licence."""
    listed = re.findall(r"\| `([\w.-]+)` \| ([\w.]+) .*`([0-9a-f]{128})`", (PAGE / "vendor" / "README.md").read_text())
    assert {name for name, _, _ in listed} == {path.name for path in (PAGE / "vendor").glob("*.js")}
    for name, package, hashed in listed:
        assert hashlib.sha512((PAGE / "vendor" / name).read_bytes()).hexdigest() == hashed
        assert (PAGE / "vendor" / f"{package}.LICENSE").stat().st_size > 500


def test_what_checks_the_pages_names_no_registry() -> None:
    """`npm ci` asks whichever one the machine is configured for, and gets the versions and hashes of the lock file."""
    locked = json.loads((PAGE.parents[2] / "package-lock.json").read_text())["packages"]
    assert len(locked) > 50
    assert all("resolved" not in package for package in locked.values())
    assert all(package["integrity"].startswith("sha512-") for name, package in locked.items() if name)


def test_colours_are_the_kiosks() -> None:
    """So what is proven of those (tests/kiosk/test_kiosk_pictures.py: every kind of colour blindness) holds on the phone."""
    told = dict(re.findall(r"(?m)^  --(\w+): (#[0-9a-f]{6});", (PAGE / "style.css").read_text(encoding="utf-8")))
    armies = {seat.value: colour.hex for seat, colour in palette.ARMY.items()}
    assert told.items() >= {**armies, "alarm": palette.ALARM.hex, "glow": palette.GLOW.hex}.items()


def test_modules_stay_small() -> None:
    """No module of ours over 700 lines, none that says nothing by its name."""
    assert len(OURS) > 20
    for path in OURS:
        assert path.read_text().count("\n") <= 700, path
        assert not re.search(r"manager|handler|util|helper", path.stem), path


def test_every_word_of_the_page_is_there() -> None:
    """Each key that the page asks for by its whole name is in the words that are served."""
    served = json.loads(body_of(page_files()["/words.json"]))
    assert set(served) == set(LANGUAGES)
    asked = {key for path in OURS for key in re.findall(r'\bt\(\s*"([\w.-]+)"', path.read_text())}
    assert len(asked) > 60
    assert asked <= set(served["en"])
    assert served["nl"]["rank.miner"] == words("nl")["rank.miner"]


def test_what_a_phone_shows_of_itself_in_the_tables_wifi() -> None:
    """In all six languages where no script runs."""
    told = body_of(page_files()["/connect"]).decode()
    assert all(html.escape(words(language)["wi-fi.connected"]) in told for language in LANGUAGES)


def test_every_word_of_the_page_is_used() -> None:
    """No word for the page is left over: its key, or what completes a template that makes it, stands somewhere in the modules."""
    text = "\n".join(path.read_text() for path in OURS)
    stems = set(re.findall(r"`(page\.[\w-]*)\$\{", text))
    assert "page.sure-" in stems
    for key in words("en"):
        if key.startswith("page."):
            made = any(key.startswith(stem) and (stem != "page." or f'"{key[5:]}"' in text) for stem in stems)
            assert made or f'"{key}"' in text, key


def test_the_rules_tell_where_pieces_go() -> None:
    """Lines, neighbours and zones of this table's board, gaits and counts of its ranks."""
    rules = json.loads(body_of(page_files(rule_set("duel"))["/rules.json"]))
    assert set(rules["squares"]["a1"]["neighbours"]) == {"a2", "b1"}
    assert next(line for line in rules["squares"]["a1"]["lines"] if line[0] == "a2")[:3] == ["a2", "a3", "a4"]
    assert len(rules["zones"][Seat.BLUE.value]) == 40
    assert rules["ranks"]["scout"] == {"count": 2, "number": 2, "gait": "run"}


REACH = """async (rules) => {
    const reach = await import("/reach.js");
    const occupants = { e6: "red", e8: "blue", f7: "blue", d7: "blue" };
    const view = { occupants, phase: "waiting-for-move", turn: "red", decided: null, last_move: null };
    const info = { rule_set: rules.name, decided: ["red"] };
    const state = { rules, info, view, place: { seat: "red" }, seat: { own: { e6: "infiltrator" } } };
    return [reach.targetsFrom(state, "e6"), reach.infiltrationsFrom(state, "e6"), reach.decidable(state).e6].map((each) => each.sort());
}"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("steps", "attacks", "guesses"), [(False, [], ["e8"]), (True, ["d7", "e8", "f7"], ["d7", "e8", "f7"])]
)
def test_what_an_infiltrator_is_offered(browser: Browser, steps: bool, attacks: list[str], guesses: list[str]) -> None:
    """From where he stands; where he may step first, also what a step brings near: to attack it, for he goes no second one."""
    rules = rule_set("infiltrator").with_options({"move_then_infiltrate": steps})
    sheet = json.loads(body_of(page_files(rules)["/rules.json"]))
    with gallery(browser) as page:
        assert page.evaluate(REACH, sheet) == [attacks, guesses, sorted([*attacks, "e5", "e7", "f6"])]


TURNS = """async (rules) => {
    const { decidable } = await import("/reach.js");
    const source = Object.keys(rules.squares).find((each) => rules.squares[each].lines.some((line) => line.length > 3));
    const [, , turn] = rules.squares[source].lines.find((line) => line.length > 3);
    const view = { occupants: { [source]: "red" }, phase: "waiting-for-move", turn: "red", decided: null, last_move: null };
    const info = { rule_set: rules.name, decided: ["red"] };
    const state = { rules, info, view, place: { seat: "red" }, seat: { own: { [source]: "scout" } } };
    const straight = new Set(rules.squares[source].lines.flat());
    const strange = () => decidable(state)[source].filter((each) => !straight.has(each));
    const beside = rules.squares[turn].neighbours.find((each) => !straight.has(each) && each !== source);
    return [strange(), ((view.occupants[beside] = "blue"), strange()), beside];
}"""


@pytest.mark.process
def test_a_scout_that_may_turn_turns_to_attack(browser: Browser) -> None:
    """In Stratego 4: free squares beside its way are none of its own."""
    sheet = json.loads(body_of(page_files(rule_set("stratego4"))["/rules.json"]))
    with gallery(browser) as page:
        free, attacked, beside = page.evaluate(TURNS, sheet)
        assert (free, attacked) == ([], [beside])
