"""The scikit-learn estimator."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from expected import error

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import estimator_checks_generator

from forebear import (
    INOBS,
    ForebearError,
    ForebearWarning,
    Knowledge,
    simulate,
)
from forebear.sklearn import StructureLearner


def quick(**settings: Any) -> StructureLearner:
    return StructureLearner(
        **{"generations": 1, "max_parents": 2, "n_jobs": 1, "random_state": 0, **settings}
    )


def frame(rows: int = 300, seed: int = 3) -> pd.DataFrame:
    made = simulate(6, rows, max_parents=2, seed=seed).data
    return pd.DataFrame(made.codes.T.astype(int), columns=list(made.names))


@pytest.mark.parametrize(
    ("estimator", "check"), list(estimator_checks_generator(quick(), mark=None, legacy=True))
)
@pytest.mark.filterwarnings("ignore")
def test_estimator_checks(estimator: StructureLearner, check: object) -> None:
    """All that check_estimator does, one by one."""
    try:
        check(estimator)  # type: ignore[operator]
    except Exception as error:
        if type(error).__name__ == "SkipTest":
            pytest.skip(str(error))
        raise


@pytest.mark.parametrize("discretize", ["quantile", "learned"])
@pytest.mark.parametrize("missing", ["em", "drop"])
def test_weights_count_as_repeated_rows(discretize: Any, missing: Any) -> None:
    rows, rng = frame(80), np.random.default_rng(1)
    rows["x"] = rows.iloc[:, 0] + rng.normal(size=80)
    rows.iloc[3, 6] = rows.iloc[5, 1] = None
    weights = rng.integers(0, 5, 80)
    settings = {"discretize": discretize, "bins": 3, "missing": missing}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForebearWarning)  # of dropped rows
        found = quick(**settings).fit(rows, sample_weight=weights)
        expected = quick(**settings).fit(rows.loc[rows.index.repeat(weights)])
    assert found.network_ == expected.network_
    assert found.score_ == expected.score_
    pairs = zip(found.fitted_network_.tables, expected.fitted_network_.tables, strict=True)
    assert all(np.array_equal(ours, theirs) for ours, theirs in pairs)


def test_wrong_weights() -> None:
    with error("sample_weight must have one value per row, 300, got the shape (2,)"):
        quick().fit(frame(), sample_weight=[1, 2])
    with error("row 2 of column 'sample_weight' has the weight -1.5"):
        quick().fit(frame(2), sample_weight=[1, -1.5])


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


def test_invalid_input_is_rejected() -> None:
    with pytest.raises(NotFittedError):
        quick().score_samples(frame())
    with pytest.raises(ForebearError, match="look continuous"):
        quick(discretize=None).fit(np.random.default_rng(0).normal(size=(100, 2)))
    with pytest.raises(ForebearError, match="discretize must be one of quantile, uniform"):
        quick(discretize="magic").fit(frame())
    with pytest.raises(ForebearError, match="score must be one of bdeu"):
        quick(criterion="bge").fit(frame())
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        quick().fit(frame().iloc[:, :1])


def test_knowledge_and_algorithm() -> None:
    table = frame()
    first, second, *_ = table.columns
    known = Knowledge(required=[(first, second)])
    learner = quick(knowledge=known, algorithm=INOBS(chains=2)).fit(table)
    assert (first, second) in learner.network_.arc_names
    assert learner.result_.algorithm == "inobs"
    assert len(learner.result_.generations) == 2


def with_missing(rows: int = 300) -> pd.DataFrame:
    table = frame(rows).astype(float)
    table.iloc[::10, 0] = np.nan
    return table


def test_rows_with_missing_values_are_refused_or_left_out() -> None:
    with pytest.raises(ValueError, match="NaN"):
        quick(missing="error").fit(with_missing())
    with pytest.warns(ForebearWarning, match="left out 30 of 300 rows"):
        learner = quick(missing="drop").fit(with_missing())
    assert learner.result_.provenance["rows"] == 270
    assert learner.network_ == quick().fit(with_missing().dropna()).network_
    with pytest.raises(ForebearError, match="missing"):  # every row has to have a likelihood
        learner.score_samples(with_missing())


@pytest.mark.parametrize("as_array", [False, True])
@pytest.mark.parametrize("way", ["state", "available", "em"])
def test_all_rows_are_used(way: str, as_array: bool) -> None:
    table = with_missing().to_numpy() if as_array else with_missing()
    learner = quick(missing=way).fit(table)
    assert learner.result_.provenance["rows"] == 300
    assert ("missing" in learner.fitted_network_.states[0]) == (way == "state")
    found = learner.score_samples(table)
    assert np.isfinite(found).all()
    # Rows whose first value is missing have the likelihood of the others, also on their own.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows have few states
        np.testing.assert_allclose(learner.score_samples(table[::10]), found[::10])


@pytest.mark.parametrize("as_array", [False, True])
def test_missing_values_in_continuous_columns(as_array: bool) -> None:
    """They are no reason to cut elsewhere."""
    values = np.random.default_rng(0).normal(size=(400, 3))
    values[::7, 1] = np.nan
    learner = quick(missing="state", bins=3).fit(values if as_array else pd.DataFrame(values))
    assert [len(states) for states in learner.fitted_network_.states] == [3, 4, 3]
    assert np.isfinite(learner.score_samples(values)).all()


def test_samples() -> None:
    learner = quick().fit(frame(2000))
    drawn = learner.sample(1000, random_state=3)
    assert drawn.shape == (1000, 6)
    np.testing.assert_array_equal(drawn, learner.sample(1000, random_state=3))
    assert (drawn != learner.sample(1000, random_state=4)).any()
    for column, states in zip(drawn.T, learner.fitted_network_.states, strict=True):
        assert set(column) <= set(states)
    # They can be scored as well, and are as likely as the rows it was fitted to.
    again = pd.DataFrame(drawn.astype(int), columns=learner.feature_names_in_)
    assert learner.score(again) == pytest.approx(learner.score(frame(2000)), rel=0.05)
    assert learner.sample().shape == (1, 6)
    with pytest.raises(NotFittedError):
        quick().sample(3)


def test_values_at_the_cuts_stay_in_their_intervals() -> None:
    """The cuts are observed values, whose names in intervals are rounded."""
    numbers = np.pi * np.arange(100.0)
    table = np.column_stack([numbers, numbers[::-1] ** 2])
    learner = quick(max_parents=0, ess=0.0).fit(table)
    shares = np.stack(learner.fitted_network_.tables)  # of the rows in each interval
    assert learner.score(table) == pytest.approx((shares * np.log(shares)).sum())
