"""Checkpoints: what a search needs to go on after a stop."""
