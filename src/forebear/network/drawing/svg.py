"""Drawing of a network as standalone SVG for light and dark pages, and as HTML for notebooks."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
from forebear._util.html import escaped, html_figure
from forebear._util.text import counted, printable
from forebear.network.drawing.layout import NODE_HEIGHT, Layout, layout

if TYPE_CHECKING:
    from forebear.network.comparison import Comparison
    from forebear.network.network import Network

Arc = tuple[int, int]
Point = tuple[float, float]

ARC_CLASSES = {
    "compelled": "direction determined by the data",
    "reversible": "direction not determined",
    "shared": "in both",
    "turned": "reversed, as learned",
    "missing": "only in the true network",
    "added": "only in the learned network",
}
"""The classes in which arcs are drawn, and their text in the legend by default."""

_LIGHT = """--fb-paper:#fff;--fb-ink:#1d2430;--fb-node:#f3f6fa;--fb-rim:#8a97a8;--fb-arc:#4a5a70;
--fb-soft:#8fa0b6;--fb-good:#1f7a4d;--fb-new:#b3541e;--fb-gone:#b3261e;--fb-turn:#6b4fbb;"""
_FONT = """font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,
sans-serif;"""
_DRAWN = """
.fb-paper{fill:var(--fb-paper)}
.fb-node rect{fill:var(--fb-node);stroke:var(--fb-rim)}
.fb-network text{fill:var(--fb-ink);font-size:12.5px;text-anchor:middle}
.fb-network .fb-legend text{text-anchor:start;font-size:12px}
.fb-arc{stroke:var(--c);--c:var(--fb-arc)}
.fb-arc path{fill:none;stroke-width:1.4}
.fb-strong path{stroke-width:2.8}
.fb-open path{stroke-width:.8}
.fb-arc .fb-head{fill:var(--c);stroke-linejoin:round;stroke-dasharray:none}
.fb-reversible{--c:var(--fb-soft);stroke-dasharray:5 3.5}
.fb-shared{--c:var(--fb-good)}
.fb-turned{--c:var(--fb-turn);stroke-dasharray:10 3 2 3}
.fb-added{--c:var(--fb-new);stroke-dasharray:7 3.5}
.fb-missing{--c:var(--fb-gone);stroke-dasharray:2 3.5}
"""
STYLE = f"""
.fb-network{{{_LIGHT}
{_FONT}
max-width:100%;height:auto}}
@media (prefers-color-scheme:dark){{.fb-network{{--fb-paper:#14181f;--fb-ink:#e8ecf2;
--fb-node:#232a35;--fb-rim:#66748a;--fb-arc:#a9b6c9;--fb-soft:#6f7f95;--fb-good:#5fc893;--fb-new:#f0a16b;
--fb-gone:#ff8d84;--fb-turn:#b7a2f5}}}}{_DRAWN}"""


def network_svg(
    network: Network,
    *,
    arc_classes: Mapping[tuple[int, int], str] | None = None,
    legend: Mapping[str, str] | None = None,
    title: str = "Bayesian network",
    tooltips: bool = True,
    widths: Mapping[Arc, str] | None = None,
) -> str:
    """Draw a network with arcs that point down.

    Parameters
    ----------
    network
        The network.
    arc_classes
        The arcs to draw, with the class of each (see ``ARC_CLASSES``). They may
        form cycles; those that follow the network's order point down. Default
        None: the arcs of the network, solid if they are compelled and dashed if
        they are reversible.
    legend
        The text for each class. An empty mapping disables the legend. Default
        None: the texts of ``ARC_CLASSES``.
    title
        The title of the picture. Default "Bayesian network".
    tooltips
        Whether nodes and arcs have tooltips with their names. Default True.
    widths
        Arcs to draw as "strong" (thick) or "open" (thin) lines. Default None: none.

    Returns
    -------
    str
        An SVG element.
    """
    classes = compelled_classes(network) if arc_classes is None else dict(arc_classes)
    unknown = sorted(set(classes.values()) - set(ARC_CLASSES))
    if unknown:
        raise ForebearError(
            f'there is no class of arcs "{unknown[0]}": use one of {", ".join(ARC_CLASSES)}'
        )
    labels = [shortened(name) for name in network.names]
    boxes = [max(34.0, text_width(label) + 20.0) for label in labels]
    order = network.order
    plan = layout(network.n_variables, classes, order, boxes)
    if legend is None:
        legend = {name: ARC_CLASSES[name] for name in ARC_CLASSES if name in classes.values()}
    key, key_width = _legend(legend)
    margin, key_height = 20.0, 34.0 if key else 0.0
    width = max(plan.width, key_width, 120.0) + 2 * margin
    height = plan.height + key_height + 2 * margin
    described = f"{counted(network.n_variables, 'variable')} and {counted(len(classes), 'arc')}"
    if key:
        at = f"translate({brief(margin)} {brief(height - key_height)})"
        key = f'<g class="fb-legend" transform="{at}">{key}</g>'
    return document(
        (width, height),
        f"{title}: {described}",
        f"<title>{escaped(title)}</title><desc>{escaped(described)}</desc>",
        ((width - plan.width) / 2, margin),
        [
            *_arcs(network.names, classes, plan, boxes, widths or {}, tooltips=tooltips),
            *_nodes(network, labels, plan, boxes, tooltips=tooltips),
        ],
        key,
    )


