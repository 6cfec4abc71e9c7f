"""Spelling of names in files: as identifiers, in quotes, escaped for XML, and as safe words.

If names are changed, a note in a comment of the file maps them to the original names.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence

from forebear._util.errors import ForebearError
from forebear.network.fitted_network import FittedNetwork
from forebear.network.network import Network

_NOTE = "forebear names "
_BIF_WORDS = frozenset(
    ["network", "variable", "probability", "property", "type", "discrete", "default", "table"]
)
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


def is_identifier(name: str) -> bool:
    """Return whether a name has only letters, digits and underscores, and no leading digit."""
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None


def is_safe(name: str, *, state: bool = False) -> bool:
    """Return whether pgmpy and pyAgrum can read a name in a BIF file. States may be numbers."""
    if state and re.fullmatch(r"-?[0-9]+", name):
        return True
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", name) is not None and name not in _BIF_WORDS


def identifiers_of(names: Sequence[str], reserved: Collection[str] = ()) -> tuple[str, ...]:
    """Derive a distinct identifier from every name; names that are identifiers stay the same."""
    return _distinct_words(names, lambda name: is_identifier(name) and name not in reserved)


def safe_names(names: Sequence[str], *, states: bool = False) -> tuple[str, ...]:
    """Return distinct names that other programs can read; safe ones stay the same."""
    return _distinct_words(names, lambda name: is_safe(name, state=states))


def _distinct_words(names: Sequence[str], allowed: Callable[[str], bool]) -> tuple[str, ...]:
    taken = {name for name in names if allowed(name)}
    words = []
    for name in names:
        word = name
        if not allowed(name):
            word = base = _word_of(name, allowed)
            if not allowed(f"{base}_2"):  # a number
                base = f"_{base}"
            number = 2
            while word in taken:
                word, number = f"{base}_{number}", number + 1
            taken.add(word)
        words.append(word)
    return tuple(words)


def _word_of(name: str, allowed: Callable[[str], bool]) -> str:
    """Derive a word from a name, without accents and with underscores between its parts."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    word = re.sub("[^A-Za-z0-9_]+", "_", plain).strip("_")
    return word if allowed(word) else f"_{word}"


def stands_for(identifier: str, name: str, reserved: Collection[str] = ()) -> bool:
    """Return whether ``identifiers_of`` could have derived this identifier from that name."""
    base = identifiers_of([name], reserved)[0]
    numbered = base != name and re.fullmatch(rf"{re.escape(base)}_\d+", identifier)
    return identifier == base or bool(numbered)


def names_of_labels(labels: Mapping[str, str], reserved: Collection[str] = ()) -> dict[str, str]:
    """Return the name of every node: its label, if the identifier is derived from that."""
    names = {
        node: label if stands_for(node, label, reserved) else node for node, label in labels.items()
    }
    return names if len(set(names.values())) == len(names) else {node: node for node in names}


def rename(
    fitted: FittedNetwork, names: tuple[str, ...], states: tuple[tuple[str, ...], ...]
) -> FittedNetwork:
    """Return a network with other names of its variables and states."""
    return FittedNetwork(Network(names, fitted.network.parents), states, fitted.tables)


def with_safe_names(fitted: FittedNetwork) -> FittedNetwork:
    """Return a network with names that other programs can read."""
    states = tuple(safe_names(own, states=True) for own in fitted.states)
    return rename(fitted, safe_names(fitted.network.names), states)


def note_of(changed: FittedNetwork, original: FittedNetwork) -> str:
    """Return one line with the original names of variables and states; empty if none differ."""
    pairs = zip(changed.network.names, changed.states, strict=True)
    olds = zip(original.network.names, original.states, strict=True)
    names = {
        new: [old, list(old_states) if states != old_states else None]
        for (new, states), (old, old_states) in zip(pairs, olds, strict=True)
        if (new, states) != (old, old_states)
    }
    # A comment in XML must not contain two hyphens.
    return f"{_NOTE}{json.dumps(names)}".replace("--", "-\\u002d") if names else ""


def with_original_names(fitted: FittedNetwork, text: str) -> FittedNetwork:
    """Return a network with the names in the note of its file; if it does not fit, unchanged."""
    match = re.search(rf"{_NOTE}(\{{.*\}})", text)
    try:
        notes = json.loads(match[1]) if match else {}
        given = [notes.get(name, [name, None]) for name in fitted.network.names]
        names = tuple(name for name, _ in given)
        states = tuple(
            own if listed is None else tuple(listed)
            for own, (_, listed) in zip(fitted.states, given, strict=True)
        )
        texts = [*names, *(state for own in states for state in own)]
        if all(isinstance(one, str) and one.encode() is not None for one in texts):
            return rename(fitted, names, states) if notes else fitted
    except (ValueError, TypeError, AttributeError, RecursionError):
        pass  # changed by hand, or by another program
    return fitted


def xml_comment(note: str) -> str:
    """Return a note as a comment of XML with a line end; nothing for an empty note."""
    return f"<!-- {note} -->\n" if note else ""


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
