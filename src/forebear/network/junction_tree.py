"""JunctionTree: cliques of variables in a tree, along which messages are passed in logarithms.

The first axis of every array is the row, so rows with values of the same variables are computed
together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import LimitError
from forebear.data.columns import cells_of
from forebear.network.conditional_tables import ConditionalTables

Logs = NDArray[np.float64]
Fold = Callable[[Logs, tuple[int, ...]], Logs]

MOST_CELLS = 2**24
"""The most cells of all cliques together: 128 MB, and a few times as much while messages are
passed. A pass along the 3.7 million cells of the network "water" took 0.13 s."""


def log_sum(logs: Logs, axes: tuple[int, ...]) -> Logs:
    """Sum probabilities that are given by their logarithms."""
    if not axes:
        return logs
    highest = logs.max(axis=axes, keepdims=True)
    highest[~np.isfinite(highest)] = 0.0  # all are 0
    with np.errstate(divide="ignore"):
        sums: Logs = np.log(np.exp(logs - highest).sum(axis=axes))
    sums += highest.reshape(sums.shape)
    return sums


def log_max(logs: Logs, axes: tuple[int, ...]) -> Logs:
    """Return the largest of probabilities that are given by their logarithms."""
    largest: Logs = logs.max(axis=axes)
    return largest


def marginal(
    logs: Logs, clique: tuple[int, ...], kept: Collection[int], fold: Fold = log_sum
) -> Logs:
    """Sum out the variables of a clique that are not kept, or apply another ``fold``."""
    return fold(logs, tuple(axis for axis, v in enumerate(clique, start=1) if v not in kept))


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """Cliques of variables in a tree, built from a network by min-fill triangulation.

    All cliques on the path between two cliques contain the variables that both contain. Every table
    of probabilities belongs to one clique that contains its variables.

    Attributes
    ----------
    fitted
        The network.
    evidence
        The variables whose states are given. They are in no clique.
    cliques
        The variables of every clique, by index, ascending. The first clique is the root.
    parents
        The parent of each clique, which precedes it; -1 for the root. Messages to the root are
        passed from the last clique to the first, and messages from the root in the opposite
        direction.
    separators
        The variables that each clique shares with its parent, ascending. Parts of the network that
        are not connected are attached to the root with an empty separator.
    homes
        For every variable whose table is used, the clique that the table belongs to.

    Examples
    --------
    >>> from forebear import read_fitted
    >>> from forebear.data.examples import example_path
    >>> from forebear.network.junction_tree import JunctionTree
    >>> tree = JunctionTree.of(read_fitted(example_path("orchard.bif")))
    >>> len(tree.cliques), tree.width, tree.cells
    (12, 4, 786)
    """

    fitted: ConditionalTables
    evidence: frozenset[int]
    cliques: tuple[tuple[int, ...], ...]
    parents: tuple[int, ...]
    separators: tuple[tuple[int, ...], ...]
    homes: dict[int, int]

    @classmethod
    def of(
        cls,
        fitted: ConditionalTables,
        *,
        evidence: Collection[int] = (),
        families: Collection[int] | None = None,
        root: Collection[int] = (),
        most_cells: int = MOST_CELLS,
    ) -> JunctionTree:
        """Build the tree of a network, or of the tables of some ``families`` only.

        ``evidence`` are the variables whose states will be given. The root clique contains all
        variables in ``root``. A ``LimitError`` is raised if the cliques have more than
        ``most_cells`` cells.
        """
        parents = fitted.network.parents
        used = range(len(parents)) if families is None else sorted(families)
        scopes = {v: [u for u in (*parents[v], v) if u not in evidence] for v in used}
        hidden = sorted({u for own in scopes.values() for u in own}.union(root))
        # A variable with one state counts as two, because arrays have a limited number of axes.
        sizes = {u: max(2, len(fitted.states[u])) for u in hidden}
        eliminated = _eliminate(sizes, [*scopes.values(), root], root, most_cells)
        cliques, above, clique_of = _cliques_of(eliminated)
        place = {v: k for k, v in enumerate(eliminated)}
        homes = {
            v: clique_of[min(own, key=place.__getitem__)] if own else 0 for v, own in scopes.items()
        }
        shared = [c & cliques[k] if k >= 0 else () for c, k in zip(cliques, above, strict=True)]
        ascending, separators = ([tuple(sorted(c)) for c in some] for some in (cliques, shared))
        tree = cls(
            fitted, frozenset(evidence), tuple(ascending), tuple(above), tuple(separators), homes
        )
        if tree.cells > most_cells:
            raise _too_large(tree.cells, most_cells)
        return tree

    @cached_property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of states of the variables of every clique."""
        return tuple(tuple(len(self.fitted.states[v]) for v in c) for c in self.cliques)

    @property
    def cells(self) -> int:
        """The number of cells of all cliques together."""
        return sum(math.prod(shape) for shape in self.shapes)

    @property
    def width(self) -> int:
        """The number of variables of the largest clique, less one: the treewidth, or more."""
        return max(map(len, self.cliques)) - 1

    def potentials(self, codes: NDArray[Any]) -> list[Logs]:
        """Return the sum of the log-probabilities that belong to each clique.

        ``codes`` are variables by rows; only those of the evidence are used. The first axis of an
        array is the row; it has length 1 if all rows are equal.
        """
        potentials = [np.zeros((1, *shape)) for shape in self.shapes]
        for v, clique in self.homes.items():
            factor, scope = self._factor(v, codes)
            potentials[clique] = potentials[clique] + _aligned(factor, scope, self.cliques[clique])
        return potentials

    def _factor(self, v: int, codes: NDArray[Any]) -> tuple[Logs, tuple[int, ...]]:
        """Return the log table of a variable given the evidence, and its unobserved variables."""
        table = self.fitted.log_tables[v]
        family = (*self.fitted.network.parents[v], v)
        evidence = [u for u in family if u in self.evidence]
        scope = tuple(sorted({*family}.difference(evidence)))
        axes = [family.index(u) for u in (*evidence, *scope)]
        sizes = [table.shape[axis] for axis in axes]
        rows = np.transpose(table, axes).reshape(-1, *sizes[len(evidence) :])
        if evidence:
            cells = cells_of([codes[u] for u in evidence], sizes[: len(evidence)], codes.shape[1])
            rows = rows[cells]
        return rows, scope

    def collect(self, potentials: list[Logs], fold: Fold = log_sum) -> list[Logs]:
        """Pass messages to the root, add them to the potentials, and return them.

        The potential of the root is then complete. ``fold`` is ``log_sum`` or ``log_max``.
        """
        messages = list(potentials)
        for k in range(len(self.cliques) - 1, 0, -1):
            parent, separator = self.parents[k], self.separators[k]
            messages[k] = marginal(potentials[k], self.cliques[k], separator, fold)
            potentials[parent] = potentials[parent] + _aligned(
                messages[k], separator, self.cliques[parent]
            )
        return messages

    def distribute(self, potentials: list[Logs], messages: list[Logs]) -> None:
        """Pass messages from the root, so that every potential is complete (Hugin's division)."""
        for k in range(1, len(self.cliques)):
            parent, separator = self.parents[k], self.separators[k]
            total = marginal(potentials[parent], self.cliques[parent], separator)
            # The clique's own message is divided out; its zeros remain.
            own = np.broadcast_to(messages[k], np.broadcast_shapes(messages[k].shape, total.shape))
            news = np.subtract(total, own, out=np.full(own.shape, -np.inf), where=own > -np.inf)
            potentials[k] = potentials[k] + _aligned(news, separator, self.cliques[k])


