"""``forebear learn``: learn a network from a table."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, cast

import typer

from forebear._util.errors import ForebearError, Parameter
from forebear._util.watcher import EVENTS, Relay
from forebear.cli._support.inputs import read_start, resolve_table
from forebear.cli._support.option_groups import (
    KnowledgeOptions,
    SearchOptions,
    TableOptions,
    as_certify,
    dask_executor,
    parse_max_parents,
)
from forebear.cli._support.options import MORE, ONE_OF_SCORES, Option
from forebear.cli._support.outputs import ResultFiles
from forebear.cli._support.printing import facts, print_json, saved_files, show_facts
from forebear.cli._support.process import seconds_loading, time_left
from forebear.cli._support.terminal import show_progress
from forebear.data.dataset import Dataset
from forebear.data.formats.table import STANDARD_INPUT
from forebear.learning.learn import learn as learn_network
from forebear.learning.searchable_sets import Plan
from forebear.learning.validate import AUTO, as_score_or_auto
from forebear.network.fit_network import check_smoothing, fit_network
from forebear.result import Result
from forebear.result.summary import summary
from forebear.search.checkpoint import write_started

_FILE_SECONDS, _VARIABLE_SECONDS = 0.05, 0.0003
"""Seconds to write a file, and per variable. A report with probabilities counts as eight files.
Measured with 100 to 5,000 variables, with a margin for a busy machine."""


def learn(
    context: typer.Context,
    data: str,
    time_limit: float | None = None,
    max_memory: str | None = None,
    max_parents: Annotated[
        str | None, 'Maximum number of parents, or "all".  [default: as time and memory allow]'
    ] = None,
    score: Annotated[
        str | None,
        f"{ONE_OF_SCORES}; auto: the best on held-out rows.  "
        "[default: bdeu with --ess auto --prior sparse]",
    ] = None,
    prior: str | None = None,
    ess: str | None = None,
    alpha: float | None = None,
    holdout: float | None = None,
    smoothing: str = "auto",
    generations: int | None = None,
    threads: int | None = None,
    seed: int | None = None,
    start: Path | None = None,
    certify: bool | None = None,
    certificate: Path | None = None,
    cache: Annotated[
        Path | None,
        Option(MORE, "DIR", "Folder for cached parent sets.  [default: the user's cache folder]"),
    ] = None,
    no_cache: Annotated[
        bool, Option(MORE, None, "Do not cache parent sets.", parameter="cache")
    ] = False,
    checkpoint: Path | None = None,
    dask: str | None = None,
    *,
    files: ResultFiles,
    search_options: SearchOptions,
    knowledge_options: KnowledgeOptions,
    table_options: TableOptions,
    json_: bool = False,
    quiet: bool = False,
    verbose: bool = False,
) -> None:
    """Learn a network from a table.

    forebear chooses the settings that you leave out; --verbose shows them. Without
    --score, --ess and --prior, networks are scored by bdeu averaged over equivalent
    sample sizes, with the sparse prior. --score bdeu alone is bdeu as in the
    literature, with an equivalent sample size of 1 and the uniform prior. Parent
    sets are cached, so a second run starts searching at once. Ctrl-C ends the
    search and keeps the best network so far.

    \b
    Examples:
      forebear learn example:orchard --report orchard.html
      forebear learn example:survey --drop id --discretize quantile -o survey.bif -o survey.json
      forebear learn example:orchard -o orchard.dot --forbidden "price->harvest"
    """
    files.check(checkpoint, certificate, fitted=True)
    check_smoothing(smoothing)
    table = resolve_table(data)
    settings = {
        "score": as_score_or_auto(score, prior, ess=ess, alpha=alpha) or AUTO,
        "prior": prior,
        "holdout": holdout,
        "max_parents": parse_max_parents(max_parents),
        "knowledge": knowledge_options.as_knowledge(),
        "algorithm": search_options.as_algorithm(),
        "time_limit": time_left(time_limit),
        "generations": search_options.as_stop_rule(generations),
        "max_memory": max_memory,
        "threads": threads,
        "seed": seed,
        "start": read_start(start),
        "certify": as_certify(certify, certificate),
        "cache": False if no_cache else cache,
        "checkpoint": checkpoint,
        "read": table_options.as_read_options(),
    }
    if checkpoint is not None:
        _check_resumable(data, no_cache=no_cache)
    written_before, loading = _time_written(certificate), seconds_loading()
    tables: list[Dataset] = []
    progress = show_progress(enabled=not (quiet or json_), verbose=verbose)
    with progress as view, dask_executor(dask) as executor:

        def loaded(data: Dataset) -> None:
            files.check_names(data.names)
            tables.append(data)
            view.loaded(data)

        def planned(plan: Plan) -> None:
            if checkpoint is not None:
                _record_arguments(context, checkpoint)
            view.planned(plan)

        def reserve(data: Dataset) -> float:
            return _writing_seconds(data, files)

        watcher = Relay(view, EVENTS, loaded=loaded, planned=planned, reserve=reserve)
        result = learn_network(table, executor=executor, watcher=watcher, **settings)
    loaded_table = tables[0]
    # Both the time limit and the time that is shown include loading the program.
    phases = {"start": loading, **result.phases}
    result = replace(result, seconds=result.seconds + loading, phases=phases)
    fit = partial(fit_network, result, loaded_table, smoothing=cast("Any", smoothing))
    files.write(result, partial(fit, ess=ess if smoothing == "ess" else None))
    if json_:
        print_json({**facts(result), **_table_facts(result, loaded_table)})
    elif not quiet and not files.to_standard_output:
        # There is no certificate if nothing was proven.
        proof = certificate if _time_written(certificate) != written_before else None
        check = ""
        if proof is not None and files.save_sets is not None:
            paths = f"{quote(str(proof))} {quote(str(files.save_sets))}"
            check = f"; verify the proof: forebear check {paths}"
        saved = saved_files([*files.outputs, proof], files.report, check)
        show_facts([*summary(result), *saved])


def _writing_seconds(data: Dataset, files: ResultFiles) -> float:
    """Return the seconds to reserve for writing the files."""
    n_files = len(files.outputs) + 8 * (files.report is not None)
    return n_files * (_FILE_SECONDS + _VARIABLE_SECONDS * data.n_variables)


def _check_resumable(data: str, *, no_cache: bool) -> None:
    """Reject a checkpoint for a run that cannot be resumed."""
    if data == STANDARD_INPUT:
        raise ForebearError(
            "a run on standard input cannot be resumed: leave out ", Parameter("checkpoint")
        )
    if no_cache:
        raise ForebearError(
            "a checkpoint requires cached parent sets: leave out ", Parameter("no_cache")
        )


def _record_arguments(context: typer.Context, checkpoint: Path) -> None:
    """Record the arguments, for ``forebear resume`` if the run ends before the search starts."""
    arguments = json.loads(json.dumps(context.params, default=str))
    write_started(checkpoint, {**arguments, "folder": str(Path.cwd())})


def _table_facts(result: Result, table: Dataset) -> dict[str, Any]:
    provenance = result.provenance
    return {
        "variables": table.n_variables,
        "rows": table.n_rows // table.copies,
        "score_name": provenance["score"],
        "score_parameters": provenance["parameters"],
        "max_parents": provenance["max_parents"],
        "parent_sets": sum(choice.sets for choice in result.choices),
        "phases": result.phases,
    }


def _time_written(path: Path | None) -> int | None:
    """Return when a file was written, or None if there is none."""
    return path.stat().st_mtime_ns if path is not None and path.exists() else None
