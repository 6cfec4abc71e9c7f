"""Public functions with arguments of a wrong type: the error is one sentence."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import forebear
from forebear import Dataset, ForebearError, ParentSets, score_parent_sets, simulate

REST: dict[str, tuple[Any, ...]] = {
    "learn": (),
    "score_parent_sets": (),
    "find_network": (),
    "find_bound": (),
    "surviving_sets": (None,),
    "k_best_networks": (1,),
    "exact_posterior": (),
    "sample_posterior": (),
    "bootstrap_averages": (),
    "averaged_network": (),
    "validate": (),
    "summarize_table": (),
    "score_network": ("example:orchard",),
    "family_scores": ("example:orchard",),
    "fit_network": ("example:orchard",),
    "compare_networks": (None,),
    "write_network": ("o.bif",),
}
"""What follows the first argument."""


@pytest.mark.parametrize("value", ["no such thing", None, 5, 1.5, [], [1, 2], {}, True, b"x"])
@pytest.mark.parametrize("name", REST)
def test_first_arguments(name: str, value: Any) -> None:
    with pytest.raises(ForebearError):
        getattr(forebear, name)(value, *REST[name])


@cache
def table() -> Dataset:
    return simulate(3, 20, seed=1).data


@cache
def sets() -> ParentSets:
    return score_parent_sets(table(), max_parents=1)


@pytest.mark.parametrize(
    ("name", "first", "options", "message"),
    [
        (
            "find_bound",
            str,
            {},
            "parent_sets must be ParentSets, got str: score a table with score_parent_sets, or "
            "read a file with ParentSets.load",
        ),
        ("find_bound", sets, {"score": "x"}, "score must be a number, got 'x'"),
        ("find_bound", sets, {"watcher": 5}, "watcher must be a Watcher, got int"),
        ("score_parent_sets", table, {"watcher": 5}, "watcher must be a Watcher, got int"),
        ("sample_posterior", table, {"watcher": 5}, "watcher must be a Watcher, got int"),
        ("surviving_sets", sets, {"bound": -5.0}, "bound must be a Bound, got float: find_bound"),
        ("k_best_networks", sets, {"k": "x"}, "k must be a whole number, got 'x'"),
        ("k_best_networks", sets, {"k": 1, "watcher": 5}, "watcher must be a Watcher, got int"),
        ("averaged_network", list, {}, "averages must be probabilities of arcs, got list"),
        ("validate", table, {"scores": 5}, "scores must be a list of scores, got 5"),
        ("bootstrap_averages", table, {"on_replicate": 5}, "on_replicate must be a function"),
        ("simulate", lambda: 3, {"rows": 5, "seed": None}, "seed must be a whole number, got None"),
    ],
)
def test_messages(name: str, first: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ForebearError) as raised:
        getattr(forebear, name)(first(), **options)
    assert str(raised.value).startswith(message)
