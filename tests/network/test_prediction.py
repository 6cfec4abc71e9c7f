"""Predictions of a variable for the rows of a table, against queries one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_inference import joint_table, networks_to_ask, posterior
from naive_missing import random_missing

from forebear import (
    DataError,
    FittedNetwork,
    ForebearError,
    ForebearWarning,
    LimitError,
    Network,
    ReadOptions,
    simulate,
)
from forebear.network.prediction import predict_rows


@settings(max_examples=60)
@given(networks_to_ask(), st.integers(0, 10**6), st.floats(0, 1), st.data())
def test_predictions_equal_the_joint_table(
    fitted: FittedNetwork, seed: int, share: float, data: st.DataObject
) -> None:
    target = data.draw(st.integers(0, fitted.n_variables - 1))
    rows = random_missing(fitted.sample(12, seed=seed), share, seed=seed)
    labels, probabilities = fitted.predict(rows, target, probabilities=True)
    joint = joint_table(fitted)
    for row, label, found in zip(rows.codes.T, labels, probabilities, strict=True):
        evidence = {
            v: int(code)
            for v, code in enumerate(row)
            if v != target and code < len(fitted.states[v])
        }
        cells = posterior(joint, [target], evidence)
        assert found == pytest.approx(cells / cells.sum(), abs=1e-12)
        assert found[fitted.states[target].index(label)] == found.max()
    assert (fitted.predict(rows, target) == labels).all()


def test_few_rows_at_once_give_the_same() -> None:
    fitted, data = simulate(10, 200, seed=2)
    rows = random_missing(data, 0.3, seed=4)
    whole = fitted.predict(rows, 5, probabilities=True).probabilities
    one_by_one = predict_rows(fitted, rows, 5, None, cells_at_once=1)
    assert one_by_one.probabilities == pytest.approx(whole)


def test_a_dense_network_predicts_from_complete_rows() -> None:
    rng = np.random.default_rng(2)
    n = 60
    parents = tuple(tuple(rng.choice(v, min(v, 8), replace=False).tolist()) for v in range(n))
    network = Network(tuple(f"v{v}" for v in range(n)), parents)
    tables = tuple(rng.dirichlet([1, 1], size=(2,) * len(own)) for own in network.parents)
    fitted = FittedNetwork(network, (("a", "b"),) * n, tables)
    rows = fitted.sample(50, seed=1)
    assert len(fitted.predict(rows, 20)) == 50
    few = rows.select([58, 59])
    with (
        pytest.warns(ForebearWarning, match="57 variables of the network are not in the table"),
        pytest.raises(LimitError, match="exact inference in this network requires tables of "),
    ):
        fitted.predict(few, 20)


def small() -> FittedNetwork:
    network = Network.from_arcs(["rain", "wet", "age"], [("rain", "wet"), ("wet", "age")])
    tables: Any = (
        [0.8, 0.2],
        [[0.9, 0.1], [0.0, 1.0]],
        [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]],
    )
    states = (("0", "1"), ("false", "true"), ("up_to_18", "from_18_to_65.5", "above_65.5"))
    return FittedNetwork(network, states, tables)


ROWS = {
    "rain": [0, 1, None, None],
    "wet": [True, None, None, False],
    "age": [18.0, 30.0, 80.0, None],
    "other": ["x", "y", "z", "z"],
}
EXPECTED = [
    0.8 * 0.1 / (0.8 * 0.1 + 0.2),  # P(rain=0 | wet)
    0.8 * (0.9 * 0.2 + 0.1 * 0.5) / (0.8 * (0.9 * 0.2 + 0.1 * 0.5) + 0.2 * 0.5),
]


def test_values_that_are_missing_and_columns_of_others_are_not_used() -> None:
    with pytest.warns(ForebearWarning, match="1 column of the table is not in the network"):
        labels, probabilities = small().predict(pl.DataFrame(ROWS), "rain", probabilities=True)
    assert labels.tolist() == ["1", "0", "0", "0"]
    # The column of the target is not used.
    assert probabilities[0, 0] == pytest.approx(EXPECTED[0])
    assert probabilities[2, 0] == pytest.approx(EXPECTED[1])
    assert probabilities[3, 0] == 1.0
    with pytest.warns(ForebearWarning, match=r"treated as missing \(age\)$"):
        found = small().predict(pl.DataFrame({"wet": [None]}), "rain", probabilities=True)
    assert found.probabilities[:, 1] == pytest.approx([0.2])


def test_names_that_do_not_match_are_listed() -> None:
    read = ReadOptions(drop=["id"])
    frame = pl.DataFrame({"id": [1], "Wett": [True], "age": [20.0]})
    with pytest.warns(ForebearWarning) as caught:
        small().predict(frame, "rain", read=read)
    assert [str(one.message) for one in caught] == [
        '1 column of the table is not in the network and ignored (Wett: did you mean "wet"?); '
        "1 variable of the network is not in the table and treated as missing (wet)"
    ]
    assert caught[0].filename == __file__
    # Nothing is amiss where only the column to predict is absent, or where it is present.
    complete = pl.DataFrame({"wet": [True], "age": [20.0]})
    expected = small().predict(complete, "rain")
    assert (small().predict(complete.with_columns(rain=0), "rain") == expected).all()


def test_impossible_rows_are_listed() -> None:
    network = Network.from_arcs(["a", "b", "c"], [("a", "b"), ("c", "b")])
    table: Any = np.array([[[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [0.5, 0.5]]])
    even: Any = [0.5, 0.5]
    fitted = FittedNetwork(network, (("n", "y"),) * 3, (even, table, even))
    frame = pl.DataFrame({"a": ["n", "y"], "b": ["y", "y"]})
    with pytest.warns(ForebearWarning) as caught:
        labels, probabilities = fitted.predict(frame, "c", probabilities=True)
    assert str(caught[0].message) == (
        "1 row has the probability 0 in this network, so nothing is predicted for it: 1, "
        "counted from 1"
    )
    assert caught[0].filename == __file__
    assert labels.tolist() == [None, "n"]
    assert np.isnan(probabilities[0]).all()
    assert probabilities[1] == pytest.approx([2 / 3, 1 / 3])
    # Rain without wet is impossible, but the age depends on wet alone.
    frame = pl.DataFrame({"rain": [1, 0], "wet": [False, False]})
    assert small().predict(frame, "age").tolist() == ["up_to_18", "up_to_18"]


@pytest.mark.parametrize(
    ("table", "target", "error", "message"),
    [
        (
            pl.DataFrame({"x": [1]}),
            "rain",
            DataError,
            "the table has none of the variables of the network: ",
        ),
        (pl.DataFrame({"wet": ["?"]}), "rain", DataError, "which is none of its states"),
        (pl.DataFrame({"wet": [True]}), "rian", ForebearError, 'did you mean "rain"?'),
    ],
)
def test_mistakes_are_rejected(table: Any, target: str, error: Any, message: str) -> None:
    with pytest.raises(error) as caught:
        small().predict(table, target)
    assert message in str(caught.value)
