"""Tables with experiments on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from expected import refuse
from tables import with_experiments

from forebear import Dataset, read_fitted, score_network, simulate
from forebear.cli import main

LEARN = "learn table.csv --intervened set --seed 1 --generations 2 -q"


@pytest.fixture(autouse=True)
def table() -> Dataset:
    data = with_experiments(simulate(6, 300, states=(2, 3), seed=3).data, 3)
    data.to_frame(intervened="set").write_csv("table.csv")
    return data


def shown(command: str, capsys: pytest.CaptureFixture[str]) -> Any:
    assert main([*command.split(), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_networks_are_scored_and_fitted_without_the_rows_that_were_set(
    table: Dataset, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(f"{LEARN} -o found.json -o found.bif --report found.html".split()) == 0
    result = json.loads(Path("found.json").read_text())
    fitted = read_fitted("found.bif")
    assert result["provenance"]["row_sets"] == list(table.row_sets or ())
    assert result["coding"]["options"] == {"intervened": "set"}
    assert result["score"] == pytest.approx(score_network(fitted, table))
    for network in ("found.bif table.csv --intervened set", "found.json table.csv"):
        about = shown(f"evaluate {network}", capsys)
        assert about["score"] == pytest.approx(result["score"])
    assert main(["convert", "found.json", "again.bif", "--data", "table.csv", "-q"]) == 0
    assert Path("again.bif").read_text() == Path("found.bif").read_text()


def test_certificates(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(f"{LEARN} --certificate proof.cert".split()) == 0
    assert shown("check proof.cert table.csv --intervened set", capsys)["valid"]
    sentence = "the certificate is about a table with experiments: pass --intervened"
    refuse(capsys, "check proof.cert table.csv", sentence)


def test_schema_files_and_summaries(capsys: pytest.CaptureFixture[str]) -> None:
    about = shown("info table.csv --intervened set --schema table.toml", capsys)
    assert about["variables"] == 6
    assert 'intervened = "set"' in Path("table.toml").read_text()
    assert (
        main(["learn", "table.csv", "--schema", "table.toml", "--seed", "1", "--generations", "2"])
        == 0
    )
    assert "in some rows: 4 of 6 variables" in capsys.readouterr().out


def test_unknown_names(capsys: pytest.CaptureFixture[str]) -> None:
    sentence = "--intervened: there is no column 'sets': did you mean \"set\"?"
    refuse(capsys, "learn table.csv --intervened sets", sentence)
    sentence = "row 1 of column 'X1' names 's0', which is no variable of the table"
    refuse(capsys, "score table.csv --intervened X1 -o sets.cps", sentence)
