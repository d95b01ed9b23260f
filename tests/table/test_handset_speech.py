"""What is typed at a terminal handset becomes the message that was meant, in every language."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from referee.arbitration.messages import Question, QuestionKind
from referee.arbitration.settings import TableSettings
from referee.arbitration.table import Table
from referee.cli.handset_speech import ACTS, WISHES, NotUnderstoodError, Speech, army_text, choice_text
from referee.link.handset import Handset
from referee.link.incoming import ToSeat
from referee.rules import rule_set
from referee.rules.values import Rank, Seat
from referee.words import LANGUAGES, words


def handset(question: Question | None = None, rules: str = "duel") -> Handset:
    """Give red's handset in a game, with a question if there is one."""
    made = Handset(Seat.RED, "h")
    made.take(Table(TableSettings("kitchen", "g1", rule_set(rules))).info())
    if question is not None:
        made.take(ToSeat(question, 4))
    return made


def asked(kind: QuestionKind, *choices: str) -> Question:
    """Give a question."""
    return Question(
        id="r1", question=7, kind=kind, ply=4, source="d4", target="d5", square="d5", choices=tuple(choices)
    )


def said(line: str, question: Question | None = None, language: str = "en") -> dict[str, object]:
    """Give the message of a line, without its id."""
    message = Speech(handset(question), language).understand(line)
    fields = msgspec.json.decode(msgspec.json.encode(message))
    assert fields.pop("id") == "h-1"
    assert isinstance(fields, dict)
    return fields


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ready", {"type": "ready"}),
        ("attack", {"type": "attack", "source": None, "target": None}),
        ("attack d5", {"type": "attack", "source": None, "target": "d5"}),
        ("ATTACK d4 d5", {"type": "attack", "source": "d4", "target": "d5"}),
        ("infiltrate d4 d7 field marshal", {"type": "infiltrate", "source": "d4", "target": "d7", "guess": "marshal"}),
        ("fire d4 d6", {"type": "fire", "source": "d4", "target": "d6"}),
        ("leave d4 red blue", {"type": "leave", "square": "d4", "flags": ["red", "blue"]}),
        ("leave d4", {"type": "leave", "square": "d4", "flags": []}),
        ("draw", {"type": "offer-draw"}),
        ("claim", {"type": "claim-immobile"}),
        ("resign", {"type": "resign"}),
    ],
)
def test_words_act(line: str, message: dict[str, object]) -> None:
    """Each word with what follows it."""
    assert said(line) == message


def test_numbers_choose() -> None:
    """A number is the choice in its place; a rank is declared, anything else answered."""
    question = asked(QuestionKind.DECLARE, "miner", "scout")
    assert said("2", question) == {"type": "declare", "question": 7, "rank": "scout"}
    question = asked(QuestionKind.DRAW, "accept", "refuse")
    assert said(" 1\n", question) == {"type": "answer", "question": 7, "choice": "accept"}


@pytest.mark.parametrize(
    "line", ["1", "0", "attack a b c", "infiltrate d4 d5 pawn", "fire d4", "leave d4 purple", "hello", "consent", "²"]
)
def test_what_is_not_understood_is_said(line: str) -> None:
    """Nothing is sent."""
    with pytest.raises(NotUnderstoodError):
        Speech(handset(), "en").understand(line)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_words(language: str) -> None:
    """Every act and wish is one word, different from all others; English always works."""
    mine, english = words(language), words("en")
    names = [mine[f"handset.word-{act}"] for act in (*ACTS, *WISHES)]
    assert len(set(names)) == len(names)
    assert all(len(name.split()) == 1 and name == name.casefold() for name in names)
    clash = {mine[f"handset.word-{act}"]: act for act in (*ACTS, *WISHES)}
    for act in (*ACTS, *WISHES):
        assert clash.get(english[f"handset.word-{act}"], act) == act
    for act in ("ready", "draw", "resign"):
        assert said(mine[f"handset.word-{act}"], language=language) == said(act, language=language)


def test_set_ups(tmp_path: Path) -> None:
    """From a file, or made up; the same is consented to afterwards."""
    path = tmp_path / "mine.toml"
    path.write_text('a1 = "flag"\nb1 = "bomb"\n')
    speech = Speech(handset(), "en")
    enrolled = msgspec.to_builtins(speech.understand(f"enrol {path}"))
    assert enrolled["set_up"] == {"a1": "flag", "b1": "bomb"}
    assert msgspec.to_builtins(speech.understand("consent"))["set_up"] == enrolled["set_up"]
    made_up = msgspec.to_builtins(Speech(handset(), "en").understand("enrol random"))
    assert len(made_up["set_up"]) == 10
    path.write_text('a1 = "queen"\n')
    for source in (path, tmp_path / "nowhere"):
        with pytest.raises(NotUnderstoodError, match=source.name):
            speech.understand(f"enrol {source}")


def test_nothing_is_said_before_a_game() -> None:
    """Wishes are heard, messages are not made."""
    speech = Speech(Handset(Seat.RED, "h"), "en")
    assert speech.understand("quit") == "quit"
    with pytest.raises(NotUnderstoodError):
        speech.understand("ready")


def test_choices_are_readable() -> None:
    """Ranks, answers, flags."""
    mine = words("en")
    texts = [choice_text(mine, choice) for choice in ("marshal", "refuse", "none", "red,blue")]
    assert texts == ["Field Marshal", "Refuse", "None", "Red, Blue"]
    assert army_text(mine, {"a1": Rank.BOMB, "b1": Rank.SPY}) == "a1 Bomb, b1 Spy"
