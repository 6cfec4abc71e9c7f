"""A score that no network exceeds, with its proof. The work is done by the core."""
