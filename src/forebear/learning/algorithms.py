"""Algorithms by name, and the conversion of names and settings to algorithms."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Any

from forebear._util.checks import check_choice, with_python_numbers
from forebear._util.errors import ForebearError, Parameter
from forebear.proof.exact_search import Exact
from forebear.search.algorithm import Algorithm
from forebear.search.hill_climbing import HillClimbing, Tabu
from forebear.search.minobs import MINOBS
from forebear.search.multistart import ASOBS, INOBS, OBS
from forebear.search.psminobs import PSMINOBS

ALGORITHMS: dict[str, Any] = {
    "ps-minobs": PSMINOBS,
    "minobs": MINOBS,
    "inobs": INOBS,
    "obs": OBS,
    "asobs": ASOBS,
    "hill-climbing": HillClimbing,
    "tabu": Tabu,
    "exact": Exact,
}
"""The class of settings of every algorithm, by name."""


@dataclass(frozen=True)
class NamedAlgorithm:
    """The settings of an algorithm, and its name in results."""

    name: str
    settings: Algorithm | Exact

    @property
    def search(self) -> Algorithm:
        """The settings of a search algorithm. Exact search, which has no chains, is not allowed."""
        if isinstance(self.settings, Exact):
            raise AssertionError("exact search has no chains")
        return self.settings


def as_algorithm(algorithm: Any) -> NamedAlgorithm:
    """Return the algorithm with a name or with the given settings."""
    if isinstance(algorithm, str):
        check_choice(ALGORITHMS, algorithm=algorithm)
        return as_algorithm(ALGORITHMS[algorithm]())
    names = {kind: name for name, kind in ALGORITHMS.items()}
    if type(algorithm) in names:
        algorithm = with_python_numbers(algorithm)
    if isinstance(algorithm, MINOBS):  # one chain that searches all sets
        return NamedAlgorithm("minobs", PSMINOBS(chains=1, rate=1.0, minobs=algorithm))
    if type(algorithm) in names:
        return NamedAlgorithm(names[type(algorithm)], algorithm)
    is_class = isinstance(algorithm, type)
    if hasattr(algorithm, "chain") and hasattr(algorithm, "chains") and not is_class:
        return NamedAlgorithm(type(algorithm).__name__, algorithm)  # a user-defined algorithm
    got = f"the class {algorithm.__name__}" if is_class else repr(algorithm)
    raise ForebearError(
        Parameter("algorithm"),
        f" must be a name ({', '.join(ALGORITHMS)}) or settings such as PSMINOBS(chains=4), "
        f"got {got}",
    )


def algorithm_from(name: str, **settings: Any) -> Any:
    """Return the settings of an algorithm with these values; None stands for the default.

    If all values are None, the name is returned, so that defaults can depend on the executor.
    """
    check_choice(ALGORITHMS, algorithm=name)
    values = {key: value for key, value in settings.items() if value is not None}
    if not values:
        return name
    accepted = signature(ALGORITHMS[name]).parameters
    for key in values:
        if key not in accepted:
            raise ForebearError(f"{name} has no setting ", Parameter(key))
    return ALGORITHMS[name](**values)
