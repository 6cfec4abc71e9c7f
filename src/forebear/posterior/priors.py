"""Priors over networks, by the number of parents of every variable."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear.parentsets.collection import ParentSets

if TYPE_CHECKING:
    from numpy.typing import NDArray

PRIORS = ("uniform", "sparse")
"""The named priors. A number is the probability of an arc."""

DEFAULT_PRIOR = "sparse"
"""The usual choice of samplers (Friedman and Koller, 2003). With hundreds of variables, "uniform"
expects many parents per variable."""


def check_prior(prior: Any) -> str | float:
    """Return a validated prior: a name, or the probability of an arc as a number."""
    if isinstance(prior, str) and prior in PRIORS:
        return prior
    try:
        share = math.nan if isinstance(prior, bool) else float(prior)
    except (TypeError, ValueError):
        share = math.nan
    if not 0.0 < share < 1.0:
        raise ForebearError(
            Parameter("prior"),
            f' must be "uniform", "sparse" or the probability of an arc, above 0 and below 1, '
            f"got {prior!r}",
        )
    return share


def prior_to_add(parent_sets: ParentSets, prior: str | float | None) -> str | float:
    """Return the prior to add to the scores of these sets; "uniform" adds nothing.

    If none is given, it is the default prior, unless the scores already include one, as those of
    sets saved by ``sample_posterior`` do.
    """
    present = parent_sets.provenance.get("prior")
    if present is None:
        return DEFAULT_PRIOR if prior is None else check_prior(prior)
    if prior is not None and check_prior(prior) != present:
        raise ForebearError(
            f"the scores of these parent sets include the prior {present}: leave ",
            Parameter("prior"),
            " out",
        )
    return "uniform"


def log_prior(prior: str | float, n_variables: int, most: int) -> NDArray[np.float64]:
    """Return the log prior of a set by its number of parents, from 0 to ``most``.

    The prior of a network is the product over its variables, up to a constant. "uniform" gives all
    networks the same probability. "sparse" gives all numbers of parents the same probability,
    divided among the sets of that size (Friedman and Koller, 2003). A probability p gives every arc
    the odds p : 1 - p.
    """
    sizes = np.arange(most + 1, dtype=np.float64)
    if prior == "uniform":
        return np.zeros(most + 1)
    if prior == "sparse":
        others = max(n_variables - 1, 0)
        return np.array([-math.log(max(1, math.comb(others, k))) for k in range(most + 1)])
    share = float(prior)
    return sizes * (math.log(share) - math.log1p(-share))


def with_prior(parent_sets: ParentSets, prior: str | float) -> ParentSets:
    """Return the sets with the log prior added to their scores, ranked again."""
    if prior == "uniform":
        provenance = {"prior": prior, **parent_sets.provenance}
        return replace(parent_sets, provenance=provenance)
    sizes = (parent_sets.parents != parent_sets.none).sum(axis=0)
    added = log_prior(prior, parent_sets.n_variables, parent_sets.max_parents)[sizes]
    about = {**parent_sets.provenance, "prior": prior}
    return ParentSets.ranked(
        parent_sets.names,
        parent_sets.child,
        parent_sets.scores + added,
        parent_sets.parents,
        about,
    )
