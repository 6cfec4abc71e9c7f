"""Contradictions are refused, with the statements that contradict each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from forebear import Knowledge
from forebear._util.errors import ForebearError


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"required": [("A", "B")], "forbidden": [("A", "B")]},
            "A -> B is required; A -> B is forbidden",
        ),
        (
            {"required": [("A", "B"), ("B", "C")], "ancestors": [("C", "A")]},
            "A -> B is required; B -> C is required; C is an ancestor of A",
        ),
        (
            {"required": [("A", "B"), ("B", "C")], "not_ancestors": [("A", "C")]},
            "A is not an ancestor of C; A -> B is required; B -> C is required",
        ),
        (
            {"required": [("B", "A")], "tiers": [["A"], ["B"]]},
            "B -> A is required; B is in tier 2; A is in tier 1",
        ),
        (
            {"adjacent": [("A", "B")], "forbidden": [("A", "B"), ("B", "A")]},
            "A and B must be adjacent; A -> B is forbidden; B -> A is forbidden",
        ),
        (
            {"required": [("A", "B"), ("C", "B")], "max_parents": {"B": 1}},
            "B has at most 1 parent; A -> B is required; C -> B is required",
        ),
        ({"tiers": [["A"], ["A"]]}, "A is in tier 1; A is in tier 2"),
        ({"before": [("A", "B"), ("B", "A")]}, "A comes before B; B comes before A"),
        (
            {"required": [("A", "A")]},
            "a statement needs two different variables: A -> A is required",
        ),
        ({"max_parents": {"A": -1}}, "max_parents must be at least 0, got -1"),
    ],
)
def test_contradictions(said: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError) as raised:
        Knowledge(**said)
    assert message in str(raised.value)


def test_contradictions_name_their_lines() -> None:
    Path("constraintsDirected.csv").write_text("ID,Parent,Child\n1,A,B\n")
    Path("known.txt").write_text("# of the field\n~B<-A\n")
    with pytest.raises(ForebearError) as raised:
        Knowledge.read("constraintsDirected.csv", "known.txt")
    assert str(raised.value) == (
        "the knowledge is contradictory: A -> B is required (constraintsDirected.csv:2); "
        "A -> B is forbidden (known.txt:2)"
    )
