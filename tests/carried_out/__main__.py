"""Play games in which moves are decided elsewhere, until so many decided moves were played; print counts per kind, and every finding."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from tests.carried_out.game import CarriedGame
from tests.carried_out.table import FaultError

PER_GAME = 40
SHARD = 10
"""So many games are one shard; a run with `--state` goes on with the shard after the last whole one."""


def shard(seed: int, number: int, counts: Counter[str], findings: list[str]) -> None:
    """Play one shard; what is wrong is put into `findings`."""
    for game in range(number * SHARD, (number + 1) * SHARD):
        played = CarriedGame(f"{seed}/{game}", counts)
        try:
            played.play(PER_GAME)
        except FaultError as error:
            findings.append(str(error))
        counts["decided moves"] += played.done
        counts["games"] += 1


def main() -> int:
    """Return 0 if nothing was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.carried_out", description=__doc__)
    parser.add_argument("--moves", type=int, default=10_000, help="decided moves to play (default: 10000)")
    parser.add_argument("--seed", type=int, default=1, help="of everything that is drawn")
    parser.add_argument("--state", type=Path, default=None, help="keep counts here, and go on from them")
    args = parser.parse_args()
    number, counts, findings = 0, Counter[str](), list[str]()
    if args.state is not None and args.state.exists():
        kept = json.loads(args.state.read_text(encoding="utf-8"))
        if kept["seed"] != args.seed:
            parser.error("the state is of another seed")
        number, counts, findings = kept["shard"], Counter(kept["counts"]), kept["findings"]
    while counts["decided moves"] < args.moves:
        before = len(findings)
        shard(args.seed, number, counts, findings)
        number += 1
        for finding in findings[before:]:
            print(finding, flush=True)
        if args.state is not None:
            kept = {"seed": args.seed, "shard": number, "counts": counts, "findings": findings}
            args.state.write_text(json.dumps(kept), encoding="utf-8")
    for kind, count in sorted(counts.items()):
        print(f"{count:7} {kind}")
    print(f"{len(findings):7} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    raise SystemExit(main())
