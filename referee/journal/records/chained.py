"""What a record's chain proves: that the record agrees with its links, that no link is missing, and who signed the last
one.

Apart from `audit`, which proves set-ups, plies and verdicts by themselves. docs/reference/commitments.md has the format.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from referee.journal.errors import RecordError
from referee.journal.records.model import Decision, GiveUp, Ply, Record
from referee.journal.records.views import Follower, Pair
from referee.rules import RuleSet, Seat
from referee.rules.ruleset import name_now
from referee.table.chain import option_text, ply_text
from referee.table.commitments import STATION, leaf, link, name_hash, occasion_hash, reason_hash, statement
from referee.table.event_actions import correction_text, decision_text

_HEAD = re.compile(r"([1-9][0-9]{0,6}):([0-9a-f]{64})")
_ALSO = re.compile(r" (?:(?:captured|leaf|clock)\.[a-z]+|reason)=\S+")
"""What stands in a link besides what a record has in the same words."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: a stable word, where, and a sentence without a rank that only this record would tell."""

    what: str
    """`set-up`, `root`, `rank`, `verdict`, `choice`, `result`, `record`, `view`, `chain`, `cut`, `signature`, or why a ply is illegal."""
    text: str
    ply: int | None = None
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an auditor has besides the record and its roots: a published head, and public keys."""

    head: tuple[int, str] | None = None
    """A head that was published: how many links, and the beginning of the hash."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """With which keys seats, or the station, sign."""


@dataclass(frozen=True, slots=True)
class Chained:
    """How much of a game its chain holds, and who signed it."""

    state: str = "none"
    """`complete`, `cut`, `unfinished`; `none`: there is no chain."""
    plies: int = 0
    head: str | None = None
    signed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(slots=True)
class _ChainContent:
    """The content of a chain's links, without those that were taken back."""

    terms: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)
    stood: str | None = None
    before: list[str] = field(default_factory=list)
    plies: list[tuple[str, list[str]]] = field(default_factory=list)
    """Each with what was decided after it."""
    corrections: list[tuple[int, str]] = field(default_factory=list)
    """Each with the number of its link."""
    end: str | None = None


def signature_fits(text: str, signed: bytes) -> bool:
    """Return whether a record's key and signature verify for the signed bytes."""
    key, _, signature = text.partition(" ")
    try:
        VerifyKey(_bytes(key)).verify(signed, _bytes(signature))
    except (BadSignatureError, ValueError, TypeError):
        return False
    return True


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def judge_chain(record: Record, rules: RuleSet, known: Evidence) -> tuple[Chained, list[Finding], list[str]]:
    """Return how much of the game the chain holds, what is wrong, and what stays open."""
    if not record.chain:
        if record.head or record.signatures:
            return Chained(), [Finding("chain", "the record has a head or signatures, and no chain")], []
        if known.head or known.keys:
            return Chained(), [Finding("chain", "a chain was published or signed, and the record has none")], []
        return Chained(), [], []
    hashes = [record.game or ""]
    for text in record.chain:
        hashes.append(link(hashes[-1], text))
    told, wrong = _read(record.chain)
    wrong += _heads(record, hashes, known, len(told.plies))
    wrong += [
        Finding("chain", f"the record says otherwise than its chain: {what}") for what in _terms(record, rules, told)
    ]
    wrong += _plies(record, told)
    wrong += _end(record, told)
    signed, missing, faults = _signatures(record, known, "occasion" in told.terms)
    unnamed = [seat for seat in told.names if seat not in {one.value for one in record.names}]
    unsaid = [f"{seat}: the record does not say who played, as its chain does" for seat in unnamed]
    if record.is_seen:
        unsaid += [
            f"{seat.value}: the record has no salt, so nothing proves that this is who played" for seat in record.names
        ]
        if "occasion" in told.terms and not _has_occasion(record):
            unsaid.append("the record does not say for which event the game counts, as its chain does")
    cut = any(one.what == "cut" for one in wrong)
    state = "cut" if cut else "unfinished" if told.end is None else "complete"
    chained = Chained(state, min(len(record.plies), len(told.plies)), record.head, signed, missing)
    return chained, [*wrong, *faults], unsaid


def _read(chain: tuple[str, ...]) -> tuple[_ChainContent, list[Finding]]:
    """Return what the links tell, and where they do not follow each other as links do."""
    told, wrong = _ChainContent(), list[Finding]()
    for number, text in enumerate(chain, start=1):
        word, _, rest = text.partition(" ")
        if not _take(told, number, word, rest):
            wrong.append(Finding("chain", f"link {number} is none that could stand there"))
    return told, wrong


