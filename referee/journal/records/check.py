"""Judges a record by the rules: which ply is the first illegal one, and why.

What the record tells of a piece anywhere (its set-up, a later attack) is known from the start, so a game of which the view
knows little is judged as far as that knowledge reaches: a ply is illegal only if no possible ranks allow it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from referee.journal.errors import RecordError
from referee.journal.records import model
from referee.journal.records.views import Follower
from referee.rules import Game, RuleSet, check_set_up
from referee.rules.actions import Infiltrate
from referee.rules.outcomes import ActionResult, EndReason, GameResult, Mobility, Reason, ResultNeededError, RulesError
from referee.rules.values import PieceId, Rank, Seat, Square

BAD_SET_UP = "bad-setup"
NOT_A_MOVE = "not-a-move"
_SHOWN_BY_PLIES = frozenset({EndReason.FLAG, EndReason.NO_PROGRESS})
"""Endings that need no rank to be seen: from whatever view the plies lead to them, or they never were."""
REPETITIONS = {Reason.TWO_SQUARES: "two-squares", Reason.CHASE: "chase", Reason.SITUATION: "situation"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was found. `ply` (from 1) and `reason` (two-squares, chase, situation, not-a-move, bad-setup) are None for a legal game.

    `details` are the rules' own words for it; `result` is what the plies led to, else what the record says; `notes` is what is
    odd but not illegal. `follows` says whether the record's ending follows from its plies: False where it would have to and does
    not, None where nothing in them can show it (a resignation, an agreement, a clock, the arbiter's word) or there is none.
    """

    ply: int | None = None
    reason: str | None = None
    details: tuple[str, ...] = ()
    result: GameResult | None = None
    notes: tuple[str, ...] = ()
    follows: bool | None = None

    @property
    def legal(self) -> bool:
        """Return whether set-up and every ply are legal."""
        return self.reason is None


def judge(record: model.Record, rules: RuleSet | None = None) -> Judgement:
    """Judge a record by the rule set that it names, or by `rules` (`rules_of`), then also its set-up where any army is
    allowed.

    Raises `RecordError` where it cannot be judged: an unknown rule set, an attack whose verdict nobody told, ranks or verdicts
    that contradict each other.
    """
    checked = rules is not None or not record.any_army
    rules = model.rules_of(record, rules)
    if not record.set_ups:
        return Judgement(result=record.result)
    faults = tuple(set_up_faults(record, rules, checked))
    if faults:
        return Judgement(reason=BAD_SET_UP, details=faults, result=record.result)
    return _replayed(record, rules)[1]


def completed(record: model.Record, rules: RuleSet | None = None) -> model.Record:
    """Return the record with the missing verdicts and ranks of its attacks filled in, as far as its set-ups know them
    and its plies are legal, and with the result that the plies lead to where it has none. A complete record comes back
    equal.

    Raises as `judge` does.
    """
    if not record.set_ups:
        return record
    rules = model.rules_of(record, rules)
    if tuple(set_up_faults(record, rules, not record.any_army)):
        return record
    replay, judgement = _replayed(record, rules)
    plies = (*replay.plies, *record.plies[len(replay.plies) :])
    return replace(record, plies=plies, result=record.result or judgement.result)


def _replayed(record: model.Record, rules: RuleSet) -> tuple[_RecordReplay, Judgement]:
    """Return the record replayed and its judgement; a bomb or flag that moved while its rank was unknown is let
    through.
    """
    replay = _RecordReplay(record, rules)
    judgement, said = replay.judge(), record.result
    if judgement.details != (Reason.IMMOBILE.value,) or said is None or said.reason is not EndReason.FORFEIT:
        return replay, judgement
    for loser in rules.seats:
        if rules.seat_after(loser) is said.winner:
            late = _RecordReplay(record, rules, loser)
            found = late.judge()
            if found.result == said and found.follows:
                return late, found
    return replay, judgement


