"""log-gamma and x log x of arrays, against SciPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.special import gammaln, xlogy

from forebear.scoring.functions import log_gamma, x_log_x

SHAPES = arrays.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=6)
COUNTS = st.floats(0.0, 1e9) | st.integers(0, 10**7).map(float)


@given(arrays.arrays(np.float64, SHAPES, elements=COUNTS), st.floats(1e-12, 1e4))
def test_log_gamma(counts: np.ndarray, prior: float) -> None:
    found = log_gamma(counts + prior)
    np.testing.assert_allclose(found, gammaln(counts + prior), rtol=1e-13, atol=1e-13)


@given(arrays.arrays(np.float64, SHAPES, elements=COUNTS))
def test_x_log_x(counts: np.ndarray) -> None:
    np.testing.assert_allclose(x_log_x(counts), xlogy(counts, counts), rtol=1e-14)


def test_whole_numbers_and_single_ones() -> None:
    np.testing.assert_allclose(log_gamma([1, 2, 3, 4, 5]), np.log([1, 1, 2, 6, 24]), atol=1e-14)
    assert log_gamma(3).shape == ()
    assert x_log_x(0) == 0.0
