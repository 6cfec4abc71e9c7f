"""forebear convert: every format there and back, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from expected import refuse
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
from forebear.parentsets.collection import ParentSets

ORCHARD = "example:orchard.bif"


@pytest.fixture(scope="module")
def found() -> Result:
    """What a short search finds on the example."""
    sets = score_parent_sets(Dataset.read(example_path("orchard")), max_parents=2)
    return find_network(sets, generations=2, seed=1, threads=1)


def test_convert_parent_sets_there_and_back() -> None:
    main(["score", "example:orchard", "-o", "o.cps", "-q"])
    assert main(["convert", "o.cps", "o.jkl.gz", "-q"]) == 0
    assert main(["convert", "o.jkl.gz", "back.cps", "-q"]) == 0
    assert (ParentSets.load("back.cps").scores == ParentSets.load("o.cps").scores).all()
    assert main(["convert", "o.cps", "ids.jkl", "--ids"]) == 0
    assert ParentSets.load("ids.jkl").names == tuple(map(str, range(18)))


def test_convert_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "example:orchard", "o.parquet"]) == 0
    assert capsys.readouterr().out == "o.parquet: 18 variables, 2,000 rows\n"
    original = Dataset.read(example_path("orchard"))
    assert Dataset.read("o.parquet").fingerprint == original.fingerprint


def test_to_every_format_and_back(capsys: pytest.CaptureFixture[str]) -> None:
    truth = read_bif(example_path("orchard.bif"))
    for form in FORMATS:
        name = f"o{form.extensions[0]}"
        assert main(["convert", ORCHARD, name]) == 0
        arcs = len(truth.network.arcs)
        assert capsys.readouterr().out == f"{name}: 18 variables, {arcs} arcs\n"
        if form in READABLE:
            assert main(["convert", name, "back.adjacency.csv.gz", "-q"]) == 0
            assert_same_structure(read_network("back.adjacency.csv.gz"), truth.network)


def test_probabilities_are_kept() -> None:
    source = ORCHARD
    for target in ("a.net.gz", "b.xmlbif", "c.bif"):
        assert main(["convert", source, target, "-q"]) == 0
        source = target
    assert_same(read_fitted(source), read_bif(example_path("orchard.bif")))


def test_results(found: Result, capsys: pytest.CaptureFixture[str]) -> None:
    found.save("o.json")
    assert main(["convert", "o.json", "o.edges.csv", "-q"]) == 0
    assert_same_structure(read_network("o.edges.csv"), found.network)
    sentence = "o.net: a Hugin file holds probabilities, and o.json has none: give the table"
    refuse(capsys, "convert o.json o.net", f"{sentence} to fit them to with --data")


@pytest.mark.parametrize(
    ("options", "fit"),
    [("", {}), ("--ess 10", {"ess": 10.0}), ("--smoothing strong", {"smoothing": "strong"})],
)
def test_fitting(found: Result, options: str, fit: dict[str, Any]) -> None:
    found.save("o.json")
    command = f"convert o.json o.xmlbif --data example:orchard -q {options}"
    assert main(command.split()) == 0
    data = Dataset.read(example_path("orchard"))
    assert_same(read_fitted("o.xmlbif"), fit_network(found.network, data, **fit))


def test_fitting_again() -> None:
    """Given a table, probabilities that are there already are fitted anew."""
    assert main(["convert", ORCHARD, "o.net", "--data", "example:orchard", "-q"]) == 0
    truth, data = read_bif(example_path("orchard.bif")), Dataset.read(example_path("orchard"))
    assert_same(read_fitted("o.net"), fit_network(truth.network, data))


def test_the_options_of_reading_reach_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    Path("net.modelstring").write_text("[a][b|a]\n")
    Path("t.csv").write_text("a,b\n0.5,x\n1.5,y\n2.5,x\n3.5,y\n")
    refuse(capsys, "convert net.modelstring n.bif --data t.csv", "--discretize quantile")
    command = "convert net.modelstring n.bif --data t.csv --discretize quantile --bins 2 -q"
    assert main(command.split()) == 0
    assert len(read_fitted("n.bif").states[0]) == 2


def test_plain_csv_that_holds_a_network() -> None:
    Path("arcs.csv").write_text("from,to\na,b\nc,\n")
    assert main(["convert", "arcs.csv", "n.modelstring", "-q"]) == 0
    assert Path("n.modelstring").read_text() == "[a][c][b|a]\n"


def test_mistakes_inside_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("arcs.csv").write_text("from,to\na,b\nb,a\n")
    refuse(capsys, "convert arcs.csv n.dot", "arcs.csv: the arcs form a cycle: ")
    Path("n.edges.csv").write_text("from,to\na:b,c\n")
    refuse(
        capsys, "convert n.edges.csv n.modelstring", "a model string cannot hold the variable 'a:b'"
    )
    Path("t.csv").write_text("x,c\n0,1\n1,0\n")
    refuse(capsys, "convert n.edges.csv n.bif --data t.csv", "a:b")
    refuse(
        capsys,
        "convert n.edges.csv n.bif --data t.csv --ess -1",
        "--ess must be at least 0, got -1",
    )


def test_bayesys_warns(capsys: pytest.CaptureFixture[str]) -> None:
    write_network(Network(("a", "b", "c"), ((), (0,), ())), "n.edges.csv")
    assert main(["convert", "n.edges.csv", "n.bayesys.csv", "-q"]) == 0
    err = capsys.readouterr().err
    assert err.startswith(
        "forebear: warning: n.bayesys.csv: 1 variable without arcs (c) has been left out"
    )


def test_help_names_every_extension() -> None:
    shown = CliRunner().invoke(app, ["convert", "--help"]).output
    for form in FORMATS:
        assert all(extension in shown for extension in form.extensions)
