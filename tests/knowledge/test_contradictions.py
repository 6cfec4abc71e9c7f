"""Contradictions are rejected, and the error lists the statements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from forebear import Knowledge
from forebear._util.errors import ForebearError


@pytest.mark.parametrize(
    ("given", "message"),
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
        (
            {"adjacent": [("A", "B")], "tiers": [["A"], ["B"]], "max_parents": {"B": 0}},
            "A and B must be adjacent; B has at most 0 parents; B is in tier 2; A is in tier 1",
        ),
        (
            {
                "adjacent": [("A", "B"), ("C", "B")],
                "forbidden": [("B", "A"), ("B", "C")],
                "max_parents": {"B": 1},
            },
            "B has at most 1 parent; A and B must be adjacent; B -> A is forbidden; "
            "C and B must be adjacent; B -> C is forbidden",
        ),
        (
            {
                "adjacent": [("A", "B"), ("B", "C"), ("C", "A")],
                "forbidden": [("B", "A"), ("C", "B"), ("A", "C")],
            },
            "A and B must be adjacent; B -> A is forbidden; "
            "B and C must be adjacent; C -> B is forbidden",
        ),
        (
            {
                "adjacent": [("A", "C")],
                "before": [("A", "B"), ("B", "C")],
                "forbidden": [("A", "C")],
            },
            "A and C must be adjacent; A -> C is forbidden; A comes before B; B comes before C",
        ),
        (
            {"ancestors": [("A", "B")], "max_parents": {"B": 0}},
            "A is an ancestor of B; B has at most 0 parents",
        ),
        ({"tiers": [["A"], ["A"]]}, "A is in tier 1; A is in tier 2"),
        ({"before": [("A", "B"), ("B", "A")]}, "A comes before B; B comes before A"),
        (
            {"required": [("A", "A")]},
            "a statement requires two different variables: A -> A is required",
        ),
    ],
)
def test_contradictions(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError) as raised:
        Knowledge(**given)
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
