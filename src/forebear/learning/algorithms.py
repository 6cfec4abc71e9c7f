"""Every algorithm by name."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from forebear._util.errors import ForebearError
from forebear.exact.settings import Exact
from forebear.search.baselines.asobs import ASOBS
from forebear.search.baselines.hill_climbing import HillClimbing, Tabu
from forebear.search.baselines.obs import OBS
from forebear.search.inobs import INOBS
from forebear.search.minobs import MINOBS
from forebear.search.psminobs import PSMINOBS

if TYPE_CHECKING:
    from collections.abc import Callable

    from forebear.search.algorithm import Algorithm


def plain_minobs(**settings: Any) -> PSMINOBS:
    """MINOBS over all sets: the one sample that is everything."""
    return PSMINOBS(samples=1, rate=1.0, minobs=MINOBS(**settings))


ALGORITHMS: dict[str, Callable[..., Algorithm | Exact]] = {
    "ps-minobs": PSMINOBS,
    "minobs": plain_minobs,
    "inobs": INOBS,
    "obs": OBS,
    "asobs": ASOBS,
    "hill-climbing": HillClimbing,
    "tabu": Tabu,
    "exact": Exact,
}
"""Every algorithm by name."""


def make_algorithm(algorithm: Algorithm | Exact | str, **settings: Any) -> Algorithm | Exact:
    """Make an algorithm from its name and settings; those that are ``None`` keep their default."""
    given = {name: value for name, value in settings.items() if value is not None}
    if not isinstance(algorithm, str):
        if given:
            raise ForebearError(
                f"{', '.join(given)} go with an algorithm's name, not with its object"
            )
        return algorithm
    kind = ALGORITHMS.get(algorithm)
    if kind is None:
        raise ForebearError(
            f"no algorithm is called {algorithm!r}: there are {', '.join(ALGORITHMS)}"
        )
    known = signature(MINOBS if kind is plain_minobs else kind).parameters
    for name in given:
        if name not in known:
            raise ForebearError(f"{algorithm} has no setting {name}: it has {', '.join(known)}")
    return kind(**given)
