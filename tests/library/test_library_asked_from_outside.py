"""The library attacked from outside: what is asked, and by whom."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from nacl.public import Box, PrivateKey, PublicKey

from tests.library.outsider import (
    NAME,
    OTHER,
    Browser,
    Players,
    all_of,
    body_of,
    error_of,
    listed,
    printed,
    put,
    record_text,
    text_of,
)

JUNK_BODIES: list[bytes] = [
    b"",
    b"null",
    b"true",
    b"[]",
    b"[[]]",
    b'"list"',
    b"0",
    b"-1",
    b"1e999",
    b"NaN",
    b"{",
    b"}",
    b'{"player"}',
    b"\xff\xfe\x00",
    b"\xef\xbb\xbf{}",
    "{}".encode("utf-16"),
    b"\0" * 5000,
    b"[" * 16_000,
    b'{"player":' * 1_600,
    b'{"player":' + b"[" * 15_000 + b"]" * 15_000 + b"}",
    b'{"player":' + b"9" * 10_000 + b"}",
    b"9" * 16_000,
    b" " * 1_000_000,
    b'{"player":"' + b"a" * 1_000_000 + b'"}',
    b'{"a":1,' * 2_000,
]
JUNK_VALUES: list[object] = [
    1,
    -1,
    1.5,
    10**400,
    True,
    [],
    ["Anna"],
    {},
    {"$ne": None},
    {"player": "Anna"},
]
JUNK_TEXTS = [
    "\0",
    "\ud800",
    "'; DROP TABLE games; --",
    ".*",
    "(a+)+$" + "a" * 40,
    "[",
    "\\",
    "%",
    "_",
    "../..",
    "9999-99-99",
    "2026-11-20T00:00",
    "-",
    "red,blue",
    "RED",
    "NONE",
    "None",
    "winner",
    "é",
    "e\u0301",
    "\u202e",
    "\U0001f600" * 3_000,
    "a" * 15_000,
    " ",
]


@pytest.fixture(scope="module", name="browser")
def _browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """Return one who asks an open library of three games."""
    state = tmp_path_factory.mktemp("open")
    put(state, NAME, record_text())
    put(
        state,
        OTHER,
        record_text(names=("Cora", "Dirk"), result=["winner = draw", "reason = agreed"], game="c" * 16),
    )
    put(state, "2026-12-01-201500-c1b2c3", record_text(result=["winner = none", "reason = aborted"], game="d" * 16))
    assert len(Browser(state).names()) == 3
    return Browser(state)


class TestRequests:
    """Whatever is asked, the answer is a list or one of the words."""

    @pytest.mark.parametrize("path", ["/games/list", "/games/enter"])
    def test_junk_is_refused(self, browser: Browser, path: str) -> None:
        for body in JUNK_BODIES:
            answer = browser.ask(path, body)
            if answer.status != 200:
                assert (answer.status, error_of(answer)) in (
                    (400, "request-unreadable"),
                    (403, "not-you"),
                    (404, "not-found"),
                    (413, "request-unreadable"),
                ), body[:40]
            else:
                assert path == "/games/list", body[:40]
                assert len(json.loads(body_of(answer))["games"]) == 3, body[:40]

    @pytest.mark.parametrize("field", ["player", "rules", "date", "result", "before"])
    def test_wrong_types_do_no_harm(self, browser: Browser, field: str) -> None:
        for value in JUNK_VALUES:
            answer = browser.ask("/games/list", json.dumps({field: value}).encode())
            assert answer.status == 200 or (answer.status, error_of(answer)) == (400, "request-unreadable"), value

    @pytest.mark.parametrize("field", ["player", "rules", "date", "result"])
    def test_junk_finds_nothing(self, browser: Browser, field: str) -> None:
        for value in JUNK_TEXTS:
            if value == " ":  # as if it were not there
                continue
            answer = browser.ask("/games/list", json.dumps({field: value}).encode())
            if answer.status == 200:
                found = json.loads(body_of(answer))["games"]
                assert not found, (field, value[:40])
            else:
                assert (answer.status, error_of(answer)) == (400, "request-unreadable"), value[:40]

    def test_junk_as_what_one_has_already_ends(self, browser: Browser) -> None:
        for value in JUNK_TEXTS:
            answer = browser.ask("/games/list", json.dumps({"before": value}).encode())
            assert answer.status in (200, 400), value[:40]

    def test_what_is_looked_for_is_found(self, browser: Browser) -> None:
        assert browser.names() == ["2026-12-01-201500-c1b2c3", OTHER, NAME]
        assert browser.names(player="CORA") == browser.names(result="draw") == [OTHER]
        assert browser.names(result="blue") == browser.names(before=OTHER) == [NAME]
        assert len(browser.names(rules="RRAG")) == len(browser.names(date="2026-11")) == 3
        assert browser.names(date="11-20") == browser.names(before=NAME) == []

    @pytest.mark.parametrize(
        "method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "POST", "get", "", "\0", "X" * 5000]
    )
    def test_other_methods_change_nothing(self, browser: Browser, method: str) -> None:
        before = browser.names()
        for path in (f"/games/{NAME}", f"/games/{NAME}/game.html", f"/games/{NAME}/game.record"):
            answer = browser.ask(path, b"{}", method or "\x20")
            assert answer.status in (404, 405) or body_of(answer) == body_of(browser.ask(path))
        assert browser.names() == before

    def test_lists_are_not_to_be_had_by_get(self, browser: Browser) -> None:
        for path in ("/games/list", "/games/enter"):
            answer = browser.ask(path)
            assert answer.status in (303, 404, 405)
            assert b"Anna" not in body_of(answer)

    def test_the_page_is_the_same_for_everybody(self, browser: Browser, tmp_path: Path) -> None:
        assert body_of(browser.ask("/games")) == body_of(Browser(tmp_path).ask("/games"))

    def test_a_refusal_is_one_of_the_words(self, browser: Browser) -> None:
        for path in (
            "/games/nobody/game.html",
            "/games/nobody/game.record",
            f"/games/{NAME}/journal.db",
            "/games/a/b/c/d",
        ):
            answer = browser.ask(path)
            assert (answer.status, error_of(answer)) == (404, "not-found"), path


class TestWhoMaySee:
    """With `library = "players"` nobody sees a game but who has a seat now."""

    def test_who_has_no_seat_is_asked_and_told_nothing(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text(consent=["red", "blue"]))
        hall = Players()
        browser = Browser(tmp_path, seats=hall.seats)
        for cookie in hall.foreign_cookies():
            browser.cookie = cookie
            answer = browser.ask("/games/list", b"{}")
            assert (answer.status, error_of(answer)) == (401, "log-in")
            assert set(json.loads(body_of(answer))) == {"error", "challenge"}
            there, not_there = browser.ask(f"/games/{NAME}"), browser.ask("/games/2026-11-20-201500-a1b2c4")
            assert there.status == not_there.status == 401
            assert body_of(there) == body_of(not_there) == body_of(browser.ask("/games"))
            for tail in ("/game.html", "/game.record", "/journal.key", "/.."):
                one, two = browser.ask(f"/games/{NAME}{tail}"), browser.ask(f"/games/nobody{tail}")
                assert one.status == two.status != 200, tail
                assert b"Anna" not in body_of(one) + body_of(two)

    def test_who_has_one_sees_it_until_he_has_none(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text())
        hall = Players()
        key = hall.sits_down()
        browser = Browser(tmp_path, seats=hall.seats)
        browser.cookie = hall.enters(browser, key)
        assert browser.names() == [NAME]
        assert browser.ask(f"/games/{NAME}/game.record").status == 200
        hall.gets_up(key)
        assert browser.ask("/games/list", b"{}").status == 401
        for tail in ("", "/game.html", "/game.record"):
            assert browser.ask(f"/games/{NAME}{tail}").status == 401
        assert hall.tries(browser, key, hall.challenge(browser)).status == 403

    def test_another_key_that_has_a_seat_does_not_help_who_lost_his(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text())
        hall = Players()
        first, second = hall.sits_down(), hall.sits_down()
        browser = Browser(tmp_path, seats=hall.seats)
        browser.cookie = hall.enters(browser, first)
        hall.gets_up(first)
        assert browser.ask("/games/list", b"{}").status == 401
        browser.cookie = hall.enters(browser, second)
        assert browser.names() == [NAME]

    def test_a_cookie_is_of_use_as_it_is_alone(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text())
        hall = Players()
        key = hall.sits_down()
        browser = Browser(tmp_path, seats=hall.seats)
        cookie = hall.enters(browser, key)
        name, _, value = cookie.partition("=")
        public = text_of(bytes(key.public_key))
        forged = [
            value,
            f"{name}=",
            f"{name}={value[:-1]}",
            f"{name}={value}A",
            f"{name}={value.swapcase()}",
            f"{name}={'A' * len(value)}",
            f"{name}={public}",
            f"{name}={public}.{public}",
            f"{name}=*",
            f"{name}=null",
            f"{name}=é",
            f"{name}=\0",
            f"{name}={'A' * 15_000}",
            f"x{name}={value}",
            f"{name.upper()}x={value}",
            ";" * 15_000,
            "=" * 15_000,
            f"{name}" * 2_000,
        ]
        for browser.cookie in forged:
            assert browser.ask("/games/list", b"{}").status == 401, browser.cookie[:60]
            assert browser.ask(f"/games/{NAME}/game.record").status == 401, browser.cookie[:60]
        browser.cookie = cookie
        assert browser.names() == [NAME]
        assert "httponly" in hall.set_cookie.lower()
        assert "samesite=strict" in hall.set_cookie.lower()
        assert "path=/games" in hall.set_cookie.lower()

    def test_nobody_enters_but_with_a_seats_own_key_and_a_challenge_of_this_table(self, tmp_path: Path) -> None:
        hall, elsewhere = Players(), Players()
        key, stranger = hall.sits_down(), PrivateKey.generate()
        elsewhere.sits_down(key)
        browser, other = Browser(tmp_path, seats=hall.seats), Browser(tmp_path, seats=elsewhere.seats)
        public, foreign = bytes(key.public_key), bytes(stranger.public_key)

        def sealed(text: str, private: PrivateKey = key, to: PublicKey = hall.public) -> str:
            return text_of(Box(private, to).encrypt(text.encode()))

        def asks(challenge: str) -> dict[str, tuple[bytes, str]]:
            right = f"hallmarshal library 1\n{challenge}"
            box = base64.urlsafe_b64decode(sealed(right) + "==")
            return {
                "a stranger's key": (foreign, sealed(right, stranger)),
                "a seat's key with a stranger's box": (public, sealed(right, stranger)),
                "a stranger's key with a seat's box": (foreign, sealed(right)),
                "a box for another referee": (public, sealed(right, to=elsewhere.public)),
                "no version": (public, sealed(challenge)),
                "another version": (public, sealed(f"hallmarshal library 2\n{challenge}")),
                "another errand": (public, sealed(f"hallmarshal pairing 1\n{challenge}")),
                "a blank for the line feed": (public, sealed(f"hallmarshal library 1 {challenge}")),
                "a line feed more": (public, sealed(f"{right}\n")),
                "no challenge": (public, sealed("hallmarshal library 1\n")),
                "an own challenge": (public, sealed(f"hallmarshal library 1\n{'A' * len(challenge)}")),
                "half a challenge": (public, sealed(right[:-4])),
                "nothing in the box": (public, sealed("")),
                "no box": (public, ""),
                "half a box": (public, text_of(box[:30])),
                "a box with a bit turned": (public, text_of(box[:-1] + bytes([box[-1] ^ 1]))),
                "a key of zeros": (bytes(32), text_of(box)),
                "a key of ones": (b"\x01" + bytes(31), text_of(box)),
                "a short key": (public[:31], text_of(box)),
                "a long key": (public + b"\0", text_of(box)),
                "the referee's own key": (bytes(hall.public), text_of(box)),
            }

        for what in asks(""):
            whose, box = asks(hall.challenge(browser))[what]
            answer = browser.ask("/games/enter", json.dumps({"key": text_of(whose), "sealed": box}).encode())
            assert answer.status in (400, 403), what
            assert "cookie" not in all_of(answer).lower(), what
        # What another table asked is no answer here, and another table's cookie opens nothing.
        assert hall.tries(browser, key, elsewhere.challenge(other)).status == 403
        browser.cookie = elsewhere.enters(other, key)
        assert browser.ask("/games/list", b"{}").status == 401
        assert hall.enters(browser, key)

    def test_junk_in_the_fields_of_entering_is_refused(self, tmp_path: Path) -> None:
        hall = Players()
        key = hall.sits_down()
        browser = Browser(tmp_path, seats=hall.seats)
        public = text_of(bytes(key.public_key))
        for value in (*JUNK_VALUES, None, *JUNK_TEXTS, "A" * 10_000, public + "=", public + "\n"):
            for asked in (
                {"key": value, "sealed": "AAAA"},
                {"key": public, "sealed": value},
                {"key": value, "sealed": value},
                {"key": value},
            ):
                answer = browser.ask("/games/enter", json.dumps(asked).encode())
                assert (answer.status, error_of(answer)) in ((400, "request-unreadable"), (403, "not-you")), asked
        assert hall.enters(browser, key)

    def test_thousands_who_ask_to_be_let_in_keep_no_seat_out(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text())
        hall = Players()
        key = hall.sits_down()
        browser = Browser(tmp_path, seats=hall.seats)
        for _ in range(1_000):
            assert browser.ask("/games/list", b"{}").status == 401
        browser.cookie = hall.enters(browser, key)
        assert browser.names() == [NAME]


class TestForeignFolders:
    """What lies beside honest games hides none of them."""

    def test_a_folder_whose_name_is_no_text_costs_no_other_game(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        put(tmp_path, NAME, record_text())
        put(tmp_path, "2099\udcff", record_text())
        assert Browser(tmp_path).names() == [NAME]
        assert NAME in listed(capsys, tmp_path)

    def test_a_record_that_calls_its_game_as_another_folder_is_called(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text())
        put(tmp_path, OTHER, record_text(game=NAME, names=("Cora", "Dirk")))
        said = body_of(Browser(tmp_path).ask(f"/games/{NAME}/game.record")).decode()
        assert ("Anna" in said, "Cora" in said) == (True, False)

    def test_games_without_a_winner_are_found(self, tmp_path: Path) -> None:
        put(tmp_path, NAME, record_text(result=("winner = none", "reason = aborted")))
        put(tmp_path, OTHER, record_text())
        assert Browser(tmp_path).names(result="none") == [NAME]

    def test_a_folders_name_steers_no_terminal(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        put(tmp_path, "2026\x1b[31m\u202e", record_text())
        out = printed(capsys, "record", "list", str(tmp_path))
        assert not set("\x1b\u202e") & set(out)
