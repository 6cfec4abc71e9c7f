"""StructureLearner: a scikit-learn estimator that learns a Bayesian network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from forebear._util.errors import DataError, Parameter
from forebear._util.progress import Progress
from forebear.data.dataset import Dataset
from forebear.data.encoding import unused_name
from forebear.data.frames import (
    is_frame,
    polars_from_array,
    polars_from_frame,
    series_from_array,
)
from forebear.data.read_options import DEFAULT_MISSING, ReadOptions
from forebear.learning.learn import learn
from forebear.network.fit_network import fit_network

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from forebear.data.discretization import Discretize
    from forebear.data.read_options import Missing
    from forebear.knowledge.knowledge import Knowledge
    from forebear.network.fit_network import Smoothing
    from forebear.scoring.scores import Score


class StructureLearner(BaseEstimator):  # type: ignore[misc]
    """Learn a Bayesian network over the columns of ``X``.

    Parameters
    ----------
    criterion
        The score to maximize: a name such as "bdeu" or "bic", an object such as ``BDeu(10)``, or
        "auto" for the score that predicts held-out rows best.
    max_parents
        The largest parent set. Default: as in ``forebear.learn``.
    knowledge
        A ``Knowledge`` object, or files of Bayesys, GOBNILP or bnlearn.
    algorithm
        A name or settings, as in ``forebear.learn``.
    time_limit
        Time limit in seconds. Default: 60, or less if the search stops improving; no limit with
        ``generations``.
    generations
        Stop after this many generations. With an integer ``random_state`` the network is then the
        same every time.
    max_memory
        Bytes, or text such as "4GB". Default: the free memory.
    n_jobs
        Number of threads; None means 1 and -1 all cores, as in scikit-learn.
    random_state
        Seed of the random numbers.
    missing
        How missing values are handled, as in ``forebear.ReadOptions``. "em" and "available" learn
        from all rows; the likelihood of an incomplete row is that of its observed values. "error"
        rejects missing values, "drop" drops incomplete rows when fitting, "state" treats missing
        values as a state.
    discretize
        How continuous columns are discretized: "quantile", "uniform" or "learned". None rejects
        continuous columns. The cuts are also applied to data passed after ``fit``.
    bins
        Number of intervals of a continuous column. Default: 5, or up to 12 with "learned".
    smoothing
        Smoothing of the fitted probabilities, as in ``forebear.fit_network``.
    ess
        Equivalent sample size of the BDeu prior of the fitted probabilities. Default: back-off
        smoothing is used instead.

    Attributes
    ----------
    network_
        The learned ``Network``.
    fitted_network_
        The ``FittedNetwork`` with its probabilities.
    score_
        The score of the network.
    trace_
        Every improvement of the search.
    result_
        The whole ``Result``.
    n_features_in_
        The number of columns.
    feature_names_in_
        The names of the columns, if they have names.

    Examples
    --------
    >>> import numpy as np
    >>> from forebear.sklearn import StructureLearner
    >>> X = np.random.default_rng(0).integers(0, 2, (100, 3))
    >>> StructureLearner(generations=3, random_state=0).fit(X).network_.n_variables
    3
    """

    def __init__(
        self,
        *,
        criterion: Score | str = "bdeu",
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
    ) -> None:
        self.criterion = criterion
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: N803
        """Learn the network.

        Parameters
        ----------
        X
            A data frame or an array of rows by columns.
        y
            Ignored.
        sample_weight
            How many rows each row stands for, as the weights of ``forebear.ReadOptions``. Default:
            every row counts once.

        Returns
        -------
        StructureLearner
            The estimator itself.
        """
        del y
        frame = self._frame(X, reset=True)
        how = ReadOptions(missing=self.missing, discretize=self.discretize, bins=self.bins)
        if sample_weight is not None:
            name = unused_name("sample_weight", frame.columns)
            frame = frame.with_columns(_weights_of_rows(sample_weight, frame.height).alias(name))
            how = replace(how, weights=name)
        table = Dataset.from_frame(frame, how)
        self.result_ = learn(
            table,
            score=self.criterion,
            max_parents=self.max_parents,
            knowledge=self.knowledge,
            algorithm=self.algorithm,
            time_limit=self.time_limit,
            generations=self.generations,
            max_memory=self.max_memory,
            threads=effective_n_jobs(self.n_jobs),
            seed=int(check_random_state(self.random_state).randint(2**31 - 1)),
            watcher=Progress(),  # estimators are silent, also in a notebook
        )
        self.network_ = self.result_.network
        self.score_ = self.result_.score
        self.trace_ = self.result_.trace
        self.fitted_network_ = fit_network(
            self.result_, table, smoothing=self.smoothing, ess=self.ess
        )
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the log-likelihood of every row under the fitted network.

        Parameters
        ----------
        X
            Rows, without missing values if ``missing`` is "error" or "drop".

        Returns
        -------
        ndarray
            The natural logarithm of the probability of each row.
        """
        check_is_fitted(self)
        frame = self._frame(X, reset=False)
        missing: Missing = "error" if self.missing == "drop" else self.missing
        return self.fitted_network_.log_likelihoods(frame, read=ReadOptions(missing=missing))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """Return the mean log-likelihood of the rows, for model selection.

        Parameters
        ----------
        X
            Rows, without missing values if ``missing`` is "error" or "drop".
        y
            Ignored.

        Returns
        -------
        float
            The mean of ``score_samples``.
        """
        del y
        return float(self.score_samples(X).mean())

    def sample(
        self, n_samples: int = 1, random_state: int | np.random.RandomState | None = None
    ) -> NDArray[Any]:
        """Draw rows from the fitted network.

        Parameters
        ----------
        n_samples
            Number of rows.
        random_state
            Seed of the random numbers.

        Returns
        -------
        ndarray
            One row per sample, one column per feature: the names of the states. A continuous
            column has the names of its intervals.
        """
        check_is_fitted(self)
        seed = int(check_random_state(random_state).randint(2**31 - 1))
        drawn = self.fitted_network_.sample(n_samples, seed=seed)
        columns = [
            np.array(states, dtype=object)[codes]
            for states, codes in zip(drawn.states, drawn.codes, strict=True)
        ]
        return np.stack(columns, axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags

    def _frame(self, X: Any, *, reset: bool) -> pl.DataFrame:  # noqa: N803
        """Check ``X`` as scikit-learn does; a frame keeps the types of its columns."""
        finite = True if self.missing == "error" else "allow-nan"
        checked = validate_data(
            self,
            X,
            reset=reset,
            dtype=None,
            ensure_all_finite=finite,
            ensure_min_features=2 if reset else 1,
        )
        return polars_from_frame(X) if is_frame(X) else polars_from_array(checked, None)


def _weights_of_rows(sample_weight: Any, n_rows: int) -> pl.Series:
    """Return the weights as a column; their values are checked when the table is coded."""
    weights = np.asarray(sample_weight)
    if weights.shape != (n_rows,):
        raise DataError(
            Parameter("sample_weight"),
            f" must have one value per row, {n_rows:,}, got the shape {weights.shape}",
        )
    return series_from_array("sample_weight", weights)
