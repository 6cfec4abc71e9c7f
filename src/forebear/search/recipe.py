"""Recipe: a search as plain data, for checkpoints and for other machines."""

from __future__ import annotations

import hashlib
import os
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from forebear import _core
from forebear._util.checks import with_python_numbers
from forebear._util.errors import FileError, ForebearError
from forebear.data.dataset import Dataset
from forebear.data.formats.arrays import read_arrays, write_arrays
from forebear.knowledge.relations import Relations
from forebear.parentsets.collection import ParentSets
from forebear.parentsets.cps import write_cps
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job
from forebear.scoring.scores import score_from
from forebear.search.algorithm import Algorithm, Search
from forebear.search.chain import solution_fields, solution_from_fields
from forebear.search.growth import Growth
from forebear.search.minobs import MINOBS
from forebear.search.multistart import ASOBS, INOBS
from forebear.search.psminobs import PSMINOBS
from forebear.search.space import as_orders
from forebear.search.stop import (
    AnyOf,
    MaxGenerations,
    MaxSeconds,
    NoImprovement,
    StopRule,
    Target,
    parts_of,
)

_KINDS: dict[str, Any] = {kind.__name__: kind for kind in (PSMINOBS, INOBS, ASOBS)}


@dataclass(frozen=True)
class Recipe:
    """The definition of a search: everything required to run it again."""

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
            raise TypeError("a field of the recipe has the wrong type")

    def search(self, sets: ParentSets, table: Dataset | None, threads: int) -> Search:
        """Create the search again from its parent sets, and from its table if they grow."""
        relations = self._relations()
        growth = None
        if self.growth is not None and table is not None:
            growth = _growth_of(self.growth, sets, table, threads, relations)
        orders = as_orders(self.orders)
        algorithm = self._algorithm()
        return Search(sets, algorithm, self.seed, orders, growth, relations, threads)

    def _relations(self) -> Relations:
        fields = self.relations or {}
        pairs = {name: tuple((int(a), int(b)) for a, b in own) for name, own in fields.items()}
        return Relations(**pairs)

    def _algorithm(self) -> Algorithm:
        settings = dict(self.settings)
        try:
            if "minobs" in settings:
                settings["minobs"] = MINOBS(**settings["minobs"])
            algorithm: Algorithm = _KINDS[self.kind](**settings)
        except (KeyError, TypeError) as error:
            raise ForebearError(f"no algorithm fits this recipe: {error}") from error
        return algorithm


def make_recipe(search: Search, name: str, stop: StopRule, checkpoint: Path | str | None) -> Recipe:
    """Describe a search as plain data. Algorithms whose state is not plain data are rejected.

    Parent sets that are not in a file are written next to the checkpoint, and so is the table.
    """
    kind = type(search.algorithm).__name__
    if kind not in _KINDS:
        raise ForebearError(
            f"{name} cannot be resumed, so it supports neither checkpoints nor executors: "
            "use ps-minobs, minobs, inobs or asobs"
        )
    return Recipe(
        parent_sets=_set_fields(search.parent_sets, checkpoint),
        algorithm=name,
        kind=kind,
        settings=settings_of(search.algorithm),
        seed=search.seed,
        stop=stop_fields(stop),
        orders=[order.tolist() for order in search.orders],
        growth=None if search.growth is None else _growth_fields(search.growth, checkpoint),
        relations=asdict(search.relations) if search.relations else None,
    )


def settings_of(algorithm: Algorithm) -> dict[str, Any]:
    """Return the settings of an algorithm as plain values."""
    if is_dataclass(algorithm) and not isinstance(algorithm, type):
        return asdict(algorithm)
    return {}


def stop_fields(rule: StopRule) -> dict[str, Any]:
    """Return a stop rule as plain values; of several limits of a kind, the strictest."""
    fields: dict[str, Any] = {}

    def least(name: str, value: float | None) -> None:
        if value is not None:
            fields[name] = with_python_numbers(min(value, fields.get(name, value)))

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
                "a stop rule of your own cannot be saved: with checkpoints and executors, use "
                "MaxSeconds, MaxGenerations, NoImprovement and Target"
            )
    return fields


