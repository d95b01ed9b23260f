"""A whole game in one command: simulated hands, two players with handsets, and every real part between them."""
