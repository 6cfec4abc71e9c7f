"""Networks that commands ask questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from forebear._util.errors import FileError, ForebearError, Parameter
from forebear.cli._support.options import located
from forebear.network.files import WITH_PROBABILITIES, extensions_of, read_any_network
from forebear.network.fitted import FittedNetwork

if TYPE_CHECKING:
    from collections.abc import Sequence

FittedArgument = Annotated[
    str,
    typer.Argument(
        metavar="NETWORK",
        help=f"A network with probabilities: {extensions_of(WITH_PROBABILITIES)}.",
    ),
]


def fitted_from(source: str) -> FittedNetwork:
    """Read a network with probabilities; refuse one without, and say how to add them."""
    network = read_any_network(located(source))
    if not isinstance(network, FittedNetwork):
        raise FileError(
            f"{source} has no probabilities: add them from the table that it was learnt from, with "
            f"forebear convert {source} network.bif --data TABLE"
        )
    return network


def evidence_from(given: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Read ``NAME=STATE``; a name that holds an = is found, too."""
    found: dict[str, str] = {}
    for one in given:
        cuts = [place for place, letter in enumerate(one) if letter == "="]
        if not cuts:
            raise ForebearError(Parameter("evidence"), f" takes NAME=STATE, got {one!r}")
        cut = next((place for place in cuts if one[:place] in names), cuts[0])
        name = one[:cut]
        if name in found:
            raise ForebearError(Parameter("evidence"), f" names {name} twice: say one thing")
        found[name] = one[cut + 1 :]
    return found
