"""Light tables for a simulated hall: the real referee, journal and broker; what hands do is told to it instead of sensed."""
