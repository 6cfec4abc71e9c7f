"""The command line: what people type, what they see, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from forebear import __version__
from forebear.cli import main
from forebear.cli.app import COMMANDS, app
from forebear.data.dataset import Dataset
from forebear.data.examples import example_path
from forebear.network.formats.bif import read_bif
from forebear.parentsets.collection import ParentSets

FOREBEAR = [sys.executable, "-m", "forebear"]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


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
        assert "forebear learn example:orchard" in shown
        assert main([]) == 0
        assert capsys.readouterr().out == shown

    def test_the_list_says_what_each_command_says_of_itself(self) -> None:
        for name, sentence in COMMANDS.items():
            function = getattr(import_module(f"forebear.cli.{name}"), name)
            assert function.__doc__.splitlines()[0] == sentence

    def test_nothing_is_loaded_for_the_help(self) -> None:
        program = (
            "import sys; from forebear.cli import main; main(['--help']); "
            "sys.exit('numpy' in sys.modules or 'polars' in sys.modules)"
        )
        subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)

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
            ("convert", "--data --ess --ids --missing --discretize --bins --header --quiet"),
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
        assert out.endswith("Next: forebear search o.cps -o o.json\n")

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
        assert re.search(r"^parameters +ess 1$", shown, re.MULTILINE)

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

    def test_progress_on_a_terminal(self) -> None:
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
