"""``forebear learn``: from a table to a network, in one call."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forebear._util.errors import DataError, ForebearError
from forebear.cli._support.arcs import check_acyclic, parse_arcs, read_tiers
from forebear.cli._support.cluster import executor_at
from forebear.cli._support.live import LiveView
from forebear.cli._support.options import (
    EXAMPLE,
    AlgorithmOption,
    AlphaOption,
    BinsOption,
    CandidatesOption,
    CheckpointOption,
    CooperateOption,
    DaskOption,
    DiscretizeOption,
    EssOption,
    ForbidOption,
    GenerationsOption,
    HeaderOption,
    IdleOption,
    IntervalOption,
    JsonOption,
    KnowledgeOption,
    MaxSetsOption,
    MemoryOption,
    MissingOption,
    QuietOption,
    RateOption,
    Reading,
    ReportOption,
    RequireOption,
    SampleByOption,
    SamplesOption,
    ScoreOption,
    SeedOption,
    StartOption,
    TargetOption,
    ThreadsOption,
    TiersOption,
    TraceOption,
    time_left,
)
from forebear.cli._support.outcome import (
    check_names,
    check_outputs,
    check_report,
    facts,
    keep,
    print_json,
    read_start,
    summary,
    to_standard_output,
)
from forebear.data.encoding import DEFAULT_BINS
from forebear.data.formats.table import STANDARD_INPUT
from forebear.learning.cache import Cache
from forebear.learning.learn import learn as learn_network
from forebear.scoring.scores import as_score
from forebear.search.persistence.checkpoint import DEFAULT_INTERVAL, write_started

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.result import Result


def learn(
    context: typer.Context,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A table; - is CSV on standard input.")
    ],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The result (.json; - is standard output) or its network "
            "(.bif, .net, .dot, ...). Repeatable.",
        ),
    ] = None,
    report: ReportOption = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="For everything: reading, scoring, search.  "
            "[default: up to 60, less when nothing better is found]",
        ),
    ] = None,
    max_memory: MemoryOption = None,
    max_parents: Annotated[
        int | None,
        typer.Option(metavar="N", help="Most parents of a variable.  [default: what fits]"),
    ] = None,
    score: ScoreOption = "bdeu",
    ess: EssOption = None,
    alpha: AlphaOption = None,
    max_sets_per_variable: MaxSetsOption = None,
    max_candidates: CandidatesOption = None,
    forbid: ForbidOption = None,
    require: RequireOption = None,
    tiers: TiersOption = None,
    knowledge: KnowledgeOption = None,
    algorithm: AlgorithmOption = "ps-minobs",
    samples: SamplesOption = None,
    rate: RateOption = None,
    sample_by: SampleByOption = None,
    cooperate: CooperateOption = None,
    generations: GenerationsOption = None,
    target: TargetOption = None,
    no_improvement: IdleOption = None,
    threads: ThreadsOption = None,
    seed: SeedOption = None,
    start: StartOption = None,
    certify: Annotated[
        bool | None,
        typer.Option(
            "--certify/--no-certify",
            help="Prove how good it is: in half of the time, or not at all.  [default: a tenth]",
        ),
    ] = None,
    cache: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where parent sets are kept.  [default: beside DATA]"),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no parent sets.")] = False,
    checkpoint: CheckpointOption = None,
    every: IntervalOption = DEFAULT_INTERVAL,
    dask: DaskOption = None,
    trace: TraceOption = None,
    missing: MissingOption = "error",
    discretize: DiscretizeOption = None,
    bins: BinsOption = DEFAULT_BINS,
    header: HeaderOption = None,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Learn a network from a table.

    Everything not given is chosen, and told. Parent sets are kept, so that a
    second run starts searching at once. Ctrl-C ends the search and keeps the
    best so far.

    \b
    Examples:
      forebear learn example:orchard --report orchard.html
      forebear learn survey.csv -o survey.bif -o survey.json --seconds 60
      forebear learn survey.csv -o survey.dot --forbid "income->age" --tiers tiers.txt
    """
    began = time.perf_counter()
    time_left(seconds, began)
    outputs = output or []
    check_outputs(outputs, [report, trace, checkpoint], fitted=True)
    check_report(report)
    made = as_score(score, ess=ess, alpha=alpha)
    reading = Reading(missing, discretize, bins, header)
    if checkpoint is not None:
        _note_start(context, checkpoint)
    with LiveView(wanted=not (quiet or json_)) as view, executor_at(dask) as executor:
        table = reading.read(data)
        if table.n_variables < 2:
            raise DataError(
                f"{data} has a single column, {table.names[0]!r}: a network needs two or more "
                "(columns are separated by commas, semicolons, tabs or bars)"
            )
        check_names(outputs, table.names)
        left, load = time_left(seconds, began), time.perf_counter() - began
        required = parse_arcs("--require", require or (), table.names)
        check_acyclic(required)
        result = learn_network(
            table,
            score=made,
            max_parents=max_parents,
            time_limit=left,
            max_memory=max_memory,
            threads=threads,
            seed=seed,
            required=required,
            forbidden=parse_arcs("--forbid", forbid or (), table.names),
            tiers=read_tiers(tiers, table.names) if tiers else None,
            knowledge=knowledge,
            max_sets_per_variable=max_sets_per_variable,
            max_candidates=max_candidates,
            algorithm=algorithm,
            samples=samples,
            rate=rate,
            sample_by=sample_by,
            cooperate=cooperate,
            generations=generations,
            target=target,
            no_improvement=no_improvement,
            start=None if start is None else read_start(start, table.names),
            certify=certify,
            cache=_cache(data, cache, no_cache),
            executor=executor,
            checkpoint=checkpoint,
            checkpoint_interval=every,
            watcher=view,
        )
    result = replace(result, seconds=load + result.seconds, phases={**result.phases, "load": load})
    keep(result, outputs, report, trace, table, ess=1.0 if ess is None else ess)
    if json_:
        print_json({**facts(result), **_table_facts(result, table)})
    elif not quiet and not to_standard_output(outputs):
        print("\n".join([*summary(result), *_next(data, outputs, report)]))


