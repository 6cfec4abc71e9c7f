"""What the page "Certificates" states: each rule, in certificates written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import naive
import pytest
from certificates import check
from strategies import pack

from forebear import ParentSets, find_bound
from forebear.checker.check import CertifiedBound
from forebear.checker.cuts import read_cut
from forebear.checker.subproblem import CertificateError

_BARRED = (float("-inf"), ())

SETS = pack([[(0.0, (1,)), (-1.0, ())], [(0.0, (0,)), (-1.0, ())], [(0.0, ())]])
"""Either of the first two variables has the other as its parent, or both have none."""

CYCLES = pack([[(0.0, (a,)), (0.0, (b,)), _BARRED] for a, b in ((1, 2), (0, 2), (0, 1))])
"""Every variable needs one of the others, but no arc is in all choices of sets."""

NODE: dict[str, Any] = {"decision": None, "steps": [], "branches": [], "parts": []}
CLOSED: dict[str, Any] = {**NODE, "steps": [[[0], [2]]]}
PROOF: dict[str, Any] = {
    "format": "forebear certificate",
    "version": 1,
    "variables": ["X0", "X1", "X2"],
    "sets": 5,
    "provenance": {},
    "ticks": 1,
    "cost": 2,
    "network": [[1], [], []],
    "cuts": [{"cluster": [0, 1], "level": 1}],
    "nodes": [CLOSED],
}
LOCAL = {"group": [0, 1], "values": [[[2, 1]], [[1, 1]]], "limit": 1}
BRANCHES: list[dict[str, Any]] = [
    {**NODE, "branches": [1, 2]},
    {**CLOSED, "decision": ["before", 0, 1]},
    {**CLOSED, "decision": ["before", 1, 0]},
]
SPLIT_BELOW: list[dict[str, Any]] = [
    BRANCHES[0],
    {**BRANCHES[1], "steps": [], "parts": [[[0, 1], 3, 2]]},
    BRANCHES[2],
]
PARTS: list[dict[str, Any]] = [{**NODE, "parts": [[[0, 1], 1, 2]]}, CLOSED]


def checked(path: Path, given: ParentSets = SETS, **changes: Any) -> CertifiedBound:
    (path / "proof.cert").write_text(json.dumps({**PROOF, "sets": len(given), **changes}))
    return check(path / "proof.cert", given)


def refused(path: Path, given: ParentSets = SETS, **changes: Any) -> str:
    with pytest.raises(CertificateError) as error:
        checked(path, given, **changes)
    return str(error.value)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"statements": {}, "contracted": [], "forebear": "0.1", "something else": 1},
        {"network": None},
        {"cuts": [LOCAL]},
        {"cuts": [{"cluster": [1, 0], "level": 1}, {"cluster": [0, 1], "level": 2}]},
        {"nodes": BRANCHES},
        {"nodes": PARTS},
        {"nodes": [{**NODE, "steps": [[[], []], [[0], [2]]]}]},
    ],
)
def test_what_is_accepted(changes: dict[str, Any], tmp_path: Path) -> None:
    found = checked(tmp_path, **changes)
    assert found.bound == -1
    assert found.score in (-1, None)
    assert not found.no_network


def test_the_cost_may_be_negative(tmp_path: Path) -> None:
    assert checked(tmp_path, cost=-5).bound == 2.5


def test_prices_of_a_cut_that_is_listed_twice_add_up(tmp_path: Path) -> None:
    how: dict[str, Any] = {"cuts": [{"cluster": [0, 1, 2], "level": 1}], "network": None}
    assert checked(tmp_path, CYCLES, nodes=[{**NODE, "steps": [[[0, 0], [1, 1]]]}], **how)
    why = refused(tmp_path, CYCLES, nodes=[{**NODE, "steps": [[[0, 0], [1, 0]]]}], **how)
    assert "node 0 is neither closed nor split" in why


def test_nodes_that_are_not_reached_are_not_counted(tmp_path: Path) -> None:
    assert checked(tmp_path, nodes=[CLOSED, {"anything": 1}]).nodes == 1
    assert checked(tmp_path, nodes=[*BRANCHES, CLOSED]).nodes == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cuts": [{"cluster": [0, 1], "level": 0}]}, "0 is not a number in its range"),
        ({"cuts": [{"cluster": [0, 1], "level": 3}]}, "3 is not a number in its range"),
        ({"cuts": [{"cluster": [0, 1], "level": True}]}, "True is not a number in its range"),
        ({"cuts": [{"cluster": [], "level": 1}]}, "1 is not a number in its range"),
        ({"cuts": [{"cluster": [0, 1, 1], "level": 1}]}, "lists a variable twice"),
        ({"cuts": [{"cluster": [0, 1], "level": 1, **LOCAL}]}, "fields other than cluster, level"),
        ({"cuts": [{**LOCAL, "level": 1}]}, "fields other than group, values, limit"),
        ({"cuts": [{**LOCAL, "limit": -1}]}, "-1 is not a number in its range"),
        ({"cuts": [{**LOCAL, "values": [[[2, -1]], [[1, 1]]]}]}, "-1 is not a number in its range"),
        ({"cuts": [{**LOCAL, "values": [[[2, 2**54]], [[1, 1]]]}]}, "is not a number in its range"),
        ({"cuts": [{**LOCAL, "values": [[[2, 1], [2, 0]], [[1, 1]]]}]}, "lists a subset twice"),
        ({"cuts": [{**LOCAL, "values": [[[4, 1]], [[1, 1]]]}]}, "4 is not a number in its range"),
        ({"cuts": [{**LOCAL, "group": [], "values": []}]}, "too many variables, or none"),
        ({"cost": 2**61 + 1}, "is not a number in its range"),
        ({"cost": 2.0}, "2.0 is not a number in its range"),
        ({"version": True}, "it has version True"),
        ({"statements": {"before": [[0, 1], [0, 1]]}}, "it has a statement twice"),
        ({"contracted": [[0, 1]]}, "it contracts variables"),
        ({"network": [[1, 1], [], []]}, "lists a variable twice"),
        ({"nodes": [{**CLOSED, "note": ""}]}, "fields other than decision, steps, branches, parts"),
        ({"nodes": [{**CLOSED, "decision": ["before", 0, 1]}]}, "the root has a decision"),
        ({"nodes": [PARTS[0], BRANCHES[1]]}, "a part has a decision"),
        ({"nodes": [{**CLOSED, "parts": PARTS[0]["parts"], "branches": [1, 2]}]}, "parts and bran"),
        ({"nodes": [{**NODE, "parts": [[[0, 1, 1], 1, 2]]}, CLOSED]}, "lists a variable twice"),
        ({"nodes": [{**NODE, "parts": [[[], 1, 2]]}, CLOSED]}, "a part is empty"),
        ({"nodes": [{**NODE, "branches": [-2, -1]}, *BRANCHES[1:]]}, "-2 is not a number"),
        ({"nodes": [{**NODE, "branches": [1, 1]}, *BRANCHES[1:]]}, "node 1 is reached twice"),
        ({"nodes": [*SPLIT_BELOW, CLOSED]}, "only the root may be split"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    assert message in refused(tmp_path, **changes)


def test_a_node_has_one_parent(tmp_path: Path) -> None:
    """Even if there are as many nodes as visits."""
    there, absent = (
        {**NODE, "decision": ["arc", 2, 0, has], "branches": [3, 4]} for has in (True, False)
    )
    nodes = [{**NODE, "branches": [1, 2]}, there, absent, *BRANCHES[1:], NODE, NODE]
    sets = pack([*naive.as_lists(SETS)[:2], [(0.0, ()), (-1.0, (0,))]])
    assert "is reached twice" in refused(tmp_path, sets, nodes=nodes)


def test_the_network_may_be_null_but_not_missing(tmp_path: Path) -> None:
    made = {name: value for name, value in PROOF.items() if name != "network"}
    (tmp_path / "proof.cert").write_text(json.dumps(made))
    with pytest.raises(CertificateError, match="KeyError: 'network'"):
        check(tmp_path / "proof.cert", SETS)


def test_fields_are_not_repeated(tmp_path: Path) -> None:
    """Other readers of JSON may take the first of two fields."""
    for text in (json.dumps(PROOF), json.dumps(PROOF).replace('"level"', '"level": 2, "level"')):
        (tmp_path / "proof.cert").write_text(text.replace('"cost": 2', '"cost": 2, "cost": 2'))
        with pytest.raises(CertificateError, match="it has a field twice"):
            check(tmp_path / "proof.cert", SETS)


def test_orders_of_a_cut_are_single_statements() -> None:
    """What follows from several, or from ancestors, makes no variable of a group a later one."""
    said: dict[str, list[tuple[int, int]]] = {
        "before": [(0, 1), (1, 2)],
        "ancestors": [(3, 2)],
        "not_ancestors": [],
        "adjacent": [],
    }
    limits = {(0, 1, 2): 0, (0, 2): 1, (2, 3): 1, (1, 2): 0, (0, 3): 1}
    for group, limit in limits.items():
        cut = read_cut({"because": "before", "group": list(group)}, 4, said)
        assert cut.limit == limit


def test_the_group_of_an_adjacent_pair_is_the_pair() -> None:
    said: dict[str, list[tuple[int, int]]] = {"adjacent": [(0, 1)]}
    cut = {"because": "adjacent", "pair": [0, 1], "group": [0, 2]}
    with pytest.raises(CertificateError, match="does not contain its pair"):
        read_cut(cut, 3, said)
    with pytest.raises(CertificateError, match="fields other than because, group"):
        read_cut({"because": "before", "pair": [0, 1], "group": [0, 1]}, 3, said)


def test_the_empty_set_counts_where_a_file_leaves_it_out(tmp_path: Path) -> None:
    (tmp_path / "sets.jkl").write_text("2\na 1\n-1 1 b\nb 1\n-2 0\n")
    sets = ParentSets.load(tmp_path / "sets.jkl")
    find_bound(sets, certificate=tmp_path / "bound.cert")
    assert json.loads((tmp_path / "bound.cert").read_text())["sets"] == 3
    assert check(tmp_path / "bound.cert", sets).bound == -3


# ---- certificates that no network exists ---------------------------------------------------------

NO_PRICES: dict[str, Any] = {"cuts": [], "nodes": [NODE], "network": None}


def test_statements_that_contradict_each_other(tmp_path: Path) -> None:
    said = {"before": [[0, 1]], "ancestors": [[1, 0]]}
    assert checked(tmp_path, statements=said, **NO_PRICES).no_network
    # X2 has no set with a parent, so every network has the cost of a violation, however high.
    said = {"adjacent": [[0, 2]]}
    cut = {"because": "adjacent", "pair": [0, 2], "group": [0, 2]}
    steps = [[[0], [100]]]
    how: dict[str, Any] = {"statements": said, "cuts": [cut], "network": None, "cost": 100}
    assert checked(tmp_path, nodes=[{**NODE, "steps": steps}], **how).no_network


@pytest.mark.parametrize("pairs", [[[0, 1]], []])
def test_statements_that_can_be_satisfied(pairs: list[list[int]], tmp_path: Path) -> None:
    assert not checked(tmp_path, statements={"before": pairs}, network=None).no_network


def test_parent_sets_without_a_network(tmp_path: Path) -> None:
    cycle = pack([[(0.0, (1,)), _BARRED], [(0.0, (0,)), _BARRED], [(0.0, ())]])
    assert checked(tmp_path, cycle, **NO_PRICES).no_network
    how: dict[str, Any] = {"cuts": [{"cluster": [0, 1, 2], "level": 1}], "network": None}
    assert checked(tmp_path, CYCLES, **how).no_network
    assert "neither closed" in refused(tmp_path, CYCLES, **NO_PRICES)
