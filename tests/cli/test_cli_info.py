"""forebear info: tables, parent sets, networks and results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from forebear import Result, score_parent_sets
from forebear.cli import main
from forebear.data.dataset import Dataset
from forebear.data.examples import example_path
from forebear.learning.find import find_network
from forebear.network.file_formats import READABLE, write_network
from forebear.network.formats.bif import read_bif

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def found() -> Result:
    """What a short search finds on the example."""
    sets = score_parent_sets(Dataset.read(example_path("orchard")), max_parents=2)
    return find_network(sets, generations=2, seed=1, threads=1)


def test_info_of_parent_sets(capsys: pytest.CaptureFixture[str]) -> None:
    main(["score", "example:orchard", "-o", "o.cps", "-q"])
    assert main(["info", "o.cps", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["provenance"]["families"] == 15_012
    assert sum(facts["sets_by_parents"]) == facts["parent_sets"]
    assert facts["sets_per_variable"]["min"] >= 1
    assert main(["info", "o.cps"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^families +15,012$", shown, re.MULTILINE)
    assert re.search(r"^parameters +ess 1$", shown, re.MULTILINE)


def test_info_of_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("a,b,c\nx,1,0.5\nx,,1.5\nx,3,2.5\n")
    assert main(["info", "t.csv", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["constant"] == ["a"]
    assert facts["continuous"] == ["c"]
    assert facts["missing"] == {"b": 1}
    assert facts["states"] == {"min": 1, "median": 1.5, "max": 2}
    assert main(["info", "t.csv"]) == 0
    assert re.search(r"^continuous +c$", capsys.readouterr().out, re.MULTILINE)


def test_info_of_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    truth = read_bif(example_path("orchard.bif"))
    for form in READABLE[:1] + READABLE[-1:]:
        name = f"o{form.extensions[0]}"
        write_network(truth, name)
        assert main(["info", name, "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert (facts["kind"], facts["variables"]) == ("network", 18)
        assert facts["arcs"] == len(truth.network.arcs)
        assert ("free_parameters" in facts) is form.holds_probabilities


def test_info_of_a_result(found: Result, capsys: pytest.CaptureFixture[str]) -> None:
    found.save("o.json")
    assert main(["info", "o.json", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["variables"], facts["score"]) == ("result", 18, found.score)
    assert facts["provenance"]["rows"] == 2000
    assert main(["info", "o.json"]) == 0
    shown = capsys.readouterr().out
    assert f"{found.score:,.4f}" in shown
    assert re.search(r"^rows +2,000$", shown, re.MULTILINE)
