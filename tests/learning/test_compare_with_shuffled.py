"""The check against chance: when it runs, what it counts, and what is said about it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive_missing import random_missing
from tables import random_table

from forebear import (
    Chance,
    Dataset,
    ForebearWarning,
    Knowledge,
    Result,
    bootstrap_averages,
    learn,
    simulate,
)
from forebear.learning import compare_with_shuffled as module
from forebear.learning import learn_table
from forebear.learning.compare_with_shuffled import has_few_rows
from forebear.learning.learn_table import learn_once

NOISE = random_table([2] * 60, 20)
ORDERLY = simulate(25, 250, max_parents=2, seed=1).data


def chance(data: Dataset, **options: object) -> Chance | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ForebearWarning)
        return learn(data, **{"generations": 1, "seed": 1, **options}).chance  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("variables", "rows", "few"), [(19, 10, False), (20, 189, True), (20, 190, False)]
)
def test_few_rows(variables: int, rows: int, few: bool) -> None:
    assert has_few_rows(random_table([2] * variables, rows)) == few


def test_noise_is_recognized() -> None:
    with pytest.warns(
        ForebearWarning,
        match=r"a short search finds \d+ arcs, and \d+ in a shuffled copy; most may be due to "
        r'chance; use prior="sparse"',
    ):
        result = learn(NOISE, prior="uniform", generations=1, seed=1)
    assert result.chance is not None
    assert result.chance.is_likely
    assert result.chance.generations == module.GENERATIONS
    assert "may be due to chance" in repr(result)


@pytest.mark.parametrize("prior", ["sparse", None])
def test_the_sparse_prior_leaves_few_arcs_to_chance(prior: str | None) -> None:
    plain, sparse = chance(NOISE, prior="uniform"), chance(NOISE, prior=prior)
    assert plain is not None
    assert sparse is not None
    assert sparse.shuffled_arcs < plain.shuffled_arcs / 3


def test_no_warning_where_the_table_has_structure() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ForebearWarning)
        result = learn(ORDERLY, generations=1, seed=1)
    assert result.chance is not None
    assert result.chance.arcs > 2 * result.chance.shuffled_arcs


def test_the_same_on_any_number_of_threads() -> None:
    assert chance(NOISE, threads=1) == chance(NOISE, threads=2)


def test_the_arcs_are_those_of_a_search_of_a_shuffled_table() -> None:
    """The definition: the same search, of a table whose columns are permuted one by one."""
    found = chance(NOISE)
    codes = np.random.default_rng(1).permuted(NOISE.codes, axis=1)
    options = {"generations": module.GENERATIONS, "certify": False, "seed": 1}
    arcs = []
    for table in (NOISE, replace(NOISE, codes=codes)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ForebearWarning)
            arcs.append(len(learn(table, **options).network.arcs))  # type: ignore[arg-type]
    assert found == Chance(arcs[0], arcs[1], module.GENERATIONS, 60)


def test_required_arcs_are_not_counted() -> None:
    """Without any other allowed arc, no arc is due to chance."""
    names = NOISE.names
    known = Knowledge(required=[(names[0], names[1])])
    free, bound = chance(NOISE, prior=1e-9), chance(NOISE, prior=1e-9, knowledge=known)
    assert free == bound == Chance(0, 0, module.GENERATIONS, 60)


def test_weights_count_as_repeated_rows() -> None:
    weights = np.random.default_rng(3).integers(1, 4, NOISE.n_rows)
    weighted = replace(NOISE, weights=weights)
    repeated = weighted.expanded()
    assert chance(weighted) == chance(repeated)


def test_real_weights_are_left_out() -> None:
    weighted = replace(NOISE, weights=np.full(NOISE.n_rows, 3, dtype=np.int64), copies=2)
    assert chance(weighted) is None


@pytest.mark.parametrize("way", ["em", "available"])
def test_missing_values(way: str) -> None:
    assert chance(random_missing(NOISE, 0.1, way)) is not None


def test_many_columns_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_COLUMNS", 30)
    known = Knowledge(required=[(NOISE.names[0], NOISE.names[1])])
    found = chance(NOISE, knowledge=known)
    assert found is not None
    assert found.variables == 30


def test_no_report_without_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that the time limit ends is not compared."""

    def late(*args: Any) -> Result:
        return replace(learn_once(*args), stop_reason="time")

    monkeypatch.setattr(module, "learn_once", late)
    assert chance(NOISE) is None


def test_files_keep_the_numbers(tmp_path: Path) -> None:
    with pytest.warns(ForebearWarning, match="chance"):
        result = learn(NOISE, prior="uniform", generations=1, seed=1)
    result.save(tmp_path / "result.json")
    assert Result.load(tmp_path / "result.json").chance == result.chance
    result.report(tmp_path / "report.html")
    assert "in a shuffled copy" in (tmp_path / "report.html").read_text()


def test_the_replicates_of_a_bootstrap_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", ForebearWarning)
        bootstrap_averages(NOISE, replicates=1, generations=1, seed=1)


def test_an_interrupt_at_the_end_of_a_search_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(learn_table, "check_against_data", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learn(NOISE, generations=1, seed=1)
    with pytest.warns(ForebearWarning, match="interrupted"):
        result = learn(NOISE.select([0, 1, 2]), generations=1, seed=1)
    assert result.stop_reason == "interrupted"
