"""How networks show themselves in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from forebear._util.text import counted
from forebear.drawing.svg import network_svg, printable

if TYPE_CHECKING:
    from forebear.network.network import Network

_MOST_DRAWN = 150
_MOST_LISTED = 5


def network_html(network: Network) -> str:
    """Show a picture of the network, or its main facts where it is too large for one."""
    return network_figure(f"<strong>Network</strong> · {network_size(network)}", network)


def network_size(network: Network) -> str:
    """Tell how large a network is."""
    return f"{counted(network.n_variables, 'variable')}, {counted(len(network.arcs), 'arc')}"


def network_figure(caption: str, network: Network) -> str:
    """Show a network under a caption."""
    shown = network_svg(network) if network.n_variables <= _MOST_DRAWN else _busiest(network)
    return (
        '<figure style="margin:0;max-width:100%">'
        f'<figcaption style="margin-bottom:.6em">{caption}</figcaption>{shown}</figure>'
    )


def _busiest(network: Network) -> str:
    """List the variables with the most arcs."""
    degrees = [
        len(parents) + len(children)
        for parents, children in zip(network.parents, network.children, strict=True)
    ]
    busiest = sorted(range(network.n_variables), key=lambda v: -degrees[v])[:_MOST_LISTED]
    rows = "".join(
        f'<tr><th scope="row">{escape(printable(network.names[v]))}</th>'
        f"<td>{len(network.parents[v])}</td><td>{len(network.children[v])}</td></tr>"
        for v in busiest
    )
    return (
        f"<p>Up to {max(map(len, network.parents), default=0)} parents a variable. "
        "The variables with the most arcs:</p>"
        f"<table><thead><tr><th>Variable</th><th>Parents</th><th>Children</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )
