"""The published MINOBS program on our parent sets, for ``published.py``.

It is not part of this repository. It reads a .jkl file.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from forebear.parentsets.jkl import write_jkl
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from pathlib import Path

    from forebear import ParentSets


@dataclass(frozen=True)
class Published:
    """The result of a run, scored by us."""

    score: float
    found_at: float
    ended_at: float
    first_climbs: int
    first_seconds: float


def run_published(
    program: Path, sets: ParentSets, cache: Path, *, seconds: float, population: int = 20
) -> Published:
    """Run the program on one thread, and score its last order."""
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


def _find(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    if match is None:
        raise SystemExit(f"the program did not say {pattern!r}")
    return match[1]
