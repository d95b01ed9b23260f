"""The chain of a game: each thing that counts is a link, bound to all before it (docs/reference/commitments.md has it in words).

It is made from public events, and from clocks that everybody sees; of names and reasons only salted hashes enter. Nothing is ever
taken out: what goes back is one link more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from referee.rules import EndReason, GameResult, Seat, Square
from referee.rules.actions import MoveSlider
from referee.table.commitments import arbiter_seed, link, name_hash, occasion_hash, reason_hash, statement
from referee.table.event_actions import (
    PliesTold,
    Turn,
    action_text,
    correction_text,
    decision_of,
    decision_text,
    leaving_words,
    plain,
)
from referee.table.inputs import Cause
from referee.table.settings import TableSettings
from referee.table.views import PublicEvent, PublicView

CORRECTIONS: Final[Mapping[str, str]] = {
    "plies.taken-back": "taken-back",
    "verdict.voided": "voided",
    "clock.adjusted": "clock",
    "penalty": "penalty",
    "ruling": "ruling",
    "end": "ended",
}
"""Types of events that correct a game, and a record's words for them; an end is one only where an arbiter ordered it."""
_DECISIONS: Final = frozenset({"recruited", "recruit.declined", "slider.decided", "flags.taken", "resigned"})


def is_correction(event: PublicEvent, cause: Cause | None) -> bool:
    """Return whether an event corrects the game; `cause` is that of its step."""
    return event.kind in CORRECTIONS and (event.kind != "end" or verb_of(cause).get("type") == "end-game")


def verb_of(cause: Cause | None) -> Mapping[str, str]:
    """Return the order that a step answers, as the journal keeps it; nothing where it was none."""
    if cause is None:
        return {}
    if cause.get("by") == "adjust-clock":  # as it was told before orders were values
        return {"reason": str(cause.get("reason") or "-")}
    verb = cause.get("verb")
    return verb if isinstance(verb, Mapping) else {}


def ply_gone_back_to(event: PublicEvent) -> int | None:
    """Return the ply after which the game stands since this event, None for one that takes nothing back."""
    match event.kind:
        case "plies.taken-back":
            return event.ply
        case "verdict.voided":
            return event.ply - 1
        case _:
            return None


