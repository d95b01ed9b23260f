"""Mosquitto: found, configured, started, watched; its users and their rights."""
