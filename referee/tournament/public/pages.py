"""An event's pages for players and public, as files by name: whole without a script, and on paper.

    index.html      where everybody sits in the last round, by name
    round-N.html    a round's tables with their results
    standings.html, cross.html
    bracket.html    the stages of a knock-out
    player-N.html   a player's rounds

They stand in a folder of the event's id, beside the files that all events share (`folder.py`). A page is written in one language;
where scripts run, `referee/web/public/public.js` says its words in the reader's, looks for names, and fetches the page again.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from referee.rules.values import Seat
from referee.tournament.event import event as model
from referee.tournament.event.bracket import Match, Stage, stages_of
from referee.tournament.event.reports import BYE_SIGNS, sign_of
from referee.tournament.event.standings import Cell, CellKind, Standing, pairing_cells, standings
from referee.tournament.event.teams import matches_of, team_event, team_of, team_standings
from referee.tournament.public.markup import Attribute, Markup, Said, join, tag

DASH = "\u2013"
REFRESH_S = 15
"""So often a page that is open looks whether it has changed."""


_Part = tuple[Markup | None, list[model.Pairing], list[model.Bye]]
"""What stands under a heading of a round; None: under none."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page stands: the way from it to what all pages share, and what is linked at its top, key of a word by file."""

    shared: str = "../"
    links: Mapping[str, str] | None = None


