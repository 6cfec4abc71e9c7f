"""forebear info: tables, parent sets, networks and results; as text and as JSON the same facts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from forebear import find_network, sample_posterior, score_parent_sets
from forebear.cli import main
from forebear.data.examples import example_path
from forebear.network.file_formats import READABLE, write_network
from forebear.network.formats.bif import read_bif


@pytest.fixture
def info(capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(name: str) -> tuple[dict[str, Any], list[str]]:
        assert main(["info", name, "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert main(["info", name]) == 0
        return facts, [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    return ask


def test_parent_sets_and_a_result(info: Any) -> None:
    sets = score_parent_sets("example:orchard", max_parents=2)
    sets.save("o.cps")
    facts, shown = info("o.cps")
    assert facts["provenance"]["families"] == 2772
    assert sum(facts["sets_by_parents"]) == facts["parent_sets"] == len(sets)
    assert facts["sets_per_variable"]["min"] >= 1
    assert {"families 2,772", "parameters ess 1"} <= set(shown)
    found = find_network(sets, generations=2, seed=1, threads=1)
    found.save("o.json")
    facts, shown = info("o.json")
    assert (facts["kind"], facts["variables"], facts["score"]) == ("result", 18, found.score)
    assert {"algorithm ps-minobs", "rows 2,000"} <= set(shown)


def test_seeds_can_be_copied(info: Any) -> None:
    Path("t.csv").write_text("a,b\n0,0\n1,1\n0,1\n1,0\n")
    sample_posterior("t.csv", sweeps=20, seed=1234567).save("d.npz")
    facts, shown = info("d.npz")
    assert facts["about"]["seed"] == 1234567
    assert "seed 1234567" in shown


def test_a_table(info: Any) -> None:
    Path("t.csv").write_text("a,b,c\nx,1,0.5\nx,,1.5\nx,3,2.5\n")
    facts, shown = info("t.csv")
    assert (facts["constant"], facts["continuous"], facts["missing"]) == (["a"], ["c"], {"b": 1})
    assert facts["states"] == {"min": 1, "median": 1.5, "max": 2}
    assert {
        "states 1 to 2, median 1.5",
        "missing b 1: completed while learning (see --missing)",
        "continuous c: pass --discretize quantile to use them",
    } <= set(shown)


def test_columns_without_values_are_not_completed(info: Any) -> None:
    """``learn`` refuses them."""
    Path("t.csv").write_text("a,b\nx,\ny,\n")
    _, shown = info("t.csv")
    assert "missing b 2" in shown


@pytest.mark.parametrize("form", [READABLE[0], READABLE[-1]], ids=lambda form: form.name)
def test_networks(form: Any, info: Any) -> None:
    truth = read_bif(example_path("orchard.bif"))
    write_network(truth, f"o{form.extensions[0]}")
    facts, shown = info(f"o{form.extensions[0]}")
    assert (facts["kind"], facts["arcs"]) == ("network", len(truth.network.arcs))
    assert ("free_parameters" in facts) is form.holds_probabilities
    assert "variables 18" in shown
