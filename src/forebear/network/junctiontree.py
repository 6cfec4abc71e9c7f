"""JunctionTree: cliques of variables in a tree, along which probabilities are passed on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import LimitError
from forebear.data.columns import cells_of
from forebear.network.triangulation import TooManyCellsError, triangulate

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from forebear.network.conditional import ConditionalTables

MOST_CELLS = 2**24
"""The most cells of all cliques together: 128 MB, and a few times as much while messages are
passed. A pass along the 3.7 million cells of the network "water" took 0.13 s."""

_MOST_TREES = 64
"""Trees that are kept for the next question. They hold no probabilities, so they are small; a
program usually asks about a few sets of variables."""


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """Cliques of variables in a tree, made of a network by min-fill triangulation.

    Two cliques that both hold a variable are connected by cliques that hold it too. Every table
    of probabilities belongs to one clique that holds its variables.

    Attributes
    ----------
    fitted
        The network.
    known
        The variables whose states are given. They are in no clique.
    cliques
        The variables of every clique, by index, ascending. The first clique is the root.
    parents
        The clique that each hangs on, which comes before it; -1 for the root. So messages to the
        root go from the last clique to the first, and back from the first to the last.
    separators
        The variables that each clique shares with its parent, ascending. Parts of the network that
        are not connected hang on the root with an empty separator.
    homes
        For every variable whose table takes part, the clique that the table belongs to.

    Examples
    --------
    >>> from forebear import read_fitted
    >>> from forebear.data.examples import example_path
    >>> from forebear.network.junctiontree import JunctionTree
    >>> tree = JunctionTree.of(read_fitted(example_path("orchard.bif")))
    >>> len(tree.cliques), tree.width, tree.cells
    (12, 4, 786)
    """

    fitted: ConditionalTables
    known: frozenset[int]
    cliques: tuple[tuple[int, ...], ...]
    parents: tuple[int, ...]
    separators: tuple[tuple[int, ...], ...]
    homes: dict[int, int]

    @classmethod
    def of(
        cls,
        fitted: ConditionalTables,
        *,
        known: Collection[int] = (),
        families: Collection[int] | None = None,
        root: Collection[int] = (),
        most_cells: int = MOST_CELLS,
    ) -> JunctionTree:
        """Make the tree of a network, or of a part of it.

        Parameters
        ----------
        fitted
            The network.
        known
            The variables whose states will be given. Default: none.
        families
            The variables whose tables take part. Default None: all.
        root
            Variables that the root must hold together. Default: none.
        most_cells
            The most cells of all cliques together.

        Returns
        -------
        JunctionTree
            The tree.

        Raises
        ------
        LimitError
            If the cliques have more cells.
        """
        parents = fitted.network.parents
        sizes = [len(states) for states in fitted.states]
        taking_part = range(len(sizes)) if families is None else sorted(families)
        # A variable with a single state depends on nothing, so that it need not enlarge a clique.
        alone = {v for v in range(len(sizes)) if sizes[v] == 1}.difference(root)
        members = {v: (*parents[v], v) for v in taking_part if v not in alone}
        scopes = {
            v: [u for u in m if u not in known and u not in alone] for v, m in members.items()
        }
        hidden = {u for v in taking_part for u in (*parents[v], v) if u not in known}.union(root)
        edges = [edge for own in scopes.values() for edge in combinations(own, 2)]
        try:
            found = triangulate(
                {u: sizes[u] for u in sorted(hidden)}, edges, last=root, most_cells=most_cells
            )
        except TooManyCellsError as error:
            raise _too_large([sizes[v] for v in error.clique], most_cells) from None
        place = {v: k for k, v in enumerate(found.order)}
        homes = {
            v: found.homes[min(own, key=place.__getitem__)] if own else 0
            for v, own in scopes.items()
        }
        separators = tuple(
            tuple(sorted({*clique} & {*found.cliques[parent]})) if parent >= 0 else ()
            for clique, parent in zip(found.cliques, found.parents, strict=True)
        )
        tree = cls(
            fitted, frozenset(known), tuple(found.cliques), tuple(found.parents), separators, homes
        )
        if tree.cells > most_cells:
            raise _too_large([tree.cells], most_cells)
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

    def potentials(self, codes: NDArray[Any] | None = None) -> list[NDArray[np.float64]]:
        """Return the sum of the log-probabilities that belong to each clique.

        Parameters
        ----------
        codes
            Variables by rows: the states of the known variables. Default None: none is known.

        Returns
        -------
        list of numpy.ndarray
            One array per clique: rows, or 1 if it is the same for all, and then its variables.
        """
        found = [np.zeros((1, *shape)) for shape in self.shapes]
        for v, clique in self.homes.items():
            factor, scope = self._factor(v, codes)
            found[clique] = found[clique] + aligned(factor, scope, self.cliques[clique])
        return found

    def _factor(
        self, v: int, codes: NDArray[Any] | None
    ) -> tuple[NDArray[np.float64], tuple[int, ...]]:
        """Return the logarithm of a table, with the known variables set, and the other ones."""
        table = self.fitted.log_tables[v]
        family = (*self.fitted.network.parents[v], v)
        scope = tuple(sorted({*family} & {*self.cliques[self.homes[v]]}))
        # The others are known, or have a single state.
        others = [u for u in family if u not in scope]
        axes = [family.index(u) for u in (*others, *scope)]
        sizes = [table.shape[axis] for axis in axes]
        rows = np.transpose(table, axes).reshape(-1, *sizes[len(others) :])
        if codes is not None and len(rows) > 1:
            known = [u for u in others if u in self.known]
            arities = [table.shape[family.index(u)] for u in known]
            rows = rows[cells_of([codes[u] for u in known], arities, codes.shape[1])]
        return rows, scope

    def to_fields(self) -> dict[str, Any]:
        """Return the tree for JSON.

        Returns
        -------
        dict
            ``cliques``, ``parents``, ``separators``, and ``potentials``: of each clique the product
            of its tables, flat, the last variable varying fastest.
        """
        return {
            "cliques": [list(clique) for clique in self.cliques],
            "parents": list(self.parents),
            "separators": [list(separator) for separator in self.separators],
            "potentials": [np.exp(logs).ravel().tolist() for logs in self.potentials()],
        }


class Trees:
    """The junction trees of a network, kept by what is asked and what is known.

    Parameters
    ----------
    fitted
        The network.
    """

    def __init__(self, fitted: ConditionalTables) -> None:
        self._fitted = fitted
        self._kept: dict[object, JunctionTree] = {}

    def get(
        self,
        *,
        known: Collection[int],
        families: Collection[int] | None = None,
        root: Collection[int] = (),
    ) -> JunctionTree:
        """Return the tree that ``JunctionTree.of`` makes, or that it made before."""
        part = None if families is None else frozenset(families)
        key = (frozenset(known), part, frozenset(root))
        tree = self._kept.pop(key, None)
        if tree is None:
            tree = JunctionTree.of(self._fitted, known=key[0], families=part, root=key[2])
            if len(self._kept) >= _MOST_TREES:
                self._kept.pop(next(iter(self._kept)), None)  # another thread may have done it
        self._kept[key] = tree  # the one used last is last
        return tree


def aligned(
    logs: NDArray[np.float64], scope: tuple[int, ...], clique: tuple[int, ...]
) -> NDArray[np.float64]:
    """Give an array over some variables of a clique one axis per variable of the clique."""
    sizes = iter(logs.shape[1:])
    return logs.reshape(len(logs), *(next(sizes) if v in scope else 1 for v in clique))


def _too_large(sizes: list[int], most_cells: int) -> LimitError:
    """Say how large the cliques are, and what to do."""
    cells = math.prod(sizes)
    shown = f"{cells:,}" if cells < 10**9 else f"10^{len(str(cells)) - 1}"
    over = f" over {len(sizes)} variables" if len(sizes) > 1 else ""
    return LimitError(
        f"exact inference in this network takes tables of {shown} cells{over}, more than the limit "
        f"of {most_cells:,}: give evidence on more variables, or approximate it with pyAgrum, "
        "pyagrum.LoopyBeliefPropagation(forebear.interop.to_pyagrum(fitted))"
    )
