"""exact_posterior(): against every network, under constraints, and what is refused."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from hypothesis import given
from naive_posterior import arc_matrix, network_probabilities, random_sets
from strategies import parent_set_collections

from forebear import (
    ForebearError,
    Knowledge,
    LimitError,
    exact_posterior,
    score_parent_sets,
    simulate,
)
from forebear.parentsets.collection import ParentSets
from forebear.scoring.priors import with_prior


@pytest.mark.parametrize("prior", ["uniform", "sparse"])
@given(parent_set_collections(max_variables=4, required_parents=True))
def test_probabilities_are_the_naive_ones(prior: str, sets: ParentSets) -> None:
    if naive.best_score(naive.as_lists(sets)) == -np.inf:
        with pytest.raises(ForebearError, match="there is no network of these parent sets"):
            exact_posterior(sets, prior=prior)
        return
    weighted = with_prior(sets, prior)
    shares, log_evidence = network_probabilities(weighted)
    found = exact_posterior(sets, prior=prior)
    np.testing.assert_allclose(found.matrix(), arc_matrix(weighted, shares), atol=1e-9)
    assert found.log_evidence == pytest.approx(log_evidence, abs=1e-9)
    own = np.zeros(len(sets))
    for ranks, share in shares.items():
        own[weighted.offsets[:-1] + np.array(ranks)] += share
    np.testing.assert_allclose(found.sets, own, atol=1e-9)


def test_required_arcs_are_certain() -> None:
    table = simulate(5, 100, seed=1).data
    sets = score_parent_sets(table, max_parents=2, knowledge=Knowledge(required=[("X1", "X2")]))
    assert exact_posterior(sets).arc("X1", "X2") == pytest.approx(1.0)


def test_how_it_is_shown() -> None:
    found = exact_posterior(random_sets(4, 1))
    assert repr(found).startswith("ExactPosterior of 4 variables\n  arcs: ")
    assert "<th>probability</th>" in found._repr_html_()


def test_mistakes() -> None:
    with pytest.raises(ForebearError, match="must be ParentSets"):
        exact_posterior("table.csv")  # type: ignore[arg-type]
    large = score_parent_sets(simulate(21, 50, seed=1).data, max_parents=1)
    with pytest.raises(LimitError, match="at most 20 variables"):
        exact_posterior(large)
    with pytest.raises(LimitError, match="were not complete within"):
        exact_posterior(random_sets(4, 1), time_limit=1e-9)
