"""Contingency tables against counting row by row, and functions of counts against SciPy."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.special import gammaln, xlogy

from forebear.scoring.contingency import contingency, log_gamma, x_log_x

SHAPES = arrays.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=6)
COUNTS = st.floats(0.0, 1e9) | st.integers(0, 10**7).map(float)


@pytest.mark.parametrize(
    ("rows", "parent_arities"),
    [
        (10, []),
        (10, [2]),
        (70_000, [3, 2]),  # in parts
        (200_000, [50, 40, 30]),  # more cells than are counted in parts, fewer than rows
        (500, [50, 40, 30, 20]),  # more cells than rows
    ],
)
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_every_cell_is_counted(
    rows: int, parent_arities: list[int], kind: type[np.unsignedinteger[Any]]
) -> None:
    rng = np.random.default_rng(0)
    arities = [*parent_arities, 3]
    columns = [rng.integers(0, arity, rows).astype(kind) for arity in arities]
    expected = Counter(zip(*(column.tolist() for column in columns), strict=True))
    configurations = sorted({cell[:-1] for cell in expected})
    counts = contingency(columns, parent_arities, 3)
    assert counts.tolist() == [
        [expected[*configuration, state] for state in range(3)] for configuration in configurations
    ]


@given(arrays.arrays(np.float64, SHAPES, elements=COUNTS), st.floats(1e-12, 1e4))
def test_log_gamma(counts: np.ndarray, prior: float) -> None:
    found = log_gamma(counts + prior)
    np.testing.assert_allclose(found, gammaln(counts + prior), rtol=1e-13, atol=1e-13)


@given(arrays.arrays(np.float64, SHAPES, elements=COUNTS))
def test_x_log_x(counts: np.ndarray) -> None:
    np.testing.assert_allclose(x_log_x(counts), xlogy(counts, counts), rtol=1e-14)
