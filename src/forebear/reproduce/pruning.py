"""Tables 3, 4 and 6: the parent sets that pruning leaves."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import ForebearError, Parameter
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import counted, show_seconds
from forebear.data.dataset import Dataset
from forebear.learning.score import score_parent_sets
from forebear.network.simulation import simulate_from
from forebear.reproduce import paper
from forebear.reproduce.charts import WIDTH, Axis, Panel, Series, figure_svg
from forebear.reproduce.counting import possible_sets
from forebear.reproduce.finding import Finding, Line
from forebear.scoring.job import ScoringRun, make_job
from forebear.scoring.scores import BDeu

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.reproduce.workspace import Workspace


def recovered_asia() -> Dataset:
    """Return the 50 rows behind Table 3, which the paper does not print.

    They follow from the printed scores: among all tables of 50 rows and four binary variables,
    only this one (up to renamed states) has these 32 scores.
    """
    printed = paper.tables()["table3"]
    states = ("no", "yes")
    rows = [row for row, times in printed["rows"] for _ in range(times)]
    codes = [[states.index(row[v]) for row in rows] for v in range(len(printed["columns"]))]
    return Dataset(np.array(codes), tuple(printed["columns"]), (states,) * len(codes))


def table3(workspace: Workspace) -> Finding:
    """Pruned parent sets among the 32 of four variables."""
    del workspace
    data = recovered_asia()
    sets = score_parent_sets(data, max_parents=3, threads=1)
    lines, agreed = [], 0
    for row in paper.tables()["table3"]["scores"]:
        child, parents = data.names.index(row["child"]), row["parents"]
        score = BDeu(ess=1.0).local(data, child, [data.names.index(p) for p in parents])
        kept = sets.find(row["child"], parents) is not None
        agreed += kept == row["kept"]
        key = (row["child"], f"{{{', '.join(parents)}}}", "kept" if kept else "pruned")
        lines.append(Line(key, score, row["score"]))
    pruned = len(lines) - len(sets)
    worst = max(abs(line.delta or 0.0) for line in lines)
    return Finding(
        keys=("child", "parents", "status"),
        lines=tuple(lines),
        svg=_scores_figure(lines),
        form=".3f",
        remarks=(
            f"{pruned} of {len(lines)} sets are pruned (21 in the paper); for {agreed} of "
            f"{len(lines)} sets this agrees with the paper.",
            f"All scores are within {worst:.4f} of the printed ones. The paper does not print the "
            "rows; they were derived from its scores.",
        ),
    )


def _scores_figure(lines: Sequence[Line]) -> str:
    numbered = [(float(place), line) for place, line in enumerate(lines, 1)]
    series = [
        Series(
            status,
            [(x, line.ours or 0.0) for x, line in numbered if line.of[2] == status],
            "dots",
            colour,
        )
        for status, colour in (("kept", 2), ("pruned", 5))
    ]
    names = list(dict.fromkeys(line.of[0] for line in lines))
    each = len(lines) // len(names)
    ticks = tuple((each * k + (each + 1) / 2, name) for k, name in enumerate(names))
    panel = Panel("", Axis("child, with its eight parent sets", ticks=ticks), Axis("BDeu"), series)
    return figure_svg("Table 3: the scores of 32 parent sets", [panel])


def states_seen(data: Dataset) -> Dataset:
    """Return the same rows with only the states that occur, as GOBNILP counts them."""
    seen = [np.unique(column, return_inverse=True) for column in data.codes]
    states = (tuple(own[k] for k in kept) for own, (kept, _) in zip(data.states, seen, strict=True))
    return Dataset(np.array([codes for _, codes in seen]), data.names, tuple(states))


def table4(workspace: Workspace) -> Finding:
    """Parent sets kept by rows and max_parents, for data drawn from Pathfinder."""
    printed = paper.tables()["table4"]
    network = workspace.network("pathfinder")
    lines = [
        Line(("all", str(d)), possible_sets(network.n_variables, d), total)
        for d, total in enumerate(printed["total"], 1)
    ]
    remarks = [
        "The rows are drawn from the network, because the paper's rows are not available. Only "
        "states that occur count, as in GOBNILP.",
        "The paper's totals for 2 and 3 parents differ from equation 5: they assume 109 other "
        "variables instead of 108.",
    ]
    for column, rows in enumerate(printed["rows"]):
        table = states_seen(simulate_from(network, rows, seed=workspace.seed))
        for d, kept in enumerate(printed["kept"], 1):
            workspace.say(f"pathfinder: {rows:,} rows, up to {counted(d, 'parent')}")
            ours, seconds = _count_kept(workspace, table, d)
            lines.append(Line((str(rows), str(d)), ours, kept[column], seconds))
            if ours is None:
                remarks.append(
                    f"{rows:,} rows, {counted(d, 'parent')}: not done after "
                    f"{show_seconds(seconds)}, or too large for the memory; increase the hours."
                )
    return Finding(
        keys=("rows", "max_parents"),
        lines=tuple(lines),
        svg=_kept_figure(lines),
        remarks=tuple(remarks),
    )


def _count_kept(workspace: Workspace, table: Dataset, max_parents: int) -> tuple[int | None, float]:
    """Return the number of sets kept (None if time or memory do not suffice) and the time."""
    start = time.perf_counter()
    job = make_job(table, max_parents=max_parents, threads=workspace.threads)
    run = ScoringRun(job, byte_limit=memory_bytes() - resident_bytes(), seconds=workspace.seconds)
    kept = len(run.collect()) if run.watch(None) == "done" else None
    return kept, time.perf_counter() - start


def _kept_figure(lines: Sequence[Line]) -> str:
    series = []
    for d in (1, 2, 3):
        own = [line for line in lines if line.of[1] == str(d) and line.of[0] != "all"]
        ours = [(float(line.of[0]), line.ours) for line in own if line.ours]
        theirs = [(float(line.of[0]), line.theirs) for line in own if line.theirs]
        series.append(Series(counted(d, "parent"), ours, "line", d - 1))
        series.append(Series("paper", theirs, "line", d - 1, theirs=True))
    panel = Panel("", Axis("rows", log=True), Axis("sets kept", log=True), series)
    return figure_svg("Table 4: parent sets kept, Pathfinder", [panel])


def table6(workspace: Workspace) -> Finding:
    """Parent sets kept for the paper's data."""
    there = workspace.table_names()
    lines: list[Line] = []
    remarks: list[str] = []
    for case in paper.cases().values():
        if case.name not in there:
            lines.append(Line((case.name, str(case.max_parents)), None, case.kept))
            continue
        remarks += workspace.mismatch(case)
        sets, seconds = workspace.parent_sets(case.name, case.max_parents, fresh=True)
        lines.append(Line((case.name, str(case.max_parents)), len(sets), case.kept, seconds))
    made = [line for line in lines if line.ours is not None]
    if not made:
        raise ForebearError(
            "none of the paper's data sets was found: pass the directory of "
            f"{', '.join(f'{name}.data' for name in paper.cases())}, or of some of them, as ",
            Parameter("data"),
        )
    exact = sum(line.delta == 0 for line in made)
    remarks.append(
        f"{exact} of {len(made)} agree exactly; {len(lines) - len(made)} data sets are missing."
    )
    return Finding(
        keys=("data", "max_parents"),
        lines=tuple(lines),
        svg=_cases_figure(lines),
        remarks=tuple(remarks),
    )


def _cases_figure(lines: Sequence[Line]) -> str:
    names = enumerate((line.of[0] for line in lines), 1)
    ticks = tuple((float(k), "\n".join(name.rsplit("-", 1))) for k, name in names)
    ours = [(float(k), line.ours / 1e6) for k, line in enumerate(lines, 1) if line.ours]
    theirs = [(float(k), (line.theirs or 0) / 1e6) for k, line in enumerate(lines, 1)]
    panel = Panel(
        "",
        Axis("", ticks=ticks),
        Axis("sets kept, millions"),
        [Series("forebear", ours, "bars", 0), Series("paper", theirs, "bars", 1, theirs=True)],
        width=2 * WIDTH,
    )
    return figure_svg("Table 6: parent sets kept, the paper's data", [panel])