def differences_svg(learned: Network, comparison: Comparison, *, title: str) -> str:
    """Draw the arcs of both networks of a comparison; those of the learned network point down."""
    classes: dict[Arc, str] = {}
    legend = {}
    drawn_as = {"common": "shared", "reversed": "turned", "missing": "missing", "extra": "added"}
    for kind, name in drawn_as.items():
        arcs = getattr(comparison, kind)
        if arcs:
            legend[name] = f"{ARC_CLASSES[name]} ({len(arcs):,})"
        classes |= dict.fromkeys(((learned.index(p), learned.index(v)) for p, v in arcs), name)
    return network_svg(learned, arc_classes=classes, legend=legend, title=title)


def network_size(network: Network) -> str:
    """Return the numbers of variables and arcs as text."""
    return f"{counted(network.n_variables, 'variable')}, {counted(len(network.arcs), 'arc')}"


def network_figure(caption: str, network: Network) -> str:
    """Return a picture of a network with a caption, both as HTML."""
    small = network.n_variables <= 150  # a larger picture is slow and unreadable
    return html_figure(caption, network_svg(network) if small else "")


def document(
    size: Point, label: str, about: str, shift: Point, drawn: Iterable[str], legend: str = ""
) -> str:
    """Return an SVG element with drawn elements, moved by ``shift``, and a legend."""
    width, height = map(brief, size)
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="fb-network" role="img" '
            f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'aria-label="{escaped(label)}">{about}<style>{STYLE}</style>',
            '<rect class="fb-paper" width="100%" height="100%"/>',
            f'<g class="fb-view" transform="translate({brief(shift[0])} {brief(shift[1])})">',
            *drawn,
            f"</g>{legend}</svg>",
        ]
    )


def for_other_programs(picture: str) -> str:
    """Return a picture whose style has no variables and no dark version.

    Browsers support these, but most programs that open SVG files do not.
    """
    light = dict(re.findall(r"(--fb-\w+):(#\w+)", _LIGHT))
    drawn = re.sub(r"var\((--fb-\w+)\)", lambda match: light[match[1]], _DRAWN)
    # A class of arcs sets the color of its lines and of their heads.
    drawn = drawn.replace("stroke:var(--c);", "").replace("fill:var(--c);", "")
    drawn = re.sub(r"(\.fb-\w+)\{--c:(#\w+)", r"\1 .fb-head{fill:\2}\1{stroke:\2", drawn)
    return picture.replace(STYLE, f".fb-network{{{_FONT}}}{drawn}")


def compelled_classes(network: Network) -> dict[tuple[int, int], str]:
    """Return the class of every arc: compelled or reversible."""
    return {arc: "compelled" if arc in network.compelled else "reversible" for arc in network.arcs}


def shortened(name: str) -> str:
    """Shorten a long name for a label."""
    name = printable(name)
    return name if len(name) <= 28 else name[:27] + "…"


def text_width(text: str) -> float:
    """Estimate the width of a label, for any usual font."""
    return sum(_character_width(c) for c in text)


