"""The module for benchpress: its script runs as Snakemake runs it, and its files agree."""

from __future__ import annotations

import csv
import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from forebear import Dataset, ForebearError, Network, score_network, simulate
from forebear.learning.algorithms import ALGORITHMS
from forebear.scoring.scores import SCORES

MODULE = Path(__file__).parents[2] / "integrations" / "benchpress" / "forebear"
SCHEMA = json.loads((MODULE / "schema.json").read_text("utf-8"))
FIELDS: dict[str, Any] = SCHEMA["items"]["properties"]
EXAMPLE: dict[str, Any] = SCHEMA["items"]["examples"][0]


@pytest.fixture(scope="module")
def data() -> Dataset:
    return simulate(6, 300, max_parents=2, seed=3).data


def run(folder: Path, data: Dataset, constraints: str | None = None, **changes: Any) -> Network:
    """Run the script with text for every field, and read the network back."""
    table = folder / "data.csv"
    with table.open("w", newline="") as file:
        rows = [data.names, data.arities.tolist(), *data.codes.T.tolist()]
        csv.writer(file).writerows(rows)
    inputs: dict[str, Any] = {"data": str(table), "edgeConstraints_formatted": None}
    if constraints is not None:
        (folder / "constraints.csv").write_text(constraints)
        inputs["edgeConstraints_formatted"] = str(folder / "constraints.csv")
    settings = {**EXAMPLE, "ess": 1, "generations": 3, "time_limit": None, **changes, "seed": 1}
    made = {name: str(folder / name) for name in ("adjmat", "time", "ntests")}
    snakemake = SimpleNamespace(
        input=inputs, output=made, wildcards={k: str(v) for k, v in settings.items()}
    )
    runpy.run_path(str(MODULE / "script.py"), init_globals={"snakemake": snakemake})
    assert float(Path(made["time"]).read_text()) > 0
    assert Path(made["ntests"]).read_text() == "None"
    with Path(made["adjmat"]).open(newline="") as file:
        names, *matrix = csv.reader(file)
    parents = [[p for p, row in enumerate(matrix) if row[v] == "1"] for v in range(len(names))]
    return Network(tuple(names), tuple(map(tuple, parents)))


def test_it_learns_the_best_network(tmp_path: Path, data: Dataset) -> None:
    exact = run(tmp_path, data, algorithm="exact", max_parents=3, generations=None)
    found = run(tmp_path, data, max_parents=3)
    assert found.names == data.names
    assert score_network(found, data) == pytest.approx(score_network(exact, data))


def test_declared_states_and_other_settings(tmp_path: Path, data: Dataset) -> None:
    for change in ({"ess": None}, {"score": "bic"}, {"score": "bds", "ess": 5.0}):
        assert run(tmp_path, data, **change).n_variables == 6


def test_constraints_hold(tmp_path: Path, data: Dataset) -> None:
    free = run(tmp_path, data)
    parent, child = free.arc_names[0]
    text = f"from,to,type\n{parent},{child},blacklist\nX1,X6,whitelist\n"
    bound = run(tmp_path, data, text)
    assert (parent, child) not in bound.arc_names
    assert ("X1", "X6") in bound.arc_names


def test_mistakes_are_reported(tmp_path: Path, data: Dataset) -> None:
    with pytest.raises(ForebearError, match="score must be one of"):
        run(tmp_path, data, score="best")


def test_the_schema_lists_all_scores_and_algorithms() -> None:
    (one,) = (kind["enum"] for kind in FIELDS["score"]["anyOf"] if "enum" in kind)
    assert set(one) == {*SCORES, "auto"} - {"ll"}
    assert set(FIELDS["algorithm"]["enum"]) <= set(ALGORITHMS)
    assert set(EXAMPLE) == set(FIELDS)
    config = json.loads((MODULE / "config.json").read_text("utf-8"))
    (shown,) = config["resources"]["structure_learning_algorithms"]["forebear"]
    assert set(shown) == set(FIELDS)
    script = (MODULE / "script.py").read_text("utf-8")
    assert set(re.findall(r'wildcards(?:\[|, )"(\w+)"', script)) - {"seed"} == (
        set(FIELDS) - {"id", "edgeConstraints"}
    )


def test_versions_agree() -> None:
    version = json.loads((MODULE / "info.json").read_text("utf-8"))["version"]
    assert f"bpimages/forebear:{version}" in (MODULE / "rule.smk").read_text("utf-8")
    assert f"forebear=={version}" in (MODULE / "Dockerfile").read_text("utf-8")
