"""What holds for every test."""

from __future__ import annotations

import os
import signal
import sys

from hypothesis import HealthCheck, settings

# Tests start our programs some hundred times; each module is compiled once, also where the environment (as containers like to) says
# that nothing compiled is to be kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell that starts us in the background lets us ignore Ctrl-C, and so would everything that we start: tests send it to programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine must fail no property: time says nothing about it (speed lives in benchmarks/).
# The same examples each time, so that a red run is red for everybody; `pytest --hypothesis-profile explore` looks at others.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
settings.register_profile("explore", _COMMON)
settings.register_profile("hallmarshal", _COMMON, derandomize=True)
settings.load_profile("hallmarshal")
