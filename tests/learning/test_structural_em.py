"""Structural EM: the best network is kept, and the result records why the rounds ended."""

from __future__ import annotations

import math
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive_missing import random_missing
from watchers import AtFirst

from forebear import (
    Dataset,
    ForebearError,
    LimitError,
    Network,
    Result,
    Watcher,
    learn,
    simulate,
)
from forebear.learning import structural_em
from forebear.network.fit_network import MOST_CELLS


@pytest.fixture(scope="module")
def simulated() -> Dataset:
    return simulate(8, 500, max_parents=2, seed=3).data


def few_rows_of_many_states() -> Dataset:
    """Make 90 rows of 12 noisy copies of a number with 20 states, and a few missing values."""
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

    def em_round(self, round_: int, criterion: float, result: Result) -> None:
        assert round_ == len(self.criteria)
        self.networks.append(result.network)
        self.criteria.append(criterion)


@pytest.mark.parametrize("share", [0.02, 0.4])
def test_the_network_with_the_best_criterion_is_kept(simulated: Dataset, share: float) -> None:
    watcher = Rounds()
    data = random_missing(simulated, share, "em")
    result = learn(data, generations=3, seed=1, watcher=watcher)
    assert result.missing is not None
    first, *rounds = watcher.criteria
    assert 1 <= len(rounds) == result.missing["rounds"]
    assert len(rounds) == 1 or rounds[-1] <= max(watcher.criteria[:-1])
    assert result.missing["observed_score"] == max(watcher.criteria)
    none_better = "em found no better network" in str(result.missing["done"])
    assert none_better == (first >= max(rounds))
    # Parameters come from the completed rows.
    assert math.isfinite(result.network.fit(data).log_likelihoods(data).sum())


def test_a_family_with_more_cells_than_fit_in_memory() -> None:
    """Few rows of many states, as in tables of cars: one variable gets many parents."""
    data = few_rows_of_many_states()
    watcher = Rounds()
    result = learn(data, prior="uniform", generations=3, seed=1, watcher=watcher)
    assert result.missing is not None
    assert result.missing["rounds"] >= 1
    assert len(watcher.criteria) == result.missing["rounds"] + 1
    parents = watcher.networks[0].parents
    cells = [math.prod(int(data.arities[u]) for u in (*own, v)) for v, own in enumerate(parents)]
    assert max(cells) > MOST_CELLS


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TimeoutError(), "the time limit was reached"),
        (LimitError("completing the rows takes 9 TB"), "completing the rows takes 9 TB"),
        (KeyboardInterrupt(), "the run was interrupted"),
    ],
)
def test_the_result_has_the_reason_why_the_rounds_ended(
    simulated: Dataset,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    reason: str,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(structural_em, "expect", fail)
    data = random_missing(simulated, 0.2, "em")
    result = learn(data, generations=2, seed=1)
    assert result.missing is not None
    assert result.missing["done"].endswith(
        f"; no network was learned from completed rows: {reason}"
    )
    assert (result.stop_reason == "interrupted") == isinstance(error, KeyboardInterrupt)


@pytest.mark.filterwarnings("ignore:interrupted:forebear.ForebearWarning")
def test_no_round_follows_an_interrupted_search(simulated: Dataset) -> None:
    data = random_missing(simulated, 0.2, "em")
    interrupt = AtFirst(lambda: os.kill(os.getpid(), signal.SIGINT))
    result = learn(data, generations=50, seed=1, watcher=interrupt)
    assert result.stop_reason == "interrupted"
    assert result.missing is not None
    assert result.missing["rounds"] == 0


@pytest.mark.parametrize("file", ["checkpoint", "certify"])
def test_files_about_one_search_are_rejected(simulated: Dataset, file: str, tmp_path: Path) -> None:
    data = random_missing(simulated, 0.2, "em")
    files: dict[str, Any] = {file: tmp_path / "file"}
    with pytest.raises(ForebearError, match='missing="em" searches several times, so it cannot'):
        learn(data, generations=2, **files)
    assert not (tmp_path / "file").exists()
