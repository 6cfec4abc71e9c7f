"""Tables 2, 3, 4 and 6, and Figures 1 and 3: parent sets that are possible, kept and sampled."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

import numpy as np
import printed
from charts import Panel, Series, figure_svg
from comparison import Comparison, Line
from workspace import mismatch, report

from forebear import BDeu, Dataset, ForebearError, _core, score_parent_sets
from forebear._util.machine import memory_bytes, resident_bytes
from forebear._util.text import counted, show_seconds
from forebear.network.simulation import simulate_from
from forebear.scoring.job import ScoringRun, make_job
from forebear.search.sampling import sample_ranks

if TYPE_CHECKING:
    from workspace import Workspace


def possible_sets(variables: int, max_parents: int) -> int:
    """Return the number of possible parent sets of all variables (equation 5)."""
    return variables * sum(math.comb(variables - 1, k) for k in range(max_parents + 1))


def table2(workspace: Workspace) -> Comparison:
    """Compare the numbers of possible parent sets."""
    del workspace
    lines = [
        Line((str(row["variables"]), str(d)), possible_sets(row["variables"], d), value)
        for row in printed.tables()["table2"]
        for d, value in enumerate(row["sets"], 1)
    ]
    misprints = [line for line in lines if not _as_printed(line)]
    agreeing = len(lines) - len(misprints)
    return Comparison(
        columns=("variables", "max_parents"),
        lines=lines,
        number_format=".3e",
        remarks=(
            f"{agreeing} of {len(lines)} numbers agree to the three digits printed.",
            *(
                f"{line.key[0]} variables, {counted(int(line.key[1]), 'parent')}: the paper prints "
                f"{line.theirs:.2e} for {line.ours:,}."
                for line in misprints
            ),
        ),
    )


def _as_printed(line: Line) -> bool:
    """Return whether the numbers agree to three digits; a tie may be rounded either way."""
    unit = 10.0 ** (math.floor(math.log10(line.theirs or 1.0)) - 2)
    return abs(line.difference or 0.0) <= unit / 2


def recovered_asia() -> Dataset:
    """Return the 50 rows behind Table 3, which the paper does not print.

    They follow from the printed scores: among all tables of 50 rows and four binary variables,
    only this one (up to renamed states) has these 32 scores.
    """
    table = printed.tables()["table3"]
    states = ("no", "yes")
    rows = [row for row, times in table["rows"] for _ in range(times)]
    codes = [[states.index(row[v]) for row in rows] for v in range(len(table["columns"]))]
    return Dataset(np.array(codes), tuple(table["columns"]), (states,) * len(codes))


def table3(workspace: Workspace) -> Comparison:
    """Compare the scores of 32 parent sets of four variables, and which are pruned."""
    del workspace
    data = recovered_asia()
    sets = score_parent_sets(data, max_parents=3, threads=1)
    lines, agreeing = [], 0
    for row in printed.tables()["table3"]["scores"]:
        child, parents = data.names.index(row["child"]), row["parents"]
        score = BDeu(ess=1.0).local(data, child, [data.names.index(p) for p in parents])
        kept = sets.find(row["child"], parents) is not None
        agreeing += kept == row["kept"]
        key = (row["child"], f"{{{', '.join(parents)}}}", "kept" if kept else "pruned")
        lines.append(Line(key, score, row["score"]))
    worst = max(abs(line.difference or 0.0) for line in lines)
    return Comparison(
        columns=("child", "parents", "status"),
        lines=lines,
        number_format=".3f",
        remarks=(
            f"{len(lines) - len(sets)} of {len(lines)} sets are pruned (21 in the paper); for "
            f"{agreeing} of {len(lines)} sets this agrees with the paper.",
            f"All scores are within {worst:.4f} of the printed ones. The paper does not print the "
            "rows; they were derived from its scores.",
        ),
    )


def states_seen(data: Dataset) -> Dataset:
    """Return the same rows with only the states that occur, as GOBNILP counts them."""
    seen = [np.unique(column, return_inverse=True) for column in data.codes]
    states = (tuple(own[k] for k in kept) for own, (kept, _) in zip(data.states, seen, strict=True))
    return Dataset(np.array([codes for _, codes in seen]), data.names, tuple(states))


def table4(workspace: Workspace) -> Comparison:
    """Compare the parent sets kept by rows and max_parents, for data drawn from Pathfinder."""
    table = printed.tables()["table4"]
    network = workspace.network("pathfinder")
    lines = [
        Line(("all", str(d)), possible_sets(network.n_variables, d), total)
        for d, total in enumerate(table["total"], 1)
    ]
    remarks = [
        "The rows are drawn from the network, because the paper's rows are not available. Only "
        "states that occur count, as in GOBNILP.",
        "The paper's totals for 2 and 3 parents differ from equation 5: they assume 109 other "
        "variables instead of 108.",
    ]
    for column, rows in enumerate(table["rows"]):
        data = states_seen(simulate_from(network, rows, seed=workspace.seed))
        for d, kept in enumerate(table["kept"], 1):
            report(f"pathfinder: {rows:,} rows, up to {counted(d, 'parent')}")
            ours, seconds = _count_kept(workspace, data, d)
            lines.append(Line((str(rows), str(d)), ours, kept[column], seconds))
            if ours is None:
                remarks.append(
                    f"{rows:,} rows, {counted(d, 'parent')}: takes longer than "
                    f"{show_seconds(workspace.seconds)} or more than the memory; increase --hours."
                )
    return Comparison(("rows", "max_parents"), lines, remarks=remarks)


def _count_kept(workspace: Workspace, data: Dataset, max_parents: int) -> tuple[int | None, float]:
    """Return the number of sets kept (None if time or memory do not suffice) and the time."""
    start = time.perf_counter()
    job = make_job(data, max_parents=max_parents, threads=workspace.threads)
    # Unlike score_parent_sets, a run does not refuse what is only predicted to take too long.
    budget = _core.Budget(workspace.seconds)
    run = ScoringRun(job, byte_limit=memory_bytes() - resident_bytes(), budget=budget)
    kept = len(run.collect()) if run.watch(None) == "done" else None
    return kept, time.perf_counter() - start


def table6(workspace: Workspace) -> Comparison:
    """Compare the parent sets kept for the paper's data."""
    found = workspace.tables()
    lines: list[Line] = []
    remarks: list[str] = []
    for name, case in printed.cases().items():
        key = (name, str(case.max_parents))
        if name not in found:
            lines.append(Line(key, None, case.kept))
            continue
        report(f"{name}: scoring")
        table, start = workspace.table(name), time.perf_counter()
        remarks += mismatch(table, case)
        kept = len(
            score_parent_sets(table, max_parents=case.max_parents, threads=workspace.threads)
        )
        lines.append(Line(key, kept, case.kept, time.perf_counter() - start))
    scored = [line for line in lines if line.ours is not None]
    if not scored:
        raise ForebearError(
            "none of the paper's data sets was found: pass the directory of "
            f"{', '.join(f'{name}.data' for name in printed.cases())}, or of some of them, as "
            "--data"
        )
    exact = sum(line.difference == 0 for line in scored)
    remarks.append(
        f"{exact} of {len(scored)} agree exactly; {len(lines) - len(scored)} data sets are missing."
    )
    return Comparison(("data", "max_parents"), lines, remarks=remarks)


