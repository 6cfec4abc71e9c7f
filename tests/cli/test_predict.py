"""``forebear predict``: files of predictions and the summary."""

from __future__ import annotations

import json

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
