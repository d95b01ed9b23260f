"""The hall: many tables, players, pairings and results. It sees results and public views only; no hidden rank comes in here."""
