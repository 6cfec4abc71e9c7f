"""Files with knowledge, as other programs write them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from forebear import Knowledge
from forebear._util.errors import FileError, ForebearError
from forebear.knowledge.statement_files import read_statements
from forebear.knowledge.statements import Kind, Statement


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("constraintsDirected.csv", "ID,Parent,Child\n1,A,B\n", [(Kind.REQUIRED, "A", "B", 2)]),
        (
            "constraintsForbidden_7.csv",
            "ID,Parent,Child\n1,A,B\n",
            [(Kind.FORBIDDEN, "A", "B", 2)],
        ),
        (
            "constraintsForbidden.csv",
            "ID,Variable 1,Variable 2\n1,A,B\n",
            [(Kind.FORBIDDEN, "A", "B", 2), (Kind.FORBIDDEN, "B", "A", 2)],
        ),
        (
            "constraintsUndirected.csv",
            "ID,Variable 1,Variable 2\n1,A,B\n",
            [(Kind.ADJACENT, "A", "B", 2)],
        ),
        (
            "constraintsTemporal_x.csv",
            "ID,Tier 1,Tier 2,END\n1,A,B,\n2,,C,\n",
            [(Kind.TIER, "A", 1, 2), (Kind.TIER, "B", 2, 2), (Kind.TIER, "C", 2, 3)],
        ),
        ("my-whitelist.csv", "from,to\nA,B\n", [(Kind.REQUIRED, "A", "B", 2)]),
        ("blacklist.csv", 'from,to\nA,"B, or so"\n', [(Kind.FORBIDDEN, "A", "B, or so", 2)]),
        (
            "dag.txt",
            "# known\nA<-B\n\n~ A <- C # why\nA--B\n~C-D\nA<D\nA=>E\n~ E => B\n",
            [
                (Kind.REQUIRED, "B", "A", 2),
                (Kind.FORBIDDEN, "C", "A", 4),
                (Kind.ADJACENT, "A", "B", 5),
                (Kind.FORBIDDEN, "C", "D", 6),
                (Kind.FORBIDDEN, "D", "C", 6),
                (Kind.BEFORE, "A", "D", 7),
                (Kind.ANCESTOR, "A", "E", 8),
                (Kind.NOT_ANCESTOR, "E", "B", 9),
            ],
        ),
    ],
)
def test_files(name: str, text: str, expected: list[tuple[Any, ...]]) -> None:
    Path(name).write_text(text)
    statements = [Statement(kind, a, b, f"{name}:{line}") for kind, a, b, line in expected]
    assert read_statements(name) == statements


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("constraintsDirected.csv", "", ":1: expected the header ID,Parent,Child"),
        ("constraintsDirected.csv", "ID,Child,Parent\n", ":1: expected the header ID,Parent,Child"),
        ("constraintsDirected.csv", "ID,Parent,Child\n1,A\n", ":2: expected 3 fields, got 2"),
        ("constraintsDirected.csv", "ID,Parent,Child\n1,A,\n", ":2: a name is missing"),
        ("constraintsForbidden.csv", "A,B\n", ":1: expected the header ID,Parent,Child or ID,Var"),
        ("constraintsTemporal.csv", "ID,Tier 2,END\n", ":1: expected the header ID,Tier 1"),
        ("constraintsTemporal.csv", "ID,Tier 1,END\n1,A,,B\n", ":2: expected 3 fields, got 4"),
        ("blacklist.csv", "A,B\n", ":1: expected the header from,to"),
        ("dag.txt", "", ": the file is empty, but knowledge is expected"),
        ("dag.txt", "\n  \n", ": the file is empty"),
        ("dag.txt", "A->B<-C\n", ':1: "A->B<-C": immoralities are not supported'),
        ("dag.txt", "\nA_|_B|C\n", ':2: "A_|_B|C": independences are not supported'),
        ("dag.txt", "sink A\n", ':1: "sink A": sinks are not supported'),
        ("dag.txt", "~A<B\n", ':1: "~A<B" is not one of A<-B'),
        ("dag.txt", "A B\n", ':1: "A B" is not one of A<-B'),
    ],
)
def test_bad_files(name: str, text: str, message: str) -> None:
    Path(name).write_text(text)
    with pytest.raises(FileError) as raised:
        Knowledge.read(name)
    assert str(raised.value).startswith(name + message)


def test_unknown_names_are_reported_with_their_line() -> None:
    Path("dag.txt").write_text("A<-Bee\n")
    with pytest.raises(ForebearError) as raised:
        Knowledge.read("dag.txt").named(["A", "Bees"])
    assert str(raised.value) == 'dag.txt:1: no variable is called "Bee": did you mean "Bees"?'