FIGURE1_CHAINS = (10, 100, 1_000, 10_000, 100_000)


def sampling_rate(variables: int, chains: int) -> float:
    """Return the rate at which the samples have as many combinations as all sets (equation 10)."""
    return float(chains ** (-1.0 / variables))


def figure1(workspace: Workspace) -> Comparison:
    """Draw the sampling rate at which m samples have as many combinations as all parent sets."""
    del workspace
    lines, series = [], []
    for colour, m in enumerate(FIGURE1_CHAINS):
        rates = {n: 100 * sampling_rate(n, m) for n in range(100, 1001, 10)}
        series.append(Series(f"m = {m:,}", list(rates.items()), colour=colour))
        for n in range(100, 1001, 100):
            # The text gives one number: about 98 % for up to ten chains.
            quoted = 98.0 if (m, n) == (10, 100) else None
            lines.append(Line((str(m), str(n)), rates[n], quoted, shown=n in (100, 1000)))
    panel = Panel("", "variables n", "sampling rate p, %", series)
    return Comparison(
        columns=("chains m", "variables n"),
        lines=lines,
        number_format=".2f",
        remarks=("The paper shows the figure without numbers; the text gives one of them.",),
        svg=figure_svg("Figure 1: rate p at which m samples have all combinations", [panel]),
    )


FIGURE3_SETS, FIGURE3_RATE, FIGURE3_BIN = 10_000, 0.2, 250


def figure3(workspace: Workspace) -> Comparison:
    """Draw the two sampling strategies, for a variable with 10,000 parent sets."""
    counts = np.array([FIGURE3_SETS])
    generators = {"first ranks": None, "half-normal": np.random.default_rng(workspace.seed)}
    edges = np.arange(0, FIGURE3_SETS + 1, FIGURE3_BIN)
    lines, panels = [], []
    for letter, (strategy, generator) in zip("ab", generators.items(), strict=True):
        [ranks] = sample_ranks(counts, FIGURE3_RATE, generator)
        sampled = np.histogram(ranks, edges)[0].tolist()
        bins = list(zip(edges[:-1].tolist(), sampled, strict=True))
        for low, count in bins:
            key = (strategy, f"{low + 1}-{low + FIGURE3_BIN}")
            lines.append(Line(key, count, shown=low % 1000 == 0 and low < 5000))
        bars = Series("", [(low + FIGURE3_BIN / 2, count) for low, count in bins], bars=True)
        label = f"sampled sets per {FIGURE3_BIN} ranks"
        panels.append(Panel(f"3{letter}: {strategy}", "rank", label, [bars]))
    return Comparison(
        columns=("strategy", "ranks"),
        lines=lines,
        remarks=(
            "The paper shows the figure without numbers. Ranks are distinct, and the best and "
            "the empty set are always in the sample.",
        ),
        svg=figure_svg("Figure 3: 20 % of 10,000 parent sets, sampled by two strategies", panels),
    )
