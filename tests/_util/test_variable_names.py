"""Variables are found by name or by index, whatever the integer type."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from forebear._util.errors import ForebearError
from forebear._util.variable_names import VariableNames

NAMES = VariableNames(("rain", "wet"))


@pytest.mark.parametrize("variable", ["wet", 1, np.int64(1), np.uint8(1)])
def test_a_variable_is_found(variable: Any) -> None:
    found = NAMES.index(variable)
    assert found == 1
    assert type(found) is int


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        ("wte", 'no variable is called "wte": did you mean "wet"?'),
        ("zzz", 'no variable is called "zzz"'),
        (2, "there is no variable 2: there are 2 variables, counted from 0"),
        (0.0, "a variable must be a name or an index, got 0.0"),
        (True, "a variable must be a name or an index, got True"),
    ],
)
def test_unknown_variables_are_rejected(variable: Any, message: str) -> None:
    with pytest.raises(ForebearError, match=f"^{re.escape(message)}$"):
        NAMES.index(variable)
