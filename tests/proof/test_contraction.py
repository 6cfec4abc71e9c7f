"""Contraction: sets of parts by their definition, and bounds that hold for every network."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import naive
import numpy as np
import pytest
from certificates import check
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import parent_set_collections

from forebear import ParentSets, Watcher, find_bound, score_parent_sets, surviving_sets
from forebear.budget import Clock
from forebear.checker.problem import RefusedError, Sets, contracted
from forebear.proof.bound import prove_bound
from forebear.proof.contraction import contract, contract_parts
from forebear.proof.dual_ascent import choose_ticks, costs_of
from forebear.proof.incumbents import Incumbents
from forebear.proof.solver import Solver

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear import Bound
    from forebear.proof.contraction import Contraction

POSSIBLE = parent_set_collections(max_variables=6)
SLOW = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def draw_parts(data: st.DataObject, n: int) -> tuple[tuple[int, ...], ...]:
    """Draw a partition of the variables, ordered by the first variables."""
    number = [data.draw(st.integers(0, n - 1)) for _ in range(n)]
    parts = {k: tuple(v for v in range(n) if number[v] == k) for k in number}
    return tuple(sorted(parts.values()))


def spelt_out(contraction: Contraction) -> list[dict[tuple[int, ...], int]]:
    """Return the cost of each set of each part."""
    return [
        {
            tuple(p for p in contraction.parents[:, i].tolist() if p != contraction.none): int(
                contraction.costs[i]
            )
            for i in range(begin, end)
        }
        for begin, end in pairwise(contraction.offsets.tolist())
    ]


def naive_contraction(
    sets: ParentSets, costs: NDArray[np.int64], parts: tuple[tuple[int, ...], ...]
) -> list[dict[tuple[int, ...], int]]:
    home = {v: k for k, part in enumerate(parts) for v in part}
    result: list[dict[tuple[int, ...], int]] = []
    for k, part in enumerate(parts):
        least: dict[tuple[int, ...], int] = {}
        for v in part:
            start = int(sets.offsets[v])
            for rank, (_, members) in enumerate(naive.as_lists(sets)[v]):
                image = tuple(sorted({home[u] for u in members}))
                cost = int(costs[start + rank])
                if k not in image:
                    least[image] = min(cost, least.get(image, cost))
        result.append(least)
    return result


@given(POSSIBLE, st.data())
def test_sets_of_parts(sets: ParentSets, data: st.DataObject) -> None:
    parts = draw_parts(data, sets.n_variables)
    costs = costs_of(sets, choose_ticks(sets))
    contraction = contract_parts(sets, costs, parts)
    assert spelt_out(contraction) == naive_contraction(sets, costs, parts)
    for begin, end in pairwise(contraction.offsets.tolist()):
        assert (np.diff(contraction.costs[begin:end]) >= 0).all()
    home = {v: k for k, part in enumerate(parts) for v in part}
    child = np.repeat(np.arange(sets.n_variables), sets.counts).tolist()
    for v, members, image in zip(child, sets.parents.T, contraction.image.tolist(), strict=True):
        wanted = sorted({home[u] for u in members.tolist() if u != sets.none})
        if image < 0:
            assert home[v] in wanted
            continue
        assert contraction.offsets[home[v]] <= image < contraction.offsets[home[v] + 1]
        found = contraction.parents[:, image]
        assert found[found != contraction.none].tolist() == wanted


@SLOW
@given(POSSIBLE, st.data(), st.integers(1, 40), st.none() | st.floats(0.0, 30.0))
def test_no_network_exceeds_it(
    sets: ParentSets, data: st.DataObject, rounds: int, worse: float | None
) -> None:
    """Whatever the parts are, and the best network survives."""
    best = naive.best_score(naive.as_lists(sets))
    parts = draw_parts(data, sets.n_variables)
    solver = Solver(
        sets,
        Incumbents(sets, 1),
        Clock(),
        1,
        branching=False,
        score=None if worse is None else best - worse,
        contract=lambda sets, costs, _: contract_parts(sets, costs, parts),
    )
    solver.run(rounds)
    assert solver.bound >= best - 1e-9
    if worse is None:
        return
    left = [
        [own[rank] for rank in ranks.tolist()]
        for own, ranks in zip(naive.as_lists(sets), solver.survivors(), strict=True)
    ]
    assert naive.best_score(left) == best


def with_twins(seed: int, n: int = 12, rows: int = 120) -> NDArray[np.int64]:
    """Draw a table in which some columns are equal, and one is the opposite of another."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (rows, n))
    for v in range(2, n):
        noise = rng.random(rows) < 0.2
        table[:, v] = (table[:, rng.integers(0, v)] + noise) % 2
    return np.column_stack([table, table[:, 3], 1 - table[:, 3], table[:, 7]])


