"""Every algorithm by name, and how settings become an algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

from forebear._util.checks import check_choice, with_python_numbers
from forebear._util.errors import ForebearError, Parameter
from forebear.proof.exact_search import Exact
from forebear.search.hill_climbing import HillClimbing, Tabu
from forebear.search.minobs import MINOBS
from forebear.search.multistart import ASOBS, INOBS, OBS
from forebear.search.psminobs import PSMINOBS

if TYPE_CHECKING:
    from forebear.search.algorithm import Algorithm

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
"""Every algorithm by name: its settings."""


@dataclass(frozen=True)
class NamedAlgorithm:
    """An algorithm ready to run, and what results call it."""

    name: str
    made: Algorithm | Exact

    @property
    def search(self) -> Algorithm:
        """The algorithm, where it is known to be no exact one."""
        if isinstance(self.made, Exact):
            raise AssertionError("exact search has no chains")
        return self.made


def as_algorithm(algorithm: Any) -> NamedAlgorithm:
    """Take an algorithm by its name or by its settings."""
    if isinstance(algorithm, str):
        check_choice(ALGORITHMS, algorithm=algorithm)
        return as_algorithm(ALGORITHMS[algorithm]())
    names = {kind: name for name, kind in ALGORITHMS.items()}
    if type(algorithm) in names:
        algorithm = with_python_numbers(algorithm)
    if isinstance(algorithm, MINOBS):  # the one chain whose sample is everything
        return NamedAlgorithm("minobs", PSMINOBS(chains=1, rate=1.0, minobs=algorithm))
    if type(algorithm) in names:
        return NamedAlgorithm(names[type(algorithm)], algorithm)
    is_class = isinstance(algorithm, type)
    if hasattr(algorithm, "chain") and hasattr(algorithm, "chains") and not is_class:
        return NamedAlgorithm(type(algorithm).__name__, algorithm)  # an algorithm of the user's
    got = f"the class {algorithm.__name__}" if is_class else repr(algorithm)
    raise ForebearError(
        Parameter("algorithm"),
        f" must be a name ({', '.join(ALGORITHMS)}) or settings such as PSMINOBS(chains=4), "
        f"got {got}",
    )


def algorithm_from(name: str, **settings: Any) -> Any:
    """Make the settings of an algorithm from single values; None means not given.

    Without any the name stays a name, so that its defaults can follow the executor.
    """
    check_choice(ALGORITHMS, algorithm=name)
    given = {key: value for key, value in settings.items() if value is not None}
    if not given:
        return name
    known = signature(ALGORITHMS[name]).parameters
    for key in given:
        if key not in known:
            raise ForebearError(f"{name} has no setting ", Parameter(key))
    return ALGORITHMS[name](**given)
