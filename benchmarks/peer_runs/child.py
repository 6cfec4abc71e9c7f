"""One search in a process of its own, for ``peers.py``: reads a table, writes a network.

    PYTHONPATH=benchmarks python -m peer_runs.child SEARCH table.npz SECONDS SEED answer.json

It also runs under the Python of the other libraries, where forebear is not installed.
The time is measured after all imports, once the table is loaded. A search that does
not watch the clock is ended by an alarm, and leaves no answer.
"""

from __future__ import annotations

import json
import signal
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from common.library_searches import CAUSAL_LEARN, PGMPY, PYAGRUM, PYAGRUM_TABU

if TYPE_CHECKING:
    from numpy.typing import NDArray

OURS = "forebear"
LIBRARIES = {search.name: search for search in (PGMPY, PYAGRUM, PYAGRUM_TABU, CAUSAL_LEARN)}


class Numbered(NamedTuple):
    """A table whose variables and states are named by their numbers."""

    codes: NDArray[Any]
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]


def read_numbered(path: Path | str) -> Numbered:
    """Read a table that ``write_numbered`` wrote."""
    with np.load(path) as arrays:
        codes, arities = arrays["codes"], arrays["arities"].tolist()
    names = tuple(f"X{v}" for v in range(len(codes)))
    return Numbered(codes, names, tuple(tuple(map(str, range(arity))) for arity in arities))


def write_numbered(path: Path | str, codes: NDArray[Any], arities: list[int]) -> None:
    """Write codes, one row per variable, and the number of states of each variable."""
    np.savez(path, codes=codes, arities=np.array(arities))


def learn_elsewhere(name: str, table: Numbered, seconds: float) -> dict[str, Any]:
    """Learn with another library."""
    library = LIBRARIES[name]
    search = library.prepare(table, seconds)
    if not library.watches_the_clock:
        signal.setitimer(signal.ITIMER_REAL, seconds)
    start = time.perf_counter()
    arcs = search()
    spent = time.perf_counter() - start
    signal.setitimer(signal.ITIMER_REAL, 0)
    number = {name: v for v, name in enumerate(table.names)}
    return {"seconds": spent, "arcs": [(number[a], number[b]) for a, b in arcs]}


def learn_here(table: Numbered, seconds: float, seed: int) -> dict[str, Any]:
    """Learn with forebear. Note when each score was reached, including the time of scoring."""
    forebear = import_module("forebear")
    scored_sizes = import_module("forebear.parentsets.coverage").scored_sizes
    learn, data = forebear.learn, forebear.Dataset(*table)
    heard: list[tuple[float, float]] = []

    class Heard(forebear.Watcher):  # type: ignore[misc, name-defined]
        def improved(self, improvement: Any) -> None:
            if not heard or improvement.score > heard[-1][1]:
                heard.append((time.perf_counter() - start, improvement.score))

    start = time.perf_counter()
    result = learn(
        data,
        prior="uniform",
        time_limit=seconds,
        threads=1,
        seed=seed,
        cache=False,
        watcher=Heard(),
    )
    spent = time.perf_counter() - start
    if not heard or result.score > heard[-1][1]:
        heard.append((spent, result.score))  # a proof has found it
    return {
        "seconds": spent,
        "arcs": result.network.arcs,
        # Programs that are given parent sets get all sets up to this size.
        "max_parents": int(scored_sizes(result.provenance, result.network.n_variables).min()),
        "trace": heard,
    }


def main() -> None:
    """Learn as the command line says."""
    name, table, seconds, seed, answer = sys.argv[1:]
    warnings.simplefilter("ignore")
    numbered = read_numbered(table)
    if name == OURS:
        found = learn_here(numbered, float(seconds), int(seed))
    else:
        found = learn_elsewhere(name, numbered, float(seconds))
    Path(answer).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
