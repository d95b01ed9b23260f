"""The kiosk's window of a table, as a program of its own."""

from __future__ import annotations

from contextlib import AsyncExitStack

from referee.net.credential import Credential
from referee.runtime.child_processes import Child
from referee.runtime.table_config import TableConfig


async def start_kiosk(config: TableConfig, language: str, credential: Credential, stack: AsyncExitStack) -> Child:
    """Show the window; its end, wanted or not, is not the table's."""
    wanted = {"--turned": config.kiosk_turned, "--still": config.kiosk_still, "--sound": config.kiosk_sound}
    chosen = [option for option, on in wanted.items() if on]
    arguments = ("kiosk", "--credential", "-", "--language", language, *chosen)
    kiosk = await Child.start("the kiosk", "referee.cli.main", *arguments, on_line=lambda line: None, may_leave=True)
    stack.push_async_callback(kiosk.stop)
    kiosk.send(credential.to_json())
    return kiosk
