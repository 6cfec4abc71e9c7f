"""Find local cuts: groups of variables where a relaxed solution is no mixture of networks.

Take a group of variables and restrict every used parent set to its members in the group. If the
solution restricted in this way is not a convex combination of acyclic choices, a linear program
finds coefficients that separate it from all of them. The coefficients of choices that are not
used are then raised as far as acyclic choices permit, so that a small change of the solution
does not evade the cut.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from forebear._util.highs import new_linear_program
from forebear._util.products import sum_rows
from forebear.exact.cuts import LocalCut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.exact.cuts import Support

_VIOLATED = 1e-3  # smallest violation for which a cut is added
_ROUND_OFF = 1e-7  # values below this are 0


class Size(NamedTuple):
    """The largest group: its number of variables, and of combinations of their choices."""

    variables: int
    combinations: int


SIZES = (Size(7, 800), Size(10, 6000))
"""Group sizes to try, in this order."""


class Choice(NamedTuple):
    """The weight with which a variable has these parents (a bit mask within the group)."""

    variable: int
    parents: int
    weight: float


def local_cuts(support: Support) -> list[LocalCut]:
    """Find violated local cuts around each variable with a fractional arc.

    Larger groups take more time, so they are tried only if smaller ones give no cut.
    """
    arcs = support.arcs
    split = np.minimum(arcs, 1.0 - arcs)
    for size in SIZES:
        groups = {
            _group(support, links, seed, size) for links in (arcs, split) for seed in support.split
        }
        cuts = (_separated(support, group) for group in sorted(groups))
        if found := [cut for cut in cuts if cut is not None]:
            return found
    return []


def _group(support: Support, arcs: NDArray[np.float64], seed: int, size: Size) -> tuple[int, ...]:
    """Collect the variables most strongly linked to a first one and to those collected."""
    group = [seed]
    links = arcs + arcs.T
    while len(group) < min(size.variables, support.n_variables):
        strength = links[:, group].sum(axis=1)
        strength[group] = -1.0
        wider = (*group, int(np.argmax(strength)))
        few = _combinations(support, wider) <= size.combinations
        if strength[wider[-1]] <= _ROUND_OFF or not few:
            break
        group = list(wider)
    return tuple(sorted(group))


def _combinations(support: Support, group: tuple[int, ...]) -> int:
    counts = [1] * len(group)
    for choice in _choices(support, group):
        counts[choice.variable] += 1
    return int(np.prod(counts))


def _choices(support: Support, group: tuple[int, ...]) -> list[Choice]:
    """Sum the weights of a group's sets by their members in it; sets with none are left out."""
    bits = support.members[:, group] @ (1 << np.arange(len(group)))
    weights: dict[tuple[int, int], float] = {}
    for variable, v in enumerate(group):
        own = support.child == v
        for parents, weight in zip(bits[own].tolist(), support.weight[own].tolist(), strict=True):
            if parents:
                key = (variable, parents)
                weights[key] = weights.get(key, 0.0) + weight
    return [Choice(*key, weight) for key, weight in weights.items()]


def _separated(support: Support, group: tuple[int, ...]) -> LocalCut | None:
    """Find the cut that best separates the choices of a group from acyclic ones, if any."""
    choices = _choices(support, group)
    if len(choices) < 2:
        return None
    acyclic = _acyclic(choices, len(group))
    weight = np.array([choice.weight for choice in choices])
    value = _separating(acyclic, weight)
    if float(np.sum(value * weight)) - sum_rows(acyclic, value).max() < _VIOLATED:
        return None
    tables = np.zeros((len(group), 1 << len(group)))
    for choice, own in zip(choices, value.tolist(), strict=True):
        tables[choice.variable, choice.parents] = own
    return _raised(group, _upward(tables))


def _acyclic(choices: list[Choice], n: int) -> NDArray[np.float64]:
    """List the acyclic combinations: one row each, one column per choice."""
    options = [[(0, -1)] for _ in range(n)]
    for column, choice in enumerate(choices):
        options[choice.variable].append((choice.parents, column))
    combined = np.array(list(product(*options)))
    parents, columns = combined[:, :, 0], combined[:, :, 1]
    placed = np.zeros(len(combined), dtype=np.int64)
    for _ in range(n):
        ready = (parents & ~placed[:, None]) == 0
        placed = ready @ (1 << np.arange(n))
    columns = columns[placed == (1 << n) - 1]
    rows = np.zeros((len(columns), len(choices) + 1))
    np.put_along_axis(rows, columns, 1.0, axis=1)  # column -1 stands for no parents
    return rows[:, :-1]


def _separating(acyclic: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return coefficients in [0, 1] that put the weights as far as possible above every row."""
    rows, columns = acyclic.shape
    solver = new_linear_program()
    # The last column is the largest value of any row.
    cost = np.append(-weight, 1.0)
    upper = np.append(np.ones(columns), np.inf)
    no_entries = np.zeros(0, dtype=np.int32)
    starts = np.zeros(columns + 1, dtype=np.int32)
    solver.addCols(columns + 1, cost, np.zeros(columns + 1), upper, 0, starts, no_entries, [])
    matrix = csr_array(np.hstack([acyclic, -np.ones((rows, 1))]))
    starts = matrix.indptr[:-1].astype(np.int32)
    indices = matrix.indices.astype(np.int32)
    below = np.full(rows, -np.inf)
    solver.addRows(rows, below, np.zeros(rows), matrix.nnz, starts, indices, matrix.data)
    solver.run()
    value = np.array(solver.getSolution().col_value)[:columns]
    return np.where(value > _ROUND_OFF, np.round(value, 7), 0.0)


def _upward(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give each set the largest value of its subsets: additional parents do no harm."""
    for bit in range(len(tables)):
        halves = tables.reshape(len(tables), -1, 2, 1 << bit)
        np.maximum(halves[:, :, 1], halves[:, :, 0], out=halves[:, :, 1])
    return tables


def _raised(group: tuple[int, ...], tables: NDArray[np.float64]) -> LocalCut:
    """Raise the coefficients of one variable after the other as far as the limit allows."""
    limit = _forward(tables)[-1]
    subsets = np.arange(1 << len(group))
    for v in range(len(group)):
        first, rest = _forward(tables), _backward(tables)
        without = (subsets >> v & 1) == 0
        # v comes after a subset with its parents; this is the most that the others can have.
        others = np.where(without, first + rest[subsets | 1 << v], -np.inf)
        for bit in range(len(group)):
            halves = others.reshape(-1, 2, 1 << bit)
            np.maximum(halves[:, 0], halves[:, 1], out=halves[:, 0])
        own = limit - others[subsets & ~(1 << v)]
        limit -= own[0]
        tables[v] = np.round(own - own[0], 6)
    return LocalCut(group, tuple(map(tuple, tables.tolist())), float(_forward(tables)[-1]))


def _forward(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the highest value of each subset if all its parents are within it."""
    n = len(tables)
    best = [0.0] * (1 << n)
    rows = tables.tolist()
    for subset in range(1, 1 << n):
        best[subset] = max(
            best[subset ^ 1 << v] + rows[v][subset ^ 1 << v] for v in range(n) if subset >> v & 1
        )
    return np.array(best)


def _backward(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the highest value of the variables outside each subset if they come after it."""
    n = len(tables)
    best = [0.0] * (1 << n)
    rows = tables.tolist()
    for subset in reversed(range((1 << n) - 1)):
        best[subset] = max(
            best[subset | 1 << v] + rows[v][subset] for v in range(n) if not subset >> v & 1
        )
    return np.array(best)
