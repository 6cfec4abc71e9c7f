"""Algorithms to compare with: OBS, ASOBS, hill climbing and tabu search."""
