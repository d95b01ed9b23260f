"""From a journal to the record of its game: its facts in order become set-ups, plies, corrections and a result.

With the journal's key it is the referee's view, without it what everybody was told.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.journal.errors import JournalFormatError, RecordError
from referee.journal.events import fact_of
from referee.journal.journal import Journal, public_rows
from referee.journal.records import model
from referee.journal.records.views import without_reasons
from referee.journal.sealing import disclosed
from referee.rules import CombatResult, EndReason, GameResult, RulesError, RuleSet, rule_set
from referee.rules.actions import Fire, Infiltrate, Move, Pass, Recruit
from referee.rules.values import BySeat, Rank, Seat, Square
from referee.table.chain import CORRECTIONS, is_correction, ply_gone_back_to, verb_of
from referee.table.commitments import STATION, arbiter_seed, link, seat_seed
from referee.table.event_actions import PliesTold, Turn, decision_of, occupants_of, plain
from referee.table.inputs import Cause
from referee.table.settings import Occasion, opened_with, rules_as_told
from referee.table.step import Fact
from referee.table.views import Mode, PublicEvent, Reveal


def counts_for(occasion: Occasion | None) -> dict[str, Any]:
    """Return the record's fields for the event, round and table that its game was played in; none for a game outside
    one.
    """
    if occasion is None:
        return {}
    return {"event": plain(occasion.event) or "?", "round": str(occasion.round), "table": str(occasion.table)}


class _Chronicle:
    """Takes the facts of one game that still count, one by one; `record` returns the game that they make."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._mode = Mode.DECLARE
        self._secret: bytes | None = None
        self._salts: Mapping[Seat, str] = {}
        self._game: str | None = None
        self._set_ups: dict[Seat, dict[Square, Rank | None]] = {}
        self._enrolled: dict[Seat, Mapping[str, Rank]] = {}
        self._origin: dict[Square, tuple[Seat, Square]] = {}
        self._declared: dict[Seat, Rank] = {}
        self._told = PliesTold(rules.board)
        self._before: list[model.Decision] = []
        self._plies: list[model.Ply] = []
        self._consent: set[Seat] = set()
        self._result: GameResult | None = None
        self._roots: dict[Seat, str] = {}
        self._settings: Mapping[str, Any] = {}

    def take(self, fact: Fact) -> None:
        """Take one fact."""
        seat, event, hidden = fact.seat, fact.event, disclosed(fact.hidden)
        if fact.kind == "opened" and hidden is not None:
            self._secret, self._salts = opened_with({word: str(text) for word, text in hidden.items()})
        elif seat is not None and hidden is not None:
            self._take_ranks(fact.kind, seat, {name: Rank(rank) for name, rank in hidden.items()})
        if fact.kind == "consent" and seat is not None:
            self._consent.add(seat)
        if event is None:
            return
        self._game = event.game
        if (done := self._told.take(event)) is not None:
            self._play(event, *done)
        match fact.kind:
            case "opened":
                self._settings = (fact.cause or {}).get("settings", {})
            case "enrolled":
                self._mode = Mode.ENROL
            case "committed":
                assert event.seat
                self._roots[event.seat] = event.text or ""
            case "begin":
                self._begin(event)
            case "attack.withdrawn":
                self._declared.clear()
            case "recruited" | "recruit.declined" | "slider.decided" | "flags.taken" | "resigned":
                self._decide(event)
            case "end":
                self._result = GameResult(event.seat, EndReason(event.text))

    def _take_ranks(self, kind: str, seat: Seat, ranks: Mapping[str, Rank]) -> None:
        if kind == "enrolled":
            self._enrolled[seat] = ranks
        elif kind == "declared":
            (self._declared[seat],) = ranks.values()
        elif kind == "consent":
            for name, rank in ranks.items():
                self._learn((seat, self._square(name)), rank)

    def record(self, corrections: Sequence[model.Correction]) -> model.Record:
        """Return the record in the referee's view; a rank that is in no fact is unknown in it."""
        reasons = self._secret is not None and self._salts and any(each.reason for each in corrections)
        return model.Record(
            rules=self._rules.name,
            options=model.options_of(self._rules),
            set_ups=BySeat({seat: model.SetUp(ranks) for seat, ranks in self._set_ups.items()}),
            plies=tuple(self._plies),
            before=tuple(self._before),
            result=self._result,
            mode=self._mode,
            consent=frozenset(self._consent),
            corrections=tuple(corrections),
            game=self._game,
            roots=BySeat(self._roots),
            seeds=BySeat(self._seeds()),
            computers=BySeat({Seat(word): str(level) for word, level in self._settings.get("computers", {}).items()}),
            engine=self._settings.get("engine") or None,
            salts=BySeat(self._salts),
            reason_seed=arbiter_seed(self._secret, self._game) if reasons and self._secret and self._game else None,
        )

    def _seeds(self) -> dict[Seat, str]:
        secret, game = self._secret, self._game
        if secret is None or game is None:
            return {}
        return {seat: seat_seed(secret, game, seat) for seat in self._set_ups}

    def _begin(self, event: PublicEvent) -> None:
        for stood, seat in occupants_of(event).items():
            square = self._square(stood.name)
            self._set_ups.setdefault(seat, {})[square] = self._enrolled.get(seat, {}).get(square.name)
            self._origin[square] = (seat, square)

    def _play(self, event: PublicEvent, seat: Seat, action: Turn) -> None:
        """Count a ply that is final."""
        self._plies.append(model.Ply(seat, action))
        if event.result:
            assert not isinstance(action, Pass)
            self._settle(event, action)
        elif isinstance(action, Move):
            self._origin[action.target] = self._origin.pop(action.source)

    def _settle(self, event: PublicEvent, action: Move | Infiltrate | Fire) -> None:
        home, away = self._origin[action.source], self._origin[action.target]
        # without the journal's key nothing is declared here, and a captured piece is what everybody was shown
        mine, theirs = (self._declared.get(seat, event.captured.get(seat)) for seat, _ in (home, away))
        self._learn(home, mine)
        self._learn(away, theirs)
        told = (None, None) if isinstance(action, Infiltrate) else (mine, theirs)
        assert event.seat
        self._plies[-1] = model.Ply(event.seat, action, CombatResult(event.result), *told)
        self._declared.clear()
        for square, who in ((action.source, home), (action.target, away)):
            if who[0] in event.captured:
                del self._origin[square]
        if isinstance(action, Move) and action.source in self._origin:
            self._origin[action.target] = self._origin.pop(action.source)

    def _decide(self, event: PublicEvent) -> None:
        """Add what was decided after the last ply to it, or before the first."""
        assert event.seat
        choice = model.GiveUp() if event.kind == "resigned" else decision_of(event, self._rules.board)
        if isinstance(choice, Recruit) and choice.piece is not None:
            assert event.target
            home = list(self._set_ups[event.seat])[choice.piece.number]
            self._origin[self._square(event.target)] = (event.seat, home)
        square = self._square(event.target) if event.target else None
        decision = model.Decision(event.seat, choice, square)
        if not self._plies:
            self._before.append(decision)
            return
        last = self._plies[-1]
        self._plies[-1] = replace(last, decisions=(*last.decisions, decision))

    def _learn(self, origin: tuple[Seat, Square], rank: Rank | None) -> None:
        if rank is not None:
            self._set_ups[origin[0]][origin[1]] = rank

    def _square(self, name: str) -> Square:
        return self._rules.board.square(name)


