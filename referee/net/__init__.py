"""What goes over the network: topics, the broker, sealed letters, and the links of referee, handset and kiosk.

    broker = Broker.start(state_dir, "board-1")                      # referee.net.broker.broker: our own Mosquitto
    link = RefereeLink(broker.referee(keys), on_value=take)          # referee.net.links.referee_link
    grant = SeatPairing(broker.address, keys.public).grant(seat, handset_key)    # referee.net.broker.access
    broker.admit(grant)
    link.pair(grant.seat, grant.handset_key)
    HandsetLink(grant.credential.with_keys(handset_keys), on_value=take).start()

Does not do: decide anything, keep anything (the journal is the only truth), draw anything. A rank that was not shown passes
through `referee.net.sealing.sealing` and nowhere else.
"""
