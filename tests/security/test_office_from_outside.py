"""*Set up*, the event's acts and the first chief as somebody attacks them who has read their pages alone; nothing is started."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from referee.tournament.hall.accounts import Role
from tests.security.open_office import PASSWORD, Office, Person

_ODD: list[object] = [None, True, -1, 1.5, 10**30, [], {}, [[]], {"a": 1}, "\ud800", "a\0b", "x" * 300]
_GOOD: dict[str, dict[str, object]] = {
    "event": {"name": "Okay", "system": "swiss", "rounds": 3, "tie_breaks": ["buchholz"], "text": "A\nB\n"},
    "account": {"name": "Zoe", "role": "arbiter", "password": PASSWORD},
    "account-remove": {"name": "Zoe"},
    "tables": {"count": 1},
    "play": {"events": ["e"]},
    "names": {"event": "e", "names": "full"},
    "pass-anew": {"board": "table-1"},
}
FIRST = {"code": "ABCDEF", "name": "Boss", "password": PASSWORD}


@pytest.fixture(autouse=True)
def quick_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords at once; what hashing costs is looked at elsewhere."""

    def quick(password: str, salt: bytes) -> bytes:
        return hashlib.sha256(salt + password.encode()).digest()

    monkeypatch.setattr("referee.tournament.hall.accounts._hash", quick)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """Yield a hall without events."""
    with Office(tmp_path) as made:
        yield made


def _made(chief: Person, name: str = "E", players: int = 6, **more: object) -> str:
    """Return the id of a new event."""
    text = "".join(f"P{number},{2000 - number}\n" for number in range(players))
    status, told = chief.post("office/event", {**_GOOD["event"], "name": name, "text": text, **more})
    assert status == 200, told
    return str(told["made"])


def _played(chief: Person) -> str:
    """Return the id of a new event that is played."""
    made = _made(chief)
    assert chief.post("office/play", {"events": [made]})[0] == 200
    return made


def _all(chief: Person) -> object:
    return chief.get("office")[1], chief.get("event")[1]


def _packed(text: bytes) -> str:
    return base64.b64encode(gzip.compress(text)).decode()


def test_everything_is_the_chief_s_alone(office: Office) -> None:
    """Nobody, the room's screen and an arbiter are refused; a request that another site can make is refused to the chief, too."""
    screen = office.person()
    assert screen.post("screen", {"key": "screen-key"})[0] == 200
    chief = office.person("Chief")
    _played(chief)
    before = _all(chief)
    for who, status in ((office.person(), 401), (screen, 403), (office.person("Ann"), 403)):
        assert who.get("office")[0] == status
        for act, given in _GOOD.items():
            assert who.post(f"office/{act}", given)[0] == status, act
    for headers in ({"x_hallmarshal": ""}, {"content_type": "text/plain"}, {"content_type": "multipart/form-data"}):
        for act, given in _GOOD.items():
            assert chief.post(f"office/{act}", given, **headers)[0] in (400, 403), (act, headers)
    assert _all(chief) == before


def test_what_has_no_meaning_changes_nothing(office: Office) -> None:
    """Each field of each act as something else: refused in a word, and no account, event or player is called `None` or `[]`."""
    chief = office.person("Chief")
    _played(chief)
    assert chief.post("office/tables", _GOOD["tables"])[0] == 200
    before = _all(chief)
    for act, given in _GOOD.items():
        for field in given:
            for odd in _ODD:
                if (field, odd) in (("tie_breaks", []), ("tie_breaks", {}), ("events", []), ("text", "")):
                    continue  # these mean something
                status, told = chief.post(f"office/{act}", {**given, field: odd})
                assert status in (400, 404, 409), (act, field, odd)
                assert len(str(told)) < 2000
        for body in (b"[]", b"null", b"[" * 8000, b'{"a":' * 2000, b"\xff", b'{"count": 1, "count": 2e9999}'):
            assert chief.post(f"office/{act}", body)[0] == 400, (act, body[:9])
    for act, values in (("enter", {"name": None}), ("edit", {"number": 1, "name": []}), ("import", {"text": {}})):
        assert chief.act(act, **values)[0] == 400
    assert _all(chief) == before