def _note_start(context: typer.Context, checkpoint: Path) -> None:
    """Let ``forebear resume`` know what to do if this ends before the search."""
    if context.params["data"] == STANDARD_INPUT:
        raise ForebearError("a run over standard input cannot be resumed: leave --checkpoint out")
    if context.params["no_cache"]:
        raise ForebearError("a checkpoint needs the parent sets to be kept: leave --no-cache out")
    arguments = {
        name: [str(v) if isinstance(v, Path) else v for v in value]
        if isinstance(value, list | tuple)
        else str(value)
        if isinstance(value, Path)
        else value
        for name, value in context.params.items()
    }
    write_started(checkpoint, {**arguments, "folder": str(Path.cwd())})


def _cache(data: str, folder: Path | None, unwanted: bool) -> Path | bool:
    """Beside the table, if that is a file of the user's; otherwise in the user's own cache."""
    if unwanted or folder:
        return folder if folder and not unwanted else False
    if data == STANDARD_INPUT or data.startswith(EXAMPLE):
        return True
    return Cache.beside(data).folder


def _table_facts(result: Result, table: Dataset) -> dict[str, Any]:
    made = result.provenance
    return {
        "variables": table.n_variables,
        "rows": table.n_rows,
        "score_name": made["score"],
        "max_parents": made["max_parents"],
        "parent_sets": sum(choice.sets for choice in result.choices),
        "phases": result.phases,
    }


def _next(data: str, outputs: list[Path], report: Path | None) -> list[str]:
    """Say where things are, and what one could do now."""
    written = [str(path) for path in (*outputs, report) if path is not None]
    lines = [f"Written to {', '.join(written)}"] if written else []
    if report is not None:
        lines.append(f"Next: open {report} in a browser")
    elif outputs:
        lines.append(f"Next: forebear learn {data} --report network.html to look at it")
    else:
        lines.append(
            f"Nothing was written. Next: forebear learn {data} --report network.html -o network.bif"
        )
    return lines
