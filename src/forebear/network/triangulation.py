"""Triangulation: an undirected graph is covered by cliques that form a tree.

Variables are eliminated one after another. Eliminating one connects its neighbours, and it forms a
clique with them. The next one is always that which adds the fewest edges (min-fill).
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


class TooManyCellsError(ValueError):
    """A clique has too many cells; ``clique`` lists its variables."""

    def __init__(self, clique: tuple[int, ...]) -> None:
        super().__init__("a clique has too many cells")
        self.clique = clique


class CliqueTree(NamedTuple):
    """Cliques that form a tree. The first is the root, and parents come before their children.

    Attributes
    ----------
    cliques
        The variables of every clique, ascending.
    parents
        The clique that each hangs on; -1 for the root.
    homes
        For every variable, the clique that was made when it was eliminated. It has all variables
        that the variable was connected with and that were eliminated later.
    order
        The order in which the variables were eliminated.
    """

    cliques: list[tuple[int, ...]]
    parents: list[int]
    homes: dict[int, int]
    order: list[int]


def triangulate(
    sizes: Mapping[int, int],
    edges: Iterable[tuple[int, int]],
    *,
    last: Collection[int] = (),
    most_cells: float = math.inf,
) -> CliqueTree:
    """Cover a graph by cliques that form a tree.

    Parameters
    ----------
    sizes
        The variables, and the number of states of each.
    edges
        Pairs of variables.
    last
        Variables that are to be in the root together.
    most_cells
        The most cells of a clique: the product of its numbers of states.

    Returns
    -------
    CliqueTree
        The cliques. Parts of the graph that are not connected hang on the root by nothing.

    Raises
    ------
    TooManyCellsError
        If a clique has more cells.
    """
    graph = _Graph(sizes, edges, last)
    eliminated: list[tuple[int, set[int]]] = []
    while graph.costs:
        v = min(graph.costs, key=graph.costs.__getitem__)
        if graph.cells(v) > most_cells:
            raise TooManyCellsError((v, *sorted(graph.adjacent[v])))
        eliminated.append((v, graph.adjacent[v]))
        graph.eliminate(v)
    return _tree_of(eliminated)


class _Graph:
    """A graph whose vertices are eliminated; ``costs`` has those that are left."""

    def __init__(
        self, sizes: Mapping[int, int], edges: Iterable[tuple[int, int]], last: Collection[int]
    ) -> None:
        self.adjacent: dict[int, set[int]] = {v: set() for v in sizes}
        for a, b in (*edges, *combinations(last, 2)):
            self.adjacent[a].add(b)
            self.adjacent[b].add(a)
        self._sizes = sizes
        self._last = frozenset(last)
        self.costs = {v: self._cost(v) for v in sizes}

    def cells(self, v: int) -> int:
        """Return the cells of the clique that eliminating a variable makes."""
        return math.prod((self._sizes[u] for u in self.adjacent[v]), start=self._sizes[v])

    def _cost(self, v: int) -> tuple[bool, int, int, int]:
        """Compare by the edges added, then by the cells of the clique, then by the number."""
        near = self.adjacent[v]
        missing = sum(len(near - self.adjacent[u]) - 1 for u in near)
        return v in self._last, missing // 2, self.cells(v), v

    def eliminate(self, v: int) -> None:
        """Connect the neighbours of a variable, and remove it."""
        near = self.adjacent[v]
        touched = set(near)
        for u in near:
            own = self.adjacent[u]
            # An edge that is added also lowers the cost of what is next to both of its ends.
            if len(near - own) > 1:
                touched |= own
            own |= near
            own -= {u, v}
        del self.costs[v]
        for u in touched - {v}:
            self.costs[u] = self._cost(u)


def _tree_of(eliminated: list[tuple[int, set[int]]]) -> CliqueTree:
    """Make cliques of what was eliminated, the last first; only those that no other contains."""
    order = [v for v, _ in eliminated]
    place = {v: k for k, v in enumerate(order)}
    cliques: list[set[int]] = [set()]
    parents, homes = [-1], dict[int, int]()
    for v, others in reversed(eliminated):
        clique = homes[min(others, key=place.__getitem__)] if others else 0
        if cliques[clique] == others:
            cliques[clique].add(v)
        else:
            parents.append(clique)
            clique = len(cliques)
            cliques.append({v, *others})
        homes[v] = clique
    return CliqueTree([tuple(sorted(c)) for c in cliques], parents, homes, order)
