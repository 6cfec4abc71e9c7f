"""R-hat and effective sample size: on chains whose values are known, and beside ArviZ."""

from __future__ import annotations

import numpy as np
import pytest

from forebear.posterior.diagnostics import ess, indicator_ess, indicator_rhats, rhat, split


def autoregressive(rho: float, chains: int = 4, draws: int = 4000, seed: int = 1) -> np.ndarray:
    """Draw chains in which neighbours have this correlation."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(chains, draws))
    out = noise.copy()
    for t in range(1, draws):
        out[:, t] = rho * out[:, t - 1] + np.sqrt(1 - rho**2) * noise[:, t]
    return out


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_effective_size_of_an_autoregressive_chain(rho: float) -> None:
    draws = autoregressive(rho)
    expected = draws.size * (1 - rho) / (1 + rho)
    assert ess(draws) == pytest.approx(expected, rel=0.2)
    assert rhat(draws) < 1.01


def test_chains_that_differ() -> None:
    draws = autoregressive(0.0)
    draws[0] += 2.0
    assert rhat(draws) > 1.1
    assert ess(draws) < 50
    wide = autoregressive(0.0)
    wide[0] *= 5.0  # only the tails differ
    assert rhat(wide) > 1.1


def test_constant_draws() -> None:
    same = np.zeros((4, 100))
    assert rhat(same) == 1.0
    apart = same.copy()
    apart[0] = 1.0
    assert rhat(apart) == np.inf
    features = np.stack([same, apart]).astype(bool)
    assert indicator_rhats(features).tolist() == [1.0, np.inf]


def test_too_few_draws() -> None:
    assert np.isnan(rhat(np.zeros((4, 3))))
    assert np.isnan(ess(np.zeros((4, 3))))
    assert np.isnan(indicator_rhats(np.zeros((1, 4, 3), dtype=bool))).all()
    assert np.isnan(indicator_ess(np.zeros((1, 4, 3), dtype=bool))).all()


def test_features_that_are_there_or_not_need_no_ranks() -> None:
    draws = autoregressive(0.6) > 0.3
    assert indicator_rhats(draws[None])[0] == pytest.approx(rhat(draws.astype(float)), rel=1e-9)
    assert indicator_ess(draws[None])[0] == pytest.approx(ess(draws.astype(float)), rel=1e-9)


def test_split() -> None:
    assert split(np.arange(10.0).reshape(2, 5)).tolist() == [[0, 1], [5, 6], [3, 4], [8, 9]]


def test_as_arviz_has_it() -> None:
    arviz = pytest.importorskip("arviz")
    for rho in (0.0, 0.5, 0.95):
        draws = autoregressive(rho, draws=501)
        assert rhat(draws) == pytest.approx(float(arviz.rhat(draws)), abs=1e-6)
        assert ess(draws) == pytest.approx(float(arviz.ess(draws)), rel=0.02)
