"""Effect: the distributions of one variable if another is set to each of its states."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.checks import check_real
from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import counted, listing
from forebear.data.coding import ColumnCoding
from forebear.network.adjustment import possible_parents
from forebear.network.conditional_tables import ConditionalTables
from forebear.network.distribution import Distribution
from forebear.network.inference import Inference, intervened
from forebear.network.probability_table import ProbabilityTable

EQUAL = 1e-9
"""Probabilities that differ by less differ by rounding errors."""


@dataclass(frozen=True, eq=False, repr=False)
class Effect(ProbabilityTable):
    """The distributions of a variable if another is set to each of its states: P(y | do(x)).

    It is a ``ProbabilityTable`` with one row per state of x. It is a causal effect only if the arcs
    of the network are causes and no common cause is missing, which the network itself cannot show.

    Attributes
    ----------
    variable
        The name of y.
    states
        Its states: the columns.
    parents
        The name of x, in a tuple.
    parent_states
        The states of x, in a tuple.
    probabilities
        An array of the states of x by the states of y.
    adjustment_set
        A smallest set of variables to adjust for; None if there is none, because y is a parent of x
        and x has no effect on it.
    numbers
        The numbers of the states of y: those in their names, or the positions of intervals and
        ordered states, from 0. None if the states have no order.
    difference
        The expectation of y if x is set to its last state, minus that for its first state. None if
        the states of y have no order.
    lowest, highest
        The smallest and the largest probabilities among all equivalent networks, as arrays of the
        shape of ``probabilities``; None unless ``cpdag=True``.
    difference_range
        The smallest and the largest difference among all equivalent networks, or None.

    Examples
    --------
    >>> from forebear import read_fitted
    >>> fitted = read_fitted("example:orchard.bif")
    >>> fitted.effect("spraying", "scab")
    P(scab | do(spraying))
      spraying  clean   light   heavy
      never     0.3800  0.2950  0.3250
      rarely    0.5640  0.2850  0.1510
      often     0.8380  0.1300  0.0320
      adjusted for rainfall
      if the arcs are causes, and no common cause is missing
    """

    adjustment_set: tuple[str, ...] | None = None
    numbers: tuple[float, ...] | None = None
    difference: float | None = None
    lowest: NDArray[np.float64] | None = None
    highest: NDArray[np.float64] | None = None
    difference_range: tuple[float, float] | None = None

    @property
    def identified(self) -> bool | None:
        """Whether all equivalent networks have the same effect; None unless ``cpdag=True``."""
        if self.lowest is None or self.highest is None:
            return None
        return bool((self.highest - self.lowest < EQUAL).all())

    @property
    def title(self) -> str:
        """The formula of the effect, such as P(y | do(x))."""
        return f"P({self.variable} | do({self.parents[0]}))"

    def _distribution(self, row: NDArray[np.float64], given: dict[str, str]) -> Distribution:
        return Distribution((self.variable,), (self.states,), row, do=given)

    def _remarks(self) -> list[str]:
        remarks = []
        if self.adjustment_set is None:
            remarks.append(f"{self.variable} is a parent of {self.parents[0]}: there is no effect")
        elif self.adjustment_set:
            remarks.append(f"adjusted for {listing(self.adjustment_set)}")
        else:
            remarks.append("no adjustment is necessary")
        if self.difference is not None:
            first, last = self.parent_states[0][0], self.parent_states[0][-1]
            remarks.append(
                f"difference of expectations, {last} minus {first}: {self.difference:.4g}"
            )
        if self.identified is not None:
            remarks.append(self._range())
        return [*remarks, "if the arcs are causes, and no common cause is missing"]

    def _range(self) -> str:
        if self.identified:
            return "identified: equal in all equivalent networks"
        assert self.lowest is not None
        assert self.highest is not None
        widest = float((self.highest - self.lowest).max())
        text = f"not identified: probabilities differ by up to {widest:.4g} in equivalent networks"
        if self.difference_range is None:
            return text
        low, high = self.difference_range
        return f"{text}, and the difference is between {low:.4g} and {high:.4g}"


def effect_of(
    fitted: ConditionalTables, x: int, y: int, values: Sequence[float] | None, *, cpdag: bool
) -> Effect:
    """Compute the effect of x on y; see ``FittedNetwork.effect``."""
    network, states = fitted.network, fitted.states
    if x == y:
        raise ForebearError(f"{network.names[x]} has no effect on itself: name two variables")
    numbers = values_of(fitted.coding.columns[network.names[y]], values)
    table = _set_to_each_state(fitted, x, y)
    effect = Effect(
        network.names[y],
        states[y],
        (network.names[x],),
        (states[x],),
        table,
        network.adjustment_set(x, y),
        numbers,
        _difference(table, numbers),
    )
    if not cpdag:
        return effect
    sets = possible_parents(network.cpdag(), x)
    tables = [_adjusted(fitted, x, y, own) for own in sets]
    differences = [d for one in tables if (d := _difference(one, numbers)) is not None]
    return replace(
        effect,
        lowest=np.min(tables, axis=0),
        highest=np.max(tables, axis=0),
        difference_range=(min(differences), max(differences)) if differences else None,
    )


def values_of(coding: ColumnCoding, values: Sequence[float] | None) -> tuple[float, ...] | None:
    """Return numbers for states: those given, those in their names, or positions in their order."""
    states = coding.states
    if values is not None:
        numbers: tuple[Any, ...] = tuple(values) if np.ndim(values) else (values,)
        for number in numbers:
            check_real(-math.inf, values=number)
        if len(numbers) != len(states):
            raise ForebearError(
                Parameter("values"),
                f" must be one number per state ({listing(states)}), "
                f"got {counted(len(numbers), 'number')}",
            )
        return tuple(map(float, numbers))
    try:
        named = tuple(map(float, states))
    except ValueError:
        return tuple(map(float, range(len(states)))) if coding.has_order else None
    return named if np.isfinite(named).all() else None


def _difference(table: NDArray[np.float64], values: tuple[float, ...] | None) -> float | None:
    return None if values is None else float((table[-1] - table[0]) @ np.array(values))


def _set_to_each_state(fitted: ConditionalTables, x: int, y: int) -> NDArray[np.float64]:
    """Return P(y | do(x)), one row per state of x."""
    # With equal probabilities of the states of x, all rows come from one query.
    equal = np.full(len(fitted.states[x]), 1 / len(fitted.states[x]))
    joint = Inference(intervened(fitted, {x: equal}), None).query([x, y]).probabilities
    rows: NDArray[np.float64] = joint / joint.sum(axis=1, keepdims=True)
    return rows


def _adjusted(
    fitted: ConditionalTables, x: int, y: int, parents: tuple[int, ...]
) -> NDArray[np.float64]:
    """Return P(y | do(x)) in an equivalent network in which x has these parents."""
    if y in parents:
        alone = Inference(fitted, None).query([y]).probabilities
        return np.broadcast_to(alone, (len(fitted.states[x]), len(alone)))
    joint = Inference(fitted, None).query([*parents, x, y]).probabilities
    joint = joint.reshape(-1, *joint.shape[-2:])
    weights = joint.sum(axis=(1, 2))
    totals = joint.sum(axis=2, keepdims=True)
    if ((totals[:, :, 0] == 0) & (weights > 0)[:, np.newaxis]).any():
        # Where P(x | parents) is 0, the joint distribution does not determine the effect.
        names = fitted.network.names
        raise ForebearError(
            f"the range of the effect is not determined, because some states of {names[x]} have "
            f"the probability 0 given {listing([names[p] for p in parents])}: fit the network with "
            "smoothing"
        )
    rows = np.divide(joint, totals, out=np.zeros_like(joint), where=totals > 0)
    adjusted: NDArray[np.float64] = np.tensordot(weights, rows, axes=1)
    return adjusted
