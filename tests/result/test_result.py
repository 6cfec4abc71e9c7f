"""Results: scored from their parent sets, saved, read back, shown as frames."""

from __future__ import annotations

import json
import math
from pathlib import Path

import naive
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections

from forebear import (
    PSMINOBS,
    DataError,
    ParentSets,
    ReadOptions,
    Result,
    Watcher,
    as_dataset,
    find_network,
    learn,
    read_network,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear.result.fields import of_fields


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    return score_parent_sets(simulate(12, 500, max_parents=2, seed=4).data, max_parents=3)


@pytest.fixture(scope="module")
def found(sets: ParentSets) -> Result:
    return find_network(sets, generations=10, seed=1, algorithm=PSMINOBS(chains=2))


@given(parent_set_collections(required_parents=True), st.data())
def test_an_order_gives_its_best_sets(sets: ParentSets, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(sets.n_variables)))
    about = {"algorithm": "", "settings": {}, "seed": 0, "winner": 1, "stop_reason": ""}
    about |= {"seconds": 0.0, "generations": (), "trace": None, "version": ""}
    result = Result.of_order(sets, tuple(order), **about)
    expected = naive.order_parents(naive.as_lists(sets), order)
    assert [choice.score for choice in result.choices] == [score for score, _ in expected]
    assert list(result.network.parents) == [parents for _, parents in expected]


def test_round_trip(found: Result, tmp_path: Path) -> None:
    found.save(tmp_path / "result.json")
    again = Result.load(tmp_path / "result.json")
    assert again.network == found.network
    assert again.trace.improvements == found.trace.improvements
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "result.json").read_bytes()


def test_frame_and_trace(found: Result) -> None:
    frame = found.to_frame()
    assert frame["variable"].to_list() == list(found.network.names)
    assert frame["rank"].min() >= 1  # type: ignore[operator]
    assert found.trace.to_frame().columns == ["chain", "seconds", "generation", "score"]
    for chain in (1, 2):
        scores = [step.score for step in found.trace.of(chain)]
        assert scores == sorted(scores)
    assert max(step.score for step in found.trace) == pytest.approx(found.score)


def test_a_result_codes_raw_rows_as_it_was_learned(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    rows = pl.DataFrame(
        {
            "id": np.arange(300),
            "x": x,
            "y": x + 0.1 * rng.normal(size=300),
            "z": rng.choice(["a", "b"], 300),
        }
    )
    read = ReadOptions(discretize="quantile", bins=4, drop=["id"])
    train, test = rows[:200], rows[200:]
    table = as_dataset(train, read)
    result = learn(train, read=read, generations=2, seed=1, watcher=Watcher())
    fitted = result.fit(train)
    expected = result.network.fit(table)
    assert all(np.array_equal(*pair) for pair in zip(fitted.tables, expected.tables, strict=True))
    # Each new number is in the interval whose cuts enclose it, by comparison one by one.
    assert fitted.network.coding is not None
    cuts = fitted.network.coding.columns["x"].cuts
    assert cuts is not None
    codes = [sum(value > cut for cut in cuts) for value in test["x"]]
    marginal = fitted.query("x").probabilities
    alone = fitted.log_likelihoods(test.with_columns(y=pl.lit(None), z=pl.lit(None)))
    assert alone == pytest.approx(np.log(marginal[codes]))
    assert np.isfinite(fitted.log_likelihoods(test)).all()
    assert fitted.predict(test, "y").shape == (100,)
    assert score_network(result, train) == pytest.approx(result.score)
    path = tmp_path / "r.json"
    result.save(path)
    for again in (Result.load(path), read_network(path)):
        later = again.fit(train)
        assert later.log_likelihoods(test) == pytest.approx(fitted.log_likelihoods(test))
    strange = test.with_columns(z=pl.lit("c"))
    for refused in (result.fit, fitted.log_likelihoods, lambda data: score_network(result, data)):
        with pytest.raises(DataError, match="column 'z' has the value 'c'"):
            refused(strange)
    unknown = fitted.log_likelihoods(test.with_columns(z=pl.lit(None)))
    assert fitted.log_likelihoods(strange, unseen="missing") == pytest.approx(unknown)
    part = pl.concat([train, strange.head(3)])
    assert result.fit(part, unseen="missing").states == fitted.states
    assert math.isfinite(score_network(result, part, unseen="missing"))


def test_files_of_earlier_versions_have_no_coding(found: Result) -> None:
    fields = json.loads(found.to_json())
    assert fields.pop("coding") is None
    assert Result(**of_fields(fields)).network.coding is None
