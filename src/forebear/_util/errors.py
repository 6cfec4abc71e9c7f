"""What can go wrong by the user's hand. The command line shows the message and exits with 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class ForebearError(ValueError):
    """A mistake or a limit that the user can do something about, said in one sentence."""

    __module__ = "forebear"


class DataError(ForebearError):
    """The table cannot be used as it is."""

    __module__ = "forebear"


class FileError(ForebearError):
    """A file cannot be read or written, or is not what it claims to be."""

    __module__ = "forebear"

    @classmethod
    def at(cls, path: Path | str, line: int, what: str) -> FileError:
        """Build the error of one bad line: ``file:line: what``."""
        return cls(f"{path}:{line}: {what}")


class LimitError(ForebearError):
    """The work would not fit in the time or the memory that was given."""

    __module__ = "forebear"


class TimeLimitError(LimitError):
    """It took longer than was expected."""

    __module__ = "forebear"


class ForebearWarning(UserWarning):
    """Something that is allowed, but that the user probably wants to know."""

    __module__ = "forebear"
