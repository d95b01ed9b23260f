"""Changes the broker's users while it runs, through the dynamic-security plugin's own topic."""

from __future__ import annotations

import json
import threading
import time

from referee.net.broker.dynsec import CONTROL_ANSWERS, CONTROL_TOPIC, Json
from referee.net.credential import Credential
from referee.net.errors import BrokerControlError
from referee.net.links.connection import Connection, Outgoing

CONTROL_PATIENCE_S = 3.0
"""So long a broker may take in all: somebody stands at the table and waits."""
_HARMLESS = "Client not found"  # the answer to the removal of a user that was never there


def command(credential: Credential, commands: list[Json], patience_s: float = CONTROL_PATIENCE_S) -> list[Json]:
    """Carry out commands in order; return the broker's answers once it has confirmed all. For one thread at a time: the user is one client.

    Raises `BrokerControlError` naming the command that failed and the broker's reason, or a `BrokerError` when it is not there.
    """
    answers: list[Json] = []
    done = threading.Event()

    def take(_topic: str, payload: bytes) -> None:
        answers.extend(json.loads(payload).get("responses", ()))
        if len(answers) >= len(commands):
            done.set()

    connection = Connection(credential, [(CONTROL_ANSWERS, 1)], on_message=take)
    deadline_s = time.monotonic() + patience_s
    connection.start(patience_s)
    try:
        connection.publish(Outgoing(CONTROL_TOPIC, json.dumps({"commands": commands}).encode()))
        if not done.wait(max(0.0, deadline_s - time.monotonic())):
            raise BrokerControlError(f"the broker did not change its users within {patience_s:.0f} s")
    finally:
        connection.stop()
    for answer in answers:
        if answer.get("error") not in (None, _HARMLESS):
            raise BrokerControlError(f"the broker refused {answer.get('command')}: {answer['error']}")
    return answers
