"""What pruning leaves: Tables 3, 4 and 6."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from forebear._util.errors import ForebearError
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import show_seconds
from forebear.data.dataset import Dataset
from forebear.learning.score import score_parent_sets
from forebear.network.simulation import simulate_from
from forebear.reproduce import paper
from forebear.reproduce.charts import WIDTH, Axis, Panel, Series, figure_svg
from forebear.reproduce.counting import candidate_sets
from forebear.reproduce.finding import Finding, Line
from forebear.scoring.job import ScoringRun, make_job
from forebear.scoring.scores import BDeu

if TYPE_CHECKING:
    from collections.abc import Sequence

    from forebear.reproduce.workspace import Workspace


def recovered_asia() -> Dataset:
    """The 50 rows behind Table 3, which the paper does not print.

    Scores tell counts: of all tables of 50 rows over four binary variables only
    this one, and the same with states renamed, has the 32 scores printed.
    """
    printed = paper.tables()["table3"]
    states = ("no", "yes")
    rows = [row for row, times in printed["rows"] for _ in range(times)]
    codes = [[states.index(row[v]) for row in rows] for v in range(len(printed["columns"]))]
    return Dataset(np.array(codes), tuple(printed["columns"]), (states,) * len(codes))


def table3(workspace: Workspace) -> Finding:
    """Which of the 32 parent sets of four variables are pruned."""
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
        keys=("child", "parents", "fate"),
        lines=tuple(lines),
        svg=_scores_figure(lines),
        form=".3f",
        remarks=(
            f"{pruned} of {len(lines)} sets are pruned (in the paper 21); {agreed} of "
            f"{len(lines)} fates agree.",
            f"No score is farther than {worst:.4f} from the one printed: the rows are those "
            "that the printed scores tell, since the paper does not print them.",
        ),
    )


def _scores_figure(lines: Sequence[Line]) -> str:
    numbered = [(float(place), line) for place, line in enumerate(lines, 1)]
    series = [
        Series(
            fate, [(x, line.ours or 0.0) for x, line in numbered if line.of[2] == fate], "dots", c
        )
        for fate, c in (("kept", 2), ("pruned", 5))
    ]
    names = list(dict.fromkeys(line.of[0] for line in lines))
    each = len(lines) // len(names)
    ticks = tuple((each * k + (each + 1) / 2, name) for k, name in enumerate(names))
    panel = Panel("", Axis("child, and its eight parent sets", ticks=ticks), Axis("BDeu"), series)
    return figure_svg("Table 3: the scores of 32 parent sets", [panel])


def states_seen(data: Dataset) -> Dataset:
    """The same rows, with only the states that occur in them, as GOBNILP has it."""
    seen = [np.unique(column, return_inverse=True) for column in data.codes]
    states = (tuple(own[k] for k in kept) for own, (kept, _) in zip(data.states, seen, strict=True))
    return Dataset(np.array([codes for _, codes in seen]), data.names, tuple(states))


def table4(workspace: Workspace) -> Finding:
    """How many sets are kept, by sample size and in-degree, on data drawn from Pathfinder."""
    printed = paper.tables()["table4"]
    network = workspace.network("pathfinder")
    lines = [
        Line(("all", str(d)), candidate_sets(network.n_variables, d), total)
        for d, total in enumerate(printed["total"], 1)
    ]
    remarks = [
        "The rows are drawn from the network: the paper's own are not to be had. Only states "
        "that occur count, as GOBNILP has it.",
        "The paper's totals for 2 and 3 parents do not follow from equation 5, but from "
        "choosing among 109 other variables where there are 108.",
    ]
    for column, rows in enumerate(printed["rows"]):
        table = states_seen(simulate_from(network, rows, seed=workspace.seed))
        for d, kept in enumerate(printed["kept"], 1):
            workspace.say(f"pathfinder: {rows:,} rows, up to {d} parents")
            ours, seconds = _count_kept(workspace, table, d)
            lines.append(Line((str(rows), str(d)), ours, kept[column], seconds))
            if ours is None:
                remarks.append(
                    f"{rows:,} rows, {d} parents: not done after {show_seconds(seconds)}, or too "
                    "large for the memory; allow more time with --hours."
                )
    return Finding(
        keys=("rows", "in-degree"),
        lines=tuple(lines),
        svg=_kept_figure(lines),
        remarks=tuple(remarks),
    )


def _count_kept(workspace: Workspace, table: Dataset, max_parents: int) -> tuple[int | None, float]:
    """Count the sets kept, unless that takes longer than a search may; tell how long it took."""
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
        series.append(Series(f"{d} parents", ours, "line", d - 1))
        series.append(Series("the paper", theirs, "line", d - 1, theirs=True))
    panel = Panel("", Axis("rows", log=True), Axis("sets kept", log=True), series)
    return figure_svg("Table 4: sets kept of Pathfinder data", [panel])


def table6(workspace: Workspace) -> Finding:
    """How many sets of the paper's data are kept."""
    there = workspace.table_names()
    lines: list[Line] = []
    remarks: list[str] = []
    for case in paper.cases().values():
        if case.name not in there:
            lines.append(Line((case.name, str(case.max_parents)), None, case.kept))
            continue
        remarks += workspace.mismatch(case)
        sets, seconds = workspace.parent_sets(case.name, case.max_parents, anew=True)
        lines.append(Line((case.name, str(case.max_parents)), len(sets), case.kept, seconds))
    made = [line for line in lines if line.ours is not None]
    if not made:
        raise ForebearError(
            "none of the paper's data are there: give the directory that holds "
            f"{', '.join(f'{name}.data' for name in paper.cases())}, or some of them, with --data"
        )
    exact = sum(line.delta == 0 for line in made)
    remarks.append(f"{exact} of {len(made)} agree exactly; {len(lines) - len(made)} are not there.")
    return Finding(
        keys=("data", "in-degree"),
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
        [Series("ours", ours, "bars", 0), Series("the paper", theirs, "bars", 1, theirs=True)],
        width=2 * WIDTH,
    )
    return figure_svg("Table 6: parent sets kept of the paper's data", [panel])
