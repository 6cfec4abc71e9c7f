"""Alternatives: the best distinct networks of a search, which results and their files contain."""

from __future__ import annotations

import json
from pathlib import Path

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import parent_set_collections

from forebear import (
    FileError,
    Network,
    ParentSets,
    Result,
    find_network,
    k_best_networks,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear.search.alternatives import (
    MOST_NETWORKS,
    Alternative,
    alternatives_among,
    best_distinct,
)

DATA = simulate(12, 300, max_parents=2, seed=4).data


@pytest.fixture(scope="module")
def sets() -> ParentSets:
    return score_parent_sets(DATA, max_parents=3)


@st.composite
def sets_and_networks(draw: st.DrawFn) -> tuple[ParentSets, list[list[int]]]:
    """Draw parent sets, and networks that choose one set per variable, with repetitions."""
    sets = draw(parent_set_collections(required_parents=True))
    row = st.tuples(*(st.integers(0, min(2, int(count) - 1)) for count in sets.counts))
    return sets, [list(ranks) for ranks in draw(st.lists(row, max_size=12))]


@given(sets_and_networks())
def test_best_distinct_networks(drawn: tuple[ParentSets, list[list[int]]]) -> None:
    sets, networks = drawn
    kept = best_distinct(sets, [np.array(row) for row in networks])
    expected = naive.best_distinct(naive.as_lists(sets), networks)
    found = [naive.score_of_ranks(naive.as_lists(sets), row) for row in kept.tolist()]
    assert found == pytest.approx([score for score, _ in expected])
    assert {tuple(row) for row in kept.tolist()} == {row for _, row in expected}
    for made, row in zip(alternatives_among(sets, list(kept)), kept.tolist(), strict=True):
        chosen = [sets.at(v, rank + 1) for v, rank in enumerate(row)]
        assert made.parents == tuple(choice.parents for choice in chosen)
        assert made.score == naive.score_of_ranks(naive.as_lists(sets), row)


def check(result: Result, sets: ParentSets) -> None:
    """Check that they are distinct, sorted and correctly scored, the result first."""
    found = result.alternatives
    assert found[0] == Alternative(result.score, result.network.parents)
    assert len({one.parents for one in found}) == len(found) <= MOST_NETWORKS
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    for one in found[:5]:
        network = Network(sets.names, one.parents)
        assert score_network(network, DATA, "bdeu") == pytest.approx(one.score)


@pytest.mark.parametrize("name", ["ps-minobs", "minobs", "inobs", "obs", "asobs", "tabu"])
def test_every_algorithm_returns_alternatives(name: str, sets: ParentSets) -> None:
    result = find_network(sets, algorithm=name, generations=8, seed=2, certify=False)
    check(result, sets)
    assert len(result.alternatives) > (20 if "minobs" in name else 0)


def test_alternatives_come_from_all_populations(sets: ParentSets) -> None:
    """After restarts there are more alternatives than members, and better ones."""
    short = find_network(sets, generations=2, seed=2, certify=False)
    long = find_network(sets, generations=150, seed=2, certify=False)
    assert len(short.alternatives) <= 60 < len(long.alternatives)
    assert long.alternatives[len(short.alternatives) - 1].score > short.alternatives[-1].score


def test_exact_search(sets: ParentSets) -> None:
    result = find_network(sets, algorithm="exact", seed=1)
    check(result, sets)
    assert len(result.alternatives) > 10
    best = k_best_networks(sets, 4, seed=1)
    check(best[0], sets)
    assert [one.parents for one in best[0].alternatives[:4]] == [r.network.parents for r in best]
    assert all(result.alternatives == () for result in best[1:])


def test_round_trip(sets: ParentSets, tmp_path: Path) -> None:
    found = find_network(sets, generations=5, seed=1)
    found.save(tmp_path / "result.json")
    assert Result.load(tmp_path / "result.json").alternatives == found.alternatives
    fields = json.loads((tmp_path / "result.json").read_text())
    assert fields["alternatives"][0] == {"score": found.score, "changes": []}
    del fields["alternatives"]
    (tmp_path / "old.json").write_text(json.dumps(fields))
    assert Result.load(tmp_path / "old.json").alternatives == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([[0, [12]]], "impossible parents of variable 0"),
        ([[3, [3]]], "impossible parents of variable 3"),
        (7, "damaged"),
    ],
)
def test_damaged_files_are_rejected(
    sets: ParentSets, tmp_path: Path, changes: object, message: str
) -> None:
    path = tmp_path / "result.json"
    find_network(sets, generations=1, seed=1).save(path)
    fields = json.loads(path.read_text())
    fields["alternatives"][1]["changes"] = changes
    path.write_text(json.dumps(fields))
    with pytest.raises(FileError, match=message):
        Result.load(path)
