"""The front door: a process of its own between strangers and the referee or the hall.

A reverse proxy that trusts nobody: it reads HTTP within fixed bounds, hands whole requests to the application by a socket pair, and
relays MQTT over WebSocket to the broker. It holds no secret but its TLS key, so who breaks it has no token, password or rank (`server`,
`places`, `relay`).
"""