class _RecordReplay:
    """A record being played again under all that it tells of its pieces. `plies` are those played, with verdicts and ranks.

    What it tells of a `late` seat's pieces becomes known after the last ply.
    """

    def __init__(self, record: model.Record, rules: RuleSet, late: Seat | None = None) -> None:
        self._record, self._late = record, late
        self._known, self._fault = _told_ranks(record)
        occupants = {square: seat for seat, set_up in record.set_ups.items() for square in set_up}
        ranks = {square: rank for (_, square), rank in self._known.items()}
        try:
            self._game = Game(
                rules, occupants, {square: ranks[square] for square in ranks if occupants[square] != late}
            )
        except RulesError as error:
            raise RecordError(str(error)) from None
        self._rank_of: Mapping[PieceId, Rank] = {
            piece: ranks[square] for square in occupants if square in ranks and (piece := self._game.piece_at(square))
        }
        self._squares = set(rules.board.squares)
        self.plies: list[model.Ply] = []

    def judge(self) -> Judgement:
        """Play to the first refusal or the end. Raises `RecordError` where the record does not say enough to judge."""
        refused = self._decide(self._record.before)
        if refused:
            return self._illegal(1, refused)
        for number, ply in enumerate(self._record.plies, start=1):
            refused = tuple(self._refused(ply))
            if not refused:
                self._play(number, ply)
                refused = self._decide(ply.decisions)
            if refused:
                return self._illegal(number, refused)
        if self._fault is not None:
            raise self._fault
        if self._late is not None and self._game.result is None:
            self._tell_late()
        follows = self._follows()
        result = self._game.result or self._record.result
        return Judgement(result=result, notes=tuple(self._notes(follows)), follows=follows)

    def _tell_late(self) -> None:
        """Apply the late seat's ranks; the first piece that moved with a rank that never moves loses the game
        (`Game.forfeits_as`).
        """
        ranks = {piece: rank for piece, rank in self._rank_of.items() if piece.seat is self._late}
        rest = self._game.copy()
        rest.forget_forfeits(ranks)
        try:
            for piece, rank in ranks.items():
                rest.learn(piece, frozenset({rank}))
        except RulesError:
            return
        for piece, rank in ranks.items():
            if rank in self._game.forfeits_as(piece):
                self._game.learn(piece, frozenset({rank}))
                return

    def _illegal(self, number: int, refused: tuple[Reason, ...]) -> Judgement:
        words = tuple(dict.fromkeys(reason.value for reason in refused))
        return Judgement(number, _reason(refused), words, self._record.result)

    def _refused(self, ply: model.Ply) -> Iterator[Reason]:
        if ply.seat is not self._game.turn:
            yield Reason.NOT_YOUR_PIECE
        elif not model.squares_of(ply.action) <= self._squares:
            yield Reason.NOT_A_MOVE
        else:
            yield from (refusal.reason for refusal in self._game.refusals(ply.action))

    def _decide(self, decisions: Iterable[model.Decision]) -> tuple[Reason, ...]:
        """Carry out decisions until one is refused. Returns its reasons, none when all are legal."""
        for decision in decisions:
            if isinstance(decision.choice, model.GiveUp):
                if self._game.result is not None or not self._game.pieces(decision.seat):
                    return (Reason.GAME_OVER,)
                self._game.drop_out(decision.seat)
                continue
            if decision.seat is not self._game.turn:
                return (Reason.NOT_YOUR_PIECE,)
            refused = tuple(refusal.reason for refusal in self._game.refusals(decision.choice))
            if refused:
                return refused
            self._game.play(decision.choice)
        return ()

    def _play(self, number: int, ply: model.Ply) -> None:
        try:
            played = self._game.play(ply.action, ply.result)
        except ResultNeededError:
            raise RecordError(
                f"ply {number}: an attack without its verdict, between pieces that are not known"
            ) from None
        except RulesError:
            raise RecordError(f"ply {number}: what is told here contradicts the ranks that the record tells") from None
        if ply.result is not None and ply.result is not played.result:
            raise RecordError(f"ply {number}: this verdict does not belong to this action")
        self.plies.append(self._filled(ply, played))

    def _filled(self, ply: model.Ply, played: ActionResult) -> model.Ply:
        if played.result is None or isinstance(ply.action, Infiltrate):
            return replace(ply, result=played.result)
        attacker, defender = (self._rank_of.get(piece) if piece else None for piece in (played.piece, played.defender))
        if self._record.view is not model.View.REFEREE:
            return replace(ply, result=played.result)  # a view shows in a ply what was told there, no more
        return replace(ply, result=played.result, attacker=attacker, defender=defender)

    def _notes(self, follows: bool | None) -> Iterator[str]:
        said = self._record.result
        if follows is not False or said is None:
            return
        if self._game.result is not None:
            yield "the plies lead to another result than the record says"
        else:
            yield f"the plies do not lead to the end that the record tells: {said.reason.value}"

    def _follows(self) -> bool | None:
        """Return the value of `Judgement.follows`."""
        said, found = self._record.result, self._game.result
        if said is None or self._overruled(said):
            return None
        if found is not None:
            return said == found
        if said.reason in _SHOWN_BY_PLIES or (said.reason is EndReason.IMMOBILE and self._game.castle is not None):
            return False  # in the castle that word means that one team is left
        if said.reason is EndReason.IMMOBILE and said.winner is not None:
            beaten = self._immobile(seat for seat in self._game.rule_set.seats if seat is not said.winner)
            return None if beaten and self._immobile((said.winner,)) is not False else beaten
        if said.reason is EndReason.BOTH_IMMOBILE:
            return self._immobile(self._game.rule_set.seats)
        return None

    def _overruled(self, said: GameResult) -> bool:
        """Return whether the record has this result as an arbiter's ruling after its last ply."""
        mine = (len(self._record.plies), said.winner, said.reason.value)
        ended = (each for each in self._record.corrections if each.kind is model.CorrectionKind.ENDED)
        return any((each.ply, each.seat, each.word) == mine for each in ended)

    def _immobile(self, seats: Iterable[Seat]) -> bool | None:
        """Return whether none of these seats can move, whoever's turn it is; None where the known ranks do not say."""
        turn, barred = self._game.turn, bool(self._game.barred())
        found = {Mobility.UNKNOWN if barred and seat is turn else self._game.mobile(seat) for seat in seats}
        if Mobility.YES in found:
            return False
        return True if found == {Mobility.NO} else None