def _aligned(logs: Logs, scope: tuple[int, ...], clique: tuple[int, ...]) -> Logs:
    """Reshape an array over some variables of a clique to one axis per variable of the clique."""
    sizes = iter(logs.shape[1:])
    return logs.reshape(len(logs), *(next(sizes) if v in scope else 1 for v in clique))


def _eliminate(
    sizes: Mapping[int, int],
    scopes: Iterable[Collection[int]],
    last: Collection[int],
    most_cells: int,
) -> dict[int, set[int]]:
    """Eliminate variables one by one; return the neighbors that each had, in this order.

    The variables of a scope are neighbors. Eliminating a variable connects its neighbors. The
    variable that adds the fewest edges is next (min-fill); ties are broken by the number of cells
    of the variable and its neighbors. Variables with too many cells wait until they have fewer
    neighbors.
    """
    adjacent: dict[int, set[int]] = {v: set() for v in sizes}
    for scope in scopes:
        for v in scope:
            adjacent[v].update(u for u in scope if u != v)

    def cost(v: int) -> tuple[bool, float, int, int]:
        near = adjacent[v]
        cells = math.prod(sizes[u] for u in (v, *near))
        if cells > most_cells:
            return v in last, math.inf, cells, v
        added = sum(len(near - adjacent[u]) - 1 for u in near) // 2
        return v in last, added, cells, v

    costs = {v: cost(v) for v in sizes}
    waiting = sorted(costs.values())  # a heap, in which costs that have changed remain
    eliminated: dict[int, set[int]] = {}
    while costs:
        _, _, cells, v = least = heappop(waiting)
        if costs.get(v) != least:
            continue
        if cells > most_cells:
            raise _too_large(cells, most_cells)
        near = eliminated[v] = adjacent[v]
        touched = set(near)
        for u in near:
            own = adjacent[u]
            # A new edge also lowers the cost of the neighbors that both of its ends share.
            if len(near - own) > 1:
                touched |= own
            own |= near
            own -= {u, v}
        del costs[v]
        for u in touched - {v}:
            costs[u] = cost(u)
            heappush(waiting, costs[u])
    return eliminated


def _cliques_of(
    eliminated: dict[int, set[int]],
) -> tuple[list[set[int]], list[int], dict[int, int]]:
    """Return the maximal cliques of an elimination, the last one first.

    Also return the parent of each clique, and for every variable the clique that contains it and
    the neighbors that it was eliminated with.
    """
    place = {v: k for k, v in enumerate(eliminated)}
    cliques: list[set[int]] = [set()]
    above, clique_of = [-1], dict[int, int]()
    for v, others in reversed(eliminated.items()):
        clique = clique_of[min(others, key=place.__getitem__)] if others else 0
        if cliques[clique] == others:
            cliques[clique].add(v)
        else:
            above.append(clique)
            clique = len(cliques)
            cliques.append({v, *others})
        clique_of[v] = clique
    return cliques, above, clique_of


def _too_large(cells: int, most_cells: int) -> LimitError:
    """Return the error about cliques with too many cells."""
    shown = f"{cells:,}" if cells < 10**9 else f"10^{len(str(cells)) - 1}"
    return LimitError(
        f"exact inference in this network requires tables of {shown} cells, more than the limit of "
        f"{most_cells:,}: give evidence on more variables, or approximate it with pyAgrum, "
        "pyagrum.LoopyBeliefPropagation(forebear.interop.to_pyagrum(fitted))"
    )
