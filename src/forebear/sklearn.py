"""A scikit-learn estimator, for pipelines and for those at home there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from forebear.data.dataset import Dataset
from forebear.data.discretization import as_numbers, check_method, cut_points
from forebear.data.encoding import DEFAULT_BINS, describe
from forebear.data.frames import enum_series, is_frame, polars_from_array, polars_from_frame
from forebear.learning.learn import learn
from forebear.network.fitting import fit_network

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from forebear.data.discretization import Discretize
    from forebear.scoring.constraints import Arcs, Variable
    from forebear.scoring.scores import Score


class StructureLearner(BaseEstimator):  # type: ignore[misc]
    """Learn a Bayesian network from the columns of ``X``.

    ``criterion`` is the score to maximise ("bdeu", "bic", ...); most other
    parameters are those of ``forebear.learn``. Continuous columns are cut into
    ``bins`` intervals, at the same places for data seen later;
    ``discretize=None`` refuses them. ``ess`` is the prior's weight in the
    fitted probabilities. With ``random_state`` and ``generations`` the network
    is the same every time. After ``fit``:

    - ``network_``: the Network; ``fitted_network_``: with its probabilities
    - ``score_``: its score; ``trace_``: every improvement of the search
    - ``result_``: the whole Result
    - ``n_features_in_``, and ``feature_names_in_`` where columns have names
    """

    def __init__(
        self,
        *,
        criterion: Score | str = "bdeu",
        max_parents: int | None = None,
        time_limit: float | None = 60.0,
        generations: int | None = None,
        max_memory: int | str | None = None,
        threads: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        required: Arcs | None = None,
        forbidden: Arcs | None = None,
        tiers: Sequence[Collection[Variable]] | None = None,
        algorithm: str = "ps-minobs",
        discretize: Discretize | None = "quantile",
        bins: int = DEFAULT_BINS,
        ess: float = 1.0,
    ) -> None:
        self.criterion = criterion
        self.max_parents = max_parents
        self.time_limit = time_limit
        self.generations = generations
        self.max_memory = max_memory
        self.threads = threads
        self.random_state = random_state
        self.required = required
        self.forbidden = forbidden
        self.tiers = tiers
        self.algorithm = algorithm
        self.discretize = discretize
        self.bins = bins
        self.ess = ess

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803
        """Learn the network of the columns of ``X``; ``y`` is ignored."""
        del y
        frame = self._frame(X, reset=True)
        self._cuts = self._choose_cuts(frame)
        table = Dataset.from_frame(self._cut(frame))
        self.result_ = learn(
            table,
            score=self.criterion,
            max_parents=self.max_parents,
            time_limit=None if self.generations else self.time_limit,
            generations=self.generations,
            max_memory=self.max_memory,
            threads=self.threads,
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            required=self.required,
            forbidden=self.forbidden,
            tiers=self.tiers,
            algorithm=self.algorithm,
        )
        self.network_ = self.result_.network
        self.score_ = self.result_.score
        self.trace_ = self.result_.trace
        self.fitted_network_ = fit_network(self.network_, table, ess=self.ess)
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the log-likelihood of every row under the fitted network."""
        check_is_fitted(self)
        table = Dataset.from_frame(self._cut(self._frame(X, reset=False)))
        return self.fitted_network_.log_likelihoods(table)

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """Return the mean log-likelihood of the rows of ``X``, as model selection wants it."""
        del y
        return float(self.score_samples(X).mean())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _frame(self, X: Any, *, reset: bool) -> pl.DataFrame:  # noqa: N803
        """Check ``X`` as scikit-learn does; a frame keeps the types of its columns."""
        checked = validate_data(self, X, reset=reset, dtype=None)
        return polars_from_frame(X) if is_frame(X) else polars_from_array(checked, None)

    def _choose_cuts(self, frame: pl.DataFrame) -> dict[str, NDArray[np.float64]]:
        check_method(self.discretize)
        if self.discretize is None:
            return {}
        continuous = [column.name for column in describe(frame) if column.n_states is None]
        return {
            name: cut_points(as_numbers(frame[name]), self.discretize, self.bins)
            for name in continuous
        }

    def _cut(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Replace continuous columns by the numbers of their intervals."""
        return frame.with_columns(
            enum_series(
                name,
                np.searchsorted(cuts, as_numbers(frame[name]), side="left"),
                [str(k) for k in range(len(cuts) + 1)],
            )
            for name, cuts in self._cuts.items()
        )
