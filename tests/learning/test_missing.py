"""Learning from tables with missing values, in every way."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from naive_gaps import random_gaps
from waiting import PATIENCE

from forebear import (
    Dataset,
    ForebearError,
    ForebearWarning,
    LimitError,
    Network,
    ReadOptions,
    Result,
    Watcher,
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
from forebear.learning import structural_em
from forebear.learning.pipeline import learn_once
from forebear.network.tables import MOST_CELLS

if TYPE_CHECKING:
    from pathlib import Path

WAYS = ("available", "em")


@pytest.fixture(scope="module")
def simulated() -> Dataset:
    return simulate(8, 500, max_parents=2, seed=3).data


@pytest.mark.parametrize("way", WAYS)
def test_the_result_says_what_was_done(simulated: Dataset, way: str, tmp_path: Path) -> None:
    result = learn(random_gaps(simulated, 0.2, way), generations=3, seed=1)
    assert result.missing is not None
    assert result.missing["way"] == way
    assert result.missing["share"] == pytest.approx(0.2, abs=0.02)
    assert result.missing["done"].startswith("21 % of the values are missing: ")
    assert "score of the" in result.covers
    assert result.missing["done"] in result._repr_html_()
    assert result.missing["done"] in repr(result)
    result.save(tmp_path / "result.json")
    again = Result.load(tmp_path / "result.json")
    assert again.missing == result.missing
    assert again.covers == result.covers


def test_complete_tables_say_nothing(simulated: Dataset) -> None:
    result = learn(replace(simulated, missing="em"), generations=3, seed=1)
    assert result.missing is None
    assert result.score == learn(simulated, generations=3, seed=1).score


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [8, 22])
def test_the_same_seed_gives_the_same_network(way: str, n: int) -> None:
    data = random_gaps(simulate(n, 300, max_parents=2, seed=3).data, 0.2, way)
    one, two = (learn(data, generations=2, seed=1, threads=threads) for threads in (1, 2))
    assert one.network == two.network
    assert one.score == two.score


@pytest.mark.parametrize("score", ["bdeu", "bic", "fnml", "mit"])
def test_the_score_is_that_of_the_table(simulated: Dataset, score: str) -> None:
    data = random_gaps(simulated, 0.3)
    result = learn(data, score=score, generations=3, seed=1)
    assert score_network(result.network, data, score) == pytest.approx(result.score, rel=1e-12)
    assert result.status == "optimal"


def test_most_arcs_are_found_where_dropping_rows_finds_few() -> None:
    true = simulate(10, 2_000, max_parents=2, seed=5)
    holes = random_gaps(true.data, 0.2)
    kept = np.flatnonzero(~holes.gaps.any(axis=0))
    assert len(kept) < 300
    links = {frozenset(arc) for arc in true.network.network.arcs}

    def found(data: Dataset) -> int:
        network = learn(data, generations=5, seed=1).network
        return len(links & {frozenset(arc) for arc in network.arcs})

    dropped = found(true.data.take(kept))
    for way in WAYS:
        assert found(replace(holes, missing=way)) > dropped  # type: ignore[arg-type]


def few_rows_of_many_states() -> Dataset:
    """Make 90 rows of 12 noisy copies of a number with 20 states, and a few gaps."""
    rng = np.random.default_rng(3)
    size = rng.integers(0, 20, 90)
    codes = np.array([(size + rng.integers(0, 2, 90)) % 20 for _ in range(12)])
    codes[2, rng.choice(90, 11, False)] = 20
    states = tuple(f"{k:02}" for k in range(20))
    return Dataset(codes, tuple(f"x{v}" for v in range(12)), (states,) * 12, missing="em")


class Rounds(Watcher):
    """Notes the criterion and the network of the first search and of every round."""

    def __init__(self) -> None:
        self.criteria: list[float] = []
        self.networks: list[Network] = []

    def expected(self, round_: int, criterion: float, result: Result) -> None:
        assert round_ == len(self.criteria)
        self.networks.append(result.network)
        self.criteria.append(criterion)


class TestEM:
    @pytest.mark.parametrize("share", [0.02, 0.4])
    def test_the_best_of_all_that_was_shown_is_kept(self, simulated: Dataset, share: float) -> None:
        watcher = Rounds()
        data = random_gaps(simulated, share, "em")
        result = learn(data, generations=3, seed=1, watcher=watcher)
        assert result.missing is not None
        first, *rounds = watcher.criteria
        assert 1 <= len(rounds) == result.missing["rounds"] <= 5
        assert result.missing["observed_score"] == max(watcher.criteria)
        none_better = "em found no better network" in str(result.missing["done"])
        assert none_better == (first >= max(rounds))

    def test_it_keeps_to_the_time_limit(self) -> None:
        data = random_gaps(simulate(30, 2_000, seed=1).data, 0.3, "em")
        result = learn(data, time_limit=1, seed=1)
        assert result.seconds < PATIENCE
        assert result.missing is not None

    def test_little_time_still_gives_a_network(self) -> None:
        data = random_gaps(simulate(12, 2_000, seed=1).data, 0.3, "em")
        assert learn(data, time_limit=0.5, seed=1).network.n_variables == 12

    def test_it_runs_where_a_family_has_more_cells_than_memory_holds(self) -> None:
        """Few rows of many states, as in tables of cars: one variable gets many parents."""
        data = few_rows_of_many_states()
        watcher = Rounds()
        result = learn(data, generations=3, seed=1, watcher=watcher)
        assert result.missing is not None
        assert result.missing["rounds"] >= 1
        assert len(watcher.criteria) == result.missing["rounds"] + 1
        parents = watcher.networks[0].parents
        cells = [
            math.prod(int(data.arities[u]) for u in (*own, v)) for v, own in enumerate(parents)
        ]
        assert max(cells) > MOST_CELLS

    @pytest.mark.parametrize(
        ("error", "reason"),
        [
            (TimeoutError(), "the time limit was reached"),
            (LimitError("completing the rows takes 9 TB"), "completing the rows takes 9 TB"),
            (KeyboardInterrupt(), "the run was interrupted"),
        ],
    )
    def test_the_reason_is_shown_where_it_does_not_run(
        self,
        simulated: Dataset,
        monkeypatch: pytest.MonkeyPatch,
        error: BaseException,
        reason: str,
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(structural_em, "expect", fail)
        data = random_gaps(simulated, 0.2, "em")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ForebearWarning)
            result = learn(data, generations=2, seed=1)
        assert result.missing is not None
        assert result.missing["done"].endswith(
            f"; no network was learnt from completed rows: {reason}"
        )
        assert (result.stop_reason == "interrupted") == isinstance(error, KeyboardInterrupt)

    def test_no_round_follows_an_interrupted_search(
        self, simulated: Dataset, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        searches = []

        def interrupted(*arguments: Any) -> Result:
            searches.append(learn_once(*arguments))
            return replace(searches[-1], stop_reason="interrupted")

        monkeypatch.setattr(structural_em, "learn_once", interrupted)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ForebearWarning)
            result = learn(random_gaps(simulated, 0.2, "em"), generations=2, seed=1)
        assert len(searches) == 1
        assert result.stop_reason == "interrupted"

    def test_it_cannot_be_resumed(self, simulated: Dataset, tmp_path: Path) -> None:
        data = random_gaps(simulated, 0.2, "em")
        with pytest.raises(ForebearError, match='missing="em" searches several times'):
            learn(data, generations=2, checkpoint=tmp_path / "c")

    def test_parameters_come_from_the_completed_rows(self, simulated: Dataset) -> None:
        data = random_gaps(simulated, 0.4, "em")
        result = learn(data, generations=3, seed=1)
        fitted = result.network.fit(data)
        assert math.isfinite(fitted.log_likelihoods(data).sum())


@pytest.mark.parametrize("way", WAYS)
def test_validation_and_bootstrap_take_gaps(simulated: Dataset, way: str) -> None:
    data = random_gaps(simulated, 0.2, way)
    found = validate(data, scores=["bic"], folds=2, generations=1, seed=1)
    # Only observed values are predicted: more nats per row than for complete rows.
    whole = validate(simulated, scores=["bic"], folds=2, generations=1, seed=1)
    assert found.best.held_out > whole.best.held_out
    averages = bootstrap_averages(data, replicates=2, generations=1, seed=1)
    assert averages.names == data.names


def test_sets_grow_from_the_same_table(tmp_path: Path) -> None:
    data = random_gaps(simulate(22, 300, max_parents=3, seed=3).data, 0.2)
    sets = score_parent_sets(data, max_parents=1, path=tmp_path / "s.cps")
    grown = find_network(sets, data=data, generations=3, seed=1)
    assert grown.missing == {**(grown.missing or {}), "way": "available"}
    assert score_network(grown.network, data) == pytest.approx(grown.score, rel=1e-12)
    other = as_dataset(data.to_frame(), missing="state")
    with pytest.raises(ForebearError, match="is not the table that the parent sets come from"):
        find_network(sets, data=other, generations=1, seed=1)


def test_a_search_with_gaps_is_resumed(tmp_path: Path) -> None:
    data = random_gaps(simulate(22, 300, max_parents=3, seed=3).data, 0.2)
    learn(data, generations=2, seed=1, checkpoint=tmp_path / "c", cache=tmp_path)
    again = resume_search(tmp_path / "c", time_limit=1)
    assert score_network(again.network, data) == pytest.approx(again.score, rel=1e-12)


def test_the_cache_tells_the_ways_apart(simulated: Dataset, tmp_path: Path) -> None:
    holes = random_gaps(simulated, 0.2)
    other = as_dataset(holes.to_frame(), missing="state")
    for data in (holes, other, holes):
        learn(data, generations=1, seed=1, cache=tmp_path)
    assert len(list(tmp_path.glob("*.cps"))) == 2


def test_ways_are_read_options(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [0, 1, None, 1] * 9, "b": [1, 0, 0, None] * 9})
    frame.write_csv(tmp_path / "t.csv")
    read = ReadOptions(missing="available")
    result = learn(tmp_path / "t.csv", read=read, generations=1, seed=1, cache=False)
    assert result.missing is not None
    assert result.missing["share"] == 0.25
