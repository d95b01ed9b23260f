"""Writes docs/reference/kiosk-figures.md from what `hallmarshal bench kiosk --json` printed.

hallmarshal bench kiosk --json | python -m benchmarks.kiosk_page > docs/reference/kiosk-figures.md
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

HEAD = """# What the kiosk costs

Made from the figures of `hallmarshal bench kiosk` by the command in `benchmarks/kiosk_page.py`; do not edit by hand. The kiosk draws
without a screen and in software (Mesa's llvmpipe); a Raspberry Pi draws with its graphics chip and has not been measured.
"""

NOTES = """
- **first picture**: from the start of the process to the first frame; **table**: to the frame with the table on it.
- **event**: from publishing an event and the state after it, through Mosquitto, to the frame that shows it, finished by the graphics
  driver. Pauses between events are long enough for the kiosk to fall asleep. Each changes turn, last move and one piece; every tenth
  takes a piece, whose ring is still moving when the next event comes.
- **processor ms an event**: what all threads of the kiosk together took of the time that *event* means, on average; hardly changed by what
  else the machine has to do. On a machine that does nothing else the wall time is about as long.
- **idle**: processor time of the kiosk while nothing happens, in percent of one core.
- **memory**: what the process holds after that, in megabytes.
"""


def page(figures: Mapping[str, Any]) -> str:
    """Give the page."""
    targets, met = figures["targets"], figures["met"]
    lines = [
        HEAD,
        f"Machine: {figures['machine']}. Load when the bench began: {figures['load']} (1 is one busy core); what else a machine "
        "has to do stretches the wall times, hardly the processor times.",
        "",
        "| window | first picture s | table s | event ms, median | 90 % | 99 % | processor ms an event | idle % | memory MB |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for size, one in figures["sizes"].items():
        event = one["event_ms"]
        lines.append(
            f"| {size.replace('x', ' x ')} | {one['first_picture_s']} | {one['table_s']} | {event['p50']} | {event['p90']} "
            f"| {event['p99']} | {one['event_cpu_ms']} | {one['idle_cpu_percent']} | {one['memory_mb']} |"
        )
    first = next(iter(figures["sizes"]))
    words = {
        "event_ms": "event, median, ms",
        "first_picture_s": "first picture, s",
        "idle_cpu_percent": "idle, %",
        "memory_mb": "memory, MB",
    }
    said = [f"{words[name]}: at most {most} ({'met' if met[name] else '**missed**'})" for name, most in targets.items()]
    lines += ["", f"Targets, for {first.replace('x', ' x ')}: {'; '.join(said)}.", NOTES]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin)))
