"""``forebear resume``: continue a search from its checkpoint."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path
from typing import Annotated, Any

import typer

from forebear._util.errors import FileError
from forebear.cli._support.outputs import STANDARD_OUTPUT, ResultFiles
from forebear.cli._support.printing import finish
from forebear.cli._support.terminal import show_progress
from forebear.learning.resume_search import resume_search
from forebear.search.checkpoint import read_started


def resume(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="CHECKPOINT", help="File written by --checkpoint.")
    ],
    time_limit: Annotated[
        float | None, "Time limit in seconds from now on.  [default: the rest of the first limit]"
    ] = None,
    threads: int | None = None,
    *,
    files: ResultFiles,
    json_: bool = False,
    quiet: bool = False,
    verbose: bool = False,
) -> None:
    """Continue a search that was stopped or killed.

    The search keeps updating the checkpoint. With a generation limit, it finds
    the same network as an uninterrupted search.

    \b
    Examples:
      forebear search audio.cps --checkpoint audio.state --time-limit 3600 -o audio.json
      forebear resume audio.state --time-limit 600 -o audio.json
    """
    files.check()
    started = read_started(file)
    if started is not None:
        _start_again(context, file, started)
        return
    with show_progress(enabled=not (quiet or json_), verbose=verbose) as view:
        result = resume_search(file, time_limit=time_limit, threads=threads, watcher=view)
    finish(result, files, json_=json_, quiet=quiet)


def _absolute(path: Path) -> str:
    """Return an absolute path; ``-`` for standard output is kept."""
    return str(path) if str(path) == STANDARD_OUTPUT else str(path.absolute())


def _start_again(context: typer.Context, file: Path, started: dict[str, Any]) -> None:
    """Repeat a run that ended before the search; the sets that it scored are in the cache."""
    assert context.parent is not None
    group: Any = context.parent.command
    learn = group.get_command(context, "learn")
    overrides = {
        name: [_absolute(path) for path in value] if name == "output"
        else str(value.absolute()) if isinstance(value, Path)
        else value
        for name, value in context.params.items()
        if value and name != "file"
    }  # fmt: skip
    folder, data = started.pop("folder", None), started.pop("data", None)
    unknown = started.keys() - {option.name for option in learn.params}
    if unknown or not isinstance(folder, str) or not isinstance(data, str):
        raise FileError(f"{file}: not a checkpoint of forebear: its options are not those of learn")
    if not Path(folder).is_dir():
        raise FileError(f"{file}: the folder of this run no longer exists: {folder!r}")
    words = [
        word
        for option in learn.params
        for word in _words(option, {**started, **overrides}.get(option.name))
    ]
    with chdir(folder), learn.make_context("forebear resume", [*words, "--", data]) as again:
        learn.invoke(again)


def _words(option: Any, value: Any) -> list[str]:
    """Return the words of an option on the command line; none if it was not given."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    flags = {True: option.opts[:1], False: option.secondary_opts[:1]}
    return [
        word
        for one in values
        for word in (flags[one] if isinstance(one, bool) else [f"{option.opts[0]}={one}"])
    ]
