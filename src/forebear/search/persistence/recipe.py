"""Searches as plain data: what a checkpoint holds, and what is sent to other machines."""

from __future__ import annotations

from dataclasses import asdict, dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

from forebear._util.checks import plain
from forebear._util.errors import ForebearError
from forebear.knowledge.relations import Relations
from forebear.search.minobs import MINOBS
from forebear.search.multistart import ASOBS, INOBS
from forebear.search.psminobs import PSMINOBS
from forebear.search.stop import (
    AnyOf,
    MaxGenerations,
    MaxSeconds,
    NoImprovement,
    StopRule,
    Target,
    parts_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from forebear.search.algorithm import Algorithm

_KINDS: dict[str, Any] = {kind.__name__: kind for kind in (PSMINOBS, INOBS, ASOBS)}


@dataclass(frozen=True)
class Recipe:
    """What was asked for: enough to make the same search again."""

    parent_sets: dict[str, Any]
    algorithm: str
    kind: str
    settings: dict[str, Any]
    seed: int
    stop: dict[str, Any]
    orders: list[list[int]]
    growth: dict[str, Any] | None = None
    relations: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        fields = {
            dict: (self.parent_sets, self.settings, self.stop),
            str: (self.algorithm, self.kind),
            int: (self.seed,),
            list: (self.orders,),
            dict | None: (self.growth, self.relations),
        }
        if not all(isinstance(value, kind) for kind, own in fields.items() for value in own):
            raise TypeError("this is no recipe of a search")


def make_recipe(
    algorithm: Algorithm,
    name: str,
    seed: int,
    stop: StopRule,
    orders: Sequence[NDArray[np.int32]],
    parent_sets: dict[str, Any],
    growth: dict[str, Any] | None = None,
    relations: Relations | None = None,
) -> Recipe:
    """Write down a search. Not all algorithms can be: some keep more than they can tell."""
    kind = type(algorithm).__name__
    if kind not in _KINDS:
        raise ForebearError(
            f"{name} cannot be stopped and resumed, so it has no checkpoints and stays on this "
            "machine: take ps-minobs, minobs, inobs or asobs"
        )
    return Recipe(
        parent_sets=parent_sets,
        algorithm=name,
        kind=kind,
        settings=settings_of(algorithm),
        seed=seed,
        stop=stop_fields(stop),
        orders=[order.tolist() for order in orders],
        growth=growth,
        relations=asdict(relations) if relations else None,
    )


def relations_of(recipe: Recipe) -> Relations:
    """Make the relations of a recipe."""
    fields = recipe.relations or {}
    pairs = {name: tuple((int(a), int(b)) for a, b in own) for name, own in fields.items()}
    return Relations(**pairs)


def settings_of(algorithm: Algorithm) -> dict[str, Any]:
    """The settings of an algorithm, as plain values."""
    if is_dataclass(algorithm) and not isinstance(algorithm, type):
        return asdict(algorithm)
    return {}


def algorithm_of(recipe: Recipe) -> Algorithm:
    """Make the algorithm of a recipe."""
    settings = dict(recipe.settings)
    try:
        if "minobs" in settings:
            settings["minobs"] = MINOBS(**settings["minobs"])
        made: Algorithm = _KINDS[recipe.kind](**settings)
    except (KeyError, TypeError) as error:
        raise ForebearError(f"no algorithm fits this recipe: {error}") from error
    return made


def stop_fields(rule: StopRule) -> dict[str, Any]:
    """Write down a rule to stop by; of several of a kind, the one that stops first."""
    fields: dict[str, Any] = {}

    def least(name: str, value: float | None) -> None:
        if value is not None:
            fields[name] = plain(min(value, fields.get(name, value)))

    for part in parts_of(rule):
        if isinstance(part, MaxSeconds):
            least("seconds", part.seconds)
        elif isinstance(part, MaxGenerations):
            least("generations", part.generations)
        elif isinstance(part, Target):
            least("target", part.score)
        elif isinstance(part, NoImprovement):
            least("idle_generations", part.generations)
            least("idle_seconds", part.seconds)
        else:
            raise ForebearError(
                "a rule of your own cannot be saved: use MaxSeconds, MaxGenerations, "
                "NoImprovement and Target with checkpoints and executors"
            )
    return fields


def stop_of(fields: dict[str, Any]) -> StopRule:
    """Make a rule of what was written down."""
    rules: list[StopRule] = []
    if "target" in fields:
        rules.append(Target(float(fields["target"])))
    if "generations" in fields:
        rules.append(MaxGenerations(fields["generations"]))
    generations, seconds = fields.get("idle_generations"), fields.get("idle_seconds")
    if generations is not None or seconds is not None:
        rules.append(NoImprovement(generations=generations, seconds=seconds))
    if "seconds" in fields:
        rules.append(MaxSeconds(float(fields["seconds"])))
    return AnyOf(*rules)
