"""``forebear query``: answers, as text and as JSON."""

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
    assert main(["query", ORCHARD, *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads("\n".join(printed(capsys, *arguments, "--json")))


def test_variables(capsys: pytest.CaptureFixture[str]) -> None:
    given = ("--evidence", "spring_frost=yes", "-e", "bloom=early")
    assert printed(capsys, "harvest", *given) == [
        "P(harvest | spring_frost=yes, bloom=early)",
        "  poor    0.4640",
        "  fair    0.3171",
        "  good    0.1658",
        "  bumper  0.0530",
        "Probability of the evidence: 0.0652",
    ]
    found = as_json(capsys, "hail", "bees", "-e", "winter=mild")
    assert found["evidence"] == {"winter": "mild"}
    assert np.exp(found["log_evidence"]) == pytest.approx(0.3)
    assert list(found["marginals"]) == ["hail", "bees"]
    assert found["joint"][0]["states"] == {"hail": "no", "bees": "few"}
    assert sum(cell["probability"] for cell in found["joint"]) == pytest.approx(1)


def test_all_variables(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "-e", "harvest=poor")
    assert lines[0] == "harvest        poor (given)"
    assert lines[2] == "spring_frost   no 0.5423, yes 0.4577"
    assert lines[-1] == "Probability of the evidence: 0.2152"
    fitted = read_fitted(example_path("orchard.bif"))
    found = as_json(capsys)
    assert found["marginals"]["price"] == dict(fitted.marginals()["price"])
    assert "joint" not in found
    pairs = zip(fitted.network.names, fitted.states, strict=True)
    given = [word for name, states in pairs for word in ("-e", f"{name}={states[0]}")]
    assert main(["query", ORCHARD, *given]) == 2
    assert capsys.readouterr().err == (
        "forebear: --evidence gives the state of every variable: nothing is left to query\n"
    )


def test_interventions(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "scab", "--do", "spraying=never") == [
        "P(scab | do(spraying=never))",
        "  clean  0.3800",
        "  light  0.2950",
        "  heavy  0.3250",
    ]
    lines = printed(capsys, "--do", "spraying=never", "-e", "winter=mild")
    assert lines[:2] == ["spraying       never (set)", "winter         mild (given)"]
    found = as_json(capsys, "scab", "--do", "spraying=never")
    assert found["do"] == {"spraying": "never"}
    assert main(["query", ORCHARD, "scab", "--do", "spraying"]) == 2
    assert "--do must be NAME=STATE" in capsys.readouterr().err


def test_an_effect(capsys: pytest.CaptureFixture[str]) -> None:
    effect = read_fitted(ORCHARD).effect("spraying", "scab")
    assert printed(capsys, "scab", "--effect-of", "spraying") == repr(effect).splitlines()
    found = as_json(capsys, "scab", "--effect-of", "spraying")
    assert found["do"] == ["spraying"]
    assert found["adjustment_set"] == ["rainfall"]
    assert found["difference"] is None
    never = found["table"][0]
    assert never["given"] == {"spraying": "never"}
    assert never["probabilities"] == pytest.approx(dict(effect["never"]))
    for wrong in ((), ("scab", "hail"), ("scab", "-e", "hail=yes"), ("scab", "--table", "scab")):
        assert main(["query", ORCHARD, *wrong, "--effect-of", "spraying"]) == 2
        assert "leave out" in (err := capsys.readouterr().err) or "requires one VARIABLE" in err


def test_a_table_of_probabilities(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "--table", "harvest")
    table = read_fitted(example_path("orchard.bif")).cpt("harvest")
    assert lines == table.to_text().splitlines()
    found = as_json(capsys, "--table", "hail")
    assert (found["variable"], found["parents"]) == ("hail", ["summer"])
    row = {"given": {"summer": "hot"}, "probabilities": {"no": 0.7, "yes": 0.3}}
    assert row in found["table"]
    assert main(["query", ORCHARD, "hail", "--table", "hail"]) == 2
    assert "leave out the other options" in capsys.readouterr().err


def test_the_most_probable_states(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "--most-probable", "-e", "harvest=poor")
    assert lines[0] == "winter         normal"
    assert "harvest        poor (given)" in lines
    assert lines[-1] == ("Joint probability given the evidence: 0.0007, the highest of all")
    found = as_json(capsys, "--most-probable", "-e", "harvest=poor")
    assert list(found) == ["do", "evidence", "states", "probability", "log_joint"]
    assert found["states"]["winter"] == "normal"
    given = ("--most-probable", "-e", "harvest=poor", "--do", "hail=yes")
    lines = printed(capsys, *given)
    assert {"hail           yes (set)", "harvest        poor (given)"} <= set(lines)
    found = as_json(capsys, *given)
    assert (found["do"], found["evidence"]) == ({"hail": "yes"}, {"harvest": "poor"})
