"""The scikit-learn estimator."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import estimator_checks_generator

from forebear import ForebearError, Network, simulate
from forebear.sklearn import StructureLearner


def quick(**settings: Any) -> StructureLearner:
    return StructureLearner(
        **{"generations": 1, "max_parents": 2, "threads": 1, "random_state": 0, **settings}
    )


def frame(rows: int = 300, seed: int = 3) -> pd.DataFrame:
    made = simulate(6, rows, max_parents=2, seed=seed).data
    return pd.DataFrame(made.codes.T.astype(int), columns=list(made.names))


@pytest.mark.parametrize(
    ("estimator", "check"), list(estimator_checks_generator(quick(), mark=None, legacy=True))
)
@pytest.mark.filterwarnings("ignore")
def test_estimator_checks(estimator: StructureLearner, check: object) -> None:
    try:
        check(estimator)  # type: ignore[operator]
    except Exception as error:
        if type(error).__name__ == "SkipTest":
            pytest.skip(str(error))
        raise


def test_what_fit_leaves() -> None:
    learner = quick().fit(frame())
    assert isinstance(learner.network_, Network)
    assert learner.score_ == learner.result_.score
    assert len(learner.trace_) > 0
    assert learner.n_features_in_ == 6
    assert learner.feature_names_in_.tolist() == list(learner.network_.names)


def test_clones_learn_the_same() -> None:
    learner = quick(generations=3)
    again = clone(learner)
    assert learner.get_params() == again.get_params()
    assert learner.fit(frame()).network_ == again.fit(frame()).network_


def test_in_a_pipeline_and_a_grid() -> None:
    pipeline = make_pipeline(FunctionTransformer(), quick())
    assert pipeline.fit(frame())[-1].network_.n_variables == 6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grid = GridSearchCV(quick(), {"max_parents": [0, 2]}, cv=2).fit(frame(1000))
    assert grid.best_params_ == {"max_parents": 2}


def test_later_data_are_cut_at_the_same_places() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 1)) + rng.normal(scale=0.1, size=(400, 3))
    learner = quick(bins=4).fit(values)
    rows = learner.score_samples(values[:10])
    assert rows.shape == (10,)
    shuffled = np.column_stack([rng.permutation(column) for column in values.T])
    assert learner.score(values) > learner.score(shuffled)
    assert learner.score(values[:10]) == pytest.approx(rows.mean())


def test_refusals() -> None:
    with pytest.raises(NotFittedError):
        quick().score_samples(frame())
    with pytest.raises(ForebearError, match="look continuous"):
        quick(discretize=None).fit(np.random.default_rng(0).normal(size=(100, 2)))
    with pytest.raises(ForebearError, match='must be "quantile" or "uniform"'):
        quick(discretize="magic").fit(frame())
