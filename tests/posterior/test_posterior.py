"""Posterior: what the draws say, against brute force."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import naive_averages
import numpy as np
import pytest
from naive_posterior import drawn, network_probabilities, random_sets

from forebear import ForebearError, Network, Posterior


def test_features_are_shares_of_the_draws() -> None:
    posterior = drawn(sweeps=100)  # brute force is slow
    networks = list(posterior.networks())
    parents = [one.parents for one in networks]
    _, _, blankets = naive_averages.feature_probabilities(parents, [Fraction(1)] * len(parents))
    for (u, v), share in blankets.items():
        assert posterior.blanket(u, v) == pytest.approx(float(share))
    assert posterior.edge("X0", "X1") == posterior.arc(0, 1) + posterior.arc(1, 0)
    paths = Counter(pair for one in networks for pair in permutations(range(4), 2)
                    if _leads(one, *pair))  # fmt: skip
    for u, v in permutations(range(4), 2):
        assert posterior.ancestor(u, v) == pytest.approx(paths[u, v] / len(networks))
    mean = posterior.probability(lambda network: len(network.arcs))
    assert mean == pytest.approx(np.mean([len(one.arcs) for one in networks]))
    there = posterior.values(lambda network: (0, 1) in network.arcs)
    assert there.shape == (posterior.n_chains, posterior.n_draws)
    assert there.ravel().tolist() == [float((0, 1) in one.arcs) for one in networks]


def _leads(network: Network, u: int, v: int) -> bool:
    return any(u == p or _leads(network, u, p) for p in network.parents[v])


def test_networks_that_sum_it_up(posterior: Posterior) -> None:
    sets = random_sets(4, 1)
    best = max(network_probabilities(sets)[0].items(), key=lambda one: one[1])[0]
    expected = tuple(sets.at(v, rank + 1).parents for v, rank in enumerate(best))
    assert posterior.most_probable().parents == expected
    for p, v in posterior.median().arcs:
        assert posterior.arc(p, v) > 0.5
    for p, v in posterior.consensus(0.7).arcs:
        assert posterior.edge(p, v) >= 0.7
    cycle = {(0, 1): 0.6, (1, 2): 0.6, (2, 0): 0.55}
    assert replace(posterior, arcs=cycle).median().arcs == ((0, 1), (1, 2))


def test_the_frame(posterior: Posterior) -> None:
    frame = posterior.to_frame()
    assert frame.columns[-2:] == ["rhat", "effective_sample_size"]
    assert frame["probability"].is_sorted(descending=True)
    assert set(posterior.diagnostics.arc_rhat) <= set(posterior.arcs)


def test_arviz(posterior: Posterior, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(__import__("sys").modules, "arviz", None)
        with pytest.raises(ForebearError, match="requires the package arviz"):
            posterior.to_arviz()
    pytest.importorskip("arviz")
    data = posterior.to_arviz()
    assert data.posterior["score"].shape == posterior.scores.shape
    assert data.posterior["arc"].shape[:2] == posterior.scores.shape
