"""Exact search: the best network there is, with the proof that none is better."""
