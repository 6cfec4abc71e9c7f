"""``forebear search``: from ranked parent sets to a network."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from forebear.cli.options import JsonOption, QuietOption
from forebear.cli.show import SearchLine
from forebear.errors import FileError
from forebear.files import check_writable
from forebear.formats import Kind, kind_of, read_parent_sets
from forebear.formats.bif import read_bif
from forebear.machine import show_seconds
from forebear.result import Result
from forebear.search.find import ALGORITHMS, find_network

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.network import Network

_STOPPED = {
    "time": "the time was up",
    "generations": "all generations were made",
    "target": "the target was reached",
    "no improvement": "nothing better was found for long",
    "interrupted": "it was interrupted",
    "cancelled": "it was cancelled",
}


def search(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Parent sets: .cps, .jkl.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="RESULT", help="What to write: .json."),
    ] = None,
    algorithm: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"One of {', '.join(ALGORITHMS)}.",
            autocompletion=lambda: list(ALGORITHMS),
        ),
    ] = "ps-minobs",
    samples: Annotated[
        int | None, typer.Option(metavar="M", help="ps-minobs: processes, a sample each.")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="P", help="ps-minobs: share of the sets sampled.")
    ] = None,
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
    seconds: Annotated[
        float | None, typer.Option(metavar="S", help="Stop after so long.  [default: 60]")
    ] = None,
    generations: Annotated[
        int | None, typer.Option(metavar="G", help="Stop after so many: the same every time.")
    ] = None,
    target: Annotated[
        float | None, typer.Option(metavar="SCORE", help="Stop when this is reached.")
    ] = None,
    no_improvement: Annotated[
        float | None, typer.Option(metavar="S", help="Stop when idle for so long.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", help="How many at once.  [default: one a core]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="S", help="Of the random numbers.  [default: any]")
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Start from a result, a .bif network, or an order."),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="CSV", help="Write every improvement there.")
    ] = None,
    json_: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Search for the network of the highest score.

    Ctrl-C ends the search and keeps the best so far. With a limit of
    generations, the same seed gives the same network on any machine.

    \b
    Examples:
      forebear search orchard.cps -o orchard.json --seconds 10
      forebear search audio.cps -o audio.json --samples 10 --rate 0.1 --no-widen
      forebear search audio.cps -o better.json --start audio.json --seed 7
    """
    for path in (output, trace):
        if path is not None:
            check_writable(path)
    if output is not None and output.suffix.lower() != ".json":
        raise FileError(f"{output}: a result is written to a .json file")
    sets = read_parent_sets(file)
    with SearchLine(wanted=not (quiet or json_), limit=seconds) as line:
        result = find_network(
            sets,
            algorithm=algorithm,
            samples=samples,
            rate=rate,
            widen=widen,
            n_processes=processes,
            variant=variant,
            time_limit=seconds,
            generations=generations,
            target=target,
            no_improvement=no_improvement,
            threads=threads,
            seed=seed,
            start=None if start is None else _read_start(start),
            on_improvement=line.improved,
        )
    if output is not None:
        result.save(output)
    if trace is not None:
        result.trace.to_csv(trace)
    if json_:
        print(json.dumps(facts(result)))
    elif not quiet:
        print(_summary(result, output))


def facts(result: Result) -> dict[str, Any]:
    """Tell the main things of a result, for ``--json``."""
    return {
        "score": result.score,
        "seconds": result.seconds,
        "arcs": len(result.network.arcs),
        "algorithm": result.algorithm,
        "seed": result.seed,
        "winner": result.winner,
        "stop_reason": result.stop_reason,
        "generations": list(result.generations),
    }


def _read_start(path: Path) -> Result | Network | Sequence[int]:
    if path.suffix.lower() == ".json":
        return Result.load(path)
    if kind_of(path) is Kind.NETWORK:
        return read_bif(path).network
    try:
        return [int(word) for word in path.read_text("utf-8").split()]
    except (OSError, ValueError) as error:
        raise FileError(
            f"{path}: neither a result, a .bif network nor an order: {error}"
        ) from error


def _summary(result: Result, output: Path | None) -> str:
    reason = _STOPPED.get(result.stop_reason, result.stop_reason)
    at_best = sum(choice.rank == 1 for choice in result.choices)
    lines = [
        f"Score {result.score:,.4f}, {len(result.network.arcs):,} arcs, found by process "
        f"{result.winner} ({result.algorithm}, seed {result.seed})",
        f"{at_best:,} of {len(result.choices):,} variables have their best parents",
        f"Stopped after {show_seconds(result.seconds)}: {reason}",
    ]
    if output is not None:
        lines.append(f"Written to {output}")
    elif sys.stdout.isatty():
        lines.append("Nothing was written: give -o RESULT.json to keep it")
    return "\n".join(lines)