def _take(told: _ChainContent, number: int, word: str, rest: str) -> bool:
    """Take a link. Returns whether it may follow those before it."""
    words, plain = rest.split(" "), _ALSO.sub("", f" {rest}").strip()
    if (word == "opened") is not (number == 1):
        return False
    match word:
        case "opened" if all("=" in each for each in words):
            told.terms = dict(each.split("=", 1) for each in words)
            told.names = {key.removeprefix("name."): one for key, one in told.terms.items() if key.startswith("name.")}
        case "name" if len(words) == 2:
            told.names = {seat: one for seat, one in {**told.names, words[0]: words[1]}.items() if one != "-"}
        case "root" if len(words) == 2 and words[0] not in told.roots and told.stood is None:
            told.roots[words[0]] = words[1]
        case "begin" if told.stood is None:
            told.stood = rest
        case "ply" if words[0] == str(len(told.plies) + 1) and told.stood is not None and told.end is None:
            told.plies.append((rest, []))
        case "decided" if told.end is None:
            (told.plies[-1][1] if told.plies else told.before).append(plain)
        case "corrected" if words[0].isascii() and words[0].isdigit() and len(words) > 1 and len(words[0]) < 7:
            told.corrections.append((number, rest))
            gone_back = {"taken-back": int(words[0]), "voided": int(words[0]) - 1}.get(words[1])
            if gone_back is not None:
                del told.plies[max(0, gone_back) :]
                told.end = None
        case "end":
            told.end = plain
        case _:
            return False
    return True


def _heads(record: Record, hashes: list[str], known: Evidence, plies: int) -> Iterator[Finding]:
    last = len(record.chain)
    found = _HEAD.fullmatch(record.head or "")
    if record.game is None or found is None or found.groups() != (str(last), hashes[-1]):
        yield Finding("chain", "the links do not lead to the head that the record tells")
    if known.head is not None:
        number, start = known.head
        if number > last:
            yield Finding("cut", f"cut after ply {plies}: {number} links were published, the record has {last}", plies)
        elif not hashes[number].startswith(start):
            yield Finding("chain", f"link {number} is not the one that was published")


def _terms(record: Record, rules: RuleSet, told: _ChainContent) -> Iterator[str]:
    """Yield the names of what differs between record and links: terms, options, names, roots, where pieces stood,
    corrections.
    """
    terms = told.terms
    simple = {"rules": record.rules, "mode": record.mode.value, "reveal": record.reveal.value}
    if record.date or "date" in terms:
        simple["date"] = record.date or ""
    if record.computers or "engine" in terms:
        simple["engine"] = record.engine or ""
    if _has_occasion(record) or ("occasion" in terms and not record.is_seen):
        simple["occasion"] = occasion_hash(record.event or "", record.round or "", record.table or "")
    yield from (word for word, text in simple.items() if terms.get(word) != text)
    levels = {key.removeprefix("computer."): one for key, one in terms.items() if key.startswith("computer.")}
    if levels != {seat.value: level for seat, level in record.computers.items()}:
        yield "computer"
    options = {key.removeprefix("option."): one for key, one in terms.items() if key.startswith("option.")}
    for name, text in options.items():
        option = rules.options.get(name_now(name))
        if option is None or option_text(option.value) != text:
            yield f"option.{name}"
    yield from (f"option.{name}" for name in record.options if name_now(name) not in map(name_now, options))
    yield from (f"the name of {seat.value}" for seat in record.salts if seat not in record.names)
    for seat, name in record.names.items():
        salt = record.salts.get(seat)
        if record.is_seen and seat.value in told.names:
            continue
        if salt is None or name_hash(salt, record.game or "", seat, name) != told.names.get(seat.value):
            yield f"the name of {seat.value}"
    if told.roots != {seat.value: one for seat, one in record.roots.items()}:
        yield "roots"
    stood = sorted(f"{square.name}={seat.value}" for seat, set_up in record.set_ups.items() for square in set_up)
    if sorted((told.stood or "").split()) != stood:
        yield "where pieces stood"
    yield from _corrections(record, told)


def _has_occasion(record: Record) -> bool:
    return (record.event, record.round, record.table) != (None, None, None)


