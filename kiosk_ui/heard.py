"""What a kiosk has heard so far, as one value: each message gives the next one. Pure; the link's thread may compute it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kiosk_ui.desk import Desk
from referee.net.topics.incoming import KioskIncoming, LinkDown, LinkUp
from referee.net.topics.notes import KioskNote, Status
from referee.presentation.sentences import Contact
from referee.presentation.state import KioskState, kiosk_state
from referee.rules.values import Rank, Seat
from referee.table.views import PublicEvent, PublicInfo, PublicView
from referee.words import Words


@dataclass(frozen=True, slots=True)
class Heard:
    """Whether broker and referee are there, and the newest table that was told of."""

    broker: bool = False
    referee: bool = False
    info: PublicInfo | None = None
    view: PublicView | None = None
    newest: Mapping[Seat, Rank] = field(default_factory=dict)
    """The pieces that the last attack took, by army."""
    desk: Desk = field(default_factory=Desk)

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
                return replace(self, broker=False, referee=False, desk=Desk())
            case Status():
                return replace(self, referee=value.up, desk=self.desk if value.up else Desk())
            case PublicInfo() if self.info is None or value.game != self.info.game:
                return replace(self, info=value, newest={}, desk=self.desk.next_game())
            case PublicInfo():
                return replace(self, info=value)
            case PublicView():
                return replace(self, view=value)
            case PublicEvent() if value.captured:
                return replace(self, newest=dict(value.captured))
            case KioskNote():
                return replace(self, desk=self.desk.after(value))
            case _:
                return self

    @property
    def table(self) -> tuple[PublicInfo, PublicView] | None:
        """Give the table to show. A view of another game than the one that was told of last waits for its info."""
        if self.info is None or self.view is None or self.info.game != self.view.game:
            return None
        return self.info, self.view

    def state(self, words: Words, passed_ms: int = 0) -> KioskState:
        """Give what the table looks like so long after the view was received."""
        info, view = self.table or (None, None)
        state = kiosk_state(info, view, words, self.contact, self.newest, passed_ms)
        if view is None and self.desk.complete and self.contact is Contact.LIVE:
            return replace(state, banner=replace(state.banner, text=words["kiosk.all-here"]))
        return state
