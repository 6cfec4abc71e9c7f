"""Slow and obviously right versions of the sums over networks: every network is visited."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
from naive import is_acyclic

from forebear.parentsets.collection import ParentSets
from forebear.parentsets.merging import ranking

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
    offsets, scores, columns = [0], [], []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        own = [c for k in range(most + 1) for c in combinations(others, k)]
        own = [c for c in own if not c or rng.random() < share]
        values = rng.normal(0.0, spread, len(own))
        members = np.full((most, len(own)), np.iinfo(np.uint16).max, dtype=np.uint16)
        for at, c in enumerate(own):
            members[: len(c), at] = c
        order = ranking(values, members)
        scores.append(values[order])
        columns.append(members[:, order])
        offsets.append(offsets[-1] + len(own))
    return ParentSets(
        names=tuple(f"X{v}" for v in range(n)),
        offsets=np.array(offsets, dtype=np.int64),
        scores=np.concatenate(scores),
        parents=np.ascontiguousarray(np.concatenate(columns, axis=1)),
        provenance={"prior": "uniform", "margin": 0.0, "max_parents": most},
    )


def empty_ranks(sets: ParentSets) -> list[int]:
    """Return the rank of every variable's empty set, from 0."""
    found = [sets.find(v, ()) for v in range(sets.n_variables)]
    return [one.rank - 1 for one in found if one is not None]
