"""Takes a seat with a join link: a key pair of one's own, `POST /pair`, and the check that the right referee answered."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import Any

from referee.link.credential import Credential, KeyPair, PublicKey
from referee.link.errors import BrokerUnreachableError, CredentialError, JoinError
from referee.link.lobby import JoinLink, read_join_url
from referee.link.pairing import six_digits

PATIENCE_S = 15.0
_MOST_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class Joined:
    """A seat that was taken: what connects to the broker, and the digits that the table shows too."""

    credential: Credential
    digits: str


def join(url: str) -> Joined:
    """Take the seat of a link. Raises `JoinError`, or `BrokerUnreachableError` when nobody answers there; a link works once."""
    link = read_join_url(url)
    keys = KeyPair.create()
    answer = _post(link, {"token": link.token, "public_key": keys.public.text})
    try:
        credential = Credential.from_json(answer["credential"])
    except (CredentialError, KeyError, TypeError, AttributeError):
        raise JoinError("answer-unreadable") from None
    referee = _checked(credential.peer, link)
    return Joined(credential.with_keys(keys), six_digits(referee, keys.public, link.token.encode()))


def _checked(referee: PublicKey | None, link: JoinLink) -> PublicKey:
    if referee is None or referee.fingerprint != link.fingerprint:
        raise JoinError("wrong-referee")
    return referee


def _post(link: JoinLink, request: dict[str, str]) -> dict[str, Any]:
    """Post without a proxy: the table is on the local network."""
    connection = http.client.HTTPConnection(link.host, link.port, timeout=PATIENCE_S)
    try:
        connection.request("POST", "/pair", json.dumps(request), {"Content-Type": "application/json"})
        response = connection.getresponse()
        answer = json.loads(response.read(_MOST_BYTES))
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
