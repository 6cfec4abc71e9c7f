"""score_network(): against the definitions of the scores."""

from __future__ import annotations

import math

import naive_scores
import pytest
from hypothesis import given, settings
from strategies import columns_of, crowded, problems

from forebear._util.errors import LimitError
from forebear.data.dataset import Dataset
from forebear.network.network import Network
from forebear.scoring.network_score import family_scores, score_network
from forebear.scoring.scores import SCORES


def test_scores_that_cannot_be_computed_are_rejected() -> None:
    network, data = crowded(1_500)
    with pytest.raises(
        LimitError, match=r"hub cannot be scored by bdeu, because its 1,500 parents have"
    ):
        score_network(network, data)
    assert score_network(network, data, "ll") == 0.0


@pytest.mark.parametrize("name", sorted(SCORES))
@settings(max_examples=20)
@given(problem=problems())
def test_scores_are_those_of_the_definitions(name: str, problem: tuple[Network, Dataset]) -> None:
    network, data = problem
    places = columns_of(network, data)
    expected = [
        naive_scores.local_score(data, places[v], [places[p] for p in parents], name)
        for v, parents in enumerate(network.parents)
    ]
    assert family_scores(network, data, name) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    total = score_network(network, data, name)
    assert total == pytest.approx(math.fsum(expected), rel=1e-9, abs=1e-9)
