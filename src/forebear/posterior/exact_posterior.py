"""exact_posterior(): the probability of every arc, computed as a sum over all networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from forebear import _core
from forebear._util.checks import check_parameter_names, check_positive
from forebear._util.errors import LimitError, Parameter
from forebear._util.executors import interruptible
from forebear._util.html import html_figure
from forebear._util.text import counted, show_facts
from forebear.network.averages import Probabilities, edges_of
from forebear.network.graphs import Arc
from forebear.parentsets.collection import ParentSets, check_parent_sets
from forebear.parentsets.feasibility import feasible_order
from forebear.posterior.posterior import sum_by_arc
from forebear.posterior.sampled_sets import DEFAULT_PRIOR
from forebear.scoring.priors import with_prior

MOST_VARIABLES = 20
"""The time is proportional to 3^n; 20 variables take about a minute."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactPosterior(Probabilities):
    """The exact posterior probabilities of arcs, as ``exact_posterior`` returns them.

    Attributes
    ----------
    names
        The names of the variables.
    arcs
        The probability of every possible arc, by (parent, child) indices.
    log_evidence
        The logarithm of the sum over all networks of exp(score) times the prior.
    sets
        The probability of every parent set, in the order of the collection (ranked again if a prior
        is added).
    """

    names: tuple[str, ...]
    arcs: Mapping[Arc, float]
    log_evidence: float
    sets: NDArray[np.float64]

    @cached_property
    def edges(self) -> Mapping[Arc, float]:  # type: ignore[override]
        """The probability of each edge, by pairs of indices with the smaller one first."""
        return edges_of(self.arcs)

    def __repr__(self) -> str:
        """Show the number of arcs, the most probable ones, and the evidence."""
        facts = [*self._facts(), ("log evidence", f"{self.log_evidence:,.4f}")]
        return show_facts(f"ExactPosterior of {counted(len(self.names), 'variable')}", facts)

    def _repr_html_(self) -> str:
        """Show the most probable arcs as a table in notebooks."""
        size = counted(len(self.names), "variable")
        return html_figure(f"<strong>ExactPosterior</strong> of {size}", self._table())


@check_parameter_names
def exact_posterior(
    parent_sets: ParentSets,
    *,
    prior: str | float | None = None,
    time_limit: float | None = None,
) -> ExactPosterior:
    """Compute the posterior probability of every arc exactly, with up to 20 variables.

    The sum over all networks is computed by dynamic programming over sets of variables (Tian and
    He, 2009). Every network counts once, regardless of the number of its orders. The probabilities
    of the parent sets are derivatives of the sum.

    Parameters
    ----------
    parent_sets
        The parent sets of every variable. Sets that are not in the collection have probability 0.
    prior
        "uniform", "sparse", or the probability of an arc, as for ``sample_posterior``. Default:
        "sparse", or the prior that the scores already include.
    time_limit
        Time limit in seconds. Default: no limit.

    Returns
    -------
    ExactPosterior
        The probabilities of arcs and of parent sets.

    Raises
    ------
    ForebearError
        If there are too many variables, if no network consists of these parent sets, or if the time
        limit is reached.

    Examples
    --------
    >>> import forebear
    >>> table = forebear.simulate(4, 200, seed=1).data
    >>> sets = forebear.score_parent_sets(table, max_parents=3)
    >>> exact = forebear.exact_posterior(sets, prior="uniform")
    >>> exact.matrix().shape
    (4, 4)
    """
    check_parent_sets(parent_sets)
    if time_limit is not None:
        check_positive(time_limit=time_limit)
    n = parent_sets.n_variables
    if n > MOST_VARIABLES:
        raise LimitError(
            f"exact probabilities require at most {MOST_VARIABLES} variables, got {n}: "
            "use sample_posterior"
        )
    feasible_order(parent_sets)  # raises an error if there is no network of these sets
    sets = with_prior(parent_sets, prior, DEFAULT_PRIOR)
    budget = _core.Budget(time_limit)
    allowed = np.isfinite(sets.scores)
    sums = partial(
        _core.exact_sums,
        np.append(0, np.cumsum(allowed))[sets.offsets],
        sets.scores[allowed],
        np.ascontiguousarray(sets.parents[:, allowed].astype(np.uint16)),
        _scale(sets),
        budget,
    )
    try:
        total, probabilities, finished = interruptible(sums, budget)
    except OverflowError:
        raise LimitError(
            "the weights of the networks span too wide a range for exact sums: use sample_posterior"
        ) from None
    if not finished:
        raise LimitError(
            "the exact sums were not complete within ", Parameter("time_limit", time_limit)
        )
    of_sets = np.zeros(len(sets))
    of_sets[allowed] = probabilities
    return ExactPosterior(sets.names, sum_by_arc(sets, of_sets), total, of_sets)


def _scale(sets: ParentSets) -> NDArray[np.float64]:
    """Return the local scores of a good network, that of a greedy order, to scale the weights.

    Most sums then stay in the range of a double. When weights were divided by those of the best
    sets instead, 15 variables took twice as long.
    """
    n = sets.n_variables
    usable = np.zeros(n + 1, dtype=bool)
    left, scale = set(range(n)), np.zeros(n)
    best = [sets.scores[int(sets.offsets[v])] for v in range(n)]
    while left:
        choices = {v: sets.best_among(v, usable).score for v in left}
        # The variable that loses least by coming next.
        v = min(left, key=lambda u: (best[u] - choices[u], u))
        scale[v] = choices[v]
        usable[v] = True
        left.remove(v)
    return scale
