"""Inference: exact answers to queries by message passing in a junction tree."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import listing
from forebear._util.variable_names import Variable
from forebear.data.coding import ColumnCoding
from forebear.data.columns import cells_of
from forebear.data.distinct import state_name
from forebear.data.frames import series_from_objects
from forebear.data.raw_table import Column
from forebear.network.conditional_tables import ConditionalTables
from forebear.network.distribution import Distribution, Explanation, state_index
from forebear.network.graphs import reachable
from forebear.network.junction_tree import JunctionTree, log_max, log_sum, marginal
from forebear.network.network import Network


class Inference:
    """Answers queries to a network, given evidence: the states of some variables.

    Variables in ``do`` are set by intervention, whatever their parents are (Pearl, 2009). In both,
    a number or a date selects the interval that contains it.
    """

    def __init__(
        self,
        fitted: ConditionalTables,
        evidence: Mapping[Any, Any] | None,
        do: Mapping[Any, Any] | None = None,
    ) -> None:
        self.evidence = _codes(fitted, "evidence", evidence)
        self.do = _codes(fitted, "do", do)
        if both := self.do.keys() & self.evidence.keys():
            raise ForebearError(
                f"{fitted.network.names[min(both)]} is in both ",
                *(Parameter("do"), " and ", Parameter("evidence"), ": keep one of them"),
            )
        sizes = map(len, fitted.states)
        certain = {v: np.eye(size)[self.do[v]] for v, size in enumerate(sizes) if v in self.do}
        self.fitted = intervened(fitted, certain) if certain else fitted
        self._given = {**self.do, **self.evidence}
        # The codes of one row; variables that are not given have the code 0.
        n = fitted.n_variables
        self._row = np.array([[self._given.get(v, 0)] for v in range(n)], dtype=np.intp)

    def query(self, variables: Variable | Collection[Variable]) -> Distribution:
        """Return the joint distribution of some variables; see ``FittedNetwork.query``."""
        query = self._query_indices(variables)
        # Variables below the queried ones and the evidence have no influence.
        families = reachable({*query, *self._given}, self.fitted.network.parents)
        tree = JunctionTree.of(self.fitted, evidence=self._given, families=families, root=query)
        potentials = tree.potentials(self._row)
        tree.collect(potentials)
        logs = marginal(potentials[0], tree.cliques[0], query)[0]
        ascending = sorted(query)
        logs = logs.transpose([ascending.index(v) for v in query])
        return self._distribution(query, logs, self._log_evidence(logs))

    def marginals(self) -> dict[str, Distribution]:
        """Return the distribution of every variable; see ``FittedNetwork.marginals``."""
        tree = JunctionTree.of(self.fitted, evidence=self._given)
        potentials = tree.potentials(self._row)
        messages = tree.collect(potentials)
        log_evidence = self._log_evidence(potentials[0])
        tree.distribute(potentials, messages)
        # The smallest clique with a variable is the fastest to sum.
        cliques = sorted(range(len(tree.cliques)), key=lambda k: -potentials[k].size)
        smallest = {v: k for k in cliques for v in tree.cliques[k]}
        marginals = {}
        for v, k in sorted(smallest.items()):
            logs = marginal(potentials[k], tree.cliques[k], (v,))[0]
            marginals[self.fitted.network.names[v]] = self._distribution((v,), logs, log_evidence)
        return marginals

    def most_probable(self) -> Explanation:
        """Return the most probable states; see ``FittedNetwork.most_probable``."""
        tree = JunctionTree.of(self.fitted, evidence=self._given)
        summed = tree.potentials(self._row)
        tree.collect(summed)
        log_evidence = self._log_evidence(summed[0])
        potentials = tree.potentials(self._row)
        tree.collect(potentials, log_max)
        codes = dict(self._given)
        for clique, logs in zip(tree.cliques, potentials, strict=True):
            # The parent clique has determined the states of the separator.
            cells = logs[(0, *(codes.get(v, slice(None)) for v in clique))]
            free = [v for v in clique if v not in codes]
            best = np.unravel_index(int(np.argmax(cells)), np.shape(cells))
            codes.update(zip(free, map(int, best), strict=True))
        log_joint = float(potentials[0].max())
        states = self._named(dict(sorted(codes.items())))
        return Explanation(states, math.exp(min(0.0, log_joint - log_evidence)), log_joint)

    def _query_indices(self, variables: Variable | Collection[Variable]) -> tuple[int, ...]:
        """Return the queried variables by index, in the given order."""
        network = self.fitted.network
        is_one = isinstance(variables, str) or not hasattr(variables, "__iter__")
        several: Any = [variables] if is_one else variables
        query = tuple(network.index(variable) for variable in several)
        if not query:
            raise ForebearError(Parameter("variables"), " is empty: name at least one variable")
        for place, v in enumerate(query):
            if v in query[:place]:
                raise ForebearError(f"{network.names[v]} is queried twice")
            if v in self._given:
                where = Parameter("do" if v in self.do else "evidence")
                raise ForebearError(
                    f"{network.names[v]} is queried, but ", where, " sets its state"
                )
        return query

    def _named(self, codes: Mapping[int, int]) -> dict[str, str]:
        names, states = self.fitted.network.names, self.fitted.states
        return {names[v]: states[v][code] for v, code in codes.items()}

    def _log_evidence(self, logs: NDArray[np.float64]) -> float:
        """Return the log-probability of the evidence; reject evidence of probability 0."""
        log_evidence = _log_total(logs)
        if math.isinf(log_evidence):
            given = [f"{name}={state}" for name, state in self._named(self.evidence).items()]
            together = " together" if len(given) > 1 else ""
            raise ForebearError(
                f"the evidence is impossible: {listing(given)}{together} has the probability 0 in "
                "this network"
            )
        # Without evidence, the logarithm is 0 except for rounding errors.
        return min(0.0, log_evidence) if self.evidence else 0.0

    def _distribution(
        self, query: tuple[int, ...], logs: NDArray[np.float64], log_evidence: float
    ) -> Distribution:
        names = tuple(self.fitted.network.names[v] for v in query)
        states = tuple(self.fitted.states[v] for v in query)
        joint = np.exp(logs - _log_total(logs))
        given, do = self._named(self.evidence), self._named(self.do)
        return Distribution(names, states, joint, given, log_evidence, do)

    def sample(self, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw ``n`` states of every variable given the evidence; see ``FittedNetwork.sample``.

        The states of a clique are drawn given those of its separator, one variable after the other.
        """
        tree = JunctionTree.of(self.fitted, evidence=self._given)
        potentials = tree.potentials(self._row)
        tree.collect(potentials)
        self._log_evidence(potentials[0])
        codes = np.repeat(self._row, n, axis=1)
        for clique, separator, logs in zip(tree.cliques, tree.separators, potentials, strict=True):
            drawn = list(separator)
            for v in (v for v in clique if v not in separator):
                # In the order of the clique, the variable itself last.
                kept = [u for u in clique if u in drawn or u == v]
                own = marginal(logs, clique, kept)[0]
                own = np.moveaxis(own, kept.index(v), -1)
                own = own - own.max(axis=-1, keepdims=True, initial=-1e300)
                given = [codes[u] for u in kept if u != v]
                codes[v] = draw_states(np.exp(own), given, n, rng)
                drawn.append(v)
        return codes


