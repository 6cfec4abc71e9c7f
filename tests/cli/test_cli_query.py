"""``forebear query``: answers, as text and as JSON, and what people get wrong."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from forebear import read_fitted
from forebear.cli import main
from forebear.data.examples import example_path

ORCHARD = "example:orchard.bif"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["query", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["query", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["query", *arguments]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    return found.err.strip()


def test_one_variable(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--evidence", "spring_frost=yes", "-e", "bloom=early")
    assert printed(capsys, ORCHARD, "harvest", *given) == [
        "P(harvest | spring_frost=yes, bloom=early)",
        "  poor    0.4640",
        "  fair    0.3171",
        "  good    0.1658",
        "  bumper  0.0530",
        "The evidence has the probability 0.0652",
    ]


def test_several_variables(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, ORCHARD, "hail", "bees")
    assert lines[:3] == ["P(hail, bees)", "  hail  bees", "  no    few   0.3853"]
    assert len(lines) == 6
    found = as_json(capsys, ORCHARD, "hail", "bees", "-e", "winter=mild")
    assert found["evidence"] == {"winter": "mild"}
    assert np.exp(found["log_evidence"]) == pytest.approx(0.3)
    assert list(found["marginals"]) == ["hail", "bees"]
    assert found["joint"][0]["states"] == {"hail": "no", "bees": "few"}
    assert sum(cell["probability"] for cell in found["joint"]) == pytest.approx(1)


def test_all_variables(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, ORCHARD, "-e", "harvest=poor")
    assert lines[0] == "harvest        poor (given)"
    assert lines[2] == "spring_frost   no 0.5423, yes 0.4577"
    assert lines[-1] == "The evidence has the probability 0.2152"
    assert len(lines) == 19
    found = as_json(capsys, ORCHARD)
    expected = read_fitted(example_path("orchard.bif")).marginals()
    assert found["marginals"]["price"] == dict(expected["price"])
    assert found["log_evidence"] == 0
    assert "joint" not in found


def test_the_most_probable_states(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, ORCHARD, "--most-probable", "-e", "harvest=poor")
    assert lines[0] == "winter         normal"
    assert "harvest        poor (given)" in lines
    assert lines[-1] == (
        "Given the evidence, these states have the probability 0.0007; no others have more"
    )
    assert printed(capsys, ORCHARD, "--most-probable")[-1].startswith("These states have the prob")
    found = as_json(capsys, ORCHARD, "--most-probable", "-e", "harvest=poor")
    assert list(found) == ["evidence", "states", "probability", "log_joint"]
    assert found["states"]["winter"] == "normal"


def test_all_variables_given_leaves_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    fitted = read_fitted(example_path("orchard.bif"))
    pairs = zip(fitted.network.names, fitted.states, strict=True)
    given = [word for name, states in pairs for word in ("-e", f"{name}={states[0]}")]
    assert complaint(capsys, ORCHARD, *given) == (
        "forebear: --evidence gives the state of every variable: nothing is left to ask"
    )
