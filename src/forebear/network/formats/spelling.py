"""Spelling of names in files: as identifiers, in quotes, and escaped for XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_FOREIGN = re.compile(r"[^A-Za-z0-9_]")
_ESCAPE = re.compile(r'\\(["\\])')
# Characters that XML does not allow. A pattern of the allowed ones is slow to compile.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Tabs and line ends are escaped, because parsers may change them.
_SPECIAL = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        '"': "&quot;",
        "\t": "&#9;",
        "\n": "&#10;",
        "\r": "&#13;",
    }
)


def identifier_of(name: str) -> str:
    """Derive an identifier: letters, digits and underscores, not starting with a digit."""
    identifier = _FOREIGN.sub("_", name)
    return identifier if identifier and not identifier[0].isdigit() else f"_{identifier}"


def identifiers_of(names: Sequence[str], reserved: Collection[str] = ()) -> tuple[str, ...]:
    """Derive a distinct identifier from every name; names that are identifiers stay the same."""
    taken = {name for name in names if identifier_of(name) == name} - set(reserved)
    identifiers = []
    for name in names:
        base = identifier_of(name)
        if name in taken:
            identifiers.append(name)
            continue
        identifier, number = base, 2
        while identifier in taken or identifier in reserved:
            identifier, number = f"{base}_{number}", number + 1
        taken.add(identifier)
        identifiers.append(identifier)
    return tuple(identifiers)


def stands_for(identifier: str, name: str, reserved: Collection[str] = ()) -> bool:
    """Return whether ``identifiers_of`` could have derived this identifier from that name."""
    base = identifier_of(name)
    if base == name and name not in reserved:
        return identifier == name
    return re.fullmatch(rf"{re.escape(base)}(_\d+)?", identifier) is not None


def unquoted(token: str) -> str:
    """Return the name that a token spells."""
    return _ESCAPE.sub(r"\1", token[1:-1]) if token.startswith('"') else token


def quoted(name: str) -> str:
    """Write a name in quotes, with a backslash before each quote and backslash in it."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def xml_escaped(name: str) -> str:
    """Escape a name for XML, between tags or between quotes."""
    if illegal := _ILLEGAL.search(name):
        raise ForebearError(
            f"an XML file cannot hold the name {name!r}, because XML does not allow "
            f"{illegal[0]!r}: rename it, or write .bif or .net"
        )
    return name.translate(_SPECIAL)
