"""The board in a terminal: typed-in goldens, 80 x 24 for every table and language, and the live wrapper."""

from __future__ import annotations

import io
import re
from typing import cast
from xml.etree import ElementTree as ET

import pytest
from rich.console import Console

from kiosk_ui.fixtures import Sample, samples
from referee.cli.table_terminal import TerminalScreen
from referee.presentation.text_board import terminal_board
from referee.rules.values import Seat
from referee.table.views import PublicEvent, PublicInfo, PublicView
from referee.terminal import LiveBoard, svg_picture
from referee.words import LANGUAGES, words
from tests.amount import languages

SAMPLES = {sample.name: sample for sample in samples() if sample.info and sample.view}

MIDDLE = """\
 ■ Blauw is aan zet                                   Original (2 × 40)  Zet 137
   Laatste zet: e4 – e5

10  ■  ■  ■     ■  ■  ■  ■     ■     ● Rood  Verloren: 9
 9  ■  ■     ■  ■     ■  ■  ■  ■     ■ Blauw Verloren: 10
 8  ■     ■     ■        ■  ■                           ●     ■
 7     ■           ■     ■     ■     10 Maarschalk     0/1   0/1
 6     ● ≈≈≈≈≈≈    ■ ≈≈≈≈≈≈           9 Generaal       0/1   1/1
 5  ■    ≈≈≈≈≈≈ ●    ≈≈≈≈≈≈           8 Kolonel        1/2   0/2
 4  ●        ●     ●     ●  ■         7 Majoor         0/3   1/3
 3     ●  ●     ●     ●     ●  ●      6 Kapitein       1/4   0/4
 2  ●  ●  ●     ●  ●  ●     ●  ●      5 Luitenant      0/4   2/4
 1  ●  ●  ●  ●  ●     ●  ●  ●  ●      4 Sergeant       2/4   0/4
    a  b  c  d  e  f  g  h  i  j      3 Mineur         1/5   0/5
                                      2 Verkenner      3/8   5/8
                                      1 Spion          0/1   1/1
                                        Bom            1/6   0/6
                                        Vlag           0/1   0/1
"""  # noqa: RUF001 - the signs that the terminal shows

# The rows of the board that differ from the one above, for other moments of the same game.
ROWS = {
    "in-hand": {7: " 7     ■           □     ■     ■"},
    "attack": {7: " 7    <■>          ■     ■     ■"},
    "verdict": {7: " 7     ○           ■     ■     ■", 6: " 6     x ≈≈≈≈≈≈    ■ ≈≈≈≈≈≈"},
    "restoring": {
        7: " 7     □        x  ■     ■     ■",
        4: " 4  ●        ○     ●     ●  ■",
        3: " 3     ●  ○     ●     ●     ●  ●",
    },
}

CASTLE = """\
13       ▲ ▲ ▲ ▲ ▲ ▲ ▲
12       ▲ ▲   ▲ ▲   ▲
11       ▲ ▲ ▲   ▲ ▲ ▲
10 ■ ■ ■         ▲     ◆ ◆ ◆
 9 ■ ■               ◆ y ◆
 8 ■ ■   ■   ●g        ◆ ◆ ◆
 7 ■   ■             ◆ ◆   ◆
 6 ■ ■ ■                 ◆ ◆
 5 ■ ■ ■ ■b  ●         ◆ ◆ ◆
 4 ■   ■             ◆   ◆ ◆
 3       ● ●   ● ● ● ●
 2       ● ● ●   ●   ●
 1       ● ● ● ●r● ● ●
   a b c d e f g h i j k l m
"""


def table(sample: Sample) -> tuple[PublicInfo, PublicView]:
    """Return info and view of a made-up table."""
    return cast(PublicInfo, sample.info), cast(PublicView, sample.view)


def text(sample: str, language: str, width: int = 80) -> str:
    """Return what stands in a terminal without colours, ends of lines trimmed."""
    console = Console(width=width, file=io.StringIO())
    console.print(terminal_board(*table(SAMPLES[sample]), language, contact=SAMPLES[sample].contact))
    printed = cast(io.StringIO, console.file).getvalue()
    return "".join(line.rstrip() + "\n" for line in printed.splitlines())


