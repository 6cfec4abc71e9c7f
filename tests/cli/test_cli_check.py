"""``forebear check``: valid and invalid certificates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forebear.cli import main

SEARCH = ["search", "sets.cps", "-o", "found.json", "--seed", "1", "--time-limit", "120", "-q"]


@pytest.fixture
def _proof(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "example:orchard", "-o", "sets.cps", "--max-parents", "2", "-q"]) == 0
    assert main([*SEARCH, "--certificate", "proof.cert"]) == 0
    capsys.readouterr()


@pytest.mark.usefixtures("_proof")
def test_valid_certificates(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "proof.cert", "sets.cps"]) == 0
    first, scored, second, third = capsys.readouterr().out.splitlines()
    assert first.startswith("Valid: no network scores more than -29,")
    assert first.endswith("among networks with at most 2 parents")
    assert scored == "Score: bdeu (ess 1), as stated in sets.cps"
    assert "at most 0.0000" in second
    assert third.startswith("Checked ")
    assert main(["check", "proof.cert", "example:orchard", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert (facts["valid"], facts["no_network"]) == (True, False)
    assert (facts["score_name"], facts["parameters"]) == ("bdeu", {"ess": 1.0})
    assert facts["score"] == pytest.approx(found["score"], abs=1e-9)
    assert 0 <= facts["gap_nats"] < 1e-4
    assert main(["check", "proof.cert", "example:orchard"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[1] == "Score: bdeu (ess 1), computed again from the table"
    assert main(["convert", "sets.cps", "sets.jkl", "-q"]) == 0
    assert main(["check", "proof.cert", "sets.jkl"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "Score: not stated in sets.jkl"


def test_certificates_that_no_network_exists(capsys: pytest.CaptureFixture[str]) -> None:
    """They are valid for any cost, so that a bound would be meaningless."""
    node: dict[str, object] = {"decision": None, "steps": [], "branches": [], "parts": []}
    made: dict[str, object] = {"format": "forebear certificate", "version": 1, "provenance": {}}
    made |= {"ticks": 0, "variables": ["a", "b"], "sets": 4, "cost": 7, "network": None}
    made |= {"cuts": [], "nodes": [node]}
    Path("c.jkl").write_text("2\na 1\n-1 1 b\nb 1\n-2 1 a\n")
    Path("c.cert").write_text(json.dumps(made))
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


@pytest.mark.usefixtures("_proof")
def test_statements_are_part_of_the_proof(capsys: pytest.CaptureFixture[str]) -> None:
    said = ["--ancestor", "hail->price", "--not-ancestor", "price->soil", "--save-sets", "kept.cps"]
    assert main([*SEARCH, *said, "--certificate", "known.cert"]) == 0
    capsys.readouterr()
    assert main(["check", "known.cert", "kept.cps"]) == 0
    assert capsys.readouterr().out.splitlines()[2] == (
        "The proof covers the networks in which hail is an ancestor of price, "
        "price is not an ancestor of soil"
    )


@pytest.mark.usefixtures("_proof")
def test_a_table_with_other_columns_is_not_scored(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof can be about all parent sets, of which another table may have far too many."""
    monkeypatch.delattr("forebear.cli.check.score_parent_sets")
    Path("other.csv").write_text("a,b\n0,1\n1,0\n")
    assert main(["check", "proof.cert", "other.csv"]) == 2
    error = capsys.readouterr().err
    assert "proof.cert is not a valid certificate: it is for other variables" in error


@pytest.mark.usefixtures("_proof")
def test_invalid_certificates_are_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    made = json.loads(Path("proof.cert").read_text(encoding="utf-8"))
    grown = {**made["provenance"], "grown_families": 3}
    Path("forged.cert").write_text(json.dumps({**made, "cost": made["cost"] * 2}))
    Path("text.cert").write_text("no certificate", encoding="utf-8")
    Path("grown.cert").write_text(json.dumps({**made, "provenance": grown}))
    for arguments, message in [
        ("forged.cert sets.cps", "forged.cert is not a valid certificate: "),
        ("text.cert sets.cps", "text.cert: not a certificate"),
        ("text.cert example:orchard", "text.cert: not a certificate"),
        ("none.cert sets.cps", "none.cert: there is no such file"),
        ("grown.cert example:orchard", "pass the parent sets that --save-sets writes"),
    ]:
        assert main(["check", *arguments.split()]) == 2
        assert message in capsys.readouterr().err


def test_tables_are_read_with_options(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{a},{b},{2 + 9 * (a == b)}" for a in range(2) for b in range(2)]
    Path("table.csv").write_text("\n".join(["a,b,count", *rows]))
    options = ["table.csv", "--weights", "count"]
    assert main(["certify", *options, "--certificate", "proof.cert", "-q"]) == 0
    assert main(["check", "proof.cert", *options]) == 0
    assert capsys.readouterr().out.startswith("Valid: ")


@pytest.mark.parametrize("sets", ["sets.cps", "sets.jkl"])
def test_a_prior_that_the_search_added(sets: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "example:orchard", "-o", sets, "--max-parents", "2", "-q"]) == 0
    prior = ["--prior", "sparse", "--certificate", "proof.cert"]
    assert main([*SEARCH[:1], sets, *SEARCH[2:], *prior]) == 0
    capsys.readouterr()
    assert main(["check", "proof.cert", sets, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert facts["score"] == pytest.approx(found["score"], abs=1e-6)
    assert facts["log_prior"] == pytest.approx(found["log_prior"])
    content = json.loads(Path("proof.cert").read_text())
    Path("forged.cert").write_text(json.dumps({**content, "prior": 0.1}))
    assert main(["check", "forged.cert", sets]) == 2


def test_other_priors_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    score = ["score", "example:orchard", "--max-parents", "2", "-q", "-o"]
    assert main([*score, "sets.cps", "--prior", "0.1"]) == 0
    assert main([*SEARCH, "--certificate", "proof.cert"]) == 0
    assert main([*score, "others.cps", "--prior", "0.2"]) == 0
    assert main(["check", "proof.cert", "others.cps"]) == 2
    # Files that were converted include the prior.
    assert main(["convert", "sets.cps", "sets.jkl", "-q"]) == 0
    assert main(["check", "proof.cert", "sets.jkl"]) == 0
