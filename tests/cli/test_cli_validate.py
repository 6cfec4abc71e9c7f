"""forebear validate, and held-out rows in forebear learn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from results import random_dag, result_of

from forebear import Result, Trial, Validation, simulate
from forebear.cli import main
from forebear.data.writing import write_table
from forebear.learning.learn_table import learn_table
from forebear.result.summary import summary

QUICK = ["--generations", "2", "--seed", "1"]


@pytest.fixture(autouse=True)
def _table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    write_table(simulate(8, 300, max_parents=2, seed=4).data, "table.csv")


def test_summary(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["validate", "table.csv", "--folds", "2", "--score", "bic", "--score", "bdeu:5"]
    assert main([*command, *QUICK, "-o", "trials.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "held", "out", "(s.e.)", "behind", "(s.e.)", "arcs", "smoothing",
    ]  # fmt: skip
    assert any(line.startswith("bdeu (ess 5) ") for line in lines)
    assert lines[-1].startswith("Best options for forebear learn: --score b")
    assert Path("trials.csv").read_text().startswith("score,max_parents,smoothing,held_out")
    assert main([*command, *QUICK, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["folds"], facts["rows"]) == (2, 300)
    assert facts["held_out"] == max(trial["held_out"] for trial in facts["trials"])


def test_the_number_of_splits_is_shown() -> None:
    def shown(splits: int) -> str:
        trial = Trial("bic", held_out=-9.5, held_out_se=0.2)
        validation = Validation((trial,), 0, rows=20, folds=splits)
        return dict(summary(result_of(random_dag(3, 1), validation=validation)))["Held out"]

    assert "log-likelihood per row -9.500 (s.e. 0.200)" in shown(1)
    assert "log-likelihood per row -9.500 over 3 splits (s.e. 0.200)" in shown(3)


def test_an_interrupt_keeps_the_finished_folds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Result] = []

    def interrupted(*arguments: Any) -> Result:
        if done:
            raise KeyboardInterrupt
        done.append(learn_table(*arguments))
        return done[0]

    monkeypatch.setattr("forebear.learning.trials.learn_table", interrupted)
    assert main(["validate", "table.csv", "--folds", "2", *QUICK, "--score", "bic"]) == 130
    shown = capsys.readouterr()
    assert "Incomplete: interrupted after 1 of 2 folds\n" in shown.out
    assert shown.err.endswith("forebear: interrupted after 1 of 2 folds\n")
