"""What a kiosk has heard so far, as one value: each message gives the next one. Pure; the link's thread may compute it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kiosk_ui.sentences import Contact
from kiosk_ui.state import KioskState, kiosk_state
from referee.arbitration.views import PublicInfo, PublicView
from referee.link.incoming import KioskIncoming, LinkDown, LinkUp
from referee.link.notes import Status
from referee.words import Words


@dataclass(frozen=True, slots=True)
class Heard:
    """Whether broker and referee are there, and the newest table that was told of."""

    broker: bool = False
    referee: bool = False
    info: PublicInfo | None = None
    view: PublicView | None = None

    @property
    def contact(self) -> Contact:
        """Give what is waited for, or that nothing is."""
        if not self.broker:
            return Contact.NO_BROKER
        return Contact.LIVE if self.referee else Contact.NO_REFEREE

    def after(self, value: KioskIncoming) -> Heard:
        """Give what is known after one more message. What this kiosk does not show leaves it as it is."""
        match value:
            case LinkUp():
                return replace(self, broker=True)
            case LinkDown():
                return replace(self, broker=False, referee=False)
            case Status():
                return replace(self, referee=value.up)
            case PublicInfo():
                return replace(self, info=value)
            case PublicView():
                return replace(self, view=value)
            case _:
                return self

    def state(self, words: Words) -> KioskState:
        """Give what the screen shows. A view of another game than the one that was told of last waits for its info."""
        same = self.info is not None and self.view is not None and self.info.game == self.view.game
        return kiosk_state(self.info if same else None, self.view if same else None, words, self.contact)