def _character_width(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 12.6
    if character in "ijl.,:;|!' ":
        return 4.2
    if character in "mwMW@":
        return 11.2
    return 8.8 if character.isupper() else 7.4


def brief(value: float) -> str:
    """Format a length with at most one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def _nodes(
    network: Network,
    labels: Sequence[str],
    plan: Layout,
    widths: Sequence[float],
    *,
    tooltips: bool,
) -> Iterator[str]:
    for v, (label, width) in enumerate(zip(labels, widths, strict=True)):
        x, y = plan.centers[v]
        yield f'<g class="fb-node" data-v="{v}" transform="translate({brief(x)} {brief(y)})">'
        if tooltips:
            parents = ", ".join(network.names[p] for p in network.parents[v]) or "none"
            yield f"<title>{escaped(f'{network.names[v]}, parents: {parents}')}</title>"
        yield (
            f'<rect x="{brief(-width / 2)}" y="{brief(-NODE_HEIGHT / 2)}" '
            f'width="{brief(width)}" height="{brief(NODE_HEIGHT)}" rx="8"/>'
            f'<text y="4.3">{escaped(label)}</text></g>'
        )


def _arcs(
    names: Sequence[str],
    classes: Mapping[Arc, str],
    plan: Layout,
    boxes: Sequence[float],
    widths: Mapping[Arc, str],
    *,
    tooltips: bool,
) -> Iterator[str]:
    for (u, v), name in sorted(classes.items()):
        width = f" fb-{widths[u, v]}" if (u, v) in widths else ""
        yield f'<g class="fb-arc fb-{name}{width}" data-arc="{u} {v}">'
        if tooltips:
            yield f"<title>{escaped(f'{names[u]} → {names[v]}')}</title>"
        route = plan.routes[u, v]
        start = _border(route[0], route[1], boxes[u])
        tip = _border(route[-1], route[-2], boxes[v])
        yield _arrow([start, *route[1:-1], tip])
        yield "</g>"


def _border(center: Point, toward: Point, width: float) -> Point:
    """Return where an arc meets the border of a node: at the top or bottom, near the middle."""
    dx, dy = toward[0] - center[0], toward[1] - center[1]
    half = NODE_HEIGHT / 2
    # Spread over the inner part of the border, so that the corners stay free.
    offset = max(-0.36 * width, min(0.36 * width, dx / max(abs(dy), half) * half))
    return center[0] + offset, center[1] + math.copysign(half, dy)


def _arrow(points: list[Point]) -> str:
    """Draw a smooth line through the points, with an arrow head at its end."""
    head_length, head_width = 7.0, 6.4
    tangents = _tangents(points)
    dx, dy = tangents[-1]
    length = math.hypot(dx, dy) or 1.0
    dx, dy = dx / length, dy / length
    tip = points[-1]
    # The line ends inside the head, so that the tip stays sharp.
    neck = (tip[0] - head_length * 0.8 * dx, tip[1] - head_length * 0.8 * dy)
    points = [*points[:-1], neck]
    path = [f"M{_pair(points[0])}"]
    for (start, end), (leaving, arriving) in zip(pairwise(points), pairwise(tangents), strict=True):
        third = (end[1] - start[1]) / 3
        first = (start[0] + leaving[0] / (leaving[1] or 1.0) * third, start[1] + third)
        second = (end[0] - arriving[0] / (arriving[1] or 1.0) * third, end[1] - third)
        path.append("c" + " ".join(_step(start, point) for point in (first, second, end)))
    back, side = (-head_length * dx, -head_length * dy), (-dy * head_width, dx * head_width)
    corner = (back[0] + side[0] / 2, back[1] + side[1] / 2)
    head = f"M{_pair(tip)}l{_pair(corner)} {_pair((-side[0], -side[1]))}z"
    return f'<path d="{"".join(path)}"/><path class="fb-head" d="{head}"/>'


def _step(start: Point, end: Point) -> str:
    """Format a point relative to another, both rounded, so that errors do not add up."""
    return _pair((round(end[0], 1) - round(start[0], 1), round(end[1], 1) - round(start[1], 1)))


def _tangents(points: list[Point]) -> list[Point]:
    """Return the direction at each point: along the line inside, steeper at the ends."""
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
    inner = []
    for (dx, dy), (next_dx, next_dy) in pairwise(steps):
        # If the line turns back sideways, going straight down avoids a bulge.
        inner.append((dx + next_dx if dx * next_dx > 0 else 0.0, dy + next_dy))
    ends = [(0.45 * dx, dy) for dx, dy in (steps[0], steps[-1])]
    return [ends[0], *inner, ends[1]]


def _pair(point: Point) -> str:
    return f"{brief(point[0])} {brief(point[1])}"


def _legend(legend: Mapping[str, str]) -> tuple[str, float]:
    """Return a row with one sample per class, and its width."""
    drawn, x, sample = [], 0.0, 34.0
    for name, meaning in legend.items():
        drawn.append(
            f'<g class="fb-arc fb-{name}" transform="translate({brief(x)} 10)">'
            f'<path d="M0 0H{sample - 7:g}"/>'
            f'<path class="fb-head" d="M{sample:g} 0l-7 3.2v-6.4z"/></g>'
            f'<text x="{brief(x + sample + 8)}" y="14.3">{escaped(meaning)}</text>'
        )
        x += sample + text_width(meaning) + 32
    return "".join(drawn), x
