"""Searching for the best network over ranked parent sets."""

from forebear.search.find import ALGORITHMS, find_network
from forebear.search.minobs import MINOBS
from forebear.search.psminobs import PSMINOBS
from forebear.search.stop import AnyOf, MaxGenerations, MaxSeconds, NoImprovement, Target
from forebear.search.trace import Improvement, Trace

__all__ = [
    "ALGORITHMS",
    "MINOBS",
    "PSMINOBS",
    "AnyOf",
    "Improvement",
    "MaxGenerations",
    "MaxSeconds",
    "NoImprovement",
    "Target",
    "Trace",
    "find_network",
]
