"""Growth in learn(): limits and knowledge hold, the same on any number of threads."""

from __future__ import annotations

import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from forebear import (
    PSMINOBS,
    FileError,
    Knowledge,
    Network,
    ParentSets,
    Result,
    find_network,
    learn,
    resume_search,
    score_network,
    score_parent_sets,
    simulate,
)
from forebear._util.watcher import Watcher
from forebear.data.formats.arrays import write_arrays
from forebear.search.checkpoint import Checkpoint

TABLE = simulate(25, 600, states=(2, 3), max_parents=4, seed=11).data


def largest(network: Network) -> int:
    return max(map(len, network.parents))


def test_the_same_network_on_any_number_of_threads() -> None:
    one = learn(TABLE, generations=6, seed=3, threads=1)
    two = learn(TABLE, generations=6, seed=3, threads=2)
    assert one.network == two.network
    assert one.score == two.score
    assert one.generations == (6,)


def test_growth_is_at_least_as_good_as_the_sets_it_starts_from() -> None:
    pairs = find_network(
        score_parent_sets(TABLE, max_parents=2), generations=12, seed=3, certify=False
    )
    grown = learn(TABLE, generations=12, seed=3, certify=False)
    assert grown.score >= pairs.score
    assert grown.score == pytest.approx(score_network(grown.network, TABLE), rel=1e-9)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_max_parents_is_a_hard_limit(most: int) -> None:
    found = learn(TABLE, generations=5, seed=1, max_parents=most, certify=False)
    assert largest(found.network) <= most


def test_knowledge_holds() -> None:
    names = TABLE.names
    knowledge = Knowledge(
        required=[(names[3], names[7])],
        forbidden=[(names[0], names[1]), (names[1], names[0])],
        tiers=[names[:12], names[12:]],
        max_parents={names[5]: 1},
    )
    found = learn(TABLE, generations=6, seed=2, knowledge=knowledge, certify=False)
    assert knowledge.violations(found) == []
    assert len(found.network.parents[5]) <= 1


def test_the_alternatives_are_networks_of_the_final_sets() -> None:
    found = learn(TABLE, generations=8, seed=4, certify=False)
    assert found.alternatives[0].parents == found.network.parents
    for other in found.alternatives[:10]:
        network = Network(TABLE.names, other.parents)
        assert other.score == pytest.approx(score_network(network, TABLE), rel=1e-9)


def test_few_variables_grow_where_scoring_all_sets_takes_too_long() -> None:
    data = simulate(12, 60_000, states=(2, 4), max_parents=3, seed=1).data
    found = learn(data, time_limit=1.0, seed=1, certify=False)
    empty = Network(data.names, ((),) * 12)
    assert found.score > score_network(empty, data)


def same(one: Result, other: Result) -> bool:
    return (one.network, one.score, one.generations) == (
        other.network,
        other.score,
        other.generations,
    )


