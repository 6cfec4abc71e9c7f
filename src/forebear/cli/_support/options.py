"""Every option that several commands have, declared once: its panel, its name in Python, its help.

A command picks options by name: its parameters are looked up here. Options that one command alone
has are declared in its own signature, as ``Option``, too.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter as Argument
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from forebear._util.errors import Parameter
from forebear.data.read_options import DEFAULT_BINS, DEFAULT_MISSING, MOST_LEARNED
from forebear.learning.algorithms import ALGORITHMS
from forebear.learning.validate import AUTO
from forebear.scoring.scores import SCORES

if TYPE_CHECKING:
    from collections.abc import Callable

ARGUMENTS = "Arguments"
DATA, SEARCH, PROOF, KNOWLEDGE, OUTPUT = "Data", "Search", "Proof", "Knowledge", "Output"
MORE = "More"
PANELS = (ARGUMENTS, DATA, SEARCH, PROOF, KNOWLEDGE, OUTPUT, MORE)
"""The parts of the help, in their order; the last has what few people need."""


class Option(NamedTuple):
    """An option of the command line."""

    panel: str
    metavar: str | None
    help: str
    flags: tuple[str, ...] = ()
    """How it is typed, the main name first. Default: the name, with hyphens; also with ``--no-`` if
    it is ``bool | None``."""
    parameter: str | None = None
    """The parameter of the Python function that it becomes (a part of). Default: its name."""
    completion: tuple[str, ...] = ()
    """Values that the shell completes."""


ONE_OF_SCORES = f"One of {', '.join(SCORES)}"

ARGUMENT_HELP = {
    "data": ("DATA", "A table; - is CSV on standard input."),
    "sets": ("FILE", "Parent sets: .cps or .jkl."),
}
"""The arguments that several commands have: what stands for them, and what they are."""


def _parts_of(parameter: str, **options: Option) -> dict[str, Option]:
    """Return options that become a part of one parameter of the Python function."""
    return {name: option._replace(parameter=parameter) for name, option in options.items()}


OPTIONS = {
    **_parts_of(
        "read",
        missing=Option(
            DATA,
            "HOW",
            "Missing values: error, drop (their rows), state (make them one), or learn from all "
            "rows: available (score those of a family), em (complete them).  "
            f"[default: {DEFAULT_MISSING}]",
        ),
        discretize=Option(
            DATA, "HOW", "Discretize continuous columns: quantile, uniform or learned."
        ),
        drop=Option(DATA, "COLUMN", "Leave out this column. Repeatable."),
        schema=Option(DATA, "TOML", "How to read the table: see forebear info --schema."),
        bins=Option(
            MORE,
            "N",
            "Number of intervals of a continuous column; COLUMN=N or COLUMN=CUT,CUT,... for one "
            f"column. Repeatable.  [default: {DEFAULT_BINS}; up to {MOST_LEARNED} if learned]",
        ),
        keep=Option(MORE, "COLUMN", "Use only the columns named here or below. Repeatable."),
        categorical=Option(MORE, "COLUMN", "The values of this column are states. Repeatable."),
        ordered=Option(
            MORE,
            "COLUMN",
            "The values of this column are ordered states; COLUMN=LOW,MID,HIGH gives the order. "
            "Repeatable.",
        ),
        continuous=Option(
            MORE, "COLUMN", "The values of this column are numbers to discretize. Repeatable."
        ),
        missing_tokens=Option(
            MORE,
            "TEXT",
            "A text that means a missing value. Repeatable.  "
            "[default: in text files NA, N/A, NaN, nan, null, NULL, ?, *]",
        ),
        header=Option(MORE, None, "Whether a text file starts with names.  [default: detected]"),
        encoding=Option(MORE, "NAME", "Encoding of a text file.  [default: UTF-8]"),
        decimal_comma=Option(MORE, None, "Whether numbers look like 1,5.  [default: detected]"),
        comment=Option(MORE, "TEXT", "Leave out lines that start with this."),
        sheet=Option(MORE, "NAME", "Sheet of a workbook.  [default: the first]"),
    ),
    "score": Option(SEARCH, "NAME", f"{ONE_OF_SCORES}.", completion=(*SCORES, AUTO)),
    **_parts_of(
        "score",
        ess=Option(MORE, "X", "Equivalent sample size of bdeu and bds.  [default: 1]"),
        alpha=Option(MORE, "X", "Confidence of mit.  [default: 0.999]"),
    ),
    "max_parents": Option(
        SEARCH, "N", "Largest parent set.  [default: what time and memory allow]"
    ),
    "holdout": Option(
        PROOF,
        "SHARE",
        "First hold out this share of the rows, and measure how well scores predict them.  "
        "[default: none; a tenth or more with --score auto]",
    ),
    "time_limit": Option(
        SEARCH,
        "S",
        "Total time limit in seconds.  [default: up to 60, less when nothing better is found]",
        ("--time-limit", "--seconds"),
    ),
    "algorithm": Option(
        SEARCH, "NAME", f"One of {', '.join(ALGORITHMS)}.", completion=tuple(ALGORITHMS)
    ),
    "generations": Option(SEARCH, "G", "Stop after G generations: same seed, same network."),
    "seed": Option(SEARCH, "S", "Random seed.  [default: random]"),
    "threads": Option(SEARCH, "N", "Number of threads.  [default: one per core]"),
    "start": Option(MORE, "FILE", "Start from a result, a network or an order."),
    "max_memory": Option(MORE, "8GB", "Memory limit.  [default: what is free]"),
    **_parts_of(
        "algorithm",
        chains=Option(MORE, "M", "Number of chains, for ps-minobs each on its own sample."),
        rate=Option(MORE, "P", "ps-minobs: share of the sets in a sample."),
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
        PROOF, None, "Reserve half of the time for a proof, or none of it.  [default: a tenth]"
    ),
    "certificate": Option(
        PROOF, "FILE", "Write the proof, for forebear check.", parameter="certify"
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
            KNOWLEDGE, "FILE", "Tiers, first to last: one per line, names separated by commas."
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
        before=Option(MORE, "A->B", "A comes before B in the order. Repeatable."),
        adjacent=Option(MORE, "A--B", "Require an arc between A and B. Repeatable."),
    ),
    "knowledge": Option(
        KNOWLEDGE, "FILE", "Knowledge file of Bayesys, GOBNILP or bnlearn. Repeatable."
    ),
    "output": Option(
        OUTPUT,
        "FILE",
        "The result (.json; - is standard output) or its network (.bif, .dot, ...). Repeatable.",
        ("--output", "-o"),
    ),
    "report": Option(OUTPUT, "HTML", "Write a report to open in a browser."),
    "json_": Option(OUTPUT, None, "Print one JSON object, nothing else.", ("--json",)),
    "quiet": Option(OUTPUT, None, "Print warnings only.", ("--quiet", "-q")),
    "verbose": Option(OUTPUT, None, "Also print what each step does.", ("--verbose", "-v")),
    "smoothing": Option(
        MORE, "HOW", "Smoothing of fitted probabilities: light, medium, strong, ess or auto."
    ),
    "trace": Option(MORE, "CSV", "Write every improvement of the search."),
    "save_sets": Option(MORE, "FILE", "Write the parent sets after the search (.cps)."),
    "checkpoint": Option(MORE, "FILE", "Keep the state of the search for forebear resume."),
    "ids": Option(MORE, None, "Number the variables of a .jkl file, as MINOBS and BLIP require."),
}


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Declare the parameters of a command as Typer needs them.

    A parameter is an argument or an option of the tables above. ``Annotated`` with a text gives it
    another help, and with an ``Option`` or something of Typer's a declaration of its own. A
    dataclass stands for the options that are its fields, except those that the command has itself.
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

    # Typer asks for both.
    run.__signature__ = signature(command).replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _declared(parameter: Argument, hint: Any) -> Argument:
    """Return a parameter with the declaration of its option."""
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

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List the arguments and the options, panel by panel, in the order of the table."""
        places = {name: place for place, name in enumerate([*OPTIONS, "help"])}
        options = [p for p in self.get_params(ctx) if p.param_type_name == "option"]
        arguments = [p for p in self.get_params(ctx) if p.param_type_name == "argument"]
        rows = {ARGUMENTS: [p.get_help_record(ctx) for p in arguments]}
        for option in sorted(options, key=lambda p: places.get(p.name, -1)):
            panel = getattr(option, "rich_help_panel", None) or OUTPUT  # of --help
            rows.setdefault(panel, []).append(option.get_help_record(ctx))
        for panel in sorted(filter(rows.get, rows), key=PANELS.index):
            with formatter.section(panel):
                formatter.write_dl(rows[panel])


def as_option(parameter: Parameter) -> str:
    """Spell a parameter as the option that it is, or as those that become a part of it."""
    name = parameter.name
    if name in OPTIONS:
        return parameter.option
    parts = [one for one, option in OPTIONS.items() if option.parameter == name]
    return " or ".join(parameter._replace(name=one).option for one in parts) or parameter.option
