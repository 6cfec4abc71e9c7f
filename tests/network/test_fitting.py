"""Probabilities from tables, how likely they make other tables."""

from __future__ import annotations

import math
from itertools import product

import naive_scores
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import SHARED
from strategies import columns_of, crowded, problems

from forebear._util.errors import DataError, ForebearError, LimitError
from forebear.data.dataset import Dataset
from forebear.data.examples import example_path
from forebear.data.reading import ReadOptions
from forebear.network.fitted import FittedNetwork
from forebear.network.fitting import fit_network
from forebear.network.formats.bif import read_bif
from forebear.network.network import Network
from forebear.network.simulation import simulate
from forebear.scoring.rescoring import score_network


def weather(states: tuple[str, ...], codes: list[int], name: str = "sky") -> Dataset:
    return Dataset(np.array([codes]), (name,), (states,))


@given(problems(), st.sampled_from([0.0, 0.5, 1.0, 10.0, 1e-320, 1e300]))
def test_every_probability_is_the_posterior_mean(
    problem: tuple[Network, Dataset], ess: float
) -> None:
    network, data = problem
    fitted = network.fit(data, ess=ess)
    places = columns_of(network, data)
    assert fitted.states == tuple(data.states[place] for place in places)
    for v, parents in enumerate(network.parents):
        counted = naive_scores.count(data, places[v], [places[p] for p in parents])
        q, r = counted.n_configurations, counted.child_arity
        for given_states in product(*map(range, counted.parent_arities)):
            rows = counted.configurations[given_states]
            row = fitted.tables[v][given_states]
            for k in range(r):
                cell = counted.cells[given_states, k]
                mean = (cell + ess / (r * q)) / (rows + ess / q) if rows else 1 / r
                assert row[k] == pytest.approx(mean, rel=1e-12)


@given(problems(), st.sampled_from([0.0, 1.0]), st.data())
def test_the_likelihood_of_a_row_is_the_product_of_its_probabilities(
    problem: tuple[Network, Dataset], ess: float, draw: st.DataObject
) -> None:
    network, data = problem
    rows = draw.draw(st.lists(st.integers(0, data.n_rows - 1), min_size=1))
    fitted = network.fit(data, ess=ess)
    other = Dataset(data.codes[:, rows], data.names, data.states)
    places = columns_of(network, data)
    expected = []
    for row in other.codes[places].T.tolist():
        cells = [
            fitted.tables[v][tuple(row[u] for u in (*parents, v))]
            for v, parents in enumerate(network.parents)
        ]
        expected.append(math.fsum(map(math.log, cells)))
    assert fitted.log_likelihoods(other).tolist() == pytest.approx(expected, rel=1e-12)
    assert fitted.log_likelihood(other) == pytest.approx(math.fsum(expected), rel=1e-12)


@given(problems())
def test_frequencies_reach_the_score_called_log_likelihood(
    problem: tuple[Network, Dataset],
) -> None:
    network, data = problem
    most = network.fit(data, ess=0).log_likelihood(data)
    assert most == pytest.approx(score_network(network, data, "ll"), rel=1e-9, abs=1e-9)
    assert network.fit(data).log_likelihood(data) <= most + 1e-9


def test_states_are_matched_by_name() -> None:
    fitted = Network(("sky",), ((),)).fit(weather(("clear", "cloudy"), [0, 0, 0, 1]), ess=0)
    other = weather(("cloudy", "stormy", "clear"), [0, 2, 2])
    expected = np.log([0.25, 0.75, 0.75])
    assert fitted.log_likelihoods(other).tolist() == pytest.approx(expected.tolist())


def test_a_state_that_was_not_there_at_fitting() -> None:
    fitted = Network(("sky",), ((),)).fit(weather(("clear", "cloudy"), [0, 1]))
    with pytest.raises(DataError) as caught:
        fitted.log_likelihood(weather(("clear", "cloudy", "stormy"), [0, 1, 2, 0]))
    assert str(caught.value) == (
        "column 'sky' has the state 'stormy', which the network lacks: it has clear, cloudy"
    )