def rows_of(printed: str, wide: int) -> list[str]:
    """Return the board's part of the lines below the banner."""
    lines = printed.splitlines()
    return [line[:wide].rstrip() for line in lines[lines.index("") + 1 :]]


def test_a_game_of_original() -> None:
    """Banner, board and captured pieces are those of the golden text."""
    assert text("middle", "nl").replace("\u00a0", " ") == MIDDLE


@pytest.mark.parametrize("name", ROWS)
def test_what_is_special_has_a_sign_of_its_own(name: str) -> None:
    """In the air, attacked, missing and one too many can all be told apart without colour."""
    expected = rows_of(MIDDLE, 33)
    for row, line in ROWS[name].items():
        expected[10 - row] = line
    assert rows_of(text(name, "nl"), 33) == expected


def test_a_castle_for_four() -> None:
    """Four armies with four signs around the castle; who carries a flag wears its letter."""
    assert rows_of(text("four-armies", "en"), 30)[:14] == CASTLE.splitlines()


@pytest.mark.parametrize(("number", "name"), list(enumerate(SAMPLES)))
def test_everything_fits_a_small_terminal(number: int, name: str) -> None:
    """In any language nothing is wider than 80 or longer than 23 lines (the prompt needs one), and no sentence is cut."""
    for language in languages(number):
        lines = text(name, language).splitlines()
        assert len(lines) <= 23, language
        assert all(len(line) <= 80 for line in lines), language
        assert "…" not in lines[0][2:], language
        banner = lines[1 : lines.index("")]  # the small sentence may take two lines
        assert " ".join(SAMPLES[name].state(language).detail.split()) in " ".join(" ".join(banner).split()), language


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_of_a_team_win_in_a_terminal(language: str) -> None:
    """A handset in the terminal, and the table's, name both of them, each with its sign."""
    said = words(language)
    first = text("won-together", language).splitlines()[0]
    assert first.startswith("●▲")
    assert said.say("result.win-together", seats=said.seats((Seat.RED, Seat.GREEN))) in first


def test_a_table_that_writes_into_a_file_says_who_won(capsys: pytest.CaptureFixture[str]) -> None:
    """One seat, or both of a team; any other event has the seat that it is about."""
    for name, seats in (("won", "green"), ("won-together", "red green")):
        screen = TerminalScreen("en")
        info, view = table(SAMPLES[name])
        screen.view(info, view)
        for kind in ("ready", "end"):
            screen.event(PublicEvent(info.game, 1, kind, 9, seat=Seat.GREEN))
        assert capsys.readouterr().out.splitlines() == ["ready green", f"end {seats}"]


def test_the_picture_is_an_svg_that_fetches_nothing() -> None:
    """The picture for documents is well-formed, shows the headline, and names no font of another place."""
    picture = svg_picture(terminal_board(*table(SAMPLES["middle"]), "fr"), "demo")
    assert ET.fromstring(picture).tag.endswith("svg")
    assert "Bleu" in picture
    assert "url(http" not in picture
    assert "@font-face" not in picture


def test_a_table_that_writes_into_a_file_says_once_what_it_saw(capsys: pytest.CaptureFixture[str]) -> None:
    """Where no board is drawn there is one line for each time that hands were not understood."""
    screen = TerminalScreen("en")
    for name in ("middle", "restoring", "restoring", "middle", "taken-back", "middle"):
        screen.view(*table(SAMPLES[name]))
    assert capsys.readouterr().out.splitlines() == [
        "I see: c3, d4, b7 empty; Red’s piece on e7.",
        "I see: Blue’s piece on e6; f6 empty.",
    ]


def test_the_live_board_leaves_the_last_table_on_the_terminal() -> None:
    """However many are shown at once, the last one is what stays."""
    console = Console(width=80, height=24, file=io.StringIO(), force_terminal=True, color_system=None)
    with LiveBoard(console, "en") as live:
        for name in ("first-move", "middle", "won"):
            live.show(*table(SAMPLES[name]))
    printed = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", cast(io.StringIO, console.file).getvalue())
    assert printed.rstrip().splitlines()[-18].startswith(" ● Red wins")


def test_a_live_board_that_was_shown_nothing_ends_quietly() -> None:
    """A demo that fails before its first view leaves an empty terminal."""
    console = Console(width=80, file=io.StringIO(), force_terminal=True)
    with LiveBoard(console, "en"):
        pass
