"""Read and write network files; the extension determines the format.

``FORMATS`` is the only list of formats. Help texts and error messages use it as
well.

``read_network`` also reads result files (``.json``), and lists of arcs and
adjacency matrices in plain ``.csv`` files.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from forebear._util.checks import check_choice
from forebear._util.errors import FileError, ForebearError, ForebearWarning, Parameter
from forebear._util.file_kinds import advice_on
from forebear._util.text import counted, listing, printable
from forebear.data.examples import resolve_example
from forebear.network.drawing.picture_files import EXTENSIONS, write_network_picture
from forebear.network.fitted_network import FittedNetwork
from forebear.network.formats.bif import read_bif, write_bif
from forebear.network.formats.csv_files import (
    read_csv_network,
    write_adjacency,
    write_bayesys,
    write_edges,
)
from forebear.network.formats.dsc import read_dsc, write_dsc
from forebear.network.formats.graph_files import write_dot, write_graphml
from forebear.network.formats.hugin import read_hugin, write_hugin
from forebear.network.formats.model_string import read_model_string, write_model_string
from forebear.network.formats.result_file import read_network_of_result
from forebear.network.formats.spelling import (
    is_safe,
    note_of,
    safe_names,
    with_safe_names,
)
from forebear.network.formats.xdsl import read_xdsl, write_xdsl
from forebear.network.formats.xmlbif import read_xmlbif, write_xmlbif
from forebear.network.network import Network, NetworkLike, as_network

AnyNetwork: TypeAlias = Network | FittedNetwork

RESULT = ".json"
"""The extension of result files."""

PICTURE = "picture"
"""The name of the format of pictures."""

_CSV = (".csv", ".csv.gz")


@dataclass(frozen=True)
class NetworkFormat:
    """One format: its name, its extensions, and the functions that read and write it.

    Files that hold probabilities are written from a FittedNetwork, others from a Network. Their
    writers accept a note as a third argument.
    """

    name: str
    extensions: tuple[str, ...]
    read: Callable[[Path | str], AnyNetwork] | None
    write: Callable[..., None]
    holds_probabilities: bool = False
    always_safe: bool = False
    """Whether all names are changed to identifiers, and the original ones kept."""

    def matches(self, path: Path | str) -> bool:
        """Return whether a file has this format, judged by its name."""
        return Path(path).name.lower().removesuffix(".gz").endswith(self.extensions)


FORMATS = (
    NetworkFormat("BIF", (".bif",), read_bif, write_bif, True),
    NetworkFormat("XMLBIF", (".xmlbif", ".bifxml", ".xml"), read_xmlbif, write_xmlbif, True),
    NetworkFormat("Hugin", (".net",), read_hugin, write_hugin, True),
    NetworkFormat("XDSL", (".xdsl",), read_xdsl, write_xdsl, True, True),
    NetworkFormat("DSC", (".dsc",), read_dsc, write_dsc, True),
    NetworkFormat("DOT", (".dot", ".gv"), None, write_dot),
    NetworkFormat("GraphML", (".graphml",), None, write_graphml),
    NetworkFormat(PICTURE, EXTENSIONS, None, write_network_picture),
    NetworkFormat("model string", (".modelstring",), read_model_string, write_model_string),
    NetworkFormat("edge list", (".edges.csv",), read_csv_network, write_edges),
    NetworkFormat("Bayesys", (".bayesys.csv",), read_csv_network, write_bayesys),
    NetworkFormat("adjacency matrix", (".adjacency.csv",), read_csv_network, write_adjacency),
)

READABLE = tuple(form for form in FORMATS if form.read)
WITH_PROBABILITIES = tuple(form for form in FORMATS if form.holds_probabilities)
STRUCTURE_ONLY = tuple(form for form in FORMATS if not form.holds_probabilities)


def extensions_of(formats: Iterable[NetworkFormat] = FORMATS) -> str:
    """List the extensions of some formats for help texts and errors."""
    return ", ".join(extension for form in formats for extension in form.extensions)


def is_network(path: Path | str) -> bool:
    """Return whether a file is a network file, judged by its name."""
    return any(form.matches(path) for form in FORMATS)


def format_of(path: Path | str, *, read: bool = False) -> NetworkFormat:
    """Return the format that belongs to the extension of a file to write, or to ``read``."""
    for form in FORMATS:
        if form.matches(path):
            return form
    if advice := advice_on(path):
        raise FileError(f"{path}: {advice}")
    if Path(path).name.lower().endswith(_CSV):
        tables = [form for form in FORMATS if form.extensions[0].endswith(".csv")]
        raise FileError(
            f"{path}: the extension of a network in a CSV file must name its format: "
            f"{extensions_of(tables)}"
        )
    raise FileError(
        f"{path}: the extension of a network must be one of "
        f"{extensions_of(READABLE if read else FORMATS)}, each also with .gz after it"
        f"{f', or {RESULT} for that of a result' if read else ''}"
    )


def read_network(path: Path | str) -> Network:
    """Read the structure of a network from a file.

    Parameters
    ----------
    path
        A file in one of these formats, also with ``.gz``: ``.bif``,
        ``.xmlbif``, ``.bifxml``, ``.xml``, ``.net``, ``.xdsl``, ``.dsc``, ``.modelstring``,
        ``.edges.csv``, ``.bayesys.csv``, ``.adjacency.csv``; a ``.csv`` file
        with the header of one of these; or a result file (``.json``).
        "example:orchard.bif" is the network that the example table was drawn
        from.

    Returns
    -------
    Network
        The structure. Probabilities in the file are ignored.

    Raises
    ------
    FileError
        If the file cannot be read, or its content does not fit its format.

    Examples
    --------
    >>> from forebear import read_network
    >>> read_network("example:orchard.bif").n_variables
    18
    """
    return as_network(read_any_network(path))


def read_fitted(path: Path | str) -> FittedNetwork:
    """Read a network with its probabilities from a file.

    Parameters
    ----------
    path
        A ``.bif``, ``.xmlbif``, ``.bifxml``, ``.xml``, ``.net``, ``.xdsl`` or ``.dsc`` file, also
        with ``.gz``; or "example:orchard.bif".

    Returns
    -------
    FittedNetwork
        The network with its probabilities.

    Raises
    ------
    FileError
        If the file cannot be read, or has no probabilities.

    Examples
    --------
    >>> from forebear import read_fitted
    >>> read_fitted("example:orchard.bif").states[0]
    ('mild', 'normal', 'harsh')
    """
    network = read_any_network(path)
    if not isinstance(network, FittedNetwork):
        raise FileError(
            f"{path}: this file has no probabilities: read the structure with read_network, "
            f"or use a file with one of {extensions_of(WITH_PROBABILITIES)}"
        )
    return network


def read_any_network(path: Path | str) -> AnyNetwork:
    """Read a network, with its probabilities if the file has them."""
    path = resolve_example(path)
    read = _reader_of(path)
    try:
        return read(path)
    except FileError:
        raise
    except ForebearError as error:
        raise FileError(f"{path}: ", error.message) from None


def _reader_of(path: Path | str) -> Callable[[Path | str], AnyNetwork]:
    name = Path(path).name.lower()
    if name.endswith(RESULT):
        return read_network_of_result
    if name.endswith(_CSV) and not is_network(path):
        return read_csv_network
    form = format_of(path, read=True)
    if form.read is None:
        raise FileError(
            f"{path}: {form.name} files can be written but not read: use one of "
            f"{extensions_of(READABLE)}, {RESULT}"
        )
    return form.read


def write_network(
    network: NetworkLike, path: Path | str, *, names: Literal["original", "safe"] = "original"
) -> None:
    """Write a network to a file. If this fails, an existing file is left unchanged.

    Parameters
    ----------
    network
        A Network, a FittedNetwork or a Result, whose structure is written.
    path
        The file to write. Its extension determines the format, also with
        ``.gz``: ``.bif``, ``.xmlbif``, ``.bifxml``, ``.xml``, ``.net``, ``.xdsl`` and ``.dsc``
        hold probabilities and require a FittedNetwork; ``.dot``, ``.gv``,
        ``.graphml``, ``.modelstring``, ``.edges.csv``, ``.bayesys.csv`` and
        ``.adjacency.csv`` hold the structure only; ``.svg``, ``.png`` and ``.pdf`` are pictures.
    names
        "safe" changes names of variables and states that pgmpy or pyAgrum cannot read in a BIF
        file, such as "sepal length (cm)", to words such as "sepal_length_cm". Files that hold
        probabilities keep the original names in a comment, and forebear restores them. Default
        "original": the names are not changed, and a warning lists those in a BIF file.

    Raises
    ------
    FileError
        If the extension is unknown, if the format requires probabilities and
        the network has none, or if the file cannot be written.
    ForebearError
        If the format cannot hold a name.

    Examples
    --------
    >>> from pathlib import Path
    >>> from forebear import Network, write_network
    >>> network = Network.from_arcs(["a", "b"], [("a", "b")])
    >>> write_network(network, "small.modelstring")
    >>> Path("small.modelstring").read_text().strip()
    '[a][b|a]'
    """
    check_choice(("original", "safe"), names=names)
    form = format_of(path)
    structure = as_network(network)
    if not form.holds_probabilities:
        if names == "safe":
            structure = replace(structure, names=safe_names(structure.names))
        form.write(structure, path)
    elif isinstance(network, FittedNetwork):
        if form.always_safe:
            form.write(network, path)
            return
        written = with_safe_names(network) if names == "safe" else network
        form.write(written, path, note_of(written, network))
        if form.name in ("BIF", "Hugin"):
            _warn_of_names(written, network, path, form)
    else:
        raise FileError(
            f"{path}: a {form.name} file requires probabilities, but this network has none: "
            "fit it to data with fit_network first, or write the structure only to "
            f"{extensions_of(STRUCTURE_ONLY)}"
        )


def _warn_of_names(
    written: FittedNetwork, original: FittedNetwork, path: Path | str, form: NetworkFormat
) -> None:
    """Warn of what other programs cannot read: names, and variables with one state."""
    # In Hugin's files, variables have identifiers.
    listed = [name for name in written.network.names if form.name == "BIF" and not is_safe(name)]
    states = {state: None for own in written.states for state in own}
    listed += [state for state in states if not is_safe(state, state=True)]
    if listed:
        shown = listing([f'"{printable(name)}"' for name in listed])
        warnings.warn(
            ForebearWarning(
                f"{path}: pyAgrum or pgmpy may reject {counted(len(listed), 'name')} ({shown}): "
                "to change them, pass ",
                Parameter("names", "safe"),
            ),
            stacklevel=3,
        )
    pairs = zip(original.network.names, original.states, strict=True)
    if single := [name for name, own in pairs if len(own) == 1]:
        warnings.warn(
            ForebearWarning(
                f"{path}: pyAgrum rejects variables with one state ({listing(single)}): leave them "
                "out, or write a .bifxml file"
            ),
            stacklevel=3,
        )
