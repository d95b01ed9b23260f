"""What a player types becomes a message: numbers choose, words act. Every word works in the player's language and in English."""

from __future__ import annotations

from collections.abc import Mapping

from referee.cli.handset_set_up import EDITS, SetUpDraft, SetUpError
from referee.net.handset import Handset
from referee.rules.values import Rank, Seat
from referee.table.messages import FromHandset, QuestionKind
from referee.table.views import Mode, Phase
from referee.words import Words, words

ACTS = (
    *(
        "ready",
        "attack",
        "no-attack",
        "infiltrate",
        "fire",
        "leave",
        "draw",
        "claim",
        "resign",
        "abort",
        "take-back",
        "void",
    ),
    *("pause", "resume", "arbiter", "enrol", "consent"),
)
SHOWN_WISHES = ("army", "quit")
WISHES = (*SHOWN_WISHES, "status")
_UNSEEN = 2


class NotUnderstoodError(Exception):
    """A line that means nothing here; the text is for the player."""


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
        """The set-up in work in the game that was announced; what is in work outlives a rematch by the same rules."""
        info = self._handset.info
        assert info is not None
        if self._draft is None or self._draft.info.rule_set != info.rule_set:
            self._draft = SetUpDraft(info, self._handset.seat, self._words)
        return self._draft

    def understand(self, line: str) -> FromHandset | str:
        """Give the message that a line means, one of `WISHES`, or of `EDITS` when the set-up in work was changed or is to be seen.

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
        """Give the message of an act; None when what follows the word does not fit it."""
        handset = self._handset
        match act, rest:
            case "ready", []:
                if why := self.pieces_first:
                    raise PiecesFirstError(why)
                return handset.ready()
            case "attack", [] | [_] | [_, _]:
                source, target = (None, *rest)[-2:] if rest else (None, None)
                return handset.attack(source, target)
            case "no-attack", []:
                return handset.deny_attack()
            case "infiltrate", [source, target, *name] if name:
                rank = self._ranks.get(" ".join(name).casefold())
                return None if rank is None else handset.infiltrate(source, target, rank)
            case "fire", [source, target]:
                return handset.fire(source, target)
            case "leave", [square, *flags]:
                seats = {name.casefold(): seat for seat in Seat for name in (seat.value, self._words.seat(seat))}
                if any(flag.casefold() not in seats for flag in flags):
                    return None
                return handset.leave(square, tuple(seats[flag.casefold()] for flag in flags))
            case "draw", []:
                return handset.offer_draw()
            case "claim", []:
                return handset.claim_immobile()
            case "resign", []:
                return handset.resign()
            case "abort", []:
                return handset.offer_abort()
            case (("take-back" | "void"), [] | [_]):
                return self._back(act, rest)
            case "pause", []:
                return handset.pause()
            case "resume", []:
                return handset.resume()
            case "arbiter", []:
                return handset.call_arbiter()
            case "enrol", [] | [_]:
                if rest:
                    self.draft.load(rest[0])
                self._handed_in = (handset.info.game if handset.info else "", dict(self.draft.placed))
                return handset.enrol(self.draft.placed)
            case "consent", [] if known := self.handed_in or self.draft.placed:
                return handset.consent(known)
            case "consent", [source] if source != "random":
                self.draft.load(source)
                return handset.consent(self.draft.placed)
        return None

    @property
    def pieces_first(self) -> str:
        """Why this player cannot say ready yet: pieces outside the zone, or how many stand in it of how many; empty when nothing hinders.

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
        """Return the wish to go back to a ply, or to have a verdict void; without a number about the own last move, the last verdict."""
        view, seat = self._handset.view, self._handset.seat
        played = view.ply if view is not None else 0
        own = view.last_plies.get(seat, played) if view is not None else 0
        number = rest[0] if rest else str(own - 1 if act == "take-back" else played)
        if not number.isascii() or not number.isdigit() or len(number) > 6:
            return None
        offer = self._handset.offer_take_back if act == "take-back" else self._handset.offer_void
        return offer(int(number))

    def _edited(self, act: str, rest: list[str]) -> str | None:
        """Change the set-up in work and give the word; None when what follows the word does not fit it. Raises `SetUpError`."""
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
        """Give what `miner a1 b2` means; a rank's name may have several words, its number does as well."""
        numbers = {str(number): rank for rank, number in self.draft.info.numbers.items()}
        for length in range(len(words_said) - 1, 0, -1):
            name = " ".join(words_said[:length]).casefold()
            rank = numbers.get(name) or self._ranks.get(name)
            if rank is not None:
                return rank, words_said[length:]
        return None


def choice_text(said: Words, choice: str) -> str:
    """Give a choice of a question as a player reads it: a rank, an answer, or whose flags."""
    if choice in (rank.value for rank in Rank):
        return said.rank(Rank(choice))
    if (key := f"handset.choice-{choice}") in said:
        return said[key]
    return ", ".join(said.seat(Seat(seat)) for seat in choice.split(","))


def army_text(said: Words, own: Mapping[str, Rank]) -> str:
    """Give the own pieces that the referee knows, square by square."""
    return ", ".join(f"{square} {said.rank(rank)}" for square, rank in own.items())
