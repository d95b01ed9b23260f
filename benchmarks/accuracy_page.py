"""Writes docs/reference/accuracy.md from what `hallmarshal bench accuracy --json` and `bench latency --json` printed into files.

for p in clean home rough; do for s in colour occupancy; do
  hallmarshal bench accuracy --profile $p --sensing $s --json > figures/$p-$s.json
  hallmarshal bench accuracy --profile $p --sensing $s --moves DIR --json > figures/recorded-$p-$s.json; done; done
hallmarshal bench latency --json > figures/latency.json
python -m benchmarks.accuracy_page figures/*.json > docs/reference/accuracy.md

A run's file may have a "note", which stands below the counts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Figures = Mapping[str, Any]

ASKED = {
    ("clean", "colour"): 0.0,
    ("home", "colour"): 0.3,
    ("rough", "colour"): 1.0,
    ("clean", "occupancy"): 0.7,
    ("home", "occupancy"): 1.0,
    ("rough", "occupancy"): 2.0,
}
"""At most so many needless prompts, in percent of the plies."""

VERDICTS = {
    "lift": (120, 150),
    "slide": (150, 300),
    "attack, colour change": (150, 150),
    "attack, both lifted": (500, 500),
    "board agrees": (150, 150),
    "board agreed before the verdict": (150, 150),
}
"""At most so many board milliseconds: median, 99th percentile."""

HEAD = """# How well hands are read

Made from the figures of `hallmarshal bench accuracy` and `hallmarshal bench latency`, by the commands in
`benchmarks/accuracy_page.py`; do not edit by hand. Hands, board and noise are simulated ([the simulated board](simulator.md)); the
hands' times are estimates, and no figure here has been compared with people at a real board.
"""

DRAWN = """Shares in percent of all motions; accidents in numbers. Hesitations (2.5 % on `home`, 5 % on `rough`) and early replies (7 and
10 %) are drawn for moves alone, not for attacks and removals: 88 % of the motions in random games, 94 % in recorded ones. Of the
hesitations one in seven (recorded: one in nine) then finds no other legal square to rest on, and a reply that would touch what
the mover touches is not made early.
"""

NOTES = """## What the words mean

- **plies**: final plies. Hands play on at their own pace, without looking whether they have been read; nothing is reset to the truth
  inside a game. When the referee asks, hands make the board what it wants, and go on from the ply that it counts.
- **misread**: a final ply that is not what the hands meant. The game is then given up. The bound is Clopper and Pearson's, one-sided, 95 %.
- **asked**: the board had to be put right, once for each time. An accident excuses one prompt while it can show; every other is
  **needless**.
- **ghost**: a wrong read although the piece had rested on no other legal square for 250 ms, from the time at which the hand has put it
  there to the time at which it begins to take it away. **But for the forced** leaves out those that were put down out of the air for 150
  to 250 ms; see below. **revised** counts the wrong reads after longer rests. Every one of all these that is not among the misread was
  put right by a revision, without a prompt.
- **not counted**: what no sensor can show. Two own pieces that are swapped unseen, or a captured piece put down in another one's place,
  leave a board that is right for every sensor; hands of the bench do swap own pieces, and the ranks that are declared later follow the
  pieces' squares. A player who moves out of turn on squares that are all dead at that moment, or a square that fails exactly while a
  hand hesitates on it and its owner's rival answers at once, would be misread; neither came up in any run.
- **lost**: a ply that was neither final nor asked about.
- **false attack**: a question about an attack that nobody made. Both players say so on their handsets, and the game goes on.
- **verdicts**: from the last physical change of the ply's squares to the first reading that stays; accidents are left out. `0` is a
  reading that was right before a fumbling hand had come to rest. Attacks that were told on the handset are not among them. Without
  colour a swap and a target taken first look like a piece that was lifted and put back, so they wait 1,000 ms. Where the board stood
  as the verdict wants it already, the time counts from the verdict: the last frame is judged again at once, and only a square that has
  just changed, or is in doubt, makes anybody wait.

