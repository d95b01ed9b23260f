"""What a handset in the terminal waits for: values of its link, typed lines, and None when it is to end."""

from __future__ import annotations

from queue import SimpleQueue

from referee.link.incoming import HandsetIncoming

Events = SimpleQueue[HandsetIncoming | str | None]

THROWN_OFF = "the table does not want this handset any more: another one was paired for its seat"
