"""What a player types: numbers choose, words act, in the player's language and in English; and the set-up that is made by typing.

A set-up is made piece by piece or from texts and files; what is wrong with one is said in the player's words.
"""

from __future__ import annotations

import random
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from referee.journal.records.set_up_text import (
    MOST_CHARACTERS,
    SetUpByName,
    SetUpTextError,
    TextFault,
    read_set_up,
    write_set_up,
)
from referee.net.handset import Handset
from referee.private_file import write_private
from referee.rules import RulesError, rule_set
from referee.rules.values import Rank, Seat
from referee.runtime.set_ups import generate
from referee.table import messages
from referee.table.messages import FromHandset, QuestionKind, Rejected
from referee.table.views import Mode, Phase, PublicInfo
from referee.words import Words, placeholders, words

EDITS = ("show", "place", "swap", "mirror", "clear", "undo", "load", "save", "text")
"""Words that change or show the set-up in work; none of them says anything to the referee."""
_MOST_TOLD = 8


class SetUpError(Exception):
    """What was asked cannot be done with this set-up; the text is for its owner."""


class SetUpDraft:
    """The set-up that one player is editing in one game. Never more of a rank than the army has, never outside the
    zone.
    """

    def __init__(self, info: PublicInfo, seat: Seat, said: Words) -> None:
        self.info = info
        self._seat = seat
        self._said = said
        self._past: list[SetUpByName] = []
        self._cells = [square for row in info.zones[seat] for square in row if square]
        self.placed: SetUpByName = {}

    def __repr__(self) -> str:
        return f"SetUpDraft({len(self.placed)} pieces)"

    def place(self, rank: Rank, squares: Iterable[str]) -> None:
        """Put pieces of a rank on squares, replacing what stands there. Raises `SetUpError` for other squares, or too
        many of a rank.
        """
        changed = self.placed | {self._own(square): rank for square in squares}
        excess = Counter(changed.values())[rank] - self.info.army.get(rank, 0)
        if excess > 0:
            raise SetUpError(self._said.say("set-up-text.too-many", rank=self._said.rank(rank), number=excess))
        self._become(changed)

    def swap(self, one: str, other: str) -> None:
        """Let two squares change what stands on them; one may be empty. Raises `SetUpError`."""
        squares = (self._own(one), self._own(other))
        kept = {square: rank for square, rank in self.placed.items() if square not in squares}
        pairs = zip(squares, squares[::-1], strict=True)
        self._become(kept | {to: self.placed[source] for source, to in pairs if source in self.placed})

    def mirror(self) -> None:
        """Change left and right."""
        across = {
            square: opposite
            for row in self.info.zones[self._seat]
            for square, opposite in zip(row, row[::-1], strict=True)
            if square and opposite
        }
        self._become({across[square]: rank for square, rank in self.placed.items() if square in across})

    def clear(self, squares: Iterable[str]) -> None:
        """Remove the pieces on these squares, all pieces if none are named. Raises `SetUpError`."""
        gone = {self._own(square) for square in squares} or set(self._cells)
        self._become({square: rank for square, rank in self.placed.items() if square not in gone})

    def undo(self) -> None:
        """Go back by one change, if there was one."""
        if self._past:
            self.placed = self._past.pop()

    def read(self, text: str) -> None:
        """Take over what a text holds. Raises `SetUpError` with every fault."""
        try:
            self._become(read_set_up(self.info, self._seat, text))
        except SetUpTextError as error:
            raise SetUpError("; ".join(text_faults(self._said, self.info, self._seat, error.faults))) from None

    def load(self, source: str) -> None:
        """Take over a file, or one made up for the word `random`. Raises `SetUpError`."""
        if source == "random":
            self._make_up()
            return
        try:
            with Path(source).open(encoding="utf-8") as file:
                text = file.read(MOST_CHARACTERS + 1)
        except (OSError, ValueError):  # their own texts could hold a rank
            raise SetUpError(self._said.say("handset.not-understood", text=source)) from None
        self.read(text)

    def save(self, target: str) -> None:
        """Write it into a file that only its owner can read. Raises `SetUpError`."""
        try:
            write_private(Path(target), self.text)
        except (OSError, ValueError):
            raise SetUpError(self._said.say("handset.not-understood", text=target)) from None

    @property
    def text(self) -> str:
        """The set-up as text, to be copied."""
        return write_set_up(self.info, self._seat, self.placed)

    @property
    def picture(self) -> str:
        """The zone as its player sees it, with the names of each row's ends, and what is not placed yet."""
        rows = self.info.zones[self._seat]
        signs = [line for line in self.text.splitlines() if line][2:]
        ends = [(_first(row), _first(row[::-1])) for row in rows]
        width = max(len(left) for left, _ in ends)
        lines = [f"{left:>{width}}  {sign}  {right}" for (left, right), sign in zip(ends, signs, strict=True)]
        left = Counter(self.info.army) - Counter(self.placed.values())
        missing = ", ".join(f"{self._said.rank(rank)} {left[rank]}" for rank in self.info.army if left[rank])
        said = self._said.say("set-up.missing", number=left.total()) if missing else self._said["set-up.complete"]
        return "\n".join([*lines, f"{said}  {missing}".rstrip()])

    def _make_up(self) -> None:
        try:
            rules = rule_set(self.info.rule_set)
        except RulesError:  # house rules, which this handset does not have
            raise SetUpError(self._said.say("handset.not-understood", text="random")) from None
        made = generate(rules, self._seat, random.Random(secrets.randbits(128)))
        self._become({square.name: rank for square, rank in made.items()})

    def _own(self, square: str) -> str:
        name = square.lower()
        if name not in self._cells:
            raise SetUpError(self._said.say("set-up-fault.outside-zone", squares=square))
        return name

    def _become(self, placed: Mapping[str, Rank]) -> None:
        if placed != self.placed:
            self._past.append(self.placed)
            self.placed = dict(placed)


