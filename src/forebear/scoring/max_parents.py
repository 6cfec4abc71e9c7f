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
"""Up to this many variables all parent sets are scored: 53,000 families."""

MAX_PARENTS_LIMIT = _core.OrderSets.most_parents
"""The scans of the search are made for sets of up to this many parents."""

_PREFERRED = ((20, 6), (30, 5), (60, 4), (500, 3))
"""For ``learn``: (number of variables, max_parents below it); 2 beyond the last. The first three
steps make at most 0.9, 4.4 and 29 million families; the last is the paper's."""


def paper_max_parents(n_variables: int) -> int:
    """Choose by the paper's rule: 3 below 500 variables, else 2. Warn if that takes long."""
    limit = max(0, min(3 if n_variables < 500 else 2, n_variables - 1))
    families = n_variables * sum(math.comb(n_variables - 1, k) for k in range(limit + 1))
    if families > 2e10:  # some minutes on one thread
        warnings.warn(
            ForebearWarning(
                f"{limit} parents among {n_variables:,} variables make {families:.1e} families: ",
                Parameter("max_parents", limit - 1),
                " is much faster",
            ),
            stacklevel=3,
        )
    return limit


def preferred_max_parents(n_variables: int) -> int:
    """Choose for ``learn``, where time and memory allow it."""
    if n_variables <= WHOLE_VARIABLES:
        return n_variables - 1
    return next((parents for below, parents in _PREFERRED if n_variables < below), 2)


def possible_max_parents(n_variables: int) -> int:
    """The largest sets that fit into one 64-bit word, of which four bits hold the size."""
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
