"""Network: a directed acyclic graph over named variables."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
from forebear._util.names import check_unique, no_variable
from forebear._util.text import listing
from forebear.drawing.notebook import network_html
from forebear.network import graphs
from forebear.network.fitting import fit_network
from forebear.network.graphs import PartialGraph

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from forebear.data.dataset import Dataset
    from forebear.network.fitted import FittedNetwork
    from forebear.network.graphs import Arc
    from forebear.scoring.constraints import Variable

_CYCLE_SHOWN = 10


@dataclass(frozen=True)
class Network:
    """A directed acyclic graph over named variables.

    ``parents[v]`` lists the parents of variable ``v`` by index, ascending; they
    may be given in any order. Building one from a graph with a cycle fails.

    Where a method asks for a variable, a name or an index will do; answers are
    indices.
    """

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        parents = tuple(tuple(sorted(int(p) for p in family)) for family in self.parents)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "parents", parents)
        check_unique(self.names, "variable")
        if len(parents) != len(self.names):
            raise ForebearError(f"{len(self.names)} variables, but {len(parents)} lists of parents")
        for v, family in enumerate(parents):
            self._check_family(v, family)
        # The order exists exactly when there is no cycle, so computing it is the proof.
        _ = self._order

    def _check_family(self, v: int, family: tuple[int, ...]) -> None:
        strays = [p for p in family if not 0 <= p < self.n_variables]
        if strays:
            raise ForebearError(
                f"{self.names[v]} lists parent {strays[0]}, "
                f"but there are only {self.n_variables} variables"
            )
        if len(set(family)) < len(family):
            raise ForebearError(f"{self.names[v]} lists the same parent twice")

    @classmethod
    def from_arcs(cls, names: Sequence[str], arcs: Iterable[tuple[Variable, Variable]]) -> Network:
        """Build a network of (parent, child) pairs, by name or index."""
        empty = cls(tuple(names), ((),) * len(names))
        parents: list[list[int]] = [[] for _ in names]
        for parent, child in arcs:
            parents[empty.index(child)].append(empty.index(parent))
        return cls(empty.names, tuple(map(tuple, parents)))

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    def index(self, variable: Variable) -> int:
        """Find a variable by name, or check its index."""
        if isinstance(variable, str):
            if variable not in self._places:
                raise ForebearError(no_variable(variable, self.names))
            return self._places[variable]
        if not 0 <= variable < self.n_variables:
            raise ForebearError(f"there is no variable {variable}: there are {self.n_variables}")
        return int(variable)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: v for v, name in enumerate(self.names)}

    def reordered(self, names: Sequence[str]) -> Network:
        """Return the same network with its variables in another order."""
        if missing := [name for name in names if name not in self._places]:
            raise ForebearError(f"the network has no variables called {listing(missing)}")
        wanted = set(names)
        if left_out := [name for name in self.names if name not in wanted]:
            raise ForebearError(f"the new order leaves out {listing(left_out)}")
        places = {self._places[name]: v for v, name in enumerate(names)}
        families = (self.parents[self._places[name]] for name in names)
        return Network(tuple(names), tuple(tuple(places[p] for p in own) for own in families))

    @cached_property
    def arcs(self) -> tuple[tuple[int, int], ...]:
        """Every (parent, child) pair, by child and then by parent."""
        return tuple((p, v) for v, family in enumerate(self.parents) for p in family)

    @property
    def arc_names(self) -> tuple[tuple[str, str], ...]:
        """The arcs, with the names of the variables."""
        return tuple((self.names[p], self.names[v]) for p, v in self.arcs)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of every variable, ascending."""
        children: list[list[int]] = [[] for _ in self.names]
        for p, v in self.arcs:
            children[p].append(v)
        return tuple(tuple(family) for family in children)

    def topological_order(self) -> tuple[int, ...]:
        """Order the variables parents first; of several orders, the lexicographically least."""
        return self._order

    @cached_property
    def _order(self) -> tuple[int, ...]:
        waiting = [len(family) for family in self.parents]
        ready = [v for v, count in enumerate(waiting) if count == 0]
        order: list[int] = []
        while ready:
            v = heapq.heappop(ready)
            order.append(v)
            for child in self.children[v]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    heapq.heappush(ready, child)
        if len(order) < self.n_variables:
            raise ForebearError(f"not a DAG: {self._describe_cycle(waiting)}")
        return tuple(order)

    def _describe_cycle(self, waiting: list[int]) -> str:
        """Spell out one cycle among the variables that still wait for a parent."""
        # Each of them has a parent that waits too, so walking up must come back.
        v = next(v for v, count in enumerate(waiting) if count)
        seen: dict[int, int] = {}
        walk: list[int] = []
        while v not in seen:
            seen[v] = len(walk)
            walk.append(v)
            v = next(p for p in self.parents[v] if waiting[p])
        cycle = [self.names[u] for u in reversed(walk[seen[v] :])]
        shown = cycle if len(cycle) <= _CYCLE_SHOWN else [*cycle[: _CYCLE_SHOWN - 1], "..."]
        return " -> ".join([*shown, cycle[0]])

    def markov_blanket(self, variable: Variable) -> tuple[int, ...]:
        """The parents, the children, and their other parents: these known, no other matters."""
        return _ascending(graphs.markov_blanket(self.index(variable), self.parents, self.children))

    def ancestors(self, variable: Variable) -> tuple[int, ...]:
        """The variables from which a directed path leads here."""
        v = self.index(variable)
        return _ascending(graphs.reachable([v], self.parents) - {v})

    def descendants(self, variable: Variable) -> tuple[int, ...]:
        """The variables to which a directed path leads from here."""
        v = self.index(variable)
        return _ascending(graphs.reachable([v], self.children) - {v})

    def skeleton(self) -> tuple[Arc, ...]:
        """The arcs without direction: pairs, the smaller index first."""
        return tuple(sorted(graphs.skeleton(self.parents)))

    def moral_graph(self) -> tuple[Arc, ...]:
        """The skeleton, and an edge between any two parents of the same child."""
        return tuple(sorted(graphs.moral_edges(self.parents)))

    def v_structures(self) -> tuple[tuple[int, int, int], ...]:
        """Every (a, child, b) where a and b, a < b, are parents of the child but not adjacent."""
        return tuple(graphs.v_structures(self.parents))

    @cached_property
    def compelled(self) -> frozenset[Arc]:
        """The arcs that point the same way in every equivalent network."""
        families = graphs.compelled_parents(self.parents, self._order)
        return frozenset((p, v) for v, family in enumerate(families) for p in family)

    def cpdag(self) -> PartialGraph:
        """What all equivalent networks share: compelled arcs directed, the others not."""
        free = ((min(arc), max(arc)) for arc in self.arcs if arc not in self.compelled)
        directed = tuple(arc for arc in self.arcs if arc in self.compelled)
        return PartialGraph(self.names, directed, tuple(sorted(free)))

    def equivalent(self, other: Network) -> bool:
        """Tell if both state the same independences; variables are matched by name."""
        return self.cpdag() == other.reordered(self.names).cpdag()

    def d_separated(
        self,
        x: Variable | Collection[Variable],
        y: Variable | Collection[Variable],
        given: Variable | Collection[Variable] = (),
    ) -> bool:
        """Tell if the network states that x and y are independent, given the others.

        Each is a variable or a collection of them, without common members.
        """
        sources, targets, known = (self._indices(variables) for variables in (x, y, given))
        if twice := (sources & targets) | (sources & known) | (targets & known):
            raise ForebearError(
                f"d-separation is between distinct variables, but {self.names[min(twice)]} "
                "is on two sides"
            )
        return targets.isdisjoint(graphs.connected(sources, known, self.parents, self.children))

    def fit(self, data: Dataset, *, ess: float = 1.0) -> FittedNetwork:
        """Estimate the probabilities from a table; see ``forebear.fit_network``."""
        return fit_network(self, data, ess=ess)

    def _indices(self, variables: Variable | Collection[Variable]) -> set[int]:
        if isinstance(variables, str) or not hasattr(variables, "__iter__"):
            return {self.index(variables)}
        return {self.index(v) for v in variables}

    def _repr_html_(self) -> str:
        """Show a picture in notebooks."""
        return network_html(self)


def _ascending(variables: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(variables))
