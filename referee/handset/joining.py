"""Takes a seat with a join link or a typed code: the handset's half of `referee.net.pairing.handshake`, over HTTP."""

from __future__ import annotations

import http.client
import json
import time
from typing import Any

from referee.net.credential import KeyPair
from referee.net.errors import BrokerUnreachableError, JoinError, LinkError
from referee.net.pairing.handshake import Joined, Joining
from referee.net.pairing.lobby import JoinLink, read_join_url

PATIENCE_S = 15.0
_MOST_BYTES = 16 * 1024
_TRIES = 3
_PAUSE_S = 0.5
_TRIES_TO_HEAR_WHY = 10
"""A table that was just started lets its broker refuse handsets before its web server answers."""


def join(url: str, keys: KeyPair | None = None) -> Joined:
    """Take the seat of a link. Raises `JoinError`, or `BrokerUnreachableError` when nobody answers there; a link works once.

    A link that tells of a certificate gives no seat at a broker that shows another one, or none.
    """
    link = read_join_url(url)
    joining = Joining(link.secret, link.fingerprint, keys=keys)
    shown = _post(link, joining.first())
    joined = joining.last(_post_again(link, joining.second(shown)))
    if link.certificate not in (None, joined.credential.address.certificate_fingerprint):
        raise JoinError("wrong-certificate")
    return joined


def holder(url: str, joined: Joined) -> str:
    """Return who has the seat of a link: `you`, `another`, `nobody`; empty where the table does not say."""
    credential = joined.credential
    if credential.own is None or credential.seat is None:
        return ""
    try:
        asked = {"seat": credential.seat.value, "key": credential.own.public.text}
        answer = _post_again(read_join_url(url), asked, _TRIES_TO_HEAR_WHY)
    except LinkError:
        return ""
    return str(answer.get("holder", ""))


def _post_again(link: JoinLink, request: dict[str, Any], tries: int = _TRIES) -> dict[str, Any]:
    """Post the message that spends the link; if its answer is lost post it again, and the answer is the same."""
    for _ in range(tries - 1):
        try:
            return _post(link, request)
        except BrokerUnreachableError:
            time.sleep(_PAUSE_S)
    return _post(link, request)


def _post(link: JoinLink, request: dict[str, Any]) -> dict[str, Any]:
    """Post without a proxy: the table is on the local network."""
    connection = http.client.HTTPConnection(link.host, link.port, timeout=PATIENCE_S)
    try:
        connection.request("POST", "/pair", json.dumps(request), {"Content-Type": "application/json"})
        response = connection.getresponse()
        text = response.read(_MOST_BYTES)
        if response.length:
            raise http.client.IncompleteRead(text)
        answer = json.loads(text)
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise BrokerUnreachableError(f"no referee answers at {link.host}:{link.port} ({reason})") from None
    except (ValueError, RecursionError):
        raise JoinError("answer-unreadable") from None
    finally:
        connection.close()
    if not isinstance(answer, dict):
        raise JoinError("answer-unreadable")
    if response.status != http.client.OK:
        raise JoinError(str(answer.get("error")))
    return answer
