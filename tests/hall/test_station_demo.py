"""`hallmarshal station`: the demo in one command from entry to final standings, and what the hall's verbs refuse."""

from __future__ import annotations

import http.client
import json
import queue
import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.journal.records.formats import read_record
from tests.demo.running import hallmarshal
from tests.demo.test_what_goes_wrong import wait_until
from tests.patience import PATIENCE_S
from tests.reliability.test_limits import missing
from tests.runtime.at_table import Heard, Program

pytestmark = pytest.mark.process


def ask(web: str, path: str, cookie: str, body: object = None) -> tuple[dict[str, Any], str]:
    """Return an answer of the station, and the cookie to use from now on."""
    line = http.client.HTTPConnection(web.removeprefix("http://"), timeout=PATIENCE_S)
    headers = {"Cookie": cookie, "Content-Type": "application/json", "X-Hallmarshal": "1"}
    line.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers)
    answer = line.getresponse()
    told = json.loads(answer.read())
    assert answer.status == 200, told
    line.close()
    return told, (answer.headers.get("Set-Cookie") or cookie).partition(";")[0]


def event_news(web: str, cookie: str) -> Iterator[int]:
    """Yield how often the event has changed, at once and after each change, as the station reports it to its pages."""
    line = http.client.HTTPConnection(web.removeprefix("http://"), timeout=PATIENCE_S)
    line.request("GET", "/api/hall", headers={"Cookie": cookie})
    last = -1
    for text in line.getresponse():
        if text.startswith(b"data: ") and (now := json.loads(text[6:])["event"]) != last:
            yield (last := now)
    line.close()


def signers(game: Path) -> set[str]:
    """Return who has signed the end of a game, by its record."""
    record = game / "game.record"
    return set(read_record(record.read_bytes()).signatures) if record.exists() else set()


def test_a_whole_event_in_one_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two rounds of two tables at top speed: every game has a result, the standings add up, players and station sign, SIGTERM ends it."""
    heard: queue.Queue[Heard] = queue.Queue()
    state = tmp_path / "hall"
    words = f"station --demo --json --tables 2 --rounds 2 --speed max --web 127.0.0.1:0 --state {state}".split()
    demo = Program("demo", heard, tmp_path, "referee.cli.main", *words)
    try:
        ready = heard.get(timeout=PATIENCE_S)[1]
        assert ready is not None
        login = {"name": "chief", "password": ready["accounts"]["chief"]}
        _, cookie = ask(ready["web"], "/api/login", "", login)

        def over() -> dict[str, Any] | None:
            event, _ = ask(ready["web"], "/api/event", cookie)
            done = [table["result"] for round_ in event["rounds"] for table in round_["tables"]]
            return event if len(done) == 4 and None not in done else None

        event = next(filter(None, (over() for _ in event_news(ready["web"], cookie))))
        assert len(event["standings"]) == 4
        assert sum(float(line["points"]) for line in event["standings"]) in (
            24,
            25,
            26,
            27,
            28,
        )  # 7 a decided game, 6 a draw
        last = [sorted((state / "games" / f"table-{number}" / "games").iterdir())[-1] for number in (1, 2)]
        wait_until(lambda: all(signers(folder) == {"red", "blue", "station"} for folder in last))
        for folder in last:
            assert main(["record", "audit", str(folder)]) == 0
            assert "; signed by red, blue, station\n" in capsys.readouterr().out
        demo.send("status")
        line = demo.complains()
        assert missing(json.loads(line)["status"], "station") == [], "what the page of reliability names is there"
        assert demo.end(signal.SIGTERM) == 0
        assert demo.complaint == [line]
    finally:
        demo.close()


def test_a_hall_needs_a_chief(tmp_path: Path) -> None:
    """One clear line each; accounts and passes are for nobody else to read."""
    state = tmp_path / "hall"
    said = hallmarshal("station", "serve", "--state", str(state), state=tmp_path)
    assert (said.returncode, "no chief arbiter yet" in said.stderr) == (2, True)
    said = hallmarshal("station", state=tmp_path)
    assert said.returncode == 2
    said = hallmarshal("station", "tables", "t1", "--state", str(state), "--host", "127.0.0.1", state=tmp_path)
    assert said.returncode == 0
    assert stat.S_IMODE((state / "t1.pass").stat().st_mode) == 0o600
    assert hallmarshal("station", "tables", "--state", str(state), state=tmp_path).stdout == "t1\n"
