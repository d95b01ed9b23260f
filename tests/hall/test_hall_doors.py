"""Who gets in: accounts, sessions, tries, requests of other sites, and what a screen may see."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import ssl
import stat
import threading
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from referee.cli import station_serve
from referee.door.messages import Request
from referee.net.broker import mosquitto
from referee.net.topics.payloads import FromBoard, Status
from referee.tournament.hall import accounts, rounds, station
from referee.tournament.hall.accounts import (
    FIRST_WAIT_S,
    TRIES,
    AccountError,
    Accounts,
    FirstChief,
    RefusedError,
    Role,
    Session,
    Sessions,
    Tries,
)
from referee.tournament.hall.pages import StationServer
from referee.tournament.hall.station import Ordering
from referee.tournament.hall.tables import HallTables
from tests.door.thread_door import body_of
from tests.hall.open_hall import PASSWORD, Client, OpenHall
from tests.patience import PATIENCE_S


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenHall]:
    """Yield a hall with an event in which nobody plays."""
    with OpenHall(tmp_path_factory.mktemp("hall"), plays=False, players=2) as made:
        yield made


@pytest.mark.process
def test_the_cookie_is_out_of_reach(hall: OpenHall) -> None:
    """No script reads it, no other site sends it, and it works until the log-out."""
    client = Client(hall)
    _, _, headers = client.ask("POST", "/api/login", {"name": "Ann", "password": PASSWORD})
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert client.ask("GET", "/api/me")[1]["role"] == "arbiter"
    kept = client.cookie
    client.ask("POST", "/api/logout", {})
    client.cookie = kept
    assert client.ask("GET", "/api/me")[0] == 401


@pytest.mark.process
def test_requests_of_other_sites_do_nothing(hall: OpenHall) -> None:
    """A form of another page can send neither our header nor JSON."""
    client = Client(hall).log_in("Chief")
    status, body, _ = client.ask("POST", "/api/order", {"board": "t1"}, **{"X-Hallmarshal": ""})
    assert (status, body["error"]) == (403, "not-from-here")
    status, _, _ = client.ask("POST", "/api/order", {"board": "t1"}, **{"Content-Type": "text/plain"})
    assert status == 400


@pytest.mark.process
@pytest.mark.parametrize("body", [{"name": "Ann", "password": "wrong"}, {"name": "Nobody", "password": PASSWORD}, {}])
def test_a_wrong_password_tells_nothing(hall: OpenHall, body: dict[str, str]) -> None:
    """A name that is not there is answered as a wrong password is."""
    status, answer, headers = Client(hall).ask("POST", "/api/login", body)
    assert (status, answer["error"]) == (403, "wrong")
    assert "Set-Cookie" not in headers


def test_tries_are_counted_by_name_and_address() -> None:
    """After five in a row none is looked at for a while, twice as long each time; a right one forgets. Each counts once it is taken."""
    now = [100.0]
    tries = Tries(lambda: now[0])
    assert [tries.take("name Ann", "address a") for _ in range(TRIES)] == [True] * TRIES
    assert not tries.take("name Ann")
    assert not tries.take("name Bob", "address a")  # which counts for neither
    assert tries.take("name Bob", "address b")
    now[0] += 15
    assert [tries.take("name Ann") for _ in range(TRIES)] == [True] * TRIES
    now[0] += 29
    assert not tries.take("name Ann")
    now[0] += 1
    assert tries.take("name Ann")
    tries.forget("name Ann")
    assert [tries.take("name Ann") for _ in range(TRIES)] == [True] * TRIES


def test_the_first_chief_is_made_by_a_code_once(tmp_path: Path) -> None:
    """Guesses are counted, of all together too; a code that was right stays until there is an account, then it is worth nothing."""
    now = [0.0]
    accounts = Accounts(tmp_path / "accounts.json")
    accounts.put("Ann", Role.ARBITER, PASSWORD)
    first = FirstChief(accounts, "7K3MPX", Tries(lambda: now[0]))

    def word(code: str, name: str = "Ada", password: str = PASSWORD, address: str = "a") -> str:
        with pytest.raises(RefusedError) as refused:
            first.make({"code": code, "name": name, "password": password}, address)
        return refused.value.word

    assert [word("7K3MP2", address=f"{guess}") for guess in range(TRIES)] == ["wrong-code"] * TRIES
    assert word("7K3MPX") == "wait"
    now[0] += FIRST_WAIT_S
    assert word("7K3MPX", password="short") == "account-password"
    assert word("7K3MPX", name="Ann") == word("7K3MPX", name=" ") == "account-name"
    assert accounts.names == {"Ann": Role.ARBITER}
    assert first.is_awaited
    assert first.make({"code": " 7k3mpx", "name": "Ada", "password": PASSWORD}, "a") == "Ada"
    assert accounts.check("Ada", PASSWORD) is Role.CHIEF
    accounts.remove("Ada")
    assert (word("7K3MPX"), first.is_awaited) == ("wrong-code", False)
    assert word("", name="Eve") == "wrong-code"
    other = FirstChief(accounts, "7K3MPX")
    accounts.put("Bo", Role.CHIEF, PASSWORD)  # in a terminal meanwhile
    with pytest.raises(RefusedError):
        other.make({"code": "7K3MPX", "name": "Eve", "password": PASSWORD}, "a")
    with pytest.raises(RefusedError):
        FirstChief(Accounts(tmp_path / "none.json")).make({"code": "", "name": "Eve", "password": PASSWORD}, "a")


@pytest.mark.process
def test_the_first_chief_s_page(hall: OpenHall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over https alone; it says that there is no chief only while there is none, and lets him in at once."""
    fresh = Accounts(tmp_path / "accounts.json")
    monkeypatch.setattr(hall.station, "accounts", fresh)
    monkeypatch.setattr(hall.station, "first_chief", FirstChief(fresh, "7K3MPX"))
    monkeypatch.setattr(hall.station, "_known", ())  # of which the other tests have to know nothing
    wanted = json.dumps({"code": "7K3MPX", "name": "Ada", "password": PASSWORD}).encode()
    headers = {"content-type": "application/json", "x-hallmarshal": "1"}
    plain, secure = StationServer(hall.station, False), StationServer(hall.station, True)
    assert b"not-secure" in body_of(plain.answer(Request("POST", "/api/first", "10.0.0.9", headers, wanted)))
    me = Request("GET", "/api/me", "10.0.0.9", {}, b"")
    assert json.loads(body_of(secure.answer(me)))["about"] == "first"
    answer = secure.answer(Request("POST", "/api/first", "10.0.0.9", headers, wanted))
    assert (json.loads(body_of(answer))["role"], "Secure" in dict(answer.headers)["Set-Cookie"]) == ("chief", True)
    assert json.loads(body_of(secure.answer(me)))["about"] == ""
    again = secure.answer(Request("POST", "/api/first", "10.0.0.9", headers, wanted))
    assert b"wrong-code" in body_of(again)


