"""Inference: exact answers to queries by message passing in a junction tree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import listing
from forebear.data.discretization import cuts_of
from forebear.data.distinct import state_name
from forebear.network.distribution import Distribution, Explanation, state_index
from forebear.network.graphs import reachable
from forebear.network.junction_tree import JunctionTree, log_max, log_sum, marginal

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from forebear._util.variable_names import Variable
    from forebear.network.conditional_tables import ConditionalTables


class Inference:
    """Answers queries to a network, given evidence: the states of some variables.

    In the evidence, a number selects the interval that contains it.
    """

    def __init__(self, fitted: ConditionalTables, evidence: Mapping[Any, Any] | None) -> None:
        self.fitted = fitted
        self.evidence: dict[int, int] = {}
        if evidence is not None and not isinstance(evidence, Mapping):
            raise ForebearError(
                Parameter("evidence"),
                f' must be a mapping such as {{"rain": "yes"}}, got {type(evidence).__name__}',
            )
        names = fitted.network.names
        for variable, state in (evidence or {}).items():
            v = fitted.network.index(variable)
            if v in self.evidence:
                raise ForebearError(
                    Parameter("evidence"), f" sets {names[v]} twice: keep one of them"
                )
            self.evidence[v] = _code_of(names[v], fitted.states[v], state)
        # The codes of one row; variables without evidence have the code 0.
        self._row = np.array([[self.evidence.get(v, 0)] for v in range(len(names))], dtype=np.intp)

    def query(self, variables: Variable | Collection[Variable]) -> Distribution:
        """Return the joint distribution of some variables; see ``FittedNetwork.query``."""
        query = self._query_indices(variables)
        # Variables below the queried ones and the evidence have no influence.
        families = reachable({*query, *self.evidence}, self.fitted.network.parents)
        tree = JunctionTree.of(self.fitted, evidence=self.evidence, families=families, root=query)
        potentials = tree.potentials(self._row)
        tree.collect(potentials)
        logs = marginal(potentials[0], tree.cliques[0], query)[0]
        ascending = sorted(query)
        logs = logs.transpose([ascending.index(v) for v in query])
        return self._distribution(query, logs, self._log_evidence(logs))

    def marginals(self) -> dict[str, Distribution]:
        """Return the distribution of every variable; see ``FittedNetwork.marginals``."""
        tree = JunctionTree.of(self.fitted, evidence=self.evidence)
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
        tree = JunctionTree.of(self.fitted, evidence=self.evidence)
        summed = tree.potentials(self._row)
        tree.collect(summed)
        log_evidence = self._log_evidence(summed[0])
        potentials = tree.potentials(self._row)
        tree.collect(potentials, log_max)
        codes = dict(self.evidence)
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
            if v in self.evidence:
                raise ForebearError(
                    f"{network.names[v]} is queried, but ",
                    *(Parameter("evidence"), " sets its state"),
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
        return Distribution(names, states, joint, self._named(self.evidence), log_evidence)


def _log_total(logs: NDArray[np.float64]) -> float:
    return float(log_sum(logs, tuple(range(logs.ndim))))


def _code_of(name: str, states: tuple[str, ...], state: Any) -> int:
    text = state_name(state)
    cuts = None if text in states else cuts_of(states)
    if cuts is not None:
        try:
            return int(np.searchsorted(cuts, float(text), side="left"))
        except ValueError:
            pass  # not a number: reported below
    return state_index(name, states, text)