def _reason(refused: tuple[Reason, ...]) -> str:
    for reason, word in REPETITIONS.items():
        if set(refused) <= set(REPETITIONS) and reason in refused:
            return word
    return NOT_A_MOVE


def _told_ranks(record: model.Record) -> tuple[Mapping[tuple[Seat, Square], Rank], RecordError | None]:
    """Return all ranks in the record by seat and square of the set-up, and the error that stopped the search, or None."""
    follower = Follower(record.set_ups)
    if all(len(set_up.known) == len(set_up) for set_up in record.set_ups.values()):
        return follower.rank_of, None
    try:
        deque(follower.follow(record), maxlen=0)
    except RecordError as error:
        return follower.rank_of, error
    return follower.rank_of, None


def set_up_faults(record: model.Record, rules: RuleSet, whole: bool) -> Iterator[str]:
    """Yield what is wrong with the set-ups, without ranks; without `whole` only faults that make any game impossible."""
    board = set(rules.board.squares)
    for seat, set_up in record.set_ups.items():
        if seat not in rules.seats:
            yield f"{seat.value} does not play"
            continue
        for square in set_up:
            if square not in board:
                yield f"{seat.value}: {square.name} is no square"
        if whole:
            yield from (f"{seat.value}: {fault}" for fault in _faults_of(rules, seat, set_up))
    for seat in rules.seats:
        if seat not in record.set_ups:
            yield f"{seat.value} has set nothing up"


def _faults_of(rules: RuleSet, seat: Seat, set_up: model.SetUp) -> Iterator[str]:
    known = set_up.known
    if len(known) == len(set_up):
        for fault in check_set_up(rules, seat, known):
            if fault.fatal:
                yield " ".join([fault.kind.value, *(square.name for square in fault.squares)])
        return
    yield from (f"outside-zone {square.name}" for square in set_up if square not in rules.zone(seat))
    size = sum(rules.army.values())
    if len(set_up) != size:
        yield f"{len(set_up)} pieces where {size} belong"
    if Counter(known.values()) - Counter(dict(rules.army)):
        yield "more pieces of one rank than the army has"
