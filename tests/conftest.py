"""What holds for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine must fail no property: time says nothing about it (speed lives in benchmarks/).
settings.register_profile("hallmarshal", deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
settings.load_profile("hallmarshal")
