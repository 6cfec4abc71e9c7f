"""Diagnostics: against formulas, a brute-force version and ArviZ; the verdict on chains."""

from __future__ import annotations

from dataclasses import replace

import naive_diagnostics
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_posterior import drawn

from forebear import Posterior
from forebear.posterior.diagnostics import (
    effective_sample_size,
    feature_rhats,
    feature_sample_sizes,
    rhat,
)


def autoregressive(rho: float, chains: int = 4, draws: int = 4000, seed: int = 1) -> np.ndarray:
    """Draw chains in which consecutive draws have this correlation."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(chains, draws))
    out = noise.copy()
    for t in range(1, draws):
        out[:, t] = rho * out[:, t - 1] + np.sqrt(1 - rho**2) * noise[:, t]
    return out


def test_constant_draws() -> None:
    same = np.zeros((4, 100))
    assert rhat(same) == 1.0
    apart = same.copy()
    apart[0] = 1.0
    assert rhat(apart) == np.inf
    features = np.stack([same, apart]).astype(bool)
    assert feature_rhats(features).tolist() == [1.0, np.inf]


def test_too_few_draws() -> None:
    few = np.zeros((4, 3))
    assert np.isnan([rhat(few), effective_sample_size(few)]).all()
    assert np.isnan([feature_rhats(few[None] > 0), feature_sample_sizes(few[None] > 0)]).all()


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_effective_sample_size_of_autoregressive_chains(rho: float) -> None:
    draws = autoregressive(rho)
    expected = draws.size * (1 - rho) / (1 + rho)
    assert effective_sample_size(draws) == pytest.approx(expected, rel=0.2)
    assert rhat(draws) < 1.01


@given(st.integers(1, 3), st.integers(8, 40), st.floats(-0.5, 0.95), st.integers(0, 10**6))
def test_effective_sample_size_by_definition(
    chains: int, draws: int, rho: float, seed: int
) -> None:
    values = np.round(autoregressive(rho, chains, draws, seed), 1)  # with ties
    expected = naive_diagnostics.effective_sample_size(values.tolist())
    assert effective_sample_size(values) == pytest.approx(expected, rel=1e-6)
    feature = values > 0.0
    if feature.any() and not feature.all():
        plain = feature.astype(float).tolist()
        expected = naive_diagnostics.effective_sample_size(plain, normalize=False)
        assert feature_sample_sizes(feature[None])[0] == pytest.approx(expected, rel=1e-6)


def test_binary_features_need_no_ranks() -> None:
    draws = autoregressive(0.6) > 0.3
    assert feature_rhats(draws[None])[0] == pytest.approx(rhat(draws.astype(float)), rel=1e-9)
    assert feature_sample_sizes(draws[None])[0] == pytest.approx(
        effective_sample_size(draws.astype(float)), rel=1e-9
    )


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.95])
@pytest.mark.parametrize(("shift", "width"), [(0.0, 1.0), (2.0, 1.0), (0.0, 5.0)])
def test_as_arviz_has_it(rho: float, shift: float, width: float) -> None:
    """Also where one chain differs from the others, or its tails alone."""
    arviz = pytest.importorskip("arviz")
    draws = autoregressive(rho, draws=501)
    draws[0] = width * draws[0] + shift
    assert rhat(draws) == pytest.approx(float(arviz.rhat(draws)), abs=1e-6)
    assert effective_sample_size(draws) == pytest.approx(float(arviz.ess(draws)), rel=0.02)
    assert (rhat(draws) < 1.1) == (shift == 0.0 and width == 1.0)


def test_chains_that_agree_and_chains_that_do_not(posterior: Posterior) -> None:
    assert posterior.converged
    assert posterior.digits == 3
    assert "converged: yes" in repr(posterior)
    short = drawn(sweeps=12)
    assert not short.converged
    assert short.digits == 1
    assert "converged: no" in repr(short)
    alone = drawn(chains=1)
    assert alone.diagnostics.reason == "one chain is not enough to assess it"
    scores = posterior.scores.copy()
    scores[0] += 50.0
    apart = replace(posterior, scores=scores)
    assert "the chains differ in their scores" in apart.diagnostics.reason
