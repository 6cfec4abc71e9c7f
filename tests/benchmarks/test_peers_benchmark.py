"""The benchmark beside others: what it makes of their networks, of cuts and of failures."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest
from common.library_searches import CAUSAL_LEARN
from peer_runs import programs
from peer_runs.runs import Bench, Ours, Run
from waiting import PATIENCE

from forebear import Network, score_network
from forebear.network.simulation import simulate

ARCS = [("X1", "X2"), ("X1", "X3"), ("X2", "X3")]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    data = simulate(4, 60, seed=3).data
    return Bench("small", data, tmp_path, seconds=1.0, patience=PATIENCE, seed=1)


def fake(path: Path, body: str) -> Path:
    """Write a program in Python."""
    path.write_text(f"#!{sys.executable}\nimport pathlib, signal, sys\n{dedent(body)}")
    path.chmod(0o755)
    return path


def scored(bench: Bench, arcs: list[tuple[str, str]]) -> float:
    return score_network(Network.from_arcs(bench.data.names, arcs), bench.data, "bdeu")


MINOBS = """
    sets, seconds, seed, progress = sys.argv[1:]
    assert float(seconds) == 1.0 and pathlib.Path(sets).read_text().startswith("4\\n0 ")
    pathlib.Path(progress).write_text("BEST\\nTime (ms)\\tScore\\n12\\t99\\n3 0 1 2 \\n250\\t98\\n")
    for line in ("0\\t{ }", "1\\t{ 0 }", "2\\t{ 0 1 }", "3\\t{ }"):
        v, parents = line.split("\\t")
        print(f"Ordering[{v}]\\t= {v}\\tScore:\\t5\\tParents:\\t{parents}\\tValid: 1")
"""
GOBNILP = """
    form, settings, sets = sys.argv[1:]
    assert form == "-f=jkl" and pathlib.Path(sets).exists()
    lines = pathlib.Path(settings.removeprefix("-g=")).read_text().splitlines()
    told = dict(line.split(" = ") for line in lines)
    assert told["limits/time"] == "1"
    pathlib.Path(told["gobnilp/outputfile/solution"].strip('"')).write_text(
        "0<- -7.1\\n1<-0, -3.5\\n2<-0,1, -2.25\\n3<- -1.0\\nBN score is -13.85\\n"
    )
"""
BLIP = """
    options = dict(zip(sys.argv[5::2], sys.argv[6::2]))
    assert sys.argv[2:5] == ["-jar", "blip.jar", "solver.winasobs.adv"]
    assert options["-t"] == "1" and options["-b"] == "1"
    assert pathlib.Path(options["-d"]).read_text().startswith("X1 X2 X3 X4\\n")
    print("New improvement! -15.00000 (after 0.1 s.)\\nNew improvement! -13.85 (after 0.3 s.)")
    pathlib.Path(options["-r"]).write_text(
        "0: -7.10 \\n1: -3.50  (0)\\n2: -2.25  (0,1)\\n3: -1.00 \\n\\nScore: -13.85 \\n"
    )
"""


@pytest.mark.parametrize(
    ("program", "body", "found"),
    [
        (programs.MINOBS, MINOBS, 0.25),
        (programs.GOBNILP, GOBNILP, None),
        (programs.BLIP, BLIP, 0.3),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_program_is_called_and_read_as_documented(
    bench: Bench,
    program: programs.Program,
    body: str,
    found: float | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = fake(tmp_path / "java", body)
    if program is programs.BLIP:  # a jar, which java runs
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
        path = Path("blip.jar")
    run = bench.run_program(program, path, max_parents=2)
    assert (run.note, run.found, run.arcs, run.most_parents) == ("", found, 3, 2)
    assert run.score == pytest.approx(scored(bench, ARCS))
    assert run.memory > 1_000_000


def test_a_late_program_is_cut_off_and_a_broken_one_named(bench: Bench, tmp_path: Path) -> None:
    hurried = replace(bench, seconds=0.1, patience=2.0)
    late = hurried.run_program(
        programs.GOBNILP, fake(tmp_path / "late", "signal.pause()"), max_parents=1
    )
    assert (late.note, late.score) == ("cut off", None)
    broken = bench.run_program(
        programs.GOBNILP, fake(tmp_path / "broken", "sys.exit('no licence')"), max_parents=1
    )
    assert (broken.note, broken.score) == ("failed (1): no licence", None)


LIBRARY = """
    import signal
    import numpy as np
    class Graph: ...
    def ges(codes, score_func, node_names):
        assert codes.shape == (60, 4) and score_func == "local_score_BDeu"
        {body}
        graph = Graph()
        graph.graph = np.zeros((4, 4))
        for a, b in ((0, 1), (0, 2), (1, 2)):
            graph.graph[a, b], graph.graph[b, a] = -1, 1
        return {{"G": graph}}
    def pdag2dag(graph):
        return graph
"""


@pytest.mark.parametrize(("body", "note"), [("", ""), ("signal.pause()", "cut off")])
def test_a_library_runs_under_its_python(
    bench: Bench, body: str, note: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package, module in (("search.ScoreBased", "GES"), ("utils", "PDAG2DAG")):
        folder = tmp_path.joinpath("fakes", "causallearn", *package.split("."))
        folder.mkdir(parents=True)
        (folder / f"{module}.py").write_text(dedent(LIBRARY.format(body=body)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "fakes"), prepend=os.pathsep)
    run = bench.run_library(CAUSAL_LEARN, Path(sys.executable), "0.1")
    assert (run.note, run.own_score) == (note, "BDeu and a structure prior")
    assert run.score == (None if note else pytest.approx(scored(bench, ARCS)))


def test_another_is_told_beside_ours() -> None:
    own = Run("small", 4, 60, "forebear", "1", "BDeu", 2.0, 10, found=1.0, score=-90.0)
    ours = Ours(own, [(0.2, -120.0), (0.5, -100.0), (1.0, -90.0)], 2)
    other = replace(own, program="other", seconds=4.0, found=None, score=-100.0)
    told = ours.beside(other)
    assert (told.behind, told.reached, told.ratio) == (-10.0, 0.5, 8.0)
    assert ours.beside(replace(other, found=0.1)).ratio == 0.2
    better = ours.beside(replace(other, score=-80.0))
    assert (better.behind, better.reached, better.ratio) == (10.0, None, None)
    nothing = replace(other, score=None, note="cut off")
    assert ours.beside(nothing) == nothing
