"""Every benchmark is listed and shows its options; those on the paper's data run."""

from __future__ import annotations

import argparse
import re
import runpy
import sys
from pathlib import Path
from textwrap import dedent

import published
import pytest
from common.minobs_program import run_published
from common.paper import Case, chosen_seeds, reached, search_best_known

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


def fake_minobs(path: Path) -> Path:
    """Write a program that says what the published one says."""
    body = """
        import pathlib, sys
        sets, seconds, seed, progress, option, size = sys.argv[1:]
        assert pathlib.Path(sets).read_text().startswith("6\\n")
        assert (seconds, seed, option, size) == ("2", "1", "-populationsize", "20")
        print("Time: 0.5 Generating initial population")
        print("Time: 4.5 Starting generation 1")
        print("Time: 9.0 The best score")
        steps = "100\\t99\\n0 1 2 3 4 5\\n250\\t98\\n5 4 3 2 1 0\\n"
        pathlib.Path(progress).write_text("BEST\\n" + steps)
    """
    path.write_text(f"#!{sys.executable}\n{dedent(body)}")
    path.chmod(0o755)
    return path


@pytest.mark.slow
def test_the_published_program_is_read(
    case: Case, sets: ParentSets, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = fake_minobs(tmp_path / "minobs")
    found = run_published(program, sets, tmp_path, seconds=2.0)
    assert (found.found_at, found.ended_at) == (0.25, 9.0)
    assert found.first_climbs / found.first_seconds == 5.0
    assert found.score <= case.best_known + 1e-9
    options = argparse.Namespace(
        minobs=program, cache=tmp_path, time_limit=2.0, first_seed=1, seeds=1
    )
    assert list(chosen_seeds(options)) == [1]
    published.print_comparison(case, sets, options)
    assert "climbs from random orders a second: 5.000 and" in capsys.readouterr().out
