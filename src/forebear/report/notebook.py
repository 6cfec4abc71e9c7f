"""How results look in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from forebear._util.text import show_seconds
from forebear.drawing.notebook import network_figure, network_size
from forebear.report.wording import gap, number, verdict

if TYPE_CHECKING:
    from forebear.result import Result


def result_html(result: Result) -> str:
    """Return the score, the gap, the time and a picture of the network as HTML."""
    facts = [f"<strong>Score {number(result.score, 3)}</strong>"]
    if result.gap is not None:
        facts.append(f"gap {gap(result)}")
    facts += [network_size(result.network), escape(result.algorithm), show_seconds(result.seconds)]
    caption = f"{' · '.join(facts)}<br><small>{escape(' '.join(verdict(result)))}</small>"
    return network_figure(caption, result.network)
