"""Who speaks MQTT, the topics, and who may do what: made from `docs/asyncapi.yaml` by `python -m tests.net.asyncapi_document`.

Apart from `topics`, which alone imports it: what is made as a whole has a file of its own.
"""

from __future__ import annotations

from enum import Enum

ROOT = "hallmarshal/1"
"""The number is the version of everything below; an incompatible change gets another one and lives beside it."""


class Role(Enum):
    """Who speaks MQTT."""

    REFEREE = "referee"
    """One board's."""
    KIOSK = "kiosk"
    """The screen beside the board."""
    HANDSET = "handset"
    """One role a seat, and none of them has a wildcard; of topics with a seat it has its own only."""
    STATION = "station"
    """The arbiters' of a hall."""
    BRIDGE = "bridge"
    """A table's own broker, as the hall's knows it."""
    DELAY = "delay"
    """Copies what boards tell everybody, later."""
    SPECTATOR = "spectator"
    """Reads the delayed copy and nothing else, so that no path to it is undelayed."""
    ENGINEER = "engineer"
    """Looks for faults; has no user of its own yet."""


_READ_STATUS = {Role.DELAY, Role.ENGINEER, Role.HANDSET, Role.KIOSK, Role.REFEREE, Role.STATION}
_READ_STATE = {Role.DELAY, Role.HANDSET, Role.KIOSK, Role.STATION}
"""Who reads the topic of that name, and other topics too."""


class Topic(Enum):
    """The topics by name: address below the root (which is the value), who publishes, who may read, QoS, retain, the longest payload."""

    _value_: str
    publishes: Role
    reads: frozenset[Role]
    qos: int
    retain: bool
    most_bytes: int
    """The longest payload that a receiver looks at."""

    def __new__(cls, address: str, publishes: Role, reads: set[Role], qos: int, retain: bool, most_bytes: int) -> Topic:
        """Make a member; only its address is its value."""
        topic = object.__new__(cls)
        topic._value_, topic.publishes, topic.reads = address, publishes, frozenset(reads)
        topic.qos, topic.retain, topic.most_bytes = qos, retain, most_bytes
        return topic

    STATUS = "boards/{board}/pub/status", Role.REFEREE, _READ_STATUS, 1, True, 1024
    """Whether the referee is there; also its last will."""
    INFO = "boards/{board}/pub/info", Role.REFEREE, _READ_STATUS, 1, True, 65536
    """What stays the same for a whole game."""
    STATE = "boards/{board}/pub/state", Role.REFEREE, _READ_STATE, 1, True, 65536
    """All that everybody may see of the table at this moment."""
    EVENT = "boards/{board}/pub/event", Role.REFEREE, _READ_STATE, 1, False, 8192
    """What happened, numbered without gaps; after a gap the state is to be read again."""
    SEAT_IN = "boards/{board}/seat/{seat}/in", Role.REFEREE, {Role.HANDSET}, 1, False, 4136
    """Letters of the referee to one seat, sealed."""
    SEAT_OUT = "boards/{board}/seat/{seat}/out", Role.HANDSET, {Role.REFEREE}, 1, False, 4136
    """Messages of one seat's handset, sealed."""
    PRESENCE = "boards/{board}/seat/{seat}/presence", Role.HANDSET, {Role.REFEREE, Role.STATION}, 1, True, 1024
    """Whether a seat's handset is there; also its last will."""
    KIOSK_IN = "boards/{board}/kiosk/in", Role.REFEREE, {Role.KIOSK}, 1, False, 8192
    """What the kiosk shows besides the views: join links, six digits, prompts."""
    KIOSK_OUT = "boards/{board}/kiosk/out", Role.KIOSK, {Role.REFEREE}, 1, False, 8192
    """What was tapped on the kiosk."""
    ARBITER_COMMAND = "boards/{board}/arb/cmd", Role.STATION, {Role.REFEREE}, 1, False, 8192
    """What an arbiter orders, signed by the station; `order` holds the JSON of an ArbiterOrder."""
    ARBITER_ACK = "boards/{board}/arb/ack", Role.REFEREE, {Role.STATION}, 1, False, 32768
    """What became of an order."""
    ARBITER_ALERTS = "boards/{board}/arb/alerts", Role.REFEREE, {Role.STATION}, 1, True, 8192
    """What needs an arbiter now, most urgent first."""
    BRIDGE = "boards/{board}/bridge", Role.BRIDGE, {Role.STATION}, 1, True, 8
    """Whether the table's own broker is joined to the hall's: 1, or 0, which is also its last will. Said by Mosquitto."""
    DIAGNOSIS = "boards/{board}/diag/#", Role.REFEREE, {Role.ENGINEER}, 0, False, 8192
    """For engineers, off by default; never a raw amplitude while a game is played."""
    TOURNAMENT = "events/{event}/pub/#", Role.STATION, _READ_STATUS, 1, True, 65536
    """What a station tells everybody of its event: the last round (`round`) and the standings (`standings`), JSON."""
    SPECTATORS = "spec/{board}/#", Role.DELAY, {Role.SPECTATOR}, 1, True, 65536
    """A delayed copy of a board's public topics."""
