"""The front door: a process of its own between strangers and the referee or the hall."""
