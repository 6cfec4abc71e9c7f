"""Results made by hand, for tests of what shows them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from forebear import Network, Result
from forebear.report.probabilities import ArcProbabilities
from forebear.result import Choice
from forebear.search.trace import Improvement, Trace
from forebear.uncertainty.averaging import average

NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script ><script>alert(2)</script >",
    "<!-- <script>",
    "it's & 'more' <!-- --> ]]>",
    "{{ 7 * 7 }}{% raw %}",
    "Обувь 鞋 👟 \u202e",
    "half \ud800, zero \x00",
    "",
)
"""Names that a page must show as they are, and never run."""


def result_of(network: Network, **changes: Any) -> Result:
    """Make up a result for a network: three chains, ranks 1, 2, 3, 1, ..., 1,000 rows."""
    choices = tuple(Choice(1 + v % 3, 7 + v % 3, -10.0 - v / 8) for v in range(network.n_variables))
    steps = [
        Improvement(chain, 0.01 * chain * 3.0**k, k, -200.0 / (k + 1) - chain)
        for k in range(5)
        for chain in (1, 2, 3)
    ]
    made = Result(
        network=network,
        score=sum(choice.score for choice in choices),
        order=network.topological_order(),
        choices=choices,
        algorithm="ps-minobs",
        settings={"chains": 3, "rate": None, "minobs": {"population": 60}},
        seed=1234567,
        winner=2,
        stop_reason="time",
        seconds=9.0,
        generations=(5, 6, 7),
        trace=Trace(steps),
        provenance={"rows": 1000, "score": "bdeu", "parameters": {"ess": 1.0}},
        version="0.1.0",
        phases={"score": 1.0, "search": 9.0},
    )
    return replace(made, **changes)


def unsure_arcs(network: Network, *others: tuple[tuple[int, ...], ...]) -> ArcProbabilities:
    """Make up probabilities: every other network is half as probable as the one before it."""
    found = (network.parents, *others)
    averages = average(network.names, found, [0.5**k for k in range(len(found))])
    rows = [
        (p, v, round(1000 * share), round(1000 * averages.edge(p, v)))
        for (p, v), share in averages.ranked_arcs()
    ]
    return ArcProbabilities("Drawn by hand.", "The chains agree.", 3, rows, [("ranks", "<svg/>")])


def random_dag(n: int, most_parents: int, seed: int = 0) -> Network:
    """Draw a network in which nearby variables are related."""
    rng = np.random.default_rng(seed)
    parents = [
        tuple({int(p) for p in rng.integers(max(0, v - 200), v, rng.integers(0, most_parents + 1))})
        if v
        else ()
        for v in range(n)
    ]
    return Network(tuple(f"word {v}" for v in range(n)), tuple(parents))
