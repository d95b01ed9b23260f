"""A player of the demo as a process of its own: its handset speaks MQTT, its hands are wished from the simulated board.

    prints   {"public_key": ...}                          its handset's key, first of all
    reads    {"credential": {...}, "config": {...}}       the seat it was given; then nothing but the end of its input
    prints   {"motion": {...}, "intent": [ply, from, to]} what its hands do
             {"heard": seq, "ns": time}                   when its handset had a public event (monotonic clock)
             {"over": true}, {"unfinished": true}, {"fault": text}

Ranks reach it through the pipe only. It ends with its standard input.
"""

from __future__ import annotations

import json
import queue
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from referee import log_output
from referee.net.credential import Credential, KeyPair
from referee.net.errors import LinkError
from referee.net.links.handset_link import HandsetLink
from referee.net.topics.payloads import HandsetIncoming, LinkDown, PeerFault, ToSeat
from referee.rules import load_rule_set, rule_set
from referee.rules.values import Rank, Seat
from referee.simulated_players.player import Bot, BotAct, Do, Fault, GameScript, Say, SimulatedPlayer, Stopped, bot_rng
from referee.table.messages import Accepted, Consent
from referee.table.views import PublicEvent, PublicInfo, PublicView

_THINK_MS = (600, 2500)
"""For how long a player thinks at human pace."""


class PlayerProcess:
    """Takes values from the handset's link in order and does what the player makes of them."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config
        self._player: SimulatedPlayer | None = None
        self._link: HandsetLink | None = None
        self._consent: str | None = None
        self._owes = {"consent", "signature"}
        """What is to be there before it is over for this player."""

    def play(self, link: HandsetLink, values: queue.SimpleQueue[tuple[int, HandsetIncoming] | None]) -> None:
        """Play until None comes."""
        self._link = link
        while (item := values.get()) is not None:
            at_ns, value = item
            if isinstance(value, PublicEvent):
                say({"heard": value.seq, "ns": at_ns})
            self._do(self._deeds(value))

    def _deeds(self, value: HandsetIncoming) -> Iterable[BotAct]:
        if isinstance(value, PublicInfo):
            self._player = self._player or make_player_from(value, self._config)
            return ()
        if isinstance(value, LinkDown) and value.refused:
            return (Fault(value.reason),)
        if isinstance(value, PeerFault):
            return (Fault(value.text),)
        if self._player is None:
            return ()
        if isinstance(value, PublicView):
            if value.result is not None and (not value.chain or self._config["seat"] in value.signed):
                self._settle("signature")
            return self._player.view(value)
        if isinstance(value, PublicEvent):
            return self._player.event(value)
        if isinstance(value, ToSeat):
            if isinstance(value.message, Accepted) and value.message.re == self._consent:
                self._settle("consent")
            return self._player.letter(value.message)
        return ()

    def _settle(self, what: str) -> None:
        if self._owes:
            self._owes.discard(what)
            if not self._owes:
                say({"over": True})

    def _do(self, deeds: Iterable[BotAct]) -> None:
        assert self._link is not None
        for deed in deeds:
            match deed:
                case Say(message=message, intent=intent):
                    if intent is not None:
                        say({"motion": None, "intent": intent})
                    if isinstance(message, Consent):
                        self._consent = message.id
                    self._link.send(message)
                case Do(motion=motion, intent=intent):
                    say({"motion": motion, "intent": intent})
                case Fault(text=text):
                    say({"fault": text})
                case Stopped():
                    say({"unfinished": True})


def make_player_from(info: PublicInfo, config: Mapping[str, Any]) -> SimulatedPlayer:
    """Return the player that `config` describes, at the table that `info` describes."""
    name = config["rules"]
    rules = load_rule_set(Path(name)) if name.endswith(".toml") else rule_set(name)
    seat = Seat(config["seat"])
    set_up = {rules.board.square(name): Rank(word) for name, word in config["set_up"].items()}
    script = msgspec.convert(config["script"], GameScript | None)
    pace, (low, high) = config["pace"], _THINK_MS
    bot = Bot(rules, seat, bot_rng(config["seed"], seat), set_up, config["style"])
    return SimulatedPlayer(bot, info, script, think_ms=(low // pace, high // pace) if pace else (0, 0))


def say(line: Mapping[str, Any]) -> None:
    """Print one object."""
    print(json.dumps(line), flush=True)


def _wait_for_the_end(values: queue.SimpleQueue[tuple[int, HandsetIncoming] | None]) -> None:
    sys.stdin.read()
    values.put(None)


def main() -> int:
    """Run until standard input ends. Returns the exit code."""
    log_output.begin()
    keys = KeyPair.create()
    say({"public_key": keys.public.text})
    first = sys.stdin.readline()
    if not first:
        return 0
    told = json.loads(first)
    values: queue.SimpleQueue[tuple[int, HandsetIncoming] | None] = queue.SimpleQueue()
    link = HandsetLink(
        Credential.from_json(told["credential"]).with_keys(keys),
        on_value=lambda value: values.put((time.monotonic_ns(), value)),
        signs=True,
    )
    threading.Thread(target=_wait_for_the_end, args=(values,), daemon=True).start()
    try:
        link.start()
        PlayerProcess(told["config"]).play(link, values)
    except LinkError as error:
        say({"fault": str(error)})
        return 3
    link.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
