"""``forebear search``: options, output and files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from forebear import Result, score_parent_sets, simulate
from forebear.cli import main
from forebear.network.formats.bif import write_bif


@pytest.fixture(autouse=True)
def _sets() -> None:
    made = simulate(12, 300, max_parents=2, seed=4)
    score_parent_sets(made.data).save("sets.cps")
    write_bif(made.network, "truth.bif")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    command = "search sets.cps --generations 5 --seed 3 --threads 2 --chains 2 --rate 0.5 --json"
    assert main([*command.split(), "--no-certify", "-o", "found.json", "--trace", "trace.csv"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["algorithm"] == "ps-minobs"
    assert (facts["seed"], facts["stop_reason"]) == (3, "generations")
    assert Result.load("found.json").score == facts["score"]
    assert Path("trace.csv").read_text().startswith("chain,seconds,generation,score\n")
    assert main([*command.split()[:-1], "--no-certify", "--quiet"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("start", ["found.json", "truth.bif", "order.txt"])
def test_initial_solutions(start: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["search", "sets.cps", "--generations", "8", "--seed", "1", "-o", "found.json"])
    Path("order.txt").write_text(" ".join(map(str, range(12))))
    capsys.readouterr()
    assert main(f"search sets.cps --generations 1 --start {start} --json".split()) == 0
    score = json.loads(capsys.readouterr().out)["score"]
    if start == "found.json":
        assert score >= Result.load(start).score


def test_summary(capsys: pytest.CaptureFixture[str]) -> None:
    search = "search sets.cps --algorithm exact --seed 1 --report found.html"
    assert main(search.split()) == 0
    shown = capsys.readouterr().out
    assert "Proven   optimal among networks" in shown
    assert re.search(r"Time .* s: .*\(exact, seed 1\)", shown)
    assert "Saved    found.html" in shown
    page = Path("found.html").read_text("utf-8")
    assert "<h1" in page
    assert "This report was written without the table" in page


def test_k_best(capsys: pytest.CaptureFixture[str]) -> None:
    command = "search sets.cps --algorithm exact --k-best 3 -o best.json -o best.dot"
    assert main(command.split()) == 0
    shown = capsys.readouterr().out
    assert "    3. -" in shown
    assert "Saved    best-1.json to best-3.json, best-1.dot to best-3.dot" in shown
    scores = [Result.load(f"best-{number}.json").score for number in (1, 2, 3)]
    assert scores == sorted(scores, reverse=True)
    assert Path("best-3.dot").exists()
    assert main(["search", "sets.cps", "--algorithm", "exact", "--k-best", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == pytest.approx(scores)
