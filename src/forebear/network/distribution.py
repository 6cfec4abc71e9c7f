"""Distribution, Explanation and Prediction: the results of inference."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import ForebearError
from forebear._util.html import Cell, escaped, html_figure, html_table
from forebear._util.text import aligned, counted, listing, printable, show_facts
from forebear._util.variable_names import Variable, VariableNames, did_you_mean
from forebear.data.distinct import state_name
from forebear.data.frames import enum_series

if TYPE_CHECKING:
    import polars as pl

Key: TypeAlias = "str | tuple[str, ...]"

_TINT = "rgba(70,130,200,"
"""The color of bars and heat maps, legible on light and dark pages; the opacity is appended."""


@dataclass(frozen=True, eq=False, repr=False)
class Distribution(Mapping[Key, float]):
    """The joint distribution of one or more variables, given evidence.

    It is a mapping from states to probabilities. With one variable the key is a state, with
    several it is a tuple of states, one per variable.

    Attributes
    ----------
    variables
        The names of the variables.
    states
        The states of every variable.
    probabilities
        An array with one axis per variable, in this order.
    evidence
        The states of the evidence variables, by name.
    log_evidence
        The natural logarithm of the probability of the evidence; 0 without evidence.
    do
        The states that variables are set to by intervention, by name.

    Examples
    --------
    >>> from forebear import read_fitted
    >>> from forebear.data.examples import example_path
    >>> fitted = read_fitted(example_path("orchard.bif"))
    >>> joint = fitted.query(["scab", "quality"], {"spraying": "never"})
    >>> round(joint["heavy", "juice"], 4)
    0.177
    >>> joint.marginal("scab")
    P(scab | spraying=never)
      clean  0.5196
      light  0.2761
      heavy  0.2043
    """

    variables: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probabilities: NDArray[np.float64]
    evidence: dict[str, str] = field(default_factory=dict)
    log_evidence: float = 0.0
    do: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, key: Key) -> float:
        """Return the probability of a state, or of one state per variable."""
        given = as_key(key)
        if len(given) != len(self.variables):
            raise ForebearError(
                f"this is a distribution of {listing(self.variables)}: "
                f"give one state per variable, got {counted(len(given), 'state')}"
            )
        cell = tuple(
            state_index(*one) for one in zip(self.variables, self.states, given, strict=True)
        )
        return float(self.probabilities[cell])

    def __contains__(self, key: object) -> bool:
        """Return whether these are states of the variables."""
        given = as_key(key)
        pairs = zip(given, self.states, strict=False)
        return len(given) == len(self.states) and all(state_name(s) in own for s, own in pairs)

    def __iter__(self) -> Iterator[Key]:
        """Iterate over the states; with several variables, those of the last vary fastest."""
        if len(self.variables) == 1:
            return iter(self.states[0])
        return itertools.product(*self.states)

    def __len__(self) -> int:
        """Return the number of cells."""
        return self.probabilities.size

    def marginal(self, *variables: Variable) -> Distribution:
        """Return the distribution of some of the variables.

        Parameters
        ----------
        *variables
            Their names, or their indices in ``variables``.

        Returns
        -------
        Distribution
            The distribution, with the other variables summed out.
        """
        names = VariableNames(self.variables)
        kept = [names.index(variable) for variable in variables]
        if not kept or len(set(kept)) < len(kept):
            raise ForebearError("a marginal requires one or more variables, each of them once")
        others = tuple(axis for axis in range(len(self.variables)) if axis not in kept)
        summed = self.probabilities.sum(axis=others)
        places = [sorted(kept).index(axis) for axis in kept]
        return Distribution(
            tuple(self.variables[axis] for axis in kept),
            tuple(self.states[axis] for axis in kept),
            summed.transpose(places),
            self.evidence,
            self.log_evidence,
            self.do,
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars frame.

        Returns
        -------
        polars.DataFrame
            One Enum column per variable, and one column "probability".
        """
        import polars as pl

        cells = np.indices(self.probabilities.shape).reshape(len(self.variables), -1)
        columns = zip(self.variables, cells, self.states, strict=True)
        last = "probability"
        while last in self.variables:
            last += "_"
        flat = pl.Series(last, self.probabilities.ravel())
        return pl.DataFrame([*(enum_series(*column) for column in columns), flat])

    @property
    def title(self) -> str:
        """The formula of the distribution, such as P(wet | rain=yes)."""
        given = [f"do({name}={state})" for name, state in self.do.items()]
        given += [f"{name}={state}" for name, state in self.evidence.items()]
        return f"P({', '.join(self.variables)}{f' | {listing(given)}' if given else ''})"

    def _rows(self, most: int = 20) -> list[tuple[tuple[str, ...], float]]:
        """Return the states and the probabilities of the first cells."""
        flat = self.probabilities.ravel()[:most].tolist()
        return list(zip(itertools.product(*self.states), flat, strict=False))

    def __repr__(self) -> str:
        """Show the states with their probabilities."""
        rows = [[*self.variables, ""]]
        rows += [[*key, show_probability(p)] for key, p in self._rows()]
        more = len(self) - (len(rows) - 1)
        if len(self.variables) == 1:  # its name is in the title
            del rows[0]
        tail = [f"  ... and {more:,} more"] if more > 0 else []
        return "\n".join([printable(self.title), *aligned(rows), *tail])

    def _repr_html_(self) -> str:
        """Show the states with bars in notebooks."""
        rows: list[list[object]] = [[*key, bar(p)] for key, p in self._rows()]
        if len(self) > len(rows):
            rows.append(["..."] * (len(self.variables) + 1))
        table = html_table([*self.variables, "probability"], rows)
        return html_figure(f"<strong>{escaped(self.title)}</strong>", table)


