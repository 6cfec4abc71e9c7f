"""Recipe: stop rules as plain values."""

from __future__ import annotations

from forebear import AnyOf, MaxGenerations, MaxSeconds, NoImprovement, Target
from forebear.search.recipe import stop_fields, stop_of


def test_the_strictest_of_several_limits_is_saved() -> None:
    rule = AnyOf(
        AnyOf(Target(-5.0), NoImprovement(seconds=8.0), MaxGenerations(9)),
        AnyOf(AnyOf(Target(-6.0)), NoImprovement(seconds=10.0, generations=4)),
        *(MaxGenerations(7), MaxSeconds(3.0), MaxSeconds(4.0)),
    )
    kept = stop_fields(rule)
    assert kept == {
        "target": -6.0,
        "idle_generations": 4,
        "idle_seconds": 8.0,
        "generations": 7,
        "seconds": 3.0,
    }
    assert stop_fields(stop_of(kept)) == kept
