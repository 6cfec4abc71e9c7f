"""XDSL: GeNIe's and SMILE's networks in XML, which pgmpy also reads.

Variables and states have identifiers. A name that is not an identifier gets one derived from it;
GeNIe shows the name of a variable, and a comment holds the names of states. In a table, the states
of the variable vary fastest and those of its first parent slowest. GeNIe and pgmpy read tables in
this way; pyAgrum 3.3 reverses the order of the parents.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError
from forebear._util.text_files import read_text, write_text
from forebear.network.fitted_network import FittedNetwork
from forebear.network.formats.parsing import NetworkBuilder, parse_numbers
from forebear.network.formats.spelling import (
    identifiers_of,
    names_of_labels,
    note_of,
    rename,
    xml_comment,
    xml_escaped,
)
from forebear.network.formats.xmlbif import parse_xml

if TYPE_CHECKING:
    from xml.etree import ElementTree


def read_xdsl(path: Path | str) -> FittedNetwork:
    """Read a network from an XDSL file, gzipped or not."""
    text = read_text(path, "an XDSL file")
    root = parse_xml(path, text)
    nodes = root.find("nodes")
    if root.tag != "smile" or nodes is None:
        raise ForebearError("not an XDSL file: it has no element smile with nodes")
    labels = {_identifier(node): _identifier(node) for node in nodes}
    shown = {_identifier(node): node for node in root.iterfind("extensions/genie//node")}
    for identifier, node in shown.items():
        if identifier in labels:
            labels[identifier] = node.findtext("name", identifier)
    names = names_of_labels(labels)
    builder = NetworkBuilder(text)
    # In the order of the extension: SMILE requires parents before their children among the nodes.
    place = {identifier: k for k, identifier in enumerate(shown)}
    for node in sorted(nodes, key=lambda node: place.get(_identifier(node), len(place))):
        if node.tag not in ("cpt", "deterministic"):
            raise ForebearError(
                f"{_identifier(node)} is a node of the type {node.tag}, but only cpt and "
                "deterministic are supported"
            )
        builder.declare(names[_identifier(node)], map(_identifier, node.iterfind("state")))
    for node in nodes:
        child = names[_identifier(node)]
        # The builder reports identifiers that are not declared.
        parents = [names.get(parent, parent) for parent in (node.findtext("parents") or "").split()]
        builder.add_cells(child, parents, _cells(node, child, builder.states[child]))
    return builder.build()


def write_xdsl(fitted: FittedNetwork, path: Path | str) -> None:
    """Write a network as an XDSL file, gzipped when the name ends in ``.gz``."""
    names = fitted.network.names
    states = tuple(identifiers_of(own) for own in fitted.states)
    # The reader finds the names of the variables in the extension, and those of states in the note.
    note = note_of(rename(fitted, names, states), fitted)
    write_text("".join(_lines(rename(fitted, identifiers_of(names), states), names, note)), path)


def _identifier(element: ElementTree.Element) -> str:
    found = element.get("id")
    if found is None:
        raise ForebearError(f"an element {element.tag} has no id")
    return found


def _cells(node: ElementTree.Element, child: str, states: tuple[str, ...]) -> list[float]:
    """Return the probabilities of a node; a deterministic one lists one state per row."""
    if node.tag == "cpt":
        return parse_numbers((node.findtext("probabilities") or "").split(), child)
    cells: list[float] = []
    for state in (node.findtext("resultingstates") or "").split():
        if state not in states:
            raise ForebearError(f"{child} has no state {state}")
        cells += [float(state == own) for own in states]
    return cells


def _lines(coded: FittedNetwork, names: tuple[str, ...], note: str) -> Iterator[str]:
    nodes = coded.network.names
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'{xml_comment(note)}<smile version="1.0" id="network" numsamples="1000">\n'
    yield "\t<nodes>\n"
    for v in coded.network.order:  # SMILE requires parents before their children
        yield f'\t\t<cpt id="{nodes[v]}">\n'
        yield from (f'\t\t\t<state id="{state}" />\n' for state in coded.states[v])
        if parents := coded.network.parents[v]:
            yield f"\t\t\t<parents>{' '.join(nodes[p] for p in parents)}</parents>\n"
        cells = " ".join(map(repr, coded.tables[v].ravel().tolist()))
        yield f"\t\t\t<probabilities>{cells}</probabilities>\n\t\t</cpt>\n"
    yield '\t</nodes>\n\t<extensions>\n\t\t<genie version="1.0" app="forebear" name="network">\n'
    for v in range(coded.n_variables):
        left, top = 40 + 160 * (v % 8), 40 + 90 * (v // 8)
        yield f'\t\t\t<node id="{nodes[v]}">\n\t\t\t\t<name>{xml_escaped(names[v])}</name>\n'
        yield '\t\t\t\t<interior color="e5f6f7" />\n\t\t\t\t<outline color="000080" />\n'
        yield '\t\t\t\t<font color="000000" name="Arial" size="8" />\n'
        yield f"\t\t\t\t<position>{left} {top} {left + 120} {top + 50}</position>\n"
        yield "\t\t\t</node>\n"
    yield "\t\t</genie>\n\t</extensions>\n</smile>\n"