class EventPages:
    """The pages of one event, which is public already (`shown.public_event`)."""

    def __init__(self, event: model.Event, said: Said, place: Place | None = None) -> None:
        self.event, self.said = event, said
        self.place = place or Place()
        self.lines = standings(event)
        self._cells = {line.player.number: line for line in self.lines}
        """Each player's line of the standings."""

    def files(self) -> dict[str, str]:
        """Return every page by its name."""
        event = self.event
        found = {"index.html": self.page("public.seats", self.seats())}
        for round_ in event.rounds:
            found[f"round-{round_.number}.html"] = self.page("public.pairings", self.round(round_))
        found["standings.html"] = self.page("hall.standings", self.standings())
        found["cross.html"] = self.page("public.cross", self.cross())
        if event.system is model.System.KNOCK_OUT:
            found["bracket.html"] = self.page("hall.bracket", self.bracket())
        found |= {
            f"player-{player.number}.html": self.page("hall.players", self.card(player)) for player in event.players
        }
        return found

    # ---- the parts of a page

    def page(self, title: str, *main: object, kind: str = "") -> str:
        """Return a whole page around this."""
        event, said, shared = self.event, self.said, self.place.shared
        about = [part for part in (event.details.place, _dates(event.details)) if part]
        head = join(
            tag("h1", event.name),
            about and tag("p", " · ".join(about), class_="soft"),
            tag("nav", [tag("a", said(key), href=name) for name, key in self._links().items()]),
        )
        return document(
            said, f"{said.text(title)} {DASH} {event.name}", shared, tag("header", head), tag("main", *main), kind
        )

    def _links(self) -> Mapping[str, str]:
        if self.place.links is not None:
            return self.place.links
        last = {f"round-{len(self.event.rounds)}.html": "public.pairings"} if self.event.rounds else {}
        more = {"standings.html": "hall.standings", "cross.html": "public.cross"}
        if self.event.system is model.System.KNOCK_OUT:
            more = {"bracket.html": "hall.bracket", **more}
        return {"index.html": "public.seats", **last, **more, f"{self.place.shared}live.html": "hall.live-title"}

    def who(self, number: int) -> Markup:
        """Return a player as the link to his card."""
        return self._link(f"player-{number}.html", self.event.player(model.PlayerNumber(number)).name)

    def _link(self, name: str, content: object, **attributes: Attribute) -> Markup:
        """Return the link to another page of the event, or plain content where no such page stands beside this one (prints)."""
        if self.place.links is not None and name not in self.place.links:
            return tag("span", content, **attributes)
        return tag("a", content, href=name, **attributes)

    def seat(self, seat: Seat) -> Markup:
        """Return a seat's colour as a mark and a word."""
        return join(_mark(seat), " ", self.said(f"seat.{seat.value}"))

    def table(self, heads: Iterable[tuple[str, str]], rows: Iterable[Markup], kind: str = "") -> Markup:
        """Return a table; `heads` are keys of words and the classes of their columns."""
        head = tag("tr", [self._head(key, kind) for key, kind in heads])
        return tag("table", tag("thead", head), tag("tbody", list(rows)), class_=f"sheet {kind}")

    def _head(self, key: str, kind: str) -> Markup:
        return tag("th", self.said(key), scope="col", class_=kind) if key else tag("td", class_=kind)

    def ends(self, round_: model.Round) -> Markup | None:
        """Return until when a round goes on, by the clock of the hall."""
        if round_.ends is None or not round_.open_tables:
            return None
        at = time.strftime("%H:%M", time.localtime(round_.ends.at_ms / 1000))
        return tag("p", self.said("hall.clock-until", time=at), class_="ends", data_ends=round_.ends.at_ms)

    # ---- where everybody sits

    def seats(self) -> Markup:
        """Return where everybody sits in the last round, by name; before there is one, who plays."""
        event, said = self.event, self.said
        if not event.rounds:
            players = sorted(event.players, key=lambda player: by_name(player.name))
            heads = (("hall.name", "name"), ("", "no"), ("hall.rating", "no"), ("hall.federation", ""))
            rows = [
                self._row(player.number, player.rating or "", player.federation, classes=("no", ""))
                for player in players
            ]
            note = tag("p", said("public.not-paired"))
            return join(tag("h2", said("hall.players")), note, self._finder(), self.table(heads, rows, "names"))
        round_ = event.rounds[-1]
        where = (("hall.table", "no"), ("public.colour", "where"), ("public.opponent", "name"))
        table = self.table((("hall.name", "name"), ("", "no"), *where), self._seat_rows(round_), "names seats")
        return join(
            tag("h2", said("public.seats"), " ", self._round_name(round_)), self.ends(round_), self._finder(), table
        )

    def _round_name(self, round_: model.Round) -> Markup:
        return tag("span", self.said("hall.round", round=round_.number), class_="round")

    def _finder(self) -> Markup:
        """Return where a name is looked for; the page's script shows it."""
        field = tag("input", type="search", autocomplete="off", id="find")
        none = tag("p", self.said("public.none-found"), id="none", role="status", hidden=True)
        return join(
            tag("p", tag("label", self.said("public.find"), for_="find"), field, class_="finder", hidden=True), none
        )

    def _seat_rows(self, round_: model.Round) -> list[Markup]:
        said, rows = self.said, dict[int, Markup]()
        label = tag("span", said("hall.table"), " ", class_="label")
        for pairing in round_.pairings:
            sides = ((pairing.red, Seat.RED, pairing.blue), (pairing.blue, Seat.BLUE, pairing.red))
            for number, seat, other in sides:
                at = join(label, self.event_table(pairing.table))
                rows[number] = self._row(
                    number, at, self.seat(seat), self.who(other), classes=("no table", "where", "name")
                )
        for bye in round_.byes:
            free = tag("td", said(f"hall.bye-{bye.kind.value}"), colspan=3, class_="soft")
            rows[bye.player] = self._row(bye.player, free)
        return [rows[number] for number in sorted(rows, key=lambda number: by_name(self._name(number)))]

    def event_table(self, table: int) -> int:
        """Return the table of the hall at which a table of a round plays."""
        tables = self.event.tables
        return tables[table - 1] if table <= len(tables) else table

    def _name(self, number: int) -> str:
        return self.event.player(model.PlayerNumber(number)).name

    def _row(self, number: int, *cells: object, classes: tuple[str, ...] = ()) -> Markup:
        """Return a row that begins with a player; cells that have no class are elements already."""
        kinds = (*classes, *([""] * (len(cells) - len(classes))))
        inside = [tag("td", cell, class_=kind) if classes else cell for cell, kind in zip(cells, kinds, strict=True)]
        return tag("tr", tag("td", self.who(number), class_="name"), tag("td", f"#{number}", class_="no soft"), inside)

    # ---- a round

    def round(self, round_: model.Round) -> Markup:
        """Return a round's tables with their results, and who is free."""
        said = self.said
        links = [
            tag("a", one.number, href=f"round-{one.number}.html", aria_current=one is round_ and "page")
            for one in self.event.rounds
        ]
        heads = (("hall.table", "no"), ("seat.red", "name"), ("hall.points", "score"), ("seat.blue", "name"))
        rows: list[Markup] = []
        for head, pairings, byes in self._parts(round_):
            if head is not None:
                rows.append(tag("tr", tag("th", head, scope="rowgroup", colspan=len(heads), class_="part")))
            rows += [self._pairing(pairing) for pairing in pairings]
            rows += [
                tag("tr", tag("td"), tag("td", self.who(bye.player), class_="name"), self._free(bye.kind))
                for bye in byes
            ]
        return join(
            tag("h2", said("public.pairings"), " ", self._round_name(round_)),
            self.place.links is None and tag("p", said("hall.round", round=""), links, class_="rounds"),
            self.ends(round_),
            self.table(heads, rows, "pairings"),
        )

    def _parts(self, round_: model.Round) -> list[_Part]:
        """Return what stands under each heading of a round: a group's or a match's tables and byes; without groups and teams all."""
        event = self.event
        if event.team_boards:
            return self._matches(round_)
        if not event.groups:
            return [(None, list(round_.pairings), list(round_.byes))]
        parts: list[_Part] = []
        for name, members in event.pools.items():
            tables = [pairing for pairing in round_.pairings if pairing.red in members]
            free = [bye for bye in round_.byes if bye.player in members]
            head = join(self.said("hall.group"), " ", name) if name else Markup(DASH)
            if tables or free:
                parts.append((head, tables, free))
        return parts

    def _matches(self, round_: model.Round) -> list[_Part]:
        """Return the matches of a round with their points so far, then the teams that are free."""
        event, teams = self.event, team_of(self.event)
        free: dict[model.PlayerNumber, list[model.Bye]] = {}
        for bye in round_.byes:
            free.setdefault(teams.get(bye.player, model.PlayerNumber(0)), []).append(bye)
        parts: list[_Part] = []
        for match in matches_of(event, round_):
            sides = (match.red, match.blue)
            is_begun = any(result is not None for result in match.results)
            points = f" {DASH} ".join(model.points_text(match.points[side]) if is_begun else "" for side in sides)
            names = [event.teams[side - 1].name for side in sides]
            head = join(names[0], " ", tag("span", points, class_="score"), " ", names[1])
            alone = [bye for side in sides for bye in free.pop(side, [])]
            parts.append((head, [round_.pairings[table - 1] for table in match.tables], alone))
        return [
            *parts,
            *((join(event.teams[team - 1].name if team else DASH), [], free[team]) for team in sorted(free)),
        ]

    def _pairing(self, pairing: model.Pairing) -> Markup:
        return tag(
            "tr",
            tag("td", self.event_table(pairing.table), class_="no table"),
            tag("td", _mark(Seat.RED), " ", self.who(pairing.red), class_="name"),
            tag("td", self._score(pairing), class_="score"),
            tag("td", _mark(Seat.BLUE), " ", self.who(pairing.blue), class_="name"),
        )

    def _free(self, kind: model.ByeKind) -> Markup:
        return tag("td", self.said(f"hall.bye-{kind.value}"), colspan=2, class_="soft")

    def _score(self, pairing: model.Pairing) -> Markup:
        """Return the points of both; a game that was not played says so."""
        if pairing.result is None:
            return Markup(DASH)
        cells = pairing_cells(self.event.scoring, pairing)
        played = any(cell.kind is CellKind.PLAYED for cell in cells)
        points = f" {DASH} ".join(model.points_text(cell.points) for cell in cells)
        return join(points, not played and join(" ", tag("small", self.said("public.absent"))))

    # ---- a knock-out

    def bracket(self) -> Markup:
        """Return the stages of a knock-out: who has met whom and won, and who waits for whom."""
        sides = team_event(self.event) if self.event.team_boards else self.event
        stages = list(stages_of(sides))
        while stages and len(stages[-1]) > 1:  # those that are not played yet
            slots = [match.winner for match in stages[-1]]
            pairs = zip(slots[::2], slots[1::2], strict=True)
            stages.append(tuple(Match(pair, False, None, 0) for pair in pairs))
        shown = [self._stage(sides, stage, at == 0) for at, stage in enumerate(stages)]
        empty = None if shown else tag("p", self.said("public.not-paired"))
        return join(tag("h2", self.said("hall.bracket"), id="title"), empty, tag("div", shown, class_="stages"))

    def _stage(self, sides: model.Event, stage: Stage, is_first: bool) -> Markup:
        keys = {1: "public.final", 2: "public.semi-final", 4: "public.quarter-final"}
        key, about = keys.get(len(stage), "public.last-of"), {"players": 2 * len(stage)} if len(stage) > 4 else {}
        matches = [tag("li", self._match(sides, match, is_first), class_="match") for match in stage]
        return tag("section", tag("h3", self.said(key, **about)), tag("ol", matches))

    def _match(self, sides: model.Event, match: Match, is_first: bool) -> Markup:
        """Return the two of a match, the winner with a mark, and the rounds in which they met."""
        slots = []
        for slot in match.slots:
            won = slot is not None and slot == match.winner
            name = self._side(sides, slot) if slot is not None else self.said("hall.bye") if is_first else DASH
            heard = {"role": "img", "aria_label": self.said.text("public.winner"), "data_label": "public.winner"}
            slots.append(tag("p", name, won and join(" ", tag("span", "\u2713", **heard)), class_="won" if won else ""))
        met = [
            self._link(f"round-{round_.number}.html", self.said("hall.round", round=round_.number))
            for round_ in sides.rounds
            if any({*pairing.players} == {*match.slots} for pairing in round_.pairings)
        ]
        return join(slots, met and tag("p", [join(" ", link) for link in met], class_="met"))

    def _side(self, sides: model.Event, number: model.PlayerNumber) -> Markup:
        return join(sides.player(number).name) if self.event.team_boards else self.who(number)

    # ---- standings and cross table

    def standings(self) -> Markup:
        """Return who stands where, teams first."""
        return join(self._titled("hall.standings"), self._tables(cross=False))

    def cross(self) -> Markup:
        """Return the standings with every round of everybody."""
        return join(self._titled("public.cross"), self._tables(cross=True))

    def _tables(self, *, cross: bool) -> Markup:
        kinds = [self._standings(self.lines, cross=cross, who=self._player)]
        if self.event.team_boards:
            kinds.insert(0, self._standings(team_standings(self.event), cross=cross, who=self._team))
        return join(
            [tag("div", kind, class_="scroll", tabindex=0, role="region", aria_labelledby="title") for kind in kinds]
        )

    def _player(self, player: model.Player) -> Markup:
        number = tag("small", f"#{player.number}", class_="soft")
        return join(self.who(player.number), " ", number, self._gone(player))

    @staticmethod
    def _team(team: model.Player) -> Markup:
        return join(tag("b", team.name), " ", tag("small", f"#{team.number}", class_="soft"))

    def _titled(self, key: str) -> Markup:
        rounds = self.event.rounds
        return tag("h2", self.said(key), rounds and join(" ", self._round_name(rounds[-1])), id="title")

    def _standings(self, lines: Iterable[Standing], *, cross: bool, who: Callable[[model.Player], Markup]) -> Markup:
        event = self.event
        rounds = [round_.number for round_ in event.rounds] if cross else []
        heads = [
            *(("hall.place", "no"), ("hall.name", "name"), ("hall.points", "no")),
            *((f"hall.tie-{tie_break.value}", "no tie") for tie_break in event.tie_breaks),
        ]
        more = [tag("th", number, scope="col", class_="cell") for number in rounds]
        head = tag("tr", [self._head(key, kind) for key, kind in heads], more)
        rows, group = [], None
        for line in lines:
            if event.groups and line.group != group:
                group = line.group
                rows.append(tag("tr", tag("th", group or DASH, scope="rowgroup", colspan=len(heads) + len(rounds))))
            rows.append(
                tag(
                    "tr",
                    tag("td", line.place, class_="no"),
                    tag("td", who(line.player), class_="name"),
                    tag("td", tag("b", model.points_text(line.points)), class_="no"),
                    [tag("td", model.points_text(value), class_="no tie") for value in line.tie_breaks],
                    [tag("td", self._cell(cell), class_="cell") for cell in line.rounds] if cross else None,
                )
            )
        return tag("table", tag("thead", head), tag("tbody", rows), class_="sheet standings")

    def _gone(self, player: model.Player) -> Markup | None:
        if player.last_round is None:
            return None
        return join(" ", tag("small", self.said("hall.withdrawn"), class_="soft"))

    def _cell(self, cell: Cell) -> Markup:
        """Return a cell of the cross table: the opponent's number, the seat's mark, the sign of the result."""
        if cell.kind is CellKind.BYE or cell.opponent is None or cell.seat is None:
            return tag("small", self.said("hall.bye")) if cell.bye in _COUNTED else Markup("·")
        word = f"seat.{cell.seat.value}"  # read aloud, where only the mark is seen
        heard = {"role": "img", "aria_label": self.said.text(word), "data_label": word}
        return join(
            cell.opponent, tag("span", class_=f"mark {cell.seat.value}", **heard), sign_of(cell.kind, cell.share)
        )

    # ---- a player

    def card(self, player: model.Player) -> Markup:
        """Return a player's card: who he is, where he sits now, and his rounds."""
        line, said, rounds = self._cells[player.number], self.said, self.event.rounds
        teams = [team.name for team in self.event.teams if player.number in team.players]
        about = [f"#{player.number}", player.federation, str(player.rating or ""), *teams]
        heads = (
            ("", "no"),
            ("hall.table", "no"),
            ("public.colour", "where"),
            ("public.opponent", "name"),
            ("hall.points", "no"),
        )
        return join(
            tag("h2", player.name, self._gone(player)),
            tag("p", " · ".join(part for part in about if part), class_="soft"),
            rounds and self._now(player, line),
            tag(
                "p",
                *(said("hall.place"), " ", tag("b", line.place), "  ", said("hall.points"), " "),
                tag("b", model.points_text(line.points)),
                class_="place",
            ),
            self.table(heads, [self._round_row(player, round_, line) for round_ in rounds]) if rounds else None,
        )

    def _now(self, player: model.Player, line: Standing) -> Markup | None:
        """Return where a player sits now, large, while his game of the last round has no result."""
        round_ = self.event.rounds[-1]
        found = next((one for one in round_.pairings if player.number in one.players and one.result is None), None)
        if found is None:
            return None
        seat = Seat.RED if found.red == player.number else Seat.BLUE
        at = tag("b", self.said("hall.table"), " ", self.event_table(found.table))
        return tag("p", self._round_name(round_), " ", at, " ", self.seat(seat), class_="now")

    def _round_row(self, player: model.Player, round_: model.Round, line: Standing) -> Markup:
        number, cell = round_.number, line.rounds[round_.number - 1]
        first = tag("td", self._link(f"round-{number}.html", number), class_="no")
        if cell.opponent is None or cell.seat is None:
            kind = cell.bye.value if cell.bye is not None else "zero"
            here = player.number in {bye.player for bye in round_.byes}
            free = tag("td", here and self.said(f"hall.bye-{kind}"), colspan=3, class_="soft")
        else:
            table = next(one.table for one in round_.pairings if player.number in one.players)
            free = join(
                tag("td", self.event_table(table), class_="no"),
                tag("td", self.seat(cell.seat), class_="where"),
                tag("td", self.who(cell.opponent), class_="name"),
            )
        absent = cell.kind in (CellKind.WON_BY_ABSENCE, CellKind.LOST_BY_ABSENCE)
        note = absent and join(" ", tag("small", self.said("public.absent")))
        points = DASH if cell.kind is CellKind.OPEN else model.points_text(cell.points)
        return tag("tr", first, free, tag("td", points, note, class_="no"))


_COUNTED = tuple(kind for kind in BYE_SIGNS if kind is not model.ByeKind.ZERO)


def document(
    said: Said, title: str, shared: str, header: Markup, main: Markup, kind: str = "", more: object = None
) -> str:
    """Return a whole HTML document; `shared` is the way to the files that all pages share, `more` stands in its head."""
    again = tag("noscript", tag("meta", http_equiv="refresh", content=2 * REFRESH_S))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="stylesheet", href=f"{shared}public/public.css"),
        tag("script", type="module", src=f"{shared}public/public.js"),
        again,
        more,
    )
    body = tag("body", header, main, class_=kind, data_again=REFRESH_S)
    return "<!doctype html>\n" + tag("html", "\n", head, "\n", body, "\n", lang=said.language) + "\n"


def by_name(name: str) -> tuple[str, str]:
    """Return the sort key of a name: letters with accents beside those without."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign)), name


def _mark(seat: Seat) -> Markup:
    return tag("span", class_=f"mark {seat.value}", aria_hidden="true")


def _dates(details: model.Details) -> str:
    return f" {DASH} ".join(dict.fromkeys(date for date in (details.starts, details.ends) if date))
