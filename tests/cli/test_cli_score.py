"""forebear score: what people type, what they see, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from waiting import PATIENCE

from forebear import find_network, simulate
from forebear._util.errors import TimeLimitError
from forebear.cli import main
from forebear.data.examples import example_path
from forebear.data.writing import write_table
from forebear.network.formats.bif import read_bif
from forebear.parentsets.collection import ParentSets
from forebear.scoring.dispatch import score_job

if TYPE_CHECKING:
    from forebear.scoring.job import Job

FOREBEAR = [sys.executable, "-m", "forebear"]


def run(command: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*FOREBEAR, *command.split()], input=given, capture_output=True, text=True, check=False
    )


def files() -> list[str]:
    """Everything in the folder, hidden or not."""
    return sorted(path.name for path in Path().iterdir())


def test_example(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["score", "example:orchard", "-o", "o.cps"]) == 0
    out, err = capsys.readouterr()
    assert re.fullmatch(
        r"18 variables, 2,000 rows: 15,012 families to score on \d+ threads?, "
        r"at most [\d.]+ [MG]B of memory beside the table\n",
        err,
    )
    sets = ParentSets.load(tmp_path / "o.cps")
    assert f"{len(sets):,} of 15,012 parent sets kept in " in out
    assert out.endswith("Next: forebear search o.cps -o o.json\n")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "example:orchard", "-o", "o.cps", "--threads", "1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["variables"] == 18
    assert facts["rows"] == 2000
    assert facts["families_scored"] == 15_012
    assert facts["parent_sets"] == len(ParentSets.load("o.cps"))
    assert facts["threads"] == 1
    assert facts["seconds"] > 0
    assert facts["peak_bytes"] > 1_000_000


LIMITED = "score wide.csv -o w.cps --max-parents 2 --time-limit 60"


@pytest.fixture
def cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time be over when sets of one parent are scored."""
    write_table(simulate(200, 20, states=(2, 2), seed=1).data, "wide.csv")

    def score(job: Job, **where: object) -> ParentSets:
        if job.max_parents > 1:
            raise TimeLimitError("slow")
        return score_job(job, **where)  # type: ignore[arg-type]

    monkeypatch.setattr("forebear.scoring.in_time.score_job", score)


@pytest.mark.usefixtures("cut_short")
def test_a_time_limit_that_ends_scoring(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(LIMITED.split()) == 0
    out, err = capsys.readouterr()
    assert out.startswith(
        "The time limit ended the scoring of larger sets: all sets have up to 1 parent\n"
    )
    assert "of 40,000 parent sets kept in " in out
    assert err.endswith(
        "forebear: warning: the time limit ended the scoring of larger sets: these are all of up "
        "to 1 parent; to score more, increase --time-limit\n"
    )
    sets = ParentSets.load("w.cps")
    assert (sets.provenance["max_parents"], sets.provenance["families"]) == (1, 40_000)
    covers = find_network(sets, generations=1, seed=1, certify=False).covers
    assert covers.endswith("at most 1 parent (the time limit ended the scoring of larger sets)")


@pytest.mark.usefixtures("cut_short")
def test_json_of_what_was_cut_short(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*LIMITED.split(), "--json", "-q"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["max_parents"], facts["cut_short"]) == (1, True)


def test_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "example:orchard", "-o", "o.cps", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["o.jkl", "o.jkl.gz"])
def test_other_formats(name: str) -> None:
    assert main(["score", "example:orchard", "-o", "o.cps", "-q"]) == 0
    assert main(["score", "example:orchard", "-o", name, "-q"]) == 0
    assert (ParentSets.load(name).scores == ParentSets.load("o.cps").scores).all()


def test_settings_reach_the_scoring() -> None:
    options = "--score bds --ess 5 --max-parents 2 --max-sets-per-variable 4"
    assert main(f"score example:orchard -o o.cps -q {options}".split()) == 0
    sets = ParentSets.load("o.cps")
    assert sets.provenance["score"] == "bds"
    assert sets.provenance["parameters"] == {"ess": 5.0}
    assert sets.max_parents == 2
    assert sets.counts.max() == 4


def test_constraints(tmp_path: Path) -> None:
    names = read_bif(example_path("orchard.bif")).network.names
    a, b, c = names[:3]
    (tmp_path / "tiers.txt").write_text(f"{a}, {b}\n\n{', '.join(names[3:])}\n")
    assert main(["score", "example:orchard", "-o", "o.cps", "-q", "--tiers", "tiers.txt",
                 "--forbid", f"{a}->{c}", "--require", f"{b} -> {c}"]) == 0  # fmt: skip
    sets = ParentSets.load("o.cps")
    for ranked in sets.of(c):
        assert 0 not in ranked.parents
        assert 1 in ranked.parents or ranked.score == -np.inf
    assert all(set(ranked.parents) <= {1, 2} for ranked in sets.of(a))


def test_standard_input() -> None:
    table = "a,b\n" + "x,0\ny,1\n" * 20
    done = run("score - -o o.cps --json", given=table)
    assert done.returncode == 0
    assert json.loads(done.stdout)["rows"] == 40


def test_reading_options(tmp_path: Path) -> None:
    numbers = pl.DataFrame({"a": [0.5, 1.5, None, 3.5] * 9, "b": [0, 1, 1, 0] * 9})
    numbers.write_csv(tmp_path / "n.csv", include_header=False)
    command = "score n.csv -o o.cps -q --no-header --discretize uniform --bins 3"
    assert main([*command.split(), "--missing", "state"]) == 0
    sets = ParentSets.load("o.cps")
    assert sets.names == ("0", "1")
    assert sets.provenance["arities"] == [4, 2]


def test_warnings_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("a,b\n0,1\n1,1\n")
    assert main(["score", "t.csv", "-o", "o.cps", "-q"]) == 0
    assert capsys.readouterr().err == "forebear: warning: 1 column has only one state (b)\n"


@pytest.mark.slow
def test_interrupt_leaves_no_file(tmp_path: Path) -> None:
    main(["simulate", "--variables", "60", "--rows", "20000", "-o", "big.parquet", "-q"])
    before = files()
    command = "score big.parquet -o big.cps --max-parents 5 --threads 1"
    process = subprocess.Popen(
        [*FOREBEAR, *command.split()], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    # Suspicions about columns come before it.
    assert any("families to score" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert (out, err) == ("", "forebear: interrupted\n")
    assert files() == before


@pytest.mark.slow
def test_progress_on_a_terminal() -> None:
    main(["simulate", "--variables", "40", "--rows", "5000", "-o", "t.parquet", "-q"])
    terminal, its_end = os.openpty()
    command = "score t.parquet -o t.cps --max-parents 4 --threads 1"
    process = subprocess.Popen(
        [*FOREBEAR, *command.split()], stderr=its_end, stdout=subprocess.DEVNULL
    )
    os.close(its_end)
    shown = ""
    with suppress(OSError):  # how a terminal says that nobody writes to it any more
        while piece := os.read(terminal, 4096):
            shown += piece.decode()
    os.close(terminal)
    assert process.wait() == 0
    assert "of 3,686,840 families" in shown
    assert re.search(r"\d+%", shown)
    assert "left" in shown


def test_failure_keeps_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "o.cps").write_text("old")
    done = run("score example:orchard -o o.cps --max-memory 1MB")
    assert done.returncode == 2
    assert done.stderr.startswith("forebear: the limit of 1 MB leaves no memory")
    assert (tmp_path / "o.cps").read_text() == "old"
    assert files() == ["o.cps"]
