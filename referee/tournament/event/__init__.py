"""A tournament as values: who plays, who meets whom and why, what came of it. No clock, chance, file or database inside."""
