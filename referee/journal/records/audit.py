"""What a record proves: that the set-ups were the ones committed to, that every ply was legal for its piece, and every verdict right.

A record that holds all ranks and seeds is proven whole; one that leaves something out is proven as far as it reaches, and says what
is open. What nothing can prove here: that hands and handsets told the truth of pieces whose rank was never committed to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from referee.journal.errors import RecordError
from referee.journal.records.chained import Chained, Evidence, Finding, judge_chain
from referee.journal.records.check import completed, judge, set_up_faults
from referee.journal.records.choices import NOT_SHOWN, as_told, engine_of, is_of_this_engine, is_unsaid, wrong_choices
from referee.journal.records.model import Correction, CorrectionKind, Ply, Record, rules_of
from referee.journal.records.views import Follower, Pair, Start, shown_otherwise
from referee.rules import CombatResult, Fire, Infiltrate, Rank, RuleSet, Seat
from referee.table.commitments import root
from referee.table.views import Mode


@dataclass(frozen=True, slots=True)
class Audit:
    """What was proven, what is open, and what is wrong; `holds` when nothing is."""

    proven: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    wrong: tuple[Finding, ...] = ()
    corrected: tuple[str, ...] = ()
    """What was taken back, voided or ruled on the way: no part of the game, and no forgery."""
    chain: Chained = field(default_factory=Chained)
    """How much of the game its chain holds."""

    @property
    def holds(self) -> bool:
        """Return whether nothing is wrong."""
        return not self.wrong


def audit(
    record: Record,
    published: Mapping[Seat, str] | None = None,
    rules: RuleSet | None = None,
    known: Evidence | None = None,
) -> Audit:
    """Return what a record proves; `published` are roots that were noted when the game began, `known` is what is there of its chain.

    Raises `RecordError` for unknown rules.
    """
    named, rules = rules, rules_of(record, rules)
    chain, broken, unsaid = judge_chain(record, rules, known or Evidence())
    if not record.set_ups:
        return Audit(open=("nothing was set up", *unsaid), wrong=tuple(broken), chain=chain)
    checked = named is not None or not record.any_army  # as in judging
    faults = tuple(Finding("set-up", text) for text in set_up_faults(record, rules, checked))
    if faults:
        return Audit(wrong=(*faults, *broken), chain=chain)
    commitments = [_committed(record, seat, (published or {}).get(seat)) for seat in record.seats]
    wrong = [found for found in commitments if isinstance(found, Finding)]
    proven = [text for good, text in (one for one in commitments if not isinstance(one, Finding)) if good]
    unproven = [text for good, text in (one for one in commitments if not isinstance(one, Finding)) if not good]
    game, follows = _game_findings(record, rules, named)
    if not game:
        proven.append(f"all {len(record.plies)} plies are legal: who never moves never moved, who ran may run")
        judged = completed(record, named)  # StraDoS2 and GSN tell no verdicts
        wrong += [Finding(what, text, at) for what, at, text in shown_otherwise(record, judged)]
        fights = sum(ply.result is not None for ply in judged.plies)
        seen, unseen = _judged(judged)
        proven.append(f"{seen} of {fights} verdicts follow from the ranks")
        if unseen:
            unproven.append(f"{unseen} verdicts are between pieces that this record does not show")
        (proven if follows else unproven).append(_ending(record, follows))
    wrong += _agreed_otherwise(record, rules)
    for seat in record.computers:
        found, said = _chosen(record, seat, rules)
        wrong += found
        if not (found or game):
            (proven if said.startswith(f"{seat.value}: set-up") else unproven).append(said)
    corrected = tuple(_corrected(each) for each in record.corrections)
    return Audit(tuple(proven), (*unproven, *unsaid), (*wrong, *game, *broken), corrected, chain)


def _chosen(record: Record, seat: Seat, rules: RuleSet) -> tuple[tuple[Finding, ...], str]:
    """Return what a seat's computer would have done otherwise, and the sentence of one that would not, or that cannot be asked."""
    if not is_of_this_engine(record):
        return (
            (),
            f"{seat.value}: made by another engine of the computer ({engine_of(record)}); its choices were not made again",
        )
    try:
        told = as_told(record, seat)
    except RecordError:
        return (), ""  # judging says it, with its reason
    if told is None:
        return (), f"{seat.value}: this record {NOT_SHOWN} to the computer, so its choices cannot be made again"
    wrong = [Finding("choice", text, ply, seat) for ply, text in wrong_choices(told, seat, rules)]
    count = sum(ply.seat is seat for ply in record.plies)
    said = f"set-up and {count} choices of its computer (level {record.computers[seat]}) follow from its seed and what it was told"
    return tuple(wrong), f"{seat.value}: {said}"


