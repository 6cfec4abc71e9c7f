"""Exact inference by message passing in a junction tree.

In predictions for a table, rows with the same relevant variables are computed together. If all
variables of the target's Markov blanket are observed, the prediction is a product of table rows.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, ForebearWarning, Parameter
from forebear._util.text import counted, listing
from forebear._util.variable_names import did_you_mean
from forebear.data.discretization import cuts_of
from forebear.data.distinct import state_name
from forebear.data.matching import observed_codes
from forebear.network.distribution import Distribution, Explanation, Prediction, state_index
from forebear.network.graphs import reachable
from forebear.network.junction_tree import MOST_CELLS, JunctionTree, log_max, log_sum, marginal

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from forebear._util.variable_names import Variable
    from forebear.data.read_options import ReadOptions
    from forebear.network.conditional_tables import ConditionalTables
    from forebear.network.network import Network


class Inference:
    """Queries to a network, given evidence: the states of some variables.

    In the evidence, a number selects the interval that contains it.
    """

    def __init__(self, fitted: ConditionalTables, evidence: Mapping[Any, Any] | None) -> None:
        self.fitted = fitted
        self.known: dict[int, int] = {}
        if evidence is not None and not isinstance(evidence, Mapping):
            raise ForebearError(
                Parameter("evidence"),
                f' must be a mapping such as {{"rain": "yes"}}, got {type(evidence).__name__}',
            )
        names = fitted.network.names
        for variable, state in (evidence or {}).items():
            v = fitted.network.index(variable)
            if v in self.known:
                raise ForebearError(
                    Parameter("evidence"), f" sets {names[v]} twice: keep one of them"
                )
            self.known[v] = _code_of(names[v], fitted.states[v], state)
        # The codes of one row; unknown ones have the code 0.
        self._row = np.array([[self.known.get(v, 0)] for v in range(len(names))], dtype=np.intp)

    def query(self, variables: Variable | Collection[Variable]) -> Distribution:
        """Return the joint distribution of some variables; see ``FittedNetwork.query``."""
        asked = self._asked(variables)
        # What is below everything asked and known has no influence.
        families = reachable({*asked, *self.known}, self.fitted.network.parents)
        tree = JunctionTree.of(self.fitted, known=self.known, families=families, root=asked)
        potentials = tree.potentials(self._row)
        tree.collect(potentials)
        logs = marginal(potentials[0], tree.cliques[0], asked)[0]
        ascending = sorted(asked)
        logs = logs.transpose([ascending.index(v) for v in asked])
        return self._distribution(asked, logs, self._log_evidence(logs))

    def marginals(self) -> dict[str, Distribution]:
        """Return the distribution of every variable; see ``FittedNetwork.marginals``."""
        tree = JunctionTree.of(self.fitted, known=self.known)
        potentials = tree.potentials(self._row)
        messages = tree.collect(potentials)
        log_evidence = self._log_evidence(potentials[0])
        tree.distribute(potentials, messages)
        # The smallest clique that holds a variable is the quickest to sum.
        cliques = sorted(range(len(tree.cliques)), key=lambda k: -potentials[k].size)
        smallest = {v: k for k in cliques for v in tree.cliques[k]}
        found = {}
        for v, k in sorted(smallest.items()):
            logs = marginal(potentials[k], tree.cliques[k], (v,))[0]
            found[self.fitted.network.names[v]] = self._distribution((v,), logs, log_evidence)
        return found

    def most_probable(self) -> Explanation:
        """Return the most probable states; see ``FittedNetwork.most_probable``."""
        tree = JunctionTree.of(self.fitted, known=self.known)
        summed = tree.potentials(self._row)
        tree.collect(summed)
        log_evidence = self._log_evidence(summed[0])
        potentials = tree.potentials(self._row)
        tree.collect(potentials, log_max)
        found = dict(self.known)
        for clique, logs in zip(tree.cliques, potentials, strict=True):
            # The states of the separator are found already, in the parent.
            cells = logs[(0, *(found.get(v, slice(None)) for v in clique))]
            free = [v for v in clique if v not in found]
            best = np.unravel_index(int(np.argmax(cells)), np.shape(cells))
            found.update(zip(free, map(int, best), strict=True))
        log_joint = float(potentials[0].max())
        states = self._named(dict(sorted(found.items())))
        return Explanation(states, math.exp(min(0.0, log_joint - log_evidence)), log_joint)

    def _asked(self, variables: Variable | Collection[Variable]) -> tuple[int, ...]:
        """Return the variables that are asked about, by index, in this order."""
        network = self.fitted.network
        alone = isinstance(variables, str) or not hasattr(variables, "__iter__")
        wanted: Any = [variables] if alone else variables
        asked = tuple(network.index(variable) for variable in wanted)
        if not asked:
            raise ForebearError(Parameter("variables"), " is empty: name at least one variable")
        for place, v in enumerate(asked):
            if v in asked[:place]:
                raise ForebearError(f"{network.names[v]} is queried twice")
            if v in self.known:
                raise ForebearError(
                    f"{network.names[v]} is queried, but ",
                    *(Parameter("evidence"), " sets its state"),
                )
        return asked

    def _named(self, codes: Mapping[int, int]) -> dict[str, str]:
        names, states = self.fitted.network.names, self.fitted.states
        return {names[v]: states[v][code] for v, code in codes.items()}

    def _log_evidence(self, logs: NDArray[np.float64]) -> float:
        """Return the log-probability of the evidence; reject evidence of probability 0."""
        log_evidence = _log_total(logs)
        if math.isinf(log_evidence):
            given = [f"{name}={state}" for name, state in self._named(self.known).items()]
            together = " together" if len(given) > 1 else ""
            raise ForebearError(
                f"the evidence is impossible: {listing(given)}{together} has the probability 0 in "
                "this network"
            )
        # Without evidence the logarithm is 0, but for rounding.
        return min(0.0, log_evidence) if self.known else 0.0

    def _distribution(
        self, asked: tuple[int, ...], logs: NDArray[np.float64], log_evidence: float
    ) -> Distribution:
        names = tuple(self.fitted.network.names[v] for v in asked)
        states = tuple(self.fitted.states[v] for v in asked)
        joint = np.exp(logs - _log_total(logs))
        return Distribution(names, states, joint, self._named(self.known), log_evidence)


def predict_rows(
    fitted: ConditionalTables,
    frame: Any,
    target: int,
    read: ReadOptions | None,
    cells_at_once: int = MOST_CELLS,
) -> Prediction:
    """Predict a variable for every row of a table; see ``FittedNetwork.predict``.

    Rows are computed together as long as their tables have no more than ``cells_at_once`` cells.
    """
    names = fitted.network.names
    codes, absent, ignored = observed_codes(frame, names, fitted.states, read)
    _warn_of_names([name for name in absent if name != names[target]], ignored)
    states = fitted.states[target]
    observed = codes >= 0
    observed[target] = False
    found = np.full((codes.shape[1], len(states)), np.nan)
    for (families, known), rows in _groups(fitted.network, target, observed).items():
        tree = JunctionTree.of(fitted, known=known, families=families, root=(target,))
        at_once = max(1, cells_at_once // tree.cells)
        for start in range(0, len(rows), at_once):
            some = rows[start : start + at_once]
            found[some] = _posteriors(tree, target, codes[:, some])
    impossible = np.isnan(found[:, 0])
    _warn_of(np.flatnonzero(impossible))
    best = np.argmax(np.where(np.isnan(found), -1.0, found), axis=1)
    labels = np.array([*states, None], dtype=object)[np.where(impossible, len(states), best)]
    return Prediction(labels, found)


def relevant_families(
    network: Network, target: int, known: Collection[int]
) -> tuple[frozenset[int], frozenset[int]]:
    """Find what matters for a variable, given others.

    Return the variables whose tables take part, and the given variables that occur in them.
    """
    above = reachable({target, *known}, network.parents)
    families: set[int] = set()
    pending = {target}
    while pending:
        v = pending.pop()
        fresh = {v, *(c for c in network.children[v] if c in above)} - families
        families |= fresh
        pending |= {u for f in fresh for u in (*network.parents[f], f)}.difference(known)
    members = {u for f in families for u in (*network.parents[f], f)}
    return frozenset(families), frozenset(members.intersection(known))


def _groups(
    network: Network, target: int, observed: NDArray[np.bool_]
) -> dict[tuple[frozenset[int], frozenset[int]], NDArray[np.intp]]:
    """Put the rows together in which the same tables take part, with the same variables known."""
    packed = np.ascontiguousarray(np.packbits(observed, axis=0).T)
    # As text, which NumPy sorts faster than rows of numbers.
    keys = packed.view(f"S{packed.shape[1]}").ravel()
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    ends = np.cumsum(np.bincount(which))[:-1]
    alike = defaultdict(list)
    for row, rows in zip(first, np.split(np.argsort(which, kind="stable"), ends), strict=True):
        known = set(np.flatnonzero(observed[:, row]).tolist())
        alike[relevant_families(network, target, known)].append(rows)
    return {part: np.concatenate(rows) for part, rows in alike.items()}


def _posteriors(tree: JunctionTree, target: int, codes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the probabilities of the target, which is in the root."""
    potentials = tree.potentials(codes)
    tree.collect(potentials)
    logs = marginal(potentials[0], tree.cliques[0], (target,))
    total = log_sum(logs, (1,))
    with np.errstate(invalid="ignore"):  # impossible rows are NaN
        found: NDArray[np.float64] = np.exp(logs - total[:, np.newaxis])
    return found


def _warn_of_names(absent: list[str], ignored: list[str]) -> None:
    """List the names that only the table or only the network has: they may be misspelt."""
    parts = []
    if ignored:
        columns = counted(len(ignored), "column of the table is", "columns of the table are")
        shown = [f"{name}{did_you_mean(name, absent)}" for name in ignored]
        parts.append(f"{columns} not in the network and ignored ({listing(shown)})")
    if absent:
        variables = counted(
            len(absent), "variable of the network is", "variables of the network are"
        )
        parts.append(f"{variables} not in the table and treated as missing ({listing(absent)})")
    if parts:
        warnings.warn(ForebearWarning("; ".join(parts)), stacklevel=4)


def _warn_of(rows: NDArray[np.intp]) -> None:
    """Warn of rows that are impossible in the network."""
    if len(rows):
        has = "has" if len(rows) == 1 else "have"
        numbers = listing([f"{row + 1:,}" for row in rows])
        warnings.warn(
            ForebearWarning(
                f"{counted(len(rows), 'row')} {has} the probability 0 in this network, so "
                f"nothing is predicted for {'it' if len(rows) == 1 else 'them'}: {numbers}, "
                "counted from 1"
            ),
            stacklevel=4,
        )


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
