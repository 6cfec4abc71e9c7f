"""Options that several commands share, named like the parameters in Python."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from forebear._util.checks import check_positive, check_real
from forebear._util.errors import FileError, ForebearError, Parameter
from forebear.cli._support.kinds import Kind, kind_of_input
from forebear.data.examples import example_path
from forebear.data.formats.table import STANDARD_INPUT
from forebear.learning.algorithms import ALGORITHMS
from forebear.learning.held_out import AUTO
from forebear.scoring.scores import SCORES
from forebear.search.stop import AnyOf, NoImprovement, StopRule, Target

EXAMPLE = "example:"

DataArgument = Annotated[
    str,
    typer.Argument(metavar="DATA", help="A table; - is CSV on standard input."),
]
SetsArgument = Annotated[Path, typer.Argument(metavar="FILE", help="Parent sets: .cps or .jkl.")]

# ---- scoring -------------------------------------------------------------------------------

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
ScoreOrAutoOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"One of {', '.join(SCORES)}; auto: what predicts held-out rows best.",
        autocompletion=lambda: [*SCORES, AUTO],
    ),
]
HoldoutOption = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="First hold out this share of the rows, and see how well scores predict them.  "
        "[default: none; a tenth or more with --score auto]",
    ),
]
SmoothingOption = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="Smoothing of fitted probabilities: light, medium, strong, ess or auto.",
    ),
]
AlphaOption = Annotated[
    float | None, typer.Option(metavar="X", help="Confidence of mit.  [default: 0.999]")
]
MaxParentsOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Largest parent set.  [default: what time and memory allow]"),
]
MaxParentsOrAllOption = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help='Largest parent set, or "all".  [default: what time and memory allow]',
    ),
]
MaxSetsOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Keep the N best sets of each variable.  [default: all]"),
]
CandidatesOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Consider the N best candidate parents of each variable.  [default: all]"
    ),
]

# ---- the algorithm -------------------------------------------------------------------------

AlgorithmOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"One of {', '.join(ALGORITHMS)}.",
        autocompletion=lambda: list(ALGORITHMS),
    ),
]
ChainsOption = Annotated[
    int | None,
    typer.Option(metavar="M", help="Number of chains, for ps-minobs each on its own sample."),
]
RateOption = Annotated[
    float | None, typer.Option(metavar="P", help="ps-minobs: share of the sets in a sample.")
]
WidenOption = Annotated[
    bool | None,
    typer.Option("--widen/--no-widen", help="ps-minobs: widen the sample of a chain that stalls."),
]
VariantOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="minobs: crowding or published.")
]
MethodOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="exact: auto, dynamic or branch-and-cut."),
]

# ---- limits --------------------------------------------------------------------------------

TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        "--seconds",
        metavar="S",
        help="Seconds for everything.  [default: up to 60, less when nothing better is found]",
    ),
]
GenerationsOption = Annotated[
    int | None,
    typer.Option(metavar="G", help="Stop after G generations: same seed, same network."),
]
TargetOption = Annotated[
    float | None, typer.Option(metavar="SCORE", help="Stop when this score is reached.")
]
IdleLimitOption = Annotated[
    float | None,
    typer.Option(metavar="S", help="Stop after S seconds without improvement."),
]
MemoryOption = Annotated[
    str | None,
    typer.Option(metavar="8GB", help="Memory limit.  [default: what is free]"),
]
ThreadsOption = Annotated[
    int | None, typer.Option(metavar="N", help="Number of threads.  [default: one per core]")
]
SeedOption = Annotated[
    int | None, typer.Option(metavar="S", help="Random seed.  [default: random]")
]
StartOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Start from a result, a network or an order."),
]
CertifyOption = Annotated[
    bool | None,
    typer.Option(
        "--certify/--no-certify",
        help="Reserve half of the time for a proof, or none of it.  [default: a tenth]",
    ),
]
CertificateOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the proof, for forebear check."),
]
DaskOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on a Dask cluster, such as tcp://host:8786."),
]
CheckpointOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keep the state of the search for forebear resume."),
]
SaveSetsOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the parent sets after the search (.cps)."),
]

# ---- output --------------------------------------------------------------------------------

OutputOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="The result (.json; - is standard output) or its network (.bif, .dot, ...). "
        "Repeatable.",
    ),
]
ReportOption = Annotated[
    Path | None, typer.Option(metavar="HTML", help="Write a report to open in a browser.")
]
TraceOption = Annotated[
    Path | None, typer.Option(metavar="CSV", help="Write every improvement of the search.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object, nothing else.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print warnings only.")]
IdsOption = Annotated[
    bool,
    typer.Option("--ids", help="Number the variables of a .jkl file, as MINOBS and BLIP want."),
]


def located(source: str) -> Path | str:
    """Turn ``example:orchard`` into the path of that example; return anything else as it is."""
    if source.startswith(EXAMPLE):
        return example_path(source.removeprefix(EXAMPLE))
    return source


def located_table(source: str) -> Path | str:
    """Return the path of a table or an example; refuse a file whose name says it is no table."""
    path = located(source)
    if path == STANDARD_INPUT:
        return path
    if Path(path).is_dir():
        raise FileError(f"{source} is a directory, where a table is expected")
    if (kind := kind_of_input(path)) is not Kind.TABLE:
        raise FileError(f"{source} holds {kind.value}, where a table is expected")
    return path


def parsed_max_parents(text: str | None) -> int | Literal["all"] | None:
    """Return the number, "all", or None if nothing was given."""
    if text is None:
        return None
    if text == "all":
        return "all"
    try:
        return int(text)
    except ValueError:
        raise ForebearError(
            Parameter("max_parents"), f' must be a whole number or "all", got "{text}"'
        ) from None


def stop_rule(target: float | None, idle_limit: float | None, algorithm: str) -> StopRule | None:
    """Make the rule of ``--target`` and ``--idle-limit``, which exact search does not have."""
    for name, value in {"target": target, "idle_limit": idle_limit}.items():
        if value is not None and algorithm == "exact":
            raise ForebearError(
                "exact search ends with its proof or by ",
                Parameter("time_limit"),
                ": leave ",
                Parameter(name),
                " out",
            )
    rules: list[Any] = []
    if target is not None:
        check_real(-math.inf, target=target)
        rules.append(Target(target))
    if idle_limit is not None:
        check_positive(idle_limit=idle_limit)
        rules.append(NoImprovement(seconds=idle_limit))
    return AnyOf(*rules) if rules else None
