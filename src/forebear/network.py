"""Network: a DAG that proves it is one. FittedNetwork: the same, with its probabilities."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear import graphs
from forebear.columns import cells_of, codes_as, find_columns
from forebear.data import Dataset
from forebear.errors import ForebearError
from forebear.formats.encoding import listing
from forebear.graphs import PartialGraph
from forebear.machine import memory_bytes, show_bytes
from forebear.names import check_unique, no_variable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from forebear.constraints import Variable
    from forebear.graphs import Arc

ROW_TOLERANCE = 1e-3
"""How far from 1 a row of probabilities may sum: published files are rounded to a few digits."""

_MOST_STATES = 2**16
_SMALL = 1 << 20  # bytes that there always are
_MOST_MEMBERS = 32
"""NumPy's arrays have no more axes, one a parent and one for the variable."""
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
        from forebear.fitting import fit_network

        return fit_network(self, data, ess=ess)

    def _indices(self, variables: Variable | Collection[Variable]) -> set[int]:
        if isinstance(variables, str) or not hasattr(variables, "__iter__"):
            return {self.index(variables)}
        return {self.index(v) for v in variables}

    def _repr_html_(self) -> str:
        """Show a picture in notebooks."""
        from forebear.report.notebook import network_html

        return network_html(self)


@dataclass(frozen=True, eq=False)
class FittedNetwork:
    """A network with the states of its variables and their conditional probabilities.

    ``tables[v]`` has one axis a parent, in ascending order of the parents, and
    the states of ``v`` along the last axis. Every row (last axis) must sum to 1
    within ``ROW_TOLERANCE`` and is rescaled to do so to machine precision.
    """

    network: Network
    states: tuple[tuple[str, ...], ...]
    tables: tuple[NDArray[np.float64], ...]

    def __post_init__(self) -> None:
        names = self.network.names
        if not len(names) == len(self.states) == len(self.tables):
            raise ForebearError(
                f"{len(names)} variables, but {len(self.states)} lists of states "
                f"and {len(self.tables)} tables"
            )
        object.__setattr__(self, "states", tuple(tuple(s) for s in self.states))
        for name, states in zip(names, self.states, strict=True):
            _check_states(name, states)
        tables = tuple(self._checked_table(v) for v in range(len(names)))
        object.__setattr__(self, "tables", tables)

    def _checked_table(self, v: int) -> NDArray[np.float64]:
        name = self.network.names[v]
        table = np.array(self.tables[v], dtype=np.float64)
        shape = tuple(len(self.states[u]) for u in (*self.network.parents[v], v))
        if table.shape != shape:
            raise ForebearError(
                f"the table of {name} has shape {table.shape}, but its parents and states "
                f"need {shape}"
            )
        # Written so that NaN fails too.
        if not (table >= 0).all():
            raise ForebearError(f"the table of {name} has a probability that is not 0 or more")
        sums = table.sum(axis=-1, keepdims=True)
        if not (np.abs(sums - 1) <= ROW_TOLERANCE).all():
            worst = sums.flat[int(np.abs(sums - 1).argmax())]
            raise ForebearError(f"the table of {name} has a row that sums to {worst:.6g}, not to 1")
        # Rows that are already exact stay as they are, so that a file read back is the same bits.
        exact = np.abs(sums - 1) <= shape[-1] * np.finfo(np.float64).eps
        table /= np.where(exact, 1.0, sums)
        table.flags.writeable = False
        return table

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return self.network.n_variables

    def sample(self, n_rows: int, rng: np.random.Generator) -> Dataset:
        """Draw rows independently, every variable after its parents.

        All states are declared in the result, drawn or not.
        """
        if n_rows < 1:
            raise ForebearError(f"n_rows must be at least 1, got {n_rows}")
        most = max((len(states) for states in self.states), default=0)
        codes = np.zeros((self.n_variables, n_rows), dtype=np.uint8 if most <= 256 else np.uint16)
        for v in self.network.topological_order():
            self._sample_variable(v, codes, rng)
        return Dataset(codes=codes, names=self.network.names, states=self.states)

    def _sample_variable(self, v: int, codes: NDArray[Any], rng: np.random.Generator) -> None:
        """Fill ``codes[v]``, given the rows of its parents."""
        n_states = len(self.states[v])
        cumulative = self.tables[v].reshape(-1, n_states).cumsum(axis=1)
        # Dividing by the last makes states of probability 0 at the end unreachable.
        cumulative /= cumulative[:, -1:]
        parents = [codes[p] for p in self.network.parents[v]]
        row = cells_of(parents, self.tables[v].shape[:-1], codes.shape[1])
        uniform = rng.random(codes.shape[1])
        for k in range(n_states - 1):
            codes[v] += uniform >= cumulative[:, k][row]

    def log_likelihood(self, data: Dataset) -> float:
        """The natural logarithm of the probability of a table; see ``log_likelihoods``."""
        return float(self.log_likelihoods(data).sum())

    def log_likelihoods(self, data: Dataset) -> NDArray[np.float64]:
        """The natural logarithm of the probability of every row, minus infinity if it is 0.

        Columns and states are matched by name. Columns that the network lacks
        are left aside; a state that it lacks is an error.
        """
        columns = find_columns(data, self.network.names)
        codes = [codes_as(data, *one) for one in zip(columns, self.states, strict=True)]
        total = np.zeros(data.n_rows)
        for v, table in enumerate(self.tables):
            family = [codes[u] for u in (*self.network.parents[v], v)]
            with np.errstate(divide="ignore"):
                total += np.log(table.ravel()[cells_of(family, table.shape, data.n_rows)])
        return total


def _ascending(variables: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(variables))


def check_table(name: str, shape: Sequence[int]) -> None:
    """Refuse probabilities, given parents and states, that no memory could hold."""
    if len(shape) > _MOST_MEMBERS:
        raise ForebearError(
            f"{name} has {len(shape) - 1} parents, and tables of probabilities are for up to "
            f"{_MOST_MEMBERS - 1}"
        )
    needed = 8 * math.prod(shape)
    if needed > _SMALL and needed > memory_bytes() // 4:
        raise ForebearError(
            f"the probabilities of {name} need {show_bytes(needed)} of memory, more than there is"
        )


def _check_states(name: str, states: tuple[str, ...]) -> None:
    if not 1 <= len(states) <= _MOST_STATES:
        raise ForebearError(f"{name} has {len(states)} states, not 1 to {_MOST_STATES}")
    check_unique(states, f"{name}: state")