def test_lists_are_never_larger_than_they_say(office: Office) -> None:
    """Bombs, half a file, and a fault in each of sixty thousand lines; none becomes an event, and no answer is long."""
    chief = office.person("Chief")
    whole = _packed(b"".join(b"Player %d\n" % (number * number) for number in range(900)))
    lists: list[tuple[str, str]] = [
        (_packed(bytes(11_000_000)), "file-too-long"),
        (_packed(b"A" * (256 * 1024 + 1)), "file-too-long"),
        (_packed(b'"' * (256 * 1024)), "bad-file"),
        (_packed(b"name,rating\n" + b"a,x\n" * 60_000), "bad-file"),
        (whole[: len(whole) // 2 // 4 * 4], "file-too-long"),
        (base64.b64encode(gzip.compress(b"A\n")[:-8] + bytes(8)).decode(), "not-understood"),
        ("AAAA", "not-understood"),
        ("!", "not-understood"),
    ]
    for packed, word in lists:
        status, told = chief.post("office/event", {**_GOOD["event"], "packed": packed})
        assert (status in (400, 409), told["error"], len(json.dumps(told)) < 4096) == (True, word, True)
    assert chief.post("office/event", {**_GOOD["event"], "text": "a\n" * 9000})[0] == 413
    assert chief.get("office")[1]["events"] == []


def test_names_that_deceive_are_refused(office: Office) -> None:
    """What turns the text round it, is not seen, or is another player's name once letters are folded."""
    chief = office.person("Chief")
    hidden = ("A\u202eB", "A\u2066B", "A\u200bB", "A\u00adB", "A\0B", "A\ue000", "A" * 34)
    folded = ("A\nA", "Zoë\nZOE\u0308", "\ufb01n\nfin", "ß\nss", "Ann Lee\nAnn  Lee", "\uff21\nA")
    cells = ("name,rating\nA,=1", "name,federation\nA,=HYPERLINK", "name,group\nA," + "g" * 33)
    reports = (
        f"012 X\nXXR 999999999\n001    1      {'A':33} 1500",
        f"001    1      {'A':33} 1500                             0.0    1     2 w",
    )
    for text in (*hidden, *folded, *cells, *reports):
        status, told = chief.post("office/event", {**_GOOD["event"], "text": text})
        assert (status, told["error"] in ("bad-file", "bad-value", "namesake")) == (409, True), ascii(text)
    assert chief.get("office")[1]["events"] == []


def test_an_event_is_never_called_like_a_folder_of_the_public_pages(office: Office) -> None:
    """Nor is another one's, and no id leads out of the folder."""
    chief = office.person("Chief")
    named = ("Live", "Public", "station", "toolkit", "../../etc", "Live", "index.html")
    assert [_made(chief, name) for name in named] == [
        *("live-2", "public-2", "station-2", "toolkit-2", "etc", "live-3", "index-html")
    ]


def test_two_events_never_come_to_the_same_tables(office: Office) -> None:
    """Neither when they are chosen, nor by settings, nor where an act is undone afterwards."""
    chief = office.person("Chief")
    chief.post("office/tables", {"count": 4})
    one, two = _made(chief, "One", 4), _made(chief, "Two", 4)

    def tables(event: str, own: list[int]) -> object:
        return chief.act("settings", event, tables=own)[1].get("error", "done")

    assert chief.post("office/play", {"events": [one, two]})[1]["error"] == "same-tables"
    assert chief.post("office/play", {"events": [one]})[0] == 200
    assert tables(one, [1, 2]) == "done"
    assert chief.post("office/play", {"events": [one, two]})[0] == 200
    assert [tables(two, [2, 3]), tables(one, []), tables(two, [3, 3]), tables(two, [3, 4])] == [
        *("same-tables", "same-tables", "bad-value", "done")
    ]
    assert [tables(one, [4]), tables(one, []), tables(two, [])] == ["same-tables", "done", "same-tables"]
    entry = next(entry["revision"] for entry in chief.get(f"event/{two}.log")[1]["log"] if entry["act"] == "settings")
    assert chief.act("undo", two, entry=entry)[0] == 200
    for event in (one, two):
        chief.act("pair", event)
        assert chief.act("publish", event)[0] == 200
    rounds = [office.station.events[event] for event in (one, two)]
    boards = [{event._board(event.kept().event, table) for table in (1, 2)} for event in rounds]
    assert boards == [{"table-1", "table-2"}, {""}]


def test_a_pass_is_shown_once(office: Office) -> None:
    """Who asks at once with others gets boards of his own; nothing that is read later, and no log of an event, has the secret."""
    chief = office.person("Chief")
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: chief.post("office/tables", {"count": 3})[1], range(6)))
    passes = [one for answer in answers for one in answer["passes"]]
    assert len({one["board"] for one in passes}) == len({one["text"] for one in passes}) == 18
    again = [chief.post("office/pass-anew", {"board": "table-1"})[1]["passes"][0]["text"] for _ in range(2)]
    assert len({*again, passes[0]["text"]}) == 3
    _played(chief)
    for path in ("office", "event", "event.log", "me", "posted"):
        assert "secret" not in json.dumps(chief.get(path)[1])
    for board in ("table-99", "", "../table-1", "table-1 ", "TABLE-1"):
        assert chief.post("office/pass-anew", {"board": board})[0] in (200, 404)
    assert {board for board, anew in office.broker.admitted if anew} == {"table-1"}
    assert chief.post("office/tables", {"count": 41})[1]["error"] == "too-many-tables"


