"""The chain of a whole game: it goes through every view, and whatever is changed in a record, or cut off, is named."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from nacl.signing import SigningKey

from referee.journal.errors import RecordError
from referee.journal.journal_to_record import record_as_agreed
from referee.journal.proof import audit_journal
from referee.journal.records.audit import Audit, audit
from referee.journal.records.chained import Evidence
from referee.journal.records.formats import read_record, write_record
from referee.journal.records.model import Record, SetUp, View
from referee.journal.records.views import Follower, Start, view_of
from referee.net.credential import write_base64
from referee.net.sealing.signing import countersigned
from referee.rules import Rank, rule_set
from referee.rules.hidden import Hidden
from referee.rules.values import BySeat, Seat
from referee.table.arbiter_commands import EndGame
from referee.table.chain import signed_end
from referee.table.commitments import link, name_hash, signing_seed, statement
from referee.table.messages import Countersign
from referee.table.replay import rebuild, told_settings
from referee.table.settings import ClockKind, Occasion, TimeControl
from referee.table.step import Fact
from referee.table.views import Mode, Reveal
from tests.records.audited_games import journal, words
from tests.records.test_corrected_games import corrected, facts
from tests.table.random_play import SALTS
from tests.table.storm import Storm

RED, BLUE = Seat.RED, Seat.BLUE
VIEWS = (View.REFEREE, View.RED, View.BLUE, View.PUBLIC, View.ARCHIVE)
PAGE = Path(__file__).resolve().parents[2] / "docs/reference/commitments.md"


@cache
def rich() -> tuple[tuple[Fact, ...], Record]:
    """Return a corrected game of a hall with names, a day and clocks."""
    sitting = corrected(
        names={RED: "Anna", BLUE: "Bram"},
        salts=Hidden(SALTS),
        date="2026-11-26",
        occasion=Occasion("club night", 2, 7),
        clock=TimeControl(ClockKind.SUDDEN_DEATH, 600_000),
    )
    told = facts(sitting)
    return tuple(told), record_as_agreed(told, sitting.rules)


@cache
def played(mode: Mode, name: str = "duel", seed: int = 5) -> tuple[tuple[Fact, ...], Record]:
    """Return an honest game that went on for a while."""
    storm = Storm(rule_set(name), mode, Reveal.BOOK, random.Random(seed), junk=0.0, lies=False, proves=False)
    storm.play(30)
    told = tuple(fact for step in storm.steps for fact in step.facts)
    return told, record_as_agreed(told, rule_set(name))


def own(record: Record) -> str:
    """Return its text."""
    return write_record(record, "own")


def chained_anew(record: Record) -> Record:
    """Return a record whose head is what its links lead to, as a forger makes it."""
    found = record.game or ""
    for text in record.chain:
        found = link(found, text)
    return replace(record, head=f"{len(record.chain)}:{found}")


def known(record: Record, links: int | None = None) -> Evidence:
    """Return what who noted the head of a record knows, that of its last link or of an earlier one."""
    number = len(record.chain) if links is None else links
    head = chained_anew(replace(record, chain=record.chain[:number])).head or ""
    return Evidence((number, head.partition(":")[2][:16]))


def signed(record: Record, signer: str, secret: bytes = bytes(32)) -> tuple[Record, str]:
    """Return a record that somebody has signed, and with which key."""
    key = SigningKey(signing_seed(secret))
    public = write_base64(bytes(key.verify_key))
    assert record.result is not None
    winner = record.result.winner_word or "none"
    said = statement(record.game or "", signer, record.head or "", winner, record.result.reason.value)
    text = f"{public} {write_base64(key.sign(said).signature)}"
    return replace(record, signatures={**record.signatures, signer: text}), public


def test_numbers_to_check_another_program_by() -> None:
    """Golden: docs/reference/commitments.md has the same."""
    page, game = PAGE.read_text(), "0123456789abcdef"
    name = name_hash(bytes(range(16)).hex(), game, RED, "Anna")
    links = (f"opened rules=original mode=declare reveal=book name.red={name}", "ply 1 red d4-d5", "end blue resign")
    head = chained_anew(Record("original", game=game, chain=links)).head
    key = SigningKey(signing_seed(bytes(range(32))))
    signature = key.sign(statement(game, "red", head or "", "blue", "resign")).signature
    for text in (*links, head or "", write_base64(bytes(key.verify_key)), write_base64(signature)):
        assert f"`{text}`" in page


@pytest.mark.parametrize(("mode", "name"), [*((mode, "duel") for mode in Mode), (Mode.DECLARE, "stratego4")])
def test_it_is_whole_in_every_view(mode: Mode, name: str) -> None:
    """Also where flags and recruits are decided on."""
    _, record = played(mode, name)
    for view in VIEWS:
        shown = view_of(record, view)
        assert shown.chain == record.chain
        found = audit(read_record(own(shown).encode()), known=known(record))
        assert (words(found), found.chain.state, found.chain.plies) == (set(), "complete", len(record.plies))


def test_a_corrected_game_is_whole_in_every_view() -> None:
    """What was taken back stays in the chain; names, reasons, the day and what it counted for are bound."""
    _, record = rich()
    assert sum(text.startswith("ply ") for text in record.chain) > len(record.plies)
    for view in VIEWS:
        found = audit(read_record(own(view_of(record, view)).encode()))
        assert (words(found), found.chain.state, found.chain.missing) == (set(), "complete", ("red", "blue", "station"))
    hidden = own(view_of(record, View.PUBLIC))
    assert not [word for word in ("tapped", "interrupted", "seed.arbiter") if word in hidden]
    forgotten = replace(record, names=BySeat({}), salts=BySeat({}))
    found = audit(forgotten)
    assert (words(found), found.chain.state) == (set(), "complete")
    assert [text for text in found.open if "does not say who played" in text]


@pytest.mark.parametrize("view", [View.REFEREE, View.PUBLIC])
def test_whatever_line_is_changed_is_named(view: View) -> None:
    """Each line taken out, and each word of each line exchanged for another of its kind; but for what the page says is not proven."""
    record = view_of(rich()[1], view)
    text, good = own(record), audit(record)
    assert good.holds
    lines, open_ = text.split("\n"), []
    for at, line in enumerate(lines):
        for forged in forgeries(line):
            try:
                changed = read_record("\n".join([*lines[:at], *forged, *lines[at + 1 :]]).encode())
                found = audit(changed)
            except RecordError:
                continue
            if found.holds and changed != record:
                open_.append(line)
    assert {line.split(" ")[0] for line in open_} <= {"view"}, (
        open_
    )  # a view of which the file holds no more and no less


_LIKE = {"red": "blue", "blue": "red", "miner": "scout", "marshal": "general", "spy": "scout", "book": "result-only"}


def forgeries(line: str) -> Iterator[list[str]]:
    """Yield the line left out, and with one word, digit or letter another."""
    if line:
        yield []
    for word in re.findall(r"[\w-]+", line):
        if word in _LIKE:
            yield [line.replace(word, _LIKE[word], 1)]
    for found in list(re.finditer(r"[0-9a-f]", line))[-3:]:
        at = found.start()
        yield [f"{line[:at]}{'1' if line[at] != '1' else '2'}{line[at + 1 :]}"]


@pytest.mark.parametrize("mode", Mode)
def test_every_cut_is_named(mode: Mode) -> None:
    """Of plies, of plies and links, or of everything, held against a head of later."""
    _, record = played(mode)
    plies = [at for at, text in enumerate(record.chain) if text.startswith("ply ")]
    for count in range(0, len(record.plies), 6):
        short = replace(record, plies=record.plies[:count])
        found = audit(short)
        assert "cut" in words(found)
        assert (found.chain.state, found.chain.plies) == ("cut", count)
        short = chained_anew(replace(short, chain=record.chain[: plies[count]]))
        found = audit(short)
        assert f"cut after ply {count}: the record tells a result, and its chain none" in [
            one.text for one in found.wrong
        ]
        short = replace(short, result=None)
        found = audit(short)
        assert (words(found) & {"cut", "chain"}, found.chain.state, found.chain.plies) == (set(), "unfinished", count)
        assert words(audit(short, known=known(record))) >= {"cut"}
        assert "cut" not in words(audit(short, known=known(record, plies[count])))


def test_two_games_made_one_are_named_by_any_head() -> None:
    """Chained anew from another game's links; without a head the file contradicts itself nowhere that a chain could tell."""
    one, other = played(Mode.DECLARE)[1], played(Mode.DECLARE, seed=6)[1]
    at = len(one.chain) // 2
    spliced = chained_anew(replace(one, chain=(*one.chain[:at], *other.chain[at:]), game=one.game))
    assert words(audit(spliced)) & {"chain", "cut", "result"}
    assert words(audit(chained_anew(replace(one, chain=(*one.chain[:-1], "end red resign"))), known=known(one))) >= {
        "chain"
    }
    assert "chain" in words(audit(replace(one, chain=(), head=None), known=known(one)))


