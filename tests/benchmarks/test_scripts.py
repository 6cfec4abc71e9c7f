"""Every benchmark is listed and shows its options; those on the paper's data run."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest
from common.paper import Case, reached, search_best_known

from forebear import ParentSets, find_network, score_parent_sets, simulate

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = [*sorted(path.name for path in BENCHMARKS.glob("*.py")), "paper/reproduce.py"]


def test_the_readme_lists_every_script() -> None:
    page = (BENCHMARKS / "README.md").read_text("utf-8")
    assert sorted(re.findall(r"^\| `([\w/]+\.py)` \|", page, re.MULTILINE)) == sorted(SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_shows_its_question_and_its_options(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit, match=r"^0$"):
        runpy.run_path(str(BENCHMARKS / name), run_name="__main__")
    shown = capsys.readouterr().out
    assert f"python benchmarks/{name}" in shown
    assert "?" in shown


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    return score_parent_sets(simulate(6, 200, seed=3).data, max_parents=2)


@pytest.fixture
def case(sets: ParentSets) -> Case:
    best = find_network(sets, algorithm="exact", seed=1).score
    return Case("small", 2, best - 5, best - 1, best, 5)


def test_a_search_ends_at_the_best_known_score(case: Case, sets: ParentSets) -> None:
    result = search_best_known(case, sets, time_limit=60, threads=1, seed=1)
    assert result.score == pytest.approx(case.best_known)
    assert result.stop_reason == "target"
    assert reached(result, case.best_known) is not None
    assert reached(result, case.best_known + 1) is None
