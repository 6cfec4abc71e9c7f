"""forebear validate, and held-out rows in forebear learn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from results import random_dag, result_of

from forebear import Result, Trial, Validation, fit_network, read_fitted, simulate
from forebear.cli import main
from forebear.cli._support.summary import summary
from forebear.data.writing import write_table
from forebear.learning.trying import Trials

QUICK = ["--generations", "2", "--seed", "1"]


@pytest.fixture(autouse=True)
def _table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    write_table(simulate(8, 300, max_parents=2, seed=4).data, "table.csv")


def test_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["validate", "table.csv", "--folds", "2", "--score", "bic", "--score", "bdeu:5"]
    assert main([*command, *QUICK, "-o", "trials.csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "held", "out", "(s.e.)", "behind", "(s.e.)", "arcs", "smoothing",
    ]  # fmt: skip
    assert any(line.startswith("bdeu (ess 5) ") for line in lines)
    assert lines[-1].startswith("Next: forebear learn table.csv --score b")
    assert Path("trials.csv").read_text().startswith("score,max_parents,smoothing,held_out")
    assert main([*command, *QUICK, "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_the_next_command_has_the_options_of_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--drop", "X1", "--forbidden", "X2->X3"]
    assert main(["validate", "table.csv", "--folds", "2", *QUICK, *options]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("Next: forebear learn table.csv --drop X1 --forbidden 'X2->X3' --score ")


def test_figures_of_one_split_and_of_several_are_told_apart() -> None:
    def shown(splits: int) -> str:
        trial = Trial("bic", held_out=-9.5, held_out_se=0.2)
        validation = Validation((trial,), 0, rows=20, folds=splits)
        return dict(summary(result_of(random_dag(3, 1), validation=validation)))["Checked"]

    assert "-9.500 nats each (standard error 0.200)" in shown(1)
    assert "-9.500 nats each (mean of 3 splits, standard error 0.200)" in shown(3)


def test_interrupted_it_shows_how_many_folds_are_finished(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Trials, "repeat", interrupted)
    assert main(["validate", "table.csv", "--folds", "2", *QUICK, "--score", "bic"]) == 130
    shown = capsys.readouterr()
    assert "Incomplete: interrupted after 1 of 2 folds\n" in shown.out
    assert shown.err.endswith("forebear: interrupted after 1 of 2 folds\n")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "table.csv", "--folds", "2", *QUICK, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["folds"] == 2
    assert facts["rows"] == 300
    assert facts["held_out"] == max(trial["held_out"] for trial in facts["trials"])
    assert facts["held_out_se"] > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--score bog", "score must be one of"),
        ("--score bdeu:x", "--score bdeu:x: x is not a number"),
        ("--score bic:2", "the score bic has no parameter"),
        ("-o trials.txt", "trials.txt: trials are written to a .csv file"),
        ("--folds 1", "--folds must be at least 2, got 1"),
    ],
)
def test_mistakes(options: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "table.csv", *options.split()]) == 2
    assert message in capsys.readouterr().err


def test_learn_with_a_score_of_its_choice(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["learn", "table.csv", "--score", "auto", *QUICK, "-o", "found.json", "-o", "n.bif"]
    assert main([*command, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    result = Result.load("found.json")
    assert facts["held_out"] == result.held_out
    assert facts["held_out_se"] == result.held_out_se
    assert facts["validation"]["trials"]
    assert result.validation is not None
    assert facts["score_name"] == result.validation.own.score
    fitted = fit_network(result, "table.csv")
    assert read_fitted("n.bif").log_likelihood("table.csv") == pytest.approx(
        fitted.log_likelihood("table.csv")
    )
    assert main(command) == 0
    shown = capsys.readouterr()
    assert "Checked  held-out rows have -" in shown.out
    assert "nats per row of the first split: bic" in shown.err


def test_auto_chooses_parameters_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "table.csv", "--score", "auto", "--ess", "5"]) == 2
    assert "--score auto chooses the parameters, too: leave --ess out" in capsys.readouterr().err
    assert main(["learn", "table.csv", "--holdout", "0"]) == 2
    assert "--holdout must be above 0 and below 1, got 0" in capsys.readouterr().err
