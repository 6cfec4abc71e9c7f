"""Upper bounds on larger sets, and collections that contain an optimal network."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import naive
import naive_scores
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scoredsets import PRIORS, score_of, scored_by
from strategies import datasets

from forebear import (
    Dataset,
    ForebearError,
    LimitError,
    ParentSets,
    Watcher,
    find_network,
    learn,
    score_parent_sets,
    simulate,
)
from forebear._util.errors import TimeLimitError
from forebear.budget import Clock
from forebear.scoring.all_sets import score_all_sizes
from forebear.scoring.completeness import add_larger_sets, upper_bounds
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import ScoringRun, make_job

SCORES = ("bdeu", "bds", "k2", "bic", "aic")
scores = st.tuples(scored_by(*SCORES), PRIORS, st.sampled_from([0.1, 1.0, 30.0]))
Kind = tuple[str, str | float, float]


def parameters(name: str, prior: str | float, ess: float) -> dict[str, Any]:
    return {"prior": prior, **({"ess": ess} if name in ("bdeu", "bds") else {})}


@settings(max_examples=120, deadline=None)
@given(datasets(min_variables=2, max_variables=5, max_rows=30, max_arity=3), scores)
def test_no_superset_scores_more_than_the_upper_bound(data: Dataset, kind: Kind) -> None:
    given_ = parameters(*kind)
    others = list(range(1, data.n_variables))
    limits = upper_bounds(make_job(data, score=score_of(kind[0], **given_), max_parents=1))
    value = {
        sum(1 << i for i in own): naive_scores.local_score(
            data, 0, [others[i] for i in own], kind[0], **given_
        )
        for size in range(len(others) + 1)
        for own in combinations(range(len(others)), size)
    }
    for mask in value:
        best = max(score for other, score in value.items() if other & mask == mask)
        assert limits.of(0, others, mask) >= best - 1e-9


@settings(max_examples=80, deadline=None)
@given(
    datasets(min_variables=3, max_variables=6, max_rows=40, max_arity=3),
    scores,
    st.integers(1, 2),
    st.booleans(),
)
def test_all_sets_that_are_not_dominated_are_found(
    data: Dataset, kind: Kind, first: int, constrained: bool
) -> None:
    given_ = parameters(*kind)
    known = {"required": {0: [1]}, "forbidden": {1: [2]}} if constrained else {}
    job = make_job(
        data,
        score=score_of(kind[0], **given_),
        max_parents=first,
        constraints=Constraints.make(data.n_variables, **known),  # type: ignore[arg-type]
        threads=1,
    )
    run = ScoringRun(job)
    assert run.run() == "done"
    found = add_larger_sets(job, run.collect())
    assert found is not None
    assert found.is_complete
    most = data.n_variables - 1
    wanted = naive.parent_sets(
        data, most, kind[0], known.get("required"), known.get("forbidden"), **given_
    )
    for own, every in zip(naive.as_lists(found), wanted, strict=True):
        # What is worth having is there, up to rounding; some sets may be there that are not.
        for score, parents in every:
            subsets = [s for s, other in own if set(other) <= set(parents)]
            assert max(subsets) >= score - 1e-6 * (1 + abs(score))


def test_the_provenance_records_completeness(tmp_path: Path) -> None:
    data = simulate(14, 200, max_parents=2, seed=3).data
    sets = score_parent_sets(data, score="bic", max_parents="all", path=tmp_path / "all.cps")
    assert ParentSets.load(tmp_path / "all.cps").is_complete
    result = find_network(sets, algorithm="exact", seed=1)
    assert result.covers == "among all networks"
    assert learn(data, score="bic", seed=1).covers == "among all networks"
    few = score_parent_sets(data, score="bic", max_parents=2)
    assert find_network(few, seed=1).covers == "among networks with at most 2 parents"


def test_scores_without_upper_bounds() -> None:
    data = simulate(5, 100, seed=1).data
    sets = score_parent_sets(data, score="fnml", max_parents="all")
    assert sets.is_complete
    with pytest.raises(
        LimitError, match=r"larger parent sets cannot be bounded under this score \(mit\)"
    ):
        score_parent_sets(simulate(20, 50, seed=1).data, score="mit", max_parents="all")
    with pytest.raises(ForebearError, match="cannot be combined with max_candidates"):
        score_parent_sets(data, max_parents="all", max_candidates=2)


def test_too_many_large_sets() -> None:
    """The time is over once sets of a few parents are scored."""
    clock = Clock(3600.0)

    class Ending(Watcher):
        def scoring(self, fraction: float) -> None:
            if fraction == 1.0:
                clock.cancel()

    job = make_job(simulate(20, 100, seed=1).data, score="bds", max_parents=1, threads=1)
    with pytest.raises(
        TimeLimitError,
        match=r"all sets of up to 5 parents were scored\): increase time_limit, or set max_parents",
    ):
        score_all_sizes(job, clock, watcher=Ending())
