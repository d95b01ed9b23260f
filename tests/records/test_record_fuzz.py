"""Any bytes at all: a record, or one of the documented errors, and never anything else."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.journal.errors import RecordError
from referee.journal.records.check import completed, judge
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import View
from referee.journal.records.views import view_of
from referee.rules import rule_set
from tests.amount import tries
from tests.records.recorded_games import own_games, random_game

CHASE = own_games()[0]
TEXTS = (
    CHASE.xml(),
    CHASE.gsn(),
    write_record(completed(read_record(CHASE.xml())), "own").encode(),
    write_record(random_game(rule_set("infiltrator"), 4, 60).record, "own").encode(),
    write_record(view_of(random_game(rule_set("stratego4"), 3, 60).record, View.PUBLIC), "own").encode(),
)
PIECES = st.binary(max_size=6) | st.sampled_from(
    [
        b"\n",
        b"\n1 red ",
        b" ? ",
        b"E4",
        b"d4",
        b"-",
        b"x",
        b"~",
        b"scout",
        b"takes red on d4",
        b"[plies]",
        b"red",
        b"99",
    ]
)


def use(data: bytes) -> None:
    """Do with a text all that commands do; only `RecordError` may come out."""
    try:
        record = read_record(data)
        judge(record)
        whole = completed(record)
        for view in (View.PUBLIC, View.RED, View.ARCHIVE):
            text = write_record(view_of(whole, view), "own")
            assert write_record(read_record(text.encode()), "own") == text
        write_record(whole, "strados2")
    except RecordError:
        return


@settings(max_examples=tries(150), deadline=None)
@given(st.sampled_from(TEXTS), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8), PIECES), min_size=1, max_size=3))
def test_broken_records_give_documented_errors_only(text: bytes, edits: list[tuple[float, int, bytes]]) -> None:
    """Cut, overwritten and enriched records are refused or judged."""
    for place, cut, piece in edits:
        at = int(place * len(text))
        text = text[:at] + piece + text[at + cut :]
    use(text)


@settings(max_examples=tries(100), deadline=None)
@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"<", b"<stratego>", b"hallmarshal record 1\n", b"#X38FA11 Stratego-Notation v1\n"]),
)
@example(
    b"", b"hallmarshal record 1\n[game]\nrules = stratego4\n[set-up red]\nring marshal\n[plies]\n1 red ring-turret\n"
)
def test_any_bytes_give_documented_errors_only(data: bytes, start: bytes) -> None:
    """Bytes of any kind behind any beginning."""
    use(start + data)