def test_a_chief_is_left(office: Office) -> None:
    """Whatever two chiefs do to each other at once; who was removed, or has another role or password, does nothing any more."""
    office.accounts.put("Bea", Role.CHIEF, PASSWORD)
    ann, chief, bea = (office.person(name) for name in ("Ann", "Chief", "Bea"))
    _played(chief)
    with ThreadPoolExecutor(2) as pool:
        answers = [
            pool.submit(who.post, "office/account-remove", {"name": other}).result
            for who, other in ((chief, "Bea"), (bea, "Chief"))
        ]
        assert sorted(answer()[0] for answer in answers)[0] == 200
    left = [name for name, role in office.accounts.names.items() if role is Role.CHIEF]
    assert len(left) == 1
    chief = office.person(left[0])
    for act, given in (("account-remove", {}), ("account", {"role": "arbiter"})):
        told = chief.post(f"office/{act}", {"name": left[0], **given})[1]
        assert told["error"] == "last-chief"
    assert chief.post("office/account", {"name": "Ann", "role": "chief"})[0] == 200
    assert (ann.get("me")[0], ann.act("pair")[0], ann.raw("GET", "/prints/e/tables.html").status) == (401, 401, 401)
    assert chief.post("office/account", {"name": left[0], "role": "chief", "password": "another password"})[0] == 200
    assert chief.post("office/tables", {"count": 1})[0] == 401


def test_what_was_seen_is_what_is_done(office: Office) -> None:
    """An act that by then means something else is refused, whoever comes second, also where it looks the same again."""
    office.accounts.put("Bea", Role.CHIEF, PASSWORD)
    chief, bea, ann = (office.person(name) for name in ("Chief", "Bea", "Ann"))
    _played(chief)

    def now() -> int:
        return int(chief.get("event")[1]["revision"])

    def said(who: Person, act: str, **given: Any) -> object:
        return who.act(act, **given)[1].get("error", "done")

    result = {"round": 1, "table": 1, "result": "red"}
    assert said(chief, "edit", number=1, name="New") == "done"
    edit = now()
    assert [said(who, "undo", entry=edit, revision=edit) for who in (bea, chief)] == ["done", "stale"]
    assert said(chief, "undo", entry=edit) == "not-last"
    assert [said(ann, "pair"), said(chief, "publish")] == ["done", "done"]
    seen = now()
    assert [said(chief, "swap-seats", round=1, table=1), said(ann, "result", **result, revision=seen)] == [
        "done",
        "stale",
    ]
    assert said(chief, "undo", entry=now()) == "done"
    assert said(ann, "result", **result, revision=seen) == "stale"
    seen = now()
    for act in ("unpublish", "discard", "pair", "publish"):
        assert said(chief, act) == "done"
    assert said(ann, "result", **result, revision=seen) == "stale"
    seen = now()
    assert [said(ann, "result", **result), said(bea, "correct", **{**result, "result": "blue"}, revision=seen)] == [
        *("done", "stale")
    ]
    assert said(ann, "result", **{**result, "result": "draw"}) == "double-result"
    for revision in (0, -1, now() + 1, 10**9):
        assert said(chief, "edit", number=2, rating=1, revision=revision) == "stale"
    for odd in (None, True, str(now()), float(now()), [now()]):
        assert said(chief, "edit", number=2, rating=1, revision=odd) == "not-understood"


