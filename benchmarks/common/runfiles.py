"""Runs as rows of a CSV file: each is written as soon as it is done, and read back later."""

from __future__ import annotations

import csv
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

Run = TypeVar("Run")

_KINDS: dict[str, Callable[[str], Any]] = {"str": str, "int": int, "float": float}


def earlier_or_new(
    kind: type[Run], earlier: Sequence[Path] | None, output: Path, new: Iterable[Run]
) -> list[Run]:
    """Read the runs of earlier files; if there are none, do new ones and write them."""
    if earlier:
        return [run for path in earlier for run in read_runs(path, kind)]
    return record(new, output, kind)


def record(runs: Iterable[Run], path: Path, kind: type[Run]) -> list[Run]:
    """Write runs as they come; an interrupted script leaves those that were done."""
    done = []
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, _types(kind))
        writer.writeheader()
        for run in runs:
            done.append(run)
            writer.writerow(asdict(run))  # type: ignore[call-overload]
            file.flush()
    return done


def read_runs(path: Path, kind: type[Run]) -> list[Run]:
    """Read runs back. A field is text, a whole number or a number, perhaps or None."""
    types = _types(kind)
    with path.open(newline="") as file:
        return [
            kind(**{n: types[n](cell) for n, cell in row.items() if cell or types[n] is str})
            for row in csv.DictReader(file)
        ]


def _types(kind: type[Any]) -> dict[str, Callable[[str], Any]]:
    return {field.name: _KINDS[str(field.type).partition(" ")[0]] for field in fields(kind)}
