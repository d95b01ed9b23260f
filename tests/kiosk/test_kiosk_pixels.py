"""What really is to be seen: pixels and labels of a Kivy window without a screen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

from kiosk_ui.board_picture import ground_of
from kiosk_ui.fixtures import Sample, samples, touch_samples
from kiosk_ui.layout import banner_plan, window_plan
from kiosk_ui.touch_state import Page, Showing
from referee.presentation import palette
from referee.presentation.palette import Colour
from referee.presentation.sentences import Contact
from referee.presentation.shapes import Box
from referee.rules.values import Seat
from referee.words import LANGUAGES, words
from tests.kiosk.boxes import holds, meets
from tests.kiosk.test_kiosk_pictures import contrast
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process

Seen = dict[str, Any]
SAMPLES = {sample.name: sample for sample in (*samples(), *touch_samples())}
SIZES = ((800, 480), (1024, 600), (1280, 720), (1920, 1080))
LEAST_HEADLINE = 30
"""Pixels at 800 x 480, wherever it says whose turn it is; docs/reference/kiosk-figures.md says how big that is from two metres away."""
LEAST_SHARE = 1 / 40
"""No text may be written in fewer pixels than this share of the screen's shorter side: 2.2 mm on a screen of 7 inches."""


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
        turned: bool = False,
        touch: tuple[tuple[tuple[float, float], tuple[float, float]], ...] = (),
        grounds: bool = False,
    ) -> Seen:
        """Return labels (with what lies behind each, if wanted), pixels and buttons of one picture, and which of them were touched."""
        asked = {"sample": sample, "language": language, "size": size, "grounds": grounds}
        return self._ask({**asked, "pixels": pixels, "turned": turned, "touch": touch})

    def pulse(self, sample: str, motion: bool) -> Seen:
        """Return how many marks the ring around a capture has while it moves, and after it."""
        return self._ask({"sample": sample, "language": "en", "size": (800, 480), "pulse": motion})

    def save(self, sample: str, language: str, path: Path) -> Path:
        """Write a picture as PNG. Returns where."""
        self._ask({"sample": sample, "language": language, "size": (800, 480), "save": str(path)})
        return path

    def _ask(self, wish: dict[str, Any]) -> Seen:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = json.dumps(wish)
        if line not in self._remembered:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
            assert answer, "the kiosk's process ended"
            self._remembered[line] = json.loads(answer)
        return self._remembered[line]

    def end(self) -> int:
        """End the process. Returns its exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait(timeout=PATIENCE_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
        return code


@pytest.fixture(scope="module")
def stage() -> Iterator[StageProcess]:
    """Return the process; it must end well when it is told to."""
    process = StageProcess()
    yield process
    assert process.end() == 0


def pixel_of(
    sample: Sample, square: str, size: tuple[int, int], off: tuple[float, float] = (0.0, 0.0)
) -> tuple[int, int]:
    """Return the pixel in the middle of a square, or `off` from it in squares."""
    assert sample.info is not None
    shape = sample.info.board
    ground = ground_of(shape, window_plan(*size, shape.columns, shape.rows).board)
    x, y = ground.middle(square)
    return round(x + off[0] * ground.cell), round(y + off[1] * ground.cell)


def near(seen: list[int], colour: Colour, within: int = 6) -> bool:
    """Return whether a pixel has a colour."""
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


@pytest.mark.parametrize("turned", [False, True], ids=["upright", "turned"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_team_that_won_is_named_and_shown_whole(stage: StageProcess, language: str, turned: bool) -> None:
    """Both names stand in the headline, and both shapes, each on its army's colour, in the sign's place."""
    said, size = words(language), (800, 480)
    (box, *_), unit = (plan := window_plan(*size, 13, 13, turned)).banners, plan.unit
    sign = banner_plan(box, unit, notes=not turned).sign
    high, low = (
        (round(sign.x + x * sign.width), round(sign.y + y * sign.height)) for x, y in ((0.05, 0.7), (0.95, 0.3))
    )
    seen = stage.see("won-together", language, size, pixels=(high, low), turned=turned)
    red, green = seen["pixels"]
    assert near(red, palette.ARMY[Seat.RED])
    assert near(green, palette.ARMY[Seat.GREEN])
    wanted = said.say("result.win-together", seats=said.seats((Seat.RED, Seat.GREEN)))
    headlines = [label for label in seen["labels"] if label["text"] == wanted]
    assert len(headlines) == 1 + turned
    assert turned or headlines[0]["size"] >= LEAST_HEADLINE


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


# size, turned, languages: every one at the smallest size, and those with the longest words in every other layout
LAYOUTS = (
    ((800, 480), False, LANGUAGES),
    ((800, 480), True, ("de",)),
    ((480, 800), False, ("fr",)),
    ((480, 800), True, ("de", "fr")),
)


@pytest.mark.parametrize(
    ("size", "turned", "language"),
    [(size, turned, language) for size, turned, spoken in LAYOUTS for language in spoken],
    ids=str,
)
def test_no_text_is_cut_at_the_smallest_size(
    stage: StageProcess, size: tuple[int, int], turned: bool, language: str
) -> None:
    """In every layout every text fits its box both ways, is big enough to be read, and lies on no other text."""
    faults = []
    for name in SAMPLES:
        labels = stage.see(name, language, size, turned=turned)["labels"]
        assert labels
        boxes = []
        for label in labels:
            x, y, wide, high = label["box"]
            where = f"{name}: {label['text']!r}"
            if label["wide"] > wide + 0.5:
                faults.append(f"{where} is {label['wide']} wide in {wide}")
            if label["word"] > wide + 0.5:
                faults.append(f"{where} has a torn word")
            if label["high"] > high * 1.02 + 1:
                faults.append(f"{where} is {label['high']} high in {high}")
            if label["size"] < LEAST_SHARE * min(size):
                faults.append(f"{where} is written in {label['size']} pixels")
            if not label["drawn"][0] > 0:
                faults.append(f"{where} was not drawn")
            boxes.append((label["text"], Box(x, y, wide, high)))
            if not holds(Box(0, 0, *size), boxes[-1][1]):
                faults.append(f"{where} leaves the window")
        faults += [
            f"{name}: {text!r} lies on {other!r}"
            for (text, box), (other, other_box) in combinations(boxes, 2)
            if meets(box, other_box)
        ]
    assert faults == []


def test_every_text_stands_out(stage: StageProcess) -> None:
    """As it is seen on every screen: a contrast of 4.5 (WCAG 2.1 AA for small letters), but under the veil over what may be out of date."""
    faults = []
    for name, sample in SAMPLES.items():
        if sample.contact is not Contact.LIVE and sample.view is not None:
            continue
        for label in stage.see(name, grounds=True)["labels"]:
            found = contrast(Colour(*label["ink"]), Colour(*label["ground"]))
            if found < 4.5:
                faults.append(f"{name}: {label['text']!r} {found:.2f}")
    assert faults == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_whose_turn_it_is_can_be_read_from_two_metres(stage: StageProcess, language: str) -> None:
    """The headline is big in every phase and language; in the narrow layouts at least where it says whose turn it is.

    The idle screen has none, nor have the list of games and one that is seen again.
    """
    for name, sample in SAMPLES.items():
        if sample.showing is Showing.IDLE or sample.page in (Page.GAMES, Page.FIND) or sample.watch is not None:
            continue
        headline = sample.state(language).banner
        for size, turned, spoken in LAYOUTS:
            if language in spoken and ((size == (800, 480) and not turned) or headline.seat is not None):
                labels = stage.see(name, language, size, turned=turned)["labels"]
                pixels = next(label["size"] for label in labels if label["text"] == headline.text)
                assert pixels >= LEAST_HEADLINE, f"{name}, {language}: {headline.text!r} is {pixels} pixels"


Point = tuple[float, float]


def middle_of(box: list[float]) -> Point:
    """Return the middle of a button that was seen."""
    return (box[0] + box[2] / 2, box[1] + box[3] / 2)


@pytest.mark.parametrize(
    ("sample", "size", "turned"),
    [
        ("menu", (800, 480), False),
        ("pin", (800, 480), False),
        ("all-here", (480, 800), True),
        ("abort", (800, 480), True),
        ("rematch", (480, 800), True),
        ("menu-four", (1920, 1080), False),
        ("menu-far", (800, 480), True),
        ("menu-far", (480, 800), True),
        ("abort-four", (800, 480), False),
        ("rematch-four", (480, 800), True),
    ],
)
def test_fingers_find_every_button_where_it_is_seen(
    stage: StageProcess, sample: str, size: tuple[int, int], turned: bool
) -> None:
    """A finger in the middle of each button touches that one, also where half the screen is turned round."""
    buttons = stage.see(sample, size=size, turned=turned)["buttons"]
    assert len(buttons) >= 3
    touch = tuple((middle_of(box), middle_of(box)) for box in buttons.values())
    assert stage.see(sample, size=size, turned=turned, touch=touch)["keys"] == list(buttons)
    assert all(holds(Box(0, 0, *size), Box(*box)) for box in buttons.values())


def test_wrong_touches_do_nothing(stage: StageProcess) -> None:
    """A finger on the board, beside a button, or one that slides off it or onto another: no key."""
    buttons = stage.see("menu")["buttons"]
    pause, close, menu = (middle_of(buttons[key]) for key in ("pause", "close", "menu=near"))
    x, y, _, high = buttons["pause"]
    touch = (
        ((5, 5), (5, 5)),
        (pause, close),
        (pause, (400, 300)),
        ((100, 200), (100, 200)),
        ((x - 3, y), pause),
        (close, menu),
    )
    assert stage.see("menu", touch=((pause, pause),))["keys"] == ["pause"]
    assert stage.see("menu", touch=touch)["keys"] == []
    assert high >= 40
    board = tuple((pixel_of(SAMPLES["middle"], square, (800, 480)),) * 2 for square in ("a1", "e5", "j10"))
    assert stage.see("middle", touch=board)["keys"] == []


def test_what_cannot_be_done_yet_cannot_be_touched(stage: StageProcess) -> None:
    """Start is dead before everybody is there."""
    here = stage.see("all-here")["buttons"]
    start = middle_of(here["start"])
    assert stage.see("all-here", touch=((start, start),))["keys"] == ["start"]
    assert "start" not in stage.see("joining")["buttons"]
    assert stage.see("joining", touch=((start, start),))["keys"] == []


def test_a_turned_half_is_upside_down(stage: StageProcess) -> None:
    """With a half turned round, blue's banner lies low on the right, and its sign is on its right end."""
    size = (800, 480)
    banner, second = window_plan(*size, 10, 10, True).banners
    ends = [
        (round(box.x + share * box.width), round(box.centre[1])) for box in (banner, second) for share in (0.1, 0.9)
    ]
    left, _, turned_left, turned_right = stage.see("middle", turned=True, pixels=tuple(ends))["pixels"]
    assert near(left, palette.CHALK)
    assert near(turned_right, palette.CHALK)
    assert not near(turned_left, palette.CHALK, 40)


