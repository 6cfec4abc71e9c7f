"""Population: order-based crossover."""

from __future__ import annotations

import numpy as np
from climbs import numbers
from hypothesis import given
from hypothesis import strategies as st

from forebear.search.population import cross
from forebear.search.space import as_order


@given(st.integers(1, 12), st.data(), st.integers(0, 2**32))
def test_order_crossover(n: int, data: st.DataObject, seed: int) -> None:
    """Variables that do not keep their place in x are in the order of y."""
    x, y = (as_order(data.draw(st.permutations(range(n)))) for _ in range(2))
    child = cross(x, y, numbers(seed))
    assert child.dtype == np.int32
    assert sorted(child.tolist()) == list(range(n))
    flips = numbers(seed)
    kept = np.array([flips.below(2) == 1 for _ in range(len(x))])
    assert child[kept].tolist() == x[kept].tolist()
    moved = child[~kept].tolist()
    assert moved == [v for v in y.tolist() if v in moved]
