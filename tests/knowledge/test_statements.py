"""Statements: invalid parameters, and the statements that a network violates."""

from __future__ import annotations

import re
from typing import Any

import pytest

from forebear import ForebearError, Knowledge, Network

NAMES = ("A", "B", "C", "D")


def test_violations() -> None:
    network = Network.from_arcs(NAMES, [("A", "B"), ("B", "C")])
    knowledge = [
        Knowledge(required=[("A", "D")]),
        Knowledge(forbidden=[("B", "C")]),
        Knowledge(adjacent=[("C", "D")]),
        Knowledge(before=[("C", "A")]),
        Knowledge(ancestors=[("A", "D")]),
        Knowledge(not_ancestors=[("A", "C")]),
        Knowledge(max_parents={"B": 0}),
        Knowledge(tiers=[["B"], ["A"]]),
    ]
    assert [each.violations(network) for each in knowledge] == [
        ["A -> D is required"],
        ["B -> C is forbidden"],
        ["C and D must be adjacent"],
        ["C comes before A"],
        ["A is an ancestor of D"],
        ["A is not an ancestor of C"],
        ["B has at most 0 parents"],
        ["A -> B leads to an earlier tier"],
    ]
    fine = Knowledge(
        required=[("A", "B")],
        forbidden=[("B", "A")],
        adjacent=[("C", "B")],
        before=[("A", "C"), ("D", "A")],
        ancestors=[("A", "C")],
        not_ancestors=[("C", "A")],
        tiers=[["A"], ["B", "C"]],
        max_parents={"C": 1},
    )
    assert fine.violations(network) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"required": "AB"}, "required must be a list of pairs of variables, got 'AB'"),
        ({"required": 3}, "required must be a list of pairs of variables, got 3"),
        ({"forbidden": ["AB"]}, "forbidden must be pairs of variables, got 'AB'"),
        ({"required": {"A": "B"}}, "required must be {child: parents} with lists of parents"),
        ({"before": {"A": ["B"]}}, "before must be a list of pairs of variables"),
        ({"before": [("A", 1.5)]}, "before: a variable is a name or an index, got 1.5"),
        ({"adjacent": [(True, "A")]}, "adjacent: a variable is a name or an index, got True"),
        ({"ancestors": [(-1, 0)]}, "ancestors: a variable is a name or an index, got -1"),
        ({"tiers": ["A", "B"]}, "tiers must be a list of tiers, each a list of variables, got 'A'"),
        ({"max_parents": 3}, "max_parents of Knowledge must be {variable: number}, got 3"),
        ({"max_parents": {"A": "3"}}, "max_parents must be a whole number, got '3'"),
        ({"max_parents": {"A": -1}}, "max_parents must be at least 0, got -1"),
    ],
)
def test_wrong_values(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError) as raised:
        Knowledge(**given)
    assert message in str(raised.value)
    assert raised.value.parameter in given


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("whitelist", "it is called required"),
        ("blacklist", "it is called forbidden"),
        ("forbiden", "did you mean forbidden?"),
        ("edges", "it has required, forbidden, adjacent, "),
    ],
)
def test_unknown_parameters_get_a_suggestion(name: str, advice: str) -> None:
    expected = f"Knowledge() has no parameter {name!r}: {advice}"
    with pytest.raises(ForebearError, match=re.escape(expected)):
        Knowledge(**{name: [("a", "b")]})  # type: ignore[arg-type]
