"""Junction trees: what makes a tree one, and their messages against the table of all joint
probabilities."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_inference import joint_table, networks_to_ask, posterior

from forebear import FittedNetwork, LimitError, Network
from forebear.network.junction_tree import JunctionTree


def check_tree(tree: JunctionTree) -> None:
    """Check what every junction tree has."""
    parents = tree.fitted.network.parents
    assert tree.parents[0] == -1
    assert tree.separators[0] == ()
    for k in range(1, len(tree.cliques)):
        assert 0 <= tree.parents[k] < k
        shared = {*tree.cliques[k]} & {*tree.cliques[tree.parents[k]]}
        assert tree.separators[k] == tuple(sorted(shared))
    for v, home in tree.homes.items():
        assert {*parents[v], v} - tree.evidence <= {*tree.cliques[home]}
    for one, other in combinations(tree.cliques, 2):
        assert len({*one} | {*other}) > max(len(one), len(other)), "a clique contains another"
    for v in {v for clique in tree.cliques for v in clique}:
        # The cliques that hold a variable are connected: all but one hang on one that holds it.
        tops = [
            k
            for k, clique in enumerate(tree.cliques)
            if v in clique and v not in tree.separators[k]
        ]
        assert len(tops) == 1


@settings(max_examples=60)
@given(networks_to_ask(), st.data())
def test_messages_give_the_joint_probabilities(fitted: FittedNetwork, data: st.DataObject) -> None:
    n = fitted.n_variables
    evidence = {
        v: data.draw(st.integers(0, len(fitted.states[v]) - 1))
        for v in range(n)
        if data.draw(st.booleans())
    }
    root = data.draw(st.sets(st.sampled_from(range(n)), max_size=3).map(lambda s: s - {*evidence}))
    tree = JunctionTree.of(fitted, evidence=evidence, root=root)
    check_tree(tree)
    assert root <= {*tree.cliques[0]}
    codes = np.array([[evidence.get(v, 0)] for v in range(n)])
    potentials = tree.potentials(codes)
    tree.distribute(potentials, tree.collect(potentials))
    joint = joint_table(fitted)
    for clique, logs in zip(tree.cliques, potentials, strict=True):
        assert np.exp(logs[0]) == pytest.approx(posterior(joint, clique, evidence), abs=1e-12)


def test_a_tree_with_too_many_cells_is_refused() -> None:
    n = 30
    parents = tuple(tuple(range(max(0, v - 6), v)) for v in range(n))
    tables = tuple(np.full((2,) * (len(own) + 1), 0.5) for own in parents)
    network = Network(tuple(f"v{v}" for v in range(n)), parents)
    fitted = FittedNetwork(network, (("n", "y"),) * n, tables)
    assert JunctionTree.of(fitted).width == 6
    for most, message in (
        (100, "tables of 128 cells, more than the limit of 100: give evidence"),
        (1000, "tables of 3,072 cells, more than the limit of 1,000: give evidence"),
    ):
        with pytest.raises(LimitError, match=message):
            JunctionTree.of(fitted, most_cells=most)


def test_a_grid_has_the_width_of_its_shorter_side() -> None:
    near = [[u for u in (v - 1, v - 4) if u >= 0 and (v % 4 or u == v - 4)] for v in range(40)]
    parents = tuple(map(tuple, near))
    tables = tuple(np.full((2,) * (len(own) + 1), 0.5) for own in parents)
    network = Network(tuple(f"v{v}" for v in range(40)), parents)
    assert JunctionTree.of(FittedNetwork(network, (("n", "y"),) * 40, tables)).width == 4


def test_many_variables_with_one_state() -> None:
    n = 40
    network = Network(
        tuple(f"v{v}" for v in range(n)), tuple(tuple(range(min(v, 20))) for v in range(n))
    )
    tables = tuple(np.ones((1,) * (len(own) + 1)) for own in network.parents)
    fitted = FittedNetwork(network, (("only",),) * n, tables)
    assert fitted.query([0, n - 1])["only", "only"] == 1.0
    with pytest.raises(LimitError):
        fitted.query(range(30))
