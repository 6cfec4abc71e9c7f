"""forebear check: what it says of a valid certificate, and of one that is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forebear.cli import main

SEARCH = ["search", "sets.cps", "-o", "found.json", "--seed", "1", "--time-limit", "120", "-q"]


@pytest.fixture(autouse=True)
def _proof() -> None:
    assert main(["score", "example:orchard", "-o", "sets.cps", "--max-parents", "2", "-q"]) == 0
    assert main([*SEARCH, "--certificate", "proof.cert"]) == 0


def test_valid_certificates(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["check", "proof.cert", "sets.cps"]) == 0
    first, scored, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith("Valid: no network scores more than -29,")
    assert first.endswith("among networks with at most 2 parents")
    assert scored == "Score: bdeu (ess 1), as stated in sets.cps"
    assert "at most 0.0000" in second
    assert third.startswith("Checked ")


def test_the_sets_are_scored_again_from_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["check", "proof.cert", "example:orchard", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert facts["valid"] is True
    assert facts["no_network"] is False
    assert (facts["score_name"], facts["parameters"]) == ("bdeu", {"ess": 1.0})
    assert facts["score"] == pytest.approx(found["score"], abs=1e-9)
    assert 0 <= facts["gap_nats"] < 1e-4
    assert main(["check", "proof.cert", "example:orchard"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[1] == "Score: bdeu (ess 1), computed again from the table"
    assert main(["convert", "sets.cps", "sets.jkl", "-q"]) == 0
    assert main(["check", "proof.cert", "sets.jkl"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[1] == "Score: not stated in sets.jkl"


def test_certificates_that_no_network_exists(capsys: pytest.CaptureFixture[str]) -> None:
    """They are valid whatever the cost, so that the bound would mean nothing."""
    node: dict[str, object] = {"decision": None, "steps": [], "branches": [], "parts": []}
    made: dict[str, object] = {
        "format": "forebear certificate",
        "version": 1,
        "provenance": {},
        "ticks": 0,
    }
    made |= {"variables": ["a", "b"], "sets": 4, "cost": 7, "network": None}
    made |= {"cuts": [], "nodes": [node]}
    Path("c.jkl").write_text("2\na 1\n-1 1 b\nb 1\n-2 1 a\n")
    Path("c.cert").write_text(json.dumps(made))
    capsys.readouterr()
    assert main(["check", "c.cert", "c.jkl"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Valid: there is no network of these parent sets",
        "Checked 1 node and 0 cuts",
    ]
    Path("s.jkl").write_text("2\na 2\n-1 1 b\n-2 0\nb 2\n-2 1 a\n-3 0\n")
    made["statements"] = {"before": [[0, 1]], "ancestors": [[1, 0]]}
    Path("s.cert").write_text(json.dumps(made))
    assert main(["check", "s.cert", "s.jkl"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        "Valid: no network of these parent sets satisfies all statements: "
        "a comes before b, b is an ancestor of a"
    )
    assert main(["check", "s.cert", "s.jkl", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["no_network"], facts["bound"]) == (True, None)


def test_statements_are_part_of_the_proof(capsys: pytest.CaptureFixture[str]) -> None:
    said = ["--ancestor", "hail->price", "--not-ancestor", "price->soil", "--save-sets", "kept.cps"]
    assert main([*SEARCH, *said, "--certificate", "known.cert"]) == 0
    capsys.readouterr()
    assert main(["check", "known.cert", "kept.cps"]) == 0
    _, _, about, *_ = capsys.readouterr().out.splitlines()
    assert about == (
        "This is about the networks in which hail is an ancestor of price, "
        "price is not an ancestor of soil"
    )
    assert main(["check", "known.cert", "kept.cps", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["statements"]) == 2


def test_what_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    made = json.loads(Path("proof.cert").read_text(encoding="utf-8"))
    forged = {**made, "cost": made["cost"] * 2}
    Path("forged.cert").write_text(json.dumps(forged), encoding="utf-8")
    assert main(["check", "forged.cert", "sets.cps"]) == 2
    assert "forged.cert is refused: " in capsys.readouterr().err
    Path("text.cert").write_text("no certificate", encoding="utf-8")
    assert main(["check", "text.cert", "sets.cps"]) == 2
    assert "text.cert is refused: it is not well formed" in capsys.readouterr().err
    assert main(["check", "text.cert", "example:orchard"]) == 2
    assert "text.cert: this is not a certificate" in capsys.readouterr().err
    assert main(["check", "none.cert", "sets.cps"]) == 2
    assert "none.cert: there is no such file" in capsys.readouterr().err
    grown = {**made, "provenance": {**made["provenance"], "grown_families": 3}}
    Path("grown.cert").write_text(json.dumps(grown), encoding="utf-8")
    assert main(["check", "grown.cert", "example:orchard"]) == 2
    assert "pass the file of the sets, which --save-sets keeps" in capsys.readouterr().err