@pytest.mark.process
def test_many_guesses_at_once(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred at once are five tries, and no more than two of them are hashed at a time; after the wait the right password is taken."""
    now = [0.0]
    hashes = Hashes()
    station = hall.station
    monkeypatch.setattr(station, "_tries", Tries(lambda: now[0]))
    monkeypatch.setattr("referee.tournament.hall.station.HASH_PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr(accounts, "_hash", hashes.count)

    def guess(number: int) -> str:
        with pytest.raises(RefusedError) as refused:
            station.log_in({"name": "Chief", "password": f"guess {number}"}, f"10.0.0.{number}")
        return refused.value.word

    with ThreadPoolExecutor(200) as pool:
        answers = Counter(pool.map(guess, range(200)))
    assert answers == {"wrong": TRIES, "wait": 200 - TRIES}
    assert (hashes.all, hashes.most) == (TRIES, accounts.HASHES_AT_ONCE)
    right = {"name": "Chief", "password": PASSWORD}
    with pytest.raises(RefusedError):
        station.log_in(right, "10.0.1.1")
    now[0] += accounts.FIRST_WAIT_S
    guest = station.find(station.log_in(right, "10.0.1.1"))
    assert guest is not None
    assert guest.name == "Chief"


@pytest.mark.process
def test_nobody_is_kept_out_of_where_he_works(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever tries the chief's name from everywhere locks it for strangers only: from an address that has logged in the chief gets in.

    Guesses from that address are counted for it all the same.
    """
    station, right = hall.station, {"name": "Chief", "password": PASSWORD}
    monkeypatch.setattr(station, "_tries", Tries())
    monkeypatch.setattr(station, "_known", ())
    station.log_in(right, "10.0.0.5")

    def said(password: str, address: str) -> str:
        try:
            station.log_in({"name": "Chief", "password": password}, address)
        except RefusedError as error:
            return error.word
        return "in"

    assert [said("guess", f"10.0.2.{number}") for number in range(TRIES + 1)] == [*["wrong"] * TRIES, "wait"]
    assert said(PASSWORD, "10.0.2.99") == "wait"
    assert said(PASSWORD, "10.0.0.5") == "in"
    assert [said("guess", "10.0.0.5") for _ in range(TRIES + 1)] == [*["wrong"] * TRIES, "wait"]
    assert said(PASSWORD, "10.0.0.5") == "wait"


@pytest.mark.process
def test_an_account_of_one_s_own_buys_no_more_guesses(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """An arbiter who logs in rightly between his guesses at the chief's password: five are looked at, from wherever he has logged in."""
    station = hall.station
    monkeypatch.setattr(station, "_tries", Tries())
    monkeypatch.setattr(station, "_known", ())

    def said(name: str, password: str) -> str:
        try:
            station.log_in({"name": name, "password": password}, "10.0.0.8")
        except RefusedError as error:
            return error.word
        return "in"

    heard = []
    for _ in range(2 * TRIES):
        assert said("Ann", PASSWORD) == "in"
        heard.append(said("Chief", "guess"))
    assert heard == [*["wrong"] * TRIES, *["wait"] * TRIES]


@pytest.mark.process
def test_who_does_not_get_his_turn_is_not_counted(hall: OpenHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """While others' passwords are hashed a right one is asked to wait, as often as it comes; then it is taken."""
    station = hall.station
    monkeypatch.setattr("referee.tournament.hall.station.HASH_PATIENCE_S", 0.0)
    for _ in range(accounts.HASHES_AT_ONCE):
        station._hashing.acquire()
    for _ in range(TRIES + 1):
        status, answer, _ = Client(hall).ask("POST", "/api/login", {"name": "Ann", "password": PASSWORD})
        assert (status, answer["error"]) == (429, "wait")
    station._hashing.release(accounts.HASHES_AT_ONCE)
    Client(hall).log_in("Ann")


class Hashes:
    """Counts how many passwords are hashed, and how many at the most at once: the first waits for a second."""

    def __init__(self) -> None:
        self._hash = accounts._hash
        self._lock = threading.Lock()
        self._two = threading.Event()
        self.now = self.all = self.most = 0

    def count(self, password: str, salt: bytes) -> bytes:
        """Hash a password."""
        with self._lock:
            self.now += 1
            self.all += 1
            self.most = max(self.most, self.now)
        if self.now > 1:
            self._two.set()
        self._two.wait(PATIENCE_S)
        try:
            return self._hash(password, salt)
        finally:
            with self._lock:
                self.now -= 1


def test_sessions_end() -> None:
    """After twelve hours, and at the log-out."""
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    secret = sessions.begin("Ann", Role.ARBITER)
    assert sessions.find(secret) is not None
    assert sessions.find(secret + "x") is None
    now[0] = 12 * 3600 + 1
    assert sessions.find(secret) is None


def test_accounts_are_kept_as_hashes_for_nobody_else_to_read(tmp_path: Path) -> None:
    """The file has mode 0600 and no password; what it says survives a restart; nonsense is one clear line."""
    path = tmp_path / "accounts.json"
    accounts = Accounts(path)
    accounts.put("Ann", Role.CHIEF, "a secret of hers")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "secret of hers" not in path.read_text()
    again = Accounts(path)
    assert again.check("Ann", "a secret of hers") is Role.CHIEF
    assert again.check("Ann", "a secret of his") is None
    with pytest.raises(AccountError):
        again.put("Bob", Role.ARBITER, "short")
    accounts.put("Bea", Role.ARBITER, "made by another")
    assert again.check("Bea", "made by another") is Role.ARBITER
    again.remove("Ann")
    assert again.check("Ann", "a secret of hers") is None
    path.write_text(json.dumps({"Ann": {"role": "king"}}))
    with pytest.raises(AccountError):
        Accounts(path)


@pytest.mark.process
@pytest.mark.parametrize(("name", "status"), [("Chief", 0), ("Ann", 403), ("screen", 403), ("nobody", 401)])
def test_what_is_the_chiefs_is_nobody_elses(name: str, status: int, hall: OpenHall) -> None:
    """Every order and act of the chief's is refused to an arbiter, to the room's screen and to who is not logged in (0: not for that)."""
    client = Client(hall)
    if name == "screen":
        client.ask("POST", "/api/screen", {"key": "screen-key"})
    elif name != "nobody":
        client.log_in(name)
    for act in rounds.CHIEFS_ONLY:
        found = client.ask("POST", f"/api/event/{act}", {"revision": 0})[0]
        assert found == (status or 409), act  # the chief's is stale
    orders: dict[str, dict[str, Any]] = {"end-game": {"result": "red"}, "adjourn": {}, "assign": {"names": {}}}
    assert set(orders) == station.CHIEFS_ONLY
    for kind, fields in orders.items():
        wanted = {"board": "t1", "game": "", "act": {"type": kind, "reason": "because", **fields}}
        assert client.ask("POST", "/api/order", wanted)[0] == (status or 503), kind  # the chief's finds nobody there


@pytest.mark.process
def test_a_session_ends_with_its_account(hall: OpenHall) -> None:
    """Whoever is taken away, or gets another role or password, while the hall is open, is sent away; nobody else is."""
    other = Accounts(hall.folder / "accounts.json")  # as `hallmarshal station account` has it
    chief = Client(hall).log_in("Chief")
    changes: list[Callable[[], None]] = [
        partial(other.put, "Guest", Role.CHIEF, PASSWORD),
        partial(other.put, "Guest", Role.ARBITER, PASSWORD + "!"),
        partial(other.remove, "Guest"),
    ]
    for change in changes:
        other.put("Guest", Role.ARBITER, PASSWORD)
        guest = Client(hall).log_in("Guest")
        assert guest.ask("GET", "/api/me")[0] == 200
        change()
        assert guest.ask("GET", "/api/me")[0] == 401
        assert guest.ask("POST", "/api/order", {"board": "t1"})[0] == 401
    hall.accounts.put("Ann", Role.ARBITER, PASSWORD)
    (hall.folder / "accounts.json").write_text("{")
    assert chief.ask("GET", "/api/me")[0] == 200
    assert Client(hall).log_in("Ann").ask("GET", "/api/me")[0] == 200
    hall.accounts.put("Ann", Role.ARBITER, PASSWORD)


@pytest.mark.process
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/login", b'{"name": "Ann", "password": "\\ud800"}'),
        ("/api/screen", b'{"key": "\\ud800"}'),
        ("/api/login", b"[" * 9000),
        ("/api/login", b"\xff"),
        ("/api/order", b'{"board": "t1", "act": {"type": ["pause"], "reason": "x"}}'),
        ("/api/order", b'{"board": "t1", "act": {"type": "pause", "reason": "\\ud800"}}'),
        ("/api/event/clock", b'{"revision": 1, "minutes": 1' + b"0" * 400 + b"}"),
        ("/api/event/clock", b'{"revision": 1, "minutes": 1e999}'),
        ("/api/event/clock", b'{"revision": true, "minutes": 1}'),
        ("/api/event/enter", b'{"revision": 1, "name": "New", "rating": 1.5}'),
        ("/api/event/enter", b'{"revision": 1, "name": "New", "rating": NaN}'),
        ("/api/event/result", b'{"revision": 1, "round": "1", "table": 1, "result": "red"}'),
        ("/api/event/swap-boards", b'{"revision": 1, "round": 1, "table": 1, "other": Infinity}'),
        ("/api/event/withdraw", b'{"revision": 1, "number": 1e300}'),
    ],
    ids=lambda given: given.decode(errors="replace")[:60] if isinstance(given, bytes) else given[5:],
)
def test_whatever_is_sent_is_answered(hall: OpenHall, path: str, body: bytes) -> None:
    """JSON that means nothing is refused in one word; nobody is hung up on, and nothing is changed."""
    client = Client(hall).log_in("Chief")
    before = client.ask("GET", "/api/event")[1]
    line = http.client.HTTPConnection("127.0.0.1", client.port, timeout=PATIENCE_S)
    headers = {"Cookie": client.cookie, "Content-Type": "application/json", "X-Hallmarshal": "1"}
    line.request("POST", path, body, headers)
    answer = line.getresponse()
    assert (answer.status, json.loads(answer.read())["error"]) == (400, "not-understood")
    line.close()
    assert client.ask("GET", "/api/event")[1] == before


@pytest.mark.process
@pytest.mark.parametrize(
    ("act", "word"),
    [
        ({"type": "pause", "reason": "x" * 201}, "bad-words"),
        ({"type": "pair", "seat": "red", "reason": " "}, "no-reason"),
        ({"type": "facts", "reason": "x", "square": "x" * 12_000}, "not-understood"),
    ],
)
def test_an_order_that_cannot_be_carried_to_a_table(hall: OpenHall, act: dict[str, str], word: str) -> None:
    """It is refused here; the arbiter does not wait for an answer in vain."""
    session = Session("Ann", Role.ARBITER, 1e9)
    tables = HallTables(["t1"])
    tables.take(FromBoard("t1", Status(True, 1, "0" * 16)))
    with pytest.raises(RefusedError) as refused:
        Ordering(tables, hall.station.link.order).order(session, {"board": "t1", "game": "", "act": act})
    assert refused.value.word == word


@pytest.mark.process
def test_a_screen_needs_its_key(hall: OpenHall) -> None:
    """Without it nothing is shown, so that spectators on the network see no board without delay."""
    assert Client(hall).ask("GET", "/api/hall")[0] == 401
    assert Client(hall).ask("POST", "/api/screen", {"key": "guess"})[0] == 403


@pytest.mark.process
@pytest.mark.parametrize("path", ["/api/nothing", "/../etc/passwd", "/api/tables/t1/x", "/station_server.py"])
def test_nothing_else_is_served(hall: OpenHall, path: str) -> None:
    """A path that is not in the list is not there."""
    assert Client(hall).log_in("Chief").ask("GET", path)[0] == 404


@pytest.mark.process
def test_https_with_a_certificate_of_its_own(hall: OpenHall, tmp_path: Path) -> None:
    """The same pages; the cookie says that it wants https; plain http is sent there, and gets nothing else."""
    tls = station_serve._tls(Namespace(https=True, certificate=None, key=None), tmp_path)
    made = mosquitto.own_certificate(tmp_path / "https", "hallmarshal")
    server = StationServer.start("127.0.0.1", 0, hall.station, tls)
    try:
        trust = ssl.create_default_context(cafile=str(made.certificate))
        trust.check_hostname = False
        line = http.client.HTTPSConnection("127.0.0.1", server.port, context=trust, timeout=PATIENCE_S)
        wanted = json.dumps({"name": "Ann", "password": PASSWORD})
        line.request("POST", "/api/login", wanted, {"Content-Type": "application/json", "X-Hallmarshal": "1"})
        answer = line.getresponse()
        assert answer.status == 200
        assert "; Secure" in answer.headers["Set-Cookie"]
        answer.read()
        line.close()
        for method, path, status in (("GET", "/", 307), ("POST", "/api/login", 421), ("GET", "/api/hall", 421)):
            plain = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
            plain.request(method, path)
            answer = plain.getresponse()
            assert (answer.status, answer.read()[:9]) == (status, b'{"error":')
            assert answer.headers.get("Location", f"https://127.0.0.1:{server.port}/").startswith("https://")
            plain.close()
    finally:
        server.stop()


def test_passwords_are_hashed_on_few_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks: what a thread had for a hash stays with it, so forty threads that hash would keep 640 MiB. Games go before them."""
    real = hashlib.scrypt
    threads: set[int] = set()
    nice: set[int] = set()

    def noted(*given: Any, **more: Any) -> bytes:
        threads.add(threading.get_ident())
        nice.add(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        return real(*given, **more)

    monkeypatch.setattr(hashlib, "scrypt", noted)
    kept = accounts.Accounts(tmp_path / "accounts.json")
    with ThreadPoolExecutor(8) as pool:
        assert not any(pool.map(lambda _: kept.check("Nobody", "a guess"), range(6)))
    assert 0 < len(threads) <= accounts.HASHES_AT_ONCE
    assert min(nice) >= accounts.LEAST_NICE
