"""A scikit-learn estimator, for pipelines and for those at home there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from forebear.data import Dataset
from forebear.fitting import fit_network
from forebear.learn import learn

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray
    from sklearn.utils import Tags

    from forebear.constraints import Arcs, Variable
    from forebear.discretize import Discretize
    from forebear.scores import Score


class StructureLearner(BaseEstimator):  # type: ignore[misc]
    """Learn a Bayesian network from the columns of ``X``.

    The parameters are those of ``forebear.learn``. Continuous columns are cut
    into ``bins`` intervals unless ``discretize`` is ``None``, which refuses
    them. After ``fit``:

    - ``network_``: the Network; ``fitted_network_``: with its probabilities
    - ``score_``: its score; ``trace_``: every improvement of the search
    - ``result_``: the whole Result
    - ``n_features_in_``, and ``feature_names_in_`` if the columns have names
    """

    def __init__(
        self,
        *,
        score: Score | str = "bdeu",
        max_parents: int | None = None,
        time_limit: float | None = 60.0,
        generations: int | None = None,
        max_memory: int | str | None = None,
        threads: int | None = None,
        random_state: int | None = None,
        required: Arcs | None = None,
        forbidden: Arcs | None = None,
        tiers: Sequence[Collection[Variable]] | None = None,
        algorithm: str = "ps-minobs",
        discretize: Discretize | None = "quantile",
        bins: int = 5,
        ess: float = 1.0,
    ) -> None:
        self.score = score
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

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803, ARG002
        """Learn the network of the columns of ``X``; ``y`` is ignored."""
        checked = validate_data(self, X, dtype=None, ensure_all_finite=True)
        table = self._table(X, checked)
        self.result_ = learn(
            table,
            score=self.score,
            max_parents=self.max_parents,
            time_limit=self.time_limit,
            generations=self.generations,
            max_memory=self.max_memory,
            threads=self.threads,
            seed=self._seed(),
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
