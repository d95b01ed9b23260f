"""Why a demo cannot be played. One clear line each; the command turns them into its exit codes.

DemoError             a real part could not be started, or broke
DemoInputError        what was asked for cannot be played
"""

from __future__ import annotations


class DemoError(Exception):
    """A broker, a board, a handset or a kiosk that cannot be started or has gone."""


class DemoInputError(Exception):
    """Arguments or a recorded game that cannot be played; nothing was started."""
