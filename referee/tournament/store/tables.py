"""The tables of a store, and an event as their rows. Texts are the stable words; points are tenths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, MetaData, String, Table

from referee.tournament.event.event import Details, Event, EventId
from referee.tournament.event.values import (
    AtEnd,
    Bye,
    ByeKind,
    Pairing,
    Player,
    PlayerNumber,
    Reason,
    RequestedBye,
    Result,
    Round,
    RoundEnd,
    Scoring,
    System,
    TieBreak,
    reason_from,
)

FORMAT = 1
METADATA = MetaData()


def _key(name: str) -> Column[int]:
    return Column(name, Integer, primary_key=True, autoincrement=False)


def _event_key() -> Column[str]:
    return Column("event", String, ForeignKey("hm_events.event", ondelete="CASCADE"), primary_key=True)


STORE = Table("hm_store", METADATA, _key("format"))
EVENTS = Table(
    "hm_events",
    METADATA,
    Column("event", String, primary_key=True),
    Column("revision", Integer, nullable=False),
    *(Column(name, Integer, nullable=False) for name in ("rounds_planned", "win", "draw", "loss", "bye", "absent")),
    *(Column(name, String, nullable=False) for name in ("seed", "name", "system", "tie_breaks")),
    *(Column(name, String, nullable=False) for name in ("place", "federation", "starts", "ends", "arbiter")),
)
PLAYERS = Table(
    "hm_players",
    METADATA,
    _event_key(),
    _key("number"),
    Column("name", String, nullable=False),
    Column("rating", Integer, nullable=False),
    Column("federation", String, nullable=False),
    Column("first_round", Integer, nullable=False),
    Column("last_round", Integer),
)
REQUESTED = Table(
    "hm_requested_byes", METADATA, _event_key(), _key("round"), _key("player"), Column("kind", String, nullable=False)
)
ROUNDS = Table("hm_rounds", METADATA, _event_key(), _key("round"), Column("published", Integer, nullable=False))
ENDS = Table(
    "hm_round_ends",
    METADATA,
    _event_key(),
    _key("round"),
    Column("at_ms", BigInteger, nullable=False),
    Column("at_end", String, nullable=False),
)
PAIRINGS = Table(
    "hm_pairings",
    METADATA,
    _event_key(),
    _key("round"),
    _key("table_number"),
    Column("red", Integer, nullable=False),
    Column("blue", Integer, nullable=False),
    Column("result", String),
    Column("reasons", String, nullable=False),
)
BYES = Table(
    "hm_byes",
    METADATA,
    _event_key(),
    _key("round"),
    _key("player"),
    Column("kind", String, nullable=False),
    Column("reasons", String, nullable=False),
)
CHILDREN = (PLAYERS, REQUESTED, ROUNDS, ENDS, PAIRINGS, BYES)

Row = Mapping[str, Any]
Rows = dict[Table, list[Row]]


def event_row(event: Event) -> Row:
    """Give the row of the event itself, without its revision."""
    scoring, details = event.scoring, event.details
    return {
        "event": event.id.value,
        "rounds_planned": event.rounds_planned,
        **{name: int(getattr(scoring, name) * 10) for name in ("win", "draw", "loss", "bye", "absent")},
        "seed": str(event.seed),
        "name": event.name,
        "system": event.system.value,
        "tie_breaks": " ".join(tie_break.value for tie_break in event.tie_breaks),
        **{name: getattr(details, name) for name in ("place", "federation", "starts", "ends", "arbiter")},
    }


def child_rows(event: Event) -> Rows:
    """Give the rows of everything else in the event."""
    rows: Rows = {table: [] for table in CHILDREN}
    own = {"event": event.id.value}
    for player in event.players:
        rows[PLAYERS].append(
            {
                **own,
                "number": player.number.value,
                **{
                    name: getattr(player, name)
                    for name in ("name", "rating", "federation", "first_round", "last_round")
                },
            }
        )
    for asked in event.requested:
        row = {"round": asked.round_number, "player": asked.player.value, "kind": asked.kind.value}
        rows[REQUESTED].append({**own, **row})
    drafts = () if event.draft is None else (event.draft,)
    for round_ in (*event.rounds, *drafts):
        rows[ROUNDS].append({**own, "round": round_.number, "published": int(round_.number <= len(event.rounds))})
        _add_round(rows, {**own, "round": round_.number}, round_)
    return rows


def _add_round(rows: Rows, own: Row, round_: Round) -> None:
    if round_.ends is not None:
        rows[ENDS].append({**own, "at_ms": round_.ends.at_ms, "at_end": round_.ends.at_end.value})
    for pairing in round_.pairings:
        result = None if pairing.result is None else pairing.result.value
        seats = {"table_number": pairing.table, "red": pairing.red.value, "blue": pairing.blue.value}
        rows[PAIRINGS].append({**own, **seats, "result": result, "reasons": _reasons_text(pairing.reasons)})
    for bye in round_.byes:
        row = {"player": bye.player.value, "kind": bye.kind.value, "reasons": _reasons_text(bye.reasons)}
        rows[BYES].append({**own, **row})


def event_from(row: Row, children: Mapping[Table, Sequence[Row]]) -> Event:
    """Give the event of its rows, each table's in the order of its key. Raises `ValueError` or `EventError` for what is no event."""
    rounds = [_round(entry["round"], children) for entry in children[ROUNDS]]
    published = [bool(entry["published"]) for entry in children[ROUNDS]]
    drafts = [round_ for round_, seen in zip(rounds, published, strict=True) if not seen]
    tenths = [Fraction(row[name], 10) for name in ("win", "draw", "loss", "bye", "absent")]
    return Event(
        EventId(row["event"]),
        row["name"],
        row["rounds_planned"],
        System(row["system"]),
        Scoring(*tenths),
        tuple(TieBreak(word) for word in row["tie_breaks"].split()),
        int(row["seed"]),
        Details(row["place"], row["federation"], row["starts"], row["ends"], row["arbiter"]),
        tuple(_player(entry) for entry in children[PLAYERS]),
        tuple(
            RequestedBye(PlayerNumber(entry["player"]), entry["round"], ByeKind(entry["kind"]))
            for entry in children[REQUESTED]
        ),
        tuple(round_ for round_, seen in zip(rounds, published, strict=True) if seen),
        drafts[0] if drafts else None,
    )


def _player(row: Row) -> Player:
    number = PlayerNumber(row["number"])
    return Player(number, row["name"], row["rating"], row["federation"], row["first_round"], row["last_round"])


def _round(number: int, children: Mapping[Table, Sequence[Row]]) -> Round:
    pairings = tuple(
        Pairing(
            row["table_number"],
            PlayerNumber(row["red"]),
            PlayerNumber(row["blue"]),
            None if row["result"] is None else Result(row["result"]),
            _reasons(row["reasons"]),
        )
        for row in children[PAIRINGS]
        if row["round"] == number
    )
    byes = tuple(
        Bye(PlayerNumber(row["player"]), ByeKind(row["kind"]), _reasons(row["reasons"]))
        for row in children[BYES]
        if row["round"] == number
    )
    ends = [RoundEnd(row["at_ms"], AtEnd(row["at_end"])) for row in children[ENDS] if row["round"] == number]
    return Round(number, pairings, byes, ends[0] if ends else None)


def _reasons_text(reasons: Sequence[Reason]) -> str:
    return " ".join(map(str, reasons))


def _reasons(text: str) -> tuple[Reason, ...]:
    return tuple(map(reason_from, text.split()))