def _agreed_otherwise(record: Record, rules: RuleSet) -> Iterator[Finding]:
    """Yield what set-ups and roots show of how the game was to be played, and the record says otherwise."""
    if record.any_army and record.game is not None:
        yield Finding("record", "no table plays with pieces of the players' own choice, and this game has a table's id")
    for seat in record.seats:
        if record.mode is Mode.DECLARE and seat in record.roots:
            yield Finding(
                "record", f"{seat.value}: the game was not declared: there is a root, of an enrolled set-up", seat=seat
            )
        if is_unsaid(record, seat, rules):
            text = f"{seat.value}: the set-up is the computer's own of this seed, and the record does not say that it played"
            yield Finding("choice", text, seat=seat)


def _ending(record: Record, follows: bool | None) -> str:
    if record.result is None:
        return "the record tells no ending: plies that came later are not missed"
    reason = record.result.reason.value
    if follows:
        return f"the ending follows from the plies: {reason}"
    return (
        f"the ending does not follow from the plies ({reason}): nothing here proves who won, or that no ply is missing"
    )


def _corrected(correction: Correction) -> str:
    by = {"agreed": "as all players agreed"}.get(correction.word or "", "by the arbiter's word")
    of = f"{correction.seat.value}: " if correction.seat is not None else ""
    text = {
        CorrectionKind.TAKEN_BACK: f"the game went back to ply {correction.ply}, {by}",
        CorrectionKind.VOIDED: f"the verdict of ply {correction.ply} was voided, {by}",
        CorrectionKind.CLOCK: f"{of}a clock was set after ply {correction.ply}",
        CorrectionKind.PENALTY: f"{of}a penalty after ply {correction.ply}",
        CorrectionKind.RULING: f"{of}a ruling after ply {correction.ply}",
        CorrectionKind.ENDED: f"the game was ended after ply {correction.ply} by the arbiter's word",
    }[correction.kind]
    return text if correction.reason is None else f"{text}: {correction.reason}"


def _committed(record: Record, seat: Seat, noted: str | None) -> Finding | tuple[bool, str]:
    """Compare a set-up with its root: a finding, or whether it is proven and the sentence that says so."""
    name, set_up = seat.value, record.set_ups[seat]
    told, seed = record.roots.get(seat), record.seeds.get(seat)
    if noted is not None and noted != told:
        return Finding("root", f"{name}: the record's root is not the one that was published", seat=seat)
    if told is None:
        what = "no computer played it" if record.mode is Mode.DECLARE else "its set-up was enrolled"
        computer = seat in record.computers and record.mode is Mode.DECLARE
        proves = "" if computer else f", so nothing proves that {what}"
        return False, f"{name}: nothing was committed to before the first move{proves}"
    if seed is None or record.game is None or len(set_up.known) != len(set_up):
        return False, f"{name}: the record does not show the whole set-up and its seed, so its root cannot be computed"
    ranks = {square.name: rank for square, rank in set_up.known.items()}
    if root(seed, record.game, seat, ranks) != told:
        return Finding("root", f"{name}: the set-up is not the one that was committed to", seat=seat)
    return True, f"{name}: the set-up is the one that was committed to before the first move"


