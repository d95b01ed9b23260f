"""Writes docs/reference/kiosk-figures.md from what `hallmarshal bench kiosk --json` printed.

hallmarshal bench kiosk --json | python -m benchmarks.kiosk_page > docs/reference/kiosk-figures.md
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import Any

from kiosk_ui.layout import BANNER, banner_plan
from referee.presentation.shapes import Box

LEAST_HEADLINE = 30
"""Pixels at 800 x 480, wherever it says whose turn it is."""

HEAD = """# What the kiosk costs

Made from the figures of `hallmarshal bench kiosk` by the command in `benchmarks/kiosk_page.py`; do not edit by hand. The kiosk draws
without a screen and in software (Mesa's llvmpipe); a Raspberry Pi draws with its graphics chip and has not been measured.
"""

NOTES = """
- **first picture**: from the start of the process to the first frame; **table**: to the frame with the table on it.
- **event**: from publishing an event and the state after it, through Mosquitto, to the frame that shows it, finished by the graphics
  driver. Pauses between events are long enough for the kiosk to fall asleep. Each changes turn, last move and one piece; every tenth
  takes a piece, whose ring is still moving when the next event comes.
- **undisturbed**: the same of those events alone during which the host of the machine took none of its time for others, and how many
  these were. On a machine of one's own that is all of them.
- **processor ms an event**: what all threads of the kiosk together took of the time that *event* means, on average; hardly changed by what
  else the machine has to do. On a machine that does nothing else the wall time is about as long.
- **idle**: processor time of the kiosk while nothing happens, in percent of one core; **a clock runs**: the same while a player's time
  counts down, which changes one text a second. Only its box is drawn: a window without a screen keeps the rest; that of a screen is
  drawn whole, by the graphics chip.
- **memory**: what the process holds after that, and the most that it held, in megabytes.
"""


SCREEN_MM = 154.0
"""Width of the picture of a 7 inch screen of 800 x 480."""
AWAY_MM = 2_000.0
_CAPITAL = 0.71
"""Height of a capital letter of the font, in font sizes."""


def _reading() -> list[str]:
    """Give how big the sign of whose turn it is looks from two metres away; the tests hold the sizes."""
    pixel_mm, capital = SCREEN_MM / 800, LEAST_HEADLINE * _CAPITAL
    plan = banner_plan(Box(0.0, 0.0, 800.0, BANNER), 1.0, notes=True)
    small = banner_plan(Box(0.0, 0.0, 400.0, BANNER), 1.0, notes=False)

    def seen(pixels: float) -> str:
        mm = pixels * pixel_mm
        return f"{mm:.0f} mm, {math.degrees(mm / AWAY_MM) * 60:.0f}'"

    return [
        "## Whose turn it is, from two metres away",
        "",
        f"On a 7 inch screen of 800 x 480 ({pixel_mm:.2f} mm a pixel): height, and the angle under which it is seen at 2 m, in minutes of",
        "arc. The smallest letters that an eye of full sight (20/20) reads are 5' high.",
        "",
        "| what | pixels | seen |",
        "|---|---|---|",
        f"| the banner in the army's colour | {BANNER:.0f} | {seen(BANNER)} |",
        f"| the army's sign (disc, block, triangle, diamond) | {plan.sign.height:.0f} | {seen(plan.sign.height)} |",
        f"| the same with a half turned round | {small.sign.height:.0f} | {seen(small.sign.height)} |",
        f"| a capital letter of the sentence, at least | {capital:.0f} | {seen(capital)} |",
        "",
        "The smallest text anywhere is a fortieth of the screen's shorter side; tests hold every text of every phase and language",
        "against that.",
        "",
    ]


def page(figures: Mapping[str, Any]) -> str:
    """Give the page."""
    targets, met = figures["targets"], figures["met"]
    lines = [
        HEAD,
        f"Machine: {figures['machine']}. Load when the bench began: {figures['load']} (1 is one busy core), and its host took "
        f"{figures['stolen_percent']} % of its time for others meanwhile; both stretch the wall times, hardly the processor times.",
        "",
        "| window | first picture s | table s | event ms, median | 90 % | 99 % | undisturbed, median (n) | processor ms an event "
        "| idle % | a clock runs % | memory MB, most |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for size, one in figures["sizes"].items():
        event, free = one["event_ms"], one["undisturbed_event_ms"]
        lines.append(
            f"| {size.replace('x', ' x ')} | {one['first_picture_s']} | {one['table_s']} | {event['p50']} | {event['p90']} "
            f"| {event['p99']} | {free.get('p50', '')} ({free['n']}) | {one['event_cpu_ms']} "
            f"| {one['idle_cpu_percent']} | {one['clocks_cpu_percent']} | {one['memory_mb']}, {one['memory_peak_mb']} |"
        )
    words = {
        "event_ms": "event, median, ms",
        "first_picture_s": "first picture, s",
        "idle_cpu_percent": "idle, %",
        "clocks_cpu_percent": "while a clock runs, %",
        "memory_peak_mb": "memory, most, MB",
    }
    said = [f"{words[name]}: at most {most} ({'met' if met[name] else '**missed**'})" for name, most in targets.items()]
    lines += ["", f"Targets, at every size: {'; '.join(said)}.", NOTES, *_reading()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin)))