def _corrections(record: Record, told: _ChainContent) -> Iterator[str]:
    if len(told.corrections) != len(record.corrections):
        yield "corrections"
        return
    for (number, text), one in zip(told.corrections, record.corrections, strict=True):
        bare = correction_text(one.kind.value, one.ply, one.seat, one.word)
        reason = next((word.removeprefix("reason=") for word in text.split(" ") if word.startswith("reason=")), None)
        if _ALSO.sub("", text) != bare:
            yield f"the correction {bare}"
        elif one.reason is not None and reason != reason_hash(record.reason_seed or "", number, one.reason):
            yield f"the reason of the correction {bare}"


def _plies(record: Record, told: _ChainContent) -> Iterator[Finding]:
    """Yield the first ply that differs from the chain; what follows it is another game."""
    if _decided(record.before) != told.before:
        yield Finding("chain", "the record says otherwise than its chain: what was decided before the first ply")
        return
    try:
        follower = Follower(record.set_ups)
        for decision in record.before:
            follower.decide(decision)
        for number, (ply, (text, decided)) in enumerate(zip(record.plies, told.plies, strict=False), start=1):
            bare = ply_text(number, ply.seat, ply.action, ply.result and ply.result.value)
            pair = follower.play(ply)
            same = _ALSO.sub("", text) == bare and _decided(ply.decisions) == decided
            if not same or not _fits(record, follower, ply, pair, text):
                yield Finding("chain", f"ply {number} is not the one of the chain", number)
                return
    except RecordError:  # a record that cannot be followed: its own audit says so
        return
    if len(record.plies) != len(told.plies):
        least = min(len(record.plies), len(told.plies))
        yield Finding(
            "cut",
            f"cut after ply {least}: the chain has {len(told.plies)} plies, the record {len(record.plies)}",
            least,
        )


def _decided(decisions: Iterable[Decision]) -> list[str]:
    return [
        decision_text(one.seat, None if isinstance(one.choice, GiveUp) else one.choice, one.square) for one in decisions
    ]


def _fits(record: Record, follower: Follower, ply: Ply, pair: Pair, text: str) -> bool:
    """Return whether the record's ranks of a fight are those of its link, captured or committed to."""
    words = dict(word.split("=", 1) for word in text.split(" ") if "=" in word)
    for start, rank in zip(pair, (ply.attacker, ply.defender), strict=True):
        if start is None:
            continue
        rank = rank or follower.rank_of.get(start)
        seat, square = start
        shown, sworn, seed = (
            words.get(f"captured.{seat.value}"),
            words.get(f"leaf.{seat.value}"),
            record.seeds.get(seat),
        )
        if rank is not None and shown not in (None, rank.value):
            return False
        if rank is not None and sworn and seed and leaf(seed, record.game or "", seat, square.name, rank) != sworn:
            return False
    return True


def _end(record: Record, told: _ChainContent) -> Iterator[Finding]:
    said = record.result and f"{record.result.winner_word or 'none'} {record.result.reason.value}"
    if said is not None and told.end is None:
        last = len(told.plies)
        yield Finding("cut", f"cut after ply {last}: the record tells a result, and its chain none", last)
    elif said != told.end:
        yield Finding("result", "the chain tells another result than the record")


def _signatures(record: Record, known: Evidence, hall: bool) -> tuple[tuple[str, ...], tuple[str, ...], list[Finding]]:
    """Return who signed, whose signature is missing, and the signatures that do not verify."""
    result, wrong, signed = record.result, list[Finding](), list[str]()
    expected = () if result is None else (*(seat.value for seat in record.seats), *((STATION,) if hall else ()))
    for signer in dict.fromkeys((*expected, *record.signatures, *known.keys)):
        text, key = record.signatures.get(signer), known.keys.get(signer)
        if text is None:
            if key is not None:
                wrong.append(Finding("signature", f"{signer}: has not signed the game that this record tells"))
            continue
        winner, reason = ("", "") if result is None else (result.winner_word or "none", result.reason.value)
        said = statement(record.game or "", signer, record.head or "", winner, reason)
        if not signature_fits(text, said):
            wrong.append(Finding("signature", f"{signer}: the signature is not one under this game"))
        elif key is not None and text.split(" ")[0] != key:
            wrong.append(Finding("signature", f"{signer}: signed with another key"))
        else:
            signed.append(signer)
    return tuple(signed), tuple(each for each in expected if each not in record.signatures), wrong
