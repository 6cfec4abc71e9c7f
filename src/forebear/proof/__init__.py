"""Proofs: a score that no network exceeds, the best networks, and certificates."""
