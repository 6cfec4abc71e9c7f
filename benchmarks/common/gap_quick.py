"""The quick form of ``gaps.py``: simulated tables, fixed generations, instruction counts."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

import instructions

from forebear import __version__, find_network, score_parent_sets, simulate

if TYPE_CHECKING:
    from pathlib import Path

    from forebear import ParentSets

FORMAT = "forebear quick gaps 1"
SEEDS = range(1, 6)


class Table(NamedTuple):
    """A simulated table, and how long it is searched."""

    variables: int
    rows: int
    max_parents: int
    generations: int
    seed: int


TABLES = (Table(30, 500, 3, 1, 11), Table(50, 1_000, 3, 2, 12), Table(80, 500, 2, 2, 13))
"""So few generations that the search has not come to its end, and a change shows."""

WORSE_GAP = 2e-4
"""A mean gap that grew by this share of the score fails. Judgement: five seeds of unfinished
searches vary more than ten of finished ones."""

WORSE_COUNT = 0.10
"""Instructions more than recorded that fail, as a share: compilers differ by some percent. On one
machine, ``instructions.py`` sees 1 %."""


def measure() -> dict[str, Any]:
    """Measure everything. The same version gives the same scores on every machine."""
    found: dict[str, Any] = {}
    for table in TABLES:
        made = simulate(table.variables, table.rows, max_parents=3, seed=table.seed)
        sets = score_parent_sets(made.data, max_parents=table.max_parents, threads=1)
        scores = [_search(sets, table.generations, seed) for seed in SEEDS]
        name = f"{table.variables} variables, {table.rows:,} rows, {table.max_parents} parents"
        found[name] = {"sets": len(sets), "scores": scores, "best": _best(sets)}
    if shutil.which("valgrind"):
        found["instructions"] = instructions.measure(instructions.countable_kernels()[-1])
    return found


def _search(sets: ParentSets, generations: int, seed: int) -> float:
    return find_network(sets, generations=generations, certify=False, threads=1, seed=seed).score


def _best(sets: ParentSets) -> float:
    """Return the best of longer searches."""
    return max(_search(sets, 60, seed) for seed in (98, 99))


def compare(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Say what is worse than recorded."""
    worse = []
    for name, own in new.items():
        before = old.get(name)
        if before is None:
            continue
        if name == "instructions":
            worse += instructions.grown(before, own, WORSE_COUNT)
        elif before["sets"] != own["sets"]:
            worse.append(f"{name}: {own['sets']:,} parent sets, were {before['sets']:,}")
        else:
            best = max(before["best"], own["best"])
            gap, was = _gap(own["scores"], best), _gap(before["scores"], best)
            if gap > was + WORSE_GAP:
                worse.append(f"{name}: mean gap {gap:.4%}, was {was:.4%}")
    return worse


def _gap(scores: list[float], best: float) -> float:
    return sum(best - score for score in scores) / len(scores) / abs(best)


def quick(path: Path, *, update: bool) -> int:
    """Measure, compare with the recorded figures, and return the exit code."""
    new = measure()
    for name, own in new.items():
        if name == "instructions":
            print("\n".join(f"{job}: {count:,.0f} instructions" for job, count in own.items()))
        else:
            print(f"{name}: mean gap {_gap(own['scores'], own['best']):.4%}")
    if update:
        content = {"format": FORMAT, "forebear": __version__, "measured": new}
        path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
        return 0
    recorded = json.loads(path.read_text("utf-8"))
    if recorded.get("format") != FORMAT:
        raise SystemExit(f"{path}: this is no record of the quick form")
    worse = compare(recorded["measured"], new)
    print("\n".join(worse) if worse else f"nothing worse than {recorded['forebear']}")
    return 1 if worse else 0
