"""Knowledge: its constraints, conversions, and the networks that violate it."""

from __future__ import annotations

import pickle
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forebear import Network
from forebear._util.errors import ForebearError
from forebear.knowledge.enforcement import implied_rules
from forebear.knowledge.knowledge import Knowledge, as_knowledge
from forebear.knowledge.statements import Kind, Statement
from forebear.scoring.constraints import Constraints

NAMES = ("A", "B", "C", "D")

PAIR_KINDS = [kind for kind in Kind if kind not in (Kind.TIER, Kind.MAX_PARENTS)]


@cache
def all_networks() -> list[Network]:
    """Return all networks of the four variables."""
    sets = [naive.allowed_sets(4, child, 3) for child in range(4)]
    return [Network(NAMES, parents) for parents in product(*sets) if naive.is_acyclic(parents)]


statements = st.one_of(
    st.builds(
        Statement, st.sampled_from(PAIR_KINDS), st.sampled_from(NAMES), st.sampled_from(NAMES)
    ),
    st.builds(Statement, st.just(Kind.TIER), st.sampled_from(NAMES), st.integers(1, 3)),
    st.builds(Statement, st.just(Kind.MAX_PARENTS), st.sampled_from(NAMES), st.integers(0, 2)),
)


@given(st.lists(statements, max_size=6))
def test_constraints_allow_every_network_that_agrees(drawn: list[Statement]) -> None:
    assert len(all_networks()) == 543
    try:
        knowledge = Knowledge.of_statements(drawn)
    except ForebearError as error:
        if "contradictory" in str(error):
            check_none_agrees(drawn)
        return
    constraints = implied_rules(knowledge, NAMES)
    for network in all_networks():
        violations = knowledge.violations(network)
        assert in_order(network, drawn) or violations
        if not violations:
            check_allowed(network, constraints)


def check_none_agrees(drawn: list[Statement]) -> None:
    """No network agrees with every statement; a variable in two tiers contradicts all of them."""
    tiers = {(s.first, s.second) for s in drawn if s.kind is Kind.TIER}
    if len({name for name, _ in tiers}) < len(tiers):
        return
    tier = dict(tiers)
    alone = [s for s in drawn if s.kind not in (Kind.TIER, Kind.BEFORE)]
    for network in all_networks():
        backwards = any(int(tier.get(a, 0)) > int(tier.get(b, 9)) for a, b in network.arc_names)
        broken = any(Knowledge.of_statements([s]).violations(network) for s in alone)
        assert backwards or broken or not in_order(network, drawn)


def in_order(network: Network, drawn: list[Statement]) -> bool:
    """Return whether an order of the variables, parents first, satisfies all order statements."""
    earlier = [set(parents) for parents in network.parents]
    for s in drawn:
        if s.kind is Kind.BEFORE:
            earlier[NAMES.index(str(s.second))].add(NAMES.index(s.first))
    return naive.is_acyclic(earlier)


def check_allowed(network: Network, constraints: Constraints) -> None:
    for child, parents in enumerate(network.parents):
        assert set(constraints.required.get(child, ())) <= set(parents)
        if constraints.allowed is not None:
            assert all(constraints.allowed[child, parent] for parent in parents)


def test_arcs_by_child_and_variables_by_index() -> None:
    by_name = Knowledge(
        required={"B": ["A"], "D": ("A", "C")}, tiers=[["A"], ["B"]], max_parents={"B": 1}
    )
    assert by_name.required == {("A", "B"), ("A", "D"), ("C", "D")}
    by_index_values: dict[str, Any] = {
        "required": {1: [0], np.int64(3): ["A", 2]},
        "tiers": [[0], np.array([1])],
        "max_parents": {np.int8(1): np.int16(1)},
    }
    by_index = Knowledge(**by_index_values)
    assert by_index.named(NAMES) == by_name
    assert by_name.named(NAMES) is by_name
    network = Network.from_arcs(NAMES, [("A", "B"), ("A", "D")])
    assert by_index.violations(network) == ["C -> D is required"]
    with pytest.raises(ForebearError, match="there is no variable 4: there are 4 variables"):
        Knowledge(required=[(4, 0)]).named(NAMES)
    mixed = Knowledge(required=[(0, 1)]) | Knowledge(forbidden=[("A", "B")])
    with pytest.raises(ForebearError, match="contradictory"):
        mixed.named(NAMES)


def test_repr_and_copies() -> None:
    knowledge = Knowledge(forbidden=[("A", "B")], tiers=[["A", 2], ["B"]], max_parents={"C": 0})
    assert repr(knowledge) == (
        "Knowledge(forbidden=[('A', 'B')], tiers=[['A', 2], ['B']], max_parents={'C': 0})"
    )
    assert repr(Knowledge()) == "Knowledge()"
    assert pickle.loads(pickle.dumps(knowledge)) == knowledge
    assert hash(knowledge) == hash(Knowledge() | knowledge)


def test_as_knowledge() -> None:
    Path("dag.txt").write_text("A<-B\n")
    read = Knowledge(required=[("B", "A")])
    for value in ("dag.txt", Path("dag.txt"), ["dag.txt"], (Path("dag.txt"),)):
        assert as_knowledge(value).required == read.required
    assert as_knowledge(read) is read
    assert as_knowledge(None) == Knowledge() == as_knowledge([])
    wrong: list[Any] = [3, [3], {"required": []}]
    for value in wrong:
        with pytest.raises(ForebearError, match="knowledge must be a Knowledge, a file or a list"):
            as_knowledge(value)


def expert(**given: Any) -> SimpleNamespace:
    """Return an object with the interface of pgmpy's ExpertKnowledge."""
    empty: dict[str, Any] = {
        "required_edges": set(),
        "forbidden_edges": set(),
        "temporal_order": [[]],
        "search_space": set(),
    }
    return SimpleNamespace(**{**empty, **given})


def check_pgmpy(make: Any) -> None:
    knowledge = Knowledge.from_pgmpy(
        make(
            required_edges=[("A", "B")],
            forbidden_edges=[("C", "B")],
            temporal_order=[["A"], ["B", "C"]],
        )
    )
    assert knowledge.required == {("A", "B")}
    assert knowledge.forbidden == {("C", "B")}
    assert knowledge.tiers == (("A",), ("B", "C"))
    assert Knowledge.from_pgmpy(make()).statements == ()


def test_objects_with_the_interface_of_pgmpy() -> None:
    check_pgmpy(expert)
    space = expert(search_space={("A", "B")})
    with pytest.raises(ForebearError, match="pass names, the names of all variables"):
        Knowledge.from_pgmpy(space)
    assert Knowledge.from_pgmpy(space, ["A", "B"]).forbidden == {("B", "A")}
    with pytest.raises(ForebearError, match="expert must be an ExpertKnowledge, got dict"):
        Knowledge.from_pgmpy({})


@pytest.mark.filterwarnings("ignore")
def test_pgmpy() -> None:
    discovery = pytest.importorskip("pgmpy.causal_discovery", reason="pgmpy is not installed")
    check_pgmpy(discovery.ExpertKnowledge)
