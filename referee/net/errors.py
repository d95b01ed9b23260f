"""The errors of this room, in a file of their own since every sub-package raises some. Their texts hold no payload, password or rank.

LinkError
├── TopicError               a board id or an event name that cannot stand in a topic
├── CredentialError          a credential or key that cannot be read
├── MessageTooLongError      a message of ours that does not fit its padding
├── NoGameError              something was to be sealed before a game was published
├── LinkFullError            too many messages of this handset are waiting for their answer
├── NotAskedError            a handset wants to answer what it was not asked
├── JoinError                a seat is not given to whoever asked for it
├── BrokerError              the broker and the way to it
│   ├── BrokerMissingError       Mosquitto or its plugin is not installed
│   ├── BrokerPortError          the port is taken
│   ├── BrokerStartError         Mosquitto ended or did not answer in time
│   ├── BrokerUnreachableError   nobody answers at that address
│   ├── BrokerRefusedError       it answers, and refuses the credential or a topic
│   └── BrokerControlError       the broker did not carry out a change of its users
└── PeerError                the other side sent what cannot be used; it is dropped, nothing was changed
    ├── PayloadError             not JSON, unknown or missing fields, wrong types, too long
    ├── SealError                not sealed by the key we expect, or damaged
    ├── ReplayError              sealed by the right key, and seen before or long ago
    ├── OtherGameError           sealed for another game
    ├── OtherSeatError           sealed for another seat, or in the other direction
    ├── OtherSessionError        sealed for another session, or the first of a session is not a hello
    ├── SignatureError           an order that the station did not sign
    ├── FloodError               more than anybody has to say
    └── ResendError              asks for more of what it was sent than it may
"""

from __future__ import annotations


class LinkError(Exception):
    """The root of all errors of this room."""


class TopicError(LinkError):
    """A board id or an event name has signs that do not belong in a topic."""


class CredentialError(LinkError):
    """A credential or key cannot be read."""


class MessageTooLongError(LinkError):
    """A message of ours does not fit its padding; nothing was sent."""


class NoGameError(LinkError):
    """There is no game yet that a letter could belong to; nothing was sent."""


class LinkFullError(LinkError):
    """Too many messages wait for an answer; this one was not taken."""


class NotAskedError(LinkError):
    """No question is open that this would answer."""


class JoinError(LinkError):
    """A seat was not given; `reason` is a stable word.

    `token-unknown`, `token-used`, `token-expired`: ask for a new link. `link-unreadable`: that is no join link. `request-unreadable`,
    `wrong-referee`, `not-now`: what came is no pairing, comes from another referee than the link tells of, or could not be done.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BrokerError(LinkError):
    """The broker cannot be had."""


class BrokerMissingError(BrokerError):
    """Mosquitto or its dynamic-security plugin is not installed."""


class BrokerPortError(BrokerError):
    """The port is in use."""


class BrokerStartError(BrokerError):
    """Mosquitto ended at once, or did not accept connections in time."""


class BrokerUnreachableError(BrokerError):
    """No broker answers at the address."""


class BrokerRefusedError(BrokerError):
    """The broker refuses the user or a subscription."""


class BrokerControlError(BrokerError):
    """The broker did not change its users as it was asked to."""


class PeerError(LinkError):
    """The other side sent something that cannot be used; it was dropped and nothing was changed."""


class PayloadError(PeerError):
    """A payload is not what its topic carries."""


class SealError(PeerError):
    """A sealed message was not made with the key we expect, or was damaged."""


class ReplayError(PeerError):
    """A sealed message was seen before, or is too old to tell."""


class OtherGameError(PeerError):
    """A sealed message belongs to another game."""


class OtherSeatError(PeerError):
    """A sealed message is for another seat, or goes in the other direction."""


class OtherSessionError(PeerError):
    """A sealed message belongs to another session of the referee or of the handset."""


class SignatureError(PeerError):
    """An arbiter's order bears no signature of the station that this table belongs to."""


class FloodError(PeerError):
    """The other side sends more than anybody has to say; it was not looked at."""


class ResendError(PeerError):
    """The other side wants sent again more than it may have; it was sent nothing, and may ask later."""
