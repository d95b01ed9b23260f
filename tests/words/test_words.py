"""The word files: complete in six languages, and honest about what they do not have."""

from __future__ import annotations

import re
import tomllib
from importlib import resources

import pytest

from referee.rules.outcomes import Reason
from referee.rules.ruleset import Repetition
from referee.rules.values import Rank, Seat
from referee.table.views import Ask, Health, Mode, Phase, Reveal
from referee.words import LANGUAGES, UnknownWordError, WordsError, placeholders, words

# Booklet 001's table of pieces, typed in (its French "Capitain" is a misprint; 000's rules say "capitaine").
RANKS_OF_THE_BOOKLET = {
    "nl": "Vlag Bom Maarschalk Generaal Kolonel Majoor Kapitein Luitenant Sergeant Mineur Verkenner Spion",
    "fr": "Drapeau Bombe Maréchal Général Colonel Commandant Capitaine Lieutenant Sergent Démineur Éclaireur Espionne",
    "de": "Fahne Bombe Feldmarschall General Oberst Major Hauptmann Leutnant Unteroffizier Mineur Aufklärer Spionin",
    "es": "Bandera Bomba Mariscal General Coronel Comandante Capitán Teniente Sargento Minador Explorador Espía",
    "da": "Fane Bombe Feltmarskal General Oberst Major Kaptajn Løjtnant Sergent Minør Spejder Spion",
}
ORDER = [rank for rank in Rank if rank not in (Rank.INFILTRATOR, Rank.CANNON)]
ORDER[2:] = reversed(ORDER[2:])  # the booklet begins with flag and bomb, then goes from the marshal down


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_words(language: str) -> None:
    """All six files have the same keys, and each key the same placeholders."""
    mine, english = words(language), words("en")
    assert set(mine) == set(english)
    assert {key: placeholders(mine[key]) for key in mine} == {key: placeholders(english[key]) for key in english}
    assert all(text.strip() for text in mine.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_are_sorted_with_one_key_a_line(language: str) -> None:
    """Files stay sorted, so that two people's additions merge."""
    text = resources.files("referee.words").joinpath(f"{language}.toml").read_text(encoding="utf-8")
    keys = [line.split(" = ")[0] for line in text.splitlines() if not line.startswith("#")]
    assert keys == sorted(set(keys))
    assert len(keys) == len(words(language))


def test_ranks_are_those_of_the_booklet() -> None:
    """The names of the pieces are the booklet's."""
    for language, names in RANKS_OF_THE_BOOKLET.items():
        assert [words(language).rank(rank) for rank in ORDER] == names.split()
    assert words("en").rank(Rank.MARSHAL) == "Field Marshal"
    assert words("nl").rank(Rank.INFILTRATOR) == "Infiltrant"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_a_screen_shows_has_a_word(language: str) -> None:
    """Each rank, seat, phase, request, mode, way of revealing, reason of a refusal and rule of repetition has its word."""
    mine = words(language)
    for rank in Rank:
        assert mine.rank(rank)
    for seat in Seat:
        assert mine.seat(seat)
    for kind, values in {"phase": Phase, "ask": Ask, "mode": Mode, "reveal": Reveal, "health": Health}.items():
        for value in values:
            assert mine[f"{kind}.{value.value}"]
    for reason in Reason:
        assert mine[f"refusal.{reason.value}"]
    for repetition in Repetition:
        assert mine[f"rules.repetition-{repetition.value}"]
        assert mine[f"option-value.{repetition.value}"]
    assert mine.rank(None) == mine["rank.unknown"]


def test_unknown_words_languages_and_values_are_errors() -> None:
    """Nothing is made up: a key, a language or a placeholder that is not there is an error."""
    with pytest.raises(WordsError, match="'tlh'"):
        words("tlh")
    with pytest.raises(UnknownWordError, match=r"^no word has the key rank\.king in nl$"):
        words("nl")["rank.king"]
    with pytest.raises(WordsError, match="takes"):
        words("nl").say("turn.to-move")
    with pytest.raises(WordsError, match="takes"):
        words("nl").say("turn.to-move", seat="Rood", square="a1")


def test_placeholders_are_filled_in() -> None:
    """A sentence with its values reads as a player would say it."""
    dutch = words("nl")
    assert dutch.say("turn.to-move", seat=dutch.seat(Seat.RED)) == "Rood is aan zet"
    assert words("en").say("fix.empty", square="d5") == "d5: must be empty"
    assert "rank.marshal" not in repr(dutch)


@pytest.mark.parametrize("language", LANGUAGES)
def test_seats_that_win_together_are_all_named(language: str) -> None:
    """One, two or three of them, in the given order; one in the singular."""
    mine = words(language)
    names = [mine.seat(seat) for seat in Seat]
    assert mine.seats((Seat.RED,)) == names[0]
    assert mine.wins((Seat.RED,)) == mine.say("result.wins", seat=names[0])
    for count in (2, 3):
        said = mine.wins(tuple(Seat)[:count])
        places = [said.index(name) for name in names[:count]]
        assert places == sorted(places)
        assert said.endswith(mine["result.win-together"].partition("}")[2])
    assert words("en").seats((Seat.RED, Seat.GREEN, Seat.BLUE)) == "Red, Green and Blue"


@pytest.mark.parametrize("language", LANGUAGES)
def test_reasons_name_every_booklet_that_says_it(language: str) -> None:
    """Five languages of the booklets limit two squares to three; the pursuit's exact form is the federation's, of no booklet."""
    said = words(language)
    three = re.split("[;.]", said["option-reason.two_square_limit"])[0]
    assert set(re.findall(r"\b[A-Z]{2}\b", three)) == {"NL", "DE", "EN", "ES", "DA"}
    pursuit = said["option-reason.repetition"].partition("situation")[0]
    assert "(ISF)" in pursuit.split(".")[0]
    assert {"NL", "EN", "ES", "DA"} <= set(re.findall(r"\b[A-Z]{2}\b", pursuit.split(".")[1]))


def test_french_signs_have_a_space_that_does_not_break() -> None:
    """Before ? ! : ; % and inside guillemets, so that no line on any screen begins with a sign."""
    french = words("fr")
    space = "\u00a0"
    for key in french:
        text = french[key]
        assert not re.search(rf"[^{space}?!][?!:;»]|«[^{space}]| %", text), f"{key}: {text}"
    assert french.labelled("Coups", 3) == f"Coups{space}: 3"
    assert words("en").labelled("Plies", 3) == "Plies: 3"


# Words of the address that a language does not use; Danish has one address for everybody.
NOT_SAID = {
    "nl": "u uw uwe",
    "fr": "tu toi ton ta tes",
    "de": "Ihr Ihre Ihrem Ihren Ihrer Ihnen",  # "sie" is also "she"
    "es": "usted ustedes vosotros vuestro",
}


@pytest.mark.parametrize("language", NOT_SAID)
def test_players_are_addressed_in_one_way(language: str) -> None:
    """No screen mixes the polite address with the familiar one; what a booklet says is quoted as it is."""
    mine = words(language)
    for key in mine:
        text = re.sub(r'"[^"]+"|„[^“]+“|«[^»]+»', "", mine[key])
        said = set(re.findall(r"\w+", text if language == "de" else text.lower()))
        assert said.isdisjoint(NOT_SAID[language].split()), f"{key}: {mine[key]}"
        assert language != "de" or not re.search(r"[\w,] Sie\b", text), f"{key}: {mine[key]}"


def test_files_are_plain_toml() -> None:
    """Each file can be read by anything that reads TOML."""
    for language in LANGUAGES:
        text = resources.files("referee.words").joinpath(f"{language}.toml").read_text(encoding="utf-8")
        assert tomllib.loads(text)["seat"].keys() == {"red", "blue", "green", "yellow"}
