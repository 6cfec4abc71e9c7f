"""BDeu averaged over equivalent sample sizes: its definition, and files (see also test_priors)."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from naive_missing import random_missing
from strategies import datasets

from forebear import (
    BDeu,
    Dataset,
    ForebearError,
    ParentSets,
    Result,
    learn,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear.scoring.job import make_job
from forebear.scoring.scores import as_score, score_from

AUTO = BDeu(ess="auto")
tables = datasets(min_variables=2, max_variables=5, max_rows=40, max_arity=4)


@settings(max_examples=30, deadline=None)
@given(tables)
def test_equivalent_networks_have_equal_scores(data: Dataset) -> None:
    n = data.n_variables
    forward = [(), *((v,) for v in range(n - 1))]
    backward = [*((v + 1,) for v in range(n - 1)), ()]
    sums = [
        math.fsum(AUTO.local(data, v, parents) for v, parents in enumerate(network))
        for network in (forward, backward)
    ]
    assert sums[0] == pytest.approx(sums[1], abs=1e-8)


def test_probabilities_of_a_column_sum_to_one() -> None:
    """Over all columns that the child could have, given the columns of its parents."""
    data = simulate(3, 4, states=(3, 3), seed=1).data
    total = 0.0
    for column in product(range(data.arities[2]), repeat=data.n_rows):
        codes = np.vstack([data.codes[:2], np.array([column])]).astype(data.codes.dtype)
        total += math.exp(AUTO.local(replace(data, codes=codes), 2, (0, 1)))
    assert total == pytest.approx(1.0)


def test_structural_em() -> None:
    table = random_missing(simulate(5, 200, seed=1).data, 0.1, seed=1)
    table = replace(table, missing="em")
    result = learn(table, score=AUTO, generations=5, threads=1, seed=1, certify=False, cache=False)
    assert result.provenance["parameters"] == {"ess": "auto"}
    assert math.isfinite(score_network(result, table, AUTO))


def test_files_and_names(tmp_path: Path) -> None:
    table = simulate(5, 100, seed=1).data
    sets = score_parent_sets(table, score=AUTO, max_parents=2)
    sets.save(tmp_path / "sets.cps")
    again = ParentSets.load(tmp_path / "sets.cps")
    assert score_from(again.provenance) == AUTO == as_score("bdeu", ess="auto")
    assert make_job(table, score=AUTO, max_parents=2).key != make_job(table, max_parents=2).key
    result = learn(table, score=AUTO, generations=5, threads=1, seed=1)
    assert "bdeu (averaged over ess)" in str(result)
    result.save(tmp_path / "result.json")
    loaded = Result.load(tmp_path / "result.json")
    assert loaded.provenance["parameters"] == {"ess": "auto"}


@pytest.mark.parametrize("ess", ["many", "", 0, -1.0, math.inf, True, None])
def test_other_sizes_are_rejected(ess: Any) -> None:
    with pytest.raises(ForebearError, match="ess must be"):
        BDeu(ess=ess)


def test_only_bdeu_is_averaged() -> None:
    with pytest.raises(ForebearError, match="ess must be a number, or auto with bdeu"):
        as_score("bds", ess="auto")
    with pytest.raises(ForebearError, match="bic has no parameter"):
        as_score("bic", ess="auto")
