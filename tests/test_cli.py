"""The command line: what people type, what they see, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from forebear import __version__
from forebear.cli import main
from forebear.cli.app import app
from forebear.cli.wording import in_options
from forebear.data import Dataset
from forebear.examples import example_path
from forebear.formats.bif import read_bif
from forebear.parentsets import ParentSets

FOREBEAR = [sys.executable, "-m", "forebear"]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


def refuse(capsys: pytest.CaptureFixture[str], command: str, sentence: str) -> None:
    """The command ends with exit code 2 and this one sentence, and leaves no file."""
    before = files()
    assert main(command.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("forebear: ")
    assert err.count("\n") == 1
    assert sentence in err
    assert files() == before


def run(command: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*FOREBEAR, *command.split()], input=given, capture_output=True, text=True, check=False
    )


def files() -> list[str]:
    """Everything in the folder, hidden or not."""
    return sorted(path.name for path in Path().iterdir())


class TestHelp:
    def test_help_fits_a_screen_and_shows_an_example(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["--help"]) == 0
        shown = capsys.readouterr().out
        assert len(shown.splitlines()) <= 30
        assert "forebear score example:orchard" in shown
        assert main([]) == 0
        assert capsys.readouterr().out == shown

    def test_version(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--version"]) == 0
        assert capsys.readouterr().out == f"forebear {__version__}\n"

    @pytest.mark.parametrize(
        ("command", "options"),
        [
            (
                "score",
                "--output -o --score --ess --alpha --max-parents --threads --seconds --max-memory "
                "--max-sets-per-variable --missing --discretize --bins --header --no-header "
                "--forbid --require --tiers --ids --json --quiet",
            ),
            ("info", "--json --header"),
            ("convert", "--ids --missing --discretize --bins --header --quiet"),
            ("simulate", "--variables --rows --max-parents --states --seed --network --from -o"),
        ],
    )
    def test_every_option_and_an_example(self, command: str, options: str) -> None:
        shown = CliRunner().invoke(app, [command, "--help"]).output
        assert f"forebear {command} " in shown.partition("Examples:")[2]
        for option in options.split():
            assert re.search(rf"{option}\b", shown), option


class TestScore:
    def test_example(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        assert main(["score", "example:orchard", "-o", "o.cps"]) == 0
        out, err = capsys.readouterr()
        assert re.fullmatch(
            r"18 variables, 2,000 rows: 15,012 families to score by bdeu; "
            r"about \d+ MB, .* s on \d+ threads?\n",
            err,
        )
        sets = ParentSets.load(tmp_path / "o.cps")
        assert f"{len(sets):,} of 15,012 parent sets kept in " in out
        assert out.endswith("Next: forebear info o.cps\n")

    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["score", "example:orchard", "-o", "o.cps", "--threads", "1", "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["variables"] == 18
        assert facts["rows"] == 2000
        assert facts["families_scored"] == 15_012
        assert facts["parent_sets"] == len(ParentSets.load("o.cps"))
        assert facts["threads"] == 1
        assert 0 < facts["seconds"] < 60
        assert facts["peak_bytes"] > 1_000_000

    def test_quiet(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["score", "example:orchard", "-o", "o.cps", "--quiet"]) == 0
        assert capsys.readouterr() == ("", "")

    @pytest.mark.parametrize("name", ["o.jkl", "o.jkl.gz"])
    def test_other_formats(self, name: str) -> None:
        assert main(["score", "example:orchard", "-o", "o.cps", "-q"]) == 0
        assert main(["score", "example:orchard", "-o", name, "-q"]) == 0
        assert (ParentSets.load(name).scores == ParentSets.load("o.cps").scores).all()

    def test_settings_reach_the_scoring(self) -> None:
        options = "--score bds --ess 5 --max-parents 2 --max-sets-per-variable 4"
        assert main(f"score example:orchard -o o.cps -q {options}".split()) == 0
        sets = ParentSets.load("o.cps")
        assert sets.provenance["score"] == "bds"
        assert sets.provenance["parameters"] == {"ess": 5.0}
        assert sets.max_parents == 2
        assert sets.counts.max() == 4

    def test_constraints(self, tmp_path: Path) -> None:
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

    def test_standard_input(self) -> None:
        table = "a,b\n" + "x,0\ny,1\n" * 20
        done = run("score - -o o.cps --json", given=table)
        assert done.returncode == 0
        assert json.loads(done.stdout)["rows"] == 40

    def test_reading_options(self, tmp_path: Path) -> None:
        numbers = pl.DataFrame({"a": [0.5, 1.5, None, 3.5] * 9, "b": [0, 1, 1, 0] * 9})
        numbers.write_csv(tmp_path / "n.csv", include_header=False)
        command = "score n.csv -o o.cps -q --no-header --discretize uniform --bins 3"
        assert main([*command.split(), "--missing", "state"]) == 0
        sets = ParentSets.load("o.cps")
        assert sets.names == ("0", "1")
        assert sets.provenance["arities"] == [4, 2]

    def test_warnings_are_one_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "t.csv").write_text("a,b\n0,1\n1,1\n")
        assert main(["score", "t.csv", "-o", "o.cps", "-q"]) == 0
        assert capsys.readouterr().err == "forebear: warning: 1 column has only one state (b)\n"


MISTAKES = [
    ("score", "missing argument 'DATA' (see forebear score --help)"),
    ("score example:orchard", "missing option '--output' / '-o'"),
    ("scare", "no such command 'scare'"),
    ("score example:orchard -o o.cps --fast", "no such option: --fast"),
    ("score example:orchard -o o.cps --threads two", "invalid value for '--threads'"),
    ("score example:orchard -o o.cps --threads 0", "--threads must be at least 1, got 0"),
    ("score example:orchard -o o.cps --missing skip", "'skip' is not one of"),
    ("score example:vineyard -o o.cps", 'no example is called "vineyard": there is orchard'),
    ("score no.csv -o o.cps", "no.csv: there is no such file"),
    ("score no.csv -o o.txt", "o.txt: a file of parent sets is called .cps, .jkl or .jkl.gz"),
    ("score no.csv -o no/o.cps", "no/o.cps: cannot be written: there is no directory no"),
    ("score example:orchard -o o.cps --score bge", "no score is called 'bge': there are bdeu"),
    ("score example:orchard -o o.cps --score bic --ess 1", "bic has no parameter ess"),
    ("score example:orchard -o o.cps --ess 0", "--ess must be positive, got 0"),
    ("score example:orchard -o o.cps --max-parents 99", "--max-parents must be in 0..15, got 99"),
    ("score example:orchard -o o.cps --seconds 0", "--seconds must be positive, got 0"),
    ("score example:orchard -o o.cps --max-memory lots", "write for instance 8GB"),
    ("score example:orchard -o o.cps --ids", "--ids is for .jkl files, which o.cps is not"),
    ("score example:orchard -o o.cps --forbid A", '--forbid takes an arc such as "A->B"'),
    ("score example:orchard -o o.cps --require no->no", 'no variable is called "no"'),
    ("score example:orchard -o o.cps --tiers no.txt", "no.txt: cannot be read: No such file"),
    ("info no.cps", "no.cps: cannot be read: No such file"),
    ("info notes.docx", "notes.docx: the extension does not tell what it is: parent sets are .cps"),
    ("convert example:orchard o.cps", "run forebear score example:orchard -o o.cps"),
    ("convert o.cps o.csv", "o.cps holds parent sets, from which no table"),
    ("convert example:orchard.bif o.csv", "networks (.bif) are not converted"),
    ("convert example:orchard o.parquet --ids", "--ids is for .jkl files"),
    ("simulate -o d.csv", "missing option '--rows'"),
    ("simulate --rows 9 -o d.csv", "pass --variables for a random network, or --from"),
    ("simulate --rows 9 -o d.xls --variables 3", "d.xls: the extension must be one of .csv"),
    ("simulate --rows 0 -o d.csv --variables 3", "--rows must be at least 1, got 0"),
    ("simulate --rows 9 -o d.csv --variables 0", "--variables must be at least 1, got 0"),
    ("simulate --rows 9 -o d.csv --variables 3 --states 1-2", "--states must be a range within"),
    ("simulate --rows 9 -o d.csv --variables 3 --network n.txt", "n.txt: a network is written as"),
    (
        "simulate --rows 9 -o d.csv --from example:orchard.bif --variables 3 --states 2",
        "--from takes a network as it is, so --variables and --states cannot be given with it",
    ),
]


class TestMistakes:
    @pytest.mark.parametrize(("command", "sentence"), MISTAKES)
    def test_one_sentence(
        self, capsys: pytest.CaptureFixture[str], command: str, sentence: str
    ) -> None:
        refuse(capsys, command, sentence)

    def test_misspelt_variables(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "t.csv").write_text("income,age\n0,1\n1,0\n")
        (tmp_path / "tiers").write_text("age\nincom\n")
        close = 'no variable is called "incom": is it "income"?'
        refuse(capsys, "score t.csv -o o.cps --forbid incom->age", f'"incom->age": {close}')
        refuse(capsys, "score t.csv -o o.cps --tiers tiers", f"tiers:2: {close}")

    def test_names_that_do_not_fit_the_format_are_refused_before_the_work(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "t.csv").write_text("her age,b\n0,1\n1,0\n")
        refuse(capsys, "score t.csv -o o.jkl", "'her age' cannot stand in a .jkl file")
        assert main(["score", "t.csv", "-o", "o.jkl", "-q", "--ids"]) == 0

    def test_limits_speak_of_options(self, capsys: pytest.CaptureFixture[str]) -> None:
        limited = "score example:orchard -o o.cps --max-memory"
        refuse(capsys, f"{limited} 1MB", "the limit of 1 MB leaves no memory to score in")
        limited = "score example:orchard -o o.cps --max-parents 12 --threads 1 --seconds"
        refuse(capsys, f"{limited} 1", "Lower --max-parents to ")

    def test_unexpected_errors(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("forebear.cli.score.score_parent_sets", lambda *_, **__: 1 / 0)
        assert main(["score", "example:orchard", "-o", "o.cps"]) == 1
        err = capsys.readouterr().err
        assert err.startswith("forebear: this should not have happened (ZeroDivisionError: ")
        assert err.count("\n") == 1
        monkeypatch.setenv("FOREBEAR_DEBUG", "1")
        assert main(["score", "example:orchard", "-o", "o.cps"]) == 1
        assert "Traceback" in capsys.readouterr().err
        assert files() == []


class TestOtherCommands:
    def test_info_of_parent_sets(self, capsys: pytest.CaptureFixture[str]) -> None:
        main(["score", "example:orchard", "-o", "o.cps", "-q"])
        assert main(["info", "o.cps", "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["provenance"]["families"] == 15_012
        assert sum(facts["sets_by_parents"]) == facts["parent_sets"]
        assert facts["sets_per_variable"]["min"] >= 1
        assert main(["info", "o.cps"]) == 0
        shown = capsys.readouterr().out
        assert re.search(r"^families scored +15,012$", shown, re.MULTILINE)
        assert re.search(r"^score +bdeu ess 1$", shown, re.MULTILINE)

    def test_info_of_a_jkl_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        main(["score", "example:orchard", "-o", "o.jkl", "-q"])
        assert main(["info", "o.jkl"]) == 0
        assert "variables" in capsys.readouterr().out

    def test_info_of_a_table(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "t.csv").write_text("a,b,c\nx,1,0.5\nx,,1.5\nx,3,2.5\n")
        assert main(["info", "t.csv", "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["constant"] == ["a"]
        assert facts["continuous"] == ["c"]
        assert facts["missing"] == {"b": 1}
        assert facts["states"] == {"min": 1, "median": 1.5, "max": 2}
        assert main(["info", "t.csv"]) == 0
        assert "--discretize quantile" in capsys.readouterr().out

    def test_info_of_a_network(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["info", "example:orchard.bif", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["variables"] == 18

    def test_convert_parent_sets_there_and_back(self) -> None:
        main(["score", "example:orchard", "-o", "o.cps", "-q"])
        assert main(["convert", "o.cps", "o.jkl.gz", "-q"]) == 0
        assert main(["convert", "o.jkl.gz", "back.cps", "-q"]) == 0
        assert (ParentSets.load("back.cps").scores == ParentSets.load("o.cps").scores).all()
        assert main(["convert", "o.cps", "ids.jkl", "--ids"]) == 0
        assert ParentSets.load("ids.jkl").names == tuple(map(str, range(18)))

    def test_convert_tables(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["convert", "example:orchard", "o.parquet"]) == 0
        assert capsys.readouterr().out == "o.parquet: 18 variables, 2,000 rows\n"
        original = Dataset.read(example_path("orchard"))
        assert Dataset.read("o.parquet").fingerprint == original.fingerprint

    def test_simulate(self, capsys: pytest.CaptureFixture[str]) -> None:
        command = "simulate --variables 8 --rows 90 --max-parents 2 --states 3 --seed 4"
        assert main([*command.split(), "-o", "d.parquet", "--network", "n.bif"]) == 0
        assert "Next: forebear score d.parquet -o d.cps" in capsys.readouterr().out
        drawn = Dataset.read("d.parquet")
        assert drawn.arities.tolist() == [3] * 8
        assert max(map(len, read_bif("n.bif").network.parents)) <= 2
        assert (
            main(
                [
                    "simulate",
                    "--from",
                    "n.bif",
                    "--rows",
                    "90",
                    "--seed",
                    "4",
                    "-o",
                    "e.parquet",
                    "-q",
                ]
            )
            == 0
        )
        assert Dataset.read("e.parquet").fingerprint == drawn.fingerprint


class TestProcesses:
    def test_interrupt_leaves_no_file(self, tmp_path: Path) -> None:
        main(["simulate", "--variables", "60", "--rows", "20000", "-o", "big.parquet", "-q"])
        before = files()
        command = "score big.parquet -o big.cps --max-parents 5 --threads 1"
        process = subprocess.Popen(
            [*FOREBEAR, *command.split()], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        assert "families to score" in process.stderr.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130
        assert (out, err) == ("", "forebear: stopped\n")
        assert files() == before

    def test_failure_keeps_the_old_file(self, tmp_path: Path) -> None:
        (tmp_path / "o.cps").write_text("old")
        done = run("score example:orchard -o o.cps --max-memory 1MB")
        assert done.returncode == 2
        assert done.stderr.startswith("forebear: the limit of 1 MB leaves no memory")
        assert (tmp_path / "o.cps").read_text() == "old"
        assert files() == ["o.cps"]

    def test_closed_pipe_is_quiet(self) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [*FOREBEAR, "info", "example:orchard"],
            stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
        os.close(writing)
        assert done.returncode == 1
        assert done.stderr == ""


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("Lower max_parents to 2", "Lower --max-parents to 2"),
        ("with max_sets_per_variable=100_000.", "with --max-sets-per-variable 100000."),
        ('pass missing="drop" or', "pass --missing drop or"),
        ("pass ids=True", "pass --ids"),
        ("n_rows must be", "--rows must be"),
        ("bins must be at least 2", "--bins must be at least 2"),
        ("max_parents.csv: there is no such file", "max_parents.csv: there is no such file"),
        ("column 'max_parents' has no states", "column 'max_parents' has no states"),
        ("missing values: 3 states", "missing values: 3 states"),
    ],
)
def test_the_words_of_the_command_line(sentence: str, shown: str) -> None:
    assert in_options(sentence) == shown
