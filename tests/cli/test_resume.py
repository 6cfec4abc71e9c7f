"""``forebear resume``: runs that ended during the scoring."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from forebear import (
    FileError,
    Result,
    resume_search,
    simulate,
)
from forebear.data.writing import write_table
from forebear.search.checkpoint import Checkpoint

FOREBEAR = [sys.executable, "-m", "forebear"]


@pytest.mark.slow
def test_a_run_that_was_killed_while_scoring(tmp_path: Path) -> None:
    write_table(simulate(10, 300, seed=1).data, tmp_path / "table.csv")
    (tmp_path / "table.toml").write_text('missing = "state"\n[columns]\nX02 = "categorical"\n')
    learn = ["learn", "table.csv", "--checkpoint", "state", "--generations", "5", "--seed", "2"]
    learn += ["--schema", "table.toml", "--drop", "X10", "--ordered", "X01"]
    program = (
        "import os, sys; from forebear.cli import main; from forebear.learning import "
        "searchable_sets as sets; sets.score_in_time = lambda *_, **__: os._exit(9); "
        "main(sys.argv[1:])"
    )
    cut = subprocess.run([sys.executable, "-c", program, *learn], cwd=tmp_path, check=False)
    assert cut.returncode == 9
    with pytest.raises(FileError, match="had not started its search"):
        resume_search(tmp_path / "state")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    command = [*FOREBEAR, "resume", "../state", "-o", "found.json", "--quiet"]
    subprocess.run(command, cwd=folder, check=True)
    whole = [*FOREBEAR, *learn, "-o", "whole.json", "--quiet"]
    subprocess.run(whole, cwd=tmp_path, check=True)
    assert (
        Result.load(folder / "found.json").network == Result.load(tmp_path / "whole.json").network
    )
    assert Result.load(folder / "found.json").network.n_variables == 9
    assert Checkpoint.read(tmp_path / "state").chains[0] is not None
