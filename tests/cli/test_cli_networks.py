"""Networks on the command line: convert, info, simulate and search take every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fitted import assert_same, assert_same_structure
from typer.testing import CliRunner

from forebear import Result, fit_network, score_parent_sets
from forebear.cli import main
from forebear.cli.app import app
from forebear.data.dataset import Dataset
from forebear.data.examples import example_path
from forebear.learning.find import find_network
from forebear.network.files import FORMATS, READABLE, read_fitted, read_network, write_network
from forebear.network.formats.bif import read_bif
from forebear.network.network import Network

ORCHARD = "example:orchard.bif"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(scope="module")
def found() -> Result:
    """What a short search finds on the example."""
    sets = score_parent_sets(Dataset.read(example_path("orchard")), max_parents=2)
    return find_network(sets, generations=2, seed=1, threads=1)


def refuse(capsys: pytest.CaptureFixture[str], command: str, sentence: str) -> None:
    """The command ends with exit code 2 and this one sentence, and leaves no file."""
    before = sorted(Path().iterdir())
    assert main(command.split()) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert sentence in err
    assert sorted(Path().iterdir()) == before


class TestConvert:
    def test_to_every_format_and_back(self, capsys: pytest.CaptureFixture[str]) -> None:
        truth = read_bif(example_path("orchard.bif"))
        for form in FORMATS:
            name = f"o{form.extensions[0]}"
            assert main(["convert", ORCHARD, name]) == 0
            arcs = len(truth.network.arcs)
            assert capsys.readouterr().out == f"{name}: 18 variables, {arcs} arcs\n"
            if form in READABLE:
                assert main(["convert", name, "back.adjacency.csv.gz", "-q"]) == 0
                assert_same_structure(read_network("back.adjacency.csv.gz"), truth.network)

    def test_probabilities_are_kept(self) -> None:
        source = ORCHARD
        for target in ("a.net.gz", "b.xmlbif", "c.bif"):
            assert main(["convert", source, target, "-q"]) == 0
            source = target
        assert_same(read_fitted(source), read_bif(example_path("orchard.bif")))

    def test_results(self, found: Result, capsys: pytest.CaptureFixture[str]) -> None:
        found.save("o.json")
        assert main(["convert", "o.json", "o.edges.csv", "-q"]) == 0
        assert_same_structure(read_network("o.edges.csv"), found.network)
        sentence = "o.net: a Hugin file holds probabilities, and o.json has none: give the table"
        refuse(capsys, "convert o.json o.net", f"{sentence} to fit them to with --data")

    @pytest.mark.parametrize(("options", "ess"), [("", 1.0), ("--ess 10", 10.0)])
    def test_fitting(self, found: Result, options: str, ess: float) -> None:
        found.save("o.json")
        command = f"convert o.json o.xmlbif --data example:orchard -q {options}"
        assert main(command.split()) == 0
        data = Dataset.read(example_path("orchard"))
        assert_same(read_fitted("o.xmlbif"), fit_network(found.network, data, ess=ess))

    def test_fitting_again(self) -> None:
        """Given a table, probabilities that are there already are fitted anew."""
        assert main(["convert", ORCHARD, "o.net", "--data", "example:orchard", "-q"]) == 0
        truth, data = read_bif(example_path("orchard.bif")), Dataset.read(example_path("orchard"))
        assert_same(read_fitted("o.net"), fit_network(truth.network, data))

    def test_the_options_of_reading_reach_the_table(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path("net.modelstring").write_text("[a][b|a]\n")
        Path("t.csv").write_text("a,b\n0.5,x\n1.5,y\n2.5,x\n3.5,y\n")
        refuse(capsys, "convert net.modelstring n.bif --data t.csv", "--discretize quantile")
        command = "convert net.modelstring n.bif --data t.csv --discretize quantile --bins 2 -q"
        assert main(command.split()) == 0
        assert len(read_fitted("n.bif").states[0]) == 2

    def test_plain_csv_that_holds_a_network(self) -> None:
        Path("arcs.csv").write_text("from,to\na,b\nc,\n")
        assert main(["convert", "arcs.csv", "n.modelstring", "-q"]) == 0
        assert Path("n.modelstring").read_text() == "[a][c][b|a]\n"

    def test_mistakes_inside_files(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("arcs.csv").write_text("from,to\na,b\nb,a\n")
        refuse(capsys, "convert arcs.csv n.dot", "arcs.csv: the arcs form a cycle: ")
        Path("n.edges.csv").write_text("from,to\na:b,c\n")
        refuse(capsys, "convert n.edges.csv n.modelstring", "'a:b' cannot stand in a model string")
        Path("t.csv").write_text("x,c\n0,1\n1,0\n")
        refuse(capsys, "convert n.edges.csv n.bif --data t.csv", "a:b")
        refuse(capsys, "convert n.edges.csv n.bif --data t.csv --ess -1", "--ess must be 0 or more")

    def test_bayesys_warns(self, capsys: pytest.CaptureFixture[str]) -> None:
        write_network(Network(("a", "b", "c"), ((), (0,), ())), "n.edges.csv")
        assert main(["convert", "n.edges.csv", "n.bayesys.csv", "-q"]) == 0
        err = capsys.readouterr().err
        assert err.startswith("forebear: warning: n.bayesys.csv: 1 variable has no arcs (c)")

    def test_help_names_every_extension(self) -> None:
        shown = CliRunner().invoke(app, ["convert", "--help"]).output
        for form in FORMATS:
            assert all(extension in shown for extension in form.extensions)


class TestOtherCommands:
    def test_info_of_every_format(self, capsys: pytest.CaptureFixture[str]) -> None:
        truth = read_bif(example_path("orchard.bif"))
        for form in READABLE:
            name = f"o{form.extensions[0]}"
            write_network(truth, name)
            assert main(["info", name, "--json"]) == 0
            facts = json.loads(capsys.readouterr().out)
            assert (facts["kind"], facts["variables"]) == ("network", 18)
            assert facts["arcs"] == len(truth.network.arcs)
            assert ("free_parameters" in facts) is form.holds_probabilities
            assert main(["info", name]) == 0
            shown = capsys.readouterr().out
            assert ("none in this file" in shown) is not form.holds_probabilities

    def test_info_of_a_result(self, found: Result, capsys: pytest.CaptureFixture[str]) -> None:
        found.save("o.json")
        assert main(["info", "o.json", "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert (facts["kind"], facts["variables"], facts["score"]) == ("result", 18, found.score)
        assert facts["provenance"]["rows"] == 2000
        assert main(["info", "o.json"]) == 0
        shown = capsys.readouterr().out
        assert f"{found.score:,.4f}" in shown
        assert "sets: rows of data" in shown

    def test_simulate_writes_and_reads_every_fitted_format(self) -> None:
        command = "simulate --variables 5 --rows 40 --seed 2 -q -o"
        assert main([*command.split(), "d.csv", "--network", "n.net"]) == 0
        assert main([*command.split(), "e.csv", "--network", "n.dot"]) == 0
        assert Path("n.dot").read_text().startswith("digraph")
        again = "simulate --from n.net --rows 40 --seed 2 -q -o again.csv"
        assert main(again.split()) == 0
        assert Path("again.csv").read_bytes() == Path("d.csv").read_bytes()

    def test_search_starts_from_a_list_of_arcs(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Its variables may be in another order; other variables are refused."""
        assert main(["score", "example:orchard", "-o", "o.cps", "--max-parents", "2", "-q"]) == 0
        assert main(["convert", ORCHARD, "o.edges.csv", "-q"]) == 0
        assert read_network("o.edges.csv").names != read_network(example_path("orchard.bif")).names
        command = "search o.cps --generations 1 --seed 1 --threads 1 -q --start"
        assert main([*command.split(), "o.edges.csv"]) == 0
        Path("other.edges.csv").write_text("from,to\na,b\n")
        refuse(capsys, f"{command} other.edges.csv", "the network to start from has other variab")
