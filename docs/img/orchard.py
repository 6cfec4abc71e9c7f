"""Draw orchard.svg, the network learned from the example.

Run it from anywhere: ``python docs/img/orchard.py``.
"""

from __future__ import annotations

from pathlib import Path

from forebear import learn
from forebear.network.drawing.svg import network_svg


def drawing() -> str:
    """Learn the network with a fixed seed, and draw it."""
    result = learn("example:orchard", generations=50, seed=1, cache=False)
    return network_svg(result.network, title="What depends on what in the orchard")


def main() -> None:
    """Write the picture next to this file."""
    Path(__file__).with_suffix(".svg").write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
