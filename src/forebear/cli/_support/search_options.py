"""The options about the algorithm, about when it stops, and about where it runs."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from forebear._util.checks import check_positive, check_real
from forebear._util.errors import ForebearError, Parameter
from forebear.learning.algorithms import algorithm_from
from forebear.search.stop import AnyOf, MaxGenerations, NoImprovement, StopRule, Target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class SearchOptions:
    """The options about the algorithm and when it stops, as they were typed."""

    algorithm: str = "ps-minobs"
    chains: int | None = None
    rate: float | None = None
    widen: bool | None = None
    variant: str | None = None
    method: str | None = None
    target: float | None = None
    idle_limit: float | None = None

    def as_algorithm(self) -> Any:
        """Return the settings of the algorithm."""
        given = asdict(self)
        del given["target"], given["idle_limit"]
        return algorithm_from(given.pop("algorithm"), **given)

    def as_stop_rule(self, generations: int | None) -> int | StopRule | None:
        """Return the rule to stop by; exact search has none."""
        for name, value in {"target": self.target, "idle_limit": self.idle_limit}.items():
            if value is not None and self.algorithm == "exact":
                raise ForebearError(
                    "exact search ends with its proof or by ",
                    Parameter("time_limit"),
                    ": leave ",
                    Parameter(name),
                    " out",
                )
        rules: list[Any] = []
        if self.target is not None:
            check_real(-math.inf, target=self.target)
            rules.append(Target(self.target))
        if self.idle_limit is not None:
            check_positive(idle_limit=self.idle_limit)
            rules.append(NoImprovement(seconds=self.idle_limit))
        if not rules:
            return generations
        return AnyOf(*rules, *([] if generations is None else [MaxGenerations(generations)]))


def as_certify(certify: bool | None, certificate: Path | None) -> bool | Path | None:
    """Return whether to prove, or the file for the proof."""
    if certificate is not None and certify is False:
        raise ForebearError(
            Parameter("certificate"), " is a proof: it needs ", Parameter("certify", True)
        )
    return certify if certificate is None else certificate


def parsed_max_parents(text: str | None) -> int | Literal["all"] | None:
    """Return the number, "all", or None if nothing was given."""
    if text is None:
        return None
    if text == "all":
        return "all"
    try:
        return int(text)
    except ValueError:
        raise ForebearError(
            Parameter("max_parents"), f' must be a whole number or "all", got "{text}"'
        ) from None


@contextmanager
def executor_at(address: str | None, timeout: float = 10.0) -> Iterator[Any]:
    """Connect to the Dask cluster at an address; without one, yield None."""
    if address is None:
        yield None
        return
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise ForebearError("Dask is not installed: pip install distributed") from None
    try:
        client = distributed.Client(address, timeout=timeout)
    except (OSError, ValueError) as error:
        raise ForebearError(f"--dask {address}: no Dask cluster answers there: {error}") from error
    with client:
        yield client.get_executor()
