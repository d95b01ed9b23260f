"""What keys that are drawn for each game cost: processor time of a pairing and of the start of a game, of a seat.

`python -m benchmarks.game_keys` prints one JSON object. *Pairing*: the four letters of both ends, as they are with or without drawn keys:
the six digits cover the long-lived keys, and these prove the drawn ones. *Game*: both ends draw a pair, the handset says hello with its
own, the referee answers in the key that follows; *without* is the same hello and answer of a handset that draws none. *Phone*: the
drawing in the page's own JavaScript, by Node: in the middle, and the first of all. The network carries one letter more, that answer.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measuring import machine
from referee.net.broker.access import SeatPairing
from referee.net.credential import Address, KeyPair
from referee.net.pairing.handshake import Joining
from referee.net.pairing.lobby import Lobby, Reception
from referee.net.sealing.sealing import HandsetSeal, RefereeSeal
from referee.rules.hidden import Hidden
from referee.rules.values import Seat
from referee.table.messages import Accepted, Hello, Letter

_ROUNDS = 400
_PAGE = Path(__file__).parents[1] / "referee" / "web" / "page"
_BOOT, _OTHER = b"referee1", b"handset1"
_PHONE = """
Object.assign(globalThis, { self: globalThis, module: undefined });
require("vm").runInThisContext(require("fs").readFileSync(process.argv[1] + "/vendor/nacl-fast.min.js"));
import(process.argv[1] + "/sealing.js").then(({ HandsetSeal }) => {
  const text = () => Buffer.from(nacl.box.keyPair().publicKey).toString("base64url");
  const own = Buffer.from(nacl.box.keyPair().secretKey).toString("base64url");
  const seal = new HandsetSeal({ own, peer: text(), seat: "red" }, new Uint8Array(8));
  const took = Array.from({ length: +process.argv[2] }, text).map((drawn) => {
    const began = process.cpuUsage();
    seal.draw(drawn);
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  });
  console.log(JSON.stringify(took));
});
"""


def main() -> int:
    """Measure; print the medians."""
    keys = KeyPair.create(), KeyPair.create()
    phone = subprocess.run(  # noqa: S603 # all ours
        ["node", "-e", _PHONE, str(_PAGE), str(_ROUNDS)],  # noqa: S607 # whichever Node the maker has
        stdout=subprocess.PIPE,
        check=True,
    )
    took: list[float] = json.loads(phone.stdout)
    figures = {
        "machine": machine(),
        "pairing_ms": _median(_paired),
        "game_ms": _median(lambda: _greeted(*keys, draws=True)),
        "game_without_ms": _median(lambda: _greeted(*keys, draws=False)),
        "phone_ms": round(statistics.median(took), 2),
        "phone_first_ms": round(took[0], 2),
    }
    print(json.dumps(figures))
    return 0


def _median(does: Callable[[], None]) -> float:
    took = []
    for _ in range(_ROUNDS):
        began = time.process_time()
        does()
        took.append(1000 * (time.process_time() - began))
    return round(statistics.median(took), 2)


def _paired() -> None:
    """Take a seat: what both ends compute."""
    keys = KeyPair.create()
    pairing = SeatPairing(Address("127.0.0.1", 1883), "board-1", keys.public)
    lobby = Lobby([Seat.RED])
    reception = Reception(lobby, pairing, keys, lambda grant: None)
    joining = Joining(lobby.invite(Seat.RED, 0).secret, keys.public.fingerprint)
    first = reception.answer(joining.first(), 0)
    joining.last(reception.answer(joining.second(first), 0))


def _greeted(referee: KeyPair, handset: KeyPair, *, draws: bool) -> None:
    """Begin a game: a hello, and its answer."""
    table = RefereeSeal(referee, handset.public, Seat.RED, _BOOT)
    phone = HandsetSeal(handset, referee.public, Seat.RED, _OTHER)
    phone.follow(_BOOT)
    if draws:
        drawn = KeyPair.create()
        table.draw(drawn)
        phone.draw(drawn.public.text)
    hello = phone.seal(Hello(id="h-1"), "game-1", 0)
    assert hello is not None
    table.open(hello, "game-1")
    answer = table.seal(Letter(Seat.RED, Hidden(Accepted(id="r-1", re="h-1"))), "game-1", 0)
    assert answer is not None
    phone.open(answer, "game-1")


if __name__ == "__main__":
    sys.exit(main())