def sets_with_twins(seed: int) -> ParentSets:
    with pytest.warns(match="duplicates"):
        return score_parent_sets(with_twins(seed), max_parents=2)


def bound_of(sets: ParentSets, score: float | None, rounds: int, path: Path | None) -> Bound:
    return prove_bound(
        sets,
        score=score,
        clock=Clock(),
        rounds=rounds,
        threads=1,
        watcher=Watcher(),
        certificate=path,
        largest_dynamic=0,
    )


def test_equal_columns_are_one_part() -> None:
    sets = sets_with_twins(1)
    contraction = contract(sets, costs_of(sets, 1.0), 1.0)
    assert contraction is not None
    assert contraction.larger_parts == [[3, 12, 13], [7, 14]]
    others = score_parent_sets(with_twins(1)[:, :12], max_parents=2)
    assert contract(others, costs_of(others, 1.0), 1.0) is None


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("known", [True, False])
def test_certificates_of_contracted_problems(seed: int, known: bool, tmp_path: Path) -> None:
    sets = sets_with_twins(seed)
    best = find_bound(sets, threads=1).bound  # dynamic programming
    for rounds in (5, 40, 80):
        path = tmp_path / f"{rounds}.cert"
        bound = bound_of(sets, best if known else None, rounds, path)
        checked = check(path, sets)
        assert float(checked.bound) >= best - 1e-6
        assert float(checked.bound) == pytest.approx(bound.bound, abs=1e-6)
        if known:
            left = surviving_sets(sets, bound)
            assert naive.best_score(naive.as_lists(left)) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("known", [True, False])
def test_what_a_contraction_loses_is_proven_without_it(known: bool) -> None:
    sets = sets_with_twins(0)
    best = find_bound(sets, threads=1).bound
    bound = bound_of(sets, best if known else None, 600, None)
    assert best - 1e-9 <= bound.bound <= best + 0.05


@pytest.mark.parametrize(
    ("parts", "statements", "message"),
    [
        ([[3, 12, 13], [13, 14]], {}, "in two parts"),
        ([[3, 12, 13], [7]], {}, "in two parts"),
        ([[3, 3]], {}, "names a variable twice"),
        ([[3, 99]], {}, "not a number that fits"),
        ([[3, 12, 13], [7, 14]], {"before": [[0, 1]]}, "statements"),
        ([], {}, "neither closed nor split"),
    ],
)
def test_forged_contractions_are_refused(
    parts: list[list[int]], statements: dict[str, object], message: str, tmp_path: Path
) -> None:
    sets = sets_with_twins(1)
    path = tmp_path / "bound.cert"
    bound_of(sets, None, 30, path)
    forged = json.loads(path.read_text())
    assert forged["contracted"] == [[3, 12, 13], [7, 14]]
    path.write_text(json.dumps({**forged, "contracted": parts, "statements": statements}))
    with pytest.raises(RefusedError, match=message):
        check(path, sets)


@SLOW
@given(POSSIBLE, st.data())
def test_the_checker_contracts_by_the_same_definition(
    sets: ParentSets, data: st.DataObject
) -> None:
    parts = draw_parts(data, sets.n_variables)
    child = np.repeat(np.arange(sets.n_variables), sets.counts)
    cost = costs_of(sets, choose_ticks(sets))
    slots = np.sort(np.minimum(sets.parents, sets.n_variables).T.astype(np.int64), axis=1)
    flat = Sets(child, cost, slots, sets.offsets)
    found, scope = contracted(flat, [list(part) for part in parts if len(part) > 1])
    assert scope.tolist() == [part[0] for part in parts]
    number = {part[0]: k for k, part in enumerate(parts)}
    costs: list[dict[tuple[int, ...], int]] = [{} for _ in parts]
    for v, one, members in zip(found.child, found.cost, found.slots, strict=True):
        own = costs[number[int(v)]]
        key = tuple(sorted(number[u] for u in members.tolist() if u < sets.n_variables))
        own[key] = min(int(one), own.get(key, int(one)))
    assert costs == naive_contraction(sets, cost, parts)
