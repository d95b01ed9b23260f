"""The files that browsers get: the pages' own, the words in all languages, the rules of this table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from email.utils import formatdate
from html import escape
from http import HTTPStatus
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from referee.door.front_door import FrontDoor
from referee.door.messages import Response
from referee.rules import CombatResult, RuleSet
from referee.words import LANGUAGES, words

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
}
_EQUAL = CombatResult.BOTH_LOST
_START = "index.html"
_NOT_FOR_PHONES = (
    "option.",
    "option-reason.",
    "record.",
    "report.",
    "doctor.",
    "calibrate.",
    "handset.word-",
    "hall.",
    "alert.",
)
_FOR_HALLS = (
    *(
        "alert.",
        "ask.",
        "clock.",
        "end.",
        "finale.",
        "games.",
        "hall.",
        "health.",
        "language.",
        "phase.",
        "proof.",
        "public.",
        "rank.",
        "record.",
        "refusal.",
    ),
    *("result.", "saw.apart", "seat.", "seats.", "text.", "turn.", "verdict."),
)
_FOR_PUBLIC = (
    *(
        "clock.",
        "end.",
        "finale.",
        "games.all",
        "language.",
        "phase.",
        "proof.",
        "public.",
        "rank.",
        "result.",
        "seat.",
        "seats.",
    ),
    *("text.", "turn."),
    *(
        "hall.age",
        "hall.board",
        "hall.bracket",
        "hall.bye",
        "hall.clock-until",
        "hall.cut",
        "hall.federation",
        "hall.group",
        "hall.language",
        "hall.live",
        "hall.name",
    ),
    *(
        "hall.no-game",
        "hall.place",
        "hall.players",
        "hall.points",
        "hall.rating",
        "hall.round",
        "hall.standings",
        "hall.table",
        "hall.tie-",
    ),
    *("hall.to-move", "hall.withdrawn"),
)
_PUBLIC_STATION = ("cards.js", "hall.js", "live.js", "picture.js", "station.css", "tables.js")


class Pages:
    """Pages behind a front door, which `start` of those that serve them opens."""

    door: FrontDoor

    @property
    def port(self) -> int:
        """Return the port at which browsers come."""
        return self.door.port

    @property
    def figures(self) -> Mapping[str, int]:
        """Return what the door has counted."""
        return self.door.figures

    def stop(self) -> None:
        """Close the door."""
        self.door.stop()


def served(name: str, body: bytes, *, keeps: bool = True) -> Response:
    """Return the answer that is this file; the front door `keeps` those that never change."""
    return Response(HTTPStatus.OK, _KINDS[name[name.rindex(".") :]], body, {"Cache-Control": "no-cache"}, keeps=keeps)


def page_files(rules: RuleSet | None = None, *, library: bool = False) -> Mapping[str, Response]:
    """Return everything that is served, by its path; the rules are left out where none are given, pages of kept games without a library."""
    found = _folder("page")
    start = found.pop(f"/{_START}")
    found |= {
        "/": start,
        "/join": start,
        "/screen": found.pop("/screen.html"),
        "/words.json": _words(lambda key: not key.startswith(_NOT_FOR_PHONES)),
    }
    found["/connect"] = _connect()
    if library:
        found |= library_files()
    if rules is not None:
        found["/rules.json"] = served("rules.json", _json({**rule_sheet(rules), "library": library}), keeps=False)
    return found


def library_files() -> dict[str, Response]:
    """Return what the pages of kept games are made of, by its path: the list, and what replays load."""
    found = {
        f"/report/{path}": served(path, body) for path, body in _walk(resources.files("referee.web") / "report", "")
    }
    del found["/report/report.html"]
    return found | {"/games": found.pop("/report/games.html")}


def station_files() -> Mapping[str, Response]:
    """Return everything that a station serves to browsers, by its path; nothing of it is secret."""
    found = _folder("station")
    start = found.pop(f"/{_START}")
    found |= {"/": start, "/screen": start}
    return found | library_files() | {"/words.json": _words(lambda key: key.startswith(_FOR_HALLS))}


def public_files() -> Iterator[tuple[str, bytes]]:
    """Yield what the pages of players and public load, by the place that it has in their folder: the same as in `referee/web`."""
    root = resources.files("referee.web")
    for folder in ("public", "station", "toolkit"):
        for name, body in _walk(root / folder, f"{folder}/"):
            if folder != "station" or name.removeprefix("station/") in _PUBLIC_STATION:
                yield name.removeprefix("public/") if name.endswith(".html") else name, body
    words_file = _words(lambda key: key.startswith(_FOR_PUBLIC)).body
    assert isinstance(words_file, bytes)
    yield "words.json", words_file


def public_file(name: str, body: bytes, at_s: float) -> Response:
    """Return the answer that is one of those files, written `at_s` seconds after 1970; browsers ask each time if it is the newest."""
    answer = served(name, body, keeps=False)
    return replace(answer, headers={**answer.headers, "Last-Modified": formatdate(at_s, usegmt=True)})


def rule_sheet(rules: RuleSet) -> dict[str, Any]:
    """Return what a page needs of a rule set: ranks, zones, and of every square where a piece can go from it."""
    board = rules.board
    return {
        "name": rules.name,
        "filled": rules.filled,
        "steps_first": rules.steps_first,
        "order": [rank.value for rank in reversed(rules.order) if rank in rules.army],
        "exceptions": _exceptions(rules),
        "two_square_limit": rules.two_square_limit,
        "repetition": rules.repetition.value,
        "quiet_limit": rules.quiet_limit,
        "moving_forfeits": rules.moving_forfeits,
        "specials": sorted(special.value for special in rules.specials),
        "seats": [seat.value for seat in rules.seats],
        "partners": {seat.value: [other.value for other in rules.partners(seat)] for seat in rules.seats},
        "ranks": {
            rank.value: {"count": rule.count, "number": rule.number, "gait": rule.gait.value}
            for rank, rule in rules.ranks.items()
        },
        "zones": {seat.value: [square.name for square in rules.zone(seat)] for seat in rules.seats},
        "squares": {
            square.name: {
                "neighbours": [other.name for other in board.neighbours(square)],
                "lines": [[other.name for other in line] for line in board.lines(square)],
                "shots": [shot.target.name for shot in board.shots(square)],
            }
            for square in board.squares
        },
    }


def _connect() -> Response:
    """Return what a phone shows of itself in the Wi-Fi of a table: where to go, in all languages until `connect.js` knows which.

    That window forgets all, so it takes no seat; it hands the seat's link to the real browser.
    """
    told = [f'<p lang="{language}">{escape(words(language)["wi-fi.connected"])}</p>' for language in LANGUAGES]
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    own = '<title>Hallmarshal</title><link rel="stylesheet" href="/style.css"><script src="/connect.js" type="module"></script>'
    begin = '<main class="plain"><div class="welcome"><h1>Hallmarshal</h1>'
    return served("connect.html", "".join((head, own, begin, *told, "</div></main>")).encode())


def _exceptions(rules: RuleSet) -> list[list[str | None]]:
    """Return what the order of ranks does not say: attacker, defender (None: any), verdict; the first that fits counts."""
    found = [(rank, rank, verdict) for rank in rules.order if (verdict := rules.combat(rank, rank)) is not _EQUAL]
    told = (*found, *rules.exceptions)
    return [
        [attacker and attacker.value, defender and defender.value, verdict.value]
        for attacker, defender, verdict in told
        if {attacker, defender} <= {None, *rules.army}
    ]


def _words(wanted: Callable[[str], bool]) -> Response:
    """Return the words in all languages whose keys are wanted."""
    said = {language: {key: text for key, text in words(language).items() if wanted(key)} for language in LANGUAGES}
    return served("words.json", _json(said))


def _folder(name: str) -> dict[str, Response]:
    root = resources.files("referee.web")
    walked = (*_walk(root / name, ""), *_walk(root / "toolkit", "toolkit/"))
    return {f"/{path}": served(path, body) for path, body in walked}


def _walk(folder: Traversable, before: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = before + entry.name
        if entry.is_dir():
            yield from _walk(entry, f"{name}/")
        elif any(entry.name.endswith(end) for end in _KINDS):
            yield name, entry.read_bytes()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def policy(*own: str, frames: str = "'none'") -> str:
    """Return a Content-Security-Policy: pages may load and run their own files and what `own` says. No inline script.

    `frames` is who may show them in a frame.
    """
    files = ("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'")
    return "; ".join((*files, *own, "base-uri 'none'", "form-action 'none'", f"frame-ancestors {frames}"))
