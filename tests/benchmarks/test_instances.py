"""The library of instances: complete, consistent, and checked by code of its own."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import instances
import numpy as np
import pytest
from common import rescoring
from common.library import (
    NETWORKS,
    PUBLISHED,
    Instance,
    Problem,
    checksum,
    chosen,
    find_instance,
    read_library,
)
from hypothesis import given
from samples import SHARED
from strategies import problems

from forebear import (
    Dataset,
    Network,
    find_network,
    read_network,
    score_network,
    score_parent_sets,
    simulate,
    write_network,
)

LIBRARY = read_library()


def test_every_instance_is_complete() -> None:
    used = set()
    for one in LIBRARY.values():
        assert re.fullmatch(r"[0-9a-f]{64}", one.sha256)
        assert one.source.startswith("https://")
        assert one.problems
        for problem in one.problems:
            used.add(problem.network)
            assert read_network(NETWORKS / problem.network).n_variables == one.variables
            assert problem.bound is None or problem.bound >= problem.best - 1e-3
            assert (problem.bound is None) == (problem.bound_by is None)
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", problem.found)
            assert (problem.score == PUBLISHED) == one.is_collection
            assert problem.label
    assert used == {path.name for path in NETWORKS.iterdir()}


@pytest.mark.slow
def test_the_networks_have_the_scores_stated() -> None:
    checked = 0
    for one in LIBRARY.values():
        content, _ = find_instance(one, SHARED) if SHARED.is_dir() else (None, "")
        if content is None:
            continue
        for problem in one.problems:
            checked += 1
            assert instances.check_problem(one, problem, content) is None
    if not checked:
        pytest.skip("the files of the library are not on this machine")


def seen(data: Dataset) -> Dataset:
    """Leave out states that do not occur, as in a text file."""
    columns = [np.unique(codes, return_inverse=True) for codes in data.codes]
    states = tuple(
        tuple(own[k] for k in found) for (found, _), own in zip(columns, data.states, strict=True)
    )
    codes = np.array([inverse for _, inverse in columns], dtype=np.uint8)
    return Dataset(codes, tuple(map(str, range(data.n_variables))), states)


@given(problems())
def test_scores_agree_with_those_of_forebear(problem: tuple[Network, Dataset]) -> None:
    network, data = problem
    table = seen(data)
    index = {name: v for v, name in enumerate(data.names)}
    parents = {
        str(index[name]): tuple(str(index[network.names[p]]) for p in own)
        for name, own in zip(network.names, network.parents, strict=True)
    }
    names = tuple(str(index[name]) for name in network.names)
    for score in ("bdeu", "bic"):
        ours = rescoring.score_of_rows(
            parents, table.codes.T.astype(np.int64), score, two_states=False
        )
        theirs = score_network(Network(names, network.parents), table, score)
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Instance]:
    """Make a library of a table and of a collection, with their files."""
    monkeypatch.setattr(instances, "NETWORKS", tmp_path)
    drawn = simulate(5, 90, states=(2, 2), seed=2).data
    rows = "".join(",".join(map(str, row)) + "\n" for row in drawn.codes.T.tolist()).encode()
    (tmp_path / "small.data.gz").write_bytes(gzip.compress(rows))
    sets = score_parent_sets(tmp_path / "small.data.gz", max_parents=2)
    found = find_network(sets, algorithm="exact", seed=1)
    write_network(found.network, tmp_path / "small.edges.csv")
    sets.save(tmp_path / "sets.jkl")
    listed = (tmp_path / "sets.jkl").read_bytes()
    (tmp_path / "sets.jkl").write_bytes(b"# a comment\n" + listed)  # it does not count
    problem = Problem("bdeu", found.score, "small.edges.csv", "forebear", "2026-01-01", 2)
    table = Instance("small", "", "small.data", "", "", 5, (problem,), rows=90)
    published = replace(problem, score=PUBLISHED, max_parents=None)
    collection = Instance("sets", "", "sets.jkl", "", "", 5, (published,))
    contents = ((table, rows), (collection, listed))
    return [replace(one, sha256=checksum(one, content)) for one, content in contents]


def test_right_scores_pass(
    made: list[Instance], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert instances.check(made, tmp_path) == 0
    assert capsys.readouterr().out.endswith("2 scores checked, 0 wrong\n")
    assert instances.check([], tmp_path) == 1
    with pytest.raises(SystemExit, match="there is no instance 'x'"):
        list(chosen(LIBRARY, ["x"]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"best": -1.0}, "is stated"),
        ({"bound": -1e9, "bound_by": "us"}, "more than the bound"),
        ({"max_parents": 0}, "a variable has"),
        ({"network": "cycle.csv"}, "has a cycle"),
        ({"network": "short.csv"}, "has 2 variables instead of 5"),
        ({"sha256": "0" * 64}, "small.data.gz has another checksum"),
        ({"file": "none.data"}, "no none.data in"),
    ],
)
def test_wrong_statements_are_found(
    made: list[Instance],
    change: dict[str, Any],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "cycle.csv").write_text("from,to\n0,1\n1,2\n2,0\n3,\n4,\n")
    (tmp_path / "short.csv").write_text("from,to\n0,1\n")
    one = made[0]
    if change.keys() <= Instance.__dataclass_fields__.keys():
        wrong = replace(one, **change)
    else:
        wrong = replace(one, problems=(replace(one.problems[0], **change),))
    assert instances.check([wrong], tmp_path) == 1
    assert message in capsys.readouterr().out
