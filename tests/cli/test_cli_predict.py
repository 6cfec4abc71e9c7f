"""``forebear predict``: files of predictions, the summary, and what people get wrong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from forebear import FittedNetwork, Network, as_dataset, read_fitted, write_network
from forebear.cli import main
from forebear.data.examples import example_path

ORCHARD = ["predict", "example:orchard.bif", "example:orchard", "--target", "price"]


def test_predictions_are_those_of_python(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ORCHARD, "-o", "prices.csv", "--probabilities"]) == 0
    assert capsys.readouterr().out == (
        "prices.csv: price of 2,000 rows: very_low 546, low 541, high 806, very_high 107\n"
    )
    found = pl.read_csv("prices.csv")
    fitted = read_fitted(example_path("orchard.bif"))
    labels, probabilities = fitted.predict("example:orchard", "price", probabilities=True)
    assert found.columns == ["price", *(f"P(price={s})" for s in fitted.states[-1])]
    assert found["price"].to_list() == labels.tolist()
    assert found[:, 1:].to_numpy() == pytest.approx(probabilities)


@pytest.mark.parametrize("name", ["p.csv", "p.tsv.gz", "p.parquet", "p.arrow"])
def test_every_format_keeps_the_states(name: str) -> None:
    assert main([*ORCHARD, "-o", name, "--quiet"]) == 0
    found = as_dataset(name)
    assert found.names == ("price",)
    assert found.n_rows == 2000


def test_the_summary_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ORCHARD, "-o", "p.csv", "--json"]) == 0
    counts = {"very_low": 546, "low": 541, "high": 806, "very_high": 107}
    expected = {"target": "price", "rows": 2000, "predicted": counts}
    assert json.loads(capsys.readouterr().out) == expected


def test_rows_with_gaps_and_numbers_in_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    network = Network(("age", "ill"), ((), (0,)))
    tables = (np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]]))
    states = (("up_to_50", "above_50"), ("no", "yes"))
    write_network(FittedNetwork(network, states, tables), "ill.bif")
    Path("new.csv").write_text("id,age\n7,33.5\n8,NA\n9,80\n")
    assert main(["predict", "ill.bif", "new.csv", "--target", "ill", "-o", "out.csv"]) == 0
    assert Path("out.csv").read_text() == "ill\nno\nno\nyes\n"
    shown = capsys.readouterr()
    assert "ill of 3 rows: no 2, yes 1" in shown.out
    assert shown.err == (
        "forebear: warning: 1 column of the table is not in the network and ignored (id)\n"
    )


def test_an_impossible_row_stays_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    network = Network(("a", "b", "c"), ((), (0, 2), ()))
    even = np.array([0.5, 0.5])
    table = np.array([[[1.0, 0.0], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]])
    write_network(FittedNetwork(network, (("n", "y"),) * 3, (even, table, even)), "n.bif")
    Path("t.csv").write_text("a,b\nn,y\ny,y\n")
    assert main(["predict", "n.bif", "t.csv", "--target", "c", "-o", "out.csv"]) == 0
    assert Path("out.csv").read_text() == "c\nNA\nn\n"
    assert capsys.readouterr().err.startswith("forebear: warning: 1 row has the probability 0 in")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "prize", "-o", "p.csv"], 'no variable is called "prize": did you mean "pri'),
        (["--target", "price", "-o", "p.dat"], "p.dat: .dat files hold no numbers: use .csv or"),
        (["--target", "price", "-o", "p.doc"], "p.doc: the extension of a table must be one of"),
        (["--target", "price", "-o", "no/p.csv"], "no/p.csv: "),
        (["--target", "price", "-o", "p.csv", "--missing", "drop"], "--missing drop would leave"),
    ],
)
def test_mistakes_leave_no_file(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["predict", "example:orchard.bif", "example:orchard", *arguments]) == 2
    assert capsys.readouterr().err.startswith(f"forebear: {message}")
    assert list(Path().iterdir()) == []
