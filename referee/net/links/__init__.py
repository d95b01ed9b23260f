"""The links: what referee, handset, kiosk, station and spectators hold in their hands at a broker.

Each is made from a `Credential`, hands values to the callable `on_value` on paho's own thread (hand them over to your own), and is
safe to call from any thread. What the other side sends and cannot be used is dropped and reported as a `PeerFault`.
"""
