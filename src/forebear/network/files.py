"""Files of networks, read and written by extension; each also with ``.gz`` after it.

``FORMATS`` is the one list of them: what a file is, what may be said of it in
help and errors, and which functions read and write it all come from there.

Besides, ``read_network`` takes the result of a search (``.json``), and a plain
``.csv`` whose first row shows that it is a list of arcs or an adjacency matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from forebear._util.errors import FileError
from forebear._util.textfiles import read_rows
from forebear.network.fitted import FittedNetwork
from forebear.network.formats.adjacency import read_adjacency, write_adjacency
from forebear.network.formats.bif import read_bif, write_bif
from forebear.network.formats.dot import write_dot
from forebear.network.formats.edges import is_edge_header, read_edges, write_bayesys, write_edges
from forebear.network.formats.graphml import write_graphml
from forebear.network.formats.hugin import read_hugin, write_hugin
from forebear.network.formats.modelstring import read_model_string, write_model_string
from forebear.network.formats.resultfile import read_network_of_result
from forebear.network.formats.xmlbif import read_xmlbif, write_xmlbif
from forebear.network.network import Network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

AnyNetwork: TypeAlias = Network | FittedNetwork

RESULT = ".json"
"""The extension of what a search found."""

_CSV = (".csv", ".csv.gz")


@dataclass(frozen=True)
class NetworkFormat:
    """One format: what it is called, and how it is read and written.

    Formats that hold probabilities have ``write_fitted``, the others
    ``write_structure``.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[[Path | str], AnyNetwork] | None = None
    write_structure: Callable[[Network, Path | str], None] | None = None
    write_fitted: Callable[[FittedNetwork, Path | str], None] | None = None

    @property
    def holds_probabilities(self) -> bool:
        """Whether a file holds probabilities beside the structure."""
        return self.write_fitted is not None

    def matches(self, path: Path | str) -> bool:
        """Tell whether a file is of this format, by its name."""
        return Path(path).name.lower().removesuffix(".gz").endswith(self.extensions)


FORMATS = (
    NetworkFormat("BIF", (".bif",), read_bif, write_fitted=write_bif),
    NetworkFormat("XMLBIF", (".xmlbif", ".bifxml", ".xml"), read_xmlbif, write_fitted=write_xmlbif),
    NetworkFormat("Hugin", (".net",), read_hugin, write_fitted=write_hugin),
    NetworkFormat("DOT", (".dot", ".gv"), write_structure=write_dot),
    NetworkFormat("GraphML", (".graphml",), write_structure=write_graphml),
    NetworkFormat("model string", (".modelstring",), read_model_string, write_model_string),
    NetworkFormat("edge list", (".edges.csv",), read_edges, write_edges),
    NetworkFormat("Bayesys", (".bayesys.csv",), read_edges, write_bayesys),
    NetworkFormat("adjacency matrix", (".adjacency.csv",), read_adjacency, write_adjacency),
)

READABLE = tuple(form for form in FORMATS if form.read)
WITH_PROBABILITIES = tuple(form for form in FORMATS if form.holds_probabilities)
STRUCTURE_ONLY = tuple(form for form in FORMATS if not form.holds_probabilities)


def extensions_of(formats: Iterable[NetworkFormat] = FORMATS) -> str:
    """List the extensions of some formats, as help and errors show them."""
    return ", ".join(extension for form in formats for extension in form.extensions)


def is_network(path: Path | str) -> bool:
    """Tell by its name whether a file is of one of the formats for networks."""
    return any(form.matches(path) for form in FORMATS)


def format_of(path: Path | str) -> NetworkFormat:
    """Find the format that the extension of a file names."""
    for form in FORMATS:
        if form.matches(path):
            return form
    hint = ""
    if Path(path).name.lower().endswith(_CSV):
        tables = [form for form in FORMATS if form.extensions[0].endswith(".csv")]
        hint = f"; in CSV it is one of {extensions_of(tables)}"
    raise FileError(
        f"{path}: the extension of a network must be one of {extensions_of()}, "
        f"or one of these with .gz after it{hint}"
    )


def read_network(path: Path | str) -> Network:
    """Read the structure of a network from any file that has one, results included."""
    network = read_any_network(path)
    return network.network if isinstance(network, FittedNetwork) else network


def read_fitted(path: Path | str) -> FittedNetwork:
    """Read a network with its probabilities."""
    network = read_any_network(path)
    if not isinstance(network, FittedNetwork):
        raise FileError(
            f"{path}: no probabilities are in this file, as there are in "
            f"{extensions_of(WITH_PROBABILITIES)}"
        )
    return network


def read_any_network(path: Path | str) -> AnyNetwork:
    """Read a network, with its probabilities where the file has them."""
    name = Path(path).name.lower()
    if name.endswith(RESULT):
        return read_network_of_result(path)
    if name.endswith(_CSV) and not is_network(path):
        return _read_plain_csv(path)
    form = format_of(path)
    if form.read is None:
        raise FileError(
            f"{path}: {form.name} files are written but not read; a network is read from "
            f"{extensions_of(READABLE)}, {RESULT}"
        )
    return form.read(path)


def write_network(network: AnyNetwork, path: Path | str) -> None:
    """Write a network whole or not at all, in the format that the extension names.

    Formats that hold probabilities need a FittedNetwork; of the others, those
    of a FittedNetwork are left out.
    """
    form = format_of(path)
    if form.write_structure is not None:
        structure = network.network if isinstance(network, FittedNetwork) else network
        form.write_structure(structure, path)
    elif form.write_fitted is not None:
        if not isinstance(network, FittedNetwork):
            raise FileError(
                f"{path}: a {form.name} file holds probabilities, and this network has none: "
                f"fit it to data first, or write the structure only: "
                f"{extensions_of(STRUCTURE_ONLY)}"
            )
        form.write_fitted(network, path)


def _read_plain_csv(path: Path | str) -> Network:
    """Read a .csv that does not say in its name which of the CSV formats it is."""
    _, header = next(read_rows(path), (0, [""]))
    if is_edge_header(header):
        return read_edges(path)
    if header[0] == "" and len(header) > 1:
        return read_adjacency(path)
    raise FileError(
        f"{path}: no network is seen in this table: a list of arcs starts with from,to or as "
        "Bayesys has it, and an adjacency matrix with an empty field and then the names"
    )