@dataclass(slots=True)
class Chain:
    """A chain that grows; the game's events go in one after the other."""

    settings: TableSettings = field(repr=False)
    count: int = 0
    hash: str = ""
    _plies: PliesTold = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Begin with the game's id."""
        self.hash = self.hash or self.settings.game
        self._plies = PliesTold(self.settings.rule_set.board)

    @property
    def head(self) -> str:
        """Return the number of links and the hash of the last one."""
        return f"{self.count}:{self.hash}"

    def take(self, event: PublicEvent, left_ms: Mapping[Seat, int], cause: Cause | None) -> tuple[str, ...]:
        """Return the texts of the links that an event is; `left_ms`: what the seats' clocks had left then, `cause`: that of its step."""
        clocks = [f"clock.{seat.value}={left_ms[seat]}" for seat in Seat if seat in left_ms] if left_ms else []
        texts = tuple(self._texts(event, clocks, cause))
        for text in texts:
            self.hash = link(self.hash, text)
        self.count += len(texts)
        return texts

    def _texts(self, event: PublicEvent, clocks: list[str], cause: Cause | None) -> Iterator[str]:
        done, seat = self._plies.take(event), event.seat
        if is_correction(event, cause):
            words = ["corrected", correction_text(CORRECTIONS[event.kind], event.ply, seat, event.text)]
            yield " ".join([*words, *self._reason(cause), *clocks])
        if (back := ply_gone_back_to(event)) is not None:
            self._plies.forget(back + 1)
        match event.kind:
            case "opened":
                yield " ".join(["opened", *self._terms()])
            case "named":
                assert seat
                yield f"name {seat.value} {self._name(seat, event.text) if event.text else '-'}"
            case "committed":
                assert seat
                yield f"root {seat.value} {event.text}"
            case "begin":
                stood = dict(word.split("=") for word in (event.text or "").split())
                squares = self.settings.rule_set.board.squares
                yield " ".join(
                    ["begin", *(f"{each.name}={stood[each.name]}" for each in squares if each.name in stood)]
                )
            case "end":
                assert event.text
                winner = GameResult(seat, EndReason(event.text)).winner_word or "none"
                yield " ".join(["end", winner, event.text, *clocks])
            case kind if kind in _DECISIONS:
                assert seat
                choice = None if kind == "resigned" else decision_of(event, self.settings.rule_set.board)
                where = Square(event.target) if event.target and not isinstance(choice, MoveSlider) else None
                yield " ".join(["decided", decision_text(seat, choice, where), *clocks])
        if done is not None:
            yield " ".join(["ply", *_ply_words(event, *done), *clocks])

    def _terms(self) -> Iterator[str]:
        """Yield how the game is to be played."""
        settings, rules = self.settings, self.settings.rule_set
        yield f"rules={rules.name}"
        yield f"mode={settings.mode.value}"
        yield f"reveal={settings.reveal.value}"
        for name, option in sorted(rules.options.items()):
            if len(option.choices) > 1:
                yield f"option.{name}={option_text(option.value)}"
        if settings.date:
            yield f"date={settings.date}"
        if (one := settings.occasion) is not None:
            yield f"occasion={occasion_hash(plain(one.event) or '?', str(one.round), str(one.table))}"
        if clock := settings.clock:
            yield f"clock={clock.kind.value},{clock.game_ms},{clock.ply_ms},{clock.set_up_ms}"
        for seat in Seat:
            if seat in settings.computers:
                yield f"computer.{seat.value}={settings.computers[seat]}"
        if settings.computers:
            yield f"engine={settings.engine}"
        for seat in Seat:
            if settings.names.get(seat):
                yield f"name.{seat.value}={self._name(seat, settings.names[seat])}"

    def _name(self, seat: Seat, name: str) -> str:
        assert self.settings.salts is not None
        return name_hash(self.settings.salts.open_hidden()[seat], self.settings.game, seat, name)

    def _reason(self, cause: Cause | None) -> Iterator[str]:
        """Yield the hash of an arbiter's reason, if there is one."""
        secret, reason = self.settings.secret, plain(verb_of(cause).get("reason", ""))
        if reason and secret is not None:
            seed = arbiter_seed(secret.open_hidden(), self.settings.game)
            yield f"reason={reason_hash(seed, self.count + 1, reason)}"


def signed_end(view: PublicView, signer: str) -> bytes | None:
    """Return what a seat, or the station, signs under a game that is over; None while it is not, and where it has no chain."""
    if view.result is None or not view.chain or view.result.reason not in {each.value for each in EndReason}:
        return None
    result = GameResult(view.result.winner, EndReason(view.result.reason))
    return statement(view.game, signer, view.chain, result.winner_word or "none", result.reason.value)


def option_text(value: Any) -> str:
    """Return an option's value as a record and a chain write it: `true`, `3`, `forfeit`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def ply_text(number: int, seat: Seat, action: Turn, result: str | None) -> str:
    """Return a ply as a chain has it, without what came of it for pieces and clocks; a fight has its verdict."""
    words = [str(number), seat.value, action_text(action, result is not None)]
    return " ".join([*words, *([] if result is None else [result]), *leaving_words(action)])


def _ply_words(event: PublicEvent, seat: Seat, done: Turn) -> Iterator[str]:
    yield ply_text(event.ply, seat, done, event.result)
    yield from (f"captured.{seat.value}={event.captured[seat].value}" for seat in Seat if seat in event.captured)
    yield from (f"leaf.{seat.value}={event.leaves[seat]}" for seat in Seat if seat in event.leaves)
