"""Checkpoints: what a search needs to continue after a stop."""
