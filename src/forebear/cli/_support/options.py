"""Options that several commands share, and how they become settings."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from forebear._util.errors import FileError, ForebearError, LimitError
from forebear._util.text import show_seconds
from forebear.cli._support.kinds import Kind, kind_of
from forebear.data.dataset import Dataset
from forebear.data.discretization import Discretize
from forebear.data.encoding import DEFAULT_BINS, Missing
from forebear.data.examples import example_path
from forebear.data.formats.table import STANDARD_INPUT
from forebear.learning.algorithms import ALGORITHMS
from forebear.scoring.scores import SCORES

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


ScoreOption = Annotated[
    str,
    typer.Option(
        metavar="NAME", help=f"One of {', '.join(SCORES)}.", autocompletion=lambda: list(SCORES)
    ),
]
EssOption = Annotated[
    float | None,
    typer.Option(metavar="X", help="Equivalent sample size of bdeu and bds.  [default: 1]"),
]
AlphaOption = Annotated[
    float | None, typer.Option(metavar="X", help="Confidence of mit.  [default: 0.999]")
]
MaxSetsOption = Annotated[
    int | None, typer.Option(metavar="N", help="Keep only so many of the best.  [default: all]")
]
CandidatesOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Consider only the best N parents of each.  [default: all]"),
]
ThreadsOption = Annotated[
    int | None, typer.Option(metavar="N", help="How many at once.  [default: one a core]")
]
MemoryOption = Annotated[
    str | None,
    typer.Option(metavar="8GB", help="Refuse, or stop, what takes more.  [default: what is free]"),
]
ForbidOption = Annotated[
    list[str] | None, typer.Option(metavar="A->B", help="An arc that must not be. Repeatable.")
]
RequireOption = Annotated[
    list[str] | None, typer.Option(metavar="A->B", help="An arc that must be. Repeatable.")
]
TiersOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Tiers, first to last, one a line: names between commas."),
]
KnowledgeOption = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE", help="Knowledge, of Bayesys, GOBNILP or bnlearn. Repeatable."),
]
SeedOption = Annotated[
    int | None, typer.Option(metavar="S", help="Of the random numbers.  [default: any]")
]
AlgorithmOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"One of {', '.join(ALGORITHMS)}.",
        autocompletion=lambda: list(ALGORITHMS),
    ),
]
SamplesOption = Annotated[
    int | None, typer.Option(metavar="M", help="ps-minobs: processes, a sample each.")
]
RateOption = Annotated[
    float | None, typer.Option(metavar="P", help="ps-minobs: share of the sets sampled.")
]
SampleByOption = Annotated[
    str | None, typer.Option(metavar="WHAT", help="ps-minobs: draw by rank or reduced-cost.")
]
CooperateOption = Annotated[
    bool | None,
    typer.Option(
        "--cooperate/--independent", help="ps-minobs: exchange the best networks, or not."
    ),
]
GenerationsOption = Annotated[
    int | None, typer.Option(metavar="G", help="Stop after so many: the same every time.")
]
TargetOption = Annotated[
    float | None, typer.Option(metavar="SCORE", help="Stop when this is reached.")
]
IdleOption = Annotated[float | None, typer.Option(metavar="S", help="Stop when idle for so long.")]
StartOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Start from a result, a network or an order."),
]
ReportOption = Annotated[
    Path | None, typer.Option(metavar="HTML", help="Write a page to look at the network.")
]
TraceOption = Annotated[
    Path | None, typer.Option(metavar="CSV", help="Write every improvement there.")
]


DaskOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Work on a Dask cluster, such as tcp://host:8786."),
]
CheckpointOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keep the state there, for forebear resume."),
]
IntervalOption = Annotated[
    float, typer.Option("--every", metavar="S", help="Seconds between two checkpoints.")
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
        if Path(path).is_dir():
            raise FileError(f"{source} is a directory, where a table is expected")
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


def time_left(seconds: float | None, start: float) -> float | None:
    """What is left of the time after reading the table."""
    if seconds is None:
        return None
    if not seconds > 0:
        raise ForebearError(f"--seconds must be positive, got {seconds:g}")
    spent = time.perf_counter() - start
    if spent >= seconds:
        raise LimitError(
            f"reading the table took {show_seconds(spent)}; the limit is {show_seconds(seconds)}"
        )
    return seconds - spent
