"""Evidence: the states of some variables that are given, checked and as codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import listing
from forebear.data.discretization import cuts_of
from forebear.data.distinct import state_name
from forebear.network.distribution import state_index

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from forebear._util.names import Variable
    from forebear.network.conditional import ConditionalTables


def codes_of(fitted: ConditionalTables, evidence: Mapping[Any, Any] | None) -> dict[int, int]:
    """Return the states that are given, by index.

    Parameters
    ----------
    fitted
        The network.
    evidence
        From variables, by name or index, to states. A number stands for the interval it is in,
        where the states are intervals.

    Returns
    -------
    dict
        The code of every given variable.

    Raises
    ------
    ForebearError
        If a variable or a state does not exist, or a variable is given twice.
    """
    if evidence is not None and not isinstance(evidence, Mapping):
        raise ForebearError(
            Parameter("evidence"),
            f' must be a mapping such as {{"rain": "yes"}}, got {type(evidence).__name__}',
        )
    found: dict[int, int] = {}
    for variable, state in (evidence or {}).items():
        v = fitted.network.index(variable)
        if v in found:
            raise ForebearError(
                Parameter("evidence"), f" names {fitted.network.names[v]} twice: say one thing"
            )
        found[v] = _code_of(fitted.network.names[v], fitted.states[v], state)
    return found


def _code_of(name: str, states: tuple[str, ...], state: Any) -> int:
    text = state_name(state)
    cuts = None if text in states else cuts_of(states)
    if cuts is not None:
        try:
            return int(np.searchsorted(cuts, float(text), side="left"))
        except ValueError:
            pass  # not a number: said below
    return state_index(name, states, text)


def asked_of(
    fitted: ConditionalTables, variables: Variable | Collection[Variable], known: Collection[int]
) -> tuple[int, ...]:
    """Return the variables that are asked about, by index.

    Parameters
    ----------
    fitted
        The network.
    variables
        One variable or several, by name or index.
    known
        The variables whose states are given.

    Returns
    -------
    tuple of int
        Their indices, in this order.

    Raises
    ------
    ForebearError
        If there is none, one occurs twice, or its state is given.
    """
    alone = isinstance(variables, str) or not hasattr(variables, "__iter__")
    wanted: Any = [variables] if alone else variables
    asked = tuple(fitted.network.index(variable) for variable in wanted)
    names = fitted.network.names
    if not asked:
        raise ForebearError(Parameter("variables"), " is empty: name what to ask about")
    for place, v in enumerate(asked):
        if v in asked[:place]:
            raise ForebearError(f"{names[v]} is asked about twice")
        if v in known:
            raise ForebearError(
                f"{names[v]} is asked about, but ", Parameter("evidence"), " gives its state"
            )
    return asked


def named(fitted: ConditionalTables, known: Mapping[int, int]) -> dict[str, str]:
    """Return given states by name."""
    return {fitted.network.names[v]: fitted.states[v][code] for v, code in known.items()}


def as_row(fitted: ConditionalTables, known: Mapping[int, int]) -> NDArray[np.intp]:
    """Return given states as the codes of one row; unknown ones have the code 0."""
    return np.array([[known.get(v, 0)] for v in range(fitted.n_variables)], dtype=np.intp)


def impossible(fitted: ConditionalTables, known: Mapping[int, int]) -> ForebearError:
    """Say that evidence has the probability 0."""
    given = [f"{name}={state}" for name, state in named(fitted, known).items()]
    together = " together" if len(given) > 1 else ""
    return ForebearError(
        f"the evidence is impossible: {listing(given)}{together} has the probability 0 in this "
        "network"
    )