@pytest.mark.parametrize("size", [(800, 480), (480, 800)], ids=str)
def test_a_menu_opens_towards_who_touched_it(stage: StageProcess, size: tuple[int, int]) -> None:
    """The second player's menu is the first one's turned upside down: each button is seen where the other page has it, mirrored."""
    near, far = (stage.see(name, size=size, turned=True) for name in ("menu", "menu-far"))
    title = {
        name: next(label for label in seen["labels"] if label["text"] == "Menu")
        for name, seen in (("near", near), ("far", far))
    }
    boxes = [Box(*near["buttons"]["pause"]), Box(*near["buttons"]["close"])]
    mirrored = [Box(*far["buttons"]["pause"]), Box(*far["buttons"]["close"])]
    middles = {
        (round(one.centre[0] + other.centre[0]), round(one.centre[1] + other.centre[1]))
        for one, other in zip(boxes, mirrored, strict=True)
    }
    assert len(middles) == 1
    assert title["near"]["box"][1] > boxes[1].y
    assert title["far"]["box"][1] < mirrored[1].y


def test_the_newest_capture_is_felt(stage: StageProcess) -> None:
    """Its row has an edge that stays, and a ring grows around it for a moment; where pictures may not move there is no ring."""
    moving, still = stage.pulse("captured", motion=True), stage.pulse("captured", motion=False)
    assert moving["during"] > 0
    assert moving["after"] == still["during"] == still["after"] == 0


GOLDENS = Path(__file__).with_name("goldens")
"""Drawn by `hallmarshal kiosk --shots` and looked at; after a change of what is drawn, look again before replacing one."""


@pytest.mark.parametrize("golden", ["middle-en", "joining-de", "four-armies-fr", "menu-es", "setting-up-nl"])
def test_pictures_look_as_they_were_approved(stage: StageProcess, golden: str, tmp_path: Path) -> None:
    """Nearly every pixel is nearly as it was; a picture that is missing is a fault and is never made here."""
    sample, language = golden.rsplit("-", 1)
    seen, approved = (
        Image.open(stage.save(sample, language, tmp_path / "seen.png")),
        Image.open(GOLDENS / f"{golden}.png"),
    )
    assert seen.size == approved.size
    apart = ImageChops.difference(seen.convert("RGB"), approved.convert("RGB")).convert("L").histogram()
    pixels = sum(apart)
    assert sum(value * number for value, number in enumerate(apart)) / pixels < 1.5
    assert sum(apart[48:]) / pixels < 0.01
