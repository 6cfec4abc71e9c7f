"""Row weights: whole weights give exactly what the table with repeated rows gives."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from expected import error
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scoredsets import assert_by_definition, score_of, scored_by
from strategies import networks, weighted_datasets

from forebear import (
    DataError,
    Dataset,
    FittedNetwork,
    Network,
    ReadOptions,
    bootstrap_averages,
    exact_posterior,
    find_network,
    fit_network,
    learn,
    sample_posterior,
    score_network,
    score_parent_sets,
    validate,
)
from forebear.learning.bootstrap import resample
from forebear.learning.trials import fold, hold_out
from forebear.network.expectation_maximization import expect
from forebear.scoring.network_score import family_scores
from forebear.scoring.scores import SCORES

ALLOWED = ("bdeu", "bds", "bic", "aic", "k2", "ll")
"""The scores that allow real weights."""


@pytest.fixture(scope="module")
def weighted() -> Dataset:
    """A table of dependent columns, with rows that count 0 to 9 times."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, (5, 60))
    for v in range(1, 5):
        codes[v] = np.where(rng.random(60) < 0.7, codes[v - 1], codes[v])
    names, states = tuple(f"X{v}" for v in range(5)), (("a", "b", "c"),) * 5
    return Dataset(codes, names, states, weights=rng.integers(0, 10, 60))


@pytest.fixture(scope="module")
def incomplete(weighted: Dataset) -> Dataset:
    """The same table, with missing values."""
    gaps = np.random.default_rng(6).random(weighted.codes.shape) < 0.1
    codes = np.where(gaps, 3, weighted.codes)
    return Dataset(codes, weighted.names, weighted.states, "available", weights=weighted.weights)


def same_tables(one: FittedNetwork, other: FittedNetwork) -> bool:
    pairs = zip(one.tables, other.tables, strict=True)
    return all(np.array_equal(own, theirs) for own, theirs in pairs)


def network_over(data: Dataset, draw: st.DataObject) -> Network:
    n = data.n_variables
    drawn = draw.draw(networks(max_variables=n, min_variables=n))
    return Network(data.names, drawn.parents)


@given(weighted_datasets(), st.sampled_from(sorted(SCORES)), st.data())
def test_scores(data: Dataset, score: str, draw: st.DataObject) -> None:
    network, whole = network_over(data, draw), data.expanded()
    assert family_scores(network, data, score) == family_scores(network, whole, score)


@given(weighted_datasets(), st.sampled_from(sorted(SCORES)))
@settings(max_examples=25)
def test_parent_sets(data: Dataset, score: str) -> None:
    most = min(2, data.n_variables - 1)
    found = score_parent_sets(data, score=score, max_parents=most)
    expected = score_parent_sets(data.expanded(), score=score, max_parents=most)
    assert np.array_equal(found.scores, expected.scores)
    assert np.array_equal(found.parents, expected.parents)


@given(weighted_datasets(), st.sampled_from(["light", "medium", "strong", "ess"]), st.data())
def test_fits_and_likelihoods(data: Dataset, smoothing: Any, draw: st.DataObject) -> None:
    network, whole = network_over(data, draw), data.expanded()
    fitted = fit_network(network, data, smoothing=smoothing)
    assert same_tables(fitted, fit_network(network, whole, smoothing=smoothing))
    logs = fitted.log_likelihoods(data)
    assert np.array_equal(logs, fitted.log_likelihoods(whole))
    assert fitted.log_likelihood(data) == pytest.approx(logs.sum(), rel=1e-12)


@given(weighted_datasets(missing=True), st.data())
@settings(max_examples=25)
def test_expectation_maximization(data: Dataset, draw: st.DataObject) -> None:
    assume(data.has_missing)
    network = network_over(data, draw)
    found, expected = expect(network, data), expect(network, data.expanded())
    assert found.completed.fingerprint == expected.completed.fingerprint


