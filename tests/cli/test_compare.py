"""``forebear compare``: the figures and the picture."""

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
LEARNED = Network.from_arcs(NAMES, [("a", "c"), ("d", "c"), ("d", "e"), ("a", "b")])


def save_bif(network: Network, path: str) -> None:
    states = (("no", "yes"),) * network.n_variables
    tables = tuple(np.full((2,) * (len(family) + 1), 0.5) for family in network.parents)
    write_bif(FittedNetwork(network, states, tables), path)


def save_result(network: Network, path: str) -> None:
    result_of(network).save(path)


@pytest.fixture(autouse=True)
def _networks() -> None:
    save_bif(TRUE.reordered(NAMES[::-1]), "true.bif")
    save_result(LEARNED, "learned.json")


def test_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "learned.json", "true.bif"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["learned", "learned.json"]
    for line in ("shd cpdag 4", "arc precision 0.5", "skeleton f1 0.75", "reversed 1"):
        assert line in [" ".join(one.split()) for one in shown]
    assert main(["compare", "learned.json", "true.bif", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    expected = json.loads(json.dumps(compare_networks(LEARNED, TRUE).to_dict()))
    assert facts == {"learned": "learned.json", "true": "true.bif", **expected}


def test_the_picture(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "learned.json", "true.bif", "-o", "d.svg"]) == 0
    assert capsys.readouterr().out.endswith("Written to d.svg\n")
    picture = Path("d.svg").read_text(encoding="utf-8")
    assert "<title>learned.json compared with true.bif</title>" in picture
    assert ">reversed, as learned (1)<" in picture
    assert main(["compare", "learned.json", "true.bif", "-o", "d.txt"]) == 2
    assert "d.txt: a picture must be one of .svg, .png, .pdf" in capsys.readouterr().err
