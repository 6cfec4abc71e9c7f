"""Search for the best network over ranked parent sets; ``forebear`` exports the public names."""
