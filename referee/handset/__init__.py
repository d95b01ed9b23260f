"""A handset without a phone: it takes a seat, then serves a script or a person at a terminal."""