## Why ghosts on `home` are not below 0.1 %

That target and the limits of the verdicts exclude each other. 2.5 % of the moves hesitate for 150 to 1,500 ms, each time as likely, so
0.025 x 100 / 1,350 = 0.185 % of the moves rest on a wrong square for 150 to 250 ms. 70 % of them come out of the air: 0.130 %. 150 ms
after such a set-down everything that anybody can have seen is the same as after the end of a move: the same squares, the same times.
Whoever answers 99 % of the lifted moves by then answers 99 % of these as well, whatever it waits for within the limit: **0.128 %**. Half
of the slid moves must be answered within 150 ms too, and half of these hesitations with them: 0.028 %. That is at least 0.156 % of the
moves where every move has another square to hesitate on, and about 0.12 % of all plies here, where some have none. The slack of one
lift in a hundred does not help: nothing tells which one to be slow with. Slower slides, up to their limits, would save 0.02 % of the
plies and make half of all slides three times as slow; the quick verdict was kept. 0.1 % could be had with at most 1.6 % of
hesitations, or with some 350 ms for every verdict.

Options: `--profile`, `--sensing`, `--plies`, `--seed`, `--hz` (scan rate), `--moves DIR` (recorded games: files `original-*`, line 1 the
100 letters of a StraDoS3 position, then one number a line as described in `benchmarks/game_sources.py`), `--faults N` (the first faults
in full, with the last observations before each), `--accidents FACTOR` (so many times as many
accidents), `--json`. The same arguments give the same figures.
"""


def page(documents: Sequence[Figures]) -> str:
    """Give the page."""
    runs = [one for one in documents if one["benchmark"] == "accuracy"]
    parts = [HEAD, "Machines: " + "; ".join(sorted({one["machine"] for one in documents})) + ".\n", _counts(runs)]
    parts += [_verdicts(runs), _drawn(runs)]
    parts += [_latency(one) for one in documents if one["benchmark"] == "latency"]
    return "\n".join([*parts, NOTES])


def _name(run: Figures) -> str:
    extra = ", recorded games" if run["moves"] == "recorded" else ""
    factor = run.get("accidents_factor", 1)
    extra += f", {factor:g} times the accidents" if factor != 1 else ""
    return f"{run['profile']}, {run['sensing']}{extra}" + (f", {run['hz']} Hz" if run["hz"] != 100 else "")


def _judged(value: float, limit: float, text: str) -> str:
    return text if value <= limit else f"**{text}**"


def _counts(runs: Sequence[Figures]) -> str:
    lines = [
        "## Counts\n",
        "Bold: the target is missed. Targets: misread 0, lost 0, ghosts 0.1 % on `home` and 1 % of scout slides, false attacks 0.2 %; the",
        "limit of needless prompts stands beside them. Fewer plies than 30,000 prove less: see the bound. Forced ghosts: see below.\n",
        "| run | seed | plies | misread (bound) | lost | asked | needless (limit) | ghosts | but for the forced | of scout slides "
        "| revised | false attacks |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        rates, limit = run["rates"], ASKED[run["profile"], run["sensing"]]
        needless, ghosts = 100 * rates["asked_without_accident"], 100 * rates["ghost"]
        most_ghosts, free = 0.1 if run["profile"] == "home" else 100.0, 100 * rates["ghost_not_forced"]
        slid, false = 100 * rates["scout_slide_ghosts"], 100 * rates["false_attack_questions"]
        cells = [
            _name(run),
            run["seed"],
            run["plies"],
            _judged(run["misread"], 0, f"{run['misread']} ({100 * run['misread_upper_95']:.3f} %)"),
            _judged(run["lost"], 0, str(run["lost"])),
            run["asked"],
            _judged(needless, limit, f"{needless:.2f} % ({limit:g} %)"),
            _judged(ghosts, most_ghosts, f"{run['ghost']} ({ghosts:.2f} %)"),
            _judged(free, most_ghosts, f"{run['ghost'] - run['ghost_forced_by_verdict_limit']} ({free:.2f} %)"),
            _judged(slid, 1.0, f"{run['scout_slide_ghosts']} of {run['scout_slides']}"),
            run["revised_after_rest"],
            _judged(false, 0.2, f"{run['false_attack_questions']} ({false:.2f} %)"),
        ]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    noted = [f"- **{_name(run)}**: {run['note']}" for run in runs if "note" in run]
    return "\n".join([*lines, *([""] if noted else []), *noted]) + "\n"


def _verdicts(runs: Sequence[Figures]) -> str:
    names = sorted({name for run in runs for name in run["latency_ms"]}, key=lambda name: (name not in VERDICTS, name))
    lines = [
        "## Verdicts\n",
        "Board milliseconds, median / 99th percentile / longest, and the targets for the first two.\n",
        "| run | " + " | ".join(names) + " |",
        "|---" * (len(names) + 1) + "|",
        "| target | " + " | ".join("{} / {}".format(*VERDICTS[n]) if n in VERDICTS else "" for n in names) + " |",
    ]
    for run in runs:
        cells = []
        for name in names:
            times = run["latency_ms"].get(name)
            if not times:
                cells.append("")
                continue
            median, late = VERDICTS.get(name, (1 << 30, 1 << 30))
            text = f"{times['p50']} / {times['p99']} / {times['most']}"
            cells.append(text if times["p50"] <= median and times["p99"] <= late else f"**{text}**")
        lines.append(f"| {_name(run)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _drawn(runs: Sequence[Figures]) -> str:
    lines = ["## What hands did\n", DRAWN]
    for run in runs:
        motions = ", ".join(f"{name} {100 * share:.1f}" for name, share in run["motions"].items())
        extras = ", ".join(f"{name} {100 * share:.1f}" for name, share in run["extras"].items()) or "none"
        accidents = ", ".join(f"{name} {count}" for name, count in run["accidents"].items()) or "none"
        lines.append(f"- **{_name(run)}**: {motions}. With it: {extras}. Accidents: {accidents}.")
    return "\n".join(lines) + "\n"


def _latency(one: Figures) -> str:
    wall = one["wall_ms"]
    idle, playing = one["cpu_percent_idle"], one["cpu_percent_playing"]
    at_rest, at_play = one["cpu_percent_idle_by_source"], one["cpu_percent_playing_by_source"]
    by_source = [(name, at_rest[name], at_play[name]) for name in at_rest]
    return "\n".join(
        [
            "## Through the real parts\n",
            f"On {one['machine']}. From reading the frame that completes a ply to the message at the handset, through pty, sensing,",
            f"journal and broker: median {wall['p50']} ms, 99th percentile {wall['p99']} ms of wall time",
            f"({wall['n']} messages, everything on one machine). It comes on top of the board times above.\n",
            f"Bridge and sensing take {_judged(idle, 0.5, f'{idle} %')} of a core with an idle board (limit 0.5 %), "
            f"{_judged(playing, 3.0, f'{playing} %')} while pieces move (limit 3 %): decoding and reading alone, without waking up for it.",
            "Listening to a real source, waking up included, with an idle board and while pieces move (a move each 2.5 seconds or so).",
            f"Load average meanwhile: {one.get('load_average', 'not noted')}; whatever else runs makes every waking up dearer.\n",
            "| source | idle (limit 0.5 %) | playing (limit 3 %) |",
            "|---|---|---|",
            *(
                f"| {name} | {_judged(idle, 0.5, f'{idle} %')} | {_judged(playing, 3.0, f'{playing} %')} |"
                for name, idle, playing in by_source
            ),
            "",
        ]
    )


def main(paths: Sequence[str]) -> int:
    """Print the page; exit 2 where a file is no figures."""
    try:
        documents = [json.loads(Path(path).read_text(encoding="utf-8")) for path in paths]
        text = page(documents)
    except (OSError, ValueError, KeyError) as error:
        print(f"accuracy_page: not the figures of a benchmark: {error}", file=sys.stderr)
        return 2
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
