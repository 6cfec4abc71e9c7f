"""Checks of the options that say how a table is read."""

from __future__ import annotations

import codecs
from collections.abc import Mapping

from forebear._util.errors import ForebearError, Parameter


def is_listed(value: object) -> bool:
    """Return whether a value is a list or something like it, and not text."""
    return hasattr(value, "__iter__") and not isinstance(value, str | bytes | Mapping)


def check_declared(**options: object) -> None:
    """Reject states that are not a dictionary from column to a list."""
    for option, states in options.items():
        if states is None:
            continue
        if not isinstance(states, Mapping):
            raise ForebearError(
                Parameter(option),
                f" must be a dictionary from column to states, got {type(states).__name__}",
            )
        for column, own in states.items():
            if not is_listed(own):
                raise ForebearError(
                    Parameter(option), f" of column {str(column)!r} must be a list, got {own!r}"
                )


def check_columns_given(option: str, columns: object) -> None:
    """Reject what is not a list of columns; ``ordered`` may be a dictionary."""
    if columns is None and option == "keep":
        return
    if not (is_listed(columns) or (option == "ordered" and isinstance(columns, Mapping))):
        raise ForebearError(Parameter(option), f" must be a list of columns, got {columns!r}")


def check_tokens(tokens: object) -> None:
    """Reject tokens that are neither a list nor a dictionary from column to list."""
    if tokens is None:
        return
    for own in tokens.values() if isinstance(tokens, Mapping) else [tokens]:
        if not is_listed(own):
            raise ForebearError(Parameter("missing_tokens"), f" must be a list, got {own!r}")


def check_flag(**flags: object) -> None:
    """Reject what is neither True, False nor None."""
    for name, value in flags.items():
        if not (value is None or isinstance(value, bool)):
            raise ForebearError(Parameter(name), f" must be True, False or None, got {value!r}")


def check_text(**texts: object) -> None:
    """Reject what is neither None nor a text that is not empty."""
    for name, value in texts.items():
        if value is not None and not (isinstance(value, str) and value):
            raise ForebearError(Parameter(name), f" must be text, got {value!r}")


def check_encoding(encoding: object) -> None:
    """Reject an encoding that Python does not know."""
    if encoding is None:
        return
    check_text(encoding=encoding)
    try:
        known = codecs.lookup(str(encoding))
    except LookupError:
        known = None
    # Python's codecs also translate bytes to bytes, such as base64.
    if known is None or not getattr(known, "_is_text_encoding", True):
        raise ForebearError(
            Parameter("encoding"),
            f" {str(encoding)!r} is not known: name one such as utf-8, cp1252, latin-1 or utf-16",
        )
