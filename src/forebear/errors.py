"""What can go wrong by the user's hand. The command line shows the message and exits with 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class ForebearError(ValueError):
    """A mistake or a limit that the user can do something about, said in one sentence."""


class DataError(ForebearError):
    """The table cannot be used as it is."""


class FileError(ForebearError):
    """A file cannot be read or written, or is not what it claims to be."""

    @classmethod
    def at(cls, path: Path | str, line: int, what: str) -> FileError:
        """Build the error of one bad line: ``file:line: what``."""
        return cls(f"{path}:{line}: {what}")


class LimitError(ForebearError):
    """The work would not fit in the time or the memory that was given."""


class TimeLimitError(LimitError):
    """It took longer than was expected."""


class ForebearWarning(UserWarning):
    """Something that is allowed, but that the user probably wants to know."""
