"""Errors that the user can act on, each with a message of one sentence.

A parameter in a message is a ``Parameter`` object, not text: Python shows ``max_parents=2`` where
the command line shows ``--max-parents 2``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import NamedTuple


class Parameter(NamedTuple):
    """A parameter in a message, optionally with a value to pass."""

    name: str
    value: object = None

    def __str__(self) -> str:
        """Format it as in Python."""
        if self.value is None:
            return self.name
        shown = f'"{self.value}"' if isinstance(self.value, str) else f"{self.value}"
        return f"{self.name}={shown}"

    @property
    def option(self) -> str:
        """The parameter as an option of the command line."""
        name = "--" + self.name.replace("_", "-")
        if self.value is None or self.value is True:
            return name
        if self.value is False:
            return "--no-" + name.removeprefix("--")
        # Quoted if a shell would interpret it, such as #.
        return f"{name} {quote(str(self.value))}"


class Message:
    """Text whose parameters are formatted for Python or for the command line."""

    def __init__(self, *parts: object) -> None:
        self.parts = parts

    def __str__(self) -> str:
        """Format the parameters as in Python."""
        return self.format(str)

    def format(self, show: Callable[[Parameter], str]) -> str:
        """Join the parts; ``show`` formats each parameter."""
        return "".join(show(p) if isinstance(p, Parameter) else str(p) for p in self._flat())

    def _flat(self) -> list[object]:
        flat: list[object] = []
        for part in self.parts:
            flat += part._flat() if isinstance(part, Message) else [part]
        return flat

    @property
    def parameter(self) -> str | None:
        """The name of the first parameter in the message."""
        return next((p.name for p in self._flat() if isinstance(p, Parameter)), None)


class ForebearError(ValueError):
    """An error that the user can act on, described in one sentence.

    Parameters
    ----------
    *parts
        The parts of the message: text, ``Parameter`` and ``Message`` objects.

    Attributes
    ----------
    message
        The message with its parameters.
    parameter
        The name of the parameter at fault, or None.
    """

    __module__ = "forebear"

    def __init__(self, *parts: object) -> None:
        self.message = Message(*parts)
        super().__init__(str(self.message))

    @property
    def parameter(self) -> str | None:
        """The name of the parameter at fault, if there is one."""
        return self.message.parameter


class DataError(ForebearError):
    """The table cannot be used as it is."""

    __module__ = "forebear"


class FileError(ForebearError):
    """A file cannot be read or written, or its content does not fit its format."""

    __module__ = "forebear"

    @classmethod
    def at(cls, path: Path | str, line: int, what: object) -> FileError:
        """Return the error about a line: ``file:line: what``."""
        return cls(f"{path}:{line}: ", what)

    @classmethod
    def unreadable(cls, path: Path | str, error: OSError) -> FileError:
        """Return the error about a file that cannot be opened or read."""
        if is_address(path):
            return cls(f"{path}: forebear does not download files: download it and pass its path")
        if isinstance(error, FileNotFoundError):
            return cls(f"{path}: there is no such file")
        return cls(f"{path}: cannot be read: {error.strerror or error}")


def is_address(path: Path | str) -> bool:
    """Return whether this is an address such as https://example.org/table.csv."""
    # At least two letters, because a drive of Windows has one; a Path collapses // to one slash.
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(path)) is not None


class LimitError(ForebearError):
    """The work does not fit in the time limit or the memory limit."""

    __module__ = "forebear"


class TimeLimitError(LimitError):
    """The work did not finish within the time limit."""


class UnknownParameterError(ForebearError, TypeError):
    """A function was called with a parameter that it does not have."""


class ForebearWarning(UserWarning):
    """A warning about something that is allowed, but may not be intended.

    Parameters
    ----------
    *parts
        The message, as in ``ForebearError``.
    """

    __module__ = "forebear"

    def __init__(self, *parts: object) -> None:
        self.message = Message(*parts)
        super().__init__(str(self.message))


class InterruptWarning(ForebearWarning):
    """A run was interrupted and returned its best result so far.

    The command line ignores it, because its commands show why a run ended.
    """

    __module__ = "forebear"


def warn_if_interrupted(stop_reason: str | None, returned: str, *, stacklevel: int = 4) -> None:
    """Warn if a run was interrupted; otherwise, the caller's loop over runs would just continue.

    Level 4 is the caller of a public function, behind its check of parameters.
    """
    if stop_reason == "interrupted":
        warnings.warn(InterruptWarning(f"interrupted: {returned}"), stacklevel=stacklevel)
