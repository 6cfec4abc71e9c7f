"""``forebear predict``: files of predictions and the summary."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import polars as pl
import pytest

from forebear import read_fitted
from forebear.cli import main
from forebear.data.examples import example_path

ORCHARD = ["predict", "example:orchard.bif", "example:orchard", "--target", "price"]


def test_predictions_are_those_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ORCHARD, "-o", "prices.csv", "--probabilities"]) == 0
    assert capsys.readouterr().out == (
        "prices.csv: price predicted for 2,000 rows: "
        "very_low 546, low 541, high 806, very_high 107\n"
    )
    found = pl.read_csv("prices.csv")
    fitted = read_fitted(example_path("orchard.bif"))
    labels, probabilities = fitted.predict("example:orchard", "price", probabilities=True)
    assert found.columns == ["price", *(f"P(price={s})" for s in fitted.states[-1])]
    assert found["price"].to_list() == labels.tolist()
    assert found[:, 1:].to_numpy() == pytest.approx(probabilities)
    assert main([*ORCHARD, "-o", "p.csv", "--json"]) == 0
    counts = {"very_low": 546, "low": 541, "high": 806, "very_high": 107}
    expected = {"target": "price", "rows": 2000, "predicted": counts}
    assert json.loads(capsys.readouterr().out) == expected


def test_unseen_states(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("hail\nsometimes\nno\n")
    given = ["predict", "example:orchard.bif", str(path), "--target", "price", "-o", "p.csv"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of columns that are not in the table
        assert main(given) == 2
        assert "which is none of its states" in (shown := capsys.readouterr().err)
        assert "--unseen missing" in shown
        assert main([*given, "--unseen", "missing"]) == 0
    assert pl.read_csv("p.csv").height == 2
