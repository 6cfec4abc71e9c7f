"""``forebear learn``: from a table to a network, in one call."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forebear._util.errors import ForebearError, Parameter
from forebear.cli._support.cluster import executor_at
from forebear.cli._support.further import how_to_check, how_to_verify
from forebear.cli._support.knowledge import Stated, takes_knowledge
from forebear.cli._support.live import LiveView
from forebear.cli._support.options import (
    AlgorithmOption,
    AlphaOption,
    CertificateOption,
    CertifyOption,
    ChainsOption,
    CheckpointOption,
    DaskOption,
    DataArgument,
    EssOption,
    GenerationsOption,
    HoldoutOption,
    IdleLimitOption,
    JsonOption,
    MaxParentsOrAllOption,
    MemoryOption,
    MethodOption,
    OutputOption,
    QuietOption,
    RateOption,
    ReportOption,
    SaveSetsOption,
    ScoreOrAutoOption,
    SeedOption,
    SmoothingOption,
    StartOption,
    TargetOption,
    ThreadsOption,
    TimeLimitOption,
    TraceOption,
    VariantOption,
    WidenOption,
    located_table,
    parsed_max_parents,
    stop_rule,
)
from forebear.cli._support.outcome import (
    check_names,
    check_outputs,
    check_report,
    facts,
    keep,
    print_json,
    read_start,
    to_standard_output,
)
from forebear.cli._support.reading import reads_table
from forebear.cli._support.show import show_facts
from forebear.cli._support.started import seconds_loading, time_left
from forebear.cli._support.summary import summary, written
from forebear.data.dataset import as_dataset
from forebear.data.formats.table import STANDARD_INPUT
from forebear.data.reading import ReadOptions
from forebear.learning.algorithms import algorithm_from
from forebear.learning.held_out import AUTO, as_score_or_auto
from forebear.learning.learn import learn as learn_network
from forebear.network.estimation import check_smoothing
from forebear.search.persistence.checkpoint import write_started

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.learning.plan import Plan
    from forebear.result import Result


_FILE_SECONDS, _REPORT_SECONDS, _VARIABLE_SECONDS = 0.05, 0.4, 0.0003
"""Seconds to write a file and a report, and per variable of a file; a report with its probabilities
takes eight times as long per variable. Measured at 100 to 5,000 variables, with a margin for a busy
machine."""

_NOT_CHECKED = "not on new rows, since held-out rows could not be predicted"


@reads_table
@takes_knowledge
def learn(
    context: typer.Context,
    data: DataArgument,
    output: OutputOption = None,
    report: ReportOption = None,
    time_limit: TimeLimitOption = None,
    max_memory: MemoryOption = None,
    max_parents: MaxParentsOrAllOption = None,
    score: ScoreOrAutoOption = "bdeu",
    ess: EssOption = None,
    alpha: AlphaOption = None,
    holdout: HoldoutOption = None,
    smoothing: SmoothingOption = "auto",
    algorithm: AlgorithmOption = "ps-minobs",
    chains: ChainsOption = None,
    rate: RateOption = None,
    widen: WidenOption = None,
    variant: VariantOption = None,
    method: MethodOption = None,
    generations: GenerationsOption = None,
    target: TargetOption = None,
    idle_limit: IdleLimitOption = None,
    threads: ThreadsOption = None,
    seed: SeedOption = None,
    start: StartOption = None,
    certify: CertifyOption = None,
    certificate: CertificateOption = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Where to keep parent sets.  [default: the user's cache folder]"
        ),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no parent sets.")] = False,
    checkpoint: CheckpointOption = None,
    save_sets: SaveSetsOption = None,
    dask: DaskOption = None,
    trace: TraceOption = None,
    *,
    stated: Stated,
    read: ReadOptions,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Learn a network from a table.

    Options you leave out are chosen for you and reported. Parent sets are kept,
    so that a second run starts searching at once. Ctrl-C ends the search and
    keeps the best network so far.

    \b
    Examples:
      forebear learn example:orchard --report orchard.html
      forebear learn example:survey --drop id --discretize quantile -o survey.bif -o survey.json
      forebear learn example:orchard -o orchard.dot --forbidden "price->harvest"
    """
    outputs = output or []
    check_outputs(outputs, [report, trace, checkpoint, save_sets, certificate], fitted=True)
    check_report(report)
    check_smoothing(smoothing)
    table = located_table(data)
    known = stated.as_knowledge(lambda: as_dataset(table, read).names)
    settings = {
        "score": as_score_or_auto(score, ess=ess, alpha=alpha) or AUTO,
        "holdout": holdout,
        "max_parents": parsed_max_parents(max_parents),
        "knowledge": known,
        "algorithm": algorithm_from(
            algorithm,
            chains=chains,
            rate=rate,
            widen=widen,
            variant=variant,
            method=method,
        ),
        "time_limit": time_left(time_limit),
        "generations": generations,
        "stop": stop_rule(target, idle_limit, algorithm),
        "max_memory": max_memory,
        "threads": threads,
        "seed": seed,
        "start": None if start is None else read_start(start),
        "certify": certify,
        "certificate": certificate,
        "cache": False if no_cache else cache,
        "checkpoint": checkpoint,
        "save_sets": save_sets,
        "read": read,
    }
    if checkpoint is not None:
        _check_resumable(data, no_cache=no_cache)
    before, loading = _written(certificate), seconds_loading()
    with (
        _View(outputs, report, context, checkpoint, wanted=not (quiet or json_)) as view,
        executor_at(dask) as executor,
    ):
        result = learn_network(table, executor=executor, watcher=view, **settings)
    # The limit covers loading the program, and so does the time that is shown.
    phases = {"start": loading, **result.phases}
    result = replace(result, seconds=result.seconds + loading, phases=phases)
    prior = ess if smoothing == "ess" else None
    keep(result, outputs, report, trace, view.table, smoothing=smoothing, ess=prior)
    if json_:
        print_json({**facts(result), **_table_facts(result, view.table)})
    elif not quiet and not to_standard_output(outputs):
        # There is no certificate if nothing was proven.
        proof = certificate if _written(certificate) != before else None
        check = how_to_verify(proof, result, context.params)
        wanted = holdout is not None or score == AUTO
        unchecked = _NOT_CHECKED if wanted else how_to_check(context.params, view.table)
        show_facts([*summary(result, unchecked), *written([*outputs, proof], report, check)])


