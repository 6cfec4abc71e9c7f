"""sample_posterior: from tables and parent sets, beside the exact sums, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from forebear import (
    DataError,
    ForebearError,
    ForebearWarning,
    Knowledge,
    LimitError,
    ParentSets,
    Posterior,
    ReadOptions,
    Watcher,
    exact_posterior,
    sample_posterior,
    score_parent_sets,
    simulate,
)
from forebear.learning.searching import search_and_prove

if TYPE_CHECKING:
    from pathlib import Path

TABLE = simulate(5, 300, seed=3).data


def errors(posterior: Posterior, sets: ParentSets) -> float:
    exact = exact_posterior(sets).matrix()
    found = np.zeros_like(exact)
    for (p, v), share in posterior.arcs.items():
        found[p, v] = share
    return float(np.abs(found - exact).max())


@pytest.mark.parametrize("prior", ["uniform", "sparse", 0.2])
def test_beside_exact_sums(prior: str | float, tmp_path: Path) -> None:
    path = tmp_path / "sets.cps"
    found = sample_posterior(TABLE, prior=prior, sweeps=20_000, seed=1, save_sets=path)
    assert errors(found, ParentSets.load(path)) < 0.02
    again = sample_posterior(path, sweeps=20_000, seed=2)
    assert errors(again, ParentSets.load(path)) < 0.02
    assert again.about["prior"] == prior
    assert found.result is not None


def test_sets_that_a_subset_beats_count(tmp_path: Path) -> None:
    """Two independent columns: the arc between them is rare, but not impossible."""
    rng = np.random.default_rng(1)
    table = rng.integers(0, 2, (500, 3))
    found = sample_posterior(table, prior="uniform", sweeps=5_000, seed=1)
    assert all(0.001 < found.edge(u, v) < 0.5 for u, v in ((0, 1), (0, 2), (1, 2)))


def test_the_same_seed_gives_the_same_draws() -> None:
    found = [sample_posterior(TABLE, sweeps=200, seed=4, threads=t) for t in (1, 2)]
    assert found[0].draws.tolist() == found[1].draws.tolist()
    assert found[0].arcs == found[1].arcs


def test_a_time_limit() -> None:
    found = sample_posterior(TABLE, time_limit=2, seed=1)
    assert found.n_draws > 10
    assert found.about["stop_reason"] == "time"


def test_knowledge_holds_in_every_draw() -> None:
    known = Knowledge(
        required=[("X1", "X2")], forbidden=[("X3", "X4")], tiers=[["X1", "X3"], ["X2", "X4", "X5"]],
        max_parents={"X5": 1},
    )  # fmt: skip
    found = sample_posterior(TABLE, knowledge=known, sweeps=500, seed=1)
    assert found.arc("X1", "X2") == 1.0
    assert found.arc("X3", "X4") == 0.0
    assert all(not known.violations(network) for network in found.networks())


@pytest.mark.parametrize(
    "known",
    [
        Knowledge(before=[("X5", "X1"), ("X1", "X2")]),
        Knowledge(not_ancestors=[("X1", "X4"), ("X2", "X5")]),
        Knowledge(ancestors=[("X5", "X1")]),
        Knowledge(adjacent=[("X1", "X5")], before=[("X2", "X3")], max_parents={"X4": 1}),
    ],
)
def test_knowledge_about_paths_holds_in_every_draw(known: Knowledge) -> None:
    found = sample_posterior(TABLE, knowledge=known, sweeps=500, seed=1)
    assert all(not known.violations(network) for network in found.networks())


def test_progress_is_told() -> None:
    heard: list[tuple[float, int]] = []

    class Ear(Watcher):
        def sampling(self, fraction: float, sweeps: int) -> None:
            heard.append((fraction, sweeps))

    sample_posterior(TABLE, sweeps=400, seed=1, watcher=Ear())
    assert heard == sorted(heard)
    assert heard[-1] == (1.0, 400)


def test_sets_of_a_search_get_a_warning(tmp_path: Path) -> None:
    sets = score_parent_sets(TABLE, max_parents=3)
    with pytest.warns(ForebearWarning, match="made for a search"):
        found = sample_posterior(sets, sweeps=20_000, seed=1)
    assert errors(found, sets) < 0.02
    sets.save(tmp_path / "sets.jkl")
    with pytest.warns(ForebearWarning, match="made for a search"):
        sample_posterior(tmp_path / "sets.jkl", sweeps=10, seed=1)


def test_a_report(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    found = sample_posterior(TABLE, sweeps=3000, seed=1)
    found.report(path)
    page = path.read_text("utf-8")
    assert "Arc probabilities" in page
    assert page.count('class="rank-plot"') == 1
    assert "The chains agree" in page
    sample_posterior(TABLE, sweeps=10, seed=1).report(path)
    page = path.read_text("utf-8")
    assert "has not converged" in page
    assert '"digits":1' in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": "flat"}, 'prior must be "uniform", "sparse" or the probability of an arc'),
        ({"prior": 1.0}, 'prior must be "uniform", "sparse" or the probability of an arc'),
        ({"score": "mit"}, 'score="mit" is no probability of the data'),
        ({"chains": 0}, "chains"),
        ({"sweeps": 0}, "sweeps"),
        ({"temperatures": 0}, "temperatures"),
        ({"margin": -1.0}, "margin"),
        ({"save_sets": "sets.txt"}, r"must be a \.cps file"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        sample_posterior(TABLE, **options)


def test_mistakes_with_parent_sets(tmp_path: Path) -> None:
    path = tmp_path / "sets.cps"
    sample_posterior(TABLE, sweeps=10, seed=1, save_sets=path)
    with pytest.raises(ForebearError, match="contain the prior sparse"):
        sample_posterior(path, prior="uniform")
    with pytest.raises(ForebearError, match="sampled as they are: leave max_parents out"):
        sample_posterior(path, max_parents=2)
    with pytest.raises(ForebearError, match="must be ParentSets"):
        exact_posterior(TABLE)  # type: ignore[arg-type]
    large = score_parent_sets(simulate(21, 50, seed=1).data, max_parents=1)
    with pytest.raises(LimitError, match="up to 20 variables"):
        exact_posterior(large)
    with pytest.raises(LimitError, match="did not end within"):
        exact_posterior(ParentSets.load(path), time_limit=1e-9)
    with pytest.raises(ForebearError, match="one column"):
        sample_posterior(np.array([[1], [0]]))


def test_gaps_are_refused() -> None:
    frame = pl.DataFrame({"a": [0, 1, None, 1] * 9, "b": [1, 0, 0, None] * 9})
    with pytest.raises(DataError, match='missing values cannot be sampled: pass missing="drop"'):
        sample_posterior(frame, sweeps=2, seed=1)
    assert sample_posterior(frame, sweeps=20, seed=1, read=ReadOptions(missing="state")).names


def test_ctrl_c_while_searching_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = search_and_prove
    monkeypatch.setattr(
        "forebear.learning.posterior.search_and_prove",
        lambda *args, **kwargs: replace(usual(*args, **kwargs), stop_reason="interrupted"),
    )
    with pytest.raises(KeyboardInterrupt):
        sample_posterior(TABLE, sweeps=10, seed=1)
