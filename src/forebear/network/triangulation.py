"""Triangulation: an undirected graph is covered by cliques that form a tree.

Variables are eliminated one after another. Eliminating one connects its neighbours, and it forms a
clique with them. The next one is always that which adds the fewest edges (min-fill).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping


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
    eliminated: list[tuple[int, int]] = []
    while graph.left:
        v = graph.cheapest()
        if graph.cells(v) > most_cells:
            raise TooManyCellsError((v, *_members(graph.adjacent[v])))
        eliminated.append((v, graph.adjacent[v]))
        graph.eliminate(v)
    return _tree_of(eliminated)


class _Graph:
    """A graph whose vertices are eliminated. Sets of variables are bits of whole numbers."""

    def __init__(
        self, sizes: Mapping[int, int], edges: Iterable[tuple[int, int]], last: Collection[int]
    ) -> None:
        self.adjacent = dict.fromkeys(sizes, 0)
        for a, b in edges:
            self._connect(a, b)
        together = sum(1 << v for v in last)
        for v in last:
            self.adjacent[v] |= together & ~(1 << v)
        self._sizes = sizes
        self._last = together
        self.left = set(sizes)
        self._costs = {v: self._cost(v) for v in sizes}

    def _connect(self, a: int, b: int) -> None:
        self.adjacent[a] |= 1 << b
        self.adjacent[b] |= 1 << a

    def cells(self, v: int) -> int:
        """Return the cells of the clique that eliminating a variable makes."""
        return math.prod((self._sizes[u] for u in _members(self.adjacent[v])), start=self._sizes[v])

    def _cost(self, v: int) -> tuple[bool, int, int, int]:
        """Compare by the edges added, then by the cells of the clique, then by the number."""
        near = self.adjacent[v]
        missing = sum((near & ~self.adjacent[u]).bit_count() - 1 for u in _members(near))
        return bool(self._last >> v & 1), missing // 2, self.cells(v), v

    def cheapest(self) -> int:
        """Return the variable to eliminate next."""
        return min(self.left, key=self._costs.__getitem__)

    def eliminate(self, v: int) -> None:
        """Connect the neighbours of a variable, and remove it."""
        near = self.adjacent[v]
        touched = near
        for u in _members(near):
            added = near & ~self.adjacent[u] & ~(1 << u)
            # An edge that is added also lowers the cost of what is next to both of its ends.
            if added:
                touched |= self.adjacent[u]
            self.adjacent[u] = (self.adjacent[u] | added) & ~(1 << v)
        self.left.remove(v)
        for u in _members(touched & ~(1 << v)):
            self._costs[u] = self._cost(u)


def _tree_of(eliminated: list[tuple[int, int]]) -> CliqueTree:
    """Make cliques of what was eliminated, the last first; only those that no other contains."""
    order = [v for v, _ in eliminated]
    place = {v: k for k, v in enumerate(order)}
    cliques: list[set[int]] = [set()]
    parents, homes = [-1], dict[int, int]()
    for v, near in reversed(eliminated):
        others = set(_members(near))
        clique = homes[min(others, key=place.__getitem__)] if others else 0
        if cliques[clique] == others:
            cliques[clique].add(v)
        else:
            parents.append(clique)
            clique = len(cliques)
            cliques.append({v, *others})
        homes[v] = clique
    return CliqueTree([tuple(sorted(c)) for c in cliques], parents, homes, order)


def _members(bits: int) -> Iterator[int]:
    while bits:
        least = bits & -bits
        yield least.bit_length() - 1
        bits ^= least
