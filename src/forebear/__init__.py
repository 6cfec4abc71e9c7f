"""forebear: learn the structure of Bayesian networks from high-dimensional discrete data."""