def test_who_has_signed_is_said_and_another_signature_is_wrong() -> None:
    """Another key, another seat, another head, none at all."""
    _, record = played(Mode.ENROL)
    whole, red = signed(record, "red", b"r" * 32)
    whole, _ = signed(whole, "blue", b"b" * 32)
    again = read_record(own(whole).encode())
    assert again == whole
    found = audit(again, known=Evidence(keys={"red": red}))
    assert (found.wrong, found.chain.signed, found.chain.missing) == ((), ("red", "blue"), ())
    assert audit(record).chain.missing == ("red", "blue")
    assert words(audit(record, known=Evidence(keys={"red": red}))) == {"signature"}
    assert words(audit(whole, known=Evidence(keys={"blue": red}))) == {"signature"}
    swapped = {"red": whole.signatures["blue"], "blue": whole.signatures["red"]}
    assert words(audit(replace(whole, signatures=swapped))) == {"signature"}
    assert words(audit(replace(whole, signatures={"red": "A" * 43 + " " + "A" * 86}))) == {"signature"}


def test_a_signature_is_taken_once_and_is_void_once_the_end_is_another() -> None:
    """It stands in the journal and comes back with the table; an arbiter's result makes another head."""
    sitting = corrected(salts=Hidden(SALTS))
    for seat in (RED, BLUE):
        view = sitting.table.view()
        key, signature = countersigned(bytes(32), signed_end(view, seat.value) or b"")
        for number in ("1", "2"):
            assert sitting.refused(seat, Countersign(f"{seat.value}{number}", key, signature)) is None
    assert sitting.table.view().signed == ("red", "blue")
    told = facts(sitting)
    assert [fact.kind for fact in told].count("countersigned") == 2
    assert rebuild(told_settings(told, rule_set), told).table.view().signed == ("red", "blue")
    found = audit(record_as_agreed(told, sitting.rules), known=Evidence(keys={"red": key}))
    assert (found.wrong, found.chain.signed, found.chain.missing) == ((), ("red", "blue"), ())
    sitting.order(EndGame(id="9", reason="red had won", result="red"))
    assert sitting.table.view().signed == ()
    assert audit(record_as_agreed(facts(sitting), sitting.rules)).chain.missing == ("red", "blue")


