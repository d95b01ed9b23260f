"""`hallmarshal bench siege`: honest games while strangers, and who has a seat, attack the front door one by one.

The attacks (`fault_injection/siege`) run in a process pinned to one core. What they are held against is the same time with
a process on that core that does nothing but turn. Places are a whole table and a whole hall on loopback.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from rich.console import Console

from benchmarks import measuring
from benchmarks.siege_places import PATIENCE_S, BesiegedHall, BesiegedTable, Place
from fault_injection.siege.strangers import ATTACKS, SEAT, SITS, STRANGER, Attack

LEAST_SHARE, MOST_SILENCE_S, MOST_REFEREE_MIB = 0.8, 1.0, 150
KILLED, MOST_BACK_S, MOST_THOUGHT_S = "killed-door", 2.0, 0.25
"""The front door is killed once; so soon all is as before. An attack at the board waits for the answers of phones that are away, and
whoever was to move has thought until his phone was missed.
"""
MOST_ANSWER_MS = {"table": 1000, "hall": 500}
"""For the state that red's phone asks for, and an arbiter's page; 99 of 100 come sooner."""
_BLOCK = "siege"
_NEWCOMER_S = 5.0
"""An attack goes on so much longer, but never twice as long; another phone then takes a seat, and a hall gets another spectator."""
_HEAD = (
    *("attack", "row", "by", "at a", "plies", "longest silence, s", "clock lost, s"),
    *("referee, MiB", "broker, MiB", "door, MiB", "answer p99, ms", "newcomers", "as before after, s"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be asked."""
    parser.add_argument(
        "--seconds", type=measuring.above_zero, default=15, help="how long each attack lasts (default: 15)"
    )
    parser.add_argument("--tables", type=measuring.above_zero, default=60, help="tables of the hall (default: 60)")
    parser.add_argument("--place", choices=("table", "hall"), action="append", help="only there")
    parser.add_argument("--attack", choices=sorted(ATTACKS), action="append", help="only this one")
    measuring.add_page(parser)


@dataclass(frozen=True)
class Stand:
    """The figures of one attack at one place; None for what there is nothing of."""

    attack: str
    row: str
    by: str
    place: str
    plies: int
    share: float
    silence_s: float
    clock_lost_s: float
    memory_mib: Mapping[str, int]
    answer_p99_ms: int
    newcomer: bool | None
    as_before_s: float | None
    tally: Mapping[str, int]
    most_referee_mib: int = MOST_REFEREE_MIB

    def judged(self) -> list[tuple[object, bool]]:
        """Return each figure of the table, with whether it is within its limit."""
        referee = self.memory_mib.get("referee", 0)
        back_s, longer_s = (MOST_BACK_S, MOST_BACK_S) if self.attack == KILLED else (math.inf, 0)
        return [
            (f"{100 * self.share:.0f} %", self.share >= LEAST_SHARE),
            (f"{self.silence_s:.1f}", self.silence_s <= MOST_SILENCE_S + longer_s),
            (f"{self.clock_lost_s:.1f}", self.clock_lost_s <= (MOST_THOUGHT_S if longer_s else 0)),
            (referee, referee <= self.most_referee_mib),
            *((self.memory_mib.get(name, "none"), True) for name in ("broker", "door")),
            (self.answer_p99_ms, self.answer_p99_ms <= MOST_ANSWER_MS[self.place] + 1000 * longer_s),
            ({None: "", True: "yes", False: "no"}[self.newcomer], self.newcomer is not False),
            *(
                [("never", False)]
                if self.as_before_s is None
                else [(f"{self.as_before_s:.1f}", self.as_before_s <= back_s)]
            ),
        ]

    def cells(self) -> list[str]:
        """Return its row of the page."""
        texts = {
            "baseline": "nobody: a process that turns",
            SITS.name: SITS.text,
            KILLED: "nobody: the front door is killed once",
        }
        text = texts.get(self.attack) or ATTACKS[self.attack].text
        return [text, self.row, self.by, self.place, *(measuring.judged(text, met=met) for text, met in self.judged())]

    @property
    def held(self) -> bool:
        """Return whether all its figures are within their limits."""
        return all(met for _, met in self.judged())


def run(args: argparse.Namespace) -> Mapping[str, object]:
    """Besiege the places. Returns a row an attack, and in `failures` those whose limits were missed."""
    measuring.look_for_block(args.page, _BLOCK)
    load = round(os.getloadavg()[0], 1)
    wanted = [attack for name, attack in ATTACKS.items() if not args.attack or name in args.attack]
    makers: dict[str, Callable[[], Place]] = {"table": BesiegedTable, "hall": lambda: BesiegedHall(args.tables)}
    stands: list[Stand] = []
    for name in args.place or makers:
        with makers[name]() as place:
            stands += besiege(place, wanted, args.seconds)
    failures = [f"{stand.attack} at a {stand.place}" for stand in stands if not stand.held]
    rows = measuring.table(_HEAD, (stand.cells() for stand in stands))
    measuring.put_block(
        args.page, _BLOCK, f"{rows}\n\n{measuring.machine()}; {args.seconds} s an attack; load before {load}."
    )
    return {
        "seconds": args.seconds,
        "load_before": load,
        "attacks": [asdict(stand) for stand in stands],
        "failures": failures,
    }


