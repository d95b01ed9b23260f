"""What is printed for the hall, as pages that a browser prints on A4: pairings, standings, place cards, result slips.

Made for arbiters, with whole names: what hangs in the hall is no web page.
"""

from __future__ import annotations

import io

import segno

from referee.rules.values import Seat
from referee.tournament.event import event as model
from referee.tournament.public.markup import Markup, Said, tag
from referee.tournament.public.pages import EventPages, Place, by_name
from referee.tournament.public.shown import public_event

LINKS = {
    "tables.html": "public.by-table",
    "names.html": "public.by-name",
    "standings.html": "hall.standings",
    "cross.html": "public.cross",
    "cards.html": "public.place-cards",
    "slips.html": "public.score-sheets",
}


def prints(event: model.Event, language: str, shared: str, cards: str) -> dict[str, str]:
    """Return the pages to print, by name. `cards` is the address at which the players' cards are found, with a slash at its end."""
    said = Said(language)
    bracket = {"bracket.html": "hall.bracket"} if event.system is model.System.KNOCK_OUT else {}
    links = {**LINKS, **bracket}
    pages = EventPages(public_event(event, model.PublicNames.FULL), said, Place(shared, links))
    last = pages.event.rounds[-1] if pages.event.rounds else None
    tables = pages.seats() if last is None else pages.round(last)
    found = {
        "tables.html": pages.page("public.by-table", tables, kind="print"),
        "names.html": pages.page("public.by-name", pages.seats(), kind="print"),
        "standings.html": pages.page("hall.standings", pages.standings(), kind="print"),
        "cross.html": pages.page("public.cross", pages.cross(), kind="print wide"),
        "cards.html": pages.page("public.place-cards", _cards(pages, cards), kind="print"),
        "slips.html": pages.page("public.score-sheets", _slips(pages, last), kind="print"),
    }
    return {**found, **{name: pages.page(key, pages.bracket(), kind="print") for name, key in bracket.items()}}


def _cards(pages: EventPages, cards: str) -> Markup:
    players = sorted(pages.event.players, key=lambda player: by_name(player.name))
    return tag("div", [_card(pages, player, cards) for player in players if player.last_round is None], class_="cards")


def _card(pages: EventPages, player: model.Player, cards: str) -> Markup:
    """Return a place card: the name, and the way to the player's own page as a QR code."""
    return tag(
        "section",
        tag(
            "div", tag("b", player.name), tag("p", f"#{player.number} {player.federation}"), tag("p", pages.event.name)
        ),
        qr(f"{cards}player-{player.number}.html"),
        class_="place-card",
    )


def qr(address: str) -> Markup:
    """Return a QR code as a picture that needs no other file."""
    drawn = io.BytesIO()
    segno.make(address, error="m", micro=False).save(
        drawn, kind="svg", xmldecl=False, svgns=False, omitsize=True, border=2
    )
    return Markup(drawn.getvalue().decode().strip())


def _slips(pages: EventPages, round_: model.Round | None) -> Markup:
    if round_ is None:
        return tag("p", pages.said("public.not-paired"))
    return tag("div", [_slip(pages, round_.number, pairing) for pairing in round_.pairings], class_="slips")


def _slip(pages: EventPages, number: int, pairing: model.Pairing) -> Markup:
    """Return a slip on which a table's players write who has won, and sign."""
    said = pages.said
    players = ((Seat.RED, pairing.red), (Seat.BLUE, pairing.blue))
    lines = [
        tag(
            "p",
            tag("span", pages.seat(seat), " ", tag("b", pages.event.player(who).name)),
            tag("span", said("public.signature"), class_="line"),
        )
        for seat, who in players
    ]
    choices = (pages.seat(Seat.RED), pages.seat(Seat.BLUE), said("result.draw"), said("end.both-lose"))
    boxes = [tag("li", tag("span", class_="box"), choice) for choice in choices]
    table = (said("hall.table"), " ", pages.event_table(pairing.table), " ")
    return tag(
        "section",
        tag("h2", *table, tag("small", said("hall.round", round=number), class_="soft")),
        *lines,
        tag("p", said("public.winner")),
        tag("ul", boxes),
        class_="slip",
    )
