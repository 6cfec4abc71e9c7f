"""forebear search: what people type, what they see, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from expected import refuse
from strategies import random_parent_sets
from waiting import PATIENCE, wait_for_a_network

from forebear import Knowledge, Result, score_parent_sets, simulate
from forebear.cli import main
from forebear.cli._support.kbest import numbered
from forebear.data.examples import example_path
from forebear.learning.algorithms import ALGORITHMS
from forebear.network.files import read_network
from forebear.network.formats.bif import write_bif

FOREBEAR = [sys.executable, "-m", "forebear"]


@pytest.fixture(autouse=True)
def _sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = simulate(12, 300, max_parents=2, seed=4)
    score_parent_sets(made.data).save("sets.cps")
    write_bif(made.network, "truth.bif")


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    command = "search sets.cps --generations 5 --seed 3 --threads 2 --chains 2 --rate 0.5 --json"
    assert main([*command.split(), "--no-certify", "-o", "found.json", "--trace", "trace.csv"]) == 0
    facts = json.loads(capsys.readouterr().out)
    for field in ("score", "seconds", "arcs", "algorithm", "seed", "winner", "stop_reason"):
        assert field in facts
    assert facts["algorithm"] == "ps-minobs"
    assert (facts["seed"], facts["stop_reason"]) == (3, "generations")
    assert Result.load("found.json").score == facts["score"]
    assert Path("trace.csv").read_text().startswith("chain,seconds,generation,score\n")


def test_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    command = "search sets.cps --generations 3 --seed 1 --no-certify -o found.json"
    assert main(command.split()) == 0
    shown = capsys.readouterr().out
    assert "seed 1" in shown
    assert re.search(r"Time .* s, generation limit", shown)
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
        ("nowhere.cps", "there is no such file"),
        ("sets.cps -o found.txt", "the extension of a network must be one of"),
        ("sets.cps -o found.bif", "there is no table to fit probabilities to"),
        ("sets.cps -o nowhere/found.json", "there is no directory"),
        ("sets.cps --algorithm annealing", "--algorithm must be one of ps-minobs, "),
        ("sets.cps --rate 0", "--rate must be positive, got 0"),
        ("sets.cps --rate 1.5", "--rate must be in (0, 1], got 1.5"),
        ("nowhere.cps --time-limit 0", "--time-limit must be positive, got 0"),
        ("nowhere.cps --idle-limit 0", "--idle-limit must be positive, got 0"),
        ("nowhere.cps --generations 0", "--generations must be at least 1, got 0"),
        ("nowhere.cps --chains 0", "--chains must be at least 1, got 0"),
        ("nowhere.cps --threads 0", "--threads must be at least 1, got 0"),
        ("nowhere.cps --seed -1", "--seed must be at least 0, got -1"),
        ("sets.cps --k-best 3", "--k-best needs --algorithm exact"),
        ("sets.cps --classes", "--classes needs --k-best"),
        ("sets.cps --algorithm exact --k-best 0", "--k-best must be at least 1, got 0"),
        (
            "sets.cps --algorithm exact --k-best 2 --target -3",
            "--k-best cannot be combined with --target",
        ),
        ("sets.cps --algorithm exact --k-best 2 -o nowhere/a.json", "there is no directory"),
        (
            "sets.cps --algorithm exact --method no",
            "--method must be one of auto, dynamic, branch-and-cut, got 'no'",
        ),
        (
            "sets.cps --algorithm exact --generations 3",
            "ends with its proof or by --time-limit: leave --generations out",
        ),
        ("sets.cps --start sets.cps", "neither a result"),
    ],
)
def test_mistakes(options: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", *options.split()]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("forebear: ")
    assert len(said.splitlines()) == 1


@pytest.mark.slow
def test_interrupted_searches_keep_the_best_so_far() -> None:
    command = [*FOREBEAR, "search", "sets.cps", "--time-limit", "600", "-o", "found.json"]
    kept = ["--no-certify", "--checkpoint", "state"]
    with subprocess.Popen([*command, *kept], text=True, stdout=subprocess.PIPE) as process:
        wait_for_a_network(Path("state"))
        process.send_signal(signal.SIGINT)
        shown, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert re.search("Time .*, interrupted", shown)
    assert Result.load("found.json").stop_reason == "interrupted"


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    search = ["search", "sets.cps", "--generations", "2", "--seed", "1"]
    assert main([*search, "--report", "found.html"]) == 0
    assert "Written  found.html; open the page in a browser" in capsys.readouterr().out
    page = Path("found.html").read_text("utf-8")
    assert "<h1" in page
    assert "This report was made without the table" in page
    assert main([*search, "--report", "found.pdf"]) == 2
    assert "found.pdf: a report is written to an .html file" in capsys.readouterr().err


def test_exact(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "sets.cps", "--algorithm", "exact", "-o", "best.json"]) == 0
    assert "Proven   no network scores higher, among networks" in capsys.readouterr().out
    assert Result.load("best.json").status == "optimal"
    assert main(["search", "sets.cps", "--algorithm", "exact", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["status"], facts["stop_reason"]) == ("optimal", "optimal")


def test_bounds_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    random_parent_sets(40, 1000, seed=1).save("hard.cps")
    assert main(["search", "hard.cps", "--algorithm", "exact", "--time-limit", "1"]) == 0
    shown = capsys.readouterr().out
    assert "Proven   no network scores more than -" in shown
    assert "the gap is " in shown


def test_k_best(capsys: pytest.CaptureFixture[str]) -> None:
    command = "search sets.cps --algorithm exact --k-best 3 -o best.json -o best.dot"
    assert main(command.split()) == 0
    shown = capsys.readouterr().out
    assert "    3. -" in shown
    assert "Written  best-1.json to best-3.json, best-1.dot to best-3.dot" in shown
    scores = [Result.load(f"best-{number}.json").score for number in (1, 2, 3)]
    assert scores == sorted(scores, reverse=True)
    assert Path("best-3.dot").exists()
    assert main(["search", "sets.cps", "--algorithm", "exact", "--k-best", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == pytest.approx(scores)


def test_k_best_classes(capsys: pytest.CaptureFixture[str]) -> None:
    command = "search sets.cps --algorithm exact --k-best 3 --classes -o best.json --quiet"
    assert main(command.split()) == 0
    best = [Result.load(f"best-{number}.json") for number in (1, 2, 3)]
    assert best[0].score >= best[1].score >= best[2].score
    classes = {result.network.cpdag() for result in best}
    assert len(classes) == 3
    capsys.readouterr()


def test_knowledge_of_given_sets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "sets.cps", "-o", "free.json", "--seed", "1", "--quiet"]) == 0
    free = Result.load("free.json").network
    parent, child = free.arc_names[0]
    Path("dag.txt").write_text(f"~{child}<-{parent}\n")
    for algorithm in ("ps-minobs", "exact"):
        options = f"--knowledge dag.txt --algorithm {algorithm} --seed 1 --quiet"
        assert main(f"search sets.cps -o known.json {options}".split()) == 0
        assert (parent, child) not in Result.load("known.json").network.arc_names
    capsys.readouterr()


def test_every_kind_of_knowledge_is_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "sets.cps", "-o", "free.json", "--seed", "1", "--quiet"]) == 0
    (a, b), (c, d), *_, (e, f) = Result.load("free.json").network.arc_names
    pairs = {
        "forbidden": (b, a),
        "ancestors": (a, b),
        "not_ancestors": (d, c),
        "before": (c, d),
        "adjacent": (e, f),
    }
    said = Knowledge(**{kind: [pair] for kind, pair in pairs.items()})  # type: ignore[arg-type]
    options = ["--forbid", f"{b}->{a}", "--ancestor", f"{a}->{b}", "--not-ancestor", f"{d}->{c}"]
    options += ["--before", f"{c}->{d}", "--adjacent", f"{e}--{f}", "--seed", "1", "--quiet"]
    assert main(["search", "sets.cps", "-o", "known.json", *options]) == 0
    assert said.violations(Result.load("known.json")) == []
    Path("dag.txt").write_text(f"~{a}<-{b}\n{a}=>{b}\n~{d}=>{c}\n{c}<{d}\n{e}--{f}\n")
    read = Knowledge.read("dag.txt")
    assert {one[:3] for one in read.statements} == {one[:3] for one in said.statements}
    file = ["--knowledge", "dag.txt", "--algorithm", "exact", "--seed", "1", "--quiet"]
    assert main(["search", "sets.cps", "-o", "read.json", *file]) == 0
    both = [Result.load(name).score for name in ("known.json", "read.json")]
    assert both[0] == pytest.approx(both[1])
    capsys.readouterr()
    assert main(["search", "sets.cps", "--adjacent", f"{a}->{b}"]) == 2
    assert '--adjacent takes a pair such as "A--B", got' in capsys.readouterr().err
    assert main(["search", "sets.cps", "--ancestor", f"{a}--{b}"]) == 2
    assert '--ancestors takes a pair such as "A->B", got' in capsys.readouterr().err


def test_numbered_files() -> None:
    assert numbered(Path("a/best.json"), 2) == Path("a/best-2.json")
    assert numbered(Path("best.v1.bif.gz"), 10) == Path("best.v1-10.bif.gz")
    assert numbered(Path("-"), 2) == Path("-")


ORCHARD = "example:orchard.bif"


def test_search_starts_from_a_list_of_arcs(capsys: pytest.CaptureFixture[str]) -> None:
    """Its variables may be in another order; other variables are refused."""
    assert main(["score", "example:orchard", "-o", "o.cps", "--max-parents", "2", "-q"]) == 0
    assert main(["convert", ORCHARD, "o.edges.csv", "-q"]) == 0
    assert read_network("o.edges.csv").names != read_network(example_path("orchard.bif")).names
    command = "search o.cps --generations 1 --seed 1 --threads 1 -q --start"
    assert main([*command.split(), "o.edges.csv"]) == 0
    assert (
        "in the network given as --start are not among the parent sets" in capsys.readouterr().err
    )
    Path("other.edges.csv").write_text("from,to\na,b\n")
    refuse(capsys, f"{command} other.edges.csv", "the network given as --start has other variables")


@pytest.mark.parametrize(
    "command",
    [
        *(f"search c.jkl -o r.json --algorithm {name}" for name in ALGORITHMS),
        "search c.jkl -o r.json --algorithm exact --k-best 2",
        "bound c.jkl",
    ],
)
def test_sets_without_a_network_are_refused(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The only set of each variable has the other in it."""
    Path("c.jkl").write_text("2\na 1\n-1 1 b\nb 1\n-2 1 a\n")
    message = "there is no network of these parent sets: each allowed parent set of a, b contains"
    refuse(capsys, command, message)
