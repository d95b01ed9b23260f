"""Measurements; each module is one, run by `hallmarshal bench NAME`."""