def _first(row: Iterable[str | None]) -> str:
    return next(square for square in row if square)


def text_faults(said: Words, info: PublicInfo, seat: Seat, faults: Iterable[TextFault]) -> list[str]:
    """Return the faults of a set-up's text, one sentence each, at most `_MOST_TOLD`."""
    rows = info.zones[seat]
    told = []
    for fault in list(faults)[:_MOST_TOLD]:
        known = {
            "line": fault.line,
            "text": fault.text,
            "rules": said.get(f"rule-set.{fault.text}", fault.text),
            "rank": said.rank(fault.rank),
            "number": fault.number,
            "rows": len(rows),
            "columns": len(rows[0]),
        }
        told.append(filled(said, f"set-up-text.{fault.kind.value}", known))
    return told


def refusal_texts(said: Words, rejected: Rejected) -> list[str]:
    """Return the reasons why the referee refused a message, one sentence each.

    A set-up's faults are a kind, perhaps a rank and a number, then squares; squares alone are those that do not go with how the game
    began.
    """
    kinds = [text for text in rejected.detail if f"set-up-fault.{text.split()[0]}" in said]
    if rejected.reason == "bad-set-up" and kinds:
        return [_rule_fault(said, text) for text in kinds]
    if rejected.reason in ("bad-set-up", "contradicts-the-game"):
        return [said.say("set-up-refused.contradicts-the-game", squares=" ".join(rejected.detail))]
    if rejected.reason == "outside-zone":
        return [said.say("set-up-fault.outside-zone", squares=", ".join(rejected.detail))]
    if (key := f"refusal.{rejected.reason}") in said and not placeholders(said[key]):
        return [said[key]]
    return [said.say("handset.not-taken", reason=rejected.reason)]


def _rule_fault(said: Words, text: str) -> str:
    kind, *rest = text.split()
    rank = said[f"rank.{rest.pop(0)}"] if rest and f"rank.{rest[0]}" in said else ""
    number = rest.pop(0) if rest and rest[0].isdigit() else ""
    return filled(said, f"set-up-fault.{kind}", {"rank": rank, "number": number, "squares": " ".join(rest)})


def filled(said: Words, key: str, known: Mapping[str, object]) -> str:
    """Return a sentence with those of the known values that it has a place for."""
    return said.say(key, **{name: known[name] for name in placeholders(said[key])})


# What a player types becomes a message: numbers choose, words act. Every word works in the player's language and in English.


