"""Exact inference: answers along the junction tree of what is asked and what is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import listing
from forebear.data.discretization import cuts_of
from forebear.data.distinct import state_name
from forebear.network.distribution import Distribution, Explanation, state_index
from forebear.network.graphs import reachable
from forebear.network.junctiontree import JunctionTree, log_max, log_sum, marginal

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from forebear._util.names import Variable
    from forebear.network.conditional_tables import ConditionalTables

    Evidence = Mapping[Any, Any] | None


@dataclass(frozen=True)
class Inference:
    """The questions to one network.

    Parameters
    ----------
    fitted
        The network.
    """

    fitted: ConditionalTables

    def query(self, variables: Variable | Collection[Variable], evidence: Evidence) -> Distribution:
        """Return the joint distribution of some variables; see ``FittedNetwork.query``."""
        known = self._codes(evidence)
        asked = self._asked(variables, known)
        # What is below everything asked and known has no influence.
        families = reachable({*asked, *known}, self.fitted.network.parents)
        tree = JunctionTree.of(self.fitted, known=known, families=families, root=asked)
        potentials = tree.potentials(self._row(known))
        tree.collect(potentials)
        logs = marginal(potentials[0], tree.cliques[0], asked)[0]
        ascending = sorted(asked)
        logs = logs.transpose([ascending.index(v) for v in asked])
        return self._distribution(asked, logs, known, self._possible(logs, known))

    def marginals(self, evidence: Evidence) -> dict[str, Distribution]:
        """Return the distribution of every variable; see ``FittedNetwork.marginals``."""
        known = self._codes(evidence)
        tree = JunctionTree.of(self.fitted, known=known)
        potentials = tree.potentials(self._row(known))
        messages = tree.collect(potentials)
        log_evidence = self._possible(potentials[0], known)
        tree.distribute(potentials, messages)
        # The smallest clique that holds a variable is the quickest to sum.
        cliques = sorted(range(len(tree.cliques)), key=lambda k: -potentials[k].size)
        smallest = {v: k for k in cliques for v in tree.cliques[k]}
        found = {}
        for v in (v for v in range(self.fitted.n_variables) if v not in known):
            k = smallest[v]
            logs = marginal(potentials[k], tree.cliques[k], (v,))[0]
            one = self._distribution((v,), logs, known, log_evidence)
            found[self.fitted.network.names[v]] = one
        return found

    def most_probable(self, evidence: Evidence) -> Explanation:
        """Return the most probable states; see ``FittedNetwork.most_probable``."""
        known = self._codes(evidence)
        tree = JunctionTree.of(self.fitted, known=known)
        row = self._row(known)
        summed = tree.potentials(row)
        tree.collect(summed)
        log_evidence = self._possible(summed[0], known)
        potentials = tree.potentials(row)
        tree.collect(potentials, log_max)
        found = dict(known)
        for clique, logs in zip(tree.cliques, potentials, strict=True):
            # The states of the separator are found already, in the parent.
            cells = logs[(0, *(found.get(v, slice(None)) for v in clique))]
            free = [v for v in clique if v not in found]
            best = np.unravel_index(int(np.argmax(cells)), np.shape(cells))
            found.update(zip(free, map(int, best), strict=True))
        log_joint = float(potentials[0].max())
        states = self._named(dict(sorted(found.items())))
        return Explanation(states, math.exp(min(0.0, log_joint - log_evidence)), log_joint)

    def _codes(self, evidence: Evidence) -> dict[int, int]:
        """Return the states that are given, by index; a number stands for the interval it is in."""
        if evidence is not None and not isinstance(evidence, Mapping):
            raise ForebearError(
                Parameter("evidence"),
                f' must be a mapping such as {{"rain": "yes"}}, got {type(evidence).__name__}',
            )
        network = self.fitted.network
        found: dict[int, int] = {}
        for variable, state in (evidence or {}).items():
            v = network.index(variable)
            if v in found:
                raise ForebearError(
                    Parameter("evidence"), f" names {network.names[v]} twice: say one thing"
                )
            found[v] = _code_of(network.names[v], self.fitted.states[v], state)
        return found

    def _asked(
        self, variables: Variable | Collection[Variable], known: Collection[int]
    ) -> tuple[int, ...]:
        """Return the variables that are asked about, by index, in this order."""
        network = self.fitted.network
        alone = isinstance(variables, str) or not hasattr(variables, "__iter__")
        wanted: Any = [variables] if alone else variables
        asked = tuple(network.index(variable) for variable in wanted)
        if not asked:
            raise ForebearError(Parameter("variables"), " is empty: name what to ask about")
        for place, v in enumerate(asked):
            if v in asked[:place]:
                raise ForebearError(f"{network.names[v]} is asked about twice")
            if v in known:
                raise ForebearError(
                    f"{network.names[v]} is asked about, but ",
                    *(Parameter("evidence"), " gives its state"),
                )
        return asked

    def _row(self, known: Mapping[int, int]) -> NDArray[np.intp]:
        """Return given states as the codes of one row; unknown ones have the code 0."""
        n = self.fitted.n_variables
        return np.array([[known.get(v, 0)] for v in range(n)], dtype=np.intp)

    def _named(self, known: Mapping[int, int]) -> dict[str, str]:
        names, states = self.fitted.network.names, self.fitted.states
        return {names[v]: states[v][code] for v, code in known.items()}

    def _possible(self, logs: NDArray[np.float64], known: Mapping[int, int]) -> float:
        """Return the log-probability of the evidence; refuse evidence of probability 0."""
        log_evidence = _log_total(logs)
        if math.isinf(log_evidence):
            given = [f"{name}={state}" for name, state in self._named(known).items()]
            together = " together" if len(given) > 1 else ""
            raise ForebearError(
                f"the evidence is impossible: {listing(given)}{together} has the probability 0 in "
                "this network"
            )
        return log_evidence

    def _distribution(
        self,
        asked: tuple[int, ...],
        logs: NDArray[np.float64],
        known: Mapping[int, int],
        log_evidence: float,
    ) -> Distribution:
        names = tuple(self.fitted.network.names[v] for v in asked)
        states = tuple(self.fitted.states[v] for v in asked)
        # Without evidence the logarithm is 0, but for rounding.
        of_evidence = min(0.0, log_evidence) if known else 0.0
        joint = np.exp(logs - _log_total(logs))
        return Distribution(names, states, joint, self._named(known), of_evidence)


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
