"""XMLBIF: Bayesian networks in XML, version 0.3, for JavaBayes, Weka, pgmpy and pyAgrum.

In a TABLE, the states of the variable vary fastest and those of the first GIVEN
slowest. Numbers are written with ``repr`` precision, so that reading gives the
same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from forebear._util.errors import FileError, ForebearError
from forebear._util.text_files import read_text, write_text
from forebear.network.fitted_network import FittedNetwork
from forebear.network.formats.parsing import NetworkBuilder, parse_numbers
from forebear.network.formats.spelling import xml_comment, xml_escaped


def read_xmlbif(path: Path | str) -> FittedNetwork:
    """Read a network from an XMLBIF file, gzipped or not."""
    text = read_text(path, "an XMLBIF file")
    root = parse_xml(path, text)
    network = root if root.tag == "NETWORK" else root.find("NETWORK")
    if network is None:
        raise ForebearError("not an XMLBIF file: it has no element NETWORK")
    builder = NetworkBuilder(text)
    for variable in network.iterfind("VARIABLE"):
        name = _text(variable, "NAME")
        kind = variable.get("TYPE", "nature")
        if kind != "nature":
            raise ForebearError(
                f"variable {name} has the type {kind}, but only nature is supported"
            )
        builder.declare(name, [outcome.text or "" for outcome in variable.iterfind("OUTCOME")])
    for definition in network.iterfind("DEFINITION"):
        child = _text(definition, "FOR")
        if len(definition.findall("FOR")) > 1:
            raise ForebearError(
                f"{child} is defined together with other variables, which is not supported"
            )
        parents = [given.text or "" for given in definition.iterfind("GIVEN")]
        words = _text(definition, "TABLE").split()
        builder.add_cells(child, parents, parse_numbers(words, child))
    return builder.build()


def write_xmlbif(fitted: FittedNetwork, path: Path | str, note: str = "") -> None:
    """Write a network as an XMLBIF file, gzipped when the name ends in ``.gz``."""
    write_text("".join(_lines(fitted, note)), path)


def parse_xml(path: Path | str, text: str) -> ElementTree.Element:
    """Return the root element of a file; report the line of an error."""
    # As bytes, because ElementTree rejects text that declares an encoding. They are UTF-8, whatever
    # the declaration says.
    try:
        return ElementTree.fromstring(text.encode(), ElementTree.XMLParser(encoding="utf-8"))
    except ElementTree.ParseError as error:
        raise FileError.at(path, error.position[0], f"this is not valid XML: {error}") from None


def _text(element: ElementTree.Element, tag: str) -> str:
    child = element.find(tag)
    if child is None:
        raise ForebearError(f"an element {element.tag} has no {tag}")
    return child.text or ""


def _lines(fitted: FittedNetwork, note: str) -> Iterator[str]:
    names = [xml_escaped(name) for name in fitted.network.names]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'{xml_comment(note)}<BIF VERSION="0.3">\n<NETWORK>\n'
    yield "<NAME>unknown</NAME>\n"
    for name, states in zip(names, fitted.states, strict=True):
        yield f'<VARIABLE TYPE="nature">\n  <NAME>{name}</NAME>\n'
        yield from (f"  <OUTCOME>{xml_escaped(state)}</OUTCOME>\n" for state in states)
        yield "</VARIABLE>\n"
    for v, parents in enumerate(fitted.network.parents):
        yield f"<DEFINITION>\n  <FOR>{names[v]}</FOR>\n"
        yield from (f"  <GIVEN>{names[p]}</GIVEN>\n" for p in parents)
        rows = fitted.tables[v].reshape(-1, len(fitted.states[v])).tolist()
        yield "  <TABLE>" + "\n    ".join(" ".join(map(repr, row)) for row in rows)
        yield "</TABLE>\n</DEFINITION>\n"
    yield "</NETWORK>\n</BIF>\n"
