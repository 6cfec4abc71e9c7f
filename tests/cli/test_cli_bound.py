"""forebear bound: what people type, what they see, and how it ends."""

from __future__ import annotations

import json

import pytest

from forebear import Result, find_network, score_parent_sets, simulate
from forebear.cli import main


@pytest.fixture(autouse=True)
def _sets() -> None:
    sets = score_parent_sets(simulate(12, 300, max_parents=2, seed=4).data)
    sets.save("sets.cps")
    find_network(sets, generations=20, seed=1, threads=1, certify=False).save("found.json")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bound", "sets.cps", "--time-limit", "120", "--threads", "1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert set(facts) == {"bound", "seconds", "clusters", "stop_reason"}
    assert facts["stop_reason"] == "optimal"
    score = Result.load("found.json").score
    assert score <= facts["bound"]
    assert main(f"bound sets.cps --score {score!r} --json".split()) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["score"] == score
    assert facts["gap"] == pytest.approx(0.0, abs=1e-9)
    assert facts["sets_left"] > 0


def test_a_score_that_no_network_reaches(capsys: pytest.CaptureFixture[str]) -> None:
    score = Result.load("found.json").score
    assert main(f"bound sets.cps --score {score + 2.0!r}".split()) == 0
    shown = capsys.readouterr().out
    assert f"No network of these parent sets scores {score + 2.0:,.4f} or more" in shown
    for above, reached in ((2.0, False), (0.0, True)):
        assert main(f"bound sets.cps --score {score + above!r} --json".split()) == 0
        assert json.loads(capsys.readouterr().out)["reached"] is reached


def test_a_result_with_its_bound(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bound", "sets.cps", "--result", "found.json", "-o", "proven.json"]) == 0
    shown = capsys.readouterr().out
    assert "No network scores more than" in shown
    assert "no network is better" in shown
    assert "proven.json" in shown
    before, after = Result.load("found.json"), Result.load("proven.json")
    assert before.bound is None
    assert after.bound is not None
    assert after.bound >= after.score == before.score
    assert after.gap == pytest.approx(0.0, abs=1e-9)
    assert main(["bound", "sets.cps", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
