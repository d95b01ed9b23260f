"""The files for players and public behind nginx, where there is one (CI has it), and what the room's screen shows of them."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from referee.tournament.public.folder import PublicFiles, Publisher, Publishing
from tests.hall.shown_hall import event, shown, tables
from tests.hall.test_hall_pages import Tab, shot
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process
CONFIG = """{user} daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
  include /etc/nginx/mime.types; access_log off; gzip on; gzip_types text/css text/javascript application/javascript application/json;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port}; root {root}; location ~ /\\. {{ deny all; }} add_header Cache-Control no-cache; }}
}}
"""
_SLIDES = """async ([change, alert]) => {
  const { slides } = await import("/posted.js");
  const named = (number) => ({ number, name: `P${number}` });
  const table = (number) => ({ table: number, red: named(2 * number), blue: named(2 * number + 1), result: null });
  const round = { round: 2, tables: [table(1), table(2)], byes: [{ player: named(9) }] };
  const occasion = { event: "cup", round: 2, table: 1 };
  const own = { up: true, cut_ms: null, stuck: null, alerts: alert ? [{ kind: "called" }] : [], occasion, phase: "lobby" };
  if (change === "begun") own.phase = "waiting-for-move";
  if (change === "over") for (const one of round.tables) one.result = "red";
  const posted = [{ id: "cup", name: "Cup", round, standings: [{ place: 1, number: 2, name: "P2", points: 6 }] }];
  return slides(posted, { tables: new Map([["t1", own]]) }, 1920, 1080).map((one) => one.attributes.class);
}"""


@contextmanager
def nginx(root: Path, folder: Path) -> Iterator[int]:
    """Serve a folder by nginx; yield the port. Skips the test where there is none.

    Nginx is handed a socket that listens already (its variable `NGINX`), so who comes before it has begun waits in the queue.
    """
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if program is None:
        pytest.skip("no nginx here (.ci/install-apt web-server)")
    folder.mkdir()
    user = "user root root;" if os.geteuid() == 0 else ""  # pytest's folders are for nobody else
    with closing(socket.create_server(("127.0.0.1", 0))) as listens:
        port, number = listens.getsockname()[1], listens.fileno()
        (folder / "nginx.conf").write_text(CONFIG.format(user=user, folder=folder, port=port, root=root))
        command = [program, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
        running = subprocess.Popen(command, pass_fds=[number], env={"NGINX": f"{number};"})
    try:
        yield port
    finally:
        running.terminate()
        running.wait(PATIENCE_S)


def _got(port: int, path: str, **headers: str) -> http.client.HTTPResponse:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    line.request("GET", path, headers=headers)
    answer = line.getresponse()
    answer.read()
    line.close()
    return answer


def _tables(after: int) -> tuple[int, list[dict[str, Any]]]:
    """Return a board that spectators may see, as a made-up hall tells it, once."""
    made = tables()
    change, _ = made.wait(0, 0)
    whole = made.whole("time")
    return change, [whole] if not after and whole is not None else []


def test_any_server_serves_the_folder(browser: Browser, tmp_path: Path) -> None:
    """Nginx below a path, with a page that looks again: 304 while nothing has changed, and a browser shows seats and boards."""
    root = tmp_path / "root" / "chess-club"
    publisher = Publisher(PublicFiles(root), Publishing("nl"), lambda: [(event(), 1)], _tables, lambda: 900.0)
    publisher.look()
    with nginx(tmp_path / "root", tmp_path / "nginx") as port:
        tab = Tab(browser, 390, 800)
        page = tab.page
        web = f"http://127.0.0.1:{port}/chess-club/"
        first = _got(port, "/chess-club/cup/index.html")
        assert first.status == 200
        again = _got(port, "/chess-club/cup/index.html", **{"If-None-Match": first.headers["ETag"]})
        assert again.status == 304
        page.goto(web)
        page.wait_for_url("**/cup/")
        expect(page.locator(".language select")).to_be_visible()
        shot(page, "public-seats")
        page.get_by_role("searchbox").fill("bram")
        expect(page.locator("tbody tr:visible")).to_have_count(1)
        expect(page.locator("tbody tr:visible")).to_contain_text("Bram Berg")
        page.goto(f"{web}live.html")
        expect(page.locator(".game .board")).to_have_count(1)
        expect(page.get_by_text("15 min")).to_be_visible()
        tab.context.close()
        assert [fault for fault in tab.faults if "favicon" not in fault] == []


def test_the_screen_shows_seats_before_a_round_and_standings_after_it(browser: Browser, tmp_path: Path) -> None:
    """While people play, or a table needs the arbiter, it shows the tables alone."""
    with shown(tmp_path) as (_, web):
        tab = Tab(browser, 1280, 800)
        tab.page.goto(f"{web}/public/cup/")
        found = {
            (change, alert): tab.page.evaluate(_SLIDES, [change, alert])
            for change in ("published", "begun", "over")
            for alert in (False, True)
        }
        tab.context.close()
    assert found == {
        ("published", False): ["posted seats", "posted pairings"],
        ("begun", False): [],
        ("over", False): ["posted standings"],
        **{(change, True): [] for change in ("published", "begun", "over")},
    }
