"""Stop rules, alone and combined."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from forebear._util.errors import ForebearError
from forebear.search.stop import (
    AnyOf,
    MaxGenerations,
    MaxSeconds,
    NoImprovement,
    Standing,
    StopRule,
    Target,
    time_limit,
)


def standing(**changes: float) -> Standing:
    values: dict[str, Any] = {
        "seconds": 0.0,
        "generation": 1,
        "score": -100.0,
        "idle_seconds": 0.0,
        "idle_generations": 0,
    }
    return Standing(**(values | changes))


@pytest.mark.parametrize(
    ("rule", "continues", "stops", "reason"),
    [
        (MaxSeconds(2), {"seconds": 1.9}, {"seconds": 2.0}, "time"),
        (MaxGenerations(5), {"generation": 4}, {"generation": 5}, "generations"),
        (Target(-50.0), {"score": -50.1}, {"score": -50.0}, "target"),
        (Target(-50.0), {"score": -math.inf}, {"score": -50.0000001}, "target"),
        (
            NoImprovement(generations=3),
            {"idle_generations": 2, "idle_seconds": 99.0},
            {"idle_generations": 3},
            "no improvement",
        ),
        (
            NoImprovement(seconds=3.0),
            {"idle_generations": 99, "idle_seconds": 2.9},
            {"idle_seconds": 3.0},
            "no improvement",
        ),
        (
            AnyOf(MaxGenerations(5), Target(0.0)),
            {"generation": 4, "score": -1.0},
            {"generation": 4, "score": 0.0},
            "target",
        ),
    ],
)
def test_rules(
    rule: StopRule, continues: dict[str, float], stops: dict[str, float], reason: str
) -> None:
    assert rule(standing(**continues)) is None
    assert rule(standing(**stops)) == reason


def test_time_limits_are_found_in_combinations() -> None:
    assert time_limit(MaxGenerations(1)) is None
    assert time_limit(MaxSeconds(3)) == 3
    assert time_limit(AnyOf(Target(1.0), AnyOf(MaxSeconds(5), MaxSeconds(4)))) == 4
    assert time_limit(lambda _: None) is None


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: MaxSeconds(0), "seconds must be positive, got 0"),
        (lambda: MaxSeconds(math.nan), "seconds must be a number, got nan"),
        (lambda: Target(math.nan), "score must be a number, got nan"),
        (lambda: MaxGenerations(-1), "generations must be at least 1, got -1"),
        (NoImprovement, "NoImprovement requires generations or seconds"),
        (lambda: NoImprovement(generations=0), "generations must be at least 1, got 0"),
        (lambda: NoImprovement(seconds=-0.5), "seconds must be positive, got -0.5"),
        (AnyOf, "a search requires a stop rule: seconds, generations, ..."),
    ],
)
def test_invalid_rules_are_rejected(make: Callable[[], StopRule], what: str) -> None:
    with pytest.raises(ForebearError, match=what):
        make()
