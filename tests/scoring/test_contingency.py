"""Contingency tables, against counting row by row."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from forebear.scoring.contingency import contingency


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
