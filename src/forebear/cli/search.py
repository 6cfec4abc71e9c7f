"""``forebear search``: from ranked parent sets to a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forebear.cli._support.cluster import executor_at
from forebear.cli._support.kbest import check_k_best, search_k_best
from forebear.cli._support.live import LiveView
from forebear.cli._support.options import (
    AlgorithmOption,
    CheckpointOption,
    CooperateOption,
    DaskOption,
    GenerationsOption,
    IdleOption,
    IntervalOption,
    JsonOption,
    QuietOption,
    RateOption,
    ReportOption,
    SampleByOption,
    SamplesOption,
    SeedOption,
    StartOption,
    TargetOption,
    ThreadsOption,
    TraceOption,
)
from forebear.cli._support.outcome import (
    check_names,
    check_outputs,
    check_report,
    finish,
    read_start,
)
from forebear.learning.find import find_network
from forebear.parentsets.collection import ParentSets
from forebear.search.persistence.checkpoint import DEFAULT_INTERVAL


def search(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Parent sets: .cps, .jkl.")],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="RESULT",
            help="The result (.json; - is standard output) or its network (.dot, ...). Repeatable.",
        ),
    ] = None,
    algorithm: AlgorithmOption = "ps-minobs",
    samples: SamplesOption = None,
    rate: RateOption = None,
    sample_by: SampleByOption = None,
    cooperate: CooperateOption = None,
    widen: Annotated[
        bool | None,
        typer.Option("--widen/--no-widen", help="ps-minobs: widen samples that stall, or not."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(metavar="M", help="Of other algorithms: how many side by side.")
    ] = None,
    variant: Annotated[
        str | None, typer.Option(metavar="NAME", help="minobs: crowding or published.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="exact: auto, dynamic, astar or branch-and-cut."),
    ] = None,
    k_best: Annotated[
        int | None,
        typer.Option(metavar="K", help="exact: the K best networks, in files numbered from 1."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Stop after so long.  [default: 60]")
    ] = None,
    generations: GenerationsOption = None,
    target: TargetOption = None,
    no_improvement: IdleOption = None,
    threads: ThreadsOption = None,
    seed: SeedOption = None,
    start: StartOption = None,
    checkpoint: CheckpointOption = None,
    every: IntervalOption = DEFAULT_INTERVAL,
    dask: DaskOption = None,
    trace: TraceOption = None,
    report: ReportOption = None,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Search for the network of the highest score.

    Ctrl-C ends the search and keeps the best so far. With a limit of
    generations, the same seed gives the same network on any machine.

    \b
    Examples:
      forebear search orchard.cps -o orchard.json --seconds 10 --report orchard.html
      forebear search audio.cps -o audio.json --samples 10 --rate 0.1 --no-widen
      forebear search audio.cps -o better.json --start audio.json --seed 7
      forebear search orchard.cps -o best.json --algorithm exact --k-best 10
    """
    outputs = output or []
    if k_best is not None:
        check_k_best(
            algorithm,
            k_best,
            samples=samples,
            rate=rate,
            sample_by=sample_by,
            cooperate=cooperate,
            widen=widen,
            processes=processes,
            variant=variant,
            method=method,
            generations=generations,
            target=target,
            no_improvement=no_improvement,
            start=start,
            checkpoint=checkpoint,
            report=report,
            trace=trace,
        )
        search_k_best(file, k_best, outputs, seconds, threads, seed, json_=json_, quiet=quiet)
        return
    check_outputs(outputs, [report, trace, checkpoint], fitted=False)
    check_report(report)
    sets = ParentSets.load(file)
    check_names(outputs, sets.names)
    with LiveView(wanted=not (quiet or json_)) as view, executor_at(dask) as executor:
        result = find_network(
            sets,
            algorithm=algorithm,
            samples=samples,
            rate=rate,
            sample_by=sample_by,
            widen=widen,
            n_processes=processes,
            variant=variant,
            method=method,
            time_limit=seconds,
            generations=generations,
            target=target,
            no_improvement=no_improvement,
            threads=threads,
            seed=seed,
            start=None if start is None else read_start(start, sets.names),
            executor=executor,
            checkpoint=checkpoint,
            checkpoint_interval=every,
            on_improvement=view.improved,
            on_start=lambda _: view.searching(seconds),
            on_tick=view.standing,
        )
    finish(result, outputs, report, trace, json_=json_, quiet=quiet)
