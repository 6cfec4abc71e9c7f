"""Options shared by several commands, declared once: panel, name in Python and help.

The parameters of a command are looked up here by name. An option that only one command has is
declared as an ``Option`` in the signature of that command.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter as Argument
from inspect import signature
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from forebear._util.errors import Parameter
from forebear.data.read_options import DEFAULT_BINS, DEFAULT_MISSING, MOST_LEARNED
from forebear.learning.algorithms import ALGORITHMS
from forebear.learning.validate import AUTO
from forebear.scoring.priors import PRIORS
from forebear.scoring.scores import SCORES

ARGUMENTS = "Arguments"
DATA, SEARCH, PROOF, KNOWLEDGE, OUTPUT = "Data", "Search", "Proof", "Knowledge", "Output"
MORE = "More"
PANELS = (ARGUMENTS, DATA, SEARCH, PROOF, KNOWLEDGE, OUTPUT, MORE)
"""The sections of the help, in order; the last one holds rarely used options."""


class Option(NamedTuple):
    """An option of the command line."""

    panel: str
    metavar: str | None
    help: str
    flags: tuple[str, ...] = ()
    """The flags, the main one first. Default: the name, with hyphens; also with ``--no-`` if
    it is ``bool | None``."""
    parameter: str | None = None
    """The parameter of the Python function that it sets, wholly or in part. Default: its name."""
    completion: tuple[str, ...] = ()
    """Values that the shell completes."""


ONE_OF_SCORES = f"One of {', '.join(SCORES)}"
PRIOR_HELP = "Prior over networks: uniform, sparse, or the probability of an arc."
ESS_HELP = "Equivalent sample size of bdeu and bds, or auto: bdeu averaged over sizes."
OWN_PRIOR = f"{PRIOR_HELP}  [default: the prior that the scores include, or uniform]"

ARGUMENT_HELP = {
    "data": ("DATA", "A table, a folder or a pattern of files; - reads CSV from standard input."),
    "sets": ("FILE", "Parent sets: .cps or .jkl."),
}
"""Arguments shared by several commands: metavar and help."""


def _parts_of(parameter: str, **options: Option) -> dict[str, Option]:
    """Return options that become a part of one parameter of the Python function."""
    return {name: option._replace(parameter=parameter) for name, option in options.items()}


OPTIONS = {
    **_parts_of(
        "read",
        missing=Option(
            DATA,
            "HOW",
            "Missing values: error, drop (leave out their rows), state (treat them as a state), "
            "available (score each family on its complete rows) or em (expectation maximization).  "
            f"[default: {DEFAULT_MISSING} if networks are learned, otherwise available]",
        ),
        discretize=Option(
            DATA, "HOW", "Discretize continuous columns: quantile, uniform or learned."
        ),
        drop=Option(DATA, "COLUMN", "Leave out this column. Repeatable."),
        weights=Option(DATA, "COLUMN", "Column with the number of rows that each row stands for."),
        schema=Option(
            MORE, "TOML", "Schema file that describes the columns (see forebear info --schema)."
        ),
        bins=Option(
            MORE,
            "N",
            "Number of intervals of a continuous column; COLUMN=N or COLUMN=CUT,CUT,... for one "
            f"column. Repeatable.  [default: {DEFAULT_BINS}; up to {MOST_LEARNED} if learned]",
        ),
        keep=Option(
            MORE,
            "COLUMN",
            "Use only this column and those in --categorical, --ordered and --continuous. "
            "Repeatable.",
        ),
        categorical=Option(
            MORE, "COLUMN", "Treat the values of this column as states. Repeatable."
        ),
        ordered=Option(
            MORE,
            "COLUMN",
            "Treat the values of this column as ordered states; COLUMN=LOW,MID,HIGH sets the "
            "order. Repeatable.",
        ),
        continuous=Option(
            MORE, "COLUMN", "Treat this column as numbers to discretize. Repeatable."
        ),
        intervened=Option(
            MORE, "COLUMN", "Column that names the variables that were set in each row, as A;B."
        ),
        missing_tokens=Option(
            MORE,
            "TEXT",
            "Text that marks a missing value. Repeatable.  "
            "[default: NA, N/A, NaN, nan, null, NULL, ?, * in text files]",
        ),
        header=Option(
            MORE, None, "Whether a text file starts with column names.  [default: detected]"
        ),
        encoding=Option(MORE, "NAME", "Encoding of a text file.  [default: UTF-8]"),
        decimal_comma=Option(
            MORE, None, "Whether numbers are written as 1,5.  [default: detected]"
        ),
        comment=Option(MORE, "TEXT", "Skip lines that start with this text."),
        sheet=Option(MORE, "NAME", "Sheet of a workbook.  [default: the first]"),
        rows=Option(MORE, "N", "Read a random sample of this many rows.  [default: all]"),
    ),
    "score": Option(
        SEARCH,
        "NAME",
        f"{ONE_OF_SCORES}.  [default: bdeu with --ess auto --prior sparse]",
        completion=(*SCORES, AUTO),
    ),
    **_parts_of(
        "score",
        ess=Option(
            MORE,
            "X",
            f"{ESS_HELP}  [default: 1 with --score or --prior, otherwise auto]",
            completion=("auto",),
        ),
        alpha=Option(MORE, "X", "Confidence level of mit.  [default: 0.999]"),
    ),
    "prior": Option(
        SEARCH,
        "HOW",
        f"{PRIOR_HELP}  [default: uniform with --score or --ess, otherwise sparse]",
        completion=PRIORS,
    ),
    "max_parents": Option(
        SEARCH, "N", "Maximum number of parents.  [default: as time and memory allow]"
    ),
    "holdout": Option(
        DATA,
        "SHARE",
        "Share of the rows to hold out, to measure how well the network predicts.  "
        "[default: none; with --score auto, a tenth or more]",
    ),
    "time_limit": Option(
        SEARCH,
        "S",
        "Total time limit in seconds.  [default: 60; less if improvements stop]",
        ("--time-limit", "--seconds"),
    ),
    "algorithm": Option(
        SEARCH, "NAME", f"One of {', '.join(ALGORITHMS)}.", completion=tuple(ALGORITHMS)
    ),
    "generations": Option(SEARCH, "N", "Stop after N generations; reproducible with --seed."),
    "seed": Option(SEARCH, "N", "Random seed.  [default: random]"),
    "threads": Option(SEARCH, "N", "Number of threads.  [default: one per core]"),
    "start": Option(
        MORE, "FILE", "Start from this result, network or order; variables are matched by name."
    ),
    "max_memory": Option(MORE, "8GB", "Memory limit.  [default: the free memory]"),
    **_parts_of(
        "algorithm",
        chains=Option(MORE, "N", "Number of chains; in ps-minobs, each has its own sample."),
        rate=Option(MORE, "P", "ps-minobs: share of the parent sets in a sample."),
        widen=Option(MORE, None, "ps-minobs: widen the sample of a chain that stalls."),
        variant=Option(MORE, "NAME", "minobs: crowding or published."),
        method=Option(MORE, "NAME", "exact: auto, dynamic or branch-and-cut."),
    ),
    **_parts_of(
        "generations",
        target=Option(MORE, "SCORE", "Stop when this score is reached."),
        idle_limit=Option(MORE, "S", "Stop after S seconds without improvement."),
    ),
    **_parts_of(
        "executor",
        dask=Option(MORE, "ADDRESS", "Run on a Dask cluster, such as tcp://host:8786."),
    ),
    "certify": Option(
        PROOF, None, "Reserve half of the time limit for a proof, or none.  [default: a tenth]"
    ),
    "certificate": Option(
        PROOF, "FILE", "Write the proof to this file, for forebear check.", parameter="certify"
    ),
    **_parts_of(
        "knowledge",
        required=Option(
            KNOWLEDGE, "A->B", "Require this arc. Repeatable.", ("--required", "--require")
        ),
        forbidden=Option(
            KNOWLEDGE, "A->B", "Forbid this arc. Repeatable.", ("--forbidden", "--forbid")
        ),
        tiers=Option(
            KNOWLEDGE,
            "FILE",
            "File with one tier per line, first to last; names separated by commas.",
        ),
        ancestors=Option(
            MORE,
            "A->B",
            "Require a directed path from A to B. Repeatable.",
            ("--ancestors", "--ancestor"),
        ),
        not_ancestors=Option(
            MORE,
            "A->B",
            "Forbid all directed paths from A to B. Repeatable.",
            ("--not-ancestors", "--not-ancestor"),
        ),
        before=Option(
            MORE, "A->B", "Require A before B in the order of the variables. Repeatable."
        ),
        adjacent=Option(MORE, "A--B", "Require an arc between A and B. Repeatable."),
    ),
    "knowledge": Option(
        KNOWLEDGE, "FILE", "Knowledge file of Bayesys, GOBNILP or bnlearn. Repeatable."
    ),
    "output": Option(
        OUTPUT,
        "FILE",
        "Write the result (.json, or - for standard output), the network (.bif, .dot, ...) or its "
        "picture (.svg, .png, .pdf). "
        "Repeatable.",
        ("--output", "-o"),
    ),
    "report": Option(OUTPUT, "HTML", "Write a report to open in a browser."),
    "json_": Option(OUTPUT, None, "Print one JSON object and nothing else.", ("--json",)),
    "quiet": Option(OUTPUT, None, "Print warnings only.", ("--quiet", "-q")),
    "verbose": Option(OUTPUT, None, "Also print the progress of each step.", ("--verbose", "-v")),
    "smoothing": Option(
        MORE, "HOW", "Smoothing of the fitted probabilities: light, medium, strong, ess or auto."
    ),
    "trace": Option(MORE, "CSV", "Write every improvement of the search to this file."),
    "save_sets": Option(
        MORE, "FILE", "Write the parent sets to this file after the search (.cps)."
    ),
    "checkpoint": Option(MORE, "FILE", "Save the state of the search, for forebear resume."),
    "names": Option(
        MORE,
        "HOW",
        "Names in a network file: original, or safe (change those that pgmpy or pyAgrum cannot "
        "read).",
    ),
    "ids": Option(MORE, None, "Number the variables of a .jkl file, as MINOBS and BLIP require."),
}


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Declare the parameters of a command for Typer.

    A parameter is looked up in the tables above. ``Annotated`` with a text replaces its help;
    ``Annotated`` with an ``Option`` or a Typer object replaces its declaration. A dataclass stands
    for the options that are its fields, except those that the command declares itself.
    """
    hints = get_type_hints(command, include_extras=True)
    own = signature(command).parameters
    parameters: list[Argument] = []
    groups: dict[str, tuple[Any, list[str]]] = {}
    for name, parameter in own.items():
        hint: Any = hints[name]
        if is_dataclass(hint):
            inner = get_type_hints(hint)
            group: Any = hint
            added = [one for one in signature(group).parameters.values() if one.name not in own]
            groups[name] = (group, [one.name for one in added])
            parameters += [_declared(one, inner[one.name]) for one in added]
        else:
            parameters.append(_declared(parameter, hint))

    @wraps(command)
    def run(**given: Any) -> None:
        for name, (group, fields) in groups.items():
            given[name] = group(**{field: given.pop(field) for field in fields if field in given})
        command(**given)

    # Typer reads both.
    run.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _declared(parameter: Argument, hint: Any) -> Argument:
    """Return a parameter with the Typer declaration of its option."""
    name, described = parameter.name, None
    if get_origin(hint) is Annotated:
        hint, described = get_args(hint)
    if hint is not typer.Context and (described is None or isinstance(described, Option | str)):
        hint = Annotated[hint, _typer(name, hint, described)]
    elif described is not None:
        hint = Annotated[hint, described]
    return parameter.replace(annotation=hint, kind=Argument.KEYWORD_ONLY)


