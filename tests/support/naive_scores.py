"""Brute-force versions of the scores, written from the papers.

Pure Python on purpose: rows are counted with dictionaries and every sum is
``math.fsum``, so that two scores whose terms are the same are the same to the
last bit and ties stay ties.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from scipy.stats import chi2

from forebear.data.dataset import Dataset


class Family(NamedTuple):
    """A child and its parents, counted.

    ``cells`` maps (parent configuration j, child state k) to N_jk, and
    ``configurations`` maps j to N_j. Only what occurs in the data is there.
    """

    rows: int
    child_arity: int
    parent_arities: tuple[int, ...]
    cells: Counter[tuple[tuple[int, ...], int]]
    configurations: Counter[tuple[int, ...]]

    @property
    def n_configurations(self) -> int:
        """The number of parent configurations by the declared states: q."""
        return math.prod(self.parent_arities)


def count(dataset: Dataset, child: int, parents: Collection[int]) -> Family:
    """Count the cells of the contingency table of a family, one row after the other.

    A row in which the child was set by intervention is left out (Cooper and Yoo, 1999).
    """
    mask = dataset.intervened
    rows = [row for row in range(dataset.n_rows) if mask is None or not mask[child, row]]
    configurations = [tuple(int(dataset.codes[p, row]) for p in parents) for row in rows]
    states = [int(dataset.codes[child, row]) for row in rows]
    return Family(
        rows=len(rows),
        child_arity=int(dataset.arities[child]),
        parent_arities=tuple(int(dataset.arities[parent]) for parent in parents),
        cells=Counter(zip(configurations, states, strict=True)),
        configurations=Counter(configurations),
    )


def _dirichlet(family: Family, prior_cell: float) -> float:
    """Return the log marginal likelihood when every cell has the same prior weight.

    Configurations that do not occur are left out: they contribute lgG(p) - lgG(p) = 0.
    """
    prior_configuration = family.child_arity * prior_cell
    configurations = (
        math.lgamma(prior_configuration) - math.lgamma(n + prior_configuration)
        for n in family.configurations.values()
    )
    cells = (math.lgamma(n + prior_cell) - math.lgamma(prior_cell) for n in family.cells.values())
    return math.fsum([*configurations, *cells])


def _bdeu(family: Family, ess: float = 1.0) -> float:
    return _dirichlet(family, ess / (family.child_arity * family.n_configurations))


def averaged_bdeu(family: Family, sizes: Iterable[float]) -> float:
    """Return the log of the mean probability of parents and child, minus that of the parents.

    The rows are drawn from an urn, one after the other.
    """
    parents = _log_of_sum(family.configurations, family.n_configurations, sizes)
    both = _log_of_sum(family.cells, family.n_configurations * family.child_arity, sizes)
    return both - parents


def _log_of_sum(counts: Counter[Any], cells: int, sizes: Iterable[float]) -> float:
    logs = []
    for size in sizes:
        drawn = math.fsum(
            math.log(before + size / cells) for times in counts.values() for before in range(times)
        )
        logs.append(drawn - math.fsum(math.log(row + size) for row in range(counts.total())))
    return max(logs) + math.log(math.fsum(math.exp(one - max(logs)) for one in logs))


def _bds(family: Family, ess: float = 1.0) -> float:
    """Scutari (2016): the prior is spread over the configurations that occur."""
    occurring = max(len(family.configurations), 1)
    return _dirichlet(family, ess / (family.child_arity * occurring))


def _k2(family: Family) -> float:
    return _dirichlet(family, 1.0)


def _ll(family: Family) -> float:
    return math.fsum(
        n * math.log(n / family.configurations[configuration])
        for (configuration, _), n in family.cells.items()
    )


def _free_parameters(family: Family) -> int:
    return family.n_configurations * (family.child_arity - 1)


def _aic(family: Family) -> float:
    return _ll(family) - _free_parameters(family)


def _bic(family: Family) -> float:
    penalty = 0.5 * math.log(family.rows) if family.rows else 0.0
    return _ll(family) - penalty * _free_parameters(family)


@cache
def multinomial_normalizer(states: int, rows: int) -> Fraction:
    """Return C(states, rows), the exact sum of the maximized likelihoods of all samples.

    The recursion is that of Kontkanen and Myllymäki (2007). C(2, n) is its
    defining sum, put over the common denominator n^n; 0^0 = 1.
    """
    if rows == 0 or states == 1:
        return Fraction(1)
    likelihoods = sum(math.comb(rows, h) * h**h * (rows - h) ** (rows - h) for h in range(rows + 1))
    before, current = Fraction(1), Fraction(likelihoods, rows**rows)
    for r in range(1, states - 1):
        before, current = current, current + Fraction(rows, r) * before
    return current


def log_multinomial_normalizer(states: int, rows: int) -> float:
    """Return log C(states, rows)."""
    normalizer = multinomial_normalizer(states, rows)
    # C may be beyond the largest float; the logarithm of an integer may not.
    return math.log(normalizer.numerator) - math.log(normalizer.denominator)


def _fnml(family: Family) -> float:
    penalties = (
        log_multinomial_normalizer(family.child_arity, n) for n in family.configurations.values()
    )
    return _ll(family) - math.fsum(penalties)


def _nml(counts: Iterable[int], states: int, rows: int) -> float:
    """Return the NML score of a set of variables taken as one variable of ``states`` states."""
    likelihood = math.fsum(n * math.log(n / rows) for n in counts)
    return likelihood - log_multinomial_normalizer(states, rows)


def _qnml(family: Family) -> float:
    """Silander et al. (2018): the NML of the family less the NML of the parents."""
    q, rows = family.n_configurations, family.rows
    joint = _nml(family.cells.values(), q * family.child_arity, rows)
    return joint - _nml(family.configurations.values(), q, rows)


def _mit(family: Family, alpha: float = 0.999) -> float:
    """De Campos (2006): 2 N MI(child; parents) less chi-squared quantiles."""
    children: Counter[int] = Counter()
    for (_, state), n in family.cells.items():
        children[state] += n
    information = math.fsum(
        n * math.log(n * family.rows / (family.configurations[configuration] * children[state]))
        for (configuration, state), n in family.cells.items()
    )
    return 2 * information - math.fsum(_mit_penalties(family, alpha))


def _mit_penalties(family: Family, alpha: float) -> list[float]:
    penalties = []
    before = 1
    # Descending arities give the largest total penalty of all orders (de Campos, 2006).
    for arity in sorted(family.parent_arities, reverse=True):
        degrees = (family.child_arity - 1) * (arity - 1) * before
        penalties.append(float(chi2.ppf(alpha, degrees)) if degrees else 0.0)
        before *= arity
    return penalties


SCORES: dict[str, Callable[..., float]] = {
    "bdeu": _bdeu,
    "bdeu auto": lambda family: averaged_bdeu(family, (0.25, 1, 4, 16, 64)),
    "bds": _bds,
    "ll": _ll,
    "aic": _aic,
    "bic": _bic,
    "k2": _k2,
    "fnml": _fnml,
    "qnml": _qnml,
    "mit": _mit,
}


def log_prior(prior: str | float, n_variables: int, n_parents: int) -> float:
    """Return the log prior of a parent set: never more than that of a smaller one."""
    if prior == "uniform":
        return 0.0
    if prior == "sparse":
        return -max(math.log(math.comb(n_variables - 1, k)) for k in range(n_parents + 1))
    return n_parents * math.log(float(prior) / (1.0 - float(prior)))


def local_score(
    dataset: Dataset,
    child: int,
    parents: Collection[int],
    score: str,
    prior: str | float = "uniform",
    **params: float,
) -> float:
    """Return the local score of one family, natural logarithm.

    The prior is that over networks. ``params`` are ``ess`` of bdeu and bds (1) and ``alpha`` of mit
    (0.999).
    """
    own = SCORES[score](count(dataset, child, sorted(parents)), **params)
    return own + log_prior(prior, dataset.n_variables, len(parents))
