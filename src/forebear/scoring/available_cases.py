"""AvailableCases: scores of families over the rows in which their variables are observed.

Families with different missing values have different rows, so their scores are not comparable: even
under the same model, they differ by about the square root of the number of rows. Two families that
differ by one parent are comparable on the rows of the larger one. The value of a family is
therefore built from those of smaller ones:

    value(x | nothing) = N / N_x * (score of x on the N_x rows where it is observed)
    value(x | P) = min over u in P of
        value(x | P - u) + N / N_S * (gain of u on the N_S rows where x and P are observed)

A parent must improve the score on the rows in which the whole family is observed. The prior over
networks is added to the value. Without missing values, this is the ordinary score. Penalties that
depend on the number of rows (BIC, qNML) use all N.

This is the definition in NumPy, used to check results. The core computes the same values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from forebear._util.errors import ForebearError, Parameter
from forebear.data.dataset import Dataset
from forebear.data.row_weights import reject_real_weights
from forebear.scoring.contingency import contingency

if TYPE_CHECKING:
    from forebear.scoring.scores import Score


_WHOLE_ROWS = ("fnml", "qnml", "mit")
"""Scores whose penalty or test requires whole numbers of rows."""


def check_scorable(data: Dataset, score: Score) -> None:
    """Reject a table whose families cannot be scored, at all or by this score."""
    if data.has_missing and data.missing == "em":
        raise ForebearError(
            Parameter("missing", "em"),
            " completes the rows between searches, so parent sets cannot be scored in advance: "
            "use learn, or pass ",
            Parameter("missing", "available"),
        )
    if score.name in _WHOLE_ROWS:
        others = "pass another score, such as bdeu or bic, "
        reject_real_weights(data, f"{score.name} counts whole rows", others)


class AvailableCases:
    """The values of the families of a table with missing values.

    Parameters
    ----------
    score
        The score.
    data
        The table.
    """

    def __init__(self, score: Score, data: Dataset) -> None:
        check_scorable(data, score)
        self._score = score
        self._data = data
        self._missing = data.is_missing
        self._values: dict[tuple[int, tuple[int, ...]], float] = {}

    def value(self, child: int, parents: Sequence[int]) -> float:
        """Return the value of a family; minus infinity if no row has all its variables."""
        prior = self._score.log_prior(len(parents), self._data.n_variables)
        return self._without_prior(child, tuple(sorted(parents))) + prior

    def _without_prior(self, child: int, parents: tuple[int, ...]) -> float:
        key = child, parents
        if key not in self._values:
            self._values[key] = self._compute(*key)
        return self._values[key]

    def _compute(self, child: int, parents: tuple[int, ...]) -> float:
        rows = np.flatnonzero(~self._missing[[*parents, child]].any(axis=0))
        weights = None if self._data.weights is None else self._data.weights[rows]
        observed = len(rows) if weights is None else int(weights.sum())
        if observed == 0:
            return -math.inf if parents else 0.0
        scale = self._data.n_rows / observed
        columns = self._data.codes[[*parents, child]][:, rows]
        whole, *less = self._own_scores(columns, weights, child, parents)
        if not parents:  # MIT is relative to the empty set
            return 0.0 if self._score.name == "mit" else scale * whole
        values = []
        for place, without in enumerate(less):
            fewer = parents[:place] + parents[place + 1 :]
            values.append(self._without_prior(child, fewer) + scale * (whole - without))
        return min(values)

    def _own_scores(
        self,
        columns: NDArray[Any],
        weights: NDArray[np.int64] | None,
        child: int,
        parents: tuple[int, ...],
    ) -> Iterator[float]:
        """Score a family on these rows alone, then the same family without each of its parents."""
        arities, copies = self._data.arities, self._data.copies
        rows = float(math.ceil(self._data.n_rows / copies))
        for place in (
            len(parents),
            *range(len(parents)),
        ):  # the first iteration leaves out no parent
            kept = [i for i in range(len(parents)) if i != place]
            states = [int(arities[parents[i]]) for i in kept]
            counts = contingency(columns[[*kept, -1]], states, int(arities[child]), weights)
            yield self._score.of_counts(counts if copies == 1 else counts / copies, states, rows)
