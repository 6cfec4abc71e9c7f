"""NetworkEstimator: what the scikit-learn estimators share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from forebear._util.progress import Progress
from forebear.data.coding import Unseen
from forebear.data.dataset import Dataset
from forebear.data.discretization import Discretize
from forebear.data.frames import (
    is_frame,
    polars_from_array,
    polars_from_frame,
    with_sample_weight,
)
from forebear.data.read_options import DEFAULT_MISSING, Missing, ReadOptions
from forebear.data.set_mask import SetMask
from forebear.knowledge.knowledge import Knowledge
from forebear.network.fit_network import Smoothing, fit_network
from forebear.network.fitted_network import FittedNetwork
from forebear.result import Result
from forebear.scoring.scores import Score

if TYPE_CHECKING:
    import polars as pl


class NetworkEstimator(BaseEstimator):  # type: ignore[misc]
    """The parameters of both estimators, and the conversion of their tables."""

    def __init__(
        self,
        *,
        criterion: Score | str | None = None,
        prior: str | float | None = None,
        max_parents: int | None = None,
        knowledge: Knowledge | Path | str | Sequence[Path | str] | None = None,
        algorithm: Any = "ps-minobs",
        time_limit: float | None = None,
        generations: int | None = None,
        max_memory: int | str | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        missing: Missing = DEFAULT_MISSING,
        discretize: Discretize | None = "quantile",
        bins: int | None = None,
        smoothing: Smoothing | Literal["auto"] = "auto",
        ess: float | None = None,
        unseen: Unseen = "error",
    ) -> None:
        self.criterion = criterion
        self.prior = prior
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.algorithm = algorithm
        self.time_limit = time_limit
        self.generations = generations
        self.max_memory = max_memory
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.missing = missing
        self.discretize = discretize
        self.bins = bins
        self.smoothing = smoothing
        self.ess = ess
        self.unseen = unseen

    def _dataset(self, frame: pl.DataFrame, sample_weight: Any, intervened: Any = None) -> Dataset:
        how = ReadOptions(
            missing=self.missing,
            discretize=self.discretize,
            bins=self.bins,
            intervened=None if intervened is None else SetMask.of(intervened),
        )
        if sample_weight is not None:
            frame, how = with_sample_weight(frame, how, sample_weight)
        return Dataset.from_frame(frame, how)

    def _learning_options(self) -> dict[str, Any]:
        """Return the parameters of ``learn``."""
        return {
            "score": self.criterion,
            "prior": self.prior,
            "max_parents": self.max_parents,
            "knowledge": self.knowledge,
            "algorithm": self.algorithm,
            "time_limit": self.time_limit,
            "generations": self.generations,
            "max_memory": self.max_memory,
            "threads": effective_n_jobs(self.n_jobs),
            "seed": int(check_random_state(self.random_state).randint(2**31 - 1)),
            "watcher": Progress(),  # estimators are silent, also in a notebook
        }

    def _fitted(self, result: Result, table: Dataset) -> FittedNetwork:
        return fit_network(result, table, smoothing=self.smoothing, ess=self.ess)

    def _keep(self, result: Result, fitted: FittedNetwork) -> None:
        self.result_, self.fitted_network_ = result, fitted
        self.network_, self.score_, self.trace_ = result.network, result.score, result.trace

    @property
    def _read_later(self) -> ReadOptions:
        """How rows are read after ``fit``; all of them are evaluated."""
        return ReadOptions(missing="error" if self.missing == "drop" else self.missing)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _frame(self, X: Any, *, reset: bool, **checks: Any) -> pl.DataFrame:  # noqa: N803
        """Check ``X`` as scikit-learn does; a frame keeps the types of its columns."""
        finite = True if self.missing == "error" else "allow-nan"
        checked = validate_data(
            self,
            X,
            reset=reset,
            dtype=None,
            ensure_all_finite=finite,
            **checks,
        )
        return polars_from_frame(X) if is_frame(X) else polars_from_array(checked, None)