# Which facts of a game still count after it went back: what was played since is no part of it, what was corrected is told.


_BEGINS = frozenset({"move.read", "move.revised", "attack", "infiltrate", "fire", "pass"})
_COMPLETES = frozenset({"move.final", "verdict", "pass"})
_AFTER_THE_END = frozenset({"end", "consent"})


def standing(taken: Sequence[Fact], ply: int) -> list[Fact]:
    """Return the facts that still count when a game goes back to a ply.

    Those up to that ply, with its becoming final, which may have come after the next ply was read. Of later ones only
    that a seat left the game before the next ply was complete.
    """
    last = max((at for at, fact in enumerate(taken) if fact.kind in _BEGINS and fact.ply <= ply), default=0)
    # the last word on this ply: a reply to another reading of it may have been read and unsaid before
    begun = _first(taken, _BEGINS, ply + 1, last)
    done = _first(taken, _COMPLETES, ply + 1, last)
    return [
        fact
        for at, fact in enumerate(taken)
        if fact.kind not in _AFTER_THE_END
        and (at < begun or (at < done and fact.kind == "resigned") or (fact.kind == "move.final" and fact.ply <= ply))
    ]


def _first(taken: Sequence[Fact], kinds: frozenset[str], ply: int, since: int) -> int:
    found = (at for at, fact in enumerate(taken) if at >= since and fact.kind in kinds and fact.ply == ply)
    return next(found, len(taken))


def correction_of(event: PublicEvent, cause: Cause | None) -> model.Correction | None:
    """Return the correction that an event makes, None for an event that corrects nothing."""
    if not is_correction(event, cause):
        return None
    reason = plain(verb_of(cause).get("reason", "")) or None
    kind = model.CorrectionKind(CORRECTIONS[event.kind])
    return model.Correction(kind, event.ply, event.seat, event.text, reason)


