"""``forebear bound``: options, output and files."""

from __future__ import annotations

import json

import pytest

from forebear import Result, find_network, score_parent_sets, simulate
from forebear.cli import main


def test_bounds_with_and_without_a_score_or_result(capsys: pytest.CaptureFixture[str]) -> None:
    sets = score_parent_sets(simulate(12, 300, max_parents=2, seed=4).data)
    sets.save("sets.cps")
    found = find_network(sets, generations=20, seed=1, threads=1, certify=False)
    found.save("found.json")
    assert main(["bound", "sets.cps", "--time-limit", "120", "--threads", "1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert set(facts) == {"bound", "seconds", "clusters", "stop_reason"}
    assert facts["stop_reason"] == "optimal"
    assert found.score <= facts["bound"]
    for above, reached in ((0.0, True), (2.0, False)):
        command = f"bound sets.cps --score {found.score + above!r}"
        assert main([*command.split(), "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["reached"] is reached
    assert main(command.split()) == 0
    shown = capsys.readouterr().out
    assert f"No network of these parent sets scores {found.score + 2.0:,.4f} or more" in shown
    assert main(["bound", "sets.cps", "--result", "found.json", "-o", "proven.json"]) == 0
    shown = capsys.readouterr().out
    assert "No network scores more than" in shown
    assert "proven optimal" in shown
    assert shown.endswith("Written to proven.json\n")
    after = Result.load("proven.json")
    assert after.bound is not None
    assert after.bound >= after.score == found.score
    assert main(["bound", "sets.cps", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
