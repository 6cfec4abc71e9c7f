"""The pictures of the report: the whole network, and for large ones groups that open."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forebear._util.text import counted, printable
from forebear.drawing.communities import communities
from forebear.drawing.svg import compelled_classes, network_svg, shortened
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Sequence

GROUPED_FROM = 60
"""From this many variables on there are groups: the names of a larger picture are too small to
read in a window of 1,000 pixels."""


@dataclass(frozen=True)
class Picture:
    """A picture: its title, the variables whose boxes it has in this order, and the SVG."""

    title: str
    variables: tuple[int, ...]
    svg: str


@dataclass(frozen=True)
class Pictures:
    """The whole network; and for large networks, groups with one picture each.

    ``overview`` has one box per group, and ``links`` the number of arcs between two groups.
    """

    whole: Picture
    overview: str | None
    groups: tuple[Picture, ...]
    links: tuple[tuple[int, int, int], ...]


def draw_pictures(network: Network) -> Pictures:
    """Draw the network, with groups if it is large."""
    n = network.n_variables
    picture = network_svg(network, title="The network", tooltips=False)
    whole = Picture("Whole network", tuple(range(n)), picture)
    found = communities(n, network.arcs) if n >= GROUPED_FROM else []
    if len(found) < 2:
        return Pictures(whole, None, (), ())
    groups = _in_order(network, found)
    titles = _titles(network, groups)
    home = {v: k for k, group in enumerate(groups) for v in group}
    ends = ((home[p], home[v]) for p, v in network.arcs)
    links = Counter((min(pair), max(pair)) for pair in ends if pair[0] != pair[1])
    classes = compelled_classes(network)
    return Pictures(
        whole,
        _overview(titles, links),
        tuple(
            _group(network, title, group, classes)
            for title, group in zip(titles, groups, strict=True)
        ),
        tuple((one, other, count) for (one, other), count in sorted(links.items())),
    )


def _in_order(network: Network, groups: list[list[int]]) -> list[list[int]]:
    """Sort groups by the mean place of their variables in the order, so that parents come first."""
    place = {v: k for k, v in enumerate(network.topological_order())}
    return sorted(groups, key=lambda group: sum(place[v] for v in group) / len(group))


def _titles(network: Network, groups: Sequence[Sequence[int]]) -> list[str]:
    """Name every group after its variable with the most arcs."""
    degree = [len(network.parents[v]) + len(network.children[v]) for v in range(network.n_variables)]
    titles = []
    for group in groups:
        hub = max(group, key=lambda v: (degree[v], -v))
        if not degree[hub]:
            titles.append(counted(len(group), "variable") + " without arcs")
        else:
            more = f" + {len(group) - 1:,}" if len(group) > 1 else ""
            titles.append(shortened(network.names[hub]) + more)
    return titles


def _overview(titles: Sequence[str], links: Counter[tuple[int, int]]) -> str:
    """Draw one box per group. Arcs lead from earlier groups to later ones, so they form no cycle."""
    # Shortened names may coincide; the number keeps them apart and is not drawn.
    unique = tuple(f"{title}\n{k}" for k, title in enumerate(titles))
    parents = tuple(tuple(g for g in range(k) if (g, k) in links) for k in range(len(titles)))
    return network_svg(
        Network(unique, parents),
        labels=titles,
        arc_classes=dict.fromkeys(links, "compelled"),
        legend={},
        title="The groups of the network",
        tooltips=False,
    )


def _group(
    network: Network, title: str, group: Sequence[int], classes: dict[tuple[int, int], str]
) -> Picture:
    """Draw the variables of a group and the arcs between them."""
    local = {v: k for k, v in enumerate(group)}
    families = [[local[p] for p in network.parents[v] if p in local] for v in group]
    part = Network(tuple(network.names[v] for v in group), tuple(map(tuple, families)))
    own = {(p, v): classes[group[p], group[v]] for p, v in part.arcs}
    drawn = network_svg(
        part, arc_classes=own, title=f"The group {printable(title)}", tooltips=False
    )
    return Picture(title, tuple(group), drawn)
