"""``forebear resume``: continue a search from its checkpoint."""

from __future__ import annotations

from dataclasses import asdict
from inspect import signature
from pathlib import Path
from typing import Annotated, Any, Literal, Never, get_args, get_origin, get_type_hints

import typer

from forebear._util.errors import FileError
from forebear.cli._support.options import with_options
from forebear.cli._support.outputs import ResultFiles
from forebear.cli._support.summary import finish
from forebear.cli._support.terminal import shown_progress
from forebear.cli.learn import learn as learn_command
from forebear.data.examples import PREFIX
from forebear.learning.resume import resume_search
from forebear.search.persistence.checkpoint import read_started

learn = with_options(learn_command)


def resume(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="CHECKPOINT", help="What --checkpoint wrote.")],
    time_limit: Annotated[
        float | None, "Seconds from now on.  [default: what was left of the limit]"
    ] = None,
    threads: int | None = None,
    *,
    files: ResultFiles,
    json_: bool = False,
    quiet: bool = False,
) -> None:
    """Continue a search that was stopped or killed.

    The checkpoint is kept up to date. Under a generation limit the network is
    the one that an uninterrupted search finds.

    \b
    Examples:
      forebear search audio.cps --checkpoint audio.state --time-limit 3600 -o audio.json
      forebear resume audio.state --time-limit 600 -o audio.json
    """
    files.check()
    started = read_started(file)
    if started is not None:
        given = {**asdict(files), "time_limit": time_limit, "json_": json_, "quiet": quiet}
        _check_started(file, started)
        _start_again(context, started, given)
        return
    with shown_progress(wanted=not (quiet or json_)) as view:
        result = resume_search(file, time_limit=time_limit, threads=threads, watcher=view)
    finish(result, files, json_=json_, quiet=quiet)


def _check_started(file: Path, started: dict[str, Any]) -> None:
    """Refuse what ``learn`` could not have been started with."""
    hints = {**get_type_hints(learn), "folder": str, "context": Never}
    for name, value in started.items():
        if not _fits(value, hints.get(name, Never)):
            raise FileError(f"{file}: not a checkpoint of forebear: {name!r:.40} is not an option")
    if not {"folder", "data"} <= set(started):
        raise FileError(f"{file}: not a checkpoint of forebear: it does not name its data")


def _fits(value: Any, hint: Any) -> bool:
    """Tell whether a value out of a file is of a type that an option has."""
    inner = get_args(hint)
    if get_origin(hint) is Literal:
        return value in inner if isinstance(value, str) else False
    if get_origin(hint) is list:
        return isinstance(value, list) and all(_fits(item, inner[0]) for item in value)
    if inner:
        return any(_fits(value, one) for one in inner)
    if hint is Path:
        return type(value) is str and "\0" not in value
    return type(value) in ((int, float) if hint is float else (hint,))


def _start_again(context: typer.Context, started: dict[str, Any], given: dict[str, Any]) -> None:
    """Do a run again that had not begun to search; what it had scored is not lost."""
    folder = Path(started.pop("folder"))
    hints = get_type_hints(learn)
    options = signature(learn).parameters.values()
    arguments = {one.name: one.default for one in options if one.default is not one.empty}
    for name, value in started.items():
        kinds = get_args(hints[name])
        if value is not None and Path in kinds:
            value = folder / value
        elif value is not None and list[Path] in kinds:
            value = [folder / one for one in value]
        arguments[name] = value
    if not arguments["data"].startswith(PREFIX):
        arguments["data"] = str(folder / arguments["data"])
    arguments.update({name: value for name, value in given.items() if value})
    context.params = arguments
    learn(context=context, **arguments)