def stop_of(fields: dict[str, Any]) -> StopRule:
    """Create a stop rule from plain values."""
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


def _set_fields(parent_sets: ParentSets, checkpoint: Path | str | None) -> dict[str, Any]:
    """Return the path and the fingerprint of parent sets; sets without a file are saved."""
    path = parent_sets.path
    if checkpoint is None:
        return {"path": None, "fingerprint": fingerprint(parent_sets)}
    if path is None:
        path = Path(f"{checkpoint}.cps")
        write_cps(parent_sets, path)
    return {"path": str(Path(path).absolute()), "fingerprint": fingerprint(parent_sets)}


def open_sets(
    about: dict[str, Any], checkpoint: Path | str, *, threads: int | None = None
) -> ParentSets:
    """Open the parent sets of a checkpoint, and check that they have not changed."""
    path = about.get("path")
    if not isinstance(path, str):
        raise FileError(f"{checkpoint}: not a checkpoint of forebear: it has no parent sets")
    if not os.path.exists(path):  # noqa: PTH110 - False if the name is too long
        raise FileError(f"{checkpoint}: its parent sets no longer exist: {path}")
    parent_sets = ParentSets.load(path, threads=threads)
    if fingerprint(parent_sets) != about.get("fingerprint"):
        raise FileError(f"{checkpoint}: {path} now holds other parent sets")
    return parent_sets


def fingerprint(parent_sets: ParentSets) -> str:
    """Return a hash of the names and scores, which identifies the sets."""
    digest = hashlib.blake2b(repr(parent_sets.names).encode(), digest_size=16)
    for array in (parent_sets.offsets, parent_sets.scores):
        flat = np.ascontiguousarray(array).view(np.uint8)
        digest.update(_core.checksum(flat).to_bytes(8, "little"))
    return digest.hexdigest()


def _growth_fields(growth: Growth, checkpoint: Path | str | None) -> dict[str, Any]:
    """Return growth as plain values. The table is saved next to the checkpoint, if there is one."""
    job, table = growth.job, None
    if checkpoint is not None:
        table = str(Path(f"{checkpoint}.npz").absolute())
        write_arrays(job.data, table)
    return {
        "table": table,
        "fingerprint": job.data.fingerprint,
        **job.score.provenance,
        "first_max_parents": job.max_parents,
        "max_parents": growth.max_parents,
        "memory": growth.memory,
        "allowed": job.constraints.allowed,
        "required": [[child, *parents] for child, parents in job.constraints.required.items()],
        "start": None if growth.start is None else solution_fields(growth.start),
    }


def open_table(about: dict[str, Any], checkpoint: Path | str) -> Dataset:
    """Open the table of a checkpoint, and check that it has not changed."""
    path = str(about["table"])
    if not os.path.exists(path):  # noqa: PTH110 - False if the name is too long
        raise FileError(f"{checkpoint}: its table no longer exists: {path}")
    table = read_arrays(path)
    if table.fingerprint != about["fingerprint"]:
        raise FileError(f"{checkpoint}: {path} now holds another table")
    return table


def _growth_of(
    about: dict[str, Any],
    first: ParentSets,
    table: Dataset,
    threads: int,
    relations: Relations,
) -> Growth:
    """Create growth from plain values."""
    allowed = about["allowed"]
    constraints = Constraints(
        table.n_variables,
        None if allowed is None else np.asarray(allowed, dtype=bool),
        {int(child): tuple(map(int, parents)) for child, *parents in about["required"]},
    )
    job = Job(
        data=table,
        score=score_from(about),
        constraints=constraints,
        max_parents=int(about["first_max_parents"]),
        max_sets=None,
        threads=threads,
    )
    return Growth(
        first=first,
        job=job,
        max_parents=[int(most) for most in about["max_parents"]],
        memory=int(about["memory"]),
        relations=relations,
        start=None if about["start"] is None else solution_from_fields(first, about["start"]),
    )
