"""What happens beside play: pauses, clocks, offers and ends, going back, an arbiter's orders."""
