"""Who speaks MQTT, the topics, and who may do what: made from `docs/asyncapi.yaml` by `python -m tests.net.asyncapi_document`."""

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


class Topic(Enum):
    """The topics by name; the value is the address below the root."""

    STATUS = "boards/{board}/pub/status"
    """Whether the referee is there; also its last will."""
    INFO = "boards/{board}/pub/info"
    """What stays the same for a whole game."""
    STATE = "boards/{board}/pub/state"
    """All that everybody may see of the table at this moment."""
    EVENT = "boards/{board}/pub/event"
    """What happened, numbered without gaps; after a gap the state is to be read again."""
    SEAT_IN = "boards/{board}/seat/{seat}/in"
    """Letters of the referee to one seat, sealed."""
    SEAT_OUT = "boards/{board}/seat/{seat}/out"
    """Messages of one seat's handset, sealed."""
    PRESENCE = "boards/{board}/seat/{seat}/presence"
    """Whether a seat's handset is there; also its last will."""
    KIOSK_IN = "boards/{board}/kiosk/in"
    """What the kiosk shows besides the views: join links, six digits, prompts."""
    KIOSK_OUT = "boards/{board}/kiosk/out"
    """What was tapped on the kiosk."""
    ARBITER_COMMAND = "boards/{board}/arb/cmd"
    """What an arbiter orders, signed by the station; `order` holds the JSON of an ArbiterOrder."""
    ARBITER_ACK = "boards/{board}/arb/ack"
    """What became of an order."""
    ARBITER_ALERTS = "boards/{board}/arb/alerts"
    """What needs an arbiter now, most urgent first."""
    BRIDGE = "boards/{board}/bridge"
    """Whether the table's own broker is joined to the hall's: 1, or 0, which is also its last will. Said by Mosquitto."""
    DIAGNOSIS = "boards/{board}/diag/#"
    """For engineers, off by default; never a raw amplitude while a game is played."""
    TOURNAMENT = "events/{event}/pub/#"
    """What a station tells everybody of its event: the last round (`round`) and the standings (`standings`), JSON."""
    SPECTATORS = "spec/{board}/#"
    """A delayed copy of a board's public topics."""


Line = tuple[Topic, Role, tuple[Role, ...], int, bool, int]
LINES: tuple[Line, ...] = (
    (
        Topic.STATUS,
        Role.REFEREE,
        (Role.DELAY, Role.ENGINEER, Role.HANDSET, Role.KIOSK, Role.REFEREE, Role.STATION),
        1,
        True,
        1024,
    ),
    (
        Topic.INFO,
        Role.REFEREE,
        (Role.DELAY, Role.ENGINEER, Role.HANDSET, Role.KIOSK, Role.REFEREE, Role.STATION),
        1,
        True,
        65536,
    ),
    (
        Topic.STATE,
        Role.REFEREE,
        (Role.DELAY, Role.HANDSET, Role.KIOSK, Role.STATION),
        1,
        True,
        65536,
    ),
    (
        Topic.EVENT,
        Role.REFEREE,
        (Role.DELAY, Role.HANDSET, Role.KIOSK, Role.STATION),
        1,
        False,
        8192,
    ),
    (
        Topic.SEAT_IN,
        Role.REFEREE,
        (Role.HANDSET,),
        1,
        False,
        4136,
    ),
    (
        Topic.SEAT_OUT,
        Role.HANDSET,
        (Role.REFEREE,),
        1,
        False,
        4136,
    ),
    (
        Topic.PRESENCE,
        Role.HANDSET,
        (Role.REFEREE, Role.STATION),
        1,
        True,
        1024,
    ),
    (
        Topic.KIOSK_IN,
        Role.REFEREE,
        (Role.KIOSK,),
        1,
        False,
        8192,
    ),
    (
        Topic.KIOSK_OUT,
        Role.KIOSK,
        (Role.REFEREE,),
        1,
        False,
        8192,
    ),
    (
        Topic.ARBITER_COMMAND,
        Role.STATION,
        (Role.REFEREE,),
        1,
        False,
        8192,
    ),
    (
        Topic.ARBITER_ACK,
        Role.REFEREE,
        (Role.STATION,),
        1,
        False,
        32768,
    ),
    (
        Topic.ARBITER_ALERTS,
        Role.REFEREE,
        (Role.STATION,),
        1,
        True,
        8192,
    ),
    (
        Topic.BRIDGE,
        Role.BRIDGE,
        (Role.STATION,),
        1,
        True,
        8,
    ),
    (
        Topic.DIAGNOSIS,
        Role.REFEREE,
        (Role.ENGINEER,),
        0,
        False,
        8192,
    ),
    (
        Topic.TOURNAMENT,
        Role.STATION,
        (Role.DELAY, Role.ENGINEER, Role.HANDSET, Role.KIOSK, Role.REFEREE, Role.STATION),
        1,
        True,
        65536,
    ),
    (
        Topic.SPECTATORS,
        Role.DELAY,
        (Role.SPECTATOR,),
        1,
        True,
        65536,
    ),
)
"""Topic, who publishes, who may read, QoS, retain, the longest payload."""
