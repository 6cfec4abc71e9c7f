"""Scores over time of MINOBS and PS-MINOBS: Tables 7 to 15, Appendix A, Figures 5 and B.1."""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import printed
from charts import Panel, Series, figure_svg
from comparison import Comparison, Line
from printed import ALONE, BEST, HOURS, SETTINGS, Who
from workspace import mismatch, report

from forebear import MINOBS, PSMINOBS, ForebearError, MaxSeconds, score_parent_sets
from forebear._util.text import counted, show_seconds
from forebear.search.runner import Runner, run
from forebear.search.space import SearchSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from printed import Case, Courses
    from workspace import Workspace

    from forebear.search.runner import Outcome
    from forebear.search.trace import Trace

PLAIN = (100, 1)
"""MINOBS is PS-MINOBS with one sample that contains everything: rate in percent, samples."""


@dataclass(frozen=True)
class Searched:
    """The searches of one data set.

    ``courses`` are the scores of every chain over time, ``mean_parents`` the mean number of
    parents in the best network by rate, and ``seconds`` the times by rate. ``bound`` is the sum
    of the best local scores, which no network exceeds.
    """

    courses: Courses
    mean_parents: dict[int, float]
    bound: float
    seconds: dict[int, float]
    remarks: tuple[str, ...]


@cache
def search_case(workspace: Workspace, case: Case) -> Searched:
    """Run MINOBS and PS-MINOBS as in the paper, once for all tables and figures.

    Every chain gets as much time as if it had a core of its own: with fewer cores than chains,
    the search takes longer. Populations are as published, and samples are not widened.
    """
    table = workspace.table(case.name)
    sets = score_parent_sets(table, max_parents=case.max_parents, threads=workspace.threads)
    space = SearchSpace(sets)
    courses: Courses = {}
    mean_parents: dict[int, float] = {}
    seconds: dict[int, float] = {}
    for rate, samples in (PLAIN, *SETTINGS):
        together = min(workspace.threads, samples)
        limit = workspace.seconds * samples / together
        report(f"{case.name}: {counted(samples, 'sample')} of {rate} %, {show_seconds(limit)}")
        algorithm = PSMINOBS(samples, rate / 100, widen=False, minobs=MINOBS("published"))
        outcome = _run(algorithm, space, limit, together, workspace.seed)
        for number in range(1, samples + 1):
            who = Who(0, ALONE) if samples == 1 else Who(rate, f"S{number}")
            courses[who] = course_of(outcome.trace, number, limit)
        mean_parents[rate] = _mean_parents(outcome.winner)
        seconds[rate] = outcome.seconds
    bound = float(sets.scores[sets.offsets[:-1]].sum())
    return Searched(printed.with_best(courses), mean_parents, bound, seconds, mismatch(table, case))


def _run(algorithm: PSMINOBS, space: SearchSpace, limit: float, threads: int, seed: int) -> Outcome:
    """Search within the limit, which as in Algorithm 2 does not include drawing the samples."""
    seeds = np.random.SeedSequence(seed).spawn(algorithm.chains)
    chains = [algorithm.chain(space, number, own) for number, own in enumerate(seeds, 1)]
    started = time.perf_counter()
    runners = [Runner(number, chain, started) for number, chain in enumerate(chains, 1)]
    outcome = run(runners, stop=MaxSeconds(limit), threads=threads)
    if outcome.stop_reason == "interrupted":
        raise KeyboardInterrupt  # an incomplete search is not a reproduction
    return outcome


def _mean_parents(winner: Runner) -> float:
    """Return the mean number of parents in the network that a chain found."""
    if winner.best is None:
        raise AssertionError("a search has at least one order")
    return statistics.mean(map(len, winner.best.parents))


def course_of(trace: Trace, chain: int, limit: float) -> tuple[float, ...]:
    """Return the score of a chain after each eighth of the time; minus infinity if none yet."""
    steps = trace.of(chain)
    marks = [limit * hours / HOURS[-1] for hours in HOURS[:-1]]
    # Improvements that were under way at the end count.
    return tuple(
        max((step.score for step in steps if step.seconds <= mark), default=-math.inf)
        for mark in (*marks, math.inf)
    )


def delta_table(workspace: Workspace, data: str) -> Comparison:
    """Compare the gain in score of PS-MINOBS over MINOBS, in per mille: Tables 7 to 15."""
    return _over_time(workspace, data, printed.deltas, "+.3f")


def score_table(workspace: Workspace, data: str) -> Comparison:
    """Compare the scores over time: Appendix A."""
    return _over_time(workspace, data, lambda courses: courses, ",.1f")


def _over_time(
    workspace: Workspace, data: str, measure: Callable[[Courses], Courses], number_format: str
) -> Comparison:
    """Compare all chains at all times; the last numbers of the best chains are printed."""
    case = printed.cases()[data]
    searched = search_case(workspace, case)
    ours = measure(searched.courses)
    lines = []
    for who, course in measure(printed.scores(data)).items():
        for place, hours in enumerate(HOURS):
            value = ours[who][place]
            lines.append(
                Line(
                    (f"{who.rate} %" if who.rate else "all", who.chain, f"{hours:g}"),
                    value if math.isfinite(value) else None,
                    course[place],
                    searched.seconds[who.rate or PLAIN[0]],
                    who.chain in (BEST, ALONE) and hours == HOURS[-1],
                )
            )
    remarks = tuple(_remarks(workspace, case, searched))
    return Comparison(("rate", "chain", "hours"), lines, number_format, remarks)


