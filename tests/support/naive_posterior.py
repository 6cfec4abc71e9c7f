"""Brute-force versions of sums over networks, which visit every network."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
from naive import is_acyclic

from forebear import Posterior
from forebear.parentsets.collection import ParentSets
from forebear.posterior.chains import ChainSettings, run_chains

Ranks = tuple[int, ...]


def network_probabilities(sets: ParentSets) -> tuple[dict[Ranks, float], float]:
    """Return the probability of every network, and the log of the sum of exp(score)."""
    lists = [list(sets.of(v)) for v in range(sets.n_variables)]
    scores: dict[Ranks, float] = {}
    for chosen in product(*lists):
        if is_acyclic([one.parents for one in chosen]):
            score = math.fsum(one.score for one in chosen)
            if math.isfinite(score):
                scores[tuple(one.rank - 1 for one in chosen)] = score
    best = max(scores.values())
    total = math.fsum(math.exp(score - best) for score in scores.values())
    shares = {ranks: math.exp(score - best) / total for ranks, score in scores.items()}
    return shares, best + math.log(total)


def arc_matrix(sets: ParentSets, shares: dict[Ranks, float]) -> np.ndarray:
    """Return the probability of every arc, one network after the other."""
    arcs = np.zeros((sets.n_variables, sets.n_variables))
    for ranks, share in shares.items():
        for v, rank in enumerate(ranks):
            for p in sets.at(v, rank + 1).parents:
                arcs[p, v] += share
    return arcs


def random_sets(
    n: int, seed: int, *, spread: float = 2.0, share: float = 0.8, most: int | None = None
) -> ParentSets:
    """Make up parent sets with random scores; the empty set is always there."""
    rng = np.random.default_rng(seed)
    most = n - 1 if most is None else most
    lists = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        own = [c for k in range(most + 1) for c in combinations(others, k)]
        own = [c for c in own if not c or rng.random() < share]
        lists.append(list(zip(rng.normal(0.0, spread, len(own)), own, strict=True)))
    names = tuple(f"X{v}" for v in range(n))
    about = {"prior": "uniform", "margin": 0.0, "max_parents": most}
    return ParentSets.of_lists(names, lists, about)


def empty_ranks(sets: ParentSets) -> list[int]:
    """Return the rank of every variable's empty set, from 0."""
    found = [sets.find(v, ()) for v in range(sets.n_variables)]
    return [one.rank - 1 for one in found if one is not None]


def drawn(n: int = 4, seed: int = 1, **changes: Any) -> Posterior:
    """Draw networks of random sets from the posterior: 4 chains of 4,000 sweeps, or as said."""
    sets = random_sets(n, seed)
    settings = replace(
        ChainSettings(chains=4, temperatures=1, threads=2, seed=1, seconds=None, sweeps=4000),
        **changes,
    )
    starts = np.array([empty_ranks(sets)] * settings.chains, dtype=np.int32)
    return run_chains(sets, starts, settings)
