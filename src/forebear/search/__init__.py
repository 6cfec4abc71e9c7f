"""Searching for the best network over ranked parent sets; the names to use are in ``forebear``."""