def _game_findings(record: Record, rules: RuleSet, named: RuleSet | None) -> tuple[tuple[Finding, ...], bool | None]:
    """Return what is wrong in the plies, the first of each kind, and whether the ending follows from them (`Judgement.follows`).

    Nothing is looked for after the first ply that cannot be played at all.
    """
    told = tuple(_told_wrong(record, rules))
    first = told[0].ply if told else None
    plies = record.plies if first is None else record.plies[: first - 1]
    try:
        judgement = judge(replace(record, plies=plies), named)
    except RecordError as error:
        return told or (Finding("record", str(error)),), None
    if not judgement.legal:
        at = judgement.ply
        return (*(Finding(reason, f"ply {at}: {reason}", at) for reason in judgement.details), *told), None
    if first is None and judgement.follows is False:
        return (Finding("result", judgement.notes[0]),), False
    return told, judgement.follows


def _told_wrong(record: Record, rules: RuleSet) -> Iterator[Finding]:
    """Yield plies that tell another rank than the set-up, or another verdict than the ranks; after the first one nothing is followed."""
    follower = Follower(record.set_ups)
    known: dict[Start, Rank] = dict(follower.rank_of)
    try:
        for decision in record.before:
            follower.decide(decision)
        for number, ply in enumerate(record.plies, start=1):
            pair = _pair(follower, ply)
            found = [*_other_ranks(number, ply, pair, known), *_other_verdict(number, ply, pair, known, rules)]
            yield from found
            if found:
                return
            follower.play(ply)
            known |= {
                start: rank for start, rank in zip(pair, (ply.attacker, ply.defender), strict=True) if start and rank
            }
    except RecordError:
        return  # judging says it, with its reason


def _pair(follower: Follower, ply: Ply) -> Pair:
    action = ply.action
    source, target = getattr(action, "source", None), getattr(action, "target", None)
    return follower.standing.get(source), follower.standing.get(target)  # type: ignore[arg-type]  # None is no square


def _other_ranks(number: int, ply: Ply, pair: Pair, known: Mapping[Start, Rank]) -> Iterator[Finding]:
    for start, rank in zip(pair, (ply.attacker, ply.defender), strict=True):
        if start is not None and rank is not None and known.get(start, rank) is not rank:
            seat, square = start
            text = f"ply {number}: the piece set up on {square.name} was another rank before"
            yield Finding("rank", text, number, seat)


def _other_verdict(number: int, ply: Ply, pair: Pair, known: Mapping[Start, Rank], rules: RuleSet) -> Iterator[Finding]:
    right = _verdict(ply, pair, known, rules)
    if ply.result is not None and right is not None and right is not ply.result:
        text = f"ply {number}: {ply.result.value} does not follow from the ranks; {right.value} does"
        yield Finding("verdict", text, number, ply.seat)


def _verdict(ply: Ply, pair: Pair, known: Mapping[Start, Rank], rules: RuleSet) -> CombatResult | None:
    """Return the verdict that the ranks demand, None where they are not all known, or where the rules lack one (judging says it)."""
    ranks = [known.get(start) if start is not None else None for start in pair]
    attacker, defender = ply.attacker or ranks[0], ply.defender or ranks[1]
    if isinstance(ply.action, Fire):
        return CombatResult.BOTH_LOST
    if isinstance(ply.action, Infiltrate):
        if defender is None:
            return None
        return CombatResult.INFILTRATED if defender is ply.action.guess else CombatResult.WRONG_GUESS
    return rules.verdicts.get((attacker, defender)) if attacker is not None and defender is not None else None


def _judged(record: Record) -> tuple[int, int]:
    """Count the verdicts whose ranks the record shows, and the others."""
    follower, seen, unseen = Follower(record.set_ups), 0, 0
    for ply, pair in follower.follow(record):
        if ply.result is not None:
            shown = isinstance(ply.action, Fire) or all(start in follower.rank_of for start in pair if start)
            seen, unseen = seen + shown, unseen + (not shown)
    return seen, unseen
