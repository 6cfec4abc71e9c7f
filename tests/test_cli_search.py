"""forebear search: what people type, what they see, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from forebear import Result, score_parent_sets, simulate
from forebear.cli import main
from forebear.formats.bif import write_bif

FOREBEAR = [sys.executable, "-m", "forebear"]


@pytest.fixture(autouse=True)
def _sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = simulate(12, 300, max_parents=2, seed=4)
    score_parent_sets(made.data).save("sets.cps")
    write_bif(made.network, "truth.bif")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    command = "search sets.cps --generations 5 --seed 3 --threads 2 --samples 2 --rate 0.5 --json"
    assert main([*command.split(), "-o", "found.json", "--trace", "trace.csv"]) == 0
    facts = json.loads(capsys.readouterr().out)
    for field in ("score", "seconds", "arcs", "algorithm", "seed", "winner", "stop_reason"):
        assert field in facts
    assert facts["algorithm"] == "ps-minobs"
    assert (facts["seed"], facts["stop_reason"]) == (3, "generations")
    assert Result.load("found.json").score == facts["score"]
    assert Path("trace.csv").read_text().startswith("process,seconds,generation,score\n")


def test_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["search", "sets.cps", "--generations", "3", "--seed", "1", "-o", "found.json"]) == 0
    )
    shown = capsys.readouterr().out
    assert "seed 1" in shown
    assert "all generations were made" in shown
    assert "found.json" in shown
    assert main(["search", "sets.cps", "--generations", "3", "--quiet"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("start", ["found.json", "truth.bif", "order.txt"])
def test_starts(start: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["search", "sets.cps", "--generations", "8", "--seed", "1", "-o", "found.json"])
    Path("order.txt").write_text(" ".join(map(str, range(12))))
    capsys.readouterr()
    assert main(f"search sets.cps --generations 1 --start {start} --json".split()) == 0
    score = json.loads(capsys.readouterr().out)["score"]
    if start == "found.json":
        assert score >= Result.load(start).score


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("nowhere.cps", "cannot be read"),
        ("sets.cps -o found.txt", "the extension of a network must be one of"),
        ("sets.cps -o found.bif", "there is no table to fit probabilities to"),
        ("sets.cps -o nowhere/found.json", "there is no directory"),
        ("sets.cps --algorithm annealing", "no algorithm is called 'annealing'"),
        ("sets.cps --rate 0", "rate must be in (0, 1]"),
        ("sets.cps --seconds 0", "seconds must be positive"),
        ("sets.cps --generations 0", "generations must be positive"),
        ("sets.cps --samples 0", "samples must be at least 1"),
        ("sets.cps --threads 0", "threads must be at least 1"),
        ("sets.cps --seed -1", "seed must not be negative"),
        ("sets.cps --start sets.cps", "neither a result"),
    ],
)
def test_mistakes(options: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", *options.split()]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("forebear: ")
    assert len(said.splitlines()) == 1


def test_interrupted_searches_keep_the_best_so_far() -> None:
    command = [*FOREBEAR, "search", "sets.cps", "--seconds", "60", "-o", "found.json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        assert process.stderr.readline().startswith("Search")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        shown, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "it was interrupted" in shown
    assert Result.load("found.json").stop_reason == "interrupted"


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    search = ["search", "sets.cps", "--generations", "2", "--seed", "1"]
    assert main([*search, "--report", "found.html"]) == 0
    assert "Written to found.html" in capsys.readouterr().out
    assert "<h1" in Path("found.html").read_text("utf-8")
    assert main([*search, "--report", "found.pdf"]) == 2
    assert "found.pdf: a report is written to an .html file" in capsys.readouterr().err
