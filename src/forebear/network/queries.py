"""Queries: exact inference in a network with probabilities."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from forebear._util.variable_names import Variable
from forebear.network.conditional_tables import ConditionalTables
from forebear.network.distribution import Distribution, Explanation
from forebear.network.effect import Effect, effect_of
from forebear.network.inference import Inference


class Queries(ConditionalTables):
    """The base of ``FittedNetwork`` with its queries."""

    def query(
        self,
        variables: Variable | Collection[Variable],
        evidence: Mapping[Any, Any] | None = None,
        *,
        do: Mapping[Any, Any] | None = None,
    ) -> Distribution:
        """Return the joint distribution of some variables, given the states of others.

        Parameters
        ----------
        variables
            One variable or several, by name or by index.
        evidence
            A mapping from variables to their states. If the states are intervals, a number or a
            date selects the interval that contains it. Default None: no evidence.
        do
            A mapping from variables to states that are set by intervention: arcs into these
            variables are ignored. This assumes that the arcs of the network are causes, and that no
            common cause is missing. Default None: no intervention.

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
        return Inference(self, evidence, do).query(variables)

    def marginals(
        self,
        evidence: Mapping[Any, Any] | None = None,
        *,
        do: Mapping[Any, Any] | None = None,
    ) -> dict[str, Distribution]:
        """Return the distribution of every variable, given the states of others.

        Messages are passed once in each direction, so this takes about as long as two queries.

        Parameters
        ----------
        evidence
            A mapping from variables to their states. Default None: no evidence.
        do
            States that are set by intervention; see ``query``. Default None: no intervention.

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
        >>> marginals = fitted.marginals({"harvest": "poor"})
        >>> marginals["spring_frost"]
        P(spring_frost | harvest=poor)
          no   0.5423
          yes  0.4577
        """
        return Inference(self, evidence, do).marginals()

    def most_probable(
        self,
        evidence: Mapping[Any, Any] | None = None,
        *,
        do: Mapping[Any, Any] | None = None,
    ) -> Explanation:
        """Return the most probable states of all variables, given the states of some.

        This is the most probable explanation (MPE). The most probable joint assignment need not
        consist of the most probable state of each variable.

        Parameters
        ----------
        evidence
            A mapping from variables to their states. Default None: no evidence.
        do
            States that are set by intervention; see ``query``. Default None: no intervention.

        Returns
        -------
        Explanation
            The states and their probability. Of several equally probable assignments, one is
            returned.

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
        >>> explanation = fitted.most_probable({"harvest": "poor"})
        >>> explanation.states["frost_damage"], round(explanation.probability, 6)
        ('little', 0.000672)
        """
        return Inference(self, evidence, do).most_probable()

    def effect(
        self,
        x: Variable,
        y: Variable,
        *,
        values: Sequence[float] | None = None,
        cpdag: bool = False,
    ) -> Effect:
        """Return the effect of a variable on another: P(y | do(x)) for every state of x.

        This assumes that the arcs of the network are causes, and that no common cause is missing.

        Parameters
        ----------
        x, y
            The cause and the outcome, by name or by index.
        values
            One number per state of y, for the difference of expectations. Default None: the states
            if they are numbers, or the positions of intervals and of states that
            ``ReadOptions(ordered=...)`` described, from 0. Other states have no order.
        cpdag
            Whether to assume only the directions that data can determine. The result then also has
            the range of the effect over all equivalent networks. It is computed by adjusting for
            each possible set of parents of x (IDA; Maathuis, Kalisch and Bühlmann, 2009). Default
            False.

        Returns
        -------
        Effect
            A table with one row per state of x, the difference of the expectation of y between the
            last and the first state of x, and a smallest adjustment set.

        Raises
        ------
        ForebearError
            If a variable does not exist, or x and y are the same.
        LimitError
            If the network is too densely connected for exact inference.
        """
        network = self.network
        return effect_of(self, network.index(x), network.index(y), values, cpdag=cpdag)
