"""A proven score that no network exceeds. The core does the work."""
