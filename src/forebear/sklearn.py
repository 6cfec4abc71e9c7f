"""Scikit-learn estimators: StructureLearner and BayesianNetworkClassifier."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from forebear._util.checks import check_choice
from forebear._util.errors import ForebearWarning
from forebear.data.coding import Unseen
from forebear.data.discretization import Discretize
from forebear.data.encoding import unused_name
from forebear.data.frames import (
    enum_series,
)
from forebear.data.read_options import DEFAULT_MISSING, Missing
from forebear.estimator_base import NetworkEstimator
from forebear.knowledge.knowledge import Knowledge, as_knowledge
from forebear.learning.learn import learn
from forebear.network.fit_network import Smoothing
from forebear.network.fitted_network import FittedNetwork
from forebear.scoring.scores import Score

if TYPE_CHECKING:
    import polars as pl

Structure: TypeAlias = Literal["averaged", "free", "augmented"]
"""The networks of a classifier. "averaged" is the default, because neither of the others is better
on all tables, and their average is close to the better one or better than both
(benchmarks/results/classification.md)."""

MOST_PARENTS = 4
"""The default limit on parents of a classifier. On eight tables, the log loss was the same without
a limit; with a limit of 3, it was 0.02 to 0.03 higher on two. Without a limit, the network of
anes96 has a variable with 9 parents, whose probabilities do not fit in memory."""


class StructureLearner(NetworkEstimator):
    """Learn a Bayesian network over the columns of ``X``; ``y`` is ignored.

    To predict ``y``, use ``BayesianNetworkClassifier``.

    Parameters
    ----------
    criterion
        The score to maximize: a name such as "bdeu" or "bic", an object such as ``BDeu(10)``, or
        "auto" for the score that predicts held-out rows best. Default: as in ``forebear.learn``.
    prior
        The prior over networks, as in ``forebear.learn``: "uniform", "sparse" or the probability of
        an arc. Default: as in ``forebear.learn``.
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
    unseen
        What is done after ``fit`` with states that did not occur in it: "error" (default), or
        "missing" to treat them as not observed.

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

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any = None,
        sample_weight: Any = None,
        intervened: Any = None,
    ) -> Self:
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
        intervened
            Which values were set by intervention, as the mask of ``forebear.ReadOptions``: booleans
            of the shape of ``X``. Default: none.

        Returns
        -------
        StructureLearner
            The estimator itself.
        """
        del y
        frame = self._frame(X, reset=True, ensure_min_features=2)
        table = self._dataset(frame, sample_weight, intervened)
        result = learn(table, **self._learning_options())
        self._keep(result, self._fitted(result, table))
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
        return self.fitted_network_.log_likelihoods(
            frame, read=self._read_later, unseen=self.unseen
        )

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


class BayesianNetworkClassifier(ClassifierMixin, NetworkEstimator):  # type: ignore[misc]
    """Predict ``y`` by a Bayesian network over ``y`` and the columns of ``X``.

    The probabilities of the classes are exact, given the observed values of a row. Missing values
    are summed out.

    Parameters
    ----------
    structure
        "free": any network; the class is predicted by its Markov blanket. "augmented": the class is
        a parent of all features, and the arcs between features are learned; with ``max_parents=2``
        this is tree-augmented naive Bayes (TAN), with ``max_parents=1`` naive Bayes. "averaged"
        (default): both are learned, and their probabilities are averaged.
    max_parents
        The largest parent set. Default: 4. None: as in ``forebear.learn``.
    criterion, prior, algorithm, time_limit, generations, max_memory, n_jobs, random_state
        As in ``StructureLearner``. The time limit is that of each network.
    knowledge
        As in ``StructureLearner``. The class is called as ``y`` is, if it is a named column, and
        else "y". Unless ``structure`` is "free", the knowledge must allow arcs from the class to
        all features.
    missing, discretize, bins, smoothing, ess
        As in ``StructureLearner``.
    unseen
        What is done in ``predict`` with states that did not occur in ``fit``: "missing" (default)
        to treat them as not observed, or "error".

    Attributes
    ----------
    classes_
        The classes, sorted.
    fitted_networks_
        The ``FittedNetwork`` objects whose probabilities are averaged: one or two.
    network_, fitted_network_, score_, trace_, result_, n_features_in_, feature_names_in_
        As in ``StructureLearner``, of the first of them. The class is the first variable.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from forebear.sklearn import BayesianNetworkClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> BayesianNetworkClassifier(generations=2, random_state=0).fit(X, y).predict(X[:3])
    array([0, 0, 0])
    """

    def __init__(
        self,
        *,
        structure: Structure = "averaged",
        criterion: Score | str | None = None,
        prior: str | float | None = None,
        max_parents: int | None = MOST_PARENTS,
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
        unseen: Unseen = "missing",
    ) -> None:
        super().__init__(
            criterion=criterion,
            prior=prior,
            max_parents=max_parents,
            knowledge=knowledge,
            algorithm=algorithm,
            time_limit=time_limit,
            generations=generations,
            max_memory=max_memory,
            n_jobs=n_jobs,
            random_state=random_state,
            missing=missing,
            discretize=discretize,
            bins=bins,
            smoothing=smoothing,
            ess=ess,
            unseen=unseen,
        )
        self.structure = structure

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # noqa: N803
        """Learn the network.

        Parameters
        ----------
        X
            A data frame or an array of rows by columns.
        y
            The class of every row.
        sample_weight
            How many rows each row stands for. Default: every row counts once.

        Returns
        -------
        BayesianNetworkClassifier
            The estimator itself.
        """
        check_choice(get_args(Structure), structure=self.structure)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")  # as scikit-learn
        frame = self._frame(X, reset=True)
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_consistent_length(X, labels)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        target = unused_name(str(getattr(y, "name", None) or "y"), frame.columns)
        column = enum_series(target, codes, self.classes_)
        frame = frame.clone().insert_column(0, column)  # which changes the frame itself
        table, options = self._dataset(frame, sample_weight), self._learning_options()
        results = []
        if self.structure != "augmented":
            results.append(learn(table, **options))
        if self.structure != "free":
            arcs = Knowledge(required=[(target, name) for name in table.names[1:]])
            options["knowledge"] = as_knowledge(self.knowledge) | arcs
            results.append(learn(table, **options))
        self.fitted_networks_ = [self._fitted(result, table) for result in results]
        self._keep(results[0], self.fitted_networks_[0])
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the probability of every class for every row.

        Parameters
        ----------
        X
            Rows, without missing values if ``missing`` is "error" or "drop".

        Returns
        -------
        ndarray
            Rows by classes, in the order of ``classes_``. A row that is impossible in the network,
            which requires ``ess=0``, has the probabilities of the classes without evidence.
        """
        check_is_fitted(self)
        frame = self._frame(X, reset=False)
        several = [self._probabilities(fitted, frame) for fitted in self.fitted_networks_]
        averaged: NDArray[np.float64] = np.mean(several, axis=0)
        return averaged

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the most probable class of every row.

        Parameters
        ----------
        X
            Rows, without missing values if ``missing`` is "error" or "drop".

        Returns
        -------
        ndarray
            One of ``classes_`` per row.
        """
        probabilities = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[probabilities.argmax(axis=1)]
        return labels

    def _probabilities(self, fitted: FittedNetwork, frame: pl.DataFrame) -> NDArray[np.float64]:
        target, how = fitted.network.names[0], self._read_later
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ForebearWarning)  # of impossible rows
            _, found = fitted.predict(
                frame, target, probabilities=True, read=how, unseen=self.unseen
            )
        impossible = np.isnan(found[:, 0])
        if impossible.any():
            found[impossible] = fitted.query(target).probabilities
        return found
