"""Figures of ``gaps.py``: per problem, per release, and what became worse. Needs nothing else."""

from __future__ import annotations

import json
import math
import statistics
from typing import TYPE_CHECKING, Any

from common.gap_runs import ROUNDED, use_source

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from common.gap_runs import Run
    from common.library import Problem

FORMAT = "forebear gaps 1"
Table = dict[str, dict[str, Any]]
"""Figures by problem."""

WORSE_GAP = 2e-5
"""A mean gap that grew by more than this share of the score is a regression. Judgement: a fifth of
what counts as near, well above the last digits and below what a user would notice."""

WORSE_GENERATIONS = 1.5
"""More generations until the gap is small, by this factor: ten seeds vary by less than this around
their mean only where they are many, so it is a hint and is reported as one."""


def is_optimal(problem: Problem) -> bool:
    """Whether the best known score is proven to be the best."""
    return problem.bound is not None and problem.bound - problem.best < 1e-8 * abs(problem.best)


def summarize(runs: Sequence[Run], problems: Mapping[str, Problem]) -> Table:
    """Gather the figures of every problem."""
    table: Table = {}
    for key, problem in problems.items():
        own = sorted((run for run in runs if run.key == key), key=lambda run: run.seed)
        scores = [run.score for run in own]
        gaps = [_gap(problem.best, score) for score in scores]
        near = [run.near for run in own if run.near is not None]
        table[key] = {
            "seeds": len(own),
            "gap": statistics.fmean(gaps),
            "worst_gap": max(gaps),
            "at_best": sum(gap <= 0.0 for gap in gaps),
            "best": max(scores),
            "best_known": problem.best,
            "bound_gap": None
            if problem.bound is None
            else statistics.fmean(max(0.0, problem.bound - s) / abs(s) for s in scores),
            "near": len(near),
            "near_generations": statistics.median(g for g, _ in near) if near else None,
            "near_seconds": statistics.median(s for _, s in near) if near else None,
            "generations": statistics.fmean(run.generations for run in own),
            "seconds": statistics.fmean(run.seconds for run in own),
        }
    return table


def _gap(best: float, score: float) -> float:
    """Return the gap as a share of the score: below 0 for a new best, 0 if they are rounded."""
    return 0.0 if abs(best - score) < ROUNDED else (best - score) / abs(best)


