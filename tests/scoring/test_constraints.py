"""Constraints: tiers, required parents and the number of families."""

from __future__ import annotations

import naive
import numpy as np
import pytest
from tables import random_table

from forebear._util.errors import ForebearError
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import make_job


def test_tiers_forbid_later_parents_only() -> None:
    """Within a tier, and for variables in none, everything is allowed."""
    allowed = Constraints.make(5, tiers=[[1], [0, 2], [3]]).allowed
    assert allowed is not None
    assert set(map(tuple, np.argwhere(~allowed).tolist())) == {
        (1, 0),
        (1, 2),
        (1, 3),
        (0, 3),
        (2, 3),
    }


def test_more_required_parents_than_allowed() -> None:
    data = random_table([2, 2, 2, 2], 20)
    constraints = Constraints.make(data.n_variables, required={0: [1, 2]})
    with pytest.raises(ForebearError, match="'X0' must have 2 parents, but max_parents is 1"):
        make_job(data, max_parents=1, constraints=constraints)


def test_families_are_counted_exactly() -> None:
    required, forbidden = {0: [1, 2]}, {3: [0, 1]}
    constraints = Constraints.make(5, required=required, forbidden=forbidden)
    for most in range(2, 5):
        listed = [
            naive.allowed_sets(5, v, most, required.get(v, ()), forbidden.get(v, ()))
            for v in range(5)
        ]
        assert constraints.families(most) == sum(map(len, listed))
