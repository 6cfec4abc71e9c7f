"""The network that the user starts from is never lost."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forebear import (
    PSMINOBS,
    Dataset,
    ForebearError,
    ForebearWarning,
    Knowledge,
    Network,
    Result,
    find_network,
    learn,
    score_network,
    score_parent_sets,
)
from forebear.learning.start_network import match_start

QUICK: dict[str, Any] = {"generations": 1, "seed": 1, "threads": 1, "certify": False}


def parity_table(n_variables: int) -> Dataset:
    """Return a table whose last variable is the parity of five others: no four of them tell it."""
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, (n_variables, 500), dtype=np.uint8)
    codes[-1] = codes[:5].sum(axis=0) % 2
    names = tuple(f"v{v}" for v in range(n_variables))
    return Dataset(codes, names, (("no", "yes"),) * n_variables)


def parity_network(table: Dataset) -> Network:
    """Return the network in which only the last variable has parents."""
    return Network(table.names, (*((),) * (table.n_variables - 1), tuple(range(5))))


@pytest.fixture(params=[8, 25])
def table(request: pytest.FixtureRequest) -> Dataset:
    """Return few variables, whose sets are scored at once, and more, whose sets grow."""
    return parity_table(request.param)


@pytest.mark.parametrize(
    "algorithm", ["ps-minobs", "minobs", "hill-climbing", "obs", PSMINOBS(chains=2, rate=0.1)]
)
def test_the_result_is_never_worse(table: Dataset, algorithm: Any) -> None:
    start = parity_network(table)
    result = learn(table, start=start, algorithm=algorithm, **QUICK)
    assert result.score >= score_network(start, table) - 1e-6
    assert result.score == pytest.approx(score_network(result.network, table), rel=1e-9)


def test_exact_search_is_never_worse() -> None:
    table = parity_table(25)
    start = parity_network(table)
    result = learn(table, start=start, algorithm="exact", time_limit=60, seed=1)
    assert result.score >= score_network(start, table) - 1e-6
    assert result.bound is not None
    assert result.bound >= result.score


def test_a_result_is_as_good_a_start_as_its_network(table: Dataset, tmp_path: Path) -> None:
    found = learn(table, start=parity_network(table), **QUICK)
    found.save(tmp_path / "found.json")
    for start in (found, Result.load(tmp_path / "found.json")):
        assert learn(table, start=start, **QUICK).score >= found.score - 1e-6


def test_variables_in_another_order_are_matched_by_name(table: Dataset) -> None:
    start = parity_network(table)
    result = learn(table, start=start.reordered(start.names[::-1]), **QUICK)
    assert result.score >= score_network(start, table) - 1e-6


def _find_network(table: Dataset, **settings: Any) -> Result:
    return find_network(score_parent_sets(table, max_parents=5), **settings)


@pytest.mark.parametrize("search", [learn, _find_network])
def test_variables_that_only_one_side_has_are_dropped_or_added(search: Any) -> None:
    table = parity_table(8)
    # The parents of v7 are v0 to v4, and two variables that the table lacks; it lacks v5 and v6.
    names = ("V5", *table.names[:5], "v7", "other")
    start = Network(names, ((1,), *((),) * 5, (0, 1, 2, 3, 4, 5, 7), ()))
    message = (
        r"given as start, 2 variables are dropped with the arcs, because the data lack them "
        r'\(V5: did you mean "v5"\?, other\) and 2 variables are added without arcs \(v5, v6\)$'
    )
    with pytest.warns(ForebearWarning, match=message) as warned:
        result = search(table, start=start, **QUICK)
    assert len(warned) == 1
    assert result.score >= score_network(parity_network(table), table) - 1e-6
    assert result.network.names == table.names


def test_many_other_variables_are_not_all_listed() -> None:
    names = tuple(f"x{k}" for k in range(50))
    with pytest.warns(ForebearWarning, match=r"50 variables .*x0, x1, x2, x3, x4, \.\.\.\) and"):
        match_start(Network(("a", *names), ((),) * 51), ("a", "b"))


def test_a_start_without_any_variable_of_the_table_is_an_error(table: Dataset) -> None:
    message = "start has none of the variables of the data: it has a, the data have v0, v1, v2, v3"
    with pytest.raises(ForebearError, match=message):
        learn(table, start=Network(("a",), ((),)), **QUICK)


@pytest.mark.parametrize("order", [[0, 1], ["v0", "v1"], [None], np.zeros((8, 2))])
def test_an_order_lists_all_variables(order: Any) -> None:
    message = "start must be a Result, a Network or an order of all"
    with pytest.raises(ForebearError, match=message):
        learn(parity_table(8), start=order, **QUICK)


def test_a_start_beyond_the_limit_on_parents_is_only_an_order(table: Dataset) -> None:
    with pytest.warns(ForebearWarning, match="variable with 5 parents, and the limit is 2: only"):
        result = learn(table, start=parity_network(table), max_parents=2, **QUICK)
    assert max(map(len, result.network.parents)) <= 2


def test_a_start_that_violates_the_knowledge_is_only_an_order(table: Dataset) -> None:
    forbidden = Knowledge(forbidden=[("v0", table.names[-1])])
    with pytest.warns(ForebearWarning, match="start violates the knowledge"):
        result = learn(table, start=parity_network(table), knowledge=forbidden, **QUICK)
    assert not forbidden.violations(result)


def test_a_start_keeps_the_arcs_that_the_knowledge_needs() -> None:
    table = parity_table(8)
    knowledge = Knowledge(ancestors=[("v6", "v7")])
    start = replace(parity_network(table), parents=(*((),) * 7, (0, 1, 2, 3, 4, 6)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = learn(table, start=start, knowledge=knowledge, **QUICK)
    assert not knowledge.violations(result)
    assert result.score >= score_network(start, table) - 1e-6


def test_a_collection_without_the_sets_of_the_start_causes_a_warning() -> None:
    table = parity_table(8)
    sets = score_parent_sets(table, max_parents=2)
    with pytest.warns(ForebearWarning, match="the parents of v7 in the network given as start are"):
        find_network(sets, start=parity_network(table), **QUICK)
    whole = score_parent_sets(table, max_parents=5)
    for algorithm in ("obs", PSMINOBS(chains=2, rate=0.05)):
        result = find_network(whole, start=parity_network(table), algorithm=algorithm, **QUICK)
        assert result.score >= score_network(parity_network(table), table) - 1e-6
