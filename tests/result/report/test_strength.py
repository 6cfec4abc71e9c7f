"""The strength of arcs: the definition, from all joint probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from naive_inference import joint_table

from forebear import FittedNetwork, Network, simulate
from forebear.result.report.strength import arc_strengths

HALVES = np.array([0.5, 0.5])


def naive_strength(fitted: FittedNetwork, parent: int, child: int) -> float:
    """I(child; parent | other parents) in bits, as a sum over all configurations."""
    joint = joint_table(fitted)
    own = [*fitted.network.parents[child], child]
    of_family = joint.sum(axis=tuple(v for v in range(joint.ndim) if v not in own), keepdims=True)
    without_child = of_family.sum(axis=child, keepdims=True)
    without_parent = of_family.sum(axis=parent, keepdims=True)
    others = without_child.sum(axis=parent, keepdims=True)
    there = of_family > 0
    ratio = np.ones_like(of_family)
    np.divide(of_family * others, without_child * without_parent, out=ratio, where=there)
    return float((of_family * np.log2(ratio)).sum())


def test_strengths_agree_with_the_definition() -> None:
    for seed in range(6):
        fitted = simulate(6, 10, max_parents=3, seed=seed).network
        found = arc_strengths(fitted)
        assert set(found) == set(fitted.network.arcs)
        for (p, v), bits in found.items():
            assert bits == pytest.approx(naive_strength(fitted, p, v), rel=0.1, abs=0.01)


def test_parents_that_help_only_together() -> None:
    network = Network.from_arcs(["a", "b", "xor"], [("a", "xor"), ("b", "xor")])
    both = np.zeros((2, 2, 2))
    both[[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]] = 1.0
    fitted = FittedNetwork(network, (("no", "yes"),) * 3, (HALVES, HALVES, both))
    assert list(arc_strengths(fitted).values()) == pytest.approx([1.0, 1.0], abs=0.01)
