"""What a handset in the terminal waits for: values of its link, typed lines, and None when it is to end."""

from __future__ import annotations

from queue import SimpleQueue

from referee.net.topics.payloads import HandsetIncoming

Events = SimpleQueue[HandsetIncoming | str | None]

THROWN_OFF = (
    "the table does not know this handset: another one took its seat, or the table was started anew or lost its list"
)
WHY_THROWN_OFF = {
    "another": "the table does not know this handset any more: another one took its seat",
    "nobody": "the table does not know this handset any more: it was started anew, or lost its list",
}
"""The same where the table says who has the seat now."""
