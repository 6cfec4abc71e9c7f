"""Learning from tables with missing values, for every value of ``missing``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from naive_missing import random_missing

from forebear import (
    Dataset,
    ForebearError,
    ReadOptions,
    Result,
    as_dataset,
    bootstrap_averages,
    find_network,
    learn,
    resume_search,
    score_network,
    score_parent_sets,
    simulate,
    validate,
)

WAYS = ("available", "em")


@pytest.fixture(scope="module")
def simulated() -> Dataset:
    return simulate(8, 500, max_parents=2, seed=3).data


@pytest.mark.parametrize("way", WAYS)
def test_the_result_records_the_missing_values(
    simulated: Dataset, way: str, tmp_path: Path
) -> None:
    result = learn(random_missing(simulated, 0.2, way), generations=3, seed=1)
    assert result.missing is not None
    assert result.missing["way"] == way
    assert result.missing["share"] == pytest.approx(0.2, abs=0.02)
    assert result.missing["done"].startswith("21 % of the values missing: ")
    assert "rows" in result.covers
    assert result.missing["done"] in result._repr_html_()
    assert result.missing["done"] in repr(result)
    result.save(tmp_path / "result.json")
    again = Result.load(tmp_path / "result.json")
    assert again.missing == result.missing
    assert again.covers == result.covers


def test_results_of_complete_tables_have_no_record(simulated: Dataset) -> None:
    result = learn(replace(simulated, missing="em"), generations=3, seed=1)
    assert result.missing is None
    assert result.score == learn(simulated, generations=3, seed=1).score


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [8, 22])
def test_the_same_seed_gives_the_same_network(way: str, n: int) -> None:
    data = random_missing(simulate(n, 300, max_parents=2, seed=3).data, 0.2, way)
    one, two = (learn(data, generations=2, seed=1, threads=threads) for threads in (1, 2))
    assert one.network == two.network
    assert one.score == two.score


@pytest.mark.parametrize("score", ["bdeu", "bic", "fnml", "mit"])
def test_the_score_is_that_of_the_table(simulated: Dataset, score: str) -> None:
    data = random_missing(simulated, 0.3)
    result = learn(data, score=score, generations=3, seed=1)
    assert score_network(result.network, data, score) == pytest.approx(result.score, rel=1e-12)
    assert result.status == "optimal"


@pytest.mark.parametrize("way", WAYS)
def test_validation_and_bootstrap_accept_missing_values(simulated: Dataset, way: str) -> None:
    data = random_missing(simulated, 0.2, way)
    found = validate(data, scores=["bic"], folds=2, generations=1, seed=1)
    # Only observed values are predicted: more nats per row than for complete rows.
    whole = validate(simulated, scores=["bic"], folds=2, generations=1, seed=1)
    assert found.best.held_out > whole.best.held_out
    averages = bootstrap_averages(data, replicates=2, generations=1, seed=1)
    assert averages.names == data.names


def test_sets_grow_and_searches_are_resumed_with_missing_values(tmp_path: Path) -> None:
    data = random_missing(simulate(22, 300, max_parents=3, seed=3).data, 0.2)
    sets = score_parent_sets(data, max_parents=1, path=tmp_path / "s.cps")
    grown = find_network(sets, data=data, generations=3, seed=1)
    assert grown.missing == {**(grown.missing or {}), "way": "available"}
    learn(data, generations=2, seed=1, checkpoint=tmp_path / "c", cache=tmp_path)
    resumed = resume_search(tmp_path / "c", time_limit=1)
    for result, score in ((grown, "bdeu"), (resumed, None)):
        assert score_network(result.network, data, score) == pytest.approx(result.score, rel=1e-12)
    other = as_dataset(data.to_frame(), missing="state")
    with pytest.raises(ForebearError, match="is not the table that the parent sets were scored on"):
        find_network(sets, data=other, generations=1, seed=1)


def test_the_cache_distinguishes_the_handling_of_missing_values(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [0, 1, None, 1] * 9, "b": [1, 0, 0, None] * 9})
    for way in ("available", "state", "available"):
        read = ReadOptions(missing=way)
        result = learn(frame, read=read, generations=1, seed=1, cache=tmp_path)
    assert result.missing is not None
    assert result.missing["share"] == 0.25
    assert len(list(tmp_path.glob("*.cps"))) == 2
