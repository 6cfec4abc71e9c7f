"""Forged and absurd files, each of which once caused more than an error message."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from fuzz_forge import open_native, seal_native

from forebear import (
    Dataset,
    FileError,
    ForebearError,
    ParentSets,
    Result,
    find_network,
    read_network,
    score_parent_sets,
    simulate,
)
from forebear._util import text_files
from forebear.cli import main
from forebear.data.formats import text_stream
from forebear.parentsets.cps import write_cps
from forebear.search.space import SearchSpace


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    data = simulate(6, 200, states=(2, 2), seed=1).data
    return score_parent_sets(data, max_parents=2, score="ll")


# ---- native files ----------------------------------------------------------------------

SHAPES: list[Any] = [[-1], [2**62], [3, 1], ["3"], None, {}, [10**30], [float("inf")]]


@pytest.mark.parametrize(
    "change",
    [
        lambda header, about: about["checksums"].pop("scores"),
        lambda header, about: about["checksums"].update(more="0" * 16),
        lambda header, about: about["names"].__setitem__(0, "\ud800"),
        lambda header, about: about["names"].__setitem__(0, about["names"][1]),
        *(lambda header, about, s=shape: header["scores"].update(shape=s) for shape in SHAPES),
    ],
)
def test_forged_native_files(change: Any, sets: ParentSets, tmp_path: Path) -> None:
    path = tmp_path / "sets.cps"
    write_cps(sets, path)
    header, about, arrays = open_native(path.read_bytes())
    path.write_bytes(seal_native(header, about, arrays))
    ParentSets.load(path)  # so that it is the change, and not the forging
    change(header, about)
    path.write_bytes(seal_native(header, about, arrays))
    with pytest.raises(FileError):
        ParentSets.load(path)


def test_scores_that_do_not_add_up(tmp_path: Path) -> None:
    path = tmp_path / "sets.jkl"
    path.write_text("2\nA 1\n1e308 0\nB 1\n1e308 0\n")
    with pytest.raises(ForebearError, match=r"scores beyond 2.7e\+303 cannot be added up"):
        SearchSpace(ParentSets.load(path))
    path.write_text("2\nA 1\n-1e100 1 B\nB 1\n-3 0\n")  # A without B is not allowed
    assert find_network(ParentSets.load(path), generations=1, seed=1).score == -1e100


# ---- results ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"score": "-1"},
        {"score": 10**400},
        {"score": float("nan")},
        {"seconds": float("inf")},
        {"seed": 1.5},
        {"winner": 2**40},
        {"variables": [1, 2, 3, 4, 5, 6]},
        {"variables": ["\ud800", "b", "c", "d", "e", "f"]},
        {"choices": []},
        {"phases": [1]},
        {"settings": {"a": [[[[[[[[[[[[[1]]]]]]]]]]]]]}},
        {"trace": [[1, 0.5, 2**70, -1.0]]},
    ],
    ids=lambda change: str(change)[:40],
)
def test_results_that_are_none(change: dict[str, Any], sets: ParentSets, tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    find_network(sets, generations=1, seed=2**70).save(path)
    fields = json.loads(path.read_text())
    path.write_text(json.dumps(fields))
    assert Result.load(path).seed == 2**70
    path.write_text(json.dumps({**fields, **change}))
    with pytest.raises(FileError, match=r"not a result|result is damaged"):
        Result.load(path)


def test_facts_of_other_programs_are_shown_as_they_are(
    sets: ParentSets, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sets.cps"
    odd = {"rows": "many", "arities": 7, "parameters": ["ess"], "families": None}
    write_cps(ParentSets(sets.names, sets.offsets, sets.scores, sets.parents, odd), path)
    assert main(["info", str(path)]) == 0
    assert "many" in capsys.readouterr().out


# ---- networks and tables ---------------------------------------------------------------


def bif_with(parents: int, states: int, tail: str) -> str:
    names = [f"p{i}" for i in range(parents)]
    listed = ", ".join(f"s{k}" for k in range(states))
    lines = [f"variable {n} {{ type discrete [ {states} ] {{ {listed} }}; }}" for n in names]
    certain = ", ".join(["1"] + ["0"] * (states - 1))
    lines += [f"probability ( {n} ) {{ table {certain}; }}" for n in names]
    lines.append("variable x { type discrete [ 1 ] { a }; }")
    return "\n".join([*lines, f"probability ( x | {', '.join(names)} ) {{ {tail} }}"])


def hugin_with(parents: int) -> str:
    names = [f"p{i}" for i in range(parents + 1)]
    nodes = "".join(f'node {name} {{ states = ("a"); }}\n' for name in names)
    tables = "".join(f"potential ({name}) {{ data = (1); }}\n" for name in names[1:])
    last = f"potential (p0 | {' '.join(names[1:])}) {{ data = (1); }}\n"
    return f"net {{}}\n{nodes}{tables}{last}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (hugin_with(69), "p0 has 69 parents"),
        (bif_with(70, 1, "default 1;"), "x has 70 parents, more than the limit of 31"),
        (bif_with(20, 10, "default 1;"), "the probabilities of x need .* of memory, more than"),
        ("variable x { type discrete [ %s ] { a }; }" % ("9" * 5000), "declares 9{20} states"),
    ],
    ids=["Hugin", "axes", "cells", "digits"],
)
def test_networks_that_no_memory_holds(text: str, what: str, tmp_path: Path) -> None:
    path = tmp_path / ("net.net" if text.startswith("net") else "net.bif")
    path.write_text(text)
    with pytest.raises(FileError, match=what):
        read_network(path)


@pytest.mark.parametrize("encoding", ["UPF-8", "utf-16", "utf-7", "x"])
def test_xml_in_whatever_it_says(encoding: str, tmp_path: Path) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    body = (
        "<BIF><NETWORK><VARIABLE><NAME>é</NAME><OUTCOME>a</OUTCOME></VARIABLE>"
        "<DEFINITION><FOR>é</FOR><TABLE>1</TABLE></DEFINITION></NETWORK></BIF>"
    )
    (tmp_path / "net.xml").write_text(head + body, "utf-8")
    assert read_network(tmp_path / "net.xml").names == ("é",)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (f"a b\n1 {'9' * 5000}\n0 0\n", "expected the numbers of states of the columns, got"),
        ("a b\n1 1000000000\n0 0\n", "expected the numbers of states of the columns"),
        ("a b\n2 1\n0 -nan\n1 1.5\n0 2.5\n", "only 1 state is declared"),
    ],
    ids=["digits", "arity", "nan"],
)
def test_tables_that_are_refused(text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text(text)
    with pytest.raises(ForebearError, match=what):
        Dataset.read(tmp_path / "a.dat", missing="drop")


def test_texts_of_many_digits_are_states(tmp_path: Path) -> None:
    many = "x" + "9" * 5000
    (tmp_path / "a.csv").write_text(f"a,b\n{many},1\nx2,2\nx10,1\n")
    table = Dataset.read(tmp_path / "a.csv")
    assert table.states[0] == ("x2", "x10", many)
    digits = "9" * 5000
    (tmp_path / "b.csv").write_text(f"{digits},1\n2,2\n3,1\n")
    table = Dataset.read(tmp_path / "b.csv", discretize="quantile")
    assert sorted(table.states[0]) == ["2", "3", digits]  # no number that a machine has
    (tmp_path / "c.csv").write_text(f"{2**64},0\n{2**64 + 1},1\n{2**64 + 1},1\n")  # no header
    assert Dataset.read(tmp_path / "c.csv").n_rows == 3


@pytest.mark.parametrize("name", ["a.csv.gz", "a.jkl.gz", "a.bif.gz"])
def test_little_that_unpacks_to_much(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (text_files, text_stream):
        monkeypatch.setattr(module, "memory_bytes", lambda: 40_000_000)
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"1" * 30_000_000))
    assert path.stat().st_size < 50_000
    read: Any = {"csv": Dataset.read, "jkl": ParentSets.load, "bif": read_network}[
        name.split(".")[1]
    ]
    with pytest.raises(FileError, match=r"(content|a record) does not fit in memory"):
        read(path)
