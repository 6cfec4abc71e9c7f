"""``forebear search``: search ranked parent sets for the best network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

from forebear._util.checks import check_run, check_whole
from forebear._util.errors import ForebearError, Parameter
from forebear.cli._support.inputs import read_start, resolve_table
from forebear.cli._support.option_groups import (
    KnowledgeOptions,
    SearchOptions,
    TableOptions,
    as_certify,
    dask_executor,
)
from forebear.cli._support.options import DATA, MORE, OWN_PRIOR, Option
from forebear.cli._support.outputs import STANDARD_OUTPUT, ResultFiles
from forebear.cli._support.printing import facts, finish, print_json, show_facts
from forebear.cli._support.terminal import show_progress
from forebear.data.dataset import as_dataset
from forebear.learning.find_network import find_network
from forebear.parentsets.collection import ParentSets
from forebear.proof.k_best import k_best_networks
from forebear.result import Result
from forebear.result.summary import summary
from forebear.scoring.priors import with_prior


def search(
    sets: Path,
    k_best: Annotated[
        int | None, Option(MORE, "K", "exact: write the K best networks to numbered files.")
    ] = None,
    classes: Annotated[
        bool, Option(MORE, None, "With --k-best: find the K best equivalence classes.")
    ] = False,
    prior: Annotated[str | None, OWN_PRIOR] = None,
    time_limit: float | None = None,
    generations: int | None = None,
    threads: int | None = None,
    seed: int | None = None,
    start: Path | None = None,
    data: Annotated[
        str | None,
        Option(
            DATA,
            "TABLE",
            "Table that the sets were scored on; the search can then add larger sets.",
        ),
    ] = None,
    certify: bool | None = None,
    certificate: Path | None = None,
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
    read = table_options.as_read_options()
    if data is None and read is not None:
        raise ForebearError(f"{read} has no effect without ", Parameter("data"))
    limits: dict[str, Any] = {"time_limit": time_limit, "threads": threads, "seed": seed}
    check_run(**limits, generations=generations)
    if k_best is not None:
        others = {"generations": generations, "start": start, "data": data, "certify": certify}
        others |= {"checkpoint": checkpoint, "certificate": certificate}
        written = {"output": None, "names": None}  # options that also apply to several networks
        _check_k_best(k_best, {**asdict(search_options), **others, **asdict(files), **written})
        replace(files, output=[_numbered(path, k_best) for path in files.outputs]).check()
    elif classes:
        raise ForebearError(Parameter("classes"), " requires ", Parameter("k_best"))
    else:
        algorithm = search_options.as_algorithm()
        stop = search_options.as_stop_rule(generations)
        files.check(checkpoint, certificate)
    parent_sets = with_prior(ParentSets.load(sets, threads=threads), prior)
    files.check_names(parent_sets.names)
    limits["knowledge"] = knowledge_options.as_knowledge()
    progress = show_progress(enabled=not (quiet or json_), verbose=verbose)
    with progress as view, dask_executor(dask) as executor:
        if k_best is not None:
            results = k_best_networks(parent_sets, k_best, classes=classes, watcher=view, **limits)
        else:
            result = find_network(
                parent_sets,
                algorithm=algorithm,
                generations=stop,
                start=read_start(start),
                certify=as_certify(certify, certificate),
                executor=executor,
                checkpoint=checkpoint,
                data=None if data is None else as_dataset(resolve_table(data), read),
                watcher=view,
                **limits,
            )
    if k_best is not None:
        _finish_all(results, files, json_=json_, quiet=quiet)
    else:
        finish(result, files, json_=json_, quiet=quiet)


def _check_k_best(k: int, others: dict[str, Any]) -> None:
    """Reject options that cannot be combined with ``--k-best``."""
    if others.pop("algorithm") != "exact":
        raise ForebearError(Parameter("k_best"), " requires ", Parameter("algorithm", "exact"))
    check_whole(1, k_best=k)
    for name, value in others.items():
        if value is not None:
            raise ForebearError(Parameter("k_best"), " cannot be combined with ", Parameter(name))


def _finish_all(results: Sequence[Result], files: ResultFiles, *, json_: bool, quiet: bool) -> None:
    """Write the best networks to numbered files, and list them."""
    for number, result in enumerate(results, 1):
        replace(files, output=[_numbered(path, number) for path in files.outputs]).write(result)
    best = results[0].score
    if json_:
        print_json({**facts(results[0]), "scores": [result.score for result in results]})
    elif not quiet and not files.to_standard_output:
        spans = [
            f"{_numbered(path, 1)} to {_numbered(path, len(results)).name}"
            for path in files.outputs
        ]
        saved = ", ".join(spans) or "nothing; to keep the networks: -o best.json"
        show_facts([*summary(results[0]), ("Saved", saved)])
        for number, result in enumerate(results, 1):
            behind = f"({result.score - best:+.4f}), {len(result.network.arcs):,} arcs"
            print(f"{number:>5}. {result.score:,.4f} {behind}")


def _numbered(path: Path, number: int) -> Path:
    """Turn ``best.json`` into ``best-1.json``; keep ``-``."""
    if str(path) == STANDARD_OUTPUT:
        return path
    stem, dot, extensions = path.name.partition(".")
    return path.with_name(f"{stem}-{number}{dot}{extensions}")