def lines_of(table: Table) -> list[str]:
    """Show a run as a Markdown table, one line per problem."""
    lines = [
        "| problem | mean gap | worst | to the bound | at best | near after | generations | CPU |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for key, own in table.items():
        bound = "" if own["bound_gap"] is None else f"{own['bound_gap']:.4%}"
        near = f"{own['near']} of {own['seeds']}"
        if own["near_seconds"] is not None:
            near = f"{own['near_seconds']:.1f} s, {own['near_generations']:.0f} gen. ({near})"
        new = " (new best)" if own["gap"] < 0 or own["best"] > own["best_known"] + 1e-3 else ""
        lines.append(
            f"| {key} | {own['gap']:.4%}{new} | {own['worst_gap']:.4%} | {bound} "
            f"| {own['at_best']} of {own['seeds']} | {near} "
            f"| {own['generations']:.0f} | {own['seconds']:.1f} s |"
        )
    return [*lines, "| " + " | ".join(_overall(table)) + " |"]


def _overall(table: Table) -> list[str]:
    """Return the means over all problems, in the columns of the table."""
    bounds = [own["bound_gap"] for own in table.values() if own["bound_gap"] is not None]
    times = [own["near_seconds"] for own in table.values() if own["near_seconds"]]
    mean = math.exp(statistics.fmean(map(math.log, times))) if times else math.nan
    near, at_best, seeds = (
        sum(own[k] for own in table.values()) for k in ("near", "at_best", "seeds")
    )
    return [
        "**all**",
        f"{statistics.fmean(own['gap'] for own in table.values()):.4%}",
        f"{max(own['worst_gap'] for own in table.values()):.4%}",
        f"{statistics.fmean(bounds):.4%}" if bounds else "",
        f"{at_best} of {seeds}",
        f"{mean:.1f} s, geometric mean ({near} of {seeds})",
        "",
        f"{sum(own['seconds'] * own['seeds'] for own in table.values()) / 60:.0f} min",
    ]


def regressions(before: dict[str, Any], now: Table, *, same: bool = True) -> list[str]:
    """Say what is worse than in a release; runs of other lengths cannot be compared."""
    if not same:
        return []
    worse = []
    for key, own in now.items():
        old = before["table"].get(key)
        if old is None or old["seeds"] != own["seeds"]:
            continue
        # A better network found meanwhile moves the best known, not the search.
        moved = (own["best_known"] - old["best_known"]) / abs(own["best_known"])
        if own["gap"] > old["gap"] + moved + WORSE_GAP:
            worse.append(f"{key}: mean gap {own['gap']:.4%}, was {old['gap'] + moved:.4%}")
        if old["near"] > own["near"]:
            worse.append(f"{key}: {own['near']} seeds come near, {old['near']} did")
        elif own["near"] and own["near_generations"] > WORSE_GENERATIONS * old["near_generations"]:
            worse.append(
                f"{key}: near after {own['near_generations']:.0f} generations, "
                f"was {old['near_generations']:.0f}"
            )
    return worse


def write_run(path: Path, table: Table, options: argparse.Namespace) -> None:
    """Write a run as JSON."""
    use_source(options.source)
    from forebear import __version__

    settings = {name: getattr(options, name) for name in ("seeds", "first_seed", "scale", "jobs")}
    content = {"format": FORMAT, "forebear": __version__, "settings": settings, "table": table}
    path.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def read_releases(path: Path) -> list[dict[str, Any]]:
    """Read the recorded releases, oldest first."""
    if not path.is_file():
        return []
    content = json.loads(path.read_text("utf-8"))
    if content.get("format") != FORMAT:
        raise SystemExit(f"{path}: this is no list of releases")
    releases: list[dict[str, Any]] = content["releases"]
    return releases


def record(run: dict[str, Any], release: str, results: Path) -> None:
    """Add a run to the releases, in place of an earlier one of the same, and write the page."""
    if run.get("format") != FORMAT or run["settings"]["scale"] != 1.0:
        raise SystemExit("only a full run (--scale 1) that --json wrote can be recorded")
    path = results / "gaps.json"
    releases = [one for one in read_releases(path) if one["release"] != release]
    worse = regressions(releases[-1], run["table"]) if releases else []
    releases.append({"release": release, "settings": run["settings"], "table": run["table"]})
    path.write_text(json.dumps({"format": FORMAT, "releases": releases}, indent=1) + "\n", "utf-8")
    (results / "gaps.md").write_text("\n".join(page(releases)) + "\n", "utf-8")
    print("\n".join([*lines_of(run["table"]), *worse]))


def page(releases: Sequence[dict[str, Any]]) -> list[str]:
    """Return the page of all releases: one row each, then the last one in full."""
    lines = [
        "# Gaps, release by release",
        "",
        "How far from the best known networks does the search end? One row per release, over the "
        "problems of `benchmarks/instances` with fixed parent sets; ten seeds, one thread, a fixed "
        "number of generations. This page is written by `benchmarks/gaps.py --record`.",
        "",
        "| release | problems | mean gap | worst | to the bound | at best | near after | CPU |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in releases:
        _, gap, worst, bound, at_best, near, _, cpu = _overall(one["table"])
        cells = [one["release"], str(len(one["table"])), gap, worst, bound, at_best, near, cpu]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        'A gap is a share of the score. "At best" counts searches that end at the best known '
        'score. "Near" means that the gap is at most 0.01 %: how many come near, and after how '
        "long (median). Scores and generations are the same on every machine; times are of the "
        "machine of that run.",
        "",
        f"## {releases[-1]['release']}",
        "",
        *lines_of(releases[-1]["table"]),
    ]
    if len(releases) > 1:
        worse = regressions(releases[-2], releases[-1]["table"])
        lines += ["", f"Worse than {releases[-2]['release']}: {'; '.join(worse) or 'nothing'}."]
    return lines