@given(weighted_datasets(), st.integers(0, 9))
def test_samples_and_splits(data: Dataset, seed: int) -> None:
    def same(one: Dataset, other: Dataset) -> bool:
        return one.expanded().fingerprint == other.fingerprint

    whole = data.expanded()
    drawn, expected = (resample(own, np.random.default_rng(seed)) for own in (data, whole))
    assert same(drawn, expected)
    assume(data.n_rows >= 3)
    splits = [(hold_out(own, 0.3, seed, 2), fold(own, 3, seed)) for own in (data, whole)]
    for ours, theirs in zip(*splits, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert same(one.train, other.train)
            assert same(one.test, other.test)


def networks_learned(data: Dataset, **options: Any) -> tuple[Any, ...]:
    result = learn(data, generations=3, seed=2, **options)
    return result.network, result.score, result.bound, result.provenance["rows"]


LEARNED: dict[str, Callable[[Dataset], Any]] = {
    "learn": networks_learned,
    "limited": lambda data: networks_learned(data, max_parents=2, score="bic"),
    "holdout": lambda data: networks_learned(data, holdout=0.2),
    "auto": lambda data: networks_learned(data, score="auto"),
    "validate": lambda data: [
        (trial.held_out, trial.held_out_se, trial.arcs, trial.smoothing)
        for trial in validate(data, folds=3, generations=2, seed=1).trials
    ],
    "bootstrap": lambda data: (
        bootstrap_averages(data, replicates=3, generations=2, seed=1, holdout=0.2).arcs
    ),
    "posterior": lambda data: sample_posterior(data, sweeps=60, seed=1).arcs,
    "exact posterior": lambda data: exact_posterior(score_parent_sets(data, max_parents=2)).arcs,
}


@pytest.mark.filterwarnings("ignore::forebear.ForebearWarning")
@pytest.mark.parametrize("name", LEARNED)
def test_learning(name: str, weighted: Dataset) -> None:
    assert LEARNED[name](weighted) == LEARNED[name](weighted.expanded())


@pytest.mark.filterwarnings("ignore::forebear.ForebearWarning")
@pytest.mark.parametrize("missing", ["available", "em"])
def test_learning_from_incomplete_rows(missing: Any, incomplete: Dataset) -> None:
    data = Dataset(
        incomplete.codes, incomplete.names, incomplete.states, missing, weights=incomplete.weights
    )
    assert networks_learned(data) == networks_learned(data.expanded())
    found, expected = networks_learned(data), score_network(networks_learned(data)[0], data)
    if missing == "available":
        assert found[1] == pytest.approx(expected, rel=1e-9)


def test_executors_receive_the_weights(weighted: Dataset) -> None:
    with ProcessPoolExecutor(1) as pool:
        found = networks_learned(weighted, executor=pool, max_parents=2)
    assert found == networks_learned(weighted.expanded(), max_parents=2)


def test_predictions_are_one_per_row_of_the_table(weighted: Dataset) -> None:
    frame = weighted.to_frame("n")
    fitted = fit_network(learn(weighted, generations=2, seed=1), weighted)
    read = ReadOptions(weights="n")
    assert fitted.predict(frame, "X0", read=read).tolist() == (
        fitted.predict(frame.drop("n"), "X0").tolist()
    )
    assert fitted.log_likelihood(frame, read=read) == fitted.log_likelihood(weighted)
    assert fit_network(fitted.network, frame, read=read).tables[0].tolist() == (
        fitted.tables[0].tolist()
    )


def test_suspicions_count_by_weight() -> None:
    frame = pl.DataFrame({"a": ["x", "y", "z"], "b": ["u", "v", "u"], "n": [994, 3, 3]})
    with pytest.warns(match=r"1 column is nearly constant \(b: all but 3 rows the same\)"):
        learn(frame, read=ReadOptions(weights="n"), generations=1, seed=1)


@pytest.fixture
def real(weighted: Dataset) -> Dataset:
    """The table with real weights, all of them a quarter of a row or more."""
    frame = weighted.to_frame("w").with_columns(pl.col("w") / 4)
    return as_real(frame)


def as_real(frame: pl.DataFrame) -> Dataset:
    return Dataset.from_frame(frame, weights="w", missing="available")


@given(weighted_datasets(), scored_by(*ALLOWED), st.integers(2, 7))
def test_scores_of_real_weights(data: Dataset, name: str, copies: int) -> None:
    """The core and NumPy agree; counts are those of the repeated rows, divided."""
    assume(data.weights is not None)
    real = Dataset(
        data.codes, data.names, data.states, data.missing, weights=data.weights, copies=copies
    )
    score, most = score_of(name), min(2, data.n_variables - 1)
    assert_by_definition(score_parent_sets(real, score=score, max_parents=most), real, score)


def test_real_weights(real: Dataset, weighted: Dataset) -> None:
    assert real.has_real_weights
    network = learn(real, generations=3, seed=1).network
    # Twice the weights are the same weights.
    doubled = as_real(real.to_frame("w").with_columns(pl.col("w") * 2))
    assert score_network(network, doubled) == pytest.approx(score_network(network, real), rel=1e-3)
    # Relative frequencies do not depend on the scale.
    ours, theirs = (fit_network(network, own, ess=0).tables for own in (real, weighted))
    for one, other in zip(ours, theirs, strict=True):
        assert one == pytest.approx(other, abs=0.02)
    assert len(fit_network(network, real).log_likelihoods(real)) == real.n_stored


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda data: learn(data, score="fnml"), "fnml counts whole rows, but the weights are"),
        (lambda data: learn(data, score="qnml"), "pass another score, such as bdeu or bic"),
        (lambda data: score_parent_sets(data, score="mit"), "mit counts whole rows"),
        (lambda data: score_network(Network(data.names, ((),) * 5), data, "qnml"), "qnml counts"),
        (lambda data: learn(data, score="auto"), "rows are held out as a whole, but the weights"),
        (lambda data: learn(data, holdout=0.1), "rows are held out as a whole"),
        (validate, "rows are held out as a whole"),
        (bootstrap_averages, "a bootstrap sample has whole rows, but the weights are not whole"),
    ],
)
def test_real_weights_are_rejected_where_rows_must_be_whole(
    run: Callable[[Dataset], Any], message: str, real: Dataset
) -> None:
    with error(message, DataError):
        run(real)


def test_sets_of_real_weights_grow(real: Dataset) -> None:
    real = replace(real, missing="em")  # which has no effect, because no values are missing
    sets = score_parent_sets(real, max_parents=1)
    few, more = (find_network(sets, data=data, generations=2, seed=1) for data in (None, real))
    assert more.score >= few.score
