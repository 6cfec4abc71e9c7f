"""Finding cuts of a few variables: where no mixture of networks explains a relaxed solution.

Take a group of variables, and of each chosen set its members among them. If
these choices are a mixture of acyclic ones, all is well. If not, a linear
program finds coefficients that tell them from any such mixture. The
coefficients of what is not chosen are then raised as far as networks permit, so
that the solution cannot evade the cut by a small change.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from forebear.exact.cuts import LocalCut
from forebear.exact.solver import new_solver

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from forebear.exact.cuts import Support

_VIOLATED = 1e-3
_ROUND_OFF = 1e-7


class Size(NamedTuple):
    """How large a group may be: its variables, and the combinations of their choices."""

    variables: int
    combinations: int


SIZES = (Size(7, 800), Size(10, 6000))


class Choice(NamedTuple):
    """A variable of the group takes these parents (a mask within the group), so much of it."""

    variable: int
    parents: int
    weight: float


def local_cuts(support: Support) -> list[LocalCut]:
    """Find violated cuts around each variable that has some parent in part only.

    Larger groups cost more time, so they are tried when smaller ones give nothing.
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
    """Gather the variables that are most linked to a first one, and to those gathered."""
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
    """Add up the chosen sets of a group by their members in it; those with none are left out."""
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
    """Find the coefficients that tell the choices of a group best from acyclic ones."""
    choices = _choices(support, group)
    if len(choices) < 2:
        return None
    acyclic = _acyclic(choices, len(group))
    weight = np.array([choice.weight for choice in choices])
    value = _told_apart(acyclic, weight)
    if value @ weight - (acyclic @ value).max() < _VIOLATED:
        return None
    tables = np.zeros((len(group), 1 << len(group)))
    for choice, own in zip(choices, value.tolist(), strict=True):
        tables[choice.variable, choice.parents] = own
    return _raised(group, _upward(tables))


def _acyclic(choices: list[Choice], n: int) -> NDArray[np.float64]:
    """List the acyclic combinations: a row each, a column a choice."""
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
    np.put_along_axis(rows, columns, 1.0, axis=1)  # column -1 takes what has no parents
    return rows[:, :-1]


def _told_apart(acyclic: NDArray[np.float64], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Choose values from 0 to 1: as much as possible for the weights beyond any row."""
    rows, columns = acyclic.shape
    solver = new_solver()
    # The last column is the most that any row has.
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
    """Give each set the largest value of its subsets: parents more than needed do no harm."""
    for bit in range(len(tables)):
        halves = tables.reshape(len(tables), -1, 2, 1 << bit)
        np.maximum(halves[:, :, 1], halves[:, :, 0], out=halves[:, :, 1])
    return tables


def _raised(group: tuple[int, ...], tables: NDArray[np.float64]) -> LocalCut:
    """Raise the values of one variable after the other to what the limit leaves them."""
    limit = _forward(tables)[-1]
    subsets = np.arange(1 << len(group))
    for v in range(len(group)):
        first, rest = _forward(tables), _backward(tables)
        without = (subsets >> v & 1) == 0
        # v stands after a subset that has its parents; the others have so much at most.
        others = np.where(without, first + rest[subsets | 1 << v], -np.inf)
        for bit in range(len(group)):
            halves = others.reshape(-1, 2, 1 << bit)
            np.maximum(halves[:, 0], halves[:, 1], out=halves[:, 0])
        own = limit - others[subsets & ~(1 << v)]
        limit -= own[0]
        tables[v] = np.round(own - own[0], 6)
    return LocalCut(group, tuple(map(tuple, tables.tolist())), float(_forward(tables)[-1]))


def _forward(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """The most that each subset has, if its parents are within it."""
    n = len(tables)
    best = [0.0] * (1 << n)
    rows = tables.tolist()
    for subset in range(1, 1 << n):
        best[subset] = max(
            best[subset ^ 1 << v] + rows[v][subset ^ 1 << v] for v in range(n) if subset >> v & 1
        )
    return np.array(best)


def _backward(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    """The most that the variables outside each subset have, if they come after it."""
    n = len(tables)
    best = [0.0] * (1 << n)
    rows = tables.tolist()
    for subset in reversed(range((1 << n) - 1)):
        best[subset] = max(
            best[subset | 1 << v] + rows[v][subset] for v in range(n) if not subset >> v & 1
        )
    return np.array(best)
