"""``forebear resume``: go on with a search from its checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from forebear.checkpoint import DEFAULT_INTERVAL
from forebear.cli.live import LiveView
from forebear.cli.options import (
    IntervalOption,
    JsonOption,
    QuietOption,
    ReportOption,
    ThreadsOption,
    TraceOption,
)
from forebear.cli.outcome import check_outputs, check_report, finish
from forebear.search.resume import resume_search


def resume(
    file: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="What --checkpoint wrote.")],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="RESULT",
            help="The result (.json; - is standard output) or its network (.dot, ...). Repeatable.",
        ),
    ] = None,
    report: ReportOption = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="For this time.  [default: what was left of the limit]"),
    ] = None,
    threads: ThreadsOption = None,
    every: IntervalOption = DEFAULT_INTERVAL,
    trace: TraceOption = None,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Go on with a search that was stopped, or killed.

    The checkpoint is kept up to date meanwhile. Under a limit of generations the
    network is the one that an uninterrupted search finds.

    \b
    Examples:
      forebear search audio.cps --checkpoint audio.state --seconds 3600 -o audio.json
      forebear resume audio.state --seconds 600 -o audio.json
    """
    outputs = output or []
    check_outputs(outputs, [report, trace], fitted=False)
    check_report(report)
    with LiveView(wanted=not (quiet or json_)) as view:
        result = resume_search(
            file,
            time_limit=seconds,
            threads=threads,
            checkpoint_interval=every,
            on_improvement=view.improved,
            on_start=lambda _: view.searching(seconds),
            on_tick=view.standing,
        )
    finish(result, outputs, report, trace, json_=json_, quiet=quiet)
