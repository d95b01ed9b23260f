"""What a door is told when it is started. No secret is in it: everybody on the machine may read a program's arguments."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True)
class BrokerTarget:
    """Where phones' MQTT goes; `certificate` (PEM) is the only one that the broker may show, None: the connection is plain."""

    host: str
    port: int
    certificate: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class DoorSettings:
    """Which requests a door lets in, and where it passes them on."""

    policy: str
    """The Content-Security-Policy of all pages."""
    names: tuple[str, ...] = ()
    """The names under which this machine is reached, besides its addresses."""
    home: str = ""
    """Where who came by another name is sent; with `https` who came without it, too."""
    broker: BrokerTarget | None = None
    certificate: str = ""
    """The file of the certificate that it shows to who speaks TLS, and below its key's; none: plain HTTP alone."""
    key: str = ""
    watched: str = ""
    """The path of the stream that anybody may have without a name; none: there is no such thing."""
    listeners: tuple[int, ...] = ()
    """File descriptors of the sockets that listen."""
    control: int = -1
    """The descriptor of the line to the application: each request goes over a line of its own, which is sent along it."""

    def written(self) -> str:
        """Return it as an argument."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> Self:
        """Read what `written` gave."""
        fields = json.loads(text)
        broker = fields.pop("broker")
        return cls(broker=None if broker is None else BrokerTarget(**broker), **fields)
