"""Escaping of names for XML."""

from __future__ import annotations

import re

from forebear._util.errors import ForebearError

# The characters that are not allowed; a set of the allowed ones is slow to compile.
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


def escape(name: str) -> str:
    """Escape a name for XML, between tags or between quotes."""
    if illegal := _ILLEGAL.search(name):
        raise ForebearError(
            f"an XML file cannot hold the name {name!r}, because XML does not allow "
            f"{illegal[0]!r}: rename it, or write .bif or .net"
        )
    return name.translate(_SPECIAL)
