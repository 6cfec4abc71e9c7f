"""Temperatures: where they begin, and how exchanges adjust them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from forebear.posterior.temperatures import adjust_temperatures, initial_temperatures


def test_temperatures_at_first() -> None:
    assert initial_temperatures(1, 10) == [1.0]
    assert initial_temperatures(3, 4) == [1.0, 0.5, 0.25]
    assert initial_temperatures(2, 400)[1] == pytest.approx(0.9)


def test_temperatures_are_adjusted() -> None:
    betas = [1.0, 0.6, 0.36]
    wide = adjust_temperatures(betas, np.array([[1000, 700], [1000, 50]]))
    assert wide[0] == 1.0
    assert wide[1] < 0.6  # exchanges succeeded too often: further apart
    assert wide[2] / wide[1] > 0.6  # and too seldom: nearer
    same = adjust_temperatures(betas, np.array([[10_000, 3000]] * 2))
    assert same == pytest.approx(betas, abs=1e-3)
    assert adjust_temperatures(betas, np.array([[5, 5], [0, 0]])) == pytest.approx(betas)  # too few
    hot = adjust_temperatures([0.9**k for k in range(40)], np.array([[100, 100]] * 39))
    assert all(a > b > 0.0 for a, b in itertools.pairwise(hot))