SETTINGS: dict[str, Any] = {
    "one chain": {},
    "two chains": {"algorithm": PSMINOBS(chains=2)},
    "knowledge": {
        "knowledge": Knowledge(
            required=[(TABLE.names[3], TABLE.names[7])],
            forbidden=[(TABLE.names[0], TABLE.names[1])],
            max_parents={TABLE.names[5]: 1},
        )
    },
    "another score": {"score": "bic"},
    "a start": {"start": Network(TABLE.names, ((), *((v,) for v in range(24))))},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_search_that_grows_is_stopped_and_resumed(name: str, tmp_path: Path) -> None:
    """It goes on as if nothing had happened."""
    settings = {**SETTINGS[name], "seed": 5, "certify": False}
    whole = learn(TABLE, generations=45, **settings)
    state = tmp_path / "state"
    first = learn(TABLE, generations=4, checkpoint=state, **settings)
    assert first.score <= whole.score
    for generations in (7, 30, 45):
        checkpoint = Checkpoint.read(state)
        assert checkpoint.recipe.growth is not None
        checkpoint.recipe.stop["generations"] = generations
        checkpoint.write(state)
        again = resume_search(state)
    assert same(again, whole)
    assert again.alternatives == whole.alternatives


def test_checkpoints_of_another_table_are_refused(tmp_path: Path) -> None:
    state = tmp_path / "state"
    learn(TABLE, generations=2, seed=1, checkpoint=state, certify=False)
    other = simulate(25, 600, states=(2, 3), max_parents=4, seed=12).data
    write_arrays(other, f"{state}.npz")
    with pytest.raises(FileError, match="now holds another table"):
        resume_search(state)
    Path(f"{state}.npz").unlink()
    with pytest.raises(FileError, match="its table is not there any more"):
        resume_search(state)


@pytest.mark.parametrize("chains", [1, 2])
def test_growth_on_an_executor(chains: int) -> None:
    settings: dict[str, Any] = {
        "algorithm": PSMINOBS(chains=chains),
        "generations": 6,
        "seed": 3,
        "certify": False,
    }
    here = learn(TABLE, **settings)
    with ThreadPoolExecutor(2) as executor:
        there = learn(TABLE, executor=executor, **settings)
    assert same(there, here)
    assert largest(there.network) > 2


def test_the_next_run_starts_from_the_sets_of_this_one(tmp_path: Path) -> None:
    heard: list[int] = []

    class Listener(Watcher):
        def scored(self, parent_sets: ParentSets, seconds: float, cached: Path | None) -> None:
            heard.append(len(parent_sets))

    settings: dict[str, Any] = {"certify": False, "watcher": Listener(), "threads": 1}
    for seed in (1, 2):
        found = learn(TABLE, cache=tmp_path, time_limit=2.0, seed=seed, **settings)
        assert found.score == pytest.approx(score_network(found.network, TABLE), rel=1e-9)
    assert heard[1] > heard[0]
    learn(TABLE, cache=tmp_path, max_parents=3, time_limit=1.0, **settings)  # other limits
    assert heard[2] == heard[0]
    # Under a generation limit the network does not depend on earlier runs.
    assert learn(TABLE, cache=tmp_path, generations=3, seed=1, **settings).score == (
        learn(TABLE, cache=False, generations=3, seed=1, **settings).score
    )


def test_grown_sets_are_kept(tmp_path: Path) -> None:
    found = learn(TABLE, generations=8, seed=4, certify=False)
    sets = found.parent_sets
    assert sets is not None
    assert sets.max_parents == found.provenance["max_parents"] > 2
    again = find_network(sets, start=found, generations=1, certify=False)
    assert again.score >= found.score
    first = score_parent_sets(TABLE, max_parents=2)
    grown = find_network(first, generations=8, data=TABLE, certify=False)
    assert grown.parent_sets is not None
    assert grown.parent_sets.max_parents > 2
    grown.save(tmp_path / "grown.json")
    assert Result.load(tmp_path / "grown.json").parent_sets is None
    assert pickle.loads(pickle.dumps(grown)).parent_sets is None


def test_what_the_bound_covers() -> None:
    small = simulate(5, 100, seed=1).data
    pairs = score_parent_sets(small, max_parents=2)
    limited = score_parent_sets(small, max_parents=2, max_sets_per_variable=4)
    some = score_parent_sets(small, max_parents=2, max_candidates=3)
    known = Knowledge(tiers=[small.names[:2], small.names[2:]])
    tiers = score_parent_sets(small, max_parents=4, knowledge=known)
    covered = [find_network(sets, generations=1).covers for sets in (pairs, limited, some, tiers)]
    assert covered == [
        "among networks with at most 2 parents",
        "among networks of the 4 best parent sets of each variable",
        "among networks with at most 2 parents, from 3 allowed candidates of each variable",
        "among all networks that respect the constraints",
    ]
    grown = learn(TABLE, generations=6, seed=1, certify=False)
    assert re.fullmatch(
        r"among networks of the [\d,]+ parent sets kept "
        r"\(all with up to 2 parents were scored, and some with up to \d+\)",
        grown.covers,
    )
