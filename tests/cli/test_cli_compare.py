"""``forebear compare``: the table, the numbers, the picture, and what people get wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from results import result_of

from forebear import FittedNetwork, Network, compare_networks
from forebear.cli import main
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
def _networks() -> None:
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
