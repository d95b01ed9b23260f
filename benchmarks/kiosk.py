"""What the kiosk costs: from its start to the first picture, from a public event to its pixels, idle, and in memory.

A kiosk as it is used, `hallmarshal kiosk` in a process of its own beside a real Mosquitto, drawing without a screen. It prints a line
once a state is drawn and the graphics driver has finished; the wall time up to that line is what is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from queue import Queue
from typing import Any

from benchmarks import measuring
from kiosk_ui.fixtures import samples
from referee.net.broker.broker import Broker
from referee.net.credential import KeyPair
from referee.net.links.referee_link import RefereeLink
from referee.net.topics.topics import Role
from referee.rules.values import Rank, Seat
from referee.table.views import ClockFace, LastMove, PublicEvent, PublicInfo, PublicView

SIZES = ("800x480", "1024x600", "1280x720", "1920x1080")
TARGETS: Mapping[str, tuple[float, str]] = {
    "event_ms": (40, "event, median, ms"),
    "first_picture_s": (3, "first picture, s"),
    "idle_cpu_percent": (3, "idle, %"),
    "clocks_cpu_percent": (3, "while a clock runs, %"),
    "memory_peak_mb": (200, "memory, most, MB"),
}
"""At most so much, at every size: the median of the events, and the others as they are. Each with its words for the page."""
_COLUMNS = (
    *("window", "first picture s", "table s", "event ms, median", "90 %", "99 %", "undisturbed, median (n)"),
    *("processor ms an event", "idle %", "a clock runs %", "memory MB, most"),
)
_PATIENCE_S = 60.0
_QUIET_S = 2.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be chosen."""
    parser.add_argument(
        "--sizes", type=window_sizes, default=SIZES, metavar="WxH,...", help="windows to measure, one after the other"
    )
    parser.add_argument("--events", type=measuring.above_zero, default=40, help="public events for each window")
    parser.add_argument(
        "--idle-s",
        type=measuring.above_zero,
        default=8,
        help="seconds of doing nothing that are measured, without clocks and with",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the pauses between events")
    measuring.add_page(parser)


def window_sizes(text: str) -> tuple[str, ...]:
    """Return the sizes between the commas, each like `800x480`. Raises `argparse.ArgumentTypeError`."""
    sizes = tuple(text.split(","))
    for size in sizes:
        if not re.fullmatch(r"[1-9]\d{0,4}x[1-9]\d{0,4}", size):
            raise argparse.ArgumentTypeError(f"widths and heights in pixels like 800x480,1024x600, not {size!r}")
    return sizes


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Measure. Returns the figures for each size, and whether all of them meet the targets."""
    measuring.look_for_block(args.page, "kiosk")
    load, stolen = round(os.getloadavg()[0], 1), measuring.StolenTime()
    with tempfile.TemporaryDirectory() as folder:
        broker = Broker.start(Path(folder) / "broker", "bench")
        try:
            sizes = {size: _measure(broker, size, args) for size in args.sizes}
        finally:
            broker.stop()
    worst = {
        name: max(one[name]["p50"] if name == "event_ms" else one[name] for one in sizes.values()) for name in TARGETS
    }
    targets = {name: most for name, (most, _) in TARGETS.items()}
    met = {name: worst[name] <= most for name, most in targets.items()}
    measuring.put_block(args.page, "kiosk", _report(sizes, met, load, stolen.percent()))
    return {"load": load, "events": args.events, "sizes": sizes, "targets": targets, "met": met}


def _report(sizes: Mapping[str, Mapping[str, Any]], met: Mapping[str, bool], load: float, stolen_percent: float) -> str:
    """Return the figures for docs/reference/kiosk-figures.md."""
    rows = [
        (
            *(size.replace("x", " x "), one["first_picture_s"], one["table_s"]),
            *(one["event_ms"][share] for share in ("p50", "p90", "p99")),
            "{} ({})".format(one["undisturbed_event_ms"].get("p50", ""), one["undisturbed_event_ms"]["n"]),
            *(one["event_cpu_ms"], one["idle_cpu_percent"], one["clocks_cpu_percent"]),
            f"{one['memory_mb']}, {one['memory_peak_mb']}",
        )
        for size, one in sizes.items()
    ]
    kept = {name: measuring.judged("met" if met[name] else "missed", met=met[name]) for name in TARGETS}
    said = "; ".join(f"{words}: at most {most} ({kept[name]})" for name, (most, words) in TARGETS.items())
    return (
        f"Machine: {measuring.machine()}. Load when the bench began: {load} (1 is one busy core), and its host took"
        f" {stolen_percent} % of its\ntime for others meanwhile; both stretch the wall times, hardly the processor times.\n\n"
        f"{measuring.table(_COLUMNS, rows)}\n\nTargets, at every size: {said}."
    )


def _measure(broker: Broker, size: str, args: argparse.Namespace) -> Mapping[str, Any]:
    sample = next(sample for sample in samples() if sample.name == "middle")
    assert sample.info is not None
    assert sample.view is not None
    info = replace(sample.info, board_id="bench")
    view = replace(sample.view, board_id="bench")
    link = RefereeLink(broker.credential(Role.REFEREE, KeyPair.create()), on_value=lambda value: None)
    link.start()
    link.publish_info(info)
    link.publish_state(view)
    started_s = time.monotonic()
    with contextlib.ExitStack() as stack:
        stack.callback(link.stop)
        kiosk = stack.enter_context(_Kiosk(broker, size))
        first_s = kiosk.drawn(None) - started_s
        table_s = kiosk.drawn(view.seq) - started_s
        time.sleep(_QUIET_S)
        events, undisturbed, cost_ms = _event_times(link, kiosk, info, view, args)
        idle = _idle_percent(kiosk, args.idle_s)
        clocks = {seat: ClockFace(600_000, seat is view.turn) for seat in (Seat.RED, Seat.BLUE)}
        link.publish_state(running := replace(view, seq=view.seq + args.events + 1, clocks=clocks))
        kiosk.drawn(running.seq)
        clocks_percent = _idle_percent(kiosk, args.idle_s)
        memory, peak = kiosk.memory_mb()
    return {
        "first_picture_s": round(first_s, 2),
        "table_s": round(table_s, 2),
        "event_ms": _percentiles(events),
        "undisturbed_event_ms": _percentiles(undisturbed),
        "event_cpu_ms": round(cost_ms, 1),
        "idle_cpu_percent": round(idle, 2),
        "clocks_cpu_percent": round(clocks_percent, 2),
        "memory_mb": memory,
        "memory_peak_mb": peak,
    }


def _idle_percent(kiosk: _Kiosk, seconds: float) -> float:
    """Return the processor time of a kiosk without events, in percent of one core, over so many seconds."""
    time.sleep(_QUIET_S)
    before_s = kiosk.cpu_s()
    time.sleep(seconds)
    return 100 * (kiosk.cpu_s() - before_s) / seconds


def _percentiles(values: Sequence[float]) -> Mapping[str, float]:
    return {"n": len(values)} | (measuring.percentiles(values, p50=0.5, p90=0.9, p99=0.99) if values else {})


def _event_times(
    link: RefereeLink, kiosk: _Kiosk, info: PublicInfo, view: PublicView, args: argparse.Namespace
) -> tuple[list[float], list[float], float]:
    """Return the milliseconds from publishing an event and its state to the picture that shows them, for all events;
    the same for the undisturbed events; and the mean of the kiosk's processor milliseconds an event.

    An event is undisturbed if the host of a virtual machine took no time away. The system counts a process's time in
    steps of 10 ms, so only the mean over many events is meaningful.
    """
    rng = random.Random(args.seed)
    times: list[float] = []
    undisturbed: list[float] = []
    cpu_s = 0.0
    for event, state in _moments(info, view, args.events):
        time.sleep(rng.uniform(0.2, 0.5))
        stolen, begun_s, before_s = measuring.StolenTime(), time.monotonic(), kiosk.cpu_s()
        link.publish_event(event)
        link.publish_state(state)
        times.append(1000 * (kiosk.drawn(state.seq) - begun_s))
        if not stolen.ms():
            undisturbed.append(times[-1])
        cpu_s += kiosk.cpu_s() - before_s
    return times, undisturbed, 1000 * cpu_s / len(times)


def _moments(info: PublicInfo, view: PublicView, number: int) -> Iterator[tuple[PublicEvent, PublicView]]:
    """Yield invented events with the state after each: moves to and fro, every tenth with a capture."""
    occupants = {square: seat for square, seat in view.occupants.items() if square not in ("e4", "e5")}
    captured = {seat: dict(lost) for seat, lost in view.captured.items()}
    for n in range(1, number + 1):
        source, target = ("e5", "e4") if n % 2 else ("e4", "e5")
        seat = Seat.RED if n % 2 else Seat.BLUE
        lost: dict[Seat, Rank] = {}
        if n % 10 == 0 and captured[Seat.BLUE].get(Rank.SCOUT, 0) < info.army[Rank.SCOUT]:
            captured[Seat.BLUE][Rank.SCOUT] = captured[Seat.BLUE].get(Rank.SCOUT, 0) + 1
            lost = {Seat.BLUE: Rank.SCOUT}
        seq, ply = view.seq + n, view.ply + n
        kind = "verdict" if lost else "move.read"
        yield (
            PublicEvent(info.game, seq, kind, ply, seat, source, target, captured=lost),
            replace(
                view,
                seq=seq,
                ply=ply,
                turn=seat,
                occupants={**occupants, target: Seat.RED},
                captured={each: dict(gone) for each, gone in captured.items()},
                last_move=LastMove(seat, source, target, final=True),
            ),
        )


class _Kiosk(measuring.LineProcess):
    """The kiosk's process, and the time of each of its lines."""

    def __init__(self, broker: Broker, size: str) -> None:
        self._lines: Queue[tuple[float, dict[str, Any] | None]] = Queue()
        self._newest: tuple[float, dict[str, Any]] | None = None
        super().__init__(
            *("referee.cli.main", "kiosk", "--credential", "-"),
            *("--offscreen", "--json", "--size", size, "--language", "en"),
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.say(json.dumps(broker.credential(Role.KIOSK).to_json()))

    def __exit__(self, *error: object) -> None:
        self.process.terminate()
        self._reader.join()  # else its pipe would be closed while it reads
        super().__exit__(*error)

    def drawn(self, seq: int | None) -> float:
        """Wait until a state with this number was drawn (None: anything). Returns when, in seconds of the monotonic
        clock.
        """
        while self._newest is None or (seq is not None and (self._newest[1]["seq"] or 0) < seq):
            at_s, line = self._lines.get(timeout=_PATIENCE_S)
            if line is None:
                raise RuntimeError("the kiosk ended")
            self._newest = at_s, line
        return self._newest[0]

    def cpu_s(self) -> float:
        """Return the seconds of processor time that it has taken, of one core."""
        return measuring.spent(self.process.pid)[0]

    def memory_mb(self) -> tuple[int, int]:
        """Return its memory now and at most so far, in MiB (`VmRSS` and `VmHWM`, proc(5))."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        sizes = {line.split(":")[0]: line.split() for line in lines if line.startswith(("VmRSS", "VmHWM"))}
        return round(int(sizes["VmRSS"][1]) / 1024), round(int(sizes["VmHWM"][1]) / 1024)

    def _read(self) -> None:
        while text := self.hear():
            self._lines.put((time.monotonic(), json.loads(text)))
        self._lines.put((time.monotonic(), None))
