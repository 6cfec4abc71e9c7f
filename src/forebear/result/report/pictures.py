"""The pictures of the report: the whole network, and for large ones groups that open."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forebear._util.text import printable
from forebear.network.drawing.groups import communities, groups_svg
from forebear.network.drawing.svg import compelled_classes, network_svg, shortened
from forebear.network.graphs import degrees
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Sequence

GROUPED_FROM = 60
"""From this many variables on there are groups: the names of a larger picture are too small to
read in a window of 1,000 pixels."""


@dataclass(frozen=True)
class Group:
    """A group: its title, the variables whose boxes its picture has in this order, and the SVG."""

    title: str
    variables: tuple[int, ...]
    svg: str


@dataclass(frozen=True)
class Pictures:
    """The whole network; and for large networks, groups with one picture each.

    ``overview`` has one box per group, and ``links`` the number of arcs between two groups.
    """

    whole: str
    overview: str
    groups: tuple[Group, ...]
    links: tuple[tuple[int, int, int], ...]


def draw_pictures(network: Network) -> Pictures:
    """Draw the network, with groups if it is large."""
    n = network.n_variables
    whole = network_svg(network, title="The network", tooltips=False)
    found = communities(n, network.arcs) if n >= GROUPED_FROM else []
    if len(found) < 2:
        return Pictures(whole, "", (), ())
    groups = _in_order(network, found)
    titles = _titles(network, groups)
    home = {v: k for k, group in enumerate(groups) for v in group}
    ends = ((home[p], home[v]) for p, v in network.arcs)
    links = Counter((min(pair), max(pair)) for pair in ends if pair[0] != pair[1])
    classes = compelled_classes(network)
    return Pictures(
        whole,
        groups_svg(titles, [len(group) for group in groups], links),
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
    degree = degrees(network.parents)
    hubs = [max(group, key=lambda v: (degree[v], -v)) for group in groups]
    return [shortened(network.names[hub]) if degree[hub] else "No arcs" for hub in hubs]


def _group(
    network: Network, title: str, group: Sequence[int], classes: dict[tuple[int, int], str]
) -> Group:
    """Draw the variables of a group and the arcs between them."""
    local = {v: k for k, v in enumerate(group)}
    families = [[local[p] for p in network.parents[v] if p in local] for v in group]
    part = Network(tuple(network.names[v] for v in group), tuple(map(tuple, families)))
    own = {(p, v): classes[group[p], group[v]] for p, v in part.arcs}
    drawn = network_svg(
        part, arc_classes=own, title=f"The group {printable(title)}", tooltips=False
    )
    return Group(title, tuple(group), drawn)
