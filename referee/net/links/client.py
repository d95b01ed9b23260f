"""The links: what the referee, a handset, a kiosk and a station hold in their hands.

Each is made from a `Credential`, hands values to the callable `on_value` on paho's own thread (hand them over to your own), and is
safe to call from any thread. What the other side sends and cannot be used is dropped and reported as a `PeerFault`.
"""

from referee.net.links.handset_link import HandsetLink
from referee.net.links.kiosk_link import KioskLink
from referee.net.links.link_common import LinkFigures
from referee.net.links.referee_link import RefereeLink
from referee.net.links.station_link import StationLink

__all__ = ["HandsetLink", "KioskLink", "LinkFigures", "RefereeLink", "StationLink"]
