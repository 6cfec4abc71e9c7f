"""``forebear learn``: from a table to a network, in one call."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from forebear._util.errors import ForebearError, Parameter
from forebear._util.watcher import EVENTS, Relay
from forebear.cli._support.inputs import located_table, read_start
from forebear.cli._support.option_groups import (
    KnowledgeOptions,
    SearchOptions,
    TableOptions,
    as_certify,
    executor_at,
    parsed_max_parents,
)
from forebear.cli._support.options import MORE, ONE_OF_SCORES, Option
from forebear.cli._support.outputs import ResultFiles
from forebear.cli._support.process import seconds_loading, time_left
from forebear.cli._support.summary import facts, print_json, show_facts, written
from forebear.cli._support.terminal import shown_progress
from forebear.data.formats.table import STANDARD_INPUT
from forebear.learning.learn import learn as learn_network
from forebear.learning.validate import AUTO, as_score_or_auto
from forebear.network.fitting import check_smoothing, fit_network
from forebear.result.summary import Facts, summary
from forebear.search.checkpoint import write_started

if TYPE_CHECKING:
    from forebear.data.dataset import Dataset
    from forebear.learning.searchable_sets import Plan
    from forebear.result import Result


_FILE_SECONDS, _VARIABLE_SECONDS = 0.05, 0.0003
"""Seconds to write a file, and per variable; a report with its probabilities takes as long as eight
files. Measured at 100 to 5,000 variables, with a margin for a busy machine."""

_NOT_VALIDATED = "not validated on held-out rows (see --holdout)"
_NOT_PREDICTED = "not validated: held-out rows could not be predicted"


def learn(
    context: typer.Context,
    data: str,
    time_limit: float | None = None,
    max_memory: str | None = None,
    max_parents: Annotated[
        str | None, 'Maximum number of parents, or "all".  [default: as time and memory allow]'
    ] = None,
    score: Annotated[str, f"{ONE_OF_SCORES}; auto: the best on held-out rows."] = "bdeu",
    ess: float | None = None,
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

    forebear chooses the settings that you leave out, and reports them. Parent
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
    table = located_table(data)
    settings = {
        "score": as_score_or_auto(score, ess=ess, alpha=alpha) or AUTO,
        "holdout": holdout,
        "max_parents": parsed_max_parents(max_parents),
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
    before, loading = _written(certificate), seconds_loading()
    tables: list[Dataset] = []
    progress = shown_progress(enabled=not (quiet or json_), verbose=verbose)
    with progress as view, executor_at(dask) as executor:

        def loaded(data: Dataset) -> None:
            files.check_names(data.names)
            tables.append(data)
            view.loaded(data)

        def planned(plan: Plan) -> None:
            if checkpoint is not None:
                _note_start(context, checkpoint)
            view.planned(plan)

        def reserve(data: Dataset) -> float:
            return _writing_seconds(data, files)

        watcher = Relay(view, EVENTS, loaded=loaded, planned=planned, reserve=reserve)
        result = learn_network(table, executor=executor, watcher=watcher, **settings)
    loaded_table = tables[0]
    # The limit covers loading the program, and so does the time that is shown.
    phases = {"start": loading, **result.phases}
    result = replace(result, seconds=result.seconds + loading, phases=phases)
    fit = partial(fit_network, result, loaded_table, smoothing=cast("Any", smoothing))
    files.write(result, partial(fit, ess=ess if smoothing == "ess" else None))
    if json_:
        print_json({**facts(result), **_table_facts(result, loaded_table)})
    elif not quiet and not files.to_standard_output:
        # There is no certificate if nothing was proven.
        proof = certificate if _written(certificate) != before else None
        check = ""
        if proof is not None and files.save_sets is not None:
            named = f"{quote(str(proof))} {quote(str(files.save_sets))}"
            check = f"; verify the proof: forebear check {named}"
        kept = written([*files.outputs, proof], files.report, check)
        show_facts([*_summary(result, requested=holdout is not None or score == AUTO), *kept])


def _summary(result: Result, *, requested: bool) -> Facts:
    """Return the main facts, including whether the network was validated."""
    found = summary(result)
    if result.validation is None:
        found.insert(-1, ("Held out", _NOT_PREDICTED if requested else _NOT_VALIDATED))
    return found


def _writing_seconds(data: Dataset, files: ResultFiles) -> float:
    """Return the seconds to keep for writing the files."""
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


def _note_start(context: typer.Context, checkpoint: Path) -> None:
    """Write down how the run was started, for ``forebear resume`` if it ends before the search."""
    arguments = json.loads(json.dumps(context.params, default=str))
    write_started(checkpoint, {**arguments, "folder": str(Path.cwd())})


def _table_facts(result: Result, table: Dataset) -> dict[str, Any]:
    made = result.provenance
    return {
        "variables": table.n_variables,
        "rows": table.n_rows // table.copies,
        "score_name": made["score"],
        "max_parents": made["max_parents"],
        "parent_sets": sum(choice.sets for choice in result.choices),
        "phases": result.phases,
    }


def _written(path: Path | None) -> int | None:
    """Return when a file was written, or None if there is none."""
    return path.stat().st_mtime_ns if path is not None and path.exists() else None
