"""Averaged predictions: the mean of the probabilities, and rows from all networks."""

from __future__ import annotations

import numpy as np
import pytest

from forebear import (
    FittedAverage,
    FittedNetwork,
    ForebearError,
    Network,
    as_dataset,
    fit_average,
    fit_network,
    learn,
)

STATES = (("no", "yes"), ("no", "yes"))
APART = FittedNetwork(Network(("a", "b"), ((), ())), STATES, ([0.5, 0.5], [0.5, 0.5]))  # type: ignore[arg-type]
JOINED = FittedNetwork(
    Network(("a", "b"), ((), (0,))),
    STATES,
    ([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]),  # type: ignore[arg-type]
)


def test_the_probability_of_a_row_is_the_mean() -> None:
    average = FittedAverage((APART, JOINED))
    rows = JOINED.sample(50, seed=1)
    expected = np.log(
        (np.exp(APART.log_likelihoods(rows)) + np.exp(JOINED.log_likelihoods(rows))) / 2
    )
    assert average.log_likelihoods(rows) == pytest.approx(expected)
    assert average.log_likelihood(rows) == pytest.approx(expected.sum())
    assert average.n_variables == 2
    assert repr(average) == "FittedAverage of 2 networks\n  variables: 2"


def test_rows_come_from_all_networks() -> None:
    drawn = FittedAverage((APART, JOINED)).sample(20_000, seed=1)
    assert (drawn.codes[0] == drawn.codes[1]).mean() == pytest.approx(0.7, abs=0.02)
    assert drawn.states == STATES
    again = FittedAverage((APART, JOINED)).sample(20_000, seed=1)
    assert again.fingerprint == drawn.fingerprint


def test_what_cannot_be_averaged() -> None:
    with pytest.raises(ForebearError, match=r"^an average needs at least one network$"):
        FittedAverage(())
    other = FittedNetwork(Network(("a", "c"), ((), ())), STATES, ([0.5, 0.5], [0.5, 0.5]))  # type: ignore[arg-type]
    message = r"^the networks of an average must have the same variables$"
    with pytest.raises(ForebearError, match=message):
        FittedAverage((APART, other))
    with pytest.raises(ForebearError, match=r"^networks must name at least one network$"):
        fit_average([], JOINED.sample(5))


def test_the_alternatives_of_a_result_are_averaged() -> None:
    data = as_dataset("example:orchard")
    result = learn(data, generations=4, seed=1)
    average = fit_average(result, data, most=5)
    assert average.networks[0].network == result.network
    assert len({one.network for one in average.networks}) == 5
    every = fit_average(result, data, most=1_000)
    assert len(every.networks) == len(result.alternatives)
    single = fit_average(result, data, most=1)
    assert single.log_likelihood(data) == fit_network(result, data).log_likelihood(data)


def test_several_networks_are_averaged_in_one_order_of_variables() -> None:
    data = JOINED.sample(200, seed=1)
    swapped = Network(("b", "a"), ((1,), ()))
    average = fit_average([APART, swapped], data, ess=1.0)
    assert [one.network.names for one in average.networks] == [("a", "b")] * 2
    assert average.networks[1].network.arcs == ((0, 1),)
    assert len(fit_average([APART, JOINED, swapped], data, most=2).networks) == 2
    assert len(fit_average(JOINED, data).networks) == 1
