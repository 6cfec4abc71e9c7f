"""``forebear search``: from ranked parent sets to a network."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from forebear._util.checks import check_run
from forebear._util.errors import ForebearError, Parameter
from forebear.cli._support.cluster import executor_at
from forebear.cli._support.kbest import check_k_best, search_k_best
from forebear.cli._support.knowledge import Stated, takes_knowledge
from forebear.cli._support.live import LiveView
from forebear.cli._support.options import (
    AlgorithmOption,
    CertificateOption,
    CertifyOption,
    ChainsOption,
    CheckpointOption,
    DaskOption,
    GenerationsOption,
    IdleLimitOption,
    JsonOption,
    MethodOption,
    OutputOption,
    QuietOption,
    RateOption,
    ReportOption,
    SaveSetsOption,
    SeedOption,
    SetsArgument,
    StartOption,
    TargetOption,
    ThreadsOption,
    TimeLimitOption,
    TraceOption,
    VariantOption,
    WidenOption,
    located_table,
    stop_rule,
)
from forebear.cli._support.outcome import (
    check_names,
    check_outputs,
    check_report,
    finish,
    read_start,
)
from forebear.cli._support.reading import reads_table
from forebear.data.dataset import as_dataset
from forebear.data.reading import ReadOptions
from forebear.learning.algorithms import algorithm_from
from forebear.learning.find import find_network
from forebear.parentsets.collection import ParentSets


@reads_table
@takes_knowledge
def search(
    file: SetsArgument,
    output: OutputOption = None,
    algorithm: AlgorithmOption = "ps-minobs",
    chains: ChainsOption = None,
    rate: RateOption = None,
    widen: WidenOption = None,
    variant: VariantOption = None,
    method: MethodOption = None,
    k_best: Annotated[
        int | None,
        typer.Option(metavar="K", help="exact: the K best networks, in files numbered from 1."),
    ] = None,
    classes: Annotated[
        bool | None,
        typer.Option("--classes", help="With --k-best: the K best equivalence classes."),
    ] = None,
    time_limit: TimeLimitOption = None,
    generations: GenerationsOption = None,
    target: TargetOption = None,
    idle_limit: IdleLimitOption = None,
    threads: ThreadsOption = None,
    seed: SeedOption = None,
    start: StartOption = None,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="The table of the sets: the search may add further sets."
        ),
    ] = None,
    certify: CertifyOption = None,
    certificate: CertificateOption = None,
    checkpoint: CheckpointOption = None,
    save_sets: SaveSetsOption = None,
    dask: DaskOption = None,
    trace: TraceOption = None,
    report: ReportOption = None,
    *,
    stated: Stated,
    read: ReadOptions,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Search parent sets for the network with the highest score.

    Ctrl-C ends the search and keeps the best network so far. With a generation
    limit, the same seed gives the same network on any machine.

    \b
    Examples:
      forebear search orchard.cps -o orchard.json --time-limit 10 --report orchard.html
      forebear search audio.cps -o audio.json --chains 10 --rate 0.1 --no-widen
      forebear search audio.cps -o better.json --start audio.json --seed 7
      forebear search audio.cps -o grown.json --data audio.csv
      forebear search orchard.cps -o best.json --algorithm exact --k-best 10 --classes
    """
    outputs = output or []
    settings: dict[str, Any] = {
        "chains": chains,
        "rate": rate,
        "widen": widen,
        "variant": variant,
        "method": method,
    }
    if data is None and read != ReadOptions():
        raise ForebearError(f"{read} has no effect without ", Parameter("data"))
    limits: dict[str, Any] = {"time_limit": time_limit, "threads": threads, "seed": seed}
    check_run(**limits, generations=generations)
    if k_best is not None:
        unused = {**settings, "generations": generations, "target": target}
        unused |= {"idle_limit": idle_limit, "start": start, "checkpoint": checkpoint, "data": data}
        unused |= {"save_sets": save_sets, "certificate": certificate}
        check_k_best(algorithm, k_best, **unused, report=report, trace=trace, certify=certify)
        limits["classes"] = bool(classes)
        search_k_best(file, k_best, outputs, limits, stated, json_=json_, quiet=quiet)
        return
    if classes:
        raise ForebearError(Parameter("classes"), " needs ", Parameter("k_best"))
    made = algorithm_from(algorithm, **settings)
    rule = stop_rule(target, idle_limit, algorithm)
    check_outputs(outputs, [report, trace, checkpoint, save_sets, certificate], fitted=False)
    check_report(report)
    sets = ParentSets.load(file, threads=threads)
    check_names(outputs, sets.names)
    with LiveView(wanted=not (quiet or json_)) as view, executor_at(dask) as executor:
        result = find_network(
            sets,
            knowledge=stated.as_knowledge(lambda: sets.names),
            algorithm=made,
            generations=generations,
            stop=rule,
            start=None if start is None else read_start(start),
            certify=certify,
            certificate=certificate,
            executor=executor,
            checkpoint=checkpoint,
            data=None if data is None else as_dataset(located_table(data), read),
            save_sets=save_sets,
            watcher=view,
            **limits,
        )
    finish(result, outputs, report, trace, json_=json_, quiet=quiet)
