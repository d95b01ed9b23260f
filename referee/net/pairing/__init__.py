"""How a phone gets a seat: invitations, the handshake, credentials."""
