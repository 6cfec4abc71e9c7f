"""A search on the workers of an executor."""
