"""Exact inference: the methods of FittedNetwork that answer questions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from forebear.network.conditional import ConditionalTables
from forebear.network.distribution import Distribution, Explanation
from forebear.network.evidence import as_row, asked_of, codes_of, impossible, named
from forebear.network.graphs import reachable
from forebear.network.junctiontree import Trees
from forebear.network.prediction import Prediction, predict_rows
from forebear.network.propagation import collect, distribute, log_max, log_total, marginal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from forebear._util.names import Variable
    from forebear.data.reading import ReadOptions


@dataclass(frozen=True, eq=False, repr=False)
class Inference(ConditionalTables):
    """Questions to a network with probabilities, answered exactly along a junction tree."""

    @cached_property
    def _trees(self) -> Trees:
        return Trees(self)

    def query(
        self,
        variables: Variable | Collection[Variable],
        evidence: Mapping[Any, Any] | None = None,
    ) -> Distribution:
        """Return the joint distribution of some variables, given the states of others.

        Parameters
        ----------
        variables
            One variable or several, by name or by index.
        evidence
            From variables to their states. Where the states are intervals, a number stands for the
            interval it is in. Default None: no evidence.

        Returns
        -------
        Distribution
            A mapping from states to probabilities, with marginals.

        Raises
        ------
        ForebearError
            If a variable or a state does not exist, or the evidence is impossible.
        LimitError
            If the network is too densely connected for exact inference.

        Examples
        --------
        >>> from forebear import read_fitted
        >>> from forebear.data.examples import example_path
        >>> fitted = read_fitted(example_path("orchard.bif"))
        >>> fitted.query("harvest", {"spring_frost": "yes", "bloom": "early"})
        P(harvest | spring_frost=yes, bloom=early)
          poor    0.4640
          fair    0.3171
          good    0.1658
          bumper  0.0530
        """
        known = codes_of(self, evidence)
        asked = asked_of(self, variables, known)
        # What is below everything asked and known has no influence.
        families = reachable({*asked, *known}, self.network.parents)
        tree = self._trees.get(known=known, families=families, root=asked)
        potentials = tree.potentials(as_row(self, known))
        collect(tree, potentials)
        logs = marginal(potentials[0], tree.cliques[0], asked)[0]
        log_evidence = log_total(logs)
        if math.isinf(log_evidence):
            raise impossible(self, known)
        ascending = sorted(asked)
        joint = np.exp(logs - log_evidence).transpose([ascending.index(v) for v in asked])
        return self._distribution(asked, joint, known, log_evidence)

    def marginals(self, evidence: Mapping[Any, Any] | None = None) -> dict[str, Distribution]:
        """Return the distribution of every variable, given the states of others.

        This passes messages once to and fro, and so takes about as long as two queries.

        Parameters
        ----------
        evidence
            From variables to their states. Default None: no evidence.

        Returns
        -------
        dict
            A ``Distribution`` for each variable that is not in the evidence, by name.

        Raises
        ------
        ForebearError
            If a variable or a state does not exist, or the evidence is impossible.
        LimitError
            If the network is too densely connected for exact inference.

        Examples
        --------
        >>> from forebear import read_fitted
        >>> from forebear.data.examples import example_path
        >>> fitted = read_fitted(example_path("orchard.bif"))
        >>> found = fitted.marginals({"harvest": "poor"})
        >>> found["spring_frost"]
        P(spring_frost | harvest=poor)
          no   0.5423
          yes  0.4577
        """
        known = codes_of(self, evidence)
        tree = self._trees.get(known=known)
        potentials = tree.potentials(as_row(self, known))
        messages = collect(tree, potentials)
        log_evidence = log_total(potentials[0])
        if math.isinf(log_evidence):
            raise impossible(self, known)
        distribute(tree, potentials, messages)
        # The smallest clique that holds a variable is the quickest to sum.
        cliques = sorted(range(len(tree.cliques)), key=lambda k: -potentials[k].size)
        smallest = {v: k for k in cliques for v in tree.cliques[k]}
        found = {}
        for v in (v for v in range(self.n_variables) if v not in known):
            k = smallest[v]
            logs = marginal(potentials[k], tree.cliques[k], (v,))[0]
            one = self._distribution((v,), np.exp(logs - log_total(logs)), known, log_evidence)
            found[self.network.names[v]] = one
        return found

    def _distribution(
        self,
        asked: tuple[int, ...],
        joint: NDArray[np.float64],
        known: Mapping[int, int],
        log_evidence: float,
    ) -> Distribution:
        names = tuple(self.network.names[v] for v in asked)
        states = tuple(self.states[v] for v in asked)
        # Without evidence the logarithm is 0, but for rounding.
        of_evidence = min(0.0, log_evidence) if known else 0.0
        return Distribution(names, states, joint, named(self, known), of_evidence)

    def most_probable(self, evidence: Mapping[Any, Any] | None = None) -> Explanation:
        """Return the most probable states of all variables, given the states of some.

        This is the most probable explanation (MPE). The most probable states of all variables
        together need not be the most probable states of each of them.

        Parameters
        ----------
        evidence
            From variables to their states. Default None: no evidence.

        Returns
        -------
        Explanation
            The states and their probability. Where several are equally probable, one of them.

        Raises
        ------
        ForebearError
            If a variable or a state does not exist, or the evidence is impossible.
        LimitError
            If the network is too densely connected for exact inference.

        Examples
        --------
        >>> from forebear import read_fitted
        >>> from forebear.data.examples import example_path
        >>> fitted = read_fitted(example_path("orchard.bif"))
        >>> found = fitted.most_probable({"harvest": "poor"})
        >>> found.states["frost_damage"], round(found.probability, 6)
        ('little', 0.000672)
        """
        known = codes_of(self, evidence)
        tree = self._trees.get(known=known)
        row = as_row(self, known)
        summed = tree.potentials(row)
        collect(tree, summed)
        log_evidence = log_total(summed[0])
        if math.isinf(log_evidence):
            raise impossible(self, known)
        potentials = tree.potentials(row)
        collect(tree, potentials, log_max)
        found = dict(known)
        for clique, logs in zip(tree.cliques, potentials, strict=True):
            # The states of the separator are found already, in the parent.
            cells = logs[(0, *(found.get(v, slice(None)) for v in clique))]
            free = [v for v in clique if v not in found]
            best = np.unravel_index(int(np.argmax(cells)), np.shape(cells))
            found.update(zip(free, map(int, best), strict=True))
        log_joint = float(potentials[0].max())
        states = named(self, dict(sorted(found.items())))
        return Explanation(states, math.exp(min(0.0, log_joint - log_evidence)), log_joint)

    @overload
    def predict(
        self,
        frame: Any,
        target: Variable,
        *,
        probabilities: Literal[False] = False,
        read: ReadOptions | None = None,
    ) -> NDArray[np.object_]: ...

    @overload
    def predict(
        self,
        frame: Any,
        target: Variable,
        *,
        probabilities: Literal[True],
        read: ReadOptions | None = None,
    ) -> Prediction: ...

    def predict(
        self,
        frame: Any,
        target: Variable,
        *,
        probabilities: bool = False,
        read: ReadOptions | None = None,
    ) -> NDArray[np.object_] | Prediction:
        """Predict a variable from the others, for every row of a table.

        Values that are missing, and variables that the table lacks, are not observed: they are
        summed out exactly. Other columns are ignored, also that of the target. A warning lists
        the columns and the variables that have no counterpart.

        Parameters
        ----------
        frame
            A path, a data frame, an array or a Dataset. Columns and states are matched by name.
            Where the states of a variable are intervals, numbers are put into them.
        target
            The variable to predict, by name or by index.
        probabilities
            Whether to return the probabilities of the states, too. Default False.
        read
            How to read the table. Default None: missing values are gaps.

        Returns
        -------
        numpy.ndarray or Prediction
            The most probable state of every row; the first of those that are equally probable. None
            where the row is impossible in this network, with a warning. With
            ``probabilities=True`` a tuple of these labels and the probabilities, rows by states.

        Raises
        ------
        DataError
            If the table has no variable of the network, or a state that the network lacks.
        LimitError
            If exact inference takes too much memory because of the missing values.

        Examples
        --------
        >>> from forebear import read_fitted
        >>> from forebear.data.examples import example_path
        >>> fitted = read_fitted(example_path("orchard.bif"))
        >>> fitted.predict("example:orchard", "price")[:3]
        array(['very_low', 'very_low', 'low'], dtype=object)
        """
        found = predict_rows(self, self._trees, frame, self.network.index(target), read)
        return found if probabilities else found.labels