def test_what_frequencies_rule_out_has_no_probability() -> None:
    fitted = Network(("sky",), ((),)).fit(weather(("clear", "cloudy"), [0, 0]), ess=0)
    assert fitted.log_likelihoods(weather(("clear", "cloudy"), [0, 1])).tolist() == [0, -math.inf]
    assert fitted.log_likelihood(weather(("clear", "cloudy"), [0, 1])) == -math.inf


def test_a_fitted_network_comes_back_from_its_own_rows() -> None:
    truth = read_bif(example_path("orchard.bif"))
    fitted = truth.network.fit(truth.sample(100_000, np.random.default_rng(3)), ess=1)
    for ours, true in zip(fitted.tables, truth.tables, strict=True):
        assert ours == pytest.approx(true, abs=0.1)
    fresh = truth.sample(5_000, np.random.default_rng(4))
    assert truth.log_likelihood(fresh) > fitted.log_likelihood(fresh)
    assert fitted.log_likelihood(fresh) == pytest.approx(truth.log_likelihood(fresh), rel=1e-2)


def test_columns_that_the_table_lacks() -> None:
    data = weather(("clear", "cloudy"), [0, 1])
    network = Network(("sky", "sea", "land"), ((), (), ()))
    message = "^the table lacks variables of the network: sea, land$"
    fitted = FittedNetwork(network, (("a",),) * 3, (np.ones(1),) * 3)
    for refused in (network.fit, fitted.log_likelihoods, lambda d: score_network(network, d)):
        with pytest.raises(DataError, match=message):
            refused(data)


@pytest.mark.parametrize("ess", [-1.0, math.nan, math.inf])
def test_bad_equivalent_sample_sizes(ess: float) -> None:
    with pytest.raises(ForebearError, match=r"^ess must be (at least 0|a number|finite), got "):
        fit_network(Network(("sky",), ((),)), weather(("clear",), [0]), ess=ess)


def test_probabilities_that_are_too_many_are_refused_at_once() -> None:
    with pytest.raises(LimitError) as caught:
        fit_network(*crowded(1_500))
    assert str(caught.value).startswith(
        "this network has too many probabilities to hold in memory: hub alone, with 1,500 parents, "
        "has more than 10^451. "
    )


@pytest.mark.parametrize("name", ["alarm", "child"])
def test_published_networks(name: str) -> None:
    path = SHARED / "networks" / f"{name}.bif.gz"
    if not path.exists():
        pytest.skip("the published networks are not on this machine")
    truth = read_bif(path)
    rows = truth.sample(2_000, np.random.default_rng(1))
    fresh = truth.sample(2_000, np.random.default_rng(2))
    fitted = truth.network.fit(rows)
    empty = Network(truth.network.names, ((),) * truth.n_variables).fit(rows)
    assert truth.log_likelihood(fresh) > fitted.log_likelihood(fresh)
    assert fitted.log_likelihood(fresh) > empty.log_likelihood(fresh)


def test_one_row_is_enough_for_its_likelihood() -> None:
    """A column of one row has one state, which is nothing to warn of (warnings are errors)."""
    fitted, _ = simulate(5, 1, seed=3)
    rows = fitted.sample(20, seed=1)
    frame = rows.to_frame().cast(pl.String)
    expected = fitted.log_likelihoods(rows)
    assert fitted.log_likelihoods(frame.head(1)) == pytest.approx(expected[:1])


def test_numbers_are_put_into_the_intervals_of_the_network() -> None:
    data = Dataset.from_frame(pl.DataFrame({"x": [1.5, 2.5, 3.5, 4.5]}), bins={"x": [2, 4]})
    fitted = Network(("x",), ((),)).fit(data, ess=0)
    rows = pl.DataFrame({"x": [0.25, 3.75]})
    assert np.exp(fitted.log_likelihoods(rows)) == pytest.approx([0.25, 0.5])


def test_dates_are_cut_as_the_options_say() -> None:
    days = pl.Series("day", ["2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"]).str.to_date()
    read = ReadOptions(discretize="quantile", bins=2)
    fitted = Network(("day",), ((),)).fit(days.to_frame(), read=read, ess=0)
    found = fitted.log_likelihoods(days.to_frame(), read=read)
    assert np.exp(found) == pytest.approx([0.5] * 4)
