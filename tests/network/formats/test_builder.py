"""Networks built from the families of a file, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from forebear import ForebearError
from forebear.network.formats.builder import NetworkBuilder


def test_parents_in_any_order() -> None:
    builder = NetworkBuilder()
    for name in "abc":
        builder.declare(name, ("no", "yes"))
    builder.add_cells("a", ["c", "b"], [1, 0, 0.5, 0.5, 0.25, 0.75, 0, 1])
    builder.add_cells("b", [], [0.5, 0.5])
    with pytest.raises(ForebearError, match="variable c has no probabilities"):
        builder.build()
    builder.add_table("c", [], [0.1, 0.9])
    fitted = builder.build()
    assert fitted.network.parents == ((1, 2), (), ())
    np.testing.assert_array_equal(fitted.tables[0][..., 1], [[0, 0.75], [0.5, 1]])
    wide = NetworkBuilder()
    parents = [f"p{k}" for k in range(32)]
    for name in (*parents, "b"):
        wide.declare(name, ("x",))
    with pytest.raises(ForebearError, match="b has 32 parents, more than the limit of 31"):
        wide.shape_of("b", parents)


@pytest.mark.parametrize(
    ("child", "parents", "cells", "message"),
    [
        ("d", [], [1.0], "variable d is not declared"),
        ("a", ["d"], [1.0], "variable d is not declared"),
        ("b", [], [0.5, 0.5], "the probabilities of b are given twice"),
        ("a", ["c", "c"], [1.0], "a variable is named twice in the family of a"),
        ("a", ["a"], [1.0], "a variable is named twice in the family of a"),
        ("a", ["c"], [1.0, 0.0], "a needs 4 probabilities, got 2"),
    ],
)
def test_families_that_do_not_fit(
    child: str, parents: list[str], cells: list[float], message: str
) -> None:
    builder = NetworkBuilder()
    for name in "abc":
        builder.declare(name, ("no", "yes"))
    builder.add_cells("b", [], [0.5, 0.5])
    with pytest.raises(ForebearError, match=message):
        builder.add_cells(child, parents, cells)
    with pytest.raises(ForebearError, match="variable a is declared twice"):
        builder.declare("a", ("no",))
