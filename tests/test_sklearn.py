"""The scikit-learn estimator."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from expected import error

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import estimator_checks_generator

from forebear import (
    INOBS,
    FittedNetwork,
    ForebearError,
    ForebearWarning,
    Knowledge,
    simulate,
)
from forebear.sklearn import BayesianNetworkClassifier, StructureLearner


def quick(**settings: Any) -> StructureLearner:
    return StructureLearner(
        **{"generations": 1, "max_parents": 2, "n_jobs": 1, "random_state": 0, **settings}
    )


def classifier(**settings: Any) -> BayesianNetworkClassifier:
    return BayesianNetworkClassifier(
        **{"generations": 1, "max_parents": 2, "n_jobs": 1, "random_state": 0, **settings}
    )


def frame(rows: int = 300, seed: int = 3) -> pd.DataFrame:
    made = simulate(6, rows, max_parents=2, seed=seed).data
    return pd.DataFrame(made.codes.T.astype(int), columns=list(made.names))


@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        *estimator_checks_generator(quick(), mark=None, legacy=True),
        *estimator_checks_generator(classifier(), mark=None, legacy=True),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_estimator_checks(estimator: object, check: object) -> None:
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


def test_experiments() -> None:
    rows, mask = frame(), np.zeros((300, 6), dtype=bool)
    mask[:100, 0] = mask[100:, 3] = True
    weights = np.arange(300) % 3
    found = quick().fit(rows, sample_weight=weights, intervened=mask)
    assert found.network_.row_sets == (1, 0, 0, 2, 0, 0)
    named = pd.DataFrame({"X1": mask[:, 0], "X4": mask[:, 3]})
    assert quick().fit(rows, sample_weight=weights, intervened=named).score_ == found.score_
    assert np.isfinite(found.score(rows))
    with error("intervened must have the shape of the table, 300 rows by 6 columns in use, got"):
        quick().fit(rows, intervened=mask[:, :2])
    with error("intervened must be the name of a column, or an array", ForebearError):
        quick().fit(rows, intervened="X1")


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


def test_unseen_states_are_rejected_or_not_observed() -> None:
    rows = pd.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "v"] * 20})
    later = pd.DataFrame({"a": ["z"], "b": ["u"]})
    with pytest.raises(ForebearError, match="column 'a' has the value 'z'"):
        quick().fit(rows).score_samples(later)
    learner = quick(unseen="missing").fit(rows)
    b = learner.fitted_network_.query("b")["u"]
    assert learner.score_samples(later) == pytest.approx([np.log(b)])


def joint_of(fitted: FittedNetwork, codes: list[int]) -> float:
    """Return the probability of a row, by definition."""
    families = zip(fitted.network.parents, fitted.tables, strict=True)
    cells = [t[tuple(codes[u] for u in own)][codes[v]] for v, (own, t) in enumerate(families)]
    return float(np.prod(cells))


@pytest.mark.parametrize("structure", ["averaged", "free", "augmented"])
def test_class_probabilities_are_those_of_the_networks(structure: Any) -> None:
    table = frame(200)
    X, y = table.iloc[:, 1:], table.iloc[:, 0]  # noqa: N806
    kept = pl.from_pandas(X)
    model = classifier(structure=structure).fit(kept, y)
    assert kept.equals(pl.from_pandas(X))  # it is not changed
    model = classifier(structure=structure).fit(X, y)
    assert len(model.fitted_networks_) == (2 if structure == "averaged" else 1)
    found = model.predict_proba(X[:20])
    for row, shown in zip(X[:20].to_numpy(), found, strict=True):
        expected = []
        for fitted in model.fitted_networks_:
            states = fitted.states
            codes = [states[v + 1].index(str(value)) for v, value in enumerate(row)]
            joint = np.array([joint_of(fitted, [c, *codes]) for c in range(len(states[0]))])
            expected.append(joint / joint.sum())
        assert shown == pytest.approx(np.mean(expected, axis=0))
    assert (model.predict(X[:20]) == model.classes_[found.argmax(axis=1)]).all()
    assert model.network_.names[0] == y.name
    if structure != "free":
        augmented = model.fitted_networks_[-1].network
        assert all(0 in family for family in augmented.parents[1:])


def test_classes_of_any_type_missing_and_unseen_values() -> None:
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], 300)
    X = pd.DataFrame({"y": np.where(rng.random(300) < 0.9, y, "no"), "z": rng.normal(size=300)})  # noqa: N806
    X.loc[::7, "y"] = None
    X.loc[::5, "z"] = np.nan
    model = classifier().fit(X, y)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.fitted_network_.states[0] == ("no", "yes")
    assert model.network_.names == ("y_2", "y", "z")  # the class has another name
    assert model.score(X, y) > 0.85
    rows = pd.DataFrame({"y": ["yes", "maybe", None], "z": [0.0, np.nan, np.nan]})
    found = model.predict_proba(rows)
    assert found[0, 1] > 0.8
    np.testing.assert_array_equal(found[1], found[2])  # unseen is not observed
    np.testing.assert_allclose(found.sum(axis=1), 1)
    with pytest.raises(ForebearError, match="column 'y' has the value 'maybe'"):
        classifier(unseen="error").fit(X, y).predict(rows)
    # Rows that are impossible without smoothing have the probabilities of the classes.
    pairs = pd.DataFrame({"a": [0, 1] * 20, "b": [0, 1] * 20})
    exact = classifier(ess=0.0, structure="augmented").fit(pairs, [0, 1] * 20)
    impossible = exact.predict_proba(pd.DataFrame({"a": [0], "b": [1]}))
    np.testing.assert_allclose(impossible, [[0.5, 0.5]])


def test_a_classifier_counts_weights_as_repeated_rows() -> None:
    table, weights = frame(150), np.random.default_rng(1).integers(0, 4, 150)
    table = table.loc[:, table[weights > 0].nunique() > 1]  # constant columns would be warned of
    X, y = table.iloc[:, 1:], table.iloc[:, 0]  # noqa: N806
    again = table.index.repeat(weights)
    found = classifier().fit(X, y, sample_weight=weights).predict_proba(X)
    expected = classifier().fit(X.loc[again], y.loc[again]).predict_proba(X)
    np.testing.assert_allclose(found, expected)


def test_a_classifier_in_a_pipeline_cross_validation_and_a_grid() -> None:
    X, y = load_iris(return_X_y=True)  # noqa: N806
    pipeline = make_pipeline(FunctionTransformer(), classifier())
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    grid = GridSearchCV(
        classifier(), {"structure": ["free", "augmented"]}, cv=2, scoring="neg_log_loss"
    )
    assert grid.fit(X, y).best_params_["structure"] in ("free", "augmented")


def test_mistakes_of_classifiers() -> None:
    X, y = load_iris(return_X_y=True)  # noqa: N806
    with pytest.raises(ForebearError, match="structure must be one of averaged, free, augmented"):
        classifier(structure="tan").fit(X, y)
    with pytest.raises(NotFittedError):
        classifier().predict(X)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        classifier().fit(X[:3], [0.0, 1.0, np.nan])
    with pytest.raises(ForebearError, match="y -> 0 is required; y -> 0 is forbidden"):
        classifier(knowledge=Knowledge(forbidden=[("y", "0")])).fit(X, y)
