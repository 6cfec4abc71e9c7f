"""``forebear evaluate``: the score, the log-likelihood and the parameters."""

from __future__ import annotations

import json

import polars as pl
import pytest

from forebear import as_dataset, read_fitted, score_network
from forebear.cli import main

ORCHARD = "example:orchard.bif"


def test_a_network_with_probabilities(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["evaluate", ORCHARD, "example:orchard", "--score", "bic"]
    assert main([*command, "--json", "-o", "rows.csv"]) == 0
    found = json.loads(capsys.readouterr().out)
    fitted, data = read_fitted(ORCHARD), as_dataset("example:orchard")
    logs = fitted.log_likelihoods(data)
    assert found["rows"] == 2000
    assert found["score"] == pytest.approx(score_network(fitted, data, "bic"))
    assert found["log_likelihood"] == pytest.approx(logs.sum())
    assert found["log_likelihood_per_row"] == pytest.approx(logs.mean())
    assert found["parameters"] == fitted.n_parameters
    assert pl.read_csv("rows.csv")["log_likelihood"].to_list() == pytest.approx(logs.tolist())
    assert main([*command, "--prior", "sparse", "--json"]) == 0
    sparse = json.loads(capsys.readouterr().out)["score"]
    assert sparse == pytest.approx(score_network(fitted, data, "bic", prior="sparse"))
    assert main(command) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["log", "likelihood", "per", "row", "-14.3243"] in lines
    assert ["parameters", "237"] in lines


def test_a_structure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", ORCHARD, "o.edges.csv", "-q"]) == 0
    assert main(["evaluate", "o.edges.csv", "example:orchard", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    fitted = read_fitted(ORCHARD)
    assert found["parameters"] == fitted.n_parameters
    assert found["score"] == pytest.approx(score_network(fitted, "example:orchard"))
    assert "log_likelihood" not in found
    assert main(["evaluate", "o.edges.csv", "example:orchard", "-o", "rows.csv"]) == 2
    assert "--output requires probabilities, but o.edges.csv has none" in capsys.readouterr().err


def test_numbers_are_put_into_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    survey = ["example:survey", "--drop", "id"]
    learn = ["--discretize", "quantile", "-o", "s.bif", "--generations", "1", "-q", "--no-cache"]
    assert main(["learn", *survey, *learn]) == 0
    capsys.readouterr()
    assert main(["evaluate", "s.bif", *survey, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 500
    assert found["log_likelihood_per_row"] < 0
