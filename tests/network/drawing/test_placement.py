"""Places within layers: the isotonic regression that each step solves, by force."""

from __future__ import annotations

import naive_layout
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear.network.drawing.placement import isotonic


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), min_size=1, max_size=7))
def test_isotonic_regression(pairs: list[tuple[int, int]]) -> None:
    wanted, weights = ([float(pair[k]) for pair in pairs] for k in (0, 1))
    assert isotonic(wanted, weights) == pytest.approx(naive_layout.isotonic(wanted, weights))
