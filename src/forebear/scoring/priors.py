"""Priors over networks, by the number of parents of every variable.

The log prior of a parent set is part of its local score, so sets are ranked and pruned with it. It
never increases with the number of parents: a set that a subset dominates without the prior is also
dominated with it, and upper bounds on the scores of larger sets remain valid.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear.parentsets.collection import ParentSets

PRIORS = ("uniform", "sparse")
"""The named priors. A number is the probability of an arc."""


def check_prior(prior: Any) -> str | float:
    """Return a validated prior: a name, or the probability of an arc as a number."""
    if isinstance(prior, str) and prior in PRIORS:
        return prior
    try:
        share = math.nan if isinstance(prior, bool) else float(prior)
    except (TypeError, ValueError):
        share = math.nan
    if not 0.0 < share <= 0.5:
        raise ForebearError(
            Parameter("prior"),
            f' must be "uniform", "sparse" or the probability of an arc, above 0 and at most 0.5, '
            f"got {prior!r}",
        )
    return share


@lru_cache(maxsize=8)
def log_priors(prior: str | float, n_variables: int) -> tuple[float, ...]:
    """Return the log prior of a parent set by its number of parents, from 0 to all others.

    The prior of a network is the product over its variables, up to a constant. "uniform" gives all
    networks the same probability. "sparse" divides the probability of a number of parents among the
    sets of that size (Friedman and Koller, 2003). Sets of more than half of all variables have the
    prior of those of half, although there are fewer of them. A probability p gives every arc the
    odds p : 1 - p.
    """
    sizes = range(n_variables)
    if prior == "uniform":
        return (0.0,) * n_variables
    if prior == "sparse":
        # The logs of C(n - 1, k) / C(n - 1, k - 1), which fall below 0 beyond half of all others.
        steps = (max(0.0, math.log((n_variables - k) / k)) for k in sizes[1:])
        return tuple(-cost for cost in accumulate(steps, initial=0.0))
    odds = math.log(float(prior)) - math.log1p(-float(prior))
    return tuple(k * odds for k in sizes)


def prior_of(provenance: Mapping[str, Any]) -> str | float:
    """Return the prior that scores include, from the provenance of their parent sets."""
    return check_prior(provenance.get("prior", "uniform"))


def show_prior(prior: str | float) -> str:
    """Describe a prior: ``sparse``, or ``0.01 per arc``."""
    return prior if isinstance(prior, str) else f"{prior:g} per arc"


def with_prior(
    parent_sets: ParentSets, prior: str | float | None, default: str | float = "uniform"
) -> ParentSets:
    """Return the sets with the log prior added to their scores, ranked again.

    Sets that are dominated without the prior are dominated with it, so none is missed. If no prior
    is given, it is ``default``, unless the scores already include one.
    """
    present = parent_sets.provenance.get("prior")
    if prior is not None and present is not None and check_prior(prior) != present:
        raise ForebearError(
            f"the scores of these parent sets already include the prior {show_prior(present)}: "
            "leave ",
            Parameter("prior"),
            " out, or score the table again",
        )
    if present is not None:
        return parent_sets
    chosen = default if prior is None else check_prior(prior)
    about = {**parent_sets.provenance, "prior": chosen}
    if chosen == "uniform":
        return parent_sets if prior is None else replace(parent_sets, provenance=about)
    sizes = (parent_sets.parents != parent_sets.none).sum(axis=0)
    added = np.array(log_priors(chosen, parent_sets.n_variables))[sizes]
    return ParentSets.ranked(
        parent_sets.names,
        parent_sets.child,
        parent_sets.scores + added,
        parent_sets.parents,
        about,
    )