def besiege(place: Place, attacks: Sequence[Attack], seconds: float) -> list[Stand]:
    """Return the baselines of a place, then what came of each attack that has something to lean on there."""
    found = [_stand(place, None, seconds, None)]
    found.append(_killed(place, seconds, found[0]))
    usual = {STRANGER: found[0]}
    after = found[0]
    for attack in attacks:
        if not (isinstance(place, BesiegedTable) if attack.by == SEAT else attack.fits(place.target)):
            continue
        if attack.by not in usual:
            found.append(_stand(place, SITS, seconds, None))
            usual[SEAT] = found[-1]
        stand = _stand(place, attack, seconds, usual[attack.by])
        if not isinstance(
            place, BesiegedTable
        ):  # its tables slow down as games go on: what is usual stands before and after each attack
            before, after = after, _stand(place, None, seconds, None)
            stand = replace(stand, share=round(2 * stand.plies / (before.plies + after.plies), 3))
        Console(stderr=True).print(f"{place.name}: {attack.name}: {', '.join(stand.cells()[4:])} {dict(stand.tally)}")
        found.append(stand)
    return found


def _killed(place: Place, seconds: float, usual: Stand) -> Stand:
    """Kill the front door once, and return what came of it; the time until all is as before begins with that."""
    if isinstance(place, BesiegedTable):
        place.room_for(seconds)
    begin = time.monotonic()
    place.kill_door()
    back = place.wait(lambda: place.as_before(begin))
    as_before_s = time.monotonic() - begin if back else None
    time.sleep(max(0.0, begin + seconds - time.monotonic()))
    stand = _told(place, None, (begin, begin + seconds), usual, place.memory(), None, as_before_s, {})
    return replace(stand, attack=KILLED)


def _stand(place: Place, attack: Attack | None, seconds: float, usual: Stand | None) -> Stand:
    """Let one attack run (None: the dummy load) and return what came of it; `usual` is the baseline."""
    table = place if isinstance(place, BesiegedTable) else None
    seat = table if attack is not None and attack.by == SEAT else None
    newcomer_s = min(_NEWCOMER_S, seconds)
    lasts = seconds + newcomer_s
    if table is not None:
        table.room_for(2 * lasts)
        table.lengthen(attack.plies if attack is not None else 0)
    target = seat.give_away() if seat is not None else place.target
    orders = {"attack": attack.name if attack else "", "core": max(os.sched_getaffinity(0)), "seconds": lasts}
    memory: dict[str, int] = {}
    with measuring.LineProcess("fault_injection.siege.strangers") as attacker:
        attacker.say(json.dumps({**orders, "target": asdict(target)}))
        attacker.hear()  # it has begun
        if seat is not None:
            seat.taken()
        begin = time.monotonic()
        while time.monotonic() < begin + seconds:
            for name, held in place.memory().items():
                memory[name] = max(memory.get(name, 0), held)
            time.sleep(0.2)
        # blue changes his phone in the last seconds of a stranger's attack, and after a seat's own
        time.sleep(newcomer_s if seat is not None else 0)
        newcomer = place.newcomer()
        end = max(time.monotonic(), begin + lasts)
        time.sleep(max(0.0, end - time.monotonic()))
        while not (back := place.as_before(end)) and time.monotonic() < end + PATIENCE_S:
            time.sleep(0.05)
        as_before_s = time.monotonic() - end if back else None
        tally: dict[str, int] = json.loads(attacker.hear() or "{}")
    return _told(place, attack, (begin, begin + seconds), usual, memory, newcomer, as_before_s, tally)


def _told(
    place: Place,
    attack: Attack | None,
    window: tuple[float, float],
    usual: Stand | None,
    memory: Mapping[str, int],
    newcomer: bool | None,
    as_before_s: float | None,
    tally: Mapping[str, int],
) -> Stand:
    begin, end = window
    plies = sum(begin <= at <= end for at, _ in place.plies)
    silence, lost = place.silence(begin, end)
    answers = [took for at, took in place.answers_s if begin <= at <= end]
    name, row, by = (attack.name, attack.row, attack.by) if attack else ("baseline", "", "")
    held = {part: round(bytes_held / 2**20) for part, bytes_held in memory.items()}
    return Stand(
        *(name, row, by),
        place.name,
        plies,
        round(plies / ((usual.plies if usual else plies) or math.inf), 3),
        round(silence, 2),
        round(lost, 2),
        held,
        round(1000 * measuring.percentile(answers or [10.0], 0.99)),
        newcomer,
        None if as_before_s is None else round(as_before_s, 2),
        tally,
        # a hall's station holds all simulated tables besides
        MOST_REFEREE_MIB
        + (0 if isinstance(place, BesiegedTable) else usual.memory_mib["referee"] if usual else held["referee"]),
    )