def journal_record(path: Path, key_path: Path | None, rules: RuleSet | None = None) -> model.Record:
    """Return the record of a journal's game: the referee's view with its key, the public view with None.

    Every row is verified first. Raises a `JournalError`, and `RecordError` for rules that nobody knows.
    """
    if key_path is None:
        rows = public_rows(path)
    else:
        with contextlib.closing(Journal.open(path, key_path, read_only=True)) as journal:
            rows = list(journal.rows())
    facts = [fact_of(row) for row in rows if not row.type.startswith("journal.")]
    date = datetime.datetime.fromtimestamp(rows[0].wall_ms / 1000).date()  # as people at the table count days
    try:
        record = record_as_agreed(facts, rules_of_facts(facts, rules), date.isoformat())
    except (TypeError, ValueError):
        raise JournalFormatError(f"{path}: how the game was opened cannot be read") from None
    return record if key_path is not None else replace(without_reasons(record), view=model.View.PUBLIC)


def record_as_agreed(facts: Sequence[Fact], rules: RuleSet, date: str | None = None) -> model.Record:
    """Return the record of a game with what was agreed when it was opened; `date` where that does not say the day.

    Raises `TypeError` or `ValueError` where that cannot be read.
    """
    settings: Mapping[str, Any] = (facts[0].cause or {}).get("settings", {}) if facts else {}
    occasion = Occasion(**settings["occasion"]) if "occasion" in settings else None
    record = record_of(facts, rules)
    names = names_of(facts, {Seat(seat): str(name) for seat, name in settings.get("names", {}).items()})
    return replace(
        record,
        date=settings.get("date", date),
        mode=Mode(settings.get("mode", record.mode)),
        reveal=Reveal(settings.get("reveal", record.reveal)),
        names=names,
        salts=BySeat({seat: salt for seat, salt in record.salts.items() if seat in names}),
        **counts_for(occasion),
    )


def record_of(facts: Iterable[Fact], rules: RuleSet) -> model.Record:
    """Return the record of a game from its facts, with the ranks that these hold. The mode of revealing survivors is
    not derived.
    """
    facts = list(facts)
    taken: list[Fact] = []
    corrections: list[model.Correction] = []
    cause: Cause | None = None
    for fact in facts:
        cause = fact.cause or cause  # it stands with the first fact of a step
        if fact.event is not None and (correction := correction_of(fact.event, cause)) is not None:
            corrections.append(correction)
        if fact.event is not None and (ply := ply_gone_back_to(fact.event)) is not None:
            taken = standing(taken, ply)
        else:
            taken.append(fact)
    chronicle = _Chronicle(rules)
    for fact in taken:
        chronicle.take(fact)
    return replace(chronicle.record(corrections), **_chain_of(facts))


def _chain_of(facts: Sequence[Fact]) -> dict[str, Any]:
    """Return the record's fields of the hash chain: its links, the head, and the signatures under it."""
    texts: list[str] = []
    signatures: dict[str, str] = {}
    before = ""
    for event in (fact.event for fact in facts if fact.event is not None):
        if event.links:
            signatures.clear()
        if event.kind == "countersigned":
            signatures[event.seat.value if event.seat else STATION] = event.text or ""
        before = before or event.game
        for text in event.links:
            texts.append(text)
            before = link(before, text)
    return {"chain": tuple(texts), "head": f"{len(texts)}:{before}" if texts else None, "signatures": signatures}


def names_of(facts: Iterable[Fact], opened: Mapping[Seat, str]) -> BySeat[str]:
    """Return the last name of each player; `opened` is the fact that opened the game."""
    told = {fact.seat: fact.event.text or "" for fact in facts if fact.kind == "named" and fact.event and fact.seat}
    return BySeat({seat: name for seat, name in {**opened, **told}.items() if name})


def rules_of_facts(facts: Iterable[Fact], rules: RuleSet | None = None) -> RuleSet:
    """Return the rule set that a game was opened with, or `rules`, with the options that it was played by.

    Raises `JournalFormatError` where no game was opened, `RecordError` for unknown rules.
    """
    opened = next((fact for fact in facts if fact.kind == "opened" and fact.event is not None), None)
    if opened is None or opened.event is None:
        raise JournalFormatError("the journal holds no game")
    try:
        return rules_as_told(rules or rule_set(opened.event.text or ""), (opened.cause or {}).get("settings", {}))
    except RulesError as error:
        raise RecordError(str(error)) from None
