"""What a player types becomes a message: numbers choose, words act. Every word works in the player's language and in English."""

from __future__ import annotations

import random
import secrets
import tomllib
from collections.abc import Mapping
from pathlib import Path

from referee.arbitration.messages import FromHandset, QuestionKind
from referee.demo.set_ups import generate
from referee.link.handset import Handset
from referee.rules import RulesError, rule_set
from referee.rules.values import Rank, Seat
from referee.words import Words, words

ACTS = (
    *("ready", "attack", "no-attack", "infiltrate", "fire", "leave", "draw", "claim", "resign", "abort"),
    *("pause", "resume", "arbiter", "enrol", "consent"),
)
WISHES = ("army", "quit")


class NotUnderstoodError(Exception):
    """A line that means nothing here; the text is for the player."""


class Speech:
    """Understands one player at one handset."""

    def __init__(self, handset: Handset, language: str) -> None:
        self._handset = handset
        self._words = words(language)
        self._set_up: dict[str, Rank] | None = None
        english = words("en")
        self._acts = {each[f"handset.word-{act}"]: act for each in (english, self._words) for act in (*ACTS, *WISHES)}
        self._ranks = {name.casefold(): rank for rank in Rank for name in (rank.value, self._words.rank(rank))}

    def understand(self, line: str) -> FromHandset | str:
        """Give the message that a line means, or one of `WISHES`. Raises `NotUnderstoodError`, or `NotAskedError`."""
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
        message = self._said(act, rest)
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
            case "pause", []:
                return handset.pause()
            case "resume", []:
                return handset.resume()
            case "arbiter", []:
                return handset.call_arbiter()
            case "enrol", [source]:
                self._set_up = self._read_set_up(source)
                return handset.enrol(self._set_up)
            case "consent", [] if self._set_up is not None:
                return handset.consent(self._set_up)
            case "consent", [source] if source != "random":
                return handset.consent(self._read_set_up(source))
        return None

    def _read_set_up(self, source: str) -> dict[str, Rank]:
        if source == "random":
            return self._made_up()
        try:
            given = tomllib.loads(Path(source).read_text(encoding="utf-8"))
            return {square: Rank(rank) for square, rank in given.items()}
        except (OSError, ValueError, TypeError):  # their own texts could hold a rank
            raise NotUnderstoodError(self._words.say("handset.not-understood", text=source)) from None

    def _made_up(self) -> dict[str, Rank]:
        assert self._handset.info is not None
        try:
            rules = rule_set(self._handset.info.rule_set)
        except RulesError:
            raise NotUnderstoodError(self._words.say("handset.not-understood", text="random")) from None
        chance = random.Random(secrets.randbits(128))
        return {square.name: rank for square, rank in generate(rules, self._handset.seat, chance).items()}


def choice_text(said: Words, choice: str) -> str:
    """Give a choice of a question as a player reads it: a rank, an answer, or whose flags."""
    if choice in (rank.value for rank in Rank):
        return said.rank(Rank(choice))
    if choice in ("accept", "accept-both", "refuse", "none"):
        return said[f"handset.choice-{choice}"]
    return ", ".join(said.seat(Seat(seat)) for seat in choice.split(","))


def army_text(said: Words, own: Mapping[str, Rank]) -> str:
    """Give the own pieces that the referee knows, square by square."""
    return ", ".join(f"{square} {said.rank(rank)}" for square, rank in own.items())
