"""How formats spell names: as identifiers, in quotes, and escaped for XML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from forebear._util.errors import ForebearError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_FOREIGN = re.compile(r"[^A-Za-z0-9_]")
_ESCAPE = re.compile(r'\\(["\\])')
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


def identifier_of(name: str) -> str:
    """Derive an identifier: letters, digits and underscores, not starting with a digit."""
    spelled = _FOREIGN.sub("_", name)
    return spelled if spelled and not spelled[0].isdigit() else f"_{spelled}"


def identifiers_of(names: Sequence[str], reserved: Collection[str] = ()) -> tuple[str, ...]:
    """Derive a distinct identifier from every name; names that are identifiers stay as they are."""
    taken = {name for name in names if identifier_of(name) == name} - set(reserved)
    chosen = []
    for name in names:
        wanted = identifier_of(name)
        if name in taken:
            chosen.append(name)
            continue
        spelled, number = wanted, 2
        while spelled in taken or spelled in reserved:
            spelled, number = f"{wanted}_{number}", number + 1
        taken.add(spelled)
        chosen.append(spelled)
    return tuple(chosen)


def stands_for(identifier: str, name: str, reserved: Collection[str] = ()) -> bool:
    """Return whether ``identifiers_of`` could have derived this identifier from that name."""
    wanted = identifier_of(name)
    if wanted == name and name not in reserved:
        return identifier == name
    return re.fullmatch(rf"{re.escape(wanted)}(_\d+)?", identifier) is not None


def unquoted(token: str) -> str:
    """Return the name that a token spells."""
    return _ESCAPE.sub(r"\1", token[1:-1]) if token.startswith('"') else token


def quoted(name: str) -> str:
    """Spell a name in quotes; a quote or a backslash in it follows a backslash."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def xml_escaped(name: str) -> str:
    """Escape a name for XML, between tags or between quotes."""
    if illegal := _ILLEGAL.search(name):
        raise ForebearError(
            f"an XML file cannot hold the name {name!r}, because XML does not allow "
            f"{illegal[0]!r}: rename it, or write .bif or .net"
        )
    return name.translate(_SPECIAL)
