"""Growth as plain data: what a checkpoint or another machine needs to let parent sets grow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear._util.errors import FileError
from forebear.data.formats.arrays import read_arrays, write_arrays
from forebear.scoring.constraints import Constraints
from forebear.scoring.job import Job
from forebear.scoring.scores import as_score
from forebear.search.chain import found_fields, found_of
from forebear.search.growth import Growth

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.knowledge.relations import Relations
    from forebear.parentsets.collection import ParentSets


def describe_growth(growth: Growth, checkpoint: Path | str | None) -> dict[str, Any]:
    """Write growth down. The table gets a file beside the checkpoint, if there is one."""
    job, table = growth.job, None
    if checkpoint is not None:
        table = str(Path(f"{checkpoint}.npz").absolute())
        write_arrays(job.data, table)
    return {
        "table": table,
        "fingerprint": job.data.fingerprint,
        "score": job.score.name,
        "parameters": job.score.parameters,
        "first_max_parents": job.max_parents,
        "max_parents": growth.max_parents,
        "memory": growth.memory,
        "allowed": job.constraints.allowed,
        "required": [[child, *parents] for child, parents in job.constraints.required.items()],
        "start": None if growth.start is None else found_fields(growth.start),
    }


def open_table(about: dict[str, Any], checkpoint: Path | str) -> Dataset:
    """Open the table that a checkpoint names, and make sure that it is that one."""
    path = str(about["table"])
    if not os.path.exists(path):  # noqa: PTH110 - says no of a name that is too long, too
        raise FileError(f"{checkpoint}: its table is not there any more: {path}")
    table = read_arrays(path)
    if table.fingerprint != about["fingerprint"]:
        raise FileError(f"{checkpoint}: {path} now holds another table")
    return table


def growth_of(
    about: dict[str, Any],
    first: ParentSets,
    table: Dataset,
    threads: int,
    relations: Relations,
) -> Growth:
    """Make growth of what was written down."""
    allowed = about["allowed"]
    constraints = Constraints(
        table.n_variables,
        None if allowed is None else np.asarray(allowed, dtype=bool),
        {int(child): tuple(map(int, parents)) for child, *parents in about["required"]},
    )
    job = Job(
        data=table,
        score=as_score(about["score"], **about["parameters"]),
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
        start=None if about["start"] is None else found_of(first, about["start"]),
    )
