"""The gap table: runs, figures, regressions, and the page of releases."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import gaps
import pytest
from common import gap_quick, gap_tables
from common.gap_runs import Run
from common.library import Instance, Problem, checksum

from forebear import ParentSets, _core, find_network, score_parent_sets, simulate

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SOURCE = Path(_core.__file__).parents[1]  # where forebear is installed, with its core


@pytest.fixture
def library(tmp_path: Path) -> tuple[list[Instance], Path]:
    """Make a table and a collection, whose optima are known."""
    folder = tmp_path / "data"
    folder.mkdir()
    drawn = simulate(6, 120, states=(2, 2), seed=4).data
    rows = "".join(",".join(map(str, row)) + "\n" for row in drawn.codes.T.tolist())
    (folder / "small.data").write_text(rows)
    sets = score_parent_sets(folder / "small.data", max_parents=2)
    best = find_network(sets, algorithm="exact", seed=1).score
    sets.save(folder / "sets.jkl")
    problem = Problem(
        "bdeu", best, "", "us", "2026-01-01", 2, bound=best, bound_by="us", generations=3
    )
    table = Instance("small", "", "small.data", "", "", 6, (problem,), rows=120)
    table = replace(table, sha256=checksum(table, rows.encode()))
    listed = replace(problem, score="published", max_parents=None, bound=best + 5.0)
    collection = Instance("sets", "", "sets.jkl", "", "", 6, (listed,))
    content = (folder / "sets.jkl").read_bytes()
    return [table, replace(collection, sha256=checksum(collection, content))], folder


def options(**changes: Any) -> Any:
    given = {"jobs": 2, "seeds": 2, "first_seed": 1, "scale": 1.0, "source": None, "json": None}
    return type("Options", (), given | changes)()


@pytest.mark.slow
def test_a_run_from_files_to_the_table(
    library: tuple[list[Instance], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    instances, folder = library
    prepared = tmp_path / "prepared"
    gaps.prepare(instances, folder, prepared)
    assert sorted(path.name for path in prepared.iterdir()) == ["sets.cps", "small.npz"]
    monkeypatch.setattr(gaps, "RESULTS", tmp_path)
    asked = options(prepared=prepared, json=tmp_path / "run.json", source=str(SOURCE))
    assert gaps.run(instances, asked) == 0
    table = json.loads((tmp_path / "run.json").read_text())["table"]
    assert table["small bdeu-2"]["at_best"] == table["sets published"]["at_best"] == 2
    assert table["small bdeu-2"]["bound_gap"] < 1e-5 < table["sets published"]["bound_gap"]
    gap_tables.record(json.loads((tmp_path / "run.json").read_text()), "0.1", tmp_path)
    assert gaps.run(instances, asked) == 0
    assert "since 0.1: nothing worse" in capsys.readouterr().out


def figures(**changes: Any) -> dict[str, Any]:
    known = Problem("bdeu", -100.0, "", "us", "2026-01-01", 3, bound=-99.0, bound_by="us")
    runs = [Run("a", 1, -100.0, 10, 1.0, (2, 0.2)), Run("a", 2, -100.01, 10, 1.0, (4, 0.4))]
    return {**gap_tables.summarize(runs, {"a": known})["a"], **changes}


def test_the_figures_of_a_problem() -> None:
    own = figures()
    assert own["gap"] == pytest.approx(5e-5)
    assert own["bound_gap"] == pytest.approx((1 / 100 + 1.01 / 100.01) / 2)
    assert (own["at_best"], own["near"], own["seeds"]) == (1, 2, 2)
    assert (own["near_generations"], own["near_seconds"]) == (3, pytest.approx(0.3))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, None),
        ({"gap": 1e-4}, "mean gap 0.0100%, was 0.0050%"),
        ({"gap": 6e-5}, None),
        ({"near": 1}, "1 seeds come near, 2 did"),
        ({"near_generations": 5.0}, "near after 5 generations, was 3"),
        ({"near_generations": 4.0}, None),
        ({"best_known": -99.0, "gap": 5e-5 + 1 / 99}, None),
        ({"seeds": 3, "gap": 1.0}, None),
    ],
)
def test_regressions(changes: dict[str, Any], message: str | None) -> None:
    before = {"release": "0.1", "table": {"a": figures()}}
    worse = gap_tables.regressions(before, {"a": figures(**changes), "new": figures(gap=1.0)})
    assert worse == ([] if message is None else [f"a: {message}"])
    assert not gap_tables.regressions(before, {"a": figures(gap=1.0)}, same=False)


def test_the_quick_form_compares_with_what_is_recorded() -> None:
    old: dict[str, Any] = {
        "t": {"sets": 5, "scores": [-100.0, -100.0], "best": -100.0},
        "instructions": {"climbs": 1000},
    }
    assert not gap_quick.compare(old, old)
    assert gap_quick.compare(old, {"t": {**old["t"], "scores": [-101.0, -100.0]}}) == [
        "t: mean gap 0.5000%, was 0.0000%"
    ]
    assert gap_quick.compare(old, {"t": {**old["t"], "sets": 6}}) == ["t: 6 parent sets, were 5"]
    slower = gap_quick.compare(old, {"instructions": {"climbs": 1200, "new": 1}})
    assert slower == ["climbs: 1,200 instructions, was 1,000"]


def test_what_is_recorded_is_what_this_version_finds() -> None:
    recorded = json.loads((BENCHMARKS / "results" / "gaps-quick.json").read_text("utf-8"))
    assert recorded["format"] == gap_quick.FORMAT
    table = gap_quick.TABLES[0]
    made = simulate(table.variables, table.rows, max_parents=3, seed=table.seed)
    sets: ParentSets = score_parent_sets(made.data, max_parents=table.max_parents, threads=1)
    own = next(iter(recorded["measured"].values()))
    assert own["sets"] == len(sets)
    found = find_network(sets, generations=table.generations, certify=False, threads=1, seed=1)
    assert found.score == pytest.approx(own["scores"][0])