@dataclass(frozen=True, repr=False)
class Explanation:
    """The most probable states of all variables, given evidence.

    Attributes
    ----------
    states
        The state of every variable, by name, including the evidence.
    probability
        The probability of these states, given the evidence.
    log_joint
        The natural logarithm of the probability of these states and the evidence together.
    """

    states: dict[str, str]
    probability: float
    log_joint: float

    def __repr__(self) -> str:
        """Show the probability and the states."""
        title = f"Explanation with probability {show_probability(self.probability)}"
        return show_facts(title, self.states.items())


class Prediction(NamedTuple):
    """The predictions for the rows of a table.

    Attributes
    ----------
    labels
        The most probable state of every row; None where the row is impossible.
    probabilities
        Rows by states: the probability of every state; NaN where the row is impossible.
    """

    labels: NDArray[np.object_]
    probabilities: NDArray[np.float64]


def as_key(key: Any) -> tuple[Any, ...]:
    """Return the states of a key, which is one state or a sequence of states."""
    return tuple(key) if isinstance(key, tuple | list) else (key,)


def state_index(name: str, states: tuple[str, ...], state: Any) -> int:
    """Return the index of a state, such as "yes", 1 or True; reject an unknown one."""
    text = state_name(state)
    if text in states:
        return states.index(text)
    hint = did_you_mean(text, states) or f": it has {listing(states)}"
    raise ForebearError(f'{name} has no state called "{text}"{hint}')


def bar(probability: float) -> Cell:
    """Return a cell of a table in notebooks whose background is a bar."""
    end = f"{100 * probability:.1f}%"
    style = f"background:linear-gradient(90deg,{_TINT}.35) {end},transparent {end})"
    return Cell(show_probability(probability), f"{style};min-width:12em")


def shaded(probability: float) -> Cell:
    """Return a cell of a heat map in notebooks."""
    return Cell(show_probability(probability), f"background:{_TINT}{0.75 * probability:.3f})")


def show_probability(probability: float) -> str:
    """Format a probability with four decimals, or with an exponent if these would be 0."""
    return (
        f"{probability:.4f}" if probability >= 0.0001 or probability == 0 else f"{probability:.1e}"
    )
