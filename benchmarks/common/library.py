"""The library of instances: public tables and collections, and the best known of each.

Needs the standard library only.
"""

from __future__ import annotations

import gzip
import hashlib
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FOLDER = Path(__file__).parents[1] / "instances"
TABLE, NETWORKS = FOLDER / "instances.toml", FOLDER / "networks"

PUBLISHED = "published"
"""The score of a collection: whatever the numbers in its file are."""


@dataclass(frozen=True)
class Problem:
    """A score and a limit on parents, with the best network known.

    ``bound`` is a score that no network exceeds. ``goal`` is what benchmarks search for where that
    is not the best; ``generations`` how long ``gaps.py`` searches. ``reported`` are the scores that
    others have published.
    """

    score: str
    best: float
    network: str
    found_by: str
    found: str
    max_parents: int | Literal["all"] | None = None
    sets: int | None = None
    bound: float | None = None
    bound_by: str | None = None
    goal: float | None = None
    generations: int | None = None
    reported: dict[str, float] = field(default_factory=dict)

    @property
    def target(self) -> float:
        """The score to search for."""
        return self.best if self.goal is None else self.goal

    @property
    def label(self) -> str:
        """The score and the limit, as they are shown."""
        if self.score == PUBLISHED:
            return "as published"
        limit = "no limit" if self.max_parents == "all" else f"{self.max_parents} parents"
        return f"{ {'bdeu': 'BDeu', 'bic': 'BIC'}[self.score] }, {limit}"


@dataclass(frozen=True)
class Instance:
    """A public file, and the problems on it."""

    name: str
    about: str
    file: str
    source: str
    sha256: str
    variables: int
    problems: tuple[Problem, ...]
    rows: int | None = None
    also: tuple[str, ...] = ()

    @property
    def is_collection(self) -> bool:
        """Whether the file holds parent sets instead of rows."""
        return self.file.endswith(".jkl")

    @property
    def has_two_states(self) -> bool:
        """Whether every column has the states 0 and 1, also one that is constant."""
        return self.file.endswith(".data")

    def problem(self, score: str, max_parents: int) -> Problem:
        """Find a problem by its score and limit."""
        return next(p for p in self.problems if (p.score, p.max_parents) == (score, max_parents))


def read_library(path: Path = TABLE) -> dict[str, Instance]:
    """Read all instances, by name."""
    content = tomllib.loads(path.read_text("utf-8"))
    return {name: _instance(name, fields) for name, fields in content.items()}


def _instance(name: str, fields: dict[str, Any]) -> Instance:
    problems = tuple(Problem(**one) for one in fields.pop("problems"))
    also = tuple(fields.pop("also", ()))
    return Instance(name=name, problems=problems, also=also, **fields)


def chosen(library: dict[str, Instance], only: Iterable[str] | None) -> Iterator[Instance]:
    """Yield the instances asked for, or all."""
    names = list(library) if only is None else list(only)
    for name in names:
        if name not in library:
            raise SystemExit(f"there is no instance {name!r}: python benchmarks/instances.py list")
        yield library[name]


def find_instance(instance: Instance, directory: Path) -> tuple[bytes | None, str]:
    """Find the file of an instance; return its content, and what is wrong if there is none."""
    wrong = f"no {instance.file} in {directory}"
    for name in (instance.file, *instance.also):
        for path in sorted(p for end in ("", ".gz") for p in directory.rglob(name + end)):
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else None
            content = path.read_bytes() if content is None else content
            if checksum(instance, content) == instance.sha256:
                return content, ""
            wrong = f"{path.name} has another checksum than the library states"
    return None, wrong


def checksum(instance: Instance, content: bytes) -> str:
    """Return the SHA-256 of a file, unpacked. Comments in collections do not count."""
    if instance.is_collection:
        lines = content.replace(b"\r", b"").split(b"\n")
        kept = [line.rstrip() for line in lines if not line.startswith(b"#")]
        content = b"\n".join(kept)
    return hashlib.sha256(content).hexdigest()
