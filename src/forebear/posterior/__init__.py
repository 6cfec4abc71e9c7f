"""The posterior distribution of networks: samples, exact sums, and how sure an arc is."""