def _typer(name: str, hint: Any, described: Option | str | None) -> Any:
    if not isinstance(described, Option):
        if name in ARGUMENT_HELP:
            metavar, about = ARGUMENT_HELP[name]
            return typer.Argument(metavar=metavar, help=described or about)
        option = OPTIONS[name]
        described = option if described is None else option._replace(help=described)
    completion, flags = described.completion, described.flags
    if not flags and hint in (bool, bool | None):
        flag = Parameter(name).option
        flags = (flag if hint is bool else f"{flag}/{Parameter(name, False).option}",)
    return typer.Option(
        *flags,
        metavar=described.metavar,
        help=described.help,
        rich_help_panel=described.panel,
        autocompletion=(lambda: list(completion)) if completion else None,
    )


class Command(TyperCommand):
    """A command whose help is in panels."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the usage without braces around the required arguments."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List the arguments and the options, panel by panel, in the order of ``OPTIONS``."""
        places = {name: place for place, name in enumerate([*OPTIONS, "help"])}
        options = [p for p in self.get_params(ctx) if p.param_type_name == "option"]
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        rows = {ARGUMENTS: [_without_type(p.get_help_record(ctx)) for p in arguments]}
        for option in sorted(options, key=lambda p: places.get(p.name, -1)):
            panel = getattr(option, "rich_help_panel", None) or OUTPUT  # of --help
            rows.setdefault(panel, []).append(option.get_help_record(ctx))
        for panel in sorted(filter(rows.get, rows), key=PANELS.index):
            with formatter.section(panel):
                formatter.write_dl(rows[panel])


def _without_type(record: Any) -> Any:
    """Remove the Python type of an argument from its help, as in ``DATA <str>``."""
    name, text = record
    return re.sub(r" <[\w\[\]]+>$", "", name), text


def as_option(parameter: Parameter) -> str:
    """Return the option of a parameter, or the options that become parts of it."""
    name = parameter.name
    if name in OPTIONS:
        return parameter.option
    parts = [one for one, option in OPTIONS.items() if option.parameter == name]
    return " or ".join(parameter._replace(name=one).option for one in parts) or parameter.option
