"""What a referee that knows no ranks would cost: an attack settled by two phones alone, in the two ways that there are.

`python -m benchmarks.blind_verdict` prints one JSON object. *Openings* (`book`): each phone seals rank and salt to the other one, and
holds them to the leaf that was committed to. *Transfer* (`result-only`): the defender offers a verdict for each of twelve ranks, and the
attacker takes his own without saying which (the simplest oblivious transfer of Chou and Orlandi, on Ed25519), so that neither learns the
other's rank. Both are timed from end to end on one core, without the way over the network, on which each needs one more letter a phone.

`known` counts in recorded games what a referee to whom ranks are declared knows, and not everybody was shown.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random

from nacl import bindings
from nacl.public import PrivateKey, SealedBox
from nacl.secret import SecretBox

from benchmarks.game_sources import recorded_games
from benchmarks.measuring import machine, percentile
from referee.rules import Rank, rule_set
from referee.rules.values import PieceId

_RANKS = list(Rank)[:12]
_ROUNDS, _GAMES = 400, 50


def main() -> int:
    """Measure; print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.blind_verdict")
    parser.add_argument(
        "--moves", type=Path, metavar="DIR", help="recorded games, as `hallmarshal bench accuracy` reads them"
    )
    moves = parser.parse_args().moves
    figures = {
        "machine": machine(),
        "openings_ms": _times(opened_for_each_other),
        "transfer_ms": _times(transferred),
        "transfer_bytes": 64 + 12 * 41,
        **({} if moves is None else {"known": known_to_the_referee(moves)}),
    }
    print(json.dumps(figures))
    return 0


def _times(settle: Callable[[Random], None]) -> dict[str, float]:
    chance, took = Random(1), []
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        settle(chance)
        took.append(1000 * (time.perf_counter() - began))
    return {"p50": round(statistics.median(took), 2), "p99": round(percentile(took, 0.99), 2)}


_PHONES = [PrivateKey.generate(), PrivateKey.generate()]


def opened_for_each_other(chance: Random) -> None:
    """Let both phones seal their openings to each other, and check what came against its leaf."""
    salts = [chance.randbytes(32).hex() for _ in _PHONES]
    words = [chance.choice(_RANKS).value for _ in _PHONES]
    told = [f"{word} {salt}" for word, salt in zip(words, salts, strict=True)]
    leaves = [hashlib.sha512(f"hallmarshal leaf 1\n{each}".encode()).digest()[:32] for each in told]
    sealed = [
        SealedBox(phone.public_key).encrypt(text.encode()) for phone, text in zip(_PHONES[::-1], told, strict=True)
    ]
    for phone, box, leaf in zip(_PHONES[::-1], sealed, leaves, strict=True):
        text = SealedBox(phone).decrypt(box).decode()
        assert hashlib.sha512(f"hallmarshal leaf 1\n{text}".encode()).digest()[:32] == leaf


def transferred(chance: Random) -> None:
    """Let the attacker take the verdict for his rank from the defender's twelve."""
    point, times = bindings.crypto_scalarmult_ed25519_base_noclamp, bindings.crypto_scalarmult_ed25519_noclamp
    add, less = bindings.crypto_core_ed25519_add, bindings.crypto_core_ed25519_sub
    own, taken = _scalar(chance), chance.randrange(1, 13)
    offered = point(own)
    secret = _scalar(chance)  # the attacker's part: twelve sums look alike to who does not know this number
    mine = point(secret)
    for _ in range(taken):
        mine = add(mine, offered)
    shared, step = times(own, mine), times(own, offered)  # the defender's part
    boxes = []
    for number in range(1, 13):
        shared = less(shared, step)
        boxes.append(SecretBox(hashlib.sha256(shared).digest()).encrypt(bytes([number])))
    key = hashlib.sha256(times(secret, offered)).digest()  # the attacker's again
    assert SecretBox(key).decrypt(boxes[taken - 1]) == bytes([taken])


def _scalar(chance: Random) -> bytes:
    return bindings.crypto_core_ed25519_scalar_reduce(chance.randbytes(64))


def known_to_the_referee(folder: Path) -> dict[str, float]:
    """Return means of recorded games of Original: fights, ranks that a referee hears, and how many of these stay secret to the public.

    Those are the survivors of fights: who is captured is shown to everybody. `most` is how many were secret at once.
    """
    rules, fights, heard, secret, most = rule_set("original"), [], [], [], []
    for source in islice(recorded_games(rules, folder), _GAMES):
        game, told, shown, peak, fought = source.start.copy(), set[PieceId](), set[PieceId](), 0, 0
        while game.result is None and (move := source.choose(game)) is not None:
            played = game.play(move)
            if played.piece is not None and played.defender is not None:
                fought += 1
                told |= {played.piece, played.defender}
                shown |= set(played.captured)
                peak = max(peak, len(told - shown))
        fights.append(fought)
        heard.append(len(told))
        secret.append(len(told - shown))
        most.append(peak)
    means = {"fights": fights, "heard": heard, "secret_at_the_end": secret, "most": most}
    return {"games": _GAMES, "pieces": 80, **{name: round(statistics.mean(of), 1) for name, of in means.items()}}


if __name__ == "__main__":
    sys.exit(main())
