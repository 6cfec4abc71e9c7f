"""sample_posterior(): from tables and parent sets, against exact sums, and errors."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from watchers import AtFirst

from forebear import (
    BDeu,
    DataError,
    ForebearError,
    ForebearWarning,
    Knowledge,
    ParentSets,
    Posterior,
    ReadOptions,
    Watcher,
    exact_posterior,
    sample_posterior,
    score_parent_sets,
    simulate,
)
from forebear.data.writing import write_table

TABLE = simulate(5, 300, seed=3).data


def errors(posterior: Posterior, sets: ParentSets) -> float:
    return float(np.abs(posterior.matrix() - exact_posterior(sets).matrix()).max())


@pytest.mark.parametrize("prior", ["uniform", "sparse", 0.2])
def test_probabilities_are_close_to_exact_sums(prior: str | float, tmp_path: Path) -> None:
    path = tmp_path / "sets.cps"
    found = sample_posterior(TABLE, prior=prior, sweeps=20_000, seed=1)
    assert found.parent_sets is not None
    assert errors(found, found.parent_sets) < 0.02
    found.parent_sets.save(path)
    again = sample_posterior(path, sweeps=20_000, seed=2)
    assert errors(again, ParentSets.load(path)) < 0.02
    assert again.about["prior"] == prior
    assert found.result is not None


def test_dominated_sets_are_sampled(tmp_path: Path) -> None:
    """Two independent columns: the arc between them is rare, but not impossible."""
    rng = np.random.default_rng(1)
    table = rng.integers(0, 2, (500, 3))
    found = sample_posterior(table, prior="uniform", sweeps=5_000, seed=1)
    assert all(0.001 < found.edge(u, v) < 0.5 for u, v in ((0, 1), (0, 2), (1, 2)))


def test_a_compressed_table_is_not_taken_for_parent_sets(tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / "table.tsv.gz")
    assert sample_posterior(tmp_path / "table.tsv.gz", sweeps=10, seed=1).names == TABLE.names


def test_the_same_seed_gives_the_same_draws() -> None:
    found = [sample_posterior(TABLE, sweeps=200, seed=4, threads=t) for t in (1, 2)]
    assert found[0].draws.tolist() == found[1].draws.tolist()
    assert found[0].arcs == found[1].arcs


@pytest.mark.parametrize(
    "known",
    [
        Knowledge(
            required=[("X1", "X2")],
            forbidden=[("X3", "X4")],
            tiers=[["X1", "X3"], ["X2", "X4", "X5"]],
            max_parents={"X5": 1},
        ),
        Knowledge(before=[("X5", "X1"), ("X1", "X2")]),
        Knowledge(not_ancestors=[("X1", "X4"), ("X2", "X5")]),
        Knowledge(ancestors=[("X5", "X1")]),
        Knowledge(adjacent=[("X1", "X5")], before=[("X2", "X3")], max_parents={"X4": 1}),
    ],
)
def test_knowledge_holds_in_every_draw(known: Knowledge) -> None:
    found = sample_posterior(TABLE, knowledge=known, sweeps=500, seed=1)
    assert all(not known.violations(network) for network in found.networks())


def test_equivalent_sample_sizes_can_be_averaged(tmp_path: Path) -> None:
    found = sample_posterior(TABLE, score=BDeu(ess="auto"), sweeps=20_000, seed=1)
    assert found.parent_sets is not None
    assert errors(found, found.parent_sets) < 0.02
    assert found.about["parameters"] == {"ess": "auto"}
    for one in found.parent_sets.of("X2"):
        expected = BDeu(ess="auto", prior="sparse").local(TABLE, 1, one.parents)
        assert one.score == pytest.approx(expected, abs=1e-6)
    found.parent_sets.save(tmp_path / "sets.cps")
    again = sample_posterior(tmp_path / "sets.cps", sweeps=100, seed=1)
    assert again.about["parameters"] == {"ess": "auto"}


@pytest.mark.parametrize("limit", [{"sweeps": 400}, {"time_limit": 2.0}])
def test_progress_is_reported(limit: dict[str, Any]) -> None:
    reported: list[tuple[float, int]] = []

    class Recorder(Watcher):
        def sampling(self, fraction: float, sweeps: int) -> None:
            reported.append((fraction, sweeps))

    found = sample_posterior(TABLE, seed=1, watcher=Recorder(), **limit)
    assert reported == sorted(reported)
    assert found.about["stop_reason"] == ("sweeps" if "sweeps" in limit else "time")
    assert found.n_draws > 10
    if "sweeps" in limit:
        assert reported[-1] == (1.0, 400)


def test_pruned_sets_cause_a_warning(tmp_path: Path) -> None:
    sets = score_parent_sets(TABLE, max_parents=3)
    with pytest.warns(ForebearWarning, match="dominated sets were pruned"):
        found = sample_posterior(sets, sweeps=20_000, seed=1)
    assert errors(found, sets) < 0.02
    sets.save(tmp_path / "sets.jkl")
    with pytest.warns(ForebearWarning, match="dominated sets were pruned"):
        sample_posterior(tmp_path / "sets.jkl", sweeps=10, seed=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": "flat"}, 'prior must be "uniform", "sparse" or the probability of an arc'),
        ({"prior": 1.0}, 'prior must be "uniform", "sparse" or the probability of an arc'),
        ({"score": "mit"}, 'score="mit" is not a marginal likelihood'),
        ({"chains": 0}, "chains"),
        ({"sweeps": 0}, "sweeps"),
        ({"temperatures": 0}, "temperatures"),
        ({"margin": -1.0}, "margin"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        sample_posterior(TABLE, **options)


def test_mistakes_with_parent_sets(tmp_path: Path) -> None:
    path = tmp_path / "sets.cps"
    sampled = sample_posterior(TABLE, sweeps=10, seed=1).parent_sets
    assert sampled is not None
    sampled.save(path)
    with pytest.raises(ForebearError, match="the prior sparse"):
        sample_posterior(path, prior="uniform")
    with pytest.raises(ForebearError, match="sampled as they are: leave out max_parents"):
        sample_posterior(path, max_parents=2)
    with pytest.raises(ForebearError, match="one column"):
        sample_posterior(np.array([[1], [0]]))


def test_missing_values_are_rejected() -> None:
    frame = pl.DataFrame({"a": [0, 1, None, 1] * 9, "b": [1, 0, 0, None] * 9})
    with pytest.raises(DataError, match='missing values cannot be sampled: pass missing="drop"'):
        sample_posterior(frame, sweeps=2, seed=1)
    assert sample_posterior(frame, sweeps=20, seed=1, read=ReadOptions(missing="state")).names


def test_an_interrupt_during_the_search_ends_the_run() -> None:
    interrupt = AtFirst(lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        sample_posterior(TABLE, sweeps=10, seed=1, watcher=interrupt)
