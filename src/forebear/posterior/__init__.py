"""The posterior distribution of networks: samples, exact sums and diagnostics."""
