"""Held-out likelihood: how well networks predict rows that they were not learnt from."""
