"""Margins of arcs: compared with all networks, and proven by certificates."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from certificates import FEW_CUTS, check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import parent_set_collections, random_parent_sets, relations_of

from forebear import ArcMargin, ArcMargins, Exact, ForebearError, Network, ParentSets
from forebear.budget import Clock
from forebear.checker.subproblem import CertificateError
from forebear.knowledge.relations import Relations
from forebear.learning.certify_arcs import ranks_in
from forebear.proof import margin_prover
from forebear.proof.arc_margins import prove_arc_margins
from forebear.proof.dual_ascent import CoreCut
from forebear.proof.exact_search import find_exact
from forebear.proof.proof_run import USUAL_EFFORT, Effort

NONE = Relations()
PRECISION = 1e-3
NONE_ID = np.iinfo(np.uint16).max


def without(sets: ParentSets, item: ArcMargin) -> ParentSets:
    """Return the sets of the networks that a margin is about."""
    arcs = [(item.parent, item.child)]
    if item.kind == "edge":
        arcs.append((item.child, item.parent))
    keep = np.ones(len(sets), dtype=bool)
    for parent, child in arcs:
        own, has = sets.with_parent(child, parent)
        keep[own] &= ~has
    return sets.filter(keep)


def margins_of(
    sets: ParentSets,
    network: Network,
    margin: float | None = None,
    *,
    relations: Relations = NONE,
    certificate: Path | None = None,
    effort: Effort = USUAL_EFFORT,
    threads: int = 1,
    **options: Any,
) -> ArcMargins:
    return prove_arc_margins(
        sets,
        network,
        ranks_in(sets, network.parents),
        clock=Clock(),
        threads=threads,
        optimal=True,
        margin=margin,
        relations=relations,
        certificate=certificate,
        effort=effort,
        **options,
    )


def check_losses(margins: ArcMargins, losses: Sequence[float], margin: float | None = None) -> None:
    """Compare margins with the true losses."""
    assert margins.stop_reason == "complete"
    for item, loss in zip(margins.items, losses, strict=True):
        assert item.margin <= loss + 1e-6
        assert item.at_most >= loss - 1e-6
        if margin is None:
            assert item.exact
            assert item.margin == pytest.approx(loss, abs=PRECISION)
        else:
            assert item.margin >= min(loss, margin) - PRECISION


@settings(max_examples=100, deadline=None)
@given(
    parent_set_collections(max_variables=6, required_parents=True),
    st.sampled_from([None, 1.0, 30.0]),
    st.sampled_from([USUAL_EFFORT, FEW_CUTS]),
)
def test_margins_are_those_of_all_networks(
    sets: ParentSets, margin: float | None, effort: Effort
) -> None:
    best = naive.best_score(naive.as_lists(sets))
    if best == -math.inf:
        return
    network = find_exact(sets, Exact(), seed=1, threads=1, warm_up=False)[0].network
    margins = margins_of(sets, network, margin, effort=effort)
    assert len(margins.of_kind("edge")) == len(network.arcs)
    assert len(margins.of_kind("direction")) == len(network.compelled)
    losses = [
        best - naive.best_score(naive.as_lists(without(sets, item))) for item in margins.items
    ]
    check_losses(margins, losses, margin)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("effort", [USUAL_EFFORT, FEW_CUTS], ids=["usual", "branching"])
def test_margins_of_networks_with_ties(seed: int, effort: Effort) -> None:
    sets = random_parent_sets(6, 12, seed=seed, grid=5.0)
    best = find_exact(sets, Exact(), seed=1, threads=1)[0]
    margins = margins_of(sets, best.network, effort=effort)
    lists = [naive.as_lists(without(sets, item)) for item in margins.items]
    check_losses(margins, [best.score - naive.best_score(one) for one in lists])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data(), st.integers(2, 4))
def test_margins_respect_relations(data: st.DataObject, n: int) -> None:
    sets = data.draw(parent_set_collections(max_variables=n, min_variables=n))
    relations = data.draw(relations_of(n, most=2))

    def losses(item: ArcMargin | None) -> float:
        own = sets if item is None else without(sets, item)
        every = naive.all_networks(naive.as_lists(own))
        return next((score for score, own in every if relations.holds(own)), -math.inf)

    best = losses(None)
    if best == -math.inf:
        return
    result = find_exact(sets, Exact(), relations=relations, seed=1, threads=1, warm_up=False)[0]
    margins = margins_of(sets, result.network, relations=relations)
    check_losses(margins, [best - losses(item) for item in margins.items])


def test_an_edge_that_a_relation_requires_has_no_finite_margin() -> None:
    parents = np.array([[NONE_ID, 0, NONE_ID]], dtype=np.uint16)
    sets = ParentSets(("X0", "X1"), np.array([0, 1, 3]), np.array([0.0, 0.0, -0.25]), parents)
    network = Network(sets.names, ((), (0,)))
    (edge,) = margins_of(sets, network, relations=Relations(adjacent=((0, 1),))).items
    assert edge.margin == math.inf
    assert edge.exact


@pytest.mark.parametrize("margin", [None, 5.0])
def test_larger_problems_agree_with_exact_search(margin: float | None) -> None:
    sets = random_parent_sets(14, 40, max_parents=2, seed=3)
    best = find_exact(sets, Exact(), seed=1, threads=1)[0]
    margins = margins_of(sets, best.network, margin, effort=FEW_CUTS)
    losses = [
        best.score - find_exact(without(sets, item), Exact(), seed=1, threads=1)[0].score
        for item in margins.items
    ]
    check_losses(margins, losses, margin)


def test_margins_do_not_depend_on_the_number_of_threads() -> None:
    sets = random_parent_sets(16, 30, max_parents=2, seed=5)
    network = find_exact(sets, Exact(), seed=1, threads=1)[0].network
    one, three = (margins_of(sets, network, effort=FEW_CUTS, threads=k) for k in (1, 3))
    assert one.items == three.items


def test_margins_of_another_network_are_relative_to_it() -> None:
    sets = random_parent_sets(6, 12, seed=1)
    best = naive.best_score(naive.as_lists(sets))
    *_, (score, parents) = naive.all_networks([own[-3:] for own in naive.as_lists(sets)])
    assert score < best
    network = find_exact(sets, Exact(), seed=1, threads=1)[0].network
    other = type(network)(network.names, parents)
    margins = margins_of(sets, other)
    assert margins.score == pytest.approx(score)
    for item in margins.items:
        loss = score - naive.best_score(naive.as_lists(without(sets, item)))
        assert item.margin == pytest.approx(max(0.0, loss), abs=PRECISION)


def test_a_limit_on_linear_programs_leaves_valid_margins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sets = random_parent_sets(14, 40, max_parents=2, seed=3)
    network = find_exact(sets, Exact(), seed=1, threads=1)[0].network
    exact = margins_of(sets, network)
    monkeypatch.setattr(margin_prover, "_FIRST_PROGRAMS", 1)
    limited = margins_of(sets, network, effort=FEW_CUTS, most_passes=1)
    assert limited.stop_reason == "limit"
    for some, item in zip(limited.items, exact.items, strict=True):
        assert some.margin <= item.margin + PRECISION
    expired = prove_arc_margins(
        sets,
        network,
        ranks_in(sets, network.parents),
        clock=Clock(0.0),
        threads=1,
        optimal=True,
    )
    assert expired.stop_reason == "time"
    for some, item in zip(expired.items, exact.items, strict=True):
        assert some.margin <= item.margin + PRECISION


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    parent_set_collections(max_variables=6, required_parents=True),
    st.sampled_from([None, 1.0, 30.0]),
    st.integers(0, 20),
)
def test_margins_of_sets_that_linear_programs_cannot_hold(
    tmp_path: Path, sets: ParentSets, margin: float | None, most_sets: int
) -> None:
    best = naive.best_score(naive.as_lists(sets))
    if best == -math.inf:
        return
    path = tmp_path / "margins.cert"
    margins = certified(sets, path, margin, Effort(most_sets=most_sets))
    for item in margins.items:
        assert item.margin <= best - naive.best_score(naive.as_lists(without(sets, item))) + 1e-6
    check_certified(margins, path, sets)


def test_the_dual_ascent_proves_margins_of_large_problems() -> None:
    sets = random_parent_sets(14, 40, max_parents=2, seed=3)
    cuts: list[CoreCut] = []
    best = find_exact(
        sets, Exact(), seed=1, threads=1, solved=lambda solver: cuts.extend(solver.core_cuts)
    )[0]
    usual, large = (
        margins_of(sets, best.network, 1.0, cuts=cuts, effort=effort, most_passes=0)
        for effort in (USUAL_EFFORT, Effort(most_sets=100))
    )
    assert sum(item.margin == 1.0 for item in large.items) > len(large.items) / 4
    assert large.needed(1.0) > usual.needed(1.0)


# ---- certificates ------------------------------------------------------------------------------


def certified(
    sets: ParentSets, path: Path, margin: float | None = None, effort: Effort = USUAL_EFFORT
) -> ArcMargins:
    best = find_exact(sets, Exact(), seed=1, threads=1, warm_up=False, certificate=path)[0]
    return margins_of(sets, best.network, margin, certificate=path, effort=effort)


def check_certified(margins: ArcMargins, path: Path, sets: ParentSets) -> None:
    """Compare the margins that the checker finds in a file with those of the result."""
    checked = check(path, sets)
    assert checked.score is not None
    assert len(checked.margins) == len(margins.items)
    for proven, item in zip(checked.margins, margins.items, strict=True):
        assert proven.absent[0] == (item.parent, item.child)
        assert len(proven.absent) == (2 if item.kind == "edge" else 1)
        loss = math.inf if proven.bound is None else float(checked.score - proven.bound)
        # A margin of 0 may follow from the proof of the network alone.
        assert loss >= item.margin - 1e-6 or item.margin == 0


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    parent_set_collections(max_variables=5, required_parents=True),
    st.sampled_from([None, 2.0]),
    st.sampled_from([USUAL_EFFORT, FEW_CUTS]),
)
def test_certificates_prove_all_margins(
    tmp_path: Path, sets: ParentSets, margin: float | None, effort: Effort
) -> None:
    if naive.best_score(naive.as_lists(sets)) == -math.inf:
        return
    path = tmp_path / "margins.cert"
    check_certified(certified(sets, path, margin, effort), path, sets)


@pytest.mark.parametrize("effort", [USUAL_EFFORT, FEW_CUTS], ids=["usual", "branching"])
def test_certificates_of_larger_problems(tmp_path: Path, effort: Effort) -> None:
    sets, path = random_parent_sets(14, 40, max_parents=2, seed=3), tmp_path / "margins.cert"
    check_certified(certified(sets, path, effort=effort), path, sets)


FORGERIES = {
    "a higher cost": lambda one: one.update(cost=one["cost"] + 10**9),
    "another arc": lambda one: one.update(absent=[one["absent"][0][::-1]]),
    "no arc": lambda one: one.update(absent=[]),
    "the same arc twice": lambda one: one.update(absent=one["absent"][:1] * 2),
    "the root of another proof": lambda one: one.update(node=0),
    "no such node": lambda one: one.update(node=10**6),
    "a further field": lambda one: one.update(pair=[0, 1]),
    "a variable that does not exist": lambda one: one.update(absent=[[0, 99]]),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_margins_are_refused(tmp_path: Path, forgery: str) -> None:
    sets, path = random_parent_sets(10, 25, max_parents=2, seed=1), tmp_path / "margins.cert"
    certified(sets, path, effort=FEW_CUTS)
    content = json.loads(path.read_text())
    check(path, sets)
    for place in range(0, len(content["margins"]), 3):
        forged = json.loads(path.read_text())
        FORGERIES[forgery](forged["margins"][place])
        (tmp_path / "forged.cert").write_text(json.dumps(forged))
        with pytest.raises(CertificateError):
            check(tmp_path / "forged.cert", sets)


def test_weakened_proofs_of_margins_are_refused(tmp_path: Path) -> None:
    sets, path = random_parent_sets(10, 25, max_parents=2, seed=1), tmp_path / "margins.cert"
    certified(sets, path, effort=FEW_CUTS)
    content = json.loads(path.read_text())
    for margin in content["margins"]:
        forged = json.loads(path.read_text())
        node = forged["nodes"][margin["node"]]
        node["steps"], node["branches"] = [], []
        path.with_suffix(".forged").write_text(json.dumps(forged))
        with pytest.raises(CertificateError):
            check(path.with_suffix(".forged"), sets)


def test_a_network_with_other_sets_is_rejected() -> None:
    sets = random_parent_sets(5, 6, max_parents=1, seed=1)
    with pytest.raises(ForebearError, match="the parent sets lack that of X0"):
        ranks_in(sets, [(1, 2, 3), (), (), (), ()])
