"""Measurements of a benchmark, in a file that ``compare.py`` reads."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from forebear import __version__
from forebear._util.atomic import atomic_path

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = "forebear measures 1"


@dataclass(frozen=True)
class Measure:
    """One amount; less is better. ``spread`` is how much more the worst repeat took, as a share."""

    name: str
    unit: Literal["seconds", "instructions"]
    value: float
    spread: float = 0.0


def write_measures(path: Path | str, measures: Iterable[Measure]) -> None:
    """Write measures as JSON."""
    content = {
        "format": FORMAT,
        "forebear": __version__,
        "measures": [asdict(measure) for measure in measures],
    }
    with atomic_path(path) as draft:
        draft.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read_measures(path: Path | str) -> dict[str, Measure]:
    """Read measures by name."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError("another format")
        found = [Measure(**fields) for fields in content["measures"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SystemExit(f"{path}: not the measures of a benchmark: {error}") from error
    return {measure.name: measure for measure in found}
