"""Options that several commands share, and how they become settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from forebear.data import Dataset
from forebear.discretize import Discretize
from forebear.errors import FileError
from forebear.examples import example_path
from forebear.formats import Kind, kind_of
from forebear.formats.encoding import DEFAULT_BINS, Missing
from forebear.formats.table import STANDARD_INPUT

EXAMPLE = "example:"

MissingOption = Annotated[
    Missing,
    typer.Option(help="Refuse missing values, drop their rows, or make them a state."),
]
DiscretizeOption = Annotated[
    Discretize | None,
    typer.Option(metavar="HOW", help="Cut continuous columns: quantile or uniform."),
]
BinsOption = Annotated[int, typer.Option(metavar="N", help="Into so many intervals.")]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", help="Whether text starts with names.  [default: find out]"
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but warnings.")]
IdsOption = Annotated[
    bool,
    typer.Option("--ids", help="Number the variables of a .jkl file, as MINOBS and BLIP want it."),
]


@dataclass(frozen=True)
class Reading:
    """How a table is to be read."""

    missing: Missing = "error"
    discretize: Discretize | None = None
    bins: int = DEFAULT_BINS
    header: bool | None = None

    def read(self, source: str) -> Dataset:
        """Read a table from a file, standard input (``-``) or an example."""
        path = located(source)
        if path != STANDARD_INPUT and kind_of(path) is not Kind.TABLE:
            raise FileError(f"{source} holds {kind_of(path).value}, where a table is expected")
        return Dataset.read(
            path,
            missing=self.missing,
            discretize=self.discretize,
            bins=self.bins,
            header=self.header,
        )


def located(source: str) -> Path | str:
    """Turn ``example:orchard`` into the path of that example; the rest stays as it is."""
    if source.startswith(EXAMPLE):
        return example_path(source.removeprefix(EXAMPLE))
    return source
