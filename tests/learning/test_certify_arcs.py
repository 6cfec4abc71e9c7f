"""certify_arcs: tables, pairs, knowledge, and which results get margins by themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from forebear import (
    Exact,
    ForebearError,
    Knowledge,
    LimitError,
    Network,
    certify_arcs,
    find_network,
    learn,
    score_parent_sets,
    simulate,
)

TABLE = simulate(6, 200, max_parents=2, seed=3).data


def best(**options: Any) -> float:
    """Return the best score under some knowledge, from sets that were scored with it."""
    knowledge = Knowledge(**options)
    try:
        sets = score_parent_sets(TABLE, max_parents=2, knowledge=knowledge)
        result = find_network(
            sets, knowledge=knowledge, algorithm=Exact(), seed=1, threads=1, certify=False
        )
    except (ForebearError, LimitError):
        return -math.inf
    return result.score


@pytest.mark.parametrize("margin", [None, 3.0])
@pytest.mark.parametrize("forbidden", [(), (("X1", "X2"), ("X4", "X1"))])
def test_margins_of_all_pairs_of_a_table(
    margin: float | None, forbidden: tuple[tuple[str, str], ...]
) -> None:
    knowledge = Knowledge(forbidden=forbidden) if forbidden else None
    margins = certify_arcs(
        TABLE,
        None,
        margin,
        pairs=True,
        score="bdeu",
        max_parents=2,
        knowledge=knowledge,
        seed=1,
        threads=1,
    )
    assert margins.optimal
    respect = " that respect the constraints" if forbidden else ""
    assert margins.covers == f"among networks with at most 2 parents{respect}"
    names = margins.names
    for item in margins.items:
        a, b = names[item.parent], names[item.child]
        if item.kind == "pair":
            left = [arc for arc in ((a, b), (b, a)) if arc not in forbidden]
            rest = max(
                (best(required=[arc], forbidden=forbidden) for arc in left), default=-math.inf
            )
        else:
            absent = ((a, b), (b, a)) if item.kind == "edge" else ((a, b),)
            rest = best(forbidden=[*forbidden, *absent])
        loss = margins.score - rest
        expected = loss if margin is None else min(loss, margin)
        assert item.margin == pytest.approx(expected, abs=1e-3)
    assert len(margins.to_frame()) == 6 * 5 // 2


def test_a_given_network_that_is_not_optimal() -> None:
    sets = score_parent_sets(TABLE, max_parents=2)
    found = certify_arcs(sets, Network.from_arcs(sets.names, []), seed=1, threads=1)
    assert not found.optimal
    assert not found.items
    assert "this one" in found.sentence


def test_knowledge_about_orders_and_paths() -> None:
    knowledge = Knowledge(before=[("X6", "X1")], ancestors=[("X2", "X3")])
    margins = certify_arcs(TABLE, knowledge=knowledge, max_parents=2, seed=1, threads=1)
    assert margins.stop_reason == "complete"
    orders = Knowledge(before=[("X6", "X1"), ("X5", "X2")])
    sets = score_parent_sets(TABLE, max_parents=2)
    assert certify_arcs(sets, knowledge=orders, seed=1, threads=1).stop_reason == "complete"


def test_small_optimal_results_have_margins() -> None:
    result = learn(TABLE, generations=10, seed=1, threads=1)
    again = learn(TABLE, generations=10, seed=1, threads=2)
    assert result.margins is not None
    assert result.margins == again.margins
    assert result.margins.stop_reason == "complete"
    assert len(result.margins.of_kind("edge")) == len(result.network.arcs)
    assert learn(TABLE, generations=10, seed=1, certify=False).margins is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pairs": True, "certificate": "a.cert"}, "certificate cannot be combined with pairs"),
        ({"margin": -1.0}, "margin must be"),
        ({"max_parents": -1}, "max_parents must be"),
    ],
)
def test_mistakes(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError, match=message):
        certify_arcs(TABLE, **options)


def test_pairs_require_the_table() -> None:
    sets = score_parent_sets(TABLE, max_parents=1)
    with pytest.raises(ForebearError, match="pairs requires the table"):
        certify_arcs(sets, pairs=True)
    assert np.isfinite(certify_arcs(sets, seed=1, threads=1).score)


def test_messages_about_one_edge_and_one_variable() -> None:
    margins = certify_arcs({"a": [0, 1] * 30, "b": [0, 1] * 30}, seed=1, threads=1)
    assert margins.sentence.startswith("1 of 1 edge is in every network")
    with pytest.raises(ForebearError, match="a is named twice"):
        margins.margin("a", "a")


@pytest.mark.parametrize("margin", [math.inf, 1e300])
def test_margins_without_a_limit_are_exact(margin: float) -> None:
    sets = score_parent_sets(TABLE, max_parents=1)
    exact = certify_arcs(sets, seed=1, threads=1)
    assert certify_arcs(sets, None, margin, seed=1, threads=1).items == exact.items
