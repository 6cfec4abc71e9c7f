"""``forebear search --k-best``: several networks, in numbered files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from forebear._util.checks import check_whole
from forebear._util.errors import ForebearError, Parameter
from forebear.cli._support.live import LiveView
from forebear.cli._support.outcome import (
    STANDARD_OUTPUT,
    check_names,
    check_outputs,
    facts,
    keep,
    print_json,
    to_standard_output,
)
from forebear.cli._support.show import show_facts
from forebear.cli._support.summary import summary
from forebear.exact.kbest import k_best_networks
from forebear.parentsets.collection import ParentSets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.result import Result

EXACT = "exact"


def check_k_best(algorithm: str, k: int, **unused: object) -> None:
    """Refuse options that cannot be combined with ``--k-best``."""
    if algorithm != EXACT:
        raise ForebearError(Parameter("k_best"), " needs ", Parameter("algorithm", EXACT))
    check_whole(1, k_best=k)
    for name, value in unused.items():
        if value is not None:
            raise ForebearError(Parameter("k_best"), " cannot be combined with ", Parameter(name))


def search_k_best(
    file: Path,
    k: int,
    outputs: list[Path],
    limits: dict[str, Any],
    *,
    json_: bool,
    quiet: bool,
) -> None:
    """Find the k best networks or classes, write them to numbered files, and list them."""
    check_outputs([numbered(path, k) for path in outputs], fitted=False)
    sets = ParentSets.load(file, threads=limits.get("threads"))
    check_names(outputs, sets.names)
    with LiveView(wanted=not (quiet or json_)) as view:
        results = k_best_networks(
            sets,
            k,
            watcher=view,
            **limits,
        )
    for number, result in enumerate(results, 1):
        keep(result, [numbered(path, number) for path in outputs])
    if json_:
        print_json({**facts(results[0]), "scores": [result.score for result in results]})
    elif not quiet and not to_standard_output(outputs):
        show_facts([*summary(results[0]), ("Written", _kept(len(results), outputs))])
        print("\n".join(_list(results)))


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
        return "nothing: -o RESULT.json would keep them"
    spans = [f"{numbered(path, 1)} to {numbered(path, count).name}" for path in outputs]
    return ", ".join(spans)