def _remarks(workspace: Workspace, case: Case, searched: Searched) -> Iterator[str]:
    yield from searched.remarks
    yield (
        f"The paper's four hours correspond to {workspace.hours:g} h here, for each chain on its "
        f"own core; {counted(workspace.threads, 'chain')} ran at a time."
    )
    if case.lost_digit:
        minobs = printed.scores(case.name)[Who(0, ALONE)][-1] / 10
        yield (
            f"The paper prints {minobs:,.1f} for MINOBS, but no network exceeds "
            f"{searched.bound:,.1f}, the sum of the best local scores: the paper's scores of this "
            "data set are multiplied by ten."
        )


def figure5(workspace: Workspace) -> Comparison:
    """Draw the median gain by time (a) and by setting (b), and the number of gains (c)."""
    cases = [case for name, case in printed.cases().items() if name in workspace.tables()]
    if not cases:
        raise ForebearError(
            "none of the paper's data sets was found: pass their directory as --data"
        )
    ours = [printed.deltas(search_case(workspace, case).courses) for case in cases]
    theirs = [printed.deltas(printed.scores(case.name)) for case in cases]
    all_nine = [printed.deltas(printed.scores(name)) for name in printed.cases()]
    settings = [f"{rate} %, m = {samples}" for rate, samples in SETTINGS]
    marks = {"a": [f"{hours:g} h" for hours in HOURS], "b": settings, "c": settings}
    lines, panels = [], []
    for letter, names in marks.items():
        own = []
        for place, name in enumerate(names):
            mine, same, nine = (_summary(letter, place, data) for data in (ours, theirs, all_nine))
            own.append(Line((letter, name, "same data sets"), mine, same))
            lines.append(own[-1])
            lines.append(Line((letter, name, "all nine data sets"), None, nine, shown=False))
        panels.append(_figure5_panel(letter, own))
    return Comparison(
        columns=("panel", "at", "paper's data"),
        lines=lines,
        number_format=".3f",
        remarks=(
            f"Both numbers are for {', '.join(case.name for case in cases)}. The paper's figure is "
            "for nine data sets; its numbers, from Appendix A, are in the file.",
            "Panels a and b show medians of the gain in per mille; panel c counts gains.",
            f"The paper's four hours correspond to {workspace.hours:g} h here.",
        ),
        svg=figure_svg("Figure 5: PS-MINOBS compared with MINOBS", panels),
    )


def _summary(panel: str, place: int, data: Sequence[Courses]) -> float | None:
    """Return one number of Figure 5: a median over data sets and settings or times, or a count."""
    if panel == "a":
        gains = [d[Who(rate, BEST)][place] for d in data for rate, _ in SETTINGS]
    else:
        gains = [gain for d in data for gain in d[Who(SETTINGS[place][0], BEST)]]
    finite = [gain for gain in gains if math.isfinite(gain)]
    if panel == "c":
        return float(sum(gain > 0 for gain in finite))
    return statistics.median(finite) if finite else None


def _figure5_panel(letter: str, lines: Sequence[Line]) -> Panel:
    ticks = [(float(k), line.key[1].replace(", ", "\n")) for k, line in enumerate(lines)]
    label = "number of gains over MINOBS" if letter == "c" else "median gain, ‰"
    series = _both(range(len(lines)), lines, bars=letter != "a")
    return Panel(f"5{letter}", "", label, series, ticks)


def _both(places: Sequence[float], lines: Sequence[Line], *, bars: bool = False) -> list[Series]:
    """Return our numbers and the paper's, where they are known, as series of a chart."""
    columns = {"forebear": [line.ours for line in lines], "paper": [line.theirs for line in lines]}
    series = []
    for colour, (name, values) in enumerate(columns.items()):
        points = [(x, y) for x, y in zip(places, values, strict=True) if y is not None]
        series.append(Series(name, points, bars, colour, theirs=name == "paper"))
    return series


def figureb1(workspace: Workspace) -> Comparison:
    """Draw the gain and the density by sampling rate, for Pumsb-star-test."""
    case = printed.cases()["pumsb-star-test"]
    searched = search_case(workspace, case)
    ours, theirs = printed.deltas(searched.courses), printed.deltas(printed.scores(case.name))
    rates = [rate for rate, _ in SETTINGS]
    gain, density = "gain, per mille", "mean number of parents"
    gains = [
        Line((gain, f"{rate} %"), ours[Who(rate, BEST)][-1], theirs[Who(rate, BEST)][-1])
        for rate in rates
    ]
    every_rate = [*rates, PLAIN[0]]
    parents = [Line((density, f"{rate} %"), searched.mean_parents[rate]) for rate in every_rate]
    panels = [
        Panel(gain, "sampling rate, %", gain, _both(rates, gains)),
        Panel(density, "sampling rate, %", density, _both(every_rate, parents)),
    ]
    return Comparison(
        columns=("what", "rate"),
        lines=[*gains, *parents],
        number_format=".3f",
        remarks=(
            "The paper shows numbers of parents only in the figure; 100 % is MINOBS.",
            *_remarks(workspace, case, searched),
        ),
        svg=figure_svg("Figure B.1: Pumsb-star-test by sampling rate", panels),
    )
