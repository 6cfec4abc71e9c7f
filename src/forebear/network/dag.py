"""DAG: the properties of the graph of a network, by name."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable
from functools import cached_property
from itertools import combinations, islice

from forebear._util.checks import check_whole
from forebear._util.errors import ForebearError, ForebearWarning, Parameter
from forebear._util.variable_names import Variable, VariableNames
from forebear.network import graphs
from forebear.network.adjustment import backdoor_graph, minimal_separators, smallest_separator
from forebear.network.graphs import order_without_cycle


class DAG(VariableNames):
    """The base of ``Network``: attributes hold indices, methods return names."""

    parents: tuple[tuple[int, ...], ...]

    @cached_property
    def arcs(self) -> tuple[tuple[int, int], ...]:
        """All (parent, child) pairs of indices, sorted by child and then by parent."""
        return tuple((p, v) for v, family in enumerate(self.parents) for p in family)

    @property
    def arc_names(self) -> tuple[tuple[str, str], ...]:
        """All (parent, child) pairs of names, in the order of ``arcs``."""
        return tuple((self.names[p], self.names[v]) for p, v in self.arcs)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of every variable by index, ascending."""
        return tuple(map(tuple, graphs.children_of(self.parents)))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The indices of the variables, parents first: the lexicographically smallest order."""
        return order_without_cycle(self.names, self.parents)

    def topological_order(self) -> tuple[str, ...]:
        """Order the variables so that parents come before their children.

        Returns
        -------
        tuple of str
            The names in the order of ``order``.
        """
        return tuple(self.names[v] for v in self.order)

    def parents_of(self, variable: Variable) -> tuple[str, ...]:
        """Return the parents of a variable.

        Parameters
        ----------
        variable
            Its name or its index.

        Returns
        -------
        tuple of str
            The names of the parents, in the order of the variables.
        """
        return self._named(self.parents[self.index(variable)])

    def children_of(self, variable: Variable) -> tuple[str, ...]:
        """Return the children of a variable.

        Parameters
        ----------
        variable
            Its name or its index.

        Returns
        -------
        tuple of str
            The names of the children, in the order of the variables.
        """
        return self._named(self.children[self.index(variable)])

    def markov_blanket(self, variable: Variable) -> tuple[str, ...]:
        """Return the Markov blanket of a variable.

        Given the variables in its Markov blanket, a variable is independent of
        all others.

        Parameters
        ----------
        variable
            Its name or its index.

        Returns
        -------
        tuple of str
            The parents, the children and the other parents of the children, in the order of the
            variables.
        """
        v = self.index(variable)
        blanket = {*self.parents[v], *self.children[v]}
        blanket.update(*(self.parents[child] for child in self.children[v]))
        return self._named(blanket - {v})

    def ancestors(self, variable: Variable) -> tuple[str, ...]:
        """Return the variables from which a directed path leads to this one.

        Parameters
        ----------
        variable
            Its name or its index.

        Returns
        -------
        tuple of str
            The ancestors, in the order of the variables.
        """
        v = self.index(variable)
        return self._named(graphs.reachable([v], self.parents) - {v})

    def descendants(self, variable: Variable) -> tuple[str, ...]:
        """Return the variables to which a directed path leads from this one.

        Parameters
        ----------
        variable
            Its name or its index.

        Returns
        -------
        tuple of str
            The descendants, in the order of the variables.
        """
        v = self.index(variable)
        return self._named(graphs.reachable([v], self.children) - {v})

    def skeleton(self) -> tuple[tuple[str, str], ...]:
        """Return the arcs without their directions.

        Returns
        -------
        tuple of pairs
            Pairs of names, in the order of the variables.
        """
        return self._named_pairs(graphs.skeleton(self.parents))

    def moral_graph(self) -> tuple[tuple[str, str], ...]:
        """Return the skeleton plus an edge between any two parents of the same child.

        Returns
        -------
        tuple of pairs
            Pairs of names, in the order of the variables.
        """
        return self._named_pairs(graphs.moral_edges(self.parents))

    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """Return the v-structures: two parents of a child that are not adjacent.

        Returns
        -------
        tuple of triples
            Every (parent, child, other parent), by name.
        """
        adjacent, names = graphs.skeleton(self.parents), self.names
        return tuple(
            (names[a], names[child], names[b])
            for child, family in enumerate(self.parents)
            for a, b in combinations(family, 2)
            if (a, b) not in adjacent
        )

    def d_separated(
        self,
        x: Variable | Collection[Variable],
        y: Variable | Collection[Variable],
        given: Variable | Collection[Variable] = (),
    ) -> bool:
        """Return whether the network implies that x and y are independent, given other variables.

        Parameters
        ----------
        x, y
            Each a variable or a collection of variables.
        given
            The variables to condition on. Default: none.

        Returns
        -------
        bool
            True if x and y are d-separated.

        Raises
        ------
        ForebearError
            If a variable is in two of the three collections.

        Examples
        --------
        >>> from forebear import Network
        >>> chain = Network.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")])
        >>> chain.d_separated("a", "c"), chain.d_separated("a", "c", given="b")
        (False, True)
        """
        sources, targets, others = (self._indices(variables) for variables in (x, y, given))
        if twice := (sources & targets) | (sources & others) | (targets & others):
            raise ForebearError(
                "x, y and given must not share variables, but "
                f"{self.names[min(twice)]} is in two of them"
            )
        near = graphs.moral_ancestors(self.parents, sources | targets | others)
        open_ = {v: own - others for v, own in near.items()}
        return targets.isdisjoint(graphs.reachable(sources, open_))

    def adjustment_set(self, x: Variable, y: Variable) -> tuple[str, ...] | None:
        """Return a smallest set of variables to adjust for, to find the effect of x on y.

        The set satisfies the backdoor criterion (Pearl, 1993): it contains no descendant of x, and
        separates x from y in the network without the arcs that leave x. This assumes that the arcs
        are causes, and that no common cause is missing.

        Parameters
        ----------
        x, y
            The cause and the outcome, by name or by index.

        Returns
        -------
        tuple of str or None
            The names, in the order of the variables; of several smallest sets, the one closest to
            x. None if there is no such set: y is a parent of x, so x has no effect on y.

        Examples
        --------
        >>> from forebear import Network
        >>> arcs = [("age", "drug"), ("age", "cured"), ("drug", "cured")]
        >>> Network.from_arcs(["age", "drug", "cured"], arcs).adjustment_set("drug", "cured")
        ('age',)
        """
        a, b = self._two(x, y)
        near = backdoor_graph(self.parents, a, b)
        return None if near is None else self._named(smallest_separator(near, a, b))

    def adjustment_sets(
        self, x: Variable, y: Variable, *, max_sets: int = 100
    ) -> tuple[tuple[str, ...], ...]:
        """Return the minimal sets of variables to adjust for, to find the effect of x on y.

        A set that satisfies the backdoor criterion is minimal if no variable can be left out. With
        several, choose one whose variables are measured well.

        Parameters
        ----------
        x, y
            The cause and the outcome, by name or by index.
        max_sets
            The maximum number of sets, because there can be exponentially many. A warning is issued
            if there are more. Default 100.

        Returns
        -------
        tuple of tuples of str
            The sets, those with fewer variables first; empty if y is a parent of x.
        """
        check_whole(1, max_sets=max_sets)
        a, b = self._two(x, y)
        near = backdoor_graph(self.parents, a, b)
        found = [] if near is None else list(islice(minimal_separators(near, a, b), max_sets + 1))
        if len(found) > max_sets:
            warnings.warn(
                ForebearWarning(
                    f"only {max_sets} minimal adjustment sets are listed: there are more, see ",
                    Parameter("max_sets"),
                ),
                stacklevel=2,
            )
            del found[max_sets:]
        return tuple(self._named(one) for one in sorted(found, key=lambda one: (len(one), one)))

    def _two(self, x: Variable, y: Variable) -> tuple[int, int]:
        a, b = self.index(x), self.index(y)
        if a == b:
            raise ForebearError(f"{self.names[a]} is both x and y: name two variables")
        return a, b

    def _indices(self, variables: Variable | Collection[Variable]) -> set[int]:
        if isinstance(variables, str) or not hasattr(variables, "__iter__"):
            return {self.index(variables)}
        return {self.index(v) for v in variables}

    def _named(self, indices: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.names[v] for v in sorted(indices))

    def _named_pairs(self, pairs: Iterable[tuple[int, int]]) -> tuple[tuple[str, str], ...]:
        return tuple((self.names[a], self.names[b]) for a, b in sorted(pairs))
