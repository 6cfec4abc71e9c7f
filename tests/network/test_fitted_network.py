"""Fitted networks: validation, sampling and likelihoods."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from strategies import columns_of, problems

from forebear import (
    DataError,
    Dataset,
    FittedNetwork,
    ForebearError,
    Network,
    ReadOptions,
    read_fitted,
    score_network,
    simulate,
)

SKY = Network(("sky",), ((),))
COIN = Network(("coin",), ((),))
SIDES = (("heads", "tails"),)


def coin(*table: float) -> FittedNetwork:
    return FittedNetwork(COIN, SIDES, (np.array(table),))


def weather(states: tuple[str, ...], codes: list[int]) -> Dataset:
    return Dataset(np.array([codes]), ("sky",), (states,))


def test_sampled_frequencies_match_the_tables() -> None:
    """Chi-square of every variable given its parents, with a fixed seed."""
    fitted = read_fitted("example:orchard.bif")
    data = fitted.sample(50_000, np.random.default_rng(7))
    for v, table in enumerate(fitted.tables):
        counts = np.zeros(table.shape)
        np.add.at(counts, tuple(data.codes[u] for u in (*fitted.network.parents[v], v)), 1)
        expected = counts.sum(axis=-1, keepdims=True) * table
        seen = expected.min(axis=-1) >= 5
        statistic = float((((counts - expected) ** 2) / expected)[seen].sum())
        freedom = int(seen.sum()) * (table.shape[-1] - 1)
        assert chi2.sf(statistic, freedom) > 1e-3, fitted.network.names[v]


def test_sampling_takes_a_seed_or_a_generator() -> None:
    fitted = coin(0.5, 0.5)
    once = fitted.sample(50, seed=3)
    assert np.array_equal(once.codes, fitted.sample(50, np.random.default_rng(3)).codes)
    assert once.fingerprint != fitted.sample(50, seed=4).fingerprint
    wrong: Any
    for wrong, message in (
        ((5, "x"), r"seed must be a whole number or a NumPy generator"),
        ((1.5,), r"n must be a whole number, got 1\.5"),
        ((0,), "n must be at least 1, got 0"),
    ):
        with pytest.raises(ForebearError, match=message):
            fitted.sample(*wrong)


@given(problems(), st.sampled_from([0.0, 1.0]), st.data())
def test_the_likelihood_of_a_row_is_the_product_of_its_probabilities(
    problem: tuple[Network, Dataset], ess: float, draw: st.DataObject
) -> None:
    network, data = problem
    rows = draw.draw(st.lists(st.integers(0, data.n_rows - 1), min_size=1))
    fitted = network.fit(data, ess=ess)
    other = Dataset(data.codes[:, rows], data.names, data.states)
    expected = []
    for row in other.codes[columns_of(network, data)].T.tolist():
        cells = [
            fitted.tables[v][tuple(row[u] for u in (*parents, v))]
            for v, parents in enumerate(network.parents)
        ]
        expected.append(math.fsum(map(math.log, cells)))
    assert fitted.log_likelihoods(other).tolist() == pytest.approx(expected, rel=1e-12)
    assert fitted.log_likelihood(other) == pytest.approx(math.fsum(expected), rel=1e-12)


def test_states_are_matched_by_name() -> None:
    fitted = SKY.fit(weather(("clear", "cloudy"), [0, 0, 0, 1]), ess=0)
    other = weather(("cloudy", "stormy", "clear"), [0, 2, 2])
    assert np.exp(fitted.log_likelihoods(other)) == pytest.approx([0.25, 0.75, 0.75])
    with pytest.raises(DataError) as caught:
        fitted.log_likelihood(weather(("clear", "cloudy", "stormy"), [0, 1, 2, 0]))
    assert str(caught.value) == (
        "column 'sky' has the state 'stormy', which the network does not "
        'have (its states: clear, cloudy): pass unseen="missing" to treat such values as missing'
    )
    impossible = SKY.fit(weather(("clear", "cloudy"), [0, 0]), ess=0)
    rows = weather(("clear", "cloudy"), [0, 1])
    assert impossible.log_likelihoods(rows).tolist() == [0, -math.inf]
    assert impossible.log_likelihood(rows) == -math.inf


def test_tables_without_all_variables_are_rejected() -> None:
    data = weather(("clear", "cloudy"), [0, 1])
    network = Network(("sky", "sea", "land"), ((), (), ()))
    message = "^the table lacks variables of the network: sea, land$"
    fitted = FittedNetwork(network, (("a",),) * 3, (np.ones(1),) * 3)
    for refused in (network.fit, fitted.log_likelihoods, lambda d: score_network(network, d)):
        with pytest.raises(DataError, match=message):
            refused(data)


def test_the_likelihood_of_one_row_gives_no_warning() -> None:
    # Its columns have one state each, which is nothing to warn of (warnings are errors).
    fitted, _ = simulate(5, 1, seed=3)
    rows = fitted.sample(20, seed=1)
    one = rows.to_frame().cast(pl.String).head(1)
    assert fitted.log_likelihoods(one) == pytest.approx(fitted.log_likelihoods(rows)[:1])


def test_numbers_and_dates_are_assigned_to_intervals() -> None:
    data = Dataset.from_frame(pl.DataFrame({"x": [1.5, 2.5, 3.5, 4.5]}), bins={"x": [2, 4]})
    fitted = Network(("x",), ((),)).fit(data, ess=0)
    rows = pl.DataFrame({"x": [0.25, 3.75]})
    assert np.exp(fitted.log_likelihoods(rows)) == pytest.approx([0.25, 0.5])
    days = pl.Series("day", ["2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"]).str.to_date()
    read = ReadOptions(discretize="quantile", bins=2)
    fitted = Network(("day",), ((),)).fit(days.to_frame(), read=read, ess=0)
    assert np.exp(fitted.log_likelihoods(days.to_frame(), read=read)) == pytest.approx([0.5] * 4)
    # As from a file: only the names of the states tell the dates.
    named = FittedNetwork(Network(("day",), ((),)), fitted.states, (np.array([0.2, 0.8]),))
    for dates in (days, days.cast(pl.String), days.dt.strftime("%d.%m.%Y")):
        likelihoods = np.exp(named.log_likelihoods(dates.to_frame()))
        assert likelihoods == pytest.approx([0.2, 0.2, 0.8, 0.8])


def test_a_fitted_network_shows_its_size() -> None:
    fitted = read_fitted("example:orchard.bif")
    lines = repr(fitted).splitlines()
    assert lines[0].startswith("FittedNetwork with 18 variables, ")
    assert lines[-1] == f"  free parameters: {fitted.n_parameters:,}"
    assert len(lines) == 4
    assert "<svg" in fitted._repr_html_()
    assert "arcs, 2 to 4 states per variable, 2" in fitted._repr_html_()
    assert fitted.n_parameters == sum(t[..., 1:].size for t in fitted.tables)


@pytest.mark.parametrize(
    ("states", "tables", "message"),
    [
        (SIDES, [[0.5, 0.3, 0.2]], r"has the shape \(3,\), but .* require \(2,\)"),
        (SIDES, [[1.5, -0.5]], "the table of coin has a negative or undefined probability"),
        (SIDES, [[np.nan, 1.0]], "the table of coin has a negative or undefined probability"),
        (SIDES, [[0.5, 0.4]], "the table of coin has a row that sums to 0.9, not 1"),
        ((("heads", "heads"),), [[0.5, 0.5]], "coin: state heads is named twice"),
        (((),), [[]], "coin must have 1 to 65,536 states, got 0"),
        ((), (), "the network has 1 variable, but there are 0 lists of states and 0 tables"),
    ],
)
def test_invalid_tables_are_rejected(states: Any, tables: Any, message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        FittedNetwork(COIN, states, tables)


def test_rounded_rows_are_rescaled_and_exact_rows_are_kept() -> None:
    rounded = FittedNetwork(COIN, SIDES, (np.array([0.3333, 0.6663]),))
    assert rounded.tables[0].sum() == pytest.approx(1, abs=1e-15)
    mine = np.array([0.1, 0.9])
    exact = FittedNetwork(COIN, SIDES, (mine,))
    assert exact.tables[0].tolist() == [0.1, 0.9]
    mine[0] = 1.0
    assert exact.tables[0][0] == 0.1, "tables are copied"
    assert not exact.tables[0].flags.writeable