def intervened(
    fitted: ConditionalTables, tables: Mapping[int, NDArray[np.float64]]
) -> ConditionalTables:
    """Return a network in which some variables have no parents and the given probabilities."""
    network = fitted.network
    parents = tuple(() if v in tables else own for v, own in enumerate(network.parents))
    new = tuple(tables.get(v, table) for v, table in enumerate(fitted.tables))
    return ConditionalTables(Network(network.names, parents), fitted.states, new)


def draw_states(
    table: NDArray[np.float64], parents: list[NDArray[Any]], n: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw ``n`` states from the rows of a table that the codes of the parents select.

    The rows need not sum to 1.
    """
    n_states = table.shape[-1]
    cumulative = table.reshape(-1, n_states).cumsum(axis=1)
    # Dividing by the last entry prevents draws of final states with probability 0.
    with np.errstate(invalid="ignore"):  # rows of impossible states of the parents
        cumulative /= cumulative[:, -1:]
    row = cells_of(parents, table.shape[:-1], n)
    uniform = rng.random(n)
    states = np.zeros(n, dtype=np.intp)
    for k in range(n_states - 1):
        states += uniform >= cumulative[:, k][row]
    return states


def _codes(
    fitted: ConditionalTables, parameter: str, states: Mapping[Any, Any] | None
) -> dict[int, int]:
    """Return the indices of the states of some variables, by index."""
    if states is not None and not isinstance(states, Mapping):
        raise ForebearError(
            Parameter(parameter),
            f' must be a mapping such as {{"rain": "yes"}}, got {type(states).__name__}',
        )
    codes: dict[int, int] = {}
    for variable, state in (states or {}).items():
        v = fitted.network.index(variable)
        name = fitted.network.names[v]
        if v in codes:
            raise ForebearError(Parameter(parameter), f" sets {name} twice: keep one of them")
        codes[v] = _code_of(name, fitted.coding.columns[name], state)
    return codes


def _log_total(logs: NDArray[np.float64]) -> float:
    return float(log_sum(logs, tuple(range(logs.ndim))))


def _code_of(name: str, coding: ColumnCoding, state: Any) -> int:
    if state_name(state) not in coding.states:  # coded as a column with one row
        column = Column.of_series(series_from_objects(name, [state]))
        if column.n_missing:
            raise ForebearError(f"{name} is given without a state, as {state}: leave it out")
        if (code := int(coding.places(column)[0])) >= 0:
            return code
    return state_index(name, coding.states, state)
