"""Model strings of R's bnlearn: ``[A][C][F][B|A][D|A:C][E|B:F]``.

As in bnlearn, variables without parents come first, then their children, and
so on. The reader keeps the order in which the variables are listed. A name must
not be empty or contain ``[``, ``]``, ``|`` or ``:``.
"""

from __future__ import annotations

import re
from pathlib import Path

from forebear._util.errors import ForebearError
from forebear._util.text_files import read_text, write_text
from forebear.network.network import Network

_NAME = r"[^][|:]+"
_BLOCK = re.compile(rf"\s*\[({_NAME})(?:\|({_NAME}(?::{_NAME})*))?\]\s*")


def to_model_string(network: Network) -> str:
    """Write a network as a model string, which ``model2network`` reads in R."""
    names = network.names
    for name in names:
        if not re.fullmatch(_NAME, name):
            raise ForebearError(
                f"a model string cannot hold the variable {name!r}, because names must not be "
                "empty or contain [ ] | or :. Rename it, or write another format"
            )
    depth = [0] * len(names)
    for v in network.order:
        depth[v] = max((depth[p] + 1 for p in network.parents[v]), default=0)
    blocks = []
    for v in sorted(range(len(names)), key=lambda v: depth[v]):
        given = ":".join(names[p] for p in network.parents[v])
        blocks.append(f"[{names[v]}|{given}]" if given else f"[{names[v]}]")
    return "".join(blocks)


def from_model_string(text: str) -> Network:
    """Read a network from a model string, as bnlearn's ``modelstring`` writes it."""
    families: dict[str, list[str]] = {}
    at = 0
    while at < len(text):
        block = _BLOCK.match(text, at)
        if block is None:
            raise ForebearError(
                f"this is not a model string: expected [variable] or [variable|parent:parent], "
                f"got {text[at : at + 30]!r}"
            )
        name, given = block.groups()
        if name in families:
            raise ForebearError(f"variable {name} is listed twice")
        families[name] = given.split(":") if given else []
        at = block.end()
    for name, parents in families.items():
        for parent in parents:
            if parent not in families:
                raise ForebearError(
                    f"{parent} is a parent of {name}, but there is no [{parent}] for it"
                )
    arcs = [(parent, name) for name, parents in families.items() for parent in parents]
    return Network.from_arcs(tuple(families), arcs)


def read_model_string(path: Path | str) -> Network:
    """Read a network from a file with its model string."""
    text = read_text(path, "a model string")
    if not text.strip():
        raise ForebearError("the file is empty")
    return from_model_string(text)


def write_model_string(network: Network, path: Path | str) -> None:
    """Write the model string of a network, gzipped when the name ends in ``.gz``."""
    write_text(to_model_string(network) + "\n", path)
