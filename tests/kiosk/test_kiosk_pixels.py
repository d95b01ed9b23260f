"""What really is to be seen: pixels and labels of a Kivy window without a screen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kiosk_ui import palette
from kiosk_ui.board_picture import ground_of
from kiosk_ui.marks import Box
from kiosk_ui.palette import Colour
from kiosk_ui.plan import window_plan
from kiosk_ui.samples import Sample, samples
from referee.words import LANGUAGES

Seen = dict[str, Any]
SAMPLES = {sample.name: sample for sample in samples()}
SIZES = ((800, 480), (1024, 600), (1280, 720), (1920, 1080))
LEAST_PIXELS = 11
"""No text may be written smaller than this on the smallest screen."""
LEAST_HEADLINE = 30
"""1.5 % of two metres on a 7 inch screen of 800 x 480: what is read from two metres away."""


class StageProcess:
    """A kiosk's screen in another process; what was asked for is remembered, so that no picture is drawn twice."""

    def __init__(self) -> None:
        self._remembered: dict[str, Seen] = {}
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("stage_process.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def see(
        self,
        sample: str,
        language: str = "en",
        size: tuple[int, int] = (800, 480),
        pixels: tuple[tuple[int, int], ...] = (),
    ) -> Seen:
        """Give labels and pixels of one picture."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        wish = json.dumps({"sample": sample, "language": language, "size": size, "pixels": pixels})
        if wish not in self._remembered:
            self._process.stdin.write(wish + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
            assert line, "the kiosk's process ended"
            self._remembered[wish] = json.loads(line)
        return self._remembered[wish]

    def end(self) -> int:
        """End the process; give its exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait(timeout=20)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return code


@pytest.fixture(scope="module")
def stage() -> Iterator[StageProcess]:
    """Give the process; it must end well when it is told to."""
    process = StageProcess()
    yield process
    assert process.end() == 0


def pixel_of(
    sample: Sample, square: str, size: tuple[int, int], off: tuple[float, float] = (0.0, 0.0)
) -> tuple[int, int]:
    """Give the pixel in the middle of a square, or `off` from it in squares."""
    assert sample.info is not None
    shape = sample.info.board
    ground = ground_of(shape, window_plan(*size, shape.columns, shape.rows).board)
    x, y = ground.middle(square)
    return round(x + off[0] * ground.cell), round(y + off[1] * ground.cell)


def near(seen: list[int], colour: Colour, within: int = 6) -> bool:
    """Tell whether a pixel has a colour."""
    return all(abs(a - b) <= within for a, b in zip(seen, (colour.red, colour.green, colour.blue), strict=True))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_pieces_and_squares_have_their_colours(stage: StageProcess, size: tuple[int, int]) -> None:
    """Red, blue, empty squares, lakes and the last move are seen where they are, at every size."""
    middle = SAMPLES["middle"]
    wanted = {
        "a1": palette.ARMY[middle.info.seats[0]] if middle.info else palette.NIGHT,
        "a10": palette.ARMY[middle.info.seats[1]] if middle.info else palette.NIGHT,
        "a3": palette.SAND_DARK,
        "d3": palette.SAND,
        "a6": palette.SAND,
    }
    points = tuple(pixel_of(middle, square, size) for square in wanted)
    glow = pixel_of(middle, "e4", size, (-0.35, 0.0))
    seen = stage.see("middle", size=size, pixels=(*points, glow, (5, size[1] - 5)))["pixels"]
    for square, colour, pixel in zip(wanted, wanted.values(), seen[:-2], strict=True):
        assert near(pixel, colour), f"{square}: {pixel} is not {colour.hex}"
    assert near(seen[-2], palette.SAND.mixed(palette.GLOW, 0.85), 12), f"e4 does not glow: {seen[-2]}"
    assert near(seen[-1], palette.ARMY[middle.view.turn]) if middle.view and middle.view.turn else False


def test_shapes_tell_armies_apart_without_colour(stage: StageProcess) -> None:
    """A red disc leaves the corners of its square free, where a blue block reaches."""
    middle, size = SAMPLES["middle"], (800, 480)
    off = (0.29, 0.29)
    red, blue = stage.see("middle", pixels=(pixel_of(middle, "a1", size, off), pixel_of(middle, "a10", size, off)))[
        "pixels"
    ]
    assert near(red, palette.SAND_DARK, 12)
    assert not near(blue, palette.SAND, 60)


@pytest.mark.parametrize(
    ("sample", "colour"),
    [
        ("first-move", palette.ARMY[next(iter(palette.ARMY))]),
        ("setting-up", palette.CALM),
        ("restoring", palette.ALARM),
        ("no-broker", palette.CALM),
    ],
)
def test_the_banner_says_by_colour_whose_turn_it_is(stage: StageProcess, sample: str, colour: Colour) -> None:
    """The banner wears the colour of the army to move, and another one when nobody is."""
    assert near(stage.see(sample, pixels=((790, 400),))["pixels"][0], colour)


def test_a_square_to_put_right_is_marked(stage: StageProcess) -> None:
    """A square that has to be empty wears a cross, one that lacks its piece a plus; both in a colour of no army."""
    restoring, size = SAMPLES["restoring"], (800, 480)
    cross, plus, frame = stage.see(
        "restoring",
        pixels=(
            pixel_of(restoring, "e7", size),
            pixel_of(restoring, "b7", size),
            pixel_of(restoring, "b7", size, (-0.45, 0.0)),
        ),
    )["pixels"]
    for pixel in (cross, plus, frame):
        assert near(pixel, palette.ALARM, 25)


def test_what_is_not_known_to_be_true_is_veiled(stage: StageProcess) -> None:
    """While the referee is away the board stays, but dimmed."""
    size = (800, 480)
    point = pixel_of(SAMPLES["middle"], "a3", size)
    live = stage.see("middle", pixels=(point,))["pixels"][0]
    away = stage.see("no-referee", pixels=(point,))["pixels"][0]
    assert sum(away) < 0.6 * sum(live)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_cut_at_the_smallest_size(stage: StageProcess, language: str) -> None:
    """At 800 x 480 every text fits its box both ways, is big enough to be read, and lies on no other text."""
    for name in SAMPLES:
        labels = stage.see(name, language)["labels"]
        assert labels
        boxes = []
        for label in labels:
            x, y, wide, high = label["box"]
            where = f"{name}, {language}: {label['text']!r}"
            assert label["wide"] <= wide + 0.5, f"{where} is {label['wide']} wide in {wide}"
            assert label["high"] <= high * 1.02 + 1, f"{where} is {label['high']} high in {high}"
            assert label["size"] >= LEAST_PIXELS, f"{where} is written in {label['size']} pixels"
            assert label["drawn"][0] > 0, f"{where} was not drawn"
            boxes.append((label["text"], Box(x, y, wide, high)))
            assert Box(0, 0, 800, 480).holds(boxes[-1][1]), where
        for at, (text, box) in enumerate(boxes):
            for other, other_box in boxes[at + 1 :]:
                assert not box.meets(other_box), f"{name}, {language}: {text!r} lies on {other!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_whose_turn_it_is_can_be_read_from_two_metres(stage: StageProcess, language: str) -> None:
    """The headline is big in every phase and language."""
    for name, sample in SAMPLES.items():
        headline = sample.state(language).banner.text
        size = next(label["size"] for label in stage.see(name, language)["labels"] if label["text"] == headline)
        assert size >= LEAST_HEADLINE, f"{name}, {language}: {headline!r} is {size} pixels"
