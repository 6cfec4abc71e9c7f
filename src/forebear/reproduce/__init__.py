"""Reproduce the tables and figures of the paper, and compare the numbers."""
