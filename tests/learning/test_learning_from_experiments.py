"""Learning from experiments: every step counts a family where its child was not set."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import naive
import naive_scores
import numpy as np
import polars as pl
import pytest
from expected import error
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_posterior import arc_matrix, network_probabilities
from strategies import experiments, networks
from tables import with_experiments

from forebear import (
    BDeu,
    Dataset,
    FittedNetwork,
    ForebearWarning,
    Knowledge,
    Network,
    ParentSets,
    ReadOptions,
    Result,
    bootstrap_averages,
    certify_arcs,
    exact_posterior,
    find_network,
    fit_network,
    k_best_networks,
    learn,
    resume_search,
    sample_posterior,
    score_network,
    score_parent_sets,
    simulate,
    validate,
)
from forebear.data.formats.arrays import read_arrays, write_arrays
from forebear.scoring.scores import score_from

IGNORE_WARNINGS = pytest.mark.filterwarnings("ignore::forebear.ForebearWarning")


@pytest.fixture(scope="module")
def table() -> Dataset:
    return with_experiments(simulate(6, 300, states=(2, 3), seed=3).data, 3)


@pytest.fixture(scope="module")
def wide() -> Dataset:
    """A table whose parent sets grow during the search."""
    return with_experiments(simulate(22, 300, seed=4).data, 8)


def assert_scored(result: Result, data: Dataset) -> None:
    assert result.network.row_sets == data.row_sets
    assert result.network.parents[-1] == ()  # set in every row
    own = score_from(result.provenance)
    assert score_network(result, data, own) == pytest.approx(result.score, rel=1e-9, abs=1e-9)


@given(experiments(min_variables=2, max_variables=4))
@settings(max_examples=25)
def test_exact_search_finds_the_best_network(data: Dataset) -> None:
    result = learn(data, score="bdeu", algorithm="exact", time_limit=60)
    expected = naive.best_score(naive.parent_sets(data, data.n_variables - 1, "bdeu"))
    assert result.status == "optimal"
    assert result.score == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_experiments_determine_directions() -> None:
    """Every second variable of a chain is set in some rows, so all directions follow."""
    names, rng = tuple("abcde"), np.random.default_rng(1)
    chain = Network.from_arcs(names, list(pairwise(names)))
    tables: list[Any] = [[0.5, 0.5], *[[[0.9, 0.1], [0.2, 0.8]]] * 4]
    states, rows = (("no", "yes"),) * 5, []
    for target in (None, 1, 3):
        changed = list(tables)
        if target is not None:
            changed[target] = [[0.5, 0.5]] * 2
        rows.append(FittedNetwork(chain, states, tuple(changed)).sample(500, rng).codes)
    mask = np.zeros((5, 1500), dtype=np.bool_)
    mask[1, 500:1000] = mask[3, 1000:] = True
    data = Dataset(np.concatenate(rows, axis=1), names, states, intervened=mask)
    result = learn(data, generations=3, seed=1)
    assert result.network == chain
    assert result.network.cpdag().undirected == ()
    assert "in some rows: 2 of 5 variables" in repr(result)
    observed = learn(replace(data, intervened=None), generations=3, seed=1)
    assert observed.network.row_sets is None
    assert "experiments" not in repr(observed)


@IGNORE_WARNINGS
def test_many_rows() -> None:
    """The search starts on samples of the rows."""
    data = with_experiments(simulate(22, 33_000, seed=4).data, 8)
    assert_scored(learn(data, generations=2, seed=1, max_parents=3), data)


@IGNORE_WARNINGS
def test_few_rows(wide: Dataset) -> None:
    """Arcs are counted in a copy in which values are shuffled together with the mask."""
    data = wide.take(np.arange(60))
    result = learn(data, generations=2, seed=1, certify=False)
    assert_scored(result, data)
    assert result.chance is not None


def test_a_resumed_search(wide: Dataset, tmp_path: Path) -> None:
    learn(wide, generations=3, seed=1, certify=False, checkpoint=tmp_path / "half")
    assert_scored(resume_search(tmp_path / "half", threads=1), wide)


def test_executors_receive_the_experiments(wide: Dataset) -> None:
    with ProcessPoolExecutor(1) as pool:
        result = learn(wide, generations=2, seed=1, executor=pool, certify=False)
    assert_scored(result, wide)


def test_tables_in_files_for_other_processes(table: Dataset, tmp_path: Path) -> None:
    write_arrays(table, tmp_path / "table.npz")
    assert read_arrays(tmp_path / "table.npz").fingerprint == table.fingerprint


def test_the_cache_tells_experiments_apart(table: Dataset, tmp_path: Path) -> None:
    plain = replace(table, intervened=None)
    assert plain.fingerprint != table.fingerprint
    for data in (table, plain, table):
        result = learn(data, generations=2, seed=1, cache=tmp_path, max_parents=2)
        assert score_network(result, data) == pytest.approx(result.score, rel=1e-9)


LEARNED: dict[str, Callable[[Dataset], Any]] = {
    "holdout": lambda data: learn(data, holdout=0.2, generations=2, seed=1).held_out,
    "auto": lambda data: learn(data, score="auto", generations=2, seed=1).held_out,
    "averaged": lambda data: learn(data, score=BDeu("auto"), generations=2, seed=1).score,
    "sparse": lambda data: learn(data, prior="sparse", generations=2, seed=1).score,
    "validate": lambda data: validate(data, folds=2, generations=2, seed=1).best.held_out,
    "bootstrap": lambda data: sum(
        bootstrap_averages(data, replicates=2, generations=2, seed=1).arcs.values()
    ),
    "knowledge": lambda data: (
        learn(data, knowledge=Knowledge(ancestors=[("X1", "X4")]), generations=2, seed=1).score
    ),
}


@IGNORE_WARNINGS
@pytest.mark.parametrize("name", LEARNED)
def test_what_combines(name: str, table: Dataset) -> None:
    assert np.isfinite(LEARNED[name](table))


def test_posteriors(table: Dataset) -> None:
    data = table.select([0, 2, 4, 5])
    sets = score_parent_sets(data, max_parents=2, score=BDeu(prior="sparse"))
    shares, _ = network_probabilities(sets)
    expected = arc_matrix(sets, shares)
    for (parent, child), share in exact_posterior(sets).arcs.items():
        assert share == pytest.approx(expected[parent, child], abs=1e-9)
    drawn = sample_posterior(table, sweeps=50, seed=1)
    assert drawn.most_probable().row_sets == table.row_sets


# ---- probabilities ------------------------------------------------------------------------


@given(experiments(min_variables=2), st.sampled_from([0.0, 1.0]), st.data())
def test_fits_and_likelihoods(data: Dataset, ess: float, draw: st.DataObject) -> None:
    n = data.n_variables
    network = Network(data.names, draw.draw(networks(max_variables=n, min_variables=n)).parents)
    fitted = fit_network(network, data, ess=ess)
    likelihood = 0.0
    for v, own in enumerate(network.parents):
        family = naive_scores.count(data, v, own)
        weight = ess / family.n_configurations
        for (configuration, state), rows in family.cells.items():
            share = (rows + weight / family.child_arity) / (
                family.configurations[configuration] + weight
            )
            assert fitted.tables[v][(*configuration, state)] == pytest.approx(share)
            likelihood += rows * np.log(share)
    logs = fitted.log_likelihoods(data)
    assert logs.shape == (data.n_rows,)
    assert logs.sum() == pytest.approx(likelihood, rel=1e-9, abs=1e-9)
    smoothed = fit_network(network, data)  # also of a variable that was set in every row
    assert all(np.isfinite(own).all() for own in smoothed.tables)


def test_raw_rows_are_counted_as_the_table_was(table: Dataset) -> None:
    frame, read = table.to_frame(intervened="targets"), ReadOptions(intervened="targets")
    result = learn(frame, read=read, generations=2, seed=1)
    assert_scored(result, table)
    assert score_network(result, frame) == score_network(result, table)
    fitted, expected = result.fit(frame), result.fit(table)
    for own, other in zip(fitted.tables, expected.tables, strict=True):
        assert np.array_equal(own, other)
    logs = fitted.log_likelihoods(frame)
    assert np.array_equal(logs, fitted.log_likelihoods(table))
    assert np.array_equal(logs, fitted.log_likelihoods(frame, read=read))
    rows = frame.drop("targets")  # new rows, in which nothing was set
    assert fitted.log_likelihood(rows) < logs.sum()
    predicted = fitted.predict(rows, "X1").tolist()
    assert fitted.predict(frame, "X1").tolist() == predicted
    assert fitted.predict(frame, "X1", read=read).tolist() == predicted
    with error("intervened: there is no column 'targets'"):
        result.fit(rows)


def test_a_warning_if_a_mask_is_forgotten(table: Dataset) -> None:
    assert table.intervened is not None
    frame, mask = table.to_frame(), table.intervened.T
    result = learn(frame, read=ReadOptions(intervened=mask), generations=2, seed=1)
    assert_scored(result, table)
    with pytest.warns(ForebearWarning, match="learned from a table with experiments"):
        result.fit(frame)
    named = ReadOptions(intervened=pl.DataFrame(mask, schema=list(table.names)))
    again = result.fit(frame, read=named)
    assert np.array_equal(again.tables[0], result.fit(table).tables[0])


# ---- equivalence --------------------------------------------------------------------------


def test_the_best_classes_are_interventional(table: Dataset) -> None:
    data = table.select([0, 2, 3, 5])
    sets = score_parent_sets(data, max_parents=3, score="bic")
    found = k_best_networks(sets, 6, classes=True, seed=1)
    assert found[0].stop_reason == "optimal"
    expected: list[tuple[float, Network]] = []
    for score, parents in naive.all_networks(naive.as_lists(sets)):
        network = Network(data.names, parents, row_sets=data.row_sets)
        if not any(network.equivalent(other) for _, other in expected):
            expected.append((score, network))
    for one, (score, network) in zip(found, expected, strict=False):
        assert one.score == pytest.approx(score, rel=1e-12)
        assert one.network.equivalent(network)


def test_margins_and_files(table: Dataset, tmp_path: Path) -> None:
    sets = score_parent_sets(table, max_parents=2)
    sets.save(tmp_path / "sets.cps")
    found = find_network(ParentSets.load(tmp_path / "sets.cps"), algorithm="exact", seed=1)
    assert_scored(found, table)
    plain = Network(found.network.names, found.network.parents)
    assert plain.compelled < found.network.compelled
    margins = certify_arcs(sets, plain, seed=1)
    directed = {(one.parent, one.child) for one in margins.of_kind("direction")}
    assert directed == found.network.compelled
    found.save(tmp_path / "found.json")
    assert Result.load(tmp_path / "found.json").network.cpdag() == found.network.cpdag()
    found.report(tmp_path / "report.html", table)
