"""Other programs beside ours on the same parent sets, for ``search.py``.

Neither is part of this repository: the published MINOBS program is called with
a .jkl file, and the prototype that our design comes from with a dump of its own.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from forebear.parentsets.jkl import write_jkl
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from forebear import ParentSets

PROTOTYPE_SECONDS = 10
_PROTOTYPE_PARENTS = 4
_NO_PARENT = 0xFFFF


@dataclass(frozen=True)
class Published:
    """What a run of the published program gave, re-scored by us."""

    score: float
    found_at: float
    ended_at: float
    first_climbs: int
    first_seconds: float


def run_published(
    program: Path, sets: ParentSets, cache: Path, *, seconds: float, population: int = 20
) -> Published:
    """Run the published MINOBS program, one thread, and score its last order ourselves."""
    path, progress = cache / "published.jkl", cache / "published.out"
    write_jkl(sets, path, ids=True)
    said = subprocess.run(
        [program, path, str(int(seconds)), "1", progress, "-populationsize", str(population)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        text=True,
    ).stdout
    path.unlink()
    # Pairs of lines: milliseconds and score, then the order.
    lines = progress.read_text().splitlines()
    last = max(i for i, line in enumerate(lines) if "\t" in line)
    order = np.array([int(word) for word in lines[last + 1].split()], dtype=np.int32)
    space = SearchSpace(sets)
    begun = float(_find(r"Time: (\S+) Generating initial population", said))
    return Published(
        score=space.score(space.best_ranks(order)),
        found_at=int(lines[last].split("\t")[0]) / 1000,
        ended_at=float(re.findall(r"Time: (\S+) The best score", said)[-1]),
        first_climbs=population,
        first_seconds=float(_find(r"Time: (\S+) Starting generation 1\b", said)) - begun,
    )


def prototype_climbs_per_second(
    program: Path, sets: ParentSets, cache: Path, *, climbs: int
) -> float:
    """Time the prototype's first population: climbs from random orders, one thread."""
    path = cache / "prototype.bin"
    _write_prototype_dump(sets, path)
    # It climbs on after its first population until its time is over, and tells then.
    command = [str(program), str(path), str(PROTOTYPE_SECONDS), "1", f"pop={climbs}"]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    path.unlink()
    return climbs / float(_find(r"init pop (\S+)s", said))


def _write_prototype_dump(sets: ParentSets, path: Path) -> None:
    """Write what the prototype reads: for each variable records of a score and four parents."""
    record = np.dtype([("score", "<f8"), ("parents", "<u2", _PROTOTYPE_PARENTS)])
    with path.open("wb") as file:
        np.array([sets.n_variables], "<i4").tofile(file)
        for v in range(sets.n_variables):
            part = slice(int(sets.offsets[v]), int(sets.offsets[v + 1]))
            records = np.zeros(part.stop - part.start, record)
            records["score"] = sets.scores[part]
            records["parents"] = _padded(sets.parents[:, part], sets.none)
            np.array([v, len(records)], "<i4").tofile(file)
            records.tofile(file)


def _padded(parents: NDArray[Any], none: int) -> NDArray[np.uint16]:
    padded = np.full((parents.shape[1], _PROTOTYPE_PARENTS), _NO_PARENT, np.uint16)
    padded[:, : parents.shape[0]] = np.where(parents == none, _NO_PARENT, parents).T
    return padded


def _find(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        raise SystemExit(f"the program did not say {pattern!r}")
    return match[1]
