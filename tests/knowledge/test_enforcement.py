"""Knowledge is kept to: by the sets, by the orders, by every algorithm."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections

from forebear import ForebearError, ForebearWarning, Knowledge, find_network, learn, simulate
from forebear.cli import main
from forebear.knowledge.enforcement import Enforced, ordered_sets, predecessors
from forebear.learning.algorithms import ALGORITHMS
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from forebear import ParentSets


@given(parent_set_collections(min_variables=2, max_variables=5), st.randoms(use_true_random=False))
def test_the_best_of_the_orders_that_are_left(sets: ParentSets, random: Random) -> None:
    n = sets.n_variables
    hidden = random.sample(range(n), n)
    pairs = [(a, b) for i, a in enumerate(hidden) for b in hidden[i + 1 :] if random.random() < 0.4]
    knowledge = Knowledge(before=[(sets.names[a], sets.names[b]) for a, b in pairs])
    earlier = predecessors(knowledge, sets.names)
    lists = naive.as_lists(sets)
    best = max(
        naive.order_score(lists, order)
        for order in permutations(range(n))
        if all(order.index(a) < order.index(b) for a, b in pairs)
    )
    searched = ordered_sets(sets, earlier)
    found = find_network(searched, generations=12, seed=1).over(sets)
    tick = 1 / SearchSpace(searched).sets.ticks_per_nat  # less is the same to the search
    assert found.score == pytest.approx(best, rel=1e-12, abs=2 * n * tick)
    assert not knowledge.violations(found.network)


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return Knowledge(
        required=[("X1", "X2")],
        forbidden=[("X3", "X4"), ("X4", "X3")],
        before=[("X8", "X1"), ("X7", "X6")],
        not_ancestors=[("X5", "X2")],
        ancestors=[("X6", "X3")],
        adjacent=[("X2", "X7")],
        max_parents={"X5": 1, "X8": 0},
    )


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "exact"])
@pytest.mark.filterwarnings("ignore:ancestors and adjacent pairs:forebear.ForebearWarning")
def test_every_algorithm_keeps_to_it(knowledge: Knowledge, algorithm: str) -> None:
    data = simulate(8, 300, max_parents=3, seed=4).data
    data = type(data)(data.codes, tuple(f"X{v}" for v in range(1, 9)), data.states)
    limit = {} if algorithm == "exact" else {"generations": 5}
    result = learn(
        data,
        max_parents=3,
        knowledge=knowledge,
        algorithm=algorithm,
        seed=1,
        **limit,  # type: ignore[arg-type]
    )
    assert knowledge.violations(result.network) == []
    free = learn(data, max_parents=3, seed=1, generations=20)
    assert result.score <= free.score + 1e-9
    assert knowledge.violations(free.network) != []


def test_what_is_made_sure_of_by_arcs_is_told(knowledge: Knowledge) -> None:
    names = [f"X{v}" for v in range(1, 9)]
    with pytest.warns(ForebearWarning, match="enforced by requiring arcs: X6 -> X3, X2 -> X7"):
        arcs = Enforced.of(knowledge, names).arcs
    assert {("X1", "X2"), ("X6", "X3"), ("X2", "X7")} == set(arcs.required)


def test_unrelated_variables_are_looked_at_afterwards() -> None:
    knowledge = Knowledge(not_ancestors=[("X1", "X2"), ("X2", "X1")])
    assert predecessors(knowledge, ["X1", "X2"]) == {0: (1,)}


def test_orders_that_follow_from_others_are_left_out() -> None:
    chain = Knowledge(before=[("A", "B"), ("B", "C"), ("A", "C"), ("C", "D")])
    assert predecessors(chain, list("ABCD")) == {1: (0,), 2: (1,), 3: (2,)}


def test_too_many_before_one() -> None:
    sets = naive_sets(20)
    crowd = Knowledge(before=[(f"X{v}", "X19") for v in range(19)])
    with pytest.raises(
        ForebearError,
        match=r"19 variables must come directly before X19, but with max_parents=1 at most 14",
    ):
        ordered_sets(sets, predecessors(crowd, sets.names))


def naive_sets(n: int) -> ParentSets:
    from forebear import ParentSets

    return ParentSets(
        tuple(f"X{v}" for v in range(n)),
        np.arange(n + 1),
        np.full(n, -1.0),
        np.full((1, n), 65535, dtype=np.uint16),
    )


def test_files_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dag.txt").write_text("frost_damage<-bloom\n~harvest<-price\nwinter<spring_frost\n")
    (tmp_path / "blacklist.csv").write_text("from,to\nsoil,hail\n")
    learnt = ["learn", "example:orchard", "--knowledge", "dag.txt", "--knowledge", "blacklist.csv"]
    assert main([*learnt, "--generations", "5", "--seed", "1", "-o", "o.json", "--quiet"]) == 0
    from forebear import read_network

    knowledge = Knowledge.read("dag.txt", "blacklist.csv")
    assert knowledge.violations(read_network("o.json")) == []
    (tmp_path / "bad.txt").write_text("bloom<-frost_damage\nbloom<frost_damage\n")
    assert main(["learn", "example:orchard", "--knowledge", "bad.txt"]) == 2
    said = capsys.readouterr().err
    assert "bad.txt:1" in said
    assert "bad.txt:2" in said
    assert main(["learn", "example:orchard", "--knowledge", "nowhere.txt"]) == 2
