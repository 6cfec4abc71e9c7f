"""Exact search: finds the best network and proves that no network scores higher."""
