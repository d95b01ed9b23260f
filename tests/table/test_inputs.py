"""Every type of input has its row, and every one that is stored comes back as it was: in a journal without ranks, in a frame log whole."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from referee.rules import EndReason, Prospect
from referee.rules.values import Rank, Seat, Square
from referee.sensing import (
    Agreed,
    AttackSeen,
    Difference,
    Disturbed,
    Final,
    Lifted,
    Masked,
    Observation,
    Puzzled,
    Read,
    Reading,
    Returned,
    Revised,
    Seen,
    Unread,
)
from referee.table import table
from referee.table.arbiter_commands import ArbiterVerb, SetClock
from referee.table.inputs import (
    SECRET_FIELDS,
    Abort,
    BoardLink,
    BoardWarnings,
    Cable,
    Input,
    Leave,
    Named,
    Open,
    Pause,
    Plain,
    Reopen,
    Resume,
    SeatSays,
    Tick,
    as_json,
    from_json,
)
from referee.table.messages import (
    Consent,
    Countersign,
    Decide,
    Declare,
    Enrol,
    FromHandset,
    Resign,
    TellInfiltrate,
    TellLeave,
)
from referee.table.views import Health

E4, E5, E6 = Square("e4"), Square("e5"), Square("e6")
A_WAY = Prospect(E4, E6, False, (E5, E6), (E5,))
DIFFERENT = (Difference(E4, Seat.RED, Reading.UNSURE), Difference(E5, None, Reading.UNSURE))
SET_UP = {"e4": Rank.MARSHAL, "e5": Rank.SPY}

STORED: list[tuple[Input, str]] = [
    (Open(), '{"by":"open"}'),
    (Reopen(17), '{"by":"reopen","away_ms":17}'),
    (Named(Seat.RED, "Bo"), '{"by":"name","seat":"red","name":"Bo"}'),
    (BoardLink("silent"), '{"by":"link","fault":"silent"}'),
    (BoardLink(None), '{"by":"link","fault":null}'),
    (BoardWarnings((Health.RESTARTED, Health.QUEUE_FULL)), '{"by":"warn","warnings":["restarted","queue-full"]}'),
    (Cable(out=True), '{"by":"cable","out":true}'),
    (Pause(), '{"by":"pause"}'),
    (Resume(), '{"by":"resume"}'),
    (Abort(EndReason.UNFINISHED), '{"by":"abort","reason":"unfinished"}'),
    (Tick(), '{"by":"tick"}'),
    (Leave(), '{"by":"leave"}'),
    (
        SeatSays(Seat.RED, Countersign(id="m1", key="k", signature="s")),
        '{"by":"tell","seat":"red","message":{"type":"countersign","id":"m1","key":"k","signature":"s"}}',
    ),
    (SeatSays(Seat.RED, Resign(id="m1")), '{"by":"tell","seat":"red","message":{"type":"resign","id":"m1"}}'),
    (
        SeatSays(Seat.BLUE, TellInfiltrate(id="m1", source="e4", target="e5", guess=Rank.SPY)),
        '{"by":"tell","seat":"blue","message":{"type":"infiltrate","id":"m1","source":"e4","target":"e5","guess":"spy"}}',
    ),
    (
        SeatSays(Seat.RED, TellLeave(id="m1", square="e4", flags=(Seat.BLUE,))),
        '{"by":"tell","seat":"red","message":{"type":"leave","id":"m1","square":"e4","flags":["blue"]}}',
    ),
    (
        SeatSays(Seat.BLUE, Decide(id="m1", ply=4, source="e4", target="e5")),
        '{"by":"tell","seat":"blue","message":{"type":"decide","id":"m1","ply":4,"source":"e4","target":"e5"}}',
    ),
    (
        SetClock(id="o1", reason="slow", seat=Seat.RED, left_ms=5, seq=3, by="Anna"),
        '{"by":"arbiter","verb":{"type":"set-clock","id":"o1","reason":"slow","seq":3,"by":"Anna","seat":"red","left_ms":5}}',
    ),
    (Lifted(E4, 0), '{"by":"lifted","square":"e4"}'),
    (Returned(E4, 0), '{"by":"returned","square":"e4"}'),
    (Read(A_WAY, 0), '{"by":"read","source":"e4","target":"e6","via":["e5"]}'),
    (Revised(A_WAY, 0), '{"by":"revised","source":"e4","target":"e6","via":["e5"]}'),
    (Revised(A_WAY, 0, plies=2), '{"by":"revised","source":"e4","target":"e6","via":["e5"],"plies":2}'),
    (Unread(0), '{"by":"unread"}'),
    (Unread(0, 3), '{"by":"unread","plies":3}'),
    (Final(0), '{"by":"final"}'),
    (AttackSeen(E4, E5, 0), '{"by":"attack-seen","source":"e4","target":"e5"}'),
    (Disturbed(DIFFERENT, 0), '{"by":"disturbed","squares":{"e4":"red","e5":null}}'),
    (Puzzled(DIFFERENT, 0), '{"by":"puzzled","squares":{"e4":"red","e5":null}}'),
    (Agreed(0), '{"by":"agreed","lifted":null}'),
    (Agreed(0, 0, E4), '{"by":"agreed","lifted":"e4"}'),
    (Seen({E4: Seat.RED}, 0), '{"by":"seen","occupants":{"e4":"red"}}'),
    (Masked((E4, E5), 0), '{"by":"masked","squares":["e4","e5"]}'),
]
SECRET: list[tuple[FromHandset, str]] = [
    (Declare(id="m1", question=4, rank=Rank.SPY), '{"type":"declare","id":"m1","question":4}'),
    (Enrol(id="m1", set_up=SET_UP), '{"type":"enrol","id":"m1"}'),
    (Consent(id="m1", set_up=SET_UP), '{"type":"consent","id":"m1"}'),
]


def test_every_input_has_its_row() -> None:
    """And every message of a handset; nothing else has one."""
    assert set(table._INPUTS) == {*get_args(Observation), *get_args(ArbiterVerb), *Plain.__subclasses__()}
    assert set(table._MESSAGES) == set(get_args(FromHandset))


@pytest.mark.parametrize(("given", "stored"), STORED)
def test_what_is_stored_comes_back(given: Input, stored: str) -> None:
    """Byte by byte in the words of the first journals, and the same in a frame log; what stands beside it is left alone."""
    assert msgspec.json.encode(as_json(given)).decode() == stored
    assert as_json(given, ranks=True) == as_json(given)
    assert from_json(msgspec.json.decode(stored)) == given
    assert from_json({**msgspec.json.decode(stored), "now_ms": 5, "settings": {}, "held": {}}) == given


@pytest.mark.parametrize(("message", "stored"), SECRET)
def test_ranks_are_stored_apart(message: FromHandset, stored: str) -> None:
    """A journal's cause holds none and comes back with those of its facts; a frame log holds them."""
    given = SeatSays(Seat.RED, message)
    cause = as_json(given)
    assert msgspec.json.encode(cause).decode() == f'{{"by":"tell","seat":"red","message":{stored}}}'
    with pytest.raises(ValueError, match=SECRET_FIELDS[cause["message"]["type"]]):
        from_json(cause)
    ranks = {"e4": Rank.SPY} if isinstance(message, Declare) else SET_UP
    assert from_json(cause, ranks) == given
    assert from_json(msgspec.json.decode(msgspec.json.encode(as_json(given, ranks=True)))) == given


def test_an_older_word_for_a_clock_is_read() -> None:
    """As it was stored before orders were values; two of them are two orders."""
    told = {"by": "adjust-clock", "seat": "red", "left_ms": 5, "reason": " "}
    first, second = (from_json({**told, "now_ms": now_ms}) for now_ms in (7, 8))
    assert first == SetClock(id="-7", reason="-", seat=Seat.RED, left_ms=5)
    assert isinstance(second, SetClock)
    assert second.id != first.id


@pytest.mark.parametrize(
    "stored", ['{"by":"dance"}', '{"by":"abort","reason":"?"}', '{"by":"tell","seat":"red"}', "{}"]
)
def test_what_nobody_stored_is_an_error(stored: str) -> None:
    """One of the errors that are named, and no other."""
    with pytest.raises((KeyError, TypeError, ValueError)):
        from_json(msgspec.json.decode(stored))
