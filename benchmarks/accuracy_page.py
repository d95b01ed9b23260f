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
- **ghost**: a wrong read although no other legal square had held the piece for 250 ms. **revised** counts the wrong reads after longer
  rests. Both are timed on the clock of the verdicts: from the physical change by which the piece comes into the square's sight to the
  one by which it leaves it. See below for **by the hand's pause**. **put right** counts those of both that a revision corrected without
  a prompt; the others, on `rough` alone, ended in a prompt: an accident in the same ply, or, without colour, an early answer that crossed
  the piece so that either could be either.
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

## On which clock a rest is timed

A hand that hesitates on a legal square cannot be told from one that has let go, so a rest of 250 ms there excuses a wrong read, and
a verdict has 150 ms. Both limits can be kept only on one clock. A sensor sees the piece some 70 ms longer (30 to 130) than the hand
pauses: it is in sight on its last millimetres down and its first ones up. Verdicts are timed from the moment at which it comes into
sight, so rests are. The column **by the hand's pause** says how many wrong reads there were while the hand itself stood still on the
square for less than 250 ms, with the piece in sight for more or not. On that clock nobody who answers in time could keep 0.1 % on
`home`: 2.5 % of the moves hesitate for 150 to 1,500 ms, each time as likely, so 0.185 % pause for 150 to 250 ms, and until the hand goes
on everything that can be seen is the same as at the end of a move.

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
        "limit of needless prompts stands beside them. Fewer plies than 30,000 prove less: see the bound.\n",
        "| run | seed | plies | misread (bound) | lost | asked | needless (limit) | ghosts | by the hand's pause | of scout slides "
        "| revised | put right | false attacks |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        rates, limit = run["rates"], ASKED[run["profile"], run["sensing"]]
        needless, ghosts = 100 * rates["asked_without_accident"], 100 * rates["ghost"]
        most_ghosts, pauses = 0.1 if run["profile"] == "home" else 100.0, 100 * rates["ghost_by_the_hands_pause"]
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
            f"{run['ghost'] + run['revised_after_short_pause']} ({pauses:.2f} %)",
            _judged(slid, 1.0, f"{run['scout_slide_ghosts']} of {run['scout_slides']}"),
            run["revised_after_rest"],
            f"{run['wrong_reads_corrected']} of {run['ghost'] + run['revised_after_rest']}",
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
    columns = [
        one[f"cpu_percent_{when}{what}_by_source"]
        for what in ("_bridge_and_sensing", "")
        for when in ("idle", "playing")
    ]
    limits = (0.5, 3.0, 0.5, 3.0)
    by_source = [(name, *(column[name] for column in columns)) for name in columns[0]]
    return "\n".join(
        [
            "## Through the real parts\n",
            f"On {one['machine']}. From reading the frame that completes a ply to the message at the handset, through pty, sensing,",
            f"journal and broker: median {wall['p50']} ms, 99th percentile {wall['p99']} ms of wall time",
            f"({wall['n']} messages, everything on one machine). It comes on top of the board times above.\n",
            f"Bridge and sensing take {_judged(idle, 0.5, f'{idle} %')} of a core with an idle board (limit 0.5 %), "
            f"{_judged(playing, 3.0, f'{playing} %')} while pieces move (limit 3 %): decoding and reading alone, without waking up for it.",
            "Listening to a real source, with an idle board and while pieces move (a move each 2.5 seconds or so): what bridge and sensing",
            "take there, system calls and cold caches included, and what the process takes with all that its event loop does to be woken.",
            f"Load average meanwhile: {one.get('load_average', 'not noted')}; whatever else runs makes every waking up dearer.\n",
            "| source | idle (limit 0.5 %) | playing (limit 3 %) | idle, waking up included (0.5 %) | playing, waking up included (3 %) |",
            "|---|---|---|---|---|",
            *(
                f"| {name} | "
                + " | ".join(_judged(share, most, f"{share} %") for share, most in zip(shares, limits, strict=True))
                + " |"
                for name, *shares in by_source
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
