"""Results for tests of their representations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from forebear import FittedNetwork, Network, Result, Trial, Validation
from forebear.network.averages import average
from forebear.result import Choice
from forebear.result.report.arc_probabilities import ArcProbabilities
from forebear.search.trace import Improvement, Trace

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
        order=network.order,
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
    copies = [one for k, one in enumerate(reversed(found)) for _ in range(2**k)]
    averages = average(network.names, copies)
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


def chain() -> FittedNetwork:
    """A strong arc a -> b, a weak one b -> c, and d alone."""
    network = Network.from_arcs(["a", "b", "c", "d"], [("a", "b"), ("b", "c")])
    tables = ([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], [[0.6, 0.4], [0.4, 0.6]], [0.2, 0.8])
    return FittedNetwork(network, (("no", "yes"),) * 4, tuple(map(np.array, tables)))


def validated(chosen: int = 0, spread: float = 1.0) -> Result:
    """Make up a result with four ways to learn, of which the chosen one was used."""
    trials = (
        Trial("bdeu", {"ess": 1.0}, None, "light", -9 - 0.5 * spread, 0.2 * spread, 0.5, 0.1, 30.0),
        Trial("bic", {}, None, "medium", -9.0, 0.2, 0.0, 0.0, 20.0),
        Trial("bdeu", {"ess": 1.0}, 2, "medium", -9 - 0.2 * spread, 0.2 * spread, 0.2, 0.2, 20.0),
        Trial("bdeu", {"ess": 1.0}, 1, "medium", -9 - 2.25 * spread, 0.2 * spread, 2.2, 0.2, 10.0),
    )
    return result_of(random_dag(6, 2, 1), validation=Validation(trials, chosen, 150, 1))
