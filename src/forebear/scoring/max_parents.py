"""The default and the checks of ``max_parents``, in one place.

``max_parents`` is the largest parent set allowed, also called the in-degree limit.
"""

from __future__ import annotations

import math
import warnings

from forebear import _core
from forebear._util.checks import check_whole
from forebear._util.errors import ForebearWarning, LimitError, Parameter

WHOLE_VARIABLES = 13
"""Up to this many variables, parent sets of all sizes are scored: 53,000 families."""

MAX_PARENTS_LIMIT = _core.OrderSets.most_parents
"""The largest ``max_parents`` that the search supports."""

_PREFERRED = ((20, 6), (30, 5), (60, 4), (500, 3))
"""Defaults of ``learn``: max_parents is 6 with fewer than 20 variables, and so on; with 500 or
more, it is 2. The first three give at most 0.9, 4.4 and 29 million families. The last is
the paper's.
"""


def paper_max_parents(n_variables: int) -> int:
    """Return the paper's default: 3 below 500 variables, otherwise 2. Warn if it takes long."""
    limit = max(0, min(3 if n_variables < 500 else 2, n_variables - 1))
    families = n_variables * sum(math.comb(n_variables - 1, k) for k in range(limit + 1))
    if families > 2e10:  # some minutes on one thread
        warnings.warn(
            ForebearWarning(
                f"{limit} parents among {n_variables:,} variables give {families:.1e} families: ",
                Parameter("max_parents", limit - 1),
                " is much faster",
            ),
            stacklevel=3,
        )
    return limit


def preferred_max_parents(n_variables: int) -> int:
    """Return the default of ``learn``, if time and memory suffice."""
    if n_variables <= WHOLE_VARIABLES:
        return n_variables - 1
    return next((parents for below, parents in _PREFERRED if n_variables < below), 2)


def possible_max_parents(n_variables: int) -> int:
    """Return the largest size of sets that fit in a 64-bit word; four bits hold the size."""
    return min(MAX_PARENTS_LIMIT, 60 // max(1, (n_variables - 1).bit_length()))


def check_max_parents(max_parents: int, n_variables: int) -> int:
    """Check the limit and cap it at the number of other variables."""
    check_whole(0, MAX_PARENTS_LIMIT, max_parents=max_parents)
    limit = min(int(max_parents), n_variables - 1)
    if limit > possible_max_parents(n_variables):
        raise LimitError(
            f"parent sets of {limit} among {n_variables:,} variables cannot be scored: lower ",
            Parameter("max_parents"),
            f" to {possible_max_parents(n_variables)}",
        )
    return limit
