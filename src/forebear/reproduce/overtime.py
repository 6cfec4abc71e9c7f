"""Scores over time: Tables 7 to 15, Appendix A, Figures 5 and B.1."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError, Parameter
from forebear._util.text import counted
from forebear.reproduce import paper
from forebear.reproduce.charts import WIDTH, Axis, Panel, Series, figure_svg
from forebear.reproduce.finding import Finding, Line
from forebear.reproduce.paper import BEST, HOURS, SETTINGS, Who
from forebear.reproduce.searching import PLAIN, search_case

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from forebear.reproduce.paper import Case
    from forebear.reproduce.searching import Searched
    from forebear.reproduce.workspace import Workspace

Courses = dict[Who, tuple[float, ...]]


def delta_table(workspace: Workspace, data: str) -> Finding:
    """Tables 7 to 15: gain in score of PS-MINOBS over MINOBS, in per mille."""
    case = paper.cases()[data]
    searched = search_case(workspace, case)
    ours, theirs = paper.deltas(searched.courses), paper.deltas(paper.scores(data))
    return Finding(
        keys=("rate", "chain", "hours"),
        lines=tuple(_lines(ours, theirs, searched)),
        svg=_courses_figure(f"{data}: gain over MINOBS", "per mille of the score", ours, theirs),
        form="+.3f",
        remarks=(*workspace.mismatch(case), *_remarks(workspace, case, searched)),
    )


def score_table(workspace: Workspace, data: str) -> Finding:
    """Appendix A: scores over time."""
    case = paper.cases()[data]
    searched = search_case(workspace, case)
    theirs = paper.scores(data)
    return Finding(
        keys=("rate", "chain", "hours"),
        lines=tuple(_lines(searched.courses, theirs, searched)),
        svg=_courses_figure(f"{data}: scores over time", "BDeu", searched.courses, theirs),
        form=",.1f",
        remarks=(*workspace.mismatch(case), *_remarks(workspace, case, searched)),
    )


def _lines(ours: Courses, theirs: Courses, searched: Searched) -> Iterable[Line]:
    """Yield one line per chain and time; the last ones of the best chains are printed."""
    for who, course in theirs.items():
        shown = who.chain in (BEST, paper.ALONE)
        for place, hours in enumerate(HOURS):
            made = ours[who][place]
            yield Line(
                (f"{who.rate} %" if who.rate else "all", who.chain, f"{hours:g}"),
                made if math.isfinite(made) else None,
                course[place],
                searched.seconds[who.rate or PLAIN[0]],
                shown and hours == HOURS[-1],
            )


def _remarks(workspace: Workspace, case: Case, searched: Searched) -> Iterable[str]:
    yield (
        f"The paper's four hours correspond to {workspace.hours:g} h here, for each chain on its "
        f"own core; {counted(workspace.threads, 'chain')} ran at a time."
    )
    if case.lost_digit:
        printed = paper.scores(case.name)[Who(0, paper.ALONE)][-1] / 10
        yield (
            f"The paper prints {printed:,.1f} for MINOBS, but no network exceeds "
            f"{searched.bound:,.1f}, the sum of the best local scores: the paper's scores of this "
            "data set are multiplied by ten."
        )


def _courses_figure(title: str, label: str, ours: Courses, theirs: Courses) -> str:
    shown = [who for who in theirs if who.chain in (BEST, paper.ALONE)]
    series = []
    for colour, who in enumerate(shown):
        name = f"p = {who.rate} %" if who.rate else paper.ALONE
        for courses, dashed in ((ours, False), (theirs, True)):
            points = list(zip(HOURS, courses[who], strict=True))
            finite = [(x, y) for x, y in points if math.isfinite(y)]
            series.append(Series("" if dashed else name, finite, "line", colour, theirs=dashed))
    ticks = tuple((hours, f"{hours:g}") for hours in HOURS)
    axis = Axis("hours (paper dashed, forebear solid and scaled)", ticks=ticks)
    return figure_svg(title, [Panel("", axis, Axis(label), series, width=1.5 * WIDTH)])


def figure5(workspace: Workspace) -> Finding:
    """Median gain by time (a) and by setting (b), and number of gains (c)."""
    there = [case for name, case in paper.cases().items() if name in workspace.table_names()]
    if not there:
        raise ForebearError(
            "none of the paper's data sets was found: pass their directory as ", Parameter("data")
        )
    ours = [paper.deltas(search_case(workspace, case).courses) for case in there]
    theirs = [paper.deltas(paper.scores(case.name)) for case in there]
    everything = [paper.deltas(paper.scores(name)) for name in paper.cases()]
    settings = [f"{rate} %, m = {samples}" for rate, samples in SETTINGS]
    marks = {"a": [f"{hours:g} h" for hours in HOURS], "b": settings, "c": settings}
    lines = []
    for panel, names in marks.items():
        for place, name in enumerate(names):
            own, like, nine = (_summary(panel, place, d) for d in (ours, theirs, everything))
            lines.append(Line((panel, name, "same data sets"), own, like))
            lines.append(Line((panel, name, "all nine data sets"), None, nine, shown=False))
    return Finding(
        keys=("panel", "at", "paper's data"),
        lines=tuple(lines),
        svg=_figure5_svg(lines),
        form=".3f",
        remarks=(
            f"Both numbers are for {', '.join(case.name for case in there)}. The paper's figure is "
            "for nine data sets; its numbers, from Appendix A, are in the file.",
            "Panels a and b show medians of the gain in per mille; panel c counts gains.",
            f"The paper's four hours correspond to {workspace.hours:g} h here.",
        ),
    )


def _summary(panel: str, place: int, data: Sequence[Courses]) -> float | None:
    """Return one number of Figure 5: a median over data sets and settings or times, or a count."""
    if panel == "a":
        gains = [d[Who(rate, BEST)][place] for d in data for rate, _ in SETTINGS]
    else:
        gains = [gain for d in data for gain in d[Who(SETTINGS[place][0], BEST)]]
    known = [gain for gain in gains if math.isfinite(gain)]
    if panel == "c":
        return float(sum(gain > 0 for gain in known))
    return statistics.median(known) if known else None


def _figure5_svg(lines: Sequence[Line]) -> str:
    panels = []
    labels = {"a": "median gain, ‰", "b": "median gain, ‰", "c": "number of gains over MINOBS"}
    for letter, label in labels.items():
        own = [line for line in lines if line.of[0] == letter and line.of[2] == "same data sets"]
        ticks = tuple((float(k), line.of[1].replace(", ", "\n")) for k, line in enumerate(own))
        values = {"forebear": [line.ours for line in own], "paper": [line.theirs for line in own]}
        series = [
            Series(
                name,
                [(float(k), value) for k, value in enumerate(column) if value is not None],
                "line" if letter == "a" else "bars",
                colour,
                theirs=bool(colour),
            )
            for colour, (name, column) in enumerate(values.items())
        ]
        panels.append(Panel(f"5{letter}", Axis("", ticks=ticks), Axis(label), series))
    return figure_svg("Figure 5: PS-MINOBS compared with MINOBS", panels)


def figureb1(workspace: Workspace) -> Finding:
    """Gain and density by sampling rate, Pumsb-star-test."""
    case = paper.cases()["pumsb-star-test"]
    searched = search_case(workspace, case)
    ours, theirs = paper.deltas(searched.courses), paper.deltas(paper.scores(case.name))
    rates = [rate for rate, _ in SETTINGS]
    gains = [
        Line(("gain, per mille", f"{rate} %"), ours[who][-1], theirs[who][-1])
        for rate in rates
        for who in (Who(rate, BEST),)
    ]
    parents = [
        Line(("mean number of parents", f"{rate} %"), searched.mean_parents[rate])
        for rate in (*rates, PLAIN[0])
    ]
    return Finding(
        keys=("what", "rate"),
        lines=(*gains, *parents),
        svg=_figureb1_svg({"gain, per mille": gains, "mean number of parents": parents}),
        form=".3f",
        remarks=(
            "The paper shows numbers of parents only in the figure; 100 % is MINOBS.",
            *workspace.mismatch(case),
            *_remarks(workspace, case, searched),
        ),
    )


def _figureb1_svg(parts: dict[str, list[Line]]) -> str:
    panels = [
        Panel(
            title,
            Axis("sampling rate, %"),
            Axis(title),
            [
                Series("forebear", _by_rate((line.of[1], line.ours) for line in lines)),
                Series(
                    "paper",
                    _by_rate((line.of[1], line.theirs) for line in lines),
                    colour=1,
                    theirs=True,
                ),
            ],
        )
        for title, lines in parts.items()
    ]
    return figure_svg("Figure B.1: Pumsb-star-test by sampling rate", panels)


def _by_rate(values: Iterable[tuple[str, float | None]]) -> list[tuple[float, float]]:
    return [(float(rate.removesuffix(" %")), v) for rate, v in values if v is not None]