ACTS = (
    *("ready", "attack", "no-attack", "infiltrate", "fire", "leave", "decide", "draw", "claim", "resign", "abort"),
    *("take-back", "void", "pause", "resume", "arbiter", "enrol", "consent"),
)
_PLAIN_ACTS: Mapping[str, type[FromHandset]] = {
    "draw": messages.OfferDraw,
    "claim": messages.ClaimImmobile,
    "resign": messages.Resign,
    "abort": messages.OfferAbort,
    "pause": messages.AskPause,
    "resume": messages.AskResume,
    "arbiter": messages.CallArbiter,
}
"""Acts that are one word and nothing else."""
SHOWN_WISHES = ("army", "seal", "quit")
WISHES = (*SHOWN_WISHES, "status")
_UNSEEN = 2


class NotUnderstoodError(Exception):
    """A line that cannot be understood; the text is for the player."""


class PiecesFirstError(NotUnderstoodError):
    """Own pieces do not stand yet; what `pieces_first` says changes with the board."""


class Speech:
    """Understands one player at one handset."""

    def __init__(self, handset: Handset, language: str) -> None:
        self._handset = handset
        self._words = words(language)
        self._handed_in: tuple[str, dict[str, Rank]] | None = None
        self._draft: SetUpDraft | None = None
        known = (*ACTS, *WISHES, *EDITS)
        self._acts = {each[f"handset.word-{act}"]: act for each in (words("en"), self._words) for act in known}
        self._ranks = {name.casefold(): rank for rank in Rank for name in (rank.value, self._words.rank(rank))}

    @property
    def handed_in(self) -> Mapping[str, Rank]:
        """The set-up that was handed in for this game, taken or not; nothing where none was."""
        info = self._handset.info
        return self._handed_in[1] if info and self._handed_in and self._handed_in[0] == info.game else {}

    @property
    def draft(self) -> SetUpDraft:
        """The set-up being edited for the announced game; it outlives a rematch by the same rules."""
        info = self._handset.info
        assert info is not None
        if self._draft is None or self._draft.info.rule_set != info.rule_set:
            self._draft = SetUpDraft(info, self._handset.seat, self._words)
        return self._draft

    def understand(self, line: str) -> FromHandset | str:
        """Return the message that a line means, a word of `WISHES`, or one of `EDITS` when the set-up being edited was
        changed or is to be shown.

        Raises `NotUnderstoodError`, or `NotAskedError`.
        """
        first, *rest = line.split()
        if first.isascii() and first.isdigit() and not rest:
            return self._chosen(int(first))
        act = self._acts.get(first.casefold())
        if act is None:
            raise NotUnderstoodError(self._words.say("handset.not-understood", text=first))
        if act in WISHES and not rest:
            return act
        if self._handset.info is None:
            raise NotUnderstoodError(self._words["handset.no-game"])
        try:
            message = self._edited(act, rest) if act in EDITS else self._said(act, rest)
        except SetUpError as error:
            raise NotUnderstoodError(str(error)) from None
        if message is None:
            raise NotUnderstoodError(self._words.say("handset.not-understood", text=line.strip()))
        return message

    def _chosen(self, number: int) -> FromHandset:
        question = self._handset.question
        if question is None or not 1 <= number <= len(question.choices):
            raise NotUnderstoodError(self._words.say("handset.not-understood", text=number))
        choice = question.choices[number - 1]
        if question.kind is QuestionKind.DECLARE:
            return self._handset.declare(Rank(choice))
        return self._handset.answer(choice)

    def _said(self, act: str, rest: list[str]) -> FromHandset | None:
        """Return the message of an act; None when the words after it do not fit."""
        handset = self._handset
        if act in _PLAIN_ACTS:
            return None if rest else handset.say(_PLAIN_ACTS[act])
        match act, rest:
            case "no-attack", []:
                return handset.deny_attack()
            case "ready", []:
                if why := self.pieces_first:
                    raise PiecesFirstError(why)
                return handset.say(messages.Ready)
            case "attack", [] | [_] | [_, _]:
                source, target = (None, *rest)[-2:] if rest else (None, None)
                return handset.say(messages.TellAttack, source=source, target=target)
            case "infiltrate", [source, target, *name] if name:
                rank = self._ranks.get(" ".join(name).casefold())
                if rank is None:
                    return None
                return handset.say(messages.TellInfiltrate, source=source, target=target, guess=rank)
            case "fire", [source, target]:
                return handset.say(messages.TellFire, source=source, target=target)
            case "decide", [source, target] if (view := handset.view) is not None:
                return handset.say(messages.Decide, ply=view.ply + 1, source=source, target=target)
            case "leave", [square, *flags]:
                seats = {name.casefold(): seat for seat in Seat for name in (seat.value, self._words.seat(seat))}
                if any(flag.casefold() not in seats for flag in flags):
                    return None
                left = tuple(seats[flag.casefold()] for flag in flags)
                return handset.say(messages.TellLeave, square=square, flags=left)
            case (("take-back" | "void"), [] | [_]):
                return self._back(act, rest)
            case "enrol", [] | [_]:
                if rest:
                    self.draft.load(rest[0])
                self._handed_in = (handset.info.game if handset.info else "", dict(self.draft.placed))
                return handset.enrol(self.draft.placed)
            case "consent", [] if (known := self.handed_in or self.draft.placed) or (
                handset.view and handset.view.finale
            ):
                return handset.say(messages.Consent, set_up=dict(known))  # empty: as the referee knows it
            case "consent", [source] if source != "random":
                self.draft.load(source)
                return handset.say(messages.Consent, set_up=dict(self.draft.placed))
        return None

    @property
    def pieces_first(self) -> str:
        """Why this player cannot say ready yet: pieces outside the zone, or so many of so many placed; empty when
        nothing hinders.

        One or two that no sensor shows hinder nobody where their squares are known.
        """
        info, view = self._handset.info, self._handset.view
        if info is None or view is None or view.phase is not Phase.SETTING_UP or info.mode is Mode.ENROL:
            return ""
        seat = self._handset.seat
        there, size = info.placed(seat, view), sum(info.army.values())
        if astray := info.astray(seat, view):
            return self._words.say("set-up-fault.outside-zone", squares=", ".join(astray))
        if there > size:
            return self._words.say("ask.too-many-pieces", seat=self._words.seat(seat), number=there, all=size)
        if size - there > (_UNSEEN if any(fix.wanted is seat for fix in view.fixes) else 0):
            return self._words.say("handset.pieces-first", number=there, all=size)
        return ""

    def _back(self, act: str, rest: list[str]) -> FromHandset | None:
        """Return the wish to go back to a ply, or to void a verdict; without a number the own last move, or the last
        verdict.
        """
        view, seat = self._handset.view, self._handset.seat
        played = view.ply if view is not None else 0
        own = view.last_plies.get(seat, played) if view is not None else 0
        number = rest[0] if rest else str(own - 1 if act == "take-back" else played)
        if not number.isascii() or not number.isdigit() or len(number) > 6:
            return None
        offer = messages.OfferTakeBack if act == "take-back" else messages.OfferVoid
        return self._handset.say(offer, ply=int(number))

    def _edited(self, act: str, rest: list[str]) -> str | None:
        """Change the set-up being edited and return the act; None when the words after it do not fit. Raises
        `SetUpError`.
        """
        draft = self.draft
        match act, rest:
            case (("show" | "text"), []):
                return act
            case "place", [_, _, *_] if named := self._rank_and_squares(rest):
                draft.place(*named)
            case "swap", [one, other]:
                draft.swap(one, other)
            case "mirror", []:
                draft.mirror()
            case "clear", squares:
                draft.clear(squares)
            case "undo", []:
                draft.undo()
            case "load", [source]:
                draft.load(source)
            case "save", [target]:
                draft.save(target)
            case "text", rows:
                draft.read(" ".join(rows))
            case _:
                return None
        return "show"

    def _rank_and_squares(self, words_said: list[str]) -> tuple[Rank, list[str]] | None:
        """Return rank and squares of a line such as `miner a1 b2`; the rank is a name of one or more words, or a
        number. None without one.
        """
        numbers = {str(number): rank for rank, number in self.draft.info.numbers.items()}
        for length in range(len(words_said) - 1, 0, -1):
            name = " ".join(words_said[:length]).casefold()
            rank = numbers.get(name) or self._ranks.get(name)
            if rank is not None:
                return rank, words_said[length:]
        return None


def choice_text(said: Words, choice: str) -> str:
    """Return a question's choice as a player reads it: a rank, an answer, or whose flags."""
    if choice in (rank.value for rank in Rank):
        return said.rank(Rank(choice))
    if (key := f"handset.choice-{choice}") in said:
        return said[key]
    return ", ".join(said.seat(Seat(seat)) for seat in choice.split(","))


def army_text(said: Words, own: Mapping[str, Rank]) -> str:
    """Return the own pieces as the referee knows them, square by square."""
    return ", ".join(f"{square} {said.rank(rank)}" for square, rank in own.items())
