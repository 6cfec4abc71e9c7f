"""Errors that the user can do something about, each one sentence.

A message that mentions a parameter holds it as a ``Parameter``, not as text. Python shows
``max_parents=2`` where the command line shows ``--max-parents 2``.
"""

from __future__ import annotations

import re
import warnings
from shlex import quote
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Parameter(NamedTuple):
    """A parameter that a message mentions, optionally with a value."""

    name: str
    value: object = None

    def __str__(self) -> str:
        """Spell it as in Python."""
        if self.value is None:
            return self.name
        shown = f'"{self.value}"' if isinstance(self.value, str) else f"{self.value}"
        return f"{self.name}={shown}"

    @property
    def option(self) -> str:
        """Spell it as on the command line."""
        name = "--" + self.name.replace("_", "-")
        if self.value is None or self.value is True:
            return name
        if self.value is False:
            return "--no-" + name.removeprefix("--")
        # Quoted where a shell would take it for something else, such as #.
        return f"{name} {quote(str(self.value))}"


class Message:
    """Text whose parameters are formatted for Python or for the command line."""

    def __init__(self, *parts: object) -> None:
        self.parts = parts

    def __str__(self) -> str:
        """Spell the parameters as in Python."""
        return self.spelled(str)

    def spelled(self, spell: Callable[[Parameter], str]) -> str:
        """Put the parts together, each parameter spelled by ``spell``."""
        return "".join(spell(p) if isinstance(p, Parameter) else str(p) for p in self._flat())

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
    """A mistake or a limit that the user can do something about, in one sentence.

    Parameters
    ----------
    *parts
        The message: text, ``Parameter`` and ``Message`` objects, put together.

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
    """A file cannot be read or written, or is not what it claims to be."""

    __module__ = "forebear"

    @classmethod
    def at(cls, path: Path | str, line: int, what: object) -> FileError:
        """Build the error of one bad line: ``file:line: what``."""
        return cls(f"{path}:{line}: ", what)

    @classmethod
    def unreadable(cls, path: Path | str, error: OSError) -> FileError:
        """Build the error of a file that cannot be opened or read."""
        if is_address(path):
            return cls(f"{path}: forebear does not download files: save it, and pass its path")
        if isinstance(error, FileNotFoundError):
            return cls(f"{path}: there is no such file")
        return cls(f"{path}: cannot be read: {error.strerror or error}")


def is_address(path: Path | str) -> bool:
    """Tell whether this is an address such as https://example.org/table.csv."""
    # Two letters at least, since Windows has drives of one; a Path has one slash only.
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(path)) is not None


class LimitError(ForebearError):
    """The work does not fit in the time or the memory that was given."""

    __module__ = "forebear"


class TimeLimitError(LimitError):
    """The work took longer than predicted."""


class UnknownParameterError(ForebearError, TypeError):
    """A function was called with a parameter that it does not have."""


class ForebearWarning(UserWarning):
    """Something that is allowed, but that the user should know.

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
    """A run was interrupted, and returned what it had by then.

    The command line ignores it: its commands show why a run ended.
    """

    __module__ = "forebear"


def warn_if_interrupted(stop_reason: str | None, returned: str, *, stacklevel: int = 4) -> None:
    """Warn if an interrupt ended a run: a loop around it would go on as if nothing had happened.

    Level 4 is the caller of a public function, behind its check of parameters.
    """
    if stop_reason == "interrupted":
        warnings.warn(InterruptWarning(f"interrupted: {returned}"), stacklevel=stacklevel)
