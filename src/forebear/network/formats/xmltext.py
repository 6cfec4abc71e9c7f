"""Names inside XML."""

from __future__ import annotations

import re

from forebear._util.errors import ForebearError

# Listed by what is left out: the set of what is allowed takes milliseconds to compile.
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Tabs and line ends are spelled out: a parser may turn them into others.
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
    """Spell a name so that XML holds it, between tags or between quotes."""
    if illegal := _ILLEGAL.search(name):
        raise ForebearError(
            f"{name!r} cannot stand in an XML file, which has no way to write {illegal[0]!r}: "
            "rename it, or choose a format such as .bif or .net"
        )
    return name.translate(_SPECIAL)
