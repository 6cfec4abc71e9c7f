"""Algorithms by name and by settings, and errors of invalid ones."""

from __future__ import annotations

import re
from typing import Any

import pytest
from strategies import random_parent_sets

from forebear import (
    ASOBS,
    INOBS,
    MINOBS,
    OBS,
    PSMINOBS,
    Exact,
    ForebearError,
    HillClimbing,
    Tabu,
    find_network,
)
from forebear.learning.algorithms import ALGORITHMS

SETS = random_parent_sets(6, 10, 2, seed=1)
SETTINGS: dict[str, Any] = {
    "ps-minobs": PSMINOBS(chains=2, rate=0.5, minobs=MINOBS(population=10)),
    "minobs": MINOBS(variant="published", population=10),
    "inobs": INOBS(chains=2),
    "obs": OBS(),
    "asobs": ASOBS(),
    "hill-climbing": HillClimbing(),
    "tabu": Tabu(),
    "exact": Exact(method="dynamic"),
}


@pytest.mark.parametrize("name", ALGORITHMS)
def test_settings_are_accepted_and_the_result_has_the_name(name: str) -> None:
    limits: dict[str, Any] = {} if name == "exact" else {"generations": 3}
    result = find_network(SETS, algorithm=SETTINGS[name], seed=1, **limits)
    assert result.algorithm == name
    assert find_network(SETS, algorithm=name, seed=1, **limits).algorithm == name


def test_the_result_has_the_settings() -> None:
    result = find_network(SETS, algorithm=SETTINGS["minobs"], generations=1, seed=1)
    assert result.settings["minobs"]["variant"] == "published"
    result = find_network(SETS, algorithm=SETTINGS["ps-minobs"], generations=1, seed=1)
    assert (result.settings["chains"], result.settings["rate"]) == (2, 0.5)


class Own:
    """An algorithm of one's own, which leaves the work to another."""

    resumable = False
    chains = 2

    def chain(self, *about: Any) -> Any:
        return OBS().chain(*about)

    def resumed(self, *about: Any) -> Any:
        raise NotImplementedError


def test_a_user_defined_algorithm() -> None:
    result = find_network(SETS, algorithm=Own(), generations=2, seed=1)
    assert result.algorithm == "Own"
    assert result.generations == (2, 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("minob", "algorithm must be one of .*, got 'minob' (did you mean minobs?)"),
        (None, "algorithm must be a name (ps-minobs, .*) or settings .*, got None"),
        ({"chains": 2}, "got {'chains': 2}"),
        (PSMINOBS, "settings such as PSMINOBS(chains=4), got the class PSMINOBS"),
        (Own, "got the class Own"),
    ],
)
def test_invalid_algorithms_are_rejected(given: object, message: str) -> None:
    pattern = re.escape(message).replace(r"\.\*", ".*") + "$"
    with pytest.raises(ForebearError, match=pattern) as raised:
        find_network(SETS, algorithm=given)
    assert raised.value.parameter == "algorithm"
