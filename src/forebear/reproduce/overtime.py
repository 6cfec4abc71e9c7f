"""Scores over time: Tables 7 to 15, Appendix A, Figures 5 and B.1."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
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
    """Tables 7 to 15: how much higher than MINOBS's the scores of PS-MINOBS are, in per mille."""
    case = paper.cases()[data]
    searched = search_case(workspace, case)
    ours, theirs = paper.deltas(searched.courses), paper.deltas(paper.scores(data))
    return Finding(
        keys=("rate", "process", "hours"),
        lines=tuple(_lines(ours, theirs, searched)),
        svg=_courses_figure(f"{data}: gain over MINOBS", "per mille of the score", ours, theirs),
        form="+.3f",
        remarks=(*workspace.mismatch(case), *_remarks(workspace, case, searched)),
    )


def score_table(workspace: Workspace, data: str) -> Finding:
    """Appendix A: the scores themselves."""
    case = paper.cases()[data]
    searched = search_case(workspace, case)
    theirs = paper.scores(data)
    return Finding(
        keys=("rate", "process", "hours"),
        lines=tuple(_lines(searched.courses, theirs, searched)),
        svg=_courses_figure(f"{data}: scores over time", "BDeu", searched.courses, theirs),
        form=",.1f",
        remarks=(*workspace.mismatch(case), *_remarks(workspace, case, searched)),
    )


def _lines(ours: Courses, theirs: Courses, searched: Searched) -> Iterable[Line]:
    """One line a process and time; those of the winners at the end are printed."""
    for who, course in theirs.items():
        told = who.process in (BEST, paper.ALONE)
        for place, hours in enumerate(HOURS):
            made = ours[who][place]
            yield Line(
                (f"{who.rate} %" if who.rate else "all", who.process, f"{hours:g}"),
                made if math.isfinite(made) else None,
                course[place],
                searched.seconds[who.rate or PLAIN[0]],
                told and hours == HOURS[-1],
            )


def _remarks(workspace: Workspace, case: Case, searched: Searched) -> Iterable[str]:
    yield (
        f"Four hours of the paper are {workspace.hours:g} here, for each process on a core of "
        f"its own; {workspace.threads} ran at a time."
    )
    if case.lost_digit:
        printed = paper.scores(case.name)[Who(0, paper.ALONE)][-1] / 10
        yield (
            f"The paper prints {printed:,.1f} for MINOBS, where the sum of the best local scores, "
            f"which no network exceeds, is {searched.bound:,.1f}: its scores of this data are "
            "taken times ten."
        )


def _courses_figure(title: str, label: str, ours: Courses, theirs: Courses) -> str:
    shown = [who for who in theirs if who.process in (BEST, paper.ALONE)]
    series = []
    for colour, who in enumerate(shown):
        name = f"p = {who.rate} %" if who.rate else paper.ALONE
        for courses, dashed in ((ours, False), (theirs, True)):
            points = list(zip(HOURS, courses[who], strict=True))
            finite = [(x, y) for x, y in points if math.isfinite(y)]
            series.append(Series("" if dashed else name, finite, "line", colour, theirs=dashed))
    ticks = tuple((hours, f"{hours:g}") for hours in HOURS)
    axis = Axis("hours in the paper (dashed); ours (solid) scaled", ticks=ticks)
    return figure_svg(title, [Panel("", axis, Axis(label), series, width=1.5 * WIDTH)])


def figure5(workspace: Workspace) -> Finding:
    """Medians of the gain by time (a) and by setting (b), and how often there is one (c)."""
    there = [case for name, case in paper.cases().items() if name in workspace.table_names()]
    if not there:
        raise ForebearError("none of the paper's data are there: give their directory with --data")
    ours = [paper.deltas(search_case(workspace, case).courses) for case in there]
    theirs = [paper.deltas(paper.scores(case.name)) for case in there]
    everything = [paper.deltas(paper.scores(name)) for name in paper.cases()]
    settings = [f"{rate} %, m = {samples}" for rate, samples in SETTINGS]
    marks = {"a": [f"{hours:g} h" for hours in HOURS], "b": settings, "c": settings}
    lines = []
    for panel, names in marks.items():
        for place, name in enumerate(names):
            own, like, nine = (_summary(panel, place, d) for d in (ours, theirs, everything))
            lines.append(Line((panel, name, "the same data"), own, like))
            lines.append(Line((panel, name, "all nine"), None, nine, told=False))
    return Finding(
        keys=("panel", "at", "theirs is of"),
        lines=tuple(lines),
        svg=_figure5_svg(lines),
        form=".3f",
        remarks=(
            f"Ours and theirs are of {', '.join(case.name for case in there)}; the paper's own "
            "figure is of nine data sets, made again from its Appendix A in the file.",
            "Panels a and b are medians of the gain in per mille; c counts gains.",
            f"Four hours of the paper are {workspace.hours:g} here.",
        ),
    )


def _summary(panel: str, place: int, data: Sequence[Courses]) -> float | None:
    """One number of Figure 5: a median over data and settings, or over data and times."""
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
    labels = {"a": "median gain, ‰", "b": "median gain, ‰", "c": "times better than MINOBS"}
    for letter, label in labels.items():
        own = [line for line in lines if line.of[0] == letter and line.of[2] == "the same data"]
        ticks = tuple((float(k), line.of[1].replace(", ", "\n")) for k, line in enumerate(own))
        values = {"ours": [line.ours for line in own], "the paper": [line.theirs for line in own]}
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
    return figure_svg("Figure 5: PS-MINOBS beside MINOBS", panels)


def figureb1(workspace: Workspace) -> Finding:
    """Gain and density by sampling rate, of Pumsb-star-test."""
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
        Line(("mean in-degree", f"{rate} %"), searched.mean_parents[rate])
        for rate in (*rates, PLAIN[0])
    ]
    return Finding(
        keys=("what", "rate"),
        lines=(*gains, *parents),
        svg=_figureb1_svg({"gain, per mille": gains, "mean in-degree": parents}),
        form=".3f",
        remarks=(
            "The paper gives in-degrees in the figure only; 100 % is MINOBS.",
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
                Series("ours", _by_rate((line.of[1], line.ours) for line in lines)),
                Series(
                    "the paper",
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