def test_without_https_no_secret_is_typed_or_shown(tmp_path: Path) -> None:
    """On a plain line: no account, no pass, no first chief, and no list of who has an account."""
    for folder in ("made", "first"):
        (tmp_path / folder).mkdir()
    with Office(tmp_path / "made", secure=False) as office:
        chief = office.person("Chief")
        for act in ("account", "account-remove", "tables", "pass-anew"):
            assert chief.post(f"office/{act}", _GOOD[act])[1]["error"] == "not-secure"
        assert chief.get("office")[1]["accounts"] == []
        assert office.broker.admitted == []
    with Office(tmp_path / "first", secure=False, code="ABCDEF") as office:
        assert office.person().post("first", FIRST)[1]["error"] == "not-secure"
        assert office.accounts.names == {}


def _first(folder: Path) -> tuple[Office, Callable[..., tuple[int, object]]]:
    office = Office(folder, code="ABCDEF")

    def ask(address: str = "10.0.0.1", **given: object) -> tuple[int, object]:
        status, told = office.person("", address).post("first", {**FIRST, **given})
        return status, told.get("error")

    return office, ask


def test_the_first_chief_s_code_is_not_guessed(tmp_path: Path) -> None:
    """Five wrong codes, from wherever; a right one with a password that is too short makes nobody, and stays good."""
    for folder in ("guessed", "typed"):
        (tmp_path / folder).mkdir()
    office, ask = _first(tmp_path / "guessed")
    with office:
        odd: tuple[object, ...] = ("", None, ["ABCDEF"], {"ABCDEF": 1}, "ABCDE")
        heard = [ask(f"10.0.0.{number}", code=code, password="x") for number, code in enumerate(odd)]
        assert heard == [(403, "wrong-code")] * 5
        assert [ask("10.0.1.1"), ask("10.0.1.2", code="A")] == [(429, "wait")] * 2
        assert office.accounts.names == {}
    office, ask = _first(tmp_path / "typed")
    with office:
        assert [
            ask(password="x")[0],
            ask(name="")[0],
            ask(name="A\u202eB")[0],
            ask(name=["A"], password=["x"] * 9)[0],
        ] == [*(409, 409, 409, 400)]
        assert office.accounts.names == {}
        assert ask(code=" abcdef ") == (200, None)
        assert ask(name="Second") == (403, "wrong-code")
        assert office.accounts.names == {"Boss": Role.CHIEF}


def test_the_first_chief_is_one(tmp_path: Path) -> None:
    """Of twelve at once; and nobody where a terminal was quicker, or where there was no code."""
    for folder in ("race", "late", "none"):
        (tmp_path / folder).mkdir()
    office, ask = _first(tmp_path / "race")
    with office, ThreadPoolExecutor(12) as pool:
        heard = list(pool.map(lambda number: ask(f"10.1.0.{number}", name=f"B{number}")[0], range(12)))
        assert (heard.count(200), len(office.accounts.names)) == (1, 1)
    office, ask = _first(tmp_path / "late")
    with office:
        office.accounts.put("Ada", Role.CHIEF, PASSWORD)
        assert ask() == (403, "wrong-code")
    with Office(tmp_path / "none") as office:
        nobody = office.person()
        for code in ("", None, "ABCDEF"):
            assert nobody.post("first", {**FIRST, "code": code})[0] == 403
        assert set(office.accounts.names) == {"Chief", "Ann"}