class _View(LiveView):
    """The live view, which also refuses names that no output can hold, and notes the start."""

    table: Dataset

    def __init__(
        self,
        outputs: list[Path],
        report: Path | None,
        context: typer.Context,
        checkpoint: Path | None,
        *,
        wanted: bool,
    ) -> None:
        super().__init__(wanted=wanted)
        self._outputs = outputs
        self._report = report
        self._context = context
        self._checkpoint = checkpoint

    def loaded(self, data: Dataset) -> None:
        """Keep the table for the probabilities of the network."""
        check_names(self._outputs, data.names)
        self.table = data
        super().loaded(data)

    def reserve(self, data: Dataset) -> float:
        """Keep time for writing the files."""
        files = _FILE_SECONDS * len(self._outputs) + _REPORT_SECONDS * (self._report is not None)
        variables = _VARIABLE_SECONDS * data.n_variables
        return files + variables * (len(self._outputs) + 8 * (self._report is not None))

    def planned(self, plan: Plan) -> None:
        """Let ``forebear resume`` know what to do if this ends before the search."""
        if self._checkpoint is not None:
            _note_start(self._context, self._checkpoint)
        super().planned(plan)


def _check_resumable(data: str, *, no_cache: bool) -> None:
    """Refuse a checkpoint for a run that could not be continued."""
    if data == STANDARD_INPUT:
        raise ForebearError(
            "a run over standard input cannot be resumed: leave ", Parameter("checkpoint"), " out"
        )
    if no_cache:
        raise ForebearError(
            "a checkpoint needs the parent sets to be kept: leave ", Parameter("no_cache"), " out"
        )


def _note_start(context: typer.Context, checkpoint: Path) -> None:
    """Write down how the run was started."""
    arguments = {
        name: [str(v) if isinstance(v, Path) else v for v in value]
        if isinstance(value, list | tuple)
        else str(value)
        if isinstance(value, Path)
        else value
        for name, value in context.params.items()
    }
    write_started(checkpoint, {**arguments, "folder": str(Path.cwd())})


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


def _written(path: Path | None) -> int | None:
    """Return when a file was written, or None if there is none."""
    return path.stat().st_mtime_ns if path is not None and path.exists() else None