@pytest.mark.parametrize("mode", Mode)
def test_a_journal_proves_its_chain(mode: Mode, tmp_path: Path) -> None:
    """Whoever holds its key may write other links; then they are not what their events are."""
    told = list(played(mode)[0])
    _, found = audit_journal(journal(tmp_path, told), tmp_path / "journal.key")
    assert (found.wrong, found.chain.state) == ((), "complete")
    at = next(number for number, fact in enumerate(told) if fact.event is not None and fact.event.kind == "move.final")
    event = told[at].event
    assert event is not None
    (text,) = event.links
    other = replace(event, links=(text.replace("ply", "ply", 1) + " clock.red=1",))
    (folder := tmp_path / "forged").mkdir()
    _, found = audit_journal(
        journal(folder, [*told[:at], replace(told[at], event=other), *told[at + 1 :]]), folder / "journal.key"
    )
    assert found.wrong == () or "chain" in words(found)
    lost = replace(event, links=())
    (folder := tmp_path / "lost").mkdir()
    _, found = audit_journal(
        journal(folder, [*told[:at], replace(told[at], event=lost), *told[at + 1 :]]), folder / "journal.key"
    )
    assert "chain" in words(found)


@pytest.mark.parametrize("mode", Mode)
def test_no_link_can_be_guessed(mode: Mode) -> None:
    """Every hash that everybody gets, at every ply, against every rank on every square with all that everybody has for a salt."""
    _, record = played(mode)
    tokens = {one for text in record.chain for one in re.findall(r"[0-9a-f]{32,64}", text)}
    assert tokens
    public = {"", record.game or "", *tokens}
    found = record.game or ""
    for text in record.chain:
        found = link(found, text)
        public.add(found)
    for salt in sorted(public)[:60]:
        for seat in (RED, BLUE):
            for square in record.set_ups[seat]:
                for rank in Rank:
                    lines = ("hallmarshal leaf 1", record.game or "", seat.value, square.name, rank.value, salt)
                    for guess in ("\n".join(lines), rank.value, f"{square.name} {rank.value}"):
                        assert hashlib.sha512(guess.encode()).hexdigest()[:64] not in tokens


def test_an_audit_of_earlier_records_stays_what_it_was() -> None:
    """Without a chain there is none to be held against, and that is no fault."""
    _, record = played(Mode.ENROL)
    older = replace(record, chain=(), head=None, salts=BySeat({}))
    assert audit(older) == Audit(audit(record).proven, audit(record).open)


def test_a_day_that_the_chain_does_not_have_is_named_and_so_is_a_rank_that_was_declared_and_is_hidden() -> None:
    """The referee's view of a game with a chain holds in its set-ups all that its plies tell."""
    _, record = played(Mode.DECLARE)
    assert words(audit(replace(record, date="2020-02-02"))) == {"chain"}
    follower, fights = Follower(record.set_ups), set[Start]()
    for ply, pair in follower.follow(record):
        fights |= {start for start in pair if start is not None and ply.result is not None}
    assert fights
    for seat, square in fights:
        hidden = SetUp({**record.set_ups[seat], square: None})
        assert "view" in words(audit(replace(record, set_ups=BySeat({**record.set_ups, seat: hidden}))))
