"""``forebear compare``: the table, the numbers, the picture, and what people get wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from expected import refuse
from results import result_of
from typer.testing import CliRunner

from forebear import FittedNetwork, Network, compare_networks
from forebear.cli import main
from forebear.cli.app import app
from forebear.network.files import write_network
from forebear.network.formats.bif import write_bif

NAMES = ("a", "b", "c", "d", "e")
TRUE = Network.from_arcs(NAMES, [("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")])
LEARNT = Network.from_arcs(NAMES, [("a", "c"), ("d", "c"), ("d", "e"), ("a", "b")])


def save_bif(network: Network, path: str) -> None:
    states = (("no", "yes"),) * network.n_variables
    tables = tuple(np.full((2,) * (len(family) + 1), 0.5) for family in network.parents)
    write_bif(FittedNetwork(network, states, tables), path)


def save_result(network: Network, path: str) -> None:
    result_of(network).save(path)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    save_bif(TRUE.reordered(NAMES[::-1]), "true.bif")
    save_result(LEARNT, "learnt.json")


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "learnt.json", "true.bif"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "learnt    learnt.json: 4 arcs",
        "true      true.bif: 4 arcs",
        "common    2",
        "reversed  1",
        "missing   1",
        "extra     1",
        "SHD       3; 4 between the CPDAGs",
        "arcs      precision 0.500, recall 0.500, F1 0.500",
        "skeleton  precision 0.750, recall 0.750, F1 0.750",
        "BSF       0.458",
    ]


def test_equivalent_networks_are_called_so(capsys: pytest.CaptureFixture[str]) -> None:
    save_bif(Network(("a", "b"), ((), (0,))), "one.bif")
    save_bif(Network(("a", "b"), ((1,), ())), "other.bif")
    assert main(["compare", "one.bif", "other.bif"]) == 0
    shown = capsys.readouterr().out
    assert "SHD       1; 0 between the CPDAGs: the networks are equivalent\n" in shown


def test_any_format_of_a_network(capsys: pytest.CaptureFixture[str]) -> None:
    write_network(TRUE, "true.edges.csv")
    write_network(LEARNT, "learnt.modelstring")
    assert main(["compare", "learnt.modelstring", "true.edges.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["shd"] == 3


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "learnt.json", "true.bif", "--json", "--picture", "d.svg"]) == 0
    facts = json.loads(capsys.readouterr().out)
    expected = json.loads(json.dumps(compare_networks(LEARNT, TRUE).to_dict()))
    assert facts == {"learnt": "learnt.json", "true": "true.bif", **expected}
    assert Path("d.svg").exists()


def test_the_picture(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "learnt.json", "true.bif", "--picture", "d.svg"]) == 0
    assert capsys.readouterr().out.endswith("Written to d.svg\n")
    picture = Path("d.svg").read_text(encoding="utf-8")
    assert "<title>learnt.json compared with true.bif</title>" in picture
    assert ">reversed, as learnt (1)<" in picture


def test_help_has_an_example() -> None:
    shown = CliRunner().invoke(app, ["compare", "--help"]).output
    assert "forebear compare orchard.json" in shown.partition("Examples:")[2]
    assert "--json" in shown
    assert "--picture" in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("learnt.json", "missing argument 'TRUE'"),
        ("no.json true.bif", "no.json: there is no such file"),
        ("learnt.json no.bif", "no.bif: there is no such file"),
        ("folder.bif true.bif", "folder.bif: cannot be read: Is a directory"),
        ("folder.json true.bif", "folder.json: cannot be read: Is a directory"),
        ("cycle.bif true.bif", "cycle.bif: the arcs form a cycle: b -> a -> b"),
        ("cycle.json true.bif", "cycle.json: the result file is damaged: the arcs form a cycle: "),
        ("learnt.json few.bif", "different variables: only the learnt network has b, c, d, e"),
        ("learnt.json example:orchard", "orchard.csv.gz: this table is not a network"),
        ("learnt.json true.docx", "true.docx: the extension of a network must be one of .bif"),
        ("learnt.json true.bif --picture d.png", "d.png: a picture is written to a .svg file"),
        ("learnt.json true.bif --picture no/d.svg", "no/d.svg: cannot be written: there is no"),
    ],
)
def test_mistakes(arguments: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder.bif").mkdir()
    Path("folder.json").mkdir()
    save_bif(Network(("a",), ((),)), "few.bif")
    save_bif(Network(("a", "b"), ((1,), ())), "cycle.bif")
    text = Path("cycle.bif").read_text()
    Path("cycle.bif").write_text(
        text.replace("probability ( b ) {\n  table", "probability ( b | a ) {\n  default")
    )
    fields = json.loads(Path("learnt.json").read_text())
    fields["parents"] = [[1], [0], [], [], []]
    Path("cycle.json").write_text(json.dumps(fields))
    refuse(capsys, f"compare {arguments}", sentence)
