"""Figures of networks for notebooks, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forebear._util.html import html_figure, html_table
from forebear._util.text import counted
from forebear.network.drawing.svg import network_svg

if TYPE_CHECKING:
    from forebear.network.network import Network


def network_html(network: Network) -> str:
    """Show a picture of the network, or the main facts if it is too large for one."""
    return network_figure(f"<strong>Network</strong> · {network_size(network)}", network)


def network_size(network: Network) -> str:
    """Write the numbers of variables and arcs."""
    return f"{counted(network.n_variables, 'variable')}, {counted(len(network.arcs), 'arc')}"


def network_figure(caption: str, network: Network) -> str:
    """Show a network under a caption, which is HTML."""
    small = network.n_variables <= 150  # a larger picture is slow and unreadable
    return html_figure(caption, network_svg(network) if small else _busiest(network))


def _busiest(network: Network) -> str:
    """List the variables with the most arcs."""
    sizes = [*zip(map(len, network.parents), map(len, network.children), strict=True)]
    busiest = sorted(range(network.n_variables), key=lambda v: -sum(sizes[v]))[:5]
    rows = [(network.names[v], *sizes[v]) for v in busiest]
    most = counted(max(map(len, network.parents), default=0), "parent")
    return f"<p>Up to {most} per variable. The variables with the most arcs:</p>" + html_table(
        ("Variable", "Parents", "Children"), rows
    )
