"""How networks and results show themselves in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from forebear.machine import show_seconds
from forebear.report.drawing import network_svg, printable
from forebear.report.wording import gap, largest_family, number, size, verdict

if TYPE_CHECKING:
    from forebear.network import Network
    from forebear.result import Result

_MOST_DRAWN = 150
_MOST_LISTED = 5


def network_html(network: Network) -> str:
    """Show a picture of the network, or its main facts where it is too large for one."""
    return _figure(f"<strong>Network</strong> · {size(network)}", network)


def result_html(result: Result) -> str:
    """Show the score, how good it is, how long it took, and the network."""
    facts = [f"<strong>Score {number(result.score, 3)}</strong>"]
    if result.gap is not None:
        facts.append(f"gap {gap(result)}")
    facts += [size(result.network), escape(result.algorithm), show_seconds(result.seconds)]
    caption = f"{' · '.join(facts)}<br><small>{escape(' '.join(verdict(result)))}</small>"
    return _figure(caption, result.network)


def _figure(caption: str, network: Network) -> str:
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
        f"<p>Up to {largest_family(network)} parents a variable. "
        "The variables with the most arcs:</p>"
        f"<table><thead><tr><th>Variable</th><th>Parents</th><th>Children</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )
