"""ParentSets that are not valid cannot be built."""

from __future__ import annotations

import math

import numpy as np
import pytest
from jklfiles import Sets, from_lists

from forebear.errors import ForebearError
from forebear.parentsets import ParentSets


@pytest.mark.parametrize(
    ("variables", "what"),
    [
        ([[(math.nan, ())], [(-1.0, ())]], "a score is not a number"),
        ([[(math.inf, ())], [(-1.0, ())]], "a score is not a number"),
        ([[(-1.0, (7,))], [(-1.0, ())]], "a set's parents are not valid"),
        ([[(-1.0, (0,)), (-2.0, ())], [(-1.0, ())]], "a set's parents are not valid"),
        ([[(-2.0, (1,)), (-1.0, ())], [(-1.0, ())]], "not sorted best first"),
        ([[(-1.0, (1,))], [(-1.0, ())]], "variable 0 lacks the empty set"),
        ([[(-1.0, ()), (-1.0, ())], [(-1.0, ())]], "the empty set is there twice"),
        ([[(-1.0, ())], []], "variable 1 lacks the empty set"),
        ([[(-1.0, ())]], "lengths differ"),
    ],
)
def test_defects(variables: list[Sets], what: str) -> None:
    with pytest.raises(ForebearError, match=what):
        from_lists(("a", "b"), variables)


def test_no_variables() -> None:
    with pytest.raises(ForebearError, match="there are no variables"):
        ParentSets((), np.zeros(1, np.int64), np.zeros(0), np.zeros((0, 0), np.uint16))
