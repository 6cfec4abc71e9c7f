"""``forebear search --k-best``: several networks, in numbered files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
from forebear.cli._support.live import LiveView
from forebear.cli._support.outcome import (
    STANDARD_OUTPUT,
    check_names,
    check_outputs,
    facts,
    keep,
    print_json,
    summary,
    to_standard_output,
)
from forebear.exact.kbest import k_best_networks
from forebear.parentsets.collection import ParentSets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.result import Result

EXACT = "exact"


def check_k_best(algorithm: str, k: int, **unused: object) -> None:
    """Refuse what does not go with it."""
    if algorithm != EXACT:
        raise ForebearError(f"--k-best needs --algorithm {EXACT}, not {algorithm}")
    if k < 1:
        raise ForebearError(f"--k-best must be at least 1, got {k}")
    if given := [name for name, value in unused.items() if value is not None]:
        option = "--" + given[0].replace("_", "-")
        raise ForebearError(
            f"--k-best goes with --seconds, --threads and --seed, not with {option}"
        )


def search_k_best(
    file: Path,
    k: int,
    outputs: list[Path],
    seconds: float | None,
    threads: int | None,
    seed: int | None,
    *,
    json_: bool,
    quiet: bool,
) -> None:
    """Find the k best networks, write them to numbered files (the best is 1), and list them."""
    check_outputs([numbered(path, k) for path in outputs], fitted=False)
    sets = ParentSets.load(file)
    check_names(outputs, sets.names)
    with LiveView(wanted=not (quiet or json_)) as view:
        view.searching(seconds)
        results = k_best_networks(
            sets,
            k,
            time_limit=seconds,
            threads=threads,
            seed=seed,
            watcher=view,
        )
    for number, result in enumerate(results, 1):
        keep(result, [numbered(path, number) for path in outputs])
    if json_:
        print_json({**facts(results[0]), "scores": [result.score for result in results]})
    elif not quiet and not to_standard_output(outputs):
        print("\n".join([*summary(results[0]), *_list(results), _kept(len(results), outputs)]))


def numbered(path: Path, number: int) -> Path:
    """Turn ``best.json`` into ``best-1.json``; - stays what it is."""
    if str(path) == STANDARD_OUTPUT:
        return path
    bare = path.name.removesuffix(".gz")
    stem, suffix = Path(bare).stem, Path(bare).suffix
    return path.with_name(f"{stem}-{number}{suffix}{path.name[len(bare) :]}")


def _list(results: Sequence[Result]) -> list[str]:
    best = results[0].score
    return [
        f"{number:>5}. {result.score:,.4f} ({result.score - best:+.4f}), "
        f"{len(result.network.arcs):,} arcs"
        for number, result in enumerate(results, 1)
    ]


def _kept(count: int, outputs: list[Path]) -> str:
    if not outputs:
        return "Nothing was written: give -o RESULT.json to keep them"
    spans = [f"{numbered(path, 1)} to {numbered(path, count).name}" for path in outputs]
    return f"Written to {', '.join(spans)}"
